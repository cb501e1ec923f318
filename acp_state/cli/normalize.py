"""`acp-state normalize`: the events of a recording, free of protocol versions."""

from __future__ import annotations

import argparse
import sys

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from . import FINE, UsageError, _steps
from ._recordings import (
    add_diagnostics,
    check_dialect,
    each_file,
    matching,
    name_among,
    print_findings,
    print_losses,
    tell_of_other_text,
)


if TYPE_CHECKING:
    from ..tracing import Step


HELP: Final = "print what happened in a recording as events, one a line"
DESCRIPTION: Final = """\
Reads a recording and prints its events, one JSON object a line: what happened, said in the same words
whatever the protocol version, the agent and the recording's format. What is wrong with it goes to
standard error."""
EPILOG: Final = """\
A line has the frame's number, the recording's line and the time in seconds, as far as they are known,
then `event` (what happened) and the event's own members: the attributes of its class in
acp_state.events, where they are explained, in camelCase. What was not told is left out; null in a patch means that something was cleared. `key` tells one open request from
the others, by its id or, where a recording has none, by its number.

examples:
  acp-state normalize session.ndjson
  acp-state normalize session.ndjson --session s-1 | grep '"event":"tool_call_update"'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    _steps.add_arguments(parser)
    add_diagnostics(parser)


def run(args: argparse.Namespace) -> int:
    """Print the events of each file."""
    check_dialect(args.dialect)
    args.files = matching(args.files)
    return each_file(args.files, lambda file: _run(file, args))


def _run(file: str, args: argparse.Namespace) -> int:
    from ..diagnostics import Findings

    found = Findings()
    frames = 0
    printing: Callable[..., None] = print_findings
    try:
        for step in _steps.steps_of(file, args, told=args.diagnostics != "none"):
            frames += step.number is not None
            for finding in step.diagnostics:
                found.add(finding)
            _print(file, step, args)
    except UsageError:
        printing = partial(print_losses, session=args.session)
        raise
    finally:
        printing(found, args.diagnostics, name_among(file, args.files))
    tell_of_other_text(file, found, frames, args.diagnostics)
    return FINE


def _print(file: str, step: Step, args: argparse.Namespace) -> None:
    from ..event_json import event_to_json
    from ..printing import json_text

    for event in step.events:
        if args.session in (None, getattr(event, "session_id", None)):
            line = {**_steps.place_of(step), **event_to_json(event)}
            sys.stdout.write(json_text(_steps.of_file(line, file, args)) + "\n")
