"""What the import and the command take to start, over a bare Python: the processor time of processes of their own, in turns."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

from collections.abc import Iterator
from typing import Final

from . import ROOT
from .rows import NONE, Row, row
from .timing import traffic
from .workloads import SMALLEST


ALL_NAMES: Final = "import acp_state; [getattr(acp_state, name) for name in acp_state.__all__]"
COMMAND: Final = "import sys; from acp_state.cli import main; sys.exit(main())"
"""What the script `acp-state` does."""


def started(rounds: int) -> Iterator[Row]:
    """Yield how many milliseconds each takes more than Python itself does."""
    with traffic("mix-v2", SMALLEST) as made, tempfile.TemporaryDirectory() as cache:
        commands = {
            "bare Python": ["-c", "pass"],
            "import acp_state": ["-c", "import acp_state"],
            "import of every public name": ["-c", ALL_NAMES],
            "acp-state fold": ["-c", COMMAND, "fold", str(made.path)],
        }
        targets = {"import acp_state": (60.0, 35.0), "acp-state fold": (100.0, 50.0)}
        # Compiled once, as an installed package is, and apart from what the machine has.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {
            "PYTHONPYCACHEPREFIX": cache
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, arguments in commands.items():
                spent = _seconds(arguments, environment)
                if number:
                    times[name].append(spent * 1000)
        bare = times.pop("bare Python")
        yield row("start", "bare Python", "", 0, bare, "ms")
        for name, spent in times.items():
            over = [one - base for one, base in zip(spent, bare, strict=True)]
            yield row("start", name, "", SMALLEST if "fold" in name else 0, over, "ms more", (), targets.get(name, NONE))


def _seconds(arguments: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, env=environment, capture_output=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
