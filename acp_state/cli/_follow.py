"""`acp-state fold --follow`: the state of a recording that is still being made."""

from __future__ import annotations

import argparse
import contextlib
import io
import select
import shutil
import signal
import sys
import time

from collections.abc import Callable
from typing import Any, Final

from .._model import replace
from ..folding import Fold
from ..reading.reader import Reader
from . import UsageError
from ._recordings import Recording, name_of, opened, print_findings
from ._state import check_folded, code_of, print_tally, printed, take


INTERVAL: Final = 0.2
"""How many seconds a file that has not grown is left alone, and a state is shown at least."""

_CLEAR: Final = "\x1b[H\x1b[2J"
"""Puts the cursor in the corner and clears the screen."""


def follow(file: str, args: argparse.Namespace) -> int:
    """Fold *file* as it grows, print the state whenever there is more, and return the exit code."""
    work = Fold(args.start)
    reader = Reader(args.dialect, work.wire.reader)
    view = _View(file, args)

    def show() -> None:
        work.wire = replace(work.wire, reader=reader.state)
        view.show(work)

    with opened(file, bar=False) as recording:
        try:
            take(work, Growing(recording, show), reader, args)
        except KeyboardInterrupt:
            if work.frames:
                view.end(work)
            return 128 + signal.SIGINT
    view.tell(work)
    check_folded(work.folded(), file, args)
    view.end(work)
    return code_of(work.folded(), args)


class Growing(io.RawIOBase):
    """A recording that goes on: a file has no end, but standard input has, and *idle* is called before there is something to wait for."""

    def __init__(self, recording: Recording, idle: Callable[[], object]) -> None:
        self.name = recording.name
        """The path, which tells an archive, or `-`."""
        self._recording = recording
        self._idle = idle
        self._is_file = recording.name != "-" and recording.size is not None
        self._position = 0
        self._last_idle = time.monotonic()

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill *buffer* as far as there is something to read; wait for it if there is nothing. Raises `UsageError`."""
        if not self._is_file:
            if not self._is_ready() or time.monotonic() - self._last_idle > INTERVAL:
                self._wait()
            return self._recording.readinto(buffer)
        while not (size := self._recording.readinto(buffer)):
            self._wait()
            time.sleep(INTERVAL)
            if _is_unread():
                raise BrokenPipeError
            if (self._recording.size or 0) < self._position:
                raise UsageError(f"{name_of(self.name)}: it became shorter while it was followed")
        self._position += size
        return size

    def _is_ready(self) -> bool:
        """Whether a pipe has something to read; on systems where that cannot be told it has not."""
        try:
            return bool(select.select([self._recording.raw], [], [], 0)[0])
        except (OSError, ValueError):
            return False

    def _wait(self) -> None:
        self._idle()
        self._last_idle = time.monotonic()


def _is_unread() -> bool:
    """Whether nobody reads standard output any more, which who writes nothing would not notice; False where that cannot be told."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)  # errors are told of, whatever is asked for
        return any(event & select.POLLERR for _, event in poll.poll(0))
    except (AttributeError, OSError, ValueError):
        return False


class _View:
    """Where the state is shown."""

    def __init__(self, file: str, args: argparse.Namespace) -> None:
        self._file = file
        self._args = args
        self._redraws = args.format == "text" and sys.stdout.isatty()
        self._shown: object = None
        self._last = ""
        self._told = 0

    def show(self, work: Fold) -> None:
        """Show the state, if it is another one, and what was found since it was shown last."""
        if not (self._redraws and sys.stderr.isatty()):
            self.tell(work)
        if work.snapshot is not self._shown and work.frames:
            self._shown = work.snapshot
            with contextlib.suppress(UsageError):  # what is asked for may come
                self._print(work)

    def _print(self, work: Fold) -> None:
        text = printed(work.folded(), self._file, self._args, indent=None)
        if text != self._last:
            begun, self._last = self._last != "", text  # before it is printed, which Ctrl-C may end
            self._write(text, begun=begun)

    def tell(self, work: Fold) -> None:
        """Print what was found since the last time."""
        found = tuple(work.findings)
        print_findings(found[self._told :], self._args.diagnostics)
        self._told = len(found)

    def end(self, work: Fold) -> None:
        """Show the last state, on a terminal whole, and what was found. Raises `UsageError` if what is asked for did not come."""
        if self._redraws and self._last:
            self._redraws, self._last = False, ""
            sys.stdout.write(_CLEAR)
        self._print(work)
        self.tell(work)
        print_tally(work.folded(), self._args)

    def _write(self, text: str, *, begun: bool) -> None:
        if self._redraws:
            columns, rows = shutil.get_terminal_size()
            lines = text.rstrip("\n").split("\n")[1 - rows :]
            text = _CLEAR + "".join(f"{line[:columns]}\n" for line in lines)
        elif self._args.format == "text" and begun:
            text = "\n" + text
        sys.stdout.write(text)
        sys.stdout.flush()
