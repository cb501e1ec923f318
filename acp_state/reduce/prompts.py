"""Prompts that wait for their message (v2): sent, accepted, in the timeline (SPEC 4.2)."""

from __future__ import annotations

from typing import Final

from .._json import EMPTY, FrozenList, Json
from .._model import evolve
from .._persistent import Table
from ..events import PromptAccepted, PromptQueued, PromptRejected
from ..state import PendingPrompt, PromptRef, Session, Taken, Turn
from ._session import Note, changed, merged_meta


NO_REASON: Final[Json] = EMPTY
"""What stands for the error of a prompt that was given up without one."""


def any_waits(session: Session) -> bool:
    """Whether a prompt waits for its message."""
    return bool(session._unanswered or session._unnamed or session._expected)


def prompt_queued(session: Session, event: PromptQueued, note: Note) -> Session:
    """Keep a prompt until its message is reported."""
    prompt = PendingPrompt(event.id, FrozenList(event.content), meta=merged_meta(None, event.meta))
    place = session._prompts.end
    return evolve(
        session,
        _prompts=session._prompts.add(event.key, prompt),
        _unanswered=session._unanswered.add(place, place),
    )


def inserted(session: Session, message_id: str | None, turn: int | None) -> Session:
    """Return *session* without the prompt that a new user message is, if that can be told.

    It is the one whose answer named the message; else the oldest accepted one whose answer named
    none; else, for the time being, the only one that has no answer yet.
    """
    place = None if message_id is None else session._expected.find(message_id)
    if place is None:
        place = session._unnamed.first()
    if place is not None:
        return _left(session, place, message_id, turn)
    place = session._unanswered.first()
    if place is not None and len(session._unanswered) == 1:
        return _taken(session, place, message_id, turn)
    return session


def prompt_accepted(session: Session, event: PromptAccepted, note: Note) -> Session:
    """Note that the agent took a prompt; it leaves if its message is there already."""
    place = session._prompts.place(event.key)
    if place < 0:
        return session
    taken = session._prompts.at(place)._taken
    if taken is not None and event.message_id not in (None, taken.message_id):
        session = _put_back(session, place)
        taken = None
    prompt = session._prompts.at(place)
    prompt = evolve(
        prompt,
        accepted=True,
        message_id=event.message_id,
        meta=merged_meta(prompt.meta, event.meta),
    )
    session = _accepted(session, place, prompt)
    if taken is not None:
        return _with_turn_meta(_gone(session, place), taken.turn, prompt)
    if event.message_id is None:
        return session
    at = session.timeline.place(("user", event.message_id))
    return session if at < 0 else _left(session, place, event.message_id, session.timeline.at(at).turn)


def _accepted(session: Session, place: int, prompt: PendingPrompt) -> Session:
    id = prompt.message_id
    unnamed, expected = session._unnamed, session._expected
    return evolve(
        session,
        _prompts=session._prompts.replace(place, prompt),
        _unanswered=session._unanswered.remove(place),
        _unnamed=_with_place(unnamed, place) if id is None else unnamed,
        _expected=expected if id is None else expected.add(id, place),
    )


def _with_place(places: Table[int, int], place: int) -> Table[int, int]:
    """Return *places*, which ascend, with *place*: nearly always the last."""
    last = places.last()
    return places.add(place, place) if last is None or last < place else Table((one, one) for one in sorted((*places, place)))


def prompt_rejected(session: Session, event: PromptRejected, note: Note) -> Session:
    """Mark a prompt that the agent refused."""
    place = session._prompts.place(event.key)
    if place < 0:
        return session
    session = _put_back(session, place)
    session = _with_prompt(session, place, evolve(session._prompts.at(place), rejected=event.error))
    return _waits_no_more(session, place)


def all_cancelled(session: Session) -> Session:
    """Mark the prompts that wait: the client cancelled what the session is doing."""
    for places in (session._unanswered, session._unnamed, session._expected):
        for place in places:
            session = _with_prompt(session, place, changed(session._prompts.at(place), cancel_requested=True))
    return session


def _with_prompt(session: Session, place: int, prompt: PendingPrompt) -> Session:
    if prompt is session._prompts.at(place):
        return session
    return evolve(session, _prompts=session._prompts.replace(place, prompt))


def _waits_no_more(session: Session, place: int) -> Session:
    id = session._prompts.at(place).message_id
    expected = session._expected
    return changed(
        session,
        _unanswered=session._unanswered.remove(place),
        _unnamed=session._unnamed.remove(place),
        _expected=expected.remove(id) if id is not None and expected.find(id) == place else expected,
    )


def _gone(session: Session, place: int) -> Session:
    session = _waits_no_more(session, place)
    return evolve(session, _prompts=session._prompts.empty(place))


def _left(session: Session, place: int, message_id: str | None, turn: int | None) -> Session:
    """The prompt is in the timeline."""
    return _gone(_joined(session, place, message_id, turn), place)


def _taken(session: Session, place: int, message_id: str | None, turn: int | None) -> Session:
    """The prompt is in the timeline as far as can be told: its answer may say otherwise."""
    session = _joined(session, place, message_id, turn)
    session = _with_prompt(
        session,
        place,
        evolve(session._prompts.at(place), _taken=Taken(message_id, turn)),
    )
    return evolve(session, _unanswered=session._unanswered.remove(place))


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
    session = evolve(session, _unanswered=session._unanswered.add(place, place))
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
