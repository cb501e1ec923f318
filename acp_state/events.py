"""Events: what happened, free of protocol versions, vendors and JSON-RPC.

The normalizer makes them, the reducer folds them. What the agent reports of a session is a `SessionUpdate`,
whose *update* is one of the classes of `acp_state.protocol.updates`, as the agent sent it. Everything
else that happens is one of the classes below. A rule that differs between versions is a fact of
the event, not a version. `session_id` is the session that it is about; *key* finds a request (its id with its
JSON type, or a number where the recording has no ids). Dispatch is on the exact type: do not subclass.
`msgspec.structs` has what goes with the classes (`fields`, `replace`, `asdict`).
"""

from __future__ import annotations

from typing import Final, TypeAlias, get_args

from ._json import FrozenDict, Json
from ._model import UNSET, Patch, Struct, UnsetType
from .protocol.requests import InitializeRequest, InitializeResponse, SetupResponse
from .protocol.updates import SessionUpdate as SessionUpdate  # noqa: PLC0414 -- it is an event, and belongs here too
from .protocol.updates import Update
from .state import (
    Auth,
    Elicitation,
    ExitStatus,
    Extension,
    FileRequest,
    JsonArray,
    ListedSession,
    OpenRequest,
    Permission,
    RequestId,
    RequestKey,
)


Meta: TypeAlias = FrozenDict | None


class _Event(Struct, frozen=True, gc=False):
    """What an event is."""


class LinkedUpdate(SessionUpdate[Update], frozen=True):
    """A `SessionUpdate` of which more is known than it says itself."""

    parent: str | None = None  # type: ignore[misc]  # of the update alone it is a fact of the class
    """The id of the tool call that it is a part of, as its `_meta` says."""
    live: bool = False  # type: ignore[misc]  # likewise
    """Whether it came with a request, and so is no history, also during a load."""


# --- connection ------------------------------------------------------------------------------------


class InitializeRequested(_Event, frozen=True):
    """The client asked for a connection. *renewed*: it had one before, of which nothing goes on."""

    request: InitializeRequest
    renewed: bool = False


class Initialized(_Event, frozen=True):
    """The agent agreed. *version* is the one that it is read as."""

    version: int
    response: InitializeResponse


class InitializeFailed(_Event, frozen=True):
    """The agent refused with *error*, or its *response* could not be read."""

    error: Json | None = None
    response: InitializeResponse | None = None


class ActivityRuleChanged(_Event, frozen=True):
    """From now on a session's activity follows from its prompts and requests, or it does not."""

    derives: bool


class Authenticated(_Event, frozen=True):
    """The agent accepted a way to authenticate."""

    method_id: str | None
    meta: Meta = None


class LoggedOut(_Event, frozen=True):
    """The agent forgot who the user is."""

    meta: Meta = None


class AuthReported(_Event, frozen=True):
    """The agent said whether it is authenticated, and as whom."""

    auth: Auth
    meta: Meta = None


class SessionsListed(_Event, frozen=True):
    """The agent listed the sessions that it keeps; *append*: these are the next ones of the list."""

    sessions: tuple[ListedSession, ...] | None
    next_cursor: str | None = None
    append: bool = False
    meta: Meta = None


class RequestOpened(_Event, frozen=True):
    """A request was sent. *names_session*: a session of that id is known from now on."""

    key: tuple[str, RequestKey]
    request: OpenRequest
    names_session: bool = False


class RequestClosed(_Event, frozen=True):
    """A request was answered, or nobody waits for its answer any more."""

    key: tuple[str, RequestKey]


class Exited(_Event, frozen=True):
    """The agent's process ended, or the recording says that the connection did."""

    exit: FrozenDict


class ConnectionMetaSent(_Event, frozen=True):
    """A frame that concerns the connection had `_meta`."""

    meta: FrozenDict


# --- sessions --------------------------------------------------------------------------------------


class SetupRequested(_Event, frozen=True):
    """A session was asked for by its id. *scope*: `start` and `cursor` bring history, `none` does not."""

    session_id: str
    scope: str = "none"
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    meta: Meta = None


class SetupAnswered(_Event, frozen=True):
    """A session can be used.

    *newest*: it is the load or resume that was asked last. *fresh*: it is new and idle. *complete*: a list that the
    response does not have is empty, unless it was updated since setup was asked. *orphan*: nobody saw the
    request; all so far was history.
    """

    session_id: str
    response: SetupResponse
    newest: bool = False
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    forked_from: str | None = None
    fresh: bool = False
    complete: bool = False
    orphan: bool = False
    meta: Meta = None


class SetupFailed(_Event, frozen=True):
    """A session could not be had; without *error* nobody will ever say."""

    session_id: str
    error: Json | None = None
    newest: bool = True


class EndRequested(_Event, frozen=True):
    """The client asked to close or archive a session."""

    session_id: str
    meta: Meta = None


class SessionEnded(_Event, frozen=True):
    """A session is closed or deleted (*phase*)."""

    session_id: str
    phase: str
    archived: bool = False
    meta: Meta = None


class SessionUnarchived(_Event, frozen=True):
    """A session is in the agent's list again."""

    session_id: str
    meta: Meta = None


class StatusAnswered(_Event, frozen=True):
    """The agent said whether it has a session in memory, and what it is doing."""

    session_id: str
    status: str | None = None
    state: str | None = None
    background: JsonArray | None = None
    meta: Meta = None


class TitleStored(_Event, frozen=True):
    """The agent stored a title that the client wanted."""

    session_id: str
    title: str | None
    meta: Meta = None


class ModelChosen(_Event, frozen=True):
    """A session uses another model."""

    session_id: str
    model_id: str
    meta: Meta = None


class SessionMetaSent(_Event, frozen=True):
    """A frame that concerns a session had `_meta`. *known_only*: an unknown session stays unknown."""

    session_id: str
    meta: FrozenDict
    known_only: bool = False


# --- turns -----------------------------------------------------------------------------------------


class PromptSent(_Event, frozen=True):
    """The user's message. It begins a turn of its own, or *waits* until the agent says that it is in the timeline."""

    session_id: str
    key: RequestKey
    id: RequestId
    content: tuple[FrozenDict, ...] = ()
    waits: bool = False
    meta: Meta = None


class PromptAnswered(_Event, frozen=True):
    """The turn of a prompt is over: ended, or failed with *error*, or cancelled with one. Without *key* nobody saw the prompt."""

    session_id: str
    key: RequestKey | None
    stop_reason: str | None = None
    usage: FrozenDict | None = None
    error: Json | None = None
    failed: bool = False
    meta: Meta = None


class PromptAccepted(_Event, frozen=True):
    """The agent took a prompt, as the message *message_id* if it said so."""

    session_id: str
    key: RequestKey
    message_id: str | None = None
    meta: Meta = None


class PromptRejected(_Event, frozen=True):
    """The agent refused a prompt."""

    session_id: str
    key: RequestKey
    error: Json


class PromptCancelled(_Event, frozen=True):
    """The client asked to cancel one prompt."""

    session_id: str
    key: RequestKey
    meta: Meta = None


class Cancelled(_Event, frozen=True):
    """The client cancelled what a session is doing. *blocked_only*: its questions only while all waits for them."""

    session_id: str
    blocked_only: bool = False
    meta: Meta = None


class ToolCallCancelled(_Event, frozen=True):
    """The client asked to cancel a tool call."""

    session_id: str
    id: str


class TerminalCancelled(_Event, frozen=True):
    """The client asked to cancel a terminal."""

    session_id: str
    id: str


# --- questions: permissions and elicitations -------------------------------------------------------


class QuestionAsked(_Event, frozen=True):
    """The agent asked whether it may, or what the user wants. Without *session_id* it concerns the connection."""

    session_id: str | None
    key: RequestKey
    question: Permission | Elicitation


class QuestionAnswered(_Event, frozen=True):
    """The client answered: *status* is that of the permission or the elicitation from now on."""

    session_id: str | None
    key: RequestKey
    status: str
    option_id: str | None = None
    """Of a permission that is `selected`."""
    content: FrozenDict | None = None
    """Of an elicitation that is `accepted`."""
    answer: Json | UnsetType = UNSET
    """The answer, where it says what the entry has no place for."""
    whole: Json | UnsetType = UNSET
    """The answer, to be kept if the option was not offered."""
    error: Json | None = None
    meta: Meta = None


class QuestionWithdrawn(_Event, frozen=True):
    """The agent cancelled its question; the client still owes an answer."""

    session_id: str | None
    key: RequestKey
    meta: Meta = None


class QuestionExpired(_Event, frozen=True):
    """Nobody will see an answer to this question any more."""

    session_id: str | None
    key: RequestKey


class ElicitationCompleted(_Event, frozen=True):
    """What the user was sent to a URL for is done."""

    session_id: str | None
    elicitation_id: str
    meta: Meta = None


# --- terminals, files, extensions ------------------------------------------------------------------


class TerminalPatched(_Event, frozen=True):
    """A terminal that the client runs, or that the `_meta` of a tool call shows, is there, or something of it is otherwise."""

    session_id: str
    id: str
    owner: str
    command: Patch[str] = UNSET
    args: Patch[tuple[str, ...]] = UNSET
    cwd: Patch[str] = UNSET
    output: bytes | UnsetType = UNSET
    truncated: bool | UnsetType = UNSET
    exit_status: ExitStatus | UnsetType = UNSET
    killed: bool = False
    released: bool = False
    renews: bool = False
    """Whether this is a new terminal, whatever its id was before."""
    creates: bool = True
    """Whether an unknown terminal is known from now on."""
    meta: Patch[FrozenDict] = UNSET
    live: bool = False
    """As of `LinkedUpdate`."""


class TerminalPrinted(_Event, frozen=True):
    """A terminal that the `_meta` of a tool call shows printed something. *cumulative*: maybe all of it once more (SPEC 4.7)."""

    session_id: str
    id: str
    data: bytes
    cumulative: bool = False
    live: bool = False
    """As of `LinkedUpdate`."""


class FileRequested(_Event, frozen=True):
    """The agent asked the client to read or write a file."""

    session_id: str
    key: RequestKey
    file: FileRequest


class FileAnswered(_Event, frozen=True):
    """The client did (*status* `answered`), or did not (`failed`, `cancelled`)."""

    session_id: str
    key: RequestKey
    status: str
    meta: Meta = None


class ExtensionSent(_Event, frozen=True):
    """A request or notification that this protocol does not know, or that says nothing of a session."""

    session_id: str | None
    key: tuple[str, RequestKey] | None
    extension: Extension


class ExtensionAnswered(_Event, frozen=True):
    """An extension request was answered: *status* `answered`, `failed` or `cancelled`."""

    session_id: str | None
    key: tuple[str, RequestKey]
    status: str
    result: Json | UnsetType = UNSET
    error: Json | None = None


Event: TypeAlias = (
    SessionUpdate[Update]
    | LinkedUpdate
    | InitializeRequested
    | Initialized
    | InitializeFailed
    | ActivityRuleChanged
    | Authenticated
    | LoggedOut
    | AuthReported
    | SessionsListed
    | RequestOpened
    | RequestClosed
    | Exited
    | ConnectionMetaSent
    | SetupRequested
    | SetupAnswered
    | SetupFailed
    | EndRequested
    | SessionEnded
    | SessionUnarchived
    | StatusAnswered
    | TitleStored
    | ModelChosen
    | SessionMetaSent
    | PromptSent
    | PromptAnswered
    | PromptAccepted
    | PromptRejected
    | PromptCancelled
    | Cancelled
    | ToolCallCancelled
    | TerminalCancelled
    | QuestionAsked
    | QuestionAnswered
    | QuestionWithdrawn
    | QuestionExpired
    | ElicitationCompleted
    | TerminalPatched
    | TerminalPrinted
    | FileRequested
    | FileAnswered
    | ExtensionSent
    | ExtensionAnswered
)

EVENTS: Final = frozenset((*get_args(Event)[1:], SessionUpdate))
"""The classes of events."""
