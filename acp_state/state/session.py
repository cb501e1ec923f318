"""A session: its history (turns, plans, terminals, files), its settings, and what going on with it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._content import Content, Output
from .._json import FrozenDict, Json
from .._model import UNSET, Unset, field, frozen, passing_on
from .._persistent import EMPTY_LOG, Log, Table
from .entries import EMPTY_ARRAY, EMPTY_TABLE, Entry, JsonArray, JsonObject, RequestId, RequestKey


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


@frozen(weakref_slot=True)
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


@frozen
class OpenTurn:
    """What is remembered of a turn while it runs, beside it: the turn itself is another one when it is told otherwise."""

    place: int
    """Where the turn stands."""
    entry: int | None = None
    """The place of the message that its prompt is."""
    echo: Echo | None = None
    busy: bool = False
    """Whether it has entries besides that message."""
    unfinished: int = field(default=0, eq=False)
    """How many of its tool calls are not final."""
    first_call: int = field(default=0, eq=False)
    """None of them stands before this place."""
    questions: Table[int, int] = field(default=EMPTY_TABLE, eq=False)
    """The places of its pending permissions and elicitations."""


@frozen
class Taken:
    """The message that is taken for a prompt until the prompt's answer says so."""

    message_id: str | None
    turn: int | None


@frozen(weakref_slot=True)
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


@frozen(weakref_slot=True)
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


@frozen(weakref_slot=True)
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


@frozen(weakref_slot=True)
class FileRequest:
    """A file that the agent asked the client to read or write (schema `ReadTextFileRequest`, `WriteTextFileRequest`)."""

    operation: str
    """`read` or `write`."""
    path: str | None = None
    status: str = "open"
    """`open`, `answered`, `failed` or `cancelled`."""
    meta: JsonObject | None = None


@frozen(weakref_slot=True)
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


@frozen(weakref_slot=True)
class Notice:
    """A word to the user (schema `Notice`)."""

    severity: str
    title: str
    description: str | None = None
    meta: JsonObject | None = None


@frozen(weakref_slot=True)
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
class Known:
    """Where lists of a history ended at some time: what stands from there on came later."""

    timeline: int = 0
    files: int = 0
    terminals: int = 0


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
    known_until: Known = Known()
    """Where the history ended when it was asked: what stands before was known."""


@frozen
class History:
    """The part of a session that a replay replaces."""

    timeline: Table[object, Entry] = EMPTY_TABLE
    turns: Table[RequestKey, Turn] = EMPTY_TABLE
    plans: Table[tuple[str, str | None], Plan] = EMPTY_TABLE
    terminals: Table[tuple[str, str], Terminal] = EMPTY_TABLE
    files: Table[RequestKey, FileRequest] = EMPTY_TABLE
    unknown_updates: Log[Json] = EMPTY_LOG
    _open_turns: Table[int, OpenTurn] = field(default=EMPTY_TABLE, repr=False)
    """Those that run, by their place."""
    # Each a set of places, so that no event looks through a whole timeline:
    _pending: Table[int, int] = field(default=EMPTY_TABLE, eq=False, repr=False)
    """Permissions and elicitations that are pending."""
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
@frozen(weakref_slot=True)
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
