"""Frames: what one says depends on those before it, as far as texts are compared with each other.

Three things are compared. Version 1 agents repeat a prompt in `user_message_chunk`s: an echo must stay
one, and what is none must not become one (SPEC 4.2). A display terminal may send all of its output
again (SPEC 4.7). And a character of a terminal's output may be cut between two chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from .._json import FrozenDict, Json, key_of, same
from .._model import UNSET, replace
from ..containers import join_text
from ..events import SessionUpdate
from ..folded import Folded
from ..frames import Frame
from ..methods import CANCEL_REQUEST
from ..normalize import normalize
from ..normalize.correlate import OTHER, infer_sender
from ..normalize.exchanges import EXCHANGES, NOTIFICATIONS
from ..normalize.wire import Wire
from ..protocol.updates import MessageChunk
from ..reduce import echo
from ..reduce.messages import piece_of
from ..state import Session, Terminal
from .texts import Known, mask, mask_apart, name
from .values import Redactor
from .words import METHODS


NEW: Final = Folded()

_PART: Final[Mapping[str, str]] = {"response": "result", "error": "error", "exit": "exit"}


def redact_frame(frame: Frame, salt: bytes, before: Folded = NEW, shown: Folded = NEW) -> Frame | None:
    """Return what stands for *frame*, `None` for one that is no message.

    *before* is what the frames before it folded to, *shown* what those that stood for them did.
    """
    if frame.kind == "invalid":
        return None
    meeting = _Meeting(frame, salt, before, shown)
    payload = frame.payload
    if payload is not UNSET:
        part = _PART.get(frame.kind, "params")
        sure = frame.kind in ("error", "exit") or meeting.method in _SURE
        payload = meeting.redactor.value(part, payload, sure)
    id = name(frame.id, salt) if isinstance(frame.id, str) and frame.id else frame.id
    method = frame.method
    if method and method not in METHODS:
        method = name(method, salt)
    return replace(frame, id=id, method=method, payload=payload)


_SURE: Final = frozenset((*EXCHANGES, *NOTIFICATIONS, CANCEL_REQUEST))
"""The methods of which the protocol says what they carry, and answers to nothing that is known."""


class _Meeting:
    """A frame, and what it meets."""

    def __init__(self, frame: Frame, salt: bytes, before: Folded, shown: Folded) -> None:
        self._frame, self._salt = frame, salt
        params = frame.payload if isinstance(frame.payload, Mapping) else {}
        session_id = params.get("sessionId")
        if not isinstance(session_id, str):
            session_id = ""
        self._session = before.snapshot.sessions.get(session_id)
        self._shown = shown.snapshot.sessions.get(session_id and name(session_id, salt))
        self.method = frame.method or _asked(before.wire, frame)
        update = params.get("update")
        update = update if frame.method == "session/update" and isinstance(update, Mapping) else {}
        self.redactor = Redactor(
            salt,
            self._text(before.wire, update),
            self._display,
            self._output(update.get("terminalId")) if update.get("sessionUpdate") == "terminal_output_chunk" else b"",
        )

    # Texts of the user

    def _text(self, wire: Wire, update: Mapping[str, Json]) -> Callable[[str], str]:
        """Return what masks the text of the frame's blocks."""
        if wire.version != 1 or self._session is None or self._shown is None or not self._session._open_turns:
            return mask
        if self._frame.method == "session/prompt":
            return _Runs(self._prompts, self._blocks()).mask
        if update.get("sessionUpdate") != "user_message_chunk":
            return mask
        for event in normalize(wire, self._frame)[1]:
            if isinstance(event, SessionUpdate) and isinstance(event.update, MessageChunk):
                run, said = _find_echoed(self._session, event.update, event.parent)
                return lambda text: mask_apart(text, self._prompts(run), said)
        return mask

    def _blocks(self) -> Iterator[Json]:
        prompt = self._frame.payload.get("prompt") if isinstance(self._frame.payload, Mapping) else None
        yield from prompt if isinstance(prompt, list) else ()

    def _prompts(self, run: int) -> Iterator[tuple[str, str]]:
        """Yield what the open prompts have as their text number *run*, and how it was masked."""
        session, shown = self._session, self._shown
        if session is None or shown is None:
            return
        for turn in echo.candidates(session):
            other = shown._open_turns.get(turn.index)
            if turn.prompt is None or other is None or other.prompt is None:
                continue
            ours = echo.runs_of(session.timeline.at(turn.prompt).content)
            theirs = echo.runs_of(shown.timeline.at(other.prompt).content)
            text = ours[run][1] if run < len(ours) else None
            masked = theirs[run][1] if run < len(theirs) else None
            if text is not None and masked is not None:
                yield text, masked

    # Output of terminals

    def _output(self, terminal_id: Json, session: Session | None = None) -> bytes:
        found = _terminal(session or self._session, terminal_id)
        return b"" if found is None or not found.output else bytes(found.output)

    def _display(self, data: str, terminal_id: Json) -> str:
        """Mask what a display terminal shows: all of its output again, or what comes after it."""
        if not isinstance(terminal_id, str) or self._session is None or self._shown is None:
            return mask(data)
        before = self._output(terminal_id)
        if not before or len(data.encode("utf-8", "surrogatepass")) <= len(before):
            return mask(data)
        shown = self._output(name(terminal_id, self._salt), self._shown)
        try:
            known = [(before.decode("utf-8", "surrogatepass"), shown.decode("utf-8", "surrogatepass"))]
        except UnicodeDecodeError:
            return mask(data)
        return mask_apart(data, known)


def _asked(wire: Wire, frame: Frame) -> str | None:
    """Return the method of the request that *frame* answers; one that the protocol knows if that was not recorded."""
    sender, _ = infer_sender(wire, frame)
    if sender is None or frame.id is UNSET:
        return CANCEL_REQUEST
    asked = wire.open.get((OTHER[sender], key_of(frame.id)))
    return CANCEL_REQUEST if asked is None else asked.method


def _terminal(session: Session | None, terminal_id: Json) -> Terminal | None:
    if session is None or not isinstance(terminal_id, str):
        return None
    return session.terminals.get(("agent", terminal_id))


def _find_echoed(session: Session, chunk: MessageChunk, parent: str | None) -> tuple[int, str]:
    """Return which text of a prompt a chunk is compared with, and what the agent has repeated of it so far."""
    turn = echo.find_echoing(session, chunk.message_id, parent)
    under_way = None if turn is None else turn.echo
    if under_way is None:
        return 0, ""
    run, offset = under_way.run, under_way.offset
    if run < len(under_way.runs):
        shape, whole = under_way.runs[run]
        its_shape, text = echo.run_of(piece_of(chunk))
        if whole is not None and offset == len(whole) and (text is None or shape != its_shape):
            return run + 1, under_way.half
        return run, (whole or "")[:offset] + under_way.half
    return run, under_way.half


class _Runs:
    """Masks the blocks of a prompt one after the other: neighbours that differ in text alone are one text."""

    def __init__(self, known: Callable[[int], Known], blocks: Iterator[Json]) -> None:
        self._known, self._blocks = known, blocks
        self._run = -1
        self._shape: Any = None
        self._before = ""

    def mask(self, text: str) -> str:
        """Mask the next text block."""
        for block in self._blocks:
            if not isinstance(block, Mapping) or block.get("type") != "text" or not isinstance(block.get("text"), str):
                self._run, self._shape = self._run + 1, None
                continue
            shape = FrozenDict({key: item for key, item in block.items() if key not in ("text", "chunkMeta")})
            if self._shape is None or not same(shape, self._shape):
                self._run, self._shape, self._before = self._run + 1, shape, ""
            break
        masked = mask_apart(text, self._known(max(self._run, 0)), self._before)
        self._before = join_text((self._before, text))
        return masked
