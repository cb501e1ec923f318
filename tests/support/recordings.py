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


DIALECTS: Final = (
    "acp-state",
    "jsonrpc",
    "tagged",
    "replay",
    "snapshot",
    "sdk-calls",
    "updates",
    "zed",
    "conductor",
    "jetbrains",
    "codecompanion",
)


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


AROUND: Final = {"zed": (b"[\n", b",\n", b"\n]\n"), "acp-el": (b"(", b"\n", b")\n")}
"""What stands before, between and behind the records of a dialect that is one value."""


def recording(conversation: Iterable[Sent], dialect: str = "acp-state", *, ids: bool = True) -> bytes:
    """Return *conversation* written in a dialect, those messages left out that it has no words for.

    *ids* False: in the `acp-state` dialect, without the ids of requests and answers.
    """
    write = Writing(dialect, ids=ids)
    records = [record for sent in conversation if (record := write(sent)) is not None]
    before, between, behind = AROUND.get(dialect, (b"", b"\n", b"\n" if records else b""))
    return before + between.join(records) + behind


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
        if isinstance(record, bytes):
            return record
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

    def _zed(self, sender: str, message: dict) -> Any:
        kind, method, payload = self._parts(sender, message)
        record = {"_direction": {"agent": "incoming", "client": "outgoing"}[sender], "_type": "response" if kind == "error" else kind}
        return {**record, "id": message.get("id"), "method": method, "params": payload}

    def _conductor(self, sender: str, message: dict) -> Any:
        kind, method, payload = self._parts(sender, message)
        record = {"type": kind, "ts": 0.5, "protocol": "acp", "from": sender.title(), "to": OTHER[sender].title(), "id": message.get("id")}
        if kind in ("response", "error"):
            return {**record, "type": "response", "is_error": kind == "error", "payload": payload}
        return {**record, "method": method, "params": payload}

    def _jetbrains(self, sender: str, message: dict) -> bytes:
        word = {"agent": "IN", "client": "OUT"}[sender]
        return f"2026-01-01 10:00:00,250 [   250]   FINE - AcpTransport - {word}: {json.dumps(message)}".encode()

    def _codecompanion(self, sender: str, message: dict) -> bytes:
        word = {"agent": "Received", "client": "Sent"}[sender]
        return f"2026-01-01 10:00:00.250\n{word}:\n{json.dumps(message)}".encode()

    def _toad(self, sender: str, message: dict) -> bytes:
        return f"[{sender}] {message if sender == 'client' else json.dumps(message)}".encode()

    def _acp_el(self, sender: str, message: dict) -> bytes:
        direction = {"agent": "incoming", "client": "outgoing"}[sender]
        kind = "response" if "method" not in message else "request" if "id" in message else "notification"
        return f"((:direction . {direction}) (:kind . {kind}) (:object . {lisp(message)}))".encode()

    def _parts(self, sender: str, message: dict) -> tuple[str, str, Any]:
        """Return kind, method and payload."""
        if "method" in message:
            if "id" not in message:
                return "notification", message["method"], message["params"]
            self._methods[sender, json.dumps(message["id"])] = message["method"]
            return "request", message["method"], message["params"]
        method = self._methods[OTHER[sender], json.dumps(message["id"])]
        return ("error", method, message["error"]) if "error" in message else ("response", method, message["result"])


def lisp(value: Any) -> str:
    """Return *value* as Emacs prints it. What prints as `nil` there is written out, so that nothing is lost: `:null`, `:false`."""
    if isinstance(value, dict):
        return "(" + " ".join(f"({symbol(key)} . {lisp(item)})" for key, item in value.items()) + ")"
    if isinstance(value, list):
        return "[" + " ".join(map(lisp, value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value) if type(value) in (int, float) else {"None": ":null", "True": "t", "False": ":false"}[str(value)]


def symbol(name: str) -> str:
    """Return the symbol of a member's name."""
    escaped = "".join(character if character.isalnum() else "\\" + character for character in name)
    return ("\\" + escaped if escaped[:1].isdigit() or name in ("nil", "t") else escaped) or "##"
