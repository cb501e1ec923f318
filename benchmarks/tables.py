"""The rows as text: one table for a terminal, and the ratios of them for a README."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .parts import BASE
from .rows import Row


HEADS: Final = ("part", "workload", "frames", "figure", "", "ratio", "spread", "must", "aim", "holds")
LEFT: Final = frozenset(("part", "workload", "", "holds"))


def table(rows: Sequence[Row]) -> str:
    """Return the table for a terminal."""
    lines = [HEADS, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]

    def printed(line: Sequence[str]) -> str:
        columns = zip(HEADS, line, widths, strict=True)
        return "  ".join(cell.ljust(width) if head in LEFT else cell.rjust(width) for head, cell, width in columns).rstrip()

    return "\n".join(map(printed, lines))


def _cells(one: Row) -> tuple[str, ...]:
    spread = "" if one.low is None or one.high is None else f"{_number(one.low)}..{_number(one.high)}"
    frames = f"{one.frames:,}" if one.frames else ""
    figures = (_number(one.ratio), spread, _number(one.must), _number(one.aim))
    return (one.part, one.workload, frames, _number(one.value), one.unit, *figures, one.verdict)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def markdown(rows: Sequence[Row]) -> str:
    """Return what does not depend on the machine: ratios to `orjson.loads`, and how the targets are met."""
    return "\n\n".join(filter(None, (_ratios(rows), _targets(rows))))


def _ratios(rows: Sequence[Row]) -> str:
    """One column for each workload, at the largest size that all have."""
    timed = [one for one in rows if one.group in ("time", "instructions") and one.ratio is not None]
    workloads = list(dict.fromkeys(one.workload for one in timed))
    common = set.intersection(*({one.frames for one in timed if one.workload == name} for name in workloads)) if timed else None
    if not common:
        return ""
    size = max(common)
    found = {(one.part, one.workload): one.ratio for one in timed if one.frames == size}
    heads = (f"{timed[0].group}, {size:,} frames; `{BASE.name}` = 1", *workloads)
    parts = dict.fromkeys(part for part, _ in found)
    return _grid([heads, *((part, *(_number(found.get((part, name))) for name in workloads)) for part in parts)])


def _targets(rows: Sequence[Row]) -> str:
    judged = [one for one in rows if one.must is not None]
    if not judged:
        return ""
    lines = [
        (one.part, one.workload, f"{one.frames:,}" if one.frames else "", _measured(one), _number(one.must), _number(one.aim), one.verdict)
        for one in judged
    ]
    return _grid([("", "traffic", "frames", "measured", "must", "aim", "holds"), *lines])


def _measured(one: Row) -> str:
    # A time is the machine's; whether the target holds is not.
    if one.ratio is None:
        return "" if one.group == "start" else f"{_number(one.value)} {one.unit}"
    return _number(one.ratio)


def _grid(lines: Sequence[Sequence[str]]) -> str:
    heads, *rest = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join((heads, "| --- |" + " ---: |" * (len(lines[0]) - 1), *rest))
