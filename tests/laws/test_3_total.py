"""Law 3: nothing that is fed raises, and what is wrong with one frame is no harm to the others."""

from __future__ import annotations

from typing import Any

import pytest

from hypothesis import example, given
from hypothesis import strategies as st

from acp_state.document import dumps, loads
from acp_state.folding import Fold, fold
from acp_state.frames import Frame, read_message

from strategies import conversations, json_values, perturbed, polite, rude_messages
from support.effort import many, ran
from support.recordings import folded, frames_of, lines_of, recording, told
from support.talk import Sent


KINDS = ("request", "response", "error", "notification", "exit", "invalid")

deep_json = st.recursive(
    json_values, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": json_values,
        "method": st.sampled_from(("session/update", "session/prompt", "initialize", "$/cancel_request", "x")) | json_values,
        "params": json_values,
        "result": json_values,
        "error": json_values,
    },
)


def paths(value: Any, path: tuple = ()) -> list[tuple]:
    """The paths to every value in *value*."""
    found = [path]
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        found += paths(child, (*path, key))
    return found


def replaced(value: Any, path: tuple, other: Any) -> Any:
    """Return a copy of *value* with *other* at *path*."""
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


@st.composite
def mutated(draw: Any, of: st.SearchStrategy) -> list[Sent]:
    """A conversation in which up to four values, anywhere, are replaced by any JSON."""
    conversation = list(draw(of))
    for _ in range(draw(st.integers(1, 4))):
        if conversation:
            place = draw(st.integers(0, len(conversation) - 1))
            sent = conversation[place]
            where = paths(sent.message)
            path = where[draw(st.integers(0, len(where) - 1))]
            conversation[place] = sent._replace(message=replaced(sent.message, path, draw(deep_json)))
    return conversation


def assert_folds(conversation: list[Sent]) -> None:
    state = folded(frames_of(conversation))
    assert told(loads(told(state))) == told(state)
    assert state.tally.read == state.tally.folded + state.tally.unknown + state.tally.refused


@many(2)
@given(conversations(30))
def test_no_conversation_raises(conversation):
    ran("conversations")
    assert_folds(conversation)


@many(4)
@given(mutated(polite(max_size=15)))
def test_any_value_may_stand_at_any_place(conversation):
    ran("mutated inputs")
    assert_folds(conversation)


@many(2)
@given(mutated(perturbed(15)))
def test_any_value_may_stand_at_any_place_of_a_conversation_that_was_mixed_up(conversation):
    ran("mutated inputs")
    assert_folds(conversation)


@many(4)
@given(st.lists(st.builds(Sent, st.sampled_from(("client", "agent", None)), messages | deep_json), max_size=6))
def test_any_json_may_be_a_message(conversation):
    ran("mutated inputs")
    assert_folds(conversation)


@many(4)
@given(
    st.lists(
        st.builds(
            Frame,
            st.sampled_from(("client", "agent", None)),
            st.sampled_from(KINDS),
            json_values,
            st.none() | st.sampled_from(("session/update", "session/prompt", "elicitation/create", "terminal/create", "x")),
            deep_json,
        ),
        max_size=6,
    )
)
def test_any_frame_may_be_taken(frames):
    ran("mutated inputs")
    told(folded(frames))


@pytest.mark.parametrize("id", [{}, [], (1,), {"a": [1]}], ids=repr)
@pytest.mark.parametrize("kind", ["request", "response"])
def test_an_id_that_may_be_changed_is_none(kind, id):
    taken = folded([Frame("client", kind, id, "session/prompt", {"sessionId": "s", "prompt": []})])

    assert [finding.code for finding in taken.diagnostics] == ["invalid-message"]
    assert not taken.snapshot.connection.open_requests


@many(4)
@given(
    st.lists(
        st.binary(max_size=30) | st.sampled_from((b"\n", b"{", b"[", b"}", b"]", b'"', b"\xef\xbb\xbf", b"\xff", b"\x1f\x8b", b"\0")),
        max_size=12,
    )
)
def test_any_bytes_may_be_a_recording(pieces):
    ran("mutated inputs")
    state = fold(b"".join(pieces))
    assert told(loads(dumps(state))) == told(state)


@many(2)
@given(polite(max_size=6).map(recording), st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=3)), max_size=6))
def test_any_bytes_may_stand_anywhere_in_a_recording(data, changes):
    ran("mutated inputs")
    spoiled = bytearray(data)
    for place, other in changes:
        place = place % (len(spoiled) + 1)  # noqa: PLW2901 -- places wrap around
        spoiled[place : place + len(other)] = other
    state = fold(bytes(spoiled))
    assert told(loads(dumps(state))) == told(state)


@given(
    polite(max_size=12),
    st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from((b"WARN cache cold", b"{", b"\xff\xfe", b"[1, 2", b'{"a":', b"{}", b"null", b"]"))),
        max_size=4,
    ),
)
@example([], [(0, b"{")])
def test_lines_that_are_no_records_are_as_if_they_were_not_there(conversation, junk):
    ran("mutated inputs")
    lines = lines_of(conversation)
    alone = fold(b"".join(lines))
    for place, line in junk:
        lines.insert(place % (len(lines) + 1), line + b"\n")
    # An opening bracket begins a value over several lines, which only its end or what cannot be part of it ends.
    state = fold(b"".join(lines) + b"x\n")

    assert told(alone.snapshot) == told(state.snapshot)


@given(
    polite(max_size=12), st.lists(st.tuples(st.integers(0, 30), rude_messages() | st.builds(Sent, st.just("agent"), messages)), max_size=4)
)
def test_frames_that_are_refused_are_as_if_they_were_not_there(conversation, others):
    ran("conversations")
    mixed = list(conversation)
    for place, sent in others:
        mixed.insert(place % (len(mixed) + 1), sent)
    work = Fold()
    used = []
    for sent in mixed:
        for frame in read_message(sent.message, sent.sender):
            before = work.refused
            work.take(frame)
            # A request opens whatever it carries.
            if work.refused == before or frame.kind == "request":
                used.append(frame)

    assert told(folded(used).snapshot) == told(work.snapshot)
