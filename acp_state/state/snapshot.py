"""The connection, and the snapshot that holds it and its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Final, Literal

from .._json import Json
from .._model import Entity, Part
from ..containers import EMPTY_TABLE, Table, make_table
from ..protocol.objects import AuthMethod, Implementation, ListedSession
from .entries import Elicitation, JsonArray, JsonObject, RequestId
from .session import Extension, Session


class Auth(Part, frozen=True):
    """What the agent says of authentication (schema `AuthStatusResponse`)."""

    state: str
    accounts: JsonArray | None = None


class OpenRequest(Part, frozen=True):
    """A request without an answer yet."""

    from_: str
    id: RequestId
    method: str
    session_id: str | None = None


class Connection(Entity, frozen=True, eq=False):
    """What was agreed on between client and agent, and what belongs to no session."""

    phase: Literal["new", "initializing", "ready", "failed", "closed"] = "new"
    protocol_version: int | None = None
    requested_protocol_version: Json | None = None
    error: Json | None = None
    agent: Implementation | None = None
    client: Implementation | None = None
    agent_capabilities: JsonObject | None = None
    client_capabilities: JsonObject | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    authenticated: str | None = None
    auth: Auth | None = None
    open_requests: Table[object, OpenRequest] = EMPTY_TABLE
    elicitations: Table[object, Elicitation] = EMPTY_TABLE
    listed_sessions: Table[str, ListedSession] | None = None
    next_cursor: str | None = None
    extensions: Table[object, Extension] = EMPTY_TABLE
    exit: JsonObject | None = None
    meta: JsonObject | None = None
    _urls: Table[str, int] = EMPTY_TABLE
    """Where elicitations stand that an `elicitation/complete` may name."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(("_urls",))


NO_SESSION: Final = Session(id=None)  # type: ignore[arg-type]  # an id that no session has


class Sessions(Mapping[str, Session]):
    """The sessions of a snapshot by their id, in the order in which they were heard of.

    The one that changed last stands beside the table of all, since the next change most often is to the same one.
    """

    __slots__ = ("_current", "_table")

    _table: Table[str, Session]
    _current: Session

    def get(self, session_id: str, default: Any = None) -> Any:
        """Return the session *session_id*, *default* if there is none."""
        if session_id == self._current.id:
            return self._current
        session = self._table.get(session_id)
        return default if session is None else session

    def ids_changed_since(self, older: Sessions) -> list[str]:
        """Return the ids of the sessions that differ, or are not in *older*. Costs what differs, if *older* is an earlier version."""
        mine, theirs = self._table, older._table
        if mine is theirs:
            ids = {self._current.id, older._current.id}
        elif mine.continues(theirs):
            ids = {*(mine.key_at(slot) for slot in mine.differences(theirs)), self._current.id, older._current.id}
        else:
            ids = set(self)
        # In their own order: what is applied one by one comes to the same table.
        changed = [session_id for session_id in ids if session_id in self and self[session_id] is not older.get(session_id)]
        return sorted(changed, key=mine.slot_of)

    def __getitem__(self, session_id: str) -> Session:
        session: Session | None = self.get(session_id)
        if session is None:
            raise KeyError(session_id)
        return session

    def __contains__(self, session_id: object) -> bool:
        return self._table.slot_of(session_id) >= 0  # type: ignore[arg-type]  # no key of another kind stands there

    def __iter__(self) -> Iterator[str]:
        return iter([key for key, _ in self._table.entries()])

    def __len__(self) -> int:
        return len(self._table)

    def __eq__(self, other: object) -> bool:
        # Not the order: sessions that interleave differently are the same sessions.
        return dict(self.items()) == dict(other.items()) if isinstance(other, Mapping) else NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Sessions({dict(self.items())!r})"

    def __copy__(self) -> Sessions:
        return self

    def __deepcopy__(self, _: object) -> Sessions:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (make_sessions, (list(self.values()),))


def share_sessions(table: Table[str, Session], current: Session) -> Sessions:
    """Return the sessions of *table*, in which *current* stands under its id, maybe as it was before."""
    # There is no `__init__`: whoever called that would change a snapshot.
    new: Sessions = _new(Sessions)
    new._table = table
    new._current = current
    return new


_new: Final[Any] = object.__new__


def make_sessions(sessions: Iterable[Session] = ()) -> Sessions:
    """Return a mapping of *sessions*."""
    return share_sessions(make_table((session.id, session) for session in sessions), NO_SESSION)


def put_session(sessions: Sessions, session: Session) -> Sessions:
    """Return *sessions* with *session* under its id."""
    table, current = sessions._table, sessions._current
    if current is not NO_SESSION and current.id != session.id:
        table = table.set(current.id, current)
    if table.slot_of(session.id) < 0:
        table = table.add(session.id, session)
    return share_sessions(table, session)


class Snapshot(Entity, frozen=True, eq=False):
    """Everything that a recording says, up to some frame.

    Two snapshots are equal when they say the same; parts that did not change are the same object.
    """

    connection: Connection = Connection()
    sessions: Sessions = make_sessions()
    """The sessions by their id, in the order in which they were heard of."""
    _derives: bool = False
    """Whether sessions derive their activity (v1, both sides seen)."""
    _connection_number: int = 0
    """How many connections there were before this one."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(("_connection_number",))
    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys


EMPTY: Final = Snapshot()
