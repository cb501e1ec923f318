"""Replay transcripts: what a test bench expects a client to send and lets an agent answer.

    {"type": "transcript_start", "version": "1", "scenario": "simple"}
    {"type": "expect_outbound", "frame": {"kind": "request", "method": "session/new", "params": {"cwd": "<any>"}}}
    {"type": "emit_inbound", "afterMs": 5, "frame": {"kind": "response", "method": "session/new", "result": {}}}
    {"type": "runtime_exit", "status": "success"}

No ids: an answer names its method. A value that is exactly `"<any>"` is absent, other placeholders are
values; a frame with either is partial, and neither is worth a finding. `afterMs` is how long the bench waits before a frame, which
makes no time of the recording, as what lies between is not told: frames have none.
"""

from __future__ import annotations

import operator

from collections.abc import Iterable
from typing import Final

from .._json import Json
from .._model import UNSET, UnsetType
from ..frames import Frame, Kind, Sender, invalid


ANY: Final = "<any>"

_SENDERS: Final[dict[str, Sender]] = {"expect_outbound": "client", "emit_inbound": "agent"}


def read(record: Json, line: int | None, _depth: int) -> Iterable[Frame] | None:
    """Read a record by its `type`."""
    type_ = record.get("type") if isinstance(record, dict) else None
    if type_ == "transcript_start":
        return ()
    if type_ == "runtime_exit":
        exit_ = {key: value for key, value in record.items() if key != "type"}
        return (Frame(None, "exit", UNSET, None, exit_, None, line),)
    if not isinstance(type_, str) or type_ not in _SENDERS:
        return None
    return (_frame(record.get("frame"), _SENDERS[type_], line),)


def _frame(frame: Json, sender: Sender, line: int | None) -> Frame:
    if not isinstance(frame, dict):
        return invalid("a frame that is no object", sender, line=line)
    method = frame.get("method")
    if not isinstance(method, str):
        return invalid("a frame without a method", sender, line=line)
    kind, payload = _kind(frame)
    if kind is None:
        return invalid("a frame of an unknown kind", sender, line=line)
    known = _known(payload)
    return Frame(sender, kind, UNSET, method, known, None, line, known is not payload or _is_open(known))


def _kind(frame: Json) -> tuple[Kind | None, Json | UnsetType]:
    kind = frame.get("kind")
    if kind == "request":
        return "request", frame.get("params", UNSET)
    if kind == "notification":
        return "notification", frame.get("params", UNSET)
    if kind not in ("response", "error"):
        return None, UNSET
    if kind == "error" or frame.get("error") is not None:
        return "error", frame.get("error", UNSET)
    return "response", frame.get("result", UNSET)


def _is_open(value: Json | UnsetType) -> bool:
    """Whether a placeholder stands somewhere in *value*: a word in angle brackets."""
    if isinstance(value, dict):
        return any(map(_is_open, value.values()))
    if isinstance(value, list):
        return any(map(_is_open, value))
    return isinstance(value, str) and value.startswith("<") and value.endswith(">")


def _known(value: Json | UnsetType) -> Json | UnsetType:
    """Return *value* without what was left open: the same object if nothing was, `UNSET` if all of it."""
    if isinstance(value, dict):
        members = {}
        for key, item in value.items():
            known = _known(item)
            if known is not UNSET:
                members[key] = known
        return value if _same(members.values(), value.values()) else members
    if isinstance(value, list):
        items = []
        for item in value:
            known = _known(item)
            if known is not UNSET:
                items.append(known)
        return value if _same(items, value) else items
    return UNSET if isinstance(value, str) and value == ANY else value


def _same(some: Iterable[Json], others: Iterable[Json]) -> bool:
    some, others = list(some), list(others)
    return len(some) == len(others) and all(map(operator.is_, some, others))
