"""Values that a JSON Schema describes, and values that are nearly such: from a seed, and much faster than hypothesis makes them."""

from __future__ import annotations

import base64
import copy
import functools

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final, TypeAlias

from .official import Schema, Shape, alternatives, shapes


Make: TypeAlias = Callable[[Random], Any]

TEXTS: Final = ("", "a", "b c", "é\n", "x" * 40, "text", "command", "/a", "file:///x", "\ud800", "1")
ODD: Final = (
    *(None, True, False, 0, 1, -1, 3, 12.0, 1.5, -0.0, 1e300, 2**53 + 1, 2**70, 10**40),
    *("", "x", "text", "command", "start", "cancelled", "eHh4", "eHh=", "eHg", "\ud800", "idle", "items"),
    *([], {}, [None], [7], ["a"], [{}], {"a": None}, {"": {"b": [True]}}, {"type": "text", "text": "x"}, {"type": "_x", "y": [1.0]}),
    *({"terminal_id": "k", "data": "d"}, {"terminal_id": 7}, {"state": "idle"}, {"options": []}, {"code": 1, "message": "m", "data": None}),
)
NAMES: Final = (
    *("type", "text", "id", "_meta", "x", "", "planId", "configId", "methodId", "modelId", "groupId", "group", "modeId", "changes", "blob"),
    *(
        "toolCallId",
        "terminal_info",
        "terminal_output",
        "terminal_exit",
        "clientInfo",
        "agentInfo",
        "agentCapabilities",
        "options",
        "title",
    ),
)


class Generator:
    """Makes valid values of one of the official schemas."""

    def __init__(self, official: Schema) -> None:
        self._official = official
        self._made: dict[str, Make] = {}

    def definition(self, name: str) -> Make:
        """Return what makes a value of a definition."""
        return self.schema({"$ref": f"#/$defs/{name}"})

    def schema(self, schema: Any) -> Make:
        """Return what makes a value of *schema*."""
        key = repr(schema)
        if key not in self._made:
            parts = [self._part(part) for part in alternatives(schema, self._official.defs)]
            self._made[key] = parts[0] if len(parts) == 1 else lambda chance: chance.choice(parts)(chance)
        return self._made[key]

    def _part(self, schema: Any) -> Make:
        if "const" in schema:
            return lambda _: schema["const"]
        kind = schema.get("type")
        if kind == "array":
            item, least = self.schema(schema.get("items", {})), schema.get("minItems", 0)
            return lambda chance: [item(chance) for _ in range(max(least, chance.choice((0, 1, 1, 2))))]
        if kind == "object" or "properties" in schema:
            return self._object(schema)
        if kind in ("integer", "number"):
            least = schema.get("minimum", -3)
            return lambda chance: least + chance.choice((0, 1, 2, 7) if kind == "integer" else (0, 0.5, 1))
        simple: dict[Any, Make] = {
            "string": lambda chance: _text(schema, chance),
            "boolean": lambda chance: chance.random() < 0.5,
            "null": lambda _: None,
        }
        return simple.get(kind, lambda chance: copy.deepcopy(chance.choice(ODD)))

    def _object(self, schema: Any) -> Make:
        extra = schema.get("additionalProperties")
        if "properties" not in schema and extra:
            item = self.schema(extra) if isinstance(extra, dict) else self.schema({})
            return lambda chance: {name: item(chance) for name in chance.sample(NAMES, chance.randrange(3))}
        made = [self._shape(shape) for shape in shapes(schema, self._official.defs, "")]
        return lambda chance: chance.choice(made)(chance)

    def _shape(self, shape: Shape) -> Make:
        members = [(name, self.schema(member), name in shape.required) for name, member in shape.properties.items()]

        def make(chance: Random) -> dict[str, Any]:
            whole = chance.random()
            made = {name: member(chance) for name, member, required in members if required or chance.random() < whole}
            for name, tags in shape.tags.items():
                if made.get(name) in tags:
                    made[name] = "_odd"
            if shape.open and chance.random() < 0.5:
                made |= {chance.choice(("x", "_x", "extra")): copy.deepcopy(chance.choice(ODD))}
            return made

        return make


def _text(schema: Any, chance: Random) -> str:
    if schema.get("contentEncoding") == "base64":
        return base64.b64encode(chance.randbytes(chance.randrange(4))).decode()
    return chance.choice(TEXTS) or "a" * schema.get("minLength", 0)


@functools.cache
def generator(official: Schema) -> Generator:
    return Generator(official)


# --- what is nearly valid ----------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where something stands in *value*."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*path, key)
        yield from places(part, (*path, key))


def mutated(value: Any, chance: Random, times: int = 1) -> Any:
    """Return *value* with some place of it changed, *times* times."""
    for _ in range(times):
        found = list(places(value))
        if not found:
            return copy.deepcopy(chance.choice(ODD))
        value = _changed(value, chance.choice(found), chance)
    return value


def _changed(value: Any, path: tuple[Any, ...], chance: Random) -> Any:
    """Return *value* with what *path* leads to changed; nothing is changed in place."""
    key, *rest = path
    copied = value.copy()
    if rest:
        copied[key] = _changed(value[key], tuple(rest), chance)
        return copied
    way = chance.randrange(8)
    if way == 0:
        del copied[key]
    elif way == 1 and isinstance(value, dict):
        name = chance.choice(NAMES)
        return {(name if old == key else old): part for old, part in value.items()}
    elif way == 2 and isinstance(value, dict):
        copied[chance.choice(NAMES)] = copy.deepcopy(chance.choice(ODD))
    elif way == 3 and isinstance(value, dict):
        names = list(value)
        chance.shuffle(names)
        return {name: value[name] for name in names}
    elif way == 4 and isinstance(value, list):
        copied.insert(chance.randrange(len(value) + 1), copy.deepcopy(chance.choice((*ODD, value[key]))))
    else:
        copied[key] = copy.deepcopy(chance.choice(ODD))
    return copied
