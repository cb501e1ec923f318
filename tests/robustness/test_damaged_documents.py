"""State documents that are damaged: `DocumentError` and nothing else, or a state that can be gone on with and written."""

from __future__ import annotations

import copy
import json
import random

from collections.abc import Iterator
from typing import Any

import pytest

from hypothesis import example, given
from hypothesis import strategies as st

from acp_state.document import dumps, loads
from acp_state.errors import DocumentError
from acp_state.folded import Folded
from acp_state.folding import Fold

from strategies import conversations, json_values
from support.effort import many, ran
from support.recordings import folded, frames_of, told
from support.talk import OTHER, Sent


ODD = (
    None,
    True,
    0,
    1,
    -1,
    7,
    1.5,
    10**40,
    "",
    "x",
    "session",
    "1",
    [],
    {},
    [[]],
    [{}],
    [None],
    {"a": 1},
    {"type": "text"},
    {"x": {"id": "x"}},
)


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    yield path
    for name, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, name))


def spoiled(document: Any, path: tuple, value: Any) -> Any:
    """Return *document* with *value* at *path*; with `...` nothing is there any more."""
    if not path:
        return None if value is ... else value
    document = copy.deepcopy(document)
    holder = document
    for name in path[:-1]:
        holder = holder[name]
    if value is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return document


def text(words: str) -> dict:
    return {"type": "text", "text": words}


def probes(session: str) -> Iterator[Sent]:
    """Something of each kind about a session, and about what stands in it."""
    call, message = {"toolCallId": "t-0"}, {"messageId": "m-1"}
    updates: tuple[tuple[str, dict], ...] = (
        ("agent_message_chunk", {"content": text("z")}),
        ("agent_message_chunk", {"content": text("z"), **message}),
        ("user_message_chunk", {"content": text("z")}),
        ("tool_call", {"title": "T", **call}),
        ("tool_call_update", {"status": "completed", **call}),
        ("tool_call_content_chunk", {"content": {"type": "content", "content": text("a")}, **call}),
        ("user_message", {"content": [text("a")], **message}),
        ("plan", {"entries": []}),
        ("plan_removed", {"planId": "p-0"}),
        ("usage_update", {"used": 1, "size": 2}),
        ("terminal_output_chunk", {"terminalId": "k-0", "data": "YQ=="}),
        ("compaction_update", {"compactionId": "c-0", "status": "completed"}),
        ("subagent_update", {"sessionId": "child", "state": {"state": "running"}}),
        ("config_option_update", {"configOptions": []}),
        ("state_update", {"state": "running"}),
        ("state_update", {"state": "idle", "stopReason": "end_turn"}),
    )
    said = [("agent", "session/update", {"update": {"sessionUpdate": kind, **fields}}) for kind, fields in updates]
    asks = [
        ("client", "session/prompt", {"prompt": [text("a")]}),
        ("agent", "session/request_permission", {"toolCall": call, "options": []}),
        ("client", "session/load", {"cwd": "/", "mcpServers": []}),
    ]
    for place, (sender, method, params) in enumerate([*asks[:2], *said, ("client", "session/cancel", {}), asks[2], *said]):
        message = {"jsonrpc": "2.0", "method": method, "params": {"sessionId": session, **params}}
        yield Sent(sender, message if method in ("session/update", "session/cancel") else {**message, "id": f"probe {place}"})
    yield Sent("agent", {"jsonrpc": "2.0", "id": "probe 19", "error": {"code": 1, "message": "m"}})
    yield Sent("client", {"jsonrpc": "2.0", "id": "probe close", "method": "session/close", "params": {"sessionId": session}})
    yield Sent("agent", {"jsonrpc": "2.0", "id": "probe close", "result": {}})


def answers(state: Folded) -> Iterator[Sent]:
    for place, request in enumerate(state.snapshot.connection.open_requests):
        answer = ({"result": {}}, {"result": {"stopReason": "end_turn", "messageId": "m"}}, {"error": {"code": -32800, "message": "m"}})[
            place % 3
        ]
        yield Sent(OTHER[request.from_], {"jsonrpc": "2.0", "id": request.id, **answer})


def assert_refused_or_sound(document: str, *rest: list[Sent]) -> None:
    """Refused; or gone on with, in each of the ways of *rest* and then with answers and probes, and written."""
    try:
        state = loads(document)
    except DocumentError:
        return
    again = told(state)
    assert told(loads(again)) == again
    for conversation in (*rest, list(answers(state))):
        work = Fold(state)
        for frame in frames_of([*conversation, *(probe for session in [*state.snapshot.sessions][:2] for probe in probes(session))]):
            work.take(frame)
        assert loads(told(work.folded()))


@many(3)
@given(conversations(24), st.integers(0, 2**32), st.sampled_from((*ODD, ...)) | json_values)
@example([], 0, None)
def test_any_value_at_any_place(conversation, seed, value):
    ran("mutated inputs")
    chance = random.Random(seed)  # noqa: S311 -- no secret
    cut = chance.randrange(len(conversation) + 1)
    document = json.loads(told(folded(frames_of(conversation[:cut]))))
    everywhere = list(places(document))
    private = [path for path in everywhere if path[:1] == ("wire",)] or everywhere
    path = chance.choice(chance.choice((everywhere, private)))

    assert_refused_or_sound(json.dumps(spoiled(document, path, value)), conversation[cut:])


@given(conversations(9), st.integers(0, 2**32))
def test_a_document_that_ends_too_soon(conversation, seed):
    ran("mutated inputs")
    whole = dumps(folded(frames_of(conversation))).encode()
    chance = random.Random(seed)  # noqa: S311 -- no secret
    for cut in {0, 1, len(whole) - 1, *(chance.randrange(len(whole)) for _ in range(50))}:
        with pytest.raises(DocumentError):
            loads(whole[:cut])


# --- documents of what is under way ------------------------------------------------------------------------------


def request(sender: str, id: int, method: str, **params: Any) -> Sent:
    return Sent(sender, {"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def update(kind: str, **fields: Any) -> Sent:
    return Sent(
        "agent", {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}}
    )


TURN = [
    request("client", 0, "initialize", protocolVersion=1),
    Sent("agent", {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}}),
    request("client", 1, "session/prompt", sessionId="s", prompt=[text("ab")]),
    update("user_message_chunk", content=text("a")),
    request("client", 2, "authenticate", methodId="m"),
    request("client", 3, "terminal/create", sessionId="s", command="c"),
]
REPLAY = [
    request("client", 0, "initialize", protocolVersion=2),
    Sent("agent", {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 2, "info": {"name": "n", "version": "1"}}}),
    update("state_update", state="running"),
    update("tool_call_update", toolCallId="t-0", status="completed"),
    update("agent_message", messageId="m-1", content=[text("a")]),
    request("client", 1, "session/prompt", sessionId="s", prompt=[text("ab")]),
    request("client", 2, "session/resume", sessionId="s", cwd="/", mcpServers=[], replayFrom={"type": "message", "messageId": "m-1"}),
    update("agent_message", messageId="m-1", content=[text("b")]),
    update("tool_call_update", toolCallId="t-0", status="pending"),
]


@pytest.mark.parametrize("conversation", [TURN, REPLAY], ids=["turn", "replay"])
def test_each_place_of_a_document(conversation):
    document = json.loads(told(folded(frames_of(conversation))))
    assert "wire" in document
    for number, place in enumerate(places(document)):
        ran("mutated inputs")
        for value in (..., *ODD[number % 5 :: 5]):
            assert_refused_or_sound(json.dumps(spoiled(document, place, value)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("connection", "protocolVersion"), 3),
        (("connection", "openRequests", 0, "from"), "server"),
        (("connection", "openRequests", 0, "sessionId"), {}),
        (("sessions", "s", "id"), "t"),
        (("sessions", "s", "timeline", 0, "turn"), 1),
        (("sessions", "s", "timeline", 0, "turn"), -1),
        (("sessions", "s", "timeline", 0, "content", 0, "text"), 3),
        (("sessions", "s", "background"), [{"type": "terminal", "terminalId": {}}]),
        (("sessions", "s", "background"), [3]),
        (("wire", "version"), 3),
        (("wire", "version"), True),
        (("wire", "settled"), 1),
        (("wire", "recorded"), [1, "x"]),
        (("wire", "urls"), {"e": 3}),
        (("wire", "reader"), {"pending": 3, "block": []}),
        (("wire", "sides"), {"agent": {"pending": "", "block": [], "skipping": 1}}),
        (("wire", "open", 1, "facts"), {"methodId": 3}),
        (("wire", "open", 1, "facts"), {"else": None}),
        (("wire", "sessions", "s", "turns", "0", "entry"), 1),
        (("wire", "sessions", "s", "turns", "0", "entry"), -1),
        (("wire", "sessions", "s", "_last_ended"), "4"),
        (
            ("wire", "sessions", "s", "_loading"),
            {"scope": "x", "known": True, "phase": "ready", "replaying": True, "begun": True, "seen": []},
        ),
    ],
)
def test_what_going_on_could_not_make_sense_of_is_refused(path, value):
    document = json.loads(told(folded(frames_of(TURN))))
    assert loads(json.dumps(document))

    with pytest.raises(DocumentError, match=r"^no state document: "):
        loads(json.dumps(spoiled(document, path, value)))


def test_what_is_odd_and_was_sent_that_way_is_read():
    odd = {"type": "_x", "terminalId": {}, "toolCallId": 3}
    state = folded(frames_of([*REPLAY[:2], update("state_update", state="running", background=[odd])]))

    assert state.snapshot.sessions["s"].background == [odd]
    assert loads(told(state)).snapshot == state.snapshot


def test_a_turn_that_a_replay_has_set_aside_may_be_the_last_that_ended():
    ended = Sent("agent", {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}})
    load = request("client", 9, "session/load", sessionId="s", cwd="/", mcpServers=[])
    loaded = Sent("agent", {"jsonrpc": "2.0", "id": 9, "result": {}})
    for conversation in (
        [*TURN, ended, load, update("agent_message_chunk", content=text("a"))],
        [*TURN, ended, load, update("_x"), loaded],
    ):
        state = folded(frames_of(conversation))

        assert loads(told(state)).snapshot == state.snapshot


def test_what_a_snapshot_alone_does_not_remember_of_requests_is_absent():
    state = loads(dumps(folded(frames_of(TURN)).snapshot))
    work = Fold(state)
    for frame in frames_of(
        [
            Sent("agent", {"jsonrpc": "2.0", "id": 2, "result": {}}),
            Sent("agent", {"jsonrpc": "2.0", "id": 3, "result": {"terminalId": "k"}}),
        ]
    ):
        work.take(frame)

    assert work.snapshot.connection.authenticated is None
    assert not work.snapshot.connection.open_requests[1:]
