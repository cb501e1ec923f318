"""Replayed history: what a load or resume brings, and what becomes of what was there (SPEC 4.6)."""

from __future__ import annotations

from typing import Any, Final

from .._model import names_of, replace
from ..containers import EMPTY_LOG, EMPTY_TABLE
from ..events import SessionUpdate, TerminalPatched, TerminalPrinted
from ..protocol import updates as u
from ..state import Compaction, Entry, History, JsonArray, Loading, Message, Session, ToolCall
from . import prompts
from .carry import carry_from_aside, carry_from_replay
from .draft import Draft, ignore
from .history import (
    ENDED,
    NOTHING_SPARED,
    Handler,
    SessionHandler,
    Spared,
    activity_of,
    find_spared,
    find_unfinished,
    index_of_message,
    is_spared,
    put_call,
    put_entry,
    report_ended,
    with_activity,
)


def in_history(handler: SessionHandler) -> Handler:
    """Make a handler of an update that history is made of: during a load it is replayed, unless it came with a request."""

    def handle(draft: Draft, event: Any) -> None:
        session = draft.session
        if session.id != event.session_id:
            session = draft.open_session(event.session_id)
        if session.phase in ENDED:
            report_ended(draft, session)
        elif session._loading is None:
            draft.session = handler(draft, session, event)
        else:
            draft.session = _apply_in_load(draft, session, event, handler)

    return handle


def _apply_in_load(draft: Draft, session: Session, event: Any, handler: SessionHandler) -> Session:
    if event.live or getattr(event, "owner", "agent") == "client":
        return _apply_live(draft, session, event, handler)
    after = handler(draft, _enter_replay(draft, session, event), event)
    if after.before is None or after.replaying or type(getattr(event, "update", event)) not in _STANDING:
        return after
    # It was reported already.
    report, draft.report = draft.report, ignore
    before = _apply_aside(draft, after.before, after, event, handler)
    draft.report = report
    return after if before is after.before else replace(after, before=before)


_STANDING: Final = frozenset(
    (u.Plan, u.PlanUpdate, u.PlanRemoved, u.UnknownUpdate, u.TerminalUpdate, u.TerminalOutputChunk, TerminalPatched, TerminalPrinted)
)
"""Updates of what stands beside the timeline: live ones, after a replay's end, are so whether or not the load succeeds."""


def _apply_live(draft: Draft, session: Session, event: Any, handler: SessionHandler) -> Session:
    """Apply what is no replay during one: where the entity stands that it is about, be it aside."""
    if session.before is not None and _has_subject(session.before, event):
        before = _apply_aside(draft, session.before, session, event, handler)
        if before is not session.before:
            session = replace(session, before=before)
        if not _has_subject(session, event):
            return session
    live = replace(session, _loading=None)
    after = handler(draft, live, event)
    return session if after is live else replace(after, _loading=session._loading)


def _apply_aside(draft: Draft, before: History, session: Session, event: Any, handler: SessionHandler) -> History:
    """Return the history that *session* keeps aside, changed as if it stood there."""
    aside = replace(session, before=None, _loading=None, **_attributes_of(before))
    after = handler(draft, aside, event)
    return before if after is aside else history_of(after)


def _has_subject(history: History, event: Any) -> bool:
    if isinstance(event, SessionUpdate):
        return history.timeline.slot_of(("tool_call", event.update.tool_call_id)) >= 0
    return history.terminals.slot_of((getattr(event, "owner", "agent"), event.id)) >= 0


# --- during a replay -------------------------------------------------------------------------------


def _enter_replay(draft: Draft, session: Session, event: Any) -> Session:
    """Return *session* as it is when a replayed update comes."""
    loading = session._loading
    if loading is None or not loading.replaying:
        return session
    if loading.scope == "none":
        if not _is_replay(session, loading, event):
            return session
        draft.report("replay-in-resume", f"the agent replays session {session.id!r} though nobody asked it to", session.id)
        loading = replace(loading, scope="start")
    if loading.begun:
        return session
    session = replace(session, _loading=replace(loading, begun=True))
    if loading.scope != "start":
        return session
    # An unknown session may have been asked something, or prompted, before it brings anything.
    if loading.known or session.timeline or session.turns:
        session = replace(session, before=history_of(session))
    return replace(session, **_attributes_of(_NO_HISTORY))


_NO_HISTORY: Final = History()


def _is_replay(session: Session, loading: Loading, event: Any) -> bool:
    """Whether *event* shows that a plain resume brings history all the same.

    Only the user's own words can: what else comes may be work that went on.
    """
    update: Any = getattr(event, "update", None)
    if getattr(update, "role", None) != "user" or session._open_turns or prompts.has_waiting_prompts(session):
        return False
    id = update.message_id
    return id is None or 0 <= index_of_message(session, "user", id) < loading.known_until.timeline


_NAMES: Final = names_of(History)


def history_of(session: Session) -> History:
    """Return the part of *session* that a replay replaces."""
    return History(**_attributes_of(session))


def _attributes_of(history: History) -> dict[str, Any]:
    return {name: getattr(history, name) for name in _NAMES}


def renew_entry(draft: Draft, session: Session, key: object, index: int, blank: Entry) -> Session:
    """Return *session* with the entry at *index* made blank when a replay from a cursor first names it."""
    loading = session._loading
    if loading is None or loading.scope != "cursor" or not loading.replaying or loading.seen.slot_of(key) >= 0:
        return session
    old = None if index < 0 else session.timeline.at(index)
    seen = loading.seen.add(key, None if old is None else (index, old), draft.owner)
    session = replace(session, _loading=replace(loading, seen=seen))
    return session if old is None else _put_renewed(draft, session, index, blank)


def _put_renewed(draft: Draft, session: Session, index: int, entry: Entry) -> Session:
    if isinstance(entry, ToolCall):
        return put_call(draft, session, index, _FINAL_CALL, entry)
    return put_entry(draft, session, index, entry)


_FINAL_CALL: Final = ToolCall("", status="completed")
"""Stands for the call before: so an unfinished one that comes in its place is noted as such."""


def _restore_entries(draft: Draft, session: Session, loading: Loading) -> Session:
    """Return *session* with the entries that a replay from a cursor replaced: it failed, and nothing may be lost."""
    for replaced in loading.seen:
        if replaced is not None:
            session = _put_renewed(draft, session, *replaced)
    return session


# --- its end ---------------------------------------------------------------------------------------


def end_replay(draft: Draft, session: Session, activity: str | None, background: JsonArray | None = None) -> Session:
    """Return *session* with the replay over: what comes is live; *activity* and *background* are those from now on."""
    loading = session._loading
    if loading is None or not loading.replaying:
        return session
    session = replace(session, _loading=replace(loading, replaying=False))
    return _abandon_replayed_calls(draft, session, find_spared(background)) if activity in (None, "idle") else session


def _abandon_replayed_calls(draft: Draft, session: Session, spared: Spared = NOTHING_SPARED) -> Session:
    """Mark the historical calls that are not final."""
    if not session._replayed_calls:
        return session
    timeline, left = session.timeline, EMPTY_LOG
    for index, call in find_unfinished(session, session._replayed_calls):
        if not call.historical:
            continue  # a replay that failed has given its place back
        if is_spared(call, spared):
            left = left.append(index)
        else:
            timeline = timeline.put(index, replace(call, unresolved=True), draft.owner)
    return replace(session, timeline=timeline, _replayed_calls=left)


def end_load(draft: Draft, session: Session, *, succeeded: bool) -> Session:
    """Return *session* with its load answered: the replay stays, or what it would have replaced returns."""
    loading, before = session._loading, session.before
    if loading is None:
        return session
    session = replace(session, _loading=None, before=None)
    if not succeeded:
        session = _restore_entries(draft, session, loading)
    stays = succeeded or before is None or not loading.known
    if before is not None and stays:
        session = carry_from_aside(draft, session, before, loading.known_until if loading.known else None)
    elif before is not None:
        session = carry_from_replay(draft, replace(session, **_attributes_of(before)), history_of(session))
    if loading.replaying and loading.begun and stays and activity_of(session) in (None, "idle"):
        session = _abandon_replayed_calls(draft, session)
    return with_activity(session)


def make_historical(draft: Draft, session: Session) -> Session:
    """Return *session* with all that stands there as history: an answer to a load that nobody saw asked."""
    timeline, replayed = session.timeline, session._replayed_calls
    for index in range(session._historical_until, timeline.end):
        entry = timeline.at(index)
        changes: dict[str, Any] = {}
        if entry.turn is not None:
            changes["turn"] = None
        if isinstance(entry, (Message, ToolCall, Compaction)) and not entry.historical:
            changes["historical"] = True
        if changes:
            timeline = timeline.put(index, replace(entry, **changes), draft.owner)
        if isinstance(entry, ToolCall):
            replayed = replayed.append(index)
    facts: dict[str, Any] = {
        "timeline": timeline,
        "turns": EMPTY_TABLE,
        "stop_reason": None,
        "_open_turns": EMPTY_TABLE,
        "_cancellable": EMPTY_TABLE,
        "_loose_calls": EMPTY_LOG,
        "_replayed_calls": replayed,
        "_echoed": EMPTY_TABLE,
        "_last_ended": None,
        "_run_broken": True,
        "_historical_until": timeline.end,
    }
    different = {name: value for name, value in facts.items() if value is not getattr(session, name) and (value or getattr(session, name))}
    return _abandon_replayed_calls(draft, replace(session, **different) if different else session)
