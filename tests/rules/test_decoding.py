"""SPEC 4, "Decoding": what becomes of what does not have the form that its schema demands."""

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, OPTIONS, item, of_version, one_sided, sent, text, v1, v2


# --- A malformed update or notification of a known kind changes nothing and is an error ---------------------------------


CHUNK = {"messageId": "m", "content": text("x")}
OPTION = {
    1: {"id": "f", "name": "F", "type": "boolean", "currentValue": True},
    2: {"configId": "f", "name": "F", "type": "boolean", "currentValue": True},
}

NEEDED = [
    (1, "tool_call", {"toolCallId": "t1", "title": "T"}, ["toolCallId", "title"]),
    (1, "tool_call_update", {"toolCallId": "t1"}, ["toolCallId"]),
    (1, "agent_message_chunk", CHUNK, ["content"]),
    (1, "user_message_chunk", CHUNK, ["content"]),
    (1, "agent_thought_chunk", CHUNK, ["content"]),
    (1, "plan", {"entries": []}, ["entries"]),
    (1, "available_commands_update", {"availableCommands": []}, ["availableCommands"]),
    (1, "current_mode_update", {"currentModeId": "code"}, ["currentModeId"]),
    (1, "config_option_update", {"configOptions": []}, ["configOptions"]),
    (1, "usage_update", {"used": 1, "size": 2}, ["used", "size"]),
    (2, "tool_call_update", {"toolCallId": "t1"}, ["toolCallId"]),
    (2, "tool_call_content_chunk", {"toolCallId": "t1", "content": item("x")}, ["toolCallId", "content"]),
    (2, "user_message", {"messageId": "m"}, ["messageId"]),
    (2, "agent_message", {"messageId": "m"}, ["messageId"]),
    (2, "agent_thought", {"messageId": "m"}, ["messageId"]),
    (2, "state_update", {"state": "running"}, ["state"]),
    (2, "terminal_update", {"terminalId": "k"}, ["terminalId"]),
    (2, "terminal_output_chunk", {"terminalId": "k", "data": "YQ=="}, ["terminalId", "data"]),
    (2, "available_commands_update", {"availableCommands": []}, ["availableCommands"]),
    (2, "config_option_update", {"configOptions": []}, ["configOptions"]),
    (2, "usage_update", {"used": 1, "size": 2}, ["used", "size"]),
    *[
        (version, kind, fields, needed)
        for version in (1, 2)
        for kind, fields, needed in [
            ("notice", {"severity": "info", "title": "T"}, ["severity", "title"]),
            ("compaction_update", {"compactionId": "c", "status": "completed"}, ["compactionId", "status"]),
            ("compaction_summary_chunk", {"compactionId": "c", "content": text("x")}, ["compactionId", "content"]),
            ("subagent_update", {"sessionId": "child"}, ["sessionId"]),
            ("session_message", {"messageId": "s"}, ["messageId"]),
            ("session_message_chunk", {"messageId": "s", "content": text("x")}, ["messageId", "content"]),
            ("plan_update", {"plan": {"type": "markdown", "planId": "p", "content": "x"}}, ["plan"]),
        ]
    ],
]
BROKEN = [(version, kind, fields, name) for version, kind, fields, needed in NEEDED for name in needed]


@pytest.mark.parametrize(("version", "kind", "fields", "name"), BROKEN)
@pytest.mark.parametrize("value", [ABSENT, None, 7.5, True, {"a": 1}], ids=["absent", "null", "number", "true", "object"])
def test_an_update_without_what_it_needs_changes_nothing_and_is_an_error(version, kind, fields, name, value):
    before = of_version(version).fold()
    good = of_version(version).update(kind, **fields).fold()
    bad = of_version(version).update(kind, **sent(**{**fields, name: value})).fold()

    assert good.session() != before.session()
    assert bad.sessions == before.sessions
    assert "error" in bad.severities


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("params", [ABSENT, None, [], "x", {}, {"sessionId": "s-1"}, {"update": {"sessionUpdate": "plan"}}], ids=repr)
def test_a_notification_without_what_it_needs_changes_nothing_and_is_an_error(version, params):
    before = of_version(version).fold()
    document = of_version(version).tells("agent", "session/update", params).fold()

    assert document.sessions == before.sessions
    assert "error" in document.severities


@pytest.mark.parametrize("id", [None, 7, True, ["s-1"], {"id": "s-1"}], ids=repr)
def test_a_session_id_that_is_no_string_is_none(id):
    document = v1().agent_tells("session/update", sessionId=id, update={"sessionUpdate": "plan", "entries": []}).fold()

    assert list(document.sessions) == ["s-1"]
    assert "plans" not in document.session()
    assert document.codes == ["malformed"]


@pytest.mark.parametrize("id", [ABSENT, None, 7, ["s-1"]], ids=repr)
def test_nor_does_it_harm_the_sessions_that_are_heard_of_later(id):
    document = (
        one_sided(1)
        .agent_tells("session/update", sessionId=id, update={"sessionUpdate": "plan", "entries": []})
        .agent_says("x")
        .agent_says("y", session="s-2")
        .ends(9)
        .fold()
    )
    assert list(document.sessions) == ["s-1", "s-2"]
    assert len(document.turns("s-2")) == 1


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("elicitation/complete", {}),
        ("elicitation/complete", {"elicitationId": 7}),
        ("auth/status_update", {}),
        ("auth/status_update", {"state": 7}),
    ],
)
def test_other_notifications_too(method, params):
    before = v1().fold()
    document = v1().agent_tells(method, **params).fold()

    assert document.sessions == before.sessions
    assert "auth" not in document.connection
    assert document.severities == {"error"}


def test_a_cancel_without_session_cancels_nothing():
    document = v1().prompt(1).client_tells("session/cancel").fold()

    assert "cancelRequested" not in document.turn(1)
    assert document.severities == {"error"}


@pytest.mark.parametrize(("name", "value"), [("cwd", 7), ("additionalDirectories", "x")])
@pytest.mark.parametrize("version", [1, 2])
def test_an_optional_field_without_a_default_on_error_makes_the_update_malformed(version, name, value):
    document = of_version(version).update("subagent_update", sessionId="child", title="T", **{name: value}).fold()

    assert "subagents" not in document.session()
    assert document.severities >= {"error"}


# --- a field marked `x-deserialize-default-on-error` falls back to absent, with a diagnostic -----------------------------


FALLING_BACK = [
    ("tool_call_update", {"toolCallId": "t1"}, "kind", 7),
    ("tool_call_update", {"toolCallId": "t1"}, "status", True),
    ("tool_call_update", {"toolCallId": "t1"}, "title", 7),
    ("tool_call_update", {"toolCallId": "t1"}, "name", []),
    ("tool_call_update", {"toolCallId": "t1"}, "content", "x"),
    ("tool_call_update", {"toolCallId": "t1"}, "content", item("x")),
    ("tool_call_update", {"toolCallId": "t1"}, "locations", {}),
    ("session_info_update", {}, "title", 7),
    ("session_info_update", {}, "updatedAt", 7),
    ("usage_update", {"used": 1, "size": 2}, "cost", "free"),
    ("notice", {"severity": "info", "title": "T"}, "description", 7),
    ("compaction_update", {"compactionId": "c", "status": "completed"}, "summary", "x"),
    ("compaction_update", {"compactionId": "c", "status": "completed"}, "error", 7),
    ("subagent_update", {"sessionId": "child"}, "title", 7),
    ("subagent_update", {"sessionId": "child"}, "description", []),
    ("subagent_update", {"sessionId": "child"}, "capabilities", "x"),
    ("subagent_update", {"sessionId": "child"}, "state", "running"),
    ("session_message", {"messageId": "s"}, "content", "x"),
    ("session_message", {"messageId": "s"}, "senderSessionId", 7),
]
FALLING_BACK_IN_V2 = [
    ("agent_message", {"messageId": "m"}, "content", "x"),
    ("user_message", {"messageId": "m"}, "content", text("x")),
    ("agent_thought", {"messageId": "m"}, "content", 7),
    ("tool_call_update", {"toolCallId": "t1"}, "capabilities", True),
    ("terminal_update", {"terminalId": "k"}, "command", 7),
    ("terminal_update", {"terminalId": "k"}, "cwd", 7),
    ("terminal_update", {"terminalId": "k"}, "output", "x"),
    ("terminal_update", {"terminalId": "k"}, "output", {"data": "%%%"}),
    ("terminal_update", {"terminalId": "k"}, "exitStatus", 0),
    ("terminal_update", {"terminalId": "k"}, "size", {"cols": "80", "rows": 24}),
    ("terminal_update", {"terminalId": "k"}, "capabilities", "x"),
]


@pytest.mark.parametrize(
    ("version", "kind", "fields", "name", "value"),
    [(version, *one) for version in (1, 2) for one in FALLING_BACK] + [(2, *one) for one in FALLING_BACK_IN_V2],
)
def test_a_field_that_may_fall_back_is_absent_with_a_diagnostic(version, kind, fields, name, value):
    without = of_version(version).update(kind, **fields).fold()
    document = of_version(version).update(kind, **fields, **{name: value}).fold()

    assert document.sessions == without.sessions
    assert document.codes.count("malformed-field") == 1


def test_absent_is_unchanged_in_a_patch_of_v2():
    document = v2().tool_update("t1", title="A", content=[item("x")]).tool_update("t1", title=7, content="y").fold()

    assert (document.tool()["title"], document.tool()["content"]) == ("A", [item("x")])


def test_it_may_be_deep_inside():
    block = text("x", annotations={"priority": "high", "audience": ["user"]})
    document = v1().agent_says(block, "m").agent_says("y", "n").fold()

    assert document.messages() == [("agent", "x"), ("agent", "y")]


@pytest.mark.parametrize("stop_reason", [7, True, [], {}], ids=repr)
def test_a_stop_reason_of_the_wrong_type_is_not_reported(stop_reason):
    document = v2().state("running").state("idle", stopReason=stop_reason).fold()

    assert document.turns() == [{"status": "ended"}]
    assert "malformed-field" in document.codes


@pytest.mark.parametrize("background", ["x", 7, {}, True], ids=repr)
def test_a_background_of_the_wrong_type_is_not_reported(background):
    document = v2().state("running", background=[]).state("running", background=background).fold()

    assert "background" not in document.session()
    assert "malformed-field" in document.codes


# --- an item in a list marked `x-deserialize-skip-invalid-items` is skipped, with a diagnostic ----------------------------


@pytest.mark.parametrize("broken", [7, None, "x", [], True], ids=repr)
@pytest.mark.parametrize(
    ("version", "kind", "fields", "name", "good"),
    [
        (1, "tool_call_update", {"toolCallId": "t1"}, "content", item("x")),
        (1, "tool_call_update", {"toolCallId": "t1"}, "locations", {"path": "/a"}),
        (1, "plan", {}, "entries", {"content": "a", "priority": "low", "status": "pending"}),
        (1, "available_commands_update", {}, "availableCommands", {"name": "a", "description": "d"}),
        (1, "config_option_update", {}, "configOptions", OPTION[1]),
        (1, "compaction_update", {"compactionId": "c", "status": "completed"}, "summary", text("x")),
        (1, "session_message", {"messageId": "s"}, "content", text("x")),
        (2, "tool_call_update", {"toolCallId": "t1"}, "content", item("x")),
        (2, "tool_call_update", {"toolCallId": "t1"}, "locations", {"path": "/a"}),
        (2, "agent_message", {"messageId": "m"}, "content", text("x")),
        (2, "user_message", {"messageId": "m"}, "content", text("x")),
        (2, "agent_thought", {"messageId": "m"}, "content", text("x")),
        (2, "available_commands_update", {}, "availableCommands", {"name": "a", "description": "d", "type": "command"}),
        (2, "config_option_update", {}, "configOptions", OPTION[2]),
        (2, "compaction_update", {"compactionId": "c", "status": "completed"}, "summary", text("x")),
        (2, "session_message", {"messageId": "s"}, "content", text("x")),
    ],
)
def test_an_item_that_cannot_be_read_is_skipped_with_a_diagnostic(version, kind, fields, name, good, broken):
    without = of_version(version).update(kind, **fields, **{name: [good, good]}).fold()
    document = of_version(version).update(kind, **fields, **{name: [good, broken, good]}).fold()

    assert document.sessions == without.sessions
    assert document.codes.count("skipped-item") == 1


def test_a_diff_of_v2_loses_the_changes_that_cannot_be_read():
    change = {"operation": "add", "path": "/a"}
    document = v2().tool_update("t1", content=[{"type": "diff", "changes": [change, {"operation": "add"}, change]}]).fold()

    assert document.tool()["content"] == [{"type": "diff", "changes": [change, change]}]
    assert document.codes == ["skipped-item"]


# --- a required list that is missing or of the wrong type is an error and keeps the old one -------------------------------


@pytest.mark.parametrize("value", [ABSENT, None, {}, "x", 7, True], ids=["absent", "null", "object", "string", "number", "true"])
@pytest.mark.parametrize(
    ("version", "kind", "name", "good", "place"),
    [
        (1, "plan", "entries", [{"content": "a", "priority": "low", "status": "pending"}], "plans"),
        (1, "available_commands_update", "availableCommands", [{"name": "a", "description": "d"}], "availableCommands"),
        (1, "config_option_update", "configOptions", [OPTION[1]], "configOptions"),
        (2, "available_commands_update", "availableCommands", [{"name": "a", "description": "d", "type": "command"}], "availableCommands"),
        (2, "config_option_update", "configOptions", [OPTION[2]], "configOptions"),
    ],
)
def test_a_required_list_keeps_the_old_one(version, kind, name, good, place, value):
    transcript = of_version(version).update(kind, **{name: good})
    before = transcript.fold()
    document = transcript.update(kind, **{name: value}).fold()

    assert document.session()[place] == before.session()[place]
    assert "error" in document.severities


@pytest.mark.parametrize("value", [ABSENT, None, {}, "x"], ids=repr)
def test_so_does_an_answer_that_must_bring_one(value):
    transcript = v1(configOptions=[OPTION[1]]).client_asks_session(
        4, "session/set_config_option", configId="f", type="boolean", value=False
    )
    document = transcript.agent_answers(4, sent(configOptions=value)).fold()

    assert document.session()["configOptions"] == [OPTION[1]]
    assert "error" in document.severities


# --- A request opens and an answer settles whatever it carries --------------------------------------------------------------


@pytest.mark.parametrize("prompt", [ABSENT, None, {}, 7, True, [{"type": "text"}]], ids=repr)
def test_a_prompt_opens_a_turn_whatever_it_carries(prompt):
    transcript = v1().client_asks(3, "session/prompt", **sent(sessionId="s-1", prompt=prompt))
    opened = transcript.fold()
    assert opened.turn(3)["status"] == "running"
    assert opened.open_requests() == [("client", 3)]
    assert "error" in opened.severities

    assert transcript.ends(3).fold().turn(3)["stopReason"] == "end_turn"


@pytest.mark.parametrize("version", [1, 2])
def test_a_prompt_that_is_a_string_is_one_text_block(version):
    document = of_version(version).client_asks_session(3, "session/prompt", prompt="do it").fold()

    if version == 1:
        assert document.timeline()[0]["content"] == [text("do it")]
    else:
        assert document.pending_prompts()[0]["content"] == [text("do it")]


def test_an_empty_prompt_is_one():
    document = v1().client_asks_session(3, "session/prompt", prompt=[]).fold()

    assert document.turn(3)["status"] == "running"
    assert document.codes == []


@pytest.mark.parametrize(
    "params",
    [
        {"toolCall": {"toolCallId": "t1"}},
        {"options": list(OPTIONS)},
        {},
        {"toolCall": None, "options": None},
        {"toolCall": {"title": "T"}, "options": "yes"},
        {"toolCall": "t1", "options": {}},
    ],
    ids=str,
)
@pytest.mark.parametrize("version", [1, 2])
def test_a_permission_always_gets_its_entry(version, params):
    transcript = of_version(version).agent_asks_session(31, "session/request_permission", **params)
    document = transcript.fold()

    assert document.permission(31)["status"] == "pending"
    assert document.open_requests() == [("agent", 31)]
    assert "error" in document.severities

    assert transcript.dismisses(31).fold().permission(31)["status"] == "cancelled"


def test_what_can_be_read_of_it_is_there():
    document = v1().agent_asks_session(31, "session/request_permission", toolCall={"toolCallId": "t1", "title": "T"}).fold()

    assert document.permission(31)["toolCallId"] == "t1"
    assert document.tool()["title"] == "T"
    assert "options" not in document.permission(31)


def test_a_v2_permission_whose_title_cannot_be_read():
    document = v2().permission_v2(31, title=7, description="because").fold()

    assert document.permission(31)["status"] == "pending"
    assert "title" not in document.permission(31)
    assert document.permission(31)["description"] == "because"
    assert "error" in document.severities


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"mode": "form"},
        {"mode": "form", "message": 7, "requestedSchema": None},
        {"mode": "url", "message": "x"},
        {"mode": "url", "message": "x", "elicitationId": 7, "url": 7},
        {"mode": 7, "message": "x"},
    ],
    ids=str,
)
@pytest.mark.parametrize("version", [1, 2])
def test_an_elicitation_always_gets_its_entry(version, params):
    transcript = of_version(version).agent_asks_session(31, "elicitation/create", **params)
    document = transcript.fold()

    assert document.elicitation(31)["status"] == "pending"
    assert document.open_requests() == [("agent", 31)]
    assert "error" in document.severities

    assert transcript.replies(31, "decline").fold().elicitation(31)["status"] == "declined"


@pytest.mark.parametrize("result", [None, {}, [], "ok", {"sessionId": None}, {"sessionId": 7}], ids=repr)
def test_a_setup_answer_without_its_session_settles_the_request_all_the_same(result):
    document = v1().client_asks(4, "session/new", cwd="/w").agent_answers(4, result).fold()

    assert document.open_requests() == []
    assert list(document.sessions) == ["s-1"]
    assert "error" in document.severities


@pytest.mark.parametrize("params", [ABSENT, None, [], "x", {}], ids=repr)
def test_a_setup_request_opens_whatever_it_carries(params):
    document = v1().asks("client", 4, "session/new", params).agent_answers(4, {"sessionId": "s-2"}).fold()

    assert document.session("s-2")["phase"] == "ready"


def test_what_cannot_be_read_of_an_answer_is_absent():
    document = v1().prompt(3).agent_answers(3, {"stopReason": "end_turn", "usage": {"totalTokens": "many"}}).fold()

    assert document.turn(3)["stopReason"] == "end_turn"
    assert "usage" not in document.turn(3)
    assert document.codes != []


@pytest.mark.parametrize("error", [None, "no", 7, {}, {"code": "x"}, {"message": "no"}], ids=repr)
def test_an_error_that_cannot_be_read_is_an_error_all_the_same(error):
    document = v1().prompt(3).sends("agent", {"jsonrpc": "2.0", "id": 3, "error": error}).fold()

    assert document.turn(3)["status"] == "failed"
    assert document.open_requests() == []
