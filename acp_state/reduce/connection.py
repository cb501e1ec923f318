"""The connection: who talks to whom, what is open, and its end."""

from __future__ import annotations

from typing import Any

from .._model import UNSET, replace
from ..containers import EMPTY_TABLE
from ..events import (
    ActivityRuleChanged,
    Authenticated,
    AuthReported,
    ConnectionMetaSent,
    Exited,
    Initialized,
    InitializeFailed,
    InitializeRequested,
    LoggedOut,
    RequestClosed,
    RequestOpened,
    SessionsListed,
)
from ..protocol.requests import InitializeResponse
from ..state import JsonObject
from .draft import Draft
from .history import merge_meta, with_changes


def _change(draft: Draft, meta: JsonObject | None = None, **facts: Any) -> None:
    """Have *facts* be said of the connection, and merge *meta* into its own."""
    connection = draft.connection
    draft.connection = with_changes(connection, meta=merge_meta(draft, connection.meta, meta), **facts)


def apply_initialize_request(draft: Draft, event: InitializeRequested) -> None:
    """The client initializes; if it did before, nothing of the old connection goes on (SPEC 4)."""
    if event.renewed:
        draft.begin_connection()
    request = event.request
    _change(
        draft,
        request.meta,
        phase="initializing",
        requested_protocol_version=request.protocol_version,
        client=request.info,
        client_capabilities=request.capabilities,
        error=None,
    )


def apply_initialize_answer(draft: Draft, event: Initialized) -> None:
    """The agent agreed."""
    _change(draft, event.response.meta, phase="ready", protocol_version=event.version, error=None, **_facts_of(event.response))


def apply_initialize_failure(draft: Draft, event: InitializeFailed) -> None:
    """The agent refused, or cannot be understood."""
    response = event.response or InitializeResponse()
    _change(draft, response.meta, phase="failed", protocol_version=None, error=event.error, **_facts_of(response))


def _facts_of(response: InitializeResponse) -> dict[str, Any]:
    return {"agent": response.info, "agent_capabilities": response.capabilities, "auth_methods": response.auth_methods}


def apply_activity_rule(draft: Draft, event: ActivityRuleChanged) -> None:
    """Sessions derive their activity from now on, or no more."""
    draft.set_activity_rule(event.derives)


def apply_authentication(draft: Draft, event: Authenticated) -> None:
    """The user is who they say they are."""
    _change(draft, event.meta, authenticated=UNSET if event.method_id is None else event.method_id)


def apply_logout(draft: Draft, event: LoggedOut) -> None:
    """The user is nobody again; what the agent said of accounts is no longer so."""
    _change(draft, event.meta, authenticated=None, auth=None)


def apply_auth_report(draft: Draft, event: AuthReported) -> None:
    """The agent said whether the user is authenticated."""
    _change(draft, event.meta, auth=event.auth)


def apply_session_list(draft: Draft, event: SessionsListed) -> None:
    """Replace the agent's list of sessions, or go on with it (SPEC 4.6)."""
    listed = draft.connection.listed_sessions
    if event.sessions is not None:
        listed = listed if event.append and listed is not None else EMPTY_TABLE
        for session in event.sessions:
            listed = listed.set(session.id, session, draft.owner)
    connection = draft.connection
    if listed is not connection.listed_sessions:
        draft.connection = replace(connection, listed_sessions=listed)
    _change(draft, event.meta, next_cursor=event.next_cursor)


def apply_request(draft: Draft, event: RequestOpened) -> None:
    """A request waits for its answer; one that has the same key waits no more."""
    session_id = event.request.session_id
    if event.names_session and session_id is not None and not draft.has_session(session_id):
        draft.open_session(session_id)
    requests = draft.connection.open_requests
    slot = requests.slot_of(event.key)
    if slot >= 0:
        if slot == requests.end - 1 and requests.at(slot) == event.request:
            return
        requests = requests.remove_slot(slot, draft.owner)
    draft.connection = replace(draft.connection, open_requests=requests.add(event.key, event.request, draft.owner))


def apply_request_end(draft: Draft, event: RequestClosed) -> None:
    """A request waits no more."""
    requests = draft.connection.open_requests
    after = requests.remove(event.key, draft.owner)
    if after is not requests:
        draft.connection = replace(draft.connection, open_requests=after)


def apply_exit(draft: Draft, event: Exited) -> None:
    """The agent's process is over."""
    _change(draft, phase="closed", exit=event.exit)


def apply_connection_meta(draft: Draft, event: ConnectionMetaSent) -> None:
    """Merge `_meta` into the connection's."""
    _change(draft, event.meta)
