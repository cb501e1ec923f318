"""The harness of the fuzzer: what it begins with is well, and what breaks a promise is kept."""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
import zlib

from pathlib import Path

import pytest

from support.effort import ran


PATH = Path(__file__).with_name("fuzz.py")

spec = importlib.util.spec_from_file_location("fuzz", PATH)
fuzz = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fuzz)

SEEDS = list(fuzz.seeds())


@pytest.mark.parametrize("part", range(4))
def test_what_it_begins_with_is_well(part):
    for data in SEEDS[part::16]:
        ran("mutated inputs")
        fuzz.check(data)


class Blunt:
    """Stands for atheris."""

    @staticmethod
    def Mutate(data: bytes, largest: int) -> bytes:  # noqa: N802 -- as atheris calls it
        return data[: largest // 2]


def test_what_it_changes_is_well_and_can_be_changed_again():
    change = fuzz.Mutator(Blunt, SEEDS[:40])
    chance = random.Random(1)  # noqa: S311 -- no secret
    made = set()
    for number in range(200):
        data = chance.choice(SEEDS)
        for turn in range(2):
            data = change(data, fuzz.LARGEST, number * 2 + turn)
        assert len(data) <= fuzz.LARGEST
        made.add(data)
        ran("mutated inputs")
        fuzz.check(data)
    assert len(made) > 150


def test_what_it_changes_depends_on_the_seed_alone():
    change = fuzz.Mutator(Blunt, SEEDS[:40])

    assert [change(SEEDS[0], fuzz.LARGEST, 7) for _ in range(2)] == [change(SEEDS[0], fuzz.LARGEST, 7)] * 2


def test_a_find_is_kept_once_and_as_small_as_it_came(tmp_path, monkeypatch, capsys):
    def broken(data: bytes, **_: object) -> None:
        raise RuntimeError(len(data))

    monkeypatch.setattr(fuzz, "check_cheaply", broken)
    run = fuzz.Run(tmp_path / "finds")
    for data in (b"longer", b"long", b"longest"):
        run(data)

    (find,) = [path for path in (tmp_path / "finds").iterdir() if not path.suffix]
    assert find.read_bytes() == b"long"
    assert "RuntimeError: 4" in find.with_suffix(".txt").read_text()
    assert capsys.readouterr().err.count("find ") == 1


def test_a_document_that_says_something_else_is_a_find(monkeypatch):
    monkeypatch.setattr(fuzz, "loads", lambda _: fuzz.Store().state)
    line = json.dumps({"jsonrpc": "2.0", "method": "_x", "params": {}}).encode() + b"\n"
    data = line + b"\n" * next(blanks for blanks in range(99) if zlib.crc32(line + b"\n" * blanks) % (len(line) + blanks + 1) >= len(line))

    with pytest.raises(AssertionError, match="the document has another snapshot"):
        fuzz.check(data)


def test_a_find_can_be_checked_alone(tmp_path):
    (tmp_path / "find").write_bytes(SEEDS[0])
    done = subprocess.run([sys.executable, PATH, "--check", tmp_path / "find"], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
