"""Whether what the user filled in fits the form: a warning, never a refusal (SPEC 4.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .._json import FrozenDict, Json, same


def find_mismatches(schema: Json, content: FrozenDict | None) -> Iterator[tuple[str, str]]:
    """Yield a property and what is wrong with it in *content*: required and missing, not asked for, not offered."""
    if not isinstance(schema, Mapping):
        return
    given: Mapping[str, Json] = content or {}
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if type(name) is str and name not in given:
            yield name, "is required and missing"
    for name, value in given.items():
        if name not in properties:
            yield name, "was not asked for"
        elif not _offered(properties[name], value):
            yield name, "has a value that was not offered"


def _offered(schema: Json, value: Json) -> bool:
    """Whether *value* is one of those that a property's schema lists, if it lists any."""
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "array":
        choices = _choices(schema.get("items"))
        return choices is None or not isinstance(value, list) or all(_is_one_of(choices, item) for item in value)
    choices = _choices(schema)
    return choices is None or _is_one_of(choices, value)


def _is_one_of(choices: list[Json], value: Json) -> bool:
    return any(same(choice, value) for choice in choices)


def _choices(schema: Json) -> list[Json] | None:
    if not isinstance(schema, Mapping):
        return None
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"])
    for name in ("oneOf", "anyOf"):
        if isinstance(schema.get(name), list):
            return [choice.get("const") for choice in schema[name] if isinstance(choice, Mapping)]
    return None
