"""What the import and the command take to start, over a bare Python: in processes of their own, in turns.

In processor time; or in instructions, which are the same on a busy machine.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from . import ROOT
from .instructions import VALGRIND
from .rows import NONE, Row, Target, row
from .timing import traffic
from .workloads import SMALLEST


ALL_NAMES: Final = "import acp_state; [getattr(acp_state, name) for name in acp_state.__all__]"
COMMAND: Final = "import sys; from acp_state.cli import main; sys.exit(main())"
"""What the script `acp-state` does."""

TARGETS: Final[Mapping[str, Target]] = {"import acp_state": (60.0, 35.0), "acp-state fold": (100.0, 50.0)}
"""In milliseconds more than Python itself takes."""


def started(rounds: int) -> Iterator[Row]:
    """Yield how many milliseconds each takes more than Python itself does."""
    yield from _starts(_milliseconds, rounds, "ms", TARGETS)


def started_counted() -> Iterator[Row]:
    """Yield how many millions of instructions each takes more than Python itself does."""
    yield from _starts(_millions, 1, "M instr", {})


def _starts(
    measure: Callable[[Sequence[str], Mapping[str, str]], float], rounds: int, unit: str, targets: Mapping[str, Target]
) -> Iterator[Row]:
    with traffic("mix-v2", SMALLEST) as made, tempfile.TemporaryDirectory() as cache:
        commands = {
            "bare Python": ["-c", "pass"],
            "import acp_state": ["-c", "import acp_state"],
            "import of every public name": ["-c", ALL_NAMES],
            "acp-state fold": ["-c", COMMAND, "fold", str(made.path)],
        }
        # Compiled once, as an installed package is, and apart from what the machine has.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
            "PYTHONHASHSEED": "0",
            "PYTHONPYCACHEPREFIX": cache,
        }
        for arguments in commands.values():
            _run([sys.executable, *arguments], environment)
        figures: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, arguments in commands.items():
                figures[name].append(measure([sys.executable, *arguments], environment))
        bare = figures.pop("bare Python")
        yield row("start", "bare Python", "", 0, bare, unit)
        for name, taken in figures.items():
            over = [one - base for one, base in zip(taken, bare, strict=True)]
            yield row("start", name, "", SMALLEST if "fold" in name else 0, over, f"{unit} more", (), targets.get(name, NONE))


def _milliseconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _run(command, environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def _millions(command: Sequence[str], environment: Mapping[str, str]) -> float:
    counting = [str(VALGRIND), "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    told = _run([*counting, *command], environment)
    return sum(int(count.replace(",", "")) for count in re.findall(r"I\s+refs:\s+([\d,]+)", told)) / 1e6


def _run(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Run *command* and return what it says on standard error."""
    return subprocess.run(command, check=True, env=environment, capture_output=True, cwd=ROOT, text=True).stderr
