"""The README's code runs, and prints what the README says."""

from __future__ import annotations

import io
import re
import shlex
import tomllib

from contextlib import redirect_stdout
from pathlib import Path

import pytest

from acp_state.cli import COMMANDS, main
from acp_state.dialects import DIALECTS
from acp_state.masking import rule_of


ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def commands() -> list[tuple[str, str]]:
    """The commands of ours that are shown with what they print."""
    found = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, printed = part.partition("\n")
            if line.startswith("acp-state "):
                found.append((line, printed))
    return found


def test_the_programs_print_what_they_say(monkeypatch):
    monkeypatch.chdir(ROOT)
    names: dict = {"__name__": "readme"}
    programs = blocks("python")
    for program in programs:
        said = [line[2:] for line in program.splitlines() if line.startswith("# ")]
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(program, "README.md", "exec"), names)  # noqa: S102 -- it is ours

        assert printed.getvalue().splitlines() == said

    assert len(programs) > 4


@pytest.mark.parametrize(("line", "printed"), commands())
def test_a_command_prints_what_is_shown(line, printed, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    main(shlex.split(line)[1:])
    shown, cut, _ = printed.partition("[…]\n")
    text = "\n".join(part.rstrip() for part in capsys.readouterr().out.splitlines()) + "\n"

    assert text.startswith(shown) if cut else text == shown


def test_the_rules_for_masking_are_rules():
    (options,) = [tomllib.loads(block)["tool"]["pytest"]["ini_options"] for block in blocks("toml")]

    assert all(map(rule_of, options["acp_mask"]))
    assert all(list(ROOT.glob(pattern)) for pattern in options["acp_golden"])


def test_commands_are_shown():
    assert len(commands()) > 3


def test_every_command_and_every_format_is_named():
    rows = set(re.findall(r"`([a-z-]+)`", "\n".join(line for line in TEXT.splitlines() if line.startswith("| `"))))

    assert set(COMMANDS) <= rows
    assert set(DIALECTS) <= rows
