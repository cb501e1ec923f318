"""Tool calls: patches, streamed content, and what a finished call lets happen to it (SPEC 4.3)."""

from __future__ import annotations

from typing import Any

from .._json import FrozenList, same
from .._model import UNSET, replace
from ..containers import Content, make_content
from ..events import ToolCallCancelAsked, ToolCallPatched, ToolContentChunked
from ..state import FINAL_STATUSES, Session, ToolCall
from .draft import Draft
from .history import H, add_call, change_both, current_turn, histories_of, patch_meta, put_call, put_entry
from .replay import renew_entry


def apply_tool_call(draft: Draft, session: Session, event: ToolCallPatched) -> Session:
    """Patch a tool call, or add it: the first mention makes it."""
    index = session.timeline.slot_of(("tool_call", event.id))
    if session._loading is not None:
        session = _renew(draft, session, event, index)
    before: Any = session.timeline.at(index) if index >= 0 else None
    if before is not None and event.introduces and before.final and before._final_since < session._epoch:
        draft.report("call-id-reused", f"tool call {event.id!r} was finished in an earlier turn; this is another one", event.id)
        before = None
    if before is None:
        if not event.announces:
            draft.report("unannounced-call", f"tool call {event.id!r} was never introduced", event.id)
        blank = _new_call(session, event.id, event.parent, unannounced=not event.announces)
        return add_call(draft, session, _patch_call(draft, blank, event, session._epoch))
    after = _patch_call(draft, before, event, session._epoch)
    return session if after is before else put_call(draft, session, index, before, after)


def _renew(draft: Draft, session: Session, event: ToolCallPatched | ToolContentChunked, index: int) -> Session:
    return renew_entry(draft, session, ("tool_call", event.id), index, ToolCall(event.id, parent=event.parent, historical=True))


def _new_call(session: Session, id: str, parent: str | None, *, unannounced: bool = False) -> ToolCall:
    historical = session.replaying
    return ToolCall(id, None if historical else current_turn(session), parent, historical, unannounced=unannounced)


def _patch_call(draft: Draft, call: ToolCall, event: ToolCallPatched, epoch: int) -> ToolCall:
    """Return *call* with the patch; itself if the patch says nothing new."""
    changes = _find_changes(call, event)
    if event.parent is not None and event.parent != call.parent:
        changes["parent"] = event.parent
    if event.status is not UNSET:
        changes |= _patch_status(draft, call, event.status or "pending", event.final_stays, epoch)
    if event.meta is not UNSET and (meta := patch_meta(draft, call.meta, event.meta)) is not call.meta:
        changes["meta"] = meta
    if call.unannounced and event.announces:
        changes["unannounced"] = False
    return replace(call, **changes) if changes else call


def _find_changes(call: ToolCall, event: ToolCallPatched) -> dict[str, Any]:
    """Return those attributes that are replaced whole, as far as *event* has others."""
    changes: dict[str, Any] = {}
    for name in ("title", "name", "kind"):
        word = getattr(event, name)
        if word is not UNSET and word != getattr(call, name):
            changes[name] = word or ("other" if name == "kind" else word)
    for name in ("raw_input", "raw_output", "locations", "capabilities"):
        value = getattr(event, name)
        if value is not UNSET:
            _compare(changes, call, name, value)
    if event.content is not UNSET and not _is_made_of(call.content, event.content or ()):
        changes["content"] = make_content(event.content or ())
    return changes


def _compare(changes: dict[str, Any], call: ToolCall, name: str, new: Any) -> None:
    """Note a JSON value as a change if it is another one; `null` clears."""
    if name == "locations" and new is not None:
        new = FrozenList(new)
    elif new is None and name.startswith("raw_"):
        new = UNSET
    old = getattr(call, name)
    if new is not old and (new is UNSET or old is UNSET or not same(old, new)):
        changes[name] = new


def _is_made_of(content: Content, items: Any) -> bool:
    """Whether *content* has the same *items*, to the type."""
    return len(content) == len(items) and all(map(same, content, items))


def _patch_status(draft: Draft, call: ToolCall, status: str, final_stays: bool, epoch: int) -> dict[str, Any]:
    """Return what another *status* changes: a final one stays (version 1), or is left with a diagnostic (SPEC 4.3)."""
    before = call.status
    if status in FINAL_STATUSES:
        since = epoch if before not in FINAL_STATUSES or call.cancelled_by_client else call._final_since
        changes = {"status": status, "_final_since": since, "unresolved": False, "cancelled_by_client": False}
        return {name: value for name, value in changes.items() if value != getattr(call, name)}
    if before not in FINAL_STATUSES:
        return {} if status == before else {"status": status}
    stays = call.cancelled_by_client or final_stays
    message = f"tool call {call.id!r} went from {before} to {status}" + (", and stays" if stays else "")
    draft.report("status-regression", message, call.id)
    return {} if stays else {"status": status}


def apply_tool_content_chunk(draft: Draft, session: Session, event: ToolContentChunked) -> Session:
    """Append one item to a tool call's content."""
    index = session.timeline.slot_of(("tool_call", event.id))
    if session._loading is not None:
        session = _renew(draft, session, event, index)
    before: Any = session.timeline.at(index) if index >= 0 else None
    call = before or _new_call(session, event.id, event.parent)
    content = call.content.append(event.item, draft.owner)
    parent = event.parent or call.parent
    if content is call.content and parent == call.parent:
        return session
    call = replace(call, content=content, parent=parent)
    return add_call(draft, session, call) if before is None else put_call(draft, session, index, before, call)


def apply_tool_call_cancel(draft: Draft, session: Session, event: ToolCallCancelAsked) -> Session:
    """Mark the call; its status is the agent's to change (schema `CancelToolCallRequest`)."""
    key = ("tool_call", event.id)
    if not any(history.timeline.slot_of(key) >= 0 for history in histories_of(session)):
        draft.report("unknown-target", f"nobody knows a tool call {event.id!r}", event.id)

    def mark(history: H) -> H:
        index = history.timeline.slot_of(key)
        call: Any = None if index < 0 else history.timeline.at(index)
        if call is None or call.cancel_requested:
            return history
        return put_entry(draft, history, index, replace(call, cancel_requested=True))

    return change_both(session, mark)
