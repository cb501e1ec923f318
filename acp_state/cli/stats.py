"""`acp-state stats`: recordings in numbers."""

from __future__ import annotations

import argparse
import sys

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from . import FINE, columns, complain, require
from ._recordings import (
    add_diagnostics,
    add_files,
    check_dialect,
    each_file,
    matching,
    name_among,
    name_of,
    no_session,
    print_findings,
    print_losses,
    tell_of_other_text,
)


if TYPE_CHECKING:
    from rich.console import Console

    from ..diagnostics import Diagnostic
    from ..stats import Counts, Stats


HELP: Final = "count what happened in recordings"
DESCRIPTION: Final = """\
Counts, for each session and in total: turns and how they ended, tool calls by kind and outcome,
permissions by decision, tokens, cost by currency, durations where the recordings have times, and the
files that were read and changed. What a session/load replayed is not counted, but for how much it was.
What is wrong with a recording goes to standard error."""
EPILOG: Final = """\
examples:
  acp-state stats session.ndjson
  acp-state stats recordings/*.ndjson.gz --format csv > sessions.csv
  acp-state stats recordings/*.ndjson --format json | jq .total.cost"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_files(parser)
    parser.add_argument("--session", metavar="ID", help="sessions of this id alone")
    parser.add_argument("--format", choices=("table", "json", "csv"), default="table", help="how it is printed (table)")
    parser.add_argument("--width", metavar="COLUMNS", type=columns, help="a table as wide as this, not as the terminal")
    add_diagnostics(parser)


UNLIMITED: Final = 1_000
"""Columns of what is no terminal."""


@frozen
class _Counted:
    file: str
    session: str
    stats: Stats


@frozen
class _Notes:
    """What is said of a recording beside the numbers, when all have been read."""

    file: str
    findings: Sequence[Diagnostic]
    frames: int


def run(args: argparse.Namespace) -> int:
    """Print the statistics of all files; one that cannot be used is told of, and the others are counted."""
    check_dialect(args.dialect)
    if args.format == "table":
        require("rich", "acp-state stats --format table")
    args.files = matching(args.files)
    everything: list[_Counted] = []
    notes: list[_Notes] = []

    def add(file: str) -> int:
        sessions, note = _of_file(file, args)
        everything.extend(sessions)
        notes.append(note)
        return FINE

    refused: list[str] = []
    code = each_file(args.files, add, refused.append)
    counted = [one for one in everything if args.session in (None, one.session)]
    is_missing = code == FINE and args.session is not None and not counted
    for note in notes:
        name = name_among(note.file, args.files)
        if is_missing:
            print_losses(note.findings, args.diagnostics, name, session=args.session)
        else:
            print_findings(note.findings, args.diagnostics, name)
    for note in notes:
        tell_of_other_text(note.file, note.findings, note.frames, args.diagnostics)
    for message in refused:
        complain(message)
    if is_missing:
        raise no_session(", ".join(map(name_of, args.files)), str(args.session), dict.fromkeys(one.session for one in everything))
    if counted or code == FINE:
        _PRINTERS[args.format](counted, args)
    return code


def _of_file(file: str, args: argparse.Namespace) -> tuple[list[_Counted], _Notes]:
    from ..stats import session_stats
    from ._chronicle import chronicle_of

    told = chronicle_of(file, args.dialect)
    counted = [_Counted(name_of(file), session_id, stats) for session_id, stats in session_stats(told).items()]
    return counted, _Notes(file, told.findings, told.ended.frame)


# --- for machines ----------------------------------------------------------------------------------


def _print_json(counted: list[_Counted], _: argparse.Namespace) -> None:
    from ..printing import json_text
    from ..stats import to_object, total

    sessions = [{"file": one.file, "id": one.session, **to_object(one.stats)} for one in counted]
    for session in sessions:
        del session["sessions"]
    document = {"sessions": sessions, "total": to_object(total(one.stats for one in counted))}
    sys.stdout.write(json_text(document, 2) + "\n")


def _print_csv(counted: list[_Counted], _: argparse.Namespace) -> None:
    """Print a row for each session: what is nested has a column for each name, lists are counted."""
    import csv

    from ..findings import visible
    from ..stats import to_object

    rows = [{"file": visible(one.file), "session": visible(one.session), **dict(_flat(to_object(one.stats)))} for one in counted]
    for row in rows:
        del row["sessions"]
    names = list(dict.fromkeys(name for row in rows for name in row))
    first = [name for name in names if "." not in name]
    writer = csv.DictWriter(sys.stdout, [*first, *sorted(set(names) - set(first))], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    from ..findings import visible

    for name, inner in value.items():
        path = prefix + visible(name)
        if isinstance(inner, Mapping):
            yield from _flat(inner, f"{path}.")
        else:
            yield path, len(inner) if isinstance(inner, list) else inner


# --- for people ------------------------------------------------------------------------------------


NAMES: Final = ("turns", "tools", "failed", "asked", "tokens", "cost", "took", "files")
"""What the table has of each session."""

ENDINGS: Final = {
    "turns": "turns by how they ended",
    "permissions": "permissions by decision",
    "questions": "questions by answer",
}
"""What stands below the tables: facts of all sessions, and what they are called."""

ROOM: Final = 10
"""Columns that a name must have in a table at least; where they are not there, numbers are listed."""


def _print_table(counted: list[_Counted], args: argparse.Namespace) -> None:
    from ..stats import total
    from ..story.text import Guarded, PipedConsole

    # A pipe has no width, so nothing is shortened for one.
    width = args.width or (None if sys.stdout.isatty() else UNLIMITED)
    console = PipedConsole(file=sys.stdout, width=width, markup=False, highlight=False, emoji=False)
    everything = total(one.stats for one in counted)
    many_files = len(args.files) > 1
    numbers = console.measure(_sessions(counted, everything, ()), options=console.options.update(width=UNLIMITED)).maximum
    names = ("file", "session") if many_files else ("session",)
    fits = numbers + ROOM * len(names) <= console.width
    console.print(Guarded(_sessions(counted, everything, names) if fits else _list(counted, everything, names)))
    if everything.tools:
        console.print()
        console.print(Guarded(_tools(everything.tools, console)))
    for name, words in ENDINGS.items():
        if counts := getattr(everything, name):
            console.print(f"{words}: {_counts(counts)}")


def _names(one: _Counted, names: Sequence[str]) -> list[str]:
    from ..findings import visible

    return [visible(Path(one.file).name if name == "file" else one.session or "(without a name)") for name in names]


def _sessions(counted: list[_Counted], everything: Stats, names: Sequence[str]) -> Any:
    """Return a table with a row for each session, and the *names* that it begins with."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_footer=len(counted) > 1, footer_style="bold", header_style="dim")
    for name in names:
        table.add_column(name, footer=f"{everything.sessions:,} in all" if name == "session" else "", overflow="fold")
    for name, footer in zip(NAMES, _cells(everything), strict=True):
        table.add_column(name, footer=footer, justify="right", no_wrap=True)
    for one in counted:
        table.add_row(*_names(one, names), *_cells(one.stats))
    return table


def _list(counted: list[_Counted], everything: Stats, names: Sequence[str]) -> Any:
    """Return what the table says as a list for each session, for where it is too wide."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    parts: list[Any] = []
    lists = [(" ".join(_names(one, names)), _cells(one.stats)) for one in counted]
    for title, cells in [*lists, *([(f"{everything.sessions:,} in all", _cells(everything))] if len(counted) > 1 else [])]:
        table = Table.grid(padding=(0, 2, 0, 0))
        for name, cell in zip(NAMES, cells, strict=True):
            if cell:
                table.add_row(Text(f"  {name}", "dim"), cell)
        parts += [Text(title, "bold", overflow="fold"), table]
    return Group(*parts)


def _cells(stats: Stats) -> tuple[str, ...]:
    from ..findings import visible
    from ..story.words import amount, spell_seconds

    asked = sum(stats.permissions.values()) + sum(stats.questions.values())
    tokens = stats.tokens.get("total")
    return (
        f"{sum(stats.turns.values()):,}",
        f"{stats.tool_calls:,}",
        f"{stats.failures:,}",
        f"{asked:,}",
        "" if tokens is None else f"{tokens:,}",
        "\n".join(visible(amount(value, currency)) for currency, value in stats.cost.items()),
        spell_seconds(stats.seconds["session"]) if "session" in stats.seconds else "",
        f"{len({*stats.files_changed, *stats.files_read}):,}",
    )


def _tools(tools: Mapping[str, Counts], console: Console) -> Any:
    """Return a table of kinds and outcomes, or a line for each kind where the console is too narrow."""
    from rich.table import Table
    from rich.text import Text

    from ..findings import visible

    outcomes = list(dict.fromkeys(("completed", "failed", *(outcome for counts in tools.values() for outcome in counts))))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("tool calls")
    for outcome in outcomes:
        table.add_column(visible(outcome), justify="right")
    kinds = sorted(tools.items(), key=lambda item: -sum(item[1].values()))
    for kind, counts in kinds:
        table.add_row(visible(kind), *(f"{counts[outcome]:,}" if outcome in counts else "" for outcome in outcomes))
    if console.measure(table, options=console.options.update(width=UNLIMITED)).maximum <= console.width:
        return table
    return Text("\n").join([Text("tool calls", "dim"), *(Text(f"  {visible(kind)}: {_counts(counts)}") for kind, counts in kinds)])


def _counts(counts: Counts) -> str:
    from ..findings import visible

    return ", ".join(f"{count:,} {visible(name)}" for name, count in counts.items())


_PRINTERS: Final[Mapping[str, Callable[[list[_Counted], argparse.Namespace], None]]] = {
    "table": _print_table,
    "json": _print_json,
    "csv": _print_csv,
}
