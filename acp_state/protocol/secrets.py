"""Values that are never kept: those of environment variables and HTTP headers (SPEC 4.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .._json import FrozenDict, FrozenList, Json


MEMBERS: Final = frozenset(("env", "headers"))
"""Members with environment variables (schema `EnvVariable`) and headers (schema `HttpHeader`)."""


def scrub(value: Json) -> Json:
    """Return the frozen *value* without the values of variables and headers, at any depth; *value* itself if it has none.

    Only what has the form of the schema is one: a list of objects with a `name`, or an object of strings.
    """
    if isinstance(value, Mapping):
        members = {name: _scrub_member(name, member) for name, member in value.items()}
        return value if all(members[name] is value[name] for name in members) else FrozenDict(members)
    if isinstance(value, list):
        return _scrub_items(value)
    return value


def _scrub_items(items: list[Json]) -> Json:
    scrubbed = [scrub(item) for item in items]
    return items if all(a is b for a, b in zip(scrubbed, items, strict=True)) else FrozenList(scrubbed)


def _scrub_member(name: str, value: Json) -> Json:
    if name in MEMBERS and value:
        if isinstance(value, Mapping) and all(type(item) is str for item in value.values()):
            return FrozenDict(dict.fromkeys(value))
        if _is_list_of_named(value):
            return FrozenList(FrozenDict(name=item["name"]) for item in value)
    if name == "vars" and isinstance(value, list):
        return _scrub_items(FrozenList(map(_without_value, value)) if any(map(_has_value, value)) else value)
    return scrub(value)


def _is_list_of_named(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) and type(item.get("name")) is str for item in value)


def _has_value(variable: Json) -> bool:
    return isinstance(variable, Mapping) and "value" in variable


def _without_value(variable: Json) -> Json:
    """Return a variable that an agent asks for (schema `AuthEnvVar`) without a value that it should not have."""
    return FrozenDict({name: part for name, part in variable.items() if name != "value"}) if _has_value(variable) else variable
