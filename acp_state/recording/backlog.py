"""What was heard and is not recorded yet: between the pumps and the process that records.

The pumps never wait for a disk. What they hear is queued in memory and sent on by a thread of its
own. Only if the recorder is `LIMIT` bytes behind do they wait for it, and then not for long.
"""

from __future__ import annotations

import os
import struct
import threading
import time

from collections import deque
from collections.abc import Callable, Iterator
from typing import Final


LIMIT: Final = 256 * 1024 * 1024
"""How many bytes may wait to be recorded before the session is slowed down."""

PATIENCE: Final = 5.0
"""For how many seconds the session is held up by a recorder that takes nothing at all."""

CLIENT, AGENT, EXIT = range(3)
"""What a message to the recorder is about: bytes of a side (none: it has ended), or the agent's exit status."""

_HEAD: Final = struct.Struct("=BdI")


class Backlog(threading.Thread):
    """Sends what it is given to the descriptor *sink*, in the order in which it was given.

    *ended* is called when all is sent, or nothing more can be. It never raises.
    """

    def __init__(self, sink: int, ended: Callable[[], None], limit: int = LIMIT, patience: float = PATIENCE) -> None:
        super().__init__(daemon=True)
        self._sink, self._tell = sink, ended
        self._limit, self._patience = limit, patience
        self._queue: deque[bytes] = deque()
        self.size = 0
        """How many bytes wait."""
        self._closed = False
        self._changed = threading.Condition()
        self._start = time.monotonic()
        self.broken = False
        """Whether the recorder takes no more; what is given is dropped then."""
        self.ended = False
        """Whether all is sent, or nothing more can be."""

    def put(self, about: int, data: bytes) -> None:
        """Queue what was heard, with the time; from any thread."""
        with self._changed:
            while self.size > self._limit and not self.broken:
                if not self._changed.wait(self._patience):
                    self._break()
            if not self.broken:
                self._queue.append(_HEAD.pack(about, time.monotonic() - self._start, len(data)) + data)
                self.size += len(data)
                self._changed.notify_all()

    def close(self) -> None:
        """Nothing more will come: end when all is sent."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def run(self) -> None:
        """Send until closed."""
        while True:
            with self._changed:
                while not self._queue and not self._closed and not self.broken:
                    self._changed.wait()
                if not self._queue:
                    break
                message = self._queue.popleft()
            try:
                _send(self._sink, message)
            except OSError:
                with self._changed:
                    self._break()
            with self._changed:
                self.size -= len(message) - _HEAD.size
                self._changed.notify_all()
        os.close(self._sink)
        self.ended = True
        self._tell()

    def _break(self) -> None:
        self.broken = True
        self._queue.clear()
        self._changed.notify_all()


def _send(sink: int, message: bytes) -> None:
    rest = memoryview(message)
    while rest:
        rest = rest[os.write(sink, rest) :]


class Messages:
    """Takes the bytes that a backlog sends, cut anywhere, apart again."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, float, bytes]]:
        """Yield what each complete message is about, its time in seconds from the beginning, and its bytes."""
        self._pending += data
        position = 0
        while len(self._pending) - position >= _HEAD.size:
            about, when, size = _HEAD.unpack_from(self._pending, position)
            start = position + _HEAD.size
            if len(self._pending) - start < size:
                break
            position = start + size
            yield about, when, bytes(self._pending[start:position])
        del self._pending[:position]
