"""SPEC 4.6, "Ends": close, archive, delete, and the end of input."""

from __future__ import annotations

import json

import pytest

from support.transcripts import bare, of_version, shows, v1, v2


PHASES = {"session/close": "closed", "session/archive": "closed", "session/delete": "deleted"}


def ask(transcript, method, id=8):
    return transcript.client_asks_session(id, method)


def ended(transcript, method="session/close", id=8):
    return ask(transcript, method, id).agent_answers(id, {})


def busy(version=1):
    if version == 1:
        return v1().prompt(1).tool_call("t1", status="in_progress").permission(31, "t1").form(32)
    return v2().prompt(1).accepts(1, "u").user_message("u", "x").state("running").tool_update("t1", status="in_progress")


# --- close and archive set `cancelRequested` when asked ----------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("method", ["session/close", "session/archive"])
def test_close_and_archive_set_cancel_requested_when_asked(version, method):
    document = ask(busy(version), method).fold()

    assert document.turns()[0]["cancelRequested"] is True
    assert document.turns()[0]["status"] == "running"
    assert document.tool()["status"] == "in_progress"
    assert document.session()["phase"] == "ready"


def test_delete_does_not():
    document = ask(busy(), "session/delete").fold()

    assert "cancelRequested" not in document.turn(1)
    assert document.session()["phase"] == "ready"


@pytest.mark.parametrize("method", PHASES)
def test_one_that_fails_ends_nothing(method):
    document = ask(busy(), method).agent_fails(8, -32603).fold()

    assert document.session()["phase"] == "ready"
    assert document.turn(1)["status"] == "running"
    assert document.tool()["status"] == "in_progress"
    assert document.permission(31)["status"] == "pending"


# --- and act as a cancel on success, background work included; delete on success only --------------------------------------------------


@pytest.mark.parametrize("method", PHASES)
def test_on_success_they_act_as_a_cancel(method):
    document = ended(busy(), method).fold()

    assert document.tool()["status"] == "cancelled"
    assert document.tool()["cancelledByClient"] is True
    assert document.permission(31)["status"] == "cancelled"
    assert document.elicitation(32)["status"] == "cancelled"
    assert document.turn(1)["cancelRequested"] is True


@pytest.mark.parametrize("method", PHASES)
def test_background_work_included(method):
    background = [{"type": "tool_call", "toolCallId": "t1"}, {"type": "terminal", "terminalId": "k"}]
    transcript = v2().state("running").tool_update("t1", status="in_progress").tool_update("t2", content=[shows("k")])
    document = ended(transcript.state("idle", background=background), method).fold()

    assert document.tool("t1")["status"] == "cancelled"
    assert document.tool("t2")["status"] == "cancelled"


def test_what_is_final_stays():
    document = ended(v1().prompt(1).tool_call("t1", status="failed").permission(31).selects(31)).fold()

    assert document.tool()["status"] == "failed"
    assert document.permission(31)["status"] == "selected"


def test_waiting_prompts_are_marked():
    document = ended(v2().prompt(1)).fold()

    assert document.pending_prompts()[0]["cancelRequested"] is True


# --- -32002 on close is success ----------------------------------------------------------------------------------------------------------------


def test_minus_32002_on_close_is_success():
    document = ask(busy(), "session/close").agent_fails(8, -32002, "gone").fold()

    assert document.session()["phase"] == "closed"
    assert document.turn(1)["status"] == "ended"
    assert "error" not in document.session()


@pytest.mark.parametrize("method", ["session/archive", "session/delete"])
def test_on_the_others_it_is_not(method):
    document = ask(v1(), method).agent_fails(8, -32002, "gone").fold()

    assert document.session()["phase"] == "ready"


@pytest.mark.parametrize("code", [-32001, -32003, 32002, -32601])
def test_nor_is_another_code(code):
    document = ask(v1(), "session/close").agent_fails(8, code).fold()

    assert document.session()["phase"] == "ready"


# --- Success ends open turns, `activity` idle, phase `closed` or `deleted` --------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("method", PHASES)
def test_success_ends_open_turns_activity_idle_phase_closed_or_deleted(version, method):
    document = ended(busy(version), method).fold()

    assert document.session()["phase"] == PHASES[method]
    assert document.session()["activity"] == "idle"
    assert [turn["status"] for turn in document.turns()] == ["ended"]
    assert "stopReason" not in document.turns()[0]


@pytest.mark.parametrize("version", [1, 2])
def test_of_an_idle_session_too(version):
    document = ended(of_version(version)).fold()

    assert document.session()["phase"] == "closed"
    assert document.session()["activity"] == "idle"


def test_their_requests_stay_open_and_a_later_answer_fills_in_the_stop_reason():
    transcript = ended(busy())
    assert ("client", 1) in transcript.fold().open_requests()

    document = transcript.ends(1, "cancelled").fold()
    assert document.turn(1)["status"] == "ended"
    assert document.turn(1)["stopReason"] == "cancelled"
    assert ("client", 1) not in document.open_requests()
    assert document.session()["phase"] == "closed"
    assert document.session()["activity"] == "idle"


def test_an_answer_to_a_question_is_still_taken():
    document = ended(busy()).dismisses(31).selects(32).fold()

    assert "answerOwed" not in document.permission(31)


def test_what_came_before_the_answer_is_folded():
    document = ask(busy(), "session/close").agent_says("last words").ends(1, "cancelled").agent_answers(8, {}).fold()

    assert document.messages()[-1] == ("agent", "last words")
    assert document.turn(1)["stopReason"] == "cancelled"


# --- later updates are diagnosed, not folded -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", PHASES)
@pytest.mark.parametrize(
    "update",
    [
        lambda t: t.agent_says("x"),
        lambda t: t.tool_update("t1", status="completed"),
        lambda t: t.update("session_info_update", title="T"),
        lambda t: t.update("usage_update", used=1, size=2),
        lambda t: t.update("_unknown"),
    ],
)
def test_later_updates_are_diagnosed_not_folded(method, update):
    before = ended(busy(), method).fold()
    document = update(ended(busy(), method)).fold()

    assert document.session() == before.session()
    assert "closed-session" in document.codes


def test_a_later_state_wakes_nothing():
    document = ended(v2()).state("running").fold()

    assert document.session()["activity"] == "idle"
    assert document.turns() == []
    assert "closed-session" in document.codes


def test_another_session_goes_on():
    document = ended(v1("s-2").new("s-1").prompt(5, "x", "s-2"), "session/close").fold()

    assert document.turn(5, "s-2")["status"] == "ended"

    document = ask(v1("s-1").new("s-2").prompt(5, "x", "s-2"), "session/close").agent_answers(8, {}).agent_says("y", session="s-2").fold()
    assert document.messages("s-2") == [("user", "x"), ("agent", "y")]


# --- `load`, `resume`, or a `new` or `fork` answer naming it, reopens it -------------------------------------------------------------------------------------


REOPEN = {
    "load": lambda t: t.load(9).agent_answers(9, {}),
    "resume": lambda t: t.resume(9).agent_answers(9, {}),
    "new": lambda t: t.new("s-1", id=9),
    "fork": lambda t: t.client_asks_session(9, "session/fork", "s-2", cwd="/w").agent_answers(9, {"sessionId": "s-1"}),
}


@pytest.mark.parametrize("method", PHASES)
@pytest.mark.parametrize("how", REOPEN)
def test_it_is_reopened(method, how):
    document = REOPEN[how](ended(v1("s-1"), method)).agent_says("back").fold()

    assert document.session()["phase"] == "ready"
    assert document.messages()[-1] == ("agent", "back")
    assert "closed-session" not in document.codes


@pytest.mark.parametrize(("how", "phase"), [("load", "loading"), ("resume", "opening")])
def test_as_soon_as_it_is_asked(how, phase):
    asked = {"load": lambda t: t.load(9), "resume": lambda t: t.resume(9)}[how]
    document = asked(ended(v1())).agent_says("back").fold()

    assert document.session()["phase"] == phase
    assert document.messages() == [("agent", "back")]


def test_a_reopening_that_fails_leaves_it_closed():
    document = ended(v1()).load(9).agent_fails(9).fold()

    assert document.session()["phase"] == "closed"


# --- End of input changes nothing: only `runtime_exit` or a seen exit sets `exit` and the connection's phase ------------------------------------------------------


def test_end_of_input_changes_nothing():
    document = busy().fold()

    assert document.connection["phase"] == "ready"
    assert "exit" not in document.connection
    assert document.turn(1)["status"] == "running"
    assert document.session()["activity"] == "requires_action"


@pytest.mark.parametrize("exit", [{"status": "success"}, {"status": "error", "code": 3, "signal": None}])
def test_a_seen_exit_sets_exit_and_the_phase(exit):
    document = busy().line(json.dumps({"t": 9, "exit": exit})).fold()

    assert document.connection["exit"] == exit
    assert document.connection["phase"] == "closed"
    assert document.turn(1)["status"] == "running"


def test_so_does_runtime_exit():
    transcript = bare().initialize(1).new().prompt(1).line('{"type":"runtime_exit","status":"success"}')
    document = transcript.fold("replay")

    assert document.connection["exit"]["status"] == "success"
    assert document.connection["phase"] == "closed"
