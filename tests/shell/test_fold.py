"""`acp-state fold`: what it prints, from where it goes on, where it stops, and how it follows."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import signal
import sys

import pytest
import yaml

from hypothesis import given

from acp_state.cli import _follow, main
from acp_state.cli._yaml import yaml_text
from acp_state.document import dumps
from acp_state.folding import fold

from strategies import json_values
from support.shell import start
from support.transcripts import v1, v2


SESSION = (
    v1("s-1")
    .prompt(1, "hello")
    .agent_says("hi", "m-1")
    .tool_call("t1", kind="juggle")
    .ends(1)
    .prompt(2, "more")
    .agent_says("there", "m-2")
    .ends(2, "max_tokens")
)
LINES = SESSION.lines("jsonrpc")


def text_of(document):
    return [entry["content"][0]["text"] for entry in document["sessions"]["s-1"]["timeline"] if entry["type"] == "message"]


def wrong(ran):
    """The message of a command that could not do what was asked."""
    assert ran.code == 2
    assert ran.out == ""
    return ran.err.splitlines()[-1]


# --- what it prints ----------------------------------------------------------------------------------------


def test_it_prints_the_state_document(shell, recording):
    ran = shell("fold", recording(SESSION))
    assert (ran.code, ran.out) == (0, dumps(fold(LINES)) + "\n")


def test_several_files_give_several_documents(shell, recording):
    ran = shell("fold", recording(SESSION, "a"), recording(v2("s-2"), "b"))
    assert ran.out == dumps(fold(LINES)) + "\n" + dumps(fold(v2("s-2").lines("jsonrpc"))) + "\n"


def test_several_files_as_text_have_headings(shell, recording):
    path, other = recording(SESSION), recording(v1("s-9"), "o\x1bther.ndjson")
    texts = [shell("fold", file, "--format", "text").out for file in (path, other)]
    name = str(other).replace("\x1b", "\\x1b")
    expected = f"==> {path} <==\n{texts[0]}\n==> {name} <==\n{texts[1]}"
    assert shell("fold", path, other.with_name("gone"), other, "--format", "text").out == expected


def test_the_schema_is_printed(shell):
    ran = shell("schema")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_one_session_alone(shell, recording):
    path = recording([*LINES, *v1("s-2").lines("jsonrpc")])
    assert list(json.loads(shell("fold", path, "--session", "s-2").out)["sessions"]) == ["s-2"]
    assert wrong(shell("fold", path, "--session", "s-3")) == f"acp-state: {path}: no session 's-3'; there are: 's-1', 's-2'"


def test_the_tally_adds_up(shell, recording):
    err = shell("fold", recording(SESSION), "--tally", "--diagnostics=none").err
    assert err == "frames: 11 read, 11 folded, 0 kept as unknown, 0 refused\n"


def test_strict_stops_at_the_first_error(shell, recording):
    path = recording([LINES[0], b"{", LINES[1]])
    assert shell("fold", path).code == 0
    path = recording([*LINES[:6], b"nonsense", *LINES[6:]])
    ran = shell("fold", path, "--strict")
    assert ran.code == 1
    assert text_of(json.loads(ran.out)) == ["hello", "hi"]


def test_strict_stops_at_the_first_line_if_that_is_the_first_error(shell, recording):
    ran = shell("fold", recording([b"nonsense", *LINES]), "--strict")
    assert ran.code == 1
    assert "not-json" in ran.err
    assert "no frame" not in ran.err
    assert json.loads(ran.out)["sessions"] == {}


def test_an_empty_file_is_no_state(shell, recording, tmp_path):
    empty = tmp_path / "empty.json"
    empty.write_bytes(b"")
    ran = shell("fold", recording(SESSION), "--from", empty)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"acp-state: {empty}: empty, and a state is wanted: what acp-state fold prints as JSON\n"


def test_a_document_as_yaml_is_the_same_document(shell, recording):
    path = recording(SESSION)
    out = shell("fold", path, path, "--format", "yaml").out
    assert list(yaml.safe_load_all(out)) == [json.loads(dumps(fold(LINES)))] * 2
    assert out.startswith("---\nformat: acp-state/1\n")


@given(json_values)
def test_yaml_keeps_every_value_and_drives_no_terminal(value):
    text = yaml_text(value)
    assert yaml.safe_load(text) == value
    assert all(char.isprintable() or char == "\n" for char in text)


@given(json_values)
def test_yaml_that_stands_alone_is_the_same_value(value):
    text = yaml_text(value, alone=True)
    assert yaml.safe_load(text) == value
    assert text.startswith("---\n") is (isinstance(value, (dict, list)) and len(value) > 0)
    assert [*yaml.safe_load_all(yaml_text(value) * 2)] == [value] * 2


def test_a_part_that_is_a_text_or_a_number_is_printed_bare(shell, recording):
    path = recording(SESSION)

    def selected(pointer, *more):
        return shell("fold", path, *more, "--format", "yaml", "--select", pointer).out

    assert selected("/sessions/s-1/stopReason") == "max_tokens\n"
    assert selected("/connection/protocolVersion") == "1\n"
    assert selected("/sessions/s-1/turns/1/prompts") == "---\n- requestId: 2\n"
    assert selected("/sessions/s-1/stopReason", path) == "--- max_tokens\n" * 2


@pytest.mark.parametrize("value", ["\ud800", "no", "1e3", "2026-01-01", "a\n b \n\nc", "\n", " x ", "- a", "\x85", "\u2028", "\ufeff"])
def test_yaml_keeps_the_odd_ones(value):
    assert yaml.safe_load(yaml_text({"a": value})) == {"a": value}


def test_yaml_without_its_library_says_what_is_missing(shell, recording, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    message = "acp-state: acp-state fold --format yaml needs PyYAML: pip install 'acp-state[cli]'"
    assert wrong(shell("fold", recording(SESSION), "--format", "yaml")) == message


# --- a part of it ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pointer", "printed"),
    [
        ("/sessions/s-1/stopReason", '"max_tokens"'),
        ("/sessions/s-1/timeline/1/content/0/text", '"hi"'),
        ("/connection/protocolVersion", "1"),
        ("/sessions/s-1/turns/1/prompts", '[\n  {\n    "requestId": 2\n  }\n]'),
        ("", dumps(fold(LINES))),
    ],
)
def test_a_pointer_selects(pointer, printed, shell, recording):
    ran = shell("fold", recording(SESSION), "--select", pointer)
    assert (ran.code, ran.out) == (0, printed + "\n")


def test_a_pointer_may_have_escapes(shell, recording):
    path = recording(v1("a/b~c"))
    assert shell("fold", path, "--select", "/sessions/a~1b~0c/id").out == '"a/b~c"\n'
    assert shell("fold", path, "--select", "/sessions/a~1b~0c/id", "--format", "yaml").out == "a/b~c\n"


@pytest.mark.parametrize(
    "pointer", ["/gone", "/sessions/s-1/timeline/99", "/sessions/s-1/timeline/01", "/sessions/s-1/timeline/-", "/format/0"]
)
def test_a_pointer_that_leads_nowhere_is_told_of(pointer, shell, recording):
    path = recording(SESSION)
    assert wrong(shell("fold", path, "--select", pointer)) == f"acp-state: {path}: the state has nothing at {pointer}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--select", "sessions"], "--select takes a JSON pointer, which begins with /, not 'sessions'"),
        (["--select", "/sessions", "--format", "text"], "--select takes a part of the document, which --format text does not print"),
        (["--until-turn", "0"], "--until-turn takes a number, 1 or more"),
        (["--until", "-1"], "argument --until: it takes a whole number, 0 or more, not '-1' (see acp-state fold --help)"),
        (["--until", "1", "--until-turn", "1"], "argument --until-turn: not allowed with argument --until (see acp-state fold --help)"),
        (["other", "--follow"], "--follow takes one file"),
        (["-", "--from", "-"], "standard input cannot be both the state and the recording"),
    ],
)
def test_options_that_make_no_sense_are_told_of(options, message, shell, recording):
    assert wrong(shell("fold", recording(SESSION), *options)) == f"acp-state: {message}"


# --- from where to where -----------------------------------------------------------------------------------


@pytest.mark.parametrize("frames", [0, 1, 5, 11, 12])
def test_it_stops_after_a_frame(frames, shell, recording):
    assert shell("fold", recording(SESSION), "--until", frames).out == dumps(fold(LINES, until=frames)) + "\n"


def test_it_stops_at_the_end_of_a_turn(shell, recording):
    path = recording(SESSION)
    assert text_of(json.loads(shell("fold", path, "--until-turn", 1).out)) == ["hello", "hi"]
    assert shell("fold", path, "--until-turn", 1).out == dumps(fold(LINES[:8])) + "\n"
    assert shell("fold", path, "--until-turn", 2).out == dumps(fold(LINES)) + "\n"
    assert wrong(shell("fold", path, "--until-turn", 3)) == f"acp-state: {path}: turn 3 does not end in it; there are 2"
    assert wrong(shell("fold", path, "--until-turn", 1, "--session", "x")) == f"acp-state: {path}: no session 'x'; there are: 's-1'"


def test_it_stops_at_the_end_of_a_turn_of_one_session(shell, recording):
    two = v1("s-1").new("s-2").prompt(1, "a").ends(1).prompt(2, "b", "s-2").agent_says("c", session="s-2").ends(2).agent_says("late")
    path = recording(two)
    document = json.loads(shell("fold", path, "--until-turn", 1, "--session", "s-2").out)
    assert [turn["status"] for turn in document["sessions"]["s-2"]["turns"]] == ["ended"]
    assert "late" not in json.dumps(document)
    assert "turn 2 of session 's-2' does not end" in wrong(shell("fold", path, "--until-turn", 2, "--session", "s-2"))


@pytest.mark.parametrize("split", [0, 1, 5, 9, len(LINES)])
def test_it_goes_on_from_a_state(split, shell, recording, tmp_path):
    whole = shell("fold", recording(SESSION)).out
    (tmp_path / "state.json").write_text(shell("fold", recording(LINES[:split], "a"), "--until", split).out)
    ran = shell("fold", recording(LINES[split:], "b"), "--from", tmp_path / "state.json", "--until-turn", 2)
    assert (ran.code, ran.out) == (0, whole)
    assert shell("fold", recording(LINES[split:], "b"), "--from", tmp_path / "state.json").out == whole


def test_it_goes_on_from_a_line_that_was_half_there(shell, tmp_path):
    data = b"".join(line + b"\n" for line in LINES)
    cut = len(data) - 40
    (tmp_path / "a").write_bytes(data[:cut])
    (tmp_path / "b").write_bytes(data[cut:])
    (tmp_path / "state.json").write_text(shell("fold", tmp_path / "a").out)
    assert shell("fold", tmp_path / "b", "--from", tmp_path / "state.json").out == dumps(fold(LINES)) + "\n"


def test_it_goes_on_from_standard_input(shell, recording):
    state = shell("fold", recording(LINES[:4])).out.encode()
    assert shell("fold", recording(LINES[4:]), "--from", "-", stdin=state).out == dumps(fold(LINES)) + "\n"


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("{", "not JSON: "),
        ("[]", "no state document: it has no format"),
        ('{"format":"acp-state/9"}', "a state document of format 'acp-state/9'; this version reads 'acp-state/1'"),
        ('{"format":"acp-state/1","connection":{"phase":7},"sessions":{}}', "no state document: "),
    ],
)
def test_what_is_no_state_is_told_of(state, why, shell, recording, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(state)
    assert wrong(shell("fold", recording(SESSION), "--from", path)).startswith(f"acp-state: {path}: {why}")
    assert wrong(shell("fold", recording(SESSION), "--from", tmp_path)) == f"acp-state: {tmp_path}: Is a directory"


@pytest.mark.parametrize("until", [1, 3, 99])
def test_a_recording_in_place_of_a_state_is_told_of(until, shell, recording):
    path = recording(LINES[:until], "before.ndjson")
    expected = f"acp-state: {path}: a recording, and --from takes a state: what acp-state fold prints of a recording as JSON"
    assert wrong(shell("fold", recording(SESSION), "--from", path)) == expected


def test_it_goes_on_from_an_archive(shell, recording, tmp_path):
    packed = tmp_path / "state.json.gz"
    packed.write_bytes(gzip.compress(shell("fold", recording(LINES[:4])).out.encode()))
    assert shell("fold", recording(LINES[4:]), "--from", packed).out == dumps(fold(LINES)) + "\n"


# --- following ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def following(*argv, **options):
    process = start("fold", "--follow", *argv, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def send(process, lines):
    process.stdin.write(b"".join(line + b"\n" for line in lines))
    process.stdin.flush()


def test_it_follows_a_pipe_to_its_end():
    with following("-") as process:
        send(process, LINES[:6])
        assert text_of(json.loads(process.stdout.readline())) == ["hello", "hi"]
        send(process, LINES[6:])
        out, err = process.communicate()
    assert json.loads(out.splitlines()[-1]) == json.loads(dumps(fold(LINES)))
    assert (process.returncode, err.count(b"unknown-value")) == (0, 1)


def test_what_it_prints_on_the_way_can_be_gone_on_with():
    with following("-") as process:
        process.stdin.write(b"\n".join(LINES[:6]))
        process.stdin.flush()
        state = json.loads(process.stdout.readline())
        assert state["wire"]["reader"]["pending"] != ""


def test_it_follows_a_file_that_grows_until_ctrl_c(tmp_path):
    path = tmp_path / "live.ndjson"
    with path.open("wb", buffering=0) as file, following(path, "--format", "yaml", "--select", "/sessions/s-1/activity") as process:
        file.write(b"\n".join(LINES[:5]))
        assert process.stdout.readline() == b"--- idle\n"
        file.write(b"\n" + LINES[5] + b"\n")
        assert process.stdout.readline() == b"--- running\n"
        file.write(b"\n".join(LINES[6:8]) + b"\n")
        assert process.stdout.readline() == b"--- idle\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err.count(b"\n")) == (128 + signal.SIGINT, b"", 1)


def test_it_follows_standard_input_to_its_end_also_if_that_is_a_file(recording):
    with recording(SESSION).open("rb") as file, start("fold", "--follow", "-", stdin=file) as process:
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(out.splitlines()[-1]) == json.loads(dumps(fold(LINES)))


def test_it_follows_no_longer_than_somebody_reads(recording):
    with following(recording(SESSION)) as process:
        assert json.loads(process.stdout.readline())["format"] == "acp-state/1"
        process.stdout.close()
        assert process.wait() == 128 + signal.SIGPIPE
        assert process.stderr.read().count(b"\n") == 1


def test_it_follows_up_to_where_it_is_told_to_stop(shell, recording):
    path = recording(SESSION)
    ran = shell("fold", "--follow", path, "--until-turn", 1, "--select", "/sessions/s-1/stopReason", "--tally")
    assert (ran.code, ran.out) == (0, '"end_turn"\n')
    assert ran.err.endswith("frames: 8 read, 8 folded, 0 kept as unknown, 0 refused\n")
    assert shell("fold", "--follow", recording([b"nonsense", *LINES]), "--strict").code == 1
    assert shell("fold", "--follow", recording([*LINES, b"nonsense"]), "--strict").code == 1


def test_a_pipe_that_gives_nothing_is_told_of(shell):
    assert wrong(shell("fold", "--follow", "-")) == "acp-state: standard input: empty"
    assert "no session 'x'" in shell("fold", "--follow", "-", "--session", "x", stdin=b"\n".join(LINES)).err
    assert shell("fold", "--follow", "-", "--until-turn", "9", stdin=b"\n".join(LINES)).code == 2


def test_a_file_that_becomes_shorter_is_told_of(shell, recording, monkeypatch):
    path = recording(SESSION)
    monkeypatch.setattr(_follow.time, "sleep", lambda _: path.write_bytes(b""))
    ran = shell("fold", "--follow", path)
    assert (ran.code, ran.err.splitlines()[-1]) == (2, f"acp-state: {path}: it became shorter while it was followed")
    assert json.loads(ran.out) == json.loads(dumps(fold(LINES)))


def test_text_is_drawn_in_the_place_of_the_one_before(monkeypatch):
    monkeypatch.setenv("LINES", "6")
    monkeypatch.setenv("COLUMNS", "30")
    master, terminal = os.openpty()
    with os.fdopen(master, "rb", buffering=0) as screen, following("-", "--format", "text", stdout=terminal) as process:
        os.close(terminal)
        send(process, LINES[:6])
        drawn = read_until(screen, b"agent: hi")
        assert drawn.startswith(b"\x1b[H\x1b[2J")
        send(process, LINES[6:])
        process.stdin.close()
        rest = read_until(screen, None)
        assert process.wait() == 0
    frames = [frame.replace("\r\n", "\n") for frame in rest.decode().split("\x1b[H\x1b[2J")]
    assert frames[-1].startswith("connection ready, protocol version 1\n")
    assert "agent: there\n" in frames[-1]
    assert all(frame.count("\n") < 6 for frame in frames[:-1])
    assert all(len(line) <= 30 for frame in frames[:-1] for line in frame.split("\n"))


def read_until(screen, mark):
    """What the screen shows until *mark*, or until its end."""
    data = b""
    while mark is None or mark not in data:
        try:
            more = screen.read(4096)
        except OSError:  # the other end is closed
            more = b""
        if not more:
            break
        data += more
    return data


def test_text_that_goes_elsewhere_comes_one_after_the_other(shell):
    data = b"".join(line + b"\n" for line in LINES)
    end = shell("fold", "-", "--format", "text", stdin=data).out
    assert shell("fold", "--follow", "-", "--format", "text", stdin=data).out == end
    before, _, after = shell("fold", "--follow", "-", "--format", "text", stdin=data[:-1]).out.partition("\n\nconnection ")
    assert "running" in before
    assert "connection " + after == end


def test_the_end_of_what_is_followed_may_be_called_from_python(recording, capsys):
    assert main(["fold", "--follow", str(recording(SESSION)), "--until", "11"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(dumps(fold(LINES)))
