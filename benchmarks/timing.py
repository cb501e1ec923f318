"""Processor time: each part beside `orjson.loads` of the same lines, in turns, several rounds."""

from __future__ import annotations

import gc
import tempfile

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import process_time

from .parts import BASE, Part, Traffic, parts_for
from .rows import NONE, TARGETS, Row, row
from .workloads import SMALLEST, WORKLOADS, encode, frames


@contextmanager
def traffic(name: str, size: int) -> Iterator[Traffic]:
    """Make a workload, with its file for as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.ndjson"
        lines, senders = [], []
        for sender, message in frames(name, size):
            lines.append(encode(message) + b"\n")
            senders.append(sender)
        path.write_bytes(b"".join(lines))
        yield Traffic(WORKLOADS[name].version, lines, senders, path)


def measured(names: Sequence[str], sizes: Sequence[int], wanted: Callable[[str], bool], rounds: int, least: float) -> Iterator[Row]:
    """Yield a row for each part of each workload and size; *least* is for how long, in seconds, a part is repeated."""
    for name in names:
        of = WORKLOADS[name]
        for size in sizes:
            parts = parts_for(of.version, size, wanted)
            if size > of.largest or not parts:
                continue
            if size > SMALLEST:
                with traffic(name, SMALLEST) as made, frozen():
                    for part in parts:  # what is imported or made once is not measured
                        seconds(part, made)
            with traffic(name, size) as made, frozen():
                yield from _rows(name, made, parts, rounds, least)


@contextmanager
def frozen() -> Iterator[None]:
    """Keep what is there already from the collector, which would look through it again and again."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _rows(name: str, made: Traffic, parts: list[Part], rounds: int, least: float) -> Iterator[Row]:
    size = len(made.lines)
    values: dict[str, list[float]] = {part.name: [] for part in (BASE, *parts)}
    ratios: dict[str, list[float]] = {part.name: [] for part in (BASE, *parts)}
    for _ in range(rounds):
        base = seconds(BASE, made, least)
        values[BASE.name].append(base / size * 1e9)
        for part in parts:
            spent = seconds(part, made, least)
            before, base = base, seconds(BASE, made, least)
            values[BASE.name].append(base / size * 1e9)
            values[part.name].append(spent / size * 1e9)
            ratios[part.name].append(spent / ((before + base) / 2))
    for part in (BASE, *parts):
        target = TARGETS.get((part.name, name, size), NONE)
        yield row("time", part.name, name, size, values[part.name], "ns/frame", ratios[part.name], target)


def seconds(part: Part, made: Traffic, least: float = 0) -> float:
    """Return the processor time of a part: the mean of as many runs as *least* (in seconds) takes, one or more."""
    spent, times = 0.0, 0
    while not times or spent < least:
        gc.collect()
        for act in part.acts(made):
            start = process_time()
            kept = act()
            spent += process_time() - start
            del kept  # to free what came of it is not measured
        times += 1
    return spent / times
