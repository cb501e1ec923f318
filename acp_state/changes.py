"""Changes: what is different in another snapshot, as values that can be applied.

A change says where and what is there now; most also say what was. Where is a session, by its id,
and a *place* in its timeline or another list: what stands there keeps its place, whatever else comes
and goes, until a replay replaces the history. In a timeline the place is the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias, TypeVar

from attrs import field, frozen

from ._model import names_of, replace
from .containers import EMPTY_CONTENT, Content, Log, Table
from .errors import ForeignChangesError, wrong_kind
from .state import Entry, History, Message, Session, Snapshot, Terminal, Turn, make_sessions, put_session


T = TypeVar("T")


# --- the changes -----------------------------------------------------------------------------------


@frozen
class SessionAdded:
    """A session is known that was not."""

    session_id: str
    session: Session


@frozen
class SessionRemoved:
    """A session is not known; *before*: what it was. A fold forgets none: only unrelated snapshots differ so."""

    session_id: str
    before: Session = field(eq=False, repr=False)


@frozen
class SessionChanged:
    """Attributes of a session have other values, by name; *before*: what they were.

    Those that begin with an underscore are what going on needs, and are for `apply` (of `_loading` and
    `_prompts` a session's `replaying` and `pending_prompts` are computed).
    """

    session_id: str
    values: Mapping[str, Any]
    before: Mapping[str, Any] = field(eq=False, repr=False)

    @property
    def visible(self) -> bool:
        """Whether anything of it shows, as the state document does; else nothing need be drawn anew."""
        return _shows(self.values)


@frozen
class ConnectionChanged:
    """Attributes of the connection have other values, by name; *before*: what they were. Underscores as for a session."""

    values: Mapping[str, Any]
    before: Mapping[str, Any] = field(eq=False, repr=False)

    @property
    def visible(self) -> bool:
        """Whether anything of it shows, as of a session."""
        return _shows(self.values)


COMPUTED_OF: Final[Mapping[str, str]] = {"_loading": "replaying", "_prompts": "pending_prompts"}
"""What a session shows that is computed of what it does not show."""


def _shows(values: Mapping[str, Any]) -> bool:
    return any(not name.startswith("_") or name in COMPUTED_OF for name in values)


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
    _key: object = field(default=None, eq=False, repr=False, alias="_key")


@frozen
class EntryChanged:
    """An entry of a timeline is another one now; *before*: what it was."""

    session_id: str
    place: int
    entry: Entry
    before: Entry = field(eq=False, repr=False)

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the attributes that differ; none if it is only something that going on needs."""
        return _public_names(self.before, self.entry)


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
    _key: object = field(default=None, eq=False, repr=False, alias="_key")


@frozen
class TurnChanged:
    """A turn is another one now; *before*: what it was."""

    session_id: str
    place: int
    turn: Turn
    before: Turn = field(eq=False, repr=False)

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the attributes that differ; none if it is only something that going on needs."""
        return _public_names(self.before, self.turn)

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
    _key: object = field(default=None, eq=False, repr=False, alias="_key")


@frozen
class RowChanged:
    """A row of a list is another one now; *before*: what it was."""

    session_id: str | None
    table: str
    place: int
    row: Any
    before: Any = field(eq=False, repr=False)

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the attributes that differ."""
        return _public_names(self.before, self.row)


@frozen
class RowRemoved:
    """A row of a list is gone; *before*: what it was."""

    session_id: str | None
    table: str
    place: int
    before: Any = field(eq=False, repr=False)


Change: TypeAlias = (
    SessionAdded
    | SessionRemoved
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
"""What `diff` finds: one of the classes above."""

SNAPSHOT_RULE: Final = "_derives"
"""The one attribute of a `ConnectionChanged` that is the snapshot's own."""


def changed_names(before: Any, after: Any) -> tuple[str, ...]:
    """Return the names of the attributes that *after* has otherwise than *before*."""
    if type(before) is not type(after):
        return names_of(type(after))
    return tuple(name for name in names_of(type(after)) if differs(getattr(before, name), getattr(after, name)))


def _public_names(before: Any, after: Any) -> tuple[str, ...]:
    return tuple(name for name in changed_names(before, after) if not name.startswith("_"))


def differs(old: Any, new: Any) -> bool:
    """Whether two values of an attribute are different objects; texts and whole numbers, whether they are different."""
    return old is not new and not (type(old) is type(new) and type(new) in _COMPARED and old == new)


_COMPARED: Final = frozenset((str, int, frozenset))
"""What costs little to compare and is equal only where it is the same JSON."""


# --- applying them ---------------------------------------------------------------------------------


def apply(snapshot: Snapshot, changes: Iterable[Change]) -> Snapshot:
    """Return *snapshot* with *changes*: `apply(before, diff(before, after)) == after`.

    *snapshot* is what the changes were found from, or what this function made equal to it: one that was
    read from a document has other places. Raises `ForeignChangesError` where they name a session or a place
    that is not there or is taken, and `TypeError` for what is no snapshot or no change.
    """
    if not isinstance(snapshot, Snapshot):
        raise wrong_kind("changes are applied to a Snapshot", snapshot)
    for change in changes:
        snapshot = of_kind(_APPLIERS, change)(snapshot, change)
    return snapshot


def of_kind(functions: Mapping[type, Callable[..., T]], change: Change) -> Callable[..., T]:
    """Return which of *functions* is that for *change*. Raises `TypeError` if it is no change."""
    function = functions.get(type(change))
    if function is None:
        raise wrong_kind("changes are what diff gives", change)
    return function


def _known(snapshot: Snapshot, session_id: str) -> Session:
    session: Session | None = snapshot.sessions.get(session_id)
    if session is None:
        raise _foreign(f"there is no session {session_id!r}")
    return session


def _standing(table: Table[Any, Any], place: int) -> Table[Any, Any]:
    if not table.has_entry(place):
        raise _foreign(f"nothing stands at {place}")
    return table


def _foreign(why: str) -> ForeignChangesError:
    return ForeignChangesError(f"the changes were found from another snapshot: {why}")


def _with_session(snapshot: Snapshot, session: Session) -> Snapshot:
    return replace(snapshot, sessions=put_session(snapshot.sessions, session))


def _session_added(snapshot: Snapshot, change: SessionAdded) -> Snapshot:
    return _with_session(snapshot, change.session)


def _session_removed(snapshot: Snapshot, change: SessionRemoved) -> Snapshot:
    return replace(snapshot, sessions=make_sessions(session for id, session in snapshot.sessions.items() if id != change.session_id))


def _session_changed(snapshot: Snapshot, change: SessionChanged) -> Snapshot:
    return _with_session(snapshot, replace(_known(snapshot, change.session_id), **change.values))


def _connection_changed(snapshot: Snapshot, change: ConnectionChanged) -> Snapshot:
    values = dict(change.values)
    derives = values.pop(SNAPSHOT_RULE, snapshot._derives)
    return replace(snapshot, connection=replace(snapshot.connection, **values), _derives=derives)


def _history_replaced(snapshot: Snapshot, change: HistoryReplaced) -> Snapshot:
    values = {name: getattr(change.history, name) for name in names_of(History)}
    return _with_session(snapshot, replace(_known(snapshot, change.session_id), **values))


def _added(table: Any, place: int, key: object, row: Any) -> Any:
    """Return *table* with *row* at *place*, which is its end, or beyond places that were given out and are empty."""
    if place < (len(table) if isinstance(table, Log) else table.end):
        raise _foreign(f"something stands at {place}")
    if isinstance(table, Log):
        return table.append(row)
    while table.end < place:
        table = table.add(None, None).empty_slot(table.end)
    return table.add(key, row)


def _in_table(snapshot: Snapshot, session_id: str | None, table: str, edit: Callable[[Table[Any, Any]], Table[Any, Any]]) -> Snapshot:
    if session_id is None:
        connection = snapshot.connection
        return replace(snapshot, connection=replace(connection, **{table: edit(getattr(connection, table))}))
    session = _known(snapshot, session_id)
    return _with_session(snapshot, replace(session, **{table: edit(getattr(session, table))}))


def _entry_added(snapshot: Snapshot, change: EntryAdded) -> Snapshot:
    return _in_table(snapshot, change.session_id, "timeline", lambda table: _added(table, change.place, change._key, change.entry))


def _entry_changed(snapshot: Snapshot, change: EntryChanged) -> Snapshot:
    return _in_table(snapshot, change.session_id, "timeline", lambda table: _standing(table, change.place).put(change.place, change.entry))


def _text_added(snapshot: Snapshot, change: TextAppended) -> Snapshot:
    def edit(table: Table[Any, Any]) -> Table[Any, Any]:
        message = _standing(table, change.place).at(change.place)
        return table.put(change.place, replace(message, content=_longer(message, change.text)))

    return _in_table(snapshot, change.session_id, "timeline", edit)


def _longer(message: Any, text: str) -> Content:
    content = (message.content if isinstance(message, Message) else EMPTY_CONTENT).with_text(text)
    if content is None:
        raise _foreign("a message has no text that goes on")
    return content


def _turn_began(snapshot: Snapshot, change: TurnBegan) -> Snapshot:
    return _in_table(snapshot, change.session_id, "turns", lambda table: _added(table, change.place, change._key, change.turn))


def _turn_changed(snapshot: Snapshot, change: TurnChanged) -> Snapshot:
    return _in_table(snapshot, change.session_id, "turns", lambda table: _standing(table, change.place).put(change.place, change.turn))


def _output_added(snapshot: Snapshot, change: OutputAppended) -> Snapshot:
    def edit(table: Table[Any, Any]) -> Table[Any, Any]:
        terminal: Terminal = _standing(table, change.place).at(change.place)
        output = terminal.output
        if output is None:
            raise _foreign(f"terminal {terminal.id!r} has no output")
        return table.put(change.place, replace(terminal, output=output.append(change.data)))

    return _in_table(snapshot, change.session_id, "terminals", edit)


def _row_added(snapshot: Snapshot, change: RowAdded) -> Snapshot:
    return _in_table(snapshot, change.session_id, change.table, lambda table: _added(table, change.place, change._key, change.row))


def _row_changed(snapshot: Snapshot, change: RowChanged) -> Snapshot:
    return _in_table(snapshot, change.session_id, change.table, lambda table: _standing(table, change.place).put(change.place, change.row))


def _row_removed(snapshot: Snapshot, change: RowRemoved) -> Snapshot:
    return _in_table(snapshot, change.session_id, change.table, lambda table: _standing(table, change.place).empty_slot(change.place))


_APPLIERS: Final[Mapping[type, Callable[[Snapshot, Any], Snapshot]]] = {
    SessionAdded: _session_added,
    SessionRemoved: _session_removed,
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
