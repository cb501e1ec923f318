"""How the immutable classes of this package are made and changed.

They are `attrs.frozen` classes with slots. Making a changed copy is what a fold does all day, and
`attrs.evolve` goes through a frozen `__init__`, which costs eight times what the copy itself does.
So `evolve` here fills a *twin*: an unfrozen subclass without slots of its own, whose instance may
turn into the class itself. Set `TWINS` to False to build every object through its `__init__`; the
test suite compares the two.

What lives for one frame only, the frame itself and its events, are `Struct`s of msgspec, which are
made in C at a quarter of that price; `replace` changes them. Bottom layer: imports nothing of ours.
"""

from __future__ import annotations

import enum

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

import attrs

from msgspec import Struct
from msgspec.structs import replace


if TYPE_CHECKING:
    from attrs import frozen as frozen  # noqa: PLC0414 -- said twice, so that others may import it from here
else:

    def frozen(cls: type | None = None, *, eq: bool = True, repr: bool = True) -> Any:
        """`attrs.frozen`, whose classes share one `__eq__`, `__hash__` and `__repr__`.

        They do what those of attrs do. Those are compiled for each class, which took a third of the
        time that importing this package takes.
        """

        def decorate(cls: type) -> type:
            own = {"__eq__": _equal, "__hash__": _hash} if eq else {}
            own |= {"__repr__": _shown} if repr else {}
            own = {name: function for name, function in own.items() if name not in cls.__dict__}
            made = attrs.frozen(cls, eq=False, repr=False)
            for name, function in own.items():
                setattr(made, name, function)
            return made

        return decorate if cls is None else decorate(cls)


def _equal(self: Any, other: object) -> Any:
    if self is other:
        return True
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _compared(self.__class__)
    return bool(values(self) == values(other))


def _hash(self: Any) -> int:
    return hash(_compared(self.__class__)(self))


def _shown(self: Any) -> str:
    cls = self.__class__
    values = (f"{field.name}={getattr(self, field.name)!r}" for field in _fields(cls) if field.repr)
    return f"{cls.__qualname__.rsplit('>.', 1)[-1]}({', '.join(values)})"


_compared_values: dict[type, Callable[[Any], Any]] = {}


def _compared(cls: type) -> Callable[[Any], Any]:
    """Return what gets the values that count when two instances of *cls* are compared."""
    values = _compared_values.get(cls)
    if values is None:
        names = [field.name for field in _fields(cls) if field.eq]
        values = _compared_values[cls] = attrgetter(*names) if names else _nothing
    return values


def _nothing(instance: object) -> None:
    """The one value of what has none."""


T = TypeVar("T")

TWINS: bool = True


class Unset(enum.Enum):
    """The type of `UNSET`."""

    UNSET = enum.auto()

    def __repr__(self) -> str:
        return "UNSET"

    def __bool__(self) -> Literal[False]:
        return False


UNSET: Final = Unset.UNSET
"""Not there at all, where JSON's `null` would be a value."""

Patch: TypeAlias = T | None | Unset
"""A patch of a value: `UNSET` leaves it, `None` clears it, anything else replaces it."""

_made: dict[tuple[Any, ...], Callable[..., Any]] = {}


def evolve(instance: T, **changes: Any) -> T:
    """Return *instance* with *changes*, as `attrs.evolve` does; names are those of the attributes."""
    key = (instance.__class__, *changes)
    make = _made.get(key)
    if make is None:
        make = _made[key] = replacer(instance.__class__, *changes)
    return make(instance, *changes.values())  # type: ignore[no-any-return]  # a replacer gives an instance of the same class


def replacer(cls: type[T], *names: str) -> Callable[..., T]:
    """Return a function `f(instance, *values) -> instance` that replaces the attributes *names* of a *cls*."""
    fields = [field.name for field in _fields(cls)]
    values = {name: f"v{names.index(name)}" if name in names else f"o.{name}" for name in fields}
    scope: dict[str, Any] = {}
    passed_on = [name for name in names if name not in fields]
    if passed_on:
        group, attribute = getattr(cls, "__passes_on__", (None, ""))
        if group is None:
            msg = f"{cls.__name__} has no {', '.join(passed_on)}"
            raise TypeError(msg)
        scope["g"] = replacer(group, *passed_on)
        values[attribute] = f"g(o.{attribute}, {', '.join(f'v{names.index(name)}' for name in passed_on)})"
    return _compile(cls, ["o", *(f"v{i}" for i in range(len(names)))], values, scope)


def passing_on(group: type[Any], attribute: str) -> Callable[[type[T]], type[T]]:
    """Return a decorator that makes the attributes of *group*, which stand in *attribute*, those of a class, too.

    `evolve` and `replacer` take them as the class's own.
    """

    def decorate(cls: type[T]) -> type[T]:
        for field in _fields(group):
            setattr(cls, field.name, property(attrgetter(f"{attribute}.{field.name}"), doc=f"See `{group.__name__}`."))
        cls.__passes_on__ = (group, attribute)  # type: ignore[attr-defined]  # an attribute of our own
        return cls

    return decorate


def maker(cls: type[T], *names: str) -> Callable[..., T]:
    """Return a function `f(*values) -> instance` that makes a *cls*; attributes not in *names* get their defaults."""
    defaults: dict[str, Any] = {}
    values: dict[str, str] = {}
    for field in _fields(cls):
        if field.name in names:
            values[field.name] = f"v{names.index(field.name)}"
        else:
            defaults[f"d_{field.name}"] = field.default
            values[field.name] = f"d_{field.name}"
    return _compile(cls, [f"v{i}" for i in range(len(names))], values, defaults)


def _compile(
    cls: type[Any],
    args: list[str],
    values: dict[str, str],
    names: dict[str, Any] | None = None,
) -> Callable[..., Any]:
    if TWINS:
        body = [
            "    x = twin()\n",
            *(f"    x.{name} = {value}\n" for name, value in values.items()),
            "    x.__class__ = cls\n    return x\n",
        ]
    else:
        body = [
            "    return cls(",
            ", ".join(f"{name.lstrip('_')}={value}" for name, value in values.items()),
            ")\n",
        ]
    scope: dict[str, Any] = {"cls": cls, "twin": _twin(cls), **(names or {})}
    exec(f"def f({', '.join(args)}):\n{''.join(body)}", scope)  # noqa: S102 -- our own field names alone
    return scope["f"]  # type: ignore[no-any-return]  # it is the function that was just compiled


def _fields(cls: Any) -> tuple[attrs.Attribute[Any], ...]:
    fields: tuple[attrs.Attribute[Any], ...] = attrs.fields(cls)
    return fields


_twins: dict[type, type] = {}


def _twin(cls: type[T]) -> type[T]:
    twin = _twins.get(cls)
    if twin is None:
        plain = {
            "__slots__": (),
            "__init__": object.__init__,
            "__setattr__": object.__setattr__,
            "__delattr__": object.__delattr__,
        }
        twin = _twins[cls] = type(f"_{cls.__name__}", (cls,), plain)
    return twin


__all__ = ["TWINS", "UNSET", "Patch", "Struct", "Unset", "evolve", "frozen", "maker", "passing_on", "replace", "replacer"]
