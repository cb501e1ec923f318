"""Law 7: what a document holds is all that going on needs, wherever it was left off."""

from __future__ import annotations

import itertools
import random

from collections import Counter
from typing import Any

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state.document import dumps, loads
from acp_state.folded import Folded
from acp_state.folding import Fold, fold

from strategies import conversations, one_sided, perturbed, polite, rude
from support.effort import many, ran
from support.recordings import folded, frames_of, lines_of, recording, told
from support.talk import Sent


def assert_same(whole: Folded, resumed: Folded) -> None:
    assert told(whole) == told(resumed)
    assert whole.snapshot == resumed.snapshot
    assert whole.wire == resumed.wire


def counted(*states: Folded) -> Counter[str]:
    """How often each diagnostic came; what only the bound on them makes is left out."""
    return Counter({finding.code: 0 for state in states for finding in state.diagnostics}) + Counter(
        finding.code for state in states for finding in state.diagnostics for _ in range(finding.count)
    )


def assert_every_frame_split_resumes(conversation: list[Sent]) -> None:
    frames = frames_of(conversation)
    whole = folded(frames)
    work = Fold()
    for place in range(len(frames) + 1):
        first = work.folded()
        text = told(first)
        reloaded = loads(text)
        assert text == told(reloaded)
        assert first.snapshot == reloaded.snapshot
        second = folded(frames[place:], reloaded)
        assert_same(whole, second)
        assert counted(whole) == counted(first, second)
        if place < len(frames):
            work.take(frames[place])


def assert_resumes_again_and_again(conversation: list[Sent]) -> None:
    frames = frames_of(conversation)
    state = Folded()
    for frame in frames:
        state = loads(told(folded([frame], state)))
    assert_same(folded(frames), state)


@many(2)
@given(polite(max_size=24))
def test_at_every_frame_of_a_polite_conversation(conversation):
    ran("conversations")
    assert_every_frame_split_resumes(conversation)


@given(polite(max_size=18).map(one_sided))
def test_at_every_frame_of_what_only_the_agent_sent(conversation):
    ran("conversations")
    assert_every_frame_split_resumes(conversation)


@many(2)
@given(perturbed(18))
def test_at_every_frame_of_a_conversation_that_was_mixed_up(conversation):
    ran("conversations")
    assert_every_frame_split_resumes(conversation)


@many(2)
@given(rude(18))
def test_at_every_frame_of_a_rude_conversation(conversation):
    ran("conversations")
    assert_every_frame_split_resumes(conversation)


@given(conversations(24))
def test_after_each_frame_again(conversation):
    ran("conversations")
    assert_resumes_again_and_again(conversation)


def assert_byte_split_resumes(data: bytes, place: int, whole: Folded) -> None:
    first = fold(data[:place])
    assert_same(whole, fold(data[place:], from_=loads(dumps(first))))


def without_handshake(conversation: list[Sent]) -> list[Sent]:
    """A few frames: every byte of them is a place to go on from."""
    return conversation[-2:]


@many(0.4)
@given(conversations(6).map(without_handshake))
def test_at_every_byte(conversation):
    ran("conversations")
    data = recording(conversation)
    whole = fold(data)
    for place in range(len(data) + 1):
        assert_byte_split_resumes(data, place, whole)


@given(
    conversations(),
    st.sampled_from(("acp-state", "jsonrpc", "tagged", "jetbrains", "codecompanion", "toad")),
    st.randoms(use_true_random=False),
)
def test_at_some_bytes(conversation, dialect, chance):
    ran("conversations")
    data = recording([sent for sent in conversation if dialect in ("acp-state", "jsonrpc") or isinstance(sent.message, dict)], dialect)
    whole = fold(data)
    for _ in range(5):
        assert_byte_split_resumes(data, chance.randrange(len(data) + 1), whole)


@given(polite(max_size=12), st.sampled_from(("zed", "conductor", "acp-el")), st.randoms(use_true_random=False))
def test_at_some_bytes_of_a_log(conversation, dialect, chance):
    ran("conversations")
    data = recording([sent for sent in conversation if dialect != "acp-el" or "\\ud" not in ascii(sent.message)], dialect)
    whole = fold(data)
    for _ in range(5):
        assert_byte_split_resumes(data, chance.randrange(len(data) + 1), whole)


@given(
    polite(max_size=12, in_order=True, mixed=False),
    st.sampled_from(("replay", "snapshot", "sdk-calls", "updates")),
    st.randoms(use_true_random=False),
)
def test_at_every_line_of_a_recording_without_ids(conversation, dialect, chance):
    ran("conversations")
    lines = lines_of(conversation, dialect)
    whole = fold(b"".join(lines))
    for place in range(len(lines) + 1):
        first = fold(b"".join(lines[:place]))
        assert_same(whole, fold(b"".join(lines[place:]), from_=loads(told(first))))
    data = b"".join(lines)
    assert_byte_split_resumes(data, chance.randrange(len(data) + 1), whole)


@given(conversations(12), st.lists(st.integers(0, 4000), max_size=4))
def test_in_many_pieces(conversation, cuts):
    ran("conversations")
    data = recording(conversation)
    edges = sorted({0, *(cut % (len(data) + 1) for cut in cuts), len(data)})
    state = Folded()
    for start, end in itertools.pairwise(edges):
        state = loads(dumps(fold(data[start:end], from_=state)))
    assert_same(fold(data), state)


PRETTY = b'{\n "jsonrpc": "2.0",\n "method": "session/update",\n "params": {"sessionId": "s", "update":\n {"sessionUpdate": "_x",\n "a": "\xc3\xa9\\ud83d"}}\n}\n'


@pytest.mark.parametrize(
    "data",
    [
        PRETTY,
        PRETTY * 2,
        b"[\n" + PRETTY.rstrip() + b",\n" + PRETTY.rstrip() + b"\n]\n",
        b"\xef\xbb\xbf" + PRETTY.replace(b"\n", b"\r\n"),
        b"{\n broken\n" + PRETTY,
        b'{"jsonrpc":"2.0","method":"_x"} {"jsonrpc":"2.0","method":"_y"}\n',
        b"not json\n\n" + b'[{"jsonrpc":"2.0","method":"_x"},{"jsonrpc":"2.0","id":1,"result":{}}]\n',
        b'{"jsonrpc":"2.0","method":"_x","params":"\xed\xa0\xbd\xed\xb8\x80"}\n',
    ],
)
def test_at_every_byte_of_values_over_several_lines(data):
    whole = fold(data)
    for place in range(len(data) + 1):
        assert_byte_split_resumes(data, place, whole)


@pytest.mark.parametrize("indent", [None, 0, 1, 2])
@given(conversations())
def test_a_document_is_read_as_it_was_written(indent, conversation):
    ran("conversations")
    state = folded(frames_of(conversation))
    text = dumps(state, indent=indent)

    assert text == dumps(loads(text), indent=indent)
    assert state.snapshot == loads(text).snapshot


@given(conversations())
def test_a_snapshot_alone_is_read_as_it_was_written(conversation):
    ran("conversations")
    snapshot = folded(frames_of(conversation)).snapshot
    text = dumps(snapshot)

    assert text == dumps(loads(text).snapshot)


@pytest.mark.long
@given(conversations(90))
def test_at_some_frames_of_a_long_conversation(conversation):
    ran("conversations")
    chance = random.Random(len(conversation))  # noqa: S311 -- no secret
    frames = frames_of(conversation)
    whole = folded(frames)
    for place in chance.sample(range(len(frames) + 1), min(5, len(frames) + 1)):
        assert_same(whole, folded(frames[place:], loads(told(folded(frames[:place])))))


def test_what_is_open_survives():
    conversation: list[Any] = [
        Sent(
            "client",
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "session/prompt",
                "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "ab"}]},
            },
        ),
        Sent("agent", {"jsonrpc": "2.0", "id": 1, "method": "_x/ask", "params": {}}),
        Sent("client", {"jsonrpc": "2.0", "id": 2, "method": "session/load", "params": {"sessionId": "t", "cwd": "/", "mcpServers": []}}),
    ]
    assert_every_frame_split_resumes(conversation)
