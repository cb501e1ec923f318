"""A program that stands between a client and an agent and records the lines of both, byte for byte.

    python wiretap.py RECORDING AGENT [ARGUMENT...]

The recording is in the `acp-state` dialect. A line is recorded before it is passed on, so whoever
answers one has its answer behind it. Ends when the agent does, with its exit status.
"""

from __future__ import annotations

import subprocess
import sys
import threading

from typing import IO


def main(path: str, *command: str) -> int:
    lock = threading.Lock()

    def pass_on(sender: str, source: IO[bytes], target: IO[bytes]) -> None:
        with target:
            for line in source:
                with lock:
                    record.write(b'{"t":0,"from":"%s","message":%s}\n' % (sender.encode(), line.rstrip(b"\n")))
                target.write(line)
                target.flush()

    with open(path, "wb") as record, subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as agent:  # noqa: PTH123 -- no pathlib: it must start fast
        threading.Thread(target=pass_on, args=("client", sys.stdin.buffer, agent.stdin), daemon=True).start()
        pass_on("agent", agent.stdout, sys.stdout.buffer)
        return agent.wait()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
