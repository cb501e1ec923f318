"""Transcripts built frame by frame, folded, and looked at as the state document prints them.

This file knows the recording formats and the state document, and nothing of how the package works:
a test that is built with it says what a reader of the contract would say.
"""

from __future__ import annotations

import json

from collections import Counter
from collections.abc import Iterable
from enum import Enum
from functools import cache
from typing import Any, Final

import jsonschema

from acp_state.document import dumps, loads
from acp_state.folded import Folded
from acp_state.folding import fold
from acp_state.schema import document_schema


class _Absent(Enum):
    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent.ABSENT
"""A field that is not sent, in contrast to `None`, which is sent as `null`."""

YES: Final = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
NO: Final = {"optionId": "no", "name": "No", "kind": "reject_once"}

OPTIONS: Final = (YES, NO)


def text(value: str, /, **more) -> dict:
    """Return a text block."""
    return {"type": "text", "text": value, **more}


def image(data: str = "aW1n", /, **more) -> dict:
    """Return an image block."""
    return {"type": "image", "data": data, "mimeType": "image/png", **more}


def item(value: str, /, **more) -> dict:
    """Return a tool call's content item that holds a text."""
    return {"type": "content", "content": text(value), **more}


def shows(terminal: str, /, **more) -> dict:
    """Return a tool call's content item that shows a terminal."""
    return {"type": "terminal", "terminalId": terminal, **more}


def sent(**fields) -> dict:
    """Return *fields* without those that are `ABSENT`."""
    return {name: value for name, value in fields.items() if value is not ABSENT}


class Transcript:
    """A recording in the making. Every method adds a frame and returns the transcript.

    Methods are named for who sends: `client_asks`, `agent_answers`, ... The shorter ones below them
    are the frames that nearly every test needs.
    """

    def __init__(self, session: str = "s-1") -> None:
        self.session = session
        self._records: list[tuple[str, Any]] = []
        self._setup_ids = 0

    # --- frames ---------------------------------------------------------------------------------------

    def sends(self, sender: str, message: Any) -> Transcript:
        """Add a message as it is; *sender* is `client` or `agent`."""
        self._records.append((sender, message))
        return self

    def line(self, raw: str | bytes) -> Transcript:
        """Add a line that need not be a record."""
        self._records.append(("", raw))
        return self

    def asks(self, sender: str, id: Any, method: str, params: Any = ABSENT) -> Transcript:
        return self.sends(sender, {"jsonrpc": "2.0", **sent(id=id, method=method, params=_told_of(params))})

    def answers(self, sender: str, id: Any, result: Any) -> Transcript:
        return self.sends(sender, {"jsonrpc": "2.0", **sent(id=id, result=_told_of(result))})

    def fails(self, sender: str, id: Any, code: int = -32603, message: str = "broken", **more) -> Transcript:
        return self.sends(sender, {"jsonrpc": "2.0", **sent(id=id), "error": {"code": code, "message": message, **more}})

    def tells(self, sender: str, method: str, params: Any = ABSENT) -> Transcript:
        return self.sends(sender, {"jsonrpc": "2.0", **sent(method=method, params=_told_of(params))})

    def client_asks(self, id: Any, method: str, /, **params) -> Transcript:
        return self.asks("client", id, method, params)

    def agent_asks(self, id: Any, method: str, /, **params) -> Transcript:
        return self.asks("agent", id, method, params)

    def client_answers(self, id: Any, result: Any = None) -> Transcript:
        return self.answers("client", id, result)

    def agent_answers(self, id: Any, result: Any = None) -> Transcript:
        return self.answers("agent", id, result)

    def client_fails(self, id: Any, code: int = -32603, message: str = "broken", **more) -> Transcript:
        return self.fails("client", id, code, message, **more)

    def agent_fails(self, id: Any, code: int = -32603, message: str = "broken", **more) -> Transcript:
        return self.fails("agent", id, code, message, **more)

    def client_tells(self, method: str, /, **params) -> Transcript:
        return self.tells("client", method, params)

    def agent_tells(self, method: str, /, **params) -> Transcript:
        return self.tells("agent", method, params)

    # --- connection and session -------------------------------------------------------------------------

    def initialize(self, offered: Any = 1, answered: Any = ABSENT, id: Any = "init", **result) -> Transcript:
        """Add the handshake, in the shape of the offered and of the answered version."""
        answered = offered if answered is ABSENT else answered
        if offered == 2:
            self.client_asks(id, "initialize", protocolVersion=2, info={"name": "pane", "version": "3"}, capabilities={})
        else:
            self.client_asks(id, "initialize", protocolVersion=offered, clientCapabilities={})
        if answered == 2:
            return self.agent_answers(id, {"protocolVersion": 2, "info": {"name": "robin", "version": "9"}, "capabilities": {}, **result})
        return self.agent_answers(id, {"protocolVersion": answered, "agentCapabilities": {}, **result})

    def new(self, session: str | None = None, /, id: Any = ABSENT, **result) -> Transcript:
        """Add a successful `session/new`."""
        if id is ABSENT:
            self._setup_ids += 1
            id = f"new-{self._setup_ids}"
        self.client_asks(id, "session/new", cwd="/home", mcpServers=[])
        return self.agent_answers(id, {"sessionId": session or self.session, **result})

    def client_asks_session(self, id: Any, method: str, /, session: str | None = None, **params) -> Transcript:
        """Add a client's request about the session."""
        return self.client_asks(id, method, sessionId=session or self.session, **params)

    def agent_asks_session(self, id: Any, method: str, /, session: str | None = None, **params) -> Transcript:
        """Add an agent's request about the session."""
        return self.agent_asks(id, method, sessionId=session or self.session, **params)

    def load(self, id: Any = "load", session: str | None = None, **params) -> Transcript:
        return self.client_asks_session(id, "session/load", session, cwd="/home", mcpServers=[], **params)

    def resume(self, id: Any = "resume", session: str | None = None, **params) -> Transcript:
        return self.client_asks_session(id, "session/resume", session, cwd="/home", **params)

    def replay(self, id: Any = "resume", session: str | None = None) -> Transcript:
        """Add the request of v2 that replays all history."""
        return self.resume(id, session, replayFrom={"type": "start"})

    # --- turns -----------------------------------------------------------------------------------------

    def prompt(self, id: Any, content: Any = "question", session: str | None = None, **more) -> Transcript:
        prompt = [text(content)] if isinstance(content, str) else content
        return self.client_asks_session(id, "session/prompt", session, prompt=prompt, **more)

    def ends(self, id: Any, stop_reason: str = "end_turn", **more) -> Transcript:
        """Add the answer that ends a turn of v1."""
        return self.agent_answers(id, {"stopReason": stop_reason, **more})

    def accepts(self, id: Any, message: str | None = None) -> Transcript:
        """Add the answer that accepts a prompt of v2."""
        return self.agent_answers(id, {} if message is None else {"messageId": message})

    def cancel(self, session: str | None = None) -> Transcript:
        return self.client_tells("session/cancel", sessionId=session or self.session)

    def state(self, state: str, session: str | None = None, **more) -> Transcript:
        return self.update("state_update", session, state=state, **more)

    # --- updates ---------------------------------------------------------------------------------------

    def update(self, kind: str, /, session: str | None = None, **fields) -> Transcript:
        update = sent(sessionUpdate=kind, **fields)
        return self.agent_tells("session/update", sessionId=session or self.session, update=update)

    def chunk(self, kind: str, content: Any, id: Any = ABSENT, session: str | None = None, **more) -> Transcript:
        content = text(content) if isinstance(content, str) else content
        return self.update(kind, session, messageId=id, content=content, **more)

    def agent_says(self, content: Any, id: Any = ABSENT, session: str | None = None, **more) -> Transcript:
        return self.chunk("agent_message_chunk", content, id, session, **more)

    def agent_thinks(self, content: Any, id: Any = ABSENT, session: str | None = None, **more) -> Transcript:
        return self.chunk("agent_thought_chunk", content, id, session, **more)

    def user_says(self, content: Any, id: Any = ABSENT, session: str | None = None, **more) -> Transcript:
        return self.chunk("user_message_chunk", content, id, session, **more)

    def user_message(self, id: Any, content: Any = ABSENT, session: str | None = None, **more) -> Transcript:
        return self.update("user_message", session, messageId=id, content=_blocks(content), **more)

    def agent_message(self, id: Any, content: Any = ABSENT, session: str | None = None, **more) -> Transcript:
        return self.update("agent_message", session, messageId=id, content=_blocks(content), **more)

    def agent_thought(self, id: Any, content: Any = ABSENT, session: str | None = None, **more) -> Transcript:
        return self.update("agent_thought", session, messageId=id, content=_blocks(content), **more)

    def tool_call(self, id: Any, title: Any = "Work", session: str | None = None, **more) -> Transcript:
        return self.update("tool_call", session, toolCallId=id, title=title, **more)

    def tool_update(self, id: Any, session: str | None = None, **more) -> Transcript:
        return self.update("tool_call_update", session, toolCallId=id, **more)

    def tool_chunk(self, id: Any, content: Any, session: str | None = None, **more) -> Transcript:
        return self.update("tool_call_content_chunk", session, toolCallId=id, content=content, **more)

    # --- questions -------------------------------------------------------------------------------------

    def permission(self, id: Any, tool: str = "t1", options: Iterable[Any] = OPTIONS, session: str | None = None, **more) -> Transcript:
        """Add a permission request of v1; *more* are fields of its tool call."""
        call = {"toolCallId": tool, **more}
        return self.agent_asks_session(id, "session/request_permission", session, toolCall=call, options=list(options))

    def permission_v2(self, id: Any, title: str = "May I?", session: str | None = None, **more) -> Transcript:
        """Add a permission request of v2."""
        return self.agent_asks_session(id, "session/request_permission", session, **{"title": title, "options": list(OPTIONS), **more})

    def selects(self, id: Any, option: str = "yes", **more) -> Transcript:
        return self.client_answers(id, {"outcome": {"outcome": "selected", "optionId": option}, **more})

    def dismisses(self, id: Any) -> Transcript:
        """Add the answer that a permission was cancelled."""
        return self.client_answers(id, {"outcome": {"outcome": "cancelled"}})

    def form(self, id: Any, properties: Any = ABSENT, session: str | None = None, **more) -> Transcript:
        properties = {"name": {"type": "string"}} if properties is ABSENT else properties
        asked = {"mode": "form", "message": "Who?", "requestedSchema": {"type": "object", "properties": properties}}
        return self.agent_asks_session(id, "elicitation/create", session, **{**asked, **more})

    def url(self, id: Any, elicitation: str = "el-1", session: str | None = None, **more) -> Transcript:
        asked = {"mode": "url", "message": "Sign in", "elicitationId": elicitation, "url": "https://example.test/in"}
        return self.agent_asks_session(id, "elicitation/create", session, **{**asked, **more})

    def replies(self, id: Any, action: str = "accept", **more) -> Transcript:
        """Add the answer to an elicitation."""
        return self.client_answers(id, {"action": action, **more})

    # --- folding ---------------------------------------------------------------------------------------

    def lines(self, dialect: str = "acp-state") -> list[bytes]:
        """Return the lines of the recording in a dialect, those left out that it has no words for."""
        render = _Rendering(dialect)
        lines = [render(sender, message) for sender, message in self._records]
        return [line for line in (*render.header, *lines) if line is not None]

    def fold(self, dialect: str = "acp-state", *, splits: Iterable[int] | None = None, **options) -> Document:
        """Fold the recording, and hold the document against the laws that bind every one.

        *splits* are the lines before which it is cut in two; without, before every line.
        """
        lines = self.lines(dialect)
        whole = fold(_joined(lines), **options)
        document = dumps(whole)
        _keeps_the_laws(lines, whole, document, range(len(lines) + 1) if splits is None else splits, options)
        if dialect == "acp-state" and all(sender for sender, _ in self._records):
            assert fold(_joined(self.lines("tagged")), **options).snapshot == whole.snapshot, "the same session in another dialect"
        return Document(json.loads(document), whole)


def bare(session: str = "s-1") -> Transcript:
    """Return a transcript without a frame: neither side was seen, no version is known."""
    return Transcript(session)


def v1(session: str = "s-1", **setup) -> Transcript:
    """Return a transcript of a v1 connection with one new session."""
    return Transcript(session).initialize(1).new(**setup)


def v2(session: str = "s-1", **setup) -> Transcript:
    """Return a transcript of a v2 connection with one new session."""
    return Transcript(session).initialize(2).new(**setup)


def of_version(version: int, session: str = "s-1", **setup) -> Transcript:
    """Return `v1` or `v2`, for tests of what is the same in both."""
    return {1: v1, 2: v2}[version](session, **setup)


def one_sided(version: int | None = None, session: str = "s-1") -> Transcript:
    """Return a transcript of what only the agent sent; with a *version*, of an agent that told it."""
    transcript = Transcript(session)
    if version is None:
        return transcript
    about = {"info": {"name": "robin", "version": "9"}} if version == 2 else {"agentCapabilities": {}}
    return transcript.agent_answers("init", {"protocolVersion": version, **about})


class Document:
    """A printed state document, and the diagnostics that came with it."""

    def __init__(self, value: dict, folded: Folded) -> None:
        self.value = value
        self.folded = folded

    @property
    def connection(self) -> dict:
        return self.value["connection"]

    @property
    def sessions(self) -> dict:
        return self.value["sessions"]

    def session(self, id: str = "s-1") -> dict:
        return self.value["sessions"][id]

    def timeline(self, session: str = "s-1", type: str | None = None) -> list[dict]:
        return [entry for entry in self.session(session)["timeline"] if type in (None, entry["type"])]

    def story(self, session: str = "s-1") -> list[tuple]:
        """Return the timeline as pairs: a message's role and text, any other entry's type and id."""
        return [_told(entry) for entry in self.timeline(session)]

    def messages(self, session: str = "s-1") -> list[tuple[str, str]]:
        """Return role and text of every message."""
        return [_told(entry) for entry in self.timeline(session, "message")]

    def message(self, id: Any, session: str = "s-1", role: str | None = None) -> dict:
        """Return the message with an id, of which there must be one."""
        (found,) = [entry for entry in self.timeline(session, "message") if entry["id"] == id and role in (None, entry["role"])]
        return found

    def last(self, session: str = "s-1") -> dict:
        return self.session(session)["timeline"][-1]

    def tool(self, id: Any = "t1", session: str = "s-1") -> dict:
        """Return the tool call with an id, of which there must be one."""
        (found,) = self.tools(id, session)
        return found

    def tools(self, id: Any = "t1", session: str = "s-1") -> list[dict]:
        return [entry for entry in self.timeline(session, "tool_call") if entry["id"] == id]

    def permission(self, id: Any, session: str = "s-1") -> dict:
        (found,) = [entry for entry in self.timeline(session, "permission") if same(entry["id"], id)]
        return found

    def elicitation(self, id: Any, session: str = "s-1") -> dict:
        (found,) = [entry for entry in self.timeline(session, "elicitation") if same(entry["id"], id)]
        return found

    def compaction(self, id: str, session: str = "s-1") -> dict:
        (found,) = [entry for entry in self.timeline(session, "compaction") if entry["id"] == id]
        return found

    def turns(self, session: str = "s-1") -> list[dict]:
        return self.session(session).get("turns", [])

    def turn(self, request: Any, session: str = "s-1") -> dict:
        """Return the turn that answers a prompt."""
        (found,) = [turn for turn in self.turns(session) if any(same(ref.get("requestId"), request) for ref in turn.get("prompts", []))]
        return found

    def pending_prompts(self, session: str = "s-1") -> list[dict]:
        return self.session(session).get("pendingPrompts", [])

    def terminal(self, id: str, session: str = "s-1") -> dict:
        (found,) = [terminal for terminal in self.session(session).get("terminals", []) if terminal["id"] == id]
        return found

    def open_requests(self) -> list[tuple[str, Any]]:
        return [(one["from"], one["id"]) for one in self.connection.get("openRequests", [])]

    @property
    def codes(self) -> list[str]:
        """The codes of all diagnostics, one as often as it was found."""
        return [finding.code for finding in self.folded.diagnostics for _ in range(finding.count)]

    @property
    def faults(self) -> list[str]:
        """The codes without those that are only good to know."""
        return [finding.code for finding in self.folded.diagnostics for _ in range(finding.count) if finding.severity != "info"]

    @property
    def severities(self) -> set[str]:
        return {finding.severity for finding in self.folded.diagnostics}


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same value of the same type: `1`, `1.0`, `"1"` and `true` are not."""
    return json.dumps(left) == json.dumps(right)


def plain(content: Iterable[dict]) -> str:
    """Return the text of blocks, with the type in place of what is no text."""
    return "".join(block["text"] if block.get("type") == "text" else f"<{block.get('type')}>" for block in content)


def _told(entry: dict) -> tuple:
    return (entry["role"], plain(entry["content"])) if entry["type"] == "message" else (entry["type"], entry["id"])


def _told_of(payload: Any) -> Any:
    return sent(**payload) if isinstance(payload, dict) else payload


def _blocks(content: Any) -> Any:
    return [text(content)] if isinstance(content, str) else content


# --- recording formats -------------------------------------------------------------------------------


class _Rendering:
    """Writes records in one dialect."""

    def __init__(self, dialect: str) -> None:
        self.header: list[bytes] = _HEADERS.get(dialect, [])
        self._write = getattr(self, f"_{dialect.replace('-', '_')}")
        self._methods: dict[str, str] = {}

    def __call__(self, sender: str, message: Any) -> bytes | None:
        if sender == "":
            return message if isinstance(message, bytes) else message.encode("utf-8", "surrogatepass")
        record = self._write(sender, message)
        return None if record is None else json.dumps(record).encode()

    def _acp_state(self, sender: str, message: Any) -> Any:
        return {"t": 0.0, "from": sender, "message": message}

    def _jsonrpc(self, _sender: str, message: Any) -> Any:
        return message

    def _tagged(self, sender: str, message: Any) -> Any:
        return {"dir": {"agent": "in", "client": "out"}[sender], "frame": message}

    def _replay(self, sender: str, message: Any) -> Any:
        kind = {"agent": "emit_inbound", "client": "expect_outbound"}[sender]
        return {"type": kind, "frame": {"kind": self._kind(message), "method": self._method(sender, message), **_payload(message)}}

    def _snapshot(self, sender: str, message: Any) -> Any:
        if sender == "client":
            self._method(sender, message)
            return None
        (payload,) = _payload(message).values()
        return {"kind": self._kind(message), "method": self._method(sender, message), "payload": payload}

    def _updates(self, _sender: str, message: Any) -> Any:
        return message["params"] if message.get("method") == "session/update" else None

    def _kind(self, message: Any) -> str:
        if "method" not in message:
            return "response" if "result" in message else "error"
        return "request" if "id" in message else "notification"

    def _method(self, sender: str, message: Any) -> str:
        if "method" in message:
            if "id" in message:
                self._methods[_key(sender, message)] = message["method"]
            return message["method"]
        return self._methods[_key({"agent": "client", "client": "agent"}[sender], message)]


_HEADERS: Final = {
    "acp-state": [b'{"format":"acp-state/transcript","version":1}'],
    "replay": [b'{"type":"transcript_start","provider":"robin","version":"1"}'],
}


def _key(sender: str, message: Any) -> str:
    return f"{sender} {json.dumps(message['id'])}"


def _payload(message: Any) -> dict:
    return {name: message[name] for name in ("params", "result", "error") if name in message}


# --- laws --------------------------------------------------------------------------------------------


def _joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _keeps_the_laws(lines: list[bytes], whole: Folded, document: str, splits: Iterable[int], options: dict) -> None:
    """Check what is promised of every document: it comes back as it was, it fits the schema, and folding goes on from it."""
    assert dumps(loads(document)) == document
    _validator().validate(json.loads(document))
    for split in splits:
        _resumes(lines, whole, document, split, options)
    if lines:
        _resumes_within_the_last_line(lines, whole, document, options)


def _resumes(lines: list[bytes], whole: Folded, document: str, split: int, options: dict) -> None:
    first = fold(_joined(lines[:split]), **options)
    rest = fold(_joined(lines[split:]), from_=loads(dumps(first)), **options)
    where = f"resumed before line {split + 1} of {len(lines)}"

    assert dumps(rest) == document, where
    assert rest.snapshot == whole.snapshot, where
    assert rest.wire == whole.wire, where
    assert _counted(first) + _counted(rest) == _counted(whole), where


def _resumes_within_the_last_line(lines: list[bytes], whole: Folded, document: str, options: dict) -> None:
    data = _joined(lines)
    cut = len(data) - len(lines[-1]) // 2 - 1
    first = fold(data[:cut], **options)
    rest = fold(data[cut:], from_=loads(dumps(first)), **options)

    assert dumps(rest) == document, "resumed within the last line"
    assert rest.snapshot == whole.snapshot, "resumed within the last line"


def _counted(folded: Folded) -> Counter[str]:
    counted: Counter[str] = Counter()
    for finding in folded.diagnostics:
        counted[finding.code] += finding.count
    return counted


@cache
def _validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(document_schema())
