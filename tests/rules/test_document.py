"""SPEC 5: the state document."""

from __future__ import annotations

import json
import re

from itertools import pairwise

import pytest

from acp_state.document import dumps, loads
from acp_state.folding import fold
from acp_state.schema import document_schema

from support.transcripts import bare, image, item, same, shows, text, v1, v2


OPTION = {"id": "f", "name": "F", "type": "boolean", "currentValue": False}


def rich_v1():
    """A v1 session with something of everything."""
    return (
        bare()
        .client_asks(
            0, "initialize", protocolVersion=1, clientCapabilities={"fs": {}}, clientInfo={"name": "pane", "version": "3"}, _meta={"k": 1}
        )
        .agent_answers(
            0, {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "r", "title": "R", "version": "9"}, "authMethods": []}
        )
        .client_asks(1, "authenticate", methodId="key")
        .agent_answers(1, {})
        .agent_tells("auth/status_update", state="authenticated")
        .client_asks(2, "session/list")
        .agent_answers(2, {"sessions": [{"sessionId": "s-1", "cwd": "/w"}], "nextCursor": "n"})
        .agent_tells("_x", a=1)
        .new(
            modes={"currentModeId": "ask", "availableModes": []},
            models={"currentModelId": "m", "availableModels": []},
            configOptions=[OPTION],
        )
        .update("subagent_update", sessionId="child", title="C")
        .update("available_commands_update", availableCommands=[{"name": "a", "description": "d"}])
        .update("usage_update", used=1, size=2, cost={"amount": 1, "currency": "USD"})
        .update("plan", entries=[{"content": "a", "priority": "low", "status": "pending"}])
        .update("session_info_update", title="T", updatedAt="2026-01-01T00:00:00Z", _meta={"k": 1})
        .update("notice", severity="info", title="N")
        .update("_unknown", x=1)
        .prompt(5, "go", _meta={"k": 1})
        .agent_says("hi", "m", _meta={"claudeCode": {"parentToolUseId": "t0"}})
        .tool_update("t1", title="W", name="w", kind="edit", content=[item("x")], locations=[], rawInput={}, rawOutput=0, _meta={"k": 1})
        .permission(31, "t1")
        .selects(31)
        .form(32, toolCallId="t1")
        .update("compaction_update", compactionId="c", status="completed", summary=[text("s")], error="e", _meta={"k": 1})
        .agent_asks_session(8, "fs/read_text_file", path="/a")
        .agent_asks_session(9, "terminal/create", command="ls", args=[], cwd="/w")
        .client_answers(9, {"terminalId": "x1"})
        .agent_tells("_y", sessionId="s-1")
        .cancel()
        .ends(5, "refusal", usage={"totalTokens": 1, "inputTokens": 1, "outputTokens": 0})
        .client_asks_session(10, "session/status")
        .agent_answers(10, {"status": "open"})
        .line('{"t":1,"exit":{"status":"success"}}')
    )


# --- JSON, wire spelling (camelCase), fixed key order -----------------------------------------------------------------------------


DOCUMENT = ["format", "connection", "sessions", "wire"]
CONNECTION = [
    "phase",
    "protocolVersion",
    "requestedProtocolVersion",
    "error",
    "agent",
    "client",
    "agentCapabilities",
    "clientCapabilities",
    "authMethods",
    "authenticated",
    "auth",
    "openRequests",
    "elicitations",
    "listedSessions",
    "nextCursor",
    "extensions",
    "exit",
    "_meta",
]
SESSION = [
    "id",
    "phase",
    "cwd",
    "additionalDirectories",
    "forkedFrom",
    "title",
    "updatedAt",
    "error",
    "archived",
    "status",
    "parent",
    "subagents",
    "activity",
    "stopReason",
    "replaying",
    "background",
    "modes",
    "models",
    "configOptions",
    "availableCommands",
    "usage",
    "plans",
    "turns",
    "pendingPrompts",
    "timeline",
    "terminals",
    "notices",
    "files",
    "unknownUpdates",
    "extensions",
    "before",
    "_meta",
]
ENTRIES = {
    "message": [
        "type",
        "role",
        "id",
        "turn",
        "parent",
        "historical",
        "content",
        "sealed",
        "senderSessionId",
        "recipientSessionId",
        "senderMessageId",
        "recipientMessageId",
        "_meta",
    ],
    "tool_call": [
        "type",
        "id",
        "turn",
        "parent",
        "historical",
        "title",
        "name",
        "kind",
        "status",
        "content",
        "locations",
        "rawInput",
        "rawOutput",
        "unannounced",
        "unresolved",
        "cancelledByClient",
        "cancelRequested",
        "capabilities",
        "_meta",
    ],
    "permission": [
        "type",
        "id",
        "turn",
        "parent",
        "toolCallId",
        "title",
        "description",
        "subject",
        "options",
        "status",
        "optionId",
        "decision",
        "answerOwed",
        "answer",
        "error",
        "_meta",
    ],
    "elicitation": [
        "type",
        "id",
        "turn",
        "toolCallId",
        "requestId",
        "mode",
        "message",
        "requestedSchema",
        "url",
        "elicitationId",
        "status",
        "content",
        "completed",
        "answerOwed",
        "answer",
        "error",
        "_meta",
    ],
    "compaction": ["type", "id", "turn", "parent", "historical", "status", "content", "sealed", "error", "_meta"],
}


def in_order(found, order):
    return list(found) == [name for name in order if name in found]


def test_keys_have_the_order_of_the_page():
    document = rich_v1().fold()

    assert in_order(document.value, DOCUMENT)
    assert in_order(document.connection, CONNECTION)
    assert in_order(document.session(), SESSION)
    assert {entry["type"] for entry in document.timeline()} == set(ENTRIES)
    for entry in document.timeline():
        assert in_order(entry, ENTRIES[entry["type"]]), entry["type"]


def test_the_order_does_not_come_from_the_order_of_arrival():
    there = v1().update("usage_update", used=1, size=2).update("session_info_update", title="T").update("plan", entries=[]).fold()
    back = v1().update("plan", entries=[]).update("session_info_update", title="T").update("usage_update", size=2, used=1).fold()

    assert dumps(there.folded) == dumps(back.folded)


# --- What was never told is absent ---------------------------------------------------------------------------------------------------


def test_an_empty_recording():
    assert bare().fold().value == {"format": "acp-state/1", "connection": {"phase": "new"}, "sessions": {}}
    assert json.loads(dumps(fold(b""))) == {"format": "acp-state/1", "connection": {"phase": "new"}, "sessions": {}}


def test_what_was_never_told_is_absent():
    document = bare().initialize(1).new().fold()

    assert document.value == {
        "format": "acp-state/1",
        "connection": {
            "phase": "ready",
            "protocolVersion": 1,
            "requestedProtocolVersion": 1,
            "agentCapabilities": {},
            "clientCapabilities": {},
        },
        "sessions": {"s-1": {"id": "s-1", "phase": "ready", "cwd": "/home", "activity": "idle", "timeline": []}},
    }


def test_nobody_told_capabilities():
    document = bare().client_asks(0, "initialize", protocolVersion=1).agent_answers(0, {"protocolVersion": 1}).fold()

    assert document.connection == {"phase": "ready", "protocolVersion": 1, "requestedProtocolVersion": 1}


# --- `[]`, `{}`, `0`, `false`, `""` that were sent are printed ---------------------------------------------------------------------------


EMPTY = [
    ("directories", lambda t: t.client_asks(4, "session/new", cwd="", additionalDirectories=[]).agent_answers(4, {"sessionId": "s-2"}), lambda d: (d.session("s-2")["additionalDirectories"], d.session("s-2")["cwd"]), ([], "")),
    ("commands", lambda t: t.update("available_commands_update", availableCommands=[]), lambda d: d.session()["availableCommands"], []),
    ("options", lambda t: t.update("config_option_update", configOptions=[]), lambda d: d.session()["configOptions"], []),
    ("a current value", lambda t: t.update("config_option_update", configOptions=[OPTION]), lambda d: d.session()["configOptions"][0]["currentValue"], False),
    ("choices", lambda t: t.update("config_option_update", configOptions=[{"id": "s", "name": "", "description": "", "type": "select", "currentValue": "", "options": []}]), lambda d: d.session()["configOptions"], [{"id": "s", "name": "", "description": "", "type": "select", "currentValue": "", "options": []}]),
    ("usage", lambda t: t.update("usage_update", used=0, size=0, cost={"amount": 0, "currency": ""}), lambda d: d.session()["usage"], {"used": 0, "size": 0, "cost": {"amount": 0, "currency": ""}}),
    ("a title", lambda t: t.update("session_info_update", title="", updatedAt=""), lambda d: (d.session()["title"], d.session()["updatedAt"]), ("", "")),
    ("entries", lambda t: t.update("plan", entries=[]), lambda d: d.session()["plans"], [{"id": None, "type": "items", "entries": []}]),
    ("a tool call", lambda t: t.tool_call("", "", locations=[], rawInput={}, rawOutput=False, name=""), lambda d: d.last(), {"type": "tool_call", "id": "", "title": "", "name": "", "kind": "other", "status": "pending", "content": [], "locations": [], "rawInput": {}, "rawOutput": False}),
    ("a permission", lambda t: t.permission_v2("", "", description="", options=[]), lambda d: d.last(), {"type": "permission", "id": "", "title": "", "description": "", "options": [], "status": "pending"}),
    ("an accepted form", lambda t: t.form(0, {}, message="").replies(0, "accept", content={}), lambda d: (d.last()["id"], d.last()["message"], d.last()["requestedSchema"]["properties"], d.last()["content"]), (0, "", {}, {})),
    ("a list", lambda t: t.client_asks(4, "session/list").agent_answers(4, {"sessions": [], "nextCursor": ""}), lambda d: (d.connection["listedSessions"], d.connection["nextCursor"]), ([], "")),
    ("accounts", lambda t: t.agent_tells("auth/status_update", state="", accounts=[]), lambda d: d.connection["auth"], {"state": "", "accounts": []}),
    ("a subagent", lambda t: t.update("subagent_update", sessionId="c", title="", description="", capabilities={}, cwd="", additionalDirectories=[]), lambda d: d.session()["subagents"], [{"id": "c", "title": "", "description": "", "capabilities": {}, "cwd": "", "additionalDirectories": []}]),
    ("a compaction", lambda t: t.update("compaction_update", compactionId="", status="", summary=[], error=""), lambda d: d.last(), {"type": "compaction", "id": "", "status": "", "content": [], "error": ""}),
    ("an archive flag", lambda t: t.client_asks(4, "session/list").agent_answers(4, {"sessions": [{"sessionId": "a", "cwd": "", "archived": False, "additionalDirectories": []}]}), lambda d: d.connection["listedSessions"], [{"id": "a", "cwd": "", "additionalDirectories": [], "archived": False}]),
    ("a terminal", lambda t: t.agent_asks_session(4, "terminal/create", command="", args=[], cwd="").client_answers(4, {"terminalId": ""}).agent_asks_session(5, "terminal/output", terminalId="").client_answers(5, {"output": "", "truncated": False, "exitStatus": {"exitCode": 0}}), lambda d: d.session()["terminals"], [{"id": "", "owner": "client", "command": "", "args": [], "cwd": "", "output": "", "truncated": False, "exitStatus": {"exitCode": 0}}]),
    ("an extension", lambda t: t.agent_asks(4, "_x").client_answers(4, False), lambda d: (d.connection["extensions"][0]["params"], d.connection["extensions"][0]["result"]), ({}, False)),
    ("a message", lambda t: t.agent_says("", ""), lambda d: d.last(), {"type": "message", "role": "agent", "id": "", "content": []}),
    ("a notice", lambda t: t.update("notice", severity="", title="", description=""), lambda d: d.session()["notices"], [{"severity": "", "title": "", "description": ""}]),
]  # fmt: skip


@pytest.mark.parametrize(("send", "find", "printed"), [case[1:] for case in EMPTY], ids=[case[0] for case in EMPTY])
def test_what_is_empty_and_was_sent_is_printed(send, find, printed):
    assert same(find(send(v1()).fold()), printed)


def test_an_empty_background_is_printed():
    assert v2().state("idle", background=[]).fold().session()["background"] == []


def test_empty_auth_methods_and_capabilities_are_printed():
    connection = bare().initialize(1, authMethods=[], agentInfo={"name": "", "version": ""}).fold().connection

    assert connection["authMethods"] == []
    assert connection["agentCapabilities"] == {}
    assert connection["agent"] == {"name": "", "version": ""}


@pytest.mark.parametrize("meta", [{}, {"a": {}}, {"a": []}, {"a": 0}, {"a": False}, {"a": ""}], ids=repr)
def test_what_is_empty_in_a_meta_is_printed(meta):
    document = v1().agent_says("x", "m", _meta=meta).fold()

    assert same(document.message("m")["content"][0].get("chunkMeta", {}), meta)


# --- a `null` that means absence is not printed ------------------------------------------------------------------------------------------


def test_a_null_that_means_absence_is_not_printed():
    document = (
        bare()
        .client_asks(0, "initialize", protocolVersion=1, clientInfo=None, clientCapabilities=None, _meta=None)
        .agent_answers(
            0, {"protocolVersion": 1, "agentInfo": {"name": "r", "version": "9", "title": None}, "authMethods": None, "_meta": None}
        )
        .new(modes=None, models=None, configOptions=None, _meta=None)
        .update("notice", severity="info", title="T", description=None, _meta=None)
        .update("available_commands_update", availableCommands=[{"name": "a", "description": "d", "input": None, "_meta": None}])
        .tool_call("t1", "T", kind=None, status=None, content=None, locations=None, rawInput=None, name=None, _meta=None)
        .agent_says("x", None, _meta=None)
        .fold()
    )
    assert document.connection["agent"] == {"name": "r", "version": "9"}
    assert not {"client", "_meta"} & set(document.connection)
    assert document.session()["notices"] == [{"severity": "info", "title": "T"}]
    assert document.session()["availableCommands"] == [{"name": "a", "description": "d"}]
    assert document.tool() == {"type": "tool_call", "id": "t1", "title": "T", "kind": "other", "status": "pending", "content": []}
    assert document.last() == {"type": "message", "role": "agent", "id": None, "content": [text("x")]}
    assert not {"modes", "models", "configOptions", "_meta"} & set(document.session())


# --- content items, raw values, capabilities, schemas, errors, `_meta` and unknown variants are as sent, `null` included ----------------------


NULLS = {"a": None, "b": [None, {"c": None}], "d": {}}


def test_what_is_kept_raw_is_as_sent_null_included():
    schema = {"type": "object", "properties": {"p": {"type": "string", "title": None}}, "x": NULLS}
    document = (
        bare()
        .client_asks(0, "initialize", protocolVersion=1, clientCapabilities=NULLS)
        .agent_answers(0, {"protocolVersion": 1, "agentCapabilities": NULLS})
        .new()
        .agent_says({**image(), "uri": None, "annotations": None, "x": NULLS}, "m", _meta=NULLS)
        .tool_call("t1", rawInput=NULLS, rawOutput=[None], content=[{**item("x"), "x": NULLS}], locations=[{"path": "/a", "line": None}])
        .form(31, requestedSchema=schema)
        .client_fails(31, -1, "x", data=NULLS)
        .update("_x", x=NULLS)
        .agent_tells("_y", x=NULLS)
        .fold()
    )
    assert document.connection["clientCapabilities"] == document.connection["agentCapabilities"] == NULLS
    assert document.message("m")["content"] == [{**image(), "uri": None, "annotations": None, "x": NULLS, "chunkMeta": NULLS}]
    assert (document.tool()["rawInput"], document.tool()["rawOutput"]) == (NULLS, [None])
    assert document.tool()["content"] == [{**item("x"), "x": NULLS}]
    assert document.tool()["locations"] == [{"path": "/a", "line": None}]
    assert document.elicitation(31)["requestedSchema"] == schema
    assert document.elicitation(31)["error"] == {"code": -1, "message": "x", "data": NULLS}
    assert document.session()["unknownUpdates"] == [{"sessionUpdate": "_x", "x": NULLS}]
    assert document.connection["extensions"][0]["params"] == {"x": NULLS}


@pytest.mark.parametrize("value", [None, [None], {"a": None}], ids=repr)
def test_a_raw_result_may_be_null(value):
    document = bare().initialize(1).agent_asks(4, "_x").client_answers(4, value).fold()

    assert document.connection["extensions"][0]["result"] == value


# --- Always there --------------------------------------------------------------------------------------------------------------------------------


def test_what_is_always_there():
    document = (
        v2()
        .agent_message("m")
        .tool_update("t1")
        .agent_asks_session(31, "session/request_permission")
        .agent_asks_session(32, "elicitation/create")
        .update("compaction_update", compactionId="c", status="completed")
        .state("running")
        .update("plan_update", plan={"type": "items", "planId": "p", "entries": []})
        .fold()
    )
    message, call, permission, elicitation, compaction = document.timeline()
    assert message == {"type": "message", "role": "agent", "id": "m", "content": []}
    assert call == {"type": "tool_call", "id": "t1", "title": None, "kind": "other", "status": "pending", "content": []}
    assert permission == {"type": "permission", "id": 31, "status": "pending"}
    assert elicitation == {"type": "elicitation", "id": 32, "status": "pending"}
    assert compaction == {"type": "compaction", "id": "c", "status": "completed", "content": []}
    assert document.turns() == [{"status": "running"}]
    assert document.session()["plans"] == [{"id": "p", "type": "items", "entries": []}]
    assert document.connection["phase"] == "ready"


def test_a_session_always_has_id_phase_and_timeline():
    assert bare().update("_x", "s-9").fold().session("s-9") == {
        "id": "s-9",
        "phase": "unannounced",
        "timeline": [],
        "unknownUpdates": [{"sessionUpdate": "_x"}],
    }


# --- `sealed: true` stands exactly where the last block is text that came in no chunk ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("send", "sealed"),
    [
        (lambda t: t.agent_message("m", "a"), True),
        (lambda t: t.agent_message("m", [image(), text("a")]), True),
        (lambda t: t.agent_message("m", [text("a"), image()]), False),
        (lambda t: t.agent_message("m", [image()]), False),
        (lambda t: t.agent_message("m", [{"type": "_glow", "text": "a"}]), False),
        (lambda t: t.agent_message("m", []), False),
        (lambda t: t.agent_message("m"), False),
        (lambda t: t.agent_says("a", "m"), False),
        (lambda t: t.agent_says("a", "m").agent_message("m", "b"), True),
        (lambda t: t.agent_message("m", "a").agent_says("b", "m"), False),
        (lambda t: t.agent_message("m", "a").agent_says("", "m"), True),
        (lambda t: t.agent_message("m", "a").agent_says(image(), "m"), False),
        (lambda t: t.agent_message("m", "a").agent_message("m", _meta={"k": 1}), True),
        (lambda t: t.agent_says("a", "m").agent_message("m", None), False),
    ],
)
def test_sealed_stands_exactly_where_the_last_block_is_text_that_came_in_no_chunk(send, sealed):
    assert send(v2()).fold().message("m").get("sealed", False) is sealed


def test_sealed_is_never_false():
    assert "sealed" not in v2().agent_says("a", "m").fold().message("m")


# --- Ids are called `id` in the entity that they name ------------------------------------------------------------------------------------------------------


def test_ids_are_called_id_in_the_entity_that_they_name():
    option = {
        "configId": "o",
        "name": "O",
        "type": "select",
        "currentValue": "a",
        "options": [{"groupId": "g", "name": "G", "options": []}],
    }
    document = (
        bare()
        .initialize(2, authMethods=[{"methodId": "k", "name": "K", "type": "agent"}])
        .new(configOptions=[option])
        .update("plan_update", plan={"type": "items", "planId": "p", "entries": []})
        .tool_update("t1")
        .agent_says("x", "m")
        .permission_v2(31)
        .update("terminal_update", terminalId="k")
        .update("compaction_update", compactionId="c", status="completed")
        .update("subagent_update", sessionId="child")
        .fold()
    )
    assert document.connection["authMethods"] == [{"id": "k", "type": "agent", "name": "K"}]
    assert document.session()["configOptions"][0]["id"] == "o"
    assert document.session()["configOptions"][0]["options"][0]["group"] == "g"
    assert document.session()["plans"][0]["id"] == "p"
    assert [option["id"] for option in document.permission(31)["options"]] == ["yes", "no"]
    assert document.session()["subagents"][0]["id"] == "child"
    assert [entry["id"] for entry in document.timeline()] == ["t1", "m", 31, "c"]
    printed = dumps(document.folded.snapshot)
    assert not any(f'"{name}"' in printed for name in ("configId", "planId", "optionId", "methodId", "groupId", "compactionId"))


def test_also_in_unknown_variants_whose_rest_is_as_sent():
    document = (
        bare()
        .initialize(2, authMethods=[{"methodId": "k", "name": "K", "type": "_card", "x": {"methodId": "in"}}])
        .new(configOptions=[{"configId": "o", "name": "O", "type": "_dial", "options": [{"groupId": "as sent"}], "x": None}])
        .update("plan_update", plan={"type": "_map", "planId": "p", "x": {"planId": "in"}})
        .fold()
    )
    assert document.connection["authMethods"] == [{"id": "k", "type": "_card", "name": "K", "x": {"methodId": "in"}}]
    assert document.session()["configOptions"] == [
        {"id": "o", "name": "O", "type": "_dial", "options": [{"groupId": "as sent"}], "x": None}
    ]
    assert document.session()["plans"] == [{"id": "p", "type": "_map", "x": {"planId": "in"}}]


def test_references_keep_their_names():
    document = v1().tool_call("t1", content=[shows("x1")]).permission(31, "t1").selects(31).form(32, toolCallId="t1").fold()

    assert document.tool()["content"] == [shows("x1")]
    assert (document.permission(31)["toolCallId"], document.permission(31)["optionId"]) == ("t1", "yes")
    assert document.elicitation(32)["toolCallId"] == "t1"


# --- An entry's key is its position in the timeline; only a replay renumbers -----------------------------------------------------------------------------------


def test_only_a_replay_renumbers():
    transcript = v1().prompt(1, "a")
    heard = []
    for step in (
        lambda: transcript.agent_says("x", "m"),
        lambda: transcript.tool_call("t1"),
        lambda: transcript.permission(31, "t1"),
        lambda: transcript.selects(31),
        lambda: transcript.agent_says("y", "m"),
        lambda: transcript.tool_update("t1", status="completed"),
        lambda: transcript.ends(1),
        transcript.cancel,
    ):
        step()
        heard.append([(entry["type"], entry["id"]) for entry in transcript.fold().timeline()])
    for before, after in pairwise(heard):
        assert after[: len(before)] == before


def test_an_echo_that_turns_out_to_be_none_moves_nothing():
    before = v1().prompt(1, "ping me").user_says("ping", "u").fold()
    after = v1().prompt(1, "ping me").user_says("ping", "u").user_says(" you", "u").fold()

    assert before.timeline()[0]["content"] == after.timeline()[0]["content"]
    assert len(after.timeline()) == 2


# --- A JSON Schema of it is published and every document that we print is valid under it --------------------------------------------------------------------------


def test_the_schema_says_what_is_always_there():
    published = json.dumps(document_schema())

    assert "acp-state/1" in published


def test_the_richest_document_is_valid_and_comes_back():
    document = rich_v1().fold()

    assert document.session()["phase"] == "ready"
    assert document.value["format"] == "acp-state/1"


# --- `wire` only where going on needs more than the rest says --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "transcript", [lambda: v1().prompt(1).agent_says("x").ends(1), lambda: v2().state("running").state("idle", stopReason="end_turn")]
)
def test_a_session_at_rest_needs_no_wire(transcript):
    assert "wire" not in transcript().fold().value


def test_half_a_line_needs_one():
    folded = fold(b"\n".join(v1().lines()) + b'\n{"t":0,"fr')

    assert "wire" in json.loads(dumps(folded))


def test_dumps_takes_a_snapshot_too():
    folded = v1().prompt(1).agent_says("x").ends(1).fold().folded

    assert dumps(folded.snapshot) == dumps(folded)
    assert loads(dumps(folded.snapshot)).snapshot == folded.snapshot


# --- Every attribute has the same name in snake_case in Python ---------------------------------------------------------------------------------------------------


def snake(name):
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name.lstrip("_"))


@pytest.mark.parametrize("name", CONNECTION)
def test_every_attribute_of_the_connection_has_its_name_in_python(name):
    assert hasattr(rich_v1().fold(splits=()).folded.snapshot.connection, snake(name))


@pytest.mark.parametrize("name", SESSION)
def test_every_attribute_of_a_session_has_its_name_in_python(name):
    assert hasattr(rich_v1().fold(splits=()).folded.snapshot.sessions["s-1"], snake(name))


@pytest.mark.parametrize("type", ENTRIES)
def test_every_attribute_of_an_entry_has_its_name_in_python(type):
    timeline = rich_v1().fold(splits=()).folded.snapshot.sessions["s-1"].timeline
    entry = next(one for one in timeline if one.type == type)

    assert [name for name in ENTRIES[type] if not hasattr(entry, snake(name))] == []


# --- numbers and strings ------------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["9007199254740993", "123456789012345678901234567890", "0.1", "-0.0", "1e-7", "1.0", "1e22", "5e-324"])
def test_numbers_lose_no_digit(number):
    line = '{"t":0,"from":"agent","message":{"method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","rawInput":%s}}}}'
    document = v1().line(line % number).fold()

    assert same(document.tool()["rawInput"], json.loads(number))


@pytest.mark.parametrize("value", ["\x00", "\x1f", "\x7f", "\u0085", "\u2028", "\U0001f600", "\ufffe", "\\", '"', "/"], ids=ascii)
def test_strings_come_back_as_they_are(value):
    document = v1().tool_call(value, value, rawInput={value: value}).agent_says(value, value).fold()

    assert document.tool(value)["rawInput"] == {value: value}
    assert document.message(value)["content"] == [text(value)]
    assert all(character == "\n" or character.isprintable() for character in dumps(document.folded) if character < "\u0100")
