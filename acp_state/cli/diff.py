"""`acp-state diff`: what is different between two recordings or states."""

from __future__ import annotations

import argparse
import sys

from typing import TYPE_CHECKING, Any, Final

from . import FINDINGS, FINE, UsageError
from ._colours import Paint
from ._documents import contents, is_state, state_of
from ._masks import add_mask, mask_of
from ._recordings import (
    add_diagnostics,
    add_dialect,
    check_dialect,
    check_read,
    each_file,
    name_of,
    no_session,
    print_findings,
    print_losses,
    tell_of_other_text,
)


if TYPE_CHECKING:
    from ..folded import Folded


HELP: Final = "print what is different between two recordings or states"
DESCRIPTION: Final = """\
Compares two states, each given as a state document or as the recording that it is folded from, and
prints what is different in the second. Exits with 1 if anything is."""
EPILOG: Final = """\
A line has a mark (+ added, - removed, ~ changed, > moved), a JSON pointer into the state document,
and what stood there and stands there. Entries are aligned by what they are, not by their place. What
only going on needs (`wire`) is not compared.

examples:
  acp-state diff before.ndjson after.ndjson
  acp-state diff expected.state.json session.ndjson --session s-1
  acp-state diff monday.ndjson tuesday.ndjson --mask ids --mask times"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    for name, metavar in (("before", "A"), ("after", "B")):
        parser.add_argument(name, metavar=metavar, help="a recording or a state document, also .gz; - for standard input")
    add_dialect(parser)
    parser.add_argument("--session", metavar="ID", help="this session alone")
    add_mask(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="as text (the default) or as JSON lines")
    add_diagnostics(parser)


def run(args: argparse.Namespace) -> int:
    """Print the differences."""
    from ..compare import compare, describe, to_object
    from ..printing import json_text

    check_dialect(args.dialect)
    if args.before == args.after == "-":
        raise UsageError("standard input cannot be both")
    mask = mask_of(args.mask)
    read: dict[str, Folded] = {}

    def add(file: str) -> int:
        read[file] = _folded(file, args)
        return FINE

    code = each_file([*dict.fromkeys((args.before, args.after))], add)
    if code != FINE:
        return code
    for file, folded in read.items():
        print_findings(folded.diagnostics, args.diagnostics, name_of(file))
        tell_of_other_text(file, folded.diagnostics, folded.tally.read, args.diagnostics)
    before, after = (mask.apply(_document(read[file]))[0] for file in (args.before, args.after))
    differences = compare(before, after)
    paint = Paint(sys.stdout)
    for difference in differences:
        line = paint.change(describe(difference)) if args.format == "text" else json_text(to_object(difference))
        sys.stdout.write(line + "\n")
    return FINDINGS if differences else FINE


def _document(folded: Folded) -> dict[str, Any]:
    """Return the state document of *folded*, without what only going on needs."""
    from ..document import to_document

    return {name: value for name, value in to_document(folded).items() if name != "wire"}


def _folded(file: str, args: argparse.Namespace) -> Folded:
    """Return the state that *file* is, or leads to, or the session of it that is asked for. Raises `UsageError` if there is none."""
    from .._model import replace
    from ..document import only
    from ..folding import fold

    data, torn = contents(file)
    of_state = is_state(data)
    folded = state_of(file, data, torn) if of_state else fold(data, dialect=args.dialect)
    folded = replace(folded, diagnostics=(*folded.diagnostics, *torn))
    try:
        if not of_state:
            check_read(file, folded, told=args.diagnostics != "none")
        if args.session not in (None, *folded.snapshot.sessions):
            raise no_session(file, args.session, folded.snapshot.sessions)
    except UsageError:
        print_losses(folded.diagnostics, args.diagnostics, name_of(file), session=args.session)
        raise
    return folded if args.session is None else only(folded, args.session)
