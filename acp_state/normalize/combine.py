"""Hooks for lists, objects and unions, made of those for their parts (SPEC 4, Decoding).

Each has a quick form besides (`quick`), for what is just as its schema says.

This file knows JSON and no protocol; `shapes` says what the protocol's objects are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, TypeVar

from .._json import FrozenDict, FrozenList, Json
from .._model import UNSET, Part, names_of
from . import quick
from .decode import Hook, MalformedError, Problem, Tolerated, an_object, anything, kind_of


T = TypeVar("T")

Need: TypeAlias = Literal["required", "strict", "expected", "optional", "lenient"]
"""What becomes of a field that is missing or malformed.

In an update: `required` and `strict` ones make the whole malformed (`strict` ones may be missing). In
a request or an answer, which settle whatever they carry: `expected` and `optional` ones count as
absent, and it is an error (`optional` ones may be missing). Anywhere: `lenient` ones count as absent,
as the schema marks them.
"""


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

    return quick.having(read, quick.items(hook))


# --- objects ---------------------------------------------------------------------------------------


class Field(Part, frozen=True):
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


def row(fields: Iterable[Field], rest: bool = False, make: Callable[[list[Any]], Any] | None = None) -> Hook:
    """Return a hook that reads an object: the values of *fields*, in that order; last, with *rest*, all other members.

    *make* makes something of the list of values; without one it is what the hook returns.
    """
    fields = tuple(fields)
    by_name = {name: (index, field) for index, field in enumerate(fields) for name in field.names}
    needed = tuple((index, field) for index, field in enumerate(fields) if field.need in ("required", "expected"))
    blank = [_MISSING if field.need in ("required", "expected") else field.default for field in fields] + [None] * rest

    def hook(raw: Json) -> Any:
        if raw.__class__ is not dict and not isinstance(raw, Mapping):
            raise MalformedError(f"an object is wanted, not {kind_of(raw)}")
        values = blank.copy()
        problems: list[Problem] = []
        others: dict[str, Json] = {}
        for name, value in raw.items():
            index, field = by_name.get(name, (-1, None))
            if field is None:
                others[name] = value
            elif name == field.names[0] or _counts(field, name, raw, problems):
                values[index] = _value(field, name, value, problems)
        for index, field in needed:
            if values[index] is _MISSING:
                values[index] = _missing(field, problems)
        if rest and others:
            values[-1] = an_object(others)
        made = values if make is None else make(values)
        if problems:
            raise Tolerated(made, problems)
        return made

    return hook if rest else quick.having(hook, _quick_row(fields, blank, make))


def _quick_row(fields: tuple[Field, ...], blank: list[Any], make: Callable[[list[Any]], Any] | None) -> Hook:
    members = [(field.names[0], field.hook, _null(field)) for field in fields]
    other_names = [name for field in fields for name in field.names[1:]]
    return quick.row(members, other_names, blank, _MISSING, make)


def _null(field: Field) -> Any:
    """What `null` stands for."""
    return quick.NO_NULL if not field.nullable else None if field.keeps_null else field.default


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
    names = (*fields, *([rest] if rest else []), *facts)
    told = tuple(facts.values())

    def in_order(values: list[Any]) -> T:
        return cls(*values, *told)

    def by_name(values: list[Any]) -> T:
        return cls(**dict(zip(names, (*values, *told), strict=True)))

    return row(fields.values(), rest is not None, in_order if names_of(cls)[: len(names)] == names else by_name)


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
            kept[name] = _member(name, value, field, problems)
        if problems:
            kept = {name: member for name, member in kept.items() if member is not _DROPPED}
        result = FrozenDict(kept)
        if problems:
            raise Tolerated(result, problems)
        return result

    return quick.having(hook, quick.keeping([(name, field.hook, field.nullable) for name, field in fields.items()], needed))


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
    read_as = ", ".join(repr(name) for name, variant in variants.items() if variant is untagged)

    def hook(raw: Json) -> Any:
        if raw.__class__ is not dict and not isinstance(raw, Mapping):
            raise MalformedError(f"an object is wanted, not {kind_of(raw)}")
        name = raw.get(tag, UNSET)
        if name is UNSET and untagged is not None:
            problem = Problem("missing-discriminator", f"is missing; read as {read_as}", (tag,), missing=True)
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

    return quick.having(hook, quick.union(variants, tag))


def either(is_first: Callable[[Mapping[str, Json]], bool], first: Hook, second: Hook) -> Hook:
    """Return a hook that reads a union without a tag: with *first* what *is_first*, else with *second*."""
    quick_first, quick_second = quick.form_of(first), quick.form_of(second)

    def hook(raw: Json) -> Any:
        return (first if isinstance(raw, Mapping) and is_first(raw) else second)(raw)

    def form(raw: Json) -> Any:
        return (quick_first if isinstance(raw, dict) and is_first(raw) else quick_second)(raw)

    return quick.having(hook, form)


def _tolerating(hook: Hook, raw: Json, problem: Problem) -> Any:
    try:
        value = hook(raw)
    except Tolerated as tolerated:
        raise Tolerated(tolerated.value, [problem, *tolerated.problems]) from None
    raise Tolerated(value, [problem])
