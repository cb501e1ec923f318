"""The transport log of JetBrains' IDEs, `acp-transport.log`, as `anna239/acp-replay` replays it (`replay_agent.py`).

    2026-01-01 10:00:00,000 [    34]   FINE - AcpTransport - OUT: {"id":1,"method":"initialize","params":{},"jsonrpc":"2.0"}
    2026-01-01 10:00:00,100 [   134]   FINE - AcpTransport - IN: {"jsonrpc":"2.0","id":1,"result":{}}

`OUT` is from the client, `IN` from the agent. Times are local, so they count from the first one only.
"""

from __future__ import annotations

from typing import Final

from .._patterns import lazy
from ._common import from_iso
from ._headed import Headed, Heading


_HEADING: Final = lazy(
    rb"([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}[,.][0-9]{3}) \[ *[0-9]+\] +[A-Z]+ - [^ ]*AcpTransport - (?:OUT|(IN)): *"
)


def _heading(text: bytes, position: int) -> Heading | None:
    found = _HEADING.match(text, position)
    if found is None:
        return None
    time = from_iso(found[1].decode().replace(",", "."))
    return Heading(found.end(), "agent" if found[2] else "client", time)


DIALECT: Final = Headed(_heading)
