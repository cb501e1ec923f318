"""Field cases, section E: turn end, cancel, responses, errors."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import v1, v2


# --- E-01 ------------------------------------------------------------------------------------------------


def test_E_01_last_chunks_arrive_after_the_prompt_response_and_are_lost():
    document = v1().prompt(3).agent_says("Hel", "m").ends(3).agent_says("lo", "m").fold()

    assert document.messages() == [("user", "question"), ("agent", "Hello")]
    assert document.turn(3) == {"status": "ended", "prompts": [{"requestId": 3}], "stopReason": "end_turn"}
    assert document.message("m")["turn"] == 0
    assert document.codes == ["late-update"]


def test_E_01_without_an_id_they_are_a_message_of_no_turn():
    document = v1().prompt(3).agent_says("Hel").ends(3).agent_says("lo").fold()

    assert document.messages() == [("user", "question"), ("agent", "Hel"), ("agent", "lo")]
    assert "turn" not in document.last()


def test_E_01_late_tool_updates_are_folded():
    document = v1().prompt(3).tool_call("t1").ends(3).tool_update("t1", status="completed", title="Done").fold()

    assert (document.tool()["title"], document.tool()["status"]) == ("Done", "completed")
    assert len(document.turns()) == 1


def test_E_01_in_v2_after_idle():
    document = v2().state("running").agent_says("Hel", "m").state("idle", stopReason="end_turn").agent_says("lo", "m").fold()

    assert document.messages() == [("agent", "Hello")]
    assert document.session()["activity"] == "idle"
    assert document.turns() == [{"status": "ended", "stopReason": "end_turn"}]


# --- E-03 ------------------------------------------------------------------------------------------------


def test_E_03_text_or_banner_with_no_prompt_open():
    document = v1().agent_says("agent v0").update("usage_update", used=1, size=9).fold()

    assert document.messages() == [("agent", "agent v0")]
    assert "turn" not in document.last()
    assert document.session()["usage"] == {"used": 1, "size": 9}
    assert document.session()["activity"] == "idle"
    assert document.turns() == []


@pytest.mark.parametrize("state", [None, "idle"])
def test_E_03_in_v2_too(state):
    transcript = v2()
    if state:
        transcript.state(state)
    document = transcript.agent_says("agent v0", "m").tool_update("t1", status="in_progress").fold()

    assert document.story() == [("agent", "agent v0"), ("tool_call", "t1")]
    assert not any("turn" in entry for entry in document.timeline())
    assert document.session()["activity"] == "idle"
    assert document.turns() == []


def test_E_03_between_two_turns_it_belongs_to_neither():
    document = v1().prompt(1, "a").ends(1).agent_says("banner").prompt(2, "b").ends(2).fold()

    assert [entry.get("turn") for entry in document.timeline()] == [0, None, 1]


# --- E-04 ------------------------------------------------------------------------------------------------


def test_E_04_second_response_for_the_same_request():
    document = (
        v1()
        .prompt(3, "a")
        .cancel()
        .ends(3, "cancelled")
        .prompt(4, "b")
        .ends(3, "end_turn")
        .agent_says("x")
        .ends(4, "end_turn")
        .fold()
    )  # fmt: skip

    assert document.turn(3)["stopReason"] == "cancelled"
    assert document.turn(4)["stopReason"] == "end_turn"
    assert document.last()["turn"] == 1
    assert document.codes == ["unmatched-answer"]


def test_E_04_an_error_after_the_answer_changes_nothing():
    transcript = v1().prompt(3).ends(3, usage={"totalTokens": 3, "inputTokens": 1, "outputTokens": 2})
    before = transcript.fold().session()

    document = transcript.agent_fails(3).fold()
    assert document.session() == before
    assert document.codes == ["unmatched-answer"]


def test_E_04_an_answer_after_the_error_changes_nothing():
    transcript = v1().prompt(3).agent_fails(3)
    before = transcript.fold().session()

    document = transcript.ends(3).fold()
    assert document.session() == before
    assert document.codes == ["unmatched-answer"]


def test_E_04_a_repeated_setup_answer_changes_nothing():
    transcript = v1().update("session_info_update", title="now")
    before = transcript.fold().sessions

    document = transcript.agent_answers("new-1", {"sessionId": "s-9"}).fold()
    assert document.sessions == before
    assert document.codes == ["unmatched-answer"]


# --- E-06 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "refusal", "cancelled", "_shrug"])
def test_E_06_cancel_answered_with_another_reason(reason):
    document = v1().prompt(3).tool_call("t1", status="in_progress").cancel().ends(3, reason).fold()

    assert document.turn(3)["stopReason"] == reason
    assert document.turn(3)["cancelRequested"] is True
    assert document.tool()["status"] == "cancelled"


def test_E_06_cancel_answered_with_an_error():
    document = v1().prompt(3).tool_call("t1", status="in_progress").cancel().agent_fails(3, -32603).fold()

    assert document.turn(3)["status"] == "failed"
    assert document.turn(3)["cancelRequested"] is True
    assert document.tool()["status"] == "cancelled"


def test_E_06_in_v2():
    document = v2().state("running").tool_update("t1", status="in_progress").cancel().state("idle", stopReason="end_turn").fold()

    assert document.turns() == [{"status": "ended", "stopReason": "end_turn", "cancelRequested": True}]
    assert document.tool()["status"] == "cancelled"


# --- E-07 ------------------------------------------------------------------------------------------------


def test_E_07_cancelled_without_any_cancel():
    document = v1().prompt(3).agent_says("full answer").tool_call("t1", status="in_progress").ends(3, "cancelled").fold()

    assert document.messages() == [("user", "question"), ("agent", "full answer")]
    assert document.turn(3) == {"status": "ended", "prompts": [{"requestId": 3}], "stopReason": "cancelled"}
    assert document.tool()["status"] == "in_progress"
    assert document.tool()["unresolved"] is True


def test_E_07_in_v2():
    document = v2().state("running").tool_update("t1").state("idle", stopReason="cancelled").fold()

    assert document.turns() == [{"status": "ended", "stopReason": "cancelled"}]
    assert document.tool()["status"] == "pending"
    assert document.tool()["unresolved"] is True


def test_E_07_a_cancelled_error_is_a_cancelled_turn_nobody_asked_for():
    document = v1().prompt(3).tool_call("t1").agent_fails(3, -32800, "stopped").fold()

    assert document.turn(3) == {
        "status": "ended",
        "prompts": [{"requestId": 3}],
        "stopReason": "cancelled",
        "error": {"code": -32800, "message": "stopped"},
    }
    assert document.tool()["unresolved"] is True


# --- E-09 ------------------------------------------------------------------------------------------------


def test_E_09_prompt_fails_in_mid_turn():
    document = (
        v1()
        .prompt(5)
        .agent_says("par")
        .tool_call("t1", status="in_progress")
        .permission(23, "t1")
        .agent_fails(5, -32603, "boom", data={"why": "x"})
        .fold()
    )

    assert document.turn(5) == {
        "status": "failed",
        "prompts": [{"requestId": 5}],
        "error": {"code": -32603, "message": "boom", "data": {"why": "x"}},
    }
    assert document.messages() == [("user", "question"), ("agent", "par")]
    assert document.tool()["unresolved"] is True
    assert document.permission(23)["status"] == "unanswered"
    assert document.session()["activity"] == "idle"


def test_E_09_an_elicitation_is_unanswered_too():
    document = v1().prompt(5).form(23).agent_fails(5).fold()

    assert document.elicitation(23)["status"] == "unanswered"
    assert document.elicitation(23)["answerOwed"] is True


def test_E_09_what_was_answered_before_stays_answered():
    document = v1().prompt(5).permission(23).selects(23).agent_fails(5).fold()

    assert document.permission(23)["status"] == "selected"


def test_E_09_the_answer_that_still_comes_replaces_it():
    document = v1().prompt(5).permission(23).agent_fails(5).selects(23, "no").fold()

    assert document.permission(23)["status"] == "selected"
    assert document.permission(23)["decision"] == "reject_once"
    assert "answerOwed" not in document.permission(23)


def test_E_09_in_v2_an_idle_for_an_error_fails_the_turn():
    error = {"code": -32603, "message": "boom"}
    document = (
        v2()
        .state("running")
        .tool_update("t1")
        .permission_v2(23)
        .state("requires_action")
        .state("idle", stopReason="error", error=error)
        .fold()
    )

    assert document.turns() == [{"status": "failed", "stopReason": "error", "error": error}]
    assert document.permission(23)["status"] == "unanswered"
    assert document.tool()["unresolved"] is True


# --- E-10 ------------------------------------------------------------------------------------------------


def test_E_10_prompt_never_answered():
    document = v1().prompt(5).agent_says("all good, bye").fold()

    assert document.turn(5) == {"status": "running", "prompts": [{"requestId": 5}]}
    assert document.session()["activity"] == "running"
    assert document.open_requests() == [("client", 5)]


def test_E_10_in_v2_a_session_runs_until_it_is_idle():
    document = v2().prompt(5).accepts(5, "u").user_message("u", "question").state("running").agent_says("bye", "m").fold()

    assert document.session()["activity"] == "running"
    assert document.turns()[0]["status"] == "running"


def test_E_10_nor_does_a_seen_exit_end_it():
    document = v1().prompt(5).line('{"t":9,"exit":{"status":"error"}}').fold()

    assert document.connection["exit"] == {"status": "error"}
    assert document.turn(5)["status"] == "running"


# --- E-12 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", [None, {}, {"stopReason": None}, {"stopReason": 7}, [], "end_turn"], ids=repr)
def test_E_12_v1_prompt_result_without_stop_reason(result):
    document = v1().prompt(5).agent_answers(5, result).fold()

    assert document.turn(5) == {"status": "ended", "prompts": [{"requestId": 5}]}
    assert "stopReason" not in document.session()
    assert document.session()["activity"] == "idle"
    assert "unreadable-field" in document.codes


def test_E_12_what_else_can_be_read_of_it_counts():
    usage = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}
    document = v1().prompt(5).agent_answers(5, {"usage": usage, "_meta": {"k": 1}}).fold()

    assert document.turn(5)["usage"] == usage
    assert document.turn(5)["_meta"] == {"k": 1}
    assert "stopReason" not in document.turn(5)


# --- E-14 ------------------------------------------------------------------------------------------------


def test_E_14_v2_accept_response_taken_for_turn_end():
    transcript = v2().prompt(2)
    assert transcript.accepts(2).fold().pending_prompts()[0]["accepted"] is True

    running = transcript.state("running").agent_says("x", "m").fold()
    assert running.session()["activity"] == "running"
    assert [turn["status"] for turn in running.turns()] == ["running"]

    document = transcript.state("idle", stopReason="end_turn").fold()
    assert document.session()["activity"] == "idle"
    assert [turn["status"] for turn in document.turns()] == ["ended"]
    assert document.session()["stopReason"] == "end_turn"


def test_E_14_a_stop_reason_in_the_accept_response_ends_nothing():
    document = v2().state("running").prompt(2).agent_answers(2, {"messageId": "u", "stopReason": "end_turn"}).fold()

    assert document.session()["activity"] == "running"
    assert "stopReason" not in document.session()


def test_E_14_an_accepted_prompt_opens_no_turn():
    document = v2().prompt(2).accepts(2, "u").fold()

    assert document.turns() == []
    assert document.session()["activity"] == "idle"


# --- E-16 ------------------------------------------------------------------------------------------------


def test_E_16_cancel_while_nothing_runs_poisons_the_next_turn():
    document = v1().cancel().prompt(8).agent_says("hi").ends(8).fold()

    assert document.turn(8) == {"status": "ended", "prompts": [{"requestId": 8}], "stopReason": "end_turn"}


def test_E_16_nor_does_it_touch_the_turn_before():
    document = v1().prompt(7).ends(7).cancel().fold()

    assert document.turn(7) == {"status": "ended", "prompts": [{"requestId": 7}], "stopReason": "end_turn"}


def test_E_16_nor_the_tool_calls_of_the_next_turn():
    document = v1().cancel().prompt(8).tool_call("t1").fold()

    assert document.tool()["status"] == "pending"


def test_E_16_in_v2():
    document = v2().cancel().state("running").tool_update("t1").state("idle", stopReason="end_turn").fold()

    assert document.turns() == [{"status": "ended", "stopReason": "end_turn"}]
    assert document.tool()["status"] == "pending"
