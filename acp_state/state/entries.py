"""What stands in a session's timeline: messages, tool calls, permissions, elicitations, compactions.

Here are also the names that all parts of the state share.
"""

from __future__ import annotations

from typing import ClassVar, Final, TypeAlias

from .._json import FrozenDict, FrozenList, Json
from .._model import UNSET, Entity, UnsetType
from ..containers import EMPTY_CONTENT, Content
from ..protocol.objects import PermissionOption


RequestId: TypeAlias = Json
"""A JSON-RPC id as sent; `None` where the recording has none."""

RequestKey: TypeAlias = object
"""What a request is found by: its id with its JSON type, or a number where there is no id."""

JsonObject: TypeAlias = FrozenDict
JsonArray: TypeAlias = FrozenList

FINAL_STATUSES: Final = frozenset(("completed", "failed", "cancelled"))
"""The statuses of a tool call after which no more is expected (schema `ToolCallStatus`)."""

EMPTY_ARRAY: Final = FrozenList()


class Message(Entity, frozen=True, eq=False):
    """A message or thought (schema `ContentChunk`, `UserMessage`, `AgentMessage`, `AgentThought`, `SessionMessage`)."""

    type: ClassVar[str] = "message"

    role: str
    """`user`, `agent`, `thought` or `session`."""
    id: str | None = None
    turn: int | None = None
    parent: str | None = None
    historical: bool = False
    content: Content = EMPTY_CONTENT
    sender_session_id: str | None = None
    recipient_session_id: str | None = None
    sender_message_id: str | None = None
    recipient_message_id: str | None = None
    meta: JsonObject | None = None

    @property
    def sealed(self) -> bool:
        """Whether a text chunk begins a new block: the last block is text that came in no chunk."""
        return self.content.sealed

    @property
    def text(self) -> str:
        """The text of all text blocks, joined."""
        return self.content.text


class ToolCall(Entity, frozen=True, eq=False):
    """A tool call (schema `ToolCall`, `ToolCallUpdate`)."""

    type: ClassVar[str] = "tool_call"

    id: str
    turn: int | None = None
    parent: str | None = None
    historical: bool = False
    title: str | None = None
    name: str | None = None
    kind: str = "other"
    status: str = "pending"
    content: Content = EMPTY_CONTENT
    locations: JsonArray | None = None
    raw_input: Json | UnsetType = UNSET
    raw_output: Json | UnsetType = UNSET
    unannounced: bool = False
    unresolved: bool = False
    cancelled_by_client: bool = False
    cancel_requested: bool = False
    capabilities: JsonObject | None = None
    meta: JsonObject | None = None
    _final_since: int = 0
    """The history's epoch when the status became final."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(("_final_since",))

    @property
    def final(self) -> bool:
        """Whether the status is one after which no more is expected."""
        return self.status in FINAL_STATUSES


class Permission(Entity, frozen=True, eq=False):
    """A permission request and what became of it (schema `RequestPermissionRequest`)."""

    type: ClassVar[str] = "permission"

    id: RequestId = None
    turn: int | None = None
    parent: str | None = None
    tool_call_id: str | None = None
    title: str | None = None
    description: str | None = None
    subject: JsonObject | None = None
    options: tuple[PermissionOption, ...] | None = None
    status: str = "pending"
    """`pending`, `selected`, `cancelled`, `failed`, `invalid` or `unanswered`."""
    option_id: str | None = None
    decision: str | None = None
    answer_owed: bool = False
    answer: Json | UnsetType = UNSET
    error: Json | None = None
    meta: JsonObject | None = None


class Elicitation(Entity, frozen=True, eq=False):
    """A question to the user and its answer (schema `CreateElicitationRequest`)."""

    type: ClassVar[str] = "elicitation"

    id: RequestId = None
    turn: int | None = None
    tool_call_id: str | None = None
    request_id: RequestId | UnsetType = UNSET
    mode: str | None = None
    message: str | None = None
    requested_schema: Json | UnsetType = UNSET
    url: str | None = None
    elicitation_id: str | None = None
    status: str = "pending"
    """`pending`, `accepted`, `declined`, `cancelled`, `failed`, `invalid` or `unanswered`."""
    content: JsonObject | None = None
    completed: bool = False
    answer_owed: bool = False
    answer: Json | UnsetType = UNSET
    error: Json | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None
    """What an unknown mode has besides."""


class Compaction(Entity, frozen=True, eq=False):
    """A context compaction (schema `CompactionUpdate`)."""

    type: ClassVar[str] = "compaction"

    id: str
    turn: int | None = None
    parent: str | None = None
    historical: bool = False
    status: str = "in_progress"
    content: Content = EMPTY_CONTENT
    error: str | None = None
    meta: JsonObject | None = None

    @property
    def sealed(self) -> bool:
        """Whether a text chunk begins a new block."""
        return self.content.sealed


Entry: TypeAlias = Message | ToolCall | Permission | Elicitation | Compaction
Request: TypeAlias = Permission | Elicitation
