"""What all commands have in common: arguments, input that cannot be used, output that is lost, colour, progress."""

from __future__ import annotations

import builtins
import gc
import gzip
import importlib
import importlib.metadata
import io
import json
import os
import pathlib
import re
import shlex
import signal
import sys

import pytest

from acp_state import cli
from acp_state.cli import COMMANDS, _progress, _recordings, main
from acp_state.dialects import NAMES

from support.shell import after, controls, imported, start
from support.transcripts import v1


READING = {
    "fold": ["fold"],
    "normalize": ["normalize"],
    "trace": ["trace"],
    "check": ["check"],
    "convert": ["convert"],
    "show": ["show"],
    "stats": ["stats", "--format", "csv"],
}
"""How each command that reads recordings is called, without their names."""

SESSION = v1("s-1").prompt(1, "hello").agent_says("hi", "m-1").ends(1)
OTHER = v1("s-2").prompt(1, "again").agent_says("yes", "m-2").ends(1)
UNKNOWN_KIND = v1("s-1").tool_call("t1", kind="juggle")
FULL_DISK = pathlib.Path("/dev/full")
BINARY = bytes(range(256)) * 8

each_command = pytest.mark.parametrize("name", COMMANDS)
each_reading = pytest.mark.parametrize("argv", [pytest.param(argv, id=name) for name, argv in READING.items()])


def told(ran):
    """The one line on standard error that says why nothing could be done."""
    assert ran.code == 2
    lines = [line for line in ran.err.splitlines() if line.startswith("acp-state: ")]
    assert len(lines) == 1, ran
    assert "Traceback" not in ran.err
    return lines[0].removeprefix("acp-state: ")


# --- arguments -------------------------------------------------------------------------------------------


def test_the_version_is_that_of_the_package(shell):
    ran = shell("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"acp-state {importlib.metadata.version('acp-state')}\n", "")


@pytest.mark.parametrize("argv", [[], ["folt"], ["--verbose"], ["fold"], ["fold", "--no-such-option", "x"]])
def test_wrong_arguments_are_one_line_that_says_where_help_is(argv, shell):
    ran = shell(*argv)
    assert "--help" in told(ran)
    assert ran.out == ""


def test_the_help_lists_every_command(shell):
    ran = shell("--help")
    assert (ran.code, ran.err) == (0, "")
    for name in COMMANDS:
        assert importlib.import_module(f"acp_state.cli.{name}").HELP in " ".join(ran.out.split())


@each_command
def test_the_help_of_a_command_has_an_example(name, shell):
    ran = shell(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"usage: acp-state {name} ")
    assert f"  acp-state {name}" in ran.out.partition("example")[2]


@each_reading
def test_the_help_names_the_formats(argv, shell):
    assert f"told from the content: {', '.join(sorted(NAMES))} --" in f"{' '.join(shell(argv[0], '--help').out.split())} --"


@each_command
def test_the_examples_of_the_help_are_right(name):
    epilog = importlib.import_module(f"acp_state.cli.{name}").EPILOG
    for line in epilog.splitlines():
        if line.startswith("  ") and "acp-state " in line:
            lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
            words = list(lexer)
            start_ = words.index("acp-state") + 1
            argv = [*words[start_:], "|"]
            argv = argv[: min(argv.index(stop) for stop in ("|", ">", ">>", "&&", "||", "<") if stop in argv)]
            assert cli._parser(argv).parse_args(argv).run is importlib.import_module(f"acp_state.cli.{argv[0]}").run


def test_an_option_may_not_be_shortened(shell):
    assert "--sess" in told(shell("fold", "--sess", "s-1", "x"))


@each_command
def test_an_unknown_option_is_told_of_with_the_help_of_its_command(name, shell):
    ran = shell(name, "--no-such-option", *{"schema": [], "diff": ["x", "y"]}.get(name, ["x"]))
    assert told(ran) == f"unrecognized arguments: --no-such-option (see acp-state {name} --help)"


@each_reading
def test_standard_input_is_read_once(argv, shell):
    assert told(shell(*argv, "-", "-", stdin=b"".join(SESSION.lines()))) == "standard input can be read only once: give - once"


# --- input that cannot be used -----------------------------------------------------------------------------


@each_reading
def test_a_path_that_is_not_there(argv, shell, tmp_path):
    assert told(shell(*argv, tmp_path / "gone")) == f"{tmp_path}/gone: No such file or directory"


@each_reading
def test_a_directory(argv, shell, tmp_path):
    assert told(shell(*argv, tmp_path)) == f"{tmp_path}: Is a directory"


@each_reading
def test_a_file_that_may_not_be_read(argv, shell, recording, monkeypatch):
    path = recording(SESSION)
    real = builtins.open

    def refuse(file, *args, **options):
        if file == str(path):
            raise PermissionError(13, "Permission denied", file)
        return real(file, *args, **options)

    monkeypatch.setattr(builtins, "open", refuse)
    assert told(shell(*argv, path)) == f"{path}: Permission denied"


@each_reading
def test_a_file_that_breaks_off_while_it_is_read(argv, shell, monkeypatch):
    class Broken(io.BytesIO):
        def read1(self, *_):
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(_recordings, "_standard_input", Broken)
    assert told(shell(*argv, "-")) == "standard input: Input/output error"


@each_reading
def test_a_binary_file(argv, shell, tmp_path):
    path = tmp_path / "image.png"
    path.write_bytes(BINARY)
    ran = shell(*argv, path)
    assert told(ran).startswith(f"{path}: no frame of ACP traffic in it; ")
    assert controls(ran.out + ran.err) == []


@each_reading
@pytest.mark.parametrize("data", [b"", b"\n \n", gzip.compress(b"")], ids=["nothing", "blank", "packed"])
def test_an_empty_file(argv, data, shell, tmp_path):
    path = tmp_path / "empty"
    path.write_bytes(data)
    assert told(shell(*argv, path)) == f"{path}: empty"


@each_reading
def test_a_file_without_a_frame(argv, shell, recording):
    path = recording([b'{"hello": "world"}', b"2026-01-01 started"])
    seen = "no dialect knows an object with 'hello'"
    known = "acp-el, acp-state, acpx, codecompanion, conductor, jetbrains, jsonrpc, replay, sdk-calls, snapshot, tagged, toad, updates, zed"
    ran = shell(*argv, path)
    said = told(ran)
    assert said.removesuffix(f"; formats that read: {known}") in (
        f"{path}: no frame of ACP traffic in it",
        f"{path}: no frame of ACP traffic in it; line 1: {seen}",
    )
    assert (ran.out + ran.err).count(seen) == 1


def test_a_dialect_that_was_asked_for_by_mistake_is_told_of(shell, recording):
    ran = shell("fold", recording(SESSION), "--dialect", "zed")

    assert "the dialect zed, the only one that was asked for, does not know an object with 'jsonrpc'" in ran.out + ran.err
    assert "no dialect knows" not in ran.out + ran.err


@pytest.mark.parametrize("name", ["fold", "normalize", "convert"])
def test_a_file_without_a_frame_whose_findings_nobody_wants_is_told_of_with_what_was_seen(name, shell, recording):
    path = recording([b'{"hello": "world"}'])
    assert "; line 1: no dialect knows an object with 'hello'; formats" in told(shell(name, path, "--diagnostics=none"))


@pytest.mark.parametrize("name", ["fold", "normalize", "convert", "check"])
def test_a_file_of_another_kind_is_no_flood(name, shell, recording):
    path = recording([b"Dear reader,"] * 500)
    ran = shell(name, path)
    said = (ran.out if name == "check" else ran.err).splitlines()
    found = [line for line in said if "Dear reader" in line]
    assert len(found) == 1
    assert ("500 times" if name == "check" else "count=500") in found[0]
    assert len(said) <= 3
    assert "; line 1: " not in told(ran)


def test_a_few_lines_that_cannot_be_read_are_told_of_one_by_one(shell, recording):
    lines = [*SESSION.lines("jsonrpc"), b'{"hello": "world"}']
    few = shell("fold", recording([*lines, b"x", b"y", b"z"])).err.splitlines()
    assert [line.rpartition("code=")[2] for line in few] == [
        "not-a-frame line=8",
        "not-json line=9",
        "not-json line=10",
        "not-json line=11",
    ]
    many = shell("fold", recording([*lines, b"x", b"y", b"z", b"!"])).err.splitlines()
    assert [line.rpartition("code=")[2] for line in many] == ["not-a-frame line=8", "not-json line=9 count=4"]


def test_findings_as_json_are_told_of_one_by_one(shell, recording):
    lines = [*SESSION.lines("jsonrpc"), *[b"x"] * 9]
    found = [json.loads(line) for line in shell("fold", recording(lines), "--diagnostics").err.splitlines()]
    assert [one["line"] for one in found if one["code"] == "not-json"] == [*range(8, 17)]


@pytest.mark.parametrize("argv", [*READING.values(), ["diff"]], ids=lambda argv: argv[0])
def test_a_file_of_which_little_can_be_read_is_told_of_last(argv, shell, recording):
    path = recording([*[b"Dear reader,"] * 9, *v1("s-1").lines("jsonrpc")[:1]])
    ran = shell(*argv, path, *([path] if argv == ["diff"] else []))
    assert ran.code == (1 if argv == ["check"] else 0)
    assert ran.err.splitlines()[-1] == f"acp-state: {path}: most of it is no ACP traffic: 9 lines are no frames, 1 frame was read"


@pytest.mark.parametrize("options", [["--diagnostics=none"], ["--diagnostics=json"]])
def test_findings_for_nobody_or_for_machines_have_no_line_about_all_of_the_file(options, shell, recording):
    path = recording([*[b"Dear reader,"] * 9, *v1("s-1").lines("jsonrpc")[:1]])
    assert "most of it" not in shell("fold", path, *options).err


def test_a_recording_with_a_few_other_lines_is_a_recording(shell, recording):
    assert "most of it" not in shell("fold", recording([b"Dear reader,", b"hello", *v1("s-1").lines("jsonrpc")])).err


@pytest.mark.parametrize("argv", [["fold"], ["normalize"], ["stats"], ["diff"]], ids=lambda argv: argv[0])
def test_a_session_that_is_not_there_is_told_of_with_what_was_lost_alone(argv, shell, recording):
    broken = v1("s-1").update("plan", entries=7).lines("jsonrpc")[-1]  # an error, but of another session
    lines = [*UNKNOWN_KIND.lines("jsonrpc"), broken]
    for extra, lost in ([], 0), ([b"nonsense"], 1):
        path = recording([*lines, *extra])
        ran = shell(*argv, path, *([path] if argv == ["diff"] else []), "--session", "s-9")
        assert told(ran) == f"{path}: no session 's-9'; there are: 's-1'"
        *before, last = ran.err.splitlines()
        assert last.startswith("acp-state: ")
        assert ["not-json" in line for line in before] == [True] * lost


def test_what_was_wrong_with_the_session_that_is_not_there_is_told(shell, recording):
    path = recording([*UNKNOWN_KIND.lines("jsonrpc"), b'{"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s-9"}}'])
    assert [line.partition("code=")[2] for line in shell("fold", path).err.splitlines() if "s-9" in line] != []
    assert [line.partition("code=")[2][:15] for line in shell("fold", path, "--session", "s-9").err.splitlines()] == ["unknown-session", ""]


def test_messages_are_never_grouped_as_lines_are(shell, recording):
    talk = v1("s-1")
    for number in range(9):
        talk.tool_call(f"t{number}", kind=f"juggle{number}").tool_update(f"u{number}", status="completed")
    assert shell("fold", recording(talk)).err.count("code=unannounced-call") == 9


READING_ONE = {**READING, "redact": ["redact"]}


@pytest.mark.parametrize("argv", [pytest.param(argv, id=name) for name, argv in READING_ONE.items()])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_state_that_is_read_as_a_recording_is_told_of(argv, indent, shell, recording, tmp_path):
    path = tmp_path / "state.json"
    path.write_text(json.dumps(json.loads(shell("fold", recording(SESSION)).out), indent=indent))
    expected = f"{path}: a state document, which is no recording; fold --from goes on from it (fold /dev/null --from STATE --format text shows it), and diff compares it"
    assert told(shell(*argv, path)) == expected


@each_reading
def test_empty_standard_input(argv, shell):
    assert told(shell(*argv, "-")) == "standard input: empty"


@each_reading
def test_standard_input_that_is_closed(argv, shell):
    assert told(shell(*argv, "-", stdin=None)) == "standard input: closed"


@each_reading
def test_a_dialect_that_there_is_not(argv, shell, recording):
    path = recording(SESSION)
    assert told(shell(*argv, path, path, "--dialect", "klingon")).startswith(
        "no dialect is called 'klingon'; there are acp-el, acp-state, "
    )


# --- files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("argv", [pytest.param(argv, id=name) for name, argv in READING.items() if name != "convert"])
def test_a_bad_file_does_not_lose_what_the_others_give(argv, shell, recording, tmp_path):
    one, other, bad = recording(SESSION, "1"), recording(OTHER, "2"), recording([b"nonsense"], "3")
    alone = shell(*argv, one, other).out.splitlines()
    ran = shell(*argv, one, bad, tmp_path / "gone", tmp_path, other)
    assert ran.code == 2
    printed = iter(ran.out.splitlines())
    assert len(alone) > 1
    assert all(line in printed for line in alone), ran
    assert [line.split(": ")[1] for line in ran.err.splitlines() if line.startswith("acp-state: ")] == [
        str(bad),
        f"{tmp_path}/gone",
        str(tmp_path),
    ]


@each_reading
def test_standard_input_and_archives_are_read_like_the_file(argv, shell, recording, tmp_path):
    path = recording(SESSION)
    packed = tmp_path / "session.ndjson.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    ran = shell(*argv, path)
    assert ran.code == 0
    assert ran.out != ""
    for other in (shell(*argv, packed), shell(*argv, "-", stdin=path.read_bytes()), shell(*argv, "-", stdin=packed.read_bytes())):
        assert other.out.replace("standard input", str(path)).replace(".gz", "") == ran.out
        assert other.code == 0


@each_reading
def test_a_pattern_that_no_shell_took_stands_for_the_files(argv, shell, recording, tmp_path):
    recording(OTHER, "b.ndjson")
    recording(SESSION, "a.ndjson")
    ran = shell(*argv, tmp_path / "*.ndjson")
    assert (ran.code, ran.out) == (0, shell(*argv, tmp_path / "a.ndjson", tmp_path / "b.ndjson").out)


@each_reading
def test_a_file_may_be_called_like_a_pattern(argv, shell, recording, tmp_path):
    recording(OTHER, "ab")
    path = recording(SESSION, "a[b]")
    assert shell(*argv, path).out.replace("a[b]", "x") == shell(*argv, recording(SESSION, "x")).out
    assert told(shell(*argv, tmp_path / "*.gz")) == f"{tmp_path}/*.gz: No such file or directory"


# --- output ------------------------------------------------------------------------------------------------


def test_what_is_printed_is_utf_8_whatever_the_terminal(recording, monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", newline="\r\n"))
    assert main(["fold", str(recording(v1("s-\N{SNOWMAN}"))), "--format", "text"]) == 0
    assert b"session s-\xe2\x98\x83 ready, activity idle\n" in raw.getvalue()
    assert b"\r" not in raw.getvalue()


def test_a_reader_that_has_seen_enough_is_no_matter(recording):
    process = start("fold", recording(SESSION))
    process.stdout.close()
    _, err = process.communicate()
    assert (process.returncode, err) == (128 + signal.SIGPIPE, b"")


@pytest.mark.parametrize("name", ["fold", "normalize", "trace", "convert", "golden", "stats", "show", "redact"])
def test_nor_is_one_that_is_gone_at_the_first_write(name, recording, monkeypatch, capfd):
    path = recording(SESSION)
    reader, writer = os.pipe()
    os.close(reader)
    with io.TextIOWrapper(os.fdopen(writer, "wb", buffering=0), write_through=True) as gone:
        monkeypatch.setattr(sys, "stdout", gone)

        assert main([name, str(path)]) == 128 + signal.SIGPIPE
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(not FULL_DISK.exists(), reason="there is no full disk to write to")
def test_a_full_disk_is_told_of(recording):
    with FULL_DISK.open("wb") as full:
        process = start("fold", recording(SESSION), stdout=full)
        _, err = process.communicate()
    assert (process.returncode, err) == (2, b"acp-state: standard output: No space left on device\n")


def test_standard_output_that_is_closed_is_told_of(shell, recording, monkeypatch):
    path = recording(SESSION)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        ran = shell("fold", path)
    assert told(ran) == "standard output is closed"


def test_ctrl_c_is_quiet(shell, recording, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    path = recording(SESSION)
    monkeypatch.setattr("acp_state.folding.fold", interrupt)
    ran = shell("fold", path)
    assert (ran.code, ran.out, ran.err) == (128 + signal.SIGINT, "", "")


# --- findings and colour -----------------------------------------------------------------------------------


def test_findings_go_to_standard_error_as_text_or_as_json_lines(shell, recording):
    path = recording(UNKNOWN_KIND)
    plain = shell("fold", path)
    assert "code=unknown-value" in plain.err
    for option in (["--diagnostics"], ["--diagnostics=json"], ["--diagnostics", "json"]):
        assert shell("fold", *option, path).err == shell("fold", path, *option).err
        ran = shell("fold", path, *option)
        assert ran.err.startswith('{"code":"unknown-value","severity":"warning",')
        assert ran.out == plain.out
    assert shell("fold", path, "--diagnostics=none").err == ""


@pytest.fixture
def coloured(shell, recording, monkeypatch):
    """Call a command in an environment, on a terminal or not; return what it printed to either stream."""

    def call(command, terminal, environment):
        for name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TERM", "xterm")
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        if terminal:
            shell.on_terminal("stderr", "stdout")
        other = recording(SESSION, "other.ndjson") if command[0] == "diff" else None
        path = recording(UNKNOWN_KIND)
        if command[0] == "golden":
            path.with_name("session.state.json").write_text("{}")
        return shell(*command, path, *filter(None, [other]))

    return call


TEXTS = [["trace"], ["check"], ["diff", "--diagnostics=none"], ["golden"], ["show"]]
"""Commands that print text to standard output, which may have colours."""


@pytest.mark.parametrize("command", [["fold"], *TEXTS], ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("terminal", "environment", "expected"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
        (False, {"FORCE_COLOR": ""}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_there_is_colour_on_a_terminal_alone(command, terminal, environment, expected, coloured):
    ran = coloured(command, terminal, environment)
    text, other = (ran.err, ran.out) if command == ["fold"] else (ran.out, ran.err)
    colours = set(re.findall("\x1b\\[[0-9;]*3[0-7]m", text))
    assert (colours != set()) is expected, text
    assert controls(text, coloured=expected or "NO_COLOR" in environment) == []
    assert "\x1b" not in other


@pytest.mark.parametrize("command", TEXTS[:4], ids=lambda command: command[0])
def test_colours_are_all_that_a_terminal_adds(command, coloured):
    on_terminal = coloured(command, True, {}).out
    assert re.sub("\x1b\\[[0-9;]*m", "", on_terminal) == coloured(command, True, {"NO_COLOR": "1"}).out


def test_a_trace_has_a_colour_for_what_is_told_apart(coloured):
    out = coloured(["trace"], True, {}).out
    assert "  \x1b[36mclient\x1b[0m  request  \x1b[1minitialize\x1b[0m  " in out
    assert "    \x1b[32m+\x1b[0m /sessions/\x1b[36ms-1\x1b[0m/timeline/0 (tool_call t1): " in out
    assert "    \x1b[33m! warning\x1b[0m unknown-value: kind: 'juggle' " in out


def test_a_check_has_a_colour_for_each_severity(coloured):
    out = coloured(["check"], True, {}).out
    assert ": \x1b[33m1 warning\x1b[0m\n  \x1b[33mwarning\x1b[0m \x1b[1munknown-value\x1b[0m: A word" in out


def test_what_is_no_terminal_needs_no_library_for_colours(recording):
    for command in ("trace", "check"):
        assert {"rich", "structlog"} & imported([command, recording(UNKNOWN_KIND)]) == set()


def test_findings_as_text_need_no_library_for_tracebacks(recording):
    modules = imported(["fold", recording(UNKNOWN_KIND)])
    assert "structlog" in modules
    assert "rich" not in modules


def test_a_library_that_findings_do_without_is_there_for_others(recording):
    modules = imported(["stats", recording(UNKNOWN_KIND)])
    assert {"structlog", "rich.table"} <= modules


# --- progress ----------------------------------------------------------------------------------------------


def test_a_long_recording_has_a_bar_on_a_terminal(shell, recording, monkeypatch):
    monkeypatch.setattr(_progress, "LONG", 100)
    monkeypatch.setenv("TERM", "xterm")
    shell.on_terminal("stderr")
    path = recording(SESSION)
    ran = shell("fold", path, "--format", "text")
    assert ran.code == 0
    assert "session.ndjson" in ran.err
    assert ran.out.startswith("connection ready")
    assert "standard" in shell("fold", "-", stdin=path.read_bytes()).err


@pytest.mark.parametrize("command", [("normalize",), ("trace",), ("fold",), ("check",), ("stats",), ("convert",)])
def test_what_a_command_prints_stays_where_it_belongs_beside_a_bar(shell, recording, monkeypatch, command):
    path = recording(SESSION)
    plain = shell(*command, path).out
    monkeypatch.setattr(_progress, "LONG", 100)
    monkeypatch.setenv("TERM", "xterm")
    shell.on_terminal("stderr")
    ran = shell(*command, path)

    assert "session.ndjson" in ran.err
    assert ran.out == plain != ""


def test_a_short_one_has_none(shell, recording):
    shell.on_terminal("stderr")
    assert shell("fold", recording(SESSION)).err == ""


def test_there_is_none_where_nobody_looks(shell, recording, monkeypatch):
    monkeypatch.setattr(_progress, "LONG", 100)
    assert shell("fold", recording(SESSION)).err == ""


def test_there_is_none_without_rich(shell, recording, monkeypatch):
    monkeypatch.setattr(_progress, "LONG", 100)
    monkeypatch.setitem(sys.modules, "rich", None)
    shell.on_terminal("stderr")
    ran = shell("fold", recording(SESSION))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out != ""


# --- starting ----------------------------------------------------------------------------------------------


def test_a_small_recording_is_folded_without_what_only_others_need(recording):
    modules = imported(["fold", recording(SESSION)])
    assert "acp_state.folding" in modules
    libraries = {"attr", "cattrs", "jinja2", "rich", "structlog", "typing_extensions", "yaml"}
    assert modules & libraries == set()
    assert modules & {"asyncio", "dataclasses", "importlib.metadata", "inspect", "json", "logging"} == set()
    assert modules & {"acp_state.codec.reading", "acp_state.document.reading", "acp_state.findings", "acp_state.render"} == set()
    assert {f"acp_state.cli.{name}" for name in COMMANDS} & modules == {"acp_state.cli.fold"}


def test_what_was_not_imported_at_the_start_can_be_later(recording):
    told = "sys.modules.keys().isdisjoint({'typing_extensions'}), __import__('typing_extensions').__name__"
    assert after(["fold", recording(SESSION)], told) == ["True", "typing_extensions"]


def test_the_collector_is_spared_in_a_process_of_its_own_alone(shell, recording):
    path = recording(SESSION)
    before = gc.get_threshold()
    assert shell("fold", path).code == 0
    assert gc.get_threshold() == before
    own = after(["fold", path], "gc.get_threshold()[0], gc.isenabled()")
    assert int(own[0]) > before[0]
    assert own[1:] == ["True"]


# --- what would be written over --------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["show", "--html"], ["redact", "-o"], ["convert", "-o"]], ids=lambda command: command[0])
class TestARecordingIsNotWrittenOver:
    @pytest.fixture(params=["itself", "symbolic", "hard"])
    def output(self, request, recording):
        """The recording, by one of its names."""
        path = recording(v1("s-1").agent_says("a"))
        other = path.with_name("other")
        if request.param == "itself":
            return path
        if request.param == "symbolic":
            other.symlink_to(path)
        else:
            other.hardlink_to(path)
        return other

    def test_that_is_named(self, shell, output, command):
        path = output.with_name("session.ndjson")
        before = path.read_bytes()
        ran = shell(command[0], path, command[1], output)
        assert (ran.code, ran.out, ran.err) == (2, "", f"acp-state: {output}: is the recording itself\n")
        assert path.read_bytes() == before

    def test_that_is_standard_input(self, output, command):
        path = output.with_name("session.ndjson")
        before = path.read_bytes()
        with path.open("rb") as file, start(command[0], "-", command[1], output, stdin=file) as process:
            out, err = process.communicate()
        assert (process.returncode, out, err.decode()) == (2, b"", f"acp-state: {output}: is the recording itself\n")
        assert path.read_bytes() == before

    def test_and_another_file_is(self, shell, recording, command):
        path = recording(v1("s-1").agent_says("a"))
        other = recording([b"x"], "other")
        ran = shell(command[0], "-", command[1], other, stdin=path.read_bytes())
        assert (ran.code, ran.out, ran.err) == (0, "", "")
        assert other.read_bytes() != b"x\n"


@pytest.mark.parametrize("name", ["convert", "redact", "trace"])
@pytest.mark.parametrize("piped", [False, True])
def test_a_recording_does_not_grow_by_what_is_printed_of_it(name, piped, recording):
    path = recording(SESSION)
    before = path.read_bytes()
    with path.open("ab") as output, path.open("rb") as file:
        process = start(name, "-" if piped else path, stdin=file, stdout=output)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err.decode()) == (2, f"acp-state: {'standard input' if piped else path}: is also the output\n")
    assert path.read_bytes() == before


@pytest.mark.skipif(not FULL_DISK.exists(), reason="there is no full disk to write to")
@pytest.mark.parametrize("name", ["convert", "redact"])
def test_an_output_that_is_full_is_told_of(name, shell, recording):
    assert told(shell(name, recording(SESSION), "-o", FULL_DISK)) == "/dev/full: No space left on device"


# --- findings of several files ---------------------------------------------------------------------------


@pytest.mark.parametrize("argv", [["fold"], ["normalize"], ["convert"], ["stats"], ["diff"]], ids=lambda argv: argv[0])
class TestFindingsOfSeveralFiles:
    @pytest.fixture
    def paths(self, recording):
        lines = v1("s-1").agent_says("a").lines("jsonrpc")
        return [recording([*lines, b"nonsense"], name) for name in ("one.ndjson", "two\x1b.ndjson")]

    def test_begin_with_the_name(self, shell, argv, paths):
        found = [line for line in shell(*argv, *paths).err.splitlines() if "not-json" in line]
        assert [line.partition(": [")[0] for line in found] == [str(path).replace("\x1b", "\\x1b") for path in paths]

    def test_have_the_name_as_json(self, shell, argv, paths):
        found = [json.loads(line) for line in shell(*argv, *paths, "--diagnostics").err.splitlines()]
        assert [one["recording"] for one in found if one["code"] == "not-json"] == [*map(str, paths)]


def test_a_pattern_is_several_files(shell, recording, tmp_path):
    lines = [*v1("s-1").agent_says("a").lines("jsonrpc"), b"nonsense"]
    paths = [recording(lines, name) for name in ("one.ndjson", "two.ndjson")]
    for command in ("fold", "convert", "stats"):
        found = [line for line in shell(command, tmp_path / "*.ndjson").err.splitlines() if "not-json" in line]
        assert [line.partition(": [")[0] for line in found] == [*map(str, paths)], command


def test_findings_of_one_file_have_no_name(shell, recording):
    path = recording([*v1("s-1").agent_says("a").lines("jsonrpc"), b"nonsense"])
    for command in ("fold", "normalize", "convert", "stats"):
        assert str(path) not in shell(command, path).err, command
        assert "recording" not in json.loads(shell(command, path, "--diagnostics").err.splitlines()[-1]), command
