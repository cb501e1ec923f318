"""Field cases, section F: queued prompts, steering, work that the agent starts."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import v1, v2


# --- Q-01 ------------------------------------------------------------------------------------------------


def test_Q_01_second_prompt_rejected_while_the_first_runs():
    transcript = v1().prompt(1, "a").prompt(2, "b").agent_fails(2, -32600, "busy").agent_says("one")
    between = transcript.fold()
    document = transcript.ends(1).fold()

    assert between.session()["activity"] == "running"
    assert document.session()["activity"] == "idle"
    assert document.turn(1)["stopReason"] == "end_turn"
    assert document.turn(2) == {"status": "failed", "prompts": [{"requestId": 2}], "error": {"code": -32600, "message": "busy"}}
    assert document.messages() == [("user", "a"), ("user", "b"), ("agent", "one")]
    assert [entry["turn"] for entry in document.timeline()] == [0, 1, 0]


def test_Q_01_when_the_first_is_rejected_the_second_takes_the_output():
    document = v1().prompt(1, "a").prompt(2, "b").agent_fails(1, -32600).agent_says("two").ends(2).fold()

    assert document.turn(1)["status"] == "failed"
    assert document.turn(2)["status"] == "ended"
    assert document.last()["turn"] == 1


def test_Q_01_in_v2_the_prompt_that_waits_is_marked():
    error = {"code": -32600, "message": "busy"}
    document = (
        v2()
        .prompt(1, "a")
        .accepts(1, "u-1")
        .user_message("u-1", "a")
        .state("running")
        .prompt(2, "b")
        .agent_fails(2, -32600, "busy")
        .agent_says("one", "m")
        .state("idle", stopReason="end_turn")
        .fold()
    )

    assert document.messages() == [("user", "a"), ("agent", "one")]
    assert document.pending_prompts() == [{"requestId": 2, "content": [{"type": "text", "text": "b"}], "rejected": error}]
    assert [turn["status"] for turn in document.turns()] == ["ended"]


# --- Q-03 ------------------------------------------------------------------------------------------------


def test_Q_03_agent_starts_to_work_on_its_own():
    transcript = v1().agent_says("build finished").tool_call("t1", status="in_progress")
    between = transcript.fold()
    document = transcript.tool_update("t1", status="completed").fold()

    assert document.story() == [("agent", "build finished"), ("tool_call", "t1")]
    assert not any("turn" in entry for entry in document.timeline())
    assert document.turns() == between.turns() == []
    assert document.session()["activity"] == between.session()["activity"] == "idle"


def test_Q_03_v2_is_busy_by_its_state_alone():
    transcript = v2().state("idle").agent_says("build finished", "m").tool_update("t1", status="in_progress")
    assert transcript.fold().session()["activity"] == "idle"

    document = transcript.state("running").fold()
    assert document.session()["activity"] == "running"
    assert document.turns() == [{"status": "running"}]


@pytest.mark.parametrize("state", ["running", "requires_action"])
def test_Q_03_v2_work_without_a_prompt_is_a_turn_without_prompts(state):
    document = v2().state(state).agent_says("woke up", "m").state("idle", stopReason="end_turn").fold()

    assert document.turns() == [{"status": "ended", "stopReason": "end_turn"}]
    assert document.message("m")["turn"] == 0


# --- Q-04 ------------------------------------------------------------------------------------------------


def steering():
    return v1().prompt(1, "do a").agent_says("a").prompt(2, "also do b").ends(2).agent_says("b")


def test_Q_04_steering_prompt_answered_at_once_while_the_first_turn_goes_on():
    document = steering().ends(1).fold()

    assert steering().fold().session()["activity"] == "running"
    assert document.session()["activity"] == "idle"
    assert document.messages() == [("user", "do a"), ("agent", "a"), ("user", "also do b"), ("agent", "b")]
    assert [entry["turn"] for entry in document.timeline()] == [0, 0, 1, 0]
    assert [turn["status"] for turn in document.turns()] == ["ended", "ended"]


def test_Q_04_three_at_once_end_each_by_its_own_answer():
    transcript = v1().prompt(1, "a").prompt(2, "b").prompt(3, "c").ends(3, "max_tokens").ends(1)
    assert transcript.fold().session()["activity"] == "running"

    document = transcript.ends(2, "refusal").fold()
    assert [turn["stopReason"] for turn in document.turns()] == ["end_turn", "refusal", "max_tokens"]
    assert document.session()["activity"] == "idle"


def test_Q_04_in_v2_a_steering_prompt_joins_the_turn_that_runs():
    document = (
        v2()
        .prompt(1, "do a")
        .accepts(1, "u-1")
        .user_message("u-1", "do a")
        .state("running")
        .prompt(2, "also do b")
        .accepts(2, "u-2")
        .user_message("u-2", "also do b")
        .agent_says("b", "m")
        .state("idle", stopReason="end_turn")
        .fold()
    )

    assert document.turns() == [
        {
            "status": "ended",
            "prompts": [{"requestId": 1, "messageId": "u-1"}, {"requestId": 2, "messageId": "u-2"}],
            "stopReason": "end_turn",
        }
    ]


# --- Q-05 ------------------------------------------------------------------------------------------------


def test_Q_05_session_cancel_sent_with_an_id():
    transcript = v1().prompt(3).client_asks_session(9, "session/cancel")
    assert transcript.fold().turn(3)["cancelRequested"] is True

    document = transcript.agent_fails(9, -32601, "no such method").ends(3).fold()
    assert document.turn(3) == {"status": "ended", "prompts": [{"requestId": 3}], "stopReason": "end_turn", "cancelRequested": True}
    assert document.open_requests() == []


def test_Q_05_it_cancels_what_a_notification_would():
    document = v1().prompt(3).tool_call("t1").permission(31).client_asks_session(9, "session/cancel").fold()

    assert document.tool()["status"] == "cancelled"
    assert document.permission(31)["status"] == "cancelled"


def test_Q_05_the_error_ends_nothing():
    document = v1().prompt(3).client_asks_session(9, "session/cancel").agent_fails(9, -32601).fold()

    assert document.turn(3)["status"] == "running"
    assert document.session()["activity"] == "running"
    assert "error" not in document.session()


def test_Q_05_an_update_sent_with_an_id_is_an_update():
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "hi"}}
    document = v1().agent_asks_session(4, "session/update", update=update).client_fails(4, -32601).fold()

    assert document.messages() == [("agent", "hi")]
