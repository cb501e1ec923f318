"""Echoes: v1 agents that repeat the user's prompt as `user_message_chunk`s (SPEC 4.2).

The prompt is in the timeline already. As long as what comes is the beginning of it, it adds nothing
but its id; at the first difference it was no echo, and becomes a message of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from .._json import FrozenDict
from .._model import replace
from ..containers import EMPTY_CONTENT, Content, join_text, make_log, make_piece
from ..events import MessageChunked
from ..state import Echo, Message, OpenTurn, Session
from .draft import Draft
from .history import add_entry, current_turn, put_open_turn


Run = tuple[FrozenDict, str | None]
"""A block of a prompt: a text one as the block without text or `chunkMeta`, and the text."""


def take_chunk(draft: Draft, session: Session, event: MessageChunked) -> Session | None:
    """Return *session* if *event* is part of an echo or ends one; `None` if it has nothing to do with one."""
    turn = find_echoing(session, event)
    if turn is not None and turn.echo is not None:
        return _continue_echo(draft, session, turn, turn.echo, event)
    if event.id is not None and session.timeline.slot_of(("user", event.id)) >= 0:
        return None
    if event.id is None and _continues_message(session, event):
        return None
    return _begin_echo(draft, session, Echo(event.id, event.parent, EMPTY_CONTENT, session.timeline.end, ()), event)


_MOST_CANDIDATES: Final = 16


def candidates(session: Session) -> Iterable[OpenTurn]:
    """Return the open turns whose prompts may be echoed: the oldest ones, since agents take prompts in order."""
    return islice(session._open_turns, _MOST_CANDIDATES)


def find_echoing(session: Session, event: MessageChunked) -> OpenTurn | None:
    """Return the turn whose echo goes on with *event*."""
    for turn in candidates(session):
        echo = turn.echo
        if echo is not None and echo.id == event.id and (event.id is not None or _is_unbroken(session, echo, event)):
            return turn
    return None


def _is_unbroken(session: Session, echo: Echo, event: MessageChunked) -> bool:
    return echo.size == session.timeline.end and echo.parent == event.parent and not session._run_broken


def _continues_message(session: Session, event: MessageChunked) -> bool:
    """Whether a chunk without id belongs to the last entry, a message of the user's that is no prompt."""
    index = session.timeline.end - 1
    if index < 0 or session._run_broken:
        return False
    entry = session.timeline.at(index)
    if not isinstance(entry, Message) or entry.role != "user" or entry.parent != event.parent or entry.historical:
        return False
    if entry.turn is None:
        return True
    turn = session._open_turns.get(entry.turn)
    return turn is not None and turn.prompt != index


def _continue_echo(draft: Draft, session: Session, turn: OpenTurn, echo: Echo, event: MessageChunked) -> Session:
    longer = _match_chunk(draft, echo, event.block, event.text)
    if longer is echo:
        return session
    if longer is not None:
        return put_open_turn(draft, session, replace(turn, echo=longer))
    session = _set_echo(draft, session, turn, None, None)
    content = echo.content.append(make_piece(event.block, event.text), draft.owner)
    # It may be the echo of another prompt that begins with the same words.
    fresh = Echo(echo.id, echo.parent, EMPTY_CONTENT, echo.size, ())
    elsewhere = _begin_echo(draft, session, fresh, event, content)
    if elsewhere is not None:
        return elsewhere
    message = Message("user", echo.id, current_turn(session), echo.parent, content=content)
    return add_entry(draft, session, None if echo.id is None else ("user", echo.id), message)


def _begin_echo(draft: Draft, session: Session, fresh: Echo, event: MessageChunked, content: Content | None = None) -> Session | None:
    """Give *event* (or all of *content*) to the oldest open prompt that it may be the echo of."""
    for turn in candidates(session):
        if turn.prompt is None or turn.busy or turn.echo is not None:
            continue
        prompt: Any = session.timeline.at(turn.prompt)
        chunks: Iterable[Run] = [(event.block, event.text)] if content is None else runs_of(content)
        if not _may_repeat(prompt.content, *next(iter(chunks))):
            continue
        echo: Echo | None = replace(fresh, runs=runs_of(prompt.content))
        for block, text in chunks:
            echo = _match_chunk(draft, echo, block, text) if echo else None
        if echo is not None:
            return _set_echo(draft, session, turn, fresh.id, echo if content is None else replace(echo, content=content))
    return None


def _may_repeat(prompt: Content, block: FrozenDict, text: str | None) -> bool:
    """Whether a first chunk begins as *prompt* does. Looks at its first block alone: most chunks repeat nothing."""
    first = prompt.blocks[0] if prompt.blocks else None
    if first is None:
        return text == ""
    shape, words = shape_of(first, first["text"] if first.get("type") == "text" else None)
    if shape != shape_of(block, text)[0]:
        return not words  # an empty text is passed over
    if words is None or text is None:
        return True
    text = join_text((text,))
    text = text[: len(text) - _ends_in_half(text)]
    return words.startswith(text) or text.startswith(words)


def _ends_in_half(text: str) -> bool:
    """Whether *text* ends with the first half of a character."""
    return "\ud800" <= text[-1:] <= "\udbff"


def _set_echo(draft: Draft, session: Session, turn: OpenTurn, id: str | None, echo: Echo | None) -> Session:
    """Give the prompt of a turn the *id* that its *echo* has; take both away again with `None`."""
    index = turn.prompt
    if index is None:
        return session
    message: Any = session.timeline.at(index)
    session = put_open_turn(draft, session, replace(turn, echo=echo))
    if message.id == id:
        return session
    echoed = session._echoed
    if message.id is not None:
        echoed = echoed.remove(message.id, draft.owner)
    if id is not None:
        echoed = echoed.set(id, index, draft.owner)
    open_turn = session.turns.at(turn.index)
    prompts = make_log(replace(prompt, message_id=id) for prompt in open_turn.prompts)
    return replace(
        session,
        timeline=session.timeline.put(index, replace(message, id=id), draft.owner),
        turns=session.turns.put(turn.index, replace(open_turn, prompts=prompts), draft.owner),
        _echoed=echoed,
    )


def runs_of(content: Content) -> tuple[Run, ...]:
    """Return the blocks of *content* as they are compared; texts that are neighbours and differ in nothing else are one."""
    runs: list[tuple[FrozenDict, list[str] | None]] = []
    for block in content.blocks:
        shape, text = shape_of(block, block["text"] if block.get("type") == "text" else None)
        texts = runs[-1][1] if runs else None
        if text is not None and texts is not None and runs[-1][0] == shape:
            texts.append(text)
        else:
            runs.append((shape, None if text is None else [text]))
    return tuple((shape, None if texts is None else "".join(texts)) for shape, texts in runs)


def shape_of(block: FrozenDict, text: str | None) -> Run:
    """Return what of a block is compared: all but text and `chunkMeta`."""
    if len(block) == 2 and text is None:
        return block, None
    return FrozenDict({key: value for key, value in block.items() if key not in ("text", "chunkMeta")}), text


def _match_chunk(draft: Draft, echo: Echo, block: FrozenDict, text: str | None) -> Echo | None:
    """Return *echo* with one more chunk, `None` if the prompt goes on otherwise."""
    position = _advance(echo, *shape_of(block, text))
    if position is None:
        return None
    run, offset, half = position
    size = echo.content.size
    content = echo.content.append(make_piece(block, text), draft.owner)
    if (run, offset, half) == (echo.run, echo.offset, echo.half) and content.size == size:
        return echo
    return replace(echo, content=content, run=run, offset=offset, half=half)


def _advance(echo: Echo, shape: FrozenDict, text: str | None) -> tuple[int, int, str] | None:
    """Return how far *echo* has come with a chunk: the run, the characters of it, and half a character; `None` if it does not fit."""
    run, offset = echo.run, echo.offset
    if run < len(echo.runs):
        wanted, whole = echo.runs[run]
        if whole is not None and offset == len(whole) and (text is None or wanted != shape):
            run, offset = run + 1, 0  # this run is through
    if text is None:
        fits = not offset and not echo.half and run < len(echo.runs) and echo.runs[run] == (shape, None)
        return (run + 1, 0, "") if fits else None
    text = join_text((echo.half, text))
    half = text[-1:] if _ends_in_half(text) else ""
    text = text[: len(text) - len(half)]
    if not text:
        return echo.run, echo.offset, half
    if run >= len(echo.runs):
        return None
    wanted, whole = echo.runs[run]
    if whole is None or wanted != shape or not whole.startswith(text, offset):
        return None
    return run, offset + len(text), half


def restore_echo(prompt: Content, content: Content, id: str | None, parent: str | None, size: int) -> Echo:
    """Return the echo of *prompt* that has repeated *content* so far."""
    echo = Echo(id, parent, EMPTY_CONTENT, size, runs_of(prompt))
    for shape, text in runs_of(content):
        position = _advance(echo, shape, text)
        if position is not None:
            echo = replace(echo, run=position[0], offset=position[1], half=position[2])
    return replace(echo, content=content)
