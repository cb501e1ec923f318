"""The command `acp-state record` between a test and an agent, as a client starts it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys

from pathlib import Path
from typing import Any, Final, Self


COMMAND: Final = (sys.executable, "-m", "acp_state", "record")
LONG: Final = 60
"""Seconds after which a test has failed that waits for another process."""

ECHO: Final = "import os\nwhile data := os.read(0, 65536):\n    os.write(1, data)\n"
"""An agent that says what it is told."""


class Recorder:
    """The command, running; the test is the client. Leaving the block ends what is left of it."""

    def __init__(self, agent: str | list[str], path: Path, *options: str, **popen: Any) -> None:
        """Start *agent*, a Python program or a command, and record it to *path*."""
        command = agent if isinstance(agent, list) else [sys.executable, "-ISc", agent]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "bufsize": 0, **popen}
        self.path = path
        self.process = subprocess.Popen([*COMMAND, "-o", str(path), *options, "--", *command], **pipes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()
        self.process.wait()

    def say(self, data: bytes) -> None:
        os.write(self.process.stdin.fileno(), data)

    def hear(self, size: int) -> bytes:
        """Return the next *size* bytes of the agent's, fewer if it has ended."""
        return read(self.process.stdout.fileno(), size)

    def hear_line(self) -> bytes:
        line = b""
        while not line.endswith(b"\n") and (more := self.hear(1)):
            line += more
        return line

    def end(self, said: bytes = b"") -> tuple[bytes, bytes]:
        """Say the last, close the client's end, and return what is left of standard output and error."""
        return self.process.communicate(said or None, timeout=LONG)

    @property
    def code(self) -> int:
        """The exit code, a signal's number with a minus; waits for it."""
        return self.process.wait(LONG)

    def records(self) -> list[Any]:
        """The recording's lines."""
        return records_of(self.path.read_bytes())

    def said_by(self, sender: str) -> list[Any]:
        """What the recording has of a side: messages, and raw lines."""
        return [record.get("message", record.get("raw")) for record in self.records() if record.get("from") == sender]


def read(descriptor: int, size: int) -> bytes:
    """Read *size* bytes, fewer at the end of the input."""
    data = b""
    while len(data) < size:
        assert select.select([descriptor], [], [], LONG)[0], f"nothing came after {data[-100:]!r}"
        more = os.read(descriptor, size - len(data))
        if not more:
            break
        data += more
    return data


def records_of(data: bytes) -> list[Any]:
    """The records of a recording, each on a line of its own with its end."""
    lines = data.split(b"\n")
    assert lines.pop() == b"", "the last line is torn"
    return [json.loads(line) for line in lines]
