"""The rows of the table, as values: what the measurements give, and what is printed and saved."""

from __future__ import annotations

import statistics

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import asdict, frozen


@frozen
class Row:
    """One figure.

    *value* is in *unit* (`ns/frame`, `B/frame`, `ms`…); *ratio*, where there is one, is that to what the
    README names, mostly `orjson.loads` of the same lines. *low* and *high* are the spread, over the
    rounds, of the ratio, or of the value where there is none. *must* and *aim* are the targets for that.
    """

    part: str
    workload: str
    frames: int
    value: float
    unit: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    must: float | None = None
    aim: float | None = None

    @property
    def judged(self) -> float:
        return self.value if self.ratio is None else self.ratio

    @property
    def verdict(self) -> str:
        """Which target holds; nothing if there is none."""
        if self.must is None:
            return ""
        if self.aim is not None and self.judged <= self.aim:
            return "aim"
        return "must" if self.judged <= self.must else "MISSED"


MIXES: Final = ("mix-v1", "mix-v2")

TARGETS: Final = {
    **{("fold, each snapshot", mix, 100_000): (4.5, 3.3) for mix in MIXES},
    ("fold, each snapshot", "one-message", 100_000): (3.3, 2.4),
    ("fold, each snapshot", "tools", 100_000): (6.5, 4.5),
    ("fold command", "mix-v2", 100_000): (3.5, 2.4),
    **{("Store.feed", mix, 100_000): (3.3, 2.2) for mix in MIXES},
}
"""What a ratio to `orjson.loads` must and should be at most: by part, workload and frames."""


def row(
    part: str,
    workload: str,
    frames: int,
    values: Sequence[float],
    unit: str,
    ratios: Sequence[float] = (),
    must_aim: tuple[float, float] | None = None,
) -> Row:
    """Return the row of several rounds' figures."""
    judged = ratios or values
    must, aim = must_aim or TARGETS.get((part, workload, frames), (None, None))
    ratio = statistics.median(ratios) if ratios else None
    return Row(part, workload, frames, statistics.median(values), unit, ratio, min(judged), max(judged), must, aim)


def saved(rows: Iterable[Row]) -> list[dict[str, object]]:
    """Return the rows as they are saved: without what is not there."""
    return [{name: value for name, value in asdict(one).items() if value is not None} for one in rows]


# --- how they are printed ------------------------------------------------------------------------------

HEADS: Final = ("part", "workload", "frames", "figure", "", "ratio", "spread", "must", "aim", "holds")


def cells(one: Row) -> tuple[str, ...]:
    spread = "" if one.low is None or one.high is None else f"{number(one.low)}..{number(one.high)}"
    return (
        one.part,
        one.workload,
        f"{one.frames:,}" if one.frames else "",
        number(one.value),
        one.unit,
        number(one.ratio),
        spread,
        number(one.must),
        number(one.aim),
        one.verdict,
    )


def number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(rows: Sequence[Row]) -> str:
    """Return the table for a terminal."""
    lines = [HEADS, *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = {0, 1, 4, 9}
    return "\n".join(
        "  ".join(
            cell.ljust(width) if place in left else cell.rjust(width) for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
