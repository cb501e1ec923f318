"""Fixtures of the tests of the command."""

from __future__ import annotations

import pytest

from support.shell import Shell


@pytest.fixture
def shell(capsys, monkeypatch):
    """Call the command: `shell("fold", path).out`."""
    return Shell(capsys, monkeypatch)


@pytest.fixture
def recording(tmp_path):
    """Write lines, or a transcript, to a file, and return its path."""

    def write(lines, name="session.ndjson"):
        path = tmp_path / name
        lines = lines.lines("jsonrpc") if hasattr(lines, "lines") else lines
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write
