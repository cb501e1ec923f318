"""Events of what goes on in a session: turns, messages, tool calls, questions, terminals, files."""

from __future__ import annotations

from .._json import FrozenDict, Json
from .._model import UNSET, Patch, UnsetType
from ..state import (
    Elicitation,
    ExitStatus,
    Extension,
    FileRequest,
    JsonArray,
    JsonObject,
    Permission,
    Plan,
    RequestId,
    RequestKey,
)
from .base import ContentBlock, Fact, Location, Meta, ToolContent


# --- turns -----------------------------------------------------------------------------------------


class PromptSent(Fact, frozen=True):
    """The user's message, which begins a turn of its own."""

    session_id: str
    key: RequestKey
    id: RequestId
    content: tuple[ContentBlock, ...] = ()
    meta: Meta = None


class PromptAnswered(Fact, frozen=True):
    """The turn of a prompt is over: ended, or failed with *error*, or *cancelled* with one."""

    session_id: str
    key: RequestKey
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    failed: bool = False
    meta: Meta = None


class PromptQueued(Fact, frozen=True):
    """A prompt was sent; its message is in the timeline when the agent says so."""

    session_id: str
    key: RequestKey
    id: RequestId
    content: tuple[ContentBlock, ...] = ()
    meta: Meta = None


class PromptAccepted(Fact, frozen=True):
    """The agent took a prompt, as the message *message_id* if it said so."""

    session_id: str
    key: RequestKey
    message_id: str | None = None
    meta: Meta = None


class PromptRejected(Fact, frozen=True):
    """The agent refused a prompt."""

    session_id: str
    key: RequestKey
    error: Json


class PromptCancelAsked(Fact, frozen=True):
    """The client asked to cancel one prompt."""

    session_id: str
    key: RequestKey
    meta: JsonObject | None = None


class TurnOrphaned(Fact, frozen=True):
    """A turn ended whose prompt nobody saw."""

    session_id: str
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    failed: bool = False
    meta: Meta = None


class CancelAsked(Fact, frozen=True):
    """The client cancelled what a session is doing. *blocked_only*: its questions only while all waits for them."""

    session_id: str
    blocked_only: bool = False
    meta: Meta = None


class StateReported(Fact, frozen=True):
    """A session said what it is doing (schema `StateUpdate`)."""

    session_id: str
    state: str
    background: JsonArray | None = None
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    meta: Meta = None


# --- messages --------------------------------------------------------------------------------------


class MessageChunked(Fact, frozen=True):
    """A piece of a message arrived. *text* is that of a text block; *block* then is the block without it."""

    session_id: str
    role: str
    id: str | None
    block: FrozenDict
    text: str | None = None
    parent: str | None = None
    opens_turn: bool = False
    """Whether a new message of the user begins a turn if none is open."""


class MessagePatched(Fact, frozen=True):
    """A whole message (schema `UserMessage`, `AgentMessage`, `AgentThought`, `SessionMessage`)."""

    session_id: str
    role: str
    id: str
    content: Patch[tuple[ContentBlock, ...]] = UNSET
    sender_session_id: Patch[str] = UNSET
    recipient_session_id: Patch[str] = UNSET
    sender_message_id: Patch[str] = UNSET
    recipient_message_id: Patch[str] = UNSET
    parent: str | None = None
    opens_turn: bool = False
    meta: Patch[JsonObject] = UNSET


class CompactionPatched(Fact, frozen=True):
    """A context compaction (schema `CompactionUpdate`)."""

    session_id: str
    id: str
    status: str
    summary: Patch[tuple[ContentBlock, ...]] = UNSET
    error: Patch[str] = UNSET
    parent: str | None = None
    meta: Patch[JsonObject] = UNSET


class CompactionChunked(Fact, frozen=True):
    """A piece of a compaction's summary arrived."""

    session_id: str
    id: str
    block: FrozenDict
    text: str | None = None
    parent: str | None = None


# --- tool calls and plans --------------------------------------------------------------------------


class ToolCallPatched(Fact, frozen=True):
    """A tool call (schema `ToolCall`, `ToolCallUpdate`)."""

    session_id: str
    id: str
    title: Patch[str] = UNSET
    name: Patch[str] = UNSET
    kind: Patch[str] = UNSET
    status: Patch[str] = UNSET
    content: Patch[tuple[ToolContent, ...]] = UNSET
    locations: Patch[tuple[Location, ...]] = UNSET
    raw_input: Json | UnsetType = UNSET
    raw_output: Json | UnsetType = UNSET
    capabilities: Patch[JsonObject] = UNSET
    meta: Patch[JsonObject] = UNSET
    parent: str | None = None
    introduces: bool = False
    """Whether it is said to be new: then it is announced, and a finished one of an earlier turn is another."""
    announces: bool = True
    """Whether a first mention of this kind is in order."""
    final_stays: bool = False
    """Whether only another final status replaces a final one."""
    live: bool = False
    """Whether it came with a request, and so is no history, also during a load."""


class ToolContentChunked(Fact, frozen=True):
    """One more item of a tool call's content."""

    session_id: str
    id: str
    item: FrozenDict
    parent: str | None = None


class ToolCallCancelAsked(Fact, frozen=True):
    """The client asked to cancel a tool call."""

    session_id: str
    id: str


class PlanReplaced(Fact, frozen=True):
    """A plan, whole."""

    session_id: str
    plan: Plan


class PlanRemoved(Fact, frozen=True):
    """A plan is no more."""

    session_id: str
    id: str
    meta: Meta = None


# --- questions: permissions and elicitations -------------------------------------------------------


class PermissionAsked(Fact, frozen=True):
    """The agent asked whether it may."""

    session_id: str
    key: RequestKey
    permission: Permission


class PermissionAnswered(Fact, frozen=True):
    """The client answered: *status* `selected`, `cancelled`, `failed` or `invalid`."""

    session_id: str
    key: RequestKey
    status: str
    option_id: str | None = None
    answer: Json | UnsetType = UNSET
    kept: Json | UnsetType = UNSET
    """The answer, to be kept if the option was not offered."""
    error: Json | None = None
    meta: Meta = None


class ElicitationAsked(Fact, frozen=True):
    """The agent asked the user something. Without *session_id* it concerns a request."""

    session_id: str | None
    key: RequestKey
    elicitation: Elicitation


class ElicitationAnswered(Fact, frozen=True):
    """The client answered: *status* `accepted`, `declined`, `cancelled`, `failed` or `invalid`."""

    session_id: str | None
    key: RequestKey
    status: str
    content: JsonObject | None = None
    answer: Json | UnsetType = UNSET
    error: Json | None = None
    meta: Meta = None


class ElicitationCompleted(Fact, frozen=True):
    """What the user was sent to a URL for is done."""

    session_id: str | None
    elicitation_id: str
    meta: Meta = None


class QuestionWithdrawn(Fact, frozen=True):
    """The agent cancelled its question; the client still owes an answer."""

    session_id: str | None
    key: RequestKey
    meta: JsonObject | None = None


class QuestionLapsed(Fact, frozen=True):
    """Nobody will see an answer to this question any more."""

    session_id: str | None
    key: RequestKey


# --- terminals, files, extensions ------------------------------------------------------------------


class TerminalPatched(Fact, frozen=True):
    """A terminal (schema `TerminalUpdate`, and what v1 says in requests and answers)."""

    session_id: str
    id: str
    owner: str
    command: Patch[str] = UNSET
    args: Patch[tuple[str, ...]] = UNSET
    cwd: Patch[str] = UNSET
    size: Patch[JsonObject] = UNSET
    capabilities: Patch[JsonObject] = UNSET
    output: Patch[bytes] = UNSET
    output_meta: Meta = None
    truncated: bool | UnsetType = UNSET
    exit_status: Patch[ExitStatus] = UNSET
    killed: bool = False
    released: bool = False
    renews: bool = False
    """Whether this is a new terminal, whatever its id was before."""
    creates: bool = True
    """Whether an unknown terminal is known from now on."""
    meta: Patch[JsonObject] = UNSET
    live: bool = False
    """As of a tool call: whether it came with a request."""


class TerminalOutputAppended(Fact, frozen=True):
    """A terminal printed something. *cumulative*: maybe all of it once more (SPEC 4.7)."""

    session_id: str
    id: str
    owner: str
    data: bytes
    cumulative: bool = False
    meta: Meta = None
    live: bool = False
    """As of a tool call: whether it came with a request."""


class TerminalCancelAsked(Fact, frozen=True):
    """The client asked to cancel a terminal."""

    session_id: str
    id: str


class FileAsked(Fact, frozen=True):
    """The agent asked the client to read or write a file."""

    session_id: str
    key: RequestKey
    file: FileRequest


class FileAnswered(Fact, frozen=True):
    """The client did (*status* `answered`), or did not (`failed`, `cancelled`)."""

    session_id: str
    key: RequestKey
    status: str
    meta: Meta = None


class ExtensionSent(Fact, frozen=True):
    """A request or notification that this protocol does not know, or that says nothing of a session."""

    session_id: str | None
    key: tuple[str, RequestKey] | None
    extension: Extension


class ExtensionAnswered(Fact, frozen=True):
    """An extension request was answered: *status* `answered`, `failed` or `cancelled`."""

    session_id: str | None
    key: tuple[str, RequestKey]
    status: str
    result: Json | UnsetType = UNSET
    error: Json | None = None
