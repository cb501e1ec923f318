r"""Wrappers that say which way a message went: a direction word and the message, under any of the usual keys.

    {"ts": "2026-01-01T10:00:00Z", "direction": "fromAgent", "json": "{\"id\": 1, \"result\": {}}"}
    {"t_ms": 12, "dir": "in", "frame": {"jsonrpc": "2.0", "id": 1, "result": {}}}
    {"channel": "client->server", "message": {"jsonrpc": "2.0", "method": "session/cancel"}}

`in`, `recv` and the like mean *from the agent*: every recorder of this kind sits at the client. So
write ACP-inspector (`direction`, `json`; `cli/apps/ACP.Cli/Common/Parsing.fs` has its words),
a2a-bridge (`dir`, `line`, a header with `_provenance`; `crates/bridge-acp/tests/corpus` of `a2acp`)
and crucible (`t_ms`, `dir`, `frame`). A wrapper whose word is unknown or missing is read if it holds
a JSON-RPC message, and the sender is inferred. Headers, and records of other channels that have no
message, are passed over, but for the end of the agent's process, as T3 Code's probes write it:

    {"ts": "…", "channel": "lifecycle", "event": "exit", "code": 143, "signal": null}

Times: `t_ms` is in milliseconds. A number under another key is one since 1970 if it can be, by its
size in seconds, milliseconds, microseconds or nanoseconds; else `t` and any fraction are seconds,
and a whole number is milliseconds, as those who write whole numbers count them. Text is ISO 8601.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._json import Json, NotJsonError, TooDeepError, decode
from .._model import UNSET
from ..diagnostics import Diagnostic, excerpt
from ..frames import Frame, Sender, read_message, read_one
from . import jsonrpc
from ._common import ABSOLUTE, Item, from_iso, seconds


DIRECTION_KEYS: Final = ("direction", "dir", "sender", "from", "channel")
MESSAGE_KEYS: Final = ("message", "frame", "json", "line", "payload")
TIME_KEYS: Final = ("ts", "timestamp", "time", "at", "t", "createdAt")

_AGENT: Final = (
    "in",
    "inbound",
    "incoming",
    "recv",
    "received",
    "fromagent",
    "agent",
    "server",
    "server->client",
    "agent->client",
    "a2c",
    "a->c",
)
_CLIENT: Final = ("out", "outbound", "outgoing", "send", "sent", "fromclient", "client", "client->server", "client->agent", "c2a", "c->a")

_OF_THE_RECORD: Final = frozenset((*DIRECTION_KEYS, *TIME_KEYS, "t_ms", "event"))

_UNITS: Final = ((1e17, 1_000_000_000), (1e14, 1_000_000), (1e11, 1000), (ABSOLUTE, 1))
"""Above which size a number counts from 1970, and how many of its unit are in a second."""

_FLAT: Final = ("method", "update", "sessionUpdate", "is_error")
_FLAT_ANSWER: Final = (*_FLAT, "result", "error")
"""The marks of a record that is a message itself."""

WORDS: Final[dict[str, Sender]] = {**dict.fromkeys(_AGENT, "agent"), **dict.fromkeys(_CLIENT, "client")}


def read(record: Json, line: int | None, depth: int) -> Iterable[Item] | None:
    """Read a wrapper, or pass over a header or a record without a message."""
    if not isinstance(record, dict):
        return None
    sender, tagged = None, False
    for key in DIRECTION_KEYS:
        if key in record:
            word = record[key]
            if not isinstance(word, str):
                return None
            sender, tagged = sender or sender_of(word), True
    found = _message_key(record)
    if found is not None:
        return _unwrap(record, found, sender, tagged, line, depth)
    if tagged and record.get("event") == "exit" and "lifecycle" in map(record.get, DIRECTION_KEYS):
        return (_exit(record, line),)
    return () if _is_header(record) or (tagged and not _is_flat(record, sender)) else None


def sender_of(word: str) -> Sender | None:
    """Return who sent what is marked with *word*, `None` if it is no direction that is known."""
    sender = WORDS.get(word)
    if sender is None:
        word = word.strip().lower().replace(" to ", "->").replace("\N{RIGHTWARDS ARROW}", "->")
        sender = WORDS.get(word.replace(" ", "").replace("_", ""))
    return sender


def _message_key(record: Json) -> str | None:
    """The key of the message; an object or array is preferred to text, and text to `null` (a line that was no JSON)."""
    found = None
    for key in MESSAGE_KEYS:
        if key in record:
            value = record[key]
            if isinstance(value, (dict, list)):
                return key
            if isinstance(value, str) or (value is None and found is None):
                found = key if found is None or record[found] is None else found
    return found


def _unwrap(record: Json, key: str, sender: Sender | None, tagged: bool, line: int | None, depth: int) -> Iterable[Item] | None:
    """Read the message under *key*; *tagged*: there is a direction word, known or not."""
    message = record[key]
    if "is_error" in record if key == "payload" else not tagged and "cursor" in record and "requestId" in record:
        return None  # a trace whose records are answers themselves, and the events of a journal: other dialects
    if isinstance(message, str):
        try:
            message = decode(message.encode("utf-8", "surrogatepass"), depth)
        except NotJsonError as error:
            return _no_json(message, error, sender, line) if tagged else None
    if sender is None and not _is_json_rpc(message):
        # What another channel says is none of the protocol's; an object of that kind is worth a word.
        return () if tagged and not isinstance(message, (dict, list)) else None
    if key == "payload" and not _may_be_message(message):
        return () if message is None else None
    if isinstance(message, list):
        return read_message(message, sender, time=_time(record), line=line)
    return (read_one(message, sender, False, _time(record), line),)


def _exit(record: dict[str, Json], line: int | None) -> Frame:
    told = {key: value for key, value in record.items() if key not in _OF_THE_RECORD}
    return Frame(None, "exit", UNSET, None, told, _time(record), line)


def _is_header(record: Json) -> bool:
    return "_provenance" in record or ("version" in record and "agent" in record)


def _is_flat(record: Json, sender: Sender | None) -> bool:
    """Whether a record without a message is one in a shape that is not ours, or has it elsewhere: silence would lose it."""
    marks = _FLAT if sender is None else _FLAT_ANSWER
    return any(mark in record for mark in marks) or any(map(jsonrpc.is_message, record.values()))


def _no_json(text: str, error: NotJsonError, sender: Sender | None, line: int | None) -> Iterable[Item]:
    if sender is None or not text.strip():
        return ()
    code = "too-deep" if isinstance(error, TooDeepError) else "not-json"
    return (Diagnostic(code, f"the message in the record: {excerpt(text)}: {error}", line),)


def _is_json_rpc(message: Json) -> bool:
    return jsonrpc.is_message(message) or (isinstance(message, list) and any(map(jsonrpc.is_message, message)))


def _may_be_message(value: Json) -> bool:
    """Whether *value* may be JSON-RPC: a wrapper's `payload` may also be params alone."""
    parts = value if isinstance(value, list) else [value]
    return any(isinstance(part, dict) and ("method" in part or "result" in part or "error" in part) for part in parts)


def _time(record: Json) -> float | None:
    if "t_ms" in record:
        return seconds(record["t_ms"], 1000)
    for key in TIME_KEYS:
        if key in record:
            value = record[key]
            return from_iso(value) if isinstance(value, str) else _from_number(value, whole_seconds=key == "t")
    return None


def _from_number(value: Json, *, whole_seconds: bool) -> float | None:
    for size, in_a_second in _UNITS:
        if seconds(value) is not None and value > size:
            return seconds(value, in_a_second)
    return seconds(value, 1000 if type(value) is int and not whole_seconds else 1)
