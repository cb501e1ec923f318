"""Values over several lines (SPEC 3): begun by a line that is exactly `{` or `[`, or as a dialect of text or Lisp begins.

In an array each element is a record of its own and is given as soon as it ends, so a pretty-printed
log may be of any length and may be torn. What is given depends on the bytes before alone: the same
whether they came at once, in pieces, or before and after a state was saved.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from .._json import NotJsonError
from .._model import Part
from .._patterns import lazy
from ..dialects import HEADED
from .headed import HeadedSyntax
from .lines import MAX_LINE
from .lisp import Lisp
from .syntax import Found, Syntax


Text: TypeAlias = tuple[bytes, int | None]
"""A piece of text and the number of the line in which it begins (`None`: in an earlier recording)."""

_BOMS: Final = lazy(rb"\A(?:\xef\xbb\xbf)+")

_OPENINGS: Final = (b"{", b"[", b"[0", b"[0,")
"""What `Block.lines` of JSON may begin with; a `0` stands for the elements that were given."""


def without_bom(line: bytes) -> bytes:
    """Return *line* without the byte order marks that it begins with (files get concatenated)."""
    return _BOMS.sub(b"", line) if line.startswith(b"\xef\xbb\xbf") else line


def is_opening(line: bytes) -> bool:
    """Whether *line* begins a value over several lines. A carriage return at its end is none of it."""
    return line.rstrip(b"\r") in (b"{", b"[")


class Leftover(Part, frozen=True):
    """What is to be read as ordinary lines after a block has ended.

    *why* says what was wrong with the block, `None` if nothing. The lines of *hopeless* positions may
    not begin a block again: their value is broken too, where the block was.
    """

    lines: tuple[Text, ...]
    why: str | None = None
    hopeless: frozenset[int] = frozenset()


class Block:
    """A value over several lines that has begun.

    *opening* is its first line (of Lisp data the first bracket), in line *number*. *limit* bounds the
    size in bytes of what is kept. Raises `NotJsonError` for an opening that begins no value.
    """

    def __init__(self, opening: bytes, number: int | None, limit: int = MAX_LINE) -> None:
        self.number = number
        self._limit = limit
        self._opening = opening
        self._array = opening.startswith((b"[", b"("))
        self._syntax = _syntax(opening)
        self._kept: list[Text] = []  # what came of the element (or of the object) that is not at its end
        self._size = 0

    @property
    def lines(self) -> tuple[bytes, ...]:
        """What `restore` makes this block of again."""
        opening = self._syntax.opening if isinstance(self._syntax, Lisp) else self._opening
        return (opening, *(text for text, _ in self._kept))

    @property
    def lisp(self) -> Lisp | None:
        """What decodes the values, if they are Lisp data."""
        return self._syntax if isinstance(self._syntax, Lisp) else None

    def add(self, line: bytes, number: int | None) -> tuple[list[Text], Leftover | None]:
        """Take the next line; return the values that end in it and, if the block ends, what is left over."""
        if not self._in_string:
            line = without_bom(line)
        values: list[Text] = []
        start = position = 0
        while True:
            found, position = self._syntax.advance(line, position, len(self._kept))
            if found is Found.MORE:
                return values, self._keep(line[start:], number)
            if found is Found.BROKEN:
                return values, self.give_up("is no JSON" if self._opening[:1] in b"{[" else "breaks off", (line[start:], number))
            if found is Found.VALUE or (found is Found.END and not self._array):
                values.append(self._cut(line[start:position], number))
            if found is Found.END:
                return values, Leftover(((line[position:], number),))
            self._opening = b"[0," if found is Found.COMMA else b"[0"
            start = position

    @property
    def _in_string(self) -> bool:
        return isinstance(self._syntax, Lisp) and self._syntax.in_string

    def _keep(self, text: bytes, number: int | None) -> Leftover | None:
        if not text.strip(b" \t\r") and not self._in_string:
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
        line = cut if self._in_string else without_bom(cut)
        position = sure = 0
        found = Found.COMMA
        while copy is not None and found in (Found.COMMA, Found.VALUE):
            found, position = copy._syntax.advance(line, position)
            if found is Found.END or (found is Found.VALUE and line[position - 1 : position] in (b"}", b"]", b")")):
                sure = position
        return sure and sure + len(cut) - len(line)


def _syntax(opening: bytes) -> Syntax | Lisp | HeadedSyntax:
    """Return the syntax of the value that *opening* begins, advanced behind that."""
    if opening in _OPENINGS:
        syntax = Syntax(base=1 if opening.startswith(b"[") else 0)
        position = 0
        while position < len(opening):
            _, position = syntax.advance(opening, position, entry=-1)
        return syntax
    if opening.startswith(b"("):
        return Lisp(opening)
    for dialect in HEADED.values():
        if dialect.lines and dialect.lines[0].match(opening):
            return HeadedSyntax(dialect.lines[1:])
    msg = "nothing begins so"
    raise NotJsonError(msg)


def restore(lines: tuple[bytes, ...], limit: int = MAX_LINE) -> Block | None:
    """Return the block whose `lines` are given, `None` if no block can have them."""
    if not lines:
        return None
    try:
        # What was kept under another limit is not given up for that.
        block = Block(lines[0], None, max(limit, sum(len(line) + 1 for line in lines)))
    except NotJsonError:
        return None
    for line in lines[1:]:
        values, leftover = block.add(line, None)
        if values or leftover is not None:
            return None
    return block
