"""The updates of a session: one class for each kind of `session/update`.

An update is the event that the reducer takes, and the reducer knows no protocol version. Where the versions
differ, an update has a class for each (the name of version 1's ends in `1`) and the difference is a class
attribute. A field of a patch that equals `leave` changes nothing: `leave` is `UNSET` where `null` clears a
value, and `None` where `null` means absent (SPEC 4.1).
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Generic, TypeAlias, TypeVar, get_args

from msgspec import UNSET, Struct, UnsetType, field

from .._json import FrozenDict
from .content import ContentBlock, ToolCallContent, ToolCallContent1, ToolCallLocation, ToolCallStatus, ToolKind
from .marks import (
    LENIENT,
    META,
    META_STATE,
    SKIPPING,
    Called,
    Demanded,
    Json,
    Lenient,
    MetaObject,
    Natural,
    Rest,
    Sent,
    ThreeState,
    ThreeStateList,
)
from .objects import (
    BackgroundWork,
    Cost,
    Error,
    ExitStatus,
    State,
    TerminalOutput,
    TerminalSize,
    Usage,
)
from .settings import AvailableCommand, PlanEntry, PlanId, PlanUpdateContent, SessionConfigOption


class Update(Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename="camel", tag_field="sessionUpdate"):
    """An update of a session (schema `SessionUpdate`)."""

    leave: ClassVar[UnsetType | None] = UNSET


class Report(Update, frozen=True, kw_only=True):
    """An update that is no patch: `null` means absent."""

    meta: Lenient[MetaObject] = META


class Patch(Update, frozen=True, kw_only=True):
    """A patch: a field is absent, `null` or a value."""

    meta: ThreeState[MetaObject] = META_STATE


U = TypeVar("U", bound=Update)


class SessionUpdate(Struct, Generic[U], frozen=True, gc=False, forbid_unknown_fields=True, rename="camel"):
    """An update with the id of its session (schema `UpdateSessionNotification`, in version 1 `SessionNotification`)."""

    parent: ClassVar[str | None] = None
    live: ClassVar[bool] = False

    session_id: str
    update: U


class UnknownUpdate(Update, frozen=True):
    """An update of an unknown kind, as sent."""

    meta: ClassVar[None] = None

    as_sent: Rest = None


# --- messages ----------------------------------------------------------------------------------------


class MessageChunk(Report, frozen=True):
    """A chunk of a message (schema `ContentChunk`)."""

    role: ClassVar[str]
    """The role of the message: `user`, `agent` or `thought`."""
    opens_turn: ClassVar[bool] = False
    """Whether a new message opens a turn if no turn is open."""

    content: Sent[ContentBlock]
    message_id: Lenient[str] = None


class UserMessageChunk1(MessageChunk, frozen=True, tag="user_message_chunk"):
    """A chunk of a user message in version 1 (schema `ContentChunk`)."""

    role = "user"


class AgentMessageChunk1(MessageChunk, frozen=True, tag="agent_message_chunk"):
    """A chunk of an agent message in version 1 (schema `ContentChunk`)."""

    role = "agent"


class AgentThoughtChunk1(MessageChunk, frozen=True, tag="agent_thought_chunk"):
    """A chunk of a thought in version 1 (schema `ContentChunk`)."""

    role = "thought"


class _IdentifiedChunk(MessageChunk, frozen=True):
    message_id: Annotated[str, Demanded("missing-message-id", "version 2 demands one")]


class UserMessageChunk(_IdentifiedChunk, frozen=True, tag="user_message_chunk"):
    """A chunk of a user message (schema `ContentChunk`)."""

    role = "user"
    opens_turn = True


class AgentMessageChunk(_IdentifiedChunk, frozen=True, tag="agent_message_chunk"):
    """A chunk of an agent message (schema `ContentChunk`)."""

    role = "agent"


class AgentThoughtChunk(_IdentifiedChunk, frozen=True, tag="agent_thought_chunk"):
    """A chunk of a thought (schema `ContentChunk`)."""

    role = "thought"


class WholeMessage(Patch, frozen=True):
    """A patch of a message, usually the whole message."""

    role: ClassVar[str]
    opens_turn: ClassVar[bool] = False

    message_id: str
    content: ThreeStateList[Sent[ContentBlock]] = UNSET


class UserMessage1(WholeMessage, frozen=True, tag="user_message"):
    """A user message on a version 1 connection, where only prompts open turns (schema `UserMessage`)."""

    role = "user"


class UserMessage(WholeMessage, frozen=True, tag="user_message"):
    """A user message (schema `UserMessage`)."""

    role = "user"
    opens_turn = True


class AgentMessage(WholeMessage, frozen=True, tag="agent_message"):
    """An agent message (schema `AgentMessage`)."""

    role = "agent"


class AgentThought(WholeMessage, frozen=True, tag="agent_thought"):
    """A thought (schema `AgentThought`)."""

    role = "thought"


class SessionMessage(Patch, frozen=True, tag="session_message"):
    """A message from one session to another (schema `SessionMessage`)."""

    role: ClassVar[str] = "session"
    opens_turn: ClassVar[bool] = False

    message_id: str
    sender_session_id: ThreeState[str] = UNSET
    recipient_session_id: ThreeState[str] = UNSET
    sender_message_id: ThreeState[str] = UNSET
    recipient_message_id: ThreeState[str] = UNSET
    content: ThreeStateList[Sent[ContentBlock]] = UNSET


class SessionMessageChunk(Report, frozen=True, tag="session_message_chunk"):
    """A chunk of a message from one session to another (schema `SessionMessageChunk`)."""

    role: ClassVar[str] = "session"
    opens_turn: ClassVar[bool] = False

    content: Sent[ContentBlock]
    message_id: str


class CompactionUpdate(Patch, frozen=True, tag="compaction_update"):
    """A context compaction (schema `CompactionUpdate`)."""

    compaction_id: str
    status: str
    summary: ThreeStateList[Sent[ContentBlock]] = UNSET
    error: ThreeState[str] = UNSET


class CompactionSummaryChunk(Report, frozen=True, tag="compaction_summary_chunk"):
    """A chunk of a compaction's summary (schema `CompactionSummaryChunk`)."""

    content: Sent[ContentBlock]
    compaction_id: str


# --- tool calls and terminals ------------------------------------------------------------------------


class ToolCallUpdate(Update, frozen=True, tag="tool_call_update"):
    """A patch of a tool call (schema `ToolCallUpdate`)."""

    introduces: ClassVar[bool] = False
    """Whether the tool call may be a new one although its id is known (SPEC 4.3)."""
    announces: ClassVar[bool] = True
    """Whether this update may be the first of a tool call."""
    final_stays: ClassVar[bool] = False
    """Whether only a final status may replace a final status."""

    tool_call_id: str
    title: ThreeState[str] = UNSET
    name: ThreeState[str] = UNSET
    kind: ThreeState[ToolKind] = UNSET
    status: ThreeState[ToolCallStatus] = UNSET
    content: ThreeStateList[Sent[ToolCallContent]] = UNSET
    locations: ThreeStateList[Sent[ToolCallLocation]] = UNSET
    raw_input: ThreeState[Json] = UNSET
    raw_output: ThreeState[Json] = UNSET
    capabilities: ThreeState[FrozenDict] = UNSET
    meta: ThreeState[MetaObject] = META_STATE


class ToolCallUpdate1(ToolCallUpdate, frozen=True, tag="tool_call_update"):
    """A patch of a tool call in version 1 (schema `ToolCallUpdate`)."""

    leave = None
    announces = False
    final_stays = True

    title: Lenient[str] = None
    name: Lenient[str] = None
    kind: Lenient[ToolKind] = None
    status: Lenient[ToolCallStatus] = None
    content: Annotated[tuple[Sent[ToolCallContent1], ...] | None, LENIENT, SKIPPING] = None
    locations: Annotated[tuple[Sent[ToolCallLocation], ...] | None, LENIENT, SKIPPING] = None
    raw_input: Lenient[Json] = None
    raw_output: Lenient[Json] = None
    capabilities: Lenient[FrozenDict] = None
    meta: Lenient[MetaObject] = META


class ToolCall(ToolCallUpdate1, frozen=True, tag="tool_call"):
    """A new tool call, or a known one sent again (schema `ToolCall` of version 1)."""

    introduces = True
    announces = True

    title: str


class ToolCallContentChunk(Report, frozen=True, tag="tool_call_content_chunk"):
    """One more item of a tool call's content (schema `ToolCallContentChunk`)."""

    tool_call_id: str
    content: Sent[ToolCallContent]


class TerminalUpdate(Patch, frozen=True, tag="terminal_update"):
    """A patch of a terminal that the agent runs (schema `TerminalUpdate`)."""

    terminal_id: str
    command: ThreeState[str] = UNSET
    cwd: ThreeState[str] = UNSET
    output: ThreeState[TerminalOutput] = UNSET
    exit_status: ThreeState[ExitStatus] = UNSET
    size: ThreeState[Sent[TerminalSize]] = UNSET
    capabilities: ThreeState[FrozenDict] = UNSET


class TerminalOutputChunk(Report, frozen=True, tag="terminal_output_chunk"):
    """The next bytes of a terminal's output (schema `TerminalOutputChunk`)."""

    terminal_id: str
    data: bytes


# --- plans -------------------------------------------------------------------------------------------


class Plan(Report, frozen=True, tag="plan"):
    """The plan of a version 1 session, which has no id (schema `Plan`)."""

    entries: Annotated[tuple[PlanEntry, ...], SKIPPING]


class PlanUpdate(Report, frozen=True, tag="plan_update"):
    """A whole plan (schema `PlanUpdate`)."""

    plan: PlanUpdateContent


class PlanRemoved(Report, frozen=True, tag="plan_removed"):
    """The removal of a plan (schema `PlanRemoved`)."""

    plan_id: PlanId


# --- settings and facts ------------------------------------------------------------------------------


class AvailableCommandsUpdate(Report, frozen=True, tag="available_commands_update"):
    """The whole list of commands (schema `AvailableCommandsUpdate`)."""

    available_commands: Annotated[tuple[AvailableCommand, ...], SKIPPING]


class ConfigOptionUpdate(Report, frozen=True, tag="config_option_update"):
    """The whole list of config options (schema `ConfigOptionUpdate`)."""

    config_options: Annotated[tuple[SessionConfigOption, ...], SKIPPING]


class CurrentModeUpdate(Report, frozen=True, tag="current_mode_update"):
    """The current mode (schema `CurrentModeUpdate` of version 1; a page of version 1 calls the member `modeId`)."""

    current_mode_id: Annotated[str, Called(("modeId",), reported=True)]


class SessionInfoUpdate(Patch, frozen=True, tag="session_info_update"):
    """A patch of the session's title and time (schema `SessionInfoUpdate`)."""

    title: ThreeState[str] = UNSET
    updated_at: ThreeState[str] = UNSET


class UsageUpdate(Report, frozen=True, tag="usage_update"):
    """The number of tokens in the context (schema `UsageUpdate`)."""

    used: Natural
    size: Natural
    cost: ThreeState[Cost] = UNSET


class UsageUpdate1(UsageUpdate, frozen=True, tag="usage_update"):
    """The number of tokens in the context, in version 1 (schema `UsageUpdate`)."""

    leave = None

    cost: Lenient[Cost] = None


class Notice(Report, frozen=True, tag="notice"):
    """A notice to the user (schema `Notice`)."""

    severity: str
    title: str
    description: Lenient[str] = None


class SubagentUpdate(Patch, frozen=True, tag="subagent_update"):
    """A patch of a child session (schema `SubagentUpdate`)."""

    child_id: str = field(name="sessionId")
    title: ThreeState[str] = UNSET
    description: ThreeState[str] = UNSET
    capabilities: ThreeState[FrozenDict] = UNSET
    state: ThreeState[Sent[State]] = UNSET
    cwd: str | None | UnsetType = UNSET
    additional_directories: tuple[str, ...] | None | UnsetType = UNSET


class StateUpdate(Report, frozen=True, tag="state_update"):
    """The state of the session (schema `StateUpdate`)."""

    state: str
    background: Lenient[tuple[Sent[BackgroundWork], ...]] = None
    stop_reason: Lenient[str] = None
    usage: Lenient[Sent[Usage]] = None
    error: Lenient[Sent[Error]] = None


# --- the kinds of each version -----------------------------------------------------------------------

UpdateOf1: TypeAlias = (
    UserMessageChunk1
    | AgentMessageChunk1
    | AgentThoughtChunk1
    | ToolCall
    | ToolCallUpdate1
    | Plan
    | PlanUpdate
    | PlanRemoved
    | CurrentModeUpdate
    | SessionInfoUpdate
    | UsageUpdate1
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
)
"""The updates that the decoder of version 1 accepts."""

UpdateOf2: TypeAlias = (
    UserMessageChunk
    | UserMessage
    | AgentMessageChunk
    | AgentMessage
    | AgentThoughtChunk
    | AgentThought
    | StateUpdate
    | ToolCallContentChunk
    | ToolCallUpdate
    | TerminalUpdate
    | TerminalOutputChunk
    | PlanUpdate
    | PlanRemoved
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | SessionMessage
    | SessionMessageChunk
)
"""The updates that the decoder of version 2 accepts."""


def _index_by_kind(*updates: type[Update]) -> dict[str, type[Update]]:
    return {str(update.__struct_config__.tag): update for update in updates}


_OF_1: Final = (ToolCall, Plan, CurrentModeUpdate)
_OF_2: Final = (AgentMessage, AgentThought, StateUpdate, ToolCallContentChunk, TerminalUpdate, TerminalOutputChunk)
_SLOW: Final = (AvailableCommandsUpdate, ConfigOptionUpdate)
"""Updates that only the lenient reader reads: the versions name their members differently, and the state has one class for both."""

UPDATES: Final[Mapping[int, Mapping[str, type[Update]]]] = {
    1: _index_by_kind(*get_args(UpdateOf1), *_SLOW, UserMessage1, *_OF_2),
    2: _index_by_kind(*get_args(UpdateOf2), *_SLOW, *_OF_1),
}
"""The update classes by version and kind. Each version also has the kinds of the other."""

ONLY_IN_1: Final = frozenset(_index_by_kind(*_OF_1))
ONLY_IN_2: Final = frozenset(_index_by_kind(UserMessage, *_OF_2))
"""The kinds that one version alone has."""

STATE_MEMBERS: Final = frozenset(("sessionUpdate", *StateUpdate.__struct_encode_fields__))
"""The known members of a `StateUpdate`."""
