"""What vendors do that the protocol does not say: the only place here that knows any.

Each entry cites what was seen. Take one out, and exactly its golden case fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .._json import FrozenDict, Json


PARENT_LINKS: Final[tuple[tuple[str, ...], ...]] = (
    (
        "claudeCode",
        "parentToolUseId",
    ),  # claude-agent-acp: messages and calls of a subagent in its parent's session
    ("claudeCode", "parentToolCallId"),
    ("parentToolUseId",),
    ("parentToolCallId",),
)
"""Where `_meta` says of which tool call an entry is a part."""


def parent_link(meta: Json) -> str | None:
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


TERMINAL_KEYS: Final = frozenset(("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"))
"""The `_meta` keys of a tool call that show a terminal which nobody runs by the protocol (SPEC 4.7).

Seen in claude-agent-acp and codex-acp; the latter chooses the key by the client's `_meta.terminal_output`.
"""


def without_terminal(meta: FrozenDict) -> FrozenDict | None:
    """Return *meta* without the keys that are folded into a terminal."""
    rest = {key: value for key, value in meta.items() if key not in TERMINAL_KEYS}
    return FrozenDict(rest) if rest else None


NESTED_ACTION: Final = "session/elicitation"
"""The older method whose answer nests the action: `{"action": {"action": "accept", ...}}` (seen from T3 Code)."""
