"""Law 4: what nobody knows comes out as it was sent."""

from __future__ import annotations

import json

from typing import Any

import pytest

from hypothesis import given
from hypothesis import strategies as st

from strategies import json_values, texts
from support.effort import many, ran
from support.recordings import folded, frames_of, told
from support.talk import Sent, Talk


# Values that are themselves in JSON: `1`, `1.0` and `true` differ.
names = st.sampled_from(("_x", "_robin/y", "hologram", "Text", "tool-call", "1", " "))
extras = st.dictionaries(st.sampled_from(("alpha", "beta", "gamma_delta", "")), json_values, min_size=1, max_size=3)
versions = st.sampled_from((1, 2))


def talk(version: int) -> Talk:
    """A conversation with one session."""
    started = Talk(version)
    started.handshake()
    started.new(early=False, now=True)
    return started


def update(kind: str, /, **fields: Any) -> Sent:
    params = {"sessionId": "s-1", "update": {"sessionUpdate": kind, **fields}}
    return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": params}, "s-1")


def document_of(version: int, *more: Sent) -> Any:
    ran("conversations")
    text = told(folded(frames_of([*talk(version).sent, *more])))
    document = json.loads(text)
    document.pop("wire", None)
    return document


def is_in(part: Any, whole: Any) -> bool:
    """Whether *part* stands somewhere in *whole*, to the type of every number."""
    wanted = json.dumps(part, sort_keys=True)
    waiting = [whole]
    while waiting:
        value = waiting.pop()
        if json.dumps(value, sort_keys=True) == wanted:
            return True
        if isinstance(value, (dict, list)):
            waiting += value.values() if isinstance(value, dict) else value
    return False


def has_members(members: dict, whole: Any) -> bool:
    """Whether some object in *whole* has all of *members*."""
    waiting = [whole]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict) and all(name in value and json.dumps(value[name]) == json.dumps(item) for name, item in members.items()):
            return True
        if isinstance(value, (dict, list)):
            waiting += value.values() if isinstance(value, dict) else value
    return False


# --- updates ---------------------------------------------------------------------------------------------


@many(2)
@given(versions, names, extras)
def test_an_update_of_an_unknown_kind(version, name, extra):
    assert is_in({"sessionUpdate": name, **extra}, document_of(version, update(name, **extra)))


@given(extras, st.sampled_from(("running", "idle", "_x")))
def test_a_state_update_in_version_1(extra, state):
    assert is_in({"sessionUpdate": "state_update", "state": state, **extra}, document_of(1, update("state_update", state=state, **extra)))


# --- unknown variants of open unions -----------------------------------------------------------------------


def as_content_block(variant: dict) -> Sent:
    return update("agent_message_chunk", messageId="m", content=variant)


def as_block_of_a_message(variant: dict) -> Sent:
    return update("agent_message", messageId="m", content=[{"type": "text", "text": "t"}, variant])


def as_summary(variant: dict) -> Sent:
    return update("compaction_update", compactionId="c", status="completed", summary=[variant])


def as_tool_content(variant: dict) -> Sent:
    return update("tool_call_update", toolCallId="t", content=[variant])


def as_chunk_of_tool_content(variant: dict) -> Sent:
    return update("tool_call_content_chunk", toolCallId="t", content=variant)


def as_block_in_tool_content(variant: dict) -> Sent:
    return update("tool_call_update", toolCallId="t", content=[{"type": "content", "content": variant}])


def as_background(variant: dict) -> Sent:
    return update("state_update", state="running", background=[variant])


def as_subject(variant: dict) -> Sent:
    params = {"sessionId": "s-1", "title": "T", "subject": variant, "options": []}
    return Sent("agent", {"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": params})


def as_block_of_a_prompt(variant: dict) -> Sent:
    params = {"sessionId": "s-1", "prompt": [variant]}
    return Sent("client", {"jsonrpc": "2.0", "id": 7, "method": "session/prompt", "params": params})


WHOLE = {  # kept as sent, with the tag
    1: (as_content_block, as_block_of_a_message, as_summary, as_tool_content, as_block_in_tool_content, as_subject, as_block_of_a_prompt),
    2: (
        as_content_block,
        as_block_of_a_message,
        as_summary,
        as_tool_content,
        as_chunk_of_tool_content,
        as_block_in_tool_content,
        as_background,
        as_subject,
        as_block_of_a_prompt,
    ),
}


@pytest.mark.parametrize(("version", "place"), [(version, place) for version, places in WHOLE.items() for place in places])
@given(names, extras)
def test_an_unknown_variant(version, place, name, extra):
    assert is_in({"type": name, **extra}, document_of(version, place({"type": name, **extra})))


def as_plan(variant: dict) -> Sent:
    return update("plan_update", plan={"planId": "p", **variant})


def as_config_option(variant: dict) -> Sent:
    return update("config_option_update", configOptions=[{"configId": "o", "name": "n", "currentValue": [None, 1.0], **variant}])


def as_command(variant: dict) -> Sent:
    return update("available_commands_update", availableCommands=[{"name": "n", "description": "d", **variant}])


def as_command_input(variant: dict) -> Sent:
    return update("available_commands_update", availableCommands=[{"type": "command", "name": "n", "description": "d", "input": variant}])


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("place", [as_plan, as_config_option, as_command, as_command_input])
@given(names, extras)
def test_an_unknown_variant_of_what_we_model(version, place, name, extra):
    """Its id is called `id`; the rest is as sent."""
    assert has_members({"type": name, **extra}, document_of(version, place({"type": name, **extra})))


@given(versions, names, extras)
def test_an_unknown_plan_keeps_its_id(version, name, extra):
    assert is_in({"id": "p", "type": name, **extra}, document_of(version, as_plan({"type": name, **extra})))


@given(versions, names, json_values, extras)
def test_an_unknown_config_option_keeps_its_id_and_value(version, name, value, extra):
    document = document_of(version, as_config_option({"type": name, "currentValue": value, **extra}))

    assert has_members({"id": "o", "name": "n", "type": name, "currentValue": value, **extra}, document)


@given(names, extras)
def test_an_unknown_auth_method(name, extra):
    method = {"type": name, "methodId": "m", "name": "n", **extra}
    start = Sent("client", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 2}})
    answer = {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "authMethods": [method]}
    document = json.loads(told(folded(frames_of([start, Sent("agent", {"jsonrpc": "2.0", "id": 0, "result": answer})]))))

    assert is_in({"id": "m", "type": name, "name": "n", **_without_secrets(extra)}, document)


@given(versions, names, extras)
def test_an_unknown_mode_of_an_elicitation(version, name, extra):
    params = {"sessionId": "s-1", "mode": name, "message": "m", **extra}
    document = document_of(version, Sent("agent", {"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": params}))

    assert has_members({"mode": name, **extra}, document)


@given(names, extras)
def test_an_unknown_state_and_what_it_has(name, extra):
    document = document_of(2, update("state_update", state=name, **extra))

    assert document["sessions"]["s-1"]["activity"] == name
    assert is_in({"sessionUpdate": "state_update", "state": name, **extra}, document)


@given(names, extras)
def test_an_unknown_stop_reason_and_what_it_has(name, extra):
    document = document_of(2, update("state_update", state="running"), update("state_update", state="idle", stopReason=name, **extra))

    assert document["sessions"]["s-1"]["stopReason"] == name
    assert is_in({"sessionUpdate": "state_update", "state": "idle", "stopReason": name, **extra}, document)


@given(names, extras)
def test_an_unknown_state_in_an_answer(name, extra):
    asked = Sent("client", {"jsonrpc": "2.0", "id": 7, "method": "session/status", "params": {"sessionId": "s-1"}})
    answer = Sent("agent", {"jsonrpc": "2.0", "id": 7, "result": {"status": "active", "state": {"state": name, **extra}}})
    document = document_of(2, asked, answer)

    assert document["sessions"]["s-1"]["activity"] == name
    assert has_members(extra, document)


@given(names, extras)
def test_an_unknown_state_of_a_subagent(name, extra):
    document = document_of(2, update("subagent_update", sessionId="c", state={"state": name, **extra}))

    assert is_in({"state": name, **extra}, document)


def _permission(version: int) -> Sent:
    what = {"toolCall": {"toolCallId": "t"}} if version == 1 else {"title": "T"}
    params = {"sessionId": "s-1", "options": [{"optionId": "o", "name": "n", "kind": "allow_once"}], **what}
    return Sent("agent", {"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": params})


@given(versions, names, extras)
def test_an_unknown_outcome_of_a_permission(version, name, extra):
    result = {"outcome": {"outcome": name, **extra}}
    document = document_of(version, _permission(version), Sent("client", {"jsonrpc": "2.0", "id": 7, "result": result}))

    assert is_in(result, document)


@given(versions, extras, extras)
def test_what_an_answer_to_a_permission_has_besides(version, inner, outer):
    result = {"outcome": {"outcome": "selected", "optionId": "o", **inner}, **outer}
    document = document_of(version, _permission(version), Sent("client", {"jsonrpc": "2.0", "id": 7, "result": result}))

    assert is_in(result, document)


@given(versions, names, extras)
def test_an_unknown_action_of_an_elicitation(version, name, extra):
    params = {"sessionId": "s-1", "mode": "form", "message": "m", "requestedSchema": {"type": "object", "properties": {}}}
    asked = Sent("agent", {"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": params})
    result = {"action": name, **extra}

    assert is_in(result, document_of(version, asked, Sent("client", {"jsonrpc": "2.0", "id": 7, "result": result})))


WORDS = {
    "kind of a tool call": lambda word: update("tool_call_update", toolCallId="t", kind=word),
    "status of a tool call": lambda word: update("tool_call_update", toolCallId="t", status=word),
    "status of a compaction": lambda word: update("compaction_update", compactionId="c", status=word),
    "priority of a plan's step": lambda word: update(
        "plan_update", plan={"type": "items", "planId": "p", "entries": [{"content": "c", "priority": word, "status": "pending"}]}
    ),
    "status of a plan's step": lambda word: update(
        "plan_update", plan={"type": "items", "planId": "p", "entries": [{"content": "c", "priority": "low", "status": word}]}
    ),
    "severity of a notice": lambda word: update("notice", severity=word, title="t"),
    "category of a config option": lambda word: update(
        "config_option_update",
        configOptions=[{"configId": "o", "id": "o", "name": "n", "type": "boolean", "currentValue": True, "category": word}],
    ),
    "kind of a permission's option": lambda word: Sent(
        "agent",
        {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "session/request_permission",
            "params": {"sessionId": "s-1", "title": "T", "options": [{"optionId": "o", "name": "n", "kind": word}]},
        },
    ),
    "role of an audience": lambda word: as_content_block({"type": "text", "text": "t", "annotations": {"audience": [word]}}),
}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("what", WORDS)
def test_an_unknown_word(what, version):
    assert is_in("_teleport", document_of(version, WORDS[what]("_teleport")))


# --- extensions ----------------------------------------------------------------------------------------------


@given(versions, st.sampled_from(("client", "agent")), names, json_values)
def test_a_vendors_notification(version, sender, name, params):
    document = document_of(version, Sent(sender, {"jsonrpc": "2.0", "method": name, "params": params}))

    assert has_members({"from": sender, "kind": "notification", "method": name}, document)
    assert is_in(_without_secrets(params), document)


@given(versions, st.sampled_from(("client", "agent")), names, json_values, json_values, st.booleans())
def test_a_vendors_request_and_its_answer(version, sender, name, params, answer, failed):
    other = {"client": "agent", "agent": "client"}[sender]
    error = {"code": -32601, "message": "no", "data": answer}
    document = document_of(
        version,
        Sent(sender, {"jsonrpc": "2.0", "id": "v", "method": name, "params": params}),
        Sent(other, {"jsonrpc": "2.0", "id": "v", **({"error": error} if failed else {"result": answer})}),
    )

    assert has_members(
        {"from": sender, "kind": "request", "method": name, "id": "v", "status": "failed" if failed else "answered"}, document
    )
    assert is_in(_without_secrets(params), document)
    assert is_in(_without_secrets(error if failed else answer), document)


def _without_secrets(value: Any) -> Any:
    """Values of variables and headers are never stored (SPEC 4.8)."""
    if isinstance(value, dict):
        return {
            key: dict.fromkeys(item) if key in ("env", "headers") and isinstance(item, dict) else _without_secrets(item)
            for key, item in value.items()
        }
    return [_without_secrets(item) for item in value] if isinstance(value, list) else value


# --- `_meta` and extra fields --------------------------------------------------------------------------------

meta_values = json_values.filter(lambda value: value is not None and "env" not in str(value))  # `null` takes a key away; E-01
metas = st.dictionaries(st.sampled_from(("alpha", "_robin/beta", "")), meta_values, min_size=1, max_size=2)

WITH_META = {
    "an update's params": lambda meta: Sent(
        "agent",
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": "s-1", "_meta": meta, "update": {"sessionUpdate": "usage_update", "used": 1, "size": 2}},
        },
    ),
    "a chunk": lambda meta: update("agent_message_chunk", messageId="m", content={"type": "text", "text": "t"}, _meta=meta),
    "a content block": lambda meta: as_content_block({"type": "text", "text": "t", "_meta": meta}),
    "a resource": lambda meta: as_content_block({"type": "resource", "resource": {"uri": "u", "text": "t", "_meta": meta}}),
    "annotations": lambda meta: as_content_block({"type": "text", "text": "t", "annotations": {"_meta": meta}}),
    "a message": lambda meta: update("agent_message", messageId="m", _meta=meta),
    "a tool call": lambda meta: update("tool_call_update", toolCallId="t", _meta=meta),
    "a tool call's item": lambda meta: as_tool_content({"type": "terminal", "terminalId": "k", "_meta": meta}),
    "a tool content chunk": lambda meta: update(
        "tool_call_content_chunk", toolCallId="t", content={"type": "terminal", "terminalId": "k"}, _meta=meta
    ),
    "a location": lambda meta: update("tool_call_update", toolCallId="t", locations=[{"path": "/", "_meta": meta}]),
    "a plan": lambda meta: update("plan_update", plan={"type": "markdown", "planId": "p", "content": "c", "_meta": meta}),
    "a plan's update": lambda meta: update("plan_update", plan={"type": "markdown", "planId": "p", "content": "c"}, _meta=meta),
    "a plan's step": lambda meta: update(
        "plan_update",
        plan={"type": "items", "planId": "p", "entries": [{"content": "c", "priority": "low", "status": "pending", "_meta": meta}]},
    ),
    "the plan's removal": lambda meta: update("plan_removed", planId="p", _meta=meta),
    "commands": lambda meta: update("available_commands_update", availableCommands=[], _meta=meta),
    "a command": lambda meta: as_command({"type": "command", "_meta": meta}),
    "a command's input": lambda meta: as_command_input({"type": "text", "hint": "h", "_meta": meta}),
    "settings": lambda meta: update("config_option_update", configOptions=[], _meta=meta),
    "a setting": lambda meta: as_config_option({"type": "boolean", "currentValue": True, "_meta": meta}),
    "the mode": lambda meta: update("current_mode_update", currentModeId="m", _meta=meta),
    "the title": lambda meta: update("session_info_update", title="t", _meta=meta),
    "usage": lambda meta: update("usage_update", used=1, size=2, _meta=meta),
    "a cost": lambda meta: update("usage_update", used=1, size=2, cost={"amount": 1, "currency": "USD", "_meta": meta}),
    "a notice": lambda meta: update("notice", severity="info", title="t", _meta=meta),
    "a compaction": lambda meta: update("compaction_update", compactionId="c", status="completed", _meta=meta),
    "a compaction's chunk": lambda meta: update(
        "compaction_summary_chunk", compactionId="c", content={"type": "text", "text": "t"}, _meta=meta
    ),
    "a subagent": lambda meta: update("subagent_update", sessionId="c", _meta=meta),
    "a session's message": lambda meta: update("session_message", messageId="x", _meta=meta),
    "a terminal": lambda meta: update("terminal_update", terminalId="k", _meta=meta),
    "a terminal's chunk": lambda meta: update("terminal_output_chunk", terminalId="k", data="YQ==", _meta=meta),
    "a terminal's output": lambda meta: update("terminal_update", terminalId="k", output={"data": "YQ==", "_meta": meta}),
    "a terminal's exit status": lambda meta: update("terminal_update", terminalId="k", exitStatus={"exitCode": 1, "_meta": meta}),
    "a terminal's size": lambda meta: update("terminal_update", terminalId="k", size={"cols": 1, "rows": 1, "_meta": meta}),
    "a state": lambda meta: update("state_update", state="running", _meta=meta),
    "background work": lambda meta: as_background({"type": "terminal", "terminalId": "k", "_meta": meta}),
    "a prompt": lambda meta: Sent(
        "client", {"jsonrpc": "2.0", "id": 7, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [], "_meta": meta}}
    ),
    "a permission": lambda meta: Sent(
        "agent",
        {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "session/request_permission",
            "params": {"sessionId": "s-1", "title": "T", "options": [], "_meta": meta},
        },
    ),
    "a permission's option": lambda meta: Sent(
        "agent",
        {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "session/request_permission",
            "params": {"sessionId": "s-1", "title": "T", "options": [{"optionId": "o", "name": "n", "kind": "allow_once", "_meta": meta}]},
        },
    ),
    "an elicitation": lambda meta: Sent(
        "agent",
        {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "elicitation/create",
            "params": {
                "sessionId": "s-1",
                "mode": "form",
                "message": "m",
                "requestedSchema": {"type": "object", "properties": {}},
                "_meta": meta,
            },
        },
    ),
    "a cancel": lambda meta: Sent("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s-1", "_meta": meta}}),
    "a file's request": lambda meta: Sent(
        "agent", {"jsonrpc": "2.0", "id": 7, "method": "fs/read_text_file", "params": {"sessionId": "s-1", "path": "/", "_meta": meta}}
    ),
    "a new connection": lambda meta: Sent(
        "client", {"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": 2, "_meta": meta}}
    ),
    "a load": lambda meta: Sent(
        "client",
        {"jsonrpc": "2.0", "id": 7, "method": "session/load", "params": {"sessionId": "s-1", "cwd": "/", "mcpServers": [], "_meta": meta}},
    ),
    "a login": lambda meta: Sent(
        "client", {"jsonrpc": "2.0", "id": 7, "method": "authenticate", "params": {"methodId": "m", "_meta": meta}}
    ),
    "a request to cancel a request": None,
}
NOT_KEPT = {"a request to cancel a request": "the page names no entity that it concerns"}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("what", [what for what in WITH_META if what not in NOT_KEPT])
@given(metas)
def test_meta_of(what, version, meta):
    document = document_of(version, WITH_META[what](meta))

    assert any(has_members(meta, found) for found in values_of(document, ("_meta", "chunkMeta", "outputMeta")))


def values_of(document: Any, names: tuple[str, ...]) -> list[Any]:
    found, waiting = [], [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            found += [value[name] for name in names if name in value]
        if isinstance(value, (dict, list)):
            waiting += value.values() if isinstance(value, dict) else value
    return found


@pytest.mark.parametrize(
    "block", [{"type": "text", "text": "t"}, {"type": "image", "data": "", "mimeType": "m"}, {"type": "audio", "data": "", "mimeType": "m"}]
)
@given(versions, extras)
def test_extra_fields_of_a_content_block(block, version, extra):
    assert is_in({**block, **extra}, document_of(version, as_content_block({**block, **extra})))


@given(versions, extras)
def test_extra_fields_of_a_tool_calls_item(version, extra):
    item = {"type": "content", "content": {"type": "text", "text": "t", **extra}, **extra}

    assert is_in(item, document_of(version, as_tool_content(item)))


@given(versions, texts, json_values, json_values)
def test_the_raw_values_of_a_tool_call(version, title, given_, got):
    document = document_of(version, update("tool_call_update", toolCallId="t", title=title, rawInput=given_, rawOutput=got))
    (call,) = document["sessions"]["s-1"]["timeline"]

    assert json.dumps(call.get("rawInput")) == json.dumps(given_)
    assert json.dumps(call.get("rawOutput")) == json.dumps(got)
