"""`acp-state diff`: two recordings or states, as changes."""

from __future__ import annotations

import gzip
import json

import pytest

from support.transcripts import v1


BEFORE = v1().prompt(1, "hello").agent_says("hi").tool_call("t1", "Look")
AFTER = v1().prompt(1, "hello").agent_says("hi there").tool_call("t1", "Look", status="completed").ends(1)

CHANGES = [
    ("changed", "/sessions/s-1/activity"),
    ("changed", "/sessions/s-1/timeline/1/content/0/text"),
    ("changed", "/sessions/s-1/timeline/2/status"),
]


def found(ran):
    return [(one["kind"], one["pointer"]) for one in map(json.loads, ran.out.splitlines())]


@pytest.fixture
def files(shell, recording, tmp_path):
    """Both sessions, each as a recording, a packed one, a state, and a state whose members were put in another order."""
    made = {}
    for name, transcript in (("before", BEFORE), ("after", AFTER)):
        path = recording(transcript, f"{name}.ndjson")
        state = shell("fold", path).out
        made[name, "recording"] = path
        for kind, data in (
            ("packed", gzip.compress(path.read_bytes())),
            ("state", state.encode()),
            ("sorted", json.dumps(json.loads(state), sort_keys=True).encode()),
            ("packed state", gzip.compress(state.encode())),
        ):
            made[name, kind] = tmp_path / f"{name} {kind}"
            made[name, kind].write_bytes(data)
    return made


KINDS = ["recording", "packed", "state", "packed state"]


@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_recordings_and_states_can_be_compared(one, other, shell, files):
    ran = shell("diff", files["before", one], files["after", other], "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    assert set(CHANGES) <= set(found(ran))
    same = shell("diff", files["after", one], files["after", other])
    assert (same.code, same.out, same.err) == (0, "", "")


def test_a_state_is_known_whatever_the_order_of_its_members(shell, files):
    ran = shell("diff", files["before", "sorted"], files["after", "sorted"], "--format", "json")
    assert set(CHANGES) <= set(found(ran))


def test_differences_as_text(shell, files):
    out = shell("diff", files["before", "recording"], files["after", "recording"]).out
    assert '~ /sessions/s-1/activity: "running" became "idle"\n' in out
    assert '~ /sessions/s-1/timeline/1/content/0/text (message agent): appended " there"\n' in out
    assert '~ /sessions/s-1/timeline/2/status (tool_call t1): "pending" became "completed"\n' in out


def test_one_of_them_may_be_standard_input(shell, files):
    expected = shell("diff", files["before", "state"], files["after", "state"]).out
    assert shell("diff", "-", files["after", "state"], stdin=files["before", "state"].read_bytes()).out == expected
    ran = shell("diff", "-", "-")
    assert (ran.code, ran.err) == (2, "acp-state: standard input cannot be both\n")


def test_one_session_alone(shell, recording):
    one, other = recording(v1("s-1").new("s-2"), "1"), recording(v1("s-1").new("s-2").agent_says("x", session="s-2"), "2")
    assert shell("diff", one, other, "--session", "s-1").code == 0
    assert shell("diff", one, other, "--session", "s-2").code == 1
    ran = shell("diff", one, other, "--session", "s-3")
    assert ran.code == 2
    assert ran.err == "".join(f"acp-state: {path}: no session 's-3'; there are: 's-1', 's-2'\n" for path in (one, other))


def test_what_is_another_value_in_every_run_can_be_masked(shell, recording):
    one, other = recording(v1("s-1").agent_says("x", "m-1"), "1"), recording(v1("s-9").agent_says("x", "m-9"), "2")
    assert shell("diff", one, other).code == 1
    assert shell("diff", one, other, "--mask", "ids").code == 0
    ran = shell("diff", one, other, "--mask", "nonsense")
    assert ran.code == 2
    assert ran.err.startswith("acp-state: --mask: ")


def test_what_only_going_on_needs_is_not_compared(shell, recording):
    lines = BEFORE.lines("jsonrpc")
    assert shell("diff", recording(lines, "1"), recording([*lines, b'{"jsonrpc'], "2"), "--diagnostics=none").code == 0


def test_what_a_torn_archive_still_has_is_compared(shell, files, tmp_path):
    torn = tmp_path / "torn.ndjson.gz"
    torn.write_bytes(files["after", "packed"].read_bytes()[:-4])
    ran = shell("diff", files["before", "recording"], torn, "--format", "json")
    assert ran.code == 1
    assert set(CHANGES) <= set(found(ran))
    assert ran.err.endswith("the archive is not whole: it ends too soon code=torn-archive\n")
    assert shell("diff", files["after", "recording"], torn, "--diagnostics=none").code == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"nonsense", "no frame of ACP traffic in it; "),
        (b'{"format":"acp-state/9","connection":{}}', "a state document of format 'acp-state/9'; "),
        (b'{"connection":{},"format":"acp-state/1"}', "no state document: "),
        (gzip.compress(b'{"format":"acp-state/1"}', mtime=0)[:-4], "the archive is not whole: "),
        (None, "No such file or directory"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_what_cannot_be_compared_is_told_of(data, message, first, shell, recording, tmp_path):
    fine, bad = recording(BEFORE), tmp_path / "bad"
    if data is not None:
        bad.write_bytes(data)
    ran = shell("diff", *((bad, fine) if first else (fine, bad)), "--diagnostics=none")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"acp-state: {bad}: {message}")


def test_what_cannot_be_read_is_told_of_and_nothing_else(shell, recording, tmp_path):
    path = recording(v1().tool_call("t1", kind="juggle"))
    gone = tmp_path / "gone"
    for files in (path, gone), (gone, path):
        ran = shell("diff", *files)
        assert (ran.code, ran.out, ran.err) == (2, "", f"acp-state: {gone}: No such file or directory\n")
    assert shell("diff", gone, tmp_path / "too").err.count("No such file") == 2


def test_a_file_is_not_read_twice_for_being_compared_with_itself(shell, recording):
    path = recording(v1().tool_call("t1", kind="juggle"))
    ran = shell("diff", path, path)
    assert (ran.code, ran.out, ran.err.count("unknown-value")) == (0, "", 1)
