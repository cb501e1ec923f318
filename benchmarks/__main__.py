"""`python -m benchmarks`: measure, print one table, save it."""

from __future__ import annotations

import argparse
import json
import platform
import sys

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from . import workloads
from .rows import saved, table


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measures acp_state, as ratios to orjson.loads of the same bytes."
    )
    parser.add_argument("--sizes", metavar="N,…", help="in frames; default: 1000,10000,100000", default="1000,10000,100000")
    parser.add_argument(
        "--workloads", metavar="NAME,…", help=f"of {', '.join(workloads.WORKLOADS)}; default: all", default=",".join(workloads.WORKLOADS)
    )
    parser.add_argument("--only", metavar="TEXT,…", help="only the rows whose name has one of these in it")
    parser.add_argument("--rounds", metavar="N", type=int, default=5)
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of time (needs valgrind)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="save the figures")
    return parser


def main(argv: list[str] | None = None) -> int:
    parser = _parser()
    args = parser.parse_args(argv)
    texts = args.only.split(",") if args.only else [""]
    names, sizes = args.workloads.split(","), [int(size) for size in args.sizes.split(",")]

    def wanted(name: str) -> bool:
        return any(text in name for text in texts)

    if args.instructions:
        from .instructions import VALGRIND, counted

        if VALGRIND is None:
            parser.error("--instructions needs valgrind")
        work = counted(names, sizes, wanted)
    else:
        from .timing import measured

        work = measured(names, sizes, wanted, args.rounds, 0.02)
    rows = []
    for row in work:
        rows.append(row)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{row.workload} {row.frames:,} {row.part}\033[K\r")
    print(table(rows))
    if args.json:
        args.json.write_text(json.dumps({"python": platform.python_version(), "rows": saved(rows)}, indent=1) + "\n", encoding="utf-8")
    return 0


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
