"""Law 11: what is fed as it comes and what is folded afterwards end in the same state; nothing looks ahead."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from acp_state.folding import Fold, fold

from strategies import conversations
from support.effort import many, ran
from support.recordings import frames_of, recording, told


@given(conversations())
def test_frame_by_frame_and_all_at_once(conversation):
    ran("conversations")
    work = Fold()
    for frame in frames_of(conversation):
        work.take(frame)
    whole = fold(recording(conversation))

    assert told(whole) == told(work.folded())
    assert whole.snapshot == work.snapshot
    assert whole.tally == work.folded().tally


@many(0.5)
@given(conversations(12))
def test_nothing_looks_ahead(conversation):
    ran("conversations")
    data = recording(conversation)
    frames = frames_of(conversation)
    work = Fold()
    for number, frame in enumerate([None, *frames]):
        if frame is not None:
            work.take(frame)
        until = fold(data, until=number)
        assert told(until.snapshot) == told(work.snapshot)
        assert until.tally.read == number


@given(conversations(), st.lists(st.integers(0, 4000), max_size=6))
def test_going_on_in_memory_and_all_at_once(conversation, cuts):
    ran("conversations")
    data = recording(conversation)
    edges = sorted({0, *(cut % (len(data) + 1) for cut in cuts), len(data)})
    state = None
    for start, end in itertools.pairwise(edges):
        state = fold(data[start:end], from_=state)

    assert told(fold(data)) == told(fold(b"") if state is None else state)
