"""`acp-state convert`: a recording in another format."""

from __future__ import annotations

import argparse
import io
import sys

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, Any, Final

from . import FINE, complain
from ._recordings import (
    add_diagnostics,
    add_files,
    add_output,
    check_dialect,
    check_output,
    each_file,
    matching,
    name_among,
    name_of,
    nothing_read,
    opened,
    print_findings,
    print_losses,
    tell_of_other_text,
    written,
)


if TYPE_CHECKING:
    from .._json import Json
    from ..converting import Conversion
    from ._recordings import Recording


HELP: Final = "convert recordings to the format acp-state, or to bare JSON-RPC"
DESCRIPTION: Final = """\
Reads recordings in any format and prints them in the format acp-state, or as bare JSON-RPC messages,
one a line. What they fold to stays the same. Several files become one recording, in their order; if
one of them cannot be read, nothing is written."""
EPILOG: Final = """\
The format acp-state carries senders (also those that were told from the messages), times, and lines
that are no message. What the new format cannot carry is said on standard error.

examples:
  acp-state convert agent.log.jsonl > session.ndjson
  acp-state convert session.ndjson.1 session.ndjson -o whole.ndjson.gz
  acp-state convert session.ndjson --to jsonrpc | jq -c .method"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_files(parser)
    parser.add_argument("--to", choices=("acp-state", "jsonrpc"), default="acp-state", help="the new format (acp-state)")
    add_output(parser)
    add_diagnostics(parser)


def run(args: argparse.Namespace) -> int:
    """Convert the files, if each can be: several become one recording, of which none may be missing."""
    from ..converting import HEADER, Conversion

    check_dialect(args.dialect)
    args.files = matching(args.files)
    for file in args.files if args.output is not None else ():
        check_output(args.output, file)
    inputs: list[_Input] = []

    def check(file: str) -> int:
        inputs.append(input_ := _Input(file, args.dialect, still_open))
        input_.check(args.diagnostics, name_among(file, args.files))
        return FINE

    with ExitStack() as still_open:
        code = each_file(args.files, check)
        if code != FINE:
            return code
        conversion = Conversion(args.to, args.dialect)
        with written(args.output) as output:
            if args.to == "acp-state":
                _write(HEADER, output)
            return each_file(args.files, lambda file: _run(inputs.pop(0), file, conversion, output, args))


def _write(record: Json, output: IO[bytes]) -> None:
    from ..printing import json_text

    output.write(json_text(record).encode() + b"\n")


class _Input:
    """A recording that is looked into before anything is written: a file is read again, of what is none its beginning is kept."""

    def __init__(self, file: str, dialect: str | None, still_open: ExitStack) -> None:
        self._file = file
        self._dialect = dialect
        self._still_open = still_open
        self._pipe: _Pipe | None = None

    def check(self, how: str, name: str | None) -> None:
        """Raise `UsageError` if nothing in it can be read; *how* and under what *name* findings are printed then."""
        from ..diagnostics import Diagnostic, Findings
        from ..folding import items_of
        from ..reading.reader import Reader

        found = Findings()
        with ExitStack() as opening:
            recording = opening.enter_context(opened(self._file, bar=False))
            if recording.size is None:
                self._pipe = _Pipe(recording)
                self._still_open.push(opening.pop_all())
            for item in items_of(self._pipe or recording, Reader(self._dialect)):
                if not isinstance(item, Diagnostic):
                    return
                found.add(item)
        print_losses(found, how, name)
        raise nothing_read(self._file, tuple(found), told=how != "none")

    @contextmanager
    def opened(self) -> Iterator[io.RawIOBase]:
        """Open it, from its beginning."""
        if self._pipe is not None:
            self._pipe.begin_again()
            yield self._pipe
        else:
            with opened(self._file, bar=not sys.stdout.isatty()) as recording:
                yield recording


class _Pipe(io.RawIOBase):
    """A recording that can be read once, but for its beginning."""

    def __init__(self, recording: Recording) -> None:
        self.name = recording.name
        """The path, which tells an archive, or `-`."""
        self._recording = recording
        self._beginning = io.BytesIO()
        self._is_looked_into = True

    def begin_again(self) -> None:
        """Give first what was read so far."""
        self._is_looked_into = False
        self._beginning.seek(0)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill *buffer* as far as there is something to read."""
        size = 0 if self._is_looked_into else self._beginning.readinto(buffer)
        if not size:
            size = self._recording.readinto(buffer)
            if self._is_looked_into:
                self._beginning.write(buffer[:size])
        return size


def _run(input_: _Input, file: str, conversion: Conversion, output: IO[bytes], args: argparse.Namespace) -> int:
    from ..diagnostics import Findings

    before = conversion.frames
    conversion.findings.clear()
    conversion.lost.clear()
    try:
        with input_.opened() as recording:
            for record in conversion.records(recording):
                _write(record, output)
    finally:
        print_findings(Findings(conversion.findings), args.diagnostics, name_among(file, args.files))
    tell_of_other_text(file, conversion.findings, conversion.frames - before, args.diagnostics)
    _tell_lost(file, conversion, args)
    return FINE


def _tell_lost(file: str, conversion: Conversion, args: argparse.Namespace) -> None:
    from ..converting import LOSSES

    lost = [f"{number:,} {words[number > 1]}" for what, words in LOSSES.items() if (number := conversion.lost[what])]
    if lost:
        sys.stdout.flush()
        complain(f"{name_of(file)}: the format {args.to} cannot carry {', '.join(lost)}")
