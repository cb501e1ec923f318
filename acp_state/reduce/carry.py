"""What a load leaves alone: all that goes on, and what came live while it was under way (SPEC 4.6).

A replay and what it would replace are two histories. One of them stays, and gets what is live of
the other one at its end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._model import replace
from ..state import Elicitation, Ends, Entry, History, Message, OpenTurn, Permission, RequestKey, Session, ToolCall, Turn
from .draft import Draft
from .history import H, current_turn, is_open, is_unfinished, note_unfinished, put_entry, put_open_turn


def turn_of_question(history: History, tool_call_id: str | None, end: int | None = None) -> int | None:
    """Return the turn that a question belongs to: that of its tool call while it runs, else the oldest open one (SPEC 4.4).

    *end* is the index from which on calls do not count.
    """
    index = -1 if tool_call_id is None else history.timeline.slot_of(("tool_call", tool_call_id))
    if index >= 0 and (end is None or index < end) and is_open(history, history.timeline.at(index).turn):
        return history.timeline.at(index).turn
    return current_turn(history)


def add_question(draft: Draft, history: H, key: object, entry: Permission | Elicitation) -> H:
    """Return *history* with a question at the end of its timeline."""
    index, owner = history.timeline.end, draft.owner
    pending, urls = history._pending, history._urls
    if isinstance(entry, Elicitation) and entry.elicitation_id is not None and not entry.completed:
        urls = urls.set(entry.elicitation_id, index, owner)
    if entry.status == "pending":
        pending = pending.add(index, index, owner)
        turn = None if entry.turn is None else history._open_turns.get(entry.turn)
        if turn is not None:
            history = put_open_turn(draft, history, replace(turn, questions=turn.questions.add(index, index, owner)))
    return replace(history, timeline=history.timeline.add(key, entry, owner), _pending=pending, _urls=urls)


def find_ends(history: History) -> Ends:
    """Return where the lists of *history* end: all that a load can be told to replace."""
    return Ends(history.timeline.end, history.files.end, history.terminals.end)


def carry_from_aside(draft: Draft, session: Session, aside: History, since: Ends | None) -> Session:
    """Return *session*, whose replay stays, with what is live of the history kept *aside*.

    *since* is where that one ended when all that came from then on was live; `None`: all of it was.
    """
    unowned = _find_unowned(session)
    last = session._last_ended
    session, moved = _carry(draft, aside, session, since, brought=True)
    if last is not None and not _is_over(session, last):
        session = replace(session, _last_ended=moved.get(last))
    for index in unowned:  # what was open when it was asked is so only aside
        question: Any = session.timeline.at(index)
        turn = turn_of_question(aside, question.tool_call_id)
        if turn is not None:
            session = _give_turn(draft, session, index, moved[turn])
    return session


def carry_from_replay(draft: Draft, session: Session, replayed: History) -> Session:
    """Return *session*, whose history has come back, with what is live of what was *replayed* in its place."""
    last, end, has_open_turns = session._last_ended, session.timeline.end, bool(session._open_turns)
    session, moved = _carry(draft, replayed, session, None, brought=False)
    if last is not None and _is_over(replayed, last):
        session = replace(session, _last_ended=moved[last])
    for index in _find_unowned(session):
        question: Any = session.timeline.at(index)
        turn = turn_of_question(session, question.tool_call_id, end) if has_open_turns else None
        if index >= end and turn is not None:
            session = _give_turn(draft, session, index, turn)
    return session


def _find_unowned(history: History) -> list[int]:
    """Return the indices of pending questions that belong to no turn."""
    return [index for index in history._pending if history.timeline.at(index).turn is None]


def _give_turn(draft: Draft, session: Session, index: int, turn: int) -> Session:
    """Return *session* with the pending question at *index* belonging to *turn*."""
    owner = session._open_turns.get(turn)
    session = put_entry(draft, session, index, replace(session.timeline.at(index), turn=turn))
    if owner is None:
        return session
    return put_open_turn(draft, session, replace(owner, questions=owner.questions.add(index, index, draft.owner)))


def _is_over(history: History, turn: int) -> bool:
    return turn < history.turns.end and history.turns.at(turn).status != "running"


# --- from one history to the other -----------------------------------------------------------------


def _carry(draft: Draft, source: History, target: Session, since: Ends | None, *, brought: bool) -> tuple[Session, dict[int, int]]:
    """Return *target* with what is live of *source* at its end, and where the turns of that went.

    *brought*: a message of the user's that *target* has under the same id is the same one.
    """
    asked_about = {getattr(history.timeline.at(index), "tool_call_id", None) for history in (source, target) for index in history._pending}
    entries = [
        (index, _key_of(source, index, entry), entry)
        for index, entry in source.timeline.slots()
        if _goes_on(source, index, entry, asked_about) or _is_live(index, entry, since)
    ]
    entries = [(index, key, entry) for index, key, entry in entries if not _is_there(target, key, entry, brought=brought)]
    target, moved = _carry_turns(draft, source, target, since, (entry for *_, entry in entries))
    for index, key, entry in entries:
        turn = None if entry.turn is None else moved[entry.turn]
        under_way = None if entry.turn is None else source._open_turns.get(entry.turn)
        at = target.timeline.end
        target = _carry_entry(draft, target, key, entry, turn, source._epoch)
        if turn is not None and under_way is not None:
            target = _mark_turn(draft, target, turn, at, under_way if under_way.prompt == index else None)
    target = _carry_files(draft, source, target, since)
    return _carry_terminals(draft, source, target, since, _terminals_shown(entry for *_, entry in entries)), moved


def _carry_turns(
    draft: Draft, source: History, target: Session, since: Ends | None, entries: Iterable[Entry]
) -> tuple[Session, dict[int, int]]:
    owned = (entry.turn for entry in entries if entry.turn is not None)
    turns = range(source.turns.end) if since is None else {*(turn.index for turn in source._open_turns), *owned}
    moved: dict[int, int] = {}
    for index in sorted(turns):
        moved[index] = target.turns.end
        target = _add_turn(draft, target, source.turns.key_at(index), source.turns.at(index))
    return target, moved


def _carry_files(draft: Draft, source: History, target: Session, since: Ends | None) -> Session:
    files = target.files
    for slot, file in source.files.slots():
        if since is None or slot >= since.files or file.status == "open":
            files = files.add(source.files.key_at(slot), file, draft.owner)
    return target if files is target.files else replace(target, files=files)


def _carry_terminals(draft: Draft, source: History, target: Session, since: Ends | None, shown: set[str]) -> Session:
    there = terminals = target.terminals
    known = {key for key, _ in there.entries()}
    for slot, terminal in source.terminals.slots():
        key = source.terminals.key_at(slot)
        is_live = terminal.owner == "client" or terminal.id in shown if since is None else slot >= since.terminals
        if is_live and key not in known:
            terminals = terminals.add(key, terminal, draft.owner)
    return target if terminals is there else replace(target, terminals=terminals)


def _terminals_shown(entries: Iterable[Entry]) -> set[str]:
    """Return the ids of the terminals that tool calls show."""
    items = (item for entry in entries if isinstance(entry, ToolCall) for item in entry.content)
    return {item["terminalId"] for item in items if item.get("type") == "terminal" and "terminalId" in item}


def _goes_on(history: History, index: int, entry: Entry, asked_about: set[str | None]) -> bool:
    """Whether it is pending, the prompt of an open turn (in v1 nothing else says what was asked), or a call asked about."""
    if isinstance(entry, Message):
        return entry.role == "user" and is_open(history, entry.turn)
    if isinstance(entry, ToolCall):
        return entry.id in asked_about and history.timeline.slot_of(("tool_call", entry.id)) == index
    return history._pending.slot_of(index) >= 0


def _is_live(index: int, entry: Entry, since: Ends | None) -> bool:
    return (since is None or index >= since.timeline) and not getattr(entry, "historical", False)


def _key_of(source: History, index: int, entry: Entry) -> object:
    """Return what *entry* is found by. A prompt may have got its id from its echo, and lost it again: so a message's own id counts."""
    if isinstance(entry, Message):
        return None if entry.id is None else (entry.role, entry.id)
    return source.timeline.key_at(index)


def _is_there(target: History, key: object, entry: Entry, *, brought: bool) -> bool:
    """Whether *target* has a prompt or a call already: a replay brought it, too."""
    is_one = isinstance(entry, ToolCall) or (brought and isinstance(entry, Message) and entry.role == "user" and key is not None)
    return is_one and target.timeline.slot_of(key) >= 0


def _mark_turn(draft: Draft, session: Session, turn: int, index: int, prompt_of: OpenTurn | None) -> Session:
    """Return *session* knowing that an open *turn* has the entry at *index*: its prompt, with what is repeated of it so far, or another."""
    open_turn = session._open_turns.get(turn)
    if open_turn is None:
        return session
    if prompt_of is not None:
        # Chunks without id go on with what stands before them: such an echo is broken off.
        echo = prompt_of.echo if prompt_of.echo is not None and prompt_of.echo.id is not None else None
        return put_open_turn(draft, session, replace(open_turn, prompt=index, echo=echo))
    if open_turn.prompt is None or open_turn.busy:
        return session
    return put_open_turn(draft, session, replace(open_turn, busy=True))


def _add_turn(draft: Draft, session: Session, key: RequestKey, turn: Turn) -> Session:
    index, owner = session.turns.end, draft.owner
    is_running = turn.status == "running"
    return replace(
        session,
        turns=session.turns.add(key, turn, owner),
        _open_turns=session._open_turns.add(index, OpenTurn(index), owner) if is_running else session._open_turns,
        _cancellable=session._cancellable.add(index, index, owner) if is_running else session._cancellable,
        _epoch=session._epoch + 1,
    )


def _carry_entry(draft: Draft, session: Session, key: object, entry: Entry, turn: int | None, epoch: int) -> Session:
    """Return *session* with *entry* at its end, as one of *turn*; *epoch* is that of the history that it stood in."""
    moved: Any = replace(entry, turn=turn)
    if isinstance(moved, (Permission, Elicitation)):
        return add_question(draft, session, key, moved)
    if isinstance(moved, ToolCall) and moved.final:
        moved = replace(moved, _final_since=session._epoch if moved._final_since >= epoch else -1)
    index = session.timeline.end
    session = replace(session, timeline=session.timeline.add(key, moved, draft.owner))
    return note_unfinished(draft, session, index, moved) if is_unfinished(moved) else session
