"""Field cases, section C: tool calls, their order, identity and life cycle."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import bare, item, of_version, shows, text, v1, v2


# --- T-01 ------------------------------------------------------------------------------------------------


def test_T_01_update_for_an_unknown_id_shown_as_a_failed_call():
    transcript = v1()
    for number in range(1, 202):
        transcript.tool_update(f"beat-{number}", status="in_progress")
    document = transcript.fold(splits=(5, 100, 206))

    calls = document.timeline(type="tool_call")
    assert [call["id"] for call in calls] == [f"beat-{number}" for number in range(1, 202)]
    assert calls[0] == {
        "type": "tool_call",
        "id": "beat-1",
        "title": None,
        "kind": "other",
        "status": "in_progress",
        "content": [],
        "unannounced": True,
    }
    assert document.codes == ["unannounced-call"] * 201
    assert len(document.folded.diagnostics) < 30


def test_T_01_a_later_tool_call_introduces_it():
    document = v1().tool_update("beat-1", status="in_progress").tool_call("beat-1", "Beat").fold()

    assert document.tool("beat-1")["title"] == "Beat"
    assert document.tool("beat-1")["status"] == "in_progress"
    assert "unannounced" not in document.tool("beat-1")


def test_T_01_a_later_permission_introduces_it():
    document = v1().tool_update("beat-1", status="in_progress").permission(9, "beat-1").fold()

    assert "unannounced" not in document.tool("beat-1")


def test_T_01_in_v2_the_first_update_is_the_introduction():
    document = v2().tool_update("beat-1", status="in_progress").fold()

    assert document.tool("beat-1") == {
        "type": "tool_call",
        "id": "beat-1",
        "title": None,
        "kind": "other",
        "status": "in_progress",
        "content": [],
    }
    assert document.codes == []


# --- T-03 ------------------------------------------------------------------------------------------------


def test_T_03_tool_call_sent_twice_for_the_same_id():
    document = (
        v1()
        .tool_call("t1", "Shell")
        .agent_says("mid")
        .tool_update("t1", content=[item("x")])
        .tool_call("t1", "ls /w", rawInput={"cmd": "ls"})
        .fold()
    )

    assert document.story() == [("tool_call", "t1"), ("agent", "mid")]
    assert document.tool()["title"] == "ls /w"
    assert document.tool()["rawInput"] == {"cmd": "ls"}
    assert document.tool()["content"] == [item("x")]


def test_T_03_the_second_one_replaces_what_it_carries():
    document = (
        v1()
        .tool_call("t1", "A", kind="read", status="in_progress", content=[item("x")], locations=[{"path": "/a"}])
        .tool_call("t1", "B", content=[], locations=[])
        .fold()
    )

    assert document.tool() == {
        "type": "tool_call",
        "id": "t1",
        "title": "B",
        "kind": "read",
        "status": "in_progress",
        "content": [],
        "locations": [],
    }


def test_T_03_a_second_one_without_status_does_not_take_a_final_one_back():
    document = v1().prompt(1).tool_call("t1", status="completed").tool_call("t1", "Again").fold()

    assert document.tool()["status"] == "completed"
    assert document.tool()["title"] == "Again"
    assert document.codes == []


# --- T-04 ------------------------------------------------------------------------------------------------


def test_T_04_tool_call_before_any_assistant_text_is_dropped():
    document = v1().prompt(1).tool_call("t1", kind="read").tool_update("t1", status="completed").ends(1).fold()

    assert document.story() == [("user", "question"), ("tool_call", "t1")]
    assert document.tool()["turn"] == 0
    assert document.tool()["status"] == "completed"
    assert document.turn(1)["stopReason"] == "end_turn"


def test_T_04_the_same_in_v2():
    document = v2().state("running").tool_update("t1", kind="read").tool_update("t1", status="completed").state("idle").fold()

    assert document.story() == [("tool_call", "t1")]
    assert document.tool()["turn"] == 0


def test_T_04_without_a_prompt_it_is_kept_without_a_turn():
    document = v1().tool_call("t1").fold()

    assert document.story() == [("tool_call", "t1")]
    assert "turn" not in document.tool()


# --- T-05 ------------------------------------------------------------------------------------------------


def test_T_05_permission_request_names_a_tool_call_never_announced():
    document = (
        v1().prompt(1).permission(11, "t9", title="Edit a.txt", kind="edit").selects(11, "yes").tool_update("t9", status="completed").fold()
    )

    assert document.story() == [("user", "question"), ("tool_call", "t9"), ("permission", 11)]
    call = document.tool("t9")
    assert (call["title"], call["kind"], call["status"]) == ("Edit a.txt", "edit", "completed")
    assert "unannounced" not in call
    assert document.permission(11)["toolCallId"] == "t9"
    assert document.permission(11)["status"] == "selected"


def test_T_05_with_nothing_but_an_id_it_has_the_defaults():
    document = v1().permission(11, "t9").fold()

    call = document.tool("t9")
    assert (call["title"], call["kind"], call["status"], call["content"]) == (None, "other", "pending", [])


def test_T_05_in_v2_the_subject_makes_the_call():
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t9", "title": "Edit a.txt", "kind": "edit"}}
    document = v2().state("running").permission_v2(11, subject=subject).selects(11).tool_update("t9", status="completed").fold()

    assert document.story() == [("tool_call", "t9"), ("permission", 11)]
    assert document.tool("t9")["title"] == "Edit a.txt"
    assert document.permission(11)["toolCallId"] == "t9"


def test_T_05_in_v2_a_command_makes_no_call():
    subject = {"type": "command", "command": "ls", "cwd": "/w", "toolCallId": "t9"}
    document = v2().permission_v2(11, subject=subject).fold()

    assert document.story() == [("permission", 11)]
    assert document.permission(11)["subject"] == subject
    assert document.permission(11)["toolCallId"] == "t9"


# --- T-06 ------------------------------------------------------------------------------------------------


def test_T_06_open_tool_calls_spin_for_ever_after_cancel():
    transcript = v1().prompt(3).tool_call("t1", status="in_progress").tool_call("t2", status="completed").cancel()
    at_once = transcript.fold()
    in_the_end = transcript.ends(3, "cancelled").fold()

    for document in (at_once, in_the_end):
        assert document.tool("t1")["status"] == "cancelled"
        assert document.tool("t1")["cancelledByClient"] is True
        assert document.tool("t2")["status"] == "completed"
        assert "cancelledByClient" not in document.tool("t2")
    assert in_the_end.turn(3)["stopReason"] == "cancelled"
    assert "unresolved" not in in_the_end.tool("t1")


@pytest.mark.parametrize("status", ["pending", "in_progress", "paused"])
def test_T_06_whatever_open_status_they_have(status):
    document = v2().state("running").tool_update("t1", status=status).cancel().fold()

    assert document.tool()["status"] == "cancelled"


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_T_06_a_late_final_status_wins(status):
    document = v1().prompt(3).tool_call("t1").cancel().tool_update("t1", status=status).ends(3, "cancelled").fold()

    assert document.tool()["status"] == status
    assert "cancelledByClient" not in document.tool()


def test_T_06_a_call_of_an_earlier_turn_is_left_alone():
    document = v1().prompt(1).tool_call("t1").ends(1).prompt(2).tool_call("t2").cancel().fold()

    assert document.tool("t1")["status"] == "pending"
    assert document.tool("t2")["status"] == "cancelled"


# --- T-08 ------------------------------------------------------------------------------------------------


def test_T_08_tool_never_gets_a_final_status_turn_ended_normally():
    document = (
        v1()
        .prompt(3)
        .tool_call("t1", status="in_progress")
        .tool_update("t1", status="in_progress", content=[item("all done")])
        .ends(3)
        .fold()
    )

    assert document.turn(3)["status"] == "ended"
    assert document.session()["activity"] == "idle"
    assert document.tool()["status"] == "in_progress"
    assert document.tool()["unresolved"] is True
    assert document.tool()["content"] == [item("all done")]


def test_T_08_when_the_turn_fails_too():
    document = v1().prompt(3).tool_call("t1").agent_fails(3).fold()

    assert document.tool()["status"] == "pending"
    assert document.tool()["unresolved"] is True


def test_T_08_when_v2_goes_idle_too():
    document = v2().state("running").tool_update("t1", status="paused").state("idle", stopReason="end_turn").fold()

    assert document.tool()["status"] == "paused"
    assert document.tool()["unresolved"] is True


def test_T_08_a_late_final_status_clears_the_mark():
    document = v1().prompt(3).tool_call("t1").ends(3).tool_update("t1", status="completed").fold()

    assert document.tool()["status"] == "completed"
    assert "unresolved" not in document.tool()


def test_T_08_a_late_status_that_is_not_final_does_not():
    document = v1().prompt(3).tool_call("t1").ends(3).tool_update("t1", status="in_progress").fold()

    assert document.tool()["status"] == "in_progress"
    assert document.tool()["unresolved"] is True


# --- T-09 ------------------------------------------------------------------------------------------------


def straggling(**update):
    return (
        v1()
        .prompt(1)
        .tool_call("t1")
        .tool_update("t1", status="completed", content=[item("r")])
        .tool_update("t1", **update)
        .fold()
    )  # fmt: skip


def test_T_09_straggler_moves_completed_back_to_in_progress():
    document = straggling(status="in_progress", title="Run tests")

    assert document.tool()["status"] == "completed"
    assert document.tool()["title"] == "Run tests"
    assert document.tool()["content"] == [item("r")]
    assert document.codes == ["status-regression"]


def test_T_09_a_later_final_status_is_taken():
    document = straggling(status="failed")

    assert document.tool()["status"] == "failed"
    assert document.codes == []


@pytest.mark.parametrize("status", ["pending", "in_progress", "paused", "_queued"])
def test_T_09_no_status_that_is_not_final_takes_it_back(status):
    document = straggling(status=status)

    assert document.tool()["status"] == "completed"
    assert "status-regression" in document.codes


def test_T_09_a_repeated_tool_call_does_not_either():
    document = v1().prompt(1).tool_call("t1", status="failed").tool_call("t1", "New", status="pending").fold()

    assert document.tool()["status"] == "failed"
    assert document.tool()["title"] == "New"
    assert document.codes == ["status-regression"]


def test_T_09_nor_does_a_permission():
    document = v1().prompt(1).tool_call("t1", status="completed").permission(9, "t1", status="pending", title="Again?").fold()

    assert document.tool()["status"] == "completed"
    assert document.tool()["title"] == "Again?"
    assert document.codes == ["status-regression"]


def test_T_09_in_v2_the_value_replaces_with_a_diagnostic():
    document = v2().tool_update("t1", status="completed").tool_update("t1", status="in_progress").fold()

    assert document.tool()["status"] == "in_progress"
    assert document.codes == ["status-regression"]


# --- T-11 ------------------------------------------------------------------------------------------------


def test_T_11_same_tool_id_in_two_sessions_mixes_state():
    document = (
        v1("s-1")
        .new("s-2")
        .tool_call("call_0", "A", status="completed")
        .tool_call("call_0", "B", "s-2", status="pending")
        .tool_update("call_0", "s-2", status="in_progress")
        .fold()
    )

    assert (document.tool("call_0", "s-1")["title"], document.tool("call_0", "s-1")["status"]) == ("A", "completed")
    assert (document.tool("call_0", "s-2")["title"], document.tool("call_0", "s-2")["status"]) == ("B", "in_progress")


def test_T_11_nor_do_messages_mix():
    document = v2("s-1").new("s-2").agent_says("a", "m").agent_says("b", "m", "s-2").agent_says("c", "m").fold()

    assert document.story("s-1") == [("agent", "ac")]
    assert document.story("s-2") == [("agent", "b")]


def test_T_11_nor_do_terminals_mix():
    document = (
        v2("s-1")
        .new("s-2")
        .update("terminal_update", terminalId="k", command="a")
        .update("terminal_update", "s-2", terminalId="k", command="b")
        .fold()
    )

    assert document.terminal("k", "s-1")["command"] == "a"
    assert document.terminal("k", "s-2")["command"] == "b"


# --- T-12 ------------------------------------------------------------------------------------------------


def reused():
    return (
        v1()
        .prompt(1, "one")
        .tool_call("exec_0", "ls", status="completed")
        .ends(1)
        .prompt(2, "two")
        .tool_call("exec_0", "pwd", status="pending")
    )  # fmt: skip


def test_T_12_tool_id_reused_in_a_later_turn_of_the_same_session():
    document = reused().tool_update("exec_0", status="completed").fold()

    older, newer = document.tools("exec_0")
    assert (older["title"], older["status"], older["turn"]) == ("ls", "completed", 0)
    assert (newer["title"], newer["status"], newer["turn"]) == ("pwd", "completed", 1)
    assert document.codes == ["call-id-reused"]


def test_T_12_a_permission_means_the_newest():
    document = reused().permission(9, "exec_0", title="pwd?").fold()

    assert [call["title"] for call in document.tools("exec_0")] == ["ls", "pwd?"]


def test_T_12_in_the_same_turn_it_is_the_same_call():
    document = v1().prompt(1).tool_call("exec_0", "ls", status="completed").tool_call("exec_0", "pwd").fold()

    assert document.tool("exec_0")["title"] == "pwd"
    assert "call-id-reused" not in document.codes


def test_T_12_one_that_is_not_final_is_the_same_call_in_a_later_turn():
    document = v1().prompt(1).tool_call("exec_0", "ls").ends(1).prompt(2).tool_call("exec_0", "pwd").fold()

    assert document.tool("exec_0")["title"] == "pwd"
    assert document.tool("exec_0")["turn"] == 0


def test_T_12_an_update_opens_no_new_one():
    document = v1().prompt(1).tool_call("exec_0", "ls", status="completed").ends(1).prompt(2).tool_update("exec_0", title="pwd").fold()

    assert document.tool("exec_0")["title"] == "pwd"


def test_T_12_in_a_replay_a_user_message_begins_the_next_turn():
    document = (
        bare()
        .initialize(1)
        .load(2)
        .user_says("one", "u-1")
        .tool_call("exec_0", "ls", status="completed")
        .user_says("two", "u-2")
        .tool_call("exec_0", "pwd", status="completed")
        .agent_answers(2, {})
        .fold()
    )

    assert [call["title"] for call in document.tools("exec_0")] == ["ls", "pwd"]


# --- T-13 ------------------------------------------------------------------------------------------------


def test_T_13_one_logical_call_reported_under_two_ids():
    document = (
        v1()
        .prompt(1)
        .tool_call("a-1", "Search", status="pending")
        .tool_call("b-2", "Search", status="in_progress")
        .tool_update("b-2", status="completed")
        .ends(1)
        .fold()
    )

    assert document.tool("a-1")["status"] == "pending"
    assert document.tool("a-1")["unresolved"] is True
    assert document.tool("b-2")["status"] == "completed"
    assert "unresolved" not in document.tool("b-2")


def test_T_13_equal_input_does_not_make_them_one_either():
    document = v1().tool_call("a", "S", rawInput={"q": 1}).tool_call("b", "S", rawInput={"q": 1}).fold()

    assert document.story() == [("tool_call", "a"), ("tool_call", "b")]


@pytest.mark.parametrize("other", ["T1", "t1 ", "t01", ""])
def test_T_13_ids_are_compared_as_they_are(other):
    document = v1().tool_call("t1").tool_call(other).fold()

    assert document.story() == [("tool_call", "t1"), ("tool_call", other)]


# --- T-15 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_T_15_terminal_content_item_with_empty_terminal_id(version):
    document = of_version(version).tool_update("t1", status="completed", content=[shows(""), item("ok")]).fold()

    assert document.tool()["status"] == "completed"
    assert item("ok") in document.tool()["content"]
    assert document.tool()["content"] in ([shows(""), item("ok")], [item("ok")])
    assert "terminals" not in document.session()


@pytest.mark.parametrize(
    "reference", [{"type": "terminal"}, {"type": "terminal", "terminalId": None}, {"type": "terminal", "terminalId": 5}]
)
def test_T_15_a_reference_that_is_none_is_skipped(reference):
    document = v1().tool_call("t1", content=[reference, item("ok")]).fold()

    assert document.tool()["content"] == [item("ok")]
    assert document.codes == ["skipped-item"]


def test_T_15_a_reference_alone_makes_no_terminal():
    document = v1().tool_call("t1", content=[shows("x1"), {"type": "content", "content": text("ok")}]).fold()

    assert document.tool()["content"] == [shows("x1"), item("ok")]
    assert "terminals" not in document.session()
