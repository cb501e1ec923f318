"""What is plain may be decoded in one go, and chunks that follow upon one another joined: nothing comes of it but speed."""

from __future__ import annotations

import json

from typing import Any

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state import plain
from acp_state._json import MAX_DEPTH
from acp_state.diagnostics import Diagnostic
from acp_state.folded import Folded
from acp_state.folding import Fold, fold
from acp_state.frames import Frame
from acp_state.normalize import normalize
from acp_state.plain import PlainChunk, PlainUpdate
from acp_state.reading import reader as reading
from acp_state.reading.reader import Reader

from strategies import json_values, texts
from support.effort import many, ran
from support.recordings import told
from support.situations import before


def notification(update: Any, session: Any = "s-1", **more: Any) -> dict:
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}, **more}


def chunk(text: Any = "a", kind: str = "agent_message_chunk", **more: Any) -> dict:
    return {"sessionUpdate": kind, "content": {"type": "text", "text": text}, **more}


def data_of(*messages: Any) -> bytes:
    return b"".join(
        message if isinstance(message, bytes) else json.dumps(message, separators=(",", ":")).encode() + b"\n" for message in messages
    )


CALL = notification({"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "t"})
FIRST = notification(chunk("first"))


def plainly(data: bytes) -> list[Any]:
    reader = Reader()
    return [*reader.feed_plainly(data), *reader.close()]


def carefully(data: bytes) -> list[Frame | Diagnostic]:
    reader = Reader()
    return [*reader.feed(data), *reader.close()]


def frames_of(items: list[Any]) -> list[Frame | Diagnostic]:
    return [item if isinstance(item, (Frame, Diagnostic)) else item.frame for item in items]


def step_by_step(data: bytes) -> Folded:
    work = Fold()
    for item in carefully(data):
        if isinstance(item, Diagnostic):
            work.findings.add(item)
        else:
            work.take(item)
    return work.folded()


# --- it is done at all -------------------------------------------------------------------------------


def test_what_follows_a_bare_notification_is_read_plainly():
    request = {"jsonrpc": "2.0", "id": 1, "method": "session/cancel", "params": {"sessionId": "s-1"}}
    items = plainly(data_of(FIRST, FIRST, FIRST, CALL, request, FIRST, CALL, FIRST))

    assert [type(item) for item in items] == [Frame, PlainUpdate, PlainChunk, PlainUpdate, Frame, Frame, PlainUpdate, PlainUpdate]
    assert [item.line for item in items] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_it_goes_on_from_one_piece_of_the_recording_to_the_next():
    reader = Reader()
    items = [item for _ in range(3) for item in reader.feed_plainly(data_of(FIRST))]

    assert [type(item) for item in items] == [Frame, PlainUpdate, PlainChunk]


@pytest.mark.parametrize("kind", plain.CHUNK_KINDS)
def test_chunks_of_each_kind_are_plain(kind):
    message = notification(chunk("x", kind, messageId="m"))

    assert [type(item) for item in plainly(data_of(FIRST, FIRST, message))][2:] == [PlainChunk]


def test_there_is_a_switch(monkeypatch):
    monkeypatch.setattr(reading, "PLAINLY", False)

    assert [type(item) for item in plainly(data_of(FIRST, FIRST, CALL))] == [Frame] * 3


NOT_PLAIN = [
    pytest.param(notification(chunk(), extra=1), id="another member"),
    pytest.param({**notification(chunk()), "jsonrpc": "1.0"}, id="another JSON-RPC"),
    pytest.param({**notification(chunk()), "method": "session/updates"}, id="another method"),
    pytest.param(notification(chunk(), session=1), id="a session that is no string"),
    pytest.param(notification(None), id="no update"),
    pytest.param(notification([]), id="an array for an update"),
    pytest.param({**FIRST, "params": {**FIRST["params"], "_meta": {}}}, id="_meta"),
    pytest.param(notification({"sessionUpdate": "agent_message_chunk", "content": {"text": "b"}}), id="a block without its type"),
    pytest.param(b"\n", id="a blank line"),
    pytest.param(b"{}\n", id="nothing"),
    pytest.param(data_of(FIRST)[:-3] + b"\n", id="broken"),
    pytest.param(b'\xef\xbb\xbf{"jsonrpc":"2.0"}\n', id="a byte order mark"),
    pytest.param(data_of(notification(chunk("\ud800"))), id="half a character"),
    pytest.param(b"[" * 5000 + b"\n", id="deep"),
]


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_what_is_not_plain_is_read_with_care(line):
    data = data_of(FIRST, FIRST, FIRST, line, FIRST, FIRST)
    items = plainly(data)

    assert not any(item.line == 4 and isinstance(item, PlainChunk) for item in items)
    assert repr(frames_of(items)) == repr(carefully(data))
    assert fold(data).diagnostics == fold(data.splitlines()).diagnostics == step_by_step(data).diagnostics


def test_a_line_that_is_nested_too_deeply_is_refused_all_the_same():
    deep: Any = "x"
    for _ in range(MAX_DEPTH):
        deep = [deep]
    data = data_of(FIRST, FIRST, notification({"sessionUpdate": "x", "deep": deep}), FIRST)
    items = plainly(data)

    assert [item.code for item in items if isinstance(item, Diagnostic)] == ["too-deep"]
    assert repr(frames_of(items)) == repr(carefully(data))


def test_a_line_that_is_too_long_is_refused_all_the_same():
    reader = Reader(max_line=400)
    items = reader.feed_plainly(data_of(FIRST, FIRST, notification(chunk("x" * 400)), FIRST))

    assert [item.code for item in items if isinstance(item, Diagnostic)] == ["line-too-long"]
    assert [item.line for item in items] == [1, 2, 3, 4]


def test_the_last_of_equal_keys_wins():
    line = b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-0","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"1","text":"2"}},"sessionId":"s-1"}}\n'
    data = data_of(FIRST, FIRST, line)

    assert isinstance(plainly(data)[2], PlainChunk)
    assert repr(frames_of(plainly(data))) == repr(carefully(data))


# --- it comes to the same ----------------------------------------------------------------------------

_sessions = st.sampled_from(("s-1", "s-1", "s-1", "s-2", "nobody's"))
_ids = st.sampled_from(
    ({}, {}, {"messageId": "m"}, {"messageId": "m"}, {"messageId": "n"}, {"messageId": None}, {"messageId": 1}, {"_meta": {}})
)
_kinds = st.sampled_from(plain.CHUNK_KINDS)
_chunks = st.builds(lambda text, kind, named, session: notification(chunk(text, kind, **named), session), texts, _kinds, _ids, _sessions)
_odd = st.one_of(
    st.builds(notification, json_values),
    st.builds(lambda text: notification(chunk(text)), json_values),
    st.sampled_from(
        (
            CALL,
            notification({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
            notification({"sessionUpdate": "plan", "entries": []}),
            notification({"sessionUpdate": ["agent_message_chunk"]}),
            notification({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "", "mimeType": "image/png"}}),
            notification({"sessionUpdate": "state_update", "state": "idle"}),
            notification({"sessionUpdate": "hologram"}),
            {"jsonrpc": "2.0", "id": "c", "method": "session/close", "params": {"sessionId": "s-1"}},
            {"jsonrpc": "2.0", "id": "c", "result": {}},
            {"jsonrpc": "2.0", "id": "l", "method": "session/load", "params": {"sessionId": "s-1", "cwd": "/", "mcpServers": []}},
            {"jsonrpc": "2.0", "id": "l", "result": {}},
            {
                "jsonrpc": "2.0",
                "id": "p",
                "method": "session/prompt",
                "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "ab"}]},
            },
            {"jsonrpc": "2.0", "id": "p", "result": {"stopReason": "end_turn"}},
        )
    ),
)
_runs = st.lists(st.builds(lambda message, times: [message] * times, _chunks, st.integers(1, 4)), max_size=6)
_recordings = st.builds(
    lambda version, runs, others: [
        *([] if version is None else [sent.message for sent in before(version)]),
        *(message for pair in zip(runs, others, strict=False) for message in (*pair[0], *pair[1])),
    ],
    st.sampled_from((None, 1, 2)),
    _runs,
    st.lists(st.lists(st.one_of(_odd, _chunks), max_size=2), min_size=6, max_size=6),
)


@many(2)
@given(_recordings)
def test_its_frames_are_those_that_are_read_with_care(messages):
    data = data_of(FIRST, FIRST, *messages)
    ran("frames", len(messages))

    assert repr(frames_of(plainly(data))) == repr(carefully(data))


@many(2)
@given(_recordings)
def test_each_comes_to_the_events_of_its_frame(messages):
    work = Fold()
    for item in plainly(data_of(FIRST, FIRST, *messages)):
        if not isinstance(item, Diagnostic):
            assert repr(normalize(work.wire, item)) == repr(normalize(work.wire, item if isinstance(item, Frame) else item.frame))
            work.take(item)


@many(2)
@given(_recordings)
def test_a_fold_comes_to_what_it_comes_to_frame_by_frame(messages):
    data = data_of(*messages)
    step, whole = step_by_step(data), fold(data)

    assert told(whole) == told(step)
    assert whole.diagnostics == step.diagnostics
    assert whole.tally == step.tally


def test_what_is_to_be_counted_chunk_by_chunk_is_not_joined():
    closing = [
        {"jsonrpc": "2.0", "id": "c", "method": "session/close", "params": {"sessionId": "s-1"}},
        {"jsonrpc": "2.0", "id": "c", "result": {}},
    ]
    folded = fold(data_of(*(sent.message for sent in before(2)), *closing, *[notification(chunk("x", messageId="m"))] * 5))

    assert [finding.count for finding in folded.diagnostics if finding.code == "closed-session"] == [5]
    assert folded.tally.refused == 5


@pytest.mark.parametrize(
    "others",
    [
        {"session": "s-2"},
        {"kind": "agent_thought_chunk"},
        {"kind": "user_message_chunk"},
        {"messageId": "n"},
        {"messageId": None},
    ],
    ids=str,
)
def test_chunks_of_different_messages_are_not_joined(others):
    def sent(session: str = "s-1", **more: Any) -> dict:
        return notification(chunk(**{"messageId": "m", **more}), session)

    data = data_of(*(one.message for one in before(1)), sent(**others), *[sent(), sent(), sent(**others), sent(**others)] * 2)
    work = Fold()
    for item in carefully(data):
        work.take(item)

    assert told(fold(data)) == told(work.folded())


def test_a_list_that_has_begun_is_nothing_plain():
    def read(how: str) -> list[Any]:
        reader = Reader()
        feed = getattr(reader, how)
        return [*feed(data_of(FIRST)), *feed(b"(((:direction . incoming))"), *reader.close(), *feed(data_of(FIRST)), *reader.close()]

    assert repr(frames_of(read("feed_plainly"))) == repr(read("feed"))
