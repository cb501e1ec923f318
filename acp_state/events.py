"""Events: what happened, free of protocol versions, vendors and JSON-RPC.

The normalizer makes them, the reducer folds them. What the agent reports of a session is a `SessionUpdate`,
whose *update* is one of the classes of `acp_state.protocol.updates`, as the agent sent it. Everything
else that happens is one of the classes below. A rule that differs between versions is a fact of
the event, not a version. `session_id` is the session that it is about; *key* finds a request (its id with its
JSON type, or a number where the recording has no ids). Dispatch is on the exact type: do not subclass.
`msgspec.structs` has what goes with the classes (`fields`, `replace`, `asdict`).
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

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


class BaseEvent(Struct, frozen=True, gc=False):
    """An event that is no update of a session."""


class LinkedUpdate(SessionUpdate[Update], frozen=True):
    """A `SessionUpdate` of which more is known than it says itself."""

    parent: str | None = None  # type: ignore[misc]  # of the update alone it is a fact of the class
    """The id of the tool call that it is a part of, as its `_meta` says."""
    live: bool = False  # type: ignore[misc]  # likewise
    """Whether it came with a request, and so is no history, also during a load."""


class _MetaEvent(BaseEvent, frozen=True, kw_only=True):
    meta: Meta = None
    """The `_meta` of the message."""


class SessionEvent(_MetaEvent, frozen=True):
    """An event of a session."""

    session_id: str


class ScopedEvent(_MetaEvent, frozen=True):
    """An event of a session, or of the connection (`None`)."""

    session_id: str | None


# --- connection ------------------------------------------------------------------------------------


class InitializeRequested(BaseEvent, frozen=True):
    """The client asked for a connection. *renewed*: it had one before, of which nothing goes on."""

    request: InitializeRequest
    renewed: bool = False


class Initialized(BaseEvent, frozen=True):
    """The agent agreed. *version* is the one that it is read as."""

    version: int
    response: InitializeResponse


class InitializeFailed(BaseEvent, frozen=True):
    """The agent refused with *error*, or its *response* could not be read."""

    error: Json | None = None
    response: InitializeResponse | None = None


class ActivityRuleChanged(BaseEvent, frozen=True):
    """From now on a session's activity follows from its prompts and requests, or it does not."""

    derives: bool


class Authenticated(_MetaEvent, frozen=True):
    """The agent accepted a way to authenticate."""

    method_id: str | None


class LoggedOut(_MetaEvent, frozen=True):
    """The agent forgot who the user is."""


class AuthReported(_MetaEvent, frozen=True):
    """The agent said whether it is authenticated, and as whom."""

    auth: Auth


class SessionsListed(_MetaEvent, frozen=True):
    """The agent listed the sessions that it keeps; *append*: these are the next ones of the list."""

    sessions: tuple[ListedSession, ...] | None
    next_cursor: str | None = None
    append: bool = False


class RequestOpened(BaseEvent, frozen=True):
    """A request was sent. *names_session*: a session of that id is known from now on."""

    key: tuple[str, RequestKey]
    request: OpenRequest
    names_session: bool = False


class RequestClosed(BaseEvent, frozen=True):
    """A request was answered, or nobody waits for its answer any more."""

    key: tuple[str, RequestKey]


class Exited(BaseEvent, frozen=True):
    """The agent's process ended, or the recording says that the connection did."""

    exit: FrozenDict


class ConnectionMetaSent(_MetaEvent, frozen=True):
    """A frame that concerns the connection had `_meta`."""


# --- sessions --------------------------------------------------------------------------------------


class SetupRequested(SessionEvent, frozen=True):
    """A session was asked for by its id. *scope*: `start` and `cursor` bring history, `none` does not."""

    scope: str = "none"
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None


class SetupAnswered(SessionEvent, frozen=True):
    """A session can be used.

    *newest*: it is the load or resume that was asked last. *fresh*: it is new and idle. *complete*: a list that the
    response does not have is empty, unless it was updated since setup was asked. *orphan*: nobody saw the
    request; all so far was history.
    """

    response: SetupResponse
    newest: bool = False
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    forked_from: str | None = None
    fresh: bool = False
    complete: bool = False
    orphan: bool = False


class SetupFailed(SessionEvent, frozen=True):
    """A session could not be had; without *error* nobody will ever say."""

    error: Json | None = None
    newest: bool = True


class EndRequested(SessionEvent, frozen=True):
    """The client asked to close or archive a session."""


class SessionEnded(SessionEvent, frozen=True):
    """A session is closed or deleted (*phase*)."""

    phase: str
    archived: bool = False


class SessionUnarchived(SessionEvent, frozen=True):
    """A session is in the agent's list again."""


class StatusAnswered(SessionEvent, frozen=True):
    """The agent said whether it has a session in memory, and what it is doing."""

    status: str | None = None
    state: str | None = None
    background: JsonArray | None = None


class TitleStored(SessionEvent, frozen=True):
    """The agent stored a title that the client wanted."""

    title: str | None


class ModelChosen(SessionEvent, frozen=True):
    """A session uses another model."""

    model_id: str


class SessionMetaSent(SessionEvent, frozen=True):
    """A frame that concerns a session had `_meta`. *known_only*: an unknown session stays unknown."""

    known_only: bool = False


# --- turns -----------------------------------------------------------------------------------------


class PromptSent(SessionEvent, frozen=True):
    """The user's message. It begins a turn of its own, or *waits* until the agent says that it is in the timeline."""

    key: RequestKey
    id: RequestId
    content: tuple[FrozenDict, ...] = ()
    waits: bool = False


class PromptAnswered(SessionEvent, frozen=True):
    """The turn of a prompt is over: ended, or failed with *error*, or cancelled with one. Without *key* nobody saw the prompt."""

    key: RequestKey | None
    stop_reason: str | None = None
    usage: FrozenDict | None = None
    error: Json | None = None
    failed: bool = False


class PromptAccepted(SessionEvent, frozen=True):
    """The agent took a prompt, as the message *message_id* if it said so."""

    key: RequestKey
    message_id: str | None = None


class PromptRejected(SessionEvent, frozen=True):
    """The agent refused a prompt."""

    key: RequestKey
    error: Json


class PromptCancelled(SessionEvent, frozen=True):
    """The client asked to cancel one prompt."""

    key: RequestKey


class Cancelled(SessionEvent, frozen=True):
    """The client cancelled what a session is doing. *blocked_only*: its questions only while all waits for them."""

    blocked_only: bool = False


class ToolCallCancelled(SessionEvent, frozen=True):
    """The client asked to cancel a tool call."""

    id: str


class TerminalCancelled(SessionEvent, frozen=True):
    """The client asked to cancel a terminal."""

    id: str


# --- questions: permissions and elicitations -------------------------------------------------------


class QuestionAsked(ScopedEvent, frozen=True):
    """The agent asked whether it may, or what the user wants. Without *session_id* it concerns the connection."""

    key: RequestKey
    question: Permission | Elicitation


class QuestionAnswered(ScopedEvent, frozen=True):
    """The client answered: *status* is that of the permission or the elicitation from now on."""

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


class QuestionWithdrawn(ScopedEvent, frozen=True):
    """The agent cancelled its question; the client still owes an answer."""

    key: RequestKey


class QuestionExpired(ScopedEvent, frozen=True):
    """Nobody will see an answer to this question any more."""

    key: RequestKey


class ElicitationCompleted(ScopedEvent, frozen=True):
    """What the user was sent to a URL for is done."""

    elicitation_id: str


# --- terminals, files, extensions ------------------------------------------------------------------


class TerminalPatched(SessionEvent, frozen=True):
    """A terminal that the client runs, or that the `_meta` of a tool call shows, is there, or something of it is otherwise."""

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
    live: bool = False
    """As of `LinkedUpdate`."""


class TerminalPrinted(SessionEvent, frozen=True):
    """A terminal that the `_meta` of a tool call shows printed something. *cumulative*: maybe all of it once more (SPEC 4.7)."""

    id: str
    data: bytes
    cumulative: bool = False
    live: bool = False
    """As of `LinkedUpdate`."""


class FileRequested(SessionEvent, frozen=True):
    """The agent asked the client to read or write a file."""

    key: RequestKey
    file: FileRequest


class FileAnswered(SessionEvent, frozen=True):
    """The client did (*status* `answered`), or did not (`failed`, `cancelled`)."""

    key: RequestKey
    status: str


class ExtensionSent(ScopedEvent, frozen=True):
    """A request or notification that this protocol does not know, or that says nothing of a session."""

    key: tuple[str, RequestKey] | None
    extension: Extension


class ExtensionAnswered(ScopedEvent, frozen=True):
    """An extension request was answered: *status* `answered`, `failed` or `cancelled`."""

    key: tuple[str, RequestKey]
    status: str
    result: Json | UnsetType = UNSET
    error: Json | None = None


Event: TypeAlias = SessionUpdate[Update] | BaseEvent


def _leaves_of(cls: type[Any]) -> list[type[Any]]:
    subclasses = cls.__subclasses__()
    return [leaf for subclass in subclasses for leaf in _leaves_of(subclass)] if subclasses else [cls]


EVENTS: Final[frozenset[type[Any]]] = frozenset((SessionUpdate, LinkedUpdate, *_leaves_of(BaseEvent)))
"""The classes of events."""
