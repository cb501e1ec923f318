"""`acp-state record`: a session between a client and an agent, recorded as it goes on."""

from __future__ import annotations

import argparse
import os

from pathlib import Path
from typing import Final

from . import UsageError
from ._recordings import check_place


HELP: Final = "record a session while a client and an agent have it"
DESCRIPTION: Final = """\
Starts AGENT and stands between it and whoever started this command: what either writes is handed on
unchanged as it comes, and recorded on the way. Standard error, signals and the exit code are the
agent's; only an AGENT that cannot be started is exit code 2. Standard error is not recorded.

The recording is in the acp-state format, with times in seconds from the start. It can be read while
it grows. An existing FILE is replaced. If FILE can no longer be written, a warning says so and the
session goes on."""
EPILOG: Final = """\
examples:
  acp-state record -o session.ndjson -- my-agent --acp
  acp-state record -o session.ndjson.gz --state now.json -- my-agent --acp
  acp-state fold session.ndjson"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.usage = "%(prog)s [-h] [-o FILE] [--state FILE] -- AGENT ARG..."
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to record, .gz for gzip; in a directory, or by default in the current one, acp-DATE-TIME-PID.ndjson",
    )
    parser.add_argument("--state", metavar="FILE", help="also keep the current state there: replaced as a whole, at most once a second")
    parser.add_argument("agent", metavar="-- AGENT ARG...", nargs=argparse.REMAINDER, help="the agent's command and its arguments")


def run(args: argparse.Namespace) -> int:
    """Run the agent, and end as it ended."""
    agent = args.agent[1:] if args.agent[:1] == ["--"] else args.agent
    _check(agent)
    path = _path(args.output)
    for file in filter(None, (path, args.state)):
        check_place(file)
    if args.state is not None and _are_one(path, args.state):
        raise UsageError(f"{args.state}: --state and -o name one file, which cannot be both")
    from ..recording import Session

    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    try:
        session = Session(file, path, args.state)
    except OSError as error:
        raise UsageError(f"the recorder cannot be started: {error.strerror}") from None
    try:
        status = session.run(agent)
    except OSError as error:
        raise UsageError(f"the agent {agent[0]!r} cannot be started: {error.strerror}") from None
    return session.die_as(status)


def _check(agent: list[str]) -> None:
    """Find out what can be found out before anything is written."""
    import shutil

    if not agent:
        raise UsageError("record needs the agent's command: acp-state record -o FILE -- AGENT ARG...")
    if not hasattr(os, "posix_spawnp") or not hasattr(os, "fork"):
        raise UsageError("record needs a POSIX system")
    if shutil.which(agent[0]) is None:
        raise UsageError(f"the agent {agent[0]!r} is not found, or is no program")


def _are_one(output: str, state: str) -> bool:
    """Whether two paths lead to one file, which need not be there yet."""
    try:
        return os.path.samefile(output, state)  # noqa: PTH121 -- as text, like the next
    except OSError:
        return os.path.realpath(output) == os.path.realpath(state)


def _path(output: str | None) -> str:
    if output == "-":
        raise UsageError("-o -: standard output is the agent's")
    if output is not None and not Path(output).is_dir():
        return output
    import time

    name = f"acp-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.ndjson"
    return str(Path(output or "", name))
