"""SPEC 3: ids keep their JSON type; a sender that uses an open id takes it over; formats without ids."""

from __future__ import annotations

import json

import pytest

from acp_state import fold
from acp_state._json import FrozenDict
from acp_state.frames import Frame

from support.transcripts import ABSENT, bare, same, text, v1, v2


# --- Ids keep their JSON type: `1`, `"1"`, `true`, `1.0` are four different keys ----------------------------


FOUR = (1, "1", True, 1.0)


def test_four_ids_that_python_takes_for_two_are_four_open_requests():
    transcript = v1()
    for id in FOUR:
        transcript.prompt(id)
    document = transcript.fold()

    assert same([one["id"] for one in document.connection["openRequests"]], list(FOUR))
    assert same([turn["prompts"] for turn in document.turns()], [[{"requestId": id}] for id in FOUR])
    assert document.codes == []


@pytest.mark.parametrize("answered", FOUR, ids=repr)
def test_an_answer_settles_the_one_of_its_own_type(answered):
    transcript = v1()
    for id in FOUR:
        transcript.prompt(id)
    document = transcript.ends(answered).fold()

    assert [turn["status"] for turn in document.turns()] == ["ended" if same(id, answered) else "running" for id in FOUR]


@pytest.mark.parametrize("answered", FOUR, ids=repr)
def test_so_it_is_for_permissions(answered):
    transcript = v1().prompt("p")
    for id in FOUR:
        transcript.permission(id)
    document = transcript.selects(answered).fold()

    assert [entry["status"] for entry in document.timeline(type="permission")] == [
        "selected" if same(id, answered) else "pending" for id in FOUR
    ]


@pytest.mark.parametrize("answered", FOUR, ids=repr)
def test_so_it_is_for_elicitations(answered):
    transcript = v2()
    for id in FOUR:
        transcript.form(id)
    document = transcript.replies(answered, "decline").fold()

    assert [entry["status"] for entry in document.timeline(type="elicitation")] == [
        "declined" if same(id, answered) else "pending" for id in FOUR
    ]


@pytest.mark.parametrize("named", FOUR, ids=repr)
def test_so_it_is_for_a_cancelled_request(named):
    transcript = v1().prompt("p")
    for id in FOUR:
        transcript.permission(id)
    document = transcript.agent_tells("$/cancel_request", requestId=named).fold()

    assert [entry["status"] for entry in document.timeline(type="permission")] == [
        "cancelled" if same(id, named) else "pending" for id in FOUR
    ]


@pytest.mark.parametrize("id", [9007199254740993, 9223372036854775807, -9223372036854775808, 123456789012345678901234567890])
def test_no_digit_of_a_large_id_is_lost(id):
    document = v1().prompt(id).ends(id + 1).fold()
    assert document.turn(id)["status"] == "running"

    document = v1().prompt(id).ends(id).fold()
    assert document.turn(id)["status"] == "ended"


# --- client and agent number independently ---------------------------------------------------------------------


def test_both_sides_may_have_the_same_id_open():
    document = v1().prompt(1).permission(1).fold()

    assert document.open_requests() == [("client", 1), ("agent", 1)]
    assert document.codes == []


def test_each_sides_answer_settles_the_others_request():
    transcript = v1().prompt(1).permission(1)
    answered = transcript.selects(1).fold()
    assert answered.permission(1)["status"] == "selected"
    assert answered.turn(1)["status"] == "running"

    document = transcript.ends(1).fold()
    assert document.turn(1)["status"] == "ended"
    assert document.permission(1)["status"] == "selected"


def test_an_answer_to_a_request_of_ones_own_is_unmatched():
    document = v1().prompt(1).client_answers(1, {"stopReason": "end_turn"}).fold()

    assert document.turn(1)["status"] == "running"
    assert document.codes == ["unmatched-answer"]


# --- A sender that uses an id which is still open takes it over ------------------------------------------------


def test_the_turn_of_a_prompt_that_is_given_up_fails():
    document = v1().prompt(5, "a").prompt(5, "b").fold()

    older, newer = document.turns()
    assert older["status"] == "failed"
    assert newer["status"] == "running"
    assert document.open_requests() == [("client", 5)]
    assert document.codes == ["id-reused"]


def test_the_answer_belongs_to_the_newer():
    document = v1().prompt(5, "a").prompt(5, "b").ends(5, "max_tokens").fold()

    older, newer = document.turns()
    assert older["status"] == "failed"
    assert "stopReason" not in older
    assert (newer["status"], newer["stopReason"]) == ("ended", "max_tokens")


def test_a_pending_prompt_that_is_given_up_is_rejected():
    document = v2().prompt(5, "a").prompt(5, "b").fold()

    older, newer = document.pending_prompts()
    assert older["content"] == [text("a")]
    assert "rejected" in older
    assert newer["content"] == [text("b")]
    assert "rejected" not in newer
    assert document.codes == ["id-reused"]


def test_a_permission_that_is_given_up_is_unanswered_and_nothing_is_owed():
    document = v1().prompt(1).permission(31, "t1", title="A").permission(31, "t1", title="B").fold()

    older, newer = document.timeline(type="permission")
    assert older["status"] == "unanswered"
    assert "answerOwed" not in older
    assert newer["status"] == "pending"
    assert document.open_requests() == [("client", 1), ("agent", 31)]
    assert document.codes == ["id-reused"]


def test_an_elicitation_that_is_given_up_is_unanswered_and_nothing_is_owed():
    document = v1().prompt(1).form(31).form(31).replies(31, "decline").fold()

    older, newer = document.timeline(type="elicitation")
    assert older["status"] == "unanswered"
    assert "answerOwed" not in older
    assert newer["status"] == "declined"


def test_a_request_of_another_method_takes_it_over_too():
    document = v1().prompt(1).permission(31).form(31).fold()

    assert document.permission(31)["status"] == "unanswered"
    assert document.elicitation(31)["status"] == "pending"
    assert document.codes == ["id-reused"]


def test_so_does_one_for_another_session():
    document = v1("s-1").new("s-2").prompt(5, "a", "s-1").prompt(5, "b", "s-2").fold()

    assert document.turns("s-1")[0]["status"] == "failed"
    assert document.turns("s-2")[0]["status"] == "running"


def test_what_the_failed_turn_asked_is_unanswered():
    document = v1().prompt(5, "a").permission(31).prompt(5, "b").fold()

    assert document.permission(31)["status"] == "unanswered"


@pytest.mark.parametrize("method", ["_acme/x", "fs/read_text_file", "terminal/create"])
def test_any_other_request_that_is_given_up_is_open_no_more(method):
    document = v1().agent_asks_session(31, method, path="/a", command="ls").permission(31).fold()

    assert document.open_requests() == [("agent", 31)]
    assert document.connection["openRequests"][0]["method"] == "session/request_permission"
    for listed in ("extensions", "files"):
        assert all(one["status"] != "open" for one in document.session().get(listed, []))
    assert document.codes == ["id-reused"]


def test_the_other_side_takes_nothing_over():
    document = v1().prompt(31).permission(31).fold()

    assert document.turn(31)["status"] == "running"
    assert document.permission(31)["status"] == "pending"


@pytest.mark.parametrize(("first", "second"), [(1, "1"), (1, True), (1, 1.0), (0, False), ("", "0")], ids=repr)
def test_an_id_of_another_type_takes_nothing_over(first, second):
    document = v1().prompt(first).prompt(second).fold()

    assert [turn["status"] for turn in document.turns()] == ["running", "running"]
    assert document.codes == []


def test_an_id_is_free_after_its_answer():
    document = v1().prompt(5, "a").ends(5).prompt(5, "b").ends(5, "refusal").fold()

    assert [turn["stopReason"] for turn in document.turns()] == ["end_turn", "refusal"]
    assert document.codes == []


def test_null_is_never_taken_over():
    document = v1().prompt(None, "a").prompt(None, "b").fold()

    assert [turn["status"] for turn in document.turns()] == ["running", "running"]
    assert document.open_requests() == [("client", None), ("client", None)]
    assert "id-reused" not in document.codes


def test_nor_is_a_permission_whose_id_is_null():
    document = v1().prompt(1).permission(None, "t1").permission(None, "t2").fold()

    assert [entry["status"] for entry in document.timeline(type="permission")] == ["pending", "pending"]


# --- Where a format has no ids, a response belongs to the oldest open request of its method ---------------------


def without_ids(*messages):
    transcript = bare()
    for sender, message in messages:
        transcript.sends(sender, message)
    return transcript


def asked(method, **params):
    return ("client", {"method": method, "params": params})


def answered(method, result):
    return ("agent", {"method": method, "result": result})


INITIALIZED = (asked("initialize", protocolVersion=1), answered("initialize", {"protocolVersion": 1, "agentCapabilities": {}}))


def prompted(value):
    return asked("session/prompt", sessionId="s-1", prompt=[text(value)])


def test_our_own_dialect_may_lack_ids():
    document = without_ids(
        *INITIALIZED, asked("session/new", cwd="/w"), answered("session/new", {"sessionId": "s-1"}), prompted("a")
    ).fold()

    assert document.connection["protocolVersion"] == 1
    assert document.session()["cwd"] == "/w"
    assert document.turns()[0]["status"] == "running"


def test_the_oldest_open_request_of_the_method_is_answered():
    document = without_ids(*INITIALIZED, prompted("a"), prompted("b"), answered("session/prompt", {"stopReason": "refusal"})).fold()

    assert [turn["status"] for turn in document.turns()] == ["ended", "running"]


def test_requests_of_other_methods_are_passed_over():
    document = without_ids(
        *INITIALIZED,
        asked("session/set_mode", sessionId="s-1", modeId="code"),
        prompted("a"),
        answered("session/prompt", {"stopReason": "end_turn"}),
    ).fold()

    assert document.turns()[0]["status"] == "ended"
    assert [one["method"] for one in document.connection["openRequests"]] == ["session/set_mode"]


def test_an_error_answers_too():
    failed = ("agent", {"method": "session/prompt", "error": {"code": -32603, "message": "no"}})
    document = without_ids(*INITIALIZED, prompted("a"), failed).fold()

    assert document.turns()[0]["status"] == "failed"


def test_a_response_of_a_method_that_nobody_asked_changes_nothing():
    transcript = without_ids(*INITIALIZED, prompted("a"))
    before = transcript.fold()
    document = transcript.sends("agent", {"method": "session/set_mode", "result": {}}).fold()

    assert document.sessions == before.sessions


def test_a_request_whose_method_nobody_knows_is_said_to_be_one():
    record = {"t": 0, "from": "agent", "kind": "request", "message": {"method": "_acme/x", "params": {"n": 1}}}
    transcript = bare().line(json.dumps(record))
    asked = transcript.fold()
    assert asked.connection["extensions"][0]["kind"] == "request"
    assert asked.connection["extensions"][0]["status"] == "open"

    document = transcript.sends("client", {"method": "_acme/x", "result": {"m": 2}}).fold()
    (extension,) = document.connection["extensions"]
    assert (extension["status"], extension["result"]) == ("answered", {"m": 2})


def test_otherwise_it_is_a_notification():
    document = bare().sends("agent", {"method": "_acme/x", "params": {"n": 1}}).fold()

    assert document.connection["extensions"][0]["kind"] == "notification"


def test_ids_that_a_dialect_lacks_are_null():
    transcript = v1().prompt(1, "a").permission(31, "t1").selects(31).agent_says("x").ends(1)
    document = transcript.fold("replay")

    (permission,) = document.timeline(type="permission")
    assert permission["id"] is None
    assert permission["status"] == "selected"
    assert document.turns()[0]["prompts"][0].get("requestId") is None
    assert document.turns()[0]["stopReason"] == "end_turn"


@pytest.mark.parametrize("dialect", ["acp-state", "tagged", "jsonrpc"])
def test_dialects_that_carry_ids_fold_to_equal_snapshots(dialect):
    transcript = v1().prompt(1, "a").permission(31, "t1").selects(31).agent_says("x").ends(1).prompt(2).cancel()

    assert transcript.fold(dialect).sessions == transcript.fold("acp-state").sessions
    assert transcript.fold(dialect).connection == transcript.fold("acp-state").connection


def test_a_dialect_without_ids_folds_to_the_same_but_for_them():
    transcript = v1().prompt(1, "a").permission(31, "t1").selects(31).agent_says("x").ends(1)

    assert _unnumbered(transcript.fold("replay").sessions) == _unnumbered(transcript.fold().sessions)


def _unnumbered(value):
    if isinstance(value, list):
        return [_unnumbered(one) for one in value]
    if isinstance(value, dict):
        number = ABSENT if value.get("type") == "permission" else value.get("id", ABSENT)
        kept = {name: _unnumbered(one) for name, one in value.items() if name not in ("requestId", "id")}
        return kept if number is ABSENT else {**kept, "id": number}
    return value


@pytest.mark.parametrize("id", [[], {}, (1,), FrozenDict(a=1)], ids=repr)
@pytest.mark.parametrize("kind", ["request", "response", "error", "notification"])
def test_a_frame_with_an_id_that_is_no_word_and_no_number_is_no_message(kind, id):
    folded = fold([Frame("client", kind, id, "session/prompt", {"sessionId": "s"})])

    assert [finding.code for finding in folded.diagnostics] == ["invalid-message"]
    assert not folded.snapshot.connection.open_requests
