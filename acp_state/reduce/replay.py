"""Replayed history: what a load or resume brings, and what becomes of what was there (SPEC 4.6)."""

from __future__ import annotations

from typing import Any

import attrs

from .._model import evolve
from ..state import (
    EMPTY_TABLE,
    Compaction,
    Elicitation,
    Entry,
    History,
    JsonArray,
    Loading,
    Message,
    Permission,
    Session,
    ToolCall,
)
from . import prompts
from ._session import (
    NOTHING_SPARED,
    H,
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


def in_history(handler: SessionHandler) -> Handler:
    """Make a handler one of an update that history is made of: during a load it is replayed."""
    return in_session(handler, entering=_entered)


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
        loading = evolve(loading, scope="start", known_until=0)
    if loading.begun:
        return session
    session = evolve(session, _loading=evolve(loading, begun=True))
    if loading.scope != "start":
        return session
    # An unknown session may have been asked something, or prompted, before it brings anything.
    if session.before is None and (loading.known or session.timeline or session.turns):
        session = evolve(session, before=history_of(session))
    return evolve(session, **_fields(History()))


def _is_replay(session: Session, loading: Loading, event: Any) -> bool:
    """Whether *event* shows that a plain resume brings history all the same.

    Only the user's own words can: what else comes may be work that went on.
    """
    if getattr(event, "role", None) != "user" or session._open_turns or prompts.any_waits(session):
        return False
    return event.id is None or 0 <= place_of_message(session, "user", event.id) < loading.known_until


def history_of(session: Session) -> History:
    """Return the part of *session* that a replay replaces."""
    return History(**{name.lstrip("_"): value for name, value in _fields(session).items()})


_NAMES = tuple(field.name for field in attrs.fields(History))


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
    if before is not None:
        session = _carried(before, session) if stays else evolve(session, **_fields(_carried(history_of(session), before)))
    if loading.replaying and loading.begun and stays:
        activity = activity_of(session)
        if activity in (None, "idle"):
            session = _with_open_calls_unresolved(session)
    return with_activity(session)


def _carried(source: History, target: H) -> H:
    """Return *target* with the open turns and pending questions of *source* at its end."""
    turns: dict[int, int] = {}
    for place in source._open_turns:
        turns[place] = target.turns.end
        turn = evolve(source.turns.at(place), _entry=None, _echo=None, _busy=False, _unfinished=0, _questions=EMPTY_TABLE)
        target = evolve(
            target,
            turns=target.turns.add(source.turns.key_at(place), turn),
            _open_turns=target._open_turns.add(turns[place], turns[place]),
            _epoch=target._epoch + 1,
        )
    target = _with_prompts(source, target, turns)
    for place in source._pending:
        entry = source.timeline.at(place)
        if isinstance(entry, (Permission, Elicitation)):
            entry = evolve(entry, turn=None if entry.turn is None else turns.get(entry.turn))
            target = with_question(target, source.timeline.key_at(place), entry)
    return target


def _with_prompts(source: History, target: H, turns: dict[int, int]) -> H:
    """Return *target* with the messages that the carried *turns* answer: in version 1 nothing else says what was asked."""
    if not turns:
        return target
    for _, entry in source.timeline.places():
        if not isinstance(entry, Message) or entry.role != "user" or entry.turn not in turns:
            continue
        key = None if entry.id is None else (entry.role, entry.id)
        if key is None or target.timeline.place(key) < 0:
            target = evolve(target, timeline=target.timeline.add(key, evolve(entry, turn=turns[entry.turn])))
    return target


def with_question(history: H, key: object, entry: Permission | Elicitation) -> H:
    """Return *history* with a pending question at the end of its timeline."""
    place = history.timeline.end
    urls = history._urls
    if isinstance(entry, Elicitation) and entry.elicitation_id is not None:
        urls = urls.put(entry.elicitation_id, place)
    turns = history.turns
    if entry.turn is not None:
        turn = turns.at(entry.turn)
        turns = turns.replace(entry.turn, evolve(turn, _questions=turn._questions.add(place, place)))
    return evolve(
        history,
        timeline=history.timeline.add(key, entry),
        turns=turns,
        _pending=history._pending.add(place, place),
        _urls=urls,
    )


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
