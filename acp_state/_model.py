"""How the immutable classes of this package are made and changed.

They are attrs classes to whoever reads, types or inspects them: `@frozen` with `field`, and `attrs.fields`,
`attrs.evolve`, cattrs and type checkers take them as such. They are *made* as `Struct`s of msgspec. Making a
changed copy is what a fold does all day, and there a frozen attrs class is slow: each attribute goes
through `object.__setattr__`, in bytecode. A Struct is filled in C, which takes a quarter of the time, and
so does making the class itself. attrs is imported where somebody asks for it: that takes as long as
making all of the classes. Set `STRUCTS` to False to have plain attrs classes; the test suite compares
the two.

Weak references can be had of what a client shows by itself (`weakref_slot=True`: a session,
an entry, a turn), so that it can remember by identity what it made of that. A Struct has them at a price:
24 bytes, and the collector knows of it. So the rest has none.

What lives for one frame only, the frame itself and its events, are Structs in name, too.

Bottom layer: imports nothing of ours.
"""

from __future__ import annotations

import enum

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from msgspec import NODEFAULT, Struct
from msgspec.structs import replace


STRUCTS: bool = True

if TYPE_CHECKING:
    from attrs import field as field  # noqa: PLC0414 -- said twice, so that others may import it from here
    from attrs import frozen as frozen  # noqa: PLC0414 -- likewise
else:

    class _Field:
        """An attribute as it is declared."""

        def __init__(self, *, default: Any = NODEFAULT, eq: bool = True, repr: bool = True) -> None:
            self.default = default
            self.eq = eq
            self.repr = repr

    field = _Field

    def frozen(cls: type | None = None, *, eq: bool = True, repr: bool = True, weakref_slot: bool = False) -> Any:
        """`attrs.frozen` with slots, for classes that are made of names, types, defaults and methods alone.

        An attribute is called the same when an instance is made, its underscore included. There are no
        weak references unless *weakref_slot* asks for them.
        """

        def decorate(cls: type) -> type:
            body, own = _declarations(cls)
            shared = {"__ne__": _differs}  # that of a Struct is not the opposite of an `__eq__` of ours
            shared |= {"__eq__": _equal, "__hash__": _hash} if eq else {}
            shared |= {"__repr__": _shown} if repr else {}
            made = _made(cls, {**shared, **body}, own, weakref_slot)
            _declared[made] = {name: field for base in reversed(cls.__mro__) for name, field in _declared.get(base, {}).items()} | own
            return made

        return decorate if cls is None else decorate(cls)

    _MADE = frozenset(("__dict__", "__weakref__", "__slots__", "__match_args__"))

    def _declarations(cls: type) -> tuple[dict[str, Any], dict[str, _Field]]:
        """The body of a class statement without its attributes, and these."""
        body = {name: value for name, value in vars(cls).items() if name not in _MADE and not name.startswith("__struct_")}
        given = body
        if isinstance(cls, type(Struct)):  # for it inherits from one that is
            defaults = cls.__struct_defaults__
            given = dict(zip(cls.__struct_fields__[-len(defaults) :], defaults, strict=True))
        own = {}
        for name, kind in body.get("__annotations__", {}).items():
            if not kind.startswith("ClassVar"):
                declared = given.get(name, NODEFAULT)
                own[name] = declared if isinstance(declared, _Field) else _Field(default=declared)
        return {name: value for name, value in body.items() if name not in own}, own

    def _made(cls: type, body: dict[str, Any], own: dict[str, _Field], weakref_slot: bool) -> type:
        if not STRUCTS:
            from attrs import frozen

            these = {name: _of_attrs(name, declared) for name, declared in own.items()}
            return frozen(type(cls.__name__, cls.__bases__, body | these), eq=False, repr=False, weakref_slot=weakref_slot)
        defaults = {name: f.default for name, f in own.items() if f.default is not NODEFAULT}
        bases = tuple(base if issubclass(base, Struct) else Struct for base in cls.__bases__)
        # There are no cycles for the collector to find: what is immutable holds only what was there before it.
        # But msgspec has weak references only of what the collector knows of.
        made = type(Struct)(cls.__name__, bases, body | defaults, frozen=True, eq=False, gc=weakref_slot, weakref=weakref_slot)
        made.__attrs_attrs__ = _Attributes()
        return made

    class _Attributes:
        """What `attrs.fields` gives for a class, made when somebody asks."""

        def __init__(self) -> None:
            self._of: dict[type, Any] = {}

        def __get__(self, instance: object, cls: type) -> Any:
            found = self._of.get(cls)
            if found is None:
                from attrs import fields, make_class

                these = {name: _of_attrs(name, declared, type=_annotation(cls, name)) for name, declared in _declared[cls].items()}
                found = self._of[cls] = fields(make_class(cls.__name__, these, slots=False, init=False, eq=False, repr=False))
            return found

    def _of_attrs(name: str, declared: _Field, **also: Any) -> Any:
        """What attrs takes as *declared*."""
        import attrs

        default = attrs.NOTHING if declared.default is NODEFAULT else declared.default
        return attrs.field(default=default, eq=declared.eq, repr=declared.repr, alias=name, **also)

    def _annotation(cls: type, name: str) -> str:
        return next(base.__annotations__[name] for base in cls.__mro__ if name in vars(base).get("__annotations__", {}))


_declared: dict[type, dict[str, Any]] = {}
"""The attributes of each class."""


def _equal(self: Any, other: object) -> Any:
    if self is other:
        return True
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _compared(self.__class__)
    return bool(values(self) == values(other))


def _differs(self: Any, other: object) -> Any:
    equal = self.__eq__(other)
    return equal if equal is NotImplemented else not equal


def _hash(self: Any) -> int:
    return hash(_compared(self.__class__)(self))


def _shown(self: Any) -> str:
    cls = self.__class__
    values = (f"{name}={getattr(self, name)!r}" for name, declared in _declared[cls].items() if declared.repr)
    return f"{cls.__qualname__.rsplit('>.', 1)[-1]}({', '.join(values)})"


_compared_values: dict[type, Callable[[Any], Any]] = {}


def _compared(cls: type) -> Callable[[Any], Any]:
    """Return what gets the values that count when two instances of *cls* are compared."""
    values = _compared_values.get(cls)
    if values is None:
        names = [name for name, declared in _declared[cls].items() if declared.eq]
        values = _compared_values[cls] = attrgetter(*names) if names else _nothing
    return values


def _nothing(instance: object) -> None:
    """The one value of what has none."""


T = TypeVar("T")


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


if TYPE_CHECKING:

    def replaced(instance: T, **changes: Any) -> T:
        """Return *instance* with *changes*, as `evolve` does, faster and for a class that passes nothing on."""
elif STRUCTS:
    replaced = replace
else:
    from attrs import evolve as replaced


def evolve(instance: T, **changes: Any) -> T:
    """Return *instance* with *changes*, as `attrs.evolve` does; names are those of the attributes."""
    cls = instance.__class__
    if cls in _passing_on:
        return replacer(cls, *changes)(instance, *changes.values())
    return replaced(instance, **changes)


_replacers: dict[tuple[Any, ...], Callable[..., Any]] = {}


def replacer(cls: type[T], *names: str) -> Callable[..., T]:
    """Return a function `f(instance, *values) -> instance` that replaces the attributes *names* of a *cls*."""
    known = _replacers.get((cls, *names))
    if known is not None:
        return known
    own = [name for name in names if name in _declared[cls]]
    passed_on = [name for name in names if name not in own]
    scope: dict[str, Any] = {"replace": replaced}
    values = {name: f"v{names.index(name)}" for name in own}
    if passed_on:
        if cls not in _passing_on:
            msg = f"{cls.__name__} has no {', '.join(passed_on)}"
            raise TypeError(msg)
        group, attribute = _passing_on[cls]
        scope["g"] = replacer(group, *passed_on)
        values[attribute] = f"g(o.{attribute}, {', '.join(f'v{names.index(name)}' for name in passed_on)})"
    if 2 * len(values) > len(_declared[cls]):  # to tell them by name would cost more than it spares
        scope["replace"] = cls
        value = f"replace({', '.join(values.get(name, f'o.{name}') for name in _declared[cls])})"
    else:
        value = f"replace(o, {', '.join(f'{name}={value}' for name, value in values.items())})"
    made = _replacers[cls, *names] = _compiled([f"v{i}" for i in range(len(names))], value, scope, "o")
    return made


def names_of(cls: type) -> tuple[str, ...]:
    """Return the names of the attributes of *cls*, in order."""
    return tuple(_declared[cls])


def defaults_of(cls: type) -> dict[str, Any]:
    """Return the default of each attribute of *cls*, by name; `NODEFAULT` is that of one that has none."""
    return {name: declared.default for name, declared in _declared[cls].items()}


_passing_on: dict[type, tuple[type, str]] = {}


def passing_on(group: type[Any], attribute: str) -> Callable[[type[T]], type[T]]:
    """Return a decorator that makes the attributes of *group*, which stand in *attribute*, those of a class, too.

    `evolve` and `replacer` take them as the class's own.
    """

    def decorate(cls: type[T]) -> type[T]:
        for name in _declared[group]:
            setattr(cls, name, property(attrgetter(f"{attribute}.{name}"), doc=f"See `{group.__name__}`."))
        _passing_on[cls] = (group, attribute)
        return cls

    return decorate


def maker(cls: type[T], *names: str) -> Callable[..., T]:
    """Return a function `f(*values) -> instance` that makes a *cls*; attributes not in *names* get their defaults."""
    scope: dict[str, Any] = {"cls": cls}
    values = []
    for name, declared in _declared[cls].items():
        values.append(f"v{names.index(name)}" if name in names else f"d{name}")
        scope[f"d{name}"] = declared.default
    return _compiled([f"v{i}" for i in range(len(names))], f"cls({', '.join(values)})", scope)


def _compiled(args: list[str], value: str, scope: dict[str, Any], *first: str) -> Callable[..., Any]:
    return eval(f"lambda {', '.join([*first, *args])}: {value}", scope)  # type: ignore[no-any-return]  # noqa: S307 -- our own field names alone


__all__ = [
    "STRUCTS",
    "UNSET",
    "Patch",
    "Struct",
    "Unset",
    "defaults_of",
    "evolve",
    "field",
    "frozen",
    "maker",
    "names_of",
    "passing_on",
    "replace",
    "replaced",
    "replacer",
]
