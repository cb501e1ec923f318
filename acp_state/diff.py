"""What changed between two snapshots: typed changes, found by identity, that can be applied.

Snapshots share all that did not change, so finding what did costs what changed, not how much there
is. A change says where (the session, and the place in its timeline or another list: places stay,
but for a replay that replaces a history) and what is there now; most also say what was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import attrs

from attrs import field, frozen

from ._content import Content
from ._model import evolve
from ._persistent import Log, Table
from .reduce._session import with_sessions
from .state import Connection, Entry, Facts, History, Message, Session, Snapshot, Terminal, Turn


# --- the changes -----------------------------------------------------------------------------------


@frozen
class SessionAdded:
    """A session is known that was not."""

    session_id: str
    session: Session


@frozen
class SessionChanged:
    """Attributes of a session have other values, by name; *before*: what they were.

    Those that begin with an underscore are what going on needs; they are not part of the JSON form.
    """

    session_id: str
    values: Mapping[str, Any]
    before: Mapping[str, Any] = field(eq=False, repr=False)


@frozen
class ConnectionChanged:
    """Attributes of the connection have other values, by name; *before*: what they were."""

    values: Mapping[str, Any]
    before: Mapping[str, Any] = field(eq=False, repr=False)


@frozen
class HistoryReplaced:
    """A replay began, succeeded or failed: timeline, turns and the like are others now, whole."""

    session_id: str
    history: History


@frozen
class EntryAdded:
    """The timeline of a session has one more entry, at *place*."""

    session_id: str
    place: int
    entry: Entry
    _key: object = field(default=None, eq=False, repr=False)


@frozen
class EntryChanged:
    """An entry of a timeline is another one now; *before*: what it was."""

    session_id: str
    place: int
    entry: Entry
    before: Entry = field(eq=False, repr=False)

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the attributes that differ."""
        return _changed_names(self.before, self.entry)


@frozen
class TextAppended:
    """A message got more *text*, and nothing else of it changed; *entry* is the message now."""

    session_id: str
    place: int
    text: str
    entry: Message = field(eq=False, repr=False)


@frozen
class TurnBegan:
    """A session has one more turn."""

    session_id: str
    place: int
    turn: Turn
    _key: object = field(default=None, eq=False, repr=False)


@frozen
class TurnChanged:
    """A turn is another one now; *before*: what it was."""

    session_id: str
    place: int
    turn: Turn
    before: Turn = field(eq=False, repr=False)

    @property
    def ended(self) -> bool:
        """Whether this is its end."""
        return self.before.status == "running" and self.turn.status != "running"


@frozen
class OutputAppended:
    """A terminal printed *data*, and nothing else of it changed; *terminal* is it now."""

    session_id: str
    place: int
    data: bytes
    terminal: Terminal = field(eq=False, repr=False)


@frozen
class RowAdded:
    """A list of a session, or of the connection (*session_id* `None`), has one more row; *table* is its attribute."""

    session_id: str | None
    table: str
    place: int
    row: Any
    _key: object = field(default=None, eq=False, repr=False)


@frozen
class RowChanged:
    """A row of a list is another one now; *before*: what it was."""

    session_id: str | None
    table: str
    place: int
    row: Any
    before: Any = field(eq=False, repr=False)


@frozen
class RowRemoved:
    """A row of a list is gone; *before*: what it was."""

    session_id: str | None
    table: str
    place: int
    before: Any = field(eq=False, repr=False)


Change: TypeAlias = (
    SessionAdded
    | SessionChanged
    | ConnectionChanged
    | HistoryReplaced
    | EntryAdded
    | EntryChanged
    | TextAppended
    | TurnBegan
    | TurnChanged
    | OutputAppended
    | RowAdded
    | RowChanged
    | RowRemoved
)

_SNAPSHOT_RULE: Final = "_derives"


# --- finding them ----------------------------------------------------------------------------------


def diff(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """Return what to do to *before* to get *after*, in an order in which it can be done.

    *after* should be a later snapshot of the same fold; of any two snapshots the result is right, but
    then it costs as much as they hold.
    """
    if before is after:
        return ()
    return tuple(_differences(before, after))


def _differences(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    yield from _connection(before.connection, after.connection)
    if before._derives != after._derives:
        yield ConnectionChanged({_SNAPSHOT_RULE: after._derives}, {_SNAPSHOT_RULE: before._derives})
    old, new = before.sessions, after.sessions
    for session_id in new.changed_since(old):
        session = new[session_id]
        known = old.find(session_id)
        if known is None:
            yield SessionAdded(session_id, session)
        else:
            yield from _session(session_id, known, session)


def _connection(before: Connection, after: Connection) -> Iterator[Change]:
    if before is not after:
        values, rows = _attributes(None, before, after, _names(Connection))
        yield from rows
        if values:
            yield ConnectionChanged(values, {name: getattr(before, name) for name in values})


def _session(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    names = [name for name in (*_names(Session), *_names(Facts)) if name != "_facts"]
    if after.timeline.continues(before.timeline) and after.turns.continues(before.turns):
        yield from _timeline(session_id, before, after)
        yield from _turns(session_id, before, after)
        yield from _terminals(session_id, before, after)
        names = [name for name in names if name not in _BY_THEMSELVES]
    else:
        history = _history_of(after)
        yield HistoryReplaced(session_id, history)
        names = [name for name in names if name not in _names(History)]
    values, rows = _attributes(session_id, before, after, names)
    yield from rows
    if values:
        yield SessionChanged(session_id, values, {name: getattr(before, name) for name in values})


_BY_THEMSELVES: Final = frozenset(("timeline", "turns", "terminals"))


def _names(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in attrs.fields(cls))


def _history_of(session: Session) -> History:
    return History(**{name.lstrip("_"): getattr(session, name) for name in _names(History)})


def _attributes(session_id: str | None, before: Any, after: Any, names: Iterable[str]) -> tuple[dict[str, Any], list[Change]]:
    """Return the attributes that differ, by their new value, and apart from them the rows of tables that do."""
    values: dict[str, Any] = {}
    rows: list[Change] = []
    for name in names:
        old, new = getattr(before, name), getattr(after, name)
        if old is new:
            continue
        if isinstance(new, Table) and isinstance(old, Table) and new.continues(old):
            rows += _rows(session_id, name, old, new)
        elif not _alike(old, new):
            values[name] = new
    return values, rows


def _alike(old: Any, new: Any) -> bool:
    return (
        type(old) is type(new)
        and not isinstance(new, (Table, Log))
        and bool(old == new)
        and not isinstance(new, (bool, int, float, dict, list))
    )


def _rows(session_id: str | None, table: str, old: Table[Any, Any], new: Table[Any, Any]) -> Iterator[Change]:
    for place in new.differences(old):
        if not new.stands(place):
            if old.stands(place):
                yield RowRemoved(session_id, table, place, old.at(place))
        elif old.stands(place):
            yield RowChanged(session_id, table, place, new.at(place), old.at(place))
        else:
            yield RowAdded(session_id, table, place, new.at(place), new.key_at(place))


def _timeline(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    old, new = before.timeline, after.timeline
    for place in new.differences(old):
        entry = new.at(place)
        if place >= old.end:
            yield EntryAdded(session_id, place, entry, new.key_at(place))
            continue
        was = old.at(place)
        text = _text_appended(was, entry)
        if text is not None and isinstance(entry, Message):
            yield TextAppended(session_id, place, text, entry)
        else:
            yield EntryChanged(session_id, place, entry, was)


def _text_appended(before: Entry, after: Entry) -> str | None:
    """Return the text by which a message is longer, `None` if anything else of it is different, too."""
    if not isinstance(before, Message) or not isinstance(after, Message):
        return None
    text = after.content.text_since(before.content)
    if not text or _changed_names(before, after) != ("content",):
        return None
    return text


def _changed_names(before: Any, after: Any) -> tuple[str, ...]:
    if type(before) is not type(after):
        return _names(type(after))
    return tuple(name for name in _names(type(after)) if getattr(before, name) is not getattr(after, name))


def _turns(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    old, new = before.turns, after.turns
    for place in new.differences(old):
        turn = new.at(place)
        yield (
            TurnBegan(session_id, place, turn, new.key_at(place))
            if place >= old.end
            else TurnChanged(session_id, place, turn, old.at(place))
        )


def _terminals(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    old, new = before.terminals, after.terminals
    if not new.continues(old):
        yield SessionChanged(session_id, {"terminals": new}, {"terminals": old})
        return
    for change in _rows(session_id, "terminals", old, new):
        if isinstance(change, RowChanged):
            data = _output_appended(change.before, change.row)
            if data:
                yield OutputAppended(session_id, change.place, data, change.row)
                continue
        yield change


def _output_appended(before: Terminal, after: Terminal) -> bytes | None:
    if before.output is None or after.output is None or _changed_names(before, after) != ("output",):
        return None
    return after.output.since(before.output)


# --- applying them ---------------------------------------------------------------------------------


def apply(snapshot: Snapshot, changes: Iterable[Change]) -> Snapshot:
    """Return *snapshot* with *changes*: `apply(before, diff(before, after)) == after`."""
    for change in changes:
        snapshot = _APPLIERS[type(change)](snapshot, change)
    return snapshot


def _with_session(snapshot: Snapshot, session: Session) -> Snapshot:
    return with_sessions(snapshot, snapshot.sessions.put(session.id, session))


def _session_added(snapshot: Snapshot, change: SessionAdded) -> Snapshot:
    return with_sessions(snapshot, snapshot.sessions.put(change.session_id, change.session))


def _session_changed(snapshot: Snapshot, change: SessionChanged) -> Snapshot:
    return _with_session(snapshot, evolve(snapshot.sessions[change.session_id], **change.values))


def _connection_changed(snapshot: Snapshot, change: ConnectionChanged) -> Snapshot:
    if _SNAPSHOT_RULE in change.values:
        return evolve(snapshot, **change.values)
    return evolve(snapshot, connection=evolve(snapshot.connection, **change.values))


def _history_replaced(snapshot: Snapshot, change: HistoryReplaced) -> Snapshot:
    values = {name: getattr(change.history, name) for name in _names(History)}
    return _with_session(snapshot, evolve(snapshot.sessions[change.session_id], **values))


def _in_table(snapshot: Snapshot, session_id: str | None, table: str, edit: Callable[[Table[Any, Any]], Table[Any, Any]]) -> Snapshot:
    if session_id is None:
        connection = snapshot.connection
        return evolve(snapshot, connection=evolve(connection, **{table: edit(getattr(connection, table))}))
    session = snapshot.sessions[session_id]
    return _with_session(snapshot, evolve(session, **{table: edit(getattr(session, table))}))


def _entry_added(snapshot: Snapshot, change: EntryAdded) -> Snapshot:
    return _in_table(snapshot, change.session_id, "timeline", lambda table: table.add(change._key, change.entry))


def _entry_changed(snapshot: Snapshot, change: EntryChanged) -> Snapshot:
    return _in_table(snapshot, change.session_id, "timeline", lambda table: table.replace(change.place, change.entry))


def _text_added(snapshot: Snapshot, change: TextAppended) -> Snapshot:
    def edit(table: Table[Any, Any]) -> Table[Any, Any]:
        message: Message = table.at(change.place)
        return table.replace(change.place, evolve(message, content=_longer(message.content, change.text)))

    return _in_table(snapshot, change.session_id, "timeline", edit)


def _longer(content: Content, text: str) -> Content:
    return content if content._open is None else content.append(content._open, text)


def _turn_began(snapshot: Snapshot, change: TurnBegan) -> Snapshot:
    return _in_table(snapshot, change.session_id, "turns", lambda table: table.add(change._key, change.turn))


def _turn_changed(snapshot: Snapshot, change: TurnChanged) -> Snapshot:
    return _in_table(snapshot, change.session_id, "turns", lambda table: table.replace(change.place, change.turn))


def _output_added(snapshot: Snapshot, change: OutputAppended) -> Snapshot:
    def edit(table: Table[Any, Any]) -> Table[Any, Any]:
        terminal: Terminal = table.at(change.place)
        output = terminal.output
        return table if output is None else table.replace(change.place, evolve(terminal, output=output.append(change.data)))

    return _in_table(snapshot, change.session_id, "terminals", edit)


def _row_added(snapshot: Snapshot, change: RowAdded) -> Snapshot:
    return _in_table(snapshot, change.session_id, change.table, lambda table: table.add(change._key, change.row))


def _row_changed(snapshot: Snapshot, change: RowChanged) -> Snapshot:
    return _in_table(snapshot, change.session_id, change.table, lambda table: table.replace(change.place, change.row))


def _row_removed(snapshot: Snapshot, change: RowRemoved) -> Snapshot:
    return _in_table(snapshot, change.session_id, change.table, lambda table: table.empty(change.place))


_APPLIERS: Final[Mapping[type, Callable[[Snapshot, Any], Snapshot]]] = {
    SessionAdded: _session_added,
    SessionChanged: _session_changed,
    ConnectionChanged: _connection_changed,
    HistoryReplaced: _history_replaced,
    EntryAdded: _entry_added,
    EntryChanged: _entry_changed,
    TextAppended: _text_added,
    TurnBegan: _turn_began,
    TurnChanged: _turn_changed,
    OutputAppended: _output_added,
    RowAdded: _row_added,
    RowChanged: _row_changed,
    RowRemoved: _row_removed,
}
