"""The connection, and the snapshot that holds it and its sessions, with the text that is gathered beside these."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import ClassVar, Final, Literal

from .._json import Json
from .._model import field, frozen, replacer
from .._persistent import Registry, Table
from .entries import EMPTY_TABLE, Elicitation, JsonArray, JsonObject, Message, RequestId
from .session import Extension, Session


@frozen
class Implementation:
    """Who a side is (schema `Implementation`)."""

    name: str | None = None
    title: str | None = None
    version: str | None = None
    meta: JsonObject | None = None


@frozen
class AuthMethod:
    """A way to authenticate (schema `AuthMethod`); values of environment variables are never kept."""

    id: str
    type: str | None = None
    name: str | None = None
    description: str | None = None
    args: tuple[str, ...] | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None


@frozen
class Auth:
    """What the agent says of authentication (schema `AuthStatusResponse`)."""

    state: str
    accounts: JsonArray | None = None


@frozen
class OpenRequest:
    """A request without an answer yet."""

    from_: str
    id: RequestId
    method: str
    session_id: str | None = None


@frozen
class ListedSession:
    """A session of the agent's list (schema `SessionInfo`)."""

    id: str
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    title: str | None = None
    updated_at: str | None = None
    archived: bool | None = None
    meta: JsonObject | None = None


@frozen(weakref_slot=True)
class Connection:
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
    _urls: Table[str, int] = field(default=EMPTY_TABLE, eq=False, repr=False)
    """Where elicitations stand that an `elicitation/complete` may name."""


EMPTY_REGISTRY: Final = Registry[str, Session]()


with_content: Final = replacer(Message, "content")
with_timeline: Final = replacer(Session, "timeline")


@frozen(eq=False)
class Stream:
    """A message that pieces of text are gathered for, as it is without them."""

    session_id: str
    place: int
    message: Message
    block: JsonObject
    """The text block that grows, without its text."""


_STREAM: Final = itemgetter(0)
_TEXT: Final = itemgetter(1)


class Streams:
    """Text that is gathered beside the sessions until somebody looks: at most snapshots of a stream nobody ever does.

    While text is gathered nothing else changes a message. So what a piece belongs to need not be
    found out twice. Snapshots share one growing *log*, as versions of a `Log` do.
    """

    __slots__ = ("_messages", "_sessions", "at", "log", "open")

    def __init__(self) -> None:
        self.open: dict[tuple[str, str, str | int], Stream] = {}
        """The streams, by session, role and id of their pieces; without an id, by the message's place."""
        self.at: dict[tuple[str, int], Stream] = {}
        """The streams, by session and place: a message has one, by whatever its pieces are found."""
        self.log: list[tuple[Stream, str]] = []
        # What was made of it for one snapshot is what another one gets, too: what did not change is the same object.
        self._messages: dict[tuple[Stream, int], Message] = {}
        self._sessions: dict[tuple[object, ...], list[tuple[Session, Session]]] = {}

    def grown(self, sessions: Registry[str, Session], size: int) -> Registry[str, Session]:
        """Return *sessions* with the text of the first *size* pieces of the log."""
        found: dict[str, dict[Stream, list[str]]] = {}
        for stream, pieces in groupby(self.log[:size], _STREAM):
            found.setdefault(stream.session_id, {}).setdefault(stream, []).extend(map(_TEXT, pieces))
        for session_id, streams in found.items():
            sessions = sessions.put(session_id, self._grown(sessions[session_id], streams))
        return sessions

    def _grown(self, session: Session, streams: dict[Stream, list[str]]) -> Session:
        known = self._sessions.setdefault((session.id, *map(len, streams.values())), [])
        for before, after in known:
            if before is session:
                return after
        timeline = session.timeline
        for stream, texts in streams.items():
            timeline = timeline.replace(stream.place, self._message(stream, texts))
        after = with_timeline(session, timeline)
        known.append((session, after))
        return after

    def _message(self, stream: Stream, texts: list[str]) -> Message:
        key = (stream, len(texts))
        message = self._messages.get(key)
        if message is None:
            message = with_content(stream.message, stream.message.content.extended(texts))
            message = self._messages.setdefault(key, message)  # two threads may both do it
        return message


@frozen(eq=False, repr=False)
class Snapshot:
    """Everything that a recording says, up to some frame.

    Two snapshots are equal when they say the same; parts that did not change are the same object.
    """

    connection: Connection = Connection()
    _sessions: Registry[str, Session] = EMPTY_REGISTRY
    """The sessions, without the text that is gathered beside them."""
    _derives: bool = False
    """Whether sessions derive their activity (v1, both sides seen)."""
    _streams: Streams | None = None
    _size: int = 0
    """How much of the log of *_streams* is ours."""
    _whole: Registry[str, Session] | None = None
    """The sessions with all text, once somebody looked."""

    @property
    def sessions(self) -> Registry[str, Session]:
        """The sessions by their id, in the order in which they were heard of."""
        if self._streams is None:
            return self._sessions
        whole = self._whole
        if whole is None:
            whole = self._streams.grown(self._sessions, self._size)
            _keep_whole(self, whole)  # two threads may both do it, and get equal values
        return whole

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Snapshot):
            return NotImplemented
        return self.connection == other.connection and self._derives == other._derives and self.sessions == other.sessions

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Snapshot(connection={self.connection!r}, sessions={self.sessions!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (Snapshot, (self.connection, self.sessions, self._derives))


# The slot itself: what is kept there changes nothing.
_keep_whole: Final = Snapshot._whole.__set__  # type: ignore[union-attr]  # a slot is a descriptor

EMPTY: Final = Snapshot()
