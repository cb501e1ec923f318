"""The option `--mask` of commands that compare."""

from __future__ import annotations

import argparse

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import UsageError


if TYPE_CHECKING:
    from ..masking import Mask


def add_mask(parser: argparse.ArgumentParser) -> None:
    """Add what is not to be compared."""
    parser.add_argument(
        "--mask",
        metavar="RULE",
        action="append",
        default=[],
        help="what is another value in every run: ids, times, paths, versions, LABEL=/POINTER or LABEL~REGEX; may be given again",
    )


def mask_of(rules: Sequence[str]) -> Mask:
    """Return the mask of the rules that are given. Raises `UsageError` for one that is none."""
    from ..errors import GoldenError
    from ..masking import Mask

    try:
        return Mask.of(rules)
    except GoldenError as error:
        raise UsageError(f"--mask: {error}") from None
