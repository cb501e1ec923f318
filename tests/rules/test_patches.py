"""SPEC 4.1: patches, and whose a `_meta` is."""

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, bare, image, item, of_version, same, sent, text, v1, v2


# --- v2: omitted = unchanged, `null` = cleared (back to the default), value = replaced, arrays replaced whole ---------------


def tool(transcript, **fields):
    return transcript.tool_update("t1", **fields), lambda d: d.tool()


def terminal(transcript, **fields):
    return transcript.update("terminal_update", terminalId="k", **fields), lambda d: d.terminal("k")


def message(transcript, **fields):
    return transcript.update("agent_message", messageId="m", **fields), lambda d: d.message("m")


def info(transcript, **fields):
    return transcript.update("session_info_update", **fields), lambda d: d.session()


def compaction(transcript, **fields):
    return transcript.update("compaction_update", compactionId="c", status="completed", **fields), lambda d: d.compaction("c")


def subagent(transcript, **fields):
    return transcript.update("subagent_update", sessionId="child", **fields), lambda d: d.session()["subagents"][0]


def session_message(transcript, **fields):
    return transcript.update("session_message", messageId="s", **fields), lambda d: d.message("s")


# entity, field on the wire, field in the document, a value, another value, the default
V2_FIELDS = [
    (tool, "title", "title", "A", "B", None),
    (tool, "kind", "kind", "edit", "read", "other"),
    (tool, "status", "status", "in_progress", "paused", "pending"),
    (tool, "name", "name", "a", "b", ABSENT),
    (tool, "content", "content", [item("x"), item("y")], [item("z")], []),
    (tool, "locations", "locations", [{"path": "/a"}, {"path": "/b"}], [{"path": "/c"}], ABSENT),
    (tool, "rawInput", "rawInput", {"a": 1, "b": 2}, {"c": 3}, ABSENT),
    (tool, "rawOutput", "rawOutput", [1, 2], "x", ABSENT),
    (tool, "capabilities", "capabilities", {"cancel": {}, "x": None}, {}, ABSENT),
    (terminal, "command", "command", "ls", "pwd", ABSENT),
    (terminal, "cwd", "cwd", "/a", "/b", ABSENT),
    (terminal, "size", "size", {"cols": 80, "rows": 24}, {"cols": 1, "rows": 1}, ABSENT),
    (terminal, "capabilities", "capabilities", {"cancel": {}}, {}, ABSENT),
    (terminal, "exitStatus", "exitStatus", {"exitCode": 1, "signal": "HUP"}, {"exitCode": 0}, ABSENT),
    (message, "content", "content", [text("x"), image()], [text("y")], []),
    (info, "title", "title", "A", "B", ABSENT),
    (info, "updatedAt", "updatedAt", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", ABSENT),
    (compaction, "summary", "content", [text("x"), text("y")], [text("z")], []),
    (compaction, "error", "error", "a", "b", ABSENT),
    (subagent, "title", "title", "A", "B", ABSENT),
    (subagent, "description", "description", "A", "B", ABSENT),
    (subagent, "cwd", "cwd", "/a", "/b", ABSENT),
    (subagent, "additionalDirectories", "additionalDirectories", ["/a", "/b"], ["/c"], ABSENT),
    (subagent, "capabilities", "capabilities", {"cancel": {}, "x": 1}, {}, ABSENT),
    (subagent, "state", "state", {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}, ABSENT),
    (session_message, "content", "content", [text("x"), text("y")], [text("z")], []),
    (session_message, "senderSessionId", "senderSessionId", "a", "b", ABSENT),
    (session_message, "recipientSessionId", "recipientSessionId", "a", "b", ABSENT),
    (session_message, "senderMessageId", "senderMessageId", "a", "b", ABSENT),
    (session_message, "recipientMessageId", "recipientMessageId", "a", "b", ABSENT),
]
NAMES = [f"{entity.__name__}-{field}" for entity, field, *_ in V2_FIELDS]


@pytest.mark.parametrize(("entity", "field", "shown", "value", "other", "default"), V2_FIELDS, ids=NAMES)
def test_in_v2_omission_leaves_null_clears_and_a_value_replaces(entity, field, shown, value, other, default):
    transcript, found = entity(v2(), **{field: value})
    assert same(found(transcript.fold())[shown], value)

    entity(transcript)
    assert same(found(transcript.fold())[shown], value)

    entity(transcript, **{field: other})
    assert same(found(transcript.fold())[shown], other)

    entity(transcript, **{field: None})
    assert found(transcript.fold()).get(shown, ABSENT) == default


@pytest.mark.parametrize(("entity", "field", "shown", "value", "other", "default"), V2_FIELDS, ids=NAMES)
def test_in_v2_omission_and_null_of_something_new_are_the_default(entity, field, shown, value, other, default):
    omitted, found = entity(v2())
    assert found(omitted.fold()).get(shown, ABSENT) == default

    null, found = entity(v2(), **{field: None})
    assert found(null.fold()).get(shown, ABSENT) == default


def test_in_v2_the_output_of_a_terminal_is_patched_too():
    transcript, found = terminal(v2(), output={"data": "YQ=="})
    terminal(transcript)
    assert found(transcript.fold())["output"] == "a"

    terminal(transcript, output={"data": "Yg=="})
    assert found(transcript.fold())["output"] == "b"

    terminal(transcript, output=None)
    assert found(transcript.fold()).get("output", "") == ""


@pytest.mark.parametrize("field", ["content", "locations"])
def test_an_empty_array_is_a_value(field):
    document = v2().tool_update("t1", content=[item("x")], locations=[{"path": "/a"}]).tool_update("t1", **{field: []}).fold()

    assert document.tool()[field] == []


def test_the_status_of_a_compaction_is_always_a_value():
    document = (
        v2()
        .update("compaction_update", compactionId="c", status="in_progress")
        .update("compaction_update", compactionId="c", status="failed")
        .fold()
    )

    assert document.compaction("c")["status"] == "failed"


# --- v1: `null` = omitted -----------------------------------------------------------------------------------------------------


V1_FIELDS = [one for one in V2_FIELDS if one[0] is tool and one[1] != "capabilities"]


@pytest.mark.parametrize(
    ("kind", "needed", "field", "value", "other"),
    [("tool_call_update", {}, field, value, other) for _, field, _, value, other, _ in V1_FIELDS]
    + [("tool_call", {"title": "T"}, field, value, other) for _, field, _, value, other, _ in V1_FIELDS if field != "title"],
)
def test_in_v1_null_is_omission(kind, needed, field, value, other):
    transcript = v1().tool_update("t1", **{field: value}).update(kind, toolCallId="t1", **needed, **{field: None})
    assert same(transcript.fold().tool()[field], value)

    transcript.update(kind, toolCallId="t1", **needed, **{field: other})
    assert same(transcript.fold().tool()[field], other)


def test_in_v1_null_of_usage_is_omission():
    cost = {"amount": 1, "currency": "USD"}
    document = v1().update("usage_update", used=1, size=2, cost=cost).update("usage_update", used=2, size=2, cost=None).fold()

    assert document.session()["usage"] == {"used": 2, "size": 2, "cost": cost}


THREE_STATE = [one for one in V2_FIELDS if one[0] in (info, subagent, compaction, session_message)]


@pytest.mark.parametrize(
    ("entity", "field", "shown", "value", "other", "default"), THREE_STATE, ids=[f"{one[0].__name__}-{one[1]}" for one in THREE_STATE]
)
def test_four_updates_are_three_state_in_v1_too(entity, field, shown, value, other, default):
    transcript, found = entity(v1(), **{field: value})
    entity(transcript)
    assert same(found(transcript.fold())[shown], value)

    entity(transcript, **{field: other})
    assert same(found(transcript.fold())[shown], other)

    entity(transcript, **{field: None})
    assert found(transcript.fold()).get(shown, ABSENT) == default


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("entity", [subagent, compaction, session_message, info])
def test_their_meta_too(version, entity):
    transcript, found = entity(of_version(version), _meta={"a": 1})
    entity(transcript)
    assert found(transcript.fold())["_meta"] == {"a": 1}

    entity(transcript, _meta=None)
    assert "_meta" not in found(transcript.fold())


# --- A repeated v1 `tool_call` is a patch of what it carries -----------------------------------------------------------------------


def test_a_repeated_tool_call_is_a_patch_of_what_it_carries():
    everything = {
        "kind": "edit",
        "status": "in_progress",
        "content": [item("x")],
        "locations": [{"path": "/a"}],
        "rawInput": 1,
        "rawOutput": 2,
        "name": "n",
        "_meta": {"a": 1},
    }
    document = v1().tool_call("t1", "A", **everything).tool_call("t1", "B").fold()

    assert document.tool() == {"type": "tool_call", "id": "t1", "title": "B", **everything}


# --- `_meta` of a patched entity is patched by top-level key ---------------------------------------------------------------------


PATCHED = {
    1: [tool, info, compaction, subagent, session_message],
    2: [tool, terminal, message, info, compaction, subagent, session_message],
}


@pytest.mark.parametrize(("version", "entity"), [(version, entity) for version, all in PATCHED.items() for entity in all])
def test_meta_is_patched_by_top_level_key(version, entity):
    transcript, found = entity(of_version(version), _meta={"a": 1, "b": {"x": 1, "y": 2}, "c": None, "d": [1]})
    entity(transcript, _meta={"b": {"x": 3}, "d": None, "e": 0})

    assert found(transcript.fold())["_meta"] == {"a": 1, "b": {"x": 3}, "e": 0}


@pytest.mark.parametrize(("version", "entity"), [(version, entity) for version, all in PATCHED.items() for entity in all])
def test_an_omitted_meta_leaves_it(version, entity):
    transcript, found = entity(of_version(version), _meta={"a": 1})
    entity(transcript)

    assert found(transcript.fold())["_meta"] == {"a": 1}


@pytest.mark.parametrize("entity", PATCHED[2])
def test_null_for_the_whole_clears_it_where_null_clears(entity):
    transcript, found = entity(v2(), _meta={"a": 1})
    entity(transcript, _meta=None)

    assert "_meta" not in found(transcript.fold())


def test_null_for_the_whole_of_a_v1_tool_call_leaves_it():
    transcript, found = tool(v1(), _meta={"a": 1})
    tool(transcript, _meta=None)

    assert found(transcript.fold())["_meta"] == {"a": 1}


def test_null_inside_a_value_of_meta_stays():
    transcript, found = tool(v2(), _meta={"a": {"x": None}, "b": [None]})

    assert found(transcript.fold())["_meta"] == {"a": {"x": None}, "b": [None]}


# --- `_meta` of a chunk, content item, snapshot or exit status belongs to that alone -------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_meta_of_a_message_chunk_is_that_chunks(version):
    document = of_version(version).agent_says("a", "m", _meta={"k": None}).agent_says("b", "m").fold()

    assert document.message("m")["content"] == [text("a", chunkMeta={"k": None}), text("b")]
    assert "_meta" not in document.message("m")
    assert "_meta" not in document.session()


@pytest.mark.parametrize("version", [1, 2])
def test_meta_of_a_content_item_is_that_items(version):
    content = [item("a", _meta={"k": None}), item("b"), {"type": "terminal", "terminalId": "x", "_meta": {"n": 1}}]
    document = of_version(version).tool_update("t1", content=content).fold()

    assert document.tool()["content"] == content
    assert "_meta" not in document.tool()


def test_meta_of_an_output_snapshot_is_not_the_terminals():
    document = v2().update("terminal_update", terminalId="k", output={"data": "YQ==", "_meta": {"k": 1}}).fold()

    assert "_meta" not in document.terminal("k")


def test_meta_of_an_exit_status_is_that_exit_statuses():
    document = (
        v2()
        .update("terminal_update", terminalId="k", exitStatus={"exitCode": 1, "_meta": {"k": 1}})
        .update("terminal_update", terminalId="k", command="ls")
        .fold()
    )  # fmt: skip
    assert document.terminal("k")["exitStatus"] == {"exitCode": 1, "_meta": {"k": 1}}
    assert "_meta" not in document.terminal("k")


def test_the_next_exit_status_takes_no_meta_over():
    document = (
        v2()
        .update("terminal_update", terminalId="k", exitStatus={"exitCode": 1, "_meta": {"k": 1}})
        .update("terminal_update", terminalId="k", exitStatus={"exitCode": 2})
        .fold()
    )
    assert document.terminal("k")["exitStatus"] == {"exitCode": 2}


def test_meta_of_a_compaction_chunk_is_that_chunks():
    document = v2().update("compaction_summary_chunk", compactionId="c", content=text("x"), _meta={"k": 1}).fold()

    assert document.compaction("c")["content"] == [text("x", chunkMeta={"k": 1})]
    assert "_meta" not in document.compaction("c")


def test_meta_of_a_session_message_chunk_is_that_chunks():
    document = v2().update("session_message_chunk", messageId="s", content=text("x"), _meta={"k": 1}).fold()

    assert document.message("s")["content"] == [text("x", chunkMeta={"k": 1})]
    assert "_meta" not in document.message("s")


def test_of_a_tool_content_chunk_it_is_the_chunk_meta_of_the_item():
    document = v2().tool_chunk("t1", item("a"), _meta={"k": 1}).tool_chunk("t1", item("b", _meta={"own": 2})).fold()

    assert document.tool()["content"] == [item("a", chunkMeta={"k": 1}), item("b", _meta={"own": 2})]
    assert "_meta" not in document.tool()


def test_of_a_terminal_chunk_it_goes_to_the_terminal():
    document = (
        v2()
        .update("terminal_output_chunk", terminalId="k", data="YQ==", _meta={"a": 1, "b": 1})
        .update("terminal_output_chunk", terminalId="k", data="Yg==", _meta={"b": None, "c": 1})
        .fold()
    )
    assert document.terminal("k")["_meta"] == {"a": 1, "c": 1}
    assert document.terminal("k")["output"] == "ab"


# --- `_meta` of params and answers is merged into that of the entity they concern -----------------------------------------------------


def test_of_initialize_into_the_connection():
    document = (
        bare()
        .client_asks(0, "initialize", protocolVersion=1, _meta={"a": 1, "b": 1})
        .agent_answers(0, {"protocolVersion": 1, "_meta": {"b": 2, "c": 3}})
        .fold()
    )
    assert document.connection["_meta"] == {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize("method", ["authenticate", "auth/status", "session/list"])
def test_of_other_requests_without_a_session_into_the_connection(method):
    document = (
        v1()
        .client_asks(4, method, methodId="m", _meta={"a": 1})
        .agent_answers(4, {"state": "unknown", "sessions": [], "_meta": {"b": 1}})
        .fold()
    )

    assert document.connection["_meta"] == {"a": 1, "b": 1}


def test_of_session_new_into_the_session():
    document = (
        bare()
        .initialize(1)
        .client_asks(1, "session/new", cwd="/w", mcpServers=[], _meta={"a": 1, "b": 1})
        .agent_answers(1, {"sessionId": "s-1", "_meta": {"b": 2}})
        .fold()
    )
    assert document.session()["_meta"] == {"a": 1, "b": 2}
    assert "_meta" not in document.connection


@pytest.mark.parametrize("method", ["session/load", "session/resume", "session/set_mode", "session/set_title", "session/status"])
def test_of_requests_about_a_session_into_it(method):
    document = (
        v1()
        .client_asks_session(4, method, cwd="/w", mcpServers=[], modeId="m", title="t", _meta={"a": 1})
        .agent_answers(4, {"title": "t", "status": "open", "_meta": {"b": 1}})
        .fold()
    )
    assert document.session()["_meta"] == {"a": 1, "b": 1}


def test_of_a_prompt_into_its_turn():
    document = v1().prompt(1, _meta={"a": 1, "b": 1}).ends(1, _meta={"b": None, "c": 1}).fold()

    assert document.turn(1)["_meta"] == {"a": 1, "c": 1}
    assert "_meta" not in document.session()


def test_of_a_cancel_into_the_turn_or_the_session():
    document = v1().prompt(1).client_tells("session/cancel", sessionId="s-1", _meta={"why": "esc"}).fold()

    found = [document.turn(1).get("_meta"), document.session().get("_meta")]
    assert {"why": "esc"} in found


def test_of_a_permission_and_its_answer_into_the_request():
    document = (
        v1()
        .agent_asks_session(
            31, "session/request_permission", toolCall={"toolCallId": "t1", "_meta": {"t": 1}}, options=[], _meta={"a": 1, "b": 1}
        )
        .client_answers(31, {"outcome": {"outcome": "cancelled"}, "_meta": {"b": 2}})
        .fold()
    )
    assert document.permission(31)["_meta"] == {"a": 1, "b": 2}
    assert document.tool()["_meta"] == {"t": 1}


def test_of_an_elicitation_and_its_answer_into_the_request():
    document = v2().form(31, _meta={"a": 1}).replies(31, "decline", _meta={"b": 1}).fold()

    assert document.elicitation(31)["_meta"] == {"a": 1, "b": 1}


def test_of_the_params_of_an_update_into_the_session():
    document = v1().agent_tells("session/update", sessionId="s-1", update={"sessionUpdate": "plan", "entries": []}, _meta={"a": 1}).fold()

    assert document.session()["_meta"] == {"a": 1}


def test_of_a_state_update_into_the_turn_it_opens_continues_or_ends():
    document = (
        v2()
        .state("running", _meta={"a": 1, "b": 1, "c": 1})
        .state("requires_action", _meta={"b": 2})
        .state("idle", _meta={"c": 3, "d": 4})
        .fold()
    )  # fmt: skip
    assert document.turns() == [{"status": "ended", "_meta": {"a": 1, "b": 2, "c": 3, "d": 4}}]
    assert "_meta" not in document.session()


@pytest.mark.parametrize(
    ("version", "kind", "fields"),
    [
        (1, "available_commands_update", {"availableCommands": []}),
        (1, "config_option_update", {"configOptions": []}),
        (1, "current_mode_update", {"currentModeId": "code"}),
        (1, "plan_removed", {"planId": "p"}),
        (2, "available_commands_update", {"availableCommands": []}),
        (2, "config_option_update", {"configOptions": []}),
        (2, "plan_removed", {"planId": "p"}),
    ],
)
def test_of_an_update_without_an_entity_of_its_own_into_the_session(version, kind, fields):
    document = of_version(version).update(kind, **fields, _meta={"a": 1, "b": 1}).update(kind, **fields, _meta={"b": None, "c": 1}).fold()

    assert document.session()["_meta"] == {"a": 1, "c": 1}


def test_usage_keeps_its_own():
    document = v1().update("usage_update", used=1, size=2, _meta={"a": 1}).fold()

    assert document.session()["usage"]["_meta"] == {"a": 1}
    assert "_meta" not in document.session()


def test_a_plan_keeps_its_own():
    document = (
        v1().update("plan", entries=[{"content": "a", "priority": "low", "status": "pending", "_meta": {"e": 1}}], _meta={"a": 1}).fold()
    )

    (plan,) = document.session()["plans"]
    assert plan["_meta"] == {"a": 1}
    assert plan["entries"][0]["_meta"] == {"e": 1}
    assert "_meta" not in document.session()


def test_a_notice_keeps_its_own():
    document = v1().update("notice", severity="info", title="T", _meta={"a": 1}).fold()

    assert document.session()["notices"][0]["_meta"] == {"a": 1}


@pytest.mark.parametrize("fields", [{}, {"title": "T"}])
def test_session_info_is_the_sessions(fields):
    document = v1().update("session_info_update", **sent(**fields, _meta={"a": 1})).fold()

    assert document.session()["_meta"] == {"a": 1}
