"""Recordings in another format fold to the same state, as far as the format can carry it."""

from __future__ import annotations

import functools
import json

from collections import Counter
from pathlib import Path

import pytest

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from acp_state.converting import HEADER, Conversion
from acp_state.folding import fold
from acp_state.printing import json_text
from acp_state.reading.reader import FRESH, Reader

from strategies import conversations, polite
from support.recordings import recording as recorded
from support.transcripts import v1


GOLDEN = Path(__file__).parents[2] / "golden"
TRANSCRIPTS = sorted(
    path
    for path in GOLDEN.iterdir()
    if not path.name.startswith(".") and not path.name.endswith((".state.json", ".diagnostics.json", ".md"))
)

each_golden = pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)


@functools.cache
def folded(path):
    return fold(path)


@functools.cache
def converted(source, to="acp-state", dialect=None):
    """The recording that *source* is converted to, and the conversion."""
    conversion = Conversion(to, dialect)
    records = [*([HEADER] if to == "acp-state" else []), *conversion.records(source)]
    return b"".join(json_text(record).encode() + b"\n" for record in records), conversion


def read(folded):
    """What of a fold is the recording's, and not the format's."""
    return folded.snapshot, evolve(folded.wire, reader=FRESH), Counter({one.code: one.count for one in folded.diagnostics if one.method})


def dialects(data):
    reader = Reader()
    reader.feed(data)
    return set(reader.dialects)


@each_golden
def test_a_golden_converted_to_our_format_folds_to_the_same(path):
    data, conversion = converted(path)
    again = fold(data)
    assert read(again) == read(folded(path))
    assert again.tally.read <= conversion.frames == folded(path).tally.read
    assert conversion.lost.keys() <= {"long line"}
    assert dialects(data) <= {"acp-state"}


@each_golden
def test_a_converted_golden_is_converted_to_itself(path):
    data, _ = converted(path)
    assert converted(data)[0] == data


@each_golden
def test_a_golden_converted_to_bare_json_rpc_folds_to_the_same_or_it_is_said(path):
    data, conversion = converted(path, "jsonrpc")
    assert dialects(data) <= {"jsonrpc"}
    if not +conversion.lost - Counter(dict.fromkeys(("time", "raw", "long line"), 1_000_000)):
        assert fold(data).snapshot == folded(path).snapshot


def test_most_goldens_lose_nothing_in_bare_json_rpc():
    faithful = [path for path in TRANSCRIPTS if +converted(path, "jsonrpc")[1].lost == Counter()]
    assert len(faithful) > len(TRANSCRIPTS) // 2


@given(polite() | conversations(), st.sampled_from(("acp-state", "jsonrpc", "tagged")))
def test_any_conversation_folds_to_the_same(conversation, dialect):
    data = recorded(conversation, dialect)
    assert read(fold(converted(data)[0])) == read(fold(data))


@given(polite(), st.sampled_from(("replay", "snapshot", "sdk-calls", "updates")))
def test_a_conversation_without_ids_folds_to_the_same(conversation, dialect):
    data = recorded(conversation, dialect)
    assert read(fold(converted(data)[0])) == read(fold(data))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (
            {"dir": "in", "t_ms": 250, "frame": {"jsonrpc": "2.0", "method": "_x/y"}},
            {"t": 0.25, "from": "agent", "message": {"method": "_x/y"}},
        ),
        (
            {"kind": "request", "method": "_x/y", "payload": 1},
            {"from": "agent", "message": {"method": "_x/y", "params": 1}, "kind": "request"},
        ),
        ({"type": "runtime_exit", "status": "success"}, {"exit": {"status": "success"}}),
        (
            {"kind": "notification", "method": "session/prompt"},
            {"from": "agent", "message": {"method": "session/prompt"}, "kind": "notification"},
        ),
        (
            {"type": "emit_inbound", "frame": {"kind": "response", "method": "session/new", "result": "<any>"}},
            {"from": "agent", "message": {"method": "session/new"}, "kind": "response", "partial": True},
        ),
        ({"jsonrpc": "2.0", "id": None, "error": None}, {"from": "agent", "message": {"id": None, "error": None}}),
        (
            {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 9}},
            {"t": None, "message": {"method": "$/cancel_request", "params": {"requestId": 9}}},
        ),
    ],
)
def test_a_record_carries_what_there_is(record, expected):
    data, _ = converted(json.dumps(record).encode())
    written = json.loads(data.splitlines()[1])
    if "message" in written:
        assert written["message"].pop("jsonrpc") == "2.0"
    assert written == expected
    (given_,), (again,) = Reader().feed(json.dumps(record).encode() + b"\n"), Reader().feed(data)
    assert (again.kind, again.method, again.payload, again.id, again.partial) == (
        given_.kind,
        given_.method,
        given_.payload,
        given_.id,
        given_.partial,
    )


def test_a_batch_is_told_message_by_message():
    data, _ = converted(b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]')
    assert [json.loads(line)["message"]["method"] for line in data.splitlines()[1:]] == ["a", "b"]


@pytest.mark.parametrize(
    ("lines", "raw"),
    [
        (b"nonsense\r\n", ["nonsense"]),
        (b"\xff\xfe\n", [{"base64": "//4="}]),
        (b'{"a":1}\n', ['{"a":1}']),
        (b"[" * 300 + b"]" * 300, ["[" * 300 + "]" * 300]),
        (b'{"jsonrpc":"2.0","method":"a"} nonsense\n', ['{"jsonrpc":"2.0","method":"a"} nonsense']),
        (b'{\n"a":\n', ['{\n"a":\n']),
        (b'{"jsonrpc":"2.0","meth', ['{"jsonrpc":"2.0","meth']),
        (b'{"jsonrpc":"2.0","id":{},"result":1}\n', ['{"jsonrpc":"2.0","id":{},"result":1}']),
    ],
)
def test_what_is_no_message_is_kept_as_it_is(lines, raw):
    data, conversion = converted(lines)
    assert [record["raw"] for line in data.splitlines() if "raw" in (record := json.loads(line))] == raw
    assert converted(data)[0] == data
    assert converted(lines, "jsonrpc")[1].lost["raw"] == 1
    assert conversion.lost.total() == 0


def test_what_is_too_long_is_said():
    path = GOLDEN / "line-too-long.ndjson.gz"
    assert converted(path)[1].lost == Counter({"long line": 1})


def test_several_recordings_become_one():
    lines = v1().prompt(1, "hello").agent_says("hi").ends(1).lines("jsonrpc")
    conversion = Conversion()
    records = [record for part in (lines[:6], lines[6:]) for record in conversion.records(b"\n".join(part))]
    data = b"".join(json_text(record).encode() + b"\n" for record in records)
    assert fold(data).snapshot == fold(lines).snapshot
    assert all(record["from"] in ("client", "agent") for record in records)


def test_a_sender_that_bare_json_rpc_does_not_tell_is_said():
    record = {"dir": "out", "frame": {"jsonrpc": "2.0", "method": "_robin/hello"}}
    assert converted(json.dumps(record).encode(), "jsonrpc")[1].lost["sender"] == 1
