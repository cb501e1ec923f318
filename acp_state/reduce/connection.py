"""The connection: who talks to whom, what is open, and its end."""

from __future__ import annotations

from typing import Any

from .._model import UNSET, evolve
from .._persistent import Table
from ..events import (
    ActivityRuleChanged,
    Authenticated,
    AuthReported,
    Connected,
    ConnectFailed,
    Connecting,
    ConnectionMetaSent,
    Exited,
    LoggedOut,
    RequestClosed,
    RequestOpened,
    SessionsListed,
)
from ..state import Connection, JsonObject, Snapshot
from ._session import (
    Note,
    changed,
    find_or_make,
    merged_meta,
    with_activity,
    with_session,
)
from .sessions import disconnected


def _with(snapshot: Snapshot, meta: JsonObject | None = None, **facts: Any) -> Snapshot:
    """Return *snapshot* with *facts* of the connection, and *meta* merged into its own."""
    connection = snapshot.connection
    after: Connection = changed(connection, meta=merged_meta(connection.meta, meta), **facts)
    return snapshot if after is connection else evolve(snapshot, connection=after)


def connecting(snapshot: Snapshot, event: Connecting, note: Note) -> Snapshot:
    """The client initializes; if it did before, nothing of the old connection goes on (SPEC 4)."""
    if event.renewed:
        for session in snapshot.sessions.values():
            after = disconnected(session)
            if after is not session:
                snapshot = with_session(snapshot, after)
    return _with(
        snapshot,
        event.meta,
        phase="initializing",
        requested_protocol_version=event.requested_version,
        client=event.client,
        client_capabilities=event.capabilities,
        error=None,
    )


def connected(snapshot: Snapshot, event: Connected, note: Note) -> Snapshot:
    """The agent agreed."""
    return _with(
        snapshot,
        event.meta,
        phase="ready",
        protocol_version=event.version,
        error=None,
        agent=event.agent,
        agent_capabilities=event.capabilities,
        auth_methods=event.auth_methods,
    )


def connect_failed(snapshot: Snapshot, event: ConnectFailed, note: Note) -> Snapshot:
    """The agent refused, or cannot be understood."""
    return _with(
        snapshot,
        event.meta,
        phase="failed",
        protocol_version=None,
        error=event.error,
        agent=event.agent,
        agent_capabilities=event.capabilities,
        auth_methods=event.auth_methods,
    )


def activity_rule_changed(snapshot: Snapshot, event: ActivityRuleChanged, note: Note) -> Snapshot:
    """Sessions derive their activity from now on, or no more."""
    snapshot = evolve(snapshot, _derives=event.derives)
    for session in snapshot.sessions.values():
        snapshot = with_session(snapshot, with_activity(evolve(session, _derives=event.derives)))
    return snapshot


def authenticated(snapshot: Snapshot, event: Authenticated, note: Note) -> Snapshot:
    """The user is who they say they are."""
    return _with(
        snapshot,
        event.meta,
        authenticated=UNSET if event.method_id is None else event.method_id,
    )


def logged_out(snapshot: Snapshot, event: LoggedOut, note: Note) -> Snapshot:
    """The user is nobody again; what the agent said of accounts is no longer so."""
    return _with(snapshot, event.meta, authenticated=None, auth=None)


def auth_reported(snapshot: Snapshot, event: AuthReported, note: Note) -> Snapshot:
    """The agent said whether the user is authenticated."""
    return _with(snapshot, event.meta, auth=event.auth)


def sessions_listed(snapshot: Snapshot, event: SessionsListed, note: Note) -> Snapshot:
    """Replace the agent's list of sessions, or go on with it (SPEC 4.6)."""
    listed = snapshot.connection.listed_sessions
    if event.sessions is not None:
        table = listed if event.append and listed is not None else Table[str, Any]()
        for session in event.sessions:
            table = table.put(session.id, session)
        listed = table
    return _with(snapshot, event.meta, listed_sessions=listed, next_cursor=event.next_cursor)


def request_opened(snapshot: Snapshot, event: RequestOpened, note: Note) -> Snapshot:
    """A request waits for its answer; one that has the same key waits no more."""
    if event.names_session and event.request.session_id is not None and snapshot.sessions.find(event.request.session_id) is None:
        snapshot = with_session(snapshot, find_or_make(snapshot, event.request.session_id, note))
    connection = snapshot.connection
    open_requests = connection.open_requests
    place = open_requests.place(event.key)
    if place >= 0:
        if place == open_requests.end - 1 and open_requests.at(place) == event.request:
            return snapshot
        open_requests = open_requests.remove_at(place)
    return evolve(snapshot, connection=evolve(connection, open_requests=open_requests.add(event.key, event.request)))


def request_closed(snapshot: Snapshot, event: RequestClosed, note: Note) -> Snapshot:
    """A request waits no more."""
    connection = snapshot.connection
    open_requests = connection.open_requests.remove(event.key)
    if open_requests is connection.open_requests:
        return snapshot
    return evolve(snapshot, connection=evolve(connection, open_requests=open_requests))


def exited(snapshot: Snapshot, event: Exited, note: Note) -> Snapshot:
    """The agent's process is over."""
    return _with(snapshot, phase="closed", exit=event.exit)


def meta_sent(snapshot: Snapshot, event: ConnectionMetaSent, note: Note) -> Snapshot:
    """Merge `_meta` into the connection's."""
    return _with(snapshot, event.meta)
