"""Reading recordings: bytes -> lines -> records -> frames (SPEC 3). Only `source` opens anything."""

from __future__ import annotations

from .lines import MAX_LINE
from .reader import FRESH, Reader, ReaderState
from .source import BLOCK, blocks


__all__ = ["BLOCK", "FRESH", "MAX_LINE", "Reader", "ReaderState", "blocks"]
