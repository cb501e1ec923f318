"""The snapshot: what a client knows of a connection and its sessions, as immutable values.

Attributes bear the names that the state document gives them (SPEC 5), in snake_case. Attributes
that begin with an underscore are what going on needs and the document does not say.

This file holds values and their empty forms. How they change is `reduce`'s business, how they are
printed `document`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias

from ._content import EMPTY_CONTENT, Content, Output
from ._json import FrozenDict, FrozenList, Json
from ._model import UNSET, Unset, field, frozen, passing_on, replacer
from ._persistent import EMPTY_LOG, Log, Registry, Table


RequestId: TypeAlias = Json
"""A JSON-RPC id as sent; `None` where the recording has none."""

RequestKey: TypeAlias = object
"""What a request is found by: its id with its JSON type, or a number where there is no id."""

JsonObject: TypeAlias = FrozenDict
JsonArray: TypeAlias = FrozenList

FINAL_STATUSES: Final = frozenset(("completed", "failed", "cancelled"))
"""The statuses of a tool call after which no more is expected (schema `ToolCallStatus`)."""

EMPTY_ARRAY: Final = FrozenList()
EMPTY_TABLE: Final[Any] = Table()


# --- what is in the timeline -----------------------------------------------------------------------


@frozen
class Message:
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


@frozen
class ToolCall:
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
    content: Log[JsonObject] = EMPTY_LOG
    locations: JsonArray | None = None
    raw_input: Json | Unset = UNSET
    raw_output: Json | Unset = UNSET
    unannounced: bool = False
    unresolved: bool = False
    cancelled_by_client: bool = False
    cancel_requested: bool = False
    capabilities: JsonObject | None = None
    meta: JsonObject | None = None
    _final_since: int = field(default=0, eq=False, repr=False)
    """The history's epoch when the status became final."""

    @property
    def final(self) -> bool:
        """Whether the status is one after which no more is expected."""
        return self.status in FINAL_STATUSES


@frozen
class PermissionOption:
    """One of the answers that the user may choose (schema `PermissionOption`)."""

    id: str
    name: str | None = None
    kind: str | None = None
    meta: JsonObject | None = None


@frozen
class Permission:
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
    answer: Json | Unset = UNSET
    error: Json | None = None
    meta: JsonObject | None = None


@frozen
class Elicitation:
    """A question to the user and its answer (schema `CreateElicitationRequest`)."""

    type: ClassVar[str] = "elicitation"

    id: RequestId = None
    turn: int | None = None
    tool_call_id: str | None = None
    request_id: RequestId | Unset = UNSET
    mode: str | None = None
    message: str | None = None
    requested_schema: Json | Unset = UNSET
    url: str | None = None
    elicitation_id: str | None = None
    status: str = "pending"
    """`pending`, `accepted`, `declined`, `cancelled`, `failed`, `invalid` or `unanswered`."""
    content: JsonObject | None = None
    completed: bool = False
    answer_owed: bool = False
    answer: Json | Unset = UNSET
    error: Json | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None
    """What an unknown mode has besides."""


@frozen
class Compaction:
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


# --- what a session has besides --------------------------------------------------------------------


@frozen
class PromptRef:
    """A prompt that a turn answers."""

    request_id: RequestId = None
    message_id: str | None = None


@frozen
class Echo:
    """User content that so far repeats the prompt of an open turn (SPEC 4.2)."""

    id: str | None
    parent: str | None
    content: Content
    """What was repeated."""
    size: int
    """The length of the timeline: a longer one breaks a run without id."""
    runs: tuple[tuple[FrozenDict, str | None], ...] = field(eq=False, repr=False)
    """The prompt's blocks, each without its text and with it; neighbours that differ in text alone are one."""
    run: int = field(default=0, eq=False)
    """The run that the next text may go on with."""
    offset: int = field(default=0, eq=False)
    """How many characters of it were repeated."""
    half: str = field(default="", eq=False)
    """The first half of a character whose second half must follow."""


@frozen
class Turn:
    """A stretch of foreground work: a prompt in v1, running to idle in v2."""

    status: str = "running"
    """`running`, `ended` or `failed`."""
    prompts: tuple[PromptRef, ...] = ()
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    cancel_requested: bool = False
    in_context: bool = True
    meta: JsonObject | None = None
    _entry: int | None = field(default=None, repr=False)
    """The place of the message that its prompt is; only while it runs."""
    _echo: Echo | None = field(default=None, repr=False)
    _busy: bool = field(default=False, repr=False)
    """Whether it has entries besides that message; only while it runs."""
    _unfinished: int = field(default=0, eq=False, repr=False)
    """How many of its tool calls are not final; only while it runs."""
    _first_call: int = field(default=0, eq=False, repr=False)
    """None of them stands before this place."""
    _questions: Table[int, int] = field(default=EMPTY_TABLE, eq=False, repr=False)
    """The places of its pending permissions and elicitations."""


@frozen
class Taken:
    """The message that is taken for a prompt until the prompt's answer says so."""

    message_id: str | None
    turn: int | None


@frozen
class PendingPrompt:
    """A v2 prompt whose message is not in the timeline yet."""

    request_id: RequestId = None
    content: JsonArray = EMPTY_ARRAY
    accepted: bool = False
    message_id: str | None = None
    cancel_requested: bool = False
    rejected: Json | None = None
    meta: JsonObject | None = None
    _taken: Taken | None = field(default=None, repr=False)


@frozen
class PlanEntry:
    """A step of a plan (schema `PlanEntry`)."""

    content: str
    priority: str
    status: str
    meta: JsonObject | None = None


@frozen
class Plan:
    """A plan (schema `Plan`, `PlanUpdateContent`)."""

    id: str | None = None
    type: str = "items"
    entries: tuple[PlanEntry, ...] | None = None
    content: str | None = None
    uri: str | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None
    """What an unknown type has besides."""


@frozen
class ExitStatus:
    """How a terminal's command ended (schema `TerminalExitStatus`); all absent: it did, and no more is known."""

    exit_code: int | None = None
    signal: str | None = None
    meta: JsonObject | None = None


@frozen
class Terminal:
    """A terminal, whoever runs it (schema `TerminalUpdate`, `CreateTerminalRequest`)."""

    id: str
    owner: str
    """`client` or `agent`."""
    command: str | None = None
    args: tuple[str, ...] | None = None
    cwd: str | None = None
    size: JsonObject | None = None
    capabilities: JsonObject | None = None
    output: Output | None = None
    truncated: bool | None = None
    exit_status: ExitStatus | None = None
    killed: bool = False
    released: bool = False
    cancel_requested: bool = False
    output_meta: JsonObject | None = None
    """The `_meta` of the last output snapshot."""
    meta: JsonObject | None = None


@frozen
class FileRequest:
    """A file that the agent asked the client to read or write (schema `ReadTextFileRequest`, `WriteTextFileRequest`)."""

    operation: str
    """`read` or `write`."""
    path: str | None = None
    status: str = "open"
    """`open`, `answered`, `failed` or `cancelled`."""
    meta: JsonObject | None = None


@frozen
class Extension:
    """A vendor's request or notification, or one that says nothing of a session."""

    from_: str
    kind: str
    """`request` or `notification`."""
    id: RequestId | Unset = UNSET
    method: str = ""
    params: Json | Unset = UNSET
    status: str | None = None
    """Of a request: `open`, `answered`, `failed` or `cancelled`."""
    result: Json | Unset = UNSET
    error: Json | None = None


@frozen
class Mode:
    """A session mode (schema `SessionMode`) or model."""

    id: str
    name: str | None = None
    description: str | None = None
    meta: JsonObject | None = None


@frozen
class Modes:
    """What is chosen of what can be (schema `SessionModeState`; for models the older `SessionModelState`)."""

    current_id: str | None = None
    available: tuple[Mode, ...] | None = None
    meta: JsonObject | None = None


@frozen
class ConfigChoice:
    """A value that a config option can have (schema `SessionConfigSelectOption`)."""

    value: str
    name: str | None = None
    description: str | None = None
    meta: JsonObject | None = None


@frozen
class ConfigGroup:
    """Choices under a heading (schema `SessionConfigSelectGroup`)."""

    group: str
    name: str | None = None
    options: tuple[ConfigChoice, ...] = ()
    meta: JsonObject | None = None


@frozen
class ConfigOption:
    """A setting of a session (schema `SessionConfigOption`)."""

    id: str
    name: str | None = None
    description: str | None = None
    category: str | None = None
    type: str | None = None
    current_value: Json | Unset = UNSET
    options: tuple[ConfigChoice | ConfigGroup, ...] | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None
    """What an unknown type has besides."""


@frozen
class CommandInput:
    """What a command wants to be told (schema `AvailableCommandInput`)."""

    type: str | None = None
    hint: str | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None


@frozen
class Command:
    """A command that the user can give (schema `AvailableCommand`)."""

    type: str | None = None
    name: str | None = None
    description: str | None = None
    input: CommandInput | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None


@frozen
class Cost:
    """What a session has cost so far (schema `Cost`)."""

    amount: int | float
    currency: str
    meta: JsonObject | None = None


@frozen
class Usage:
    """How full the context is, in tokens (schema `UsageUpdate`)."""

    used: int
    size: int
    cost: Cost | None = None
    meta: JsonObject | None = None


@frozen
class Notice:
    """A word to the user (schema `Notice`)."""

    severity: str
    title: str
    description: str | None = None
    meta: JsonObject | None = None


@frozen
class Subagent:
    """A child session as its parent shows it (schema `SubagentUpdate`)."""

    id: str
    title: str | None = None
    description: str | None = None
    capabilities: JsonObject | None = None
    state: JsonObject | None = None
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    meta: JsonObject | None = None


@frozen
class Parent:
    """Whose child a session is."""

    session_id: str
    tool_call_id: str | None = None


@frozen
class Loading:
    """A load or resume that is asked and not answered."""

    scope: str
    """`start` replaces the history, `cursor` a part of it, `none` brings none (unless the agent does)."""
    known: bool
    """Whether the session was known before."""
    phase: str = "ready"
    """The session's phase before."""
    replaying: bool = True
    """Whether what comes is replayed: until a state update, or the end."""
    begun: bool = False
    """Whether anything was."""
    seen: Table[object, tuple[int, Entry] | None] = EMPTY_TABLE
    """What the replay has brought, for scope `cursor`: keys, each with the place and the entry that it replaced, if it did."""
    known_until: int = 0
    """Where the timeline ended when it was asked: what stands before was known."""


@frozen
class History:
    """The part of a session that a replay replaces."""

    timeline: Table[object, Entry] = EMPTY_TABLE
    turns: Table[RequestKey, Turn] = EMPTY_TABLE
    plans: Table[tuple[str, str | None], Plan] = EMPTY_TABLE
    terminals: Table[tuple[str, str], Terminal] = EMPTY_TABLE
    files: Table[RequestKey, FileRequest] = EMPTY_TABLE
    unknown_updates: Log[Json] = EMPTY_LOG
    # Each a set of places, so that no event looks through a whole timeline:
    _pending: Table[int, int] = field(default=EMPTY_TABLE, eq=False, repr=False)
    """Permissions and elicitations that are pending."""
    _open_turns: Table[int, int] = field(default=EMPTY_TABLE, eq=False, repr=False)
    _echoed: Table[str, int] = field(default=EMPTY_TABLE, eq=False, repr=False)
    """Where the prompts stand whose id comes from their echo."""
    _urls: Table[str, int] = field(default=EMPTY_TABLE, eq=False, repr=False)
    """Where elicitations stand that an `elicitation/complete` may name."""
    _epoch: int = field(default=0, eq=False, repr=False)
    """Counts turns that began, and in a replay user messages."""


@frozen
class Facts:
    """What is known of a session beside its history, and seldom changes. A session has all of it as its own."""

    id: str = ""
    phase: str = "unannounced"
    """`unannounced`, `opening`, `loading`, `ready`, `failed`, `closed` or `deleted`."""
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    forked_from: str | None = None
    title: str | None = None
    updated_at: str | None = None
    error: Json | None = None
    archived: bool | None = None
    status: str | None = None
    parent: Parent | None = None
    subagents: Table[str, Subagent] = EMPTY_TABLE
    activity: str | None = None
    """`idle`, `running`, `requires_action`, another state as sent, or `None`: nobody said."""
    stop_reason: str | None = None
    background: JsonArray | None = None
    modes: Modes | None = None
    models: Modes | None = None
    config_options: tuple[ConfigOption, ...] | None = None
    available_commands: tuple[Command, ...] | None = None
    notices: Log[Notice] = EMPTY_LOG
    extensions: Table[object, Extension] = EMPTY_TABLE
    before: History | None = None
    """The history that a replay under way would replace."""
    meta: JsonObject | None = None
    _prompts: Table[RequestKey, PendingPrompt] = EMPTY_TABLE
    # The places of those that wait for their message, by what their answer said:
    _unanswered: Table[int, int] = field(default=EMPTY_TABLE, eq=False)
    """Nothing yet."""
    _unnamed: Table[int, int] = field(default=EMPTY_TABLE, eq=False)
    """Accepted, without naming the message."""
    _expected: Table[str, int] = field(default=EMPTY_TABLE, eq=False)
    """Accepted, by the id of the message."""
    _derives: bool = False
    """Whether *activity* follows from prompts and requests (v1, both sides seen)."""
    _reported: str | None = None
    """The activity that the session itself reported."""
    _mirrored: str | None = None
    """The activity that its parent reported for it."""
    _idle: bool = False
    """Whether it is idle for being new."""
    _fresh: frozenset[str] = frozenset()
    """The lists (`config_options`, `available_commands`) that were updated since setup was asked."""
    _last_ended: int | None = None
    """The turn that ended last."""


if TYPE_CHECKING:

    class _SessionBase(History, Facts):
        """What a session has of its own, and what it passes on."""
else:
    _SessionBase = History


@passing_on(Facts, "_facts")
@frozen
class Session(_SessionBase):
    """A session. A closed one stays as it was.

    It has the attributes of `History` and of `Facts`. Most events change the former alone, and every
    change is a copy: so the latter stand together in an object of their own.
    """

    usage: Usage | None = None
    _facts: Facts = Facts()
    _run_broken: bool = field(default=False, repr=False)
    """Whether the next chunk without id begins a message."""
    _loading: Loading | None = field(default=None, repr=False)

    @property
    def pending_prompts(self) -> tuple[PendingPrompt, ...]:
        """Prompts whose message is not in the timeline yet (v2), oldest first."""
        return tuple(prompt for prompt in self._prompts if prompt._taken is None)

    @property
    def effective_mode(self) -> str | None:
        """The mode that the session is in: what the config option of category `mode` says, else the mode itself (SPEC 4.6)."""
        for option in self.config_options or ():
            if option.category == "mode" and isinstance(option.current_value, str):
                return option.current_value
        return None if self.modes is None else self.modes.current_id

    @property
    def replaying(self) -> bool:
        """Whether what the agent sends is history."""
        return self._loading is not None and self._loading.replaying and self._loading.scope != "none"


# --- the connection --------------------------------------------------------------------------------


@frozen
class Implementation:
    """Who a side is (schema `Implementation`)."""

    name: str | None = None
    title: str | None = None
    version: str | None = None
    meta: JsonObject | None = None


@frozen
class AuthMethod:
    """A way to authenticate (schema `AuthMethod`); values of environment variables are never kept."""

    id: str
    type: str | None = None
    name: str | None = None
    description: str | None = None
    args: tuple[str, ...] | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None


@frozen
class Auth:
    """What the agent says of authentication (schema `AuthStatusResponse`)."""

    state: str
    accounts: JsonArray | None = None


@frozen
class OpenRequest:
    """A request without an answer yet."""

    from_: str
    id: RequestId
    method: str
    session_id: str | None = None


@frozen
class ListedSession:
    """A session of the agent's list (schema `SessionInfo`)."""

    id: str
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    title: str | None = None
    updated_at: str | None = None
    archived: bool | None = None
    meta: JsonObject | None = None


@frozen
class Connection:
    """What was agreed on between client and agent, and what belongs to no session."""

    phase: Literal["new", "initializing", "ready", "failed", "closed"] = "new"
    protocol_version: int | None = None
    requested_protocol_version: Json | None = None
    error: Json | None = None
    agent: Implementation | None = None
    client: Implementation | None = None
    agent_capabilities: JsonObject | None = None
    client_capabilities: JsonObject | None = None
    auth_methods: tuple[AuthMethod, ...] | None = None
    authenticated: str | None = None
    auth: Auth | None = None
    open_requests: Table[object, OpenRequest] = EMPTY_TABLE
    elicitations: Table[object, Elicitation] = EMPTY_TABLE
    listed_sessions: Table[str, ListedSession] | None = None
    next_cursor: str | None = None
    extensions: Table[object, Extension] = EMPTY_TABLE
    exit: JsonObject | None = None
    meta: JsonObject | None = None
    _urls: Table[str, int] = field(default=EMPTY_TABLE, eq=False, repr=False)
    """Where elicitations stand that an `elicitation/complete` may name."""


EMPTY_REGISTRY: Final = Registry[str, Session]()


with_content: Final = replacer(Message, "content")
with_timeline: Final = replacer(Session, "timeline")


@frozen(eq=False)
class Stream:
    """A message that pieces of text are gathered for, as it is without them."""

    session_id: str
    place: int
    message: Message
    block: JsonObject
    """The text block that grows, without its text."""


class Streams:
    """Text that is gathered beside the sessions until somebody looks: at most snapshots of a stream nobody ever does.

    While text is gathered nothing else changes a message. So what a piece belongs to need not be
    found out twice. Snapshots share one growing *log*, as versions of a `Log` do.
    """

    __slots__ = ("_messages", "_sessions", "log", "open")

    def __init__(self) -> None:
        self.open: dict[tuple[str, str, str | int], Stream] = {}
        """The streams, by session, role and id of the message; without an id, its place."""
        self.log: list[tuple[Stream, str]] = []
        # What was made of it for one snapshot is what another one gets, too: what did not change is the same object.
        self._messages: dict[tuple[Stream, int], Message] = {}
        self._sessions: dict[tuple[object, ...], tuple[Session, Session]] = {}

    def grown(self, sessions: Registry[str, Session], size: int) -> Registry[str, Session]:
        """Return *sessions* with the text of the first *size* pieces of the log."""
        found: dict[str, dict[Stream, list[str]]] = {}
        last, texts = None, []
        for stream, text in self.log[:size]:
            if stream is not last:
                last, texts = stream, found.setdefault(stream.session_id, {}).setdefault(stream, [])
            texts.append(text)
        for session_id, streams in found.items():
            sessions = sessions.put(session_id, self._grown(sessions[session_id], streams))
        return sessions

    def _grown(self, session: Session, streams: dict[Stream, list[str]]) -> Session:
        key = (session.id, *map(len, streams.values()))
        made = self._sessions.get(key)
        if made is not None and made[0] is session:
            return made[1]
        timeline = session.timeline
        for stream, texts in streams.items():
            timeline = timeline.replace(stream.place, self._message(stream, texts))
        after = with_timeline(session, timeline)
        self._sessions[key] = (session, after)
        return after

    def _message(self, stream: Stream, texts: list[str]) -> Message:
        key = (stream, len(texts))
        message = self._messages.get(key)
        if message is None:
            message = with_content(stream.message, stream.message.content.extended(texts))
            message = self._messages.setdefault(key, message)  # two threads may both do it
        return message


@frozen(eq=False, repr=False)
class Snapshot:
    """Everything that a recording says, up to some frame.

    Two snapshots are equal when they say the same; parts that did not change are the same object.
    """

    connection: Connection = Connection()
    _sessions: Registry[str, Session] = EMPTY_REGISTRY
    """The sessions, without the text that is gathered beside them."""
    _derives: bool = False
    """Whether sessions derive their activity (v1, both sides seen)."""
    _streams: Streams | None = None
    _size: int = 0
    """How much of the log of *_streams* is ours."""
    _whole: Registry[str, Session] | None = None
    """The sessions with all text, once somebody looked."""

    @property
    def sessions(self) -> Registry[str, Session]:
        """The sessions by their id, in the order in which they were heard of."""
        if self._streams is None:
            return self._sessions
        whole = self._whole
        if whole is None:
            whole = self._streams.grown(self._sessions, self._size)
            _keep_whole(self, whole)  # two threads may both do it, and get equal values
        return whole

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Snapshot):
            return NotImplemented
        return self.connection == other.connection and self._derives == other._derives and self.sessions == other.sessions

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Snapshot(connection={self.connection!r}, sessions={self.sessions!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (Snapshot, (self.connection, self.sessions, self._derives))


# The slot itself: what is kept there changes nothing.
_keep_whole: Final = Snapshot._whole.__set__  # type: ignore[union-attr]  # a slot is a descriptor

EMPTY: Final = Snapshot()
