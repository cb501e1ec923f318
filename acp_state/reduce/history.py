"""What the handlers of this package share: finding and adding entries, open turns and calls, the activity, patches.

A handler takes the draft, a session and an event, and returns the session as it then is: the same object if
nothing changed, or if all that changed is what the draft owns. It never looks at JSON-RPC, a protocol
version, a vendor or a clock. It decides first and changes last, so that one that fails leaves nothing half done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias, TypeVar

from .._json import Json, change_members, frozen_dict, same
from .._model import UNSET, UnsetType, replace
from ..state import (
    FINAL_STATUSES,
    Entry,
    History,
    JsonArray,
    JsonObject,
    OpenTurn,
    Parent,
    Session,
    ToolCall,
)
from .draft import Draft


Handler: TypeAlias = Callable[[Draft, Any], None]
SessionHandler: TypeAlias = Callable[[Draft, Session, Any], Session]
H = TypeVar("H", bound=History)
T = TypeVar("T")

ENDED: Final = frozenset(("closed", "deleted"))


def in_session(handler: SessionHandler, *, ended: bool = False, creates: bool = True) -> Handler:
    """Make a handler of a session one of a draft.

    *ended*: a closed or deleted session takes the event, too. *creates*: an unknown session is
    known from now on; else the event is refused.
    """

    def handle(draft: Draft, event: Any) -> None:
        session = draft.open_session(event.session_id) if creates else draft.find_session(event.session_id)
        if session is None:
            draft.report("unknown-session", f"nobody knows a session {event.session_id!r}", event.session_id)
        elif not ended and session.phase in ENDED:
            report_ended(draft, session)
        else:
            draft.session = handler(draft, session, event)

    return handle


def report_ended(draft: Draft, session: Session, what: str = "") -> None:
    """Report that something came for a session that is closed or deleted."""
    draft.report("closed-session", f"session {session.id!r} is {session.phase}{what}", session.id)


# --- entries ---------------------------------------------------------------------------------------


def put_entry(draft: Draft, history: H, index: int, entry: Entry) -> H:
    """Return *history* with *entry* at *index*."""
    timeline = history.timeline.put(index, entry, draft.owner)
    return history if timeline is history.timeline else replace(history, timeline=timeline)


def add_entry(draft: Draft, session: Session, key: object, entry: Entry) -> Session:
    """Return *session* with *entry* at the end of its timeline."""
    timeline = session.timeline.add(key, entry, draft.owner)
    open_turns = session._open_turns
    if entry.turn is not None:
        slot = open_turns.slot_of(entry.turn)
        turn = open_turns.at(slot) if slot >= 0 else None
        if turn is not None and turn.prompt is not None and not turn.busy:
            open_turns = open_turns.put(slot, replace(turn, busy=True), draft.owner)
    if timeline is session.timeline and open_turns is session._open_turns and not session._run_broken:
        return session
    return replace(session, timeline=timeline, _open_turns=open_turns, _run_broken=False)


def index_of_message(history: History, role: str, id: str) -> int:
    """Return the index of the message that has this id, -1 if there is none; a prompt may have got its id from its echo."""
    if role == "user" and history._echoed:
        index = history._echoed.get(id)
        if index is not None:
            return index
    return history.timeline.slot_of((role, id))


def histories_of(session: Session) -> tuple[History, ...]:
    """Return the session's history, and the one that a replay keeps aside."""
    return (session,) if session.before is None else (session, session.before)


def change_both(session: Session, change: Callable[[Any], Any]) -> Session:
    """Apply *change* to the session's history and to the one that a replay keeps aside."""
    after: Session = change(session)
    if session.before is not None:
        before = change(session.before)
        if before is not session.before:
            after = replace(after, before=before)
    return after


# --- turns -----------------------------------------------------------------------------------------


def current_turn(history: History) -> int | None:
    """Return the index of the turn that output belongs to: the oldest open one (SPEC 4.4)."""
    turn = history._open_turns.first() if history._open_turns else None
    return None if turn is None else turn.index


def is_open(history: History, turn: int | None) -> bool:
    """Whether *turn* is the index of a turn that runs."""
    return turn is not None and history._open_turns.slot_of(turn) >= 0


def put_open_turn(draft: Draft, history: H, turn: OpenTurn) -> H:
    """Return *history* with what is remembered of one of its open turns being *turn*."""
    open_turns = history._open_turns.set(turn.index, turn, draft.owner)
    return history if open_turns is history._open_turns else replace(history, _open_turns=open_turns)


# --- unfinished calls ------------------------------------------------------------------------------


def is_unfinished(call: Entry) -> bool:
    """Whether *call* is a tool call that is neither final nor given up."""
    return isinstance(call, ToolCall) and call.status not in FINAL_STATUSES and not call.unresolved


def put_call(draft: Draft, session: Session, index: int, before: ToolCall, after: ToolCall) -> Session:
    """Return *session* with a call changed at *index*."""
    session = put_entry(draft, session, index, after)
    return note_unfinished(draft, session, index, after) if is_unfinished(after) and not is_unfinished(before) else session


def add_call(draft: Draft, session: Session, call: ToolCall) -> Session:
    """Return *session* with *call* at the end of its timeline."""
    index = session.timeline.end
    session = add_entry(draft, session, ("tool_call", call.id), call)
    return note_unfinished(draft, session, index, call) if is_unfinished(call) else session


def note_unfinished(draft: Draft, history: H, index: int, call: ToolCall) -> H:
    """Return *history* knowing that the call at *index* is unfinished: where its turn's end, a replay's end or a cancel looks."""
    turn = None if call.turn is None else history._open_turns.get(call.turn)
    if turn is not None:
        open_turns = history._open_turns.set(turn.index, replace(turn, calls=turn.calls.append(index)), draft.owner)
        cancellable = history._cancellable
        if cancellable.slot_of(turn.index) < 0:
            cancellable = cancellable.add(turn.index, turn.index, draft.owner)
        if open_turns is history._open_turns and cancellable is history._cancellable:
            return history
        return replace(history, _open_turns=open_turns, _cancellable=cancellable)
    if call.historical:
        return replace(history, _replayed_calls=history._replayed_calls.append(index))
    return replace(history, _loose_calls=history._loose_calls.append(index))


def find_unfinished(history: History, calls: Iterable[int]) -> list[tuple[int, Any]]:
    """Return the index of each of *calls* that is unfinished, and the call, in their order in the timeline."""
    found = ((index, history.timeline.at(index)) for index in sorted(set(calls)))
    return [(index, call) for index, call in found if is_unfinished(call)]


# --- activity --------------------------------------------------------------------------------------


def activity_of(session: Session) -> str | None:
    """Return what a session is doing, as far as anybody said or it follows (SPEC 4.4)."""
    if session.phase in ENDED:
        return "idle"
    said = session._said
    if session._derives:
        if said.mirrored is not None:
            return said.mirrored
        both = histories_of(session)
        if not any(history._open_turns for history in both):
            return "idle"
        return "requires_action" if any(history._pending for history in both) else "running"
    if said.reported is not None:
        return said.reported
    return said.mirrored if said.mirrored is not None else "idle" if said.idle else None


def with_activity(session: Session) -> Session:
    """Return *session* with the activity that follows from the rest of it."""
    activity = activity_of(session)
    return session if activity == session.activity else replace(session, activity=activity)


# --- patches ---------------------------------------------------------------------------------------


def patch_meta(draft: Draft, old: JsonObject | None, patch: JsonObject | None | UnsetType) -> JsonObject | None:
    """Patch `_meta` by top-level key: `null` removes a key; `None` for the whole removes all (SPEC 4.1)."""
    if patch is UNSET:
        return old
    if patch is None:
        return None
    if old is None:
        kept = {key: value for key, value in patch.items() if value is not None}
        return frozen_dict(kept) if kept or not patch else None
    changed = {key: value for key, value in patch.items() if (key in old if value is None else key not in old or not same(old[key], value))}
    return change_members(old, changed, draft.owner) if changed else old


def merge_meta(draft: Draft, old: JsonObject | None, meta: JsonObject | None) -> JsonObject | None:
    """Patch `_meta` where `null` for the whole says nothing."""
    return old if meta is None else patch_meta(draft, old, meta)


def with_changes(instance: T, **values: Json) -> T:
    """Return *instance* with those *values* that differ from its own, itself if none does; `UNSET` leaves a value."""
    differing = {name: value for name, value in values.items() if value is not UNSET and not _is_equal(getattr(instance, name), value)}
    return replace(instance, **differing) if differing else instance  # type: ignore[type-var]  # the classes of the state are Structs


def _is_equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return same(a, b) if isinstance(a, (dict, list, int, float)) and isinstance(b, (dict, list, int, float)) else a == b


def with_parent(old: Parent | None, session_id: str, tool_call_id: str | None) -> Parent:
    """Return whose child a session is: that never changes, but the tool call may be told later (schema `SubagentUpdate`)."""
    if old is None:
        return Parent(session_id, tool_call_id)
    return old if tool_call_id is None or old.tool_call_id is not None else replace(old, tool_call_id=tool_call_id)


# --- what goes on in the background ----------------------------------------------------------------

Spared: TypeAlias = tuple[set[str], set[str]]
"""The ids of tool calls, and of terminals."""

NOTHING_SPARED: Final[Spared] = (set(), set())


def find_spared(background: JsonArray | None) -> Spared:
    """Return the tool calls and terminals that *background* lists."""
    return _ids_of(background, "tool_call", "toolCallId"), _ids_of(background, "terminal", "terminalId")


def _ids_of(items: JsonArray | None, kind: str, name: str) -> set[str]:
    return {item[name] for item in items or () if item.get("type") == kind and name in item}


def is_spared(call: ToolCall, spared: Spared) -> bool:
    """Whether *call* or a terminal that it shows goes on in the background."""
    calls, terminals = spared
    if call.id in calls:
        return True
    return bool(terminals) and any(item.get("terminalId") in terminals for item in call.content if item.get("type") == "terminal")
