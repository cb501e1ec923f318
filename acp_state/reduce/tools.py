"""Tool calls: patches, streamed content, and what a finished call lets happen to it (SPEC 4.3)."""

from __future__ import annotations

from typing import Any

from .._json import FrozenDict, freeze, same
from .._model import UNSET, replace
from ..containers import make_content
from ..events import SessionUpdate, ToolCallCancelled
from ..protocol.updates import ToolCallContentChunk, ToolCallUpdate
from ..state import FINAL_STATUSES, Session, ToolCall
from .draft import Draft
from .history import H, add_call, change_both, current_turn, histories_of, patch_meta, put_call, put_entry
from .replay import renew_entry


def apply_tool_call(draft: Draft, session: Session, event: SessionUpdate[ToolCallUpdate]) -> Session:
    """Patch a tool call, or add it: the first mention makes it."""
    patch = event.update
    id = patch.tool_call_id
    index = session.timeline.slot_of(("tool_call", id))
    if session._loading is not None:
        session = _renew(draft, session, id, event.parent, index)
    before: Any = session.timeline.at(index) if index >= 0 else None
    if before is not None and patch.introduces and before.final and before._final_since < session._epoch:
        draft.report("call-id-reused", f"tool call {id!r} was finished in an earlier turn; this is another one", id)
        before = None
    if before is None:
        is_announced = patch.announces or event.live
        if not is_announced:
            draft.report("unannounced-call", f"tool call {id!r} was never introduced", id)
        blank = _new_call(session, id, event.parent, unannounced=not is_announced)
        return add_call(draft, session, _patch_call(draft, blank, event, session._epoch))
    after = _patch_call(draft, before, event, session._epoch)
    return session if after is before else put_call(draft, session, index, before, after)


def _renew(draft: Draft, session: Session, id: str, parent: str | None, index: int) -> Session:
    return renew_entry(draft, session, ("tool_call", id), index, ToolCall(id, parent=parent, historical=True))


def _new_call(session: Session, id: str, parent: str | None, *, unannounced: bool = False) -> ToolCall:
    historical = session.replaying
    return ToolCall(id, None if historical else current_turn(session), parent, historical, unannounced=unannounced)


def _patch_call(draft: Draft, call: ToolCall, event: SessionUpdate[ToolCallUpdate], epoch: int) -> ToolCall:
    """Return *call* with the patch; itself if the patch says nothing new."""
    patch = event.update
    changes = _find_changes(call, patch)
    if event.parent is not None and event.parent != call.parent:
        changes["parent"] = event.parent
    if patch.status is not patch.leave:
        changes |= _patch_status(draft, call, patch.status or "pending", patch.final_stays, epoch)
    if patch.meta is not patch.leave and (meta := patch_meta(draft, call.meta, patch.meta)) is not call.meta:
        changes["meta"] = meta
    if call.unannounced and (patch.announces or event.live):
        changes["unannounced"] = False
    return replace(call, **changes) if changes else call


def _find_changes(call: ToolCall, patch: ToolCallUpdate) -> dict[str, Any]:
    """Return those attributes that are replaced whole, as far as *patch* has others; `null` clears."""
    leave = patch.leave
    changes: dict[str, Any] = {}
    if patch.title is not leave and patch.title != call.title:
        changes["title"] = patch.title
    if patch.name is not leave and patch.name != call.name:
        changes["name"] = patch.name
    if patch.kind is not leave and (patch.kind or "other") != call.kind:
        changes["kind"] = patch.kind or "other"
    if patch.content is not leave and not call.content.is_made_of(patch.content or ()):
        changes["content"] = make_content(patch.content or ())
    if patch.locations is not leave:
        _compare(changes, "locations", call.locations, freeze(patch.locations))
    if patch.raw_input is not leave:
        _compare(changes, "raw_input", call.raw_input, UNSET if patch.raw_input is None else patch.raw_input)
    if patch.raw_output is not leave:
        _compare(changes, "raw_output", call.raw_output, UNSET if patch.raw_output is None else patch.raw_output)
    if patch.capabilities is not leave:
        _compare(changes, "capabilities", call.capabilities, patch.capabilities)
    return changes


def _compare(changes: dict[str, Any], name: str, old: Any, new: Any) -> None:
    """Note a JSON value as a change if it is another one, to the type."""
    if new is not old and (new is UNSET or old is UNSET or not same(old, new)):
        changes[name] = new


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


def apply_tool_call_content_chunk(draft: Draft, session: Session, event: SessionUpdate[ToolCallContentChunk]) -> Session:
    """Append one item to a tool call's content; the chunk's own `_meta` stands in the item as `chunkMeta`."""
    chunk = event.update
    id = chunk.tool_call_id
    index = session.timeline.slot_of(("tool_call", id))
    if session._loading is not None:
        session = _renew(draft, session, id, event.parent, index)
    before: Any = session.timeline.at(index) if index >= 0 else None
    call = before or _new_call(session, id, event.parent)
    item = chunk.content if chunk.meta is None else FrozenDict(freeze(chunk.content), chunkMeta=chunk.meta)
    content = call.content.append(item, draft.owner)
    parent = event.parent or call.parent
    if content is call.content and parent == call.parent:
        return session
    call = replace(call, content=content, parent=parent)
    return add_call(draft, session, call) if before is None else put_call(draft, session, index, before, call)


def apply_tool_call_cancel(draft: Draft, session: Session, event: ToolCallCancelled) -> Session:
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
