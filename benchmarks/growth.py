"""Whether a frame costs the same late in a long recording as early: one fold, timed in windows."""

from __future__ import annotations

import itertools

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from time import process_time
from typing import Any, Final

from acp_state.folding import Fold, collector_paused
from acp_state.reading.reader import Reader

from .parts import blocks
from .rows import FLAT, NONE, Row, row
from .timing import frozen
from .workloads import lines


MOST: Final = 1_000_000


def grown(names: Sequence[str], size: int, rounds: int) -> Iterator[Row]:
    """Yield what the last hundredth of a recording takes over its first, less the first tenth of that.

    At a million frames: frames 990,000 to 1,000,000 over 1,000 to 10,000. With the collector as `fold`
    sets it, and as Python does; of the latter also the mean of all, since collections are rare and long.
    """
    cuts = (0, size // 1000, size // 100, size - size // 100, size)
    sizes = [end - start for start, end in itertools.pairwise(cuts)]
    for name in names:
        made = lines(name, size)
        pieces = [b"".join(made[start:end]) for start, end in itertools.pairwise(cuts)]
        del made
        for what, collector in (("growth", collector_paused), ("growth, Python's collector", nullcontext)):
            runs = [[spent / count * 1e9 for spent, count in zip(_windows(pieces, collector), sizes, strict=True)] for _ in range(rounds)]
            target = FLAT if collector is collector_paused and size == MOST else NONE
            yield row("growth", what, name, size, [run[3] for run in runs], "ns/frame", [run[3] / run[1] for run in runs], target)
            yield row("growth", f"{what}, mean", name, size, [run[2] for run in runs], "ns/frame", [run[2] / run[1] for run in runs])


def _windows(pieces: list[bytes], collector: Any) -> list[float]:
    """Return the seconds that each of the pieces takes, one after the other in one fold."""
    work, reader = Fold(), Reader()
    spent = []
    with frozen(), collector():
        for piece in pieces:
            start = process_time()
            for block in blocks(piece):
                for frame in reader.feed(block):
                    work.take(frame)
            spent.append(process_time() - start)
    return spent
