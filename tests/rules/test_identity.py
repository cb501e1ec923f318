"""SPEC 2: same object when nothing changed, unchanged branches shared; and what `fold` takes (SPEC 7)."""

from __future__ import annotations

import json

import pytest

from acp_state.document import dumps, loads
from acp_state.folding import fold

from support.transcripts import item, one_sided, text, v1, v2


def folded(transcript):
    return fold(b"\n".join(transcript.lines()) + b"\n")


def then(before, frame):
    """Fold one more frame, that *frame* adds to an empty transcript."""
    lines = frame(v1()).lines()[len(v1().lines()) :]
    return fold(b"\n".join(lines) + b"\n", from_=before)


# --- Same object when nothing changed ------------------------------------------------------------------------------------------


def lived():
    return (
        v1(modes={"currentModeId": "ask", "availableModes": []})
        .new("s-2")
        .agent_says("x", "m", "s-2")
        .update("usage_update", used=1, size=2)
        .update("session_info_update", title="T", _meta={"k": 1})
        .update("plan", entries=[{"content": "a", "priority": "low", "status": "pending"}])
        .update("available_commands_update", availableCommands=[{"name": "a", "description": "d"}])
        .update("plan_update", plan={"type": "markdown", "planId": "p", "content": "x"})
        .update("subagent_update", sessionId="child", title="C")
        .update("compaction_update", compactionId="c", status="completed", summary=[text("s")])
        .tool_call("t1", "W", kind="edit", status="completed", rawInput={"a": [1]}, content=[item("x")], locations=[{"path": "/a"}])
        .agent_says("x", "m")
    )


@pytest.mark.parametrize(
    "frame",
    [
        lambda t: t.update("usage_update", used=1, size=2),
        lambda t: t.update("session_info_update", title="T"),
        lambda t: t.update("session_info_update", _meta={"k": 1}),
        lambda t: t.update("session_info_update"),
        lambda t: t.update("plan", entries=[{"content": "a", "priority": "low", "status": "pending"}]),
        lambda t: t.update("available_commands_update", availableCommands=[{"name": "a", "description": "d"}]),
        lambda t: t.update("plan_update", plan={"type": "markdown", "planId": "p", "content": "x"}),
        lambda t: t.update("plan_removed", planId="q"),
        lambda t: t.update("subagent_update", sessionId="child", title="C"),
        lambda t: t.update("compaction_update", compactionId="c", status="completed", summary=[text("s")]),
        lambda t: t.update("current_mode_update", currentModeId="ask"),
        lambda t: t.tool_update("t1"),
        lambda t: t.tool_update("t1", title="W", status="completed", rawInput={"a": [1]}, content=[item("x")], locations=[{"path": "/a"}]),
        lambda t: t.tool_call("t1", "W", kind="edit"),
        lambda t: t.agent_says("", "m"),
        lambda t: t.agent_thinks(""),
        lambda t: t.update("usage_update", used=None, size=2),
        lambda t: t.agent_tells("session/update", sessionId="s-1", update={}),
        lambda t: t.agent_answers(99, {}),
        lambda t: t.agent_tells("$/cancel_request", requestId=99),
        lambda t: t.cancel(),
        lambda t: t.line("WARN"),
        lambda t: t.line(""),
    ],
)  # fmt: skip
def test_the_same_object_when_nothing_changed(frame):
    before = folded(lived())

    assert then(before, frame).snapshot is before.snapshot


@pytest.mark.parametrize(
    "frame",
    [
        lambda t: t.client_asks(9, "session/new", cwd="/w"),
        lambda t: t.client_asks_session(9, "session/set_mode", modeId="code"),
        lambda t: t.agent_asks(9, "_x"),
    ],
)
def test_a_request_that_takes_over_one_that_says_the_same(frame):
    before = then(folded(lived()), frame)
    after = then(before, frame)

    assert after.snapshot != before.snapshot or after.snapshot is before.snapshot
    assert [finding.code for finding in after.diagnostics] == ["id-reused"]


def cancelling(sender):
    return lambda t: t.tells(sender, "$/cancel_request", {"requestId": 1})


@pytest.mark.parametrize(
    ("start", "frame"),
    [
        (lambda: v1().prompt(1), cancelling("client")),
        (lambda: v2().prompt(1), cancelling("client")),
        (lambda: v1().permission(1), cancelling("agent")),
        (lambda: v2().form(1), cancelling("agent")),
        (lambda: v1().agent_asks(1, "elicitation/create", requestId=2, mode="form", message="?"), cancelling("agent")),
        (lambda: v1().agent_asks(1, "_x"), cancelling("agent")),
        (lambda: v1().prompt(1).tool_call("t1").permission(3), lambda t: t.cancel()),
        (lambda: v2().prompt(1).state("running").tool_update("t1").prompt(2), lambda t: t.cancel()),
    ],
    ids=["prompt", "prompt of v2", "permission", "elicitation", "elicitation of the connection", "extension", "cancel", "cancel in v2"],
)
def test_a_cancel_that_is_said_again(start, frame):
    transcript = frame(start())
    before = folded(transcript)
    after = fold(transcript.lines()[-1] + b"\n", from_=before)

    assert after.snapshot is before.snapshot


def test_an_answer_that_says_again_what_an_answer_said():
    def told():
        return one_sided(1).agent_says("x").agent_answers(8, {"sessionId": "s-1"})

    before = folded(told())
    after = fold(told().lines()[-1] + b"\n", from_=before)

    assert after.snapshot is before.snapshot


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_a_setup_that_is_asked_again_leaves_the_session_the_same_object(method):
    before = then(folded(lived()), lambda t: t.client_asks_session(8, method, cwd="/home"))
    after = then(before, lambda t: t.client_asks_session(9, method, cwd="/home"))

    assert after.snapshot.sessions["s-1"] is before.snapshot.sessions["s-1"]


def test_a_change_makes_another():
    before = folded(lived())
    after = then(before, lambda t: t.tool_update("t1", title="V"))

    assert after.snapshot is not before.snapshot
    assert after.snapshot != before.snapshot


# --- unchanged branches are shared between snapshots ----------------------------------------------------------------------------------


def test_unchanged_branches_are_shared():
    before = folded(lived())
    after = then(before, lambda t: t.agent_says("y", "m"))
    old, new = before.snapshot.sessions["s-1"], after.snapshot.sessions["s-1"]

    assert after.snapshot.connection is before.snapshot.connection
    assert after.snapshot.sessions["s-2"] is before.snapshot.sessions["s-2"]
    assert new is not old
    assert new.usage is old.usage
    assert new.plans is old.plans
    assert new.modes is old.modes
    assert [left is right for left, right in zip(old.timeline, new.timeline, strict=True)] == [True, True, False]


def test_the_older_snapshot_stays_what_it_was():
    before = folded(lived())
    printed = dumps(before)
    then(before, lambda t: t.agent_says("y", "m").tool_update("t1", title="V").update("usage_update", used=9, size=9))

    assert dumps(before) == printed


# --- `fold` takes bytes, or an iterable of lines or frames (SPEC 7) ----------------------------------------------------------------------


SESSION = v2().prompt(1).accepts(1, "u").user_message("u", "é\u2028😀").state("running").agent_says("x", "m").state("idle")


@pytest.mark.parametrize(
    "pieces",
    [
        lambda lines: b"\n".join(lines) + b"\n",
        b"\n".join,
        list,
        lambda lines: [line + b"\n" for line in lines],
        lambda lines: [line.decode() for line in lines],
        lambda lines: [line.decode() + "\n" for line in lines],
        lambda lines: (line for line in lines),
        lambda lines: [json.loads(line) for line in lines],
    ],
    ids=["bytes", "torn bytes", "lines", "lines with newlines", "text", "text with newlines", "a generator", "records"],
)  # fmt: skip
def test_whatever_it_takes_it_gives_the_same(pieces):
    lines = SESSION.lines()
    whole = fold(b"\n".join(lines) + b"\n")
    found = fold(pieces(lines))

    assert dumps(found) == dumps(whole)
    assert found.snapshot == whole.snapshot
    assert found.diagnostics == whole.diagnostics


def test_a_path_too(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"\n".join(SESSION.lines()))

    assert dumps(fold(path)) == dumps(fold(str(path))) == dumps(folded(SESSION))


def test_until_a_frame():
    lines = SESSION.lines()

    for count in range(len(lines)):
        assert fold(b"\n".join(lines), until=count).snapshot == fold(lines[: count + 1]).snapshot


@pytest.mark.parametrize("size", [1, 2, 7, 64])
def test_bytes_may_be_cut_anywhere(size):
    data = b"\n".join(SESSION.lines()) + b"\n"
    found = None
    for start in range(0, len(data), size * 40):
        found = fold(data[start : start + size * 40], from_=found and loads(dumps(found)))

    assert found.snapshot == folded(SESSION).snapshot
    assert found.wire == folded(SESSION).wire
