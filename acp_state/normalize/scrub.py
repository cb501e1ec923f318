"""Secrets: the values of environment variables and headers are never stored (SPEC 4.8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .._json import FrozenDict, FrozenList, Json


SECRET_MEMBERS: Final = frozenset(("env", "headers"))


def scrubbed(value: Json) -> Json:
    """Return *value* with the names, but not the values, of what is under `env`, `headers` and `vars`; itself if nothing is."""
    if isinstance(value, Mapping):
        items = {
            key: _names(item) if key in SECRET_MEMBERS else _described(item) if key == "vars" else scrubbed(item)
            for key, item in value.items()
        }
        return value if all(items[key] is value[key] for key in items) else FrozenDict(items)
    if isinstance(value, list):
        elements = [scrubbed(item) for item in value]
        return value if all(a is b for a, b in zip(elements, value, strict=True)) else FrozenList(elements)
    return value


def _described(value: Json) -> Json:
    """What is asked for of variables (schema `AuthMethodEnvVar`), without a value that stands there all the same."""
    if not isinstance(value, list):
        return scrubbed(value)
    found = [
        FrozenDict({key: part for key, part in item.items() if key != "value"}) if isinstance(item, Mapping) else item for item in value
    ]
    return value if found == value else FrozenList(map(scrubbed, found))


def _names(value: Json) -> Json:
    """Variables or headers without their values: a list of `{name, value}` or an object."""
    if isinstance(value, Mapping):
        return FrozenDict(dict.fromkeys(value)) if value else value
    if isinstance(value, list):
        return FrozenList(FrozenDict(name=item.get("name")) if isinstance(item, Mapping) else None for item in value)
    return None
