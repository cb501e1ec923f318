"""The pytest plugin, as a project uses it that has recordings."""

from __future__ import annotations

import json
import subprocess
import sys

from importlib.metadata import entry_points

import pytest

import acp_state.folding
import acp_state.golden  # noqa: F401 -- so that no run in this process imports it anew


INSTALLED = bool(entry_points(group="pytest11", name="acp_state"))
PLUGIN = () if INSTALLED else ("-p", "acp_state.pytest_plugin")


def transcript(*texts, session="s-1"):
    updates = ({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}} for text in texts)
    return "".join(json.dumps({"sessionId": session, "update": each}) + "\n" for each in updates)


class Project:
    """A project with recordings, whose tests run in this process unless told otherwise."""

    def __init__(self, pytester, *settings):
        self.pytester = pytester
        self.path = pytester.path
        lines = ["[tool.pytest.ini_options]", *(settings or ['acp_golden = ["golden/*.ndjson"]'])]
        (self.path / "pyproject.toml").write_text("\n".join(lines) + "\n")

    def add(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, *args):
        return self.pytester.runpytest_inprocess("-p", "no:randomly", "-p", "no:xdist", *PLUGIN, *args)

    def update(self, *args):
        self.run("--acp-update", *args).assert_outcomes(passed=2)


@pytest.fixture
def anywhere(monkeypatch):
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def project(pytester, anywhere):
    """A project with two transcripts whose expected files are written."""
    project = Project(pytester)
    project.add("golden/one.ndjson", transcript("hello"))
    project.add("golden/two.ndjson", transcript("good-bye"))
    project.update()
    return project


# --- testing -----------------------------------------------------------------------------------------------


def test_two_lines_of_configuration_make_golden_tests(project):
    result = project.run("-v")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["golden/one.ndjson::fold PASSED*", "golden/two.ndjson::fold PASSED*"])


def test_a_failure_tells_what_changed_and_no_more(project):
    project.add("golden/one.ndjson", transcript("hello", ", world"))
    result = project.run()

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "golden/one.state.json (- expected, + what came of it)",
            '  ~ /sessions/s-1/timeline/0/content/0/text (message agent): appended ", world"',
            "pytest --acp-update writes expected files anew",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line('*"format"*')
    result.stdout.no_fnmatch_line("*one.diagnostics.json*")


def test_diagnostics_are_compared_too(project):
    with (project.path / "golden/one.ndjson").open("a") as file:
        file.write("no JSON\n")
    result = project.run()

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["golden/one.diagnostics.json (- expected, + what came of it)", "  + /1 (not-json): *"])
    result.stdout.no_fnmatch_line("*one.state.json*")


def test_many_differences_are_cut_unless_asked_for(project):
    calls = ({"sessionUpdate": "tool_call", "toolCallId": f"call-{number}", "title": "look"} for number in range(60))
    lines = (json.dumps({"sessionId": "s-1", "update": call}) + "\n" for call in calls)
    project.add("golden/one.ndjson", transcript("hello") + "".join(lines))

    project.run().stdout.fnmatch_lines(["  and 10 more"])
    project.run("-v").stdout.no_fnmatch_line("  and * more")


def test_a_missing_expected_file_is_a_failure(project):
    (project.path / "golden/one.diagnostics.json").unlink()
    result = project.run()

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["golden/one.diagnostics.json is missing"])


def test_a_transcript_that_cannot_be_read_is_a_failure_in_one_line(project, monkeypatch):
    def refuse(source):
        raise PermissionError(13, "Permission denied", "one.ndjson")

    monkeypatch.setattr("acp_state.folding.blocks", refuse)
    result = project.run("golden/one.ndjson")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Permission denied: 'one.ndjson'"])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize("update", [(), ("--acp-update",)], ids=["verify", "update"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("Hello.\n", "no frame of ACP traffic in it; line 1: *"),
        ("<!doctype html>\n", "no frame of ACP traffic in it; line 1: *"),
    ],
    ids=["nothing", "text", "page"],
)
def test_a_transcript_without_a_frame_is_a_failure_in_one_line(pytester, anywhere, text, message, update):
    project = Project(pytester)
    path = project.add("golden/one.ndjson", text)
    result = project.run(*update)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"{path}: {message}"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert [*path.parent.iterdir()] == [path]


def test_a_fault_of_the_package_itself_has_a_traceback(project, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr("acp_state.golden.verify", fail)

    project.run().stdout.fnmatch_lines(["*def fail(*", "E *ZeroDivisionError: a fault of ours"])


# --- finding -----------------------------------------------------------------------------------------------


def test_transcripts_are_tested_wherever_the_tests_are(pytester, anywhere):
    project = Project(pytester, 'testpaths = ["tests"]', 'acp_golden = ["golden"]')
    project.add("golden/one.ndjson", transcript("hello"))
    project.add("golden/test_not_ours.py", "def test_it(): raise AssertionError")
    project.add("tests/test_it.py", "def test_it(): pass")
    project.update()

    project.run().assert_outcomes(passed=2)
    project.run("-m", "acp_golden").assert_outcomes(passed=1, deselected=1)
    project.run("tests").assert_outcomes(passed=1)
    project.run("golden/one.ndjson").assert_outcomes(passed=1)
    project.run("golden/one.ndjson::fold").assert_outcomes(passed=1)
    project.run("-k", "one").assert_outcomes(passed=1, deselected=1)


def test_transcripts_among_the_tests_are_tested_once(pytester, anywhere):
    project = Project(pytester, 'testpaths = ["tests"]', 'acp_golden = ["tests/**/*.ndjson"]')
    project.add("tests/golden/one.ndjson", transcript("hello"))
    project.add("tests/golden/deep/two.ndjson", transcript("hello"))
    project.update()

    project.run().assert_outcomes(passed=2)


def test_a_pattern_that_finds_nothing_is_an_error(pytester, anywhere):
    project = Project(pytester, 'acp_golden = ["golden/*.ndjson", "golden/*.jsonl"]')
    project.add("golden/one.ndjson", transcript("hello"))
    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: acp_golden: no recording is found by 'golden/[*].jsonl' in *"])


def test_patterns_that_find_nothing_keep_nobody_from_help(pytester, anywhere):
    Project(pytester).run("--help").stdout.fnmatch_lines(["*--acp-update*", "*acp_golden (linelist):*", "*acp_mask (linelist):*"])


@pytest.mark.parametrize("name", ["gone.state.json", "gone.diagnostics.json"])
def test_an_expected_file_that_belongs_to_none_is_a_failure(project, name):
    project.add(f"golden/{name}", "[]")
    result = project.run()

    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines([f"golden/{name} belongs to no recording that acp_golden finds; *"])


def test_an_unused_expected_file_is_found_wherever_the_tests_are(pytester, anywhere):
    project = Project(pytester, 'testpaths = ["tests"]', 'acp_golden = ["golden/*.ndjson"]')
    project.add("golden/one.ndjson", transcript("hello"))
    project.add("tests/test_it.py", "def test_it(): pass")
    project.update()
    project.add("golden/gone.state.json", "{}")

    project.run().assert_outcomes(passed=2, failed=1)


def test_without_configuration_nothing_happens(pytester, anywhere):
    project = Project(pytester, "addopts = []")
    project.add("golden/one.ndjson", transcript("hello"))

    assert project.run().ret == pytest.ExitCode.NO_TESTS_COLLECTED


# --- writing -----------------------------------------------------------------------------------------------


def test_update_writes_what_is_another_one_and_says_so(project):
    project.add("golden/one.ndjson", transcript("hello", ", world"))
    before = (project.path / "golden/two.state.json").stat().st_mtime_ns
    result = project.run("--acp-update")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["acp-state wrote golden/one.state.json"])
    result.stdout.no_fnmatch_line("acp-state wrote golden/two*")
    assert (project.path / "golden/two.state.json").stat().st_mtime_ns == before
    project.run().assert_outcomes(passed=2)


def test_update_writes_only_what_is_selected(project):
    project.add("golden/one.ndjson", transcript("hello", ", world"))
    project.add("golden/two.ndjson", transcript("good-bye", "!"))
    project.run("--acp-update", "golden/one.ndjson").assert_outcomes(passed=1)

    project.run().assert_outcomes(passed=1, failed=1)


def test_update_leaves_no_unused_file_unnoticed(project):
    unused = project.add("golden/gone.state.json", "{}")

    project.run("--acp-update").assert_outcomes(passed=2, failed=1)
    assert unused.exists()


def test_update_is_refused_in_ci(project, monkeypatch):
    monkeypatch.setenv("CI", "true")
    project.add("golden/one.ndjson", transcript("other"))
    before = (project.path / "golden/one.state.json").read_bytes()
    result = project.run("--acp-update")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --acp-update is refused where CI is set: *"])
    assert (project.path / "golden/one.state.json").read_bytes() == before
    project.run().assert_outcomes(passed=1, failed=1)


def test_update_of_nothing_is_an_error(pytester, anywhere):
    result = Project(pytester, "addopts = []").run("--acp-update")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --acp-update: no recordings are configured; *"])


# --- masks -------------------------------------------------------------------------------------------------


def test_what_is_masked_may_be_another_value_in_every_run(pytester, anywhere):
    project = Project(pytester, 'acp_golden = ["*.ndjson"]', 'acp_mask = ["ids", "times", "port~localhost:[0-9]+"]')
    project.add("one.ndjson", transcript("2026-01-02T03:04:05Z localhost:8080", session="0a1b2c3d"))
    project.run("--acp-update").assert_outcomes(passed=1)
    project.add("one.ndjson", transcript("2027-11-12T13:14:15Z localhost:65535", session="99ffee00"))

    project.run().assert_outcomes(passed=1)
    assert '"text": "<time> <port>"' in (project.path / "one.state.json").read_text()

    project.add("one.ndjson", transcript("yesterday localhost:65535", session="99ffee00"))
    project.run().assert_outcomes(failed=1)


def test_a_rule_that_is_none_is_an_error(pytester, anywhere):
    project = Project(pytester, 'acp_golden = ["*.ndjson"]', 'acp_mask = ["idz"]')
    project.add("one.ndjson", transcript("hello"))
    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: acp_mask: no rule for masking: 'idz'; *"])


# --- other processes ---------------------------------------------------------------------------------------


def test_several_processes_share_the_work(pytester, anywhere):
    project = Project(pytester, 'testpaths = ["tests"]', 'acp_golden = ["golden"]')
    for number in range(4):
        project.add(f"golden/{number}.ndjson", transcript("hello", str(number)))
    project.add("golden/gone.state.json", "{}")
    project.add("tests/test_it.py", "def test_it(): pass")
    result = pytester.runpytest_subprocess(*PLUGIN, "-n", "2", "--acp-update")

    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines_random([f"acp-state wrote golden/{number}.state.json" for number in range(4)])
    project.run().assert_outcomes(passed=5, failed=1)


def test_the_plugin_alone_imports_nothing_of_the_model():
    program = (
        "import sys, pytest, acp_state.pytest_plugin;"
        "print(sorted(name for name in sys.modules if name.startswith('acp_state') or name in ('attrs', 'msgspec', 'cattrs')))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "['acp_state', 'acp_state.pytest_plugin']"
