"""Bare updates: the params of `session/update`, or the update alone, whose session is then `""`.

{"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": []}}
{"sessionUpdate": "current_mode_update", "currentModeId": "ask"}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._json import Json
from .._model import UNSET
from ..frames import Frame


METHOD: Final = "session/update"


def read(record: Json, line: int | None, _depth: int) -> Iterable[Frame] | None:
    """Read a record with `sessionId` and `update`, or with `sessionUpdate`."""
    if not isinstance(record, dict):
        return None
    if "sessionUpdate" in record:
        record = {"sessionId": "", "update": record}
    elif "sessionId" not in record or "update" not in record:
        return None
    return (Frame("agent", "notification", UNSET, METHOD, record, None, line),)
