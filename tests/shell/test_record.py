"""`acp-state record`: the session is as if nobody were there, and the recording has all of it (SPEC 8)."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import time

from pathlib import Path
from random import Random

import pytest

from acp_state import dumps, fold
from acp_state.cli import main

from support.recorder import COMMAND, ECHO, LONG, Recorder, read, records_of


NUMBERS = """
import os, sys
print(os.getpid(), flush=True)
number = 0
while True:
    number += 1
    os.write(1, b'{"jsonrpc":"2.0","method":"_n","params":{"number":%d,"more":"%s"}}\\n' % (number, b"x" * (number * 7 % 3000)))
"""
"""An agent that does not stop."""


def seeded(seed):
    return Random(seed)  # noqa: S311 -- what is made up is made up the same each time


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.ndjson"


# --- bytes -----------------------------------------------------------------------------------------------


def test_bytes_pass_unchanged_both_ways(path):
    wild = seeded(7)
    said = b"".join(wild.randbytes(wild.choice((0, 1, 5, 70_000))) + wild.choice((b"", b"\n", b"\r\n", b"\n\n")) for _ in range(40))
    with Recorder(ECHO, path) as recorder:
        assert recorder.end(said) == (said, b"")
        assert recorder.code == 0


def test_what_is_no_line_yet_passes_at_once(path):
    with Recorder(ECHO, path) as recorder:
        for piece in (b"{", b'"jsonrpc"', b"\xf0\x9f", b"\x98\x80"):
            recorder.say(piece)
            assert recorder.hear(len(piece)) == piece


def test_a_reader_that_is_slow_slows_its_writer_down(path):
    agent = "import os\nos.set_blocking(1, False)\nwhile True:\n    try: os.write(1, b'x' * 4096)\n    except BlockingIOError: break\nos._exit(3)"
    with Recorder(agent, path) as recorder:
        held = recorder.hear(10_000_000)
        assert len(held) < 10_000_000
        assert recorder.code == 3


def test_standard_error_passes_and_is_not_recorded(path):
    agent = "import os\nos.write(2, b'\\xff oh\\n')\nos.write(2, b'no end')"
    with Recorder(agent, path) as recorder:
        assert recorder.end() == (b"", b"\xff oh\nno end")
        assert recorder.said_by("agent") == []


@pytest.mark.parametrize("megabytes", [2, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["session.ndjson", "session.ndjson.gz"])
def test_a_flood_passes_whole_and_is_recorded_whole(tmp_path, megabytes, name):
    agent = f"""
import os
line = b'{{"jsonrpc":"2.0","method":"_n","params":"%s"}}\\n'
for number in range({megabytes}):
    os.write(1, b''.join(line % (b'%d' % (number * 1000 + part) * 180)[:960] for part in range(1000)))
"""
    with Recorder(agent, tmp_path / name, stdout=subprocess.PIPE) as recorder:
        out, err = recorder.end()
        assert err == b""
        assert out.count(b"\n") == megabytes * 1000
        assert out.endswith(b"\n")
    folded = fold(tmp_path / name, until=10)
    assert folded.diagnostics == ()
    lines = [json.dumps(message, separators=(",", ":")).encode() for message in messages(tmp_path / name)]
    assert b"\n".join(lines) + b"\n" == out


def messages(path):
    import gzip

    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [record["message"] for record in records_of(data) if "message" in record]


# --- what is recorded ------------------------------------------------------------------------------------


def test_a_recording_has_times_sides_and_lines_as_they_were(path):
    lines = [b'{"jsonrpc":"2.0", "id":1.0,"method":"_a"}', b"", b"no json", b"\xff\xfe", b"7", b'{"a":1} [2]', b'{"half":']
    with Recorder(ECHO, path) as recorder:
        recorder.end(b"\n".join(lines))
        header, *records, last = recorder.records()
    assert (header["format"], header["version"]) == ("acp-state/transcript", 1)
    assert last["exit"] == {"status": "success", "code": 0}
    assert b'"message":{"jsonrpc":"2.0", "id":1.0,"method":"_a"}' in path.read_bytes()
    for sender in ("client", "agent"):
        kept = [{key: value for key, value in record.items() if key not in ("t", "from")} for record in records if record["from"] == sender]
        assert kept == [
            {"message": {"jsonrpc": "2.0", "id": 1.0, "method": "_a"}},
            {"raw": "no json"},
            {"raw": {"base64": "//4="}},
            {"raw": "7"},
            {"message": {"a": 1}},
            {"message": [2]},
            {"raw": '{"half":'},
        ]
    times = [record["t"] for record in [*records, last]]
    assert times == sorted(times)
    assert times[0] >= 0


def test_an_answer_never_stands_before_what_it_answers(path):
    with Recorder(ECHO, path) as recorder:
        for number in range(50):
            recorder.say(b'{"id":%d}\n' % number)
            recorder.hear_line()
        recorder.end()
        told = [(record["from"], record["message"]["id"]) for record in recorder.records() if "message" in record]
    assert told == [(sender, number) for number in range(50) for sender in ("client", "agent")]


def test_a_recording_with_gz_in_its_name_is_packed(tmp_path):
    path = tmp_path / "Session.GZ"
    with Recorder(ECHO, path) as recorder:
        recorder.end(b'{"jsonrpc":"2.0","id":1,"method":"session/list"}\n')
    folded = fold(path)
    assert path.read_bytes().startswith(b"\x1f\x8b")
    assert folded.snapshot.connection.exit == {"status": "success", "code": 0}
    assert [finding.code for finding in folded.diagnostics] == []


def test_without_a_name_it_records_in_the_current_directory(tmp_path):
    command = [*COMMAND, "--", sys.executable, "-c", ""]
    subprocess.run(command, check=True, cwd=tmp_path, stdin=subprocess.DEVNULL)
    subprocess.run([*COMMAND, "-o", str(tmp_path), "--", sys.executable, "-c", ""], check=True, stdin=subprocess.DEVNULL)
    names = [found.name for found in tmp_path.iterdir()]
    assert len(names) == 2
    assert all(name.startswith("acp-") and name.endswith(".ndjson") for name in names)


def test_the_state_beside_the_recording_is_what_the_recording_folds_to(path, tmp_path):
    state = tmp_path / "now.json"
    with Recorder(ECHO, path, "--state", str(state)) as recorder:
        recorder.end(b'{"jsonrpc":"2.0","id":1,"method":"session/list"}\n{"torn')
    assert state.read_text() == dumps(fold(path)) + "\n"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["now.json", "session.ndjson"]


# --- ends ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 127])
def test_the_exit_code_is_the_agents(path, code):
    with Recorder(f"raise SystemExit({code})", path) as recorder:
        assert recorder.code == code
        assert recorder.records()[-1]["exit"] == {"status": "error" if code else "success", "code": code}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGPIPE], ids=lambda number: number.name)
def test_an_agent_that_is_killed_ends_the_command_by_the_same_signal(path, number):
    agent = f"import os, signal\nsignal.signal({number}, signal.SIG_DFL) if {number} != 9 else None\nos.write(1, b'half')\nos.kill(os.getpid(), {number})"
    with Recorder(agent, path) as recorder:
        assert recorder.code == -number
        assert recorder.said_by("agent") == ["half"]
        assert recorder.records()[-1]["exit"] == {"status": "error", "signal": number.name}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_is_the_agents(path, number):
    agent = f"""
import signal
signal.signal({number}, lambda *_: None)
signal.pthread_sigmask(signal.SIG_BLOCK, [{number}])
print("ready", flush=True)
signal.sigwait([{number}])
raise SystemExit(7)
"""
    with Recorder(agent, path) as recorder:
        assert recorder.hear_line() == b"ready\n"
        recorder.process.send_signal(number)
        assert recorder.code == 7


def test_what_a_terminal_sends_is_not_handed_on(path):
    # It goes to the whole process group. An agent that is not in it gets what is handed on alone.
    agent = """
import os, signal
os.setsid()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGUSR1])
os.write(1, b"ready")
signal.sigwait([signal.SIGUSR1])
raise SystemExit(len(signal.sigpending()))
"""
    ours, theirs = os.openpty()
    with Recorder(agent, path, stdin=theirs, preexec_fn=lambda: os.login_tty(os.dup(theirs))) as recorder:
        os.close(theirs)
        assert read(ours, 5) == b"ready"
        os.write(ours, b"\x03")
        assert read(ours, 2) == b"^C"  # the terminal's echo comes after the signal
        recorder.process.send_signal(signal.SIGUSR1)
        assert recorder.code == 0
    os.close(ours)


def test_a_signal_that_the_agent_does_not_mind_ends_nothing(path):
    agent = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('ready', flush=True)\n" + ECHO
    with Recorder(agent, path) as recorder:
        recorder.hear_line()
        recorder.process.send_signal(signal.SIGTERM)
        assert recorder.end(b"still here") == (b"still here", b"")
        assert recorder.code == 0


def test_the_agent_has_the_signals_that_the_command_was_started_with(path):
    agent = "import signal\nprint([int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, [])])"
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
    try:
        recorder = Recorder(agent, path)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    with recorder:
        assert recorder.end()[0].decode() == f"{[int(number) for number in blocked | {signal.SIGUSR2}]}\n"


def test_a_client_that_has_said_all_still_hears_the_agent(path):
    agent = "import sys\nsaid = sys.stdin.read()\nprint(len(said), flush=True)\nraise SystemExit(4)"
    with Recorder(agent, path) as recorder:
        assert recorder.end(b"abc") == (b"3\n", b"")
        assert recorder.code == 4
        assert recorder.said_by("client") == ["abc"]


def test_an_agent_hears_at_once_that_nobody_listens_any_more(path):
    agent = """
import select
print("ready", flush=True)
poll = select.poll()
poll.register(1, 0)
poll.poll()
raise SystemExit(9)
"""
    with Recorder(agent, path) as recorder:
        recorder.hear_line()
        recorder.process.stdout.close()
        assert recorder.code == 9


def test_an_agent_that_closes_its_output_may_still_listen(path):
    agent = "import os\nos.write(1, b'bye')\nos.close(1)\nraise SystemExit(len(os.read(0, 100)))"
    with Recorder(agent, path) as recorder:
        assert recorder.hear(100) == b"bye"
        recorder.say(b"12345")
        assert recorder.code == 5
        assert recorder.said_by("client") == ["12345"]


def test_a_client_hears_at_once_that_the_agent_listens_no_more(path):
    agent = "import os\nos.close(0)\nprint('deaf', flush=True)\nimport signal\nsignal.pause()"
    with Recorder(agent, path) as recorder:
        recorder.hear_line()
        poll = select.poll()
        poll.register(recorder.process.stdin, 0)
        assert poll.poll(LONG * 1000)
        recorder.process.terminate()
        assert recorder.code == -signal.SIGTERM


def test_what_an_agent_leaves_behind_holds_nobody_up(path):
    agent = """
import os, signal
child = os.fork()
if not child:
    signal.pause()
print(child, flush=True)
os._exit(6)
"""
    with Recorder(agent, path, stderr=subprocess.DEVNULL) as recorder:
        child = int(recorder.hear_line())
        try:
            assert recorder.code == 6
        finally:
            os.kill(child, signal.SIGKILL)
        assert recorder.said_by("agent") == [str(child)]
        assert recorder.records()[-1]["exit"]["code"] == 6


@pytest.mark.parametrize("size", seeded(3).choices(range(40, 400_000), k=3))
def test_an_agent_that_is_killed_is_recorded_up_to_the_last_byte(path, size):
    with Recorder(NUMBERS, path) as recorder:
        agent = int(recorder.hear_line())
        heard = recorder.hear(size)
        os.kill(agent, signal.SIGKILL)
        heard += recorder.end()[0]
        assert recorder.code == -signal.SIGKILL
        said = recorder.said_by("agent")[1:]
    *lines, half = heard.split(b"\n")
    assert [message for message in said if isinstance(message, dict)] == [json.loads(line) for line in lines]
    assert said[len(lines) :] == ([half.decode()] if half else [])


CLIENT = """
import subprocess, sys, os
with subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"_hello"}\\n{"half')
    process.stdin.flush()
    process.stdout.read(int(sys.argv[1]))
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("size", seeded(4).choices(range(1, 200_000), k=2))
def test_a_client_that_is_killed_ends_the_session_as_it_would_without_us(path, size):
    agent = NUMBERS.replace("print(os.getpid(), flush=True)", "import signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)")
    command = [sys.executable, "-c", CLIENT, str(size), *COMMAND, "-o", str(path), "--", sys.executable, "-c", agent]
    # Standard error is closed when the last of all these processes is over.
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE, timeout=LONG)
    assert done.returncode == -signal.SIGKILL
    assert done.stderr == b""
    records = records_of(path.read_bytes())
    assert records[-1]["exit"] == {"status": "error", "signal": "SIGPIPE"}
    numbers = [record["message"]["params"]["number"] for record in records if record.get("from") == "agent" and "message" in record]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [record.get("message", record.get("raw")) for record in records if record.get("from") == "client"] == [
        {"jsonrpc": "2.0", "id": 1, "method": "_hello"},
        '{"half',
    ]


def test_a_recorder_that_is_killed_leaves_whole_records(path):
    with Recorder(NUMBERS, path) as recorder:
        recorder.hear(100_000)
        until(lambda: path.stat().st_size > 50_000)
        recorder.process.kill()
        recorder.end()  # standard error ends when the agent and what records are over too
        messages = recorder.said_by("agent")
    numbers = [message["params"]["number"] for message in messages if isinstance(message, dict)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 10


# --- a recorder that fails -------------------------------------------------------------------------------


def warnings(err: bytes) -> list[str]:
    return err.decode().splitlines()


def test_a_full_disk_is_one_warning_and_the_session_goes_on(tmp_path):
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full here")
    said = b'{"jsonrpc":"2.0","id":1,"method":"_a"}\n' * 1000
    state = tmp_path / "now.json"
    with Recorder(ECHO, full, "--state", str(state)) as recorder:
        out, err = recorder.end(said)
        assert recorder.code == 0
    assert out == said
    assert warnings(err) == ["acp-state record: /dev/full: No space left on device; the session goes on without it"]
    assert json.loads(state.read_text())["connection"]["exit"] == {"status": "success", "code": 0}


@pytest.mark.parametrize("name", ["session.ndjson", "session.gz"])
def test_a_recording_that_may_not_grow_can_be_read_to_its_end(tmp_path, name):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    wild = seeded(5)
    with Recorder(ECHO, tmp_path / name, preexec_fn=limit) as recorder:
        for number in range(300):
            line = b'{"jsonrpc":"2.0","id":%d,"method":"_a","params":"%s"}\n' % (number, wild.randbytes(100).hex().encode())
            recorder.say(line)
            assert recorder.hear(len(line)) == line
        assert warnings(recorder.end()[1]) == [f"acp-state record: {tmp_path / name}: File too large; the session goes on without it"]
        assert recorder.code == 0
    folded = fold(tmp_path / name)
    assert 9_000 < (tmp_path / name).stat().st_size <= 10_000
    assert {finding.code for finding in folded.diagnostics} <= ({"torn-archive", "torn-line"} if name.endswith("gz") else set())
    assert folded.tally.read > 10


def test_a_state_that_cannot_be_written_does_not_stop_the_recording(path, tmp_path):
    state = tmp_path / "now.json"
    with Recorder(ECHO, path, "--state", str(state)) as recorder:
        recorder.say(b'{"id":1}\n')
        recorder.hear_line()
        until(state.exists)
        state.unlink()
        state.mkdir()  # a directory cannot be replaced by a file
        _, err = recorder.end(b'{"id":2}\n')
        assert recorder.code == 0
        assert [message["id"] for message in recorder.said_by("agent")] == [1, 2]
    assert warnings(err) == [f"acp-state record: {state}: Is a directory; the session goes on without it"]


def until(true):
    """Wait until *true*, which another process is about to make so."""
    end = time.monotonic() + LONG
    while not true():
        assert time.monotonic() < end
        os.sched_yield()


def children_of(process):
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_the_process_that_records_may_be_killed(path):
    if not Path("/proc/self/task").exists():
        pytest.skip("the processes of others cannot be looked up here")
    with Recorder("import os\nos.write(1, b'%d\\n' % os.getpid())\n" + ECHO, path) as recorder:
        agent = int(recorder.hear_line())
        (scribe,) = set(children_of(recorder.process.pid)) - {agent}
        os.kill(scribe, signal.SIGKILL)
        said = b"x" * 1_000_000
        out, err = recorder.end(said)
        assert out == said
        assert recorder.code == 0
    assert warnings(err) == ["acp-state record: the recorder was ended by SIGKILL; what came last is not recorded"]


def test_a_recording_that_nobody_takes_holds_nobody_up(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    agent = "import os\nfor _ in range(20):\n    os.write(1, b'[' + b'1,' * 30_000 + b'1]\\n')\nraise SystemExit(5)"
    command = (
        "from acp_state.recording import session\nsession.PATIENCE = 0.01\nfrom acp_state.cli import main\nimport sys\nsys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", command, "record", "-o", str(path), "--", sys.executable, "-c", agent],
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=LONG,
    )
    os.close(reader)
    assert done.returncode == 5
    assert len(done.stdout) == 20 * 60_004
    assert warnings(done.stderr) == ["acp-state record: the recorder gets on no more and was ended; what came last is not recorded"]


# --- arguments -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--"], "record needs the agent's command: acp-state record -o FILE -- AGENT ARG..."),
        (["--", "no-such-agent", "-x"], "the agent 'no-such-agent' is not found, or is no program"),
        (["--", __file__], f"the agent {__file__!r} is not found, or is no program"),
        (["-o", "no/such/file", "--", "cat"], "no/such/file: there is no directory no/such"),
        (["--state", "no/such/file", "--", "cat"], "no/such/file: there is no directory no/such"),
        (["-o", "-", "--", "cat"], "-o -: standard output is the agent's"),
        (["--state", ".", "--", "cat"], ".: Is a directory"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert main(["record", *arguments]) == 2
    assert capsys.readouterr() == ("", f"acp-state: {message}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("state", ["both.ndjson", "./both.ndjson", "symbolic", "hard"])
def test_the_recording_and_the_state_are_two_files(tmp_path, monkeypatch, capsys, state):
    monkeypatch.chdir(tmp_path)
    if state == "symbolic":
        Path(state).symlink_to("both.ndjson")
    if state == "hard":
        Path("both.ndjson").write_bytes(b"")
        Path(state).hardlink_to("both.ndjson")
    before = sorted(tmp_path.iterdir())
    assert main(["record", "-o", "both.ndjson", "--state", state, "--", "true"]) == 2
    assert capsys.readouterr() == ("", f"acp-state: {state}: --state and -o name one file, which cannot be both\n")
    assert sorted(tmp_path.iterdir()) == before


def test_a_program_of_no_format_is_said_in_one_line(tmp_path):
    agent = tmp_path / "agent"
    agent.write_bytes(b"\0")
    agent.chmod(0o755)
    done = subprocess.run([*COMMAND, "--", str(agent)], check=False, capture_output=True, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stderr.decode() == f"acp-state: the agent {str(agent)!r} cannot be started: Exec format error\n"
