"""The current state of a session beside its recording."""

from __future__ import annotations

import os
import time

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from ..document import dumps
from ..folding import collector_paused
from ..store import Store


PAUSE: Final = 1.0
"""Seconds between two writings of the state, at least."""

SHARE: Final = 10
"""A state that takes long to write is written so rarely that it takes one part in so many of the time."""


class State:
    """The current state, in the file *path*: folded from the very records, and replaced as a whole.

    Raises `OSError` when it cannot be written; then the file is as it was.
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = os.path.realpath(path)
        self._store = Store(dialect="acp-state")
        self._clock = clock
        self._changed = True
        self._due = clock()

    def write(self, records: bytes) -> None:
        """Fold *records*."""
        with collector_paused():
            self._store.feed(records)
        self._changed = True

    def flush(self) -> None:
        """Write the state, unless it was written a short time ago."""
        if self._changed and self._clock() >= self._due:
            self._save()

    def wait(self) -> float | None:
        """Return in how many seconds it wants to be flushed again, `None` for whenever more has come."""
        return max(0.0, self._due - self._clock()) if self._changed else None

    def close(self) -> None:
        """Write the last state."""
        if self._changed:
            self._save()

    def _save(self) -> None:
        begun = self._clock()
        with collector_paused():
            data = (dumps(self._store.state) + "\n").encode()
        draft = f"{self._path}.{os.getpid()}.tmp"
        try:
            file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
            with os.fdopen(file, "wb") as opened:
                opened.write(data)
            os.replace(draft, self._path)  # noqa: PTH105 -- paths are text here
        except OSError:
            with suppress(OSError):
                os.unlink(draft)  # noqa: PTH108 -- likewise
            raise
        self._changed = False
        now = self._clock()
        self._due = now + max(PAUSE, SHARE * (now - begun))
