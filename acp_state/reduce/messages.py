"""Messages and compactions: chunks, whole ones, and where a message begins (SPEC 4.2)."""

from __future__ import annotations

from typing import Any, Final

from .._content import EMPTY_CONTENT, Content
from .._model import UNSET, evolve, maker, replaced
from ..events import (
    CompactionChunked,
    CompactionPatched,
    MessageChunked,
    MessagePatched,
)
from ..state import Compaction, Message, Session, Snapshot, Stream, Streams, with_content, with_timeline
from . import echo, prompts
from ._session import (
    ENDED,
    Note,
    add_entry,
    changed,
    current_turn,
    is_open,
    patched_meta,
    place_of_message,
    replace_entry,
)
from .replay import in_history, renewed
from .turns import began


def message_chunked(snapshot: Snapshot, event: MessageChunked, note: Note) -> Snapshot:
    """Append a piece to its message, or begin one.

    Text of a message that has begun is gathered beside its session (`Streams`).
    """
    streams, text = snapshot._streams, event.text
    if streams is not None and text and snapshot._whole is None:
        key: str | int | None = event.id
        if key is None:  # then it can go on with the last entry alone
            session = snapshot._sessions.find(event.session_id)
            key = -1 if session is None else session.timeline._end - 1
        stream = streams.open.get((event.session_id, event.role, key))
        if stream is not None and event.block is stream.block and (event.id is not None or event.parent == stream.message.parent):
            log, size = streams.log, snapshot._size
            if len(log) == size and size < _MOST:
                piece = (stream, text)
                log.append(piece)
                if log[size] is piece:  # else another thread was faster
                    return replaced(snapshot, _size=size + 1, _whole=None)  # somebody may have looked meanwhile
    return _streamed(snapshot, event) or _chunked_in_session(snapshot, event, note)


_MOST: Final = 1024
"""How many pieces are gathered at most: that is what the next look costs, and what is in memory twice."""

_stream = maker(Stream, "session_id", "place", "message", "block")


def _streamed(snapshot: Snapshot, event: MessageChunked) -> Snapshot | None:
    """Return *snapshot* with a piece as the first one that is gathered for its message, or with a message that it begins.

    `None` where a piece needs a second look: it begins a block, may be an echo or of a replay, or its
    turn is over.
    """
    session_id, role, text = event.session_id, event.role, event.text
    if not text or role == "user":
        return None
    sessions, streams, size = snapshot._sessions, snapshot._streams, snapshot._size
    if streams is None or snapshot._whole is not None or len(streams.log) != size or size >= _MOST:
        # What is gathered is looked at now, is another history's, or is enough.
        sessions, streams, size = snapshot.sessions, Streams(), 0
    session = sessions.find(session_id)
    if session is None or session._loading is not None or session.phase in ENDED:
        return None
    place = _place_of_chunk(session, event)
    if place < 0:
        begun = _begun(session, event, EMPTY_CONTENT.append(event.block, text))
        return replaced(snapshot, _sessions=sessions.put(session_id, begun), _streams=streams if size else None, _size=size, _whole=None)
    message = session.timeline.known(place)
    if message.content._open is not event.block or not (message.turn is None or is_open(session, message.turn)):
        return None
    stream = streams.at.get((session_id, place)) or _stream(session_id, place, message, event.block)
    piece = (stream, text)
    streams.log.append(piece)
    if streams.log[size] is not piece:  # another thread was faster
        return None
    streams.at[session_id, place] = stream
    streams.open[session_id, role, place if event.id is None else event.id] = stream
    return replaced(snapshot, _sessions=sessions, _streams=streams, _size=size + 1, _whole=None)


def _chunked(session: Session, event: MessageChunked, note: Note) -> Session:
    if event.role == "user" and session._open_turns and not event.opens_turn:
        echoed = echo.heard(session, event)
        if echoed is not None:
            return echoed
    place = _place_of_chunk(session, event)
    if session._loading is not None and event.id is not None:
        session = renewed(
            session,
            (event.role, event.id),
            place,
            Message(event.role, event.id, historical=True),
        )
    if place < 0:
        if event.id is None and event.text == "":
            return session
        content = EMPTY_CONTENT.append(event.block, event.text)
        return _begun(session, event, content)
    message = session.timeline.known(place)
    content = message.content.append(event.block, event.text)
    if content is message.content:
        return session
    if message.turn is not None and not is_open(session, message.turn):
        note(
            "late-update",
            f"{event.role} message {event.id!r} goes on after its turn ended",
            event.id,
        )
    return with_timeline(session, session.timeline.replace(place, with_content(message, content)))


_chunked_in_session = in_history(_chunked)


def _place_of_chunk(session: Session, event: MessageChunked) -> int:
    """Where the message stands that a chunk belongs to, or nowhere: by its id, or as the last entry."""
    id = event.id
    if id is None:
        return _running(session, event)
    timeline = session.timeline
    last = timeline._hot  # nearly always the message that the chunk before this one belonged to
    if last.__class__ is Message and last.id == id and last.role == event.role:
        return timeline._hot_place
    return place_of_message(session, event.role, id)


def _running(session: Session, event: MessageChunked) -> int:
    """Where the message stands that a chunk without id goes on with: the last entry, or nowhere."""
    place = session.timeline.end - 1
    if place < 0 or session._run_broken:
        return -1
    entry = session.timeline.known(place)
    if not isinstance(entry, Message) or entry.role != event.role or entry.parent != event.parent:
        return -1
    if entry.historical != session.replaying:
        return -1
    if entry.turn is None:
        return place
    if session.turns.at(entry.turn).status != "running":
        return -1
    if entry.role != "user":
        return place
    turn = session._open_turns.find(entry.turn)
    # The prompt itself is whole; what follows is another message of the user.
    return place if turn is not None and turn.entry != place else -1


_message = maker(Message, "role", "id", "turn", "parent", "historical", "content")


def _begun(
    session: Session,
    event: MessageChunked | MessagePatched,
    content: Content,
    **facts: Any,
) -> Session:
    """Return *session* with a new message at its end."""
    historical = session.replaying
    if event.role == "user":
        if historical:
            session = evolve(session, _epoch=session._epoch + 1)
        elif event.opens_turn and not session._open_turns:
            session = began(session)
    turn = None if historical else current_turn(session)
    message = _message(event.role, event.id, turn, event.parent, historical, content)
    if facts:
        message = evolve(message, **facts)
    session = add_entry(session, None if event.id is None else (event.role, event.id), message)
    if event.role == "user" and event.opens_turn and (not historical or session._expected.find(event.id or "") is not None):
        session = prompts.inserted(session, event.id, turn)
    return session


def message_patched(session: Session, event: MessagePatched, note: Note) -> Session:
    """Patch a message by its id, or begin one."""
    key = (event.role, event.id)
    place = place_of_message(session, event.role, event.id)
    if session._loading is not None:
        session = renewed(session, key, place, Message(event.role, event.id, historical=True))
    facts = {
        "sender_session_id": event.sender_session_id,
        "recipient_session_id": event.recipient_session_id,
        "sender_message_id": event.sender_message_id,
        "recipient_message_id": event.recipient_message_id,
    }
    if place < 0:
        given = {name: value for name, value in facts.items() if value is not UNSET}
        return _begun(
            session,
            event,
            _replaced(EMPTY_CONTENT, event.content),
            meta=patched_meta(None, event.meta),
            **given,
        )
    message = session.timeline.known(place)
    after = changed(
        message,
        content=_replaced(message.content, event.content),
        meta=patched_meta(message.meta, event.meta),
        **facts,
    )
    return session if after is message else replace_entry(session, place, after)


def _replaced(content: Content, patch: Any) -> Content:
    """Patch content: whole arrays replace it block for block."""
    return content if patch is UNSET else Content(patch or ())


def compaction_patched(session: Session, event: CompactionPatched, note: Note) -> Session:
    """Patch a compaction, or begin one."""
    session, place = _compaction(session, event)
    entry = session.timeline.known(place)
    after = changed(
        entry,
        status=event.status,
        content=_replaced(entry.content, event.summary),
        error=event.error,
        meta=patched_meta(entry.meta, event.meta),
    )
    return session if after is entry else replace_entry(session, place, after)


def compaction_chunked(session: Session, event: CompactionChunked, note: Note) -> Session:
    """Append a piece to a compaction's summary."""
    session, place = _compaction(session, event)
    entry = session.timeline.known(place)
    content = entry.content.append(event.block, event.text)
    return session if content is entry.content else replace_entry(session, place, evolve(entry, content=content))


def _compaction(session: Session, event: CompactionPatched | CompactionChunked) -> tuple[Session, int]:
    """Return the session with the compaction that *event* is about, and its place."""
    key = ("compaction", event.id)
    place = session.timeline.place(key)
    if session._loading is not None:
        session = renewed(session, key, place, Compaction(event.id, historical=True))
    if place >= 0:
        return session, place
    historical = session.replaying
    entry = Compaction(
        event.id,
        None if historical else current_turn(session),
        event.parent,
        historical,
    )
    return add_entry(session, key, entry), session.timeline.end
