"""Traffic that acp.el saves from its traffic buffer (`acp-traffic-save-to` of `acp-traffic.el`): one Lisp list.

    (((:direction . outgoing) (:kind . request)
      (:object (jsonrpc . "2.0") (method . "session/new") (id . 1) (params (cwd . "/w") (mcpServers . [])))))

`outgoing` is from the client. Lossy: `null`, `false` and `{}` from the agent all print as `nil`, which
is read as `null`, and as `{}` where an object must stand. The buffer keeps some thousand entries, so
a long recording lacks its beginning.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._json import Json
from ..frames import Frame, Sender, invalid, read_one


_SENDERS: Final[dict[str, Sender]] = {"incoming": "agent", "outgoing": "client"}
_PARAMS: Final = "params"


def read(record: Json, line: int | None, _depth: int) -> Iterable[Frame] | None:
    """Read an entry: `:direction`, `:kind` and `:object`."""
    if not isinstance(record, dict) or ":object" not in record:
        return None
    direction, message = record.get(":direction"), record[":object"]
    sender = _SENDERS.get(direction) if isinstance(direction, str) else None
    if not isinstance(message, dict):
        return (invalid("a message that is no object", sender, line=line),)
    if message.get(_PARAMS, _PARAMS) is None:
        message = {**message, _PARAMS: {}}
    return (read_one(message, sender, record.get(":kind") == "request", None, line),)
