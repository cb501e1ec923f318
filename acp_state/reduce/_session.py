"""What the handlers of this package share: finding a session, adding an entry, the activity.

A handler takes a session and an event and returns the session as it then is: the same object if
nothing changed. It never looks at JSON-RPC, a protocol version, a vendor or a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from .._json import FrozenDict, Json, same
from .._model import UNSET, Unset, evolve, replaced, replacer
from .._persistent import Registry, Table
from ..state import (
    FINAL_STATUSES,
    Entry,
    History,
    JsonArray,
    JsonObject,
    OpenTurn,
    Parent,
    Session,
    Snapshot,
    ToolCall,
    with_timeline,
)


class Note(Protocol):
    """Takes a finding: its code, a message for a person, and the id of the entity that it is about."""

    def __call__(self, code: str, message: str, subject: str | None = None) -> None: ...


Handler: TypeAlias = Callable[[Snapshot, Any, Note], Snapshot]
SessionHandler: TypeAlias = Callable[[Session, Any, Note], Session]
H = TypeVar("H", bound=History)
T = TypeVar("T")

ENDED: Final = frozenset(("closed", "deleted"))


def with_sessions(snapshot: Snapshot, sessions: Registry[str, Session]) -> Snapshot:
    """Return *snapshot* with those *sessions*."""
    return replaced(snapshot, _sessions=sessions, _streams=None, _size=0, _whole=None)


def find_or_make(snapshot: Snapshot, session_id: str, note: Note) -> Session:
    """Return the session *session_id*; one that nobody announced if it is unknown (SPEC 4.6)."""
    return snapshot.sessions.find(session_id) or _unannounced(snapshot, session_id, note)


def _unannounced(snapshot: Snapshot, session_id: str, note: Note) -> Session:
    note(
        "unannounced-session",
        f"session {session_id!r} was not announced",
        session_id,
    )
    return new_session(snapshot, session_id)


_NEW_SESSION: Final = Session()


def new_session(snapshot: Snapshot, session_id: str, **facts: Any) -> Session:
    """Return a session that nothing is known of but *facts*."""
    session = evolve(_NEW_SESSION, id=session_id, _derives=snapshot._derives, **facts)
    return evolve(session, activity=activity_of(session))


def with_session(snapshot: Snapshot, session: Session) -> Snapshot:
    """Return *snapshot* with *session* in it."""
    return with_sessions(snapshot, snapshot.sessions.put(session.id, session))


def in_session(
    handler: SessionHandler,
    *,
    ended: bool = False,
    creates: bool = True,
    beside: bool = False,
    loading: SessionHandler | None = None,
) -> Handler:
    """Make a handler of a session one of a snapshot.

    *ended*: a closed or deleted session takes the event, too. *creates*: an unknown session is
    known from now on; else the event is refused. *beside*: the handler neither looks at the text of
    messages nor changes a message or ends a turn; so text that is gathered (`Streams`) stays beside. *loading* stands in for *handler* during a load.
    """

    def handle(snapshot: Snapshot, event: Any, note: Note) -> Snapshot:
        session_id = event.session_id
        keeps = snapshot._streams is None or (beside and snapshot._whole is None)
        sessions = snapshot._sessions if keeps else snapshot.sessions
        session = known = sessions.find(session_id)
        if session is None:
            if not creates:
                note(
                    "unknown-session",
                    f"nobody knows a session {session_id!r}",
                    session_id,
                )
                return snapshot
            session = _unannounced(snapshot, session_id, note)
        elif not ended and session.phase in ENDED:
            note(
                "closed-session",
                f"session {session_id!r} is {session.phase}",
                session_id,
            )
            return snapshot
        after = (handler if loading is None or session._loading is None else loading)(session, event, note)
        if after is known:
            return snapshot
        sessions = sessions.put(session_id, after)
        # Somebody may have looked meanwhile.
        return replaced(snapshot, _sessions=sessions, _whole=None) if keeps else with_sessions(snapshot, sessions)

    return handle


# --- entries and turns -----------------------------------------------------------------------------


def current_turn(history: History) -> int | None:
    """Return the place of the turn that output belongs to: the oldest open one (SPEC 4.4)."""
    turn = history._open_turns.first()
    return None if turn is None else turn.place


def open_places(history: History) -> tuple[int, ...]:
    """Return the places of the turns that run, the oldest first."""
    return tuple(turn.place for turn in history._open_turns)


def is_open(history: History, turn: int | None) -> bool:
    """Whether *turn* is the place of a turn that runs."""
    return turn is not None and history.turns.at(turn).status == "running"


def add_entry(session: Session, key: object, entry: Entry) -> Session:
    """Return *session* with *entry* at the end of its timeline."""
    changes: dict[str, Any] = {"timeline": session.timeline.add(key, entry)}
    if session._run_broken:
        changes["_run_broken"] = False
    if entry.turn is not None:
        turn = session._open_turns.find(entry.turn)
        if turn is not None and turn.entry is not None and not turn.busy:
            changes["_open_turns"] = with_open(session, evolve(turn, busy=True))
    return evolve(session, **changes)


def with_open(history: History, turn: OpenTurn) -> Table[int, OpenTurn]:
    """Return the open turns of *history*, with what is remembered of one of them being *turn*."""
    return history._open_turns.put(turn.place, turn)


def replace_entry(history: H, place: int, entry: Entry) -> H:
    """Return *history* with *entry* at *place*."""
    return evolve(history, timeline=history.timeline.replace(place, entry))


def histories(session: Session) -> tuple[History, ...]:
    """Return the session's history, and the one that a replay keeps aside."""
    return (session,) if session.before is None else (session, session.before)


def in_both(session: Session, change: Callable[[Any], Any]) -> Session:
    """Apply *change* to the session's history and to the one that a replay keeps aside."""
    after: Session = change(session)
    if session.before is not None:
        before = change(session.before)
        if before is not session.before:
            after = evolve(after, before=before)
    return after


def with_call(session: Session, place: int, before: ToolCall | None, after: ToolCall) -> Session:
    """Return *session* with a call changed or added at *place*, and its turn's count of unfinished calls in step."""
    timeline = session.timeline
    timeline = timeline.replace(place, after) if before is not None else timeline.add(("tool_call", after.id), after)
    open_turns = session._open_turns
    if after.turn is not None:
        change = is_unfinished(after) - (before is not None and is_unfinished(before))
        stands = open_turns.place(after.turn) if change or before is None else -1
        if stands >= 0:
            turn = open_turns.at(stands)
            is_busy = turn.entry is not None
            if change or (is_busy and not turn.busy):
                first = min(place, turn.first_call) if turn.unfinished else place
                turn = OpenTurn(turn.place, turn.entry, turn.echo, is_busy, turn.unfinished + change, first, turn.questions)
                open_turns = open_turns.replace(stands, turn)
    if open_turns is session._open_turns:
        return with_timeline(session, timeline)
    return _with_timeline_and_turns(session, timeline, open_turns)


_with_timeline_and_turns = replacer(Session, "timeline", "_open_turns")


def is_unfinished(call: ToolCall) -> bool:
    """Whether *call* is neither final nor given up."""
    return call.status not in FINAL_STATUSES and not call.unresolved


def unfinished_calls(history: History, turn: int) -> list[int]:
    """Return the places of an open turn's unfinished calls."""
    places: list[int] = []
    under_way = history._open_turns.find(turn)
    if under_way is None:
        return places
    place = under_way.first_call
    while len(places) < under_way.unfinished and place < history.timeline.end:
        call = history.timeline.at(place)
        if isinstance(call, ToolCall) and call.turn == turn and is_unfinished(call):
            places.append(place)
        place += 1
    return places


def place_of_message(history: History, role: str, id: str) -> int:
    """Where the message stands that has this id, or -1; a prompt may have got its id from its echo."""
    if role == "user" and history._echoed:
        place = history._echoed.find(id)
        if place is not None:
            return place
    return history.timeline.place((role, id))


# --- activity --------------------------------------------------------------------------------------


def activity_of(session: Session) -> str | None:
    """Return what a session is doing, as far as anybody said or it follows (SPEC 4.4)."""
    if session.phase in ENDED:
        return "idle"
    if session._derives:
        if session._mirrored is not None:
            return session._mirrored
        both = histories(session)
        if not any(history._open_turns for history in both):
            return "idle"
        return "requires_action" if any(history._pending for history in both) else "running"
    if session._reported is not None:
        return session._reported
    return session._mirrored if session._mirrored is not None else "idle" if session._idle else None


def with_activity(session: Session) -> Session:
    """Return *session* with the activity that follows from the rest of it."""
    activity = activity_of(session)
    return session if activity == session.activity else evolve(session, activity=activity)


# --- patches ---------------------------------------------------------------------------------------


def patched_meta(old: JsonObject | None, patch: JsonObject | None | Unset) -> JsonObject | None:
    """Patch `_meta` by top-level key: `null` removes a key; `None` for the whole removes all (SPEC 4.1)."""
    if patch is UNSET:
        return old
    if patch is None:
        return None
    merged = dict(old or {})
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = value
    if old is not None and same(merged, old):
        return old
    return FrozenDict(merged) if merged or old is not None or not patch else None


def merged_meta(old: JsonObject | None, meta: JsonObject | None) -> JsonObject | None:
    """Patch `_meta` where `null` for the whole says nothing."""
    return old if meta is None else patched_meta(old, meta)


def changed(instance: T, **values: Json) -> T:
    """Return *instance* with those *values* that differ from its own, itself if none does; `UNSET` leaves a value."""
    differing = {name: value for name, value in values.items() if value is not UNSET and not _equal(getattr(instance, name), value)}
    return evolve(instance, **differing) if differing else instance


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    return same(a, b) if isinstance(a, (dict, list, int, float)) and isinstance(b, (dict, list, int, float)) else a == b


def mentioned(items: JsonArray | None, kind: str, name: str) -> set[str]:
    """Return the ids of *kind* that a `background` list has under *name*."""
    return {item[name] for item in items or () if item.get("type") == kind and name in item}


def parent_of(old: Parent | None, session_id: str, tool_call_id: str | None) -> Parent:
    """Return whose child a session is: that never changes, but the tool call may be told later (schema `SubagentUpdate`)."""
    if old is None:
        return Parent(session_id, tool_call_id)
    return old if tool_call_id is None or old.tool_call_id is not None else evolve(old, tool_call_id=tool_call_id)


# --- what goes on in the background ----------------------------------------------------------------

Spared: TypeAlias = tuple[set[str], set[str]]
"""The ids of tool calls, and of terminals."""

NOTHING_SPARED: Final[Spared] = (set(), set())


def spared_calls(background: JsonArray | None) -> Spared:
    """Return the tool calls and terminals that *background* lists."""
    return mentioned(background, "tool_call", "toolCallId"), mentioned(background, "terminal", "terminalId")


def is_spared(call: ToolCall, spared: Spared) -> bool:
    """Whether *call* or a terminal that it shows goes on in the background."""
    calls, terminals = spared
    if call.id in calls:
        return True
    return bool(terminals) and any(item.get("terminalId") in terminals for item in call.content if item.get("type") == "terminal")
