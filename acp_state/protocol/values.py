"""Readers of JSON values, and the problems that they report.

The readers coerce nothing. This module knows JSON and no protocol.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import UNSET, Struct

from .._json import FrozenDict, FrozenList, Json, NotJsonError, freeze


Path: TypeAlias = tuple[str | int, ...]


class Problem(Struct, frozen=True, gc=False):
    """Something wrong that a reader tolerated."""

    code: str
    message: str
    path: Path = ()
    missing: bool = False
    """Whether a member is missing."""

    def under(self, *path: str | int) -> Problem:
        """Return this problem with *path* before its own."""
        return Problem(self.code, self.message, (*path, *self.path), self.missing)


class MalformedError(Exception):
    """A value does not have the required form."""

    def __init__(self, message: str, path: Path = (), *, missing: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.missing = missing

    def under(self, *path: str | int) -> MalformedError:
        """Return this error with *path* before its own."""
        return MalformedError(self.message, (*path, *self.path), missing=self.missing)

    def problem(self, code: str) -> Problem:
        """Return this error as a problem with *code*."""
        return Problem(code, self.message, self.path, self.missing)


Reader: TypeAlias = Callable[[Json, "list[Problem]"], Any]
"""Reads a value, and appends to the list what it tolerates. Raises `MalformedError`."""


def kind_of(value: Json) -> str:
    """Return a name for the JSON type of *value*."""
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


def read_text(value: Json, problems: list[Problem]) -> str:
    """Read a string."""
    if type(value) is str:
        return value
    raise MalformedError(f"a string is wanted, not {kind_of(value)}")


def read_integer(value: Json, problems: list[Problem]) -> int:
    """Read an integer; `12.0` is one, `true` and `"12"` are not."""
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    raise MalformedError(f"an integer is wanted, not {kind_of(value)}")


def read_natural(value: Json, problems: list[Problem]) -> int:
    """Read an integer that is not negative."""
    number = read_integer(value, problems)
    if number < 0:
        raise MalformedError("a number that is not negative is wanted")
    return number


def read_positive(value: Json, problems: list[Problem]) -> int:
    """Read an integer above 0."""
    number = read_integer(value, problems)
    if number < 1:
        raise MalformedError("a number above 0 is wanted")
    return number


def read_number(value: Json, problems: list[Problem]) -> int | float:
    """Read a number."""
    if type(value) is int or type(value) is float:
        return value
    raise MalformedError(f"a number is wanted, not {kind_of(value)}")


def read_boolean(value: Json, problems: list[Problem]) -> bool:
    """Read a boolean."""
    if type(value) is bool:
        return value
    raise MalformedError(f"a boolean is wanted, not {kind_of(value)}")


def read_base64(value: Json, problems: list[Problem]) -> bytes:
    """Read bytes in base64 (RFC 4648), each string by itself."""
    try:
        return b64decode(read_text(value, problems), validate=True)
    except ValueError:
        raise MalformedError("base64 is wanted") from None


def read_json(value: Json, problems: list[Problem]) -> Json:
    """Read any JSON, and freeze it."""
    try:
        return freeze(value)
    except NotJsonError as error:
        raise MalformedError(f"JSON is wanted, not {error}") from None


def read_object(value: Json, problems: list[Problem]) -> FrozenDict:
    """Read an object, and freeze it."""
    frozen: FrozenDict = read_json(check_object(value), problems)
    return frozen


def check_object(value: Json) -> Mapping[str, Json]:
    """Return *value* if it is an object. Raises `MalformedError`."""
    if value.__class__ is dict or isinstance(value, Mapping):
        return value
    raise MalformedError(f"an object is wanted, not {kind_of(value)}")
