"""Field cases, section G: permissions."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import NO, YES, v1, v2


# --- G-01 ------------------------------------------------------------------------------------------------


def cancelled_while_asked():
    return v1().prompt(3).permission(31, "t1").cancel()


def test_G_01_still_pending_after_cancel():
    document = cancelled_while_asked().ends(3, "cancelled").fold()

    assert document.permission(31)["status"] == "cancelled"
    assert document.permission(31)["answerOwed"] is True
    assert document.session()["activity"] == "idle"
    assert document.open_requests() == [("agent", 31)]


def test_G_01_it_is_cancelled_at_once():
    document = cancelled_while_asked().fold()

    assert document.permission(31)["status"] == "cancelled"
    assert document.permission(31)["answerOwed"] is True
    assert document.session()["activity"] == "running"


def test_G_01_the_answer_is_owed_until_it_is_seen():
    document = cancelled_while_asked().ends(3, "cancelled").dismisses(31).fold()

    assert document.permission(31)["status"] == "cancelled"
    assert "answerOwed" not in document.permission(31)
    assert document.open_requests() == []


def test_G_01_another_answer_than_the_inferred_one_counts():
    document = cancelled_while_asked().selects(31, "yes").fold()

    assert document.permission(31)["status"] == "selected"
    assert document.permission(31)["optionId"] == "yes"
    assert "answerOwed" not in document.permission(31)


def test_G_01_an_elicitation_is_cancelled_too():
    document = v1().prompt(3).form(31).cancel().ends(3, "cancelled").fold()

    assert document.elicitation(31)["status"] == "cancelled"
    assert document.elicitation(31)["answerOwed"] is True


def test_G_01_one_of_another_session_is_not():
    document = v1("s-1").new("s-2").prompt(3).prompt(4, "x", "s-2").permission(31).permission(32, session="s-2").cancel().fold()

    assert document.permission(31)["status"] == "cancelled"
    assert document.permission(32, "s-2")["status"] == "pending"


# --- G-02 ------------------------------------------------------------------------------------------------


def test_G_02_two_requests_for_one_tool_call_overwrite_each_other():
    document = v1().prompt(1).permission(31, "t1").permission(32, "t1").selects(32, "yes").fold()

    assert document.permission(31)["status"] == "pending"
    assert document.permission(32)["status"] == "selected"
    assert document.session()["activity"] == "requires_action"


def test_G_02_each_keeps_what_it_showed():
    document = v1().permission(31, "t1", title="First?").permission(32, "t1", title="Second?").fold()

    assert document.permission(31)["subject"]["toolCall"]["title"] == "First?"
    assert document.permission(32)["subject"]["toolCall"]["title"] == "Second?"
    assert document.tool()["title"] == "Second?"


@pytest.mark.parametrize("other", ["31", 31.0, True])
def test_G_02_ids_of_other_types_are_other_requests(other):
    document = v1().prompt(1).permission(31, "t1").permission(other, "t1").selects(other, "no").fold()

    assert document.permission(31)["status"] == "pending"
    assert document.permission(other)["status"] == "selected"


# --- G-04 ------------------------------------------------------------------------------------------------


def test_G_04_answered_twice_or_the_second_click_hits_the_next_request():
    document = v1().prompt(1).permission(31).permission(32).selects(31, "yes").selects(31, "no").fold()

    assert document.permission(31)["decision"] == "allow_once"
    assert document.permission(32)["status"] == "pending"
    assert document.codes == ["unmatched-answer"]


def test_G_04_an_error_after_the_answer_changes_nothing():
    document = v1().prompt(1).permission(31).selects(31, "yes").client_fails(31).fold()

    assert document.permission(31)["status"] == "selected"
    assert "error" not in document.permission(31)
    assert document.codes == ["unmatched-answer"]


def test_G_04_an_elicitation_is_answered_once_too():
    document = v1().prompt(1).form(31).replies(31, "decline").replies(31, "accept", content={"name": "x"}).fold()

    assert document.elicitation(31)["status"] == "declined"
    assert "content" not in document.elicitation(31)
    assert document.codes == ["unmatched-answer"]


# --- G-05 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["in_progress", "completed", "failed"])
def test_G_05_status_update_hides_the_open_dialog(status):
    document = v1().prompt(1).tool_call("t1", status="pending").permission(31, "t1").tool_update("t1", status=status).fold()

    assert document.permission(31)["status"] == "pending"
    assert document.tool()["status"] == status
    assert document.session()["activity"] == "requires_action"


def test_G_05_nor_does_the_call_going_on_in_v2():
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1"}}
    document = v2().state("running").permission_v2(31, subject=subject).tool_update("t1", status="completed").fold()

    assert document.permission(31)["status"] == "pending"


def test_G_05_an_answer_changes_no_tool_call():
    document = v1().prompt(1).permission(31, "t1").selects(31, "no").fold()

    assert document.permission(31)["decision"] == "reject_once"
    assert document.tool()["status"] == "pending"


# --- G-06 ------------------------------------------------------------------------------------------------


def test_G_06_request_arriving_after_cancel():
    transcript = v1().prompt(3).cancel().permission(40)
    assert transcript.fold().permission(40)["status"] == "pending"

    document = transcript.dismisses(40).ends(3, "cancelled").fold()
    assert document.permission(40)["status"] == "cancelled"
    assert "answerOwed" not in document.permission(40)
    assert document.turn(3)["cancelRequested"] is True


def test_G_06_request_with_no_prompt_open():
    transcript = v1().permission(41)
    document = transcript.fold()
    assert document.permission(41)["status"] == "pending"
    assert "turn" not in document.permission(41)
    assert document.session()["activity"] == "idle"

    assert transcript.selects(41).fold().permission(41)["status"] == "selected"


def test_G_06_an_elicitation_with_no_prompt_open():
    document = v2().form(41).fold()

    assert document.elicitation(41)["status"] == "pending"
    assert document.session()["activity"] == "idle"


def test_G_06_a_request_after_its_turn_belongs_to_none():
    document = v1().prompt(3).ends(3).permission(41).fold()

    assert document.permission(41)["status"] == "pending"
    assert "turn" not in document.permission(41)


# --- G-08 ------------------------------------------------------------------------------------------------


def test_G_08_unknown_tool_kind_or_option_kind_makes_the_request_unusable():
    options = [{"optionId": "a", "name": "A", "kind": "allow_once"}, {"optionId": "b", "name": "B", "kind": "_allow_dir"}]
    transcript = v1().prompt(1).permission(31, "t1", options, kind="quantum")
    document = transcript.fold()

    assert document.permission(31)["status"] == "pending"
    assert document.permission(31)["options"] == [
        {"id": "a", "name": "A", "kind": "allow_once"},
        {"id": "b", "name": "B", "kind": "_allow_dir"},
    ]
    assert document.tool()["kind"] == "quantum"
    assert set(document.codes) == {"unknown-value"}

    assert transcript.selects(31, "b").fold().permission(31)["decision"] == "_allow_dir"


def test_G_08_in_v2_without_a_diagnostic():
    options = [{"optionId": "b", "name": "B", "kind": "_allow_dir"}]
    document = v2().permission_v2(31, options=options).selects(31, "b").fold()

    assert document.permission(31)["options"] == [{"id": "b", "name": "B", "kind": "_allow_dir"}]
    assert document.permission(31)["decision"] == "_allow_dir"
    assert document.codes == []


@pytest.mark.parametrize("broken", [{"name": "B", "kind": "allow_once"}, {"optionId": 7, "name": "B", "kind": "allow_once"}, "b", None])
def test_G_08_an_option_that_cannot_be_read_costs_itself_alone(broken):
    document = v1().prompt(1).permission(31, "t1", [YES, broken, NO]).fold()

    assert document.permission(31)["status"] == "pending"
    assert [option["id"] for option in document.permission(31).get("options", [])] in (["yes", "no"], [])
    assert document.codes != []


# --- G-09 ------------------------------------------------------------------------------------------------


def test_G_09_users_no_logged_as_cancelled_outcome_without_a_cancel():
    document = v1().prompt(3).permission(31).dismisses(31).agent_says("ok, skipping").ends(3).fold()

    assert document.permission(31)["status"] == "cancelled"
    assert "answerOwed" not in document.permission(31)
    assert document.turn(3) == {"status": "ended", "prompts": [{"requestId": 3}], "stopReason": "end_turn"}


def test_G_09_it_cancels_no_tool_call():
    document = v1().prompt(3).permission(31, "t1", status="pending").dismisses(31).fold()

    assert document.tool()["status"] == "pending"
    assert "cancelledByClient" not in document.tool()


def test_G_09_nor_does_a_cancelled_elicitation():
    document = v1().prompt(3).tool_call("t1").form(31, toolCallId="t1").replies(31, "cancel").ends(3).fold()

    assert document.elicitation(31)["status"] == "cancelled"
    assert "cancelRequested" not in document.turn(3)
    assert document.tool()["status"] == "pending"
