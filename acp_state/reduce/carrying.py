"""What a load leaves alone: all that goes on, and what came live while it was under way (SPEC 4.6).

A replay and what it would replace are two histories. One of them stays, and gets what is live of
the other one at its end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._model import evolve
from ..state import Elicitation, Entry, History, Known, Message, OpenTurn, Permission, RequestKey, Session, ToolCall, Turn
from ._session import H, current_turn, is_open, is_unfinished, open_places, replace_entry, with_open


def turn_of_question(history: History, tool_call_id: str | None) -> int | None:
    """The turn that a question belongs to: that of its tool call while it runs, else the oldest open one (SPEC 4.4)."""
    call = None if tool_call_id is None else history.timeline.find(("tool_call", tool_call_id))
    if isinstance(call, ToolCall) and is_open(history, call.turn):
        return call.turn
    return current_turn(history)


def with_question(history: H, key: object, entry: Permission | Elicitation) -> H:
    """Return *history* with a question at the end of its timeline."""
    place = history.timeline.end
    pending, open_turns, urls = history._pending, history._open_turns, history._urls
    if isinstance(entry, Elicitation) and entry.elicitation_id is not None and not entry.completed:
        urls = urls.put(entry.elicitation_id, place)
    if entry.status == "pending":
        pending = pending.add(place, place)
        turn = None if entry.turn is None else open_turns.find(entry.turn)
        if turn is not None:
            open_turns = with_open(history, evolve(turn, questions=turn.questions.add(place, place)))
    return evolve(history, timeline=history.timeline.add(key, entry), _open_turns=open_turns, _pending=pending, _urls=urls)


def known_of(history: History) -> Known:
    """Return where the lists of *history* end: all that a load can be told to replace."""
    return Known(history.timeline.end, history.files.end, history.terminals.end)


def with_live_of_aside(session: Session, aside: History, since: Known | None) -> Session:
    """Return *session*, whose replay stays, with what is live of the history kept *aside*.

    *since* is where that one ended when all that came from then on was live; `None`: all of it was.
    """
    unowned = _unowned(session)
    last = session._last_ended
    session, moved = _carried(aside, session, since, brought=True)
    if last is not None and not _is_over(session, last):
        session = evolve(session, _last_ended=moved.get(last))
    for place in unowned:  # what was open when it was asked is so only aside
        turn = turn_of_question(aside, session.timeline.known(place).tool_call_id)
        if turn is not None:
            session = _owned(session, place, moved[turn])
    return session


def with_live_of_replay(session: Session, replay: History) -> Session:
    """Return *session*, whose history has come back, with what is live of the *replay* that had its place."""
    before, last = session, session._last_ended
    session, moved = _carried(replay, session, None, brought=False)
    if last is not None and _is_over(replay, last):
        session = evolve(session, _last_ended=moved[last])
    for place in _unowned(session):
        turn = turn_of_question(before, session.timeline.known(place).tool_call_id)
        if place >= before.timeline.end and turn is not None:
            session = _owned(session, place, turn)
    return session


def _unowned(history: History) -> list[int]:
    """The places of pending questions that belong to no turn."""
    return [place for place in history._pending if history.timeline.known(place).turn is None]


def _owned(session: Session, place: int, turn: int) -> Session:
    """Return *session* with the pending question at *place* belonging to *turn*."""
    owner = session._open_turns.find(turn)
    session = replace_entry(session, place, evolve(session.timeline.known(place), turn=turn))
    if owner is None:
        return session
    return evolve(session, _open_turns=with_open(session, evolve(owner, questions=owner.questions.add(place, place))))


def _is_over(history: History, turn: int) -> bool:
    return turn < history.turns.end and history.turns.at(turn).status != "running"


# --- from one history to the other -----------------------------------------------------------------


def _carried(source: History, target: Session, since: Known | None, *, brought: bool) -> tuple[Session, dict[int, int]]:
    """Return *target* with what is live of *source* at its end, and where the turns of that went.

    *brought*: a message of the user's that *target* has under the same id is the same one.
    """
    asked_about = {history.timeline.known(place).tool_call_id for history in (source, target) for place in history._pending}
    entries = [
        (place, _key_of(source, place, entry), entry)
        for place, entry in source.timeline.places()
        if _goes_on(source, place, entry, asked_about) or _is_live(place, entry, since)
    ]
    entries = [(place, key, entry) for place, key, entry in entries if not _is_there(target, key, entry, brought=brought)]
    turns = range(source.turns.end) if since is None else {*open_places(source), *(e.turn for *_, e in entries if e.turn is not None)}
    moved: dict[int, int] = {}
    for place in sorted(turns):
        moved[place] = target.turns.end
        target = _with_turn(target, source.turns.key_at(place), source.turns.at(place))
    for place, key, entry in entries:
        at = target.timeline.end
        target = _with_entry(target, key, entry, None if entry.turn is None else moved[entry.turn], source._epoch)
        under_way = None if entry.turn is None else source._open_turns.find(entry.turn)
        if under_way is not None:
            target = _with_entry_of(target, moved[under_way.place], at, under_way if under_way.entry == place else None)
    for place, file in source.files.places():
        if since is None or place >= since.files or file.status == "open":
            target = evolve(target, files=target.files.add(source.files.key_at(place), file))
    there, shown = target.terminals, _terminals_shown(entry for *_, entry in entries)
    for place, terminal in source.terminals.places():
        terminal_key = source.terminals.key_at(place)
        is_live = terminal.owner == "client" or terminal.id in shown if since is None else place >= since.terminals
        if is_live and there.place(terminal_key) < 0:
            target = evolve(target, terminals=target.terminals.add(terminal_key, terminal))
    return target, moved


def _terminals_shown(entries: Iterable[Entry]) -> set[str]:
    """The ids of the terminals that tool calls show."""
    items = (item for entry in entries if isinstance(entry, ToolCall) for item in entry.content)
    return {item["terminalId"] for item in items if item.get("type") == "terminal" and "terminalId" in item}


def _goes_on(history: History, place: int, entry: Entry, asked_about: set[str | None]) -> bool:
    """Whether it is pending, the prompt of an open turn (in v1 nothing else says what was asked), or a call asked about."""
    if isinstance(entry, Message):
        return entry.role == "user" and is_open(history, entry.turn)
    if isinstance(entry, ToolCall):
        return entry.id in asked_about and history.timeline.place(("tool_call", entry.id)) == place
    return history._pending.place(place) >= 0


def _is_live(place: int, entry: Entry, since: Known | None) -> bool:
    return (since is None or place >= since.timeline) and not getattr(entry, "historical", False)


def _key_of(source: History, place: int, entry: Entry) -> object:
    """What *entry* is found by. A prompt may have got its id from its echo, and lost it again: so a message's own id counts."""
    if isinstance(entry, Message):
        return None if entry.id is None else (entry.role, entry.id)
    return source.timeline.key_at(place)


def _is_there(target: History, key: object, entry: Entry, *, brought: bool) -> bool:
    """Whether *target* has a prompt or a call already: a replay brought it, too."""
    is_one = isinstance(entry, ToolCall) or (brought and isinstance(entry, Message) and entry.role == "user" and key is not None)
    return is_one and target.timeline.place(key) >= 0


def _with_entry_of(session: Session, turn: int, place: int, prompt_of: OpenTurn | None) -> Session:
    """Return *session* knowing that an open *turn* has the entry at *place*: its prompt, with what is repeated of it so far, or another."""
    open_turn = session._open_turns.find(turn)
    if open_turn is None:
        return session
    if prompt_of is not None:
        # Chunks without id go on with what stands before them: such an echo is broken off.
        echo = prompt_of.echo if prompt_of.echo is not None and prompt_of.echo.id is not None else None
        return evolve(session, _open_turns=with_open(session, evolve(open_turn, entry=place, echo=echo)))
    if open_turn.entry is None or open_turn.busy:
        return session
    return evolve(session, _open_turns=with_open(session, evolve(open_turn, busy=True)))


def _with_turn(session: Session, key: RequestKey, turn: Turn) -> Session:
    place = session.turns.end
    is_running = turn.status == "running"
    return evolve(
        session,
        turns=session.turns.add(key, turn),
        _open_turns=session._open_turns.add(place, OpenTurn(place)) if is_running else session._open_turns,
        _epoch=session._epoch + 1,
    )


def _with_entry(session: Session, key: object, entry: Entry, turn: int | None, epoch: int) -> Session:
    """Return *session* with *entry* at its end, as one of *turn*; *epoch* is that of the history that it stood in."""
    moved: Any = evolve(entry, turn=turn)
    if isinstance(moved, (Permission, Elicitation)):
        return with_question(session, key, moved)
    if not isinstance(moved, ToolCall):
        return evolve(session, timeline=session.timeline.add(key, moved))
    if moved.final:
        moved = evolve(moved, _final_since=session._epoch if moved._final_since >= epoch else -1)
    place = session.timeline.end
    session = evolve(session, timeline=session.timeline.add(key, moved))
    owner = None if turn is None else session._open_turns.find(turn)
    if owner is None or not is_unfinished(moved):
        return session
    first = owner.first_call if owner.unfinished else place
    return evolve(session, _open_turns=with_open(session, evolve(owner, unfinished=owner.unfinished + 1, first_call=first)))
