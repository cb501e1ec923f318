"""A recording in any format -> records of the `acp-state` dialect, or bare JSON-RPC messages (SPEC 3).

What the records fold to is what the recording folds to, as far as the format can carry it; what it
cannot is counted, by what it is. Nothing looks ahead.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from ._json import Json, NotJsonError, decode
from ._model import UNSET, replace
from .diagnostics import Diagnostic
from .dialects.acp_state_ import FORMAT, KEYS, VERSION
from .frames import Frame, Sender, read_one
from .normalize import normalize
from .normalize.correlate import infer_sender
from .normalize.wire import NEW, Wire
from .reading.lines import MAX_LINE
from .reading.reader import Reader
from .reading.source import Source, blocks


Format: TypeAlias = Literal["acp-state", "jsonrpc"]

HEADER: Final = {"format": FORMAT, "version": VERSION}
"""The first record of the `acp-state` dialect."""

LOSSES: Final = {
    "long line": ("line that is too long to be read", "lines that are too long to be read"),
    "sender": ("sender", "senders"),
    "time": ("time", "times"),
    "exit": ("end of a process", "ends of a process"),
    "raw": ("line that is no message", "lines that are no message"),
    "partial": ("mark of a message that is not known whole", "marks of messages that are not known whole"),
    "form": ("message without id that is something else there", "messages without id that are something else there"),
}
"""What may be lost, in words: of one, and of several."""


class Conversion:
    """Converts recordings, one after the other, as if they were one.

    *dialect* is the recordings' format where it should not be told from the content. *lost* counts
    what the format cannot carry, by the keys of `LOSSES`; *findings* is what could not be read.
    """

    def __init__(self, to: Format = "acp-state", dialect: str | None = None) -> None:
        self.lost: Counter[str] = Counter()
        self.findings: list[Diagnostic] = []
        self.frames: int = 0
        self._earlier = 0
        self._bare = to == "jsonrpc"
        self._dialect = dialect
        self._wire: Wire = NEW
        self._bare_wire: Wire = NEW

    def records(self, source: Source) -> Iterator[Json]:
        """Yield the records of a recording, without the header. Raises `OSError` for what cannot be opened or read."""
        reader = Reader(self._dialect)
        lines = _Lines()
        self._earlier = self.frames
        for block in blocks(source):
            if isinstance(block, Diagnostic):
                self.findings.append(block)
                continue
            *ended, rest = block.split(b"\n")
            for piece in ended:
                lines.add(piece, ends=True)
                for item in reader.feed(piece + b"\n"):
                    yield from self._record(item, lines)
                if not reader.state.block:
                    lines.forget()
            lines.add(rest, ends=False)
            for item in reader.feed(rest):
                yield from self._record(item, lines)
        for item in reader.close():
            yield from self._record(item, lines)

    def _record(self, item: Frame | Diagnostic, lines: _Lines) -> Iterator[Json]:
        if isinstance(item, Diagnostic):
            self.findings.append(item)
            yield from self._raw(item.line, lines, whole=item.code == "torn-line")
            return
        self.frames += 1
        sender = item.sender if item.kind in ("exit", "invalid") else infer_sender(self._wire, item)[0]
        self._wire, _, findings = normalize(self._wire, item)
        if item.kind == "invalid":
            self.findings += (replace(finding, frame=self.frames - self._earlier) for finding in findings)
            yield from self._raw(item.line, lines)
        elif self._bare:
            yield from self._message(item, sender)
        else:
            yield self._own(item, sender)

    # --- the two formats

    def _own(self, frame: Frame, sender: Sender | None) -> Json:
        record: dict[str, Json] = {}
        if frame.time is not None:
            record["t"] = frame.time
        if sender is not None:
            record["from"] = sender
        elif frame.kind != "exit":
            record.setdefault("t", None)  # which says that the record is of this format
        if frame.kind == "exit":
            return {**record, "exit": {} if frame.payload is UNSET else frame.payload}
        message = _message_of(frame)
        record["message"] = message
        if read_one(message, sender, False, None, None).kind != frame.kind:
            record["kind"] = frame.kind
        if frame.partial:
            record["partial"] = True
        return record

    def _message(self, frame: Frame, sender: Sender | None) -> Iterator[Json]:
        self.lost["time"] += frame.time is not None
        if frame.kind == "exit":
            self.lost["exit"] += 1
            return
        self.lost["partial"] += frame.partial
        message = _message_of(frame)
        bare = read_one(message, None, False, None, None)
        self.lost["form"] += bare.kind != frame.kind
        self.lost["sender"] += infer_sender(self._bare_wire, bare)[0] != sender
        self._bare_wire, _, _ = normalize(self._bare_wire, bare)
        yield message

    def _raw(self, number: int | None, lines: _Lines, *, whole: bool = False) -> Iterator[Json]:
        if number is None or not lines.is_new(number):
            return
        text = lines.text(number, whole=whole)
        if text is None:
            self.lost["long line"] += 1
        elif self._bare:
            self.lost["raw"] += 1
        else:
            yield _own_record(text) or {"t": None, "raw": _text(text)}


def _message_of(frame: Frame) -> dict[str, Json]:
    """Return the JSON-RPC message of a frame; without id, an answer has its method."""
    message: dict[str, Json] = {"jsonrpc": "2.0"}
    if frame.id is not UNSET:
        message["id"] = frame.id
    if frame.method is not None:
        message["method"] = frame.method
    if frame.payload is not UNSET:
        message[_PAYLOADS[frame.kind]] = frame.payload
    return message


_PAYLOADS: Final = {"request": "params", "notification": "params", "response": "result", "error": "error"}


def _own_record(line: bytes) -> Json | None:
    """Return the record that a line of our own dialect is: what could not be read of it stays as it is.

    Not if it has a batch, of which other parts may have been read.
    """
    try:
        record = decode(line)
    except NotJsonError:
        return None
    if not isinstance(record, dict) or not record.keys() <= KEYS:
        return None
    return record if "raw" in record or not isinstance(record.get("message", []), list) else None


def _text(line: bytes) -> Json:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(line).decode("ascii")}


class _Lines:
    """The text of the lines that are being read: of one, or of a value over several lines."""

    def __init__(self) -> None:
        self._lines: dict[int, list[bytes]] = {}
        self._told: set[int] = set()
        self._number = 1
        self._size = 0

    def add(self, piece: bytes, *, ends: bool) -> None:
        """Take the next piece of a line; of one that is too long nothing is kept."""
        self._size += len(piece)
        pieces = self._lines.setdefault(self._number, [])
        pieces.append(piece)
        if self._size > MAX_LINE:
            pieces.clear()
        if ends:
            self._number += 1
            self._size = 0

    def forget(self) -> None:
        """All of them have been read."""
        self._lines.clear()
        self._told.clear()

    def is_new(self, number: int) -> bool:
        """Whether this is asked of a line for the first time: several things may be wrong with it."""
        if number in self._told:
            return False
        self._told.add(number)
        return True

    def text(self, number: int, *, whole: bool = False) -> bytes | None:
        """Return the text of a line, or of all from there on; `None` if it is not known."""
        if not self._lines.get(number):
            return None
        numbers = [at for at in self._lines if at == number or (whole and at > number)]
        return b"\n".join(b"".join(self._lines[at]).rstrip(b"\r") for at in numbers)


__all__ = ["HEADER", "LOSSES", "Conversion", "Format"]
