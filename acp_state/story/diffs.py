"""Changes of files as lines that are new, gone or the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any, Final

from .model import Diff, DiffLine, Link, Part, Verbatim


MAX_COMPARED: Final = 2_000
"""How many lines of a change are compared; a longer one is shown as what is gone and what is new."""

CONTEXT: Final = 3
"""How many lines around a change are shown."""


def difference(path: str, old: Any, new: Any) -> Diff:
    """Return the change of a file from the text *old* to *new*; anything but a text is no file."""
    before, after = _lines(old), _lines(new)
    # An edit that leaves nothing may be how a file is deleted: version 1 has no word for that.
    operation = "add" if not isinstance(old, str) else "empty" if old and new == "" else "modify"
    if len(before) > MAX_COMPARED or len(after) > MAX_COMPARED:
        # Comparing costs up to the square of their number.
        changed = [*(f"-{line}" for line in before), *(f"+{line}" for line in after)]
    else:
        changed = list(unified_diff(before, after, n=CONTEXT, lineterm=""))[2:]
    # With one stretch alone, that of a text which often is but a part of the file, its numbers say nothing.
    stretches = sum(line.startswith("@@") for line in changed)
    return Diff(path, operation, tuple(_signed(line) for line in changed if stretches > 1 or not line.startswith("@@")))


def _lines(text: Any) -> list[str]:
    return text.removesuffix("\n").split("\n") if isinstance(text, str) and text else []


def _signed(line: str) -> DiffLine:
    return DiffLine("@", line) if line[:1] not in ("+", "-", " ") else DiffLine(line[:1], line[1:])


def changes_shown(item: Mapping[str, Any]) -> Iterator[Part]:
    """Yield what is shown of a diff that lists its changes, with a patch or without (schema `Diff` of version 2)."""
    changes = [change for change in item.get("changes") or () if isinstance(change, Mapping)]
    patch = item.get("patch")
    text = patch.get("text") if isinstance(patch, Mapping) else None
    if isinstance(text, str) and isinstance(patch, Mapping) and patch.get("format") == "git_patch":
        paths = ", ".join(str(change.get("path", "")) for change in changes)
        operations = {str(change.get("operation", "")) for change in changes}
        yield Diff(paths, operations.pop() if len(operations) == 1 else "change", tuple(_patch_lines(text)))
        return
    for change in changes:
        came_from = change.get("oldPath")
        operation = str(change.get("operation", ""))
        yield Link(str(change.get("path", "")), note=operation if came_from is None else f"{operation} of {came_from}")
    if isinstance(text, str):
        yield Verbatim(text, "patch")


def _patch_lines(text: str) -> Iterator[DiffLine]:
    for line in text.removesuffix("\n").split("\n"):
        header = line.startswith(("+++ ", "--- ", "@@"))
        yield DiffLine("@", line) if header else _signed(line)
