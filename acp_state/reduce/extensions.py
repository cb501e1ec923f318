"""What is only recorded: file requests, and methods that say nothing of a session (SPEC 4.8)."""

from __future__ import annotations

from typing import Any

from .._model import evolve
from .._persistent import Table
from ..events import ExtensionAnswered, ExtensionSent, FileAnswered, FileAsked
from ..state import Extension, Session, Snapshot
from ._session import H, Note, in_both, merged_meta, with_session


def file_asked(session: Session, event: FileAsked, note: Note) -> Session:
    """The agent wants a file read or written."""
    return evolve(session, files=session.files.add(event.key, event.file))


def file_answered(session: Session, event: FileAnswered, note: Note) -> Session:
    """The client did it, or did not."""

    def change(history: H) -> H:
        place = history.files.place(event.key)
        if place < 0 or history.files.at(place).status != "open":
            return history
        file = history.files.at(place)
        file = evolve(file, status=event.status, meta=merged_meta(file.meta, event.meta))
        return evolve(history, files=history.files.replace(place, file))

    return in_both(session, change)


def extension_sent(snapshot: Snapshot, event: ExtensionSent, note: Note) -> Snapshot:
    """Keep a vendor's message: with its session if that is known, else with the connection."""
    session = None if event.session_id is None else snapshot.sessions.find(event.session_id)
    if session is not None:
        return with_session(snapshot, _added(session, event))
    return evolve(snapshot, connection=_added(snapshot.connection, event))


def _added(holder: Any, event: ExtensionSent) -> Any:
    return evolve(holder, extensions=holder.extensions.add(event.key, event.extension))


def extension_answered(snapshot: Snapshot, event: ExtensionAnswered, note: Note) -> Snapshot:
    """A vendor's request was answered."""
    session = None if event.session_id is None else snapshot.sessions.find(event.session_id)
    if session is not None and session.extensions.place(event.key) >= 0:
        return with_session(snapshot, evolve(session, extensions=_answered(session.extensions, event)))
    connection = snapshot.connection
    if connection.extensions.place(event.key) < 0:
        return snapshot
    return evolve(
        snapshot,
        connection=evolve(connection, extensions=_answered(connection.extensions, event)),
    )


def _answered(extensions: Table[object, Extension], event: ExtensionAnswered) -> Table[object, Extension]:
    place = extensions.place(event.key)
    extension = extensions.at(place)
    if extension.status != "open":
        return extensions
    return extensions.replace(
        place,
        evolve(extension, status=event.status, result=event.result, error=event.error),
    )
