"""SPEC 4, "Version": which protocol version a message is read as."""

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, bare, item, of_version, text, v1, v2


def read_as_v2(transcript):
    """Whether an update's `null` clears, as it does in v2 alone."""
    document = transcript.tool_update("probe", title="A").tool_update("probe", title=None).fold()
    return document.tool("probe")["title"] is None


def initialize(offered, result):
    return bare().client_asks(0, "initialize", protocolVersion=offered).agent_answers(0, result)


# --- The number in the agent's `initialize` response decides ---------------------------------------------------------


@pytest.mark.parametrize("offered", [1, 2, 7, "1", None])
@pytest.mark.parametrize("answered", [1, 2])
def test_the_number_that_the_agent_answers_decides(offered, answered):
    info = {"info": {"name": "robin", "version": "9"}} if answered == 2 else {}
    transcript = initialize(offered, {"protocolVersion": answered, **info})

    assert transcript.fold().connection["protocolVersion"] == answered
    assert read_as_v2(transcript) is (answered == 2)


def test_what_was_offered_is_kept_beside_it():
    document = initialize(2, {"protocolVersion": 1}).fold()

    assert document.connection["requestedProtocolVersion"] == 2
    assert document.connection["protocolVersion"] == 1


def test_an_offer_alone_decides_nothing():
    transcript = bare().client_asks(0, "initialize", protocolVersion=2, info={"name": "p", "version": "1"}, capabilities={})

    assert "protocolVersion" not in transcript.fold().connection
    assert not read_as_v2(transcript)


def test_a_whole_number_with_a_point_is_a_number():
    transcript = initialize(1, {"protocolVersion": 2.0, "info": {"name": "robin", "version": "9"}})

    assert transcript.fold().connection["protocolVersion"] == 2
    assert read_as_v2(transcript)


def test_an_agent_that_answers_2_in_the_shape_of_v1_is_read_as_v1():
    transcript = initialize(2, {"protocolVersion": 2, "agentCapabilities": {"loadSession": True}})
    document = transcript.fold()

    assert document.connection["protocolVersion"] == 1
    assert document.connection["agentCapabilities"] == {"loadSession": True}
    assert document.codes == ["version-shape"]
    assert not read_as_v2(transcript)


@pytest.mark.parametrize(
    "result",
    [
        {"info": {"name": "robin", "version": "9"}},
        {"info": {"name": "robin", "version": "9"}, "agentCapabilities": {}},
        {"info": {"name": "robin", "version": "9"}, "capabilities": {}},
        {"capabilities": {}},
        {},
    ],
    ids=str,
)
def test_an_agent_that_answers_2_in_any_other_shape_is_read_as_v2(result):
    transcript = initialize(2, {"protocolVersion": 2, **result})

    assert transcript.fold().connection["protocolVersion"] == 2
    assert read_as_v2(transcript)


@pytest.mark.parametrize(("number", "nearest"), [(0, 1), (-3, 1), (3, 2), (99, 2), (2024, 2)])
def test_another_number_is_an_error_and_read_as_the_nearest(number, nearest):
    transcript = initialize(1, {"protocolVersion": number, "info": {"name": "robin", "version": "9"}})
    document = transcript.fold()

    assert document.connection["protocolVersion"] == nearest
    assert document.codes == ["version-unsupported"]
    assert document.severities == {"error"}
    assert read_as_v2(transcript) is (nearest == 2)


@pytest.mark.parametrize("value", [ABSENT, None, "1", "2", True, [2], {"major": 2}], ids=repr)
def test_one_that_cannot_be_read_leaves_v1_and_the_phase_failed_with_an_error(value):
    result = {} if value is ABSENT else {"protocolVersion": value}
    transcript = initialize(2, {**result, "agentInfo": {"name": "robin", "version": "9"}})
    document = transcript.fold()

    assert document.connection["phase"] == "failed"
    assert document.connection["agent"] == {"name": "robin", "version": "9"}
    assert document.codes == ["version-unreadable"]
    assert document.severities == {"error"}
    assert not read_as_v2(transcript)


# --- Until then v1; v2 from the frame that first carries ... ----------------------------------------------------------


def test_without_a_handshake_it_is_v1():
    assert not read_as_v2(bare())
    assert not read_as_v2(bare().agent_says("x").tool_update("t1", status="completed"))


CARRIERS = {
    "user_message": lambda t: t.user_message("m", "x"),
    "agent_message": lambda t: t.agent_message("m", "x"),
    "agent_thought": lambda t: t.agent_thought("m", "x"),
    "state_update": lambda t: t.state("running"),
    "tool_call_content_chunk": lambda t: t.tool_chunk("t1", item("x")),
    "terminal_update": lambda t: t.update("terminal_update", terminalId="k"),
    "terminal_output_chunk": lambda t: t.update("terminal_output_chunk", terminalId="k", data="YQ=="),
    "auth/login": lambda t: t.client_asks(1, "auth/login", methodId="x"),
    "auth/logout": lambda t: t.client_asks(1, "auth/logout"),
    "a permission with title": lambda t: t.permission_v2(1),
}


@pytest.mark.parametrize("carrier", CARRIERS)
def test_v2_from_the_frame_that_first_carries(carrier):
    assert read_as_v2(CARRIERS[carrier](bare()))


@pytest.mark.parametrize("carrier", CARRIERS)
def test_so_it_is_while_the_handshake_is_under_way(carrier):
    transcript = bare().client_asks(0, "initialize", protocolVersion=2)

    assert read_as_v2(CARRIERS[carrier](transcript))


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_version_that_was_agreed_on_is_changed_by_none_of_them(carrier):
    assert not read_as_v2(CARRIERS[carrier](v1()))


def test_it_holds_for_that_frame_itself():
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1", "title": None}}
    document = bare().tool_update("t1", title="A").permission_v2(1, subject=subject).fold()

    assert document.tool()["title"] is None


def test_it_does_not_hold_for_what_came_before():
    document = bare().tool_update("t1", title="A").tool_update("t1", title=None).agent_message("m", "x").fold()

    assert document.tool()["title"] == "A"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("plan_update", {"plan": {"type": "markdown", "planId": "p", "content": "x"}}),
        ("plan_removed", {"planId": "p"}),
        ("notice", {"severity": "info", "title": "x"}),
        ("compaction_update", {"compactionId": "c", "status": "completed"}),
        ("subagent_update", {"sessionId": "child"}),
        ("session_message", {"messageId": "m"}),
        ("tool_call_update", {"toolCallId": "t1", "name": "run"}),
        ("_agent_message", {"messageId": "m"}),
    ],
)
def test_no_other_update_makes_it_v2(kind, fields):
    assert not read_as_v2(bare().update(kind, **fields))


@pytest.mark.parametrize("method", ["auth/status", "session/fork", "session/resume", "session/close", "logout"])
def test_no_other_request_makes_it_v2(method):
    assert not read_as_v2(bare().client_asks_session(1, method))


def test_a_permission_without_title_does_not():
    assert not read_as_v2(bare().permission(1, "t1", title="of the call"))


def test_the_handshake_that_follows_decides_after_all():
    assert not read_as_v2(bare().agent_message("m", "x").initialize(2, 1))
    assert read_as_v2(bare().tool_call("t1").initialize(1, 2))


# --- What either version drafts, has dropped or renamed is understood in both --------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("kind", "fields", "name"),
    [
        ("plan_update", {"plan": {"type": "markdown", "planId": "p", "content": "x"}}, "plans"),
        ("notice", {"severity": "info", "title": "x"}, "notices"),
        ("compaction_update", {"compactionId": "c", "status": "completed"}, "timeline"),
        ("compaction_summary_chunk", {"compactionId": "c", "content": text("x")}, "timeline"),
        ("subagent_update", {"sessionId": "child"}, "subagents"),
        ("session_message", {"messageId": "m", "content": [text("x")]}, "timeline"),
        ("session_message_chunk", {"messageId": "m", "content": text("x")}, "timeline"),
    ],
)
def test_drafted_updates_are_understood_in_both(version, kind, fields, name):
    document = of_version(version).update(kind, **fields).fold()

    assert len(document.session()[name]) == 1
    assert "unknownUpdates" not in document.session()
    assert document.faults == []


@pytest.mark.parametrize("version", [1, 2])
def test_a_tool_calls_name_is_understood_in_both(version):
    assert of_version(version).tool_update("t1", name="run").fold().tool()["name"] == "run"


USAGE = {"totalTokens": 30, "inputTokens": 10, "outputTokens": 20, "thoughtTokens": 0}


def test_a_turns_usage_is_understood_in_v1():
    assert v1().prompt(1).ends(1, usage=USAGE).fold().turn(1)["usage"] == USAGE


def test_a_turns_usage_is_understood_in_v2():
    assert v2().state("running").state("idle", stopReason="end_turn", usage=USAGE).fold().turns()[0]["usage"] == USAGE


@pytest.mark.parametrize("version", [1, 2])
def test_fork_is_understood_in_both(version):
    document = of_version(version).client_asks_session(4, "session/fork", cwd="/w").agent_answers(4, {"sessionId": "s-2"}).fold()

    assert document.session("s-2")["forkedFrom"] == "s-1"
    assert document.faults == []


@pytest.mark.parametrize("version", [1, 2])
def test_status_is_understood_in_both(version):
    document = of_version(version).client_asks_session(4, "session/status").agent_answers(4, {"status": "saved"}).fold()

    assert document.session()["status"] == "saved"
    assert document.faults == []


@pytest.mark.parametrize("version", [1, 2])
def test_set_title_is_understood_in_both(version):
    document = of_version(version).client_asks_session(4, "session/set_title", title="a ").agent_answers(4, {"title": "a"}).fold()

    assert document.session()["title"] == "a"
    assert document.faults == []


@pytest.mark.parametrize("version", [1, 2])
def test_archive_is_understood_in_both(version):
    document = of_version(version).client_asks_session(4, "session/archive").agent_answers(4, {}).fold()

    assert document.session()["archived"] is True
    assert document.faults == []


@pytest.mark.parametrize("version", [1, 2])
def test_auth_status_is_understood_in_both(version):
    accounts = [{"label": "work", "active": True}]
    asked = of_version(version).client_asks(4, "auth/status").agent_answers(4, {"state": "authenticated", "accounts": accounts}).fold()
    told = of_version(version).agent_tells("auth/status_update", state="unauthenticated").fold()

    assert asked.connection["auth"] == {"state": "authenticated", "accounts": accounts}
    assert told.connection["auth"] == {"state": "unauthenticated"}
    assert asked.faults == told.faults == []


@pytest.mark.parametrize("version", [1, 2])
def test_the_older_models_are_understood_in_both(version):
    models = {
        "currentModelId": "a",
        "availableModels": [{"modelId": "a", "name": "A"}, {"modelId": "b", "name": "B", "description": "big"}],
    }
    transcript = of_version(version, models=models)
    document = transcript.fold()
    assert document.session()["models"] == {
        "currentId": "a",
        "available": [{"id": "a", "name": "A"}, {"id": "b", "name": "B", "description": "big"}],
    }

    document = transcript.client_asks_session(4, "session/set_model", modelId="b").agent_answers(4, {}).fold()
    assert document.session()["models"]["currentId"] == "b"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("action", "status"), [("accept", "accepted"), ("decline", "declined"), ("cancel", "cancelled")])
def test_the_older_elicitation_with_its_nested_action_is_understood_in_both(version, action, status):
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    document = (
        of_version(version)
        .agent_asks_session(9, "session/elicitation", mode="form", message="Who?", requestedSchema=schema)
        .client_answers(9, {"action": {"action": action, "content": {"name": "Ada"}}})
        .fold()
    )

    elicitation = document.elicitation(9)
    assert elicitation["status"] == status
    assert elicitation["message"] == "Who?"
    assert elicitation.get("content") == ({"name": "Ada"} if action == "accept" else None)


# --- A kind of the other version is folded by its own rules, with a diagnostic ---------------------------------------------


@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        ("user_message", {"messageId": "m", "content": [text("x")]}, ("user", "x")),
        ("agent_message", {"messageId": "m", "content": [text("x")]}, ("agent", "x")),
        ("agent_thought", {"messageId": "m", "content": [text("x")]}, ("thought", "x")),
        ("tool_call_content_chunk", {"toolCallId": "t1", "content": item("x")}, ("tool_call", "t1")),
    ],
)
def test_updates_of_v2_in_v1(kind, fields, told):
    document = v1().update(kind, **fields).fold()

    assert document.story() == [told]
    assert "other-version" in document.codes


def test_terminals_of_v2_in_v1():
    document = (
        v1()
        .update("terminal_update", terminalId="k", command="ls")
        .update("terminal_output_chunk", terminalId="k", data="YQ==")
        .update("terminal_update", terminalId="k", command=None)
        .fold()
    )

    assert document.terminal("k") == {"id": "k", "owner": "agent", "output": "a"}
    assert set(document.codes) == {"other-version"}


def test_a_whole_message_in_v1_is_cleared_by_null():
    document = v1().agent_message("m", "x").agent_message("m", None).fold()

    assert document.message("m")["content"] == []


def test_a_permission_of_v2_in_v1():
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1", "title": None}}
    document = v1().tool_call("t1", "A").permission_v2(9, subject=subject).fold()

    assert document.permission(9)["title"] == "May I?"
    assert document.permission(9)["subject"] == subject
    assert document.tool()["title"] is None
    assert "other-version" in document.codes


def test_logging_in_as_in_v2_in_v1():
    document = v1().client_asks(4, "auth/login", methodId="key").agent_answers(4, {}).fold()

    assert document.connection["authenticated"] == "key"
    assert document.codes == ["other-version"]


@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        ("tool_call", {"toolCallId": "t1", "title": "A"}, ("tool_call", "t1")),
    ],
)
def test_updates_of_v1_in_v2(kind, fields, told):
    document = v2().update(kind, **fields).fold()

    assert document.story() == [told]
    assert document.codes == ["other-version"]


def test_a_tool_call_of_v1_in_v2_is_not_cleared_by_null():
    document = v2().tool_call("t1", "A", kind="edit").tool_call("t1", "B", kind=None).fold()

    assert (document.tool()["title"], document.tool()["kind"]) == ("B", "edit")


def test_a_plan_of_v1_in_v2():
    document = v2().update("plan", entries=[]).fold()

    assert document.session()["plans"] == [{"id": None, "type": "items", "entries": []}]
    assert document.codes == ["other-version"]


def test_modes_of_v1_in_v2():
    transcript = v2().update("current_mode_update", currentModeId="code")
    assert transcript.fold().session()["modes"] == {"currentId": "code"}
    assert transcript.fold().codes == ["other-version"]

    document = transcript.client_asks_session(4, "session/set_mode", modeId="plan").agent_answers(4, {}).fold()
    assert document.session()["modes"] == {"currentId": "plan"}


def test_a_permission_of_v1_in_v2():
    document = v2().tool_update("t1", title="A").permission(9, "t1", title=None, kind="edit").fold()

    assert document.permission(9)["subject"] == {"type": "tool_call", "toolCall": {"toolCallId": "t1", "title": None, "kind": "edit"}}
    assert (document.tool()["title"], document.tool()["kind"]) == ("A", "edit")
    assert "other-version" in document.codes


def test_load_in_v2():
    document = v2().load(4).user_says("q", "u").agent_answers(4, {}).fold()

    assert document.messages() == [("user", "q")]
    assert document.timeline()[0]["historical"] is True
    assert "other-version" in document.codes


def test_files_and_terminals_of_v1_in_v2():
    document = (
        v2()
        .agent_asks_session(8, "fs/read_text_file", path="/a")
        .client_answers(8, {"content": "x"})
        .agent_asks_session(9, "terminal/create", command="ls")
        .client_answers(9, {"terminalId": "x1"})
        .fold()
    )

    assert document.session()["files"] == [{"operation": "read", "path": "/a", "status": "answered"}]
    assert document.terminal("x1")["owner"] == "client"
    assert set(document.codes) == {"other-version"}


def test_logging_in_as_in_v1_in_v2():
    document = v2().client_asks(4, "authenticate", methodId="key").agent_answers(4, {}).fold()

    assert document.connection["authenticated"] == "key"
    assert document.codes == ["other-version"]


@pytest.mark.parametrize("state", ["running", "idle", "requires_action", "_dreaming"])
def test_only_a_state_on_a_v1_connection_is_kept_as_an_unknown_update(state):
    document = v1().prompt(1).state(state, stopReason="end_turn", _meta={"k": None}).fold()

    assert document.session()["unknownUpdates"] == [
        {"sessionUpdate": "state_update", "state": state, "stopReason": "end_turn", "_meta": {"k": None}}
    ]
    assert document.session()["activity"] == "running"
    assert document.turn(1) == {"status": "running", "prompts": [{"requestId": 1}]}
    assert document.codes != []


# --- A further `initialize` request is a new connection ---------------------------------------------------------------------


def again(transcript, version=1):
    return transcript.initialize(version, id="again")


def test_open_requests_are_forgotten_with_a_diagnostic():
    document = again(v1().prompt(3).client_asks_session(4, "session/set_mode", modeId="x").agent_asks(5, "_acme/x")).fold()

    assert document.open_requests() == []
    assert document.codes.count("request-forgotten") == 3


def test_while_it_is_asked_it_is_the_only_one_open():
    document = v1().prompt(3).client_asks("again", "initialize", protocolVersion=1).fold()

    assert document.open_requests() == [("client", "again")]
    assert document.connection["phase"] == "initializing"


def test_open_turns_end_failed_without_an_error():
    document = again(v1().prompt(3)).fold()

    assert document.turn(3) == {"status": "failed", "prompts": [{"requestId": 3}]}
    assert document.session()["activity"] == "idle"


def test_so_does_an_open_turn_of_v2():
    document = again(v2().state("running"), 2).fold()

    assert document.turns() == [{"status": "failed"}]


def test_what_was_pending_is_unanswered_and_nothing_is_owed():
    document = again(v1().prompt(3).permission(31).form(32)).fold()

    for entry in (document.permission(31), document.elicitation(32)):
        assert entry["status"] == "unanswered"
        assert "answerOwed" not in entry


def test_so_is_an_elicitation_of_the_connection():
    schema = {"type": "object", "properties": {}}
    document = again(
        v1()
        .client_asks(4, "authenticate", methodId="x")
        .agent_asks(32, "elicitation/create", requestId=4, mode="form", message="?", requestedSchema=schema)
    ).fold()

    (elicitation,) = document.connection["elicitations"]
    assert elicitation["status"] == "unanswered"
    assert "answerOwed" not in elicitation


def test_sessions_stay():
    transcript = v1().agent_says("x").update("session_info_update", title="T")
    before = transcript.fold()

    assert again(transcript).fold().sessions == before.sessions


def test_an_answer_to_a_forgotten_request_changes_nothing():
    transcript = again(v1().prompt(3)).prompt(4)
    before = transcript.fold()
    document = transcript.ends(3).fold()

    assert document.sessions == before.sessions
    assert "unmatched-answer" in document.codes


def test_its_ids_may_be_used_again():
    document = again(v1().prompt(3, "a")).prompt(3, "b").ends(3).fold()

    assert [turn["status"] for turn in document.turns()] == ["failed", "ended"]
    assert "id-reused" not in document.codes


def test_the_new_answer_decides_the_version_anew():
    document = v1().initialize(2, id="again").fold()
    assert document.connection["protocolVersion"] == 2

    assert read_as_v2(v1().initialize(2, id="again"))
    assert not read_as_v2(v2().initialize(1, id="again"))
