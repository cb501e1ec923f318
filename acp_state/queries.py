"""Questions that every client asks of a snapshot: small pure functions."""

from __future__ import annotations
