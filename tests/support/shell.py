"""The command `acp-state` as a user sees it: called in this process, or started as one of its own where that is the point."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys

from collections.abc import Iterable
from typing import Any, Final

import pytest

from acp_state.cli import main


class Ran:
    """What a command did: its exit code, and what it printed."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- standard output\n{self.out}\n--- standard error\n{self.err}"


class Shell:
    """Calls commands in this process; made by the fixture `shell`."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *argv: Any, stdin: bytes | None = b"") -> Ran:
        """Run the command; *stdin* `None` is one that the shell closed."""
        self._monkeypatch.setattr(sys, "stdin", None if stdin is None else io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            code = main([str(arg) for arg in argv])
        except SystemExit as end:  # how argparse ends after --help
            code = int(end.code or 0)
        out, err = self._capsys.readouterr()
        return Ran(code, out, err)

    def on_terminal(self, *names: str) -> None:
        """Have the streams of those *names* (`stdout`, `stderr`) be a terminal's from now on."""
        for name in names:
            self._monkeypatch.setattr(getattr(sys, name), "isatty", lambda: True)


def start(*argv: Any, **options: Any) -> subprocess.Popen[bytes]:
    """Start the command as a process of its own, with pipes for what *options* do not say."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, "-m", "acp_state", *map(str, argv)], **{**pipes, **options})


def imported(argv: Iterable[Any]) -> set[str]:
    """Return which modules a process of its own has imported after a command."""
    return set(after(argv, "*sys.modules"))


def after(argv: Iterable[Any], told: str) -> list[str]:
    """Return the words that the expressions *told* are in a process of its own after a command."""
    code = f"import gc, sys; from acp_state.cli import main; main(); print({told}, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code, *map(str, argv)], capture_output=True, check=True, env={**os.environ})
    return done.stderr.decode().split()


_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def controls(text: str, *, coloured: bool = False) -> list[str]:
    """Return the control characters in *text* that may act on a terminal; newlines, tabs and, if *coloured*, colours do not count."""
    return _CONTROLS.findall(_COLOURS.sub("", text) if coloured else text)
