"""Plumbing: what one side writes, carried to the other as it comes.

One thread for each direction, with blocking writes: a reader that is slow slows its writer down, as
an ordinary pipe does, and nothing is buffered here. An event loop would need non-blocking
descriptors, and that mode would be set for everybody who shares a terminal or pipe with us.
"""

from __future__ import annotations

import os
import select
import threading

from collections.abc import Callable
from typing import Final


BLOCK: Final = 64 * 1024
"""How many bytes are read at a time: what a pipe holds."""

_STANDARD: Final = 3
"""Descriptors below this stay open, on the null device: their numbers must not be given away."""

_GONE: Final = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Pump(threading.Thread):
    """Carries bytes from *source* to *sink*, two descriptors, which it closes at the end.

    It ends when either is closed at its far end; so what one side sees of the other is what it would
    see without us. *heard* is called with the bytes before they are handed on, hence before anything
    that answers them, and with `b""` at the end. *ended* is called last.
    """

    def __init__(self, source: int, sink: int, heard: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        super().__init__(daemon=True)  # it may wait for a side that never does anything again
        self._source, self._sink = source, sink
        self._heard, self._tell = heard, ended
        self._stop, self._stopped = os.pipe()
        self._draining = False
        self.ended = False
        """Whether nothing more will be carried."""

    def drain(self) -> None:
        """Carry what is there already, and end: the source's owner is gone, though others may hold it open."""
        os.close(self._stopped)

    def run(self) -> None:
        """Carry until either end is closed."""
        try:
            self._carry()
        except OSError:
            pass  # an end that cannot be read or written is closed, to whoever is at the other
        finally:
            self._heard(b"")
            _release(self._sink)
            _release(self._source)
            self.ended = True
            self._tell()

    def _carry(self) -> None:
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._sink, 0)  # its errors are told all the same
        poll.register(self._stop, 0)
        while True:
            ready = dict(poll.poll(0 if self._draining else None))
            if ready.get(self._sink, 0) & _GONE:
                return
            if self._source in ready:
                data = _read(self._source)
                if data == b"":
                    return
                if data is not None:
                    self._heard(data)
                    _write(self._sink, data)
            elif self._draining:
                return
            elif self._stop in ready:
                self._draining = True
                poll.unregister(self._stop)


def _read(source: int) -> bytes | None:
    try:
        return os.read(source, BLOCK)
    except BlockingIOError:  # somebody who shares it has made it so, and has read it first
        return None


def _write(sink: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(sink, rest) :]
        except BlockingIOError:
            room = select.poll()
            room.register(sink, select.POLLOUT)
            room.poll()


def _release(descriptor: int) -> None:
    """Close *descriptor*; a standard one is put on the null device instead."""
    try:
        if descriptor < _STANDARD:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, descriptor)
            os.close(null)
        else:
            os.close(descriptor)
    except OSError:
        pass  # it was not open
