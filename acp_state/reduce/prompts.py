"""Prompts that wait for their message (v2): sent, accepted, in the timeline (SPEC 4.2)."""

from __future__ import annotations

from typing import Final

from .._json import EMPTY, FrozenList, Json
from .._model import evolve
from ..events import PromptAccepted, PromptQueued, PromptRejected
from ..state import PendingPrompt, PromptRef, Session, Taken, Turn
from ._session import Note, merged_meta


NO_REASON: Final[Json] = EMPTY
"""What stands for the error of a prompt that was given up without one."""


def prompt_queued(session: Session, event: PromptQueued, note: Note) -> Session:
    """Keep a prompt until its message is reported."""
    prompt = PendingPrompt(event.id, FrozenList(event.content), meta=merged_meta(None, event.meta))
    place = session._prompts.end
    return evolve(
        session,
        _prompts=session._prompts.add(event.key, prompt),
        _waiting=session._waiting.add(place, place),
    )


def inserted(session: Session, message_id: str | None, turn: int | None) -> Session:
    """Return *session* without the prompt that a new user message is, if that can be told.

    It is the one whose answer named the message; else the oldest accepted one whose answer named
    none; else, for the time being, the only one that has no answer yet.
    """
    unnamed: list[int] = []
    unanswered: list[int] = []
    for place in session._waiting:
        prompt = session._prompts.at(place)
        if not prompt.accepted:
            unanswered += [place] if prompt._taken is None else []
        elif prompt.message_id is None:
            unnamed.append(place)
        elif prompt.message_id == message_id:
            return _left(session, place, message_id, turn)
    if unnamed:
        return _left(session, unnamed[0], message_id, turn)
    if len(unanswered) == 1:
        return _taken(session, unanswered[0], message_id, turn)
    return session


def prompt_accepted(session: Session, event: PromptAccepted, note: Note) -> Session:
    """Note that the agent took a prompt; it leaves if its message is there already."""
    place = session._prompts.place(event.key)
    if place < 0:
        return session
    prompt = session._prompts.at(place)
    prompt = evolve(
        prompt,
        accepted=True,
        message_id=event.message_id,
        meta=merged_meta(prompt.meta, event.meta),
    )
    taken = prompt._taken
    session = _with_prompt(session, place, prompt)
    if taken is not None:
        if event.message_id in (None, taken.message_id):
            return _with_turn_meta(_gone(session, place), taken.turn, prompt)
        session = _put_back(session, place)
    if event.message_id is None:
        return session
    at = session.timeline.place(("user", event.message_id))
    return session if at < 0 else _left(session, place, event.message_id, session.timeline.at(at).turn)


def prompt_rejected(session: Session, event: PromptRejected, note: Note) -> Session:
    """Mark a prompt that the agent refused."""
    place = session._prompts.place(event.key)
    if place < 0:
        return session
    session = _put_back(session, place)
    session = _with_prompt(session, place, evolve(session._prompts.at(place), rejected=event.error))
    return evolve(session, _waiting=session._waiting.remove(place))


def all_cancelled(session: Session) -> Session:
    """Mark the prompts that wait: the client cancelled what the session is doing."""
    prompts = session._prompts
    for place in session._waiting:
        prompt = prompts.at(place)
        if prompt._taken is None and not prompt.cancel_requested:
            prompts = prompts.replace(place, evolve(prompt, cancel_requested=True))
    return session if prompts is session._prompts else evolve(session, _prompts=prompts)


def _with_prompt(session: Session, place: int, prompt: PendingPrompt) -> Session:
    return evolve(session, _prompts=session._prompts.replace(place, prompt))


def _gone(session: Session, place: int) -> Session:
    return evolve(
        session,
        _prompts=session._prompts.empty(place),
        _waiting=session._waiting.remove(place),
    )


def _left(session: Session, place: int, message_id: str | None, turn: int | None) -> Session:
    """The prompt is in the timeline."""
    return _gone(_joined(session, place, message_id, turn), place)


def _taken(session: Session, place: int, message_id: str | None, turn: int | None) -> Session:
    """The prompt is in the timeline as far as can be told: its answer may say otherwise."""
    session = _joined(session, place, message_id, turn)
    return _with_prompt(
        session,
        place,
        evolve(session._prompts.at(place), _taken=Taken(message_id, turn)),
    )


def _joined(session: Session, place: int, message_id: str | None, turn: int | None) -> Session:
    if turn is None:
        return session
    prompt = session._prompts.at(place)
    ref = PromptRef(prompt.request_id, message_id)
    before = session.turns.at(turn)
    after = evolve(
        before,
        prompts=(*before.prompts, ref),
        meta=merged_meta(before.meta, prompt.meta),
    )
    return evolve(session, turns=session.turns.replace(turn, after))


def _put_back(session: Session, place: int) -> Session:
    """Undo `_taken`."""
    prompt = session._prompts.at(place)
    taken = prompt._taken
    if taken is None:
        return session
    session = _with_prompt(session, place, evolve(prompt, _taken=None))
    if taken.turn is None or taken.turn >= session.turns.end:
        return session
    turn: Turn = session.turns.at(taken.turn)
    ours = PromptRef(prompt.request_id, taken.message_id)
    prompts = tuple(ref for ref in turn.prompts if ref != ours)
    return evolve(session, turns=session.turns.replace(taken.turn, evolve(turn, prompts=prompts)))


def _with_turn_meta(session: Session, turn: int | None, prompt: PendingPrompt) -> Session:
    if turn is None or prompt.meta is None or turn >= session.turns.end:
        return session
    before = session.turns.at(turn)
    return evolve(
        session,
        turns=session.turns.replace(turn, evolve(before, meta=merged_meta(before.meta, prompt.meta))),
    )
