"""What every client asks of a snapshot, asked of folded recordings."""

from __future__ import annotations

import re

from pathlib import Path

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state import queries as q
from acp_state.containers import make_output
from acp_state.document import dumps, loads
from acp_state.folding import fold
from acp_state.golden import find
from acp_state.state import Message, Mode, Plan, PlanEntry, Session, Terminal, ToolCall, Usage

from strategies import conversations
from support.recordings import frames_of
from support.transcripts import bare, image, item, shows, text, v1, v2


GOLDEN = Path(__file__).parents[2] / "golden"
GOLDENS = find(["."], GOLDEN).goldens


def snapshot_of(transcript, **options):
    return transcript.fold(**options).folded.snapshot


def session_of(transcript, id="s-1", **options):
    return snapshot_of(transcript, **options).sessions[id]


def golden(name, id):
    (path,) = (golden.recording for golden in GOLDENS if golden.name == name)
    return fold(path).snapshot.sessions[id]


def asked(found):
    return [(one.session_id, one.request.id) for one in found]


# --- pending -----------------------------------------------------------------------------------------------


def two_sessions():
    """Two sessions that ask in turns; the connection asks in between."""
    return (
        v1()
        .client_asks("n2", "session/new", cwd="/", mcpServers=[])
        .agent_answers("n2", {"sessionId": "s-2"})
        .prompt(1)
        .prompt(2, session="s-2")
        .tool_call("t1", session="s-2")
        .permission(7, session="s-2")
        .form(8)
        .agent_asks(9, "elicitation/create", requestId="n2", mode="url", message="Sign in", url="https://a.example", elicitationId="e")
        .tool_call("t1")
        .permission(10)
        .form(11, session="s-2")
    )


def test_what_is_pending_is_told_oldest_first_over_all_sessions():
    snapshot = snapshot_of(two_sessions())

    assert asked(q.pending(snapshot)) == [("s-2", 7), ("s-1", 8), (None, 9), ("s-1", 10), ("s-2", 11)]
    assert asked(q.pending(snapshot, "s-1")) == [("s-1", 8), ("s-1", 10)]
    assert asked(q.pending(snapshot, "s-2")) == [("s-2", 7), ("s-2", 11)]


def test_what_was_answered_is_pending_no_more():
    snapshot = snapshot_of(two_sessions().selects(7).replies(9).client_answers(8, {"action": "decline"}))

    assert asked(q.pending(snapshot)) == [("s-1", 10), ("s-2", 11)]


def test_what_a_session_asks_without_ids_is_told_in_its_order():
    document = two_sessions().lines("snapshot")
    snapshot = fold(document).snapshot

    assert [one.session_id for one in q.pending(snapshot)] == ["s-2", "s-1", None, "s-1", "s-2"]
    assert {one.request.id for one in q.pending(snapshot)} == {None}


def test_what_waits_while_a_history_is_loaded_is_pending_still():
    transcript = v1().prompt(1).tool_call("t1").permission(7).load("l").user_says("earlier")

    assert asked(q.pending(snapshot_of(transcript))) == [("s-1", 7)]


def test_an_unknown_session_has_nothing_to_ask():
    with pytest.raises(KeyError):
        q.pending(fold([]).snapshot, "gone")


# --- work --------------------------------------------------------------------------------------------------


def test_an_idle_session_is_not_busy():
    work = q.work(session_of(v1()))

    assert not work.busy
    assert (work.activity, work.turns, work.calls, work.pending, work.background) == ("idle", (), (), (), ())


def test_a_busy_session_tells_with_what():
    work = q.work(session_of(v1().prompt(1).tool_call("a").tool_call("b", status="completed").tool_call("t1").permission(7)))

    assert work.busy
    assert work.activity == "requires_action"
    assert [turn.status for turn in work.turns] == ["running"]
    assert [call.id for call in work.calls] == ["a", "t1"]
    assert [request.id for request in work.pending] == [7]


def test_a_prompt_that_the_agent_has_not_taken_up_is_work():
    work = q.work(session_of(v2().prompt(1)))

    assert work.busy
    assert work.activity == "idle"
    assert [prompt.request_id for prompt in work.prompts] == [1]
    assert not q.work(session_of(v2().prompt(1).agent_fails(1))).busy


def test_a_session_that_is_loaded_is_busy():
    assert q.work(session_of(bare().initialize().load("l"))).loading
    assert q.work(session_of(bare().initialize().load("l"))).busy
    assert not q.work(session_of(bare().initialize().load("l").agent_answers("l", {}))).busy


def test_background_work_is_told_and_does_not_count_as_busy():
    background = [{"type": "tool_call", "toolCallId": "a"}]
    session = session_of(
        v2().state("running").tool_update("a", status="in_progress").state("idle", stopReason="end_turn", background=background)
    )
    work = q.work(session)

    assert work.background == tuple(background)
    assert [call.id for call in work.calls] == ["a"]
    assert not work.busy


def test_a_call_that_its_turn_left_behind_is_not_open():
    session = session_of(v1().prompt(1).tool_call("a").tool_call("b").ends(1).tool_call("c"))

    assert [call.id for call in q.open_calls(session)] == ["c"]


# --- why it stopped ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("transcript", "words"),
    [
        (v1(), None),
        (v1().prompt(1), None),
        (v1().prompt(1).ends(1), "finished"),
        (v1().prompt(1).ends(1, "max_tokens"), "ran out of tokens"),
        (v1().prompt(1).ends(1, "max_turn_requests"), "made as many requests as a turn may have"),
        (v1().prompt(1).ends(1, "refusal"), "refused to go on"),
        (v1().prompt(1).ends(1, "cancelled"), "cancelled"),
        (v1().prompt(1).ends(1, "_bored"), "_bored"),
        (v1().prompt(1).agent_fails(1, message="no such model"), "failed: no such model"),
        (v1().prompt(1).agent_fails(1, message=""), "failed"),
        (v1().prompt(1).agent_fails(1, -32800, "gone"), "cancelled"),
        (v1().prompt(1).ends(1).prompt(2), None),
        (v1().prompt(1).ends(1).load("l").user_says("earlier").agent_answers("l", {}), "finished"),
        (v2().state("running").state("idle", stopReason="end_turn"), "finished"),
        (v2().state("running").state("idle", stopReason="error", error={"code": 1, "message": "boom"}), "failed: boom"),
    ],
)
def test_why_it_stopped(transcript, words):
    assert q.stopped_because(session_of(transcript)) == words


# --- context -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usage", "percent"),
    [(None, None), (Usage(10, 0), None), (Usage(0, 0), None), (Usage(0, 10), 0), (Usage(5, 20), 25), (Usage(30, 20), 150)],
)
def test_context_used(usage, percent):
    assert q.context_used(Session(usage=usage)) == percent


def test_context_used_of_a_recording():
    assert q.context_used(session_of(v1().update("usage_update", used=53000, size=200000))) == 26.5


# --- modes -------------------------------------------------------------------------------------------------


MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask", "description": "first"}, {"id": "code", "name": "Code"}]}


def option(value, options, category="mode"):
    return {"id": "m", "name": "Mode", "category": category, "type": "select", "currentValue": value, "options": options}


def test_the_mode_of_a_session():
    session = session_of(v1(modes=MODES))

    assert q.effective_mode(session) == Mode("ask", "Ask", "first")
    assert [mode.id for mode in q.available_modes(session)] == ["ask", "code"]


def test_a_mode_that_was_not_offered_has_no_name():
    assert q.effective_mode(session_of(v1(modes=MODES).update("current_mode_update", currentModeId="odd"))) == Mode("odd")


def test_the_config_option_of_category_mode_comes_first():
    grouped = [{"group": "g", "name": "G", "options": [{"value": "plan", "name": "Plan", "description": "d"}]}]
    options = [option("x", [{"value": "x", "name": "X"}], "model"), option("plan", [{"value": "go", "name": "Go"}, *grouped])]
    session = session_of(v1(modes=MODES, configOptions=options))

    assert q.effective_mode(session) == Mode("plan", "Plan", "d")
    assert [mode.id for mode in q.available_modes(session)] == ["go", "plan"]


def test_a_session_without_modes_has_none():
    session = session_of(v1())

    assert q.effective_mode(session) is None
    assert q.available_modes(session) == ()


# --- texts -------------------------------------------------------------------------------------------------


def test_the_text_of_entries():
    transcript = (
        v1()
        .prompt(1, [text("look at "), image(), text("this")])
        .tool_call("a", content=[item("one"), shows("k"), item("two")])
        .agent_says("ok")
    )
    question, call, reply = session_of(transcript).timeline

    assert q.text_of(question) == "look at this"
    assert q.text_of(call) == "one\ntwo"
    assert q.text_of(reply) == "ok"


def test_the_text_of_a_compaction():
    session = session_of(v2().update("compaction_update", compactionId="c", status="completed", summary=[text("in short")]))

    assert [q.text_of(entry) for entry in session.timeline] == ["in short"]


def test_the_answer_is_what_the_agent_said_in_the_last_turn():
    transcript = v1().prompt(1).agent_says("old").ends(1)
    assert q.answer(session_of(transcript)) == "old"

    transcript.prompt(2).agent_thinks("hm").agent_says("first").tool_call("a").agent_says(
        "sub", _meta={"claudeCode": {"parentToolUseId": "a"}}
    )
    assert q.answer(session_of(transcript)) == "first"

    transcript.agent_says("second").ends(2)
    assert q.answer(session_of(transcript)) == "first\n\nsecond"
    assert q.answer(session_of(v1())) == ""


# --- terminals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "tail", "expected"),
    [
        (None, None, ""),
        (b"a\nb\nc\n", None, "a\nb\nc\n"),
        (b"a\nb\nc\n", 0, ""),
        (b"a\nb\nc\n", 1, "c\n"),
        (b"a\nb\nc\n", 2, "b\nc\n"),
        (b"a\nb\nc\n", 3, "a\nb\nc\n"),
        (b"a\nb\nc\n", 9, "a\nb\nc\n"),
        (b"a\nb\nc", 1, "c"),
        (b"a\nb\n\n", 1, "\n"),
        (b"", 1, ""),
        (b"\n", 1, "\n"),
        ("é\né".encode(), 1, "é"),
        ("é\né".encode()[:-1], 1, ""),
        (b"\xff\na\xff", 1, "a\ufffd"),
    ],
)
def test_what_a_terminal_printed(output, tail, expected):
    assert q.terminal_text(Terminal("k", "agent", output=None if output is None else make_output(output)), tail) == expected


@given(st.binary(max_size=30).map(lambda data: data.replace(b"\x00", b"\n")), st.integers(0, 5))
def test_a_tail_is_the_last_lines(data, tail):
    lines = re.findall(b"[^\n]*\n|[^\n]+", data)

    assert (
        q.terminal_text(Terminal("k", "agent", output=make_output(data)), tail)
        == make_output(b"".join(lines[len(lines) - min(tail, len(lines)) :])).text
    )


def test_a_terminal_is_found_whoever_runs_it():
    agents = session_of(v2().update("terminal_update", terminalId="k", command="ls", output={"data": "aGkK"}))
    clients = session_of(
        v1()
        .agent_asks_session(80, "terminal/create", command="ls")
        .client_answers(80, {"terminalId": "x"})
        .tool_call("a", content=[shows("x")])
    )

    assert q.find_terminal(agents, "k").owner == "agent"
    assert q.find_terminal(clients, "x").owner == "client"
    assert q.find_terminal(clients, "k") is None


# --- plans -------------------------------------------------------------------------------------------------


def plan(*statuses):
    return Plan(entries=tuple(PlanEntry(f"step {place}", "medium", status) for place, status in enumerate(statuses)))


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ((), (0, 0, None)),
        (("pending",), (0, 1, None)),
        (("completed", "in_progress", "in_progress", "pending"), (1, 4, "step 1")),
        (("completed", "cancelled", "_odd"), (1, 2, None)),
    ],
)
def test_how_far_a_plan_is(statuses, expected):
    progress = q.plan_progress(plan(*statuses))

    assert (progress.done, progress.total, progress.current and progress.current.content) == expected


def test_a_plan_that_is_no_list_has_no_progress():
    assert q.plan_progress(Plan(type="markdown", content="# todo")) is None


# --- files -------------------------------------------------------------------------------------------------


def touched(session):
    return {file.path: (file.how, file.changed) for file in q.files_touched(session)}


def test_files_of_calls_and_requests():
    session = session_of(
        v1()
        .prompt(1)
        .tool_call(
            "a", kind="read", locations=[{"path": "/a", "line": 3}, {"path": "/b"}, {"path": "/a", "line": 3}, {"path": "/a", "line": 9}]
        )
        .tool_call("b", kind="edit", content=[{"type": "diff", "path": "/a", "oldText": "x", "newText": "y"}])
        .tool_call("c", kind="edit", status="failed", locations=[{"path": "/c"}])
        .agent_asks_session(80, "fs/read_text_file", path="/d")
        .client_answers(80, {"content": ""})
        .agent_asks_session(81, "fs/write_text_file", path="/b", content="")
        .agent_asks_session(82, "fs/write_text_file", path="/e", content="")
        .client_fails(82)
    )

    assert q.files_touched(session) == (
        q.TouchedFile("/a", ("read", "edit"), (3, 9), ("a", "b"), changed=True),
        q.TouchedFile("/b", ("read", "write"), (), ("a",), changed=True),
        q.TouchedFile("/c", ("edit",), (), ("c",), changed=False),
        q.TouchedFile("/d", ("read",)),
    )


def test_files_of_v2_changes():
    changes = [
        {"operation": "add", "path": "/new"},
        {"operation": "move", "oldPath": "/from", "path": "/to"},
        {"operation": "copy", "oldPath": "/source", "path": "/copy"},
        {"operation": "_odd", "path": "/odd"},
    ]
    session = session_of(v2().tool_update("a", content=[{"type": "diff", "changes": changes}]))

    assert touched(session) == {
        "/new": (("add",), True),
        "/from": (("move",), True),
        "/to": (("move",), True),
        "/source": (("read",), False),
        "/copy": (("copy",), True),
        "/odd": (("_odd",), False),
    }


def test_files_of_a_whole_session():
    session = golden("v1-bug-fix-with-tests", "sess_7c1f")

    assert touched(session) == {
        "/home/ida/pagekit/pagekit/pager.py": (("read", "edit", "write"), True),
        "/home/ida/pagekit/tests/test_pager.py": (("edit",), True),
    }


# --- diffs -------------------------------------------------------------------------------------------------


def diff(old, new, path="/a.py"):
    return {"type": "diff", "path": path, "oldText": old, "newText": new}


def test_a_diff_in_unified_form():
    assert q.unified_diff(diff("a\nb\nc\n", "a\nB\nc\n")) == "--- /a.py\n+++ /a.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"


def test_a_new_file():
    assert q.unified_diff(diff(None, "a\n")) == "--- /dev/null\n+++ /a.py\n@@ -0,0 +1 @@\n+a\n"


def test_a_text_without_a_line_end():
    assert q.unified_diff(diff("a", "a\n")) == "--- /a.py\n+++ /a.py\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"


def test_less_context():
    assert q.unified_diff(diff("a\nb\nc\n", "a\nB\nc\n"), 0) == "--- /a.py\n+++ /a.py\n@@ -2 +2 @@\n-b\n+B\n"


def test_an_odd_path_forges_no_line():
    assert q.unified_diff(diff("", "a\n", '/a\n+++ "b\\é')).splitlines()[:2] == [
        r'--- "/a\012+++ \"b\\\303\251"',
        r'+++ "/a\012+++ \"b\\\303\251"',
    ]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (diff("a\n", "a\n"), ""),
        ({"type": "diff", "changes": [], "patch": {"format": "git_patch", "text": "diff --git /a /a\n"}}, "diff --git /a /a\n"),
        ({"type": "diff", "changes": [{"operation": "add", "path": "/a"}]}, None),
        ({"type": "diff", "changes": [], "patch": None}, None),
        ({"type": "content", "content": {"type": "text", "text": "a"}}, None),
        ({"type": "terminal", "terminalId": "k"}, None),
    ],
)
def test_what_a_diff_may_be_else(other, expected):
    assert q.unified_diff(other) == expected


def patched(old, text):
    """Return *old* with a unified diff applied, by a simple reading of the format."""
    lines = re.findall("[^\n]*\n|[^\n]+", old)
    new, place = [], 0
    body = re.findall("[^\n]*\n", text)[2:]
    for number, line in enumerate(body):
        if line.startswith("@@"):
            start, size = re.match(r"@@ -(\d+)(?:,(\d+))? ", line).groups()
            start = int(start) - (size != "0")
            new += lines[place:start]
            place = start
            continue
        if line.startswith("\\"):
            continue
        ends = number + 1 < len(body) and body[number + 1].startswith("\\")
        content = line[1:].removesuffix("\n") if ends else line[1:]
        if line[0] in " -":
            assert lines[place] == content
            place += 1
        if line[0] in " +":
            new.append(content)
    return "".join(new + lines[place:])


@given(st.text("ab\n\r\u2028", max_size=40), st.text("ab\n\r\u2028", max_size=40), st.integers(0, 3))
def test_a_diff_applied_to_the_old_text_makes_the_new(old, new, context):
    text = q.unified_diff(diff(old, new), context)

    assert patched(old, text) == new


# --- subagents ---------------------------------------------------------------------------------------------


def family():
    return fold(GOLDEN / "v2-subagents-and-session-messages.ndjson").snapshot


def test_children_and_their_children():
    snapshot = family()

    assert [session.id for session in q.children(snapshot, "lead")] == ["kid-1", "kid-2"]
    assert [session.id for session in q.subtree(snapshot, "lead")] == ["lead", "kid-1", "kid-2", "kid-3"]
    assert q.children(snapshot, "kid-1") == ()
    assert [session.id for session in q.subtree(snapshot, "kid-2")] == ["kid-2", "kid-3"]


def test_a_circle_of_subagents_ends():
    transcript = v2().update("subagent_update", sessionId="s-2").update("subagent_update", session="s-2", sessionId="s-1")

    assert [session.id for session in q.subtree(snapshot_of(transcript), "s-1")] == ["s-1", "s-2"]


def test_what_came_out_of_a_call_stands_below_it():
    def below(call):
        return {"_meta": {"claudeCode": {"parentToolUseId": call}}}

    session = session_of(
        v1()
        .prompt(1)
        .tool_call("task")
        .agent_says("from below", **below("task"))
        .tool_call("inner", **below("task"))
        .agent_says("from further below", **below("inner"))
        .agent_says("from above")
    )

    assert [getattr(entry, "id", None) or entry.text for entry in q.entries_below(session, "task")] == [
        "from below",
        "inner",
        "from further below",
    ]
    assert q.entries_below(session, "gone") == ()


# --- what holds of any snapshot ----------------------------------------------------------------------------


def everything(snapshot):
    """Ask everything, and return what does not depend on what going on needs."""
    found = [asked(q.pending(snapshot))]
    for id, session in snapshot.sessions.items():
        work = q.work(session)
        calls = [entry for entry in session.timeline if isinstance(entry, ToolCall)]
        found += [
            asked(q.pending(snapshot, id)),
            (work.busy, work.activity, work.loading, len(work.turns), len(work.prompts), work.background),
            [call.id for call in q.open_calls(session)],
            q.stopped_because(session),
            q.context_used(session),
            q.effective_mode(session),
            q.available_modes(session),
            [q.text_of(entry) for entry in session.timeline if isinstance(entry, (Message, ToolCall))],
            q.answer(session),
            [(q.terminal_text(terminal), q.terminal_text(terminal, 2)) for terminal in session.terminals],
            [q.find_terminal(session, terminal.id).id for terminal in session.terminals],
            [q.plan_progress(plan) for plan in session.plans],
            q.files_touched(session),
            [q.unified_diff(item) for call in calls for item in call.content],
            [child.id for child in q.subtree(snapshot, id)],
            [len(q.entries_below(session, call.id)) for call in calls],
        ]
    return found


def check(folded):
    found = everything(folded.snapshot)

    # A client that goes on from a saved state asks the same and hears the same.
    assert everything(loads(dumps(folded)).snapshot) == found
    states = [
        entry.status
        for session in folded.snapshot.sessions.values()
        for entry in session.timeline
        if entry.type in ("permission", "elicitation")
    ]
    states += [elicitation.status for elicitation in folded.snapshot.connection.elicitations]
    before = [session.before._pending for session in folded.snapshot.sessions.values() if session.before is not None]
    assert len(found[0]) == states.count("pending") + sum(map(len, before))


@pytest.mark.parametrize("path", [pytest.param(golden.recording, id=golden.name) for golden in GOLDENS])
def test_everything_is_answered_of_every_golden(path):
    check(fold(path))


@given(conversations())
def test_everything_is_answered_of_any_session(conversation):
    check(fold(frames_of(conversation)))
