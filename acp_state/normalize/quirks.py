"""What vendors do that the protocol does not say: the only place here that knows any.

Each entry cites what was seen. Take one out, and exactly its golden case fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .._json import FrozenDict, Json
from ..protocol.marks import BareObject, Lenient


PARENT_LINKS: Final[tuple[tuple[str, ...], ...]] = (
    ("claudeCode", "parentToolUseId"),  # claude-agent-acp: messages and calls of a subagent in its parent's session
    ("claudeCode", "parentToolCallId"),
    ("parentToolUseId",),
    ("parentToolCallId",),
)
"""Where `_meta` says of which tool call an entry is a part."""


def find_parent(meta: Json) -> str | None:
    """Return the id of the tool call that an entry is a part of, as its `_meta` says."""
    if not meta:
        return None
    for path in PARENT_LINKS:
        value = meta
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        if type(value) is str:
            return value
    return None


# --- terminals in `_meta` (SPEC 4.7) ---------------------------------------------------------------
# Seen in claude-agent-acp and codex-acp; the latter chooses the member by the client's `_meta.terminal_output`.


class Display(BareObject, frozen=True, rename=None):
    """A member of a tool call's `_meta` that shows a terminal (SPEC 4.7)."""

    terminal_id: str


class DisplayInfo(Display, frozen=True, rename=None):
    """A terminal exists (`terminal_info`)."""

    cwd: Lenient[str] = None


class DisplayOutput(Display, frozen=True, rename=None):
    """Output of a terminal (`terminal_output`, `terminal_output_delta`)."""

    data: str


class DisplayExit(Display, frozen=True, rename=None):
    """The exit of a terminal's command (`terminal_exit`)."""

    exit_code: Lenient[int] = None
    signal: Lenient[str] = None


DISPLAYS: Final[Mapping[str, type[Display]]] = {
    "terminal_info": DisplayInfo,
    "terminal_output": DisplayOutput,
    "terminal_output_delta": DisplayOutput,
    "terminal_exit": DisplayExit,
}
"""The members of a tool call's `_meta` that show a display terminal (SPEC 4.7)."""


def shows_terminal(meta: Json) -> bool:
    """Whether the `_meta` of a tool call shows a terminal."""
    return bool(meta) and not DISPLAYS.keys().isdisjoint(meta)


def without_terminals(meta: FrozenDict) -> FrozenDict | None:
    """Return the `_meta` of a tool call without the members that are folded into a terminal."""
    return FrozenDict({key: value for key, value in meta.items() if key not in DISPLAYS}) or None


# --- questions -------------------------------------------------------------------------------------

NESTED_ACTION: Final = "session/elicitation"
"""The older method whose answer nests the action: `{"action": {"action": "accept", ...}}` (seen from T3 Code)."""
