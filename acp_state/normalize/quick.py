"""The quick forms of hooks: for what is just as its schema says, which is nearly all that agents send.

The quick form of a hook gives what the hook gives where there is nothing to remark upon. Where there
is, or might be, it raises one of `ODD`: then the hook itself is to be asked, which tells what. So a
quick form has no paths, no problems and no second thoughts, and costs a third. `combine` gives each
hook that it makes its quick form; any other hook is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from .._json import FrozenDict, FrozenList, Json, NotJsonError, freeze
from .decode import WORDS, Hook, MalformedError, Tolerated, an_object, anything, boolean, text


class OddError(Exception):
    """There is something that a quick form does not know."""


_OBJECTS: Final[frozenset[Any]] = frozenset((dict, FrozenDict))
_ARRAYS: Final[frozenset[Any]] = frozenset((list, FrozenList))

ODD: Final = (OddError, MalformedError, Tolerated, NotJsonError)

_PASSING: Final[Mapping[Hook, type]] = {text: str, boolean: bool}
"""The class whose instances a hook returns as they are: they need not be shown to it."""


class _Words(dict[str, str]):
    """Looks up each word that is known."""

    def __missing__(self, word: str) -> str:
        raise OddError


def _passing(hook: Hook) -> tuple[type | None, Hook | None]:
    """The class whose instances *hook* lets pass, and what looks at them before that."""
    if hook in WORDS:
        return str, _Words(zip(WORDS[hook], WORDS[hook], strict=True)).__getitem__
    return _PASSING.get(hook), None


def _frozen_object(value: Json) -> FrozenDict:
    if value.__class__ not in _OBJECTS:
        raise OddError
    frozen: FrozenDict = freeze(value)
    return frozen


_forms: Final[dict[Hook, Hook]] = {anything: freeze, an_object: _frozen_object}


def form_of(hook: Hook) -> Hook:
    """Return the quick form of *hook*: itself if it has none."""
    return _forms.get(hook, hook)


def having(hook: Hook, form: Hook) -> Hook:
    """Return *hook*, which has *form* as its quick form from now on."""
    _forms[hook] = form
    return hook


def _odd(value: Json) -> Json:
    raise OddError


NO_NULL: Final = object()
"""Says of a member that `null` is nothing that it may be."""


def row(
    members: Iterable[tuple[str, Hook, Any]],
    other_names: Iterable[str],
    blank: list[Any],
    missing: object,
    make: Callable[[list[Any]], Any] | None,
) -> Hook:
    """The quick form of `combine.row`: *members* have a name, a hook, and what `null` stands for; *blank* has a value for each."""
    known: dict[str, tuple[int, type | None, Hook | None, Hook, Any]] = {
        name: (index, *_passing(hook), form_of(hook), null) for index, (name, hook, null) in enumerate(members)
    }
    known |= dict.fromkeys(other_names, (0, None, None, _odd, NO_NULL))
    find = known.get
    needed = tuple(index for index, value in enumerate(blank) if value is missing)

    def form(raw: Json) -> Any:
        if raw.__class__ not in _OBJECTS:
            raise OddError
        values = blank.copy()
        for name, value in raw.items():
            found = find(name)
            if found is not None:
                index, passing, look, read, null = found
                if value.__class__ is passing:
                    values[index] = value if look is None else look(value)
                elif value is not None:
                    values[index] = read(value)
                elif null is NO_NULL:
                    raise OddError
                else:
                    values[index] = null
        for index in needed:
            if values[index] is missing:
                raise OddError
        return values if make is None else make(values)

    return form


def keeping(members: Sequence[tuple[str, Hook, bool]], needed: Iterable[str]) -> Hook:
    """The quick form of `combine.keeping`: *members* have a name, a hook, and whether they may be `null`."""
    known = {name: (_PASSING.get(hook), form_of(hook), nullable) for name, hook, nullable in members}
    texts = frozenset(name for name, hook, _ in members if hook is text)
    all_needed = frozenset(needed)

    def form(raw: Json) -> FrozenDict:
        if raw.__class__ not in _OBJECTS or not all_needed <= raw.keys():
            raise OddError
        changed: dict[str, Json] = {}
        for name, value in raw.items():
            if value.__class__ is not str or name not in texts:  # as most are
                changed[name] = member(name, value)
        return FrozenDict({**raw, **changed} if changed else raw)

    def member(name: Json, value: Json) -> Json:
        passing, read, nullable = known.get(name, _UNKNOWN)
        if name.__class__ is not str:
            raise OddError
        if value.__class__ is passing or (value is None and nullable):
            return value
        read_value = read(value)
        return FrozenList(read_value) if read_value.__class__ is tuple else read_value

    return form


_UNKNOWN: Final[tuple[type, Hook, bool]] = (str, freeze, True)
"""How a member is read that nobody knows: as any JSON."""


def items(hook: Hook) -> Hook:
    """The quick form of `combine.items`."""
    read = form_of(hook)

    def form(raw: Json) -> tuple[Any, ...]:
        if raw.__class__ not in _ARRAYS:
            raise OddError
        return tuple(map(read, raw))

    return form


def union(variants: Mapping[str, Hook], tag: str) -> Hook:
    """The quick form of `combine.union`."""
    find = {name: form_of(hook) for name, hook in variants.items()}.get

    def form(raw: Json) -> Any:
        if raw.__class__ not in _OBJECTS:
            raise OddError
        name = raw.get(tag)
        read = find(name) if name.__class__ is str else None
        if read is None:
            raise OddError
        return read(raw)

    return form
