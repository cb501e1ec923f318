"""The traffic that is measured: seeded, so that every run folds the same bytes.

A workload is a function from a number of frames to that many messages with their senders, each valid
under the official schema of its version. The handshake that it begins with counts.
"""

from __future__ import annotations

import base64
import itertools
import random

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec


Message: TypeAlias = dict[str, Any]
Sent: TypeAlias = tuple[str, Message]
"""Who sent it (`client` or `agent`), and what."""


SMALLEST: Final = 100
"""The smallest size, in frames, in which a workload is what it is said to be."""


class Workload(NamedTuple):
    """One kind of traffic: of which protocol version, what makes it, and the largest size (in frames) that it is measured in."""

    version: int
    messages: Callable[[int], Iterator[Sent]]
    largest: int = 100_000


def frames(name: str, size: int) -> list[Sent]:
    """Return the first *size* messages of a workload."""
    workload = WORKLOADS[name]
    made = list(itertools.islice(workload.messages(size), size))
    if len(made) != size:
        msg = f"{name} has {len(made)} frames, not {size}"
        raise ValueError(msg)
    return made


def lines(name: str, size: int) -> list[bytes]:
    """Return the first *size* messages of a workload as the lines of a recording, each with its end."""
    return [encode(message) + b"\n" for _, message in itertools.islice(WORKLOADS[name].messages(size), size)]


encode: Final = msgspec.json.Encoder().encode

# --- the parts -------------------------------------------------------------------------------------------

TEXT: Final = """\
the a we it now then file test line call path name value first last reads writes checks fixes moves returns keeps because where
which function module session message error result branch commit server client — 'quoted' "said" ok
"""
WORDS: Final = tuple(TEXT.split())

KINDS: Final = ("read", "edit", "search", "execute", "fetch")


def sentence(chance: random.Random, length: int = 40) -> str:
    """Return about *length* characters of text."""
    text = ""
    while len(text) < length - 3:
        text += chance.choice(WORDS) + " "
    return text


def update(session: str, kind: str, /, **fields: Any) -> Sent:
    """Return a `session/update` of the agent."""
    return "agent", {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": session, "update": {"sessionUpdate": kind, **fields}},
    }


def asked(number: int, method: str, params: Message) -> Sent:
    return "client", {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def answered(number: int, result: Message) -> Sent:
    return "agent", {"jsonrpc": "2.0", "id": number, "result": result}


def text(value: str) -> Message:
    return {"type": "text", "text": value}


def handshake(version: int) -> Iterator[Sent]:
    """Connect."""
    who = {"name": "bench", "version": "1"}
    if version == 1:
        yield asked(0, "initialize", {"protocolVersion": 1, "clientInfo": who, "clientCapabilities": {}})
        yield answered(0, {"protocolVersion": 1, "agentInfo": who, "agentCapabilities": {"loadSession": True}, "authMethods": []})
    else:
        yield asked(0, "initialize", {"protocolVersion": 2, "info": who, "capabilities": {}})
        yield answered(0, {"protocolVersion": 2, "info": who, "capabilities": {}, "authMethods": []})


def opened(version: int, session: str, number: int) -> Iterator[Sent]:
    """Open a session and send it a prompt; request ids begin with *number*."""
    yield asked(number, "session/new", {"cwd": "/home/bench", "mcpServers": []})
    yield answered(number, {"sessionId": session})
    prompt = [text("Please do it.")]
    yield asked(number + 1, "session/prompt", {"sessionId": session, "prompt": prompt})
    if version == 2:
        yield answered(number + 1, {"messageId": f"{session}-u"})
        yield update(session, "user_message", messageId=f"{session}-u", content=prompt)
        yield update(session, "state_update", state="running")


def started(version: int) -> Iterator[Sent]:
    yield from handshake(version)
    yield from opened(version, SESSION, 1)


SESSION: Final = "sess-8d1f3c5e7a90"


class Author:
    """Makes the updates of one session of one version."""

    def __init__(self, version: int, session: str, chance: random.Random) -> None:
        self.version, self.session, self.chance = version, session, chance
        self._messages = itertools.count(1)
        self._calls = itertools.count(1)

    def chunks(self, kind: str, count: int) -> Iterator[Sent]:
        """A message in *count* chunks of about 40 characters: without an id in version 1, where most agents send none."""
        named = {} if self.version == 1 else {"messageId": f"msg-{next(self._messages):06}"}
        for _ in range(count):
            yield update(self.session, kind, **named, content=text(sentence(self.chance)))

    def call_begun(self) -> tuple[str, Sent]:
        """A tool call's first frame, with its id."""
        call = f"call-{next(self._calls):06}"
        path = f"/home/bench/src/{self.chance.choice(WORDS[:20])}.py"
        fields = {
            "title": f"Read {path}",
            "kind": self.chance.choice(KINDS),
            "status": "pending",
            "rawInput": {"path": path, "limit": self.chance.randrange(500)},
            "locations": [{"path": path, "line": self.chance.randrange(500)}],
        }
        kind = "tool_call" if self.version == 1 else "tool_call_update"
        return call, update(self.session, kind, toolCallId=call, **fields)

    def call_runs(self, call: str) -> Sent:
        return update(self.session, "tool_call_update", toolCallId=call, status="in_progress")

    def call_shows(self, call: str) -> Sent:
        content = [{"type": "content", "content": text(sentence(self.chance, 120))}]
        return update(self.session, "tool_call_update", toolCallId=call, status="in_progress", content=content)

    def call_done(self, call: str) -> Sent:
        content = [{"type": "content", "content": text(sentence(self.chance, 120))}]
        return update(self.session, "tool_call_update", toolCallId=call, status="completed", content=content)

    def usage(self) -> Sent:
        return update(self.session, "usage_update", used=self.chance.randrange(200_000), size=200_000)

    def plan(self) -> Sent:
        statuses = ("completed", "in_progress", "pending", "pending")
        entries = [{"content": sentence(self.chance, 30), "priority": "medium", "status": status} for status in statuses]
        if self.version == 1:
            return update(self.session, "plan", entries=entries)
        return update(self.session, "plan_update", plan={"type": "items", "planId": "plan", "entries": entries})

    def hundred(self) -> Iterator[Sent]:
        """A hundred frames: 70 of messages, 10 of a thought, 15 of tool calls, 5 of usage and plan."""
        yield from self.chunks("agent_thought_chunk", 10)
        for number in range(5):
            call, begun = self.call_begun()
            yield begun
            between = [self.call_runs(call), self.call_done(call), self.plan() if number % 2 else self.usage()]
            message = list(self.chunks("agent_message_chunk", 14))
            # What a call goes through and the usage come while the agent speaks: its message goes on after them.
            for place, one in zip(sorted(self.chance.sample(range(1, 14), 3), reverse=True), reversed(between), strict=True):
                message.insert(place, one)
            yield from message

    def forever(self) -> Iterator[Sent]:
        while True:
            yield from self.hundred()


# --- the workloads ---------------------------------------------------------------------------------------


def mix(version: int) -> Callable[[int], Iterator[Sent]]:
    """What a session is mostly made of."""

    def messages(size: int) -> Iterator[Sent]:
        yield from started(version)
        yield from Author(version, SESSION, random.Random(f"mix {version}")).forever()

    return messages


def one_message(size: int) -> Iterator[Sent]:
    """One message, all in chunks."""
    yield from started(2)
    yield from Author(2, SESSION, random.Random("one message")).chunks("agent_message_chunk", size)


def tools(size: int) -> Iterator[Sent]:
    """Many tool calls that stay open, then six updates of any of them to four chunks of a message."""
    chance = random.Random("tools")
    author = Author(2, SESSION, chance)
    yield from started(2)
    begun = [author.call_begun() for _ in range(size // 20)]
    yield from (frame for _, frame in begun)
    calls = [call for call, _ in begun]
    chunks = author.chunks("agent_message_chunk", size)
    while True:
        call = chance.choice(calls)
        draw = chance.random()
        if draw < 0.4:
            yield next(chunks)
        else:
            yield author.call_runs(call) if draw < 0.7 else author.call_shows(call)


def calls(size: int) -> Iterator[Sent]:
    """Tool calls in half of the frames, each updated once, in any order, when all are there."""
    chance = random.Random("calls")
    author = Author(2, SESSION, chance)
    yield from started(2)
    begun = [author.call_begun() for _ in range(size // 2)]
    yield from (frame for _, frame in begun)
    order = [call for call, _ in begun]
    chance.shuffle(order)
    yield from map(author.call_done, order)


def raw_input(size: int) -> Iterator[Sent]:
    """Tool calls that resend their growing input a hundred times."""
    chance = random.Random("rawInput")
    yield from started(2)
    for number in itertools.count(1):
        grown: dict[str, str] = {}
        for step in range(100):
            grown = grown | {f"field_{step}": sentence(chance, 16)}
            yield update(SESSION, "tool_call_update", toolCallId=f"call-{number:06}", title="Write", rawInput=grown)


def terminal(size: int) -> Iterator[Sent]:
    """The output of one terminal in base64 chunks of 500 bytes: 50 MB in 100,000 frames."""
    chance = random.Random("terminal")
    yield from started(2)
    yield update(SESSION, "terminal_update", terminalId="term-1", command="make", cwd="/home/bench")
    pieces = [base64.b64encode(sentence(chance, 600).encode()[:499] + b"\n").decode() for _ in range(100)]
    while True:
        yield update(SESSION, "terminal_output_chunk", terminalId="term-1", data=chance.choice(pieces))


def sessions(size: int) -> Iterator[Sent]:
    """Two hundred sessions (fewer in a small recording), each with the mix, frame by frame in any order."""
    chance = random.Random("sessions")
    yield from handshake(2)
    talks = []
    for number in range(min(200, size // 50)):
        session = f"sess-{number:012x}"
        yield from opened(2, session, 1 + 2 * number)
        talks.append(Author(2, session, random.Random(session)).forever())
    while True:
        yield next(chance.choice(talks))


def replay(size: int) -> Iterator[Sent]:
    """A session that is loaded: every replayed frame is an entry, a message of either side or a finished tool call."""
    chance = random.Random("replay")
    yield from handshake(1)
    yield asked(1, "session/load", {"sessionId": SESSION, "cwd": "/home/bench", "mcpServers": []})
    for number in range(size - 4):
        kind = ("user_message_chunk", "agent_message_chunk", "tool_call", "agent_message_chunk")[number % 4]
        if kind == "tool_call":
            content = [{"type": "content", "content": text(sentence(chance, 120))}]
            fields = {"toolCallId": f"call-{number:06}", "title": "Read", "kind": "read", "status": "completed", "content": content}
        else:
            fields = {"messageId": f"msg-{number:06}", "content": text(sentence(chance, 120))}
        yield update(SESSION, kind, **fields)
    yield answered(1, {})


WORKLOADS: Final = {
    "mix-v1": Workload(1, mix(1), 1_000_000),
    "mix-v2": Workload(2, mix(2), 1_000_000),
    "one-message": Workload(2, one_message),
    "tools": Workload(2, tools),
    "calls": Workload(2, calls),
    "raw-input": Workload(2, raw_input),
    "terminal": Workload(2, terminal),
    "sessions": Workload(2, sessions),
    "replay": Workload(1, replay),
}
