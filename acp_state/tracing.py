"""`trace`: what each frame of a recording did (SPEC 8). Times and frame numbers stand here, never in a snapshot."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field, frozen

from .changes import Change, EntryAdded, EntryChanged, TextAppended
from .diagnostics import Diagnostic
from .diffing import diff
from .events import Event
from .folded import Folded
from .folding import Fold, Source, items_of
from .frames import Frame
from .reading.reader import Reader
from .state import Snapshot


@frozen
class Step:
    """One frame and what it did.

    *number* counts frames from 1, from where the fold went on; it and *frame* are `None` for what was
    wrong with a line that is no frame. `frame.time` is in seconds, `frame.line` counts from 1.
    """

    number: int | None
    frame: Frame | None
    events: tuple[Event, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    before: Snapshot = field(default=Snapshot(), repr=False)
    after: Snapshot = field(default=Snapshot(), repr=False)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the frame changed, as `diff` finds it."""
        return diff(self.before, self.after)


def trace(source: Source, *, dialect: str | None = None, from_: Folded | None = None, until: int | None = None) -> Iterator[Step]:
    """Yield a `Step` for each frame of *source*, and one for each line that is none; arguments as for `fold`."""
    heard: list[Diagnostic] = []
    work = Fold(from_, heard.append)
    reader = Reader(dialect, work.wire.reader)
    for item in () if until == 0 else items_of(source, reader):
        before = work.snapshot
        if isinstance(item, Diagnostic):
            yield Step(None, None, diagnostics=(item,), before=before, after=before)
            continue
        events = work.take(item)
        yield Step(work.frames, item, events, tuple(heard), before, work.snapshot)
        heard.clear()
        if work.frames == until:
            return


def entry_steps(steps: Iterator[Step], entry_id: str, session_id: str | None = None) -> Iterator[Step]:
    """Yield those of *steps* that made or changed a timeline entry of that id: how it came to be."""
    for step in steps:
        if any(_is_about(change, entry_id, session_id) for change in step.changes):
            yield step


def _is_about(change: Change, entry_id: str, session_id: str | None) -> bool:
    if not isinstance(change, (EntryAdded, EntryChanged, TextAppended)):
        return False
    return change.entry.id == entry_id and session_id in (None, change.session_id)
