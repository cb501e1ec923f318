"""The official Python SDK (`agent-client-protocol`): a `Store` that follows one of its connections while it runs.

    from acp import spawn_agent_process
    from acp_state import Store
    from acp_state.contrib.acp_sdk import observer

    store = Store()
    async with spawn_agent_process(client, "my-agent", observers=[observer(store, "client")]) as (connection, process):
        ...
    store.snapshot.sessions

All that makes a connection of it takes `observers`: `connect_to_agent`, `run_agent`, `spawn_agent_process`,
`spawn_client_process`, `spawn_stdio_connection`; a bare `Connection` also has `add_observer`. Over pipes, sockets and
in memory they are told of each message in the order of the wire. Over HTTP an answer may be there before its
request is known to have arrived, which is when they are told of that; so there the transport is what to observe:

    connect_to_agent(client, observed(create_http_stream(url), store, "client"))

In both, *side* is the end that is observed: `"client"` if this program is the client, and so what it sends comes from
the client; `"agent"` if it is the agent. The store is fed in the thread of the event loop, and no more once it is
closed. The SDK tells nobody that a connection has ended: who wants that known closes the store.

Importing this module raises `ImportError` where the SDK is missing; the extra `acp-sdk` installs it.
"""

from __future__ import annotations

import json

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from ..errors import StoreClosedError
from ..frames import SENDERS, Sender, read_message
from ..store import Store


try:
    from acp.connection import StreamDirection, StreamEvent
except ImportError as error:
    msg = "acp_state.contrib.acp_sdk needs the official Python SDK of ACP: pip install 'acp-state[acp-sdk]'"
    raise ImportError(msg) from error


class Transport(Protocol):
    """What carries the messages of a connection, as the SDK has it: `receive` gives `None` at the end."""

    async def send(self, message: dict[str, Any], /) -> None:
        """Send a message; return once it has been."""

    async def receive(self) -> dict[str, Any] | None:
        """Wait for the next message."""

    async def close(self) -> None:
        """End it."""


def observer(store: Store, side: Sender) -> Callable[[StreamEvent], None]:
    """Return what tells *store* of every message of a connection, for the SDK's `observers`.

    Raises `ValueError` for another *side*.
    """
    ends = _Ends(store, side)

    def observe(event: StreamEvent) -> None:
        tell = ends.sent if event.direction is StreamDirection.OUTGOING else ends.received
        tell(event.message)

    return observe


def observed(transport: Transport, store: Store, side: Sender) -> Transport:
    """Return *transport* as it is, but that *store* is told of what goes through it: of a message that is sent just before it is.

    One that cannot be sent has been told then; a request stays open. Raises `ValueError` for another *side*.
    """
    return _Observed(transport, _Ends(store, side))


class _Ends:
    """Tells a store of what is sent and received at one end of a connection."""

    def __init__(self, store: Store, side: Sender) -> None:
        if side not in SENDERS:
            msg = f"a side is 'client' or 'agent', not {side!r}"
            raise ValueError(msg)
        self._store = store
        self._us: Sender = side
        self._them: Sender = "agent" if side == "client" else "client"

    def sent(self, message: Any) -> None:
        # A handler may return what only becomes JSON when it is written, such as tuples or numbers as keys.
        self._tell(json.loads(json.dumps(message, default=repr)), self._us)

    def received(self, message: Any) -> None:
        self._tell(message, self._them)

    def _tell(self, message: Any, sender: Sender) -> None:
        with suppress(StoreClosedError):
            for frame in read_message(message, sender):
                self._store.feed(frame)


class _Observed:
    def __init__(self, transport: Transport, ends: _Ends) -> None:
        self._transport = transport
        self._ends = ends

    async def send(self, message: dict[str, Any]) -> None:
        self._ends.sent(message)
        await self._transport.send(message)

    async def receive(self) -> dict[str, Any] | None:
        message = await self._transport.receive()
        if message is not None:
            self._ends.received(message)
        return message

    async def close(self) -> None:
        await self._transport.close()
