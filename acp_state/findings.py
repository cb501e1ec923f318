"""Diagnostics for a reader: as log lines by structlog, or as JSON lines for machines."""

from __future__ import annotations

import os
import sys

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TextIO, cast
from unicodedata import category

import attrs

from ._model import replace
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


def nothing_read(findings: Sequence[Diagnostic], *, told: bool = False) -> str:
    """Say of an input without any frame what there was in place of frames, by its *findings*, and which formats would be read.

    *told*: the findings were, so they are not repeated.
    """
    from .dialects import A_STATE, NAMES

    if not findings:
        return "empty"
    if findings[0].message == A_STATE:
        return f"{A_STATE}; fold --from goes on from it (fold /dev/null --from STATE --format text shows it), and diff compares it"
    place = "" if findings[0].line is None else f"line {findings[0].line}: "
    seen = "" if told else f"; {place}{findings[0].message}"
    return f"no frame of ACP traffic in it{seen}; formats that read: {', '.join(sorted(NAMES))}"


FEW: Final = 3
"""How many lines that cannot be read for one reason are told of one by one, where findings are text."""


def grouped(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return *findings* with those counted as one that say the same of more than a few lines: such a file is of another kind."""
    found = list(findings)
    lines = Counter(finding.code for finding in found if _is_of_line(finding))
    told: list[Diagnostic] = []
    places: dict[str, int] = {}
    for finding in found:
        if not _is_of_line(finding) or lines[finding.code] <= FEW or (place := places.setdefault(finding.code, len(told))) == len(told):
            told.append(finding)
        else:
            told[place] = replace(told[place], count=told[place].count + finding.count)
    return told


def losses(findings: Iterable[Diagnostic], session_id: str | None = None) -> list[Diagnostic]:
    """Return those of *findings* that may be why something, or the session of that id, is not there.

    What is about another session is not why. Nor is it told that there is a state document in place of a
    recording, which `nothing_read` says.
    """
    from .dialects import A_STATE

    return [
        finding
        for finding in findings
        if (finding.session_id is not None and finding.session_id == session_id)
        or (finding.session_id is None and (finding.severity == "error" or _is_of_line(finding)) and finding.message != A_STATE)
    ]


def lines_without_frame(findings: Iterable[Diagnostic]) -> int:
    """Return how many lines of a recording are no frames, by its *findings*."""
    return sum(finding.count for finding in findings if _is_of_line(finding))


def _is_of_line(finding: Diagnostic) -> bool:
    """Whether it is about a line, and not about a message that was read."""
    return finding.line is not None and finding.frame is None


def print_findings(findings: Iterable[Diagnostic], file: TextIO, *, as_json: bool = False, recording: str | None = None) -> None:
    """Print *findings* to *file*, one a line, each with the name of the *recording* if that is given; as text, they are `grouped`."""
    if as_json:
        named = {} if recording is None else {"recording": recording}
        file.writelines(json_text(named | to_object(finding)) + "\n" for finding in findings)
        return
    prefix = "" if recording is None else f"{visible(recording)}: "
    render = _renderer(file)
    file.writelines(f"{prefix}{render(finding)}\n" for finding in grouped(findings))


def _renderer(file: TextIO) -> Any:
    """Return what renders a finding as a log line.

    structlog is imported only where there is something to say: it takes longer than a small fold.
    """
    with _hidden("rich"):  # it would be imported for tracebacks, of which there are none
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


@contextmanager
def _hidden(library: str) -> Iterator[None]:
    """Have what is imported meanwhile do without an optional *library*, unless that is there already."""
    if library in sys.modules:
        yield
        return
    sys.modules[library] = cast("Any", None)
    try:
        yield
    finally:
        del sys.modules[library]


def may_colour(file: TextIO) -> bool:
    """Whether *file* may have colours: a terminal, unless `NO_COLOR` is set, and anything if `FORCE_COLOR` is (neither empty)."""
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
