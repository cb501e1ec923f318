"""The suite itself: it passes where nothing optional is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from pathlib import Path

from support.official import ROOT, WHY


def with_schemas() -> list[str]:
    """The modules of tests that take something from the schemas."""
    modules = {path: path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    return [
        str(path)
        for path, code in sorted(modules.items())
        if re.search(r"^from support(\.official import| import official)", code, re.MULTILINE)
    ]


def pytest_without_schemas(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run pytest as where there are no schemas."""
    environment = {**os.environ, "ACP_SCHEMAS": str(tmp_path), "COLUMNS": "300"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=600)


def test_without_the_schemas_what_needs_them_is_skipped_and_says_why(tmp_path):
    ran = pytest_without_schemas(tmp_path, "-k", "no-schemas", *with_schemas())

    assert ran.returncode == 0, ran.stdout
    assert re.search(r"\n\d\d skipped, \d+ deselected", ran.stdout)
    assert WHY in ran.stdout
