"""The recording formats that can be read, one small file each (SPEC 3).

A dialect is a function from a record (a decoded JSON value), its line number and the limit of
nesting to what the record says: frames and diagnostics, none for a header. It returns `None` for a
record that is not its own. It never raises, whatever the types. A dialect of text (`HEADED`) finds
the heading that stands before a message. Only these files name vendors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import (
    acp_el,
    acp_state_,
    acpx,
    codecompanion,
    conductor,
    jetbrains,
    jsonrpc,
    replay,
    sdk_calls,
    snapshot,
    tagged,
    toad,
    updates,
    zed,
)
from ._common import ABSOLUTE, Dialect, Item, not_a_frame
from ._headed import Headed, Heading, literal_as_json, literal_is_begun
from .acp_state_ import A_STATE


LISP: Final = "acp-el"
"""The dialect whose records are Lisp data and no JSON."""

DIALECTS: Final[Mapping[str, Dialect]] = {
    "jsonrpc": jsonrpc.read,
    "acp-state": acp_state_.read,
    "tagged": tagged.read,
    "replay": replay.read,
    "snapshot": snapshot.read,
    "sdk-calls": sdk_calls.read,
    "updates": updates.read,
    "zed": zed.read,
    "acpx": acpx.read,
    "conductor": conductor.read,
    LISP: acp_el.read,
}
"""In the order in which they are asked: the first whose own a record is reads it."""

HEADED: Final[Mapping[str, Headed]] = {
    "codecompanion": codecompanion.DIALECT,
    "jetbrains": jetbrains.DIALECT,
    "toad": toad.DIALECT,
}
"""Asked about lines that are no JSON."""

NAMES: Final = (*DIALECTS, *HEADED)
"""The names of all dialects."""

__all__ = [
    "ABSOLUTE",
    "A_STATE",
    "DIALECTS",
    "HEADED",
    "LISP",
    "NAMES",
    "Dialect",
    "Headed",
    "Heading",
    "Item",
    "literal_as_json",
    "literal_is_begun",
    "not_a_frame",
]
