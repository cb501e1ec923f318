"""`acp-state fold`: the final state of a recording."""

from __future__ import annotations

import argparse
import sys

from typing import TYPE_CHECKING, Final

from . import FINDINGS, FINE, UsageError


if TYPE_CHECKING:
    from ..folded import Folded


HELP: Final = "print the final state of a recording"
DESCRIPTION: Final = """\
Reads a recording of ACP traffic, of either protocol version and in any of the formats that are
known, and prints the state that it leads to. What is wrong with it goes to standard error."""
EPILOG: Final = """\
examples:
  acp-state fold session.ndjson
  zcat session.ndjson.gz | acp-state fold - --session s-1
  acp-state fold session.ndjson --until 40 --format text"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a recording, also .gz; - for standard input",
    )
    parser.add_argument("--session", metavar="ID", help="this session alone")
    parser.add_argument(
        "--dialect",
        metavar="NAME",
        help="the recording's format, where it should not be told from the content",
    )
    parser.add_argument("--until", metavar="N", type=int, help="the state after frame N")
    parser.add_argument("--strict", action="store_true", help="stop at the first error, and exit with 1")
    parser.add_argument(
        "--diagnostics",
        choices=("text", "json", "none"),
        default="text",
        help="how findings are printed to standard error",
    )
    parser.add_argument(
        "--format",
        choices=("json", "text"),
        default="json",
        help="how the state is printed",
    )
    parser.add_argument(
        "--tally",
        action="store_true",
        help="also say how many frames were read, and what became of them",
    )


def run(args: argparse.Namespace) -> int:
    """Fold each file and print its state."""
    if args.until is not None and args.until < 0:
        msg = "--until takes a number of frames, 0 or more"
        raise UsageError(msg)
    codes = [_run(file, args) for file in args.files]
    return max(codes)


def _run(file: str, args: argparse.Namespace) -> int:
    folded = _folded(file, args)
    _print_findings(folded, args)
    sys.stdout.write(_printed(folded, file, args))
    sys.stdout.flush()
    failed = any(finding.severity == "error" for finding in folded.diagnostics)
    return FINDINGS if args.strict and failed else FINE


def _folded(file: str, args: argparse.Namespace) -> Folded:
    from ..errors import UnknownDialectError
    from ..folding import fold

    name = "standard input" if file == "-" else file
    try:
        folded = fold(file, dialect=args.dialect, until=args.until, strict=args.strict)
    except OSError as error:
        msg = f"{name}: {error.strerror or error}"
        raise UsageError(msg) from None
    except UnknownDialectError as error:
        raise UsageError(str(error)) from None
    if folded.tally.read == 0 and args.until != 0:
        _print_findings(folded, args)
        msg = f"{name}: no frame of ACP traffic in it" if folded.diagnostics else f"{name}: empty"
        raise UsageError(msg)
    return folded


def _print_findings(folded: Folded, args: argparse.Namespace) -> None:
    if args.diagnostics != "none" and folded.diagnostics:
        from ..findings import print_findings

        print_findings(folded.diagnostics, sys.stderr, as_json=args.diagnostics == "json")
    if args.tally:
        tally = folded.tally
        sys.stderr.write(f"frames: {tally.read} read, {tally.folded} folded, {tally.unknown} kept as unknown, {tally.refused} refused\n")


def _printed(folded: Folded, file: str, args: argparse.Namespace) -> str:
    if args.session is not None:
        folded = _only(folded, args.session, file)
    if args.format == "text":
        from ..render import render

        return render(folded.snapshot)
    from ..document import dumps

    return dumps(folded) + "\n"


def _only(folded: Folded, session_id: str, file: str) -> Folded:
    """Return *folded* with one session: what it says of the connection stays."""
    from ..document import only

    if session_id not in folded.snapshot.sessions:
        known = ", ".join(repr(id) for id in folded.snapshot.sessions) or "none"
        msg = f"{file}: no session {session_id!r}; there are: {known}"
        raise UsageError(msg)
    return only(folded, session_id)
