"""Conversations as frames, and as recordings in every dialect.

This file knows the recording formats and nothing of how the package reads them.
"""

from __future__ import annotations

import json

from collections.abc import Iterable
from typing import Any, Final

from acp_state.document import dumps
from acp_state.folded import Folded
from acp_state.folding import Fold
from acp_state.frames import Frame, read_message

from .effort import ran
from .talk import OTHER, Sent


DIALECTS: Final = ("acp-state", "jsonrpc", "tagged", "replay", "snapshot", "sdk-calls", "updates")


def frames_of(conversation: Iterable[Sent]) -> list[Frame]:
    """Return the frames of *conversation*."""
    return [frame for sent in conversation for frame in read_message(sent.message, sent.sender)]


def folded(frames: Iterable[Frame], start: Folded | None = None) -> Folded:
    """Fold *frames* one at a time, and count them."""
    work = Fold(start)
    for frame in frames:
        work.take(frame)
    ran("frames", work.frames)
    return work.folded()


def told(state: Any) -> str:
    """Return the document of *state* on one line: to compare, and to keep while the state goes on."""
    return dumps(state, indent=None)


# --- recordings --------------------------------------------------------------------------------------


def recording(conversation: Iterable[Sent], dialect: str = "acp-state", *, ids: bool = True) -> bytes:
    """Return *conversation* written in a dialect, those messages left out that it has no words for.

    *ids* False: in the `acp-state` dialect, without the ids of requests and answers.
    """
    write = Writing(dialect, ids=ids)
    return b"".join(line + b"\n" for sent in conversation if (line := write(sent)) is not None)


def lines_of(conversation: Iterable[Sent], dialect: str = "acp-state") -> list[bytes]:
    """Return the lines of a recording, each with its end."""
    return recording(conversation, dialect).splitlines(keepends=True)  # the writer escapes every other line break


CALLS: Final = {
    "session/update": "sessionUpdate",
    "elicitation/complete": "completeElicitation",
    "session/request_permission": "requestPermission",
    "elicitation/create": "createElicitation",
    "fs/read_text_file": "readTextFile",
    "fs/write_text_file": "writeTextFile",
    "terminal/create": "createTerminal",
    "terminal/output": "terminalOutput",
    "terminal/release": "releaseTerminal",
    "terminal/wait_for_exit": "waitForTerminalExit",
    "terminal/kill": "killTerminal",
}
ANSWERS: Final = {
    "initialize": "initialize",
    "session/new": "newSession",
    "session/load": "loadSession",
    "session/prompt": "promptResponse",
}


class Writing:
    """Writes messages in one dialect; remembers what answers are for."""

    def __init__(self, dialect: str, *, ids: bool = True) -> None:
        self._write = getattr(self, "_" + dialect.replace("-", "_"))
        self._ids = ids
        self._methods: dict[tuple[str, str], str] = {}

    def __call__(self, sent: Sent) -> bytes | None:
        record = self._write(sent.sender, sent.message)
        return None if record is None else json.dumps(record).encode()

    def _acp_state(self, sender: str, message: dict) -> Any:
        if self._ids:
            return {"t": 0.5, "from": sender, "message": message}
        kind, method, _ = self._parts(sender, message)
        bare = {key: value for key, value in message.items() if key != "id"}
        if kind in ("response", "error"):
            bare["method"] = method
        record = {"t": 0.5, "from": sender, "message": bare}
        return {**record, "kind": "request"} if kind == "request" else record

    def _jsonrpc(self, _: str, message: dict) -> Any:
        return message

    def _tagged(self, sender: str, message: dict) -> Any:
        return {"direction": {"agent": "in", "client": "out"}[sender], "json": json.dumps(message)}

    def _replay(self, sender: str, message: dict) -> Any:
        kind, method, payload = self._parts(sender, message)
        part = {"request": "params", "notification": "params", "response": "result", "error": "error"}[kind]
        frame = {"kind": "response" if kind == "error" else kind, "method": method, part: payload}
        return {"type": {"agent": "emit_inbound", "client": "expect_outbound"}[sender], "frame": frame}

    def _snapshot(self, sender: str, message: dict) -> Any:
        kind, method, payload = self._parts(sender, message)
        return {"kind": kind, "method": method, "payload": payload} if sender == "agent" else None

    def _sdk_calls(self, sender: str, message: dict) -> Any:
        kind, method, payload = self._parts(sender, message)
        if sender == "client" or kind == "error":
            return None
        name = (ANSWERS if kind == "response" else CALLS).get(method)
        if name is not None:
            return {"kind": name, "payload": payload}
        if kind == "response" or method.partition("/")[0] in ("session", "auth", "mcp", "$"):
            return None
        return {"method": "extMethod" if kind == "request" else "extNotification", "args": [method, payload]}

    def _updates(self, _: str, message: dict) -> Any:
        return message["params"] if message.get("method") == "session/update" else None

    def _parts(self, sender: str, message: dict) -> tuple[str, str, Any]:
        """Return kind, method and payload."""
        if "method" in message:
            if "id" not in message:
                return "notification", message["method"], message["params"]
            self._methods[sender, json.dumps(message["id"])] = message["method"]
            return "request", message["method"], message["params"]
        method = self._methods[OTHER[sender], json.dumps(message["id"])]
        return ("error", method, message["error"]) if "error" in message else ("response", method, message["result"])
