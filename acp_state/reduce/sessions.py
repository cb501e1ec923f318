"""Sessions: set up, loaded, ended, reopened; and their children (SPEC 4.6)."""

from __future__ import annotations

from typing import Any

from .._model import UNSET, evolve
from ..events import (
    SessionEndAsked,
    SessionEnded,
    SessionReady,
    SessionSetupAsked,
    SessionSetupFailed,
    SessionUnarchived,
    SubagentPatched,
)
from ..state import Loading, Modes, Session, Snapshot, Subagent
from . import prompts, questions, turns
from ._session import (
    ENDED,
    NOTHING_SPARED,
    Note,
    changed,
    find_or_make,
    in_both,
    merged_meta,
    new_session,
    open_places,
    parent_of,
    patched_meta,
    with_activity,
    with_session,
)
from .carrying import known_of
from .replay import finished, made_history


# --- set up ----------------------------------------------------------------------------------------


def setup_asked(snapshot: Snapshot, event: SessionSetupAsked, note: Note) -> Snapshot:
    """A load or resume began."""
    session = snapshot.sessions.find(event.session_id)
    known = session is not None
    if session is None:
        session = new_session(
            snapshot,
            event.session_id,
            cwd=event.cwd,
            additional_directories=event.additional_directories,
        )
    under_way = session._loading
    if under_way is not None and under_way.begun:
        session = finished(session, succeeded=False)  # what it had brought is for this one to bring
    loading = Loading(
        event.scope,
        known if under_way is None else under_way.known,
        session.phase if under_way is None else under_way.phase,
        known_until=known_of(session) if under_way is None else under_way.known_until,
    )
    session = changed(
        session,
        phase="opening" if event.scope == "none" else "loading",
        error=None,
        meta=merged_meta(session.meta, event.meta),
        _loading=loading,
        _fresh=frozenset(),
    )
    return _put(snapshot, with_activity(session))


def _put(snapshot: Snapshot, session: Session) -> Snapshot:
    return snapshot if snapshot.sessions.find(session.id) is session else with_session(snapshot, session)


def ready(snapshot: Snapshot, event: SessionReady, note: Note) -> Snapshot:
    """A session can be used: the replay is over, its settings are those of the answer."""
    session = snapshot.sessions.find(event.session_id)
    if session is None:
        session = new_session(snapshot, event.session_id)
    if session._loading is not None and event.newest:
        session = finished(session, succeeded=True)
    if event.orphan:
        session = made_history(session)
    session = changed(
        session,
        phase="ready",
        error=None,
        forked_from=event.forked_from or session.forked_from,
        meta=merged_meta(session.meta, event.meta),
        _idle=session._idle or event.fresh,
        _fresh=frozenset(),
        **_settings(session, event),
    )
    return _put(snapshot, with_activity(session))


def _settings(session: Session, event: SessionReady) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "modes": _chosen(
            session.modes,
            event.current_mode_id,
            event.available_modes,
            event.modes_meta,
        ),
        "models": _chosen(
            session.models,
            event.current_model_id,
            event.available_models,
            event.models_meta,
        ),
    }
    for name in ("cwd", "additional_directories"):
        if getattr(event, name) is not UNSET:
            settings[name] = getattr(event, name)
    for name in ("config_options", "available_commands"):
        value = getattr(event, name)
        if value or (value is not None and not event.complete) or (event.complete and name not in session._fresh):
            settings[name] = value
    return settings


def _chosen(old: Modes | None, current_id: str | None, available: Any, meta: Any) -> Modes | None:
    if current_id is None and available is None and meta is None:
        return old
    old = old or Modes()
    return Modes(
        old.current_id if current_id is None else current_id,
        old.available if available is None else available,
        meta,
    )


def setup_failed(snapshot: Snapshot, event: SessionSetupFailed, note: Note) -> Snapshot:
    """A session could not be had: it is as it was, or nothing but its failure is known."""
    session = snapshot.sessions.find(event.session_id)
    loading = None if session is None else session._loading
    if session is None or loading is None or not event.newest:
        return snapshot
    session = finished(session, succeeded=False)
    phase = loading.phase if loading.known else "failed"
    return with_session(snapshot, with_activity(evolve(session, phase=phase, error=event.error)))


# --- ends ------------------------------------------------------------------------------------------


def end_asked(session: Session, event: SessionEndAsked, note: Note) -> Session:
    """The client wants a session closed or archived: its turns are told so."""
    session = in_both(session, _told)
    return changed(session, meta=merged_meta(session.meta, event.meta))


def _told(history: Any) -> Any:
    table = history.turns
    for place in open_places(history):
        turn = table.at(place)
        if not turn.cancel_requested:
            table = table.replace(place, evolve(turn, cancel_requested=True))
    return history if table is history.turns else evolve(history, turns=table)


def ended(session: Session, event: SessionEnded, note: Note) -> Session:
    """Close a session: all that it was doing is cancelled, also in the background."""
    if session.phase not in ENDED:
        session = _stopped(session)
    archived = True if event.archived else session.archived
    session = changed(
        session,
        phase=event.phase,
        archived=archived,
        meta=merged_meta(session.meta, event.meta),
    )
    return with_activity(session)


def _stopped(session: Session) -> Session:
    session = finished(session, succeeded=False)
    background = session.background
    session = in_both(session, lambda history: turns.cancelled(history, NOTHING_SPARED))
    session = in_both(session, lambda history: turns.background_cancelled(history, background))
    session = in_both(session, questions.all_cancelled)
    session = turns.all_ended(prompts.all_cancelled(session), failed=False)
    return evolve(session, background=None, _reported=None, _mirrored=None, _idle=False)


def unarchived(session: Session, event: SessionUnarchived, note: Note) -> Session:
    """A session is in the agent's list again; that opens it for nobody."""
    return changed(session, archived=False, meta=merged_meta(session.meta, event.meta))


def disconnected(session: Session) -> Session:
    """Return *session* as a new connection finds it: nothing that the old one was doing goes on."""
    loading = session._loading
    session = finished(session, succeeded=False)
    if loading is not None:
        session = evolve(session, phase=loading.phase if loading.known else "failed")
    session = turns.all_ended(session, failed=True)
    session = in_both(session, questions.all_lapsed)
    return with_activity(changed(session, _reported=None, _mirrored=None, _idle=False))


# --- children --------------------------------------------------------------------------------------


def subagent_patched(snapshot: Snapshot, event: SubagentPatched, note: Note) -> Snapshot:
    """Patch a child in its parent's list, and tell the child whose it is and what it is doing."""
    parent = snapshot.sessions.find(event.session_id)
    if parent is not None and parent.phase in ENDED:
        note(
            "closed-session",
            f"session {event.session_id!r} is {parent.phase}",
            event.session_id,
        )
        return snapshot
    session = find_or_make(snapshot, event.session_id, note)
    listed = session.subagents.find(event.child_id)
    before = listed or Subagent(event.child_id)
    after = changed(
        before,
        title=event.title,
        description=event.description,
        capabilities=event.capabilities,
        state=event.state,
        cwd=event.cwd,
        additional_directories=event.additional_directories,
        meta=patched_meta(before.meta, event.meta),
    )
    if listed is None or after is not before:
        session = evolve(session, subagents=session.subagents.put(event.child_id, after))
    if session is not parent:
        snapshot = with_session(snapshot, session)
    return snapshot if event.child_id == event.session_id else _with_child(snapshot, event)


def _with_child(snapshot: Snapshot, event: SubagentPatched) -> Snapshot:
    known = snapshot.sessions.find(event.child_id)
    child = known or new_session(snapshot, event.child_id)
    child = changed(child, parent=parent_of(child.parent, event.session_id, event.tool_call_id))
    if event.state is not UNSET and child.phase not in ENDED:
        child = changed(child, _mirrored=None if event.state is None else event.state.get("state"))
    child = with_activity(child)
    return snapshot if child is known else with_session(snapshot, child)
