"""What the protocol's objects are made of: the schemas of both versions, as hooks.

The versions differ little here. A field that one of them renamed is read by either name. `Patches`
has what does differ: in version 2 `null` clears, in version 1 it says nothing (SPEC 4.1).

Each table cites the schema type whose fields it lists. A field that is not listed is left out of
our classes, or kept as sent where the object as a whole is.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from .. import state as s
from .._content import split_text
from .._json import FrozenDict, FrozenList, Json
from .._model import UNSET, evolve, frozen
from . import quick, quirks
from .combine import Field, Need, either, filling, items, keeping, part, reading, row, union
from .decode import (
    Hook,
    MalformedError,
    Problem,
    Tolerated,
    an_object,
    anything,
    boolean,
    integer,
    natural,
    number,
    positive,
    text,
    word,
)


def field(name: str, hook: Hook, need: Need = "lenient", *older: str) -> Field:
    """A field whose absence is `None`; a required one must not be `null` either."""
    return Field((name, *older), hook, need, None, nullable=need != "required")


def listed(hook: Hook) -> Hook:
    """A list out of which malformed items are left (`x-deserialize-skip-invalid-items`)."""
    return items(hook, skip=True)


def mapping(raw: Json) -> Mapping[str, Json]:
    """An object, as it is."""
    if raw.__class__ is not dict and not isinstance(raw, Mapping):
        raise MalformedError("an object is wanted", missing=raw is None)
    return raw


def with_meta(plan: s.Plan, meta: FrozenDict) -> s.Plan:
    """Return *plan* with *meta* as its own."""
    return evolve(plan, meta=meta)


META: Final = field("_meta", an_object)
strings: Final = items(text, skip=False)

# --- content blocks (ContentBlock), kept as sent ---------------------------------------------------

_META: Final = part(an_object)
_NEEDED: Final = part(text, need="required")
_TEXT: Final = part(text)
_ANNOTATIONS: Final = part(
    keeping(
        {
            "audience": part(listed(text)),
            "lastModified": _TEXT,
            "priority": part(number),
            "_meta": _META,
        }
    )
)
_COMMON: Final = {"annotations": _ANNOTATIONS, "_meta": _META}
_ICON: Final = keeping(
    {
        "src": _NEEDED,
        "mimeType": _TEXT,
        "sizes": part(listed(text)),
        "theme": _TEXT,
        "_meta": _META,
    }
)
_TEXT_RESOURCE: Final = keeping({"text": _NEEDED, "uri": _NEEDED, "mimeType": _TEXT, "_meta": _META})
_BLOB_RESOURCE: Final = keeping({"blob": _NEEDED, "uri": _NEEDED, "mimeType": _TEXT, "_meta": _META})


_RESOURCE: Final = either(lambda raw: "blob" in raw and "text" not in raw, _BLOB_RESOURCE, _TEXT_RESOURCE)
"""`EmbeddedResourceResource`: text or a blob."""

content_block: Final = union(
    {
        "text": keeping({"text": _NEEDED, **_COMMON}),
        "image": keeping({"data": _NEEDED, "mimeType": _NEEDED, "uri": _TEXT, **_COMMON}),
        "audio": keeping({"data": _NEEDED, "mimeType": _NEEDED, **_COMMON}),
        "resource_link": keeping(
            {
                "name": _NEEDED,
                "uri": _NEEDED,
                "title": _TEXT,
                "description": _TEXT,
                "icons": part(listed(_ICON)),
                "mimeType": _TEXT,
                "size": part(integer),
                **_COMMON,
            }
        ),
        "resource": keeping({"resource": part(_RESOURCE, need="required"), **_COMMON}),
    }
)


Chunk: TypeAlias = tuple[FrozenDict, str | None, str | None, FrozenDict | None]
"""A chunk as the content of a message takes it in: the block (of a text one, without the text), the
text, the id of what it belongs to, and its own `_meta`, which stands in the block as `chunkMeta` (SPEC 4.2)."""


def _chunk(id: Field) -> Hook:
    return row((field("content", content_block, "required"), id, META), make=_chunk_of)


def _chunk_of(values: list[Any]) -> Chunk:
    block, id, meta = values
    if meta is not None:
        block = FrozenDict(block, chunkMeta=meta)
    shape, words = split_text(block) if block["type"] == "text" else (block, None)
    return shape, words, id, meta


message_chunk: Final = _chunk(field("messageId", text))
"""`ContentChunk`."""


def message_chunk_2(raw: Json) -> Chunk:
    """`ContentChunk` of version 2, which demands an id; a chunk without one is read all the same."""
    chunk: Chunk
    problems: list[Problem]
    try:
        chunk, problems = message_chunk(raw), []
    except Tolerated as tolerated:
        chunk, problems = tolerated.value, tolerated.problems
    if chunk[2] is None:
        problems = [*problems, Problem("missing-message-id", "version 2 demands one", ("messageId",), missing=True)]
    if problems:
        raise Tolerated(chunk, problems)
    return chunk


session_message_chunk: Final = _chunk(field("messageId", text, "required"))
compaction_chunk: Final = _chunk(field("compactionId", text, "required"))

# --- tool calls ------------------------------------------------------------------------------------


_DIFF_1: Final = keeping({"path": _NEEDED, "oldText": _TEXT, "newText": _NEEDED, "_meta": _META})
_PATH: Final = {"path": _NEEDED, "fileType": _TEXT, "mimeType": _TEXT, "_meta": _META}
_PATHS: Final = {"oldPath": _NEEDED, **_PATH}
_CHANGE: Final = union(
    {
        "add": keeping(_PATH),
        "delete": keeping(_PATH),
        "modify": keeping(_PATH),
        "move": keeping(_PATHS),
        "copy": keeping(_PATHS),
    },
    tag="operation",
)
_DIFF_2: Final = keeping(
    {
        "changes": part(listed(_CHANGE), need="required"),
        "patch": part(keeping({"format": _NEEDED, "text": _NEEDED, "_meta": _META})),
        "_meta": _META,
    }
)
_DIFF: Final = either(lambda raw: "changes" in raw, _DIFF_2, _DIFF_1)
"""`Diff` of either version: old and new text, or changes with a patch."""

tool_content: Final = union(
    {
        "content": keeping({"content": part(content_block, need="required"), "_meta": _META}),
        "diff": _DIFF,
        "terminal": keeping({"terminalId": _NEEDED, "_meta": _META}),
    }
)
location: Final = keeping({"path": _NEEDED, "line": part(natural), "_meta": _META})
tool_kind: Final = word(
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
)
tool_status: Final = word("pending", "in_progress", "completed", "failed")


@frozen
class ToolChunk:
    """A `ToolCallContentChunk`; its own `_meta` stands in the item as `chunkMeta`."""

    id: str
    item: FrozenDict
    meta: FrozenDict | None


def _tool_chunk_of(values: list[Any]) -> ToolChunk:
    id, item, meta = values
    return ToolChunk(id, item if meta is None else FrozenDict(item, chunkMeta=meta), meta)


tool_chunk: Final = row(
    (
        field("toolCallId", text, "required"),
        field("content", tool_content, "required"),
        META,
    ),
    make=_tool_chunk_of,
)
"""`ToolCallContentChunk`."""

CallPatch: TypeAlias = tuple[list[Any], tuple[tuple[str, dict[str, Any]], ...], str | None]
"""A patch of a tool call: its values in the order of `Patches.tool_call`, what its `_meta` shows of display
terminals (key and what stands under it), and the tool call that it is a part of."""

_TERMINAL_ID: Final = field("terminal_id", text, "required")
_DATA: Final = reading({"id": _TERMINAL_ID, "data": field("data", text, "required")})
_DISPLAY: Final[Mapping[str, Hook]] = {
    "terminal_info": reading({"id": _TERMINAL_ID, "cwd": field("cwd", text)}),
    "terminal_output": _DATA,
    "terminal_output_delta": _DATA,
    "terminal_exit": reading(
        {
            "id": _TERMINAL_ID,
            "exit_code": field("exit_code", integer),
            "signal": field("signal", text),
        }
    ),
}


def _call_patch(read: Hook) -> Hook:
    """Read a tool call, and apart from it what its `_meta` says of terminals and parents (SPEC 4.6, 4.7)."""

    def hook(raw: Json) -> CallPatch:
        try:
            values, problems = read(raw), []
        except Tolerated as tolerated:
            values, problems = tolerated.value, tolerated.problems
        meta = values[-1]
        if not meta:
            call: CallPatch = (values, (), None)
        else:
            shown = tuple(_displays(meta, problems))
            if not quirks.TERMINAL_KEYS.isdisjoint(meta):
                rest = quirks.without_terminal(meta)
                values[-1] = UNSET if rest is None else rest
            call = (values, shown, quirks.parent_link(meta))
        if problems:
            raise Tolerated(call, problems)
        return call

    quickly = quick.form_of(read)

    def form(raw: Json) -> CallPatch:
        values = quickly(raw)
        meta = values[-1]
        if not meta:
            return values, (), None
        if not quirks.TERMINAL_KEYS.isdisjoint(meta):
            raise quick.OddError
        return values, (), quirks.parent_link(meta)

    return quick.having(hook, form)


def _displays(meta: FrozenDict, problems: list[Problem]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, hook in _DISPLAY.items():
        if key not in meta:
            continue
        try:
            yield key, hook(meta[key])
        except Tolerated as tolerated:
            problems += [problem.under("_meta", key) for problem in tolerated.problems]
            yield key, tolerated.value
        except MalformedError as error:
            problems.append(error.problem("malformed-field").under("_meta", key))


# --- plans -----------------------------------------------------------------------------------------

plan_entry: Final = filling(
    s.PlanEntry,
    {
        "content": field("content", text, "required"),
        "priority": field("priority", word("high", "medium", "low"), "required"),
        "status": field("status", word("pending", "in_progress", "completed"), "required"),
        "meta": META,
    },
)
_ENTRIES: Final = field("entries", listed(plan_entry), "required")
_PLAN_ID: Final = field("planId", text, "required", "id")

plan: Final = filling(s.Plan, {"entries": _ENTRIES, "meta": META})
"""`Plan`: version 1's only one, without an id."""

plan_content: Final = union(
    {
        "items": filling(s.Plan, {"id": _PLAN_ID, "entries": _ENTRIES, "meta": META}, type="items"),
        "markdown": filling(
            s.Plan,
            {
                "id": _PLAN_ID,
                "content": field("content", text, "required"),
                "meta": META,
            },
            type="markdown",
        ),
        "file": filling(
            s.Plan,
            {"id": _PLAN_ID, "uri": field("uri", text, "required"), "meta": META},
            type="file",
        ),
    },
    unknown=filling(
        s.Plan,
        {"id": _PLAN_ID, "type": field("type", text, "required"), "meta": META},
        "extra",
    ),
)
"""`PlanUpdateContent`."""

plan_update: Final = reading({"plan": field("plan", plan_content, "required"), "meta": META})
plan_removed: Final = reading({"id": _PLAN_ID, "meta": META})

# --- settings --------------------------------------------------------------------------------------

_NAME: Final = field("name", text, "required")
_DESCRIPTION: Final = field("description", text)

_mode: Final = filling(
    s.Mode,
    {
        "id": field("id", text, "required"),
        "name": _NAME,
        "description": _DESCRIPTION,
        "meta": META,
    },
)
_model: Final = filling(
    s.Mode,
    {
        "id": field("modelId", text, "required", "id"),
        "name": _NAME,
        "description": _DESCRIPTION,
        "meta": META,
    },
)

modes: Final = reading(
    {
        "current_id": field("currentModeId", text, "required"),
        "available": field("availableModes", listed(_mode), "expected"),
        "meta": META,
    }
)
"""`SessionModeState`."""

models: Final = reading(
    {
        "current_id": field("currentModelId", text, "required"),
        "available": field("availableModels", listed(_model), "expected"),
        "meta": META,
    }
)
"""`SessionModelState` of earlier drafts."""

_choice: Final = filling(
    s.ConfigChoice,
    {
        "value": field("value", text, "required"),
        "name": _NAME,
        "description": _DESCRIPTION,
        "meta": META,
    },
)
_group: Final = filling(
    s.ConfigGroup,
    {
        "group": Field(("groupId", "group"), text, "required", nullable=False),
        "name": _NAME,
        "options": field("options", listed(_choice), "required"),
        "meta": META,
    },
)


def _choice_or_group(raw: Json) -> s.ConfigChoice | s.ConfigGroup:
    """An element of `SessionConfigSelectOptions`, without a tag."""
    is_group = isinstance(raw, Mapping) and "options" in raw
    choice: s.ConfigChoice | s.ConfigGroup = (_group if is_group else _choice)(raw)
    return choice


_CONFIG: Final = {
    "id": field("configId", text, "required", "id"),
    "type": field("type", text, "required"),
    "name": _NAME,
    "description": _DESCRIPTION,
    "category": field("category", text),
    "meta": META,
}
config_option: Final = union(
    {
        "select": filling(
            s.ConfigOption,
            {
                **_CONFIG,
                "current_value": field("currentValue", text, "required"),
                "options": field("options", listed(_choice_or_group), "required"),
            },
        ),
        "boolean": filling(
            s.ConfigOption,
            {**_CONFIG, "current_value": field("currentValue", boolean, "required")},
        ),
    },
    unknown=filling(
        s.ConfigOption,
        {
            **_CONFIG,
            "current_value": Field(("currentValue",), anything, default=UNSET, nullable=False),
        },
        "extra",
    ),
)
"""`SessionConfigOption`."""

_INPUT: Final = {"type": field("type", text), "meta": META}
_text_input: Final = filling(s.CommandInput, {**_INPUT, "hint": field("hint", text, "required")})
command_input: Final = union(
    {"text": _text_input},
    untagged=_text_input,
    unknown=filling(s.CommandInput, _INPUT, "extra"),
)
"""`AvailableCommandInput`."""

_COMMAND: Final = {
    "type": field("type", text),
    "name": _NAME,
    "description": field("description", text, "required"),
}
_command: Final = filling(s.Command, {**_COMMAND, "input": field("input", command_input), "meta": META})
command: Final = union(
    {"command": _command},
    untagged=_command,
    unknown=filling(s.Command, {**_COMMAND, "meta": META}, "extra"),
)
"""`AvailableCommand`."""

# --- the rest of a session's updates ---------------------------------------------------------------

cost: Final = filling(
    s.Cost,
    {
        "amount": field("amount", number, "required"),
        "currency": field("currency", text, "required"),
        "meta": META,
    },
)
notice: Final = filling(
    s.Notice,
    {
        "severity": field("severity", text, "required"),
        "title": field("title", text, "required"),
        "description": _DESCRIPTION,
        "meta": META,
    },
)
turn_usage: Final = keeping(
    {
        **dict.fromkeys(
            ("totalTokens", "inputTokens", "outputTokens"),
            part(natural, need="required"),
        ),
        **dict.fromkeys(("thoughtTokens", "cachedReadTokens", "cachedWriteTokens"), part(natural)),
        "_meta": _META,
    }
)
"""`Usage`, as sent."""

error: Final = keeping({"code": part(integer, need="required"), "message": _NEEDED})
"""`Error`, as sent."""

background: Final = items(
    union(
        {
            "terminal": keeping({"terminalId": _NEEDED, "_meta": _META}),
            "tool_call": keeping({"toolCallId": _NEEDED, "_meta": _META}),
            "subagent": keeping({"sessionId": _NEEDED, "_meta": _META}),
        }
    ),
    skip=False,
)
"""A list of `BackgroundWork`: a malformed item makes it one that was not reported."""


def _background(raw: Json) -> FrozenList:
    try:
        return FrozenList(background(raw))
    except Tolerated as tolerated:
        raise Tolerated(FrozenList(tolerated.value), tolerated.problems) from None


_STATE: Final = {
    "state": field("state", text, "required"),
    "background": field("background", _background),
    "stop_reason": field("stopReason", text),
    "usage": field("usage", turn_usage),
    "error": field("error", error),
    "meta": META,
}


@frozen
class ReadState:
    """A `StateUpdate`; *odd* is all of it where it says what nobody knows."""

    values: dict[str, Any]
    odd: FrozenDict | None


def state_update(raw: Json) -> ReadState:
    """`StateUpdate`."""
    try:
        values, problems = _read_state(raw), []
    except Tolerated as tolerated:
        values, problems = tolerated.value, tolerated.problems
    state, reason = values["state"], values["stop_reason"]
    is_odd = state not in STATES or (reason is not None and reason not in STOP_REASONS)
    read = ReadState(values, an_object(raw) if is_odd and not STATE_FIELDS.issuperset(raw) else None)
    if problems:
        raise Tolerated(read, problems)
    return read


_read_state: Final = reading(_STATE)
STATES: Final = frozenset(("running", "idle", "requires_action", "unknown"))
STOP_REASONS: Final = frozenset(("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"))
STATE_FIELDS: Final = frozenset(name for entry in _STATE.values() for name in entry.names) | {"sessionUpdate"}

state_object: Final = keeping(
    {
        "state": _NEEDED,
        "background": part(_background),
        "stopReason": _TEXT,
        "usage": part(turn_usage),
        "error": part(error),
        "_meta": _META,
    }
)
"""`StateUpdate`, as sent."""

exit_status: Final = filling(
    s.ExitStatus,
    {
        "exit_code": field("exitCode", integer),
        "signal": field("signal", text),
        "meta": META,
    },
)
terminal_size: Final = keeping(
    {
        "cols": part(positive, need="required"),
        "rows": part(positive, need="required"),
        "_meta": _META,
    }
)

usage_update: Final = {
    "used": field("used", natural, "required"),
    "size": field("size", natural, "required"),
    "meta": META,
}
USAGE: Final = (*usage_update, "cost")
mode_update: Final = reading(
    {
        "mode_id": Field(
            ("currentModeId", "modeId"),
            text,
            "required",
            nullable=False,
            odd_names=True,
        ),
        "meta": META,
    }
)
"""`CurrentModeUpdate`; a page of version 1 calls the field `modeId`."""

commands_update: Final = reading({"commands": field("availableCommands", listed(command), "required"), "meta": META})
config_update: Final = reading({"options": field("configOptions", listed(config_option), "required"), "meta": META})


class Patches:
    """The hooks of what is patched, where `null` clears (*clears*) or says nothing."""

    def __init__(self, *, clears: bool) -> None:
        def patch(name: str, hook: Hook, need: Need = "lenient") -> Field:
            return Field((name,), hook, need, UNSET, keeps_null=clears)

        meta = patch("_meta", an_object)
        blocks = listed(content_block)
        id, title, *others = (
            field("toolCallId", text, "required"),
            patch("title", text),
            patch("name", text),
            patch("kind", tool_kind),
            patch("status", tool_status),
            patch("content", listed(tool_content)),
            patch("locations", listed(location)),
            patch("rawInput", anything),
            patch("rawOutput", anything),
            patch("capabilities", an_object),
            meta,
        )
        self.tool_call_update = _call_patch(row((id, title, *others)))
        """`ToolCallUpdate`."""
        self.tool_call = _call_patch(row((id, field("title", text, "required"), *others)))
        """`ToolCall` (version 1)."""
        self.message = reading(
            {
                "id": field("messageId", text, "required"),
                "content": patch("content", blocks),
                "meta": meta,
            }
        )
        """`UserMessage`, `AgentMessage`, `AgentThought`."""
        self.session_message = reading(
            {
                "id": field("messageId", text, "required"),
                "content": patch("content", blocks),
                "sender_session_id": patch("senderSessionId", text),
                "recipient_session_id": patch("recipientSessionId", text),
                "sender_message_id": patch("senderMessageId", text),
                "recipient_message_id": patch("recipientMessageId", text),
                "meta": meta,
            }
        )
        """`SessionMessage`."""
        self.compaction = reading(
            {
                "id": field("compactionId", text, "required"),
                "status": field("status", text, "required"),
                "summary": patch("summary", blocks),
                "error": patch("error", text),
                "meta": meta,
            }
        )
        """`CompactionUpdate`."""
        self.info = reading(
            {
                "title": patch("title", text),
                "updated_at": patch("updatedAt", text),
                "meta": meta,
            }
        )
        """`SessionInfoUpdate`."""
        self.usage = reading({**usage_update, "cost": patch("cost", cost)})  # in the order of `USAGE`
        """`UsageUpdate`."""
        self.subagent = reading(
            {
                "child_id": field("sessionId", text, "required"),
                "title": patch("title", text),
                "description": patch("description", text),
                "capabilities": patch("capabilities", an_object),
                "state": patch("state", state_object),
                "cwd": patch("cwd", text, "strict"),
                "additional_directories": patch("additionalDirectories", strings, "strict"),
                "meta": meta,
            }
        )
        """`SubagentUpdate`."""
        self.terminal: Hook = reading(
            {
                "id": field("terminalId", text, "required"),
                "command": patch("command", text),
                "cwd": patch("cwd", text),
                "output": patch("output", terminal_output),
                "exit_status": patch("exitStatus", exit_status),
                "size": patch("size", terminal_size),
                "capabilities": patch("capabilities", an_object),
                "meta": meta,
            }
        )
        """`TerminalUpdate`."""


@frozen
class OutputSnapshot:
    """`TerminalOutput`: all of the bytes, and what was said of them."""

    data: bytes
    meta: FrozenDict | None


def base64(raw: Json) -> bytes:
    """Bytes in base64 (RFC 4648), each string by itself."""
    try:
        return b64decode(text(raw), validate=True)
    except ValueError:
        raise MalformedError("base64 is wanted") from None


terminal_output: Final = filling(OutputSnapshot, {"data": field("data", base64, "required"), "meta": META})
terminal_chunk: Final = reading(
    {
        "id": field("terminalId", text, "required"),
        "data": field("data", base64, "required"),
        "meta": META,
    }
)

SAYING_NOTHING: Final = Patches(clears=False)
CLEARING: Final = Patches(clears=True)


def patches(version: int) -> Patches:
    """Return how `null` is read in what both versions have."""
    return CLEARING if version == 2 else SAYING_NOTHING


# --- connection ------------------------------------------------------------------------------------

implementation: Final = filling(
    s.Implementation,
    {
        "name": _NAME,
        "title": field("title", text),
        "version": field("version", text, "required"),
        "meta": META,
    },
)

_AUTH: Final = {
    "id": field("methodId", text, "required", "id"),
    "type": field("type", text),
    "name": _NAME,
    "description": _DESCRIPTION,
}
_agent_auth: Final = filling(s.AuthMethod, {**_AUTH, "meta": META})
auth_method: Final = union(
    {
        "agent": _agent_auth,
        "terminal": filling(s.AuthMethod, {**_AUTH, "args": field("args", strings), "meta": META}),
    },
    untagged=_agent_auth,
    unknown=filling(s.AuthMethod, {**_AUTH, "meta": META}, "extra"),
)
"""`AuthMethod`."""

_account: Final = keeping(
    {
        "label": _NEEDED,
        "active": part(boolean),
        "name": _TEXT,
        "email": _TEXT,
        "organization": _TEXT,
        "_meta": _META,
    }
)
auth_status: Final = reading(
    {
        "state": field("state", text, "required"),
        "accounts": field("accounts", listed(_account)),
        "meta": META,
    }
)
"""`AuthStatusResponse`, `AuthStatusUpdateNotification`."""

listed_session: Final = filling(
    s.ListedSession,
    {
        "id": field("sessionId", text, "required"),
        "cwd": field("cwd", text, "required"),
        "additional_directories": field("additionalDirectories", listed(text)),
        "title": field("title", text),
        "updated_at": field("updatedAt", text),
        "archived": field("archived", boolean),
        "meta": META,
    },
)
"""`SessionInfo`."""

# --- what requests and answers carry (what cannot be read of it counts as absent) ------------------


def expected(name: str, hook: Hook, *older: str) -> Field:
    """A field that should be there."""
    return Field((name, *older), hook, "expected", None, nullable=False)


def optional(name: str, hook: Hook, *older: str) -> Field:
    """A field that need not be there, and that no schema excuses if it is malformed."""
    return Field((name, *older), hook, "optional")


SESSION: Final = expected("sessionId", text)
named_session: Final = reading({"session_id": SESSION})

initialize_request: Final = reading(
    {
        "requested_version": expected("protocolVersion", integer),
        "client": field("info", implementation, "lenient", "clientInfo"),
        "capabilities": field("capabilities", an_object, "lenient", "clientCapabilities"),
        "meta": META,
    }
)
initialize_answer: Final = reading(
    {
        "agent": field("info", implementation, "lenient", "agentInfo"),
        "capabilities": field("capabilities", an_object, "lenient", "agentCapabilities"),
        "auth_methods": field("authMethods", listed(auth_method)),
        "meta": META,
    }
)
setup_request: Final = reading(
    {
        "session_id": SESSION,
        "cwd": expected("cwd", text),
        "additional_directories": optional("additionalDirectories", strings),
        "replay_from": optional("replayFrom", reading({"type": field("type", text, "required")})),
        "meta": META,
    }
)
new_request: Final = reading(
    {
        "cwd": expected("cwd", text),
        "additional_directories": optional("additionalDirectories", strings),
        "meta": META,
    }
)
setup_answer: Final = reading(
    {
        "modes": field("modes", modes),
        "models": field("models", models),
        "config_options": field("configOptions", listed(config_option)),
        "available_commands": field("availableCommands", listed(command)),
        "meta": META,
    }
)
list_answer: Final = reading(
    {
        "sessions": expected("sessions", listed(listed_session)),
        "next_cursor": field("nextCursor", text),
        "meta": META,
    }
)
status_answer: Final = reading(
    {
        "status": expected("status", text),
        "state": field("state", state_object),
        "meta": META,
    }
)
config_answer: Final = reading({"options": expected("configOptions", listed(config_option)), "meta": META})
title_answer: Final = reading({"title": expected("title", text), "meta": META})

_PROMPT_BLOCKS: Final = items(content_block, skip=True, code="unreadable-field")


def prompt_blocks(raw: Json) -> tuple[FrozenDict, ...]:
    """The content of a prompt; a string is one text block."""
    if type(raw) is str:
        return (FrozenDict(type="text", text=raw),)
    blocks: tuple[FrozenDict, ...] = _PROMPT_BLOCKS(raw)
    return blocks


prompt_request: Final = reading({"session_id": SESSION, "content": expected("prompt", prompt_blocks), "meta": META})
turn_answer: Final = reading(
    {
        "stop_reason": expected(
            "stopReason",
            word("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"),
        ),
        "usage": field("usage", turn_usage),
        "meta": META,
    }
)
"""`PromptResponse` of version 1."""
acceptance: Final = reading({"message_id": optional("messageId", text), "meta": META})
"""`PromptResponse` of version 2. The pages still show it empty."""

permission_option: Final = filling(
    s.PermissionOption,
    {
        "id": field("optionId", text, "required"),
        "name": _NAME,
        "kind": field(
            "kind",
            word("allow_once", "allow_always", "reject_once", "reject_always"),
            "required",
        ),
        "meta": META,
    },
)

permission_request: Final = reading(
    {
        "session_id": SESSION,
        "title": Field(("title",), text, "optional", nullable=False),
        "description": field("description", text),
        "options": expected("options", items(permission_option, skip=True, code="unreadable-field")),
        "meta": META,
    }
)
permission_subject: Final = union(
    {
        "tool_call": keeping({"toolCall": part(an_object, need="required"), "_meta": _META}),
        "command": keeping(
            {
                "command": _NEEDED,
                "cwd": _NEEDED,
                "toolCallId": _TEXT,
                "terminalId": _TEXT,
                "_meta": _META,
            }
        ),
    }
)
"""`RequestPermissionSubject`."""

elicitation_request: Final = reading(
    {
        "session_id": optional("sessionId", text),
        "request_id": Field(("requestId",), anything, "optional", UNSET, nullable=False),
        "tool_call_id": field("toolCallId", text),
        "mode": expected("mode", text),
        "message": expected("message", text),
        "requested_schema": Field(("requestedSchema",), anything, "optional", UNSET, nullable=False),
        "url": optional("url", text),
        "elicitation_id": optional("elicitationId", text),
        "meta": META,
    },
    "extra",
)
file_request: Final = reading({"session_id": SESSION, "path": expected("path", text), "meta": META})
terminal_request: Final = reading(
    {
        "session_id": SESSION,
        "command": expected("command", text),
        "args": optional("args", strings),
        "cwd": optional("cwd", text),
        "meta": META,
    }
)
output_answer: Final = reading(
    {
        "output": expected("output", text),
        "truncated": expected("truncated", boolean),
        "exit_status": field("exitStatus", exit_status),
        "meta": META,
    }
)
