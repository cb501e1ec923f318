"""A recording that the user named, as a chronicle."""

from __future__ import annotations

from ..chronicle import Chronicle, chronicle
from ..folding import collector_paused
from ..tracing import trace
from ._recordings import nothing_read, opened


def chronicle_of(file: str, dialect: str | None) -> Chronicle:
    """Return the chronicle of *file* (`-`: standard input); raises `UsageError` if it cannot be read, or there is nothing in it."""
    with opened(file) as recording, collector_paused():
        told = chronicle(trace(recording, dialect=dialect))
    if told.ended.frame == 0:
        raise nothing_read(file, told.findings)
    return told
