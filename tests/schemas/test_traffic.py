"""Whatever is valid under a schema folds without an error, in the protocol version of that schema."""

from __future__ import annotations

import json

from typing import Any

import pytest

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from acp_state.document import loads
from acp_state.folded import Folded
from acp_state.schema import document_schema

from strategies import conversations, polite
from support.effort import many, ran
from support.generated import definition, updates
from support.official import Schema, each_schema, minimal, needs_schemas, parametrize, schemas
from support.recordings import folded, frames_of, told
from support.situations import before, in_place, update
from support.talk import OTHER, Sent


DOCUMENT = Draft202012Validator(document_schema())


def errors_of(state: Folded) -> list[str]:
    return [
        f"{finding.code}: {finding.message} ({finding.method} {finding.pointer})"
        for finding in state.diagnostics
        if finding.severity == "error"
    ]


def assert_valid_document(state: Folded) -> None:
    ran("documents validated")
    text = told(state)
    faults = [f"{'/'.join(map(str, fault.path))}: {fault.message}" for fault in DOCUMENT.iter_errors(json.loads(text))]
    assert faults == []
    assert told(loads(text)) == text


def cases(kinds: bool) -> list[Any]:
    found = []
    for official in schemas().values():
        if kinds:
            found += [pytest.param(official, kind, id=f"{official}-{kind}") for kind in official.updates]
        else:
            found += [pytest.param(official, name, id=f"{official}-{name}") for name in official.methods]
    return found


@parametrize("official, name", cases(kinds=False))
@many(0.4)
@given(st.data())
def test_any_valid_message_in_its_place(official, name, data):
    payload = data.draw(definition(name, official))
    ran("schema-generated frames")
    conversation = [sent for part in in_place(official, name, payload) for sent in part]
    state = folded(frames_of(conversation))
    errors = errors_of(state)
    if official.version == 1 and name == "CreateElicitationResponse":
        errors = [error for error in errors if not error.startswith("invalid-answer")]  # an unknown action is no answer in version 1

    assert errors == []
    assert_valid_document(state)


@parametrize("official, kind", cases(kinds=True))
@many(0.4)
@given(st.data())
def test_any_valid_updates_of_one_kind(official, kind, data):
    made = data.draw(st.lists(updates(official, kind), min_size=1, max_size=3))
    ran("schema-generated frames", len(made))
    state = folded(frames_of([*before(official.version), *map(update, made)]))

    assert errors_of(state) == []
    assert state.tally.refused == 0
    assert_valid_document(state)


@each_schema()
@many(2)
@given(st.data())
def test_any_valid_updates_one_after_the_other(official, data):
    made = data.draw(st.lists(updates(official), max_size=8))
    ran("schema-generated frames", len(made))
    state = folded(frames_of([*before(official.version), *map(update, made)]))

    assert errors_of(state) == []
    assert_valid_document(state)


def exchanged(official: Schema, draw: Any) -> list[Sent]:
    """A request of either side with its answer, valid both."""
    methods = sorted({method for method, _, part in official.methods.values() if part == "Request" and method != "initialize"})
    method = draw(st.sampled_from(methods))
    asked = official.definition(method, "Request")
    receiver = "client" if official.methods[asked][1] == "client" else "agent"
    params = draw(definition(asked, official))
    result = draw(definition(official.definition(method, "Response"), official))
    if method == "elicitation/create" and result["action"] not in ("accept", "decline", "cancel"):
        result["action"] = "cancel"  # an unknown action is no answer in version 1
    number = draw(st.sampled_from((0, "a", 7)))
    return [
        Sent(OTHER[receiver], {"jsonrpc": "2.0", "id": number, "method": method, "params": params}),
        Sent(receiver, {"jsonrpc": "2.0", "id": number, "result": result}),
    ]


@each_schema()
@many(2)
@given(st.data())
def test_any_valid_conversation(official, data):
    """Updates, and requests that are answered at once, one after the other."""
    conversation = before(official.version)
    for _ in range(data.draw(st.integers(0, 6))):
        if data.draw(st.booleans()):
            conversation.append(update(data.draw(updates(official))))
        else:
            conversation += exchanged(official, data.draw)
    ran("schema-generated frames", len(conversation))
    state = folded(frames_of(conversation))

    assert errors_of(state) == []
    assert_valid_document(state)


@each_schema()
@given(st.data())
def test_what_is_made_up_is_valid(official, data):
    name = data.draw(st.sampled_from(sorted(official.methods)))
    payload = data.draw(definition(name, official))

    assert list(official.validator(name).iter_errors(payload)) == []


@each_schema()
@many(2)
@given(st.data())
def test_polite_conversations_are_valid(official, data):
    conversation = data.draw(polite(official.version, mixed=False, drafts="unstable" in official.name, vendors=False))
    ran("conversations")
    methods: dict[tuple[str, str], str] = {}
    for sender, message, _ in conversation:
        if "method" in message:
            part, payload, method = ("Request" if "id" in message else "Notification"), message["params"], message["method"]
            if "id" in message:
                methods[sender, json.dumps(message["id"])] = method
        elif "result" in message:
            part, payload, method = "Response", message["result"], methods[OTHER[sender], json.dumps(message["id"])]
        else:
            part, payload, method = "Error", message["error"], ""
        name = "Error" if part == "Error" else official.definition(method, part)
        assert list(official.validator(name).iter_errors(payload)) == []


@many(3)
@given(polite())
def test_polite_conversations_have_no_errors(conversation):
    ran("conversations")
    state = folded(frames_of(conversation))

    assert errors_of(state) == []


@many(2)
@given(conversations(24))
def test_every_document_is_valid(conversation):
    ran("conversations")
    assert_valid_document(folded(frames_of(conversation)))


@needs_schemas
def test_the_document_schema_is_one():
    Draft202012Validator.check_schema(document_schema())


def test_a_minimal_instance_names_what_the_conversation_knows():
    assert minimal({"type": "object", "properties": {"toolCallId": {"type": "string"}}, "required": ["toolCallId"]}, {}) == {
        "toolCallId": "t-1"
    }
