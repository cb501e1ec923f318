"""SPEC 4.5: which answer counts, what is owed, and what ends a question without one."""

from __future__ import annotations

import pytest

from support.transcripts import NO, YES, bare, of_version, one_sided, text, v1, v2


SHOWN = [{"id": "yes", "name": "Yes", "kind": "allow_once"}, {"id": "no", "name": "No", "kind": "reject_once"}]
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}


# --- The first answer counts; a repeat is a diagnostic; an id is free again after its answer -------------------------------------------


@pytest.mark.parametrize("second", [lambda t: t.selects(31, "no"), lambda t: t.dismisses(31), lambda t: t.client_fails(31)])
def test_the_first_answer_counts_and_a_repeat_is_a_diagnostic(second):
    transcript = v1().prompt(1).permission(31).selects(31, "yes")
    before = transcript.fold()
    document = second(transcript).fold()

    assert document.sessions == before.sessions
    assert document.codes == ["unmatched-answer"]


def test_an_id_is_free_again_after_its_answer():
    document = v1().prompt(1).form(31).replies(31, "decline").form(31).replies(31, "accept").fold()

    assert [entry["status"] for entry in document.timeline(type="elicitation")] == ["declined", "accepted"]
    assert document.codes == []


# --- `$/cancel_request` counts for a request that its own sender issued, by the exact id --------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_it_cancels_what_is_pending(version):
    document = of_version(version).permission(31).form(32).agent_tells("$/cancel_request", requestId=31).fold()

    assert document.permission(31)["status"] == "cancelled"
    assert document.permission(31)["answerOwed"] is True
    assert document.elicitation(32)["status"] == "pending"
    assert document.open_requests() == [("agent", 31), ("agent", 32)]


def test_an_elicitation_too():
    document = v2().form(32).agent_tells("$/cancel_request", requestId=32).fold()

    assert (document.elicitation(32)["status"], document.elicitation(32)["answerOwed"]) == ("cancelled", True)


def test_it_does_not_count_for_the_other_sides_request():
    document = (
        v1().prompt(31).permission(32).client_tells("$/cancel_request", requestId=32).agent_tells("$/cancel_request", requestId=31).fold()
    )

    assert document.permission(32)["status"] == "pending"
    assert "cancelRequested" not in document.turn(31)
    assert document.codes == ["unmatched-cancel", "unmatched-cancel"]


@pytest.mark.parametrize("id", ["31", 31.0, True, None, [31]], ids=repr)
def test_it_counts_by_the_exact_id(id):
    document = v1().permission(31).agent_tells("$/cancel_request", requestId=id).fold()

    assert document.permission(31)["status"] == "pending"
    assert len(document.codes) == 1


def test_of_a_prompt_it_marks_the_turn():
    document = v1().prompt(1).prompt(2).client_tells("$/cancel_request", requestId=2).fold()

    assert "cancelRequested" not in document.turn(1)
    assert document.turn(2)["cancelRequested"] is True
    assert document.turn(2)["status"] == "running"


AS_REQUESTS = {
    "session/cancel": (lambda t: t.cancel(), lambda t: t.client_asks_session(9, "session/cancel"), "client"),
    "$/cancel_request": (
        lambda t: t.agent_tells("$/cancel_request", requestId=31),
        lambda t: t.agent_asks(9, "$/cancel_request", requestId=31),
        "agent",
    ),
    "session/update": (
        lambda t: t.agent_says("hello", "m"),
        lambda t: t.agent_asks_session(
            9, "session/update", update={"sessionUpdate": "agent_message_chunk", "content": text("hello"), "messageId": "m"}
        ),
        "agent",
    ),
}


@pytest.mark.parametrize("answered", [None, {}, "error"], ids=["unanswered", "answered", "refused"])
@pytest.mark.parametrize("method", AS_REQUESTS)
def test_a_notification_that_is_sent_as_a_request_says_the_same(method, answered):
    as_notification, as_request, sender = AS_REQUESTS[method]

    def begun():
        return v1().prompt(1).tool_call("t1").permission(31)

    transcript = as_request(begun())
    if answered is not None:
        receiver = "agent" if sender == "client" else "client"
        transcript = transcript.answers(receiver, 9, answered) if answered == {} else transcript.fails(receiver, 9, -32601)
    document, expected = transcript.fold(), as_notification(begun()).fold()

    assert document.sessions == expected.sessions != begun().fold().sessions
    assert document.open_requests() == [*expected.open_requests(), *([(sender, 9)] if answered is None else [])]
    assert document.codes == [*expected.codes, "notification-with-id"]
    assert "extensions" not in document.connection


def test_in_v2_the_pending_prompt():
    document = v2().state("running").prompt(1).client_tells("$/cancel_request", requestId=1).fold()

    assert document.pending_prompts()[0]["cancelRequested"] is True
    assert "cancelRequested" not in document.turns()[0]


def test_of_a_prompt_it_cancels_no_tool_call():
    document = v1().prompt(1).tool_call("t1").permission(31).client_tells("$/cancel_request", requestId=1).fold()

    assert document.tool()["status"] == "pending"
    assert document.permission(31)["status"] == "pending"


def test_what_is_answered_already_it_leaves():
    document = v1().permission(31).selects(31).agent_tells("$/cancel_request", requestId=31).fold()

    assert document.permission(31)["status"] == "selected"
    assert document.codes == ["unmatched-cancel"]


# --- A turn that fails makes its pending ones `unanswered` ------------------------------------------------------------------------------------


def test_a_turn_that_fails_makes_its_pending_ones_unanswered():
    document = v1().permission(30).prompt(1).permission(31).form(32).permission(33).selects(33).agent_fails(1).fold()

    assert document.permission(30)["status"] == "pending"
    assert (document.permission(31)["status"], document.permission(31)["answerOwed"]) == ("unanswered", True)
    assert (document.elicitation(32)["status"], document.elicitation(32)["answerOwed"]) == ("unanswered", True)
    assert document.permission(33)["status"] == "selected"


def test_so_does_one_that_fails_in_v2():
    document = v2().state("running").permission_v2(31).state("idle", stopReason="error").fold()

    assert (document.permission(31)["status"], document.permission(31)["answerOwed"]) == ("unanswered", True)


@pytest.mark.parametrize("end", [lambda t: t.ends(1), lambda t: t.ends(1, "cancelled"), lambda t: t.agent_fails(1, -32800)])
def test_one_that_ends_does_not(end):
    document = end(v1().prompt(1).permission(31)).fold()

    assert document.permission(31)["status"] == "pending"


# --- `answerOwed` stands until the client's response is seen; the real answer then replaces what was inferred -------------------------------------


INFERRED = {
    "cancel": lambda t: t.cancel(),
    "cancel_request": lambda t: t.agent_tells("$/cancel_request", requestId=31),
    "failure": lambda t: t.agent_fails(1),
}
ANSWERS = {
    "selected": lambda t: t.selects(31, "no"),
    "cancelled": lambda t: t.dismisses(31),
    "failed": lambda t: t.client_fails(31),
    "invalid": lambda t: t.client_answers(31, {}),
}


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("inferred", INFERRED)
def test_the_real_answer_replaces_what_was_inferred(inferred, answer):
    transcript = INFERRED[inferred](v1().prompt(1).permission(31))
    assert transcript.fold().permission(31)["answerOwed"] is True

    document = ANSWERS[answer](transcript).fold()
    assert document.permission(31)["status"] == answer
    assert "answerOwed" not in document.permission(31)
    assert "unmatched-answer" not in document.codes
    assert ("agent", 31) not in document.open_requests()


@pytest.mark.parametrize("status", ["pending", "selected", "failed", "invalid"])
def test_it_stands_on_no_other_entry(status):
    transcript = v1().prompt(1).permission(31)
    document = (transcript if status == "pending" else ANSWERS[status](transcript)).fold()

    assert document.permission(31)["status"] == status
    assert "answerOwed" not in document.permission(31)


# --- In one-sided recordings work that resumes or ends makes earlier pending ones `unanswered`, not owed, and no longer open ---------------------------


RESUMES = {
    "running after requires_action": lambda t: t.state("requires_action").state("running"),
    "idle": lambda t: t.state("running").state("idle"),
    "an idle that fails": lambda t: t.state("running").state("idle", stopReason="error"),
}


@pytest.mark.parametrize("how", RESUMES)
def test_one_sided_work_that_resumes_or_ends_makes_them_unanswered(how):
    document = RESUMES[how](one_sided(2).permission_v2(31).form(32)).fold()

    for entry in (document.permission(31), document.elicitation(32)):
        assert entry["status"] == "unanswered"
        assert "answerOwed" not in entry
    assert document.open_requests() == []


def test_so_does_a_v1_answer_that_ends_a_prompt():
    document = one_sided(1).permission(31).ends(1).fold()

    assert document.permission(31)["status"] == "unanswered"
    assert "answerOwed" not in document.permission(31)
    assert document.open_requests() == []


def test_later_ones_stay_pending():
    document = one_sided(2).permission_v2(31).state("requires_action").state("running").permission_v2(32).fold()

    assert document.permission(31)["status"] == "unanswered"
    assert document.permission(32)["status"] == "pending"


@pytest.mark.parametrize(
    "update", [lambda t: t.state("running"), lambda t: t.tool_update("t1", status="completed"), lambda t: t.agent_says("x", "m")]
)
def test_other_work_does_not(update):
    assert update(one_sided(2).permission_v2(31)).fold().permission(31)["status"] == "pending"


@pytest.mark.parametrize("how", ["running after requires_action", "idle"])
def test_in_two_sided_recordings_it_does_not(how):
    document = RESUMES[how](v2().permission_v2(31)).fold()

    assert document.permission(31)["status"] == "pending"
    assert document.open_requests() == [("agent", 31)]


def test_those_of_another_session_stay():
    document = one_sided(2).permission_v2(31, session="s-2").permission_v2(32).state("requires_action").state("running").fold()

    assert document.permission(31, "s-2")["status"] == "pending"
    assert document.permission(32)["status"] == "unanswered"


# --- Accepted form content that does not fit `requestedSchema` is a warning ----------------------------------------------------------------------------------


STRICT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "size": {"type": "string", "enum": ["s", "m"]},
        "side": {"type": "string", "oneOf": [{"const": "l", "title": "Left"}, {"const": "r", "title": "Right"}]},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}},
        "kinds": {"type": "array", "items": {"anyOf": [{"const": "p", "title": "P"}]}},
    },
    "required": ["name"],
}


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"name": "a", "age": 3},
        {"name": "a", "size": "l"},
        {"name": "a", "side": "Left"},
        {"name": "a", "tags": ["x", "z"]},
        {"name": "a", "kinds": ["q"]},
    ],
    ids=["missing required", "unknown property", "enum", "oneOf", "items enum", "items anyOf"],
)
@pytest.mark.parametrize("version", [1, 2])
def test_content_that_does_not_fit_is_a_warning(version, content):
    document = of_version(version).form(31, requestedSchema=STRICT).replies(31, "accept", content=content).fold()

    assert document.elicitation(31)["status"] == "accepted"
    assert document.elicitation(31)["content"] == content
    assert document.codes == ["form-mismatch"]
    assert document.severities == {"warning"}


@pytest.mark.parametrize("content", [{"name": ""}, {"name": "a", "size": "s", "side": "l", "tags": [], "kinds": ["p"]}], ids=repr)
def test_content_that_fits_is_none(content):
    document = v1().form(31, requestedSchema=STRICT).replies(31, "accept", content=content).fold()

    assert document.codes == []


@pytest.mark.parametrize(
    ("offered", "given", "codes"), [(1, True, ["form-mismatch"]), (1, 1, []), (True, 1, ["form-mismatch"]), (True, True, [])]
)
def test_a_choice_is_the_same_json(offered, given, codes):
    form = {"type": "object", "properties": {"on": {"enum": [offered]}}}
    document = v1().form(31, requestedSchema=form).replies(31, "accept", content={"on": given}).fold()

    assert document.codes == codes


def test_accepted_without_content_lacks_what_is_required():
    document = v1().form(31, requestedSchema=STRICT).replies(31, "accept").fold()

    assert document.codes == ["form-mismatch"]


def test_declined_content_need_not_fit():
    document = v1().form(31, requestedSchema=STRICT).replies(31, "decline", content={"age": 3}).fold()

    assert document.codes == []


# --- Request-scoped ones (`requestId`) live on the connection ------------------------------------------------------------------------------------------------------


def scoped(**more):
    asked = {"requestId": 4, "mode": "form", "message": "Key?", "requestedSchema": SCHEMA, **more}
    return bare().initialize(1).client_asks(4, "authenticate", methodId="m").agent_asks(50, "elicitation/create", **asked)


def test_request_scoped_ones_live_on_the_connection():
    document = scoped().fold()

    assert document.connection["elicitations"] == [
        {
            "type": "elicitation",
            "id": 50,
            "requestId": 4,
            "mode": "form",
            "message": "Key?",
            "requestedSchema": SCHEMA,
            "status": "pending",
        }
    ]
    assert document.sessions == {}


@pytest.mark.parametrize(("action", "status"), [("accept", "accepted"), ("decline", "declined"), ("cancel", "cancelled")])
def test_they_are_answered_there(action, status):
    document = scoped().replies(50, action).fold()

    assert document.connection["elicitations"][0]["status"] == status
    assert document.open_requests() == [("client", 4)]


def test_they_are_completed_there():
    document = (
        scoped(mode="url", url="https://example.test", elicitationId="el-9")
        .agent_tells("elicitation/complete", elicitationId="el-9")
        .fold()
    )

    assert document.connection["elicitations"][0]["completed"] is True


def test_they_are_cancelled_there():
    document = scoped().agent_tells("$/cancel_request", requestId=50).fold()

    (elicitation,) = document.connection["elicitations"]
    assert (elicitation["status"], elicitation["answerOwed"]) == ("cancelled", True)


@pytest.mark.parametrize("id", ["4", 4.0, None], ids=repr)
def test_the_request_id_keeps_its_type(id):
    document = scoped(requestId=id).fold()

    assert repr(document.connection["elicitations"][0]["requestId"]) == repr(id)


def test_a_cancel_of_a_session_leaves_them():
    document = scoped().new().prompt(1).cancel().fold()

    assert document.connection["elicitations"][0]["status"] == "pending"


# --- options ---------------------------------------------------------------------------------------------------------------------------------------------------------------


def test_options_keep_their_order_and_meta():
    document = v1().permission(31, "t1", [{**NO, "_meta": {"key": "n"}}, YES]).fold()

    assert document.permission(31)["options"] == [{**SHOWN[1], "_meta": {"key": "n"}}, SHOWN[0]]
