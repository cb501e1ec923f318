"""Resident memory, in a process of its own: what a user's process would grow by.

Not `tracemalloc`: it knows what was asked for, and not what the allocator made of it. Linux alone says
both how much there is and how much there was at most, and can forget the latter.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from acp_state import dumps, fold
from acp_state.folding import Fold, collector_paused
from acp_state.reading.reader import Reader
from acp_state.reading.source import blocks

from . import ROOT
from .rows import MIXES, NONE, Row, row
from .timing import traffic
from .workloads import SMALLEST


STATUS: Final = Path("/proc/self/status")

TARGETS: Final = {"last": (220.0, 140.0), "all": (750.0, 560.0)}
"""The bytes a frame of a mix of 100,000 frames that the last snapshot, and all of them, must and should take at most."""


def kept(names: Sequence[str], size: int, rounds: int) -> Iterator[Row]:
    """Yield for each workload the memory of the last snapshot, of all, and at most; and the size of the final document."""
    if not STATUS.is_file():
        return
    for name in names:
        with traffic(name, SMALLEST) as small, traffic(name, size) as made:
            found = {what: [_child(what, small.path, made.path) for _ in range(rounds)] for what in TARGETS}
        for part, what, figure in (
            ("memory, last snapshot", "last", "kept"),
            ("memory, all snapshots", "all", "kept"),
            ("memory, at most", "last", "most"),
            ("final document", "last", "document"),
        ):
            target = TARGETS[what] if figure == "kept" and name in MIXES and size == 100_000 else NONE
            yield row("memory", part, name, size, [one[figure] / size for one in found[what]], "B/frame", (), target)


def _child(what: str, small: Path, path: Path) -> Any:
    command = [sys.executable, "-m", __name__, what, str(small), str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout)


def _resident(line: str) -> int:
    """Return a figure of `/proc/self/status` in bytes."""
    return next(int(text.split()[1]) for text in STATUS.read_text().splitlines() if text.startswith(line)) * 1024


def _snapshots(path: Path) -> list[Any]:
    """Fold a file and keep the snapshot after every frame."""
    work, reader, found = Fold(), Reader(), []
    with collector_paused():
        for block in blocks(path):
            for frame in reader.feed(block):
                work.take(frame)
                found.append(work.snapshot)
    return found


def _measure(what: str, small: Path, path: Path) -> None:
    act = fold if what == "last" else _snapshots
    dumps(fold(small))
    act(small)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # forget how much there was at most
    before = _resident("VmRSS")
    state = act(path)
    after, most = _resident("VmRSS"), _resident("VmHWM")
    document = len(dumps(state, indent=None)) if what == "last" else 0
    print(json.dumps({"kept": after - before, "most": most - before, "document": document}))


if __name__ == "__main__":
    _measure(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
