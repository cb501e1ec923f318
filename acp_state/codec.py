"""The model's classes as JSON objects and back (SPEC 5).

`cattrs` does it; what stands here is how they are printed: names, order, and what is always there.
A value is left out where it is what the class has it be if nothing was told.
"""

from __future__ import annotations

import types

from base64 import b64decode
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import attrs

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

from . import state as s
from ._content import Content, Output
from ._json import FrozenDict, FrozenList, Json, freeze
from ._model import UNSET, Unset
from ._persistent import Log, Table


_RENAMED: Final = {"from_": "from", "meta": "_meta"}

ALWAYS: Final[Mapping[type, frozenset[str]]] = {
    s.Message: frozenset(("role", "id", "content")),
    s.ToolCall: frozenset(("id", "title", "kind", "status", "content")),
    s.Permission: frozenset(("id", "status")),
    s.Elicitation: frozenset(("id", "status")),
    s.Compaction: frozenset(("id", "status", "content")),
    s.Turn: frozenset(("status",)),
    s.ConfigGroup: frozenset(("options",)),
    s.Plan: frozenset(("id", "type")),
    s.Session: frozenset(("id", "phase", "timeline")),
    s.Connection: frozenset(("phase",)),
    s.PromptRef: frozenset(("request_id",)),
    s.PendingPrompt: frozenset(("request_id", "content")),
    s.FileRequest: frozenset(("operation", "status")),
    s.OpenRequest: frozenset(("from_", "id", "method")),
}
"""What is printed whether or not it was told."""

ENTRIES: Final[tuple[type, ...]] = (
    s.Message,
    s.ToolCall,
    s.Permission,
    s.Elicitation,
    s.Compaction,
)
"""What stands in a timeline; each is printed with its `type`."""

SEALABLE: Final = frozenset((s.Message, s.Compaction))

SESSION_ORDER: Final = (
    "id",
    "phase",
    "cwd",
    "additional_directories",
    "forked_from",
    "title",
    "updated_at",
    "error",
    "archived",
    "status",
    "parent",
    "subagents",
    "activity",
    "stop_reason",
    "replaying",
    "background",
    "modes",
    "models",
    "config_options",
    "available_commands",
    "usage",
    "plans",
    "turns",
    "pending_prompts",
    "timeline",
    "terminals",
    "notices",
    "files",
    "unknown_updates",
    "extensions",
    "before",
    "meta",
)

KNOWN_VARIANTS: Final[Mapping[type, tuple[str, frozenset[str | None], tuple[str, ...]]]] = {
    s.Plan: ("type", frozenset(("items", "markdown", "file")), ("id", "type", "meta")),
    s.ConfigOption: (
        "type",
        frozenset(("select", "boolean")),
        ("id", "name", "description", "category", "type", "current_value", "meta"),
    ),
    s.Command: (
        "type",
        frozenset((None, "command")),
        ("type", "name", "description", "meta"),
    ),
    s.CommandInput: ("type", frozenset((None, "text")), ("type", "meta")),
    s.AuthMethod: (
        "type",
        frozenset((None, "agent", "terminal")),
        ("id", "type", "name", "description", "meta"),
    ),
    s.Elicitation: (
        "mode",
        frozenset((None, "form", "url")),
        tuple(field.name for field in attrs.fields(s.Elicitation) if field.name != "extra"),
    ),
}
"""Unions: their tag, the variants that are modelled, and what is modelled of one that is not; the rest is as sent."""


def wire_name(attribute: str) -> str:
    """Return what *attribute* is called in the document."""
    if attribute in _RENAMED:
        return _RENAMED[attribute]
    head, *rest = attribute.split("_")
    return head + "".join(part.capitalize() for part in rest)


def printed(cls: type) -> tuple[str, ...]:
    """Return the attributes of *cls* that are printed, in order."""
    if cls is s.Session:
        return SESSION_ORDER
    return tuple(field.name for field in attrs.fields(cls) if not field.name.startswith("_") and field.name != "extra")


# --- printing --------------------------------------------------------------------------------------

_converter = Converter(detailed_validation=True, forbid_extra_keys=True)


def to_json(value: Any) -> Json:
    """Return *value* of the model as plain JSON."""
    return _converter.unstructure(value)


_COMPUTED: Final[Mapping[str, Any]] = {"replaying": False, "pending_prompts": ()}


@cache
def _members(cls: Any) -> tuple[tuple[str, str, bool, Any], ...]:
    """What is printed of *cls*: attribute, name in the document, whether it is always there, and what counts as absent."""
    always = ALWAYS.get(cls, frozenset())
    group = (s.Facts,) if cls is s.Session else ()
    defaults = {**_COMPUTED, **{field.name: field.default for each in (cls, *group) for field in attrs.fields(each)}}
    return tuple((name, wire_name(name), name in always, defaults.get(name)) for name in printed(cls))


def _printer(cls: type) -> Callable[[Any], dict[str, Json]]:
    members = _members(cls)
    tag = cls.type if cls in ENTRIES else None  # type: ignore[attr-defined]  # every entry class has it
    has_extra = any(field.name == "extra" for field in attrs.fields(cls))

    def print_object(instance: Any) -> dict[str, Json]:
        object_: dict[str, Json] = {} if tag is None else {"type": tag}
        _print_into(object_, instance, members)
        if has_extra and instance.extra is not None:
            object_ |= instance.extra
        return object_

    return print_object


def _print_into(object_: dict[str, Json], instance: Any, members: Iterable[tuple[str, str, bool, Any]]) -> None:
    for name, wire, needed, default in members:
        value = getattr(instance, name)
        if needed or not (value is default or value is UNSET or _is_empty(value, default)):
            object_[wire] = to_json(value)
        if name == "content" and isinstance(instance, (s.Message, s.Compaction)) and instance.sealed:
            object_["sealed"] = True


def members_to_json(instance: Any, names: Collection[str]) -> tuple[dict[str, Json], list[str]]:
    """Return those members of *instance* that print its attributes *names*, and the names of those that are not printed."""
    cls: Any = type(instance)
    wanted = [member for member in _members(cls) if member[0] in names]
    object_: dict[str, Json] = {}
    _print_into(object_, instance, wanted)
    unset = [wire for _, wire, _, _ in wanted if wire not in object_]
    if "content" in names and cls in SEALABLE and "sealed" not in object_:
        unset.append("sealed")
    return object_, unset


def _is_empty(value: Any, default: Any) -> bool:
    """Whether *value* is a collection of what came, and nothing came."""
    return isinstance(default, (Table, Log)) and not value


def _list(items: Iterable[Any]) -> list[Json]:
    return [to_json(item) for item in items]


_converter.register_unstructure_hook_factory(attrs.has, _printer)
for _kind in (FrozenDict, FrozenList, str, int, float, bool, type(None)):
    _converter.register_unstructure_hook(_kind, lambda value: value)
for _collection in (Content, Log, Table, tuple):
    _converter.register_unstructure_hook(_collection, _list)
_converter.register_unstructure_hook(Output, Output.to_json)


# --- reading ---------------------------------------------------------------------------------------


def from_json(value: Json, cls: Any) -> Any:
    """Return the *cls* that *value* is; raises cattrs' validation errors, which know where."""
    return _converter.structure(value, cls)


def _strict(kind: type, name: str) -> None:
    def read(value: Json, _: type) -> Any:
        if type(value) is not kind:
            msg = f"{name} is wanted"
            raise TypeError(msg)
        return value

    _converter.register_structure_hook(kind, read)


for _kind, _name in ((str, "a string"), (int, "an integer"), (bool, "a boolean")):
    _strict(_kind, _name)


def _frozen(kind: type) -> Callable[[Json, Any], Json]:
    def read(value: Json, _: Any) -> Json:
        frozen = freeze(value)
        if type(frozen) is not kind:
            msg = "an object is wanted" if kind is FrozenDict else "an array is wanted"
            raise TypeError(msg)
        return frozen

    return read


def _output(value: Json, _: Any) -> Output:
    if isinstance(value, str):
        return Output(value.encode("utf-8", "surrogatepass"))
    return Output(b64decode(value["base64"], validate=True))


def _block(value: Json) -> FrozenDict:
    block: FrozenDict = from_json(value, FrozenDict)
    if block.get("type") == "text" and type(block.get("text")) is not str:
        msg = "a text block without a text"
        raise TypeError(msg)
    return block


_converter.register_structure_hook(FrozenDict, _frozen(FrozenDict))
_converter.register_structure_hook(FrozenList, _frozen(FrozenList))
_converter.register_structure_hook(Output, _output)
_converter.register_structure_hook(Content, lambda value, _: Content(map(_block, value)))


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _union(kind: Any, converter: Converter) -> Callable[[Json, Any], Any]:
    """A union of `None` or `UNSET` with one type or any JSON; or of classes that their members tell apart."""
    options = [option for option in get_args(kind) if option not in (type(None), Unset)]
    if Any in options:
        return lambda value, _: freeze(value)
    if set(options) == {int, float}:
        return _number
    if set(options) == {s.ConfigChoice, s.ConfigGroup}:
        return lambda value, _: converter.structure(value, s.ConfigGroup if "group" in value else s.ConfigChoice)
    (option,) = options
    return lambda value, _: None if value is None else converter.structure(value, option)


def _number(value: Json, _: Any) -> int | float:
    if type(value) is not int and type(value) is not float:
        msg = "a number is wanted"
        raise TypeError(msg)
    return value


def _reader(cls: type, converter: Converter) -> Callable[[Json, Any], Any]:
    names = printed(cls)
    hints = get_type_hints(cls)
    overrides: dict[str, Any] = {
        field.name: override(rename=wire_name(field.name))
        if field.name in names and not _has_keys(hints[field.name])
        else override(omit=True)
        for field in attrs.fields(cls)
    }
    read: Callable[[Json, Any], Any] = make_dict_structure_fn(cls, converter, _cattrs_forbid_extra_keys=True, **overrides)
    if cls in KNOWN_VARIANTS:
        return _with_extra(cls, read)
    if cls in ENTRIES:
        return lambda value, kind: read(_without_type(value), kind)
    return read


def _has_keys(kind: Any) -> bool:
    """Whether *kind* is a table: its keys are not printed, so it is read where they can be told."""
    return Table in (
        get_origin(kind),
        *(get_origin(option) for option in get_args(kind)),
    )


def _without_type(value: Json) -> Json:
    return {key: item for key, item in value.items() if key not in ("type", "sealed")}


def _with_extra(cls: type, read: Callable[[Json, Any], Any]) -> Callable[[Json, Any], Any]:
    tag, variants, names = KNOWN_VARIANTS[cls]
    known = {wire_name(name) for name in names}
    drops_type = cls in ENTRIES

    def read_variant(value: Json, kind: Any) -> Any:
        value = _without_type(value) if drops_type else value
        if value.get(tag) in variants:
            return read(value, kind)
        instance = read({key: item for key, item in value.items() if key in known}, kind)
        rest = {key: item for key, item in value.items() if key not in known}
        return attrs.evolve(instance, extra=freeze(rest) if rest else None)

    return read_variant


_converter.register_structure_hook_factory(attrs.has, _reader)
_converter.register_structure_hook_factory(_is_union, _union)
_converter.register_structure_hook_func(lambda kind: kind is Any, lambda value, _: freeze(value))


def _is_log(kind: Any) -> bool:
    return get_origin(kind) is Log


def _log(value: Json, kind: Any) -> Log[Any]:
    return Log([from_json(item, get_args(kind)[0]) for item in value])


_converter.register_structure_hook_func(_is_log, _log)


def read_entry(value: Json) -> s.Entry:
    """Return the timeline entry that *value* is."""
    kinds = {kind.type: kind for kind in ENTRIES}  # type: ignore[attr-defined]  # every entry class has it
    cls = kinds[value["type"]]
    entry: Any = from_json(value, cls)
    if cls in SEALABLE:
        return attrs.evolve(entry, content=Content(entry.content, sealed=value.get("sealed", False)))  # type: ignore[no-any-return]  # as it came, with other content
    return entry  # type: ignore[no-any-return]  # the entry came out of the hook of its own class
