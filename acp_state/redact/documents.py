"""State documents, redacted as the recordings are that they come from."""

from __future__ import annotations

from collections.abc import Mapping

from .._json import Json
from .texts import name
from .values import Redactor


def redact_document(document: Mapping[str, Json], salt: bytes) -> dict[str, Json]:
    """Return a state document, a plain object, with all replaced that `redact_frame` replaces.

    For any recording *r*, `to_document(fold(redact(r)))` is this of `to_document(fold(r))`, but for

    * `wire`, which is left out: it is opaque, and what was recorded half is in it as it was;
    * the letters in texts and in terminals' output: any of them is the same as `x`.
    """
    redactor = Redactor(salt)
    redacted = {redactor.member(key): redactor.value(key, item, True) for key, item in document.items() if key not in ("wire", "sessions")}
    sessions = document.get("sessions")
    if isinstance(sessions, Mapping):
        redacted["sessions"] = {key and name(key, salt): redactor.value("session", session, True) for key, session in sessions.items()}
    return redacted
