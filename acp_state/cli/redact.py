"""`acp-state redact`: a copy of a recording that can be shown to others."""

from __future__ import annotations

import argparse
import os

from collections.abc import Iterator
from hashlib import blake2b
from itertools import chain
from typing import IO, TYPE_CHECKING, Final

from . import FINE, complain
from ._recordings import add_dialect, add_output, check_dialect, check_output, name_of, nothing_read, opened, written


if TYPE_CHECKING:
    from ..diagnostics import Diagnostic
    from ..frames import Frame


HELP: Final = "copy a recording without what is private in it"
DESCRIPTION: Final = """\
Reads a recording in any format that is known and writes it anew, in the acp-state format, with all
replaced that is not the protocol's own. It folds to the same state, redacted.

What stays: the protocol's member names, methods and words (kinds, statuses, stop reasons, roles);
numbers where the protocol knows what they are (usage, cost, sizes, lines, codes, versions, request
ids); true, false, null; times from the start; order and shape.

What is replaced: texts by an x for each character, blanks and line breaks apart, wherever they are
cut (what takes more bytes than one by a sign that takes as many); every other string (ids, paths,
commands, titles, contents, schemas' property names, whatever vendors add) by x- and twelve digits that
are the same wherever it stands, and as many x as a longer one needs; any other number.

What can be told from the copy: how long texts, and other strings of more than 40 characters, are and
where their words and lines end; which ids, paths and contents are equal. Lines that are no messages are left out."""
EPILOG: Final = """\
examples:
  acp-state redact session.ndjson -o shareable.ndjson
  acp-state redact session.ndjson.gz | acp-state fold -"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("file", metavar="FILE", help="a recording, also .gz; - for standard input")
    add_output(parser)
    parser.add_argument(
        "--salt",
        metavar="TEXT",
        help="has equal things of several recordings replaced by equal ones; keep it to yourself (by default a random one)",
    )
    add_dialect(parser)


def run(args: argparse.Namespace) -> int:
    """Write the redacted copy."""
    from ..folding import collector_paused
    from ..redact import redact

    check_dialect(args.dialect)
    if args.output is not None:
        check_output(args.output, args.file)
    salt = os.urandom(32) if args.salt is None else blake2b(args.salt.encode("utf-8", "surrogatepass"), digest_size=32).digest()
    with opened(args.file) as recording, collector_paused():
        findings: list[Diagnostic] = []
        copy = _Copy(redact(recording, salt, dialect=args.dialect, found=findings.append))
        if copy.begin():  # what cannot be read leaves no copy
            with written(args.output) as file:
                copy.write(file)
    if not copy.written:
        raise nothing_read(args.file, findings)
    if copy.left_out:
        complain(f"{name_of(args.file)}: left out what is no message: {copy.left_out}")
    return FINE


class _Copy:
    """The copy, in our own format; counts what is in it and what is not."""

    def __init__(self, frames: Iterator[Frame | None]) -> None:
        self._frames = frames
        self._first: Frame | None = None
        self.written = self.left_out = 0

    def begin(self) -> bool:
        """Find the first message, and return whether there is one."""
        for frame in self._frames:
            if frame is not None:
                self._first = frame
                return True
            self.left_out += 1
        return False

    def write(self, file: IO[bytes]) -> None:
        """Write all of it."""
        from .._json import encode
        from ..dialects.acp_state_ import header, write

        file.write(encode(header(redacted=True)) + b"\n")
        for frame in chain((self._first,), self._frames):
            if frame is None:
                self.left_out += 1
            else:
                file.write(encode(write(frame)) + b"\n")
                self.written += 1
        file.flush()
