"""What a session has one of, and lists beside the timeline: settings, usage, plans, notices (SPEC 4.6, 4.8)."""

from __future__ import annotations

from typing import Any

from .._json import frozen_dict
from .._model import UNSET, replace
from ..events import ModelChosen, SessionMetaSent, SessionUpdate, StatusAnswered, TitleStored
from ..protocol import updates as u
from ..protocol.settings import OtherPlan, PlanFile, PlanItems, PlanMarkdown
from ..state import JsonObject, Modes, Notice, Plan, Session, Usage
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


def apply_info(draft: Draft, session: Session, event: SessionUpdate[u.SessionInfoUpdate]) -> Session:
    """Patch title, time and `_meta`."""
    patch = event.update
    return with_changes(session, title=patch.title, updated_at=patch.updated_at, meta=patch_meta(draft, session.meta, patch.meta))


def apply_title(draft: Draft, session: Session, event: TitleStored) -> Session:
    """The agent says what title it stored: it may have changed what the client sent."""
    session = with_changes(session, title=UNSET if event.title is None else event.title)
    return _with_meta(draft, session, event.meta)


def apply_status(draft: Draft, session: Session, event: StatusAnswered) -> Session:
    """Take over what the agent says of a session without doing anything to it: no turn begins or ends."""
    session = with_changes(session, status=event.status if event.status is not None else UNSET)
    if event.state is not None:
        session = with_changes(session, _said=replace(session._said, reported=event.state, idle=False))
        if session.background != event.background:
            session = replace(session, background=event.background)
    return with_activity(_with_meta(draft, session, event.meta))


def apply_mode(draft: Draft, session: Session, event: SessionUpdate[u.CurrentModeUpdate]) -> Session:
    """Another mode is current."""
    modes = with_changes(session.modes or Modes(), current_id=event.update.current_mode_id)
    return _with_meta(draft, with_changes(session, modes=modes), event.update.meta)


def apply_model(draft: Draft, session: Session, event: ModelChosen) -> Session:
    """Another model is current."""
    models = with_changes(session.models or Modes(), current_id=event.model_id)
    return _with_meta(draft, with_changes(session, models=models), event.meta)


def apply_config_options(draft: Draft, session: Session, event: SessionUpdate[u.ConfigOptionUpdate]) -> Session:
    """The settings are these."""
    return _with_meta(draft, _replace_list(session, "config_options", event.update.config_options), event.update.meta)


def apply_commands(draft: Draft, session: Session, event: SessionUpdate[u.AvailableCommandsUpdate]) -> Session:
    """The commands are these."""
    return _with_meta(draft, _replace_list(session, "available_commands", event.update.available_commands), event.update.meta)


def _replace_list(session: Session, name: str, items: object) -> Session:
    """Replace a list, and remember that it is newer than a setup answer that is still to come."""
    if name not in session._fresh and (session._loading is not None or session.phase == "unannounced"):
        session = replace(session, _fresh=session._fresh | {name})
    return with_changes(session, **{name: items})


def apply_usage(draft: Draft, session: Session, event: SessionUpdate[u.UsageUpdate]) -> Session:
    """Replace `used` and `size`; a cost that is not sent stays. Nothing is summed or capped."""
    sent, old = event.update, session.usage
    cost = old.cost if old is not None and sent.cost is sent.leave else sent.cost or None
    usage = Usage(sent.used, sent.size, cost, sent.meta)
    return session if usage == old else replace(session, usage=usage)


def apply_plan(draft: Draft, session: Session, event: SessionUpdate[u.Plan]) -> Session:
    """Replace the plan that has no id (version 1)."""
    return _put_plan(draft, session, Plan(entries=event.update.entries, meta=event.update.meta))


def apply_plan_update(draft: Draft, session: Session, event: SessionUpdate[u.PlanUpdate]) -> Session:
    """Replace a plan; the update's own `_meta` and the plan's are one, in which the plan's counts."""
    sent, outer = event.update.plan, event.update.meta
    meta = sent.meta if outer is None else frozen_dict({**outer, **(sent.meta or {})})
    return _put_plan(draft, session, Plan(sent.plan_id, sent.type, meta=meta, **_contents_of(sent)))


def _contents_of(plan: PlanItems | PlanMarkdown | PlanFile | OtherPlan) -> dict[str, Any]:
    """Return what a plan of its type has."""
    if isinstance(plan, PlanItems):
        return {"entries": plan.entries}
    if isinstance(plan, PlanMarkdown):
        return {"content": plan.content}
    return {"uri": plan.uri} if isinstance(plan, PlanFile) else {"extra": plan.extra}


def _put_plan(draft: Draft, session: Session, plan: Plan) -> Session:
    key, plans = ("plan", plan.id), session.plans
    slot = plans.slot_of(key)
    if slot >= 0 and plans.at(slot) == plan:
        return session
    after = plans.add(key, plan, draft.owner) if slot < 0 else plans.put(slot, plan, draft.owner)
    return session if after is plans else replace(session, plans=after)


def apply_plan_removal(draft: Draft, session: Session, event: SessionUpdate[u.PlanRemoved]) -> Session:
    """A plan is no more."""
    plans = session.plans.remove(("plan", event.update.plan_id), draft.owner)
    return _with_meta(draft, session if plans is session.plans else replace(session, plans=plans), event.update.meta)


def apply_notice(draft: Draft, session: Session, event: SessionUpdate[u.Notice]) -> Session:
    """Add a notice."""
    sent = event.update
    notice = Notice(sent.severity, sent.title, sent.description, sent.meta)
    return replace(session, notices=session.notices.append(notice))


def apply_unknown_update(draft: Draft, session: Session, event: SessionUpdate[u.UnknownUpdate]) -> Session:
    """Keep an update that nobody understands."""
    return replace(session, unknown_updates=session.unknown_updates.append(event.update.as_sent))
