"""Scenario snapshots: what an agent sent, one message a line, without ids.

    {"kind": "notification", "method": "session/update", "payload": {"sessionId": "<session>", "update": {}}}
    {"kind": "response", "method": "session/new", "payload": {"sessionId": "<session>"}}

Values that change from run to run are placeholders, which are values like others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._json import Json
from .._model import UNSET
from ..frames import Frame, Kind
from .tagged import DIRECTION_KEYS


_KINDS: Final[dict[str, Kind]] = {"request": "request", "response": "response", "notification": "notification", "error": "error"}


def read(record: Json, line: int | None, _depth: int) -> Iterable[Frame] | None:
    """Read a record with a `kind` and a `method`; an error is of that kind or has its payload under `error`."""
    if not isinstance(record, dict) or not isinstance(record.get("kind"), str) or not isinstance(record.get("method"), str):
        return None
    kind = _KINDS.get(record["kind"])
    if kind is None or any(key in record for key in DIRECTION_KEYS):
        return None  # with a direction it would not be the agent's alone
    payload = record.get("payload", UNSET)
    if kind in ("response", "error") and record.get("error") is not None and payload is UNSET:
        kind, payload = "error", record["error"]
    return (Frame("agent", kind, UNSET, record["method"], payload, None, line),)
