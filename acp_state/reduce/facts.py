"""What a session has one of, and lists beside the timeline: settings, usage, plans, notices (SPEC 4.6, 4.8)."""

from __future__ import annotations

from .._model import UNSET, evolve, maker, replacer
from ..events import (
    CommandsReplaced,
    ConfigReplaced,
    InfoPatched,
    ModeChosen,
    ModelChosen,
    NoticePosted,
    PlanRemoved,
    PlanReplaced,
    SessionMetaSent,
    SessionStatusReported,
    TitleStored,
    UnknownUpdated,
    UsageReported,
)
from ..state import JsonObject, Modes, Session, Snapshot, Usage
from ._session import Handler, Note, changed, in_session, merged_meta, patched_meta, with_activity


def _with_meta(session: Session, meta: JsonObject | None) -> Session:
    return changed(session, meta=merged_meta(session.meta, meta)) if meta is not None else session


def session_meta_sent(snapshot: Snapshot, event: SessionMetaSent, note: Note) -> Snapshot:
    """Merge `_meta` into the session's."""
    if event.known_only and event.session_id not in snapshot.sessions:
        return snapshot
    return _meta_merged(snapshot, event, note)


def _merged(session: Session, event: SessionMetaSent, note: Note) -> Session:
    return _with_meta(session, event.meta)


_meta_merged: Handler = in_session(_merged)


def info_patched(session: Session, event: InfoPatched, note: Note) -> Session:
    """Patch title, time and `_meta`."""
    meta = patched_meta(session.meta, event.meta)
    return changed(session, title=event.title, updated_at=event.updated_at, meta=meta)


def title_stored(session: Session, event: TitleStored, note: Note) -> Session:
    """The agent says what title it stored: it may have changed what the client sent."""
    return _with_meta(
        changed(session, title=UNSET if event.title is None else event.title),
        event.meta,
    )


def status_reported(session: Session, event: SessionStatusReported, note: Note) -> Session:
    """Take over what the agent says of a session without doing anything to it: no turn begins or ends."""
    session = changed(session, status=event.status if event.status is not None else UNSET)
    if event.state is not None:
        session = changed(session, _reported=event.state, _idle=False)
        if session.background != event.background:
            session = evolve(session, background=event.background)
    return with_activity(_with_meta(session, event.meta))


def mode_chosen(session: Session, event: ModeChosen, note: Note) -> Session:
    """Another mode is current."""
    modes = changed(session.modes or Modes(), current_id=event.mode_id)
    return _with_meta(changed(session, modes=modes), event.meta)


def model_chosen(session: Session, event: ModelChosen, note: Note) -> Session:
    """Another model is current."""
    models = changed(session.models or Modes(), current_id=event.model_id)
    return _with_meta(changed(session, models=models), event.meta)


def config_replaced(session: Session, event: ConfigReplaced, note: Note) -> Session:
    """The settings are these."""
    return _with_meta(_updated(session, "config_options", event.options), event.meta)


def commands_replaced(session: Session, event: CommandsReplaced, note: Note) -> Session:
    """The commands are these."""
    return _with_meta(_updated(session, "available_commands", event.commands), event.meta)


def _updated(session: Session, name: str, items: object) -> Session:
    """Replace a list, and remember that it is newer than a setup answer that is still to come."""
    if name not in session._fresh and (session._loading is not None or session.phase == "unannounced"):
        session = evolve(session, _fresh=session._fresh | {name})
    return changed(session, **{name: items})


def usage_reported(session: Session, event: UsageReported, note: Note) -> Session:
    """Replace `used` and `size`; a cost that is not sent stays. Nothing is summed or capped."""
    old = session.usage
    cost = old.cost if old is not None and event.cost is UNSET else event.cost or None
    usage = _usage(event.used, event.size, cost, event.meta)
    return session if usage == old else _with_usage(session, usage)


_usage = maker(Usage, "used", "size", "cost", "meta")
_with_usage = replacer(Session, "usage")


def plan_replaced(session: Session, event: PlanReplaced, note: Note) -> Session:
    """A plan is replaced whole."""
    key = ("plan", event.plan.id)
    return session if session.plans.find(key) == event.plan else _with_plans(session, session.plans.put(key, event.plan))


_with_plans = replacer(Session, "plans")


def plan_removed(session: Session, event: PlanRemoved, note: Note) -> Session:
    """A plan is no more."""
    plans = session.plans.remove(("plan", event.id))
    return _with_meta(session if plans is session.plans else evolve(session, plans=plans), event.meta)


def notice_posted(session: Session, event: NoticePosted, note: Note) -> Session:
    """Add a notice."""
    return evolve(session, notices=session.notices.append(event.notice))


def unknown_updated(session: Session, event: UnknownUpdated, note: Note) -> Session:
    """Keep an update that nobody understands."""
    return evolve(session, unknown_updates=session.unknown_updates.append(event.update))
