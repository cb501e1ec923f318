"""Sessions: set up, loaded, ended, reopened; and their children (SPEC 4.6)."""

from __future__ import annotations

from typing import Any

from .._json import freeze
from .._model import UNSET, replace
from ..events import EndRequested, SessionEnded, SessionUnarchived, SessionUpdate, SetupAnswered, SetupFailed, SetupRequested
from ..protocol.updates import SubagentUpdate
from ..state import NOTHING_SAID, Loading, Modes, Session, Subagent
from . import prompts, questions, turns
from .carry import find_ends
from .draft import Draft
from .history import ENDED, H, change_both, merge_meta, patch_meta, report_ended, with_activity, with_changes, with_parent
from .replay import end_load, make_historical


# --- set up ----------------------------------------------------------------------------------------


def apply_setup_request(draft: Draft, event: SetupRequested) -> None:
    """A load or resume began."""
    session = draft.find_session(event.session_id)
    known = session is not None
    if session is None:
        session = draft.create_session(event.session_id, cwd=event.cwd, additional_directories=event.additional_directories)
    under_way = session._loading
    scope = event.scope
    if under_way is not None and under_way.begun and scope != "none":
        session = end_load(draft, session, succeeded=False)  # what it had brought is for this one to bring
    loading = (
        Loading(scope, known, session.phase, known_until=find_ends(session))
        if under_way is None
        else under_way
        if scope == "none" and under_way.scope != "none"  # a plain resume takes no replay away
        else Loading(scope, under_way.known, under_way.phase, known_until=under_way.known_until)
    )
    session = with_changes(
        session,
        phase="opening" if loading.scope == "none" else "loading",
        error=None,
        meta=merge_meta(draft, session.meta, event.meta),
        _loading=loading,
        _fresh=frozenset(),
    )
    draft.session = with_activity(session)


def apply_setup(draft: Draft, event: SetupAnswered) -> None:
    """A session can be used: the replay is over, its settings are those of the answer."""
    session = draft.find_session(event.session_id) or draft.create_session(event.session_id)
    if session._loading is not None and event.newest:
        session = end_load(draft, session, succeeded=True)
    if event.orphan:
        session = make_historical(draft, session)
    said = replace(session._said, idle=session._said.idle or event.fresh)
    session = with_changes(
        session,
        phase="ready" if session._loading is None else session.phase,
        error=None,
        forked_from=event.forked_from or session.forked_from,
        meta=merge_meta(draft, session.meta, event.meta),
        _said=said,
        _fresh=frozenset(),
        **_settings_of(session, event),
    )
    draft.session = with_activity(session)


def _settings_of(session: Session, event: SetupAnswered) -> dict[str, Any]:
    response = event.response
    settings: dict[str, Any] = {
        "modes": _merge_modes(session.modes, response.modes),
        "models": _merge_modes(session.models, response.models),
    }
    for name in ("cwd", "additional_directories"):
        if getattr(event, name) is not None:
            settings[name] = getattr(event, name)
    for name in ("config_options", "available_commands"):
        value = getattr(response, name)
        if value or (value is not None and not event.complete) or (event.complete and name not in session._fresh):
            settings[name] = value
    return settings


def _merge_modes(old: Modes | None, sent: Modes | None) -> Modes | None:
    """Return the modes, or models, that a response has; what it does not say stays."""
    if sent is None or old is None:
        return sent or old
    current_id = old.current_id if sent.current_id is None else sent.current_id
    return Modes(current_id, old.available if sent.available is None else sent.available, meta=sent.meta)


def apply_setup_failure(draft: Draft, event: SetupFailed) -> None:
    """A session could not be had: it is as it was, or nothing but its failure is known."""
    session = draft.find_session(event.session_id)
    loading = None if session is None else session._loading
    if session is None or loading is None or not event.newest:
        return
    session = end_load(draft, session, succeeded=False)
    phase = loading.phase if loading.known else "failed"
    draft.session = with_activity(replace(session, phase=phase, error=event.error))


# --- ends ------------------------------------------------------------------------------------------


def apply_end_request(draft: Draft, session: Session, event: EndRequested) -> Session:
    """The client wants a session closed or archived: its turns are told so."""
    session = change_both(session, lambda history: _request_cancel(draft, history))
    return with_changes(session, meta=merge_meta(draft, session.meta, event.meta))


def _request_cancel(draft: Draft, history: H) -> H:
    all_turns = history.turns
    for open_turn in history._open_turns:
        turn = all_turns.at(open_turn.index)
        if not turn.cancel_requested:
            all_turns = all_turns.put(open_turn.index, replace(turn, cancel_requested=True), draft.owner)
    return history if all_turns is history.turns else replace(history, turns=all_turns)


def apply_end(draft: Draft, session: Session, event: SessionEnded) -> Session:
    """Close a session: all that it was doing is cancelled, also in the background."""
    if session.phase not in ENDED:
        session = _stop(draft, session)
    session = with_changes(
        session,
        phase=event.phase,
        archived=True if event.archived else session.archived,
        meta=merge_meta(draft, session.meta, event.meta),
    )
    if event.phase == "deleted":
        _unlist(draft, session.id)
    return with_activity(session)


def _unlist(draft: Draft, session_id: str) -> None:
    """Take a session that is deleted out of the agent's list."""
    listed = draft.connection.listed_sessions
    if listed is not None and listed.slot_of(session_id) >= 0:
        draft.connection = replace(draft.connection, listed_sessions=listed.remove(session_id, draft.owner))


def _stop(draft: Draft, session: Session) -> Session:
    session = end_load(draft, session, succeeded=False)
    session = change_both(session, lambda history: turns.cancel_turns(draft, history, None))
    session = change_both(session, lambda history: turns.cancel_loose_calls(draft, history))
    session = change_both(session, lambda history: questions.cancel_questions(draft, history))
    session = turns.end_all_turns(draft, prompts.cancel_prompts(draft, session), failed=False)
    return with_changes(session, background=None, _said=NOTHING_SAID)


def apply_unarchiving(draft: Draft, session: Session, event: SessionUnarchived) -> Session:
    """A session is in the agent's list again; that opens it for nobody."""
    return with_changes(session, archived=False, meta=merge_meta(draft, session.meta, event.meta))


def update_session(draft: Draft, session: Session) -> Session:
    """Return *session* as it is on the connection that *draft* is at, by its activity rule."""
    if session._connection != draft.connection_number:
        session = replace(_disconnect(draft, session), _connection=draft.connection_number)
    if session._derives is not draft.derives:
        session = with_activity(replace(session, _derives=draft.derives))
    return session


def _disconnect(draft: Draft, session: Session) -> Session:
    """Return *session* as a new connection finds it: nothing that the old one was doing goes on."""
    loading = session._loading
    session = end_load(draft, session, succeeded=False)
    if loading is not None:
        session = replace(session, phase=loading.phase if loading.known else "failed")
    session = turns.end_all_turns(draft, session, failed=True)
    session = change_both(session, lambda history: questions.expire_questions(draft, history))
    return with_activity(with_changes(session, _said=NOTHING_SAID))


# --- children --------------------------------------------------------------------------------------


def apply_subagent(draft: Draft, event: SessionUpdate[SubagentUpdate]) -> None:
    """Patch a child in its parent's list, and tell the child whose it is and what it is doing."""
    parent = draft.find_session(event.session_id)
    if parent is not None and parent.phase in ENDED:
        report_ended(draft, parent)
        return
    session = parent or draft.open_session(event.session_id)
    patch = event.update
    listed = session.subagents.get(patch.child_id)
    before = listed or Subagent(patch.child_id)
    after = with_changes(
        before,
        title=patch.title,
        description=patch.description,
        capabilities=patch.capabilities,
        state=patch.state if patch.state is UNSET else freeze(patch.state),
        cwd=patch.cwd,
        additional_directories=patch.additional_directories,
        meta=patch_meta(draft, before.meta, patch.meta),
    )
    if listed is None or after is not before:
        draft.session = replace(session, subagents=session.subagents.set(patch.child_id, after, draft.owner))
    if patch.child_id != event.session_id:
        _tell_child(draft, event)


def _tell_child(draft: Draft, event: SessionUpdate[SubagentUpdate]) -> None:
    patch = event.update
    child = draft.find_session(patch.child_id) or draft.create_session(patch.child_id)
    child = with_changes(child, parent=with_parent(child.parent, event.session_id, event.parent))
    if patch.state is not UNSET and child.phase not in ENDED:
        mirrored = None if patch.state is None else freeze(patch.state).get("state")
        child = with_changes(child, _said=replace(child._said, mirrored=mirrored))
    draft.session = with_activity(child)
