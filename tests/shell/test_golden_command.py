"""`acp-state golden`: recordings beside the states that they should fold to."""

from __future__ import annotations

import json

import pytest

from acp_state.document import dumps
from acp_state.folding import fold

from support.transcripts import v1


@pytest.fixture
def folder(recording, tmp_path, monkeypatch):
    """A folder with two recordings whose expected files are not written yet; it is the current one."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.chdir(tmp_path)
    recording(v1("s-1").agent_says("a"), "one.ndjson")
    recording(v1("s-2").agent_says("b"), "two.jsonl")
    return tmp_path


def test_expected_files_are_written_and_verified(shell, folder):
    ran = shell("golden", ".")
    assert ran.code == 1
    assert "one.state.json is missing\n" in ran.out
    assert ran.out.endswith("2 recordings, 2 not as expected; --update writes expected files anew\n")

    ran = shell("golden", ".", "--update")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "new      one.state.json",
        "new      one.diagnostics.json: 0 findings",
        "new      two.state.json",
        "new      two.diagnostics.json: 0 findings",
        "2 recordings; expected files: 4 new, 0 changed, 0 unchanged",
    ]
    assert (folder / "one.state.json").read_text() == dumps(fold(folder / "one.ndjson")) + "\n"

    ran = shell("golden", ".")
    assert (ran.code, ran.out, ran.err) == (0, "2 recordings, 0 not as expected\n", "")
    assert shell("golden", ".", "--update").out == "2 recordings; expected files: 0 new, 0 changed, 4 unchanged\n"


def test_an_update_says_what_changed(shell, folder, recording):
    shell("golden", ".", "--update")
    path = folder / "two.state.json"
    path.write_text(path.read_text().replace('"text": "b"', '"text": "c"'))
    (folder / "one.state.json").write_text((folder / "one.state.json").read_text() + "\n")
    (folder / "two.diagnostics.json").write_text("<<<<<<<")
    assert shell("golden", ".", "--update").out.splitlines() == [
        "changed  one.state.json: white space alone",
        "changed  two.state.json",
        '  ~ /sessions/s-2/timeline/0/content/0/text (message agent): "c" became "b"',
        "changed  two.diagnostics.json, which is not JSON: Expecting value (character 1)",
        "2 recordings; expected files: 0 new, 3 changed, 1 unchanged",
    ]
    recording([*v1("s-1").agent_says("a").lines("jsonrpc"), *[b"x"] * 12], "one.ndjson")
    out = shell("golden", "one.ndjson", "--update").out.splitlines()
    assert out[0] == "changed  one.diagnostics.json"
    assert out[-2:] == ["  and 2 more", "1 recording; expected files: 0 new, 1 changed, 1 unchanged"]
    assert len(out) == 13


def test_what_is_not_as_expected_is_printed(shell, folder):
    shell("golden", ".", "--update")
    path = folder / "two.state.json"
    path.write_text(path.read_text().replace('"text": "b"', '"text": "c"'))
    ran = shell("golden", ".")
    assert ran.code == 1
    assert ran.out.startswith("two.state.json (- expected, + what came of it)\n  ~ /sessions/s-2/timeline/0/content/0/text")
    assert '"c" became "b"' in ran.out
    assert ran.out.endswith("2 recordings, 1 not as expected; --update writes expected files anew\n")


def test_an_expected_file_that_belongs_to_none(shell, folder):
    shell("golden", ".", "--update")
    (folder / "two.jsonl").unlink()
    ran = shell("golden", ".")
    assert ran.code == 1
    assert (
        ran.out == "two.diagnostics.json belongs to no recording\ntwo.state.json belongs to no recording\n1 recording, 0 not as expected\n"
    )


def test_a_recording_a_folder_or_a_pattern(shell, folder):
    for path in ("one.ndjson", folder / "one.ndjson", "*.ndjson"):
        assert shell("golden", path).out.endswith("1 recording, 1 not as expected; --update writes expected files anew\n")
    ran = shell("golden", "*.log")
    assert ran.code == 2
    assert ran.err.startswith("acp-state: no recording is found by '*.log'")


def test_update_is_refused_where_ci_is_set(shell, folder, monkeypatch):
    monkeypatch.setenv("CI", "true")
    ran = shell("golden", ".", "--update")
    assert (ran.code, ran.out) == (2, "")
    assert "refused where CI is set" in ran.err
    assert not (folder / "one.state.json").exists()
    assert shell("golden", ".").code == 1


def test_masks_say_what_is_another_value_in_every_run(shell, folder, recording):
    shell("golden", "one.ndjson", "--update", "--mask", "ids")
    assert "s-1" not in (folder / "one.state.json").read_text()
    recording(v1("s-77").agent_says("a"), "one.ndjson")
    assert shell("golden", "one.ndjson", "--mask", "ids").code == 0
    assert shell("golden", "one.ndjson").code == 1
    assert shell("golden", "one.ndjson", "--mask", "nonsense").code == 2


def test_what_cannot_be_written_keeps_none_from_the_rest(shell, folder):
    (folder / "one.state.json").mkdir()
    ran = shell("golden", ".", "--update")
    assert ran.code == 2
    assert ran.err.startswith("acp-state: ")
    assert json.loads((folder / "two.diagnostics.json").read_text()) == []


@pytest.mark.parametrize("update", [(), ("--update",)], ids=["verify", "update"])
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "empty"),
        ([b"Hello."], "no frame of ACP traffic in it; line 1: "),
        ([b"<!doctype html>"], "no frame of ACP traffic in it; line 1: "),
    ],
    ids=["nothing", "text", "page"],
)
def test_a_recording_without_a_frame_is_never_as_expected(shell, folder, recording, lines, message, update):
    shell("golden", ".", "--update")
    recording(lines, "none.ndjson")
    ran = shell("golden", ".", *update)
    assert ran.code == 2
    assert ran.err.startswith(f"acp-state: none.ndjson: {message}")
    assert ran.err.count("\n") == 1
    expected = "; expected files: 0 new, 0 changed, 4 unchanged\n" if update else ", 1 not as expected\n"
    assert ran.out == f"3 recordings{expected}"
    assert not [*folder.glob("none.*.json")]
