"""Traces of the Rust SDK's conductor, `--trace FILE.jsons`: `src/agent-client-protocol-conductor/src/trace.rs` of `rust-sdk`.

    {"type":"request","ts":0.5,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"session/new","params":{}}
    {"type":"response","ts":0.6,"from":"Agent","to":"Client","id":1,"is_error":false,"payload":{"sessionId":"s"}}

The conductor stands between a client, a chain of proxies and an agent, and traces what goes over
each link. A session is what the client sees of it: what it sent, and what came to it. With proxies
that is what came to the first one, since what that sends on to the client is not traced: what the
first proxy changes or adds on that way is not seen. The other links say the same again, with other
ids, and are passed over. `_proxy/initialize` is `initialize`; what was MCP is an `mcp/message` again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._json import Json
from .._model import UNSET, UnsetType
from ..frames import Frame, Kind, Sender, invalid
from ._common import seconds


CLIENT: Final = frozenset(("Client", "client"))
FIRST: Final = frozenset(("Proxy(0)", "proxy:0"))
"""The names of the client and of the proxy next to it; the lower case is that of older versions."""

INITIALIZE: Final = ("_proxy/initialize", "proxy/initialize")
MCP: Final = "mcp/message"


def read(record: Json, line: int | None, _depth: int) -> Iterable[Frame] | None:
    """Read a record with `ts`, `from`, `to` and one of the three types."""
    if not isinstance(record, dict) or "to" not in record or "ts" not in record:
        return None
    type_, from_, to = record.get("type"), record.get("from"), record["to"]
    if not isinstance(from_, str) or not isinstance(to, str):
        return None
    if type_ == "response" and "payload" in record:
        sender: Sender | None = "agent" if to in CLIENT else "client" if from_ in CLIENT or from_ in FIRST else None
    elif type_ in ("request", "notification") and isinstance(record.get("method"), str):
        sender = "client" if from_ in CLIENT else "agent" if to in CLIENT or to in FIRST else None
    else:
        return None
    return () if sender is None else (_frame(record, type_ == "response", sender, line),)


def _frame(record: Json, answer: bool, sender: Sender, line: int | None) -> Frame:
    time, id_ = seconds(record["ts"]), record.get("id", UNSET)
    if isinstance(id_, (dict, list)):
        return invalid("an id that is an object or an array", sender, time, line)
    if answer:
        kind: Kind = "error" if record.get("is_error") is True else "response"
        return Frame(sender, kind, id_, None, record["payload"], time, line)
    method, params = _call(record)
    if record["type"] == "notification":
        return Frame(sender, "notification", UNSET, method, params, time, line)
    return Frame(sender, "request", id_, method, params, time, line)


def _call(record: Json) -> tuple[str, Json | UnsetType]:
    method, params = record["method"], record.get("params")
    if record.get("protocol") == "mcp":
        return MCP, {"method": method, "params": params}
    return "initialize" if method in INITIALIZE else method, UNSET if params is None else params
