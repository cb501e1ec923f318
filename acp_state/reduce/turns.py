"""Turns: when foreground work begins and ends, and what its end does to what it leaves open (SPEC 4.4)."""

from __future__ import annotations

from .._content import Content
from .._json import Json
from .._model import evolve
from ..events import (
    CancelAsked,
    PromptAnswered,
    PromptCancelAsked,
    PromptSent,
    StateReported,
    TurnOrphaned,
)
from ..state import JsonArray, JsonObject, Message, OpenTurn, PromptRef, Session, ToolCall, Turn
from . import prompts, questions, replay
from ._session import (
    NOTHING_SPARED,
    H,
    Note,
    Spared,
    changed,
    current_turn,
    in_both,
    is_open,
    is_spared,
    is_unfinished,
    merged_meta,
    open_places,
    spared_calls,
    unfinished_calls,
    with_activity,
)


def began(session: Session, turn: Turn | None = None, key: object = None, entry: int | None = None) -> Session:
    """Return *session* with a new turn; *entry* is the place of the message that its prompt is."""
    place = session.turns.end
    return evolve(
        session,
        turns=session.turns.add(key, turn or Turn()),
        stop_reason=None,
        _open_turns=session._open_turns.add(place, OpenTurn(place, entry)),
        _epoch=session._epoch + 1,
    )


def prompt_sent(session: Session, event: PromptSent, note: Note) -> Session:
    """Begin the turn of a prompt: the request itself is the user's message."""
    turn, entry = session.turns.end, session.timeline.end
    prompt = PromptRef(event.id)
    session = began(
        session,
        Turn(prompts=(prompt,), meta=merged_meta(None, event.meta)),
        event.key,
        entry,
    )
    message = Message("user", None, turn, content=Content(event.content))
    session = evolve(session, timeline=session.timeline.add(None, message), _run_broken=False)
    return with_activity(session)


def prompt_answered(session: Session, event: PromptAnswered, note: Note) -> Session:
    """End the turn of a prompt; one that a close ended already is told its stop reason."""
    place = session.turns.place(event.key)
    if place >= 0:
        after = _ended_or_filled(session, place, event)
        return with_activity(_with_end(after, place, session.turns.at(place), after.turns.at(place)))
    aside = session.before
    place = -1 if aside is None else aside.turns.place(event.key)
    if aside is None or place < 0:
        note("unknown-turn", "a prompt was answered whose turn is not there", session.id)
        return session
    ended = _ended_or_filled(aside, place, event)
    session = _with_end(
        evolve(session, before=ended),
        place,
        aside.turns.at(place),
        ended.turns.at(place),
    )
    return with_activity(session)


def _ended_or_filled(history: H, place: int, event: PromptAnswered) -> H:
    turn = history.turns.at(place)
    if turn.status != "running":
        return _with_turn(history, place, filled(turn, event.stop_reason, event.usage, event.error, event.meta))
    return over(history, place, event.failed, event.stop_reason, event.usage, event.error, event.meta, out_of_context=True)


def _with_end(session: Session, place: int, before: Turn, after: Turn) -> Session:
    """Keep the session's stop reason that of the turn which ended last in time."""
    if before.status == "running" and after.status != "running":
        return evolve(session, stop_reason=after.stop_reason, _last_ended=place)
    if session._last_ended == place and before.stop_reason != after.stop_reason and not session._open_turns:
        return evolve(session, stop_reason=after.stop_reason)
    return session


def _with_turn(history: H, place: int, turn: Turn) -> H:
    return history if turn is history.turns.at(place) else evolve(history, turns=history.turns.replace(place, turn))


def filled(
    turn: Turn,
    stop_reason: str | None,
    usage: JsonObject | None,
    error: Json | None,
    meta: JsonObject | None,
) -> Turn:
    """Return *turn* with what it lacks: it is over, and is never ended twice."""
    lacking = {
        "stop_reason": stop_reason if turn.stop_reason is None else turn.stop_reason,
        "usage": usage if turn.usage is None else turn.usage,
        "error": error if turn.error is None else turn.error,
        "meta": merged_meta(meta, turn.meta) if meta else turn.meta,
        "in_context": turn.in_context,
    }
    return changed(turn, **lacking)


def over(
    history: H,
    place: int,
    failed: bool,
    stop_reason: str | None = None,
    usage: JsonObject | None = None,
    error: Json | None = None,
    meta: JsonObject | None = None,
    background: JsonArray | None = None,
    *,
    out_of_context: bool = False,
) -> H:
    """Return *history* with the turn at *place* ended or failed, and its open calls marked.

    *out_of_context*: a refusal takes the turn out of the context of the next one (v1 `StopReason`).
    """
    if failed:
        history = questions.unanswered(history, place)
    unfinished = unfinished_calls(history, place)
    turn = history.turns.at(place)
    turn = evolve(
        turn,
        status="failed" if failed else "ended",
        stop_reason=stop_reason,
        usage=usage,
        error=error,
        in_context=not (out_of_context and stop_reason == "refusal"),
        meta=merged_meta(turn.meta, meta),
    )
    history = evolve(
        history,
        turns=history.turns.replace(place, turn),
        _open_turns=history._open_turns.remove(place),
    )
    return _with_calls_unresolved(history, unfinished, background)


def _with_calls_unresolved(history: H, places: list[int], background: JsonArray | None) -> H:
    """Mark calls that are not final when their turn ends, but for those that go on in the background."""
    timeline = history.timeline
    spared = spared_calls(background)
    for place in places:
        call: ToolCall = timeline.known(place)
        if not is_spared(call, spared):
            timeline = timeline.replace(place, evolve(call, unresolved=True))
    return history if timeline is history.timeline else evolve(history, timeline=timeline)


def turn_orphaned(session: Session, event: TurnOrphaned, note: Note) -> Session:
    """Add a turn of which only the end was seen."""
    place = session.turns.end
    turn = Turn(
        "failed" if event.failed else "ended",
        stop_reason=event.stop_reason,
        usage=event.usage,
        error=event.error,
        in_context=event.stop_reason != "refusal",
        meta=merged_meta(None, event.meta),
    )
    return evolve(
        session,
        turns=session.turns.add(None, turn),
        stop_reason=event.stop_reason,
        _last_ended=place,
        _run_broken=True,
        _epoch=session._epoch + 1,
    )


# --- reported states (v2) --------------------------------------------------------------------------


def state_reported(session: Session, event: StateReported, note: Note) -> Session:
    """Take over what the session says of itself; `idle` ends its turn, other work begins one."""
    if session._loading is not None:
        session = replay.ended(session, event.state, event.background)
    session = changed(session, _reported=event.state, _idle=False)
    if session.background != event.background:
        session = evolve(session, background=event.background)
    place = current_turn(session)
    if event.state == "idle":
        session = _idle(session, place, event)
    elif event.state in ("running", "requires_action"):
        if place is None:
            place = session.turns.end
            session = began(session)
        session = _with_meta(session, place, event.meta)
    else:
        session = _with_meta(session, place, event.meta)
    return with_activity(session)


def _with_meta(session: Session, place: int | None, meta: JsonObject | None) -> Session:
    if meta is None:
        return session
    if place is None:
        return changed(session, meta=merged_meta(session.meta, meta))
    turn = session.turns.at(place)
    return _with_turn(session, place, changed(turn, meta=merged_meta(turn.meta, meta)))


def _idle(session: Session, place: int | None, event: StateReported) -> Session:
    if place is not None:
        failed = event.stop_reason == "error"
        before = session.turns.at(place)
        session = over(
            session,
            place,
            failed,
            event.stop_reason,
            event.usage,
            event.error,
            event.meta,
            event.background,
        )
        return _with_end(session, place, before, session.turns.at(place))
    last = session.turns.end - 1
    if last < 0:
        return _with_meta(session, None, event.meta)
    before = session.turns.at(last)
    turn = filled(before, event.stop_reason, event.usage, event.error, event.meta)
    return _with_end(_with_turn(session, last, turn), last, before, turn)


# --- cancelling ------------------------------------------------------------------------------------


def cancel_asked(session: Session, event: CancelAsked, note: Note) -> Session:
    """Cancel what is under way: the turns are told so, their open calls are cancelled at once (SPEC 4.4)."""
    session = changed(session, meta=merged_meta(session.meta, event.meta))
    spared = spared_calls(session.background)
    session = in_both(session, lambda history: cancelled(history, spared))
    if not event.blocked_only or session.activity == "requires_action":
        session = in_both(session, questions.all_cancelled)
    return with_activity(prompts.all_cancelled(session))


def cancelled(history: H, spared: Spared) -> H:
    """Return *history* with its open turns cancelled, and their open calls but for the *spared* ones."""
    turns, timeline, open_turns = history.turns, history.timeline, history._open_turns
    for under_way in history._open_turns:
        left, place = 0, under_way.place
        for call_place in unfinished_calls(history, place):
            call: ToolCall = timeline.known(call_place)
            if is_spared(call, spared):
                left += 1
            else:
                timeline = timeline.replace(call_place, _cancelled_call(call, history._epoch))
        if left != under_way.unfinished:
            open_turns = open_turns.put(place, evolve(under_way, unfinished=left))
        turn = turns.at(place)
        if not turn.cancel_requested:
            turns = turns.replace(place, evolve(turn, cancel_requested=True))
    if turns is history.turns and open_turns is history._open_turns:
        return history
    return evolve(history, turns=turns, timeline=timeline, _open_turns=open_turns)


def _cancelled_call(call: ToolCall, epoch: int) -> ToolCall:
    return evolve(call, status="cancelled", cancelled_by_client=True, _final_since=epoch)


def background_cancelled(history: H, background: JsonArray | None) -> H:
    """Return *history* with the calls cancelled that go on in the background."""
    spared = spared_calls(background)
    if spared == NOTHING_SPARED:
        return history
    timeline = history.timeline
    for place, call in history.timeline.places():
        if isinstance(call, ToolCall) and is_unfinished(call) and not is_open(history, call.turn) and is_spared(call, spared):
            timeline = timeline.replace(place, _cancelled_call(call, history._epoch))
    return history if timeline is history.timeline else evolve(history, timeline=timeline)


def prompt_cancel_asked(session: Session, event: PromptCancelAsked, note: Note) -> Session:
    """Mark the one prompt that the client cancelled: its turn, or the prompt itself while it waits."""
    waiting = session._prompts.place(event.key)
    if waiting >= 0:
        before = session._prompts.at(waiting)
        prompt = changed(before, cancel_requested=True, meta=merged_meta(before.meta, event.meta))
        return session if prompt is before else evolve(session, _prompts=session._prompts.replace(waiting, prompt))
    return in_both(session, lambda history: _turn_cancelled(history, event))


def _turn_cancelled(history: H, event: PromptCancelAsked) -> H:
    place = history.turns.place(event.key)
    if place < 0:
        return history
    turn = history.turns.at(place)
    return _with_turn(history, place, changed(turn, cancel_requested=True, meta=merged_meta(turn.meta, event.meta)))


def all_ended(session: Session, *, failed: bool) -> Session:
    """Return *session* with every turn ended, or failed without an error."""
    for place in open_places(session):
        before = session.turns.at(place)
        session = over(session, place, failed)
        session = _with_end(session, place, before, session.turns.at(place))
    aside = session.before
    if aside is not None:
        for place in open_places(aside):
            aside = over(aside, place, failed)
        session = changed(session, before=aside)
    return session
