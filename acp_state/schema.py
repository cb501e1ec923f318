"""The JSON Schema of the state document, made of the model's own classes, so that it cannot drift."""

from __future__ import annotations

import types

from collections.abc import Mapping
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import attrs

from . import state as s
from ._json import FrozenDict, FrozenList
from ._model import UnsetType
from .codec import ALWAYS, ENTRIES, KNOWN_VARIANTS, SEALABLE, printed, wire_name
from .containers import Content, Log, Output, Table
from .document import FORMAT
from .protocol.marks import Json as AnyJson
from .protocol.marks import MetaObject
from .protocol.settings import WORDS_OF_1


Schema = dict[str, Any]

_OUTCOMES: Final = ("open", "answered", "failed", "cancelled")

WORDS: Final[Mapping[tuple[type, str], tuple[str, ...]]] = {
    (s.Session, "phase"): (
        "unannounced",
        "opening",
        "loading",
        "ready",
        "failed",
        "closed",
        "deleted",
    ),
    (s.Turn, "status"): ("running", "ended", "failed"),
    (s.Message, "role"): ("user", "agent", "thought", "session"),
    (s.Permission, "status"): (
        "pending",
        "selected",
        "cancelled",
        "failed",
        "invalid",
        "unanswered",
    ),
    (s.Elicitation, "status"): (
        "pending",
        "accepted",
        "declined",
        "cancelled",
        "failed",
        "invalid",
        "unanswered",
    ),
    (s.Terminal, "owner"): ("client", "agent"),
    (s.FileRequest, "operation"): ("read", "write"),
    (s.FileRequest, "status"): _OUTCOMES,
    (s.Extension, "from_"): ("client", "agent"),
    (s.Extension, "kind"): ("request", "notification"),
    (s.Extension, "status"): _OUTCOMES,
    (s.OpenRequest, "from_"): ("client", "agent"),
}
"""The words that are ours. What agents and clients say is any string."""

_COMPUTED: Final[Mapping[str, Any]] = {
    "replaying": bool,
    "pending_prompts": tuple[s.PendingPrompt, ...],
}


def document_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) that every state document is valid under."""
    defs: dict[str, Schema] = {}
    document: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "acp-state document",
        "description": "What a recording of Agent Client Protocol traffic says, up to some frame.",
        "type": "object",
        "required": ["format", "connection", "sessions"],
        "additionalProperties": False,
        "properties": {
            "format": {"const": FORMAT},
            "connection": _of_class(s.Connection, defs),
            "sessions": {
                "type": "object",
                "additionalProperties": _of_class(s.Session, defs),
            },
            "wire": {
                "type": "object",
                "description": "What going on needs and the rest does not say; opaque.",
            },
        },
    }
    return {**document, "$defs": dict(sorted(defs.items()))}


def _of_class(cls: type, defs: dict[str, Schema]) -> Schema:
    if cls.__name__ not in defs:
        defs[cls.__name__] = {}  # a class may hold itself
        defs[cls.__name__] = _object(cls, defs)
    return {"$ref": f"#/$defs/{cls.__name__}"}


def _object(cls: type, defs: dict[str, Schema]) -> Schema:
    hints = get_type_hints(cls)
    always = ALWAYS.get(cls, frozenset())
    properties: dict[str, Schema] = {}
    if cls in ENTRIES:
        properties["type"] = {"const": cls.type}  # type: ignore[attr-defined]  # every entry class has it
    for name in printed(cls):
        kind = _COMPUTED.get(name, hints.get(name))
        words = WORDS.get((cls, name))
        member = {"enum": list(words)} if words else _of(kind, defs)
        if name in always and type(None) in get_args(kind):
            member = {"anyOf": [member, {"type": "null"}]}
        properties[wire_name(name)] = member
        if cls in SEALABLE and name == "content":
            properties["sealed"] = {"const": True}
    required = [
        *(["type"] if cls in ENTRIES else []),
        *(wire_name(name) for name in printed(cls) if name in always or _is_needed(cls, name)),
    ]
    summary = (cls.__doc__ or "").splitlines()[0]
    described: Schema = {
        "description": summary,
        "type": "object",
        "required": required,
        "properties": properties,
    }
    if cls not in KNOWN_VARIANTS:
        return {**described, "additionalProperties": False}
    return _with_variants(cls, described)


def _is_needed(cls: type, name: str) -> bool:
    """Whether every instance has a value: the class gives it no default."""
    return any(field.name == name and field.default is attrs.NOTHING for field in attrs.fields(cls))


def _with_variants(cls: type, described: Schema) -> Schema:
    """Of a variant that is not modelled, all but a few members are as sent."""
    tag, variants, names = KNOWN_VARIANTS[cls]
    modelled = {wire_name(name) for name in names} | {"type"}
    known = [variant for variant in variants if variant is not None]
    properties = described["properties"]
    common = {name: member for name, member in properties.items() if name in modelled}
    special = {name: member for name, member in properties.items() if name not in modelled}
    is_known: Schema = {"properties": {wire_name(tag): {"enum": sorted(known)}}}
    if None not in variants:
        is_known["required"] = [wire_name(tag)]
    return {
        **described,
        "properties": common,
        "if": is_known,
        "then": {
            "properties": {**dict.fromkeys(common, True), **special},
            "additionalProperties": False,
        },
    }


def _of(kind: Any, defs: dict[str, Schema]) -> Schema:
    """The schema of an attribute's type; what is absent is not printed, so `None` and `UNSET` are no values."""
    simple: dict[Any, Schema] = {
        Any: {},
        str: {"type": "string"},
        int: {"type": "integer"},
        float: {"type": "number"},
        bool: {"type": "boolean"},
        FrozenDict: {"type": "object"},
        MetaObject: {"type": "object"},
        FrozenList: {"type": "array"},
        Content: {"type": "array", "items": {"type": "object", "required": ["type"]}},
        Output: {
            "oneOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "required": ["base64"],
                    "properties": {"base64": {"type": "string"}},
                },
            ]
        },
    }
    if kind in simple:
        return dict(simple[kind])
    origin, args = get_origin(kind), get_args(kind)
    if kind in WORDS_OF_1:
        return {"type": "string"}
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return _of_union([arg for arg in args if arg not in (type(None), UnsetType)], defs)
    if origin in (tuple, Log):
        return {"type": "array", "items": _of(args[0], defs)}
    if origin is Table:
        return {"type": "array", "items": _of(args[1], defs)}
    return _of_class(kind, defs)


def _of_union(kinds: list[Any], defs: dict[str, Schema]) -> Schema:
    if Any in kinds or AnyJson in kinds:
        return {}
    options = [_of(kind, defs) for kind in kinds]
    return options[0] if len(options) == 1 else {"anyOf": options}
