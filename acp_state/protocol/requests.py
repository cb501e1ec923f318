"""The params of requests and notifications, and the results of answers.

Most are a `Message`: a request opens something and an answer settles it, so a field that cannot be read is
absent, with an error (SPEC 4, Decoding). An `Object` must be well-formed, or it has no effect. Members that are
never kept are not declared: `mcpServers`, `systemPrompt`, environment variables, headers, contents of files.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import UNSET, UnsetType

from .._json import FrozenDict
from .content import ContentBlock
from .marks import (
    EXPECTED,
    LENIENT,
    SALVAGING,
    SKIPPING,
    BareObject,
    Called,
    Expected,
    Json,
    Lenient,
    LenientList,
    Message,
    Object,
    Rest,
    Sent,
    Spelled,
)
from .objects import (
    AnyAuthMethod,
    AuthAccount,
    ExitStatus,
    Implementation,
    ListedSession,
    PermissionOption,
    State,
    Usage,
)
from .settings import AvailableCommand, EarlierModels, Modes, SessionConfigOption


class Empty(Message, frozen=True):
    """Params or a result with `_meta` alone (schemas `LogoutRequest`, `CloseSessionResponse` and others)."""


# --- connection --------------------------------------------------------------------------------------


class InitializeRequest(Message, frozen=True):
    """The params of `initialize` (schema `InitializeRequest`)."""

    protocol_version: Expected[int] = None
    info: Annotated[Implementation | None, LENIENT, Called(("clientInfo",))] = None
    capabilities: Annotated[FrozenDict | None, LENIENT, Called(("clientCapabilities",))] = None


class InitializeResponse(Message, frozen=True):
    """The result of `initialize` (schema `InitializeResponse`). The normalizer reads its `protocolVersion`."""

    info: Annotated[Implementation | None, LENIENT, Called(("agentInfo",))] = None
    capabilities: Annotated[FrozenDict | None, LENIENT, Called(("agentCapabilities",))] = None
    auth_methods: LenientList[AnyAuthMethod] = None


class AuthenticateRequest(Message, frozen=True):
    """The params of `auth/login` and `authenticate` (schema `LoginAuthRequest`, in version 1 `AuthenticateRequest`)."""

    method_id: Expected[str] = None


class AuthStatusResponse(Object, frozen=True):
    """The authentication state of the agent (schemas `AuthStatusResponse`, `AuthStatusUpdateNotification`)."""

    state: str
    accounts: LenientList[Sent[AuthAccount]] = None


class CancelRequestNotification(Object, frozen=True):
    """The params of `$/cancel_request` (schema `CancelRequestNotification`)."""

    request_id: Json


# --- sessions ----------------------------------------------------------------------------------------


class SessionRequest(Message, frozen=True):
    """Params that name a session (schemas `CloseSessionRequest`, `CancelSessionNotification` and others)."""

    session_id: Expected[str] = None


class NewSessionRequest(Message, frozen=True):
    """The params of `session/new` (schema `NewSessionRequest`)."""

    cwd: Expected[str] = None
    additional_directories: tuple[str, ...] | None = None


class ReplayFrom(BareObject, frozen=True):
    """The place where a replay begins (schema `ReplayFrom`)."""

    type: str


class SetupRequest(Message, frozen=True):
    """The params of the setup of an existing session (schemas `LoadSessionRequest`, `ResumeSessionRequest`, `ForkSessionRequest`)."""

    session_id: Expected[str] = None
    cwd: Expected[str] = None
    additional_directories: tuple[str, ...] | None = None
    replay_from: ReplayFrom | None = None


class SetupResponse(Message, frozen=True):
    """The result of a setup (schemas `LoadSessionResponse`, `ResumeSessionResponse`). Earlier drafts have `models`."""

    modes: Lenient[Modes] = None
    models: Lenient[EarlierModels] = None
    config_options: LenientList[SessionConfigOption] = None
    available_commands: LenientList[AvailableCommand] = None


class NewSessionResponse(SetupResponse, frozen=True):
    """The result of the setup of a new session (schemas `NewSessionResponse`, `ForkSessionResponse`)."""

    session_id: Expected[str] = None


class ListSessionsRequest(Message, frozen=True):
    """The params of `session/list` (schema `ListSessionsRequest`)."""

    cursor: Json | None = None


class ListSessionsResponse(Message, frozen=True):
    """The result of `session/list` (schema `ListSessionsResponse`)."""

    sessions: Annotated[tuple[ListedSession, ...] | None, EXPECTED, SKIPPING] = None
    next_cursor: Lenient[str] = None


class SessionStatusResponse(Message, frozen=True):
    """The result of `session/status` (schema `SessionStatusResponse`)."""

    status: Expected[str] = None
    state: Lenient[Sent[State]] = None


class SetSessionModeRequest(SessionRequest, frozen=True):
    """The params of `session/set_mode` (schema `SetSessionModeRequest`)."""

    mode_id: Expected[str] = None


class SetSessionModelRequest(SessionRequest, frozen=True):
    """The params of `session/set_model`, which earlier drafts have (`SetSessionModelRequest`)."""

    model_id: Expected[str] = None


class SetSessionTitleRequest(SessionRequest, frozen=True):
    """The params of `session/set_title` (schema `SetSessionTitleRequest`)."""

    title: Expected[str] = None


class SetSessionTitleResponse(Message, frozen=True):
    """The result of `session/set_title`: the title that the agent stored (schema `SetSessionTitleResponse`)."""

    title: Expected[str] = None


class SetSessionConfigOptionResponse(Message, frozen=True):
    """The result of `session/set_config_option`: the whole list (schema `SetSessionConfigOptionResponse`)."""

    config_options: Annotated[tuple[SessionConfigOption, ...] | None, EXPECTED, SKIPPING] = None


def _to_blocks(prompt: Any) -> Any:
    """Return a prompt as a list of content blocks: a string is one text block."""
    return [{"type": "text", "text": prompt}] if type(prompt) is str else prompt


class PromptRequest(SessionRequest, frozen=True):
    """The params of `session/prompt` (schema `PromptRequest`)."""

    prompt: Annotated[tuple[Sent[ContentBlock], ...] | None, EXPECTED, SALVAGING, Spelled(_to_blocks)] = None


if TYPE_CHECKING:
    StopReason = str
else:
    StopReason = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]
    """The words of version 1 for the reason why a turn ended (schema `StopReason`)."""


class PromptResponse1(Message, frozen=True):
    """The result of `session/prompt` in version 1: the turn ended (schema `PromptResponse`)."""

    stop_reason: Expected[StopReason] = None
    usage: Lenient[Sent[Usage]] = None


class PromptResponse(Message, frozen=True):
    """The result of `session/prompt`: the agent accepted it (schema `PromptResponse`; empty in the pages of version 2)."""

    message_id: str | None = None


class CancelToolCallRequest(SessionRequest, frozen=True):
    """The params of `tool_call/cancel` (schema `CancelToolCallRequest`)."""

    tool_call_id: Expected[str] = None


class TerminalRequest(SessionRequest, frozen=True):
    """Params that name a terminal (schemas `CancelTerminalRequest`, `TerminalOutputRequest`, `KillTerminalRequest` and others)."""

    terminal_id: Expected[str] = None


# --- what the agent asks of the client -----------------------------------------------------------------


class RequestPermissionRequest(SessionRequest, frozen=True):
    """The params of `session/request_permission` (schema `RequestPermissionRequest`).

    Its subject is read separately: `toolCall` in version 1, a patch; `subject` in version 2, a `RequestPermissionSubject`.
    """

    title: str | UnsetType = UNSET
    description: Lenient[str] = None
    options: Annotated[tuple[PermissionOption, ...] | None, EXPECTED, SALVAGING] = None


class SelectedPermissionOutcome(Object, frozen=True, tag="selected", tag_field="outcome"):
    """The outcome of a permission: the user chose an option (schema `SelectedPermissionOutcome`)."""

    option_id: str


class CancelledPermissionOutcome(Object, frozen=True, tag="cancelled", tag_field="outcome"):
    """The outcome of a permission: the prompt was cancelled (schema `CancelledPermissionOutcome`)."""


class RequestPermissionResponse(Object, frozen=True):
    """The result of `session/request_permission` (schema `RequestPermissionResponse`). A malformed result is no approval."""

    outcome: Sent[SelectedPermissionOutcome | CancelledPermissionOutcome]


class CreateElicitationRequest(Message, frozen=True):
    """The params of `elicitation/create` (schema `CreateElicitationRequest`)."""

    session_id: str | None = None
    request_id: Json | UnsetType = UNSET
    tool_call_id: Lenient[str] = None
    mode: Expected[str] = None
    message: Expected[str] = None
    requested_schema: Json | UnsetType = UNSET
    url: str | None = None
    elicitation_id: str | None = None
    extra: Rest = None
    """The undeclared members."""


class ElicitationAcceptAction(Object, frozen=True, tag="accept", tag_field="action"):
    """The result of `elicitation/create`: the user accepted (schema `ElicitationAcceptAction`)."""

    content: FrozenDict | None = None


class ElicitationDeclineAction(Object, frozen=True, tag="decline", tag_field="action"):
    """The result of `elicitation/create`: the user declined (schema `CreateElicitationResponse`)."""


class ElicitationCancelAction(Object, frozen=True, tag="cancel", tag_field="action"):
    """The result of `elicitation/create`: the user cancelled (schema `CreateElicitationResponse`)."""


CreateElicitationResponse = ElicitationAcceptAction | ElicitationDeclineAction | ElicitationCancelAction


class CompleteElicitationNotification(Object, frozen=True):
    """The params of `elicitation/complete` (schema `CompleteElicitationNotification`)."""

    elicitation_id: str


class TextFileRequest(SessionRequest, frozen=True):
    """The params of `fs/*` (schemas `ReadTextFileRequest`, `WriteTextFileRequest`)."""

    path: Expected[str] = None


class CreateTerminalRequest(SessionRequest, frozen=True):
    """The params of `terminal/create` (schema `CreateTerminalRequest`)."""

    command: Expected[str] = None
    args: tuple[str, ...] | None = None
    cwd: str | None = None


class CreateTerminalResponse(Message, frozen=True):
    """The result of `terminal/create` (schema `CreateTerminalResponse`)."""

    terminal_id: Expected[str] = None


class TerminalOutputResponse(Message, frozen=True):
    """The result of `terminal/output`: the output that the client retained (schema `TerminalOutputResponse`)."""

    output: Expected[str] = None
    truncated: Expected[bool] = None
    exit_status: Lenient[ExitStatus] = None


# --- methods -----------------------------------------------------------------------------------------

PARAMS: Final[Mapping[str, Any]] = {
    "initialize": InitializeRequest,
    "authenticate": AuthenticateRequest,
    "auth/login": AuthenticateRequest,
    "logout": Empty,
    "auth/logout": Empty,
    "auth/status": Empty,
    "auth/status_update": AuthStatusResponse,
    "session/new": NewSessionRequest,
    "session/load": SetupRequest,
    "session/resume": SetupRequest,
    "session/fork": SetupRequest,
    "session/list": ListSessionsRequest,
    "session/close": SessionRequest,
    "session/archive": SessionRequest,
    "session/unarchive": SessionRequest,
    "session/delete": SessionRequest,
    "session/status": SessionRequest,
    "session/set_title": SetSessionTitleRequest,
    "session/set_mode": SetSessionModeRequest,
    "session/set_model": SetSessionModelRequest,
    "session/set_config_option": SessionRequest,
    "session/prompt": PromptRequest,
    "session/cancel": SessionRequest,
    "tool_call/cancel": CancelToolCallRequest,
    "terminal/cancel": TerminalRequest,
    "session/request_permission": RequestPermissionRequest,
    "elicitation/create": CreateElicitationRequest,
    "session/elicitation": CreateElicitationRequest,
    "elicitation/complete": CompleteElicitationNotification,
    "fs/read_text_file": TextFileRequest,
    "fs/write_text_file": TextFileRequest,
    "terminal/create": CreateTerminalRequest,
    "terminal/output": TerminalRequest,
    "terminal/wait_for_exit": TerminalRequest,
    "terminal/kill": TerminalRequest,
    "terminal/release": TerminalRequest,
    "$/cancel_request": CancelRequestNotification,
}
"""The class of the params of each method except `session/update`."""

RESULTS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(PARAMS, Empty),
    "initialize": InitializeResponse,
    "auth/status": AuthStatusResponse,
    "session/new": NewSessionResponse,
    "session/fork": NewSessionResponse,
    "session/load": SetupResponse,
    "session/resume": SetupResponse,
    "session/list": ListSessionsResponse,
    "session/status": SessionStatusResponse,
    "session/set_title": SetSessionTitleResponse,
    "session/set_config_option": SetSessionConfigOptionResponse,
    "session/prompt": PromptResponse,
    "session/request_permission": RequestPermissionResponse,
    "elicitation/create": CreateElicitationResponse,
    "session/elicitation": CreateElicitationResponse,
    "terminal/create": CreateTerminalResponse,
    "terminal/output": TerminalOutputResponse,
    "terminal/wait_for_exit": ExitStatus,
}
"""The class of the result of each method. The result of a prompt in version 1 is a `PromptResponse1`."""
