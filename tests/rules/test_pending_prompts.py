"""SPEC 4.2: in v2 the user's message is what the agent reports; until then the prompt stands in `pendingPrompts`."""

from __future__ import annotations

import pytest

from support.transcripts import image, text, v2


def waiting(document):
    """Return request id, and what is said of it, of every pending prompt."""
    names = ("accepted", "messageId", "rejected", "cancelRequested")
    return [(prompt["requestId"], {name: prompt[name] for name in names if name in prompt}) for prompt in document.pending_prompts()]


REPORTS = {
    "whole": lambda t, message, value: t.user_message(message, value),
    "chunk": lambda t, message, value: t.user_says(value, message),
    "empty": lambda t, message, _: t.user_message(message),
}


# --- Until then the prompt stands in `pendingPrompts` ------------------------------------------------------------------------


def test_a_prompt_stands_among_the_pending_ones():
    document = v2().prompt(1, [text("see"), image()]).fold()

    assert document.pending_prompts() == [{"requestId": 1, "content": [text("see"), image()]}]
    assert document.timeline() == []


def test_oldest_first():
    document = v2().prompt(2, "b").prompt(1, "a").fold()

    assert [prompt["requestId"] for prompt in document.pending_prompts()] == [2, 1]


def test_its_answer_accepts_it():
    assert waiting(v2().prompt(1).accepts(1, "u-1").fold()) == [(1, {"accepted": True, "messageId": "u-1"})]
    assert waiting(v2().prompt(1).accepts(1).fold()) == [(1, {"accepted": True})]


# --- it leaves when its answer's `messageId` is in the timeline --------------------------------------------------------------


@pytest.mark.parametrize("report", REPORTS)
def test_it_leaves_when_the_message_comes_after_the_answer(report):
    document = REPORTS[report](v2().prompt(1).accepts(1, "u-1"), "u-1", "question").fold()

    assert document.pending_prompts() == []
    assert document.turn(1)["prompts"] == [{"requestId": 1, "messageId": "u-1"}]


@pytest.mark.parametrize("report", REPORTS)
def test_it_leaves_when_the_message_came_before_the_answer(report):
    document = REPORTS[report](v2().prompt(1), "u-1", "question").accepts(1, "u-1").fold()

    assert document.pending_prompts() == []
    assert document.turn(1)["prompts"] == [{"requestId": 1, "messageId": "u-1"}]


def test_another_message_does_not_take_it():
    document = v2().prompt(1).accepts(1, "u-1").user_message("u-9", "other").fold()

    assert waiting(document) == [(1, {"accepted": True, "messageId": "u-1"})]
    assert document.messages() == [("user", "other")]


@pytest.mark.parametrize("role", ["agent_message", "agent_thought"])
def test_nor_does_a_message_of_another_role(role):
    document = v2().prompt(1).accepts(1, "u-1").update(role, messageId="u-1", content=[text("x")]).fold()

    assert waiting(document) == [(1, {"accepted": True, "messageId": "u-1"})]


def test_each_takes_its_own():
    document = v2().prompt(1, "a").prompt(2, "b").accepts(1, "u-1").accepts(2, "u-2").user_message("u-2", "b").fold()

    assert waiting(document) == [(1, {"accepted": True, "messageId": "u-1"})]
    assert document.turn(2)["prompts"] == [{"requestId": 2, "messageId": "u-2"}]


def test_the_text_of_the_message_is_what_the_agent_reports():
    document = v2().prompt(1, "raw").accepts(1, "u-1").user_message("u-1", "expanded").fold()

    assert document.messages() == [("user", "expanded")]


# --- without one, the oldest accepted leaves with a new user message -----------------------------------------------------------


def test_without_one_the_oldest_accepted_leaves_with_a_new_user_message():
    transcript = v2().prompt(1, "a").prompt(2, "b").accepts(2).accepts(1).user_message("u-1", "x")
    assert waiting(transcript.fold()) == [(2, {"accepted": True})]
    assert transcript.fold().turn(1)["prompts"] == [{"requestId": 1, "messageId": "u-1"}]

    document = transcript.user_message("u-2", "y").fold()
    assert document.pending_prompts() == []


def test_a_user_message_that_is_not_new_takes_none():
    document = v2().user_message("u-0", "old").prompt(1).accepts(1).user_message("u-0", "older").user_says("!", "u-0").fold()

    assert waiting(document) == [(1, {"accepted": True})]


def test_one_that_is_not_accepted_is_passed_over_for_one_that_is():
    document = v2().prompt(1, "a").prompt(2, "b").accepts(2).user_message("u-1", "x").fold()

    assert waiting(document) == [(1, {})]


@pytest.mark.parametrize("result", [{}, None, {"messageId": None}, {"messageId": 7}], ids=repr)
def test_an_answer_whose_message_id_cannot_be_read_has_none(result):
    document = v2().prompt(1).agent_answers(1, result).user_message("u-1", "x").fold()

    assert document.pending_prompts() == []
    assert document.turn(1)["prompts"] == [{"requestId": 1, "messageId": "u-1"}]


# --- a report before any answer takes it out only when it is the only one neither accepted nor rejected ---------------------------


def test_a_report_before_any_answer_takes_the_only_one_out():
    document = v2().prompt(1).user_message("u-1", "question").fold()

    assert document.pending_prompts() == []
    assert document.turns()[0]["prompts"] == [{"requestId": 1, "messageId": "u-1"}]
    assert document.open_requests() == [("client", 1)]


def test_of_two_it_takes_none():
    document = v2().prompt(1, "a").prompt(2, "b").user_message("u-1", "a").fold()

    assert waiting(document) == [(1, {}), (2, {})]


def test_their_answers_settle_it():
    document = v2().prompt(1, "a").prompt(2, "b").user_message("u-2", "b").accepts(2, "u-2").fold()

    assert waiting(document) == [(1, {})]
    assert document.turn(2)["prompts"] == [{"requestId": 2, "messageId": "u-2"}]


def test_a_rejected_one_does_not_count():
    document = v2().prompt(1, "a").agent_fails(1, -32600).prompt(2, "b").user_message("u-2", "b").fold()

    assert [request for request, _ in waiting(document)] == [1]
    assert document.turns()[0]["prompts"] == [{"requestId": 2, "messageId": "u-2"}]


def test_an_accepted_one_with_an_id_of_its_own_does_not_count():
    document = v2().prompt(1, "a").accepts(1, "u-1").prompt(2, "b").user_message("u-2", "b").fold()

    assert waiting(document) == [(1, {"accepted": True, "messageId": "u-1"})]


def test_an_accepted_one_without_id_goes_first():
    document = v2().prompt(1, "a").accepts(1).prompt(2, "b").user_message("u-1", "x").fold()

    assert waiting(document) == [(2, {})]


# --- and an answer that then names another message, or an error, puts it back -------------------------------------------------------


def test_an_answer_that_names_another_message_puts_it_back():
    document = v2().prompt(1).user_message("u-1", "x").accepts(1, "u-9").fold()

    assert waiting(document) == [(1, {"accepted": True, "messageId": "u-9"})]
    assert not any(turn.get("prompts") for turn in document.turns())
    assert document.messages() == [("user", "x")]


def test_it_leaves_with_the_message_that_it_named():
    document = v2().prompt(1).user_message("u-1", "x").accepts(1, "u-9").user_message("u-9", "y").fold()

    assert document.pending_prompts() == []
    assert document.turns()[0]["prompts"] == [{"requestId": 1, "messageId": "u-9"}]


def test_an_error_puts_it_back():
    document = v2().prompt(1).user_message("u-1", "x").agent_fails(1, -32600, "busy").fold()

    assert waiting(document) == [(1, {"rejected": {"code": -32600, "message": "busy"}})]
    assert not any(turn.get("prompts") for turn in document.turns())


def test_it_goes_back_to_its_place():
    document = v2().prompt(1, "a").user_message("u-1", "a").prompt(2, "b").agent_fails(1).fold()

    assert [request for request, _ in waiting(document)] == [1, 2]


def test_an_answer_that_names_the_same_message_changes_nothing():
    document = v2().prompt(1).user_message("u-1", "x").accepts(1, "u-1").fold()

    assert document.pending_prompts() == []


def test_an_answer_that_names_none_changes_nothing():
    document = v2().prompt(1).user_message("u-1", "x").accepts(1).fold()

    assert document.pending_prompts() == []


# --- An error answer marks it `rejected` ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [-32600, -32603, -32800, -32002])
def test_an_error_answer_marks_it_rejected(code):
    document = v2().prompt(1).agent_fails(1, code, "no", data={"a": None}).fold()

    assert waiting(document) == [(1, {"rejected": {"code": code, "message": "no", "data": {"a": None}}})]
    assert document.turns() == []


def test_a_rejected_one_stays_when_a_message_comes():
    document = v2().prompt(1).agent_fails(1).user_message("u-1", "x").fold()

    assert [request for request, _ in waiting(document)] == [1]


# --- A prompt opens no turn: it joins `prompts` of the turn that its message falls in (4.4) ------------------------------------------------


def test_a_prompt_joins_the_turn_that_its_message_falls_in():
    document = (
        v2()
        .state("running")
        .state("idle", stopReason="end_turn")
        .prompt(1)
        .accepts(1, "u-1")
        .state("running")
        .user_message("u-1", "question")
        .state("idle", stopReason="refusal")
        .fold()
    )
    assert document.turns() == [
        {"status": "ended", "stopReason": "end_turn"},
        {"status": "ended", "prompts": [{"requestId": 1, "messageId": "u-1"}], "stopReason": "refusal"},
    ]


def test_an_answer_that_comes_after_the_turn_joins_the_turn_of_the_message():
    document = v2().prompt(1, "a").prompt(2, "b").user_message("u-1", "a").state("idle").accepts(1, "u-1").fold()

    assert document.turns() == [{"status": "ended", "prompts": [{"requestId": 1, "messageId": "u-1"}]}]
    assert waiting(document) == [(2, {})]
