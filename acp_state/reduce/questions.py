"""Questions to the user: permissions and elicitations, asked, answered, given up (SPEC 4.5).

They are found by their request, never by the tool call that they are about: one call may ask twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from .._model import evolve
from ..events import (
    ElicitationAnswered,
    ElicitationAsked,
    ElicitationCompleted,
    PermissionAnswered,
    PermissionAsked,
    QuestionLapsed,
    QuestionWithdrawn,
)
from ..state import Connection, Elicitation, Permission, Session, Snapshot
from ._session import (
    ENDED,
    H,
    Note,
    changed,
    find_or_make,
    in_both,
    merged_meta,
    with_activity,
    with_open,
    with_session,
)
from .carrying import turn_of_question, with_question
from .forms import mismatches


Question: TypeAlias = Permission | Elicitation


# --- asking ----------------------------------------------------------------------------------------


def permission_asked(session: Session, event: PermissionAsked, note: Note) -> Session:
    """Add the question to the timeline."""
    return _asked(session, event.key, event.permission, note)


def elicitation_asked(snapshot: Snapshot, event: ElicitationAsked, note: Note) -> Snapshot:
    """Add the question to the timeline, or to the connection's where it concerns no session."""
    if event.session_id is None:
        return evolve(snapshot, connection=_with_asked(snapshot.connection, event))
    session = find_or_make(snapshot, event.session_id, note)
    return with_session(snapshot, _asked(session, event.key, event.elicitation, note))


def _with_asked(connection: Connection, event: ElicitationAsked) -> Connection:
    elicitations, urls = connection.elicitations, connection._urls
    if event.elicitation.elicitation_id is not None:
        urls = urls.put(event.elicitation.elicitation_id, elicitations.end)
    return evolve(connection, elicitations=elicitations.add(event.key, event.elicitation), _urls=urls)


def _asked(session: Session, key: object, question: Question, note: Note) -> Session:
    if session.phase in ENDED:
        note(
            "closed-session",
            f"session {session.id!r} is {session.phase}, and the agent asks something",
            session.id,
        )
    turn = turn_of_question(session, question.tool_call_id)
    session = with_question(session, ("request", key), evolve(question, turn=turn))
    return with_activity(_busy(session, turn))


def _busy(session: Session, turn: int | None) -> Session:
    under_way = None if turn is None else session._open_turns.find(turn)
    if under_way is None or under_way.entry is None:
        return session
    return evolve(session, _open_turns=with_open(session, evolve(under_way, busy=True)), _run_broken=False)


# --- answering -------------------------------------------------------------------------------------


def permission_answered(session: Session, event: PermissionAnswered, note: Note) -> Session:
    """Settle a permission; an option that was not offered is no approval."""

    def settle(permission: Any) -> Any:
        return _settled_permission(permission, event, note)

    return _answered(session, event.key, settle)


def _settled_permission(permission: Permission, event: PermissionAnswered, note: Note) -> Permission:
    facts: dict[str, Any] = {
        "status": event.status,
        "answer": event.answer,
        "error": event.error,
    }
    if event.status == "selected":
        option = next(
            (option for option in permission.options or () if option.id == event.option_id),
            None,
        )
        if option is not None:
            facts |= {"option_id": option.id, "decision": option.kind}
        else:
            note(
                "option-not-offered",
                f"option {event.option_id!r} was not offered",
                event.option_id,
            )
            facts |= {"status": "invalid", "answer": event.kept}
    return evolve(
        permission,
        answer_owed=False,
        meta=merged_meta(permission.meta, event.meta),
        **facts,
    )


def elicitation_answered(snapshot: Snapshot, event: ElicitationAnswered, note: Note) -> Snapshot:
    """Settle an elicitation."""

    def settle(elicitation: Any) -> Any:
        if event.status == "accepted":
            for name, fault in mismatches(elicitation.requested_schema, event.content):
                note("form-mismatch", f"content: {name} {fault}", name)
        return evolve(
            elicitation,
            status=event.status,
            content=event.content,
            answer_owed=False,
            answer=event.answer,
            error=event.error,
            meta=merged_meta(elicitation.meta, event.meta),
        )

    return _in_place(
        snapshot,
        event.session_id,
        lambda session: _answered(session, event.key, settle),
        event.key,
        settle,
    )


def _in_place(
    snapshot: Snapshot,
    session_id: str | None,
    in_session: Callable[[Session], Session],
    key: object,
    on_connection: Callable[[Any], Any],
) -> Snapshot:
    """Change a question where it stands: in its session or on the connection."""
    if session_id is None:
        connection = snapshot.connection
        place = connection.elicitations.place(key)
        if place < 0:
            return snapshot
        before = connection.elicitations.at(place)
        after = on_connection(before)
        if after is before:
            return snapshot
        return evolve(snapshot, connection=_with_elicitation(connection, place, after))
    session = snapshot.sessions.find(session_id)
    if session is None:
        return snapshot
    changed_session = in_session(session)
    return snapshot if changed_session is session else with_session(snapshot, changed_session)


def _with_elicitation(connection: Connection, place: int, elicitation: Elicitation) -> Connection:
    return evolve(connection, elicitations=connection.elicitations.replace(place, elicitation))


def _answered(session: Session, key: object, settle: Callable[[Any], Any]) -> Session:
    """Return *session* with the question *key* settled, wherever a replay has put it."""

    def change(history: H) -> H:
        place = history.timeline.place(("request", key))
        if place < 0:
            return history
        question = history.timeline.known(place)
        if question.status != "pending" and not question.answer_owed:
            return history
        return _settled(history, place, settle(question))

    return with_activity(in_both(session, change))


def _settled(history: H, place: int, question: Question) -> H:
    """Return *history* with a *question* that is pending no more at *place*."""
    turn = None if question.turn is None else history._open_turns.find(question.turn)
    asking = history._open_turns
    if turn is not None and turn.questions.place(place) >= 0:
        asking = with_open(history, evolve(turn, questions=turn.questions.remove(place)))
    return evolve(
        history,
        timeline=history.timeline.replace(place, question),
        _open_turns=asking,
        _pending=history._pending.remove(place),
    )


def elicitation_completed(snapshot: Snapshot, event: ElicitationCompleted, note: Note) -> Snapshot:
    """Note that what the user was sent away for is done (mode `url`)."""
    if event.session_id is None:
        connection = snapshot.connection
        place = connection._urls.find(event.elicitation_id)
        if place is None:
            return snapshot
        after = _with_elicitation(connection, place, _completed(connection.elicitations.at(place), event))
        return evolve(snapshot, connection=evolve(after, _urls=after._urls.remove(event.elicitation_id)))
    session = snapshot.sessions.find(event.session_id)
    if session is None:
        return snapshot

    def change(history: H) -> H:
        place = history._urls.find(event.elicitation_id)
        if place is None:
            return history
        completed = _completed(history.timeline.known(place), event)
        return evolve(
            history,
            timeline=history.timeline.replace(place, completed),
            _urls=history._urls.remove(event.elicitation_id),
        )

    changed_session = in_both(session, change)
    return snapshot if changed_session is session else with_session(snapshot, changed_session)


def _completed(elicitation: Elicitation, event: ElicitationCompleted) -> Elicitation:
    return evolve(elicitation, completed=True, meta=merged_meta(elicitation.meta, event.meta))


# --- giving up -------------------------------------------------------------------------------------


def question_withdrawn(snapshot: Snapshot, event: QuestionWithdrawn, note: Note) -> Snapshot:
    """Cancel a pending question; its answer is still owed."""

    def cancel(question: Any) -> Any:
        meta = merged_meta(question.meta, event.meta)
        if question.status != "pending":
            return changed(question, meta=meta)
        return evolve(question, status="cancelled", answer_owed=True, meta=meta)

    return _in_place(
        snapshot,
        event.session_id,
        lambda session: _given_up(session, event.key, cancel),
        event.key,
        cancel,
    )


def question_lapsed(snapshot: Snapshot, event: QuestionLapsed, note: Note) -> Snapshot:
    """Note that nobody will see an answer any more."""

    def lapse(question: Any) -> Any:
        return changed(
            question,
            status="unanswered" if question.status == "pending" else question.status,
            answer_owed=False,
        )

    return _in_place(
        snapshot,
        event.session_id,
        lambda session: _given_up(session, event.key, lapse),
        event.key,
        lapse,
    )


def _given_up(session: Session, key: object, change_question: Callable[[Any], Any]) -> Session:
    def change(history: H) -> H:
        place = history.timeline.place(("request", key))
        if place < 0:
            return history
        question = history.timeline.known(place)
        after = change_question(question)
        if after is question:
            return history
        return _settled(history, place, after)

    return with_activity(in_both(session, change))


def all_cancelled(history: H) -> H:
    """Return *history* with every pending question cancelled; the client owes their answers."""
    return _all_given_up(history, history._pending, "cancelled")


def all_lapsed(history: H) -> H:
    """Return *history* with every pending question unanswered, and no answer owed."""
    return _all_given_up(history, history._pending, "unanswered", owed=False)


def unanswered(history: H, turn: int) -> H:
    """Return *history* with the pending questions of a failed *turn* unanswered; answers are still owed."""
    under_way = history._open_turns.find(turn)
    return history if under_way is None else _all_given_up(history, under_way.questions, "unanswered")


def _all_given_up(history: H, places: Iterable[int], status: str, *, owed: bool = True) -> H:
    for place in places:
        question = history.timeline.known(place)
        history = _settled(history, place, evolve(question, status=status, answer_owed=owed))
    return history
