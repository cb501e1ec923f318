"""The bytes of the two sides -> lines of the `acp-state` dialect (SPEC 3). No I/O, no clock."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any, Final

from .._json import Json, decode_many, encode, fast_decode
from ..dialects.acp_state_ import header
from ..frames import SENDERS, Sender
from ..reading.lines import MAX_LINE, LineBuffer


ROOM: Final = 1024
"""How many bytes a record may need besides the message."""


class Transcript:
    """Makes records of what the two sides write, cut anywhere.

    A message stands in its record as it was sent, byte by byte. A line that is no message, or that is
    torn where its side ended, is recorded as `raw`. Blank lines are not recorded. A line that is
    too long to be read from a recording (more than *limit* bytes) is left out and counted in *left_out*.
    """

    def __init__(self, limit: int = MAX_LINE - ROOM) -> None:
        self._lines: dict[Sender, LineBuffer] = {sender: LineBuffer(limit=limit) for sender in SENDERS}
        self.left_out = 0

    def header(self, **facts: Json) -> bytes:
        """Return the first line."""
        return encode(header(**facts)) + b"\n"

    def heard(self, sender: Sender, data: bytes, time: float) -> bytes:
        """Return the records of the lines that the next bytes of a side complete."""
        return b"".join(record for line in self._lines[sender].feed(data) for record in self._records(sender, line, time))

    def ended(self, sender: Sender, time: float) -> bytes:
        """Return the record of a last line without its end, if the side left one. Twice is once."""
        lines = self._lines[sender]
        torn = lines.pending
        lines.drop(len(torn))
        return b"".join(self._records(sender, torn, time))

    def exited(self, status: Json, time: float) -> bytes:
        """Return the record of the agent's end."""
        return b'{"t":%.6f,"exit":%s}\n' % (time, encode(status))

    def _records(self, sender: Sender, line: bytes | None, time: float) -> Iterator[bytes]:
        head = b'{"t":%.6f,"from":"%s",' % (time, sender.encode())
        if line is None:
            self.left_out += 1
            return
        line = line.strip(b" \t\r")
        if line:
            for member, value in _members(line):
                yield b'%s"%s":%s}\n' % (head, member, value)


def _members(line: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield what *line* is recorded as: the member's name, and its value as JSON."""
    try:
        value: Any = fast_decode(line)
    except (ValueError, RecursionError):
        yield from _odd(line)  # or only such that the fast way refuses it
    else:
        yield (b"message", line) if _may_be_message(value) else (b"raw", _raw(line))


def _odd(line: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Read several values on one line, lone surrogates and byte order marks; the rest of the line is raw."""
    values, ends, _ = decode_many(line)
    while values and not _may_be_message(values[-1]):
        del values[-1], ends[-1]
    for value in values:
        yield b"message", encode(value)
    rest = line[ends[-1] if ends else 0 :].strip(b" \t\r")
    if rest:
        yield b"raw", _raw(rest)


def _may_be_message(value: Json) -> bool:
    return isinstance(value, (dict, list))


def _raw(line: bytes) -> bytes:
    try:
        return encode(line.decode())
    except UnicodeDecodeError:
        return encode({"base64": b64encode(line).decode()})
