"""Strict decoding: hooks that read one JSON value each (SPEC 4, Decoding); `combine` makes larger ones of them.

A hook returns the value that it read, frozen. Nothing is coerced. What a schema lets pass
(`x-deserialize-default-on-error`, `x-deserialize-skip-invalid-items`) is a problem beside the value,
which a hook hands up as `Tolerated`; anything else that is wrong is a `MalformedError`. So reading
what is as it should be costs no more than looking at it.

This file knows JSON and no protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from .._json import FrozenDict, FrozenList, Json, NotJsonError, freeze
from .._model import UNSET, Part


Path: TypeAlias = tuple[str | int, ...]
Hook: TypeAlias = Callable[[Json], Any]


class Problem(Part, frozen=True):
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
    if type(value) is str:
        return value
    raise MalformedError(f"a string is wanted, not {kind_of(value)}")


def integer(value: Json) -> int:
    """An integer; `12.0` is one, `true` and `"12"` are not."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise MalformedError(f"an integer is wanted, not {kind_of(value)}")


def natural(value: Json) -> int:
    """An integer that is not negative."""
    if type(value) is int and value >= 0:
        return value
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


def word(*known: str) -> Hook:
    """A string out of a set that later versions may extend: another one is kept, and is a problem."""
    words = frozenset(known)

    def hook(value: Json) -> str:
        if type(value) is str and value in words:
            return value
        raise Tolerated(
            text(value),
            [Problem("unknown-value", f"{value!r} is none of {', '.join(known)}")],
        )

    WORDS[hook] = words
    return hook


WORDS: Final[dict[Hook, frozenset[str]]] = {}
"""The hooks that `word` made, and what each knows."""


def decode(hook: Hook, raw: Json) -> tuple[Any, list[Problem]]:
    """Read *raw*: the value and what was tolerated. Raises `MalformedError`."""
    try:
        return hook(raw), []
    except Tolerated as tolerated:
        return tolerated.value, tolerated.problems
