"""Messages and compactions: chunks, whole ones, and where a message begins (SPEC 4.2)."""

from __future__ import annotations

from typing import Any

from .._json import FrozenDict, freeze
from .._model import UNSET, replace
from ..containers import EMPTY_CONTENT, Content, Piece, make_content, make_piece
from ..events import SessionUpdate
from ..protocol.content import TextContent
from ..protocol.updates import (
    CompactionSummaryChunk,
    CompactionUpdate,
    MessageChunk,
    SessionMessage,
    SessionMessageChunk,
    WholeMessage,
)
from ..state import Compaction, Message, Session
from . import echo, prompts
from .draft import Draft
from .history import add_entry, current_turn, index_of_message, patch_meta, put_entry, with_changes
from .replay import renew_entry
from .turns import open_turn


def apply_message_chunk(draft: Draft, session: Session, event: SessionUpdate[MessageChunk | SessionMessageChunk]) -> Session:
    """Append a piece to its message, or begin one."""
    chunk = event.update
    role, id, piece = chunk.role, chunk.message_id, piece_of(chunk)
    if role == "user" and session._open_turns and not chunk.opens_turn:
        echoed = echo.apply_echo(draft, session, id, event.parent, piece)
        if echoed is not None:
            return echoed
    if id is None:
        index = _find_running(session, role, event.parent)
    else:
        index = index_of_message(session, role, id) if role == "user" else session.timeline.slot_of((role, id))
    if session._loading is not None and id is not None:
        session = renew_entry(draft, session, (role, id), index, Message(role, id, historical=True))
    if index < 0:
        if id is None and piece == "":
            return session
        return _add_message(draft, session, event, EMPTY_CONTENT.append(piece, draft.owner))
    message: Any = session.timeline.at(index)
    before = message.content
    is_late = message.turn is not None and session._open_turns.slot_of(message.turn) < 0
    size = before.size if is_late else 0
    content = before.append(piece, draft.owner)
    if is_late and content.size > size:
        draft.report("late-update", f"{role} message {id!r} goes on after its turn ended", id)
    return session if content is before else put_entry(draft, session, index, replace(message, content=content))


def piece_of(chunk: MessageChunk | SessionMessageChunk | CompactionSummaryChunk) -> Piece:
    """Return what a chunk adds to a content; its own `_meta` stands in the block as `chunkMeta`."""
    block, meta = chunk.content, chunk.meta
    if block.__class__ is TextContent and meta is None and block.annotations is UNSET is block.meta:
        return block.text
    sent: FrozenDict = freeze(block)
    return make_piece(sent if meta is None else FrozenDict(sent, chunkMeta=meta))


def _find_running(session: Session, role: str, parent: str | None) -> int:
    """Return the index of the message that a chunk without id continues, which is the last entry; -1 if it begins one."""
    index = session.timeline.end - 1
    if index < 0 or session._run_broken:
        return -1
    entry = session.timeline.at(index)
    if not isinstance(entry, Message) or entry.role != role or entry.parent != parent:
        return -1
    if entry.historical != session.replaying:
        return -1
    if entry.turn is None:
        return index
    turn = session._open_turns.get(entry.turn)
    # The prompt itself is whole; what follows is another message of the user.
    return -1 if turn is None or turn.prompt == index else index


def _add_message(draft: Draft, session: Session, event: SessionUpdate[Any], content: Content, **facts: Any) -> Session:
    """Return *session* with a new message at its end."""
    role, id, opens_turn = event.update.role, event.update.message_id, event.update.opens_turn
    historical = session.replaying
    if role == "user" and historical:
        session = replace(session, _epoch=session._epoch + 1)
    elif opens_turn:
        session = open_turn_for(draft, session)
    turn = None if historical else current_turn(session)
    message = Message(role, id, turn, event.parent, historical, content, **facts)
    session = add_entry(draft, session, None if id is None else (role, id), message)
    if opens_turn and (not historical or session._prompts.expected.get(id or "") is not None):
        session = prompts.insert_prompts(draft, session, id, turn)
    return session


def open_turn_for(draft: Draft, session: Session) -> Session:
    """Return *session* with a turn open: a new user message begins one if none is (SPEC 4.4)."""
    if session._open_turns or (session.before is not None and session.before._open_turns):
        return session
    return open_turn(draft, session)


def apply_message(draft: Draft, session: Session, event: SessionUpdate[WholeMessage]) -> Session:
    """Patch a message by its id, or begin one."""
    return _patch_message(draft, session, event)


def apply_session_message(draft: Draft, session: Session, event: SessionUpdate[SessionMessage]) -> Session:
    """Patch a message between sessions by its id, or begin one."""
    message = event.update
    return _patch_message(
        draft,
        session,
        event,
        sender_session_id=message.sender_session_id,
        recipient_session_id=message.recipient_session_id,
        sender_message_id=message.sender_message_id,
        recipient_message_id=message.recipient_message_id,
    )


def _patch_message(draft: Draft, session: Session, event: SessionUpdate[Any], **facts: Any) -> Session:
    patch = event.update
    key = (patch.role, patch.message_id)
    index = index_of_message(session, *key)
    if session._loading is not None:
        session = renew_entry(draft, session, key, index, Message(*key, historical=True))
    if index < 0:
        given = {name: value for name, value in facts.items() if value is not UNSET}
        content = patch_content(EMPTY_CONTENT, patch.content)
        return _add_message(draft, session, event, content, meta=patch_meta(draft, None, patch.meta), **given)
    message: Any = session.timeline.at(index)
    after = with_changes(message, meta=patch_meta(draft, message.meta, patch.meta), **facts)
    return _put_patched(draft, session, index, message, after, patch.content)


def _put_patched(draft: Draft, session: Session, index: int, before: Any, after: Any, content_patch: Any) -> Session:
    """Return *session* with the entry at *index* being *after*, its content patched, if that is another one than *before*."""
    content = patch_content(before.content, content_patch)
    if content is not before.content:
        after = replace(after, content=content)
    return session if after is before else put_entry(draft, session, index, after)


def patch_content(content: Content, patch: Any) -> Content:
    """Return *content* with a patch: an array replaces it block for block, `null` clears it."""
    return content if patch is UNSET or content.is_made_of(patch or ()) else make_content(patch or ())


def apply_compaction(draft: Draft, session: Session, event: SessionUpdate[CompactionUpdate]) -> Session:
    """Patch a compaction, or begin one."""
    session, index = _open_compaction(draft, session, event)
    entry: Any = session.timeline.at(index)
    patch = event.update
    after = with_changes(entry, status=patch.status, error=patch.error, meta=patch_meta(draft, entry.meta, patch.meta))
    return _put_patched(draft, session, index, entry, after, patch.summary)


def apply_compaction_chunk(draft: Draft, session: Session, event: SessionUpdate[CompactionSummaryChunk]) -> Session:
    """Append a piece to a compaction's summary."""
    session, index = _open_compaction(draft, session, event)
    entry: Any = session.timeline.at(index)
    content = entry.content.append(piece_of(event.update), draft.owner)
    return session if content is entry.content else put_entry(draft, session, index, replace(entry, content=content))


def _open_compaction(draft: Draft, session: Session, event: SessionUpdate[Any]) -> tuple[Session, int]:
    """Return the session with the compaction that *event* is about, and its index."""
    id = event.update.compaction_id
    key = ("compaction", id)
    index = session.timeline.slot_of(key)
    if session._loading is not None:
        session = renew_entry(draft, session, key, index, Compaction(id, historical=True))
    if index >= 0:
        return session, index
    historical = session.replaying
    entry = Compaction(id, None if historical else current_turn(session), event.parent, historical)
    index = session.timeline.end
    return add_entry(draft, session, key, entry), index
