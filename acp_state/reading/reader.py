"""Bytes or records -> frames and diagnostics (SPEC 3). A state machine without I/O.

What it gives depends on the bytes alone, not on how they were cut: a value is given as soon as it is
sure, and what is not read yet stays in the state. So reading may end anywhere and go on later.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .._json import (
    DEEPEST,
    MAX_DEPTH,
    BadEncodingError,
    Json,
    NotJsonError,
    TooDeepError,
    decode,
    decode_many,
    fast_decode,
    freeze,
    is_deeper,
    many_brackets,
)
from .._model import Part, replace
from ..diagnostics import Diagnostic, excerpt
from ..dialects import ABSOLUTE, DIALECTS, HEADED, LISP, NAMES, Dialect, Item, not_a_frame
from ..errors import UnknownDialectError
from ..frames import Frame, notification, read_message
from ..protocol.decoders import decode_update
from ..protocol.updates import SessionUpdate
from .block import Block, Leftover, is_opening, restore, without_bom
from .headed import Message, Rest, read_headed
from .lines import MAX_LINE, LineBuffer
from .lisp import OPENING, SURE, Lisp
from .syntax import is_begun


class ReaderState(Part, frozen=True):
    """What was taken and is not read yet.

    *pending* is a line without its end, *block* the lines of a value over several lines that has
    begun, *skipping* whether the line that has begun is too long and was refused.
    """

    pending: bytes = b""
    block: tuple[bytes, ...] = ()
    skipping: bool = False


FRESH: Final = ReaderState()

_BARE: Final = frozenset(("jsonrpc",))
_TIMED: Final = frozenset(("acp-state", "tagged"))
"""The dialects whose records have a time."""


class Reader:
    """Reads a recording that comes in pieces.

    *dialect* is the name of the only one to try; by default all are tried for each record. *state* is
    that of a reader whose work goes on here; its line numbers and first time do not. *max_line* is in
    bytes, *max_depth* in levels (at most `DEEPEST`). Raises `UnknownDialectError`.
    """

    def __init__(
        self, dialect: str | None = None, state: ReaderState = FRESH, max_line: int = MAX_LINE, max_depth: int = MAX_DEPTH
    ) -> None:
        if dialect is not None and dialect not in NAMES:
            msg = f"no dialect is called {dialect!r}; there are {', '.join(sorted(NAMES))}"
            raise UnknownDialectError(msg)
        self._asked: tuple[tuple[str, Dialect], ...] = tuple((name, read) for name, read in DIALECTS.items() if dialect in (None, name))
        self._only = dialect
        self._headed = {name: headed for name, headed in HEADED.items() if dialect in (None, name)}
        self._lisp = dialect in (None, LISP)
        self._met: dict[str, None] = {}
        self._limit = max_line
        self._depth = min(max_depth, DEEPEST)
        self._shallow = 2 * self._depth  # the size in bytes up to which nothing can be nested deeper
        self._bare = dialect in (None, "jsonrpc")
        self._version: int | None = None
        self._decode: Any = None  # what decodes a line that may be a bare update
        self._buffer = LineBuffer(state.pending, max_line, skipping=state.skipping)
        self._block = restore(state.block, max_line)
        self.line: int = int(state.skipping)
        """The number of the line that was read last; the rest of a refused one is a line here too."""
        self._closed = False
        self._first_time: float | None = None
        self._out: list[Item] = []

    @property
    def state(self) -> ReaderState:
        """What another reader needs to go on."""
        return ReaderState(self._buffer.pending, self._block.lines if self._block else (), self._buffer.skipping)

    @property
    def version(self) -> int | None:
        """The protocol version by which `read` reads updates in C; `None`, as in the beginning: it gives frames alone."""
        return self._version

    @version.setter
    def version(self, version: int | None) -> None:
        if version != self._version:
            self._version = version
            self._decode = self._find_decoder()

    @property
    def lines(self) -> int:
        """How many lines have been seen, one that has only begun included; a record that was fed counts as one."""
        return self.line + (self._buffer.begun and not self._buffer.skipping)

    @property
    def dialects(self) -> tuple[str, ...]:
        """The names of the dialects that were met, in that order."""
        return tuple(self._met)

    def feed(self, data: bytes) -> list[Item]:
        """Take the next bytes, cut anywhere; return the frames and diagnostics of the lines that they complete."""
        self._closed = self._closed and not data
        for line in self._buffer.feed(data):
            self.line += 1
            self._take_line(line, self.line)
        return self._given()

    def read(self, data: bytes) -> Iterator[Item | SessionUpdate[Any]]:
        """Take the next bytes as `feed` does, but yield an item when it is asked for: so *version* may follow from those before it."""
        self._closed = self._closed and not data
        for line in self._buffer.feed(data):
            self.line += 1
            if self._decode is not None and line is not None:
                try:
                    notification = self._decode(line)
                except (ValueError, RecursionError):
                    pass
                else:
                    yield notification.params
                    continue
            self._take_line(line, self.line)
            self._decode = self._find_decoder()
            yield from self._given()

    def _find_decoder(self) -> Any:
        """Return what decodes the next line if that may be a bare update, `None` where none is expected."""
        if self._version is None or not self._bare or self._block is not None or self._depth < MAX_DEPTH or self._met.keys() - _BARE:
            return None
        self._met["jsonrpc"] = None
        return decode_update[self._version]

    def _take_line(self, line: bytes | None, number: int) -> None:
        """Take a line; `None` is one that was too long."""
        if line is None:
            self._refuse(number)
            return
        if self._block is None:
            # What nearly every line is: one JSON value. Bare messages take no detour.
            try:
                value = fast_decode(line)
            except (ValueError, RecursionError):
                pass
            else:
                if len(line) <= self._shallow or not (many_brackets(line, self._depth) and is_deeper(value, self._depth)):
                    frame = notification(value, None, None, number) if self._bare and value.__class__ is dict else None
                    if frame is None:
                        self._read_record(value, number)
                    else:
                        self._met["jsonrpc"] = None
                        self._out.append(frame)
                    return
        self._read_line(line, number)

    def feed_record(self, record: Json) -> list[Item]:
        """Take a record that is decoded already; return its frames and diagnostics."""
        self.line += 1
        try:
            self._read_record(freeze(record, self._depth), self.line)
        except NotJsonError as error:
            code = "too-deep" if isinstance(error, TooDeepError) else "not-a-frame"
            self._out.append(Diagnostic(code, f"the record cannot be read: {error}", self.line))
        return self._given()

    def close(self) -> list[Item]:
        """Take the end of the input; return what can be read of the last line, and what is wrong with it.

        What is not read stays in the state; more may be fed, and then that line is judged again.
        """
        if not self._closed:
            self._closed = True
            if self._block is None and self._lisp:
                self._begin_list()
            if self._block is not None:
                self._close_block(self._block)
            if self._block is None:
                self._close_line()
        return self._given()

    def _given(self) -> list[Item]:
        out, self._out = self._out, []
        return out

    # Lines

    def _read_line(self, line: bytes, number: int | None, *, hopeless: bool = False) -> None:
        if self._block is None:
            self._read_values(line, number, hopeless=hopeless)
            return
        block = self._block
        values, leftover = block.add(line, number)
        for text, first in values:
            self._read_text(text, first, block.lisp)
        if leftover is not None:
            self._leave(block, leftover, number)

    def _read_values(self, line: bytes, number: int | None, *, hopeless: bool) -> None:
        """Read the values that stand on *line*; what is left after them may begin a value over several lines."""
        values, ends, error = decode_many(line, self._depth)
        for value in values:
            self._read_record(value, number)
        if error is None:
            return
        left = self._read_headed(line, ends[-1] if ends else 0, number)
        rest = without_bom(line[left.position :])
        if left.error is not None:
            self._out.append(_fault(rest, left.error, number))
        elif rest.strip() and not self._begins(rest):
            self._out.append(_fault(rest, error, number))
        elif rest.strip() and hopeless:
            self._out.append(_broken(number, "is no JSON", None))
        elif rest.startswith(b"("):
            self._block = Block(b"(", number, self._limit)
            self._read_line(rest[1:], number)
        elif rest.strip():
            self._block = Block(rest.rstrip(b"\r"), number, self._limit)

    def _begins(self, line: bytes) -> bool:
        """Whether *line* begins a value over several lines."""
        return (
            is_opening(line)
            or (self._lisp and OPENING.match(line) is not None)
            or any(headed.lines and headed.lines[0].match(line) for headed in self._headed.values())
        )

    def _read_headed(self, line: bytes, position: int, number: int | None) -> Rest:
        """Read the messages of *line* from *position* that have a heading; return what is left of it."""
        messages, rest = read_headed(line, position, self._headed, self._depth)
        for message in messages:
            self._read_message(message, number)
        return rest

    def _read_message(self, message: Message, number: int | None) -> None:
        if message.dialect is None or message.heading is None:
            self._read_record(message.value, number)
            return
        self._met[message.dialect] = None
        sender, time = message.heading.sender, message.heading.time
        self._out.extend(map(self._rebased, read_message(message.value, sender, time=time, line=number)))

    def _leave(self, block: Block, leftover: Leftover, number: int | None) -> None:
        """End *block* and read what is left over; no line of that can break a block again, so it is read once."""
        self._block = None
        if leftover.why is not None:
            self._out.append(_broken(block.number, leftover.why, number))
        for position, (text, first) in enumerate(leftover.lines):
            self._read_line(text, first, hopeless=position in leftover.hopeless)

    def _refuse(self, number: int) -> None:
        """Report a line that is too long, which nothing can go on after."""
        if self._block is not None:
            self._leave(self._block, self._block.give_up("is too long"), number)
        self._out.append(Diagnostic("line-too-long", f"the line is longer than {self._limit} bytes", number))

    def _begin_list(self) -> None:
        """Begin a list if the last line does so, for certain."""
        pending = self._buffer.pending
        line = without_bom(pending)
        if line.startswith(b"(") and SURE.match(line):
            self._buffer.drop(len(pending) - len(line) + 1)
            self._block = Block(b"(", self.line + 1, self._limit)

    def _close_block(self, block: Block) -> None:
        pending = self._buffer.pending
        size = block.readable(pending)
        if size:
            self._buffer.drop(size)
            self._read_line(pending[:size], self.line + 1)
        if self._block is not None:
            self._out.append(Diagnostic("torn-line", "a value over several lines does not end", block.number))

    def _close_line(self) -> None:
        pending, number = self._buffer.pending, self.line + 1
        values, ends, error = decode_many(pending, self._depth)
        if values and not isinstance(values[-1], (dict, list)):
            # A number may go on, and then the line may be something else.
            self._out.append(not_a_frame(values.pop(), number, asked=self._only))
            ends.pop()
        for value in values:
            self._read_record(value, number)
        left = Rest(ends[-1] if ends else 0) if error is None else self._read_headed(pending, ends[-1] if ends else 0, number)
        self._buffer.drop(left.position)
        rest = without_bom(self._buffer.pending)
        if error is not None and rest.strip():
            error = left.error or error
            torn = left.torn or (not isinstance(error, TooDeepError) and (is_begun(rest) or self._begins(rest)))
            self._out.append(
                Diagnostic("torn-line", f"the last line ends too soon: {excerpt(rest)}", number) if torn else _fault(rest, error, number)
            )

    # Values

    def _read_text(self, text: bytes, number: int | None, lisp: Lisp | None) -> None:
        """Read an element or a value over several lines, which may be Lisp data or have a heading."""
        try:
            value = lisp.decode(text, self._depth) if lisp else decode(text, self._depth)
        except NotJsonError as error:
            if lisp or self._read_headed(text, 0, number).position == 0:
                self._out.append(_fault(text, error, number))
        else:
            self._read_record(value, number, alone=False)

    def _read_record(self, record: Json, number: int | None, *, alone: bool = True) -> None:
        for name, read in self._asked:
            items = read(record, number, self._depth)
            if items is not None:
                self._met[name] = None
                self._out.extend(map(self._rebased, items) if name in _TIMED else items)
                return
        if alone and isinstance(record, list) and record:
            for part in record:  # a log as one array
                self._read_record(part, number, alone=False)
            return
        self._out.append(not_a_frame(record, number, asked=self._only))

    def _rebased(self, item: Item) -> Item:
        """Return *item* with its time counted from the first one, if it counts from 1970."""
        if not isinstance(item, Frame) or item.time is None or item.time < ABSOLUTE:
            return item
        if self._first_time is None:
            self._first_time = item.time
        return replace(item, time=round(item.time - self._first_time, 6))


def _fault(text: bytes, error: NotJsonError, number: int | None) -> Diagnostic:
    """The diagnostic of *text* that is wrong for *error*."""
    if isinstance(error, TooDeepError):
        return Diagnostic("too-deep", f"{error}: {excerpt(text)}", number)
    if isinstance(error, BadEncodingError):
        return Diagnostic("bad-encoding", f"{error}: {excerpt(text)}", number)
    return Diagnostic("not-json", f"{excerpt(text)}: {error}", number)


def _broken(number: int | None, why: str, where: int | None) -> Diagnostic:
    place = "" if where is None else f" in line {where}"
    return Diagnostic("broken-value", f"the value that begins here {why}{place}; its lines are read one by one", number)
