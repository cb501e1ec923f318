"""The official Python SDK (`agent-client-protocol`): a `Store` that follows one of its connections while it runs.

    from acp import spawn_agent_process
    from acp_state import Store
    from acp_state.contrib.acp_sdk import observer

    store = Store()
    async with spawn_agent_process(client, "my-agent", observers=[observer(store, "client")]) as (connection, process):
        ...
    store.snapshot.sessions

The SDK calls its observers with each message that it has received or sent, in the order of the wire.
All that makes a connection of it takes `observers`: `connect_to_agent`, `run_agent`, `spawn_agent_process`,
`spawn_client_process`, `spawn_stdio_connection`; a bare `Connection` also has `add_observer`.

Importing this module raises `ImportError` where the SDK is missing; the extra `acp-sdk` installs it.
"""

from __future__ import annotations

import json

from collections.abc import Callable
from contextlib import suppress

from ..errors import StoreClosedError
from ..frames import SENDERS, Sender, read_message
from ..store import Store


try:
    from acp.connection import StreamDirection, StreamEvent
except ImportError as error:
    msg = "acp_state.contrib.acp_sdk needs the official Python SDK of ACP: pip install 'acp-state[acp-sdk]'"
    raise ImportError(msg) from error


def observer(store: Store, side: Sender) -> Callable[[StreamEvent], None]:
    """Return what tells *store* of every message of a connection, for the SDK's `observers`.

    *side* is the end that is observed: `"client"` if this program is the client and what it sends comes
    from the client, `"agent"` if it is the agent. The store is fed in the event loop's thread; once it is
    closed, it is told no more. The SDK does not tell its observers that a connection has ended.

    Raises `ValueError` for another *side*.
    """
    if side not in SENDERS:
        msg = f"a side is 'client' or 'agent', not {side!r}"
        raise ValueError(msg)

    other: Sender = "agent" if side == "client" else "client"

    def observe(event: StreamEvent) -> None:
        outgoing = event.direction is StreamDirection.OUTGOING
        # A handler may return what only becomes JSON when it is written, such as tuples or numbers as keys.
        message = json.loads(json.dumps(event.message, default=repr)) if outgoing else event.message
        with suppress(StoreClosedError):
            for frame in read_message(message, side if outgoing else other):
                store.feed(frame)

    return observe
