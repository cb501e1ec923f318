"""Our own recordings.

    {"format": "acp-state/transcript", "version": 1}
    {"t": 0.125, "from": "client", "message": {"jsonrpc": "2.0", "id": 1, "method": "initialize"}}
    {"t": 0.25, "from": "agent", "message": {"method": "initialize", "result": {}}}
    {"t": 0.5, "from": "agent", "kind": "request", "message": {"method": "_vendor/ask"}}
    {"t": 0.75, "from": "agent", "raw": "what was no JSON-RPC"}
    {"t": 1, "exit": {"status": "success"}}

*t* is in seconds from the beginning. A message may be a batch, and may lack its id if the recording
that it was converted from has none; then an answer names its method. *kind* says what a message
without id is where its own form does not, like the request of a method that is not the protocol's, or
an answer whose result is not known. *partial*: not all of the message is known; what is missing is no
mistake of the sender's. *raw* may be `{"base64": ...}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from .._json import Json
from .._model import UNSET, replace
from .._patterns import lazy
from ..diagnostics import Diagnostic, excerpt
from ..frames import SENDERS, Frame, Sender, read_message, read_one
from ..methods import REQUESTS
from ._common import Item, not_a_frame, seconds


FORMAT: Final = "acp-state/transcript"
VERSION: Final = 1

KEYS: Final = frozenset(("t", "from", "message", "kind", "partial", "raw", "exit"))
"""The members of a record."""

A_STATE: Final = "a state document, which is no recording"
"""What is said of a state that is read as if it were a recording."""

_STATE: Final = lazy(r"acp-state/\d+")

_KINDS: Final = ("request", "notification", "response", "error")


def read(record: Json, line: int | None, _depth: int) -> Iterable[Item] | None:
    """Read the header, or a record with one of `message`, `raw`, `exit` beside our `t` and `from`."""
    if not isinstance(record, dict):
        return None
    if record.get("format") == FORMAT:
        return _header(record, line)
    if isinstance(record.get("format"), str) and _STATE.fullmatch(record["format"]):
        return (not_a_frame(record, line, A_STATE),)
    if not _is_ours(record):
        return None
    sender = record.get("from")
    if sender is not None and sender not in SENDERS:
        return None
    time = seconds(record.get("t"))
    if "message" in record:
        return _message(record, sender, time, line)
    if "raw" in record:
        return (_raw(record["raw"], line),)
    return (_exit(record["exit"], sender, time, line),) if "exit" in record else None


def _is_ours(record: Json) -> bool:
    """Whether *record* has two of our marks, or one and nothing that is not ours: other wrappers have some of them."""
    if "t" in record and "from" in record:
        return True
    return ("t" in record or "from" in record or "exit" in record) and record.keys() <= KEYS


def _message(record: Json, sender: Sender | None, time: float | None, line: int | None) -> Iterable[Item] | None:
    message = record["message"]
    if isinstance(message, str):
        return None  # JSON in a string is not how we write
    kind = record.get("kind")
    asked = kind == "request"
    if isinstance(message, list):
        return read_message(message, sender, asked=asked, time=time, line=line)
    frame = read_one(message, sender, asked, time, line)
    if kind in _KINDS and frame.kind in _KINDS and frame.id is UNSET:
        frame = replace(frame, kind=kind)
    return (replace(frame, partial=True) if record.get("partial") is True else frame,)


def _header(record: Json, line: int | None) -> Iterable[Item]:
    version = record.get("version")
    if type(version) is int and version == VERSION:
        return ()
    return (not_a_frame(record, line, f"a recording of a version that is not {VERSION}; it is read as if it were"),)


def _exit(exit_: Json, sender: Sender | None, time: float | None, line: int | None) -> Item:
    if isinstance(exit_, dict):
        return Frame(sender, "exit", UNSET, None, exit_, time, line)
    return not_a_frame(exit_, line, "an exit that is no object")


def _raw(raw: Json, line: int | None) -> Diagnostic:
    if isinstance(raw, str):
        return Diagnostic("not-json", f"the recorded line was no JSON: {excerpt(raw)}", line)
    if isinstance(raw, dict) and isinstance(raw.get("base64"), str):
        return Diagnostic("not-json", "the recorded line was no text", line)
    return not_a_frame(raw, line, "a raw line that is neither text nor base64")


def header(**facts: Json) -> dict[str, Json]:
    """Return the first record of a recording."""
    return {"format": FORMAT, "version": VERSION, **facts}


def write(frame: Frame) -> dict[str, Json]:
    """Return the record of *frame*, which must not be `invalid`; read again, it gives an equal frame, but for `line` and `partial`."""
    record: dict[str, Json] = {} if frame.time is None else {"t": frame.time}
    if frame.kind == "exit":
        return {**record, "exit": frame.payload}
    record["from"] = frame.sender
    if frame.kind == "request" and frame.id is UNSET and frame.method not in REQUESTS:
        record["kind"] = "request"
    record["message"] = _written(frame)
    return record


def _written(frame: Frame) -> dict[str, Json]:
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if frame.id is not UNSET:
        message["id"] = frame.id
    if frame.method is not None:
        message["method"] = frame.method
    part = _PARTS.get(frame.kind, "params")
    if frame.payload is not UNSET:
        message[part] = frame.payload
    elif part != "params":
        message[part] = None  # it is what tells an answer
    return message


_PARTS: Final = {"response": "result", "error": "error"}
