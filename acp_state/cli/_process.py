"""A process of its own for one command: most often that takes less time than Python needs to start and to end."""

from __future__ import annotations

import atexit
import gc

from typing import Final


_MANY: Final = 50_000
"""More objects than a start makes. They are modules, classes and functions: nothing of them is garbage before the end."""


def spare_collector() -> None:
    """Have the cyclic garbage collector not look through what the start makes, neither now nor at the end, when all of it goes."""
    gc.set_threshold(_MANY)
    atexit.register(gc.freeze)
