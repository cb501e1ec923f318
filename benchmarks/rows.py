"""The rows of the table: what the measurements give, as values, with the targets that they are judged by."""

from __future__ import annotations

import statistics

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from attrs import asdict, frozen


@frozen
class Row:
    """One figure.

    *group* is what it is a figure of: `time`, `instructions`, `growth`, `memory`, `start` or `comparison`.
    *value* is in *unit* (`ns/frame`, `B/frame`, `ms`…); *ratio*, where there is one, is to what the
    README names, mostly `orjson.loads` of the same lines. *low* and *high* are the spread, over the
    rounds, of the ratio, or of the value where there is none. *must* and *aim* are the targets for that.
    """

    group: str
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
        """The figure that the targets are about."""
        return self.value if self.ratio is None else self.ratio

    @property
    def verdict(self) -> str:
        """Which target holds; nothing if there is none."""
        if self.must is None:
            return ""
        if self.aim is not None and self.judged <= self.aim:
            return "aim"
        return "must" if self.judged <= self.must else "MISSED"


Target: TypeAlias = tuple[float | None, float | None]
"""What a figure must and should be at most."""

NONE: Final[Target] = (None, None)

EACH: Final = "fold, each snapshot"
MIXES: Final = ("mix-v1", "mix-v2")

TARGETS: Final[dict[tuple[str, str, int], Target]] = {
    **{(EACH, mix, 100_000): (4.5, 3.3) for mix in MIXES},
    (EACH, "one-message", 100_000): (3.3, 2.4),
    (EACH, "tools", 100_000): (6.5, 4.5),
    ("fold command", "mix-v2", 100_000): (3.5, 2.4),
    **{("Store.feed", mix, 100_000): (3.3, 2.2) for mix in MIXES},
}
"""The targets of ratios to `orjson.loads`, by part, workload and frames."""

FLAT: Final[Target] = (1.25, 1.12)
"""The targets of what a longer recording takes over a shorter one, per frame or per byte."""

OVER_MIX: Final[Target] = (2.0, 1.3)
"""The targets of what a frame of a hard workload takes over one of the mix."""

HARD: Final = {"calls": "mix-v2", "sessions": "mix-v2", "replay": "mix-v1"}
LINEAR: Final = ("raw-input", "terminal")


def row(
    group: str,
    part: str,
    workload: str,
    frames: int,
    values: Sequence[float],
    unit: str,
    ratios: Sequence[float] = (),
    target: Target = NONE,
) -> Row:
    """Return the row of several rounds' figures."""
    judged = ratios or values
    ratio = statistics.median(ratios) if ratios else None
    return Row(group, part, workload, frames, statistics.median(values), unit, ratio, min(judged), max(judged), *target)


def compared(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield what only several rows tell together: hard workloads over the mix, and long recordings over short ones."""
    found = {(one.part, one.workload, one.frames): one for one in rows}
    for (part, workload, frames), hard in found.items():
        mix = found.get((part, HARD.get(workload, ""), frames))
        if part == EACH and mix is not None:
            yield _over(hard, mix, mix.workload, OVER_MIX)
    for part, workloads in ((EACH, LINEAR), ("diff", MIXES)):
        for workload in workloads:
            sizes = sorted(frames for name, where, frames in found if (name, where) == (part, workload))
            if len(sizes) > 1:
                short, long = (found[part, workload, size] for size in (sizes[0], sizes[-1]))
                yield _over(long, short, f"{short.frames:,} frames", FLAT)


def _over(one: Row, other: Row, what: str, target: Target) -> Row:
    # In a short recording what is done once is most of it, and nothing is judged by that.
    target = target if one.frames >= 10_000 else NONE
    return row("comparison", f"{one.part}, over {what}", one.workload, one.frames, [one.value], one.unit, [one.value / other.value], target)


def saved(rows: Iterable[Row]) -> list[dict[str, object]]:
    """Return the rows as they are saved: without what is not there."""
    return [{name: value for name, value in asdict(one).items() if value is not None} for one in rows]
