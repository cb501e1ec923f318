"""Turns: when foreground work begins and ends, and what its end does to what it leaves open (SPEC 4.4)."""

from __future__ import annotations

from typing import Any

from .._json import Json, freeze
from .._model import replace
from ..containers import EMPTY_LOG, make_content, make_log
from ..events import Cancelled, PromptAnswered, PromptCancelled, PromptSent, SessionUpdate
from ..protocol.updates import StateUpdate
from ..state import History, JsonArray, JsonObject, Message, OpenTurn, PromptRef, Session, ToolCall, Turn
from . import prompts, questions, replay
from .draft import Draft
from .history import (
    ENDED,
    H,
    Spared,
    change_both,
    current_turn,
    find_spared,
    find_unfinished,
    is_spared,
    merge_meta,
    report_ended,
    with_activity,
    with_changes,
)


def open_turn(draft: Draft, session: Session, turn: Turn | None = None, key: object = None, prompt: int | None = None) -> Session:
    """Return *session* with a new turn; *prompt* is the index of the message that its prompt is."""
    index = session.turns.end
    return replace(
        session,
        turns=session.turns.add(key, turn or Turn(), draft.owner),
        stop_reason=None,
        _open_turns=session._open_turns.add(index, OpenTurn(index, prompt), draft.owner),
        _cancellable=session._cancellable.add(index, index, draft.owner),
        _epoch=session._epoch + 1,
    )


def apply_prompt(draft: Draft, session: Session, event: PromptSent) -> Session:
    """Begin the turn of a prompt: the request itself is the user's message, unless it waits for the agent to say so."""
    if event.waits:
        return prompts.add_prompt(draft, session, event)
    index = session.turns.end
    turn = Turn(prompts=make_log([PromptRef(event.id)]), meta=merge_meta(draft, None, event.meta))
    message = Message("user", None, index, content=make_content(event.content))
    session = open_turn(draft, session, turn, event.key, session.timeline.end)
    session = replace(session, timeline=session.timeline.add(None, message, draft.owner), _run_broken=False)
    return with_activity(session)


def apply_prompt_answer(draft: Draft, session: Session, event: PromptAnswered) -> Session:
    """End the turn of a prompt; one that a close ended already is told its stop reason."""
    if event.key is None:
        return _add_orphan_turn(draft, session, event)
    index = session.turns.slot_of(event.key)
    if index >= 0:
        before = session.turns.at(index)
        after = _end_or_fill(draft, session, index, event)
        return with_activity(_keep_stop_reason(after, index, before, after.turns.at(index)))
    aside = session.before
    index = -1 if aside is None else aside.turns.slot_of(event.key)
    if aside is None or index < 0:
        draft.report("unknown-turn", "a prompt was answered whose turn is not there", session.id)
        return session
    before = aside.turns.at(index)
    ended = _end_or_fill(draft, aside, index, event)
    session = _keep_stop_reason(replace(session, before=ended), index, before, ended.turns.at(index))
    return with_activity(session)


def _end_or_fill(draft: Draft, history: H, index: int, event: PromptAnswered) -> H:
    turn = history.turns.at(index)
    if turn.status != "running":
        return _put_turn(draft, history, index, fill_turn(draft, turn, event.stop_reason, event.usage, event.error, event.meta))
    in_context = event.stop_reason != "refusal"
    return end_turn(draft, history, index, event.failed, event.stop_reason, event.usage, event.error, event.meta, in_context=in_context)


def _keep_stop_reason(session: Session, index: int, before: Turn, after: Turn) -> Session:
    """Keep the session's stop reason that of the turn which ended last in time."""
    if before.status == "running" and after.status != "running":
        return replace(session, stop_reason=after.stop_reason, _last_ended=index)
    if session._last_ended == index and before.stop_reason != after.stop_reason and not session._open_turns:
        return replace(session, stop_reason=after.stop_reason)
    return session


def _put_turn(draft: Draft, history: H, index: int, turn: Turn) -> H:
    if turn is history.turns.at(index):
        return history
    turns = history.turns.put(index, turn, draft.owner)
    return history if turns is history.turns else replace(history, turns=turns)


def fill_turn(
    draft: Draft, turn: Turn, stop_reason: str | None, usage: JsonObject | None, error: Json | None, meta: JsonObject | None
) -> Turn:
    """Return *turn* with what it lacks: it is over, and is never ended twice."""
    return with_changes(
        turn,
        stop_reason=stop_reason if turn.stop_reason is None else turn.stop_reason,
        usage=usage if turn.usage is None else turn.usage,
        error=error if turn.error is None else turn.error,
        meta=merge_meta(draft, meta, turn.meta) if meta else turn.meta,
    )


def end_turn(
    draft: Draft,
    history: H,
    index: int,
    failed: bool,
    stop_reason: str | None = None,
    usage: JsonObject | None = None,
    error: Json | None = None,
    meta: JsonObject | None = None,
    background: JsonArray | None = None,
    *,
    in_context: bool = True,
) -> H:
    """Return *history* with the open turn at *index* ended or failed, and its open calls marked.

    *in_context*: whether the next turn builds on it, which it does not after a refusal (v1 `StopReason`).
    """
    if failed:
        history = questions.expire_questions_of(draft, history, index)
    turn = history.turns.at(index)
    ended = replace(
        turn,
        status="failed" if failed else "ended",
        stop_reason=stop_reason,
        usage=usage,
        error=error,
        in_context=in_context,
        meta=merge_meta(draft, turn.meta, meta),
    )
    history = _abandon_calls(draft, history, history._open_turns.get(index), find_spared(background))
    return replace(
        history,
        turns=history.turns.put(index, ended, draft.owner),
        _open_turns=history._open_turns.remove(index, draft.owner),
        _cancellable=history._cancellable.remove(index, draft.owner),
    )


def _abandon_calls(draft: Draft, history: H, turn: OpenTurn | None, spared: Spared) -> H:
    """Mark the calls that are not final when their turn ends, but for those that go on in the background."""
    timeline, loose = history.timeline, history._loose_calls
    for index, call in _unfinished_of(history, turn):
        if is_spared(call, spared):
            loose = loose.append(index)
        else:
            timeline = timeline.put(index, replace(call, unresolved=True), draft.owner)
    return replace(history, timeline=timeline, _loose_calls=loose)


def _unfinished_of(history: History, turn: OpenTurn | None) -> list[tuple[int, Any]]:
    """Return the unfinished calls of an open turn; a replay may have put others in their places."""
    calls = () if turn is None else find_unfinished(history, turn.calls)
    return [(index, call) for index, call in calls if turn is not None and call.turn == turn.index]


def _add_orphan_turn(draft: Draft, session: Session, event: PromptAnswered) -> Session:
    """Add a turn of which only the end was seen."""
    if session.phase in ENDED:
        report_ended(draft, session)
        return session
    index = session.turns.end
    turn = Turn(
        "failed" if event.failed else "ended",
        stop_reason=event.stop_reason,
        usage=event.usage,
        error=event.error,
        in_context=event.stop_reason != "refusal",
        meta=merge_meta(draft, None, event.meta),
    )
    return replace(
        session,
        turns=session.turns.add(None, turn, draft.owner),
        stop_reason=event.stop_reason,
        _last_ended=index,
        _run_broken=True,
        _epoch=session._epoch + 1,
    )


# --- reported states (v2) --------------------------------------------------------------------------


def apply_state(draft: Draft, session: Session, event: SessionUpdate[StateUpdate]) -> Session:
    """Take over what the session says of itself; `idle` ends its turn, other work begins one."""
    update = event.update
    background: JsonArray | None = freeze(update.background)
    if session._loading is not None:
        session = replay.end_replay(draft, session, update.state, background)
    said = replace(session._said, reported=update.state, idle=False)
    session = with_changes(session, _said=said)
    if session.background != background:
        session = replace(session, background=background)
    # The turn that a replay keeps aside is open, too.
    in_aside = not session._open_turns and session.before is not None and bool(session.before._open_turns)
    if in_aside:
        session = _tell_aside(draft, session, update)
    elif update.state == "idle":
        session = _become_idle(draft, session, update)
    else:
        if update.state in ("running", "requires_action") and not session._open_turns:
            session = open_turn(draft, session)
        session = _merge_into_turn(draft, session, current_turn(session), update.meta)
    return with_activity(session)


def _tell_aside(draft: Draft, session: Session, update: StateUpdate) -> Session:
    aside: Any = session.before
    index = current_turn(aside)
    if index is None:
        return session
    before = aside.turns.at(index)
    if update.state == "idle":
        aside = _end_idle_turn(draft, aside, index, update)
    else:
        aside = _put_turn(draft, aside, index, with_changes(before, meta=merge_meta(draft, before.meta, update.meta)))
    after = aside.turns.at(index)
    session = replace(session, before=aside)
    return _keep_stop_reason(session, index, before, after)


def _end_idle_turn(draft: Draft, history: H, index: int, idle: StateUpdate) -> H:
    failed = idle.stop_reason == "error"
    usage, error, background = freeze(idle.usage), freeze(idle.error), freeze(idle.background)
    return end_turn(draft, history, index, failed, idle.stop_reason, usage, error, idle.meta, background)


def _become_idle(draft: Draft, session: Session, idle: StateUpdate) -> Session:
    index = current_turn(session)
    if index is not None:
        before = session.turns.at(index)
        session = _end_idle_turn(draft, session, index, idle)
        return _keep_stop_reason(session, index, before, session.turns.at(index))
    last = session.turns.end - 1
    if last < 0:
        return _merge_into_turn(draft, session, None, idle.meta)
    before = session.turns.at(last)
    turn = fill_turn(draft, before, idle.stop_reason, freeze(idle.usage), freeze(idle.error), idle.meta)
    return _keep_stop_reason(_put_turn(draft, session, last, turn), last, before, turn)


def _merge_into_turn(draft: Draft, session: Session, index: int | None, meta: JsonObject | None) -> Session:
    """Merge *meta* into that of a turn, or of the session if there is none."""
    if meta is None:
        return session
    if index is None:
        return with_changes(session, meta=merge_meta(draft, session.meta, meta))
    turn = session.turns.at(index)
    return _put_turn(draft, session, index, with_changes(turn, meta=merge_meta(draft, turn.meta, meta)))


# --- cancelling ------------------------------------------------------------------------------------


def apply_cancel(draft: Draft, session: Session, event: Cancelled) -> Session:
    """Cancel what is under way: the turns are told so, their open calls are cancelled at once (SPEC 4.4)."""
    session = with_changes(session, meta=merge_meta(draft, session.meta, event.meta))
    background = session.background
    session = change_both(session, lambda history: cancel_turns(draft, history, background))
    if not event.blocked_only or session.activity == "requires_action":
        session = change_both(session, lambda history: questions.cancel_questions(draft, history))
    return with_activity(prompts.cancel_prompts(draft, session))


def cancel_turns(draft: Draft, history: H, background: JsonArray | None) -> H:
    """Return *history* with its open turns cancelled, and their open calls but for those that *background* lists."""
    if not history._cancellable:
        return history
    spared = find_spared(background)
    turns, timeline, open_turns, cancellable = history.turns, history.timeline, history._open_turns, history._cancellable
    for index in history._cancellable:
        slot = open_turns.slot_of(index)
        under_way = open_turns.at(slot)
        left = []
        for call_index, call in _unfinished_of(history, under_way):
            if is_spared(call, spared):
                left.append(call_index)
            else:
                timeline = timeline.put(call_index, _cancel_call(call, history._epoch), draft.owner)
        open_turns = open_turns.put(slot, replace(under_way, calls=make_log(left)), draft.owner)
        turn = turns.at(index)
        if not turn.cancel_requested:
            turns = turns.put(index, replace(turn, cancel_requested=True), draft.owner)
        if not left:
            cancellable = cancellable.remove(index, draft.owner)
    return replace(history, turns=turns, timeline=timeline, _open_turns=open_turns, _cancellable=cancellable)


def _cancel_call(call: ToolCall, epoch: int) -> ToolCall:
    return replace(call, status="cancelled", cancelled_by_client=True, _final_since=epoch)


def cancel_loose_calls(draft: Draft, history: H) -> H:
    """Return *history* with the unfinished calls of no open turn cancelled: outside of turns, or in the background."""
    timeline = history.timeline
    for index, call in find_unfinished(history, (*history._loose_calls, *history._replayed_calls)):
        timeline = timeline.put(index, _cancel_call(call, history._epoch), draft.owner)
    return replace(history, timeline=timeline, _loose_calls=EMPTY_LOG, _replayed_calls=EMPTY_LOG)


def apply_prompt_cancel(draft: Draft, session: Session, event: PromptCancelled) -> Session:
    """Mark the one prompt that the client cancelled: its turn, or the prompt itself while it waits."""
    slot = session._prompts.all.slot_of(event.key)
    if slot >= 0:
        before = session._prompts.all.at(slot)
        prompt = with_changes(before, cancel_requested=True, meta=merge_meta(draft, before.meta, event.meta))
        return prompts.put_prompt(draft, session, slot, prompt)
    return change_both(session, lambda history: _cancel_turn_of(draft, history, event))


def _cancel_turn_of(draft: Draft, history: H, event: PromptCancelled) -> H:
    index = history.turns.slot_of(event.key)
    if index < 0:
        return history
    turn = history.turns.at(index)
    meta = merge_meta(draft, turn.meta, event.meta)
    return _put_turn(draft, history, index, with_changes(turn, cancel_requested=True, meta=meta))


def end_all_turns(draft: Draft, session: Session, *, failed: bool) -> Session:
    """Return *session* with every turn ended, or failed without an error."""
    for turn in tuple(session._open_turns):
        before = session.turns.at(turn.index)
        session = end_turn(draft, session, turn.index, failed)
        session = _keep_stop_reason(session, turn.index, before, session.turns.at(turn.index))
    aside = session.before
    if aside is not None and aside._open_turns:
        for turn in tuple(aside._open_turns):
            aside = end_turn(draft, aside, turn.index, failed)
        session = replace(session, before=aside)
    return session
