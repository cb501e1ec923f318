"""`acp-state check`: findings alone, and an exit code for them."""

from __future__ import annotations

import json

import pytest

from support.transcripts import v1


FINE = v1().prompt(1, "hello").ends(1)
WARNED = v1().tool_call("t1", kind="juggle").tool_call("t2", kind="juggle")
BROKEN = [b"nonsense", *v1().agent_says("x").update("plan", entries=7).lines("jsonrpc")]


@pytest.mark.parametrize(
    ("recorded", "options", "code"),
    [
        (FINE, [], 0),
        (FINE, ["--fail-on", "warning"], 0),
        (WARNED, [], 0),
        (WARNED, ["--fail-on", "warning"], 1),
        (BROKEN, [], 1),
        (BROKEN, ["--fail-on", "error"], 1),
        (v1().update("hologram"), ["--fail-on", "warning"], 0),
        (v1().update("hologram"), ["--fail-on", "info"], 1),
        (FINE, ["--fail-on", "info"], 0),
    ],
)
def test_the_exit_code_is_what_ci_needs(recorded, options, code, shell, recording):
    assert shell("check", recording(recorded), *options).code == code


def test_findings_are_grouped(shell, recording):
    path = recording([*WARNED.lines("jsonrpc"), b"nonsense"])
    ran = shell("check", path)
    assert ran.err == ""
    assert ran.out == (
        f"{path}: 1 error, 2 warnings\n"
        "  error not-json: A line is not JSON.\n"
        "    line 7: 'nonsense': Expecting value (character 1)\n"
        "  warning unknown-value: A word is not one of those that version 1 knows; kept as sent.\n"
        "    line 5, session/update, /params/update/kind: kind: 'juggle' is none of read, edit, delete, move, search, execute, think, fetch,"
        " switch_mode, other (2 times)\n"
    )


def test_a_file_without_findings_is_named(shell, recording):
    path = recording(FINE)
    assert shell("check", path).out == f"{path}: nothing found\n"
    assert shell("check", path, "--format", "json").out == ""
    assert shell("check", path, "--format", "github").out == ""


def test_several_files_have_the_worst_exit_code(shell, recording, tmp_path):
    fine, broken = recording(FINE, "a"), recording(BROKEN, "b")
    assert shell("check", fine, broken, fine).code == 1
    ran = shell("check", broken, tmp_path / "gone", fine)
    assert ran.code == 2
    assert ran.out.startswith(f"{broken}: 2 errors\n")
    assert ran.out.endswith(f"{fine}: nothing found\n")


def test_findings_as_json_lines_have_their_recording(shell, recording):
    path = recording(WARNED)
    (finding,) = [json.loads(line) for line in shell("check", path, "--format", "json").out.splitlines()]
    assert list(finding)[:4] == ["recording", "code", "severity", "message"]
    assert [finding[name] for name in ("recording", "code", "line", "count")] == [str(path), "unknown-value", 5, 2]


def test_findings_as_annotations(shell, recording):
    path = recording(WARNED, "a,b: 100%\n.ndjson")
    out = shell("check", path, "--format", "github").out
    name = str(path).replace("%", "%25").replace("\n", "\\n").replace(":", "%3A").replace(",", "%2C")
    assert out.startswith(f"::warning file={name},line=5,title=unknown-value::kind: 'juggle' is none of read, edit, ")
    assert out.endswith("other (2 times)\n")


def test_an_annotation_cannot_be_forged(shell, recording):
    path = recording([*v1().tool_call("t1", kind="a\n::error::b\r%0A::c").lines("jsonrpc"), b"x\r::error::boo", b"\x1b[0m%"])
    out = shell("check", path, "--format", "github").out
    assert len(out.splitlines()) == 3
    assert all(line.startswith(("::warning file=", "::error file=")) for line in out.splitlines())
    assert "%0A" not in out
    assert "%250A" in out


def test_what_is_good_to_know_is_a_notice(shell, recording):
    assert shell("check", recording(v1().update("hologram")), "--format", "github").out.startswith("::notice file=")
