"""What a fold gives."""

from __future__ import annotations

from ._model import Part
from .diagnostics import Diagnostic
from .normalize.wire import NEW, Wire
from .reading.reader import FRESH, ReaderState
from .state import EMPTY, Snapshot


class Tally(Part, frozen=True):
    """How many frames a fold read, and what became of them: *read* is the sum of the others."""

    read: int = 0
    folded: int = 0
    unknown: int = 0
    """Kept as sent, not understood: unknown updates and vendors' messages."""
    refused: int = 0
    """Changed nothing: malformed, unmatched, or for a session that is closed."""


class Folded(Part, frozen=True):
    """A snapshot, what the normalizer needs to go on from it, and what was wrong on the way."""

    snapshot: Snapshot = EMPTY
    wire: Wire = NEW
    diagnostics: tuple[Diagnostic, ...] = ()
    tally: Tally = Tally()
    sides: tuple[ReaderState, ReaderState] = (FRESH, FRESH)
    """What was taken of the client's own stream and of the agent's (`Store.feed`) and is not read yet."""
