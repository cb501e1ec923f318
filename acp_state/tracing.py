"""`trace`: what each frame of a recording did (SPEC 8). Times and frame numbers stand here, never in a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from attrs import field, frozen

from ._json import Json, same
from ._model import UNSET, UnsetType
from .changes import Change, EntryAdded, EntryChanged, HistoryReplaced, SessionAdded, TextAppended
from .containers import Table
from .diagnostics import Diagnostic
from .diffing import diff
from .events import Event, RequestClosed
from .folded import Folded
from .folding import Fold, Source, items_of
from .frames import Frame, Sender
from .normalize.correlate import infer_sender
from .normalize.wire import Wire
from .reading.reader import Reader
from .state import Entry, History, Snapshot


Timeline: TypeAlias = Table[object, Entry]


@frozen
class Step:
    """One frame and what it did.

    *number* counts frames from 1, from where the fold went on; it and *frame* are `None` for what was
    wrong with a line that is no frame. `frame.time` is in seconds, `frame.line` counts from 1.
    *sender* is who sent it, and *method* what it is or what it answers, as far as that can be told: the
    recording itself may say neither.
    """

    number: int | None
    frame: Frame | None
    events: tuple[Event, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    before: Snapshot = field(default=Snapshot(), repr=False)
    after: Snapshot = field(default=Snapshot(), repr=False)
    sender: Sender | None = None
    method: str | None = None

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the frame changed, as `diff` finds it."""
        return diff(self.before, self.after)


def trace(source: Source, *, dialect: str | None = None, from_: Folded | None = None, until: int | None = None) -> Iterator[Step]:
    """Yield a `Step` for each frame of *source*, and one for each line that is none.

    Arguments are those of `fold`, and so are the exceptions; they come with the first step.
    """
    heard: list[Diagnostic] = []
    work = Fold(from_, heard.append)
    reader = Reader(dialect, work.wire.reader)
    for item in () if until == 0 else items_of(source, reader):
        before, wire = work.snapshot, work.wire
        if isinstance(item, Diagnostic):
            yield Step(None, None, diagnostics=(item,), before=before, after=before)
            continue
        events = work.take(item)
        method = item.method or _method_answered(wire, events)
        yield Step(work.frames, item, events, tuple(heard), before, work.snapshot, _sender(wire, item), method)
        heard.clear()
        if work.frames == until:
            return


def _sender(wire: Wire, frame: Frame) -> Sender | None:
    return frame.sender if frame.kind in ("exit", "invalid") else infer_sender(wire, frame)[0]


def _method_answered(wire: Wire, events: tuple[Event, ...]) -> str | None:
    """Return the method of the request that *events* close."""
    asked = [wire.open.get(event.key) for event in events if isinstance(event, RequestClosed)]
    return asked[0].method if asked and asked[0] is not None else None


def entry_steps(
    steps: Iterable[Step], entry_id: Json | UnsetType = UNSET, session_id: str | None = None, *, place: int | None = None
) -> Iterator[Step]:
    """Yield those of *steps* that made or changed an entry of a timeline: how it came to be.

    By *entry_id*: whatever entry has that id, of any kind, in any session or in *session_id*; also one
    that a replay replaced; from when on it has the id. Ids are compared as JSON: `1` is not `"1"`.
    By *place*, for entries without id or with one that others have, too: the one that stands there in
    the timeline of *session_id* (which may be left out if there is but one session) after the last of
    *steps*; so all are read before the first is yielded. Replays that moved it are followed: to where
    it stood before, and if it was replayed, to the entry that had its id. Raises `LookupError` where
    nothing stands at *place*, and `TypeError` unless exactly one of *entry_id* and *place* is given.
    """
    if (entry_id is UNSET) == (place is None):
        msg = "either an id or a place tells which entry is meant"
        raise TypeError(msg)
    if place is not None:
        return _steps_of_place(list(steps), place, session_id)
    return (step for step in steps if any(same(entry.id, entry_id) for entry in _touched(step, session_id)))


def _touched(step: Step, session_id: str | None) -> Iterator[Entry]:
    """Yield the entries that *step* made or changed."""
    for change in step.changes:
        if isinstance(change, (EntryAdded, EntryChanged, TextAppended)) and session_id in (None, change.session_id):
            yield change.entry
        elif isinstance(change, SessionAdded) and session_id in (None, change.session_id):
            yield from change.session.timeline
        elif isinstance(change, HistoryReplaced) and session_id in (None, change.session_id):
            known = {id(entry) for history in _histories(step.before, change.session_id) for entry in history.timeline}
            yield from (entry for entry in change.history.timeline if id(entry) not in known)


def _histories(snapshot: Snapshot, session_id: str) -> list[History]:
    """The history that a session shows, and the one that a replay keeps aside."""
    session = snapshot.sessions.get(session_id)
    return [] if session is None else [session] if session.before is None else [session, session.before]


def _steps_of_place(steps: list[Step], place: int, session_id: str | None) -> Iterator[Step]:
    last = steps[-1].after if steps else Snapshot()
    if session_id is None and len(last.sessions) == 1:
        (session_id,) = last.sessions
    if session_id is None:
        msg = f"no entry stands at {place} of no session: there are {len(last.sessions)}"
        raise LookupError(msg)
    session = last.sessions.get(session_id)
    if session is None or not session.timeline.has_entry(place):
        msg = f"no entry stands at {place} in the timeline of session {session_id!r}"
        raise LookupError(msg)
    found: list[Step] = []
    timeline = session.timeline
    for step in reversed(steps):
        now = timeline.at(place)
        was = _where_it_was(timeline, place, _histories(step.before, session_id))
        if was is None:
            found.append(step)
            break
        timeline, place = was
        if timeline.at(place) is not now:
            found.append(step)
    return reversed(found)


def _where_it_was(timeline: Timeline, place: int, before: list[History]) -> tuple[Timeline, int] | None:
    """Return in which timeline an entry stood *before*, and where; `None` if it is new."""
    key = timeline.key_at(place)
    for history in before:
        if timeline.continues(history.timeline):
            if history.timeline.has_entry(place):
                return history.timeline, place
        elif key is not None and (moved := history.timeline.slot_of(key)) >= 0:
            return history.timeline, moved
    return None
