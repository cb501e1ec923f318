"""JSON as the model's objects. cattrs does it; what stands here is what it does not know of them."""

from __future__ import annotations

import types

from base64 import b64decode
from collections.abc import Callable
from typing import Any, Union, get_args, get_origin, get_type_hints

import attrs

from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

from .. import state as s
from .._json import FrozenDict, FrozenList, Json, freeze
from .._model import UnsetType, names_of, replace
from ..containers import Content, Log, Output, Table, make_content, make_log, make_output
from ..protocol.marks import Json as AnyJson
from ..protocol.marks import MetaObject
from ..protocol.settings import WORDS_OF_1
from .names import ENTRIES, KNOWN_VARIANTS, SEALABLE, printed, wire_name


_converter = Converter(detailed_validation=True, forbid_extra_keys=True)


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
        return make_output(value.encode("utf-8", "surrogatepass"))
    return make_output(b64decode(value["base64"], validate=True))


def _block(value: Json) -> FrozenDict:
    block: FrozenDict = from_json(value, FrozenDict)
    if block.get("type") == "text" and type(block.get("text")) is not str:
        msg = "a text block without a text"
        raise TypeError(msg)
    return block


_converter.register_structure_hook_func(lambda kind: kind in WORDS_OF_1, lambda value, _: from_json(value, str))
_converter.register_structure_hook(MetaObject, _frozen(FrozenDict))
_converter.register_structure_hook(FrozenDict, _frozen(FrozenDict))
_converter.register_structure_hook(FrozenList, _frozen(FrozenList))
_converter.register_structure_hook(Output, _output)
_converter.register_structure_hook(Content, lambda value, _: make_content(map(_block, value)))


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _union(kind: Any, converter: Converter) -> Callable[[Json, Any], Any]:
    """A union of `None` or `UNSET` with one type or any JSON; or of classes that their members tell apart."""
    options = [option for option in get_args(kind) if option not in (type(None), UnsetType)]
    if Any in options or AnyJson in options:
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
        name: override(rename=wire_name(name)) if name in names and not _has_keys(hints[name]) else override(omit=True)
        for name in names_of(cls)
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
        return replace(instance, extra=freeze(rest) if rest else None)

    return read_variant


_converter.register_structure_hook_factory(attrs.has, _reader)
_converter.register_structure_hook_factory(_is_union, _union)
_converter.register_structure_hook_func(lambda kind: kind is Any, lambda value, _: freeze(value))


def _is_log(kind: Any) -> bool:
    return get_origin(kind) is Log


def _log(value: Json, kind: Any) -> Log[Any]:
    return make_log([from_json(item, get_args(kind)[0]) for item in value])


_converter.register_structure_hook_func(_is_log, _log)


def read_entry(value: Json) -> s.Entry:
    """Return the timeline entry that *value* is."""
    kinds = {kind.type: kind for kind in ENTRIES}  # type: ignore[attr-defined]  # every entry class has it
    cls = kinds[value["type"]]
    entry: Any = from_json(value, cls)
    if cls in SEALABLE:
        return replace(entry, content=make_content(entry.content, growing=not value.get("sealed", False)))  # type: ignore[no-any-return]  # as it came, with other content
    return entry  # type: ignore[no-any-return]  # the entry came out of the hook of its own class
