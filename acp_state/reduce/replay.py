"""Replayed history: what a load or resume brings, and what becomes of what was there (SPEC 4.6)."""

from __future__ import annotations

from typing import Any

from .._model import evolve, maker, names_of
from ..events import PlanRemoved, PlanReplaced, TerminalOutputAppended, TerminalPatched, ToolCallPatched, UnknownUpdated
from ..state import (
    EMPTY_TABLE,
    Compaction,
    Entry,
    History,
    JsonArray,
    Loading,
    Message,
    Session,
    ToolCall,
)
from . import prompts
from ._session import (
    NOTHING_SPARED,
    Handler,
    Note,
    SessionHandler,
    Spared,
    activity_of,
    changed,
    in_session,
    is_spared,
    is_unfinished,
    place_of_message,
    spared_calls,
    with_activity,
    with_call,
)
from .carrying import with_live_of_aside, with_live_of_replay


def in_history(handler: SessionHandler, *, beside: bool = False) -> Handler:
    """Make a handler of an update that history is made of: during a load it is replayed, unless it came with a request.

    *beside*: as of `in_session`.
    """

    def loading(session: Session, event: Any, note: Note) -> Session:
        if getattr(event, "live", False) or getattr(event, "owner", None) == "client":
            return _live(session, event, note, handler)
        after = handler(_entered(session, event, note), event, note)
        if after.before is None or after.replaying or type(event) not in _STANDING:
            return after
        before = _changed_aside(after.before, after, event, _unheard, handler)
        return after if before is after.before else evolve(after, before=before)

    return in_session(handler, beside=beside, loading=loading)


_STANDING = frozenset((PlanReplaced, PlanRemoved, UnknownUpdated, TerminalPatched, TerminalOutputAppended))
"""Updates of what stands beside the timeline: live ones, after a replay's end, are so whether or not the load succeeds."""


def _live(session: Session, event: Any, note: Note, handler: SessionHandler) -> Session:
    """Apply what is no replay during one: where the entity stands that it is about, be it aside."""
    if session.before is not None and _stands(session.before, event):
        before = _changed_aside(session.before, session, event, note, handler)
        if before is not session.before:
            session = evolve(session, before=before)
        if not _stands(session, event):
            return session
    live = evolve(session, _loading=None)
    after = handler(live, event, note)
    return session if after is live else evolve(after, _loading=session._loading)


def _changed_aside(before: History, session: Session, event: Any, note: Note, handler: SessionHandler) -> History:
    """Return the history that *session* keeps aside, changed as if it stood there."""
    aside: Session = evolve(session, before=None, _loading=None, **_fields(before))
    after = handler(aside, event, note)
    return before if after is aside else history_of(after)


def _unheard(code: str, message: str, subject: str | None = None) -> None:
    """Take no note of what was noted already."""


def _stands(history: History, event: Any) -> bool:
    if isinstance(event, ToolCallPatched):
        return history.timeline.place(("tool_call", event.id)) >= 0
    return history.terminals.place((event.owner, event.id)) >= 0


def _entered(session: Session, event: Any, note: Note) -> Session:
    """Return *session* as it is when a replayed update comes."""
    loading = session._loading
    if loading is None or not loading.replaying:
        return session
    if loading.scope == "none":
        if not _is_replay(session, loading, event):
            return session
        note(
            "replay-in-resume",
            f"the agent replays session {session.id!r} though nobody asked it to",
            session.id,
        )
        loading = evolve(loading, scope="start")
    if loading.begun:
        return session
    session = evolve(session, _loading=evolve(loading, begun=True))
    if loading.scope != "start":
        return session
    # An unknown session may have been asked something, or prompted, before it brings anything.
    if loading.known or session.timeline or session.turns:
        session = evolve(session, before=history_of(session))
    return evolve(session, **_fields(History()))


def _is_replay(session: Session, loading: Loading, event: Any) -> bool:
    """Whether *event* shows that a plain resume brings history all the same.

    Only the user's own words can: what else comes may be work that went on.
    """
    if getattr(event, "role", None) != "user" or session._open_turns or prompts.any_waits(session):
        return False
    return event.id is None or 0 <= place_of_message(session, "user", event.id) < loading.known_until.timeline


def history_of(session: Session) -> History:
    """Return the part of *session* that a replay replaces."""
    return _history(*_fields(session).values())


_NAMES = names_of(History)
_history = maker(History, *_NAMES)


def _fields(history: History) -> dict[str, Any]:
    return {name: getattr(history, name) for name in _NAMES}


def renewed(session: Session, key: object, place: int, blank: Entry) -> Session:
    """Return *session* with the entry at *place* made blank when a replay from a cursor first names it."""
    loading = session._loading
    if loading is None or loading.scope != "cursor" or not loading.replaying or loading.seen.place(key) >= 0:
        return session
    old = None if place < 0 else session.timeline.at(place)
    seen = loading.seen.add(key, None if old is None else (place, old))
    session = evolve(session, _loading=evolve(loading, seen=seen))
    if old is None:
        return session
    if isinstance(old, ToolCall):
        session = with_call(session, place, old, _done(old))  # its turn has no such call any more
    return evolve(session, timeline=session.timeline.replace(place, blank))


def _done(call: ToolCall) -> ToolCall:
    return evolve(call, status="completed")


def _put_back(session: Session, loading: Loading) -> Session:
    """Return *session* with the entries that a replay from a cursor replaced: it failed, and nothing may be lost."""
    for replaced in loading.seen:
        if replaced is None:
            continue
        place, old = replaced
        if isinstance(old, ToolCall):
            session = with_call(session, place, _done(old), old)
        session = evolve(session, timeline=session.timeline.replace(place, old))
    return session


def ended(session: Session, activity: str | None, background: JsonArray | None = None) -> Session:
    """Return *session* with the replay over: what comes is live; *activity* and *background* are those from now on."""
    loading = session._loading
    if loading is None or not loading.replaying:
        return session
    session = evolve(session, _loading=evolve(loading, replaying=False))
    return _with_open_calls_unresolved(session, spared_calls(background)) if activity in (None, "idle") else session


def _with_open_calls_unresolved(session: Session, spared: Spared = NOTHING_SPARED) -> Session:
    timeline = session.timeline
    for place, entry in session.timeline.places():
        if isinstance(entry, ToolCall) and entry.historical and is_unfinished(entry) and not is_spared(entry, spared):
            timeline = timeline.replace(place, evolve(entry, unresolved=True))
    return session if timeline is session.timeline else evolve(session, timeline=timeline)


def finished(session: Session, *, succeeded: bool) -> Session:
    """Return *session* with its load answered: the replay stays, or what it would have replaced returns."""
    loading, before = session._loading, session.before
    if loading is None:
        return session
    session = evolve(session, _loading=None, before=None)
    if not succeeded:
        session = _put_back(session, loading)
    stays = succeeded or before is None or not loading.known
    if before is not None and stays:
        session = with_live_of_aside(session, before, loading.known_until if loading.known else None)
    elif before is not None:
        session = with_live_of_replay(evolve(session, **_fields(before)), history_of(session))
    if loading.replaying and loading.begun and stays:
        activity = activity_of(session)
        if activity in (None, "idle"):
            session = _with_open_calls_unresolved(session)
    return with_activity(session)


def made_history(session: Session) -> Session:
    """Return *session* with all that stands there as history: an answer to a load that nobody saw asked."""
    timeline = session.timeline
    for place, entry in session.timeline.places():
        changes: dict[str, Any] = {}
        if entry.turn is not None:
            changes["turn"] = None
        if isinstance(entry, (Message, ToolCall, Compaction)) and not entry.historical:
            changes["historical"] = True
        if changes:
            timeline = timeline.replace(place, evolve(entry, **changes))
    session = changed(
        session,
        timeline=timeline,
        turns=EMPTY_TABLE,
        stop_reason=None,
        _open_turns=EMPTY_TABLE,
        _echoed=EMPTY_TABLE,
        _last_ended=None,
        _run_broken=True,
    )
    return _with_open_calls_unresolved(session)
