"""The methods of the protocol: who sends them and whether an answer is due.

Both versions, stable and draft, and what earlier drafts called them (the schemas' `x-method` and
`x-side`; `x-side` names the receiver).
"""

from __future__ import annotations

from typing import Final


CLIENT_REQUESTS: Final = frozenset(
    (
        "initialize",
        "authenticate",
        "auth/login",
        "logout",
        "auth/logout",
        "auth/status",
        "session/new",
        "session/load",
        "session/resume",
        "session/fork",
        "session/list",
        "session/delete",
        "session/close",
        "session/archive",
        "session/unarchive",
        "session/status",
        "session/set_title",
        "session/set_mode",
        "session/set_model",
        "session/set_config_option",
        "session/prompt",
        "tool_call/cancel",
        "terminal/cancel",
        "providers/list",
        "providers/set",
        "providers/disable",
        "proxy/initialize",
        "proxy/successor",
    )
)

AGENT_REQUESTS: Final = frozenset(
    (
        "session/request_permission",
        "elicitation/create",
        "session/elicitation",
        "fs/read_text_file",
        "fs/write_text_file",
        "terminal/create",
        "terminal/output",
        "terminal/release",
        "terminal/wait_for_exit",
        "terminal/kill",
        "mcp/message",
    )
)

CLIENT_NOTIFICATIONS: Final = frozenset(("session/cancel",))

AGENT_NOTIFICATIONS: Final = frozenset(("session/update", "elicitation/complete", "auth/status_update"))

EITHER: Final = frozenset(("mcp/message", "proxy/successor"))
"""A request with an id, a notification without one."""

REQUESTS: Final = (CLIENT_REQUESTS | AGENT_REQUESTS) - EITHER
"""The methods that demand an answer also where the recording has no ids."""

CANCEL_REQUEST: Final = "$/cancel_request"
"""Sent by either side."""


def sender_of(method: str) -> str | None:
    """Return the side that sends *method*, `None` if both do or nobody knows."""
    if method in CLIENT_REQUESTS or method in CLIENT_NOTIFICATIONS:
        return "client"
    if method in AGENT_NOTIFICATIONS or method in AGENT_REQUESTS:
        return "agent"
    return None
