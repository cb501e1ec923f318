"""Instructions instead of time: the same on a busy machine as on an idle one. Needs valgrind.

A process under valgrind makes all ready and forks twice for each part: one child performs the acts of
the part, the other only makes what they need. What the first executes more is what the part takes.
One run says it all: the ratios differ by less than a hundredth from run to run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from . import ROOT, timing
from .parts import BASE, Part, parts_for
from .rows import Row, row
from .workloads import SMALLEST, WORKLOADS


VALGRIND: Final = shutil.which("valgrind")


def counted(names: Sequence[str], sizes: Sequence[int], wanted: Callable[[str], bool]) -> Iterator[Row]:
    """Yield a row for each part, workload and size: instructions a frame, and the ratio to those of `orjson.loads`."""
    for name in names:
        for size in sizes:
            parts = [part.name for part in parts_for(WORKLOADS[name].version, size, wanted)]
            counts = _counts([BASE.name, *parts], name, size)
            base = counts[BASE.name]
            yield row("instructions", BASE.name, name, size, [base / size], "instr/frame")
            for part in parts:
                yield row("instructions", part, name, size, [counts[part] / size], "instr/frame", [counts[part] / base])


def _counts(parts: list[str], name: str, size: int) -> dict[str, int]:
    command = [str(VALGRIND), "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", sys.executable]
    done = subprocess.run(
        [*command, "-m", __name__, name, str(size), *parts],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    by_process = {int(pid): int(count.replace(",", "")) for pid, count in re.findall(r"==(\d+)== I\s+refs:\s+([\d,]+)", done.stderr)}
    return {part: by_process[with_acts] - by_process[without] for part, with_acts, without in map(json.loads, done.stdout.splitlines())}


def _count(name: str, size: int, names: list[str]) -> None:
    parts = [part for part in (BASE, *parts_for(WORKLOADS[name].version, 0, lambda _: True)) if part.name in names]
    with timing.traffic(name, SMALLEST) as made:
        for part in parts:
            timing.seconds(part, made)
    with timing.traffic(name, size) as made:
        for part in parts:
            children = [_child(part, made, acts=acts) for acts in (True, False)]
            print(json.dumps([part.name, *children]), flush=True)


def _child(part: Part, made: timing.Traffic, *, acts: bool) -> int:
    pid = os.fork()
    if not pid:
        for act in part.acts(made):
            if acts:
                act()
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


if __name__ == "__main__":
    _count(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
