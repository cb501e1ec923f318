"""Bare JSON-RPC 2.0: a message or a batch a line; who sent it is not said and is inferred later."""

from __future__ import annotations

from collections.abc import Iterable

from .._json import Json
from ..frames import Frame, invalid, read_one


def read(record: Json, line: int | None, _depth: int) -> Iterable[Frame] | None:
    """Read a record with `"jsonrpc": "2.0"`, or an array that has at least one."""
    if isinstance(record, dict):
        return (read_one(record, None, False, None, line),) if record.get("jsonrpc") == "2.0" else None
    if isinstance(record, list) and any(map(is_message, record)):
        return [read_one(part, None, False, None, line) if is_message(part) else _not_one(line) for part in record]
    return None


def is_message(value: Json) -> bool:
    """Whether *value* calls itself a JSON-RPC 2.0 message."""
    return isinstance(value, dict) and value.get("jsonrpc") == "2.0"


def _not_one(line: int | None) -> Frame:
    return invalid("a part of a batch that is no JSON-RPC 2.0 message", line=line)
