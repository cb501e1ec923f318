"""Events: what happened, free of protocol versions, vendors and JSON-RPC.

The normalizer makes them, the reducer folds them. Each is a fact in the past. A rule that differs
between versions is a field of the event, not a version. `session_id` is the session that it is
about; *key* finds a request (its id with its JSON type, or a number where the recording has no
ids). Dispatch is on the exact type: do not subclass.
"""

from __future__ import annotations

from typing import NewType, TypeAlias

from ._json import FrozenDict, Json
from ._model import UNSET, Patch, Unset, frozen
from .state import (
    Auth,
    AuthMethod,
    Command,
    ConfigOption,
    Cost,
    Elicitation,
    ExitStatus,
    Extension,
    FileRequest,
    Implementation,
    JsonArray,
    JsonObject,
    ListedSession,
    Mode,
    Notice,
    OpenRequest,
    Permission,
    Plan,
    RequestId,
    RequestKey,
)


ContentBlock = NewType("ContentBlock", FrozenDict)
"""A content block as sent (schema `ContentBlock`)."""

ToolContent = NewType("ToolContent", FrozenDict)
"""An item that a tool call produced, as sent (schema `ToolCallContent`)."""

Location = NewType("Location", FrozenDict)
"""A place that a tool call works on, as sent (schema `ToolCallLocation`)."""

Meta: TypeAlias = JsonObject | None


# --- connection ------------------------------------------------------------------------------------


@frozen
class Connecting:
    """The client asked for a connection. *renewed*: it had one before, of which nothing goes on."""

    renewed: bool = False
    requested_version: Json | None = None
    client: Implementation | None = None
    capabilities: JsonObject | None = None
    meta: Meta = None


@frozen
class Connected:
    """The agent agreed. *version* is the one that it is read as."""

    version: int
    agent: Implementation | None = None
    capabilities: JsonObject | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    meta: Meta = None


@frozen
class ConnectFailed:
    """The agent refused, or its answer could not be read (then there is no *error*)."""

    error: Json | None = None
    agent: Implementation | None = None
    capabilities: JsonObject | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    meta: Meta = None


@frozen
class ActivityRuleChanged:
    """From now on a session's activity follows from its prompts and requests, or it does not."""

    derives: bool


@frozen
class Authenticated:
    """The agent accepted a way to authenticate."""

    method_id: str | None
    meta: Meta = None


@frozen
class LoggedOut:
    """The agent forgot who the user is."""

    meta: Meta = None


@frozen
class AuthReported:
    """The agent said whether it is authenticated, and as whom."""

    auth: Auth
    meta: Meta = None


@frozen
class SessionsListed:
    """The agent listed the sessions that it keeps; *append*: these are the next ones of the list."""

    sessions: tuple[ListedSession, ...] | None
    next_cursor: str | None = None
    append: bool = False
    meta: Meta = None


@frozen
class RequestOpened:
    """A request was sent. *names_session*: a session of that id is known from now on."""

    key: tuple[str, RequestKey]
    request: OpenRequest
    names_session: bool = False


@frozen
class RequestClosed:
    """A request was answered, or nobody waits for its answer any more."""

    key: tuple[str, RequestKey]


@frozen
class Exited:
    """The agent's process ended, or the recording says that the connection did."""

    exit: JsonObject


@frozen
class ConnectionMetaSent:
    """A frame that concerns the connection had `_meta`."""

    meta: JsonObject


# --- sessions --------------------------------------------------------------------------------------


@frozen
class SessionSetupAsked:
    """A session was asked for by its id. *scope*: `start` and `cursor` bring history, `none` does not."""

    session_id: str
    scope: str = "none"
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    meta: Meta = None


@frozen
class SessionReady:
    """A session can be used.

    *newest*: it is the load or resume that was asked last. *fresh*: it is new and idle. *complete*: a list that is not here is empty, unless it was updated
    since setup was asked. *orphan*: nobody saw the question; all so far was history.
    """

    session_id: str
    newest: bool = False
    cwd: Patch[str] = UNSET
    additional_directories: Patch[tuple[str, ...]] = UNSET
    forked_from: str | None = None
    current_mode_id: str | None = None
    available_modes: tuple[Mode, ...] | None = None
    modes_meta: Meta = None
    current_model_id: str | None = None
    available_models: tuple[Mode, ...] | None = None
    models_meta: Meta = None
    config_options: tuple[ConfigOption, ...] | None = None
    available_commands: tuple[Command, ...] | None = None
    fresh: bool = False
    complete: bool = False
    orphan: bool = False
    meta: Meta = None


@frozen
class SessionSetupFailed:
    """A session could not be had; without *error* nobody will ever say."""

    session_id: str
    error: Json | None = None
    newest: bool = True


@frozen
class SessionEndAsked:
    """The client asked to close or archive a session."""

    session_id: str
    meta: Meta = None


@frozen
class SessionEnded:
    """A session is closed or deleted (*phase*)."""

    session_id: str
    phase: str
    archived: bool = False
    meta: Meta = None


@frozen
class SessionUnarchived:
    """A session is in the agent's list again."""

    session_id: str
    meta: Meta = None


@frozen
class SessionStatusReported:
    """The agent said whether it has a session in memory, and what it is doing."""

    session_id: str
    status: str | None = None
    state: str | None = None
    background: JsonArray | None = None
    meta: Meta = None


@frozen
class TitleStored:
    """The agent stored a title that the client wanted."""

    session_id: str
    title: str | None
    meta: Meta = None


@frozen
class InfoPatched:
    """A session's title or time changed (schema `SessionInfoUpdate`)."""

    session_id: str
    title: Patch[str] = UNSET
    updated_at: Patch[str] = UNSET
    meta: Patch[JsonObject] = UNSET


@frozen
class ModeChosen:
    """A session is in another mode."""

    session_id: str
    mode_id: str
    meta: Meta = None


@frozen
class ModelChosen:
    """A session uses another model."""

    session_id: str
    model_id: str
    meta: Meta = None


@frozen
class ConfigReplaced:
    """A session's settings, all of them."""

    session_id: str
    options: tuple[ConfigOption, ...] | None
    meta: Meta = None


@frozen
class CommandsReplaced:
    """A session's commands, all of them."""

    session_id: str
    commands: tuple[Command, ...]
    meta: Meta = None


@frozen
class UsageReported:
    """How full the context is (schema `UsageUpdate`)."""

    session_id: str
    used: int
    size: int
    cost: Patch[Cost] = UNSET
    meta: Meta = None


@frozen
class NoticePosted:
    """A word to the user."""

    session_id: str
    notice: Notice


@frozen
class SubagentPatched:
    """A session has a child, or what it says of it changed (schema `SubagentUpdate`)."""

    session_id: str
    child_id: str
    title: Patch[str] = UNSET
    description: Patch[str] = UNSET
    capabilities: Patch[JsonObject] = UNSET
    state: Patch[JsonObject] = UNSET
    cwd: Patch[str] = UNSET
    additional_directories: Patch[tuple[str, ...]] = UNSET
    tool_call_id: str | None = None
    meta: Patch[JsonObject] = UNSET


@frozen
class SessionMetaSent:
    """A frame that concerns a session had `_meta`. *known_only*: an unknown session stays unknown."""

    session_id: str
    meta: JsonObject
    known_only: bool = False


@frozen
class UnknownUpdated:
    """An update of a kind that nobody knows; as sent."""

    session_id: str
    update: Json


# --- turns -----------------------------------------------------------------------------------------


@frozen
class PromptSent:
    """The user's message, which begins a turn of its own."""

    session_id: str
    key: RequestKey
    id: RequestId
    content: tuple[ContentBlock, ...] = ()
    meta: Meta = None


@frozen
class PromptAnswered:
    """The turn of a prompt is over: ended, or failed with *error*, or *cancelled* with one."""

    session_id: str
    key: RequestKey
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    failed: bool = False
    meta: Meta = None


@frozen
class PromptQueued:
    """A prompt was sent; its message is in the timeline when the agent says so."""

    session_id: str
    key: RequestKey
    id: RequestId
    content: tuple[ContentBlock, ...] = ()
    meta: Meta = None


@frozen
class PromptAccepted:
    """The agent took a prompt, as the message *message_id* if it said so."""

    session_id: str
    key: RequestKey
    message_id: str | None = None
    meta: Meta = None


@frozen
class PromptRejected:
    """The agent refused a prompt."""

    session_id: str
    key: RequestKey
    error: Json


@frozen
class PromptCancelAsked:
    """The client asked to cancel one prompt."""

    session_id: str
    key: RequestKey
    meta: JsonObject | None = None


@frozen
class TurnOrphaned:
    """A turn ended whose prompt nobody saw."""

    session_id: str
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    failed: bool = False
    meta: Meta = None


@frozen
class CancelAsked:
    """The client cancelled what a session is doing. *blocked_only*: its questions only while all waits for them."""

    session_id: str
    blocked_only: bool = False
    meta: Meta = None


@frozen
class StateReported:
    """A session said what it is doing (schema `StateUpdate`)."""

    session_id: str
    state: str
    background: JsonArray | None = None
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    meta: Meta = None


# --- messages --------------------------------------------------------------------------------------


@frozen
class MessageChunked:
    """A piece of a message arrived. *text* is that of a text block; *block* then is the block without it."""

    session_id: str
    role: str
    id: str | None
    block: FrozenDict
    text: str | None = None
    parent: str | None = None
    opens_turn: bool = False
    """Whether a new message of the user begins a turn if none is open."""


@frozen
class MessagePatched:
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


@frozen
class CompactionPatched:
    """A context compaction (schema `CompactionUpdate`)."""

    session_id: str
    id: str
    status: str
    summary: Patch[tuple[ContentBlock, ...]] = UNSET
    error: Patch[str] = UNSET
    parent: str | None = None
    meta: Patch[JsonObject] = UNSET


@frozen
class CompactionChunked:
    """A piece of a compaction's summary arrived."""

    session_id: str
    id: str
    block: FrozenDict
    text: str | None = None
    parent: str | None = None


# --- tool calls and plans --------------------------------------------------------------------------


@frozen
class ToolCallPatched:
    """A tool call (schema `ToolCall`, `ToolCallUpdate`)."""

    session_id: str
    id: str
    title: Patch[str] = UNSET
    name: Patch[str] = UNSET
    kind: Patch[str] = UNSET
    status: Patch[str] = UNSET
    content: Patch[tuple[ToolContent, ...]] = UNSET
    locations: Patch[tuple[Location, ...]] = UNSET
    raw_input: Json | Unset = UNSET
    raw_output: Json | Unset = UNSET
    capabilities: Patch[JsonObject] = UNSET
    parent: str | None = None
    meta: Patch[JsonObject] = UNSET
    introduces: bool = False
    """Whether it is said to be new: then it is announced, and a finished one of an earlier turn is another."""
    announces: bool = True
    """Whether a first mention of this kind is in order."""
    final_stays: bool = False
    """Whether only another final status replaces a final one."""
    live: bool = False
    """Whether it came with a request, and so is no history, also during a load."""


@frozen
class ToolContentChunked:
    """One more item of a tool call's content."""

    session_id: str
    id: str
    item: FrozenDict
    parent: str | None = None


@frozen
class ToolCallCancelAsked:
    """The client asked to cancel a tool call."""

    session_id: str
    id: str


@frozen
class PlanReplaced:
    """A plan, whole."""

    session_id: str
    plan: Plan


@frozen
class PlanRemoved:
    """A plan is no more."""

    session_id: str
    id: str
    meta: Meta = None


# --- questions: permissions and elicitations -------------------------------------------------------


@frozen
class PermissionAsked:
    """The agent asked whether it may."""

    session_id: str
    key: RequestKey
    permission: Permission


@frozen
class PermissionAnswered:
    """The client answered: *status* `selected`, `cancelled`, `failed` or `invalid`."""

    session_id: str
    key: RequestKey
    status: str
    option_id: str | None = None
    answer: Json | Unset = UNSET
    kept: Json | Unset = UNSET
    """The answer, to be kept if the option was not offered."""
    error: Json | None = None
    meta: Meta = None


@frozen
class ElicitationAsked:
    """The agent asked the user something. Without *session_id* it concerns a request."""

    session_id: str | None
    key: RequestKey
    elicitation: Elicitation


@frozen
class ElicitationAnswered:
    """The client answered: *status* `accepted`, `declined`, `cancelled`, `failed` or `invalid`."""

    session_id: str | None
    key: RequestKey
    status: str
    content: JsonObject | None = None
    answer: Json | Unset = UNSET
    error: Json | None = None
    meta: Meta = None


@frozen
class ElicitationCompleted:
    """What the user was sent to a URL for is done."""

    session_id: str | None
    elicitation_id: str
    meta: Meta = None


@frozen
class QuestionWithdrawn:
    """The agent cancelled its question; the client still owes an answer."""

    session_id: str | None
    key: RequestKey
    meta: JsonObject | None = None


@frozen
class QuestionLapsed:
    """Nobody will see an answer to this question any more."""

    session_id: str | None
    key: RequestKey


# --- terminals, files, extensions ------------------------------------------------------------------


@frozen
class TerminalPatched:
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
    truncated: bool | Unset = UNSET
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


@frozen
class TerminalOutputAppended:
    """A terminal printed something. *cumulative*: maybe all of it once more (SPEC 4.7)."""

    session_id: str
    id: str
    owner: str
    data: bytes
    cumulative: bool = False
    meta: Meta = None
    live: bool = False
    """As of a tool call: whether it came with a request."""


@frozen
class TerminalCancelAsked:
    """The client asked to cancel a terminal."""

    session_id: str
    id: str


@frozen
class FileAsked:
    """The agent asked the client to read or write a file."""

    session_id: str
    key: RequestKey
    file: FileRequest


@frozen
class FileAnswered:
    """The client did (*status* `answered`), or did not (`failed`, `cancelled`)."""

    session_id: str
    key: RequestKey
    status: str
    meta: Meta = None


@frozen
class ExtensionSent:
    """A request or notification that this protocol does not know, or that says nothing of a session."""

    session_id: str | None
    key: tuple[str, RequestKey] | None
    extension: Extension


@frozen
class ExtensionAnswered:
    """An extension request was answered: *status* `answered`, `failed` or `cancelled`."""

    session_id: str | None
    key: tuple[str, RequestKey]
    status: str
    result: Json | Unset = UNSET
    error: Json | None = None


Event: TypeAlias = (
    Connecting
    | Connected
    | ConnectFailed
    | ActivityRuleChanged
    | Authenticated
    | LoggedOut
    | AuthReported
    | SessionsListed
    | RequestOpened
    | RequestClosed
    | Exited
    | ConnectionMetaSent
    | SessionSetupAsked
    | SessionReady
    | SessionSetupFailed
    | SessionEndAsked
    | SessionEnded
    | SessionUnarchived
    | SessionStatusReported
    | TitleStored
    | InfoPatched
    | ModeChosen
    | ModelChosen
    | ConfigReplaced
    | CommandsReplaced
    | UsageReported
    | NoticePosted
    | SubagentPatched
    | SessionMetaSent
    | UnknownUpdated
    | PromptSent
    | PromptAnswered
    | PromptQueued
    | PromptAccepted
    | PromptRejected
    | PromptCancelAsked
    | TurnOrphaned
    | CancelAsked
    | StateReported
    | MessageChunked
    | MessagePatched
    | CompactionPatched
    | CompactionChunked
    | ToolCallPatched
    | ToolContentChunked
    | ToolCallCancelAsked
    | PlanReplaced
    | PlanRemoved
    | PermissionAsked
    | PermissionAnswered
    | ElicitationAsked
    | ElicitationAnswered
    | ElicitationCompleted
    | QuestionWithdrawn
    | QuestionLapsed
    | TerminalPatched
    | TerminalOutputAppended
    | TerminalCancelAsked
    | FileAsked
    | FileAnswered
    | ExtensionSent
    | ExtensionAnswered
)
