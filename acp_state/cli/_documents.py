"""Files that may be state documents: what `acp-state fold --from` goes on from, and what `acp-state diff` compares."""

from __future__ import annotations

import re

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from . import UsageError
from ._recordings import name_of, opened


if TYPE_CHECKING:
    from ..diagnostics import Diagnostic
    from ..folded import Folded


def contents(file: str) -> tuple[bytes, Sequence[Diagnostic]]:
    """Return what *file* holds, unpacked, and what is wrong with the archive. Raises `UsageError` for what cannot be read."""
    from ..diagnostics import Diagnostic
    from ..reading.source import blocks

    parts: list[bytes] = []
    found: list[Diagnostic] = []
    with opened(file) as recording:
        for block in blocks(recording):
            if isinstance(block, Diagnostic):
                found.append(block)
            else:
                parts.append(block)
    return b"".join(parts), found


_STATE: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"acp-state/\d')


def is_state(data: bytes) -> bool:
    """Whether *data* is a state document: by its beginning, or if something put its members in another order, by all of it."""
    from .._json import fast_decode

    if _STATE.match(data):
        return True
    try:
        value = fast_decode(data)
    except (ValueError, RecursionError):
        return False
    format_ = value.get("format") if isinstance(value, dict) else None
    return isinstance(format_, str) and re.fullmatch(r"acp-state/\d+", format_) is not None


def state_of(file: str, data: bytes, torn: Sequence[Diagnostic]) -> Folded:
    """Return the state that *data* describes, the `contents` of *file*. Raises `UsageError` if it is no state, or not all of one."""
    from ..document import loads
    from ..errors import DocumentError

    if torn:
        raise UsageError(f"{name_of(file)}: {torn[0].message}")
    if not data.strip():
        raise UsageError(f"{name_of(file)}: empty, and a state is wanted: what acp-state fold prints as JSON")
    try:
        return loads(data)
    except DocumentError as error:
        raise UsageError(f"{name_of(file)}: {error}") from None


def start_of(file: str) -> Folded:
    """Return the state in *file*, to go on from. Raises `UsageError` for anything else."""
    from ..folding import fold

    data, torn = contents(file)
    if not is_state(data) and fold(data, until=1).tally.read:
        raise UsageError(f"{name_of(file)}: a recording, and --from takes a state: what acp-state fold prints of a recording as JSON")
    return state_of(file, data, torn)
