"""Bytes in any pieces -> lines (SPEC 3). No I/O; what a line means is not known here."""

from __future__ import annotations

from typing import Any, Final


MAX_LINE: Final = 64 * 1024 * 1024
"""Longest line in bytes. Frames carry whole files and images in base64, so megabytes are usual: far above
those, but what is no recording (a disk image, a stream without newlines) must not fill the memory."""


class LineBuffer:
    r"""Cuts bytes into lines at `\n` alone: `str.splitlines` would also cut inside JSON strings, at U+2028.

    A line comes without its newline and otherwise as it is. One that is longer than *limit* comes as
    `None`, once and as soon as that is known; the rest of it is skipped in bounded memory.
    """

    def __init__(self, pending: bytes = b"", limit: int = MAX_LINE, *, skipping: bool = False) -> None:
        self._pending = bytearray(pending)  # grows in place: byte by byte stays linear
        self._limit = limit
        self.skipping = skipping
        """Whether the line that has begun is too long: it has been given as `None`."""
        self.begun = bool(pending) or skipping
        """Whether a line has begun whose newline has not come."""

    @property
    def pending(self) -> bytes:
        """What is there of a line whose newline has not come."""
        return bytes(self._pending)

    def feed(self, data: bytes) -> list[bytes | None]:
        """Take *data* and return the lines that it completes, and `None` for each that became too long."""
        lines: list[Any] = data.split(b"\n")
        last = lines.pop()
        self.begun = bool(last) or (self.begun and not lines)
        if lines:
            if self._pending:
                lines[0] = bytes(self._pending + lines[0])
                self._pending.clear()
            if len(lines[0]) + len(data) > self._limit:  # only then any of them may be too long
                lines = [line if len(line) <= self._limit else None for line in lines]
            if self.skipping:
                del lines[0]
                self.skipping = False
        if (last or self._pending) and not self._keep(last):
            lines.append(None)
        return lines

    def drop(self, size: int) -> None:
        """Forget the first *size* pending bytes: they have been read before their newline came."""
        del self._pending[:size]

    def _keep(self, last: bytes) -> bool:
        """Keep the beginning of a line; return whether it is not too long, or known to be so already."""
        if self.skipping:
            return True
        self._pending += last
        if len(self._pending) <= self._limit:
            return True
        self._pending.clear()
        self.skipping = True
        return False
