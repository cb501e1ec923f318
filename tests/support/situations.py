"""A payload of an official definition in its place: the conversation in which it is sent, asked or answered."""

from __future__ import annotations

import functools
import json

from typing import Any, Final

from acp_state.folded import Folded

from .effort import ran
from .official import Schema, minimal
from .recordings import folded, frames_of, told
from .talk import OTHER, Sent


MARKER: Final = "marker-7f3a"
"""A text that nothing else says."""

FROM_AGENT: Final = ("agent", "proxy")


def update(fields: dict) -> Sent:
    params = {"sessionId": "s-1", "update": fields}
    return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": params}, "s-1")


def _request(sender: str, name: str, method: str, params: Any) -> Sent:
    return Sent(sender, {"jsonrpc": "2.0", "id": name, "method": method, "params": params})


def _answer(sender: str, name: str, result: Any) -> Sent:
    return Sent(sender, {"jsonrpc": "2.0", "id": name, "result": result})


def before(version: int) -> list[Sent]:
    """A connection, a session with a turn under way, a call, a terminal, a form that waits: whatever an id may name."""
    about: dict[str, Any] = {"protocolVersion": version}
    if version == 2:
        about |= {"info": {"name": "n", "version": "1"}}
    else:
        about |= {"agentCapabilities": {}}
    prompt = {"sessionId": "s-1", "prompt": [{"type": "text", "text": "q"}]}
    url = {"sessionId": "s-1", "mode": "url", "message": "m", "url": "u", "elicitationId": "e-1"}
    frames = [
        _request("client", "r-0", "initialize", about),
        _answer("agent", "r-0", about),
        _request("client", "r-2", "session/new", {"cwd": "/", "mcpServers": []}),
        _answer("agent", "r-2", {"sessionId": "s-1"}),
        _request("client", "r-1", "session/prompt", prompt),
        _request("agent", "r-1", "elicitation/create", url),
    ]
    if version == 2:
        frames += [
            update({"sessionUpdate": "state_update", "state": "running"}),
            update({"sessionUpdate": "tool_call_update", "toolCallId": "t-1"}),
            update({"sessionUpdate": "terminal_update", "terminalId": "k-1"}),
        ]
    else:
        frames += [
            update({"sessionUpdate": "tool_call", "toolCallId": "t-1", "title": "T"}),
            _request("agent", "r-3", "terminal/create", {"sessionId": "s-1", "command": "c"}),
            _answer("client", "r-3", {"terminalId": "k-1"}),
        ]
    return frames


def in_place(schema: Schema, definition: str, payload: Any) -> tuple[list[Sent], list[Sent], list[Sent]]:
    """Return what comes before *payload*, the frame that carries it, and what comes after."""
    method, side, part = schema.methods[definition]
    start = [] if method == "initialize" else before(schema.version)
    receiver = "agent" if side in FROM_AGENT else "client"
    if part == "Notification":
        sender = "client" if method == "$/cancel_request" else OTHER[receiver]
        return start, [Sent(sender, {"jsonrpc": "2.0", "method": method, "params": payload}, "s-1")], []
    if part == "Request":
        answer = schema.definition(method, "Response")
        result = minimal({"$ref": f"#/$defs/{answer}"}, schema.defs)
        if method == "initialize":
            result["protocolVersion"] = schema.version
        return start, [_request(OTHER[receiver], "r-9", method, payload)], [_answer(receiver, "r-9", result)]
    asked = minimal({"$ref": f"#/$defs/{schema.definition(method, 'Request')}"}, schema.defs)
    if method == "initialize":
        asked["protocolVersion"] = schema.version
    if method == "session/request_permission":
        asked["options"] = [{"optionId": "o-1", "name": "n", "kind": "allow_once"}]
    return [*start, _request(OTHER[receiver], "r-9", method, asked)], [_answer(receiver, "r-9", payload)], []


@functools.cache
def _begun(version: int) -> Folded:
    return folded(frames_of(before(version)))


class Outcome:
    """What came of a payload in its place: the documents after it and after what follows, and the diagnostics that are new."""

    def __init__(self, schema: Schema, definition: str, payload: Any) -> None:
        start, frame, after = in_place(schema, definition, payload)
        ran("schema-generated frames")
        usual = len(before(schema.version)) if len(start) > 1 else 0
        known = folded(frames_of(start[usual:]), _begun(schema.version) if usual else None)
        self.first: Folded = folded(frames_of(frame), known)
        self.last: Folded = folded(frames_of(after), self.first) if after else self.first
        self.diagnostics = self.first.diagnostics
        self.codes = sorted(finding.code for finding in self.first.diagnostics for _ in range(finding.count))

    @functools.cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(told(state.snapshot) for state in ((self.first,) if self.last is self.first else (self.first, self.last)))

    @property
    def shown(self) -> tuple[str, ...]:
        """The documents without what only going on needs."""
        return tuple(_without_wire(text) for text in self.texts)

    def says(self, value: Any) -> bool:
        return any(json.dumps(value)[1:-1] in text if isinstance(value, str) else json.dumps(value) in text for text in self.texts)

    @property
    def problems(self) -> list[str]:
        return [f"{finding.code}: {finding.message} ({finding.pointer})" for finding in self.diagnostics]


def _without_wire(text: str) -> str:
    document = json.loads(text)
    document.pop("wire", None)
    return json.dumps(document)
