"""`python -m benchmarks`: measure, print one table, save it."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import platform
import sys

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from .rows import MIXES, compared, saved
from .workloads import SMALLEST, WORKLOADS


SIZES: Final = (1_000, 10_000, 100_000, 1_000_000)
REMEMBERED: Final = (*MIXES, "one-message", "tools")
"""The workloads whose memory is measured."""

COUNTED: Final = 10_000
"""The largest size in which instructions are counted: that takes fifty times as long as the work, and larger ones tell no more."""

LEAST: Final = 0.02
"""For how long, in seconds, what is short is repeated."""

LIBRARIES: Final = ("orjson", "msgspec", "attrs", "cattrs", "agent-client-protocol")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measures acp_state, as ratios to orjson.loads of the same bytes; benchmarks/README.md says what the rows are.",
    )
    parser.add_argument("--sizes", metavar="N,…", type=_numbers, default=SIZES, help=f"in frames; default: {_listed(SIZES)}")
    parser.add_argument(
        "--workloads", metavar="NAME,…", type=_names, default=tuple(WORKLOADS), help=f"default: all, which are {_listed(WORKLOADS)}"
    )
    parser.add_argument("--only", metavar="TEXT,…", help="only the parts (and groups: growth, memory, start) in whose name one of these is")
    parser.add_argument("--rounds", metavar="N", type=int, default=5, help="of which the median is printed; default: 5")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of time; needs valgrind")
    parser.add_argument("--json", metavar="FILE", type=Path, help="save the figures")
    parser.add_argument("--markdown", action="store_true", help="print ratios alone, for a README")
    parser.add_argument("--smoke", action="store_true", help=f"one round of {SMALLEST} frames: whether it runs, not how fast")
    return parser


def _listed(values: Any) -> str:
    return ",".join(map(str, values))


def _numbers(text: str) -> tuple[int, ...]:
    parts = text.replace("_", "").split(",")
    if not all(part.isdecimal() and int(part) >= SMALLEST for part in parts):
        msg = f"a size is a number of frames, {SMALLEST} or more"
        raise argparse.ArgumentTypeError(msg)
    return tuple(map(int, parts))


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in WORKLOADS]:
        msg = f"no workload is called {_listed(unknown)}"
        raise argparse.ArgumentTypeError(msg)
    return names


def main(argv: list[str] | None = None) -> int:
    """Run the benchmarks that *argv* asks for; return the exit code."""
    parser = _parser()
    args = parser.parse_args(argv)
    if importlib.util.find_spec("orjson") is None:
        parser.error("orjson is missing: pip install 'acp-state[bench]'")
    from .instructions import VALGRIND
    from .tables import markdown, table

    if args.instructions and VALGRIND is None:
        parser.error("--instructions needs valgrind")
    if args.smoke:
        args.sizes, args.rounds = (SMALLEST,), 1
    rows = []
    for row in _rows(args):
        rows.append(row)
        _progress(f"{row.part} {row.workload} {row.frames:,}")
    _progress("")
    rows += compared(rows)
    print(markdown(rows) if args.markdown else table(rows))
    if args.json:
        document = {"python": platform.python_version(), "libraries": _libraries(), "rounds": args.rounds, "rows": saved(rows)}
        args.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


def _rows(args: argparse.Namespace) -> Iterator[Any]:
    """Yield the rows that are asked for."""

    def wanted(name: str) -> bool:
        return args.only is None or any(text in name for text in args.only.split(","))

    from .starts import started, started_counted

    if args.instructions:
        from .instructions import counted

        yield from counted(args.workloads, [size for size in args.sizes if size <= COUNTED], wanted)
        if wanted("start"):
            yield from started_counted()
        return
    from .growth import grown
    from .memory import kept
    from .timing import measured

    largest = max(args.sizes)
    few = ("mix-v2",) if args.smoke else args.workloads
    yield from measured(args.workloads, args.sizes, wanted, args.rounds, least=0 if args.smoke else LEAST)
    if wanted("growth"):
        yield from grown([name for name in few if name in MIXES], max(largest, 1_000), args.rounds)
    if wanted("memory"):
        yield from kept([name for name in few if name in REMEMBERED], min(largest, 100_000), args.rounds)
    if wanted("start"):
        yield from started(1 if args.smoke else 5 * args.rounds)


def _libraries() -> dict[str, str]:
    """Return the versions of what the figures depend on."""
    found = {}
    for name in LIBRARIES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{text}\033[K")


if __name__ == "__main__":
    sys.exit(main())
