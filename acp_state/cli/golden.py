"""`acp-state golden`: recordings beside the states that they should fold to."""

from __future__ import annotations

import argparse
import os
import sys

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import FINDINGS, FINE, UsageError, complain
from ._colours import Paint
from ._masks import add_mask, mask_of


if TYPE_CHECKING:
    from ..golden import Golden, Mismatch, Suite
    from ..masking import Mask


HELP: Final = "compare recordings with the states that they should fold to"
DESCRIPTION: Final = """\
Folds recordings and compares what comes of each with the files beside it: NAME.state.json, the state
document, and NAME.diagnostics.json, what is wrong with it. Exits with 1 if any is missing, says
something else, or belongs to no recording."""
EPILOG: Final = """\
With --update the files are written anew, and it is printed which are new and what changed in others; a
person should read that, so this is refused where CI is set. pytest does the same with the plugin that
comes with acp-state: pytest --acp-update.

examples:
  acp-state golden tests/recordings
  acp-state golden 'recordings/**/*.ndjson' --mask ids --mask times
  acp-state golden tests/recordings --update"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a recording, a folder of recordings, or a pattern")
    parser.add_argument("--update", action="store_true", help="write the expected files anew")
    add_mask(parser)


def run(args: argparse.Namespace) -> int:
    """Verify or update the recordings."""
    from ..errors import GoldenError
    from ..golden import find

    if args.update and os.environ.get("CI"):
        raise UsageError("--update is refused where CI is set: expected files are written where a person reads what changed")
    mask = mask_of(args.mask)
    try:
        suite = find(args.paths, Path())
    except GoldenError as error:
        raise UsageError(str(error)) from None
    outcomes: Counter[str] = Counter()
    step = partial(_update, outcomes) if args.update else _verify
    codes = [_each(golden, mask, step) for golden in suite.goldens]
    codes.append(_unused(suite))
    recordings = "1 recording" if len(suite.goldens) == 1 else f"{len(suite.goldens):,} recordings"
    if args.update:
        told = f"; expected files: {', '.join(f'{outcomes[outcome]:,} {outcome}' for outcome in _OUTCOMES)}"
    else:
        hint = "; --update writes expected files anew" if FINDINGS in codes[:-1] else ""
        told = f", {sum(code != FINE for code in codes[:-1]):,} not as expected{hint}"
    sys.stdout.write(f"{recordings}{told}\n")
    return max(codes)


def _each(golden: Golden, mask: Mask, step: Callable[[Golden, Mask], int]) -> int:
    """Verify or update one recording; what cannot be read or written keeps none from the rest."""
    from ..errors import GoldenError

    try:
        return step(golden, mask)
    except GoldenError as error:
        sys.stdout.flush()
        return complain(str(error))
    except BrokenPipeError:  # of our own output
        raise
    except OSError as error:
        sys.stdout.flush()
        return complain(f"{error.filename or golden.recording}: {error.strerror or error}")


def _verify(golden: Golden, mask: Mask) -> int:
    from ..golden import verify

    mismatches = verify(golden, mask)
    paint = Paint(sys.stdout)
    sys.stdout.writelines(f"{paint.change(line)}\n" for mismatch in mismatches for line in str(mismatch).split("\n"))
    return FINDINGS if mismatches else FINE


_OUTCOMES: Final = ("new", "changed", "unchanged")
"""What may have become of an expected file."""

MOST: Final = 10
"""How many differences of a file are printed at most; the file itself has all, and version control shows them."""


def _update(outcomes: Counter[str], golden: Golden, mask: Mask) -> int:
    from ..golden import IS_MISSING, update

    written = update(golden, mask)
    paint = Paint(sys.stdout)
    for mismatch in written:
        outcome = "new" if mismatch.problem == IS_MISSING else "changed"
        outcomes[outcome] += 1
        sys.stdout.write(f"{outcome:<7}  {_of_written(mismatch)}\n")
        sys.stdout.writelines(f"{paint.change(line)}\n" for line in mismatch.lines(MOST))
    outcomes["unchanged"] += len((golden.state, golden.diagnostics)) - len(written)
    return FINE


def _of_written(mismatch: Mismatch) -> str:
    """Return the name of a file that was written, and what there is to say of it beside its differences."""
    from ..findings import visible
    from ..golden import DIAGNOSTICS, IS_MISSING

    name = str(visible(os.path.relpath(mismatch.file)))
    if mismatch.problem not in (None, IS_MISSING):
        return f"{name}, which {mismatch.problem}"
    if mismatch.problem is None and not mismatch.differences:
        return f"{name}: white space alone"
    if mismatch.problem == IS_MISSING and name.endswith(DIAGNOSTICS):
        from .._json import decode

        number = len(decode(mismatch.file.read_bytes()))
        return f"{name}: {number:,} {'finding' if number == 1 else 'findings'}"
    return name


def _unused(suite: Suite) -> int:
    from ..findings import visible

    sys.stdout.writelines(f"{visible(os.path.relpath(file))} belongs to no recording\n" for file in suite.unused)
    return FINDINGS if suite.unused else FINE
