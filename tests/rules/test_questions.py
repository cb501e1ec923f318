"""SPEC 4.5: permissions and elicitations."""

from __future__ import annotations

import pytest

from support.transcripts import item, of_version, v1, v2


SHOWN = [{"id": "yes", "name": "Yes", "kind": "allow_once"}, {"id": "no", "name": "No", "kind": "reject_once"}]
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}


# --- Timeline entries keyed by the *request*, not by the tool call -----------------------------------------------------------


def test_they_are_keyed_by_the_request():
    document = v1().prompt(1).permission(31, "t1").permission(32, "t1").form(33, toolCallId="t1").fold()

    assert document.story()[1:] == [("tool_call", "t1"), ("permission", 31), ("permission", 32), ("elicitation", 33)]
    assert [entry["toolCallId"] for entry in document.timeline()[2:]] == ["t1", "t1", "t1"]


def test_an_id_that_is_used_again_is_another_entry():
    document = v1().prompt(1).permission(31, "t1").selects(31, "yes").permission(31, "t2").selects(31, "no").fold()

    assert [(entry["toolCallId"], entry["decision"]) for entry in document.timeline(type="permission")] == [
        ("t1", "allow_once"),
        ("t2", "reject_once"),
    ]


# --- Permission: what it shows -------------------------------------------------------------------------------------------------


def test_a_permission_of_v1():
    document = v1().prompt(1).permission(31, "t1", title="Edit", content=[item("why")], x=None).fold()

    assert document.permission(31) == {
        "type": "permission",
        "id": 31,
        "turn": 0,
        "toolCallId": "t1",
        "subject": {"type": "tool_call", "toolCall": {"toolCallId": "t1", "title": "Edit", "content": [item("why")], "x": None}},
        "options": SHOWN,
        "status": "pending",
    }


def test_a_permission_of_v2():
    subject = {"type": "command", "command": "rm", "cwd": "/w", "terminalId": None, "_meta": {"k": None}}
    document = v2().state("running").permission_v2(31, "Remove?", subject=subject, description="all of it").fold()

    assert document.permission(31) == {
        "type": "permission",
        "id": 31,
        "turn": 0,
        "title": "Remove?",
        "description": "all of it",
        "subject": subject,
        "options": SHOWN,
        "status": "pending",
    }


@pytest.mark.parametrize("subject", [{}, {"subject": None}], ids=["absent", "null"])
def test_a_permission_of_v2_without_subject(subject):
    document = v2().permission_v2(31, **subject).fold()

    assert "subject" not in document.permission(31)
    assert "toolCallId" not in document.permission(31)
    assert document.codes == []


def test_its_title_is_not_the_tool_calls():
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1"}}
    document = v2().tool_update("t1", title="Edit").permission_v2(31, "May I?", subject=subject).fold()

    assert document.tool()["title"] == "Edit"


# --- Permission: `selected` (option and its kind), `cancelled`, `failed` (error), `invalid`, `unanswered` ------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("option", "kind"), [("yes", "allow_once"), ("no", "reject_once")])
def test_selected_has_its_option_and_the_options_kind(version, option, kind):
    document = of_version(version).permission(31).selects(31, option).fold()

    permission = document.permission(31)
    assert (permission["status"], permission["optionId"], permission["decision"]) == ("selected", option, kind)
    assert "answerOwed" not in permission
    assert document.open_requests() == []


def test_cancelled():
    permission = v1().permission(31).dismisses(31).fold().permission(31)

    assert permission["status"] == "cancelled"
    assert "optionId" not in permission
    assert "decision" not in permission


def test_failed_with_its_error():
    permission = v1().permission(31).client_fails(31, -32603, "crash", data=[None]).fold().permission(31)

    assert permission["status"] == "failed"
    assert permission["error"] == {"code": -32603, "message": "crash", "data": [None]}


@pytest.mark.parametrize(
    "result",
    [
        None,
        {},
        [],
        "yes",
        True,
        {"outcome": None},
        {"outcome": "selected"},
        {"outcome": {}},
        {"outcome": {"outcome": "selected"}},
        {"outcome": {"outcome": "selected", "optionId": None}},
        {"outcome": {"outcome": "selected", "optionId": 1}},
        {"outcome": {"optionId": "yes"}},
        {"optionId": "yes"},
        {"outcome": {"outcome": True}},
    ],
    ids=repr,
)
@pytest.mark.parametrize("version", [1, 2])
def test_an_answer_that_is_not_of_the_protocols_form_is_invalid_and_never_an_approval(version, result):
    document = of_version(version).permission(31).client_answers(31, result).fold()

    permission = document.permission(31)
    assert permission["status"] == "invalid"
    assert "decision" not in permission
    assert document.open_requests() == []
    assert "error" in document.severities


@pytest.mark.parametrize("option", ["maybe", "", "YES", "yes "])
def test_an_option_that_was_not_offered_is_invalid_and_never_an_approval(option):
    document = v1().permission(31).selects(31, option).fold()

    permission = document.permission(31)
    assert permission["status"] == "invalid"
    assert "decision" not in permission
    assert document.codes == ["option-not-offered"]


def test_where_nothing_was_offered_nothing_can_be_chosen():
    document = v1().permission(31, "t1", []).selects(31, "yes").fold()

    assert document.permission(31)["status"] == "invalid"


def test_what_an_invalid_answer_said_is_kept():
    result = {"outcome": {"outcome": "selected", "optionId": "maybe"}}
    document = v1().permission(31).client_answers(31, result).fold()

    assert document.permission(31).get("optionId") == "maybe" or document.permission(31)["answer"] == result


def test_of_two_options_with_one_id_it_is_an_approval_only_if_both_are():
    same = [{"optionId": "a", "name": "A", "kind": "allow_once"}, {"optionId": "a", "name": "B", "kind": "allow_once"}]
    document = v1().permission(31, "t1", same).selects(31, "a").fold()

    assert document.permission(31)["decision"] == "allow_once"


# --- Elicitation -------------------------------------------------------------------------------------------------------------------


def test_a_form():
    document = v1().prompt(1).tool_call("t1").form(31, toolCallId="t1", message="Who?", requestedSchema=SCHEMA).fold()

    assert document.elicitation(31) == {
        "type": "elicitation",
        "id": 31,
        "turn": 0,
        "toolCallId": "t1",
        "mode": "form",
        "message": "Who?",
        "requestedSchema": SCHEMA,
        "status": "pending",
    }


def test_an_url():
    document = v2().url(31, "el-7").fold()

    assert document.elicitation(31) == {
        "type": "elicitation",
        "id": 31,
        "mode": "url",
        "message": "Sign in",
        "url": "https://example.test/in",
        "elicitationId": "el-7",
        "status": "pending",
    }


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("action", "status"), [("accept", "accepted"), ("decline", "declined"), ("cancel", "cancelled")])
def test_its_three_answers(version, action, status):
    document = of_version(version).form(31).replies(31, action).fold()

    assert document.elicitation(31)["status"] == status
    assert "answerOwed" not in document.elicitation(31)
    assert document.open_requests() == []


@pytest.mark.parametrize(("version", "status"), [(1, "invalid"), (2, "cancelled")])
def test_an_unknown_action_is_cancelled_in_v2_invalid_in_v1(version, status):
    document = of_version(version).form(31).replies(31, "_later", content={"name": "x"}).fold()

    assert document.elicitation(31)["status"] == status
    assert document.elicitation(31)["answer"] == {"action": "_later", "content": {"name": "x"}}
    assert "content" not in document.elicitation(31)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("result", [None, {}, [], "accept", {"action": None}, {"action": 7}, {"action": []}], ids=repr)
def test_an_unreadable_answer_is_invalid(version, result):
    document = of_version(version).form(31).client_answers(31, result).fold()

    assert document.elicitation(31)["status"] == "invalid"
    assert document.open_requests() == []
    assert "error" in document.severities


def test_for_url_mode_completed_comes_with_the_notification_and_not_with_the_answer():
    transcript = v1().url(31, "el-1").replies(31, "accept")
    assert "completed" not in transcript.fold().elicitation(31)

    document = transcript.agent_tells("elicitation/complete", elicitationId="el-1").fold()
    assert document.elicitation(31)["status"] == "accepted"
    assert document.elicitation(31)["completed"] is True


@pytest.mark.parametrize("action", ["decline", "cancel", "_later"])
def test_content_counts_for_accept_alone(action):
    document = v2().form(31).replies(31, action, content={"name": "x"}).fold()

    assert "content" not in document.elicitation(31)


@pytest.mark.parametrize("content", [{}, {"name": "x"}, {"name": ""}], ids=repr)
def test_the_content_of_an_accept_is_kept(content):
    assert v1().form(31).replies(31, "accept", content=content).fold().elicitation(31)["content"] == content


@pytest.mark.parametrize("version", [1, 2])
def test_an_error_answer_minus_32800_is_cancelled(version):
    document = of_version(version).form(31).client_fails(31, -32800).permission(32).client_fails(32, -32800).fold()

    assert document.elicitation(31)["status"] == "cancelled"
    assert document.permission(32)["status"] == "cancelled"


def test_another_is_failed_with_error():
    document = v1().form(31).client_fails(31, -32601, "no forms").fold()

    assert document.elicitation(31)["status"] == "failed"
    assert document.elicitation(31)["error"] == {"code": -32601, "message": "no forms"}


def test_answer_is_kept_where_it_says_what_the_entry_has_no_place_for():
    result = {"outcome": {"outcome": "selected", "optionId": "yes", "note": "fine", "x": None}}
    document = v1().permission(31).client_answers(31, result).fold()

    assert document.permission(31)["status"] == "selected"
    assert document.permission(31)["answer"] == result


def test_and_only_there():
    document = v1().permission(31).selects(31).permission(32).dismisses(32).form(33).replies(33, "accept", content={"name": "x"}).fold()

    assert not any("answer" in entry for entry in document.timeline())
