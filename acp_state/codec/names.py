"""What the model's classes and their attributes are called in a document, in which order, and what is always there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .. import state as s
from .._model import names_of


_RENAMED: Final = {"from_": "from", "meta": "_meta"}

ALWAYS: Final[Mapping[type, frozenset[str]]] = {
    s.Message: frozenset(("role", "id", "content")),
    s.ToolCall: frozenset(("id", "title", "kind", "status", "content")),
    s.Permission: frozenset(("id", "status")),
    s.Elicitation: frozenset(("id", "status")),
    s.Compaction: frozenset(("id", "status", "content")),
    s.Turn: frozenset(("status",)),
    s.ConfigGroup: frozenset(("options",)),
    s.Plan: frozenset(("id", "type")),
    s.Session: frozenset(("id", "phase", "timeline")),
    s.Connection: frozenset(("phase",)),
    s.PromptRef: frozenset(("request_id",)),
    s.PendingPrompt: frozenset(("request_id", "content")),
    s.FileRequest: frozenset(("operation", "status")),
    s.OpenRequest: frozenset(("from_", "id", "method")),
}
"""What is printed whether or not it was told."""

ENTRIES: Final[tuple[type, ...]] = (
    s.Message,
    s.ToolCall,
    s.Permission,
    s.Elicitation,
    s.Compaction,
)
"""What stands in a timeline; each is printed with its `type`."""

SEALABLE: Final = frozenset((s.Message, s.Compaction))

SESSION_ORDER: Final = (
    "id",
    "phase",
    "cwd",
    "additional_directories",
    "forked_from",
    "title",
    "updated_at",
    "error",
    "archived",
    "status",
    "parent",
    "subagents",
    "activity",
    "stop_reason",
    "replaying",
    "background",
    "modes",
    "models",
    "config_options",
    "available_commands",
    "usage",
    "plans",
    "turns",
    "pending_prompts",
    "timeline",
    "terminals",
    "notices",
    "files",
    "unknown_updates",
    "extensions",
    "before",
    "meta",
)

KNOWN_VARIANTS: Final[Mapping[type, tuple[str, frozenset[str | None], tuple[str, ...]]]] = {
    s.Plan: ("type", frozenset(("items", "markdown", "file")), ("id", "type", "meta")),
    s.ConfigOption: (
        "type",
        frozenset(("select", "boolean")),
        ("id", "name", "description", "category", "type", "current_value", "meta"),
    ),
    s.Command: (
        "type",
        frozenset((None, "command")),
        ("type", "name", "description", "meta"),
    ),
    s.CommandInput: ("type", frozenset((None, "text")), ("type", "meta")),
    s.AuthMethod: (
        "type",
        frozenset((None, "agent", "terminal")),
        ("id", "type", "name", "description", "meta"),
    ),
    s.Elicitation: (
        "mode",
        frozenset((None, "form", "url")),
        tuple(name for name in names_of(s.Elicitation) if name != "extra"),
    ),
}
"""Unions: their tag, the variants that are modelled, and what is modelled of one that is not; the rest is as sent."""


def wire_name(attribute: str) -> str:
    """Return what *attribute* is called in the document."""
    if attribute in _RENAMED:
        return _RENAMED[attribute]
    head, *rest = attribute.split("_")
    return head + "".join(part.capitalize() for part in rest)


def printed(cls: type) -> tuple[str, ...]:
    """Return the attributes of *cls* that are printed, in order."""
    if cls is s.Session:
        return SESSION_ORDER
    return tuple(name for name in names_of(cls) if not name.startswith("_") and name != "extra")
