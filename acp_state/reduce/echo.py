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
from ..containers import EMPTY_CONTENT, Content, Piece, join_text, make_log
from ..state import Echo, Message, OpenTurn, Session
from .draft import Draft
from .history import add_entry, current_turn, put_open_turn


Run = tuple[FrozenDict, str | None]
"""A block of a prompt: a text one as the block without text or `chunkMeta`, and the text."""


def apply_echo(draft: Draft, session: Session, id: str | None, parent: str | None, piece: Piece) -> Session | None:
    """Return *session* if a chunk of a user message (*id*, *piece*) is part of an echo or ends one; `None` if it has nothing to do with one."""
    turn = find_echoing(session, id, parent)
    if turn is not None and turn.echo is not None:
        return _continue_echo(draft, session, turn, turn.echo, piece)
    if id is not None and session.timeline.slot_of(("user", id)) >= 0:
        return None
    if id is None and _continues_message(session, parent):
        return None
    return _begin_echo(draft, session, Echo(id, parent, EMPTY_CONTENT, session.timeline.end, ()), piece)


_MOST_CANDIDATES: Final = 16


def candidates(session: Session) -> Iterable[OpenTurn]:
    """Return the open turns whose prompts may be echoed: the oldest ones, since agents take prompts in order."""
    return islice(session._open_turns, _MOST_CANDIDATES)


def find_echoing(session: Session, id: str | None, parent: str | None) -> OpenTurn | None:
    """Return the turn whose echo goes on with a chunk of that *id* and *parent*."""
    for turn in candidates(session):
        echo = turn.echo
        if echo is not None and echo.id == id and (id is not None or _is_unbroken(session, echo, parent)):
            return turn
    return None


def _is_unbroken(session: Session, echo: Echo, parent: str | None) -> bool:
    return echo.size == session.timeline.end and echo.parent == parent and not session._run_broken


def _continues_message(session: Session, parent: str | None) -> bool:
    """Whether a chunk without id belongs to the last entry, a message of the user's that is no prompt."""
    index = session.timeline.end - 1
    if index < 0 or session._run_broken:
        return False
    entry = session.timeline.at(index)
    if not isinstance(entry, Message) or entry.role != "user" or entry.parent != parent or entry.historical:
        return False
    if entry.turn is None:
        return True
    turn = session._open_turns.get(entry.turn)
    return turn is not None and turn.prompt != index


def _continue_echo(draft: Draft, session: Session, turn: OpenTurn, echo: Echo, piece: Piece) -> Session:
    longer = _match_piece(draft, echo, piece)
    if longer is echo:
        return session
    if longer is not None:
        return put_open_turn(draft, session, replace(turn, echo=longer))
    session = _set_echo(draft, session, turn, None, None)
    content = echo.content.append(piece, draft.owner)
    # It may be the echo of another prompt that begins with the same words.
    fresh = Echo(echo.id, echo.parent, EMPTY_CONTENT, echo.size, ())
    elsewhere = _begin_echo(draft, session, fresh, piece, content)
    if elsewhere is not None:
        return elsewhere
    message = Message("user", echo.id, current_turn(session), echo.parent, content=content)
    return add_entry(draft, session, None if echo.id is None else ("user", echo.id), message)


def _begin_echo(draft: Draft, session: Session, fresh: Echo, piece: Piece, content: Content | None = None) -> Session | None:
    """Give *piece* (or all of *content*) to the oldest open prompt that it may be the echo of."""
    for turn in candidates(session):
        if turn.prompt is None or turn.busy or turn.echo is not None:
            continue
        prompt: Any = session.timeline.at(turn.prompt)
        pieces = (piece,) if content is None else content.pieces
        if not _may_repeat(prompt.content, *run_of(pieces[0])):
            continue
        echo: Echo | None = replace(fresh, runs=runs_of(prompt.content))
        for one in pieces:
            echo = _match_piece(draft, echo, one) if echo else None
        if echo is not None:
            return _set_echo(draft, session, turn, fresh.id, echo if content is None else replace(echo, content=content))
    return None


def _may_repeat(prompt: Content, shape: FrozenDict, text: str | None) -> bool:
    """Whether a first chunk begins as *prompt* does. Looks at its first block alone: most chunks repeat nothing."""
    first = prompt.blocks[0] if prompt.blocks else None
    if first is None:
        return text == ""
    its_shape, words = run_of(first)
    if its_shape != shape:
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
        shape, text = run_of(block)
        texts = runs[-1][1] if runs else None
        if text is not None and texts is not None and runs[-1][0] == shape:
            texts.append(text)
        else:
            runs.append((shape, None if text is None else [text]))
    return tuple((shape, None if texts is None else "".join(texts)) for shape, texts in runs)


def run_of(piece: Piece) -> Run:
    """Return what of a piece, or of a block, is compared: all but `chunkMeta`, a text by itself."""
    if piece.__class__ is str:
        return _PLAIN, piece
    block: FrozenDict = piece[0] if piece.__class__ is tuple else piece
    text = piece[1] if piece.__class__ is tuple else block["text"] if block.get("type") == "text" else None
    left_out = ("chunkMeta",) if text is None else ("text", "chunkMeta")
    return FrozenDict({name: value for name, value in block.items() if name not in left_out}), text


_PLAIN: Final = FrozenDict(type="text")


def _match_piece(draft: Draft, echo: Echo, piece: Piece) -> Echo | None:
    """Return *echo* with one more piece, `None` if the prompt goes on otherwise."""
    position = _advance(echo, *run_of(piece))
    if position is None:
        return None
    run, offset, half = position
    size = echo.content.size
    content = echo.content.append(piece, draft.owner)
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
