"""`fold`: a whole recording, or a piece of one, into a snapshot.

The stages in series: bytes, lines, records, frames, events, snapshot. Nothing looks ahead.
"""

from __future__ import annotations

import gc
import io
import os

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, groupby, islice
from typing import Any, Final, TypeAlias

from . import events as e
from ._model import evolve
from .diagnostics import Diagnostic, Findings
from .errors import wrong_kind
from .folded import Folded, Tally
from .frames import Frame
from .normalize import normalize
from .normalize.wire import Wire
from .plain import Plain, PlainChunk, PlainUpdate, joined
from .reading.reader import Reader
from .reading.source import BinaryFile, blocks
from .reduce import HANDLERS
from .state import Snapshot


Source: TypeAlias = "str | os.PathLike[str] | bytes | BinaryFile | Iterable[Any]"

_NOT_UNDERSTOOD: Final = frozenset((e.UnknownUpdated, e.ExtensionSent, e.ExtensionAnswered))


class Fold:
    """A fold under way: the one place where the stages meet. `fold`, `trace` and `Store` are made of it.

    *heard* is called with each finding as it comes; in *findings* repeats are counted.
    """

    def __init__(self, start: Folded | None = None, heard: Callable[[Diagnostic], object] | None = None) -> None:
        if start is None:
            start = Folded()
        elif not isinstance(start, Folded):
            raise wrong_kind("what to go on from is a Folded, as fold, loads and Store.state give it", start)
        self.snapshot: Snapshot = start.snapshot
        self.wire: Wire = start.wire
        self.unknown: int = 0
        self.refused: int = 0
        self._sides = start.sides
        self._note = _Note(heard)
        self.findings: Findings = self._note.findings

    @property
    def frames(self) -> int:
        """How many frames were folded."""
        return self._note.frames

    def take(self, frame: Frame | Plain) -> tuple[e.Event, ...]:
        """Fold one frame, and return its events."""
        note = self._note
        note.frames += 1
        note.frame = frame
        self.wire, events, findings = normalize(self.wire, frame)
        if findings:
            note.all_found(findings)
        snapshot = self.snapshot
        kind: type[e.Event] | None = None
        for event in events:
            note.event = event
            kind = event.__class__
            snapshot = HANDLERS[kind](snapshot, event, note)
        self.snapshot = snapshot
        if note.refused:
            note.refused = False
            self.refused += 1
        elif kind in _NOT_UNDERSTOOD:
            self.unknown += 1
        return events

    def take_joined(self, chunks: list[PlainChunk]) -> None:
        """Fold chunks that go on with one message as one."""
        self.take(joined(chunks))
        self._note.frames += len(chunks) - 1

    def folded(self) -> Folded:
        """Return what came of it so far."""
        tally = Tally(
            self.frames,
            self.frames - self.unknown - self.refused,
            self.unknown,
            self.refused,
        )
        return Folded(self.snapshot, self.wire, tuple(self.findings), tally, self._sides)


class _Note:
    """Takes what is found about the frame that is being folded. It knows no fold: else these two would keep each other, and all snapshots."""

    def __init__(self, heard: Callable[[Diagnostic], object] | None) -> None:
        self.findings = Findings()
        self.frames = 0
        self.frame: Any = None
        self.event: Any = None
        self.refused = False
        self._heard = heard

    def __call__(self, code: str, message: str, subject: str | None = None) -> None:
        """Take what the reducer finds about an event."""
        frame, session_id = self.frame, getattr(self.event, "session_id", None)
        self._found(Diagnostic(code, message, frame.line, self.frames, session_id, frame.method, None, subject))

    def all_found(self, findings: Iterable[Diagnostic]) -> None:
        """Take what the normalizer finds about the frame."""
        for finding in findings:
            self._found(evolve(finding, frame=self.frames))

    def _found(self, finding: Diagnostic) -> None:
        self.findings.add(finding)
        self.refused |= finding.refuses
        if self._heard is not None:
            self._heard(finding)


def fold(
    source: Source,
    *,
    dialect: str | None = None,
    from_: Folded | None = None,
    until: int | None = None,
    strict: bool = False,
) -> Folded:
    """Fold *source* into a snapshot.

    *source* is a path, an open binary file, the bytes of a recording, or an iterable of its lines, of
    decoded records or of frames. *dialect* names the recording's format where it should not be told from the content.
    *from_* is what to go on from. *until* stops after that many frames, *strict* after the first error.

    Raises `OSError` if a path cannot be read, and `TypeError` for an argument of another kind; nothing
    that is in a recording raises.
    """
    work = Fold(from_)
    reader = Reader(dialect, work.wire.reader)
    with collector_paused():
        if until is None and not strict:
            _take_all(work, _items(source, reader, reader.feed_plainly))
        else:
            _take_some(work, () if until == 0 else items_of(source, reader), until, strict)
    work.wire = evolve(work.wire, reader=reader.state)
    return work.folded()


def _take_some(work: Fold, items: Iterable[Frame | Diagnostic], until: int | None, strict: bool) -> None:
    for item in items:
        _take_one(work, item)
        if work.frames == until or (strict and work.findings.errors):
            break


def _take_all(work: Fold, items: Iterator[Any]) -> None:
    """Take all *items*: frames, what is plain, and diagnostics. Nobody sees a snapshot but the last: so chunks that follow upon one another are joined.

    That comes to the same, for how text is cut does not show (law 9); unless there is something to
    remark upon, which is to be counted chunk by chunk. There is not as long as a chunk of the same
    message went well and nothing but harmless updates came since.
    """
    well = set[object]()
    for stream, run in groupby(items, _stream):
        if stream is None:
            for item in run:
                _take_one(work, item)
                if well and not _is_harmless(item):
                    well.clear()
            continue
        if stream not in well:
            found = work.findings.added
            work.take(next(run))
            if work.findings.added > found:
                for item in run:
                    work.take(item)
                continue
            if len(well) == _MOST:
                well.clear()
            well.add(stream)
        while chunks := list(islice(run, _MOST)):
            work.take_joined(chunks)


def _take_one(work: Fold, item: Any) -> None:
    if isinstance(item, Diagnostic):
        work.findings.add(item)
    else:
        work.take(item)


def _is_harmless(item: Any) -> bool:
    return item.__class__ is PlainUpdate and item.update.get("sessionUpdate") in _HARMLESS


_HARMLESS: Final = ("tool_call", "tool_call_update", "usage_update", "plan", "plan_update")
"""Updates that end nothing and open nothing: all that a message goes on in."""

_MOST: Final = 256
"""How many chunks are joined, and how many messages are known to go well: nobody needs to have more than that in memory."""


def _stream(item: Any) -> object:
    """What a chunk goes on with, as far as it says so; `None` for anything else."""
    if item.__class__ is PlainChunk:
        params = item.params
        chunk = params.update
        return (params.session_id, chunk.role, chunk.message_id)
    return None


def items_of(source: Source, reader: Reader) -> Iterator[Frame | Diagnostic]:
    """Return what *reader* makes of *source*, from its beginning to its end. Raises as `fold` does."""
    return _items(source, reader, reader.feed)


def _items(source: Source, reader: Reader, feed: Callable[[bytes], Sequence[Any]]) -> Iterator[Any]:
    if isinstance(source, (bytearray, memoryview)):
        source = bytes(source)
    elif isinstance(source, (Mapping, Frame)) or not isinstance(source, (str, os.PathLike, Iterable)):
        raise wrong_kind("a recording is a path, an open binary file, bytes, or an iterable of lines, records or frames", source)
    return chain.from_iterable(_read(source, reader, feed))


def _read(source: Source, reader: Reader, feed: Callable[[bytes], Sequence[Any]]) -> Iterator[Sequence[Any]]:
    if isinstance(source, (str, os.PathLike, bytes, io.RawIOBase, io.BufferedIOBase)):
        for block in blocks(source):
            yield (block,) if isinstance(block, Diagnostic) else feed(block)
    else:
        for piece in source:
            if isinstance(piece, Frame):
                yield (piece,)
            else:
                yield feed(_line(piece)) if isinstance(piece, (str, bytes, bytearray)) else reader.feed_record(piece)
    yield reader.close()


def _line(piece: str | bytes | bytearray) -> bytes:
    line = piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else bytes(piece)
    return line if line.endswith(b"\n") else line + b"\n"


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the cyclic garbage collector from looking through a growing snapshot, which has no cycles, again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


__all__ = ["Fold", "Source", "collector_paused", "fold", "items_of"]
