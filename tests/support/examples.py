"""For each kind of update one that has all its members, as its schema says, in either version: what others are made from by changing it."""

from __future__ import annotations

from typing import Any, Final


META: Final = {"a": [1, {"b": None}]}
ANNOTATIONS: Final = {"audience": ["user"], "lastModified": "2026-01-02T03:04:05Z", "priority": 0.5, "_meta": META}
TEXT: Final = {"type": "text", "text": "t", "annotations": ANNOTATIONS, "_meta": META}
BLOCKS: Final = (
    TEXT,
    {"type": "image", "data": "aW1n", "mimeType": "image/png", "uri": "file:///i", "annotations": ANNOTATIONS, "_meta": META},
    {"type": "audio", "data": "aW1n", "mimeType": "audio/wav", "annotations": None, "_meta": None},
    {
        "type": "resource_link",
        "name": "n",
        "uri": "file:///r",
        "title": "t",
        "description": "d",
        "icons": [{"src": "file:///s", "mimeType": "image/png", "sizes": ["1x1"], "theme": "dark", "_meta": META}],
        "mimeType": "text/plain",
        "size": 3,
        "annotations": ANNOTATIONS,
        "_meta": META,
    },
    {
        "type": "resource",
        "resource": {"text": "t", "uri": "file:///r", "mimeType": "text/plain", "_meta": META},
        "annotations": ANNOTATIONS,
        "_meta": META,
    },
    {"type": "resource", "resource": {"blob": "aW1n", "uri": "file:///r", "mimeType": None, "_meta": None}},
)
CHANGES: Final = (
    {"operation": "add", "path": "/a", "fileType": "text", "mimeType": "text/plain", "_meta": META},
    {"operation": "delete", "path": "/b"},
    {"operation": "modify", "path": "/c"},
    {"operation": "move", "oldPath": "/d", "path": "/e", "fileType": None, "mimeType": None, "_meta": None},
    {"operation": "copy", "oldPath": "/d", "path": "/e"},
)
DIFFS: Final = {
    1: {"type": "diff", "path": "/a", "oldText": "o", "newText": "n", "_meta": META},
    2: {"type": "diff", "changes": list(CHANGES), "patch": {"format": "git_patch", "text": "p", "_meta": META}, "_meta": META},
}
ITEMS: Final = {
    version: (
        *({"type": "content", "content": block, "_meta": META} for block in BLOCKS),
        DIFFS[version],
        {"type": "terminal", "terminalId": "k", "_meta": META},
    )
    for version in (1, 2)
}
LOCATION: Final = {"path": "/a", "line": 3, "_meta": META}
USAGE: Final = {
    "totalTokens": 6,
    "inputTokens": 1,
    "outputTokens": 2,
    "thoughtTokens": 3,
    "cachedReadTokens": 0,
    "cachedWriteTokens": None,
    "_meta": META,
}
ERROR: Final = {"code": -32603, "message": "m", "data": {"a": [None]}}
BACKGROUND: Final = (
    {"type": "terminal", "terminalId": "k", "_meta": META},
    {"type": "tool_call", "toolCallId": "c", "_meta": META},
    {"type": "subagent", "sessionId": "s-2", "_meta": META},
)
STATE: Final = {"state": "idle", "background": list(BACKGROUND), "stopReason": "error", "usage": USAGE, "error": ERROR, "_meta": META}
ENTRY: Final = {"content": "c", "priority": "high", "status": "in_progress", "_meta": META}
INPUTS: Final = {1: {"hint": "h", "_meta": META}, 2: {"type": "text", "hint": "h", "_meta": META}}
COMMANDS: Final = {
    1: {"name": "n", "description": "d", "input": INPUTS[1], "_meta": META},
    2: {"type": "command", "name": "n", "description": "d", "input": INPUTS[2], "_meta": META},
}
CHOICE: Final = {"value": "v", "name": "n", "description": "d", "_meta": META}
OPTION: Final = {"name": "n", "description": "d", "category": "mode", "currentValue": "v", "_meta": META}
OPTIONS: Final = {
    1: (
        {"id": "o", "type": "select", **OPTION, "options": [CHOICE]},
        {"id": "o", "type": "select", **OPTION, "options": [{"group": "g", "name": "n", "options": [CHOICE], "_meta": META}]},
        {"id": "p", "type": "boolean", **OPTION, "currentValue": True},
    ),
    2: (
        {"configId": "o", "type": "select", **OPTION, "options": [CHOICE]},
        {"configId": "o", "type": "select", **OPTION, "options": [{"groupId": "g", "name": "n", "options": [CHOICE], "_meta": META}]},
        {"configId": "p", "type": "boolean", **OPTION, "currentValue": True},
    ),
}


def _call(version: int) -> dict[str, Any]:
    return {
        "toolCallId": "c",
        "title": "t",
        "name": "n",
        "kind": "edit",
        "status": "completed",
        "content": list(ITEMS[version]),
        "locations": [LOCATION],
        "rawInput": {"a": [None]},
        "rawOutput": False,
        **({"capabilities": {"cancel": {}}} if version == 2 else {}),
        "_meta": META,
    }


def _both(version: int) -> dict[str, Any]:
    chunk = {"messageId": "m", "content": TEXT, "_meta": META}
    plan = {"planId": "p", "_meta": META}
    return {
        "user_message_chunk": chunk,
        "agent_message_chunk": chunk,
        "agent_thought_chunk": chunk,
        "tool_call_update": _call(version),
        "plan_update": {"plan": {"type": "items", **plan, "entries": [ENTRY]}, "_meta": META},
        "plan_removed": plan,
        "available_commands_update": {"availableCommands": [COMMANDS[version]], "_meta": META},
        "config_option_update": {"configOptions": list(OPTIONS[version]), "_meta": META},
        "session_info_update": {"title": "t", "updatedAt": "2026-01-02T03:04:05Z", "_meta": META},
        "usage_update": {"used": 1, "size": 2, "cost": {"amount": 0.5, "currency": "EUR", "_meta": META}, "_meta": META},
        "notice": {"severity": "info", "title": "t", "description": "d", "_meta": META},
        "compaction_update": {"compactionId": "c", "status": "failed", "summary": list(BLOCKS), "error": "e", "_meta": META},
        "compaction_summary_chunk": {"compactionId": "c", "content": TEXT, "_meta": META},
        "subagent_update": {
            "sessionId": "s-2",
            "title": "t",
            "description": "d",
            "capabilities": {"cancel": None},
            "state": STATE,
            "cwd": "/",
            "additionalDirectories": ["/a"],
            "_meta": META,
        },
        "session_message": {
            "messageId": "m",
            "senderSessionId": "a",
            "recipientSessionId": "b",
            "senderMessageId": "c",
            "recipientMessageId": "d",
            "content": list(BLOCKS),
            "_meta": META,
        },
        "session_message_chunk": chunk,
    }


_WHOLE: Final = {"messageId": "m", "content": list(BLOCKS), "_meta": META}

UPDATES: Final[dict[int, dict[str, dict[str, Any]]]] = {
    version: {kind: {"sessionUpdate": kind, **fields} for kind, fields in kinds.items()}
    for version, kinds in {
        1: {
            **_both(1),
            "tool_call": _call(1),
            "plan": {"entries": [ENTRY], "_meta": META},
            "current_mode_update": {"currentModeId": "m", "_meta": META},
        },
        2: {
            **_both(2),
            **dict.fromkeys(("user_message", "agent_message", "agent_thought"), _WHOLE),
            "state_update": STATE,
            "tool_call_content_chunk": {"toolCallId": "c", "content": ITEMS[2][0], "_meta": META},
            "terminal_update": {
                "terminalId": "k",
                "command": "c",
                "cwd": "/",
                "output": {"data": "eHh4", "_meta": META},
                "exitStatus": {"exitCode": 1, "signal": "SIGTERM", "_meta": META},
                "size": {"cols": 80, "rows": 24, "_meta": META},
                "capabilities": {"cancel": {}},
                "_meta": META,
            },
            "terminal_output_chunk": {"terminalId": "k", "data": "eHh4", "_meta": META},
        },
    }.items()
}

OTHERS: Final[dict[int, list[dict[str, Any]]]] = {
    version: [
        *(
            {"sessionUpdate": "plan_update", "plan": {"planId": "p", **plan, "_meta": META}}
            for plan in ({"type": "markdown", "content": "c"}, {"type": "file", "uri": "file:///p"})
        ),
        *({"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": block} for block in BLOCKS),
    ]
    for version in (1, 2)
}
"""Further variants of them."""

SLOW: Final = frozenset(("available_commands_update", "config_option_update"))
"""The kinds that only the lenient reader reads."""
