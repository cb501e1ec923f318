"""SPEC 4, "Decoding": what becomes of what does not have the form that its schema demands."""

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, NO, OPTIONS, YES, image, item, of_version, one_sided, same, sent, text, v1, v2


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


# --- An unknown discriminator string makes an unknown variant in both versions, kept as sent (diagnostic in v1) ------------


GLOW = {"type": "_glow", "hue": 7, "deep": [None, {"a": None}]}

PLACES = {
    "content": lambda t: (t.agent_says(GLOW, "m").fold(), lambda d: d.message("m")["content"]),
    "tool content": lambda t: (t.tool_update("t1", content=[GLOW]).fold(), lambda d: d.tool()["content"]),
    "content of tool content": lambda t: (
        t.tool_update("t1", content=[{"type": "content", "content": GLOW}]).fold(),
        lambda d: [d.tool()["content"][0]["content"]],
    ),
    "prompt content": lambda t: (
        t.prompt(1, [GLOW]).fold(),
        lambda d: [*d.timeline(type="message"), *d.pending_prompts()][0]["content"],
    ),
    "compaction summary": lambda t: (
        t.update("compaction_update", compactionId="c", status="completed", summary=[GLOW]).fold(),
        lambda d: d.compaction("c")["content"],
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("version", [1, 2])
def test_an_unknown_variant_is_kept_as_sent(version, place):
    document, found = PLACES[place](of_version(version).tool_update("t1"))

    assert found(document) == [GLOW]
    assert ("unknown-variant" in document.codes) is (version == 1)


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_config_option(version):
    name = {1: "id", 2: "configId"}[version]
    option = {name: "vol", "name": "Volume", "type": "_slider", "currentValue": 3, "range": [0, None]}
    document = of_version(version).update("config_option_update", configOptions=[option]).fold()

    assert document.session()["configOptions"] == [
        {"id": "vol", "name": "Volume", "type": "_slider", "currentValue": 3, "range": [0, None]}
    ]
    assert ("unknown-variant" in document.codes) is (version == 1)


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_plan(version):
    plan = {"type": "_map", "planId": "p", "nodes": [None]}
    document = of_version(version).update("plan_update", plan=plan).fold()

    assert document.session()["plans"] == [{"id": "p", "type": "_map", "nodes": [None]}]
    assert ("unknown-variant" in document.codes) is (version == 1)


def test_so_is_an_unknown_command():
    command = {"type": "_macro", "name": "m", "description": "d", "steps": [None]}
    document = v2().update("available_commands_update", availableCommands=[command]).fold()

    assert document.session()["availableCommands"] == [command]
    assert document.codes == []


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_auth_method(version):
    name = {1: "id", 2: "methodId"}[version]
    methods = [{name: "k", "type": "_keycard", "name": "Card", "slot": {"methodId": "inner"}}]
    document = of_version(version).initialize(version, id="again", authMethods=methods).fold()

    assert document.connection["authMethods"] == [{"id": "k", "type": "_keycard", "name": "Card", "slot": {"methodId": "inner"}}]
    assert ("unknown-variant" in document.codes) is (version == 1)


def test_so_is_an_unknown_subject():
    subject = {"type": "_file", "path": "/a", "x": None}
    document = v2().permission_v2(31, subject=subject).fold()

    assert document.permission(31)["subject"] == subject
    assert document.codes == []


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_mode_of_an_elicitation(version):
    document = of_version(version).agent_asks_session(31, "elicitation/create", mode="_voice", message="Speak", tone=[None]).fold()

    elicitation = document.elicitation(31)
    assert (elicitation["mode"], elicitation["message"], elicitation["tone"]) == ("_voice", "Speak", [None])
    assert ("unknown-variant" in document.codes) is (version == 1)


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_outcome_and_it_is_no_approval(version):
    result = {"outcome": {"outcome": "_later", "optionId": "yes", "x": None}}
    document = of_version(version).permission(31).client_answers(31, result).fold()

    assert document.permission(31)["status"] not in ("selected", "pending")
    assert "decision" not in document.permission(31)
    assert result["outcome"] in (document.permission(31)["answer"], document.permission(31)["answer"].get("outcome"))


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_action(version):
    result = {"action": "_later", "x": None}
    document = of_version(version).form(31).client_answers(31, result).fold()

    assert document.elicitation(31)["answer"] == result


def test_so_is_an_unknown_state():
    document = v2().state("_dreaming", depth=3).fold()

    assert document.session()["activity"] == "_dreaming"
    assert document.codes == []


def test_so_is_unknown_background_work():
    work = [{"type": "_job", "jobId": 7, "x": None}, {"type": "terminal", "terminalId": "k"}]
    document = v2().state("idle", background=work).fold()

    assert document.session()["background"] == work


# --- only what is malformed inside a known variant is skipped -------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_a_known_variant_that_is_malformed_is_skipped_beside_an_unknown_one(version):
    document = of_version(version).tool_update("t1", content=[GLOW, {"type": "terminal"}, item("x")]).fold()

    assert document.tool()["content"] == [GLOW, item("x")]
    assert "skipped-item" in document.codes


def test_a_variant_that_v2_added_is_unknown_in_v1_and_kept():
    document = v1().permission(31, "t1").update("config_option_update", configOptions=[{"id": "a", "name": "A", "type": "range"}]).fold()

    assert document.session()["configOptions"] == [{"id": "a", "name": "A", "type": "range"}]


# --- A union member without its discriminator is read as v1 reads it --------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_a_command_without_type_is_a_command(version):
    command = {"name": "a", "description": "d", "input": {"hint": "h"}}
    document = of_version(version).update("available_commands_update", availableCommands=[command]).fold()

    assert document.session()["availableCommands"] == [command]
    assert document.faults == []


@pytest.mark.parametrize("version", [1, 2])
def test_an_auth_method_without_type_is_agent(version):
    name = {1: "id", 2: "methodId"}[version]
    document = of_version(version).initialize(version, id="again", authMethods=[{name: "k", "name": "Key"}]).fold()

    assert document.connection["authMethods"] == [{"id": "k", "name": "Key"}]
    assert document.faults == []


def test_it_is_good_to_know_in_v2():
    document = v2().update("available_commands_update", availableCommands=[{"name": "a", "description": "d"}]).fold()

    assert document.codes == ["missing-discriminator"]
    assert document.severities == {"info"}


# --- No primitive is coerced -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("value", ["7", True, False, "", 7.5, None], ids=repr)
def test_what_is_no_whole_number_is_none(version, value):
    document = of_version(version).update("usage_update", used=value, size=9).fold()

    assert "usage" not in document.session()
    assert document.codes == ["malformed"]


def test_12_0_is_accepted_as_12():
    document = v1().update("usage_update", used=12.0, size=2e2).fold()

    assert same(document.session()["usage"], {"used": 12, "size": 200})


@pytest.mark.parametrize("value", [1, 0, "true", "false"], ids=repr)
def test_what_is_no_boolean_is_none(value):
    option = {"id": "f", "name": "F", "type": "boolean", "currentValue": value}
    document = v1().update("config_option_update", configOptions=[option]).fold()

    assert document.session()["configOptions"] == []
    assert document.codes == ["skipped-item"]


@pytest.mark.parametrize("value", [7, True, 1.0, ["x"]], ids=repr)
def test_what_is_no_string_is_none(value):
    document = v1().update("session_info_update", title="T").update("session_info_update", title=value).fold()

    assert document.session()["title"] == "T"


@pytest.mark.parametrize(("value", "kept"), [("3", ABSENT), (True, ABSENT), (3, 3), (3.0, 3), (0, 0), (3.5, ABSENT)], ids=repr)
def test_an_exit_code_is_a_whole_number(value, kept):
    document = v2().update("terminal_update", terminalId="k", exitStatus={"exitCode": value}).fold()

    assert same(document.terminal("k")["exitStatus"], sent(exitCode=kept))


# --- Unknown enum strings are kept as sent (diagnostic in v1, silent in v2) ---------------------------------------------------


WORDS = [
    ("a tool's kind", lambda t: t.tool_update("t1", kind="_dream"), lambda d: d.tool()["kind"]),
    ("a tool's status", lambda t: t.tool_update("t1", status="_dream"), lambda d: d.tool()["status"]),
    (
        "a plan entry's status",
        lambda t: t.update(
            "plan_update", plan={"type": "items", "planId": "p", "entries": [{"content": "a", "priority": "low", "status": "_dream"}]}
        ),
        lambda d: d.session()["plans"][0]["entries"][0]["status"],
    ),
    (
        "a plan entry's priority",
        lambda t: t.update(
            "plan_update", plan={"type": "items", "planId": "p", "entries": [{"content": "a", "priority": "_dream", "status": "pending"}]}
        ),
        lambda d: d.session()["plans"][0]["entries"][0]["priority"],
    ),
    (
        "an option's kind",
        lambda t: t.permission(31, "t1", [{"optionId": "a", "name": "A", "kind": "_dream"}]),
        lambda d: d.permission(31)["options"][0]["kind"],
    ),
]


@pytest.mark.parametrize(("send", "find"), [case[1:] for case in WORDS], ids=[case[0] for case in WORDS])
@pytest.mark.parametrize("version", [1, 2])
def test_unknown_words_are_kept_as_sent(version, send, find):
    document = send(of_version(version).tool_update("t1")).fold()

    assert find(document) == "_dream"
    assert ("unknown-value" in document.codes) is (version == 1)


def test_so_is_an_unknown_stop_reason():
    assert v2().state("running").state("idle", stopReason="_tired").fold().turns()[0]["stopReason"] == "_tired"

    document = v1().prompt(1).ends(1, "_tired").fold()
    assert document.turn(1)["stopReason"] == "_tired"
    assert document.codes == ["unknown-value"]


# --- A `_meta` that is no object is absent, with a diagnostic ------------------------------------------------------------------


@pytest.mark.parametrize("meta", ["x", 7, True, [], [{"a": 1}]], ids=repr)
@pytest.mark.parametrize(
    "send",
    [
        lambda t, meta: t.tool_update("t1", _meta=meta),
        lambda t, meta: t.agent_says("x", "m", _meta=meta),
        lambda t, meta: t.update("usage_update", used=1, size=2, _meta=meta),
        lambda t, meta: t.update("session_info_update", title="T", _meta=meta),
        lambda t, meta: t.update("compaction_update", compactionId="c", status="completed", _meta=meta),
        lambda t, meta: t.prompt(1, _meta=meta),
        lambda t, meta: t.permission(31).client_answers(31, {"outcome": {"outcome": "cancelled"}, "_meta": meta}),
        lambda t, meta: t.client_asks_session(4, "session/close").agent_answers(4, {"_meta": meta}),
    ],
)
def test_a_meta_that_is_no_object_is_absent_with_a_diagnostic(send, meta):
    without = send(v2(), {}).fold()
    document = send(v2(), meta).fold()

    assert _without_empty_meta(document.sessions) == _without_empty_meta(without.sessions)
    assert document.codes.count("malformed-meta") == 1


@pytest.mark.parametrize("version", [1, 2])
def test_a_meta_that_is_no_object_leaves_the_one_that_is_there(version):
    document = of_version(version).tool_update("t1", _meta={"a": 1}).tool_update("t1", _meta="x").fold()

    assert document.tool()["_meta"] == {"a": 1}


def _without_empty_meta(value):
    if isinstance(value, list):
        return [_without_empty_meta(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_empty_meta(one) for name, one in value.items() if name not in ("_meta", "chunkMeta") or one}
    return value


# --- content keeps what the schema does not know ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_extra_fields_of_content_blocks_come_out_as_sent(version):
    block = image("QQ==", uri=None, extra={"a": [None]}, annotations={"audience": ["user"], "x": None})
    document = of_version(version).agent_says(block, "m").tool_update("t1", content=[{**item("x"), "extra": None}]).fold()

    assert document.message("m")["content"] == [block]
    assert document.tool()["content"] == [{**item("x"), "extra": None}]


def test_extra_fields_of_options_that_are_offered_do_no_harm():
    document = v1().permission(31, "t1", [{**YES, "shortcut": "y"}, NO]).selects(31).fold()

    assert document.permission(31)["decision"] == "allow_once"
