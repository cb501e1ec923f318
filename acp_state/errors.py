"""The exceptions that callers may see. What is wrong with a recording is a diagnostic, never one of these."""

from __future__ import annotations


class AcpStateError(Exception):
    """The base of all exceptions of this package."""


class DocumentError(AcpStateError, ValueError):
    """A text is no state document, or of a format that this version does not read."""


class UnknownDialectError(AcpStateError, ValueError):
    """No dialect has that name."""


class StoreClosedError(AcpStateError, ValueError):
    """A store was fed after it had been closed."""


class GoldenError(AcpStateError, ValueError):
    """A golden suite cannot be checked: a pattern finds nothing, two recordings share their expected files, none of one can be read, a rule for masking is none."""
