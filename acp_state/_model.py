"""How the immutable classes of this package are made: as frozen Structs of msgspec, which attrs and cattrs understand.

A fold makes changed copies all day, and there a Struct, which is filled in C, takes a fraction of what a frozen
attrs class takes. What attrs asks of a class (`attrs.fields`, `attrs.evolve`, `attrs.asdict`, and cattrs with
them) a Struct answers with `__attrs_attrs__`, made when somebody asks. Classes off the hot path are attrs classes.

Bottom layer: imports nothing of ours.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import Any, ClassVar, Final, TypeAlias, TypeVar

import msgspec

from msgspec import NODEFAULT, Struct, UnsetType
from msgspec.structs import replace


T = TypeVar("T")

UNSET: Final = msgspec.UNSET
"""What was not told at all, where `null` is something that was told."""

Patch: TypeAlias = T | None | UnsetType
"""The field of a patch: `UNSET` leaves what there is, `None` clears it, anything else replaces it."""


class _AttrsFields:
    """What `attrs.fields` gives for a class."""

    def __get__(self, instance: object, cls: type) -> Any:
        return _attrs_fields(cls)


@cache
def _attrs_fields(cls: Any) -> Any:
    import attrs

    defaults = defaults_of(cls)
    hints = {name: hint for base in reversed(cls.__mro__) for name, hint in vars(base).get("__annotations__", {}).items()}
    fields = {
        name: attrs.field(
            default=attrs.NOTHING if defaults[name] is NODEFAULT else defaults[name],
            type=hints[name],
            alias=name,
            eq=name not in getattr(cls, "UNCOMPARED", ()),
            repr=not name.startswith("_"),
        )
        for name in names_of(cls)
    }
    return attrs.fields(attrs.make_class(cls.__name__, fields, slots=False, init=False, eq=False, repr=False))


class Part(Struct, frozen=True, gc=False):
    """A value without an identity of its own: the collector need not know of it, since it cannot be in a cycle."""

    __attrs_attrs__: ClassVar[Any] = _AttrsFields()


class Entity(Struct, frozen=True, eq=False, weakref=True):
    """What a client shows by itself and remembers by identity: it can be referred to weakly.

    Equal are two that say the same; the attributes in `UNCOMPARED` follow from the others, or only help to go on.
    """

    __attrs_attrs__: ClassVar[Any] = _AttrsFields()
    UNCOMPARED: ClassVar[frozenset[str]] = frozenset()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other.__class__ is not self.__class__:
            return NotImplemented
        values = _compared(self.__class__)
        return bool(values(self) == values(other))

    def __ne__(self, other: object) -> bool:
        # That of a Struct is not the opposite of an `__eq__` of ours.
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(_compared(self.__class__)(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names_of(self.__class__) if not name.startswith("_"))
        return f"{self.__class__.__name__}({shown})"


@cache
def _compared(cls: type[Entity]) -> Any:
    return attrgetter(*(name for name in names_of(cls) if name not in cls.UNCOMPARED))


def names_of(cls: Any) -> tuple[str, ...]:
    """Return the names of the attributes of a class, in order."""
    return cls.__struct_fields__  # type: ignore[no-any-return]  # every Struct has it


def defaults_of(cls: Any) -> dict[str, Any]:
    """Return the default of each attribute of a class, by name; `NODEFAULT` is that of one that has none."""
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    return dict(zip(names, (NODEFAULT,) * (len(names) - len(defaults)) + defaults, strict=True))


__all__: Final = ["UNSET", "Entity", "Part", "Patch", "Struct", "UnsetType", "defaults_of", "names_of", "replace"]
