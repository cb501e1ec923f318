"""Messages and compactions: chunks, whole ones, and where a message begins (SPEC 4.2)."""

from __future__ import annotations

from typing import Any

from .._model import UNSET, replace
from ..containers import EMPTY_CONTENT, Content, make_content, make_piece
from ..events import CompactionChunked, CompactionPatched, MessageChunked, MessagePatched
from ..state import Compaction, Message, Session
from . import echo, prompts
from .draft import Draft
from .history import add_entry, current_turn, index_of_message, is_open, patch_meta, put_entry, with_changes
from .replay import renew_entry
from .turns import open_turn


def apply_message_chunk(draft: Draft, session: Session, event: MessageChunked) -> Session:
    """Append a piece to its message, or begin one."""
    if event.role == "user" and session._open_turns and not event.opens_turn:
        echoed = echo.take_chunk(draft, session, event)
        if echoed is not None:
            return echoed
    id = event.id
    index = _find_running(session, event) if id is None else index_of_message(session, event.role, id)
    if session._loading is not None and id is not None:
        session = renew_entry(draft, session, (event.role, id), index, Message(event.role, id, historical=True))
    piece = make_piece(event.block, event.text)
    if index < 0:
        if id is None and piece == "":
            return session
        return _add_message(draft, session, event, EMPTY_CONTENT.append(piece, draft.owner))
    message: Any = session.timeline.at(index)
    size = message.content.size
    content = message.content.append(piece, draft.owner)
    if message.turn is not None and content.size > size and not is_open(session, message.turn):
        draft.report("late-update", f"{event.role} message {id!r} goes on after its turn ended", id)
    return session if content is message.content else put_entry(draft, session, index, replace(message, content=content))


def _find_running(session: Session, event: MessageChunked) -> int:
    """Return the index of the message that a chunk without id continues, which is the last entry; -1 if it begins one."""
    index = session.timeline.end - 1
    if index < 0 or session._run_broken:
        return -1
    entry = session.timeline.at(index)
    if not isinstance(entry, Message) or entry.role != event.role or entry.parent != event.parent:
        return -1
    if entry.historical != session.replaying:
        return -1
    if entry.turn is None:
        return index
    turn = session._open_turns.get(entry.turn)
    # The prompt itself is whole; what follows is another message of the user.
    return -1 if turn is None or turn.prompt == index else index


def _add_message(draft: Draft, session: Session, event: MessageChunked | MessagePatched, content: Content, **facts: Any) -> Session:
    """Return *session* with a new message at its end."""
    historical = session.replaying
    by_user = event.role == "user"
    if by_user and historical:
        session = replace(session, _epoch=session._epoch + 1)
    elif by_user and event.opens_turn:
        session = open_turn_for(draft, session)
    turn = None if historical else current_turn(session)
    message = Message(event.role, event.id, turn, event.parent, historical, content, **facts)
    session = add_entry(draft, session, None if event.id is None else (event.role, event.id), message)
    if by_user and event.opens_turn and (not historical or session._prompts.expected.get(event.id or "") is not None):
        session = prompts.insert_prompts(draft, session, event.id, turn)
    return session


def open_turn_for(draft: Draft, session: Session) -> Session:
    """Return *session* with a turn open: a new user message begins one if none is (SPEC 4.4)."""
    if session._open_turns or (session.before is not None and session.before._open_turns):
        return session
    return open_turn(draft, session)


def apply_message_patch(draft: Draft, session: Session, event: MessagePatched) -> Session:
    """Patch a message by its id, or begin one."""
    key = (event.role, event.id)
    index = index_of_message(session, event.role, event.id)
    if session._loading is not None:
        session = renew_entry(draft, session, key, index, Message(event.role, event.id, historical=True))
    facts = {
        "sender_session_id": event.sender_session_id,
        "recipient_session_id": event.recipient_session_id,
        "sender_message_id": event.sender_message_id,
        "recipient_message_id": event.recipient_message_id,
    }
    if index < 0:
        given = {name: value for name, value in facts.items() if value is not UNSET}
        content = _patch_content(EMPTY_CONTENT, event.content)
        return _add_message(draft, session, event, content, meta=patch_meta(draft, None, event.meta), **given)
    message: Any = session.timeline.at(index)
    after = with_changes(
        message,
        content=_patch_content(message.content, event.content),
        meta=patch_meta(draft, message.meta, event.meta),
        **facts,
    )
    return session if after is message else put_entry(draft, session, index, after)


def _patch_content(content: Content, patch: Any) -> Content:
    """Patch content: whole arrays replace it block for block."""
    return content if patch is UNSET else make_content(patch or ())


def apply_compaction_patch(draft: Draft, session: Session, event: CompactionPatched) -> Session:
    """Patch a compaction, or begin one."""
    session, index = _open_compaction(draft, session, event)
    entry: Any = session.timeline.at(index)
    after = with_changes(
        entry,
        status=event.status,
        content=_patch_content(entry.content, event.summary),
        error=event.error,
        meta=patch_meta(draft, entry.meta, event.meta),
    )
    return session if after is entry else put_entry(draft, session, index, after)


def apply_compaction_chunk(draft: Draft, session: Session, event: CompactionChunked) -> Session:
    """Append a piece to a compaction's summary."""
    session, index = _open_compaction(draft, session, event)
    entry: Any = session.timeline.at(index)
    content = entry.content.append(make_piece(event.block, event.text), draft.owner)
    return session if content is entry.content else put_entry(draft, session, index, replace(entry, content=content))


def _open_compaction(draft: Draft, session: Session, event: CompactionPatched | CompactionChunked) -> tuple[Session, int]:
    """Return the session with the compaction that *event* is about, and its index."""
    key = ("compaction", event.id)
    index = session.timeline.slot_of(key)
    if session._loading is not None:
        session = renew_entry(draft, session, key, index, Compaction(event.id, historical=True))
    if index >= 0:
        return session, index
    historical = session.replaying
    entry = Compaction(event.id, None if historical else current_turn(session), event.parent, historical)
    index = session.timeline.end
    return add_entry(draft, session, key, entry), index
