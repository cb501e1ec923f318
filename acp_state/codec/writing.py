"""The model's objects as JSON."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from operator import attrgetter
from typing import Any, Final, TypeAlias

from .._json import FrozenDict, FrozenList, Json, freeze
from .._model import UNSET, defaults_of, names_of
from ..containers import Content, Log, Output, Table
from ..protocol.marks import BareAsSent
from .names import ALWAYS, SEALABLE, printed, wire_name


def to_json(value: Any) -> Json:
    """Return *value* of the model as plain JSON."""
    return _PRINTERS[value.__class__](value)


_COMPUTED: Final[Mapping[str, Any]] = {"replaying": False, "pending_prompts": ()}


_Member: TypeAlias = tuple[str, str, bool, Any]
"""An attribute, its name in the document, whether it is always there, and what counts as absent."""


@cache
def _members(cls: Any) -> tuple[_Member, ...]:
    """What is printed of *cls*."""
    always = ALWAYS.get(cls, frozenset())
    absent = {**_COMPUTED, **defaults_of(cls)}
    members = [(name, wire_name(name), name in always, absent.get(name)) for name in printed(cls)]
    if cls in SEALABLE:
        place = next(place for place, (name, *_) in enumerate(members) if name == "content")
        members.insert(place + 1, ("sealed", "sealed", False, False))
    return tuple(members)


def _printer(cls: type) -> Callable[[Any], dict[str, Json]]:
    members = _members(cls)
    names = [name for name, *_ in members]
    values_of = attrgetter(*names, names[0])  # of one name alone it would get no tuple
    tag = getattr(cls, "type", None)
    if not isinstance(tag, str):  # then it is an attribute like others, if there is one
        tag = None
    has_extra = "extra" in names_of(cls)

    def print_object(instance: Any) -> dict[str, Json]:
        object_: dict[str, Json] = {} if tag is None else {"type": tag}
        _print_into(object_, members, values_of(instance))
        if has_extra and instance.extra is not None:
            object_ |= instance.extra
        return object_

    return print_object


def _print_into(object_: dict[str, Json], members: Iterable[_Member], values: Iterable[Any]) -> None:
    for (_, wire, needed, default), value in zip(members, values, strict=False):
        if value is default and not needed:  # as most are
            continue
        if value.__class__ is str:
            object_[wire] = value
        elif needed or not (value is UNSET or _is_empty(value, default)):
            object_[wire] = to_json(value)


def members_to_json(instance: Any, names: Collection[str]) -> tuple[dict[str, Json], list[str]]:
    """Return those members of *instance* that print its attributes *names*, and the names of those that are not printed."""
    cls: Any = type(instance)
    wanted = [member for member in _members(cls) if member[0] in names or (member[0] == "sealed" and "content" in names)]
    object_: dict[str, Json] = {}
    _print_into(object_, wanted, [getattr(instance, member[0]) for member in wanted])
    return object_, [wire for _, wire, _, _ in wanted if wire not in object_]


def _is_empty(value: Any, default: Any) -> bool:
    """Whether *value* is a collection of what came, and nothing came."""
    return isinstance(default, (Table, Log)) and not value


def _list(items: Iterable[Any]) -> list[Json]:
    return [to_json(item) for item in items]


def _as_it_is(value: Json) -> Json:
    return value


class _Printers(dict[type, Callable[[Any], Json]]):
    """What makes JSON of the values of each class; of a class of the model it is made when the first of them comes."""

    def __missing__(self, cls: type) -> Callable[[Any], Json]:
        printer = self[cls] = freeze if issubclass(cls, BareAsSent) else _printer(cls)
        return printer


def _bytes_to_json(value: bytes) -> Json:
    return {"base64": b64encode(value).decode("ascii")}


_PRINTERS: Final = _Printers({Output: Output.to_json, bytes: _bytes_to_json})
for _kind in (FrozenDict, FrozenList, str, int, float, bool, type(None)):
    _PRINTERS[_kind] = _as_it_is
for _collection in (Content, Log, Table, tuple):
    _PRINTERS[_collection] = _list
