"""The process that records: takes what the pumps heard, and writes the recording and the state.

It is a process of its own so that nothing that it does, and nothing that happens to it, is felt by the
session: not the time that it takes, and not a full disk.
"""

from __future__ import annotations

import os
import select
import signal
import stat
import zlib

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from ..frames import SENDERS
from .backlog import EXIT, Messages
from .transcript import Transcript


BLOCK: Final = 1024 * 1024
"""How many bytes of messages are taken at a time, at most."""


class Sink(Protocol):
    """Something that records go to."""

    def write(self, records: bytes) -> None:
        """Take *records*, whole lines."""

    def flush(self) -> None:
        """There is nothing more for the moment."""

    def close(self) -> None:
        """There is nothing more."""


class File:
    """The recording, in an open *file*; with *packed* as gzip that can be read up to the last `flush`.

    Raises `OSError` when it cannot be written. A recording that is not packed then ends with a whole record.
    """

    def __init__(self, file: int, *, packed: bool) -> None:
        self._file = file
        self._packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS) if packed else None
        self._waiting = False

    def write(self, records: bytes) -> None:
        """Write *records*, or pack them."""
        self._put(self._packer.compress(records) if self._packer else records)
        self._waiting = True

    def flush(self) -> None:
        """Have all that was written readable."""
        if self._packer and self._waiting:
            self._put(self._packer.flush(zlib.Z_SYNC_FLUSH))
        self._waiting = False

    def close(self) -> None:
        """End the archive, and close the file."""
        if self._packer:
            self._put(self._packer.flush())
        os.close(self._file)

    def _put(self, data: bytes) -> None:
        done = 0
        try:
            while done < len(data):
                done += os.write(self._file, memoryview(data)[done:])
        except OSError:
            if self._packer is None and stat.S_ISREG(os.fstat(self._file).st_mode):
                torn = done - (data.rfind(b"\n", 0, done) + 1)
                os.ftruncate(self._file, os.lseek(self._file, 0, os.SEEK_CUR) - torn)
            raise


class Scribe:
    """Hands on to its sinks what comes from a backlog. One that fails is left out from then on, with one *warning*."""

    def __init__(self, sinks: dict[str, Sink], warn: Callable[[str], object]) -> None:
        self._sinks = sinks
        self._warn = warn
        self._messages = Messages()
        self._transcript = Transcript()
        self._time = 0.0

    def begin(self, started: str) -> None:
        """Write the header: *started* is when it began, in ISO 8601."""
        self._each(lambda sink: sink.write(self._transcript.header(started=started)))
        self.flush()

    def take(self, data: bytes) -> None:
        """Take the next bytes of the backlog."""
        records = b"".join(self._recorded(*message) for message in self._messages.feed(data))
        if records:
            self._each(lambda sink: sink.write(records))

    def flush(self) -> None:
        """There is nothing more for the moment."""
        self._each(lambda sink: sink.flush())

    def end(self) -> None:
        """Nothing more will come."""
        rest = b"".join(self._transcript.ended(sender, self._time) for sender in SENDERS)
        if rest:
            self._each(lambda sink: sink.write(rest))
        self._each(lambda sink: sink.close())
        if self._transcript.left_out:
            self._warn(f"{self._transcript.left_out} lines were too long to be recorded")

    def _recorded(self, about: int, when: float, data: bytes) -> bytes:
        self._time = when
        if about != EXIT:
            return self._transcript.heard(SENDERS[about], data, when) if data else self._transcript.ended(SENDERS[about], when)
        # What the client has half said is said now: nobody is there to hear the rest.
        halves = [self._transcript.ended(sender, when) for sender in SENDERS]
        return b"".join((*halves, self._transcript.exited(told(int(data)), when)))

    def _each(self, do: Callable[[Any], object]) -> None:
        for name, sink in list(self._sinks.items()):
            try:
                do(sink)
            except Exception as error:  # noqa: BLE001 -- whatever it is, the session and the other sink go on
                del self._sinks[name]
                self._warn(f"{name}: {getattr(error, 'strerror', None) or error}; the session goes on without it")


def told(status: int) -> Mapping[str, Any]:
    """Return a wait *status* as the `exit` of a recording."""
    if os.WIFSIGNALED(status):
        return {"status": "error", "signal": signal.Signals(os.WTERMSIG(status)).name}
    code = os.WEXITSTATUS(status)
    return {"status": "error" if code else "success", "code": code}


def serve(source: int, file: int, path: str, state: str | None, warn: Callable[[str], object]) -> None:
    """Record what comes from the descriptor *source*, until it is closed, to *file*, which *path* names."""
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)  # they are for the session: recording ends with the last of it
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(null, descriptor)  # held open here, they would seem open to the client
    sinks: dict[str, Sink] = {path: File(file, packed=path.lower().endswith(".gz"))}
    keeper = None
    if state is not None:
        from .current import State  # the model and the fold, which a recording alone does without

        sinks[state] = keeper = State(state)
    scribe = Scribe(sinks, warn)
    scribe.begin(started)
    poll = select.poll()
    poll.register(source, select.POLLIN)
    while True:
        wait = None if keeper is None or keeper not in sinks.values() else keeper.wait()
        if not poll.poll(0):
            scribe.flush()
            poll.poll(None if wait is None else wait * 1000)
            continue
        data = os.read(source, BLOCK)
        if not data:
            break
        scribe.take(data)
    scribe.end()
