"""Questions to the user: permissions and elicitations, asked, answered, given up (SPEC 4.5).

They are found by their request, never by the tool call that they are about: one call may ask twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from .._model import replace
from ..events import ElicitationCompleted, QuestionAnswered, QuestionAsked, QuestionExpired, QuestionWithdrawn
from ..state import Connection, Elicitation, Permission, Session
from .carry import add_question, turn_of_question
from .draft import Draft
from .forms import find_mismatches
from .history import ENDED, H, change_both, merge_meta, put_open_turn, report_ended, with_activity, with_changes


Question: TypeAlias = Permission | Elicitation


# --- asking ----------------------------------------------------------------------------------------


def apply_question(draft: Draft, event: QuestionAsked) -> None:
    """Add the question to the timeline, or to the connection where it concerns no session."""
    if event.session_id is None:
        draft.connection = _ask_on_connection(draft, event.key, event.question)
    else:
        session = draft.open_session(event.session_id)
        draft.session = _ask(draft, session, event.key, event.question)


def _ask_on_connection(draft: Draft, key: object, elicitation: Any) -> Connection:
    connection = draft.connection
    elicitations, urls = connection.elicitations, connection._urls
    if elicitation.elicitation_id is not None:
        urls = urls.set(elicitation.elicitation_id, elicitations.end, draft.owner)
    return replace(connection, elicitations=elicitations.add(key, elicitation, draft.owner), _urls=urls)


def _ask(draft: Draft, session: Session, key: object, question: Question) -> Session:
    if session.phase in ENDED:
        report_ended(draft, session, ", and the agent asks something")
    turn = turn_of_question(session, question.tool_call_id)
    session = add_question(draft, session, ("request", key), replace(question, turn=turn))
    return with_activity(_mark_busy(draft, session, turn))


def _mark_busy(draft: Draft, session: Session, turn: int | None) -> Session:
    under_way = None if turn is None else session._open_turns.get(turn)
    if under_way is None or under_way.prompt is None:
        return session
    return replace(put_open_turn(draft, session, replace(under_way, busy=True)), _run_broken=False)


# --- answering -------------------------------------------------------------------------------------


def apply_answer(draft: Draft, event: QuestionAnswered) -> None:
    """Settle a question."""

    def settle(question: Any) -> Any:
        return (_settle_permission if isinstance(question, Permission) else _settle_elicitation)(draft, question, event)

    _change_in_place(draft, event.session_id, lambda session: _answer(draft, session, event.key, settle), event.key, settle)


def _settle_permission(draft: Draft, permission: Permission, event: QuestionAnswered) -> Permission:
    """Return *permission* answered; an option that was not offered is no approval."""
    facts: dict[str, Any] = {"status": event.status, "answer": event.answer, "error": event.error}
    if event.status == "selected":
        option = next((option for option in permission.options or () if option.id == event.option_id), None)
        if option is not None:
            facts |= {"option_id": option.id, "decision": option.kind}
        else:
            draft.report("option-not-offered", f"option {event.option_id!r} was not offered", event.option_id)
            facts |= {"status": "invalid", "answer": event.whole}
    return replace(permission, answer_owed=False, meta=merge_meta(draft, permission.meta, event.meta), **facts)


def _settle_elicitation(draft: Draft, elicitation: Elicitation, event: QuestionAnswered) -> Elicitation:
    if event.status == "accepted":
        for name, fault in find_mismatches(elicitation.requested_schema, event.content):
            draft.report("form-mismatch", f"content: {name} {fault}", name)
    return replace(
        elicitation,
        status=event.status,
        content=event.content,
        answer_owed=False,
        answer=event.answer,
        error=event.error,
        meta=merge_meta(draft, elicitation.meta, event.meta),
    )


def _change_in_place(
    draft: Draft,
    session_id: str | None,
    in_session: Callable[[Session], Session],
    key: object,
    on_connection: Callable[[Any], Any],
) -> None:
    """Change a question where it stands: in its session or on the connection."""
    if session_id is not None:
        session = draft.find_session(session_id)
        if session is not None:
            draft.session = in_session(session)
        return
    slot = draft.connection.elicitations.slot_of(key)
    if slot >= 0:
        before = draft.connection.elicitations.at(slot)
        _put_on_connection(draft, slot, before, on_connection(before))


def _put_on_connection(draft: Draft, slot: int, before: Elicitation, after: Elicitation) -> None:
    if after is not before:
        draft.connection = replace(draft.connection, elicitations=draft.connection.elicitations.put(slot, after, draft.owner))


def _answer(draft: Draft, session: Session, key: object, settle: Callable[[Any], Any]) -> Session:
    """Return *session* with the question *key* settled, wherever a replay has put it."""

    def change(history: H) -> H:
        index = history.timeline.slot_of(("request", key))
        question: Any = None if index < 0 else history.timeline.at(index)
        if question is None or (question.status != "pending" and not question.answer_owed):
            return history
        return _put_settled(draft, history, index, settle(question))

    return with_activity(change_both(session, change))


def _put_settled(draft: Draft, history: H, index: int, question: Question) -> H:
    """Return *history* with a *question* that is pending no more at *index*."""
    turn = None if question.turn is None else history._open_turns.get(question.turn)
    if turn is not None and turn.questions.slot_of(index) >= 0:
        history = put_open_turn(draft, history, replace(turn, questions=turn.questions.remove(index, draft.owner)))
    return replace(
        history,
        timeline=history.timeline.put(index, question, draft.owner),
        _pending=history._pending.remove(index, draft.owner),
    )


def apply_elicitation_completion(draft: Draft, event: ElicitationCompleted) -> None:
    """Note that what the user was sent away for is done (mode `url`)."""
    if event.session_id is None:
        connection = draft.connection
        slot = connection._urls.get(event.elicitation_id)
        if slot is not None:
            completed = _complete(draft, connection.elicitations.at(slot), event)
            draft.connection = replace(
                connection,
                elicitations=connection.elicitations.put(slot, completed, draft.owner),
                _urls=connection._urls.remove(event.elicitation_id, draft.owner),
            )
        return
    session = draft.find_session(event.session_id)
    if session is None:
        return

    def change(history: H) -> H:
        index = history._urls.get(event.elicitation_id)
        if index is None:
            return history
        elicitation: Any = history.timeline.at(index)
        return replace(
            history,
            timeline=history.timeline.put(index, _complete(draft, elicitation, event), draft.owner),
            _urls=history._urls.remove(event.elicitation_id, draft.owner),
        )

    draft.session = change_both(session, change)


def _complete(draft: Draft, elicitation: Elicitation, event: ElicitationCompleted) -> Elicitation:
    return replace(elicitation, completed=True, meta=merge_meta(draft, elicitation.meta, event.meta))


# --- giving up -------------------------------------------------------------------------------------


def apply_question_withdrawal(draft: Draft, event: QuestionWithdrawn) -> None:
    """Cancel a pending question; its answer is still owed."""

    def cancel(question: Any) -> Any:
        meta = merge_meta(draft, question.meta, event.meta)
        if question.status != "pending":
            return with_changes(question, meta=meta)
        return replace(question, status="cancelled", answer_owed=True, meta=meta)

    _change_in_place(draft, event.session_id, lambda session: _give_up(draft, session, event.key, cancel), event.key, cancel)


def apply_question_expiry(draft: Draft, event: QuestionExpired) -> None:
    """Note that nobody will see an answer any more."""

    def expire(question: Any) -> Any:
        status = "unanswered" if question.status == "pending" else question.status
        return with_changes(question, status=status, answer_owed=False)

    _change_in_place(draft, event.session_id, lambda session: _give_up(draft, session, event.key, expire), event.key, expire)


def _give_up(draft: Draft, session: Session, key: object, change_question: Callable[[Any], Any]) -> Session:
    def change(history: H) -> H:
        index = history.timeline.slot_of(("request", key))
        question: Any = None if index < 0 else history.timeline.at(index)
        after: Any = None if question is None else change_question(question)
        return history if after is question else _put_settled(draft, history, index, after)

    return with_activity(change_both(session, change))


def cancel_questions(draft: Draft, history: H) -> H:
    """Return *history* with every pending question cancelled; the client owes their answers."""
    return _give_up_all(draft, history, history._pending, "cancelled")


def expire_questions(draft: Draft, history: H) -> H:
    """Return *history* with every pending question unanswered, and no answer owed."""
    return _give_up_all(draft, history, history._pending, "unanswered", owed=False)


def expire_questions_of(draft: Draft, history: H, turn: int) -> H:
    """Return *history* with the pending questions of a failed *turn* unanswered; answers are still owed."""
    under_way = history._open_turns.get(turn)
    return history if under_way is None else _give_up_all(draft, history, under_way.questions, "unanswered")


def _give_up_all(draft: Draft, history: H, indices: Iterable[int], status: str, *, owed: bool = True) -> H:
    for index in tuple(indices):
        question: Any = history.timeline.at(index)
        history = _put_settled(draft, history, index, replace(question, status=status, answer_owed=owed))
    return history
