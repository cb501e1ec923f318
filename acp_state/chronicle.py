"""The chronicle of a recording: all that its sessions hold, and when each of it came and was done.

The snapshot says how things are and not since when, `trace` says what each frame changed. Here both
are put together, once, for whoever tells a story or counts. Pure; costs what the frames changed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final, TypeAlias

from attrs import define, frozen

from . import changes as c
from . import state as s
from ._json import Json
from .containers import Table
from .diagnostics import Diagnostic, Findings
from .naming import mode_name, value_name
from .tracing import Step


@frozen
class Moment:
    """A place in a recording: the number of the frame and its line, both from 1, and the seconds since it began, if known."""

    frame: int = 0
    line: int | None = None
    time: float | None = None


@frozen
class Planned:
    """A plan was made, changed (*before*: what it was) or removed (*plan* is `None`)."""

    plan: s.Plan | None
    before: s.Plan | None


@frozen
class Changed:
    """A setting of a session, or its phase, became another one."""

    name: str
    before: str
    after: str


@frozen
class UnknownUpdate:
    """An update of a kind that nobody knows, as sent."""

    update: Json


What: TypeAlias = (
    s.Entry | s.Terminal | s.FileRequest | s.Extension | s.Subagent | s.Notice | Planned | Changed | UnknownUpdate | Diagnostic
)


@frozen
class Happening:
    """Something that has its place in what happened, as it was in the end.

    *ended*: when it was settled; of a message, when its last piece came. *turn*: the place of the turn
    that it belongs to, or in which it happened.
    """

    what: What
    began: Moment
    ended: Moment | None
    turn: int | None


@frozen
class TurnTimes:
    """When a turn began and ended, and the usage that was reported last before its end."""

    began: Moment
    ended: Moment | None = None
    usage: s.Usage | None = None


@frozen
class SessionChronicle:
    """What happened in a session: in the order of its timeline, the rest where it came. *turns* are as in the session."""

    session: s.Session
    happenings: tuple[Happening, ...]
    turns: tuple[TurnTimes, ...]
    usage: tuple[tuple[Moment, s.Usage], ...]
    began: Moment
    ended: Moment


@frozen
class Chronicle:
    """What happened in a recording; *happenings* are those of no session."""

    connection: s.Connection
    happenings: tuple[Happening, ...]
    sessions: tuple[SessionChronicle, ...]
    began: Moment
    ended: Moment
    findings: tuple[Diagnostic, ...]


def chronicle(steps: Iterable[Step]) -> Chronicle:
    """Return the chronicle of a recording, of which *steps* are the `trace`.

    Repeats of a finding are counted in the first one, as `fold` counts them.
    """
    work = _Work()
    for step in steps:
        work.take(step)
    return work.done()


_HISTORY: Final = ("timeline", "turns", "terminals", "files")
_TABLES: Final = (*_HISTORY, "subagents", "extensions")
"""Those tables of a session whose rows happen."""

_LISTS: Final[Mapping[str, Callable[[Any, Any], What]]] = {
    "plans": Planned,
    "unknown_updates": lambda row, _: UnknownUpdate(row),
    "notices": lambda row, _: row,
}
"""Those lists of a session of which each change happens, each with what makes it of a row and what that was before."""


def _listed(what: Any) -> Any:
    """The row of a list that was made *what*."""
    return what.plan if isinstance(what, Planned) else what.update if isinstance(what, UnknownUpdate) else what


@define
class _Note:
    """A happening that is being written."""

    order: int
    what: Any
    began: Moment
    ended: Moment | None
    turn: int | None = None


@frozen
class _Here:
    """When something happens, in which session, and in which of its turns."""

    now: Moment
    session: s.Session | None
    turn: int | None


class _Book:
    """What is noted of a session, or of the connection."""

    def __init__(self, began: Moment, numbers: Iterator[int]) -> None:
        self.began = self.ended = began
        self.rows: dict[str, dict[int, _Note]] = {}
        self.others: list[_Note] = []
        self.usage: list[tuple[Moment, s.Usage]] = []
        self._numbers = numbers
        self._open: dict[tuple[str, object], _Note] = {}
        """What a replay does not end, by its table and key: it comes again, at the end of the history that stays."""
        self._aside: tuple[Table[object, s.Entry], dict[str, dict[int, _Note]], list[_Note]] | None = None

    def note(self, what: Any, now: Moment, turn: int | None = None) -> _Note:
        return _Note(next(self._numbers), what, now, now if _settled(what) else None, getattr(what, "turn", turn))

    def other(self, what: What, here: _Here) -> _Note:
        """Note something that is in no table."""
        note = self.note(what, here.now, here.turn)
        self.others.append(note)
        return note

    def row(self, table: str, place: int, row: Any, here: _Here, key: object = None) -> None:
        """Note a row that is new, or another one now; *key* is that of a new one."""
        rows = self.rows.setdefault(table, {})
        note = rows.get(place) or self._open.pop((table, key), None) or self._asked_before(row)
        if note is None:
            rows[place] = self.note(row, here.now, here.turn)
            return
        rows[place] = note
        before, note.what = note.what, row
        note.turn = getattr(row, "turn", note.turn)
        if not _settled(row):
            note.ended = None
        elif (isinstance(row, s.Message) and row.content is not before.content) or not _settled(before) or _status(before) != _status(row):
            note.ended = here.now

    def _asked_before(self, row: Any) -> _Note | None:
        """The note of a prompt that comes again with its turn: what it says is the same object."""
        return self._open.pop(("asked", id(row.content)), None) if isinstance(row, s.Message) else None

    def sync(self, name: str, table: Table[Any, Any], here: _Here, *, same_places: bool = False) -> None:
        """Note that the rows of a table are these now; what is told of one that was there before stays."""
        old = self.rows.get(name, {})
        known = {id(note.what): note for note in old.values()}
        rows = self.rows[name] = {}
        for place, row in table.slots():
            note = known.get(id(row))
            if note is None and same_places and place in old and _alike(old[place].what, row):
                note = old[place]
                note.what, note.turn = row, getattr(row, "turn", note.turn)
            rows[place] = self.note(row, here.now, here.turn) if note is None else note

    def lists(self, session: s.Session, here: _Here) -> None:
        """Note what the session's lists hold and is not noted yet."""
        noted = {id(_listed(note.what)) for note in self.others}
        for name, make in _LISTS.items():
            for row in getattr(session, name):
                if id(row) not in noted:
                    self.other(make(row, None), here)

    def used(self, session: s.Session, here: _Here) -> None:
        """Note how full the context is."""
        if session.usage is not None:
            self.usage.append((here.now, session.usage))

    def replaced(self, session: s.Session, here: _Here) -> None:
        """Note that another history took the place of the one that was."""
        if session.before is not None:
            before = session.before
            self._aside = (before.timeline, dict(self.rows), self.others)
            for name, table in (("timeline", before.timeline), ("turns", before.turns)):
                notes = self.rows.get(name, {}).items()
                self._open |= {(name, table.key_at(place)): note for place, note in notes if not _settled(note.what)}
            self._open |= {
                ("asked", id(note.what.content)): note
                for note in self.rows.get("timeline", {}).values()
                if isinstance(note.what, s.Message) and note.what.role == "user"
            }
        self.others = self._lasting()
        self._history(session, here)

    def returned(self, session: s.Session, here: _Here) -> bool:
        """Note, if it is so, that a replay has failed and what it had replaced is back; return whether it is."""
        if self._aside is None or session.before is not None:
            return False
        timeline, rows, others = self._aside
        self._aside = None
        if not session.timeline.continues(timeline):
            return False
        self.rows = rows
        self.others = [*others, *self._lasting(after=others[-1].order if others else -1)]
        self._history(session, here)
        return True

    def _history(self, session: s.Session, here: _Here) -> None:
        for name in _HISTORY:
            self.sync(name, getattr(session, name), here, same_places=session.before is None)
        self.lists(session, here)

    def _lasting(self, after: int = -1) -> list[_Note]:
        """What is no part of a history."""
        kept = (note for note in self.others if note.order > after and not isinstance(note.what, (Planned, UnknownUpdate)))
        return [_Note(note.order, note.what, note.began, note.ended) for note in kept]

    def happenings(self, timeline: Iterable[int]) -> Iterator[_Note]:
        """Yield all notes in order; *timeline*: the places of the entries, whose order counts."""
        entries = self.rows.get("timeline", {})
        placed: list[tuple[int, _Note]] = []
        latest = -1
        for place in timeline:
            latest = max(latest, entries[place].order)
            placed.append((latest, entries[place]))
        rest = [note for name, rows in self.rows.items() if name not in ("timeline", "turns") for note in rows.values()]
        placed += [(note.order, note) for note in (*rest, *self.others)]
        return (note for _, note in sorted(placed, key=lambda pair: pair[0]))


class _Work:
    """The chronicle that is being written."""

    def __init__(self) -> None:
        self._numbers = count()
        self._now = Moment()
        self._began: Moment | None = None
        self._connection = _Book(self._now, self._numbers)
        self._books: dict[str, _Book] = {}
        self._heard: str | None = None
        self._findings = Findings()
        self._found: list[_Note] = []
        self._after = s.EMPTY

    def take(self, step: Step) -> None:
        if step.frame is not None and step.number is not None:
            time = self._now.time if step.frame.time is None else step.frame.time
            self._now = Moment(step.number, step.frame.line, time)
            self._began = self._began or self._now
        self._after = step.after
        back: set[str | None] = set()
        for change in step.changes if step.before is not step.after else ():
            session_id: str | None = getattr(change, "session_id", None)
            book, here = self._book(session_id), self._here(step, session_id)
            if here.session is not None and book.returned(here.session, here):
                back.add(session_id)
            if session_id not in back or isinstance(change, c.SessionChanged):
                _HANDLERS[type(change)](book, change, here)
        for finding in step.diagnostics:
            self._find(finding, step)

    def _here(self, step: Step, session_id: str | None, line: int | None = None) -> _Here:
        session = None if session_id is None else step.after.sessions.get(session_id)
        turn = None if session is None else _open_turn(session)
        if turn is None and session is not None and session_id is not None:
            before = step.before.sessions.get(session_id)
            if before is not None and session.turns.continues(before.turns):
                turn = _open_turn(before)  # what comes with a turn's end belongs to it
        now = self._now if line is None else Moment(self._now.frame, line, self._now.time)
        return _Here(now, session, turn)

    def _book(self, session_id: str | None) -> _Book:
        if session_id is None:
            return self._connection
        self._heard = session_id
        book = self._books.get(session_id)
        if book is None:
            book = self._books[session_id] = _Book(self._now, self._numbers)
        book.ended = self._now
        return book

    def _find(self, finding: Diagnostic, step: Step) -> None:
        """Note a finding where it happened: in the session that it is about, else in the one that was heard last."""
        kept = len(self._findings)
        self._findings.add(finding)
        if len(self._findings) > kept:
            session_id = self._heard if finding.session_id is None else finding.session_id
            book = self._books.get(session_id or "", self._connection)
            self._found.append(book.other(finding, self._here(step, session_id, finding.line)))

    def done(self) -> Chronicle:
        findings = tuple(self._findings)
        for note, finding in zip(self._found, findings, strict=True):
            note.what = finding  # with its count
        return Chronicle(
            self._after.connection,
            tuple(_happening(note) for note in self._connection.happenings(())),
            tuple(self._session(id_, session) for id_, session in self._after.sessions.items()),
            self._began or self._now,
            self._now,
            findings,
        )

    def _session(self, id_: str, session: s.Session) -> SessionChronicle:
        book = self._books[id_]
        notes = book.happenings(place for place, _ in session.timeline.slots())
        turns = book.rows.get("turns", {})
        return SessionChronicle(
            session,
            tuple(_happening(note) for note in notes),
            tuple(_times(turns[place], book.usage) for place, _ in session.turns.slots()),
            tuple(book.usage),
            book.began,
            book.ended,
        )


def _happening(note: _Note) -> Happening:
    return Happening(note.what, note.began, note.ended, note.turn)


def _times(turn: _Note, usage: list[tuple[Moment, s.Usage]]) -> TurnTimes:
    until = len(usage) if turn.ended is None else bisect_right(usage, turn.ended.frame, key=lambda pair: pair[0].frame)
    moment, last = usage[until - 1] if until else (Moment(), None)
    return TurnTimes(turn.began, turn.ended, last if moment.frame >= turn.began.frame else None)


def _open_turn(session: s.Session) -> int | None:
    """The turn that output belongs to now (SPEC 4.4)."""
    turn = session._open_turns.first()
    return None if turn is None else turn.index


def _status(what: Any) -> Any:
    return getattr(what, "status", None)


def _alike(old: Any, new: Any) -> bool:
    return type(old) is type(new) and getattr(old, "id", None) == getattr(new, "id", None)


_UNSETTLED: Final = frozenset(("pending", "in_progress", "running", "open", "paused"))


def _settled(what: Any) -> bool:
    """Whether no more is expected of it."""
    if isinstance(what, s.ToolCall):
        return what.final
    if isinstance(what, s.Terminal):
        return what.exit_status is not None
    return not isinstance(what, s.Subagent) and _status(what) not in _UNSETTLED


# --- what each change adds -------------------------------------------------------------------------


def _session_added(book: _Book, change: c.SessionAdded, here: _Here) -> None:
    for name in _TABLES:
        book.sync(name, getattr(change.session, name), here)
    book.lists(change.session, here)
    book.used(change.session, here)


def _session_changed(book: _Book, change: c.SessionChanged, here: _Here) -> None:
    for name, value in change.values.items():
        if name in _TABLES:
            book.sync(name, value, here)
    if here.session is not None:
        if not change.values.keys().isdisjoint(_LISTS):
            book.lists(here.session, here)
        if "usage" in change.values:
            book.used(here.session, here)
    for changed in _settings(change):
        book.other(changed, here)


_ENDS: Final = frozenset(("failed", "closed", "deleted"))


def _settings(change: c.SessionChanged) -> Iterator[Changed]:
    """Yield the settings that were another before; what they are at first stands in the session."""
    before, after = change.before, change.values
    if "phase" in after and (after["phase"] in _ENDS or before["phase"] in _ENDS):
        yield Changed("session", before["phase"], after["phase"])
    for attribute, name in (("modes", "mode"), ("models", "model")):
        old, new = mode_name(before.get(attribute)), mode_name(after.get(attribute))
        if old is not None and new is not None and old != new:
            yield Changed(name, old, new)
    known = {option.id: value_name(option) for option in before.get("config_options") or ()}
    for option in after.get("config_options") or ():
        value = value_name(option)
        if option.id in known and known[option.id] != value:
            yield Changed(option.name or option.id, known[option.id], value)


def _connection_changed(book: _Book, change: c.ConnectionChanged, here: _Here) -> None:
    for name in ("elicitations", "extensions"):
        if name in change.values:
            book.sync(name, change.values[name], here)


def _history_replaced(book: _Book, change: c.HistoryReplaced, here: _Here) -> None:
    if here.session is not None:
        book.replaced(here.session, here)


def _entry(book: _Book, change: c.EntryAdded | c.EntryChanged | c.TextAppended, here: _Here) -> None:
    book.row("timeline", change.place, change.entry, here, getattr(change, "_key", None))


def _turn(book: _Book, change: c.TurnBegan | c.TurnChanged, here: _Here) -> None:
    book.row("turns", change.place, change.turn, here, getattr(change, "_key", None))


def _output(book: _Book, change: c.OutputAppended, here: _Here) -> None:
    book.row("terminals", change.place, change.terminal, here)


def _row(book: _Book, change: c.RowAdded | c.RowChanged, here: _Here) -> None:
    if change.table in _LISTS:
        before = change.before if isinstance(change, c.RowChanged) else None
        book.other(_LISTS[change.table](change.row, before), here)
    elif change.table in _TABLES or change.table == "elicitations":
        book.row(change.table, change.place, change.row, here)


def _row_removed(book: _Book, change: c.RowRemoved, here: _Here) -> None:
    if change.table == "plans":
        book.other(Planned(None, change.before), here)
    else:
        book.rows.get(change.table, {}).pop(change.place, None)


_HANDLERS: Final[Mapping[type, Callable[[_Book, Any, _Here], None]]] = {
    c.SessionAdded: _session_added,
    c.SessionRemoved: lambda *_: None,  # a fold forgets none
    c.SessionChanged: _session_changed,
    c.ConnectionChanged: _connection_changed,
    c.HistoryReplaced: _history_replaced,
    c.EntryAdded: _entry,
    c.EntryChanged: _entry,
    c.TextAppended: _entry,
    c.TurnBegan: _turn,
    c.TurnChanged: _turn,
    c.OutputAppended: _output,
    c.RowAdded: _row,
    c.RowChanged: _row,
    c.RowRemoved: _row_removed,
}
