"""Colours of what commands print as lines of text: few, and only where there may be any.

The codes are those that every terminal has; what tables and Markdown look like is rich's matter.
"""

from __future__ import annotations

import re

from typing import Final, TextIO


_CODES: Final = {
    "error": "31",
    "warning": "33",
    "info": "36",
    "+": "32",
    "-": "31",
    "~": "33",
    ">": "36",
    "client": "36",
    "agent": "35",
    "session": "36",
    "name": "1",
    "aside": "2",
}
"""By what is coloured: severities, marks of changes, senders, and what is a name or said aside."""

_CHANGE: Final = re.compile(r"(?P<indent> *)(?P<mark>[-+~>]) (?:(?P<way>/sessions/)(?P<session>[^/ :]+))?(?P<rest>.*)", re.DOTALL)


class Paint:
    """Colours what is printed to *file*, or leaves it as it is."""

    def __init__(self, file: TextIO) -> None:
        from ..findings import may_colour

        self._colours = may_colour(file)

    def __call__(self, text: str, style: str) -> str:
        """Return *text* in the colour of *style*; in none for a style that there is not."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self._colours and style in _CODES else text

    def change(self, line: str) -> str:
        """Return a line that tells of a change, with its mark and its session coloured; any other as it is."""
        found = _CHANGE.fullmatch(line)
        if found is None or not self._colours:
            return line
        session = found["session"] and f"{found['way']}{self(found['session'], 'session')}"
        return f"{found['indent']}{self(found['mark'], found['mark'])} {session or ''}{found['rest']}"
