"""`acp-state fold`: the final state of a recording."""

from __future__ import annotations

import argparse
import sys

from typing import TYPE_CHECKING, Final

from . import UsageError, count, require
from ._recordings import (
    add_diagnostics,
    add_files,
    check_dialect,
    each_file,
    matching,
    name_among,
    opened,
    print_findings,
    print_heading,
    print_losses,
    tell_of_other_text,
)
from ._state import check_folded, code_of, print_tally, printed, take


if TYPE_CHECKING:
    from ..folded import Folded


HELP: Final = "print the final state of a recording"
DESCRIPTION: Final = """\
Reads a recording of ACP traffic, of either protocol version and in any of the formats that are
known, and prints the state that it leads to. What is wrong with it goes to standard error."""
EPILOG: Final = """\
With --follow the state is printed anew whenever there is more of the recording: of a file until Ctrl-C,
of a pipe and of standard input (also one that is a file) until its end. As JSON it is one document a
line, as YAML one after the other, as text in the place of the one before, if on a terminal.

examples:
  acp-state fold session.ndjson
  zcat session.ndjson.gz | acp-state fold - --session s-1
  acp-state fold session.ndjson --until 40 --format text
  acp-state fold session.ndjson --until-turn 2 --select /sessions/s-1/usage
  acp-state fold today.ndjson --from yesterday.state.json
  acp-state fold live.ndjson --follow --format text"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_files(parser)
    parser.add_argument("--session", metavar="ID", help="this session alone")
    ends = parser.add_mutually_exclusive_group()
    ends.add_argument("--until", metavar="N", type=count, help="the state after frame N")
    ends.add_argument(
        "--until-turn",
        metavar="N",
        type=count,
        help="the state at the end of turn N, the first being 1: of --session, else of the first session that comes so far",
    )
    parser.add_argument("--from", dest="start", metavar="STATE", help="go on from this state, as the command printed it as JSON")
    parser.add_argument("--follow", action="store_true", help="print the state again and again as the recording grows")
    parser.add_argument("--strict", action="store_true", help="stop at the first error, and exit with 1")
    parser.add_argument(
        "--format",
        choices=("json", "yaml", "text"),
        default="json",
        help="how the state is printed",
    )
    parser.add_argument(
        "--select",
        metavar="POINTER",
        help="only what this JSON pointer leads to in the state document, like /sessions/s-1/usage",
    )
    add_diagnostics(parser)
    parser.add_argument(
        "--tally",
        action="store_true",
        help="also say how many frames were read, and what became of them",
    )


def run(args: argparse.Namespace) -> int:
    """Fold each file and print its state."""
    _check(args)
    if args.start is not None:
        from ._documents import start_of

        args.start = start_of(args.start)
    if args.follow:
        from ._follow import follow

        return follow(args.files[0], args)
    args.files = matching(args.files)
    return each_file(args.files, lambda file: _run(file, args))


def _check(args: argparse.Namespace) -> None:
    check_dialect(args.dialect)
    if args.until_turn == 0:
        msg = "--until-turn takes a number, 1 or more"
        raise UsageError(msg)
    if args.select is not None and args.format == "text":
        msg = "--select takes a part of the document, which --format text does not print"
        raise UsageError(msg)
    if args.select not in (None, "") and not args.select.startswith("/"):
        msg = f"--select takes a JSON pointer, which begins with /, not {args.select!r}"
        raise UsageError(msg)
    if args.follow and len(args.files) > 1:
        msg = "--follow takes one file"
        raise UsageError(msg)
    if args.start == "-" and "-" in args.files:
        msg = "standard input cannot be both the state and the recording"
        raise UsageError(msg)
    if args.format == "yaml":
        require("yaml", "acp-state fold --format yaml", "PyYAML")


def _run(file: str, args: argparse.Namespace) -> int:
    folded = _folded(file, args)
    name = name_among(file, args.files)
    try:
        check_folded(folded, file, args)
        text = printed(folded, file, args)
    except UsageError:
        print_losses(folded.diagnostics, args.diagnostics, name, session=args.session)
        raise
    print_findings(folded.diagnostics, args.diagnostics, name)
    print_tally(folded, args)
    if not args.strict:  # else it may have stopped before it came to what it is
        tell_of_other_text(file, folded.diagnostics, folded.tally.read, args.diagnostics)
    if args.format == "text":
        print_heading(file, args)
    sys.stdout.write(text)
    return code_of(folded, args)


def _folded(file: str, args: argparse.Namespace) -> Folded:
    from ..folding import Fold, fold
    from ..reading.reader import Reader

    with opened(file) as recording:
        if args.until_turn is None:
            return fold(recording, dialect=args.dialect, from_=args.start, until=args.until, strict=args.strict)
        work = Fold(args.start)
        take(work, recording, Reader(args.dialect, work.wire.reader), args)
        return work.folded()
