"""Strict decoding: hooks that read one JSON value each, and what they are combined with (SPEC 4, Decoding).

A hook returns the value that it read, frozen. Nothing is coerced. What a schema lets pass
(`x-deserialize-default-on-error`, `x-deserialize-skip-invalid-items`) is a problem beside the value,
which a hook hands up as `Tolerated`; anything else that is wrong is a `MalformedError`. So reading
what is as it should be costs no more than looking at it.

This file knows JSON and no protocol; `shapes` says what the protocol's objects are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, TypeVar

from .._json import FrozenDict, FrozenList, Json, NotJsonError, freeze
from .._model import UNSET, frozen, maker


T = TypeVar("T")
Path: TypeAlias = tuple[str | int, ...]
Hook: TypeAlias = Callable[[Json], Any]

Need: TypeAlias = Literal["required", "strict", "expected", "optional", "lenient"]
"""What becomes of a field that is missing or malformed.

In an update: `required` and `strict` ones make the whole malformed (`strict` ones may be missing). In
a request or an answer, which settle whatever they carry: `expected` and `optional` ones count as
absent, and it is an error (`optional` ones may be missing). Anywhere: `lenient` ones count as absent,
as the schema marks them.
"""


@frozen
class Problem:
    """Something that was tolerated, and where."""

    code: str
    message: str
    path: Path = ()
    missing: bool = False
    """Whether it is that something is not there."""

    def under(self, *path: str | int) -> Problem:
        """Return this problem as one of the value that *path* leads from."""
        return Problem(self.code, self.message, (*path, *self.path), self.missing)


class MalformedError(Exception):
    """A value does not have the form that it must have."""

    def __init__(self, message: str, path: Path = (), *, missing: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.missing = missing

    def problem(self, code: str) -> Problem:
        """Return this as a problem of the kind *code*."""
        return Problem(code, self.message, self.path, self.missing)


class Tolerated(Exception):  # noqa: N818 -- not an error: the value is there
    """Carries a value that is not quite as the schema wants it, up to whoever asked for it."""

    def __init__(self, value: Any, problems: list[Problem]) -> None:
        super().__init__()
        self.value = value
        self.problems = problems


# --- primitives ------------------------------------------------------------------------------------


def kind_of(value: Json) -> str:
    """Return what *value* is, in words."""
    if value is UNSET:
        return "missing"
    names = {
        dict: "an object",
        FrozenDict: "an object",
        list: "an array",
        FrozenList: "an array",
        str: "a string",
        bool: "a boolean",
    }
    return "null" if value is None else names.get(type(value), "a number" if isinstance(value, (int, float)) else "no JSON")


def text(value: Json) -> str:
    """A string."""
    if type(value) is not str:
        raise MalformedError(f"a string is wanted, not {kind_of(value)}")
    return value


def integer(value: Json) -> int:
    """An integer; `12.0` is one, `true` and `"12"` are not."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise MalformedError(f"an integer is wanted, not {kind_of(value)}")


def natural(value: Json) -> int:
    """An integer that is not negative."""
    number = integer(value)
    if number < 0:
        raise MalformedError("a number that is not negative is wanted")
    return number


def positive(value: Json) -> int:
    """An integer above 0."""
    number = integer(value)
    if number < 1:
        raise MalformedError("a number above 0 is wanted")
    return number


def number(value: Json) -> int | float:
    """A number."""
    if type(value) is int or type(value) is float:
        return value
    raise MalformedError(f"a number is wanted, not {kind_of(value)}")


def boolean(value: Json) -> bool:
    """A boolean."""
    if type(value) is not bool:
        raise MalformedError(f"a boolean is wanted, not {kind_of(value)}")
    return value


def anything(value: Json) -> Json:
    """Any JSON, frozen."""
    try:
        return freeze(value)
    except NotJsonError as error:
        raise MalformedError(f"JSON is wanted, not {error}") from None


def an_object(value: Json) -> FrozenDict:
    """An object, frozen."""
    if value.__class__ is not dict and not isinstance(value, Mapping):
        raise MalformedError(f"an object is wanted, not {kind_of(value)}")
    frozen_value: FrozenDict = anything(value)
    return frozen_value


def array(value: Json) -> FrozenList:
    """An array, frozen."""
    if not isinstance(value, (list, tuple)):
        raise MalformedError(f"an array is wanted, not {kind_of(value)}")
    frozen_value: FrozenList = anything(value)
    return frozen_value


_PASSING: Final[Mapping[Hook, type]] = {text: str, boolean: bool}
"""The class whose instances a hook returns as they are: they need not be shown to it."""


def word(*known: str) -> Hook:
    """A string out of a set that later versions may extend: another one is kept, and is a problem."""
    words = frozenset(known)

    def hook(value: Json) -> str:
        if type(value) is not str:
            raise MalformedError(f"a string is wanted, not {kind_of(value)}")
        if value in words:
            return value
        raise Tolerated(
            value,
            [Problem("unknown-value", f"{value!r} is none of {', '.join(known)}")],
        )

    return hook


# --- lists -----------------------------------------------------------------------------------------


def items(hook: Hook, *, skip: bool, code: str = "skipped-item") -> Hook:
    """A list of what *hook* reads. *skip*: a malformed item is left out; else it makes the list malformed."""

    def read(value: Json) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)):
            raise MalformedError(f"an array is wanted, not {kind_of(value)}")
        found = []
        problems: list[Problem] = []
        for index, item in enumerate(value):
            try:
                found.append(hook(item))
            except Tolerated as tolerated:
                found.append(tolerated.value)
                problems += [problem.under(index) for problem in tolerated.problems]
            except MalformedError as error:
                if not skip:
                    raise MalformedError(error.message, (index, *error.path), missing=error.missing) from None
                problems.append(error.problem(code).under(index))
        if problems:
            raise Tolerated(tuple(found), problems)
        return tuple(found)

    return read


# --- objects ---------------------------------------------------------------------------------------


@frozen
class Field:
    """What a field is called on the wire (older names last), how it is read, and what if it cannot be."""

    names: tuple[str, ...]
    hook: Hook
    need: Need = "lenient"
    default: Any = None
    nullable: bool = True
    """Whether `null` means absent."""
    keeps_null: bool = False
    """Whether `null` is a value of its own: it clears (three-state)."""
    odd_names: bool = False
    """Whether any name but the first is worth a word."""


def _value(field: Field, name: str, value: Json, problems: list[Problem]) -> Any:
    """Read the *value* of a member called *name*; what is tolerated is added to *problems*."""
    if value is None and field.nullable:
        return None if field.keeps_null else field.default
    try:
        return field.hook(value)
    except (Tolerated, MalformedError) as fault:
        return _instead(field, name, fault, problems)


def _instead(field: Field, name: str, error: Tolerated | MalformedError, problems: list[Problem]) -> Any:
    """What stands for a member called *name* that was not read as it should be. Raises `MalformedError` if nothing may."""
    if isinstance(error, Tolerated):
        problems += [problem.under(name) for problem in error.problems]
        return error.value
    if field.need in ("required", "strict"):
        raise MalformedError(error.message, (name, *error.path), missing=error.missing) from None
    code = "unreadable-field" if field.need != "lenient" else "malformed-meta" if name == "_meta" else "malformed-field"
    problems.append(error.problem(code).under(name))
    return field.default


def row(fields: Iterable[Field], rest: bool = False, make: Callable[[list[Any]], Any] | None = None) -> Hook:  # noqa: C901 -- see below
    """Return a hook that reads an object: the values of *fields*, in that order; last, with *rest*, all other members.

    *make* makes something of the list of values; without one it is what the hook returns. It looks at
    what is there, not at what might be: most objects have a few of many members.
    """
    fields = tuple(fields)
    by_name = {
        name: (index, field, field.hook, _PASSING.get(field.hook), name != field.names[0])
        for index, field in enumerate(fields)
        for name in field.names
    }
    needed = tuple((index, field) for index, field in enumerate(fields) if field.need in ("required", "expected"))
    blank = [_MISSING if field.need in ("required", "expected") else field.default for field in fields] + [None] * rest

    def hook(raw: Json) -> Any:  # noqa: C901, PLR0912 -- one straight walk: its parts would each cost a call a member
        if raw.__class__ is not dict and not isinstance(raw, Mapping):
            raise MalformedError(f"an object is wanted, not {kind_of(raw)}")
        values = blank.copy()
        problems: list[Problem] = []
        others: dict[str, Json] | None = {} if rest else None
        for name, value in raw.items():
            found = by_name.get(name)
            if found is None:
                if others is not None:
                    others[name] = value
                continue
            index, field, read, passing, is_other_name = found
            if is_other_name and not _counts(field, name, raw, problems):
                continue
            if value.__class__ is passing:
                values[index] = value
            elif value is None:
                values[index] = _value(field, name, value, problems)
            else:
                try:  # as `_value` does, which costs more than most values do
                    values[index] = read(value)
                except (Tolerated, MalformedError) as fault:
                    values[index] = _instead(field, name, fault, problems)
        for index, field in needed:
            if values[index] is _MISSING:
                values[index] = _missing(field, problems)
        if others:
            values[-1] = an_object(others)
        made = values if make is None else make(values)
        if problems:
            raise Tolerated(made, problems)
        return made

    return hook


def _counts(field: Field, name: str, raw: Mapping[str, Json], problems: list[Problem]) -> bool:
    """Whether a member under another name than the first counts: if there is none under that one."""
    if field.names[0] in raw:
        return False
    if field.odd_names:
        problems.append(Problem("field-alias", f"is called {field.names[0]}", (name,)))
    return True


_MISSING: Final = object()


def _missing(field: Field, problems: list[Problem]) -> Any:
    if field.need == "required":
        raise MalformedError("is missing", (field.names[0],), missing=True)
    problems.append(Problem("unreadable-field", "is missing", (field.names[0],), missing=True))
    return field.default


def reading(fields: Mapping[str, Field], rest: str | None = None) -> Hook:
    """Return a hook that reads an object: a value for each attribute; *rest* gets all other members."""
    names = (*fields, rest) if rest else tuple(fields)
    return row(fields.values(), rest is not None, lambda values: dict(zip(names, values, strict=True)))


def filling(cls: type[T], fields: Mapping[str, Field], rest: str | None = None, **facts: Any) -> Hook:
    """Return a hook that reads an object as `reading` does, and makes a *cls* of it and of *facts*."""
    make = maker(cls, *fields, *([rest] if rest else []), *facts)
    told = tuple(facts.values())
    return row(fields.values(), rest is not None, lambda values: make(*values, *told))


def keeping(fields: Mapping[str, Field]) -> Hook:
    """Return a hook that checks an object and keeps it as sent, but for members that are malformed."""
    needed = tuple(name for name, field in fields.items() if field.need == "required")

    def hook(raw: Json) -> FrozenDict:
        if raw.__class__ is not dict and not isinstance(raw, Mapping):
            raise MalformedError(f"an object is wanted, not {kind_of(raw)}")
        for name in needed:
            if name not in raw:
                raise MalformedError("is missing", (name,), missing=True)
        problems: list[Problem] = []
        kept: dict[str, Json] = {}
        for name, value in raw.items():
            field = fields.get(name)
            if field is None or value is None:
                kept[name] = _member(name, value, field, problems)
                continue
            try:
                member = field.hook(value)
            except (Tolerated, MalformedError) as fault:
                member = _instead(field, name, fault, problems)
            kept[name] = FrozenList(member) if member.__class__ is tuple else member
        if problems:
            kept = {name: member for name, member in kept.items() if member is not _DROPPED}
        result = FrozenDict(kept)
        if problems:
            raise Tolerated(result, problems)
        return result

    return hook


def _member(name: Json, value: Json, field: Field | None, problems: list[Problem]) -> Json:
    """Read a member of an object that is kept: one that no *field* describes is any JSON."""
    if field is None:
        if type(name) is not str:
            raise MalformedError("an object has strings for keys")
        return anything(value)
    if value is None and field.nullable:
        return None
    checked = _value(field, name, value, problems)
    return FrozenList(checked) if type(checked) is tuple else checked


_DROPPED: Final = object()


def part(hook: Hook, *, need: Need = "lenient") -> Field:
    """Return a field for `keeping`: a malformed one is left out."""
    return Field((), hook, need, _DROPPED, nullable=need != "required")


def union(
    variants: Mapping[str, Hook],
    *,
    tag: str = "type",
    untagged: Hook | None = None,
    unknown: Hook | None = None,
) -> Hook:
    """Return a hook that reads a tagged union: an unknown variant is kept as sent, one without tag is *untagged* or malformed."""
    other = unknown or an_object

    def hook(raw: Json) -> Any:
        if raw.__class__ is not dict and not isinstance(raw, Mapping):
            raise MalformedError(f"an object is wanted, not {kind_of(raw)}")
        name = raw.get(tag, UNSET)
        if name is UNSET and untagged is not None:
            problem = Problem("missing-discriminator", f"has no {tag}", (tag,), missing=True)
            return _tolerating(untagged, raw, problem)
        if type(name) is not str:
            raise MalformedError(
                f"a string is wanted, not {kind_of(name)}",
                (tag,),
                missing=name is UNSET,
            )
        variant = variants.get(name)
        if variant is not None:
            return variant(raw)
        return _tolerating(
            other,
            raw,
            Problem("unknown-variant", f"{name!r} is none of {', '.join(variants)}", (tag,)),
        )

    return hook


def _tolerating(hook: Hook, raw: Json, problem: Problem) -> Any:
    try:
        value = hook(raw)
    except Tolerated as tolerated:
        raise Tolerated(tolerated.value, [problem, *tolerated.problems]) from None
    raise Tolerated(value, [problem])


def decode(hook: Hook, raw: Json) -> tuple[Any, list[Problem]]:
    """Read *raw*: the value and what was tolerated. Raises `MalformedError`."""
    try:
        return hook(raw), []
    except Tolerated as tolerated:
        return tolerated.value, tolerated.problems
