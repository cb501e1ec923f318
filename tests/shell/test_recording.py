"""What `acp-state record` is made of: the transcript, the backlog, the recorder's sinks (SPEC 3, 8)."""

from __future__ import annotations

import json
import os
import threading

from base64 import b64decode

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state import dumps, fold, loads
from acp_state.reading.lines import MAX_LINE
from acp_state.recording.backlog import AGENT, CLIENT, Backlog, Messages
from acp_state.recording.current import PAUSE, SHARE, State
from acp_state.recording.scribe import File, Scribe
from acp_state.recording.transcript import Transcript

from strategies import conversations, json_values
from support.effort import ran
from support.recorder import LONG, records_of
from support.recordings import told


# --- transcript ------------------------------------------------------------------------------------------


def transcribed(pieces, sender="agent"):
    transcript = Transcript()
    return b"".join([*(transcript.heard(sender, piece, 1.0) for piece in pieces), transcript.ended(sender, 1.0)])


@given(st.data())
def test_how_bytes_come_never_shows(data):
    lines = st.one_of(
        st.binary(max_size=8),
        json_values.map(lambda value: json.dumps(value).encode()),
        st.sampled_from((b"\xef\xbb\xbf{}", b"{}[]", b"{} x", b" \r")),
    )
    said = b"\n".join(data.draw(st.lists(lines, max_size=6)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=6)))
    pieces = [said[start:end] for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True)]

    assert transcribed(pieces) == transcribed([said])


@given(
    st.lists(
        st.binary(max_size=8).map(lambda line: line.replace(b"\n", b""))
        | st.sampled_from((b'{"a":1}', b"[ ]", b'"\xc3\xa9"', b"1\r", b"{")),
        max_size=6,
    )
)
def test_every_line_is_recorded(lines):
    records = records_of(transcribed([b"\n".join(lines)]))

    found = []
    for record in records:
        raw = record.get("raw")
        found.append(
            b64decode(raw["base64"])
            if isinstance(raw, dict)
            else raw.encode()
            if raw is not None
            else json.dumps(record["message"]).encode()
        )
    wanted = []
    for line in lines:
        stripped = line.strip(b" \t\r")
        wanted += [] if not stripped else [{b'{"a":1}': b'{"a": 1}', b"[ ]": b"[]"}.get(stripped, stripped)]
    assert found == wanted


@given(conversations())
def test_a_recording_folds_to_what_the_conversation_does(conversation):
    ran("conversations")
    transcript = Transcript()
    recording = transcript.header() + b"".join(
        transcript.heard(sent.sender, json.dumps(sent.message).encode() + b"\n", 0.5) for sent in conversation
    )
    by_hand = [{"t": 0.5, "from": sent.sender, "message": sent.message} for sent in conversation]

    assert told(fold(recording)) == told(fold(by_hand))


def test_a_line_that_is_too_long_is_left_out():
    transcript = Transcript(limit=10)
    said = transcript.heard("agent", b"x" * 11, 0) + transcript.heard("agent", b'y\n{"a":1}\n', 0)
    assert [record["message"] for record in records_of(said)] == [{"a": 1}]
    assert transcript.left_out == 1
    assert transcript.ended("agent", 0) == b""


def test_the_longest_line_that_is_recorded_can_be_read():
    transcript = Transcript()
    line = b'{"jsonrpc":"2.0","method":"_a","params":"' + b"x" * MAX_LINE
    line = line[: MAX_LINE - 1024 - 2] + b'"}'
    assert [finding.code for finding in fold(transcript.heard("client", line + b"\n", 10**6)).diagnostics] == []
    assert transcript.left_out == 0


# --- backlog ---------------------------------------------------------------------------------------------


def sent_by(backlog, source):
    """What the other end of *source* gets until it is closed."""
    messages, found = Messages(), []
    while data := os.read(source, 7):
        found += messages.feed(data)
    backlog.join(LONG)
    return [(about, data) for about, _, data in found]


def test_what_is_given_comes_in_order_and_is_timed():
    source, sink = os.pipe()
    backlog = Backlog(sink, lambda: None)
    backlog.start()
    given = [(CLIENT, b"a"), (AGENT, b"b" * 100), (CLIENT, b"")] * 10
    for about, data in given:
        backlog.put(about, data)
    backlog.close()
    assert sent_by(backlog, source) == given
    assert backlog.ended
    assert not backlog.broken
    os.close(source)


def test_a_backlog_without_a_reader_takes_all_and_drops_it():
    source, sink = os.pipe()
    os.close(source)
    ended = threading.Event()
    backlog = Backlog(sink, ended.set, limit=10)
    backlog.start()
    for _ in range(100):
        backlog.put(AGENT, b"x" * 100)
    assert ended.wait(LONG) or backlog.close() is None
    backlog.close()
    assert ended.wait(LONG)
    assert backlog.broken


def test_a_reader_that_takes_nothing_holds_the_session_up_once():
    source, sink = os.pipe()
    backlog = Backlog(sink, lambda: None, limit=100_000, patience=0.01)
    backlog.start()
    for _ in range(20):
        backlog.put(AGENT, b"x" * 50_000)
    assert backlog.broken
    os.close(source)
    backlog.close()
    backlog.join(LONG)
    assert backlog.ended


# --- sinks -----------------------------------------------------------------------------------------------

LINE = b'{"t":1,"from":"client","message":{"jsonrpc":"2.0","id":%d,"method":"_a"}}\n'


def test_an_archive_that_is_cut_off_can_be_read_up_to_what_was_flushed(tmp_path):
    path = tmp_path / "a.gz"
    file = File(os.open(path, os.O_WRONLY | os.O_CREAT), packed=True)
    for number in range(3):
        file.write(LINE % number)
        file.flush()
        folded = fold(path)
        assert folded.tally.read == number + 1
        assert [finding.code for finding in folded.diagnostics] == ["torn-archive"]
    size = path.stat().st_size
    file.flush()
    assert path.stat().st_size == size
    file.close()
    assert fold(path).diagnostics == ()


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_the_state_is_not_written_for_every_frame(tmp_path):
    path, clock = tmp_path / "now.json", Clock()
    state = State(str(path), clock)
    state.flush()
    assert loads(path.read_text()) is not None
    for number in range(5):
        state.write(LINE % number)
        state.flush()
        assert len(loads(path.read_text()).wire.open) == 0
    assert state.wait() == PAUSE
    clock.now += PAUSE
    assert state.wait() == 0
    state.flush()
    assert len(loads(path.read_text()).wire.open) == 5
    assert state.wait() is None
    state.write(LINE % 9)
    state.close()
    assert path.read_text() == dumps(fold(b"".join(LINE % number for number in (0, 1, 2, 3, 4, 9)))) + "\n"


def test_a_state_that_takes_long_is_written_rarely(tmp_path):
    clock = Clock()

    def slow():
        clock.now += 2.0
        return clock.now

    state = State(str(tmp_path / "now.json"), slow)
    state.flush()
    state.write(LINE % 1)
    before = clock.now
    assert state.wait() == SHARE * 2.0 - (clock.now - before)


def test_the_state_of_a_link_is_written_where_it_leads(tmp_path):
    (tmp_path / "to").mkdir()
    link = tmp_path / "now.json"
    link.symlink_to(tmp_path / "to" / "there.json")
    State(str(link)).close()
    assert link.is_symlink()
    assert loads(link.read_text()) is not None


class Broken:
    def __init__(self, error):
        self.error = error

    def write(self, records):
        raise self.error

    flush = close = None


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ValueError("a fault"), RecursionError()], ids=repr)
def test_a_sink_that_fails_is_left_out_with_one_warning(tmp_path, error):
    path, heard = tmp_path / "a", []
    scribe = Scribe({"bad": Broken(error), "good": File(os.open(path, os.O_WRONLY | os.O_CREAT), packed=False)}, heard.append)
    scribe.begin("now")
    scribe.flush()
    scribe.end()
    assert len(heard) == 1
    assert heard[0].startswith("bad: ")
    assert [record["started"] for record in records_of(path.read_bytes())] == ["now"]
