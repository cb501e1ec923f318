"""The exceptions that callers may see. What is wrong with a recording is a diagnostic, never one of these.

An argument of a wrong kind is a `TypeError`, as everywhere in Python.
"""

from __future__ import annotations


class AcpStateError(Exception):
    """The base of all exceptions of this package."""


class DocumentError(AcpStateError, ValueError):
    """A text is no state document, or of a format that this version does not read."""


class UnknownDialectError(AcpStateError, ValueError):
    """No dialect has that name."""


class StoreClosedError(AcpStateError, ValueError):
    """A store was fed after it had been closed."""


class ForeignChangesError(AcpStateError, ValueError):
    """Changes were applied to a snapshot that they do not fit: they were found from another one."""


class GoldenError(AcpStateError, ValueError):
    """A golden suite cannot be checked: a pattern finds nothing, two recordings share their expected files, none of one can be read, a rule for masking is none."""


def wrong_kind(wanted: str, value: object) -> TypeError:
    """Return the error for an argument of a kind that nothing can be done with; *wanted* says what is taken."""
    return TypeError(f"{wanted}, not {'None' if value is None else type(value).__name__}")
