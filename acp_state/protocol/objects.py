"""Objects that updates, requests and answers carry.

The classes that the state keeps have the attribute names and the defaults of the state; `field(name=...)` gives
the name on the wire. A field that the protocol requires and the state does not is marked `REQUIRED`.
"""

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, UnsetType, field

from .._json import FrozenDict
from .._model import Part
from .content import Number
from .marks import (
    LENIENT,
    AsSent,
    BareAsSent,
    Called,
    Json,
    Lenient,
    LenientList,
    Natural,
    Object,
    Otherwise,
    Positive,
    Required,
    Rest,
    ThreeState,
)


# --- who and what ------------------------------------------------------------------------------------


class Implementation(Object, frozen=True):
    """The name and version of a client or agent (schema `Implementation`)."""

    name: Required[str] = None
    title: Lenient[str] = None
    version: Required[str] = None


class AuthMethod(Part, frozen=True):
    """An authentication method (schema `AuthMethod`)."""

    id: str
    type: str | None = None
    name: str | None = None
    description: str | None = None
    args: tuple[str, ...] | None = None
    meta: FrozenDict | None = None
    extra: FrozenDict | None = None
    """The undeclared members of an unknown type."""


class AuthMethodAgent(Object, frozen=True):
    """An authentication method that the agent handles itself (schema `AuthMethodAgent`)."""

    made = AuthMethod
    variant = "agent"

    id: Annotated[str, Called(("id",))] = field(name="methodId")
    type: Lenient[str] = None
    name: Required[str] = None
    description: Lenient[str] = None


class AuthMethodTerminal(AuthMethodAgent, frozen=True):
    """An authentication method that runs in a terminal (schema `AuthMethodTerminal`). Its `env` is never kept."""

    variant = "terminal"

    args: Lenient[tuple[str, ...]] = None


class OtherAuthMethod(AuthMethodAgent, frozen=True):
    """An authentication method of an unknown type (schema `AuthMethod`)."""

    extra: Rest = None


if TYPE_CHECKING:
    AnyAuthMethod: TypeAlias = AuthMethod
else:
    AnyAuthMethod = Annotated[AuthMethodAgent | AuthMethodTerminal, Otherwise(OtherAuthMethod, untagged=AuthMethodAgent)]


class AuthAccount(AsSent, frozen=True):
    """An account that the agent uses (schema `AuthAccount`)."""

    label: str
    active: ThreeState[bool] = UNSET
    name: ThreeState[str] = UNSET
    email: ThreeState[str] = UNSET
    organization: ThreeState[str] = UNSET


class ListedSession(Object, frozen=True):
    """A session in the agent's list (schema `SessionInfo`)."""

    id: str = field(name="sessionId")
    cwd: Required[str] = None
    additional_directories: LenientList[str] = None
    title: Lenient[str] = None
    updated_at: Lenient[str] = None
    archived: Lenient[bool] = None


# --- what a session is doing -------------------------------------------------------------------------


class Cost(Object, frozen=True):
    """The cost of a session so far (schema `Cost`)."""

    amount: Number
    currency: str


class Usage(AsSent, frozen=True):
    """The tokens that a turn used (schema `Usage`)."""

    total_tokens: Natural
    input_tokens: Natural
    output_tokens: Natural
    thought_tokens: ThreeState[Natural] = UNSET
    cached_read_tokens: ThreeState[Natural] = UNSET
    cached_write_tokens: ThreeState[Natural] = UNSET


class Error(BareAsSent, frozen=True):
    """A JSON-RPC error (schema `Error`)."""

    code: int
    message: str
    data: Annotated[Json | UnsetType, LENIENT] = UNSET


class BackgroundTerminal(AsSent, frozen=True, tag="terminal"):
    """A terminal that runs in the background (schema `BackgroundTerminal`)."""

    terminal_id: str


class BackgroundToolCall(AsSent, frozen=True, tag="tool_call"):
    """A tool call that runs in the background (schema `BackgroundToolCall`)."""

    tool_call_id: str


class BackgroundSubagent(AsSent, frozen=True, tag="subagent"):
    """A child session that runs in the background (schema `BackgroundSubagent`)."""

    session_id: str


BackgroundWork: TypeAlias = BackgroundTerminal | BackgroundToolCall | BackgroundSubagent


class State(AsSent, frozen=True):
    """The state of a session, inside another message (schema `StateUpdate`)."""

    state: str
    background: ThreeState[tuple[BackgroundWork, ...]] = UNSET
    stop_reason: ThreeState[str] = UNSET
    usage: ThreeState[Usage] = UNSET
    error: ThreeState[Error] = UNSET


STATES: Final = frozenset(("running", "idle", "requires_action", "unknown"))
"""The known states (schema `StateUpdate`)."""
STOP_REASONS: Final = frozenset(("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"))
"""The known stop reasons (schema `IdleStateUpdate`)."""

# --- terminals ---------------------------------------------------------------------------------------


class ExitStatus(Object, frozen=True):
    """The exit status of a terminal's command (schema `TerminalExitStatus`). Without members it says that the command exited."""

    exit_code: Lenient[int] = None
    signal: Lenient[str] = None


class TerminalSize(AsSent, frozen=True):
    """The size of a terminal (schema `TerminalSize`)."""

    cols: Positive
    rows: Positive


class TerminalOutput(Object, frozen=True):
    """The whole output of a terminal (schema `TerminalOutput`)."""

    data: bytes


# --- permissions -------------------------------------------------------------------------------------

if TYPE_CHECKING:
    PermissionOptionKind: TypeAlias = str
else:
    PermissionOptionKind = Literal["allow_once", "allow_always", "reject_once", "reject_always"]
    """The words of version 1 for the kind of an option (schema `PermissionOptionKind`)."""


class PermissionOption(Object, frozen=True):
    """An option that the user may choose (schema `PermissionOption`)."""

    id: str = field(name="optionId")
    name: Required[str] = None
    kind: Required[PermissionOptionKind] = None


class ToolCallPermissionSubject(AsSent, frozen=True, tag="tool_call"):
    """A tool call as the subject of a permission (schema `ToolCallPermissionSubject`). Its patch is read separately."""

    tool_call: FrozenDict


class CommandPermissionSubject(AsSent, frozen=True, tag="command"):
    """A command as the subject of a permission (schema `CommandPermissionSubject`)."""

    command: str
    cwd: str
    tool_call_id: ThreeState[str] = UNSET
    terminal_id: ThreeState[str] = UNSET


RequestPermissionSubject: TypeAlias = ToolCallPermissionSubject | CommandPermissionSubject
