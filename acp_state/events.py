"""Events: what happened, free of protocol versions, vendors and JSON-RPC.

The normalizer makes them, the reducer folds them. Each is a fact in the past. A rule that differs
between versions is a field of the event, not a version. `session_id` is the session that it is
about; *key* finds a request (its id with its JSON type, or a number where the recording has no
ids). Dispatch is on the exact type: do not subclass. `msgspec.structs` has what goes with the classes
(`fields`, `replace`, `asdict`).
"""

from __future__ import annotations

from typing import NewType, TypeAlias

from ._json import FrozenDict, Json
from ._model import UNSET, Patch, Struct, Unset
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


class _Fact(Struct, frozen=True, gc=False):
    """What an event is. It lives for one frame, so it is a `Struct`, which costs a quarter of what an attrs class does."""


# --- connection ------------------------------------------------------------------------------------


class Connecting(_Fact, frozen=True):
    """The client asked for a connection. *renewed*: it had one before, of which nothing goes on."""

    renewed: bool = False
    requested_version: Json | None = None
    client: Implementation | None = None
    capabilities: JsonObject | None = None
    meta: Meta = None


class Connected(_Fact, frozen=True):
    """The agent agreed. *version* is the one that it is read as."""

    version: int
    agent: Implementation | None = None
    capabilities: JsonObject | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    meta: Meta = None


class ConnectFailed(_Fact, frozen=True):
    """The agent refused, or its answer could not be read (then there is no *error*)."""

    error: Json | None = None
    agent: Implementation | None = None
    capabilities: JsonObject | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    meta: Meta = None


class ActivityRuleChanged(_Fact, frozen=True):
    """From now on a session's activity follows from its prompts and requests, or it does not."""

    derives: bool


class Authenticated(_Fact, frozen=True):
    """The agent accepted a way to authenticate."""

    method_id: str | None
    meta: Meta = None


class LoggedOut(_Fact, frozen=True):
    """The agent forgot who the user is."""

    meta: Meta = None


class AuthReported(_Fact, frozen=True):
    """The agent said whether it is authenticated, and as whom."""

    auth: Auth
    meta: Meta = None


class SessionsListed(_Fact, frozen=True):
    """The agent listed the sessions that it keeps; *append*: these are the next ones of the list."""

    sessions: tuple[ListedSession, ...] | None
    next_cursor: str | None = None
    append: bool = False
    meta: Meta = None


class RequestOpened(_Fact, frozen=True):
    """A request was sent. *names_session*: a session of that id is known from now on."""

    key: tuple[str, RequestKey]
    request: OpenRequest
    names_session: bool = False


class RequestClosed(_Fact, frozen=True):
    """A request was answered, or nobody waits for its answer any more."""

    key: tuple[str, RequestKey]


class Exited(_Fact, frozen=True):
    """The agent's process ended, or the recording says that the connection did."""

    exit: JsonObject


class ConnectionMetaSent(_Fact, frozen=True):
    """A frame that concerns the connection had `_meta`."""

    meta: JsonObject


# --- sessions --------------------------------------------------------------------------------------


class SessionSetupAsked(_Fact, frozen=True):
    """A session was asked for by its id. *scope*: `start` and `cursor` bring history, `none` does not."""

    session_id: str
    scope: str = "none"
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    meta: Meta = None


class SessionReady(_Fact, frozen=True):
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


class SessionSetupFailed(_Fact, frozen=True):
    """A session could not be had; without *error* nobody will ever say."""

    session_id: str
    error: Json | None = None
    newest: bool = True


class SessionEndAsked(_Fact, frozen=True):
    """The client asked to close or archive a session."""

    session_id: str
    meta: Meta = None


class SessionEnded(_Fact, frozen=True):
    """A session is closed or deleted (*phase*)."""

    session_id: str
    phase: str
    archived: bool = False
    meta: Meta = None


class SessionUnarchived(_Fact, frozen=True):
    """A session is in the agent's list again."""

    session_id: str
    meta: Meta = None


class SessionStatusReported(_Fact, frozen=True):
    """The agent said whether it has a session in memory, and what it is doing."""

    session_id: str
    status: str | None = None
    state: str | None = None
    background: JsonArray | None = None
    meta: Meta = None


class TitleStored(_Fact, frozen=True):
    """The agent stored a title that the client wanted."""

    session_id: str
    title: str | None
    meta: Meta = None


class InfoPatched(_Fact, frozen=True):
    """A session's title or time changed (schema `SessionInfoUpdate`)."""

    session_id: str
    title: Patch[str] = UNSET
    updated_at: Patch[str] = UNSET
    meta: Patch[JsonObject] = UNSET


class ModeChosen(_Fact, frozen=True):
    """A session is in another mode."""

    session_id: str
    mode_id: str
    meta: Meta = None


class ModelChosen(_Fact, frozen=True):
    """A session uses another model."""

    session_id: str
    model_id: str
    meta: Meta = None


class ConfigReplaced(_Fact, frozen=True):
    """A session's settings, all of them."""

    session_id: str
    options: tuple[ConfigOption, ...] | None
    meta: Meta = None


class CommandsReplaced(_Fact, frozen=True):
    """A session's commands, all of them."""

    session_id: str
    commands: tuple[Command, ...]
    meta: Meta = None


class UsageReported(_Fact, frozen=True):
    """How full the context is (schema `UsageUpdate`)."""

    session_id: str
    used: int
    size: int
    cost: Patch[Cost] = UNSET
    meta: Meta = None


class NoticePosted(_Fact, frozen=True):
    """A word to the user."""

    session_id: str
    notice: Notice


class SubagentPatched(_Fact, frozen=True):
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


class SessionMetaSent(_Fact, frozen=True):
    """A frame that concerns a session had `_meta`. *known_only*: an unknown session stays unknown."""

    session_id: str
    meta: JsonObject
    known_only: bool = False


class UnknownUpdated(_Fact, frozen=True):
    """An update of a kind that nobody knows; as sent."""

    session_id: str
    update: Json


# --- turns -----------------------------------------------------------------------------------------


class PromptSent(_Fact, frozen=True):
    """The user's message, which begins a turn of its own."""

    session_id: str
    key: RequestKey
    id: RequestId
    content: tuple[ContentBlock, ...] = ()
    meta: Meta = None


class PromptAnswered(_Fact, frozen=True):
    """The turn of a prompt is over: ended, or failed with *error*, or *cancelled* with one."""

    session_id: str
    key: RequestKey
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    failed: bool = False
    meta: Meta = None


class PromptQueued(_Fact, frozen=True):
    """A prompt was sent; its message is in the timeline when the agent says so."""

    session_id: str
    key: RequestKey
    id: RequestId
    content: tuple[ContentBlock, ...] = ()
    meta: Meta = None


class PromptAccepted(_Fact, frozen=True):
    """The agent took a prompt, as the message *message_id* if it said so."""

    session_id: str
    key: RequestKey
    message_id: str | None = None
    meta: Meta = None


class PromptRejected(_Fact, frozen=True):
    """The agent refused a prompt."""

    session_id: str
    key: RequestKey
    error: Json


class PromptCancelAsked(_Fact, frozen=True):
    """The client asked to cancel one prompt."""

    session_id: str
    key: RequestKey
    meta: JsonObject | None = None


class TurnOrphaned(_Fact, frozen=True):
    """A turn ended whose prompt nobody saw."""

    session_id: str
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    failed: bool = False
    meta: Meta = None


class CancelAsked(_Fact, frozen=True):
    """The client cancelled what a session is doing. *blocked_only*: its questions only while all waits for them."""

    session_id: str
    blocked_only: bool = False
    meta: Meta = None


class StateReported(_Fact, frozen=True):
    """A session said what it is doing (schema `StateUpdate`)."""

    session_id: str
    state: str
    background: JsonArray | None = None
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    meta: Meta = None


# --- messages --------------------------------------------------------------------------------------


class MessageChunked(_Fact, frozen=True):
    """A piece of a message arrived. *text* is that of a text block; *block* then is the block without it."""

    session_id: str
    role: str
    id: str | None
    block: FrozenDict
    text: str | None = None
    parent: str | None = None
    opens_turn: bool = False
    """Whether a new message of the user begins a turn if none is open."""


class MessagePatched(_Fact, frozen=True):
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


class CompactionPatched(_Fact, frozen=True):
    """A context compaction (schema `CompactionUpdate`)."""

    session_id: str
    id: str
    status: str
    summary: Patch[tuple[ContentBlock, ...]] = UNSET
    error: Patch[str] = UNSET
    parent: str | None = None
    meta: Patch[JsonObject] = UNSET


class CompactionChunked(_Fact, frozen=True):
    """A piece of a compaction's summary arrived."""

    session_id: str
    id: str
    block: FrozenDict
    text: str | None = None
    parent: str | None = None


# --- tool calls and plans --------------------------------------------------------------------------


class ToolCallPatched(_Fact, frozen=True):
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


class ToolContentChunked(_Fact, frozen=True):
    """One more item of a tool call's content."""

    session_id: str
    id: str
    item: FrozenDict
    parent: str | None = None


class ToolCallCancelAsked(_Fact, frozen=True):
    """The client asked to cancel a tool call."""

    session_id: str
    id: str


class PlanReplaced(_Fact, frozen=True):
    """A plan, whole."""

    session_id: str
    plan: Plan


class PlanRemoved(_Fact, frozen=True):
    """A plan is no more."""

    session_id: str
    id: str
    meta: Meta = None


# --- questions: permissions and elicitations -------------------------------------------------------


class PermissionAsked(_Fact, frozen=True):
    """The agent asked whether it may."""

    session_id: str
    key: RequestKey
    permission: Permission


class PermissionAnswered(_Fact, frozen=True):
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


class ElicitationAsked(_Fact, frozen=True):
    """The agent asked the user something. Without *session_id* it concerns a request."""

    session_id: str | None
    key: RequestKey
    elicitation: Elicitation


class ElicitationAnswered(_Fact, frozen=True):
    """The client answered: *status* `accepted`, `declined`, `cancelled`, `failed` or `invalid`."""

    session_id: str | None
    key: RequestKey
    status: str
    content: JsonObject | None = None
    answer: Json | Unset = UNSET
    error: Json | None = None
    meta: Meta = None


class ElicitationCompleted(_Fact, frozen=True):
    """What the user was sent to a URL for is done."""

    session_id: str | None
    elicitation_id: str
    meta: Meta = None


class QuestionWithdrawn(_Fact, frozen=True):
    """The agent cancelled its question; the client still owes an answer."""

    session_id: str | None
    key: RequestKey
    meta: JsonObject | None = None


class QuestionLapsed(_Fact, frozen=True):
    """Nobody will see an answer to this question any more."""

    session_id: str | None
    key: RequestKey


# --- terminals, files, extensions ------------------------------------------------------------------


class TerminalPatched(_Fact, frozen=True):
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


class TerminalOutputAppended(_Fact, frozen=True):
    """A terminal printed something. *cumulative*: maybe all of it once more (SPEC 4.7)."""

    session_id: str
    id: str
    owner: str
    data: bytes
    cumulative: bool = False
    meta: Meta = None
    live: bool = False
    """As of a tool call: whether it came with a request."""


class TerminalCancelAsked(_Fact, frozen=True):
    """The client asked to cancel a terminal."""

    session_id: str
    id: str


class FileAsked(_Fact, frozen=True):
    """The agent asked the client to read or write a file."""

    session_id: str
    key: RequestKey
    file: FileRequest


class FileAnswered(_Fact, frozen=True):
    """The client did (*status* `answered`), or did not (`failed`, `cancelled`)."""

    session_id: str
    key: RequestKey
    status: str
    meta: Meta = None


class ExtensionSent(_Fact, frozen=True):
    """A request or notification that this protocol does not know, or that says nothing of a session."""

    session_id: str | None
    key: tuple[str, RequestKey] | None
    extension: Extension


class ExtensionAnswered(_Fact, frozen=True):
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
