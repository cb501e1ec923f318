"""SPEC 3: who sent a bare JSON-RPC message, and when a recording is one-sided."""

from __future__ import annotations

import pytest

from support.transcripts import bare, of_version, one_sided, text, v1, v2


# --- a request or notification by its method ---------------------------------------------------------------------


CLIENTS = [
    "initialize",
    "authenticate",
    "auth/login",
    "auth/logout",
    "auth/status",
    "logout",
    "session/new",
    "session/load",
    "session/resume",
    "session/fork",
    "session/list",
    "session/close",
    "session/delete",
    "session/archive",
    "session/unarchive",
    "session/status",
    "session/set_title",
    "session/set_mode",
    "session/set_model",
    "session/set_config_option",
    "session/prompt",
    "tool_call/cancel",
    "terminal/cancel",
]
AGENTS = [
    "session/request_permission",
    "elicitation/create",
    "session/elicitation",
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/release",
    "terminal/wait_for_exit",
    "terminal/kill",
]


@pytest.mark.parametrize(
    ("sender", "method"),
    [("client", method) for method in CLIENTS] + [("agent", method) for method in AGENTS],
)
def test_a_request_is_sent_by_the_side_that_has_the_method(sender, method):
    message = {"jsonrpc": "2.0", "id": 4, "method": method, "params": {"sessionId": "s-1"}}
    document = bare().sends(sender, message).fold("jsonrpc")

    assert document.open_requests() == [(sender, 4)]
    assert document.connection["openRequests"][0]["method"] == method


def test_a_notification_is_sent_by_the_side_that_has_the_method():
    document = v1().prompt(1).agent_says("x").cancel().fold("jsonrpc")

    assert document.messages() == [("user", "question"), ("agent", "x")]
    assert document.turn(1)["cancelRequested"] is True


@pytest.mark.parametrize("version", [1, 2])
def test_a_session_without_ambiguity_folds_as_if_the_senders_were_given(version):
    transcript = of_version(version).prompt(1).permission(31).selects(31).form(32).replies(32, "decline").agent_answers(1, {})

    assert transcript.fold("jsonrpc").value["sessions"] == transcript.fold().value["sessions"]


# --- a response by the open request with that id -------------------------------------------------------------------


def test_a_response_is_sent_by_the_side_that_was_asked():
    document = v1().prompt(5).permission(6).selects(6).ends(5).fold("jsonrpc")

    assert document.permission(6)["status"] == "selected"
    assert document.turn(5)["status"] == "ended"
    assert document.codes == []


def both_open():
    return v1().prompt(5).permission(5)


def test_where_both_sides_have_one_open_the_shape_of_the_result_decides_for_the_permission():
    document = both_open().selects(5, "no").fold("jsonrpc")

    assert document.permission(5)["status"] == "selected"
    assert document.turn(5)["status"] == "running"


def test_where_both_sides_have_one_open_the_shape_of_the_result_decides_for_the_prompt():
    document = both_open().ends(5).fold("jsonrpc")

    assert document.permission(5)["status"] == "pending"
    assert document.turn(5)["status"] == "ended"


def test_an_elicitation_and_a_prompt_are_told_apart_by_shape():
    transcript = v1().prompt(5).form(5).replies(5, "decline")
    between = transcript.fold("jsonrpc")
    assert between.elicitation(5)["status"] == "declined"
    assert between.turn(5)["status"] == "running"

    assert transcript.ends(5).fold("jsonrpc").turn(5)["status"] == "ended"


def test_a_terminal_and_a_prompt_are_told_apart_by_shape():
    transcript = v1().prompt(5).agent_asks_session(5, "terminal/create", command="ls").client_answers(5, {"terminalId": "x"})
    document = transcript.fold("jsonrpc")

    assert document.terminal("x")["command"] == "ls"
    assert document.turn(5)["status"] == "running"


def test_where_the_shape_says_nothing_it_is_the_older_with_a_diagnostic():
    document = both_open().agent_answers(5, {}).fold("jsonrpc")

    assert document.turn(5)["status"] == "ended"
    assert document.permission(5)["status"] == "pending"
    assert "ambiguous-sender" in document.codes


def test_the_older_may_be_the_agents():
    document = v1().permission(5).prompt(5).agent_answers(5, {"odd": 1}).fold("jsonrpc")

    assert document.permission(5)["status"] != "pending"
    assert document.turn(5)["status"] == "running"
    assert "ambiguous-sender" in document.codes


def test_an_error_has_no_shape():
    document = both_open().agent_fails(5, -32603).fold("jsonrpc")

    assert document.turn(5)["status"] == "failed"
    assert "ambiguous-sender" in document.codes


# --- `$/cancel_request` by the side whose request with that id is open ---------------------------------------------


def cancelling(transcript, id):
    return transcript.sends("client", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}}).fold("jsonrpc")


def test_a_cancel_of_the_clients_request_is_the_clients():
    document = cancelling(v1().prompt(5), 5)

    assert document.turn(5)["cancelRequested"] is True
    assert document.codes == []


def test_a_cancel_of_the_agents_request_is_the_agents():
    document = cancelling(v1().prompt(4).permission(5), 5)

    assert document.permission(5)["status"] == "cancelled"
    assert "cancelRequested" not in document.turn(4)


def test_where_both_have_one_open_it_changes_nothing():
    document = cancelling(both_open(), 5)

    assert document.permission(5)["status"] == "pending"
    assert "cancelRequested" not in document.turn(5)
    assert len(document.codes) == 1


def test_where_neither_has_one_open_it_changes_nothing():
    document = cancelling(both_open(), 6)

    assert document.permission(5)["status"] == "pending"
    assert "cancelRequested" not in document.turn(5)
    assert len(document.codes) == 1


# --- A recording is one-sided until its first client frame; from then on it is not -----------------------------------


def test_a_one_sided_v1_recording_has_no_activity():
    document = one_sided(1).agent_says("x").permission(31).fold()

    assert "activity" not in document.session()


def test_from_the_first_client_frame_on_it_has():
    document = one_sided(1).agent_says("x").client_tells("_acme/hello").fold()

    assert document.session()["activity"] == "idle"


def test_any_client_frame_makes_it_two_sided():
    document = one_sided(1).agent_says("x").permission(31).selects(31).fold()

    assert document.session()["activity"] == "idle"


def test_a_prompt_that_comes_later_runs():
    document = one_sided(1).agent_says("x").prompt(1).fold()

    assert document.session()["activity"] == "running"


def test_the_handshake_alone_makes_it_two_sided():
    document = bare().initialize(1).agent_says("x").fold()

    assert document.session()["activity"] == "idle"


def test_in_jsonrpc_the_senders_that_are_inferred_count():
    document = one_sided(1).agent_says("x").fold("jsonrpc")
    assert "activity" not in document.session()

    document = one_sided(1).agent_says("x").prompt(1).fold("jsonrpc")
    assert document.session()["activity"] == "running"


def test_v2_reports_its_activity_one_sided_too():
    document = one_sided(2).state("running").fold()

    assert document.session()["activity"] == "running"


def test_a_one_sided_prompt_answer_ends_a_turn_that_was_not_seen():
    document = one_sided(1).agent_says("x").ends(3).fold()

    assert document.turns() == [{"status": "ended", "stopReason": "end_turn"}]


def test_two_sidedness_is_no_matter_of_the_session():
    document = v2("s-1").agent_says(text("x"), "m", "s-9").fold()

    assert "activity" not in document.session("s-9")
