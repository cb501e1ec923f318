"""What the connection's objects are made of, and what requests and answers carry."""

from __future__ import annotations

from typing import Final

from ... import state as s
from ..._json import FrozenDict, Json
from ..._model import UNSET
from ..combine import Field, filling, items, keeping, part, reading, union
from ..decode import Hook, an_object, anything, boolean, integer, text, word
from .content import content_block
from .fields import DESCRIPTION, META, META_PART, NAME, NEEDED, TEXT, field, listed, strings
from .session import command, config_option, exit_status, models, modes, state_object, turn_usage


# --- connection ------------------------------------------------------------------------------------

implementation: Final = filling(
    s.Implementation,
    {
        "name": NAME,
        "title": field("title", text),
        "version": field("version", text, "required"),
        "meta": META,
    },
)

_AUTH: Final = {
    "id": field("methodId", text, "required", "id"),
    "type": field("type", text),
    "name": NAME,
    "description": DESCRIPTION,
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
        "label": NEEDED,
        "active": part(boolean),
        "name": TEXT,
        "email": TEXT,
        "organization": TEXT,
        "_meta": META_PART,
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
        "name": NAME,
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
        "tool_call": keeping({"toolCall": part(an_object, need="required"), "_meta": META_PART}),
        "command": keeping(
            {
                "command": NEEDED,
                "cwd": NEEDED,
                "toolCallId": TEXT,
                "terminalId": TEXT,
                "_meta": META_PART,
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
