"""Values over several lines (SPEC 3): begun by a line that is exactly `{` or `[`.

In an array each element is a record of its own and is given as soon as it ends, so a pretty-printed
log may be of any length and may be torn. What is given depends on the bytes before alone: the same
whether they came at once, in pieces, or before and after a state was saved.
"""

from __future__ import annotations

import re

from typing import Final, TypeAlias

from attrs import frozen

from .lines import MAX_LINE
from .syntax import Found, Syntax


Text: TypeAlias = tuple[bytes, int | None]
"""A piece of text and the number of the line in which it begins (`None`: in an earlier recording)."""

_BOMS: Final = re.compile(rb"\A(?:\xef\xbb\xbf)+")

_OPENINGS: Final = (b"{", b"[", b"[0", b"[0,")
"""What `Block.lines` may begin with; a `0` stands for the elements that were given."""


def without_bom(line: bytes) -> bytes:
    """Return *line* without the byte order marks that it begins with (files get concatenated)."""
    return _BOMS.sub(b"", line) if line.startswith(b"\xef\xbb\xbf") else line


def is_opening(line: bytes) -> bool:
    """Whether *line* begins a value over several lines. A carriage return at its end is none of it."""
    return line.rstrip(b"\r") in (b"{", b"[")


@frozen
class Leftover:
    """What is to be read as ordinary lines after a block has ended.

    *why* says what was wrong with the block, `None` if nothing. The lines of *hopeless* positions may
    not begin a block again: their value is broken too, where the block was.
    """

    lines: tuple[Text, ...]
    why: str | None = None
    hopeless: frozenset[int] = frozenset()


class Block:
    """A value over several lines that has begun.

    *opening* is its first line, in line *number*. *limit* bounds the size in bytes of what is kept.
    """

    def __init__(self, opening: bytes, number: int | None, limit: int = MAX_LINE) -> None:
        self.number = number
        self._limit = limit
        self._opening = opening
        self._array = opening.startswith(b"[")
        self._syntax = Syntax(base=1 if self._array else 0)
        position = 0
        while position < len(opening):
            _, position = self._syntax.advance(opening, position, entry=-1)
        self._kept: list[Text] = []  # what came of the element (or of the object) that is not at its end
        self._size = 0

    @property
    def lines(self) -> tuple[bytes, ...]:
        """What `restore` makes this block of again."""
        return (self._opening, *(text for text, _ in self._kept))

    def add(self, line: bytes, number: int | None) -> tuple[list[Text], Leftover | None]:
        """Take the next line; return the values that end in it and, if the block ends, what is left over."""
        line = without_bom(line)
        values: list[Text] = []
        start = position = 0
        while True:
            found, position = self._syntax.advance(line, position, len(self._kept))
            if found is Found.MORE:
                return values, self._keep(line[start:], number)
            if found is Found.BROKEN:
                return values, self.give_up("is no JSON", (line[start:], number))
            if found is Found.VALUE or (found is Found.END and not self._array):
                values.append(self._cut(line[start:position], number))
            if found is Found.END:
                return values, Leftover(((line[position:], number),))
            self._opening = b"[0," if found is Found.COMMA else b"[0"
            start = position

    def _keep(self, text: bytes, number: int | None) -> Leftover | None:
        if not text.strip(b" \t\r"):
            return None
        self._size += len(text) + 1
        if self._size > self._limit:
            return self.give_up("is too long", (text, number))
        self._kept.append((text, number))
        return None

    def _cut(self, end: bytes, number: int | None) -> Text:
        lines = [*self._kept, (end, number)] if self._array else [(self._opening, self.number), *self._kept, (end, number)]
        self._kept.clear()
        self._size = 0
        return b"\n".join(text for text, _ in lines), lines[0][1]

    def give_up(self, why: str, *rest: Text) -> Leftover:
        """Return what is left over if the value cannot end: its lines, as far as they were not given, and *rest*."""
        hopeless = frozenset(self._syntax.opened) - {len(self._kept)}
        return Leftover((*self._kept, *rest), why, hopeless)

    def readable(self, cut: bytes) -> int:
        """How many bytes of *cut*, a line without its end, complete values whatever may come next."""
        copy = restore(self.lines, self._limit)
        line = without_bom(cut)
        position = sure = 0
        found = Found.COMMA
        while copy is not None and found in (Found.COMMA, Found.VALUE):
            found, position = copy._syntax.advance(line, position)
            if found is Found.END or (found is Found.VALUE and line[position - 1 : position] in (b"}", b"]")):
                sure = position
        return sure and sure + len(cut) - len(line)


def restore(lines: tuple[bytes, ...], limit: int = MAX_LINE) -> Block | None:
    """Return the block whose `lines` are given, `None` if no block can have them."""
    if not lines or lines[0] not in _OPENINGS:
        return None
    # What was kept under another limit is not given up for that.
    block = Block(lines[0], None, max(limit, sum(len(line) + 1 for line in lines)))
    for line in lines[1:]:
        values, leftover = block.add(line, None)
        if values or leftover is not None:
            return None
    return block
