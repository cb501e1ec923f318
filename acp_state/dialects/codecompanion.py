"""The RPC log of codecompanion.nvim (`lua/codecompanion/acp/init.lua`; `new_response_file` of `utils/log.lua`).

    2026-01-01 10:00:00.125
    Sent:
    {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
    2026-01-01 10:00:00.250
    Received:
    {"jsonrpc":"2.0","id":1,"result":{}}

Before each message a line with the local time (without milliseconds in older versions) and one that
says which way it went, seen from the client. What an agent prints that is no JSON is not logged.
"""

from __future__ import annotations

from typing import Final

from .._patterns import lazy
from ._common import from_iso
from ._headed import Headed, Heading


_TIME: Final = rb"([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?)\r?"
_LABEL: Final = rb"(?:Sent|(Received)):\r?"
_HEADING: Final = lazy(_TIME + rb"\n" + _LABEL + rb"\n")


def _heading(text: bytes, position: int) -> Heading | None:
    found = _HEADING.match(text, position)
    if found is None:
        return None
    return Heading(found.end(), "agent" if found[2] else "client", from_iso(found[1].decode()))


DIALECT: Final = Headed(_heading, (lazy(_TIME + rb"\Z"), lazy(_LABEL + rb"\Z")))
