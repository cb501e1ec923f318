"""A process of its own for one command: most often that takes less time than Python needs to start and to end."""

from __future__ import annotations

import atexit
import gc
import sys

from typing import Final


_MANY: Final = 50_000
"""More objects than a start makes. They are modules, classes and functions: nothing of them is garbage before the end."""


def spare_collector() -> None:
    """Have the cyclic garbage collector not look through what the start makes, neither now nor at the end, when all of it goes."""
    gc.set_threshold(_MANY)
    atexit.register(gc.freeze)


def spare_typing_extensions() -> None:
    """Have msgspec, whose first import is here, do with the `typing` of this Python, as it does where `typing_extensions` is not installed.

    It looks there for what the `typing` of an old Python lacks, and that takes longer than to import msgspec itself.
    """
    if "msgspec" not in sys.modules and "typing_extensions" not in sys.modules:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # this is how a module is said not to be there
        try:
            from .. import _json  # noqa: F401 -- which imports msgspec
        finally:
            del sys.modules["typing_extensions"]
