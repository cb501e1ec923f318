"""What going on needs and the document does not say, as it follows from what it does say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import state as s
from .._json import key_of
from .._model import replace
from ..containers import Table, make_table
from ..normalize.wire import Asked, Wire
from ..reduce.carry import find_ends


def follows_from(snapshot: s.Snapshot) -> Wire:
    """Return the wire of *snapshot* as far as the snapshot alone tells."""
    connection = snapshot.connection
    version = connection.protocol_version
    usual = Wire()
    for serial, request in enumerate(connection.open_requests, 1):
        key = key_of(request.id) if request.id is not None else ("#", serial)
        waits = request.method == "session/prompt" and version == 2
        asked = Asked(request.from_, key, request.id, request.method, request.session_id, waits)
        usual = usual.with_open(asked)
    listed, cursor = connection.listed_sessions, connection.next_cursor
    return replace(
        usual,
        version=version or 1,
        settled=version is not None,
        client_seen=connection.requested_protocol_version is not None,
        agent_seen=version is not None,
        recorded=_recorded(snapshot),
        serial=len(connection.open_requests),
        urls=_urls(snapshot),
        roots=make_table((session.id, True) for session in snapshot.sessions.values() if session.parent is None),
        children=make_table((session.id, True) for session in snapshot.sessions.values() if session.parent is not None),
        list_number=0 if listed is None else 1,
        cursors=make_table(() if cursor is None else ((cursor, 1),)),
        last_session=next(reversed(list(snapshot.sessions)), None),
    )


def _recorded(snapshot: s.Snapshot) -> frozenset[str]:
    """The methods that a usual recording with this outcome has."""
    connection = snapshot.connection
    if connection.requested_protocol_version is None:
        return frozenset()
    recorded = {"initialize"} | {request.method for request in connection.open_requests if request.from_ == "client"}
    if snapshot.sessions:
        recorded.add("session/new")
    if any(turn.prompts for session in snapshot.sessions.values() for turn in session.turns):
        recorded.add("session/prompt")
    return frozenset(recorded)


def _urls(snapshot: s.Snapshot) -> Table[str, str | None]:
    """The elicitations that may be completed."""
    waiting: dict[str, tuple[bool, str | None]] = {}
    holders: list[tuple[str | None, Iterable[Any]]] = [(None, snapshot.connection.elicitations)]
    for session in snapshot.sessions.values():
        histories: tuple[s.History, ...] = (session,) if session.before is None else (session.before, session)
        holders += [(session.id, history.timeline) for history in histories]
    for session_id, entries in holders:
        for entry in entries:
            if isinstance(entry, s.Elicitation) and entry.elicitation_id is not None:
                waiting[entry.elicitation_id] = (not entry.completed, session_id)
    return make_table((id, session_id) for id, (waits, session_id) in waiting.items() if waits)


def usual_said(session: s.Session, snapshot: s.Snapshot, *, derives: bool) -> s.Said:
    """Who said what *session* is doing, as far as that shows: itself, its parent, or nobody, since it is new."""
    if derives or session.activity is None or session.phase in ("closed", "deleted"):
        return s.NOTHING_SAID
    parent = None if session.parent is None else snapshot.sessions.get(session.parent.session_id)
    listed = None if parent is None else parent.subagents.get(session.id)
    if listed is not None and listed.state is not None and listed.state.get("state") == session.activity:
        return s.Said(mirrored=session.activity)
    if session.activity == "idle" and not session.turns:
        return s.Said(idle=True)
    return s.Said(reported=session.activity)


def usual_last_ended(session: s.Session) -> int | None:
    return max(
        (place for place, turn in session.turns.slots() if turn.status != "running"),
        default=None,
    )


def usual_known_until(session: s.Session, *, known: bool) -> s.Ends:
    """Where the history that a load may replace ended when that was asked: nothing came since."""
    return find_ends(session.before or session) if known else s.Ends()


def usual_fresh(session: s.Session) -> frozenset[str]:
    if session.phase != "unannounced":
        return frozenset()
    return frozenset(name for name in ("config_options", "available_commands") if getattr(session, name) is not None)


def usually_reusable(history: s.History) -> dict[int, bool]:
    """The same, as far as the order of the timeline tells."""
    entries = list(history.timeline)
    usual: dict[int, bool] = {}
    user_after, turn_after = False, -1
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if isinstance(entry, s.ToolCall) and entry.final:
            if entry.historical:
                usual[place] = user_after
            elif entry.turn is not None:
                usual[place] = entry.turn < history.turns.end - 1
            else:
                earlier = max(
                    (other.turn for other in entries[max(0, place - 8) : place] if other.turn is not None),
                    default=-1,
                )
                usual[place] = turn_after > earlier
        if isinstance(entry, s.Message) and entry.historical and entry.role == "user":
            user_after = True
        if entry.turn is not None:
            turn_after = max(turn_after, entry.turn)
    return usual
