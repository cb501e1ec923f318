"""Law 6: a frame costs its own size and what it changes, however much there is already.

Counted, not timed: how many bytecodes the interpreter runs for one frame, how many functions it
calls, and how many bytes it asks for, after a short and after a long history of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from acp_state.folding import Fold, fold

from support.effort import bytes_asked_for, calls_into_c, opcodes_and_calls, ran
from support.recordings import frames_of, recording
from support.talk import Sent, Talk


SHORT, LONG = 200, 5000

SLACK = 1.5
"""A trie of 5,000 entries has one level more than one of 200."""


# --- frames ------------------------------------------------------------------------------------------------


def told(kind: str, /, session: str = "s-1", **fields: Any) -> Sent:
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
    return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": params})


def words(text: str) -> dict:
    return {"type": "text", "text": text}


def asked(sender: str, number: Any, method: str, /, **params: Any) -> Sent:
    return Sent(sender, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def answered(sender: str, number: Any, result: Any) -> Sent:
    return Sent(sender, {"jsonrpc": "2.0", "id": number, "result": result})


def started(version: int) -> list[Sent]:
    talk = Talk(version)
    talk.handshake()
    talk.new(early=False, now=True)
    return talk.sent


# Histories: what may come again and again. Each yields the frames of step *n*.

HISTORIES: dict[str, Callable[[int], list[Sent]]] = {
    "chunks of one message": lambda _: [told("agent_message_chunk", messageId="m", content=words("t"))],
    "chunks without id": lambda _: [told("agent_message_chunk", content=words("t"))],
    "messages": lambda n: [told("agent_message_chunk", messageId=f"m{n}", content=words("t"))],
    "chunks that differ in _meta": lambda n: [told("agent_message_chunk", messageId="m", content=words("t"), _meta={"n": n})],
    "open tool calls": lambda n: [told("tool_call", toolCallId=f"t{n}", title="T")],
    "finished tool calls": lambda n: [told("tool_call", toolCallId=f"t{n}", title="T", status="completed")],
    "updates of one call": lambda n: [told("tool_call_update", toolCallId="t", content=[{"type": "content", "content": words(f"{n}")}])],
    "items of one call": lambda _: [told("tool_call_content_chunk", toolCallId="t", content={"type": "content", "content": words("t")})],
    "turns": lambda n: [
        asked("client", n, "session/prompt", sessionId="s-1", prompt=[words("q")]),
        answered("agent", n, {"stopReason": "end_turn"}),
    ],
    "open turns": lambda n: [asked("client", n, "session/prompt", sessionId="s-1", prompt=[words("q")])],
    "states": lambda _: [told("state_update", state="running"), told("state_update", state="idle", stopReason="end_turn")],
    "answered permissions": lambda n: [
        asked("agent", n, "session/request_permission", sessionId="s-1", toolCall={"toolCallId": "t"}, options=[]),
        answered("client", n, {"outcome": {"outcome": "cancelled"}}),
    ],
    "pending permissions": lambda n: [
        asked("agent", n, "session/request_permission", sessionId="s-1", toolCall={"toolCallId": "t"}, options=[])
    ],
    "sessions": lambda n: [told("agent_message_chunk", session=f"x{n}", messageId="m", content=words("t"))],
    "announced sessions": lambda n: [
        asked("client", n, "session/new", cwd="/", mcpServers=[]),
        answered("agent", n, {"sessionId": f"x{n}"}),
    ],
    "children": lambda n: [told("subagent_update", sessionId=f"c{n}", state={"state": "running"})],
    "plans": lambda n: [told("plan_update", plan={"type": "markdown", "planId": f"p{n}", "content": "c"})],
    "notices": lambda _: [told("notice", severity="info", title="t")],
    "unknown updates": lambda n: [told("_x", n=n)],
    "terminals": lambda n: [told("terminal_update", terminalId=f"k{n}", command="c")],
    "output of a terminal": lambda _: [told("terminal_output_chunk", terminalId="k", data="YQ==")],
    "output that only _meta shows": lambda _: [
        told("tool_call_update", toolCallId="t", _meta={"terminal_output_delta": {"terminal_id": "k", "data": "a"}})
    ],
    "cumulative output that only _meta shows": lambda _: [
        told("tool_call_update", toolCallId="t", _meta={"terminal_output": {"terminal_id": "k", "data": "a"}})
    ],
    "files": lambda n: [
        asked("agent", n, "fs/read_text_file", sessionId="s-1", path="/"),
        answered("client", n, {"content": ""}),
    ],
    "vendors' notifications": lambda _: [Sent("agent", {"jsonrpc": "2.0", "method": "_x", "params": {"sessionId": "s-1"}})],
    "vendors' requests": lambda n: [asked("agent", n, "_x", sessionId="s-1"), answered("client", n, {})],
    "open requests": lambda n: [asked("agent", n, "_x")],
    "urls": lambda n: [
        asked("agent", n, "elicitation/create", sessionId="s-1", mode="url", message="m", url="u", elicitationId=f"e{n}"),
        answered("client", n, {"action": "accept"}),
    ],
    "urls of no session": lambda n: [
        asked("agent", n, "elicitation/create", requestId=3, mode="url", message="m", url="u", elicitationId=f"e{n}"),
        answered("client", n, {"action": "accept"}),
    ],
    "compactions": lambda n: [told("compaction_update", compactionId=f"c{n}", status="completed")],
    "messages of sessions": lambda n: [told("session_message", messageId=f"x{n}", content=[words("t")])],
    "malformed updates": lambda n: [told("plan", entries=n)],
    "updates of unknown calls": lambda n: [told("tool_call_update", toolCallId=f"t{n}", status="pending")],
    "waiting prompts": lambda n: [asked("client", n, "session/prompt", sessionId="s-1", prompt=[words("q")])],
    "accepted prompts": lambda n: [
        asked("client", n, "session/prompt", sessionId="s-1", prompt=[words("q")]),
        answered("agent", n, {"messageId": f"u{n}"}),
    ],
    "reported prompts": lambda n: [
        asked("client", n, "session/prompt", sessionId="s-1", prompt=[words("q")]),
        answered("agent", n, {"messageId": f"u{n}"}),
        told("user_message", messageId=f"u{n}", content=[words("q")]),
    ],
}
V2 = frozenset(
    (
        "items of one call",
        "states",
        "terminals",
        "output of a terminal",
        "waiting prompts",
        "accepted prompts",
        "reported prompts",
    )
)

# Probes: one frame each, whose cost must not depend on the history.

PROBES: dict[str, Callable[[str], list[Sent]]] = {
    "a chunk": lambda _: [told("agent_message_chunk", messageId="m", content=words("t"))],
    "a chunk without id": lambda _: [told("agent_message_chunk", content=words("t"))],
    "a user's chunk": lambda p: [told("user_message_chunk", messageId=p, content=words("t"))],
    "a new message": lambda p: [told("agent_thought_chunk", messageId=p, content=words("t"))],
    "a tool call": lambda p: [told("tool_call", toolCallId=p, title="T")],
    "an update of a call": lambda _: [told("tool_call_update", toolCallId="t0", title="U")],
    "a plan": lambda p: [told("plan_update", plan={"type": "markdown", "planId": p, "content": "c"})],
    "a plan's removal": lambda _: [told("plan_removed", planId="p1")],
    "usage": lambda _: [told("usage_update", used=1, size=2)],
    "a title": lambda _: [told("session_info_update", title="T")],
    "commands": lambda _: [told("available_commands_update", availableCommands=[])],
    "_meta": lambda _: [
        Sent(
            "agent",
            {
                "jsonrpc": "2.0",
                "method": "session/update",
                "params": {"sessionId": "s-1", "_meta": {"a": 1}, "update": {"sessionUpdate": "notice", "severity": "info", "title": "t"}},
            },
        )
    ],
    "an unknown update": lambda _: [told("_y", n=1)],
    "a new session": lambda p: [told("agent_message_chunk", session=p, messageId="m", content=words("t"))],
    "a child": lambda p: [told("subagent_update", sessionId=p, title="T")],
    "a prompt": lambda p: [asked("client", p, "session/prompt", sessionId="s-1", prompt=[words("q")])],
    "a permission and its answer": lambda p: [
        asked("agent", p, "session/request_permission", sessionId="s-1", toolCall={"toolCallId": p}, options=[]),
        answered("client", p, {"outcome": {"outcome": "cancelled"}}),
    ],
    "a question and its withdrawal": lambda p: [
        asked("agent", p, "elicitation/create", sessionId="s-1", mode="form", message="m"),
        Sent("agent", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": p}}),
    ],
    "a completed elicitation": lambda p: [
        asked("agent", p, "elicitation/create", sessionId="s-1", mode="url", message="m", url="u", elicitationId=p),
        Sent("agent", {"jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": p}}),
    ],
    "a completed elicitation of no session": lambda p: [
        asked("agent", p, "elicitation/create", requestId=3, mode="url", message="m", url="u", elicitationId=p),
        Sent("agent", {"jsonrpc": "2.0", "method": "elicitation/complete", "params": {"elicitationId": p}}),
    ],
    "a request without id and its answer": lambda _: [
        Sent("agent", {"method": "fs/read_text_file", "params": {"sessionId": "s-1", "path": "/"}}),
        Sent("client", {"method": "fs/read_text_file", "result": {"content": ""}}),
    ],
    "an answer that nobody waits for": lambda _: [answered("agent", "nobody", {})],
    "a terminal's output": lambda _: [told("terminal_output_chunk", terminalId="k", data="YQ==")],
    "a vendor's request": lambda p: [asked("agent", p, "_x", sessionId="s-1"), answered("client", p, {})],
    "a load": lambda p: [asked("client", p, "session/load", sessionId="s-1", cwd="/", mcpServers=[])],
    "a state": lambda _: [told("state_update", state="running")],
    "a turn": lambda _: [told("state_update", state="running"), told("state_update", state="idle", stopReason="end_turn")],
    "a user's message": lambda p: [told("user_message", messageId=p, content=[words("q")])],
    "a malformed update": lambda _: [told("plan", entries=3)],
    "a mode": lambda _: [told("current_mode_update", currentModeId="m")],
}
PROBES_2 = frozenset(("a state", "a turn", "a user's message", "a terminal's output"))


def costs(version: int, history: str, size: int) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """What each probe costs after *size* steps of a history."""
    work = Fold()
    for frame in frames_of(started(version)):
        work.take(frame)
    for step in range(size):
        for frame in frames_of(HISTORIES[history](step)):
            work.take(frame)
    for name, probe in PROBES.items():
        if version == 2 or name not in PROBES_2:
            yield name, cost_of(work, probe)
    ran("frames", work.frames)


def cost_of(work: Fold, probe: Callable[[str], list[Sent]]) -> tuple[int, int, int, int]:
    """What *probe* costs at the least: lists grow now and then, and what is made once is made the first time."""
    measured = []
    for run in range(3):
        acts = []
        for part in range(3):
            frames = frames_of(probe(f"probe {run} {part}"))
            acts.append(lambda frames=frames: [work.take(frame) for frame in frames])
        measured.append((*opcodes_and_calls(acts[0]), calls_into_c(acts[1]), bytes_asked_for(acts[2])))
    return tuple(min(column) for column in zip(*measured, strict=True))


WHAT = ("bytecodes", "calls", "calls into C", "bytes")
FREE = (300, 30, 30, 6000)
"""What one level more of a trie, or a list that just had to grow, may cost at once."""


EVERY_DAY = {
    "chunks of one message": 2,
    "messages": 1,
    "open tool calls": 1,
    "finished tool calls": 1,
    "turns": 1,
    "states": 2,
    "answered permissions": 1,
    "pending permissions": 1,
    "sessions": 1,
    "children": 2,
    "unknown updates": 2,
    "output of a terminal": 2,
    "vendors' requests": 1,
    "open requests": 2,
    "urls of no session": 1,
    "waiting prompts": 2,
    "reported prompts": 2,
}
"""The histories that are tried every day, in the version in which they are at home; the others take minutes."""


def cases() -> Iterator[Any]:
    for history in HISTORIES:
        for version in (1, 2):
            if version == 2 or history not in V2:
                yield pytest.param(version, history, marks=() if EVERY_DAY.get(history) == version else pytest.mark.long)


@pytest.mark.parametrize(("version", "history"), list(cases()))
def test_a_frame_costs_the_same_after_a_long_history(version, history):
    short, long = dict(costs(version, history, SHORT)), dict(costs(version, history, LONG))
    grown = [
        f"{probe}: {WHAT[place]} {few} -> {many}"
        for probe in short
        for place, (few, many) in enumerate(zip(short[probe], long[probe], strict=True))
        if many > few * SLACK + FREE[place]
    ]

    assert not grown


def recorded(version: int, history: str, size: int) -> bytes:
    sent = [*started(version), *(one for step in range(size) for one in HISTORIES[history](step))]
    return recording(sent, "jsonrpc")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("history", ["chunks of one message", "messages", "sessions"])
def test_four_times_the_chunks_are_four_times_the_work(version, history):
    """Of a whole fold: that it joins chunks, for nobody sees its snapshots, must not cost more where there is more."""
    fold(recorded(version, history, 5))

    def work(size: int) -> int:
        data = recorded(version, history, size)
        return opcodes_and_calls(lambda: fold(data))[0]

    assert work(1200) < 4.5 * work(300)
