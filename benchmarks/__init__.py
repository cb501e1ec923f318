"""How fast `acp_state` is: `python -m benchmarks`. The README beside this file tells the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Final


ROOT: Final = Path(__file__).parents[1]
"""Where the project is, and where child processes run: what they import is this working tree."""
