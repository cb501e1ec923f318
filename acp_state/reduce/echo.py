"""Echoes: v1 agents that repeat the user's prompt as `user_message_chunk`s (SPEC 4.2).

The prompt is in the timeline already. As long as what comes is the beginning of it, it adds nothing
but its id; at the first difference it was no echo, and becomes a message of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from .._content import EMPTY_CONTENT, Content, join_text
from .._json import FrozenDict
from .._model import evolve
from ..events import MessageChunked
from ..state import Echo, Message, OpenTurn, Session
from ._session import add_entry, current_turn, with_open


def heard(session: Session, event: MessageChunked) -> Session | None:
    """Return *session* if *event* is part of an echo or ends one; `None` if it has nothing to do with one."""
    turn = _under_way(session, event)
    if turn is not None:
        return _went_on(session, turn, event)
    if event.id is not None and session.timeline.place(("user", event.id)) >= 0:
        return None
    if event.id is None and _goes_on_with_a_message(session, event):
        return None
    size = session.timeline.end
    fresh = Echo(event.id, event.parent, EMPTY_CONTENT, size, ())
    return _given(session, fresh, event)


_MOST_CANDIDATES: Final = 16


def _candidates(session: Session) -> Iterable[OpenTurn]:
    """The open turns whose prompts may be echoed: the oldest ones, since agents take prompts in order."""
    return islice(session._open_turns, _MOST_CANDIDATES)


def _under_way(session: Session, event: MessageChunked) -> OpenTurn | None:
    """The turn whose echo goes on with *event*."""
    for turn in _candidates(session):
        echo = turn.echo
        if echo is not None and echo.id == event.id and (event.id is not None or _unbroken(session, echo, event)):
            return turn
    return None


def _unbroken(session: Session, echo: Echo, event: MessageChunked) -> bool:
    return echo.size == session.timeline.end and echo.parent == event.parent and not session._run_broken


def _goes_on_with_a_message(session: Session, event: MessageChunked) -> bool:
    """Whether a chunk without id belongs to the last entry, a message of the user's that is no prompt."""
    place = session.timeline.end - 1
    if place < 0 or session._run_broken:
        return False
    entry = session.timeline.known(place)
    if not isinstance(entry, Message) or entry.role != "user" or entry.parent != event.parent or entry.historical:
        return False
    if entry.turn is None:
        return True
    turn = session._open_turns.find(entry.turn)
    return turn is not None and turn.entry != place


def _went_on(session: Session, turn: OpenTurn, event: MessageChunked) -> Session:
    echo = turn.echo
    if echo is None:  # cannot be: _under_way found it
        return session
    longer = _matched(echo, event.block, event.text)
    if longer is echo:
        return session
    if longer is not None:
        return evolve(session, _open_turns=with_open(session, evolve(turn, echo=longer)))
    session = _named(session, turn, None, None)
    content = echo.content.append(event.block, event.text)
    # It may be the echo of another prompt that begins with the same words.
    elsewhere = _given(
        session,
        Echo(echo.id, echo.parent, EMPTY_CONTENT, echo.size, ()),
        event,
        content,
    )
    if elsewhere is not None:
        return elsewhere
    message = Message("user", echo.id, current_turn(session), echo.parent, content=content)
    return add_entry(session, None if echo.id is None else ("user", echo.id), message)


def _given(session: Session, fresh: Echo, event: MessageChunked, content: Content | None = None) -> Session | None:
    """Give *event* (or all of *content*) to the oldest open prompt that it may be the echo of."""
    for turn in _candidates(session):
        if turn.entry is None or turn.busy or turn.echo is not None:
            continue
        echo: Echo | None = evolve(fresh, runs=_runs(session.timeline.known(turn.entry).content))
        if content is None:
            echo = _matched(echo, event.block, event.text) if echo else None
        else:
            for block, text in _runs(content):
                echo = _matched(echo, block, text) if echo else None
            echo = echo and evolve(echo, content=content)
        if echo is not None:
            return _named(session, turn, fresh.id, echo)
    return None


def _named(session: Session, under_way: OpenTurn, id: str | None, echo: Echo | None) -> Session:
    """Give the prompt of a turn the *id* that its *echo* has; take both away again with `None`."""
    entry = under_way.entry
    if entry is None:
        return session
    message = session.timeline.known(entry)
    session = evolve(session, _open_turns=with_open(session, evolve(under_way, echo=echo)))
    if message.id == id:
        return session
    echoed = session._echoed
    if message.id is not None:
        echoed = echoed.remove(message.id)
    if id is not None:
        echoed = echoed.put(id, entry)
    turn = session.turns.at(under_way.place)
    prompts = tuple(evolve(prompt, message_id=id) for prompt in turn.prompts)
    return evolve(
        session,
        timeline=session.timeline.replace(entry, evolve(message, id=id)),
        turns=session.turns.replace(under_way.place, evolve(turn, prompts=prompts)),
        _echoed=echoed,
    )


def _runs(content: Content) -> tuple[tuple[FrozenDict, str | None], ...]:
    """The blocks of *content*: text ones as (block without text or chunkMeta, text), neighbours that differ in text alone joined."""
    runs: list[tuple[FrozenDict, str | None]] = []
    for block in content.blocks:
        shape, text = _shape(block, block["text"] if block.get("type") == "text" else None)
        if text is not None and runs and runs[-1][1] is not None and runs[-1][0] == shape:
            runs[-1] = (shape, runs[-1][1] + text)
        else:
            runs.append((shape, text))
    return tuple(runs)


def _shape(block: FrozenDict, text: str | None) -> tuple[FrozenDict, str | None]:
    """What of a block is compared: all but text and `chunkMeta`."""
    if len(block) == 2 and text is None:
        return block, None
    return FrozenDict({key: value for key, value in block.items() if key not in ("text", "chunkMeta")}), text


def _matched(echo: Echo, block: FrozenDict, text: str | None) -> Echo | None:
    """Return *echo* with one more chunk, `None` if the prompt goes on otherwise."""
    shape, _ = _shape(block, text)
    content = echo.content.append(block, text)
    run, offset = echo.run, echo.offset
    if run < len(echo.runs):
        wanted, whole = echo.runs[run]
        if whole is not None and offset == len(whole) and (text is None or wanted != shape):
            run, offset = run + 1, 0  # this run is through
    if text is None:
        if offset or echo.half or run >= len(echo.runs) or echo.runs[run] != (shape, None):
            return None
        return evolve(echo, content=content, run=run + 1, offset=0)
    text = join_text((echo.half, text))
    half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
    text = text[: len(text) - len(half)]
    if not text:
        return echo if content is echo.content else evolve(echo, content=content, half=half)
    if run >= len(echo.runs):
        return None
    wanted, whole = echo.runs[run]
    if whole is None or wanted != shape or not whole.startswith(text, offset):
        return None
    return evolve(echo, content=content, run=run, offset=offset + len(text), half=half)


def restored(prompt: Content, content: Content, id: str | None, parent: str | None, size: int) -> Echo:
    """Return the echo of *prompt* that has repeated *content* so far."""
    echo = Echo(id, parent, EMPTY_CONTENT, size, _runs(prompt))
    for block, text in _runs(content):
        echo = _matched(echo, block, text) or echo
    return evolve(echo, content=content)
