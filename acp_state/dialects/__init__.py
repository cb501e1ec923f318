"""The recording formats that can be read, one small file each (SPEC 3).

A dialect is a function from a record (a decoded JSON value), its line number and the limit of
nesting to what the record says: frames and diagnostics, none for a header. It returns `None` for a
record that is not its own. It never raises, whatever the types. Only these files name vendors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import acp_state_, jsonrpc, replay, sdk_calls, snapshot, tagged, updates
from ._common import ABSOLUTE, Dialect, Item, not_a_frame


DIALECTS: Final[Mapping[str, Dialect]] = {
    "jsonrpc": jsonrpc.read,
    "acp-state": acp_state_.read,
    "tagged": tagged.read,
    "replay": replay.read,
    "snapshot": snapshot.read,
    "sdk-calls": sdk_calls.read,
    "updates": updates.read,
}
"""In the order in which they are asked: the first whose own a record is reads it."""

__all__ = ["ABSOLUTE", "DIALECTS", "Dialect", "Item", "not_a_frame"]
