"""Regular expressions that are compiled when they are first used.

Most recordings need none of those that formats other than plain JSON are read with, and compiling
them took a fifth of the time that importing this package takes. Bottom layer: imports nothing of ours.
"""

from __future__ import annotations

import re

from typing import Any, AnyStr, cast


class _Pattern:
    """Stands for a compiled pattern."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)  # so that the next look finds it here
        return value


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what is as good as `re.compile(pattern, flags)`. A pattern that is wrong raises `re.error` when it is used."""
    return cast("re.Pattern[AnyStr]", _Pattern(pattern, flags))


__all__ = ["lazy"]
