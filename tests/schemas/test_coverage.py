"""Every update, method, variant and word of the official schemas is known, or listed here with the reason why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from acp_state.methods import AGENT_NOTIFICATIONS, AGENT_REQUESTS, CANCEL_REQUEST, CLIENT_NOTIFICATIONS, CLIENT_REQUESTS
from acp_state.normalize.exchanges import EXCHANGES, NOTIFICATIONS
from acp_state.protocol.updates import UPDATES

from support.official import (
    Schema,
    alternatives,
    each_schema,
    minimal,
    name_of,
    needs_schemas,
    parametrize,
    places,
    resolved,
    schemas,
    tag_of,
    variants_of,
)
from support.situations import Outcome


EXTENSIONS = {
    "mcp/message": "tunnels another protocol, which says nothing of a session",
    "providers/list": "says where models come from, nothing of a session",
    "providers/set": "says where models come from, nothing of a session",
    "providers/disable": "says where models come from, nothing of a session",
    "proxy/initialize": "is between a client and a proxy",
    "proxy/successor": "is between a client and a proxy",
}
"""The methods that are kept as extension requests (SPEC 4.8)."""

OLDER_METHODS = {
    "session/set_model": "an earlier draft; the config option of category model is what came of it",
    "session/elicitation": "what elicitation/create was called",
}

TAGS = ("type", "mode", "state", "stopReason", "operation", "outcome", "action", "sessionUpdate", "format", "kind")

VARIANTS = {
    "AuthMethod": {"terminal", "agent"},
    "AvailableCommand": {"command"},
    "AvailableCommandInput": {"text"},
    "BackgroundWork": {"terminal", "tool_call", "subagent"},
    "ContentBlock": {"text", "image", "audio", "resource_link", "resource"},
    "CreateElicitationRequest": {"form", "url"},
    "CreateElicitationResponse": {"accept", "decline", "cancel"},
    "DiffChange": {"add", "delete", "modify", "move", "copy"},
    "IdleStateUpdate": {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"},
    "PlanUpdateContent": {"items", "file", "markdown"},
    "ReplayFrom": {"start"},
    "RequestPermissionOutcome": {"cancelled", "selected"},
    "RequestPermissionSubject": {"tool_call", "command"},
    "SessionConfigOption": {"select", "boolean"},
    "StateUpdate": {"running", "idle", "requires_action", "unknown"},
    "ToolCallContent": {"content", "diff", "terminal"},
}
"""The tagged unions of all four schemas and their variants, each of which is read as what it is."""

KEPT_AS_SENT = {
    "ElicitationPropertySchema": "a form's schema is kept as sent",
    "MultiSelectItems": "a form's schema is kept as sent",
    "McpServer": "what the client gives the agent is no state of the session",
    "SetSessionConfigOptionRequest": "the answer says what came of it",
}
"""Tagged unions whose variants make no difference."""


def unions(schema: Schema) -> Iterator[tuple[str, set[str]]]:
    """Every definition that is a tagged union, and the tags of its variants."""
    for name, definition in schema.defs.items():
        found: set[str] = set()
        for variant in variants_of(definition):
            found |= {tag for key in TAGS if (tag := tag_of(variant, key)) is not None}
        if found:
            yield name, found


@needs_schemas
def test_every_update_is_known():
    known = {kind for schema in schemas().values() for kind in schema.updates}

    assert known == UPDATES[1].keys() == UPDATES[2].keys()


@needs_schemas
def test_every_method_is_known():
    methods = {method for schema in schemas().values() for method, _, _ in schema.methods.values()}
    handled = EXCHANGES.keys() | NOTIFICATIONS.keys() | {CANCEL_REQUEST}

    assert methods - handled == EXTENSIONS.keys()
    assert handled - methods == OLDER_METHODS.keys()


@each_schema("schema")
def test_every_method_has_the_right_sender(schema):
    senders = {
        "Request": {"client": AGENT_REQUESTS, "agent": CLIENT_REQUESTS},
        "Notification": {"client": AGENT_NOTIFICATIONS, "agent": CLIENT_NOTIFICATIONS},
    }
    wrong = [
        (definition, method)
        for definition, (method, receiver, part) in schema.methods.items()
        if part in senders and receiver in senders[part] and method not in senders[part][receiver] and method != "mcp/message"
    ]

    assert wrong == []


@needs_schemas
def test_every_tagged_union_is_listed():
    found: dict[str, set[str]] = {}
    for schema in schemas().values():
        for name, tags in unions(schema):
            found[name] = found.get(name, set()) | tags
    found.pop("SessionUpdate")

    assert {name: tags for name, tags in found.items() if name not in KEPT_AS_SENT} == VARIANTS
    assert found.keys() >= KEPT_AS_SENT.keys()


UNKNOWN = (
    "unknown-update",
    "unknown-variant",
    "unknown-value",
    "missing-discriminator",
    "malformed",
    "unreadable-field",
    "malformed-field",
    "skipped-item",
    "malformed-meta",
    "invalid-answer",
)


def roots(schema: Schema) -> list[str]:
    return list(schema.methods)


def known_alternatives(member: Any, schema: Schema) -> list[Any]:
    """What a member may be, unknown variants and words apart."""
    return [part for part in alternatives(member, schema.defs) if not is_unknown(part)]


def is_unknown(part: Any) -> bool:
    return part.get("title") in ("other", "unknown", "Other")


@parametrize(
    "schema, definition", [pytest.param(schema, name, id=f"{schema}-{name}") for schema in schemas().values() for name in roots(schema)]
)
def test_everything_that_a_definition_describes_is_understood(schema, definition):
    """Each member, each variant and each word by itself, in its place: none is new to us, none is misread."""
    findings = []
    whole = {"$ref": f"#/$defs/{definition}"}
    for place in places(whole, schema.defs, definition):
        for part in known_alternatives(place.schema, schema):
            value = part["const"] if "const" in part else minimal(part, schema.defs, place.name)
            payload = place.make(value)
            outcome = Outcome(schema, definition, payload)
            odd = [problem for problem in outcome.problems if problem.partition(":")[0] in UNKNOWN]
            if odd and not _is_made_odd(payload):
                findings.append((place.path, value, odd))

    assert findings == []


def _is_made_odd(payload: Any) -> bool:
    return "_odd" in str(payload)


@each_schema("schema")
def test_every_update_by_itself_is_understood(schema):
    for kind, variant in schema.updates.items():
        fields = minimal(variant, schema.defs)
        definition = schema.definition("session/update", "Notification")
        outcome = Outcome(schema, definition, {"sessionId": "s-1", "update": fields})

        assert fields["sessionUpdate"] == kind
        assert outcome.codes == [], outcome.problems
        assert outcome.last.tally.unknown == 0


def test_names_of_references():
    assert name_of({"$ref": "#/$defs/A"}) == "A"
    assert name_of({"allOf": [{"$ref": "#/$defs/A"}]}) == "A"
    assert resolved({"allOf": [{"$ref": "#/$defs/A"}], "x": 1}, {"A": {"type": "string"}}) == {
        "type": "string",
        "x": 1,
        "x-definition": "A",
    }
