"""Zed's ACP logs, copied with *Copy All Messages* (`crates/acp_tools/src/acp_tools.rs`): one array, pretty-printed.

    [
      {"_direction": "outgoing", "_type": "request", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}},
      {"_direction": "incoming", "_type": "response", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
    ]

An answer has its result or its error under `params`, and nothing says which: one with the code and
the message of a JSON-RPC error is an error. Its method is filled in from the request. What was not
sent is `null`. Lines that the agent wrote to its standard error (`stderr`) are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._json import Json
from .._model import UNSET, UnsetType
from ..frames import Frame, Kind, Sender, invalid


_SENDERS: Final[dict[str, Sender]] = {"incoming": "agent", "outgoing": "client"}
_KINDS: Final[dict[str, Kind]] = {"request": "request", "response": "response", "notification": "notification"}
_ERROR: Final = frozenset(("code", "message", "data"))


def read(record: Json, line: int | None, _depth: int) -> Iterable[Frame] | None:
    """Read a record with `_direction`, `_type` and `method`."""
    if not isinstance(record, dict) or "_direction" not in record:
        return None
    direction, type_, method = record["_direction"], record.get("_type"), record.get("method")
    if not isinstance(direction, str) or not isinstance(type_, str) or not isinstance(method, str):
        return None
    if direction == type_ == "stderr":
        return ()
    sender, kind = _SENDERS.get(direction), _KINDS.get(type_)
    if sender is None or kind is None:
        return None
    id_ = record.get("id", UNSET)
    if isinstance(id_, (dict, list)):
        return (invalid("an id that is an object or an array", sender, line=line),)
    payload = record.get("params")
    if kind == "response":
        return (Frame(sender, "error" if _is_error(payload) else kind, id_, None, payload, None, line),)
    payload_: Json | UnsetType = UNSET if payload is None else payload
    return (Frame(sender, kind, id_ if kind == "request" else UNSET, method, payload_, None, line),)


def _is_error(payload: Json) -> bool:
    if not isinstance(payload, dict) or not payload.keys() <= _ERROR:
        return False
    return type(payload.get("code")) is int and isinstance(payload.get("message"), str)
