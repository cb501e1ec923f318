"""`acp-state check`: what is wrong with recordings."""

from __future__ import annotations

import argparse
import sys

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from . import FINDINGS, FINE
from ._colours import Paint
from ._recordings import add_files, check_dialect, check_read, each_file, matching, name_of, opened, tell_of_other_text


if TYPE_CHECKING:
    from ..diagnostics import Diagnostic


HELP: Final = "print what is wrong with recordings, and fail if anything is"
DESCRIPTION: Final = """\
Reads recordings and prints what is wrong with them: errors (data was lost, or the protocol was
broken), warnings (it was tolerated) and what is good to know. Exits with 1 if there is any of the
severity that --fail-on names, or worse."""
EPILOG: Final = """\
Formats: text groups findings by what they are; json has one object a line, with its recording; github has
workflow commands, which become annotations of a pull request.

examples:
  acp-state check session.ndjson
  acp-state check golden/*.ndjson --fail-on warning --format github
  acp-state check session.ndjson --format json | jq -r .code | sort | uniq -c"""

SEVERITIES: Final = ("error", "warning", "info")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_files(parser)
    parser.add_argument(
        "--fail-on", choices=SEVERITIES, default="error", help="exit with 1 for any finding of this severity, or worse (error)"
    )
    parser.add_argument("--format", choices=("text", "json", "github"), default="text", help="how findings are printed (text)")


def run(args: argparse.Namespace) -> int:
    """Check each file."""
    check_dialect(args.dialect)
    args.files = matching(args.files)
    return each_file(args.files, lambda file: _run(file, args))


def _run(file: str, args: argparse.Namespace) -> int:
    from ..findings import grouped
    from ..folding import fold

    with opened(file) as recording:
        folded = fold(recording, dialect=args.dialect)
    found = folded.diagnostics if folded.tally.read or args.format != "text" else grouped(folded.diagnostics)
    findings = sorted(found, key=lambda finding: SEVERITIES.index(finding.severity))
    if findings or folded.tally.read:
        sys.stdout.writelines(f"{line}\n" for line in _FORMATS[args.format](name_of(file), findings))
    check_read(file, folded, told=True)
    tell_of_other_text(file, folded.diagnostics, folded.tally.read)
    failing = SEVERITIES[: SEVERITIES.index(args.fail_on) + 1]
    return FINDINGS if any(finding.severity in failing for finding in findings) else FINE


def _text(name: str, findings: Sequence[Diagnostic]) -> Iterator[str]:
    from ..diagnostics import CATALOGUE
    from ..findings import visible

    paint = Paint(sys.stdout)
    yield f"{paint(visible(name), 'name')}: {_counts(findings, paint)}"
    by_code = sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.code))
    for code, group in groupby(by_code, key=lambda finding: finding.code):
        severity = CATALOGUE[code].severity
        yield f"  {paint(severity, severity)} {paint(code, 'name')}: {CATALOGUE[code].sentence}"
        for finding in group:
            place = paint(_place(finding), "aside")
            yield f"    {': '.join(filter(None, (place, visible(finding.message))))}{_times(finding)}"


def _counts(findings: Sequence[Diagnostic], paint: Paint) -> str:
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.severity] += finding.count
    words = [paint(_plural(counts[severity], severity), severity) for severity in SEVERITIES if counts[severity]]
    return ", ".join(words) or "nothing found"


def _plural(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 or word == "info" else f"{number:,} {word}s"


def _times(finding: Diagnostic) -> str:
    return "" if finding.count == 1 else f" ({finding.count:,} times)"


def _place(finding: Diagnostic) -> str:
    from ..findings import visible

    line = "" if finding.line is None else f"line {finding.line}"
    return ", ".join(str(visible(part)) for part in (line, finding.method, finding.pointer) if part)


def _json(name: str, findings: Sequence[Diagnostic]) -> Iterator[str]:
    from ..findings import to_object
    from ..printing import json_text

    for finding in findings:
        yield json_text({"recording": name, **to_object(finding)})


_COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}


def _github(name: str, findings: Sequence[Diagnostic]) -> Iterator[str]:
    """Workflow commands; in their properties a comma and a colon would end a value."""
    from ..findings import visible

    for finding in findings:
        facts = {"file": visible(name), "line": finding.line, "title": finding.code}
        properties = ",".join(f"{key}={_property(str(value))}" for key, value in facts.items() if value is not None)
        yield f"::{_COMMANDS[finding.severity]} {properties}::{_data(visible(finding.message) + _times(finding))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


_FORMATS: Final = {"text": _text, "json": _json, "github": _github}
