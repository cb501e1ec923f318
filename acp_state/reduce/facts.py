"""What a session has one of, and lists beside the timeline: settings, usage, plans, notices (SPEC 4.6, 4.8)."""

from __future__ import annotations

from .._model import UNSET, replace
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
from ..state import JsonObject, Modes, Session, Usage
from .draft import Draft
from .history import in_session, merge_meta, patch_meta, with_activity, with_changes


def _with_meta(draft: Draft, session: Session, meta: JsonObject | None) -> Session:
    return session if meta is None else with_changes(session, meta=merge_meta(draft, session.meta, meta))


def apply_session_meta(draft: Draft, event: SessionMetaSent) -> None:
    """Merge `_meta` into the session's."""
    if not event.known_only or draft.has_session(event.session_id):
        _merge_session_meta(draft, event)


def _merge_meta(draft: Draft, session: Session, event: SessionMetaSent) -> Session:
    return _with_meta(draft, session, event.meta)


_merge_session_meta = in_session(_merge_meta)


def apply_info(draft: Draft, session: Session, event: InfoPatched) -> Session:
    """Patch title, time and `_meta`."""
    meta = patch_meta(draft, session.meta, event.meta)
    return with_changes(session, title=event.title, updated_at=event.updated_at, meta=meta)


def apply_title(draft: Draft, session: Session, event: TitleStored) -> Session:
    """The agent says what title it stored: it may have changed what the client sent."""
    session = with_changes(session, title=UNSET if event.title is None else event.title)
    return _with_meta(draft, session, event.meta)


def apply_status(draft: Draft, session: Session, event: SessionStatusReported) -> Session:
    """Take over what the agent says of a session without doing anything to it: no turn begins or ends."""
    session = with_changes(session, status=event.status if event.status is not None else UNSET)
    if event.state is not None:
        session = with_changes(session, _said=replace(session._said, reported=event.state, idle=False))
        if session.background != event.background:
            session = replace(session, background=event.background)
    return with_activity(_with_meta(draft, session, event.meta))


def apply_mode(draft: Draft, session: Session, event: ModeChosen) -> Session:
    """Another mode is current."""
    modes = with_changes(session.modes or Modes(), current_id=event.mode_id)
    return _with_meta(draft, with_changes(session, modes=modes), event.meta)


def apply_model(draft: Draft, session: Session, event: ModelChosen) -> Session:
    """Another model is current."""
    models = with_changes(session.models or Modes(), current_id=event.model_id)
    return _with_meta(draft, with_changes(session, models=models), event.meta)


def apply_config_options(draft: Draft, session: Session, event: ConfigReplaced) -> Session:
    """The settings are these."""
    return _with_meta(draft, _replace_list(session, "config_options", event.options), event.meta)


def apply_commands(draft: Draft, session: Session, event: CommandsReplaced) -> Session:
    """The commands are these."""
    return _with_meta(draft, _replace_list(session, "available_commands", event.commands), event.meta)


def _replace_list(session: Session, name: str, items: object) -> Session:
    """Replace a list, and remember that it is newer than a setup answer that is still to come."""
    if name not in session._fresh and (session._loading is not None or session.phase == "unannounced"):
        session = replace(session, _fresh=session._fresh | {name})
    return with_changes(session, **{name: items})


def apply_usage(draft: Draft, session: Session, event: UsageReported) -> Session:
    """Replace `used` and `size`; a cost that is not sent stays. Nothing is summed or capped."""
    old = session.usage
    cost = old.cost if old is not None and event.cost is UNSET else event.cost or None
    usage = Usage(event.used, event.size, cost, event.meta)
    return session if usage == old else replace(session, usage=usage)


def apply_plan(draft: Draft, session: Session, event: PlanReplaced) -> Session:
    """A plan is replaced whole."""
    key = ("plan", event.plan.id)
    plans = session.plans
    slot = plans.slot_of(key)
    if slot >= 0 and plans.at(slot) == event.plan:
        return session
    after = plans.add(key, event.plan, draft.owner) if slot < 0 else plans.put(slot, event.plan, draft.owner)
    return session if after is plans else replace(session, plans=after)


def apply_plan_removal(draft: Draft, session: Session, event: PlanRemoved) -> Session:
    """A plan is no more."""
    plans = session.plans.remove(("plan", event.id), draft.owner)
    return _with_meta(draft, session if plans is session.plans else replace(session, plans=plans), event.meta)


def apply_notice(draft: Draft, session: Session, event: NoticePosted) -> Session:
    """Add a notice."""
    return replace(session, notices=session.notices.append(event.notice))


def apply_unknown_update(draft: Draft, session: Session, event: UnknownUpdated) -> Session:
    """Keep an update that nobody understands."""
    return replace(session, unknown_updates=session.unknown_updates.append(event.update))
