"""What an agent sent never reaches the terminal as control sequences, whatever looks at it."""

from __future__ import annotations

import json

import pytest

from acp_state.cli import COMMANDS

from support.shell import controls
from support.transcripts import v1


CALLED = {
    "fold": [
        ["fold", "{}"],
        ["fold", "{}", "--format", "text"],
        ["fold", "{}", "--format", "yaml"],
        ["fold", "{}", "--diagnostics=json"],
        ["fold", "{}", "--session", "{evil}"],
        ["fold", "{}", "--session", "none"],
        ["fold", "{}", "--select", "/{evil}"],
        ["fold", "{}", "--follow", "--until", "20"],
        ["fold", "{}", "--follow", "--until", "20", "--format", "text"],
        ["fold", "{}", "--from", "{}"],
    ],
    "normalize": [["normalize", "{}"], ["normalize", "{}", "{}", "--session", "{evil}"]],
    "trace": [
        ["trace", "{}"],
        ["trace", "{}", "{}", "--format", "json"],
        ["trace", "{}", "--entry", "{evil}"],
        ["trace", "{}", "--entry", "{evil}!"],
    ],
    "check": [["check", "{}"], ["check", "{}", "--format", "json"], ["check", "{}", "--format", "github"]],
    "convert": [["convert", "{}"], ["convert", "{}", "{}", "--to", "jsonrpc"]],
    "diff": [
        ["diff", "{}", "{}.other"],
        ["diff", "{}", "{}.other", "--format", "json"],
        ["diff", "{}", "{}.other", "--session", "{evil}!"],
        ["diff", "{}", "{}.other", "--mask", "{evil}"],
    ],
    "golden": [["golden", "{}"], ["golden", "{}", "--update"], ["golden", "{evil}"]],
    "redact": [["redact", "{}"], ["redact", "{evil}"]],
    "record": [["record", "--", "{evil}"]],  # what it hands on is the agent's, byte for byte, to the client
    "schema": [["schema"]],
    "show": [["show", "{}"], ["show", "{}", "--plain"], ["show", "{}", "--session", "none"], ["show", "{}", "--html", "-"]],
    "stats": [["stats", "{}"], ["stats", "{}", "--format", "csv"], ["stats", "{}", "--format", "json"], ["stats", "{}", "{}.none"]],
}
"""Ways to call each command on a hostile recording; `{}` is its path, `{evil}` what it is full of."""

EVIL = (
    "\x1b[2J\x1b[31m\x1b]0;title\x07\x1b]8;;http://example.test\x1b\\link\x1b]8;;\x1b\\"
    "\x1bP$q\x1b\\\x1b[6n\x9b31m\x9d52;c;aGk=\x9c\x90q\x9c"
    "\r\b\x00\x7f\x85\x0b\x0c\u2028\u2029\x1b"
)


def hostile() -> list[bytes]:
    """Return a recording that has the worst in each place that an agent fills."""
    evil = v1(EVIL, modes={"currentModeId": EVIL, "availableModes": [{"id": EVIL, "name": EVIL}]})
    evil.initialize(agentInfo={"name": EVIL, "title": EVIL, "version": EVIL}, authMethods=[{"id": EVIL, "name": EVIL}])
    evil.prompt(EVIL, EVIL).agent_thinks(EVIL).agent_says(EVIL, EVIL).agent_says({"type": EVIL, EVIL: EVIL}).agent_says(EVIL + "\n" + EVIL)
    evil.tool_call(EVIL, EVIL, kind=EVIL, status=EVIL, rawInput={EVIL: [EVIL]}, locations=[{"path": EVIL}])
    evil.tool_update(EVIL, content=[{"type": "diff", "path": EVIL, "oldText": EVIL, "newText": EVIL}], _meta={EVIL: EVIL})
    evil.tool_update(EVIL, content=[{"type": "terminal", "terminalId": EVIL}])
    evil.update("tool_call_update", toolCallId="late", _meta={"terminal_info": {"terminal_id": EVIL}})
    evil.update("tool_call_update", toolCallId="late", _meta={"terminal_output": {"terminal_id": EVIL, "data": EVIL}})
    evil.permission(EVIL, EVIL, [{"optionId": EVIL, "name": EVIL, "kind": EVIL}]).selects(EVIL, EVIL)
    evil.form(EVIL, {EVIL: {"type": "string", "title": EVIL}}, message=EVIL).replies(EVIL, content={EVIL: EVIL})
    evil.url("u", EVIL, url=EVIL)
    evil.update("plan", entries=[{"content": EVIL, "priority": EVIL, "status": EVIL}])
    evil.update("available_commands_update", availableCommands=[{"name": EVIL, "description": EVIL, "input": {"hint": EVIL}}])
    evil.update("session_info_update", title=EVIL, updatedAt=EVIL)
    evil.update("usage_update", used=1, size=2, cost={"amount": 1, "currency": EVIL})
    evil.update(EVIL, **{EVIL: EVIL})
    evil.agent_tells(EVIL, **{EVIL: EVIL}).agent_asks("x", EVIL, a=EVIL).agent_asks_session("f", "fs/read_text_file", path=EVIL)
    evil.agent_fails(EVIL, message=EVIL, data={EVIL: EVIL}).agent_answers(EVIL, {EVIL: EVIL})
    evil.client_asks("n", "session/new", cwd=EVIL).agent_fails("n", message=EVIL)
    raw = EVIL.encode("utf-8", "surrogatepass")
    evil.line(raw.replace(b"\n", b"")).line(b'{"' + raw.replace(b"\n", b"")).line(json.dumps({EVIL: EVIL})).line(b"\x1b[31m\xff\xfe\x9b")
    return evil.lines("jsonrpc")


def test_every_command_is_tried():
    assert CALLED.keys() == set(COMMANDS), "say in CALLED how the command is called"


@pytest.mark.parametrize("argv", [argv for name in COMMANDS for argv in CALLED.get(name, [])], ids=" ".join)
@pytest.mark.parametrize("terminal", [False, True], ids=["piped", "on a terminal"])
def test_no_control_sequence_comes_through(argv, terminal, shell, tmp_path, monkeypatch):
    path = tmp_path / "evil\x1b[31m.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in hostile()))
    path.with_name(path.name + ".other").write_bytes(b"".join(line + b"\n" for line in hostile()[:-8]))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("CI", raising=False)
    if terminal:
        shell.on_terminal("stdout", "stderr")
    ran = shell(*(part.replace("{}", str(path)).replace("{evil}", EVIL) for part in argv))
    assert ran.code in (0, 1, 2)
    assert ran.out + ran.err != ""
    assert controls(ran.out.replace("\x1b[H\x1b[2J", "") if terminal else ran.out, coloured=terminal) == []  # but for our own
    assert controls(ran.err, coloured=terminal) == []


def test_the_recording_is_as_hostile_as_it_looks(shell, tmp_path):
    path = tmp_path / "evil.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in hostile()))
    document = json.loads(shell("fold", path).out)
    session = document["sessions"][EVIL]
    assert {entry["type"] for entry in session["timeline"]} == {"message", "tool_call", "permission", "elicitation"}
    assert [entry["content"][0] for entry in session["timeline"] if entry.get("role") == "thought"] == [{"type": "text", "text": EVIL}]
    assert session["title"] == EVIL
    assert document["connection"]["agent"]["name"] == EVIL
