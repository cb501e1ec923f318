"""The state document: a fold's result as JSON text and back, without loss (SPEC 5).

Under `wire` stands what going on needs and the rest does not say. Each part of it has a value that
follows from the rest; only what differs from that is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .. import state as s
from .._json import Json, NotJsonError, decode
from .._model import replace
from ..codec import to_json
from ..errors import DocumentError, wrong_kind
from ..folded import Folded
from ..frames import SENDERS
from ..printing import json_text
from ..reading.reader import FRESH
from .usual import follows_from
from .writing import reader_to_json, wire_to_json


FORMAT: Final = "acp-state/1"


MAX_DOCUMENT_DEPTH: Final = 400
"""A document nests a frame's values deeper by what stands around them."""


def dumps(state: s.Snapshot | Folded, *, indent: int | None = 2) -> str:
    """Return the state document of a snapshot or of a fold's result, which then can be gone on with.

    The text is the same for equal states: keys have a fixed order, and lone surrogates are escaped.
    *indent* `None` prints it on one line. Raises `TypeError` for what is neither.
    """
    return json_text(to_document(state), indent)


def loads(text: str | bytes) -> Folded:
    """Return the fold's result that a state document describes; it has no diagnostics.

    Raises `DocumentError` if *text* is no state document, or one of a format that this version does
    not read, and `TypeError` if it is no text.
    """
    if not isinstance(text, (str, bytes, bytearray, memoryview)):
        raise wrong_kind("a state document is read from its text, as str or bytes", text)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        return from_document(decode(data, MAX_DOCUMENT_DEPTH))
    except NotJsonError as error:
        msg = f"not JSON: {error}"
        raise DocumentError(msg) from None


def to_document(state: s.Snapshot | Folded) -> dict[str, Json]:
    """Return the state document as a plain object. Raises `TypeError` for what is neither a snapshot nor a fold's result."""
    if not isinstance(state, (s.Snapshot, Folded)):
        raise wrong_kind("a state document is made of a Snapshot or of a Folded", state)
    snapshot = state if isinstance(state, s.Snapshot) else state.snapshot
    document: dict[str, Json] = {
        "format": FORMAT,
        "connection": to_json(snapshot.connection),
        "sessions": {session.id: to_json(session) for session in snapshot.sessions.values()},
    }
    wire = wire_to_json(
        snapshot,
        follows_from(snapshot) if isinstance(state, s.Snapshot) else state.wire,
    )
    if isinstance(state, Folded):
        sides = {side: reader_to_json(reader) for side, reader in zip(SENDERS, state.sides, strict=True) if reader != FRESH}
        if sides:
            wire["sides"] = sides
    if wire:
        document["wire"] = wire
    return document


def from_document(document: Json) -> Folded:
    """Return what a state document, as a plain object, describes."""
    # Who folds and prints reads no document, and would wait for these longer than for all the rest.
    from cattrs import transform_error
    from cattrs.errors import BaseValidationError

    from .reading import Reading

    if not isinstance(document, Mapping) or "format" not in document:
        msg = "no state document: it has no format"
        raise DocumentError(msg)
    if document["format"] != FORMAT:
        msg = f"a state document of format {document['format']!r}; this version reads {FORMAT!r}"
        raise DocumentError(msg)
    try:
        return Reading(document).folded()
    except BaseValidationError as error:
        msg = "; ".join(str(line) for line in transform_error(error)[:3])
        raise DocumentError(f"no state document: {msg}") from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        msg = f"no state document: {type(error).__name__}: {error}"
        raise DocumentError(msg) from None


def only(folded: Folded, session_id: str) -> Folded:
    """Return *folded* with one of its sessions; the connection, open requests included, stays as it is."""
    session = folded.snapshot.sessions[session_id]
    return replace(
        folded,
        snapshot=replace(folded.snapshot, sessions=s.make_sessions([session])),
    )
