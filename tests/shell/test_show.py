"""`acp-state show` and `acp-state stats` as a user calls them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys

import pytest

from acp_state.cli import main

from support.hostile import hostile
from support.timed import timed
from support.transcripts import v1


def small():
    talk = (
        v1().prompt("p", "Go.").agent_thinks("Hmm.").agent_says("Going.").tool_call("t", "Walk", kind="move", status="completed").ends("p")
    )
    return talk.prompt("q", "Stop.").ends("q")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "session.ndjson"
    path.write_bytes(timed(small()))
    return path


@pytest.fixture
def call(capsys):
    """Run a command and return its exit code, and what it printed to both streams."""

    def run(*argv):
        code = main([str(arg) for arg in argv])
        return code, *capsys.readouterr()

    return run


# --- show ------------------------------------------------------------------------------------------


def test_show_tells_the_story(call, path):
    code, out, err = call("show", path)

    assert (code, err) == (0, "")
    assert "You\n  Go.\n\nThought\n  Hmm.\n\nAgent\n  Going.\n" in out
    assert "✓ move Walk" in out
    assert "Turn 2" in out


@pytest.mark.parametrize(
    ("options", "there", "gone"),
    [
        (["--turn", "2"], ["Stop."], ["Go.", "Walk"]),
        (["--no-thoughts"], ["Go.", "Walk"], ["Hmm."]),
        (["--tools-only"], ["Walk"], ["Go.", "Hmm.", "Going."]),
        (["--plain"], ["+ move Walk"], ["✓", "─"]),
        (["--session", "s-1"], ["Go."], []),
        (["--dialect", "acp-state"], ["Go."], []),
        (["--width", "40"], ["Turn 1"], ["─" * 50]),
    ],
)
def test_show_leaves_out_what_was_not_asked_for(call, path, options, there, gone):
    code, out, _ = call("show", path, *options)

    assert code == 0
    assert [word for word in there if word not in out] == []
    assert [word for word in gone if word in out] == []


def test_several_files_are_told_one_after_the_other(call, path):
    out = call("show", path, path)[1]

    told = f"==> {path} <==\n{call('show', path)[1]}"
    assert out == f"{told}\n{told}"


def test_show_writes_a_page(call, path, tmp_path):
    page = tmp_path / "page.html"
    code, out, _ = call("show", path, "--html", page)

    assert (code, out) == (0, "")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert call("show", path, "--html", "-")[1] == page.read_text(encoding="utf-8")
    assert "Walk<" not in call("show", path, "--turn", "2", "--html", "-")[1]


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["show", "{}", "--turn", "3"], "{}: no turn 3; there are 2"),
        (["show", "{}", "--session", "x\x1b"], "{}: no session 'x\\x1b'; there are: 's-1'"),
        (["show", "{}", "--width", "3"], "argument --width: it takes a number of columns, 20 or more, not '3' (see acp-state show --help)"),
        (
            ["stats", "{}", "--width", "0"],
            "argument --width: it takes a number of columns, 20 or more, not '0' (see acp-state stats --help)",
        ),
        (["show", "{}", "--lines", "-1"], None),
        (["show", "{}", "{}", "--html", "x.html"], "--html writes one page: give one FILE"),
        (["show", "{}", "--html", "{}/no/page.html"], "{}/no/page.html: there is no directory {}/no"),
        (["show", "{}", "--dialect", "runes"], None),
        (["show", "{}.gone"], "{}.gone: No such file or directory"),
        (["stats", "{}.gone"], "{}.gone: No such file or directory"),
        (["stats", "{}", "--session", "x"], "{}: no session 'x'; there are: 's-1'"),
    ],
)
def test_unusable_arguments_are_told_in_one_line(call, path, argv, complaint):
    code, out, err = call(*(part.replace("{}", str(path)) for part in argv))

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint is None or err == f"acp-state: {complaint.replace('{}', str(path))}\n"


@pytest.mark.parametrize(
    ("command", "library", "complaint"),
    [
        (["show"], "rich", "acp-state show needs rich"),
        (["show", "--html", "-"], "jinja2", "acp-state show --html needs Jinja2"),
        (["show", "--html", "-"], "markdown_it", "acp-state show --html needs markdown-it-py"),
        (["stats"], "rich", "acp-state stats --format table needs rich"),
    ],
)
def test_a_library_that_is_missing_is_told_with_how_to_get_it(call, path, monkeypatch, command, library, complaint):
    monkeypatch.setitem(sys.modules, library, None)

    assert call(*command, path) == (2, "", f"acp-state: {complaint}: pip install 'acp-state[cli]'\n")


# --- stats -----------------------------------------------------------------------------------------


def test_stats_as_a_table(call, path):
    code, out, err = call("stats", path)

    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[:2]] == [
        ["session", "turns", "tools", "failed", "asked", "tokens", "cost", "took", "files"],
        ["s-1", "2", "1", "0", "0", "7.0", "s", "0"],
    ]
    assert "turns by how they ended: 2 end_turn\n" in out


def test_stats_of_many_files_have_a_total_and_one_bad_file_spoils_nothing(call, path):
    code, out, err = call("stats", path, f"{path}.gone", path)

    assert code == 2
    assert err == f"acp-state: {path}.gone: No such file or directory\n"
    assert out.count("session.ndjson") == 2
    assert "2 in all" in out


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_stats_fit_into_any_width(call, path, tmp_path, width):
    other = tmp_path / "a-name-that-is-rather-long.ndjson"
    other.write_bytes(timed(v1("b13d7c1e-33f3-45e1-9f46-7d6d1f4c2b9a").tool_call("t", "Walk", kind="move", status="in_progress")))
    out = call("stats", path, other, "--width", str(width))[1]

    assert max(len(line) for line in out.splitlines()) <= width
    assert "…" not in out
    words = out.split()
    assert {"turns", "tools", "failed", "files", "in_progress"} <= {word.strip(":,") for word in words}
    assert "2 in all" in out
    assert ("2 in all\n  turns   2\n  tools   2\n" in out) is (width < 80)


def test_stats_tell_what_is_wrong_with_a_recording(call, path, tmp_path):
    torn = tmp_path / "torn.ndjson.gz"
    torn.write_bytes(gzip.compress(path.read_bytes())[:-12])
    code, out, err = call("stats", torn)

    assert code == 0
    assert out.startswith("session")
    assert "torn-archive" in err
    assert err == call("fold", torn)[2]
    assert call("stats", torn, "--diagnostics=none")[1:] == (out, "")


def test_stats_as_json(call, path):
    document = json.loads(call("stats", path, path, "--format", "json")[1])

    assert [(session["file"], session["id"], session["tools"]) for session in document["sessions"]] == [
        (str(path), "s-1", {"move": {"completed": 1}})
    ] * 2
    assert document["total"]["sessions"] == 2
    assert document["total"]["turns"] == {"end_turn": 4}


def test_stats_as_csv(call, path, tmp_path):
    other = tmp_path / "other.ndjson"
    other.write_bytes(timed(v1('a "name", really').prompt("p")))
    rows = list(csv.DictReader(io.StringIO(call("stats", path, other, "--format", "csv")[1])))

    assert [(row["session"], row["turns.end_turn"], row["turns.running"], row["tools.move.completed"]) for row in rows] == [
        ("s-1", "2", "", "1"),
        ('a "name", really', "", "1", ""),
    ]


@pytest.mark.parametrize("options", [[], ["--format", "csv"], ["--format", "json"]], ids=str)
def test_stats_let_no_control_sequence_through(call, tmp_path, options):
    path = tmp_path / "evil"
    path.write_bytes(hostile())
    _, out, _ = call("stats", path, *options)

    assert [char for char in out if char < " " and char != "\n"] == []
    assert options == ["--format", "json"] or [char for char in out if not char.isprintable() and char != "\n"] == []
