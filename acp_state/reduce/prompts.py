"""Prompts that wait for their message (v2): sent, accepted, in the timeline (SPEC 4.2)."""

from __future__ import annotations

from typing import Any, Final

from .._json import EMPTY, FrozenList, Json
from .._model import replace
from ..containers import EMPTY_HEAP, EMPTY_LOG, EMPTY_TABLE, Heap, Table, make_log
from ..events import PromptAccepted, PromptRejected, PromptSent
from ..state import PendingPrompt, PromptRef, Prompts, RequestKey, Session, Taken
from .draft import Draft
from .history import merge_meta, with_changes


NO_REASON: Final[Json] = EMPTY
"""What stands for the error of a prompt that was abandoned without one."""


def has_waiting_prompts(session: Session) -> bool:
    """Whether a prompt waits for its message."""
    prompts = session._prompts
    return bool(prompts.unanswered or prompts.expected) or _find_unnamed(session)[1] is not None


def add_prompt(draft: Draft, session: Session, event: PromptSent) -> Session:
    """Return *session* with a prompt that waits until its message is reported."""
    prompt = PendingPrompt(event.id, FrozenList(event.content), meta=merge_meta(draft, None, event.meta))
    prompts, key, owner = session._prompts, event.key, draft.owner
    return _put(
        session,
        replace(
            prompts,
            all=prompts.all.add(key, prompt, owner),
            unanswered=prompts.unanswered.add(key, key, owner),
            uncancelled=prompts.uncancelled.add(key, key, owner),
        ),
    )


def _put(session: Session, prompts: Prompts) -> Session:
    return replace(session, _prompts=prompts)


def put_prompt(draft: Draft, session: Session, slot: int, prompt: PendingPrompt) -> Session:
    """Return *session* with *prompt* in its *slot*."""
    prompts = session._prompts
    if prompt is prompts.all.at(slot):
        return session
    return _put(session, replace(prompts, all=prompts.all.put(slot, prompt, draft.owner)))


# --- a message comes -------------------------------------------------------------------------------


def insert_prompts(draft: Draft, session: Session, message_id: str | None, turn: int | None) -> Session:
    """Return *session* without the prompts that a new user message is, as far as that can be told.

    They are those whose answer named the message; else the oldest accepted one whose answer named
    none; else, for the time being, the only one that has no answer yet.
    """
    named = None if message_id is None else session._prompts.expected.get(message_id)
    if named is not None:
        for key in named:
            session = _join_turn(draft, session, key, message_id, turn)
        return session
    session, unnamed = _find_unnamed(session)
    if unnamed is not None:
        return _join_turn(draft, session, unnamed, message_id, turn)
    unanswered = session._prompts.unanswered
    if len(unanswered) != 1:
        return session
    return _take_for(draft, session, unanswered[0], message_id, turn)


def _find_unnamed(session: Session) -> tuple[Session, RequestKey | None]:
    """Return the key of the oldest prompt that was accepted without naming its message, and the session without what is gone before it."""
    prompts = session._prompts
    heap = prompts.unnamed
    while heap.smallest is not None and not _is_unnamed(prompts, heap.smallest):
        heap = heap.take()
    if heap is not prompts.unnamed:
        session = _put(session, replace(prompts, unnamed=heap))
    return session, None if heap.smallest is None else prompts.all.key_at(heap.smallest)


def _is_unnamed(prompts: Prompts, slot: int) -> bool:
    if not prompts.all.has_entry(slot):
        return False
    prompt = prompts.all.at(slot)
    return prompt.accepted and prompt.message_id is None and prompt.rejected is None and prompt._taken is None


def _join_turn(draft: Draft, session: Session, key: RequestKey, message_id: str | None, turn: int | None) -> Session:
    """Return *session* with the prompt *key* in the turn that its message falls in, and pending no more."""
    return _remove(draft, _add_reference(draft, session, key, message_id, turn), key)


def _add_reference(draft: Draft, session: Session, key: RequestKey, message_id: str | None, turn: int | None) -> Session:
    prompt = session._prompts.all.get(key)
    if turn is None or prompt is None:
        return session
    before = session.turns.at(turn)
    after = replace(
        before,
        prompts=before.prompts.append(PromptRef(prompt.request_id, message_id)),
        meta=merge_meta(draft, before.meta, prompt.meta),
    )
    return replace(session, turns=session.turns.put(turn, after, draft.owner))


def _remove(draft: Draft, session: Session, key: RequestKey) -> Session:
    """Return *session* without the prompt *key*."""
    prompts = _settle(draft, session._prompts, key)
    left = prompts.all.remove(key, draft.owner)
    prompts = replace(prompts, all=left)
    if not left.continues(session._prompts.all):  # what was left got new slots
        prompts = replace(prompts, unnamed=_heap_of_unnamed(prompts))
    return _put(session, prompts)


def _heap_of_unnamed(prompts: Prompts) -> Heap:
    heap = EMPTY_HEAP
    for slot, _ in prompts.all.slots():
        if _is_unnamed(prompts, slot):
            heap = heap.add(slot)
    return heap


def _settle(draft: Draft, prompts: Prompts, key: RequestKey) -> Prompts:
    """Return *prompts* with the one *key* waiting no more."""
    prompt, owner = prompts.all.get(key), draft.owner
    expected = prompts.expected
    if prompt is not None and prompt.message_id is not None:
        expected = _without(draft, expected, prompt.message_id, key)
    return replace(
        prompts,
        unanswered=prompts.unanswered.remove(key, owner),
        expected=expected,
        uncancelled=prompts.uncancelled.remove(key, owner),
    )


def _without(draft: Draft, expected: Table[str, Any], message_id: str, key: RequestKey) -> Table[str, Any]:
    keys = expected.get(message_id)
    if keys is None or key not in keys:
        return expected
    rest = [other for other in keys if other != key]
    return expected.set(message_id, make_log(rest), draft.owner) if rest else expected.remove(message_id, draft.owner)


def _take_for(draft: Draft, session: Session, key: RequestKey, message_id: str | None, turn: int | None) -> Session:
    """Take the prompt *key* for the message, as far as can be told: its answer may say otherwise."""
    session = _add_reference(draft, session, key, message_id, turn)
    prompts = session._prompts
    slot = prompts.all.slot_of(key)
    taken = replace(prompts.all.at(slot), _taken=Taken(message_id, turn))
    return _put(
        session,
        replace(
            prompts,
            all=prompts.all.put(slot, taken, draft.owner),
            unanswered=prompts.unanswered.remove(key, draft.owner),
            uncancelled=prompts.uncancelled.remove(key, draft.owner),
        ),
    )


# --- an answer comes -------------------------------------------------------------------------------


def apply_prompt_acceptance(draft: Draft, session: Session, event: PromptAccepted) -> Session:
    """Note that the agent took a prompt; it leaves if its message is there already."""
    slot = session._prompts.all.slot_of(event.key)
    if slot < 0:
        return session
    taken = session._prompts.all.at(slot)._taken
    if taken is not None and event.message_id not in (None, taken.message_id):
        session = _restore_prompt(draft, session, event.key, slot)
        taken = None
    prompt = session._prompts.all.at(slot)
    prompt = replace(prompt, accepted=True, message_id=event.message_id, meta=merge_meta(draft, prompt.meta, event.meta))
    if taken is not None:
        session = _merge_into_turn(draft, session, taken.turn, prompt)
        return _remove(draft, put_prompt(draft, session, slot, prompt), event.key)
    session = _accept(draft, session, event.key, slot, prompt)
    index = -1 if event.message_id is None else session.timeline.slot_of(("user", event.message_id))
    if index < 0:
        return session
    return _join_turn(draft, session, event.key, event.message_id, session.timeline.at(index).turn)


def _accept(draft: Draft, session: Session, key: RequestKey, slot: int, prompt: PendingPrompt) -> Session:
    prompts, id = session._prompts, prompt.message_id
    expected, unnamed = prompts.expected, prompts.unnamed
    if id is None:
        unnamed = unnamed.add(slot)
    else:
        expected = expected.set(id, (expected.get(id) or EMPTY_LOG).append(key), draft.owner)
    return _put(
        session,
        replace(
            prompts,
            all=prompts.all.put(slot, prompt, draft.owner),
            unanswered=prompts.unanswered.remove(key, draft.owner),
            unnamed=unnamed,
            expected=expected,
        ),
    )


def apply_prompt_rejection(draft: Draft, session: Session, event: PromptRejected) -> Session:
    """Mark a prompt that the agent refused."""
    slot = session._prompts.all.slot_of(event.key)
    if slot < 0:
        return session
    session = _restore_prompt(draft, session, event.key, slot)
    session = _put(session, _settle(draft, session._prompts, event.key))
    return put_prompt(draft, session, slot, replace(session._prompts.all.at(slot), rejected=event.error))


def _restore_prompt(draft: Draft, session: Session, key: RequestKey, slot: int) -> Session:
    """Return *session* with the prompt *key* pending again, which was taken for a message."""
    prompts = session._prompts
    prompt = prompts.all.at(slot)
    taken = prompt._taken
    if taken is None:
        return session
    restored = replace(prompt, _taken=None)
    prompts = replace(
        prompts,
        all=prompts.all.put(slot, restored, draft.owner),
        unanswered=prompts.unanswered.add(key, key, draft.owner),
        uncancelled=prompts.uncancelled if prompt.cancel_requested else prompts.uncancelled.set(key, key, draft.owner),
    )
    session = _put(session, prompts)
    if taken.turn is None or taken.turn >= session.turns.end:
        return session
    turn = session.turns.at(taken.turn)
    reference = PromptRef(prompt.request_id, taken.message_id)
    others = make_log(other for other in turn.prompts if other != reference)
    return replace(session, turns=session.turns.put(taken.turn, replace(turn, prompts=others), draft.owner))


def _merge_into_turn(draft: Draft, session: Session, turn: int | None, prompt: PendingPrompt) -> Session:
    if turn is None or prompt.meta is None or turn >= session.turns.end:
        return session
    before = session.turns.at(turn)
    after = with_changes(before, meta=merge_meta(draft, before.meta, prompt.meta))
    return session if after is before else replace(session, turns=session.turns.put(turn, after, draft.owner))


def cancel_prompts(draft: Draft, session: Session) -> Session:
    """Mark the prompts that wait: the client cancelled what the session is doing."""
    prompts = session._prompts
    if not prompts.uncancelled:
        return session
    all_prompts = prompts.all
    for key in prompts.uncancelled:
        slot = all_prompts.slot_of(key)
        all_prompts = all_prompts.put(slot, with_changes(all_prompts.at(slot), cancel_requested=True), draft.owner)
    return _put(session, replace(prompts, all=all_prompts, uncancelled=EMPTY_TABLE))
