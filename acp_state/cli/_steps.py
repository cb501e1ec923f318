"""What commands that go through a recording frame by frame have in common."""

from __future__ import annotations

import argparse
import sys

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import count
from ._recordings import add_files, name_among, no_session, nothing_read, opened


if TYPE_CHECKING:
    from ..diagnostics import Diagnostic
    from ..tracing import Step


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what they all take."""
    add_files(parser)
    parser.add_argument("--session", metavar="ID", help="what is about this session alone")
    parser.add_argument("--until", metavar="N", type=count, help="up to frame N")


def steps_of(file: str, args: argparse.Namespace, *, told: bool) -> Iterator[Step]:
    """Yield the steps of a recording; *told*: whoever takes them prints what was found.

    Raises `UsageError` if it cannot be read, and at its end if nothing could be, or nothing is about the session that is asked for.
    """
    from ..folding import collector_paused
    from ..state import Snapshot
    from ..tracing import trace

    frames = 0
    findings: tuple[Diagnostic, ...] = ()
    last = Snapshot()
    is_named = False
    with opened(file, bar=not sys.stdout.isatty()) as recording, collector_paused():
        for step in trace(recording, dialect=args.dialect, until=args.until):
            frames += step.number is not None
            findings = findings or step.diagnostics
            last = step.after
            is_named = is_named or _names(step, args.session)
            yield step
    if not frames and args.until != 0:
        raise nothing_read(file, findings, told=told)
    if args.session is not None and not is_named and args.session not in last.sessions:
        raise no_session(file, args.session, last.sessions)


def _names(step: Step, session_id: str | None) -> bool:
    """Whether a step is about a session, which need not be one that there is: what is sent for an unknown one is refused."""
    return session_id is not None and any(getattr(each, "session_id", None) == session_id for each in (*step.events, *step.diagnostics))


def of_file(object_: dict[str, Any], file: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return a JSON object with the recording that it is of, if there are several."""
    name = name_among(file, args.files)
    return object_ if name is None else {"recording": name, **object_}


def place_of(step: Step) -> dict[str, Any]:
    """Return where a step is in the recording: `frame`, `line` and `time`, as far as they are known."""
    frame = step.frame
    line = step.diagnostics[0].line if frame is None else frame.line
    place = {"frame": step.number, "line": line, "time": None if frame is None else frame.time}
    return {name: value for name, value in place.items() if value is not None}
