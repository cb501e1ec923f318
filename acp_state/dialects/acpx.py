"""What acpx keeps of a session (npm `acpx`): its journal, what `sessions watch` prints, and `sessions export`.

    {"schema": "acpx.session.journal.v1", "type": "turn_started", "request_id": "q1"}
    {"cursor": "WyJyMSIsM10", "sequence": 3, "type": "message", "requestId": "q1", "message": {"jsonrpc": "2.0", "method": "..."}}
    {"format_version": 1, "exported_by": "acpx", "session": {}, "history": [{"jsonrpc": "2.0", "id": 1, "result": {}}]}

The journal (`src/session/journal.ts`, `~/.acpx/sessions/ID.stream.ndjson`) is bare JSON-RPC between
markers of segments and turns; an export (`src/session/export.ts`) is one object with such messages.
None says who sent a message, which is inferred. Markers are acpx's own account of a turn, and are
passed over: what ACP said of it stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from .._json import Json
from ..frames import Frame, read_message
from . import jsonrpc
from ._common import Item, not_a_frame


SCHEMA: Final = "acpx.session.journal."
EVENTS: Final = ("turn_started", "turn_result")


def read(record: Json, line: int | None, _depth: int) -> Iterable[Item] | None:
    """Read a bare message, an event of `watch`, or an export, and pass over the markers."""
    if not isinstance(record, dict):
        return None
    if jsonrpc.is_message(record):
        return read_message(record, line=line)
    type_ = record.get("type")
    if type_ is None:
        return _history(record["history"], line) if "exported_by" in record and isinstance(record.get("history"), list) else None
    schema = record.get("schema")
    if isinstance(schema, str) and schema.startswith(SCHEMA):
        return ()
    if "cursor" not in record or "requestId" not in record:
        return None
    if type_ in EVENTS:
        return ()
    return read_message(record["message"], line=line) if type_ == "message" and jsonrpc.is_message(record.get("message")) else None


def _history(history: Json, line: int | None) -> Iterator[Frame | Item]:
    for message in history:
        if jsonrpc.is_message(message):
            yield from read_message(message, line=line)
        else:
            yield not_a_frame(message, line, "an entry of the history that is no JSON-RPC 2.0 message")
