"""Law 11: what is fed as it comes and what is folded afterwards end in the same state; nothing looks ahead."""

from __future__ import annotations

import itertools
import random

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state.folded import Folded
from acp_state.folding import Fold, fold
from acp_state.reading import blocks
from acp_state.store import Store
from acp_state.tracing import trace

from strategies import conversations
from support.effort import many, ran
from support.recordings import DIALECTS, frames_of, recording, told


GOLDEN = Path(__file__).parents[2] / "golden"
TRANSCRIPTS = sorted(
    path
    for path in GOLDEN.iterdir()
    if path.is_file() and not path.name.startswith(".") and not path.name.endswith((".state.json", ".diagnostics.json", ".md"))
)
BY_BYTES, BY_PIECES = 20_000, 1_000_000
"""What is longer is not fed byte by byte, or in small pieces: that would take minutes."""


def pieces(data: bytes, sizes: Iterable[int]) -> Iterator[bytes]:
    start = 0
    for size in sizes:
        if start >= len(data):
            return
        yield data[start : start + size]
        start += size


def sizes_of(chance: random.Random) -> Iterator[int]:
    """Sizes of 1 to 100 without end: a run of tiny ones, then of any, then of one size, and so on."""
    while True:
        yield from (chance.randint(1, 3) for _ in range(40))
        yield from (chance.randint(1, 100) for _ in range(20))
        yield from itertools.repeat(chance.randint(1, 100), 20)


def assert_live_is_replay(whole: Folded, fed: Iterable[object]) -> None:
    with Store() as store:
        for data in fed:
            store.feed(data)

    assert told(whole) == told(store.state)
    assert whole.snapshot == store.snapshot
    assert whole.wire == store.state.wire
    assert whole.diagnostics == store.diagnostics
    assert whole.tally == store.state.tally


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_a_golden_fed_in_pieces_of_1_to_100_bytes(path):
    data = b"".join(block for block in blocks(path) if isinstance(block, bytes))
    whole = fold(data)
    if len(data) < BY_BYTES:
        assert_live_is_replay(whole, pieces(data, itertools.repeat(1)))
    if len(data) < BY_PIECES:
        assert_live_is_replay(whole, pieces(data, sizes_of(random.Random(path.name))))  # noqa: S311 -- no secret
    assert_live_is_replay(whole, [data])


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_a_golden_fed_frame_by_frame(path):
    steps = [step for step in trace(path) if step.frame is not None]
    store = Store()
    for step in steps:
        assert store.feed(step.frame) == step.after

    assert told(store.snapshot) == told(fold(path).snapshot)


@many(2)
@given(conversations(), st.sampled_from(DIALECTS), st.integers(1, 100), st.randoms(use_true_random=False))
def test_a_conversation_fed_in_pieces_of_1_to_100_bytes(conversation, dialect, size, chance):
    ran("conversations")
    if dialect not in ("acp-state", "jsonrpc"):
        conversation = [sent for sent in conversation if isinstance(sent.message, dict) and "method" in sent.message]
    data = recording(conversation, dialect)
    whole = fold(data)

    assert_live_is_replay(whole, pieces(data, itertools.repeat(size)))
    assert_live_is_replay(whole, pieces(data, sizes_of(chance)))


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
