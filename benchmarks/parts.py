"""What is measured: a part gives, for prepared traffic, the acts that it consists of.

Only the acts are measured, not what goes on between them: what an act needs is made before it, a batch
at a time, so that no more of it is alive than would be in use (a heap full of decoded frames makes
every collection dear).
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from acp_state import Snapshot, Store, diff, dumps, fold, loads
from acp_state.cli import main
from acp_state.folding import Fold, collector_paused
from acp_state.frames import Frame
from acp_state.normalize import NEW, normalize
from acp_state.reading.reader import Reader
from acp_state.reading.source import BLOCK
from acp_state.reduce import reduce


HAS_SDK: Final = importlib.util.find_spec("acp") is not None


class Traffic(NamedTuple):
    """A workload of one size, ready to be measured: its lines, their senders, and a file of them."""

    version: int
    lines: list[bytes]
    senders: list[str]
    path: Path


Acts: TypeAlias = Iterator[Callable[[], object]]


class Part(NamedTuple):
    """One thing to measure. *largest*: the largest size (in frames) that can be waited for. *version*: the only one that it can do."""

    name: str
    acts: Callable[[Traffic], Acts]
    largest: int = 1_000_000
    version: int | None = None


BATCH: Final = 1000


def batches(lines: list[Any]) -> Iterator[list[Any]]:
    return (lines[start : start + BATCH] for start in range(0, len(lines), BATCH))


def blocks(data: bytes) -> Iterator[bytes]:
    """Cut *data* as `fold` does."""
    return (data[start : start + BLOCK] for start in range(0, len(data), BLOCK))


def framed(traffic: Traffic) -> Iterator[list[Frame]]:
    """Yield the frames of the traffic in batches."""
    reader = Reader()
    for lines in batches(traffic.lines):
        yield [item for item in reader.feed(b"".join(lines)) if isinstance(item, Frame)]


# --- the limit ---------------------------------------------------------------------------------------------


def read_lines(traffic: Traffic) -> Acts:
    def act() -> None:
        with traffic.path.open("rb") as file:
            for _ in file:
                pass

    yield act


def decode(traffic: Traffic) -> Acts:
    def act() -> None:
        decode, lines = orjson.loads, traffic.lines
        for line in lines:
            decode(line)

    yield act


# --- the official SDK ----------------------------------------------------------------------------------------


def notifications(traffic: Traffic) -> Iterator[Any]:
    for line in traffic.lines:
        message = orjson.loads(line)
        if message.get("method") == "session/update":
            yield message["params"]


def sdk_validate(traffic: Traffic) -> Acts:
    """Decode as fast as can be, and validate the updates."""
    from acp.schema import SessionNotification

    def act() -> None:
        validate = SessionNotification.model_validate
        for params in notifications(traffic):
            validate(params)

    yield act


def sdk_accumulate(traffic: Traffic) -> Acts:
    """Decode, validate, and keep a snapshot up to date."""
    from acp.contrib.session_state import SessionAccumulator
    from acp.schema import SessionNotification

    def act() -> None:
        accumulator, validate = SessionAccumulator(), SessionNotification.model_validate
        for params in notifications(traffic):
            accumulator.apply(validate(params))

    yield act


# --- ours --------------------------------------------------------------------------------------------------


def fold_last(traffic: Traffic) -> Acts:
    """`fold` of the bytes."""
    data = traffic.path.read_bytes()
    yield lambda: fold(data)


def fold_each(traffic: Traffic) -> Acts:
    """A snapshot after every frame, in the hand of whoever wants it; the collector as `fold` sets it."""
    data = traffic.path.read_bytes()

    def act() -> Fold:
        work, reader = Fold(), Reader()
        for block in blocks(data):
            for item in reader.feed(block):
                work.take(item)
                _ = work.snapshot
        return work

    with collector_paused():
        yield act


def fold_command(traffic: Traffic) -> Acts:
    """`acp-state fold FILE`, with all that it prints, in this process."""
    arguments = ["fold", "--diagnostics", "none", str(traffic.path)]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        yield lambda: main(arguments)


def feed_store(traffic: Traffic) -> Acts:
    """`Store.feed` of decoded messages, Python's collector as it is."""
    store = Store()
    messages: list[tuple[Any, Any]]

    def act() -> None:
        for message, sender in messages:
            store.feed(message, sender)

    for lines, senders in zip(batches(traffic.lines), batches(traffic.senders), strict=True):
        messages = list(zip(map(orjson.loads, lines), senders, strict=True))
        yield act


def feed_store_uncollected(traffic: Traffic) -> Acts:
    with collector_paused():
        yield from feed_store(traffic)


def read(traffic: Traffic) -> Acts:
    """Bytes to frames, or to what stands for them, as `fold` has it."""
    data = traffic.path.read_bytes()

    def act() -> None:
        reader = Reader()
        for block in blocks(data):
            reader.feed(block)

    with collector_paused():
        yield act


def normalize_all(traffic: Traffic) -> Acts:
    """Frames to events."""
    wire = NEW
    frames: list[Frame] = []

    def act() -> None:
        nonlocal wire
        for frame in frames:
            wire, _, _ = normalize(wire, frame)

    with collector_paused():
        for frames[:] in framed(traffic):
            yield act


def reduce_all(traffic: Traffic) -> Acts:
    """Events to snapshots."""
    wire, snapshot = NEW, Snapshot()
    events: list[Any] = []

    def act() -> None:
        nonlocal snapshot
        for event in events:
            snapshot = reduce(snapshot, event)

    with collector_paused():
        for frames in framed(traffic):
            events.clear()
            for frame in frames:
                wire, some, _ = normalize(wire, frame)
                events += some
            yield act


def dumps_last(traffic: Traffic) -> Acts:
    """`dumps` of the final state, over the frames that led to it."""
    folded = fold(traffic.path)
    yield lambda: dumps(folded, indent=None)


def loads_last(traffic: Traffic) -> Acts:
    """`loads` of the final document, over the frames that led to it."""
    document = dumps(fold(traffic.path), indent=None)
    yield lambda: loads(document)


def diff_neighbours(traffic: Traffic) -> Acts:
    """`diff` of each snapshot with the one before."""
    work = Fold()
    snapshots: list[Snapshot] = []

    def act() -> None:
        for before, after in itertools.pairwise(snapshots):
            diff(before, after)

    with collector_paused():
        for frames in framed(traffic):
            snapshots[:] = [work.snapshot]
            for frame in frames:
                work.take(frame)
                snapshots.append(work.snapshot)
            yield act


BASE: Final = Part("orjson.loads", decode)
"""What all others are compared with."""

PARTS: Final = (
    Part("read lines", read_lines),
    *((Part("SDK validate", sdk_validate, 100_000, 1), Part("SDK accumulate", sdk_accumulate, 1_000, 1)) if HAS_SDK else ()),
    Part("fold", fold_last),
    Part("fold, each snapshot", fold_each),
    Part("fold command", fold_command),
    Part("Store.feed", feed_store),
    Part("Store.feed, no collector", feed_store_uncollected),
    Part("read", read),
    Part("normalize", normalize_all),
    Part("reduce", reduce_all),
    Part("dumps", dumps_last, 100_000),
    Part("loads", loads_last, 100_000),
    Part("diff", diff_neighbours, 100_000),
)


def parts_for(version: int, size: int, wanted: Callable[[str], bool]) -> list[Part]:
    """Return the wanted parts that can do a version and a size."""
    return [part for part in PARTS if wanted(part.name) and size <= part.largest and part.version in (None, version)]
