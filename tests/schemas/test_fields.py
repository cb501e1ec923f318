"""Every member that a schema describes comes out of the fold, or is listed here with the reason why not."""

from __future__ import annotations

import json

from typing import Any

import pytest

from support.official import ABSENT, Place, Schema, alternatives, minimal, needs_schemas, parametrize, places, resolved, schemas
from support.situations import MARKER, Outcome


NEVER_STORED = "values of environment variables and headers are never stored"
FOR_THE_AGENT = "what the client gives the agent to work with is no state of the session"
NO_CONTENTS = "of a file's request only operation, path and outcome are kept"
TARGET = "says which one is meant, and is nothing to remember"
ANSWERED = "the answer says what came of it"
CLIENTS_OWN = "how much a client retains is its own affair"
WANTED = "which part is wanted shows in what comes"
READ_AS = "says by whose rules the rest is read; the nearest known version is what the document has"
SNAPSHOT = "an answer to session/status says what a session is doing, and is no transition of a turn"

NOT_SHOWN = {
    "AuthMethodTerminal.env": NEVER_STORED,
    "CancelRequestNotification.requestId": TARGET,
    "CancelTerminalRequest.terminalId": TARGET,
    "CancelToolCallRequest.toolCallId": TARGET,
    "CompleteElicitationNotification.elicitationId": TARGET,
    "CreateTerminalRequest.env": NEVER_STORED,
    "CreateTerminalRequest.outputByteLimit": CLIENTS_OWN,
    "ForkSessionRequest.mcpServers": FOR_THE_AGENT,
    "ForkSessionRequest.systemPrompt": FOR_THE_AGENT,
    "InitializeRequest.protocolVersion": READ_AS,
    "InitializeResponse.protocolVersion": READ_AS,
    "KillTerminalRequest.terminalId": TARGET,
    "ListSessionsRequest.archived": WANTED,
    "ListSessionsRequest.cursor": WANTED,
    "ListSessionsRequest.cwd": WANTED,
    "LoadSessionRequest.mcpServers": FOR_THE_AGENT,
    "LoadSessionRequest.systemPrompt": FOR_THE_AGENT,
    "NewSessionRequest.mcpServers": FOR_THE_AGENT,
    "NewSessionRequest.systemPrompt": FOR_THE_AGENT,
    "PlanRemoved.planId": TARGET,
    "ReadTextFileRequest.limit": NO_CONTENTS,
    "ReadTextFileRequest.line": NO_CONTENTS,
    "ReadTextFileResponse.content": NO_CONTENTS,
    "ReleaseTerminalRequest.terminalId": TARGET,
    "ResumeSessionRequest.mcpServers": FOR_THE_AGENT,
    "ResumeSessionRequest.replayFrom": WANTED,
    "ResumeSessionRequest.systemPrompt": FOR_THE_AGENT,
    "SessionStatusResponse.state": SNAPSHOT,
    "SetProviderRequest.headers": NEVER_STORED,
    "SetSessionConfigOptionRequest.configId": ANSWERED,
    "SetSessionConfigOptionRequest.value": ANSWERED,
    "SetSessionTitleRequest.title": ANSWERED,
    "WaitForTerminalExitRequest.terminalId": TARGET,
    "WriteTextFileRequest.content": NO_CONTENTS,
}
"""Members that reach no document, by their definition's name and their own; nothing below them does."""


def values(place: Place, schema: Schema) -> list[Any]:
    """Values that can be told apart and found again, if there are such."""
    found: list[Any] = []
    for part in alternatives(place.schema, schema.defs):
        kind = part.get("type")
        if "const" in part:
            found.append(part["const"])
        elif kind == "string":
            found += [_text(part)]
        elif kind in ("integer", "number"):
            low, high = part.get("minimum", 0), part.get("maximum", 10**6)
            found += [low + (high - low) * 3 // 7 if kind == "integer" else low + (high - low) * 0.4375]
        elif kind == "boolean":
            found += [True, False]
        elif kind is None and "properties" not in part:
            found += [{MARKER: [None, 1.0]}]
        elif kind == "object" and part.get("additionalProperties") is True and "properties" not in part:
            found += [{MARKER: "x"}]
    return found


def _text(part: Any) -> str:
    if part.get("contentEncoding") == "base64":
        return "bWFya2VyLTdmM2E="
    return {"uri": f"file:///{MARKER}", "date-time": "2026-07-03T04:05:06Z"}.get(part.get("format", ""), MARKER)


def shows(outcome: Outcome, value: Any) -> bool:
    """Whether the documents say *value*; output that is bytes stands there as text."""
    if isinstance(value, bool):
        return False
    return (
        outcome.says(value) or (value == "bWFya2VyLTdmM2E=" and outcome.says(MARKER)) or (isinstance(value, dict) and outcome.says(MARKER))
    )


def lost(schema: Schema, definition: str) -> list[str]:
    """The fields of a definition that make no difference to any document."""
    found = []
    for place in places({"$ref": f"#/$defs/{definition}"}, schema.defs, definition, NOT_SHOWN):
        if place.tag or place.field in NOT_SHOWN:
            continue
        tried = values(place, schema)
        if not tried:
            continue
        outcomes = [Outcome(schema, definition, place.make(value)) for value in tried]
        without = None if place.required else Outcome(schema, definition, place.make(ABSENT))
        said = any(shows(outcome, value) for outcome, value in zip(outcomes, tried, strict=True))
        texts = {outcome.shown for outcome in [*outcomes, *([without] if without else [])]}
        if not said and len(texts) == 1:
            found.append(f"{place.field}: {'/'.join(place.path)}")
        elif not said and not all(isinstance(value, bool) for value in tried):
            found.append(f"{place.field}: {'/'.join(place.path)} (makes a difference, but is not said)")
    return found


@parametrize(
    "schema, definition",
    [pytest.param(schema, name, id=f"{schema}-{name}") for schema in schemas().values() for name in schema.methods],
)
def test_every_member_reaches_the_document(schema, definition):
    assert lost(schema, definition) == []


@needs_schemas
def test_members_that_are_not_shown_exist():
    known = set()
    for schema in schemas().values():
        for definition in schema.methods:
            known |= {place.field for place in places({"$ref": f"#/$defs/{definition}"}, schema.defs, definition)}

    assert NOT_SHOWN.keys() <= known


@parametrize(
    "schema, definition",
    [pytest.param(schema, name, id=f"{schema}-{name}") for schema in schemas().values() for name in schema.methods],
)
def test_members_that_are_not_shown_are_not_there(schema, definition):
    """Secrets above all: no document says them, wherever they came."""
    found = []
    for place in places({"$ref": f"#/$defs/{definition}"}, schema.defs, definition):
        if place.field in NOT_SHOWN and NOT_SHOWN[place.field] in (NEVER_STORED, NO_CONTENTS):
            part = resolved(alternatives(place.schema, schema.defs)[0], schema.defs)
            value = minimal(part, schema.defs, place.name) if part.get("type") != "string" else MARKER
            outcome = Outcome(schema, definition, place.make(_marked(value)))
            if MARKER in json.dumps(outcome.texts):
                found.append(place.field)

    assert found == []


def _marked(value: Any) -> Any:
    """Put the marker in the place of every text."""
    if isinstance(value, dict):
        return {key: _marked(item) for key, item in value.items()}
    return [_marked(item) for item in value] if isinstance(value, list) else MARKER if isinstance(value, str) else value
