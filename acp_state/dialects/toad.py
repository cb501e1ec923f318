"""Toad's log of a connection, the file that `toad acp` writes for each agent (`src/toad/acp/agent.py`, `Agent.log`).

    [client] {'jsonrpc': '2.0', 'method': 'session/cancel', 'params': {'sessionId': 's'}}
    [agent] {"jsonrpc": "2.0", "id": 1, "result": {}}

What the agent sent is there as it came; what Toad sent is Python's `repr` of it, and of that only
its requests and notifications: its answers are not logged, so permissions stay without one. A line
with `[error]` says that something of the agent could not be read, which is lost.
"""

from __future__ import annotations

from typing import Final

from .._patterns import lazy
from ._headed import Headed, Heading


_HEADING: Final = lazy(rb"\[(?:client|(agent))\] (?=[{\[])")


def _heading(text: bytes, position: int) -> Heading | None:
    found = _HEADING.match(text, position)
    if found is None:
        return None
    return Heading(found.end(), "agent") if found[1] else Heading(found.end(), "client", literal=True)


DIALECT: Final = Headed(_heading)
