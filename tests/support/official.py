"""The four official schemas, as the npm package ships them, and what can be made of them.

They are never part of this project: a test takes them from `node_modules` under the project's root
(`npm ci`), or from the directory that `ACP_SCHEMAS` names, and is skipped where there are none.
"""

from __future__ import annotations

import functools
import json
import os

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from jsonschema import Draft202012Validator


ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = "node_modules/@agentclientprotocol/sdk/schema"
FILES: Final = {
    "v1": "v1/schema.json",
    "v1-unstable": "v1/schema.unstable.json",
    "v2": "v2/schema.json",
    "v2-unstable": "v2/schema.unstable.json",
}
WHY: Final = "the npm package @agentclientprotocol/sdk is not installed (npm ci)"

DEFAULT: Final = "x-deserialize-default-on-error"
SKIP: Final = "x-deserialize-skip-invalid-items"


def directory() -> Path | None:
    """Return where the schemas are, `None` if they are nowhere."""
    named = os.environ.get("ACP_SCHEMAS")
    for path in [Path(named)] if named else [ROOT / PACKAGE]:
        if all((path / file).is_file() for file in FILES.values()):
            return path
    return None


needs_schemas: Final = pytest.mark.skipif(directory() is None, reason=WHY)


class Schema:
    """One of the four, with what its definitions are called."""

    def __init__(self, name: str, document: Any) -> None:
        self.name = name
        self.version = int(name[1])
        self.defs: dict[str, Any] = document["$defs"]

    def __repr__(self) -> str:
        return self.name

    @functools.cache  # noqa: B019 -- there are four of them
    def validator(self, definition: str) -> Draft202012Validator:
        return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": self.defs})

    def validator_of(self, schema: Any) -> Draft202012Validator:
        return Draft202012Validator({**schema, "$defs": self.defs} if isinstance(schema, dict) else schema)

    @property
    def methods(self) -> dict[str, tuple[str, str, str]]:
        """The definitions of requests, answers and notifications: method, receiver, and which of the three."""
        found = {}
        for name, definition in self.defs.items():
            if "x-method" in definition:
                part = next(part for part in ("Request", "Response", "Notification") if name.endswith(part))
                found[name] = (definition["x-method"], definition["x-side"], part)
        return found

    def definition(self, method: str, part: str) -> str | None:
        """Return the name of a method's *part* (`Request`, `Response`, `Notification`)."""
        return next((name for name, (of, _, which) in self.methods.items() if (of, which) == (method, part)), None)

    @property
    def updates(self) -> dict[str, Any]:
        """The variants of `SessionUpdate` by their names; an unknown one has none."""
        variants = variants_of(self.defs["SessionUpdate"])
        return {kind: variant for variant in variants if (kind := tag_of(variant, "sessionUpdate")) is not None}


@functools.cache
def schemas() -> dict[str, Schema]:
    """Return the four, none if they are not here."""
    where = directory()
    if where is None:
        return {}
    return {name: Schema(name, json.loads((where / file).read_text(encoding="utf-8"))) for name, file in FILES.items()}


def parametrize(names: str, values: Iterable[Any], **options: Any) -> pytest.MarkDecorator:
    """Run a test for each of *values*, which come from the schemas; skip it, whatever it takes, where there are no schemas.

    *names* is one string, as `pytest.mark.parametrize` takes it.
    """
    if directory() is None:
        values = [pytest.param(*[None for _ in names.split(",")], id="no-schemas", marks=pytest.mark.skip(reason=WHY))]
    return pytest.mark.parametrize(names, list(values), **options)


def each_schema(name: str = "official") -> pytest.MarkDecorator:
    """Run a test for each of the four schemas, or skip it."""
    return parametrize(name, schemas().values(), ids=str)


def variants_of(schema: Any) -> list[Any]:
    return schema.get("oneOf") or schema.get("anyOf") or []


def tag_of(schema: Any, tag: str) -> str | None:
    """Return what a variant calls itself, `None` if it is any other."""
    constant = schema.get("properties", {}).get(tag, {}).get("const")
    return constant if isinstance(constant, str) else None


# --- shapes ------------------------------------------------------------------------------------------


class Shape(NamedTuple):
    """An object's members, with all that its schema refers to drawn in: one way through its unions."""

    properties: dict[str, Any]
    required: frozenset[str]
    open: bool
    """Whether it is a variant that nobody knows: it may have any other member."""
    owners: dict[str, str]
    """Which definition a member is from."""
    tags: dict[str, frozenset[str]]
    """What a member must not be: the tags of the known variants."""


def resolved(schema: Any, defs: dict[str, Any]) -> Any:
    """Return *schema* with references, and lists of one, drawn in; `x-definition` says what it is then."""
    seen = {}
    while isinstance(schema, dict) and ("$ref" in schema or (len(schema.get("allOf", ())) == 1 and not schema.get("properties"))):
        seen |= {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "description", "title")}
        if "$ref" in schema:
            seen["x-definition"] = schema["$ref"].rpartition("/")[2]
        schema = defs[seen["x-definition"]] if "$ref" in schema else schema["allOf"][0]
    return {**schema, **seen} if isinstance(schema, dict) else schema


def name_of(schema: Any) -> str | None:
    """Return the name of the definition that *schema* refers to."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    parts = schema.get("allOf", ())
    return name_of(parts[0]) if len(parts) == 1 and not schema.get("properties") else None


def alternatives(schema: Any, defs: dict[str, Any]) -> list[Any]:
    """Return the schemas that a union may be, one level deep; a schema that is no union is the only one."""
    schema = resolved(schema, defs)
    parts = variants_of(schema)
    if parts and not schema.get("properties"):
        return [found for part in parts for found in alternatives(part, defs)]
    types = schema.get("type")
    if isinstance(types, list):
        return [{**schema, "type": one} for one in types]
    return [schema]


def shapes(schema: Any, defs: dict[str, Any], owner: str) -> Iterator[Shape]:
    """Yield the shapes that an object of *schema* may have: one for each way through its unions."""
    owner = name_of(schema) or owner
    schema = resolved(schema, defs)
    own = schema.get("properties", {})
    shape = Shape(
        dict(own),
        frozenset(schema.get("required", ())),
        schema.get("additionalProperties") is True or schema.get("unevaluatedProperties") is True,
        dict.fromkeys(own, owner),
        _forbidden(schema.get("not")),
    )
    found = [shape]
    for part in schema.get("allOf", ()):
        found = [_joined(one, other) for one in found for other in shapes(part, defs, owner)]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            found = [_joined(one, other) for one in found for part in schema[union] for other in shapes(part, defs, owner)]
    yield from found


def _joined(one: Shape, other: Shape) -> Shape:
    properties = {**one.properties, **other.properties}
    for name in one.properties.keys() & other.properties.keys():
        if "const" in one.properties[name]:
            properties[name] = one.properties[name]
    return Shape(
        properties,
        one.required | other.required,
        one.open or other.open,
        {**other.owners, **one.owners},
        {**one.tags, **other.tags},
    )


def _forbidden(schema: Any) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for part in (schema or {}).get("anyOf", ()):
        for name, member in part.get("properties", {}).items():
            found.setdefault(name, set()).add(member.get("const"))
    return {name: frozenset(values) for name, values in found.items()}


def is_object(schema: Any, defs: dict[str, Any]) -> bool:
    schema = resolved(schema, defs)
    return schema.get("type") == "object" or "properties" in schema


# --- places ------------------------------------------------------------------------------------------

NAMED: Final = {
    "sessionId": "s-1",
    "toolCallId": "t-1",
    "terminalId": "k-1",
    "elicitationId": "e-1",
    "messageId": "m-1",
    "optionId": "o-1",
    "requestId": "r-1",
}
"""What a minimal instance calls those that a conversation knows by their ids."""


class Absent:
    """The type of `ABSENT`."""


ABSENT: Final = Absent()
"""A member that is left out."""


def minimal(schema: Any, defs: dict[str, Any], name: str = "") -> Any:
    """Return a small valid instance of *schema*, always the same; *name* is that of the member that it is."""
    schema = alternatives(schema, defs)[0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    if name == "requestId":
        return NAMED[name]
    if name == "protocolVersion":
        return 2 if any("UserMessage" in name for name in defs) else 1
    if kind == "object" or "properties" in schema:
        return minimal_object(next(shapes(schema, defs, "")), defs)
    if kind == "array":
        return [minimal(schema["items"], defs)] * schema.get("minItems", 0)
    if kind == "string":
        return NAMED.get(name) or {"uri": "file:///x", "date-time": "2026-01-01T00:00:00Z"}.get(schema.get("format", "")) or "eHh4"
    simple = {"integer": max(schema.get("minimum", 1), 1), "number": max(schema.get("minimum", 1), 0.5), "boolean": True, "null": None}
    return simple.get(kind, {})


def minimal_object(shape: Shape, defs: dict[str, Any]) -> dict:
    found = {name: minimal(member, defs, name) for name, member in shape.properties.items() if name in shape.required}
    for name, tags in shape.tags.items():
        if found.get(name) in tags or name in found:
            found[name] = "_odd"
    return found


class Place(NamedTuple):
    """A member somewhere in what a definition describes."""

    owner: str
    """The definition that names it."""
    name: str
    path: tuple[str, ...]
    schema: Any
    required: bool
    make: Any
    """`make(value)` is a minimal instance of the whole with the member being that, or `ABSENT`."""
    tag: bool
    """Whether it says which variant its object is."""

    @property
    def field(self) -> str:
        return f"{self.owner}.{self.name}"


def places(schema: Any, defs: dict[str, Any], owner: str, skip: Any = frozenset()) -> Iterator[Place]:
    """Yield every member that *schema* knows, however deep, once for each definition that owns it; none under one in *skip*."""
    seen: set[tuple] = set()
    yield from _places(schema, defs, owner, (), lambda value: value, seen, skip)


def _places(schema: Any, defs: Any, owner: str, path: tuple, wrap: Any, seen: set, skip: Any) -> Iterator[Place]:
    for part in alternatives(schema, defs):
        inner = part.get("x-definition", owner)
        if part.get("type") == "array":
            item = part.get("items", {})
            yield from _places(item, defs, inner, (*path, "*"), lambda value: wrap([value]), seen, skip)
        elif part.get("type") == "object" or "properties" in part:
            yield from _members(part, defs, inner, path, wrap, seen, skip)


def _members(schema: Any, defs: Any, owner: str, path: tuple, wrap: Any, seen: set, skip: Any) -> Iterator[Place]:
    for shape in shapes(schema, defs, owner):
        base = minimal_object(shape, defs)

        def make(value: Any, name: str, base: dict = base) -> Any:
            members = {key: item for key, item in base.items() if key != name}
            return wrap(members if value is ABSENT else {**members, name: value})

        for name, member in shape.properties.items():
            of = shape.owners.get(name, owner)
            key = (of, name, path)
            if key in seen:
                continue
            seen.add(key)
            is_tag = "const" in resolved(member, defs) or name in shape.tags
            place = Place(of, name, (*path, name), member, name in shape.required, functools.partial(make, name=name), is_tag)
            yield place
            if place.field not in skip:
                yield from _places(member, defs, of, (*path, name), place.make, seen, skip)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and (owner, "{}", path) not in seen:
            seen.add((owner, "{}", path))
            yield from _places(extra, defs, owner, (*path, "{}"), lambda value: wrap({"key": value}), seen, skip)
