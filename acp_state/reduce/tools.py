"""Tool calls: patches, streamed content, and what a finished call lets happen to it (SPEC 4.3)."""

from __future__ import annotations

from operator import attrgetter, is_
from typing import Any

from .._json import FrozenList, same
from .._model import UNSET, evolve, maker, replacer
from .._persistent import EMPTY_LOG, Log
from ..events import ToolCallCancelAsked, ToolCallPatched, ToolContentChunked
from ..state import FINAL_STATUSES, Session, ToolCall
from ._session import H, Note, current_turn, histories, in_both, patched_meta, replace_entry, with_call
from .replay import renewed


def tool_call_patched(session: Session, event: ToolCallPatched, note: Note) -> Session:
    """Patch a tool call, or add it: the first mention makes it."""
    place = session.timeline.place(("tool_call", event.id))
    if session._loading is not None:
        session = _renewed(session, event, place)
    before: ToolCall | None = session.timeline.known(place) if place >= 0 else None
    if before is not None and event.introduces and before.final and before._final_since < session._epoch:
        note(
            "call-id-reused",
            f"tool call {event.id!r} was finished in an earlier turn; this is another one",
            event.id,
        )
        before = None
    if before is None:
        if not event.announces:
            note(
                "unannounced-call",
                f"tool call {event.id!r} was never introduced",
                event.id,
            )
        call = _patched(
            _new(session, event.id, event.parent, not event.announces),
            event,
            session._epoch,
            note,
        )
        return _added(session, call)
    after = _patched(before, event, session._epoch, note)
    return session if after is before else with_call(session, place, before, after)


def _renewed(session: Session, event: ToolCallPatched | ToolContentChunked, place: int) -> Session:
    return renewed(session, ("tool_call", event.id), place, ToolCall(event.id, parent=event.parent, historical=True))


def _new(session: Session, id: str, parent: str | None, unannounced: bool = False) -> ToolCall:
    historical = session.replaying
    return _made(
        id,
        None if historical else current_turn(session),
        parent,
        historical,
        unannounced,
    )


_made = maker(ToolCall, "id", "turn", "parent", "historical", "unannounced")


def _added(session: Session, call: ToolCall) -> Session:
    if session._run_broken:
        session = evolve(session, _run_broken=False)
    return with_call(session, session.timeline.end, None, call)


def _patched(call: ToolCall, event: ToolCallPatched, epoch: int, note: Note) -> ToolCall:
    """Return *call* with the patch; itself if the patch says nothing new."""
    title, name, kind, locations, capabilities = (
        event.title,
        event.name,
        event.kind,
        event.locations,
        event.capabilities,
    )
    if event.status is UNSET:
        status, since, unresolved, by_client = call.status, call._final_since, call.unresolved, call.cancelled_by_client
    else:
        status, since, unresolved, by_client = _status(call, event.status, event.final_stays, epoch, note)
    after = _with_patch(
        call,
        call.parent if event.parent is None else event.parent,
        call.title if title is UNSET else title,
        call.name if name is UNSET else name,
        call.kind if kind is UNSET else "other" if kind is None else kind,
        status,
        call.content if event.content is UNSET else _items(call.content, event.content),
        call.locations if locations is UNSET else _array(call.locations, locations),
        call.raw_input if event.raw_input is UNSET else _raw(call.raw_input, event.raw_input),
        call.raw_output if event.raw_output is UNSET else _raw(call.raw_output, event.raw_output),
        call.unannounced and not event.announces,
        unresolved,
        by_client,
        call.capabilities if capabilities is UNSET or same(call.capabilities, capabilities) else capabilities,
        call.meta if event.meta is UNSET else patched_meta(call.meta, event.meta),
        since,
    )
    return call if _is_same(call, after) else after


_PATCHED = (
    "parent",
    "title",
    "name",
    "kind",
    "status",
    "content",
    "locations",
    "raw_input",
    "raw_output",
    "unannounced",
    "unresolved",
    "cancelled_by_client",
    "capabilities",
    "meta",
    "_final_since",
)
_with_patch = replacer(ToolCall, *_PATCHED)
_words = attrgetter("status", "title", "kind", "name", "parent")
_values = attrgetter(*(name for name in _PATCHED if name not in ("status", "title", "kind", "name", "parent")))


def _is_same(before: ToolCall, after: ToolCall) -> bool:
    """Whether all values are equal; those that are not words were compared with care already, and then are identical."""
    return (
        before.status == after.status
        and before.content is after.content
        and _words(before) == _words(after)
        and all(map(is_, _values(before), _values(after)))
    )


def _array(old: FrozenList | None, patch: Any) -> FrozenList | None:
    return None if patch is None else old if old is not None and same(old, FrozenList(patch)) else FrozenList(patch)


def _items(old: Log[Any], patch: Any) -> Log[Any]:
    """Patch a list of items: another list replaces it whole, an equal one nothing."""
    if not patch:
        return EMPTY_LOG if old else old
    unchanged = len(old) == len(patch) and all(same(a, b) for a, b in zip(old, patch, strict=True))
    return old if unchanged else Log(patch)


def _raw(old: Any, patch: Any) -> Any:
    """Patch a raw value: any JSON but `null`, which clears."""
    if patch is None:
        return UNSET
    return old if old is not UNSET and same(old, patch) else patch


def _status(call: ToolCall, status: Any, final_stays: bool, epoch: int, note: Note) -> tuple[str, int, bool, bool]:
    """Return the status, since which epoch it is final, and the marks `unresolved` and `cancelled_by_client` (SPEC 4.3)."""
    before = call.status
    if status is None:
        status = "pending"
    was_final = before in FINAL_STATUSES
    if status in FINAL_STATUSES:
        since = epoch if not was_final or call.cancelled_by_client else call._final_since
        return status, since, False, False
    if not was_final:
        return status, call._final_since, call.unresolved, call.cancelled_by_client
    stays = call.cancelled_by_client or final_stays
    note(
        "status-regression",
        f"tool call {call.id!r} went from {before} to {status}" + (", and stays" if stays else ""),
        call.id,
    )
    return before if stays else status, call._final_since, call.unresolved, call.cancelled_by_client


def tool_content_chunked(session: Session, event: ToolContentChunked, note: Note) -> Session:
    """Append one item to a tool call's content."""
    place = session.timeline.place(("tool_call", event.id))
    if session._loading is not None:
        session = _renewed(session, event, place)
    before: ToolCall | None = session.timeline.known(place) if place >= 0 else None
    call = before or _new(session, event.id, event.parent)
    call = evolve(
        call,
        content=call.content.append(event.item),
        parent=event.parent or call.parent,
    )
    return _added(session, call) if before is None else with_call(session, place, before, call)


def tool_call_cancel_asked(session: Session, event: ToolCallCancelAsked, note: Note) -> Session:
    """Mark the call; its status is the agent's to change (schema `CancelToolCallRequest`)."""
    key = ("tool_call", event.id)
    if not any(history.timeline.place(key) >= 0 for history in histories(session)):
        note("unknown-target", f"nobody knows a tool call {event.id!r}", event.id)

    def mark(history: H) -> H:
        place = history.timeline.place(key)
        call = None if place < 0 else history.timeline.known(place)
        if call is None or call.cancel_requested:
            return history
        return replace_entry(history, place, evolve(call, cancel_requested=True))

    return in_both(session, mark)
