"""What the dialects share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Final, TypeAlias

from .._json import Json
from ..diagnostics import Diagnostic, excerpt
from ..frames import Frame


Item: TypeAlias = Frame | Diagnostic

Dialect: TypeAlias = Callable[[Json, int | None, int], Iterable[Item] | None]
"""`read(record, line, depth)`: what *record* says, or `None` if it is not of this dialect.

`Frame.time` is in seconds, from any beginning: a number above `ABSOLUTE` counts from 1970.
"""

ABSOLUTE: Final = 1e8
"""Seconds above which a time is no time since the recording began (three years) but one since 1970."""

MAX_KEYS: Final = 8
"""How many keys of an unknown record a message names."""


def not_a_frame(record: Json, line: int | None, why: str = "", asked: str | None = None) -> Diagnostic:
    """Return the diagnostic of a JSON value that no dialect reads, or not the one that was *asked*; it says *why*, or what was seen."""
    nobody = "no dialect knows" if asked is None else f"the dialect {asked}, the only one that was asked for, does not know"
    return Diagnostic("not-a-frame", why or f"{nobody} {describe(record)}", line)


def describe(value: Json) -> str:
    """Return what *value* is, for a person: an object by its keys, anything else by its type."""
    if isinstance(value, dict):
        if not value:
            return "an empty object"
        keys = ", ".join(excerpt(key) for key in list(value)[:MAX_KEYS])
        return f"an object with {keys}{' and more' if len(value) > MAX_KEYS else ''}"
    if isinstance(value, list):
        return "an array" if value else "an empty array"
    if isinstance(value, str):
        return f"the string {excerpt(value)}"
    return "null" if value is None else f"a {'boolean' if isinstance(value, bool) else 'number'}"


def seconds(value: Json, in_a_second: int = 1) -> float | None:
    """Return the number *value*, of which there are so many *in_a_second*, in seconds; `None` if it is none, or absurd."""
    if (type(value) is float or type(value) is int) and abs(value) < 1e30:
        return value / in_a_second
    return None


def from_iso(text: str) -> float | None:
    """Return the seconds from 1970 of an ISO 8601 time; one without a zone is in UTC. `None` if it is none."""
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
