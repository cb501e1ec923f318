"""The model's classes as JSON objects and back (SPEC 5): names, order, and what is always there.

A value is left out where it is what the class has it be if nothing was told. What reads stands by
itself in `reading`, since cattrs, which it needs, takes as long to import as a small fold does.
"""

from __future__ import annotations

from .names import ALWAYS, ENTRIES, KNOWN_VARIANTS, SEALABLE, SESSION_ORDER, printed, wire_name
from .writing import members_to_json, to_json


__all__ = [
    "ALWAYS",
    "ENTRIES",
    "KNOWN_VARIANTS",
    "SEALABLE",
    "SESSION_ORDER",
    "members_to_json",
    "printed",
    "to_json",
    "wire_name",
]
