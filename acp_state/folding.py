"""`fold`: a whole recording, or a piece of one, into a snapshot.

The stages in series: bytes, lines, records, frames, events, snapshot. Nothing looks ahead.
"""

from __future__ import annotations

import gc
import io
import os

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final, TypeAlias

from . import events as e
from ._model import replace
from .diagnostics import Diagnostic, Findings
from .errors import wrong_kind
from .folded import Folded, Tally
from .frames import Frame, freeze_frame
from .normalize import REMEMBERED, normalize, normalize_update
from .normalize.wire import Wire
from .protocol.updates import SessionUpdate, UnknownUpdate
from .reading.reader import Reader
from .reading.source import BinaryFile, blocks
from .reduce import HANDLERS, UPDATE_HANDLERS, start_draft
from .state import Snapshot


Source: TypeAlias = "str | os.PathLike[str] | bytes | BinaryFile | Iterable[Any]"

_NOT_UNDERSTOOD: Final = frozenset((e.ExtensionSent, e.ExtensionAnswered))


class Fold:
    """A fold under way: the one place where the stages meet. `fold`, `trace` and `Store` are made of it.

    *on_diagnostic* is called with each diagnostic as it comes; in *findings* repeats are counted.
    """

    def __init__(self, start: Folded | None = None, on_diagnostic: Callable[[Diagnostic], object] | None = None) -> None:
        if start is None:
            start = Folded()
        elif not isinstance(start, Folded):
            raise wrong_kind("what to go on from is a Folded, as fold, loads and Store.state give it", start)
        self.wire: Wire = start.wire
        self._current: str | None = None
        """The session of which most updates tell the normalizer nothing: it was heard of last."""
        self.unknown: int = 0
        self.refused: int = 0
        self._sides = start.sides
        self._reporter = _Reporter(on_diagnostic)
        self._draft = start_draft(start.snapshot, self._reporter)
        self.findings: Findings = self._reporter.findings

    @property
    def snapshot(self) -> Snapshot:
        """The state as it is now."""
        return self._draft.snapshot

    @property
    def frames(self) -> int:
        """How many frames were folded."""
        return self._reporter.frames

    def take(self, frame: Frame) -> tuple[e.Event, ...]:
        """Fold one frame, and return its events."""
        reporter = self._reporter
        reporter.frames += 1
        reporter.line, reporter.method = frame.line, frame.method
        return self._apply(*normalize(self.wire, frame))

    def take_update(self, event: e.SessionUpdate[Any], line: int | None) -> tuple[e.Event, ...]:
        """Fold an update that `protocol.decoders` read without a problem, as `take` does with its frame."""
        reporter = self._reporter
        reporter.frames += 1
        reporter.line, reporter.method = line, "session/update"
        update = event.update
        kind = update.__class__
        if event.session_id != self._current or update.meta or kind in REMEMBERED:
            return self._apply(*normalize_update(self.wire, event, line))
        # `normalize_update` would return the event, and remember nothing.
        reporter.event = event
        UPDATE_HANDLERS[kind](self._draft, event)
        if reporter.refused:
            self._count_refused()
        return (event,)

    def _apply(self, wire: Wire, events: tuple[e.Event, ...], diagnostics: tuple[Diagnostic, ...]) -> tuple[e.Event, ...]:
        self.wire = wire
        self._current = wire.last_session if wire.agent_seen else None
        reporter, draft = self._reporter, self._draft
        if diagnostics:
            reporter.report_all(diagnostics)
        for event in events:
            reporter.event = event
            HANDLERS[event.__class__](draft, event)
        if reporter.refused:
            self._count_refused()
        elif events and _is_unknown(events[-1]):
            self.unknown += 1
        return events

    def _count_refused(self) -> None:
        self._reporter.refused = False
        self.refused += 1

    def folded(self) -> Folded:
        """Return what came of it so far."""
        tally = Tally(
            self.frames,
            self.frames - self.unknown - self.refused,
            self.unknown,
            self.refused,
        )
        return Folded(self.snapshot, self.wire, tuple(self.findings), tally, self._sides)


def _is_unknown(event: e.Event) -> bool:
    """Whether a frame whose last event is *event* is kept as sent and not understood."""
    if isinstance(event, e.SessionUpdate):
        return event.update.__class__ is UnknownUpdate
    return event.__class__ in _NOT_UNDERSTOOD


class _Reporter:
    """Takes the diagnostics of the frame that is being folded. It knows no fold: else these two would keep each other, and all snapshots."""

    def __init__(self, on_diagnostic: Callable[[Diagnostic], object] | None) -> None:
        self.findings = Findings()
        self.frames = 0
        self.line: int | None = None
        self.method: str | None = None
        self.event: Any = None
        self.refused = False
        self._on_diagnostic = on_diagnostic

    def __call__(self, code: str, message: str, subject: str | None = None) -> None:
        """Take what the reducer reports of an event."""
        session_id = getattr(self.event, "session_id", None)
        self._add(Diagnostic(code, message, self.line, self.frames, session_id, self.method, None, subject))

    def report_all(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Take what the normalizer reports of the frame."""
        for diagnostic in diagnostics:
            self._add(replace(diagnostic, frame=self.frames))

    def _add(self, diagnostic: Diagnostic) -> None:
        self.findings.add(diagnostic)
        self.refused |= diagnostic.refuses
        if self._on_diagnostic is not None:
            self._on_diagnostic(diagnostic)


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
        _take_all(work, reader, () if until == 0 else _items(source, reader, reader.read), until, strict)
    work.wire = replace(work.wire, reader=reader.state)
    return work.folded()


def _take_all(work: Fold, reader: Reader, items: Iterable[Any], until: int | None, strict: bool) -> None:
    reader.version = work.wire.version
    is_limited = strict or until is not None
    for item in items:
        if item.__class__ is SessionUpdate:
            work.take_update(item, reader.line)
        elif item.__class__ is Diagnostic:
            work.findings.add(item)
        else:
            work.take(item)
            reader.version = work.wire.version
        if is_limited and (work.frames == until or (strict and work.findings.errors)):
            break


def items_of(source: Source, reader: Reader) -> Iterator[Frame | Diagnostic]:
    """Return what *reader* makes of *source*, from its beginning to its end. Raises as `fold` does."""
    return _items(source, reader, reader.feed)


def _items(source: Source, reader: Reader, feed: Callable[[bytes], Iterable[Any]]) -> Iterator[Any]:
    if isinstance(source, (bytearray, memoryview)):
        source = bytes(source)
    elif isinstance(source, (Mapping, Frame)) or not isinstance(source, (str, os.PathLike, Iterable)):
        raise wrong_kind("a recording is a path, an open binary file, bytes, or an iterable of lines, records or frames", source)
    return chain.from_iterable(_read(source, reader, feed))


def _read(source: Source, reader: Reader, feed: Callable[[bytes], Iterable[Any]]) -> Iterator[Iterable[Any]]:
    if isinstance(source, (str, os.PathLike, bytes, io.RawIOBase, io.BufferedIOBase)):
        for block in blocks(source):
            yield (block,) if isinstance(block, Diagnostic) else feed(block)
    else:
        for piece in source:
            if isinstance(piece, Frame):
                yield (freeze_frame(piece),)
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
