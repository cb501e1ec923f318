"""What is only recorded: file requests, and methods that say nothing of a session (SPEC 4.8)."""

from __future__ import annotations

from .._model import replace
from ..containers import Table
from ..events import ExtensionAnswered, ExtensionSent, FileAnswered, FileRequested
from ..state import Extension, Session
from .draft import Draft
from .history import H, change_both, merge_meta


def apply_file_request(draft: Draft, session: Session, event: FileRequested) -> Session:
    """The agent wants a file read or written."""
    return replace(session, files=session.files.add(event.key, event.file, draft.owner))


def apply_file_answer(draft: Draft, session: Session, event: FileAnswered) -> Session:
    """The client did it, or did not."""

    def change(history: H) -> H:
        slot = history.files.slot_of(event.key)
        file = None if slot < 0 else history.files.at(slot)
        if file is None or file.status != "open":
            return history
        file = replace(file, status=event.status, meta=merge_meta(draft, file.meta, event.meta))
        return replace(history, files=history.files.put(slot, file, draft.owner))

    return change_both(session, change)


def apply_extension(draft: Draft, event: ExtensionSent) -> None:
    """Keep a vendor's message: with its session if that is known, else with the connection."""
    session = None if event.session_id is None else draft.find_session(event.session_id)
    if session is not None:
        draft.session = replace(session, extensions=session.extensions.add(event.key, event.extension, draft.owner))
    else:
        connection = draft.connection
        draft.connection = replace(connection, extensions=connection.extensions.add(event.key, event.extension, draft.owner))


def apply_extension_answer(draft: Draft, event: ExtensionAnswered) -> None:
    """A vendor's request was answered."""
    session = None if event.session_id is None else draft.find_session(event.session_id)
    if session is not None and session.extensions.slot_of(event.key) >= 0:
        draft.session = replace(session, extensions=_answer(draft, session.extensions, event))
    elif draft.connection.extensions.slot_of(event.key) >= 0:
        draft.connection = replace(draft.connection, extensions=_answer(draft, draft.connection.extensions, event))


def _answer(draft: Draft, extensions: Table[object, Extension], event: ExtensionAnswered) -> Table[object, Extension]:
    slot = extensions.slot_of(event.key)
    extension = extensions.at(slot)
    if extension.status != "open":
        return extensions
    answered = replace(extension, status=event.status, result=event.result, error=event.error)
    return extensions.put(slot, answered, draft.owner)
