"""`acp-state fold`: the final state of a recording."""

from __future__ import annotations

import argparse
import sys

from typing import TYPE_CHECKING, Any, Final

from . import FINDINGS, FINE, UsageError, count, require
from ._recordings import add_diagnostics, add_files, check_dialect, check_read, each_file, name_of, opened, print_findings


if TYPE_CHECKING:
    from ..folded import Folded
    from ..folding import Fold
    from ..reading.reader import Reader


HELP: Final = "print the final state of a recording"
DESCRIPTION: Final = """\
Reads a recording of ACP traffic, of either protocol version and in any of the formats that are
known, and prints the state that it leads to. What is wrong with it goes to standard error."""
EPILOG: Final = """\
With --follow the state is printed anew whenever there is more of the recording, until the end of a
pipe or Ctrl-C: as JSON one document a line, as YAML one after the other, as text in the place of the
one before, if on a terminal.

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
    parser.add_argument("--follow", action="store_true", help="go on as the recording grows")
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
    args.start = None if args.start is None else _start(args.start)
    if args.follow:
        from ._follow import follow

        return follow(args.files[0], args)
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


def _start(file: str) -> Folded:
    from ..document import loads
    from ..errors import DocumentError

    with opened(file) as state:
        text = state.read()
    try:
        return loads(text)
    except DocumentError as error:
        raise UsageError(f"{name_of(file)}: {error}") from None


def _run(file: str, args: argparse.Namespace) -> int:
    folded = _folded(file, args)
    print_findings(folded.diagnostics, args.diagnostics)
    print_tally(folded, args)
    check_folded(folded, file, args)
    sys.stdout.write(printed(folded, file, args))
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


def take(work: Fold, recording: Any, reader: Reader, args: argparse.Namespace) -> None:
    """Have *work* fold what *reader* makes of *recording*, up to where *args* say."""
    from attrs import evolve

    from ..diagnostics import Diagnostic
    from ..folding import items_of

    for item in items_of(recording, reader) if args.until != 0 else ():
        before = work.snapshot
        if isinstance(item, Diagnostic):
            work.found(item)
        else:
            work.take(item)
        if work.frames == args.until or (args.strict and work.findings.errors):
            break
        if args.until_turn is not None and work.snapshot is not before and turn_ended(work.snapshot, args):
            break
    work.wire = evolve(work.wire, reader=reader.state)


def check_folded(folded: Folded, file: str, args: argparse.Namespace) -> None:
    """Raise `UsageError` if there was nothing to fold, or not what was asked for."""
    if args.start is None and args.until != 0:
        check_read(file, folded)
    if args.until_turn is not None and not turn_ended(folded.snapshot, args):
        whose = "" if args.session is None else f" of session {args.session!r}"
        raise UsageError(f"{name_of(file)}: turn {args.until_turn}{whose} does not end in it")


def code_of(folded: Folded, args: argparse.Namespace) -> int:
    """Return the exit code."""
    failed = any(finding.severity == "error" for finding in folded.diagnostics)
    return FINDINGS if args.strict and failed else FINE


def turn_ended(snapshot: Any, args: argparse.Namespace) -> bool:
    """Whether the turn that `--until-turn` names is over."""
    sessions = snapshot.sessions.values() if args.session is None else filter(None, [snapshot.sessions.find(args.session)])
    place = args.until_turn - 1
    return any(len(session.turns) > place and session.turns[place].status != "running" for session in sessions)


def print_tally(folded: Folded, args: argparse.Namespace) -> None:
    """Print how many frames there were, if that is asked for."""
    if args.tally:
        tally = folded.tally
        sys.stderr.write(f"frames: {tally.read} read, {tally.folded} folded, {tally.unknown} kept as unknown, {tally.refused} refused\n")


def printed(folded: Folded, file: str, args: argparse.Namespace, *, indent: int | None = 2) -> str:
    """Return the state, or the part of it that is asked for, as text."""
    if args.session is not None:
        folded = _only(folded, args.session, file)
    if args.format == "text":
        from ..render import render

        return render(folded.snapshot)
    from ..document import to_document
    from ..printing import json_text

    value = to_document(folded)
    if args.select is not None:
        value = _selected(value, args.select, file)
    if args.format == "yaml":
        from ._yaml import yaml_text

        return yaml_text(value)
    return json_text(value, indent) + "\n"


def _only(folded: Folded, session_id: str, file: str) -> Folded:
    """Return *folded* with one session: what it says of the connection stays."""
    from ..document import only

    if session_id not in folded.snapshot.sessions:
        known = ", ".join(repr(id) for id in folded.snapshot.sessions) or "none"
        raise UsageError(f"{name_of(file)}: no session {session_id!r}; there are: {known}")
    return only(folded, session_id)


def _selected(value: Any, pointer: str, file: str) -> Any:
    """Return what *pointer* (RFC 6901) leads to in *value*."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        try:
            value = value[name if isinstance(value, dict) else _index(name, value)]
        except (KeyError, IndexError):
            raise UsageError(f"{name_of(file)}: the state has nothing at {pointer}") from None
    return value


def _index(name: str, value: Any) -> int:
    """Return the place in a list that *name* is; raise `IndexError` where there is none."""
    if not isinstance(value, list) or not (name.isascii() and name.isdigit()) or (len(name) > 1 and name[0] == "0"):
        raise IndexError(name)
    return int(name)
