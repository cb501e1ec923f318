"""Every mark in the schemas that says what to do with a value of the wrong form, one by one.

`x-deserialize-default-on-error`: the member counts as absent. `x-deserialize-skip-invalid-items`: the
item is left out. `x-deserialize-default-on-null`: `null` counts as absent. All else of the frame
reaches the state as without it, and there is exactly one diagnostic.
"""

from __future__ import annotations

import functools
import json

from collections import Counter
from typing import Any

import pytest

from acp_state.diagnostics import CATALOGUE

from support.effort import ran
from support.official import (
    ABSENT,
    DEFAULT,
    SKIP,
    Place,
    Schema,
    alternatives,
    minimal,
    needs_schemas,
    parametrize,
    places,
    resolved,
    schemas,
)
from support.situations import Outcome


ON_NULL = "x-deserialize-default-on-null"

AS_SENT = "is kept as sent, with all that is in it"
NOT_READ = "is not read"
SNAPSHOT = "only the state and the background of it are read"

UNREAD = {
    "AuthMethodTerminal.env": NOT_READ,
    "CreateElicitationRequest.requestedSchema": AS_SENT,
    "ElicitationFormMode.requestedSchema": AS_SENT,
    "CreateTerminalRequest.env": NOT_READ,
    "ForkSessionRequest.mcpServers": NOT_READ,
    "ForkSessionRequest.systemPrompt": NOT_READ,
    "InitializeRequest.capabilities": AS_SENT,
    "InitializeRequest.clientCapabilities": AS_SENT,
    "InitializeResponse.agentCapabilities": AS_SENT,
    "InitializeResponse.capabilities": AS_SENT,
    "LoadSessionRequest.mcpServers": NOT_READ,
    "LoadSessionRequest.systemPrompt": NOT_READ,
    "NewSessionRequest.mcpServers": NOT_READ,
    "NewSessionRequest.systemPrompt": NOT_READ,
    "ResumeSessionRequest.mcpServers": NOT_READ,
    "ResumeSessionRequest.systemPrompt": NOT_READ,
    "ResumeSessionRequest.replayFrom": "its type alone is read",
    "SubagentUpdate.capabilities": AS_SENT,
    "TerminalUpdate.capabilities": AS_SENT,
    "ToolCallUpdate.capabilities": AS_SENT,
    "Error.data": AS_SENT,
}
"""Members below which no mark is looked at. The members themselves are, where they bear one."""

EXTENSIONS = frozenset(("mcp/message", "providers/list", "providers/set", "providers/disable", "proxy/initialize", "proxy/successor"))
"""Their params and answers are kept as sent (SPEC 4.8)."""

WRONG = {"number": 7, "string": "wrong", "boolean": True, "array": [7], "object": {}}
"""A value of each JSON type; `null` is absent anyway (SPEC 4.1)."""


@functools.cache
def marked(schema: Schema, definition: str) -> tuple[Place, ...]:
    """The members of a definition that bear a mark."""
    found = places({"$ref": f"#/$defs/{definition}"}, schema.defs, definition, UNREAD)
    return tuple(place for place in found if any(place.schema.get(mark) is True for mark in (DEFAULT, SKIP, ON_NULL)))


def with_mark(mark: str, schema: Schema, definition: str) -> list[Place]:
    return [place for place in marked(schema, definition) if place.schema.get(mark) is True]


def definitions(mark: str) -> list[Any]:
    """The definitions that have the mark, as parameters."""
    return [
        pytest.param(schema, definition, id=f"{schema}-{definition}")
        for schema in schemas().values()
        for definition, (method, _, _) in schema.methods.items()
        if method not in EXTENSIONS and with_mark(mark, schema, definition)
    ]


def of_wrong_form(schema: Any, official: Schema) -> list[Any]:
    """One value for each way in which a member can be wrong.

    A list of wrong items, and a word that nobody knows, are of the right form.
    """
    validator = official.validator_of(schema)
    right = {{"integer": "number"}.get(part.get("type"), part.get("type")) for part in alternatives(schema, official.defs)} - {"object"}
    return [value for kind, value in WRONG.items() if kind not in right and not validator.is_valid(value)]


def shown(outcome: Outcome) -> list[Any]:
    """The documents; what a permission is about stands there as sent."""
    documents = [json.loads(text) for text in outcome.shown]
    for document in documents:
        for session in document["sessions"].values():
            for entry in session["timeline"]:
                if entry["type"] == "permission":
                    entry.pop("subject", None)
    return documents


def difference(without: Outcome, outcome: Outcome, *codes: str) -> str | None:
    """Say what *outcome* has besides one diagnostic of *codes*, `None` if nothing."""
    ran("mutated inputs")
    new = Counter(outcome.codes) - Counter(without.codes)
    if sum(new.values()) != 1 or not new.keys() <= set(codes):
        return f"diagnostics {dict(new)}"
    return None if without.texts == outcome.texts or shown(without) == shown(outcome) else "another state"


def described(place: Place, value: Any, fault: str) -> str:
    return f"{place.field} ({'/'.join(place.path)}) {json.dumps(value)}: {fault}"


@parametrize("schema, definition", definitions(DEFAULT))
def test_a_member_of_the_wrong_form_counts_as_absent(schema, definition):
    faults = []
    for place in with_mark(DEFAULT, schema, definition):
        if place.required:
            continue
        without = Outcome(schema, definition, place.make(ABSENT))
        for value in of_wrong_form(place.schema, schema):
            fault = difference(without, Outcome(schema, definition, place.make(value)), "malformed-field", "malformed-meta")
            if fault:
                faults.append(described(place, value, fault))

    assert faults == []


@parametrize("schema, definition", definitions(DEFAULT))
def test_a_required_member_of_the_wrong_form_is_one_finding(schema, definition):
    """A required list keeps the old one, and that is an error (SPEC 4, Decoding), whatever its mark says."""
    faults = []
    for place in with_mark(DEFAULT, schema, definition):
        for value in of_wrong_form(place.schema, schema) if place.required else []:
            ran("mutated inputs")
            outcome = Outcome(schema, definition, place.make(value))
            in_a_list = "*" in place.path  # then the item that has the member is left out
            if [CATALOGUE[code].severity for code in outcome.codes] != ["warning" if in_a_list else "error"]:
                faults.append(described(place, value, str(outcome.problems)))

    assert faults == []


@parametrize("schema, definition", definitions(SKIP))
def test_an_item_of_the_wrong_form_is_left_out(schema, definition):
    faults = []
    for place in with_mark(SKIP, schema, definition):
        (part,) = [part for part in alternatives(place.schema, schema.defs) if part.get("type") == "array"]
        item = minimal(part["items"], schema.defs)
        good = Outcome(schema, definition, place.make([item]))
        for value in [None, *of_wrong_form(part["items"], schema), *not_whole(part["items"], item, schema)]:
            for items in ([value, item], [item, value]):
                fault = difference(good, Outcome(schema, definition, place.make(items)), "skipped-item")
                if fault:
                    faults.append(described(place, items, fault))

    assert faults == []


def not_whole(schema: Any, item: Any, official: Schema) -> list[Any]:
    """Items that say what they are and lack what that needs; without its discriminator a member is read as version 1 reads it."""
    if not isinstance(item, dict):
        return []
    validator = official.validator_of(schema)
    broken = [{key: value for key, value in item.items() if key != name} for name in item if name != "type"]
    return [value for value in broken if value and not validator.is_valid(value)]


@parametrize("schema, definition", definitions(ON_NULL))
def test_null_counts_as_absent(schema, definition):
    for place in with_mark(ON_NULL, schema, definition):
        outcome = Outcome(schema, definition, place.make(None))
        empty = Outcome(schema, definition, place.make([] if resolved(place.schema, schema.defs).get("type") == "array" else ABSENT))

        assert outcome.codes == empty.codes == []
        assert outcome.shown in (empty.shown, Outcome(schema, definition, place.make(ABSENT)).shown)


@needs_schemas
@pytest.mark.parametrize("mark", [DEFAULT, SKIP, ON_NULL])
def test_there_are_marks(mark):
    found = [place for case in definitions(mark) for place in with_mark(mark, *case.values)]

    assert len(found) > 10
