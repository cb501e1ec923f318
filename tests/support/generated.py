"""A hypothesis strategy for what a JSON Schema describes: any value that is valid, and only such."""

from __future__ import annotations

import base64
import functools

from typing import Any

from hypothesis import strategies as st

from .official import NAMED, Schema, Shape, alternatives, shapes
from strategies import json_values, texts


RANGES = {"int32": 2**31, "int64": 2**63}
EXTRA = ("x-one", "x_two", "extra")

NAMES = {name: st.sampled_from((known, "other")) for name, known in NAMED.items()} | {"sessionId": st.just("s-1")}
"""What conversations know by ids: few, so that they meet."""


def valid(schema: Any, official: Schema, name: str = "") -> st.SearchStrategy:
    """Return a strategy for the values of *schema*; *name* is that of the member that it is."""
    parts = alternatives(schema, official.defs)
    made = [_part(part, official, name) for part in parts]
    return made[0] if len(made) == 1 else st.one_of(made)


@functools.cache
def definition(name: str, official: Schema) -> st.SearchStrategy:
    """Return a strategy for what a definition describes."""
    return valid({"$ref": f"#/$defs/{name}"}, official)


@functools.cache
def updates(official: Schema, kind: str | None = None) -> st.SearchStrategy:
    """Return a strategy for the updates of one *kind*, or of any."""
    return valid(official.defs["SessionUpdate"] if kind is None else official.updates[kind], official)


def _part(schema: Any, official: Schema, name: str) -> st.SearchStrategy:
    if "const" in schema:
        return st.just(schema["const"])
    if name == "protocolVersion":
        return st.just(official.version)
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        return _object(schema, official)
    if kind == "array":
        least = schema.get("minItems", 0)
        return st.lists(valid(schema.get("items", {}), official), min_size=least, max_size=max(least, 2))
    return _scalar(schema, kind, name)


def _scalar(schema: Any, kind: str | None, name: str) -> st.SearchStrategy:
    if kind == "string":
        return _string(schema, name)
    if kind == "integer":
        bound = RANGES.get(schema.get("format", ""), 2**63)
        return st.integers(schema.get("minimum", -bound), min(schema.get("maximum", bound - 1), bound - 1)) | st.integers(1, 3)
    if kind == "number":
        return st.floats(schema.get("minimum"), schema.get("maximum"), allow_nan=False, allow_infinity=False) | st.just(
            schema.get("minimum", 0)
        )
    simple = {"boolean": st.booleans(), "null": st.none()}
    return simple.get(kind or "", json_values)


def _string(schema: Any, name: str) -> st.SearchStrategy:
    if name in NAMES:
        return NAMES[name]
    if schema.get("contentEncoding") == "base64":
        return st.binary(max_size=4).map(lambda data: base64.b64encode(data).decode())
    formats = {"uri": st.just("file:///x"), "date-time": st.just("2026-01-01T00:00:00Z"), "regex": st.just("a*")}
    if schema.get("format") in formats:
        return formats[schema["format"]]
    return texts.filter(lambda text: len(text) >= schema["minLength"]) if schema.get("minLength") else texts


def _object(schema: Any, official: Schema) -> st.SearchStrategy:
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) and "properties" not in schema:
        return st.dictionaries(texts, valid(extra, official), max_size=2)
    if extra is True and "properties" not in schema:
        return st.dictionaries(st.sampled_from(EXTRA), json_values, max_size=2)
    made = [_shape(shape, official) for shape in shapes(schema, official.defs, "")]
    return made[0] if len(made) == 1 else st.one_of(made)


def _shape(shape: Shape, official: Schema) -> st.SearchStrategy:
    members = {}
    for name, member in shape.properties.items():
        made = valid(member, official, name)
        if name in shape.tags:
            tags = shape.tags[name]
            made = st.sampled_from(("_odd", "hologram")) | made.filter(lambda value, tags=tags: value not in tags)
        members[name] = made
    needed = {name: made for name, made in members.items() if name in shape.required}
    optional = {name: made for name, made in members.items() if name not in shape.required}
    if shape.open:
        optional |= dict.fromkeys(EXTRA, json_values)
    return st.fixed_dictionaries(needed, optional=optional)
