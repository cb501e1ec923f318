"""What the updates of a session carry: plans, settings, states, usage, terminals; and what is patched (`Patches`)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Any, Final

from ... import state as s
from ..._json import FrozenDict, FrozenList, Json
from ..._model import UNSET, Part, replace
from ..combine import Field, Need, filling, items, keeping, part, reading, row, union
from ..decode import Hook, MalformedError, Tolerated, an_object, anything, boolean, integer, natural, number, positive, text, word
from .content import call_patch, content_block, location, tool_content, tool_kind, tool_status
from .fields import DESCRIPTION, META, META_PART, NAME, NEEDED, TEXT, field, listed, strings


# --- plans -----------------------------------------------------------------------------------------


def with_meta(plan: s.Plan, meta: FrozenDict) -> s.Plan:
    """Return *plan* with *meta* as its own."""
    return replace(plan, meta=meta)


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


_mode: Final = filling(
    s.Mode,
    {
        "id": field("id", text, "required"),
        "name": NAME,
        "description": DESCRIPTION,
        "meta": META,
    },
)
_model: Final = filling(
    s.Mode,
    {
        "id": field("modelId", text, "required", "id"),
        "name": NAME,
        "description": DESCRIPTION,
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
        "name": NAME,
        "description": DESCRIPTION,
        "meta": META,
    },
)
_group: Final = filling(
    s.ConfigGroup,
    {
        "group": Field(("groupId", "group"), text, "required", nullable=False),
        "name": NAME,
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
    "name": NAME,
    "description": DESCRIPTION,
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
    "name": NAME,
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
        "description": DESCRIPTION,
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
        "_meta": META_PART,
    }
)
"""`Usage`, as sent."""

error: Final = keeping({"code": part(integer, need="required"), "message": NEEDED})
"""`Error`, as sent."""

background: Final = items(
    union(
        {
            "terminal": keeping({"terminalId": NEEDED, "_meta": META_PART}),
            "tool_call": keeping({"toolCallId": NEEDED, "_meta": META_PART}),
            "subagent": keeping({"sessionId": NEEDED, "_meta": META_PART}),
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


class ReadState(Part, frozen=True):
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
        "state": NEEDED,
        "background": part(_background),
        "stopReason": TEXT,
        "usage": part(turn_usage),
        "error": part(error),
        "_meta": META_PART,
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
        "_meta": META_PART,
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
        self.tool_call_update = call_patch(row((id, title, *others)))
        """`ToolCallUpdate`."""
        self.tool_call = call_patch(row((id, field("title", text, "required"), *others)))
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


class OutputSnapshot(Part, frozen=True):
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
