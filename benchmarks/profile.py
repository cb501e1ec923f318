"""`python -m benchmarks.profile WORKLOAD`: where the work goes, in bytecodes by kind of frame and stage of the fold.

That is exact and the same on any machine. Most of what a fold takes is the interpreter's work for each
bytecode, so it tells where the nanoseconds go, too; what C does in one call is not in it.
"""

from __future__ import annotations

import argparse
import json
import sys

from collections import Counter, defaultdict
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, NamedTuple

from acp_state.folding import Fold
from acp_state.normalize import normalize
from acp_state.reading.reader import Reader

from .workloads import WORKLOADS, lines


BEFORE: Final = 2_000
"""How many frames come before those that are counted."""

COUNTED: Final = 1_000


class Work(NamedTuple):
    """The bytecodes of one frame: to read it (the mean of all), to normalize it, and to reduce it, with what holds the stages together."""

    read: int
    normalize: int
    reduce: int


def bytecodes(act: Callable[[], Any], by_function: Counter[str] | None = None) -> tuple[int, Any]:
    """Return how many bytecodes *act* takes, and what it returns; those of each function are added to *by_function*."""
    count = 0

    def traced(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode" and frame.f_code.co_filename != __file__:
            count += 1
            if by_function is not None:
                code = frame.f_code
                by_function[f"{code.co_filename.rpartition('acp_state/')[2]} {code.co_name}"] += 1
        return traced

    sys.settrace(traced)
    try:
        result = act()
    finally:
        sys.settrace(None)
    return count, result


def kind_of(line: bytes, last: list[Any]) -> str:
    """Return what is to be told apart of a line; *last* remembers whose chunk came last."""
    update = json.loads(line).get("params", {}).get("update", {})
    kind: str = update.get("sessionUpdate", "another message")
    if kind.endswith("_chunk") and "content" in update:
        message = (kind, update.get("messageId"))
        goes_on, last[:] = message in last, [message]
        return f"{kind}, {'goes on' if goes_on else 'another'}"
    fields = [name for name in update if name not in ("sessionUpdate", "toolCallId")]
    return f"{kind}: {', '.join(fields)}" if kind.startswith("tool_call") else kind


def profiled(workload: str) -> tuple[dict[str, list[Work]], Counter[str]]:
    """Return the work of each counted frame by kind, and the bytecodes of each function."""
    made = lines(workload, BEFORE + COUNTED)
    work, reader, last = Fold(), Reader(), list[Any]()
    for line in made[:BEFORE]:
        kind_of(line, last)
        for item in reader.feed(line):
            work.take(item)  # type: ignore[arg-type]  # these recordings have no lines to remark upon
    kinds, functions = defaultdict(list), Counter[str]()
    read, items = bytecodes(lambda: reader.feed(b"".join(made[BEFORE:])), functions)
    for line, item in zip(made[BEFORE:], items, strict=True):
        normalized, _ = bytecodes(lambda item=item: normalize(work.wire, item))  # type: ignore[misc]
        taken, _ = bytecodes(lambda item=item: work.take(item), functions)  # type: ignore[misc]
        kinds[kind_of(line, last)].append(Work(read // COUNTED, normalized, taken - normalized))
    return kinds, functions


def main(argv: list[str] | None = None) -> int:
    """Print the profile of a workload."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__.partition("\n\n")[0])
    parser.add_argument("workload", choices=tuple(WORKLOADS))
    parser.add_argument("--functions", metavar="N", type=int, default=15, help="how many functions are named; default: 15")
    args = parser.parse_args(argv)
    kinds, functions = profiled(args.workload)
    frames = [frame for one in kinds.values() for frame in one]
    whole = sum(map(sum, frames))
    print(f"{'bytecodes a frame':60} frames    read  normalize  reduce     all  share")
    rows = [("all", frames), *sorted(kinds.items(), key=lambda kind: -sum(map(sum, kind[1])))]
    for name, of_kind in rows:
        read, normalized, reduced = (sum(column) / len(of_kind) for column in zip(*of_kind, strict=True))
        total = sum(map(sum, of_kind))
        print(
            f"{name:60} {len(of_kind):6} {read:7.0f} {normalized:10.0f} {reduced:7.0f} {total / len(of_kind):7.0f} {100 * total / whole:5.1f}%"
        )
    print()
    for name, count in functions.most_common(args.functions):
        print(f"{count / len(frames):8.1f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
