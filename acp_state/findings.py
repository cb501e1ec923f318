"""Diagnostics for a reader: as log lines by structlog, or as JSON lines for machines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TextIO
from unicodedata import category

import attrs

from .diagnostics import Diagnostic
from .printing import json_text


def to_object(finding: Diagnostic) -> dict[str, Any]:
    """Return *finding* as JSON: what is absent is left out."""
    object_: dict[str, Any] = {"code": finding.code, "severity": finding.severity}
    for name, wire in _MEMBERS:
        value = getattr(finding, name)
        if value is not None and not (name == "count" and value == 1):
            object_[wire] = value
    return object_


_MEMBERS: Final = tuple(
    (field.name, "sessionId" if field.name == "session_id" else field.name) for field in attrs.fields(Diagnostic) if field.name != "code"
)


def nothing_read(findings: Sequence[Diagnostic]) -> str:
    """Say of an input without any frame what there was in place of frames, by its *findings*, and which formats would be read."""
    from .dialects import NAMES

    if not findings:
        return "empty"
    place = "" if findings[0].line is None else f"line {findings[0].line}: "
    return f"no frame of ACP traffic in it; {place}{findings[0].message}; formats that read: {', '.join(sorted(NAMES))}"


def print_findings(findings: Iterable[Diagnostic], file: TextIO, *, as_json: bool = False, recording: str | None = None) -> None:
    """Print *findings* to *file*, one a line, each with the name of the *recording* if that is given."""
    if as_json:
        named = {} if recording is None else {"recording": recording}
        file.writelines(json_text(named | to_object(finding)) + "\n" for finding in findings)
        return
    prefix = "" if recording is None else f"{visible(recording)}: "
    render = _renderer(file)
    file.writelines(f"{prefix}{render(finding)}\n" for finding in findings)


def _renderer(file: TextIO) -> Any:
    """Return what renders a finding as a log line.

    structlog is imported only where there is something to say: it takes longer than a small fold.
    """
    from structlog.dev import ConsoleRenderer

    console = ConsoleRenderer(colors=may_colour(file), pad_event_to=0, sort_keys=False)

    def render(finding: Diagnostic) -> str:
        object_ = to_object(finding)
        facts = {name: visible(value) for name, value in object_.items() if name not in ("message", "severity", "subject")}
        return str(
            console(
                None,
                "",
                {"level": finding.severity, "event": visible(finding.message), **facts},
            )
        )

    return render


def may_colour(file: TextIO) -> bool:
    """Whether *file* may have colours: a terminal, unless `NO_COLOR` is set, and anything if `FORCE_COLOR` is (neither empty)."""
    import os

    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (file.isatty() and os.environ.get("TERM") != "dumb")


def visible(value: Any) -> Any:
    """Return text, on one line, without what could drive a terminal or deceive an eye: as escapes (SPEC 8).

    That are control characters of any kind, line breaks, and format characters such as those that turn
    the direction of text around; the joiners that scripts and emoji need stay.
    """
    return value if not isinstance(value, str) or value.isprintable() else value.translate(_ON_ONE_LINE)


def visible_text(text: str) -> str:
    """Return *text* as `visible` does, but with its lines and tabs."""
    return text if text.isprintable() else text.replace("\r\n", "\n").translate(_ON_LINES)


class _Escapes(dict[int, int | str]):
    """For `str.translate`: what stands for a character."""

    def __missing__(self, code: int) -> int | str:
        unsafe = category(chr(code)) in _UNSAFE and code not in _JOINERS
        self[code] = chr(code).encode("unicode_escape").decode() if unsafe else code
        return self[code]


_UNSAFE: Final = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
_JOINERS: Final = (0x200C, 0x200D)

_ON_ONE_LINE: Final = _Escapes()
_ON_LINES: Final = _Escapes({ord("\n"): "\n", ord("\t"): "\t"})
