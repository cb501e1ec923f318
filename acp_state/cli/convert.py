"""`acp-state convert`: a recording in another format."""

from __future__ import annotations

import argparse
import sys

from typing import TYPE_CHECKING, Final

from . import FINE, complain
from ._recordings import (
    add_diagnostics,
    add_files,
    check_dialect,
    each_file,
    matching,
    name_among,
    name_of,
    nothing_read,
    opened,
    print_findings,
)


if TYPE_CHECKING:
    from ..converting import Conversion


HELP: Final = "convert recordings to the format acp-state, or to bare JSON-RPC"
DESCRIPTION: Final = """\
Reads recordings in any format and prints them in the format acp-state, or as bare JSON-RPC messages,
one a line. What they fold to stays the same. Several files become one recording, in their order."""
EPILOG: Final = """\
The format acp-state carries senders (also those that were told from the messages), times, and lines
that are no message. What the new format cannot carry is said on standard error.

examples:
  acp-state convert agent.log.jsonl > session.ndjson
  acp-state convert session.ndjson.1 session.ndjson | gzip > session.ndjson.gz
  acp-state convert session.ndjson --to jsonrpc | jq -c .method"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_files(parser)
    parser.add_argument("--to", choices=("acp-state", "jsonrpc"), default="acp-state", help="the new format (acp-state)")
    add_diagnostics(parser)


def run(args: argparse.Namespace) -> int:
    """Convert the files."""
    from ..converting import Conversion

    check_dialect(args.dialect)
    conversion = Conversion(args.to, args.dialect)
    args.begun = False
    args.files = matching(args.files)
    return each_file(args.files, lambda file: _run(file, conversion, args))


def _run(file: str, conversion: Conversion, args: argparse.Namespace) -> int:
    from ..converting import HEADER
    from ..diagnostics import Findings
    from ..printing import json_text

    before = conversion.frames
    conversion.findings.clear()
    conversion.lost.clear()
    try:
        with opened(file, bar=not sys.stdout.isatty()) as recording:
            for record in conversion.records(recording):
                if args.to == "acp-state" and not args.begun:
                    sys.stdout.write(json_text(HEADER) + "\n")
                args.begun = True
                sys.stdout.write(json_text(record) + "\n")
    finally:
        print_findings(Findings(conversion.findings), args.diagnostics, name_among(file, args.files))
    if conversion.frames == before:
        raise nothing_read(file, conversion.findings, told=args.diagnostics != "none")
    _tell_lost(file, conversion, args)
    return FINE


def _tell_lost(file: str, conversion: Conversion, args: argparse.Namespace) -> None:
    from ..converting import LOSSES

    lost = [f"{number:,} {words[number > 1]}" for what, words in LOSSES.items() if (number := conversion.lost[what])]
    if lost:
        sys.stdout.flush()
        complain(f"{name_of(file)}: the format {args.to} cannot carry {', '.join(lost)}")
