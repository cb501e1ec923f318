"""Text in which a heading stands before each message: on its line, or on lines of its own (SPEC 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from .._json import Json, NotJsonError, decode
from .._model import Part
from .._patterns import lazy
from ..dialects import Headed, Heading, literal_as_json, literal_is_begun
from .syntax import Found, Syntax, is_begun


if TYPE_CHECKING:
    import re


_GAP: Final = lazy(rb"(?:\xef\xbb\xbf)*+[ \t\r]*+")
_VALUE: Final = lazy(rb"[{\[](?!\r*\Z)")
"""How a value begins that is not one over several lines."""


class HeadedSyntax:
    """How far a message has come whose heading has lines of its own: *lines* are to match those after the first."""

    def __init__(self, lines: tuple[re.Pattern[bytes], ...]) -> None:
        self._lines = lines
        self._syntax = Syntax(base=0)
        self._entries = 0

    @property
    def opened(self) -> list[int]:
        """The entries whose lines may not begin a value again: all of them."""
        return list(range(self._entries + 1))

    def advance(self, text: bytes, position: int = 0, entry: int = 0) -> tuple[Found, int]:
        """Follow *text*, which is a line, as `Syntax.advance` does."""
        self._entries = max(self._entries, entry)
        if not self._lines:
            return self._syntax.advance(text, position)
        if text.strip(b" \t\r"):
            if not self._lines[0].match(text):
                return Found.BROKEN, position
            self._lines = self._lines[1:]
        return Found.MORE, len(text)


class Message(Part, frozen=True):
    """A value and its heading; without one it is a value as on other lines."""

    dialect: str | None
    heading: Heading | None
    value: Json


class Rest(Part, frozen=True):
    """What was not read: from *position*, for *error* (`None`: it has no heading). *torn*: it may be good when more comes."""

    position: int
    error: NotJsonError | None = None
    torn: bool = False


def read_headed(text: bytes, position: int, dialects: Mapping[str, Headed], depth: int) -> tuple[list[Message], Rest]:
    """Return the messages with a heading from *position*, with the values that stand behind those, and what is left."""
    messages: list[Message] = []
    while True:
        begin = _after_gap(text, position)
        dialect, heading = _heading(text, begin, dialects)
        if heading is None and not (messages and _VALUE.match(text, begin)):
            return messages, Rest(position)
        start = heading.start if heading else begin
        try:
            value, end, torn = _value(text, start, depth, literal=heading is not None and heading.literal)
        except NotJsonError as error:
            return messages, Rest(position, error)
        if end == 0:
            return messages, Rest(position, NotJsonError("it ends too soon" if torn else "no JSON after the heading"), torn)
        messages.append(Message(dialect, heading, value))
        position = end


def _after_gap(text: bytes, position: int) -> int:
    gap = _GAP.match(text, position)
    return gap.end() if gap else position


def _heading(text: bytes, position: int, dialects: Mapping[str, Headed]) -> tuple[str | None, Heading | None]:
    for name, dialect in dialects.items():
        heading = dialect.heading(text, position)
        if heading is not None:
            return name, heading
    return None, None


def _value(text: bytes, start: int, depth: int, *, literal: bool) -> tuple[Json, int, bool]:
    """Return the value at *start*, where it ends (0: it does not), and whether it may end later."""
    if literal:
        found = literal_as_json(text, start)
        return (decode(found[0], depth), found[1], False) if found else (None, 0, literal_is_begun(text, start))
    if text[start : start + 1] not in (b"{", b"["):
        return None, 0, start == len(text)
    end = _end(text, start)
    return (decode(text[start:end], depth), end, False) if end else (None, 0, is_begun(text[start:]))


def _end(text: bytes, start: int) -> int:
    found, end = Syntax(base=0).advance(text, start)
    return end if found is Found.END else 0
