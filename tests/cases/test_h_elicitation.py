"""Field cases, section H: elicitation and extension requests."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import bare, of_version, v1, v2


# --- L-02 ------------------------------------------------------------------------------------------------


def test_L_02_decline_with_null_content_accept_without_content():
    document = (
        v1()
        .form(50)
        .replies(50, "decline", content=None)
        .form(51)
        .replies(51, "accept")
        .form(52)
        .replies(52, "decline", content={"a": 1})
        .fold()
    )  # fmt: skip

    assert [document.elicitation(id)["status"] for id in (50, 51, 52)] == ["declined", "accepted", "declined"]
    assert not any("content" in document.elicitation(id) for id in (50, 51, 52))


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("action", "status"), [("decline", "declined"), ("cancel", "cancelled")])
def test_L_02_content_counts_for_accept_alone(version, action, status):
    document = of_version(version).form(50).replies(50, action, content={"name": "Ada"}).fold()

    assert document.elicitation(50)["status"] == status
    assert "content" not in document.elicitation(50)


@pytest.mark.parametrize("version", [1, 2])
def test_L_02_accepted_content_is_kept(version):
    properties = {"name": {"type": "string"}, "age": {"type": "integer"}, "tags": {"type": "array"}}
    content = {"name": "Ada", "age": 0, "tags": []}
    document = of_version(version).form(50, properties).replies(50, "accept", content=content).fold()

    assert document.elicitation(50)["content"] == content


def test_L_02_accept_with_null_content_has_none():
    document = v1().form(50).replies(50, "accept", content=None).fold()

    assert document.elicitation(50)["status"] == "accepted"
    assert "content" not in document.elicitation(50)


# --- L-03 ------------------------------------------------------------------------------------------------


def completed(transcript, id):
    return transcript.agent_tells("elicitation/complete", elicitationId=id)


def test_L_03_completion_for_an_unknown_or_finished_id():
    transcript = v1()
    unknown = completed(transcript, "el-404").fold()
    assert unknown.codes == ["repeated-completion"]

    accepted = transcript.url(53, "el-1").replies(53, "accept").fold()
    assert accepted.elicitation(53)["status"] == "accepted"
    assert "completed" not in accepted.elicitation(53)

    once = completed(transcript, "el-1").fold()
    assert once.elicitation(53)["status"] == "accepted"
    assert once.elicitation(53)["completed"] is True

    twice = completed(transcript, "el-1").fold()
    assert twice.session() == once.session()
    assert twice.codes == ["repeated-completion", "repeated-completion"]


def test_L_03_completed_before_the_answer():
    document = completed(v1().url(53, "el-1"), "el-1").fold()

    assert document.elicitation(53)["status"] == "pending"
    assert document.elicitation(53)["completed"] is True


def test_L_03_completing_one_completes_no_other():
    document = completed(v1().url(53, "el-1").url(54, "el-2"), "el-2").fold()

    assert "completed" not in document.elicitation(53)
    assert document.elicitation(54)["completed"] is True


def test_L_03_a_declined_one_can_be_completed_all_the_same():
    document = completed(v1().url(53, "el-1").replies(53, "decline"), "el-1").fold()

    assert document.elicitation(53)["status"] == "declined"
    assert document.elicitation(53)["completed"] is True


@pytest.mark.parametrize("params", [{}, {"elicitationId": None}, {"elicitationId": 5}])
def test_L_03_a_completion_without_id_completes_nothing(params):
    document = v1().url(53, "el-1").agent_tells("elicitation/complete", **params).fold()

    assert "completed" not in document.elicitation(53)
    assert document.codes == ["malformed"]


# --- L-04 ------------------------------------------------------------------------------------------------


def test_L_04_odd_schemas():
    array = {"type": "array", "items": {"type": "string"}}
    colour = {"type": "object", "properties": {"c": {"type": "_color", "depth": 8}}}
    choice = {"type": "object", "properties": {"e": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]}}}
    document = (
        v1()
        .form(54, requestedSchema=array)
        .form(55, requestedSchema=colour)
        .form(56, requestedSchema=choice)
        .agent_asks_session(57, "elicitation/create", mode="voice", message="Say it", tone="warm")
        .fold()
    )

    assert [document.elicitation(id)["status"] for id in (54, 55, 56, 57)] == ["pending"] * 4
    assert [document.elicitation(id)["requestedSchema"] for id in (54, 55, 56)] == [array, colour, choice]
    assert document.elicitation(57)["mode"] == "voice"
    assert document.elicitation(57)["message"] == "Say it"
    assert document.elicitation(57)["tone"] == "warm"
    assert "invalid-schema" in document.codes


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "array"}, {"type": "_thing"}, {"type": 7}])
def test_L_04_a_root_that_is_no_object_is_flagged(schema):
    document = v2().form(54, requestedSchema=schema).fold()

    assert document.elicitation(54)["status"] == "pending"
    assert document.elicitation(54)["requestedSchema"] == schema
    assert document.codes != []


@pytest.mark.parametrize(
    "property", [{"type": "_color"}, {"type": "string", "format": "_phone"}, {"type": "array", "items": {"type": "_dot"}}]
)
def test_L_04_an_unknown_property_type_is_kept_and_takes_any_value(property):
    document = v2().form(55, {"p": property}).replies(55, "accept", content={"p": "x"}).fold()

    assert document.elicitation(55)["requestedSchema"]["properties"] == {"p": property}
    assert document.elicitation(55)["status"] == "accepted"
    assert document.elicitation(55)["content"] == {"p": "x"}


def test_L_04_an_unknown_mode_can_be_answered():
    document = (
        v2()
        .agent_asks_session(57, "elicitation/create", mode="_voice", message="Say it")
        .replies(57, "accept", content={"clip": "x"})
        .fold()
    )  # fmt: skip

    assert document.elicitation(57)["status"] == "accepted"


# --- L-06 ------------------------------------------------------------------------------------------------


def test_L_06_vendor_requests_and_notifications():
    transcript = v1().prompt(1).agent_asks_session(70, "acme/make_plan").agent_tells("_acme/commands")
    asked = transcript.fold()
    assert asked.session()["extensions"] == [
        {"from": "agent", "kind": "request", "id": 70, "method": "acme/make_plan", "params": {"sessionId": "s-1"}, "status": "open"}
    ]
    assert asked.open_requests() == [("client", 1), ("agent", 70)]

    document = transcript.client_fails(70, -32601, "what?").fold()
    (extension,) = document.session()["extensions"]
    assert (extension["status"], extension["error"]) == ("failed", {"code": -32601, "message": "what?"})
    assert document.open_requests() == [("client", 1)]
    assert document.turn(1) == {"status": "running", "prompts": [{"requestId": 1}]}
    assert document.session()["activity"] == "running"


def test_L_06_a_vendor_notification_is_kept():
    document = v1().agent_tells("_acme/commands", list=[None, 1]).fold()

    assert document.connection["extensions"] == [
        {"from": "agent", "kind": "notification", "method": "_acme/commands", "params": {"list": [None, 1]}}
    ]


def test_L_06_so_is_one_of_the_client():
    document = v1().client_tells("_acme/focus", sessionId="s-1").fold()

    assert document.session()["extensions"] == [
        {"from": "client", "kind": "notification", "method": "_acme/focus", "params": {"sessionId": "s-1"}}
    ]


@pytest.mark.parametrize("result", [None, {}, {"plan": [1]}, "done", 0, False], ids=repr)
def test_L_06_the_answer_is_kept_as_sent(result):
    document = bare().initialize(1).agent_asks(70, "_acme/x", n=1).client_answers(70, result).fold()

    (extension,) = document.connection["extensions"]
    assert extension["status"] == "answered"
    assert extension.get("result", "absent") == result


def test_L_06_an_error_to_cancel_is_cancelled():
    document = v1().client_asks_session(70, "_acme/x").agent_fails(70, -32800).fold()

    (extension,) = document.session()["extensions"]
    assert extension["status"] == "cancelled"
