"""Events of the connection, and of sessions as a whole."""

from __future__ import annotations

from .._json import Json
from .._model import UNSET, Patch
from ..state import (
    Auth,
    AuthMethod,
    Command,
    ConfigOption,
    Cost,
    Implementation,
    JsonArray,
    JsonObject,
    ListedSession,
    Mode,
    Notice,
    OpenRequest,
    RequestKey,
)
from .base import Fact, Meta


# --- connection ------------------------------------------------------------------------------------


class Connecting(Fact, frozen=True):
    """The client asked for a connection. *renewed*: it had one before, of which nothing goes on."""

    renewed: bool = False
    requested_version: Json | None = None
    client: Implementation | None = None
    capabilities: JsonObject | None = None
    meta: Meta = None


class Connected(Fact, frozen=True):
    """The agent agreed. *version* is the one that it is read as."""

    version: int
    agent: Implementation | None = None
    capabilities: JsonObject | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    meta: Meta = None


class ConnectFailed(Fact, frozen=True):
    """The agent refused, or its answer could not be read (then there is no *error*)."""

    error: Json | None = None
    agent: Implementation | None = None
    capabilities: JsonObject | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    meta: Meta = None


class ActivityRuleChanged(Fact, frozen=True):
    """From now on a session's activity follows from its prompts and requests, or it does not."""

    derives: bool


class Authenticated(Fact, frozen=True):
    """The agent accepted a way to authenticate."""

    method_id: str | None
    meta: Meta = None


class LoggedOut(Fact, frozen=True):
    """The agent forgot who the user is."""

    meta: Meta = None


class AuthReported(Fact, frozen=True):
    """The agent said whether it is authenticated, and as whom."""

    auth: Auth
    meta: Meta = None


class SessionsListed(Fact, frozen=True):
    """The agent listed the sessions that it keeps; *append*: these are the next ones of the list."""

    sessions: tuple[ListedSession, ...] | None
    next_cursor: str | None = None
    append: bool = False
    meta: Meta = None


class RequestOpened(Fact, frozen=True):
    """A request was sent. *names_session*: a session of that id is known from now on."""

    key: tuple[str, RequestKey]
    request: OpenRequest
    names_session: bool = False


class RequestClosed(Fact, frozen=True):
    """A request was answered, or nobody waits for its answer any more."""

    key: tuple[str, RequestKey]


class Exited(Fact, frozen=True):
    """The agent's process ended, or the recording says that the connection did."""

    exit: JsonObject


class ConnectionMetaSent(Fact, frozen=True):
    """A frame that concerns the connection had `_meta`."""

    meta: JsonObject


# --- sessions --------------------------------------------------------------------------------------


class SessionSetupAsked(Fact, frozen=True):
    """A session was asked for by its id. *scope*: `start` and `cursor` bring history, `none` does not."""

    session_id: str
    scope: str = "none"
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    meta: Meta = None


class SessionReady(Fact, frozen=True):
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


class SessionSetupFailed(Fact, frozen=True):
    """A session could not be had; without *error* nobody will ever say."""

    session_id: str
    error: Json | None = None
    newest: bool = True


class SessionEndAsked(Fact, frozen=True):
    """The client asked to close or archive a session."""

    session_id: str
    meta: Meta = None


class SessionEnded(Fact, frozen=True):
    """A session is closed or deleted (*phase*)."""

    session_id: str
    phase: str
    archived: bool = False
    meta: Meta = None


class SessionUnarchived(Fact, frozen=True):
    """A session is in the agent's list again."""

    session_id: str
    meta: Meta = None


class SessionStatusReported(Fact, frozen=True):
    """The agent said whether it has a session in memory, and what it is doing."""

    session_id: str
    status: str | None = None
    state: str | None = None
    background: JsonArray | None = None
    meta: Meta = None


class TitleStored(Fact, frozen=True):
    """The agent stored a title that the client wanted."""

    session_id: str
    title: str | None
    meta: Meta = None


class InfoPatched(Fact, frozen=True):
    """A session's title or time changed (schema `SessionInfoUpdate`)."""

    session_id: str
    title: Patch[str] = UNSET
    updated_at: Patch[str] = UNSET
    meta: Patch[JsonObject] = UNSET


class ModeChosen(Fact, frozen=True):
    """A session is in another mode."""

    session_id: str
    mode_id: str
    meta: Meta = None


class ModelChosen(Fact, frozen=True):
    """A session uses another model."""

    session_id: str
    model_id: str
    meta: Meta = None


class ConfigReplaced(Fact, frozen=True):
    """A session's settings, all of them."""

    session_id: str
    options: tuple[ConfigOption, ...] | None
    meta: Meta = None


class CommandsReplaced(Fact, frozen=True):
    """A session's commands, all of them."""

    session_id: str
    commands: tuple[Command, ...]
    meta: Meta = None


class UsageReported(Fact, frozen=True):
    """How full the context is (schema `UsageUpdate`)."""

    session_id: str
    used: int
    size: int
    cost: Patch[Cost] = UNSET
    meta: Meta = None


class NoticePosted(Fact, frozen=True):
    """A word to the user."""

    session_id: str
    notice: Notice


class SubagentPatched(Fact, frozen=True):
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


class SessionMetaSent(Fact, frozen=True):
    """A frame that concerns a session had `_meta`. *known_only*: an unknown session stays unknown."""

    session_id: str
    meta: JsonObject
    known_only: bool = False


class UnknownUpdated(Fact, frozen=True):
    """An update of a kind that nobody knows; as sent."""

    session_id: str
    update: Json
