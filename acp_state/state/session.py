"""A session: its history (turns, plans, terminals, files), its settings, and what going on with it needs."""

from __future__ import annotations

from typing import ClassVar, Final

from .._json import FrozenDict, Json
from .._model import UNSET, Entity, Part, UnsetType
from ..containers import EMPTY_HEAP, EMPTY_LOG, EMPTY_TABLE, Content, Heap, Log, Output, Table
from ..protocol.objects import Cost, ExitStatus
from ..protocol.settings import Command, ConfigOption, Modes, PlanEntry
from .entries import EMPTY_ARRAY, Entry, JsonArray, JsonObject, RequestId, RequestKey


class PromptRef(Part, frozen=True):
    """A prompt that a turn answers."""

    request_id: RequestId = None
    message_id: str | None = None


class Echo(Entity, frozen=True, eq=False):
    """User content that so far repeats the prompt of an open turn (SPEC 4.2)."""

    id: str | None
    parent: str | None
    content: Content
    """What was repeated."""
    size: int
    """The length of the timeline: a longer one breaks a run without id."""
    runs: tuple[tuple[FrozenDict, str | None], ...]
    """The prompt's blocks, each without its text and with it; neighbours that differ in text alone are one."""
    run: int = 0
    """The run that the next text may go on with."""
    offset: int = 0
    """How many characters of it were repeated."""
    half: str = ""
    """The first half of a character whose second half must follow."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(("runs", "run", "offset", "half"))


class Turn(Entity, frozen=True, eq=False):
    """A stretch of foreground work: a prompt in v1, running to idle in v2."""

    status: str = "running"
    """`running`, `ended` or `failed`."""
    prompts: Log[PromptRef] = EMPTY_LOG
    stop_reason: str | None = None
    usage: JsonObject | None = None
    error: Json | None = None
    cancel_requested: bool = False
    in_context: bool = True
    meta: JsonObject | None = None


class OpenTurn(Entity, frozen=True, eq=False):
    """What is remembered of a turn while it runs, beside it: the turn itself is another one when it is told otherwise."""

    index: int
    """Where the turn stands."""
    prompt: int | None = None
    """The index of the message that its prompt is."""
    echo: Echo | None = None
    busy: bool = False
    """Whether it has entries besides that message."""
    calls: Log[int] = EMPTY_LOG
    """The indices of its tool calls that may be unfinished."""
    questions: Table[int, int] = EMPTY_TABLE
    """The indices of its pending permissions and elicitations."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(("calls", "questions"))


class Taken(Part, frozen=True):
    """The message that is taken for a prompt until the prompt's answer says so."""

    message_id: str | None
    turn: int | None


class PendingPrompt(Entity, frozen=True, eq=False):
    """A v2 prompt whose message is not in the timeline yet."""

    request_id: RequestId = None
    content: JsonArray = EMPTY_ARRAY
    accepted: bool = False
    message_id: str | None = None
    cancel_requested: bool = False
    rejected: Json | None = None
    meta: JsonObject | None = None
    _taken: Taken | None = None


class Plan(Entity, frozen=True, eq=False):
    """A plan (schema `Plan`, `PlanUpdateContent`)."""

    id: str | None = None
    type: str = "items"
    entries: tuple[PlanEntry, ...] | None = None
    content: str | None = None
    uri: str | None = None
    meta: JsonObject | None = None
    extra: JsonObject | None = None
    """What an unknown type has besides."""


class Terminal(Entity, frozen=True, eq=False):
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


class FileRequest(Entity, frozen=True, eq=False):
    """A file that the agent asked the client to read or write (schema `ReadTextFileRequest`, `WriteTextFileRequest`)."""

    operation: str
    """`read` or `write`."""
    path: str | None = None
    status: str = "open"
    """`open`, `answered`, `failed` or `cancelled`."""
    meta: JsonObject | None = None


class Extension(Entity, frozen=True, eq=False):
    """A vendor's request or notification, or one that says nothing of a session."""

    from_: str
    kind: str
    """`request` or `notification`."""
    id: RequestId | UnsetType = UNSET
    method: str = ""
    params: Json | UnsetType = UNSET
    status: str | None = None
    """Of a request: `open`, `answered`, `failed` or `cancelled`."""
    result: Json | UnsetType = UNSET
    error: Json | None = None


class Usage(Part, frozen=True):
    """How full the context is, in tokens (schema `UsageUpdate`)."""

    used: int
    size: int
    cost: Cost | None = None
    meta: JsonObject | None = None


class Notice(Entity, frozen=True, eq=False):
    """A word to the user (schema `Notice`)."""

    severity: str
    title: str
    description: str | None = None
    meta: JsonObject | None = None


class Subagent(Entity, frozen=True, eq=False):
    """A child session as its parent shows it (schema `SubagentUpdate`)."""

    id: str
    title: str | None = None
    description: str | None = None
    capabilities: JsonObject | None = None
    state: JsonObject | None = None
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None
    meta: JsonObject | None = None


class Parent(Part, frozen=True):
    """Whose child a session is."""

    session_id: str
    tool_call_id: str | None = None


class Ends(Part, frozen=True):
    """Where lists of a history ended at some time: what stands from there on came later."""

    timeline: int = 0
    files: int = 0
    terminals: int = 0


class Loading(Entity, frozen=True, eq=False):
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
    """What the replay has brought, for scope `cursor`: keys, each with the index and the entry that it replaced, if it did."""
    known_until: Ends = Ends()
    """Where the history ended when it was asked: what stands before was known."""


class History(Entity, frozen=True, eq=False):
    """The part of a session that a replay replaces."""

    timeline: Table[object, Entry] = EMPTY_TABLE
    turns: Table[RequestKey, Turn] = EMPTY_TABLE
    plans: Table[tuple[str, str | None], Plan] = EMPTY_TABLE
    terminals: Table[tuple[str, str], Terminal] = EMPTY_TABLE
    files: Table[RequestKey, FileRequest] = EMPTY_TABLE
    unknown_updates: Log[Json] = EMPTY_LOG
    _open_turns: Table[int, OpenTurn] = EMPTY_TABLE
    """Those that run, by their index."""
    # Each a set of indices, so that no event looks through a whole timeline:
    _cancellable: Table[int, int] = EMPTY_TABLE
    """The open turns that a cancel would change: it was not asked for, or they have unfinished calls."""
    _loose_calls: Log[int] = EMPTY_LOG
    """Tool calls of no open turn that may be unfinished."""
    _replayed_calls: Log[int] = EMPTY_LOG
    """Historical tool calls that may be unfinished."""
    _pending: Table[int, int] = EMPTY_TABLE
    """Permissions and elicitations that are pending."""
    _echoed: Table[str, int] = EMPTY_TABLE
    """Where the prompts stand whose id comes from their echo."""
    _urls: Table[str, int] = EMPTY_TABLE
    """Where elicitations stand that an `elicitation/complete` may name."""
    _epoch: int = 0
    """Counts turns that began, and in a replay user messages."""
    _historical_until: int = 0
    """What stands before is known to be historical."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(
        ("_cancellable", "_loose_calls", "_replayed_calls", "_pending", "_echoed", "_urls", "_epoch", "_historical_until")
    )


class Prompts(Entity, frozen=True, eq=False):
    """The prompts of a session whose message is not in the timeline for certain (v2), by what their answers said."""

    all: Table[RequestKey, PendingPrompt] = EMPTY_TABLE
    """In the order in which they were sent."""
    unanswered: Table[RequestKey, RequestKey] = EMPTY_TABLE
    """The keys of those that have no answer, and are not taken for a message."""
    unnamed: Heap = EMPTY_HEAP
    """The slots of those that were accepted without naming their message; maybe also of some that are gone."""
    expected: Table[str, Log[RequestKey]] = EMPTY_TABLE
    """The keys of those that were accepted and wait for their message, by its id."""
    uncancelled: Table[RequestKey, RequestKey] = EMPTY_TABLE
    """The keys of those that a cancel would mark."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(("unanswered", "unnamed", "expected", "uncancelled"))


NO_PROMPTS: Final = Prompts()


class Said(Part, frozen=True):
    """Who said what a session is doing."""

    reported: str | None = None
    """The activity that the session itself reported."""
    mirrored: str | None = None
    """The activity that its parent reported for it."""
    idle: bool = False
    """Whether it is idle for being new."""


NOTHING_SAID: Final = Said()


class Session(History, frozen=True, eq=False):
    """A session: its history, and what is known of it beside that. A closed one stays as it was."""

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
    usage: Usage | None = None
    notices: Log[Notice] = EMPTY_LOG
    extensions: Table[object, Extension] = EMPTY_TABLE
    before: History | None = None
    """The history that a replay under way would replace."""
    meta: JsonObject | None = None
    _prompts: Prompts = NO_PROMPTS
    _derives: bool = False
    """Whether *activity* follows from prompts and requests (v1, both sides seen)."""
    _said: Said = NOTHING_SAID
    _fresh: frozenset[str] = frozenset()
    """The lists (`config_options`, `available_commands`) that were updated since setup was asked."""
    _last_ended: int | None = None
    """The turn that ended last."""
    _run_broken: bool = False
    """Whether the next chunk without id begins a message."""
    _loading: Loading | None = None
    _connection: int = 0
    """On which connection, of those that this session has lived through, it was last told anything."""

    UNCOMPARED: ClassVar[frozenset[str]] = History.UNCOMPARED | {"_connection"}

    @property
    def pending_prompts(self) -> tuple[PendingPrompt, ...]:
        """Prompts whose message is not in the timeline yet (v2), oldest first."""
        return tuple(prompt for prompt in self._prompts.all if prompt._taken is None)

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
