"""SPEC 4.5: in a one-sided recording, what a parent says of its child settles the child's questions as the child's own words do."""

from __future__ import annotations

import pytest

from support.transcripts import one_sided, v1, v2


def told(transcript, *states, child="k"):
    for state in states:
        transcript = transcript.update("subagent_update", sessionId=child, state=state and {"state": state})
    return transcript


def asking(version):
    transcript = told(one_sided(version), "running")
    return (transcript.permission_v2(31, session="k") if version == 2 else transcript.permission(31, session="k")).form(32, session="k")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("states", [("idle",), ("requires_action", "running"), ("requires_action", "idle")], ids="-".join)
def test_a_childs_questions_are_settled_by_what_its_parent_says(version, states):
    document = told(asking(version), *states).fold()

    for entry in (document.permission(31, "k"), document.elicitation(32, "k")):
        assert entry["status"] == "unanswered"
        assert "answerOwed" not in entry
    assert document.open_requests() == []


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("states", [("running",), ("requires_action",), ("requires_action", None, "_x"), (None,)], ids=str)
def test_other_words_leave_them(version, states):
    document = told(asking(version), *states).fold()

    assert document.permission(31, "k")["status"] == "pending"
    assert document.open_requests() == [("agent", 31), ("agent", 32)]


def test_a_word_of_the_parent_and_one_of_the_child_go_together():
    document = told(asking(2).state("requires_action", session="k"), "running").fold()

    assert document.permission(31, "k")["status"] == "unanswered"


def test_a_later_question_stays():
    document = told(told(asking(2), "requires_action", "running").permission_v2(33, session="k"), "running").fold()

    assert document.permission(31, "k")["status"] == "unanswered"
    assert document.permission(33, "k")["status"] == "pending"


@pytest.mark.parametrize("child", ["other", "s-1"])
def test_those_of_another_session_stay(child):
    document = told(asking(2).permission_v2(33), "idle", child=child).fold()

    assert document.permission(31, "k")["status"] == "pending"
    assert document.permission(33)["status"] == "pending"


@pytest.mark.parametrize("version", [1, 2])
def test_in_two_sided_recordings_the_answer_is_still_to_come(version):
    transcript = told(v2() if version == 2 else v1(), "running")
    transcript = transcript.permission_v2(31, session="k") if version == 2 else transcript.permission(31, session="k")
    document = told(transcript, "requires_action", "running", "idle").fold()

    assert document.permission(31, "k")["status"] == "pending"
    assert document.open_requests() == [("agent", 31)]
