"""SPEC 4.4: turns, activity, cancellation."""

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, bare, item, of_version, one_sided, sent, shows, text, v1, v2


USAGE = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}
ERROR = {"code": -32603, "message": "boom", "data": {"a": None}}


def statuses(document, session="s-1"):
    return [turn["status"] for turn in document.turns(session)]


# --- v1: each `session/prompt` is a turn of its own ----------------------------------------------------------------------------


def test_each_v1_prompt_is_a_turn_of_its_own():
    document = v1().prompt(1).prompt(2).prompt(3).fold()

    assert document.turns() == [{"status": "running", "prompts": [{"requestId": id}]} for id in (1, 2, 3)]
    assert [entry["turn"] for entry in document.timeline()] == [0, 1, 2]


def test_its_response_ends_it_with_stop_reason_and_usage():
    document = v1().prompt(1).ends(1, "max_tokens", usage=USAGE).fold()

    assert document.turns() == [{"status": "ended", "prompts": [{"requestId": 1}], "stopReason": "max_tokens", "usage": USAGE}]
    assert document.session()["stopReason"] == "max_tokens"


@pytest.mark.parametrize("code", [-32603, -32600, -32000, 7])
def test_an_error_ends_it_as_failed(code):
    document = v1().prompt(1).agent_fails(1, code, "boom", data=None).fold()

    assert document.turns() == [
        {"status": "failed", "prompts": [{"requestId": 1}], "error": {"code": code, "message": "boom", "data": None}}
    ]


def test_minus_32800_ends_it_cancelled_and_the_error_is_kept():
    document = v1().prompt(1).agent_fails(1, -32800, "stopped").fold()

    assert document.turns() == [
        {"status": "ended", "prompts": [{"requestId": 1}], "stopReason": "cancelled", "error": {"code": -32800, "message": "stopped"}}
    ]


# --- Match by id: a second response changes nothing ------------------------------------------------------------------------------


@pytest.mark.parametrize("second", [lambda t: t.ends(1, "refusal"), lambda t: t.agent_fails(1), lambda t: t.agent_answers(1, None)])
def test_a_second_response_changes_nothing(second):
    transcript = v1().prompt(1).ends(1, usage=USAGE)
    before = transcript.fold()
    document = second(transcript).fold()

    assert document.value["sessions"] == before.value["sessions"]
    assert document.codes == ["unmatched-answer"]


# --- With several open, output, calls and requests belong to the oldest --------------------------------------------------------------


def test_with_several_open_everything_belongs_to_the_oldest():
    document = (
        v1()
        .prompt(1, "a")
        .prompt(2, "b")
        .agent_says("x")
        .tool_call("t1")
        .permission(31, "t9")
        .form(32)
        .update("compaction_update", compactionId="c", status="completed")
        .fold()
    )
    assert [entry["turn"] for entry in document.timeline()[2:]] == [0, 0, 0, 0, 0, 0]


def test_when_the_oldest_settles_the_next_takes_over():
    document = v1().prompt(1, "a").prompt(2, "b").agent_says("x", "m-1").ends(1).agent_says("y", "m-2").tool_call("t1").fold()

    assert document.message("m-1")["turn"] == 0
    assert document.message("m-2")["turn"] == 1
    assert document.tool()["turn"] == 1


def test_a_request_belongs_to_its_tool_calls_turn_if_that_is_open():
    transcript = v1().prompt(1, "a").tool_call("t1").prompt(2, "b").ends(1).tool_call("t2").prompt(3, "c")
    document = transcript.permission(31, "t2").permission(32, "t1").form(33, toolCallId="t2").fold()

    assert document.tool("t2")["turn"] == 1
    assert document.permission(31)["turn"] == 1
    assert document.permission(32)["turn"] == 1
    assert document.elicitation(33)["turn"] == 1


def test_even_if_that_is_not_the_oldest():
    transcript = v1().prompt(1, "a").prompt(2, "b").ends(1).tool_call("t2").prompt(3, "c").prompt(4, "d")
    document = transcript.permission(31, "t2").fold()

    assert document.permission(31)["turn"] == 1


def test_the_session_is_busy_until_the_last_settles():
    transcript = v1().prompt(1).prompt(2)
    for answered, activity in ((2, "running"), (1, "idle")):
        assert transcript.fold().session()["activity"] == "running"
        assert transcript.ends(answered).fold().session()["activity"] == activity


# --- v2: at most one turn is open -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["running", "requires_action"])
def test_in_v2_running_or_requires_action_opens_it(state):
    document = v2().state(state).fold()

    assert document.turns() == [{"status": "running"}]
    assert document.session()["activity"] == state


@pytest.mark.parametrize("report", [lambda t: t.user_message("u", "x"), lambda t: t.user_says("x", "u"), lambda t: t.user_message("u")])
def test_in_v2_a_new_user_message_opens_it(report):
    document = report(v2()).fold()

    assert statuses(document) == ["running"]
    assert document.message("u")["turn"] == 0


@pytest.mark.parametrize(
    "update",
    [
        lambda t: t.agent_says("x", "m"),
        lambda t: t.agent_thinks("x", "m"),
        lambda t: t.tool_update("t1", status="in_progress"),
        lambda t: t.permission_v2(31),
        lambda t: t.form(31),
        lambda t: t.update("session_message", messageId="s"),
        lambda t: t.update("compaction_update", compactionId="c", status="in_progress"),
        lambda t: t.prompt(1),
        lambda t: t.prompt(1).accepts(1, "u"),
        lambda t: t.state("idle"),
        lambda t: t.state("unknown"),
        lambda t: t.state("_dreaming"),
        lambda t: t.cancel(),
    ],
)
def test_in_v2_nothing_else_does(update):
    document = update(v2()).fold()

    assert document.turns() == []
    assert not any("turn" in entry for entry in document.timeline())


def test_a_user_message_that_is_not_new_opens_none():
    document = v2().user_message("u", "x").state("idle").user_message("u", "y").user_says("z", "u").fold()

    assert statuses(document) == ["ended"]


def test_a_user_message_that_is_replayed_opens_none():
    document = bare().initialize(2).replay(2).user_message("u", "x").agent_answers(2, {}).fold()

    assert document.turns() == []


def test_with_one_open_nothing_opens_another():
    document = v2().state("running").user_message("u-1", "x").state("requires_action").state("running").user_message("u-2", "y").fold()

    assert statuses(document) == ["running"]
    assert [entry["turn"] for entry in document.timeline()] == [0, 0]


def test_idle_ends_it_with_stop_reason_and_usage():
    document = v2().state("running").state("idle", stopReason="max_tokens", usage=USAGE).fold()

    assert document.turns() == [{"status": "ended", "stopReason": "max_tokens", "usage": USAGE}]
    assert document.session()["stopReason"] == "max_tokens"


def test_idle_for_an_error_fails_it():
    document = v2().state("running").state("idle", stopReason="error", error=ERROR).fold()

    assert document.turns() == [{"status": "failed", "stopReason": "error", "error": ERROR}]
    assert document.session()["stopReason"] == "error"


def test_without_the_error_too():
    document = v2().state("running").state("idle", stopReason="error").fold()

    assert document.turns() == [{"status": "failed", "stopReason": "error"}]


@pytest.mark.parametrize("reason", ["end_turn", "cancelled", "refusal", "_tired"])
def test_an_error_with_another_reason_is_none(reason):
    document = v2().state("running").state("idle", stopReason=reason, error=ERROR).fold()

    assert document.turns()[0]["status"] == "ended"


def test_the_next_running_opens_the_next():
    document = v2().state("running").state("idle").state("running").fold()

    assert statuses(document) == ["ended", "running"]


# --- An `idle` with no turn open is a snapshot ------------------------------------------------------------------------------------------------


def test_a_repeated_idle_is_no_second_end():
    document = v2().state("running").state("idle", stopReason="end_turn").state("idle", stopReason="end_turn").fold()

    assert document.turns() == [{"status": "ended", "stopReason": "end_turn"}]


def test_it_fills_in_what_the_last_turn_lacks():
    document = v2().state("running").state("idle").state("idle", stopReason="max_tokens", usage=USAGE).fold()

    assert document.turns() == [{"status": "ended", "stopReason": "max_tokens", "usage": USAGE}]
    assert document.session()["stopReason"] == "max_tokens"


def test_and_only_that():
    document = v2().state("running").state("idle", stopReason="end_turn").state("idle", stopReason="refusal", usage=USAGE).fold()

    assert document.turns() == [{"status": "ended", "stopReason": "end_turn", "usage": USAGE}]
    assert document.session()["stopReason"] == "end_turn"


def test_it_sets_activity_and_background():
    work = [{"type": "terminal", "terminalId": "k"}]
    document = v2("s-9").resume(2, "s-1").state("idle", "s-1", background=work).agent_answers(2, {}).fold()

    assert document.session()["activity"] == "idle"
    assert document.session()["background"] == work
    assert document.turns() == []


# --- a `session/status` answer sets `activity` and `background` only ------------------------------------------------------------------------------


def asked_status(transcript, **result):
    return transcript.client_asks_session(4, "session/status").agent_answers(4, {"status": "open", **result})


@pytest.mark.parametrize("state", ["running", "idle", "requires_action", "unknown", "_dreaming"])
def test_a_status_answer_sets_activity_and_background_only(state):
    work = [{"type": "_job"}]
    document = asked_status(v2(), state={"state": state, "background": work}).fold()

    assert document.session()["activity"] == state
    assert document.session()["background"] == work
    assert document.session()["status"] == "open"
    assert document.turns() == []


def test_it_ends_no_turn():
    document = asked_status(v2().state("running"), state={"state": "idle", "stopReason": "end_turn", "usage": USAGE}).fold()

    assert document.turns() == [{"status": "running"}]
    assert "stopReason" not in document.session()


@pytest.mark.parametrize("state", [ABSENT, None, "running", 7])
def test_a_status_answer_without_a_state_sets_none(state):
    document = asked_status(v2().state("running", background=[]), **sent(state=state)).fold()

    assert document.session()["activity"] == "running"
    assert document.session()["background"] == []


# --- `session/new` and `fork` start idle; in v2 every other session has no `activity` until reported -----------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_new_starts_idle(version):
    assert of_version(version).fold().session()["activity"] == "idle"


@pytest.mark.parametrize("version", [1, 2])
def test_fork_starts_idle(version):
    document = of_version(version).client_asks_session(4, "session/fork", cwd="/w").agent_answers(4, {"sessionId": "s-2"}).fold()

    assert document.session("s-2")["activity"] == "idle"


@pytest.mark.parametrize(
    "setup",
    [
        lambda t: t.agent_says("x", "m"),
        lambda t: t.resume(2).agent_answers(2, {}),
        lambda t: t.replay(2).agent_answers(2, {}),
        lambda t: t.replay(2).user_message("u", "x").agent_answers(2, {}),
        lambda t: t.prompt(1),
    ],
)
def test_in_v2_every_other_session_has_none_until_reported(setup):
    transcript = setup(bare().initialize(2))
    assert "activity" not in transcript.fold().session()

    assert transcript.state("running").fold().session()["activity"] == "running"


def test_a_late_response_overwrites_no_reported_state():
    document = bare().initialize(2).client_asks(1, "session/new", cwd="/w").state("running").agent_answers(1, {"sessionId": "s-1"}).fold()

    assert document.session()["activity"] == "running"
    assert statuses(document) == ["running"]


# --- Each `state_update` sets `background` anew ------------------------------------------------------------------------------------------------------------


WORK = [
    {"type": "terminal", "terminalId": "k"},
    {"type": "tool_call", "toolCallId": "t1"},
    {"type": "subagent", "sessionId": "c"},
    {"type": "_x", "y": None},
]


@pytest.mark.parametrize("state", ["running", "idle", "requires_action", "unknown", "_dreaming"])
def test_each_state_sets_background_anew(state):
    document = v2().state("running", background=[{"type": "_old"}]).state(state, background=WORK).fold()

    assert document.session()["background"] == WORK


@pytest.mark.parametrize("background", [ABSENT, None, "x", {}, 7], ids=repr)
def test_omitted_null_or_malformed_is_not_reported(background):
    document = v2().state("running", background=WORK).state("running", background=background).fold()

    assert "background" not in document.session()


def test_an_empty_list_is_none():
    assert v2().state("running", background=WORK).state("idle", background=[]).fold().session()["background"] == []


# --- `stopReason` of the session ----------------------------------------------------------------------------------------------------------------------------------


def test_it_is_that_of_the_turn_that_ended_last_in_time():
    document = v1().prompt(1).prompt(2).ends(2, "max_tokens").ends(1, "refusal").fold()
    assert document.session()["stopReason"] == "refusal"

    document = v1().prompt(1).prompt(2).ends(1, "refusal").ends(2, "max_tokens").fold()
    assert document.session()["stopReason"] == "max_tokens"


def test_a_turn_that_failed_last_has_none():
    document = v1().prompt(1).prompt(2).ends(1, "refusal").agent_fails(2).fold()

    assert "stopReason" not in document.session()


@pytest.mark.parametrize("open_turn", [lambda t: t.prompt(9)])
def test_a_new_turn_clears_it(open_turn):
    document = open_turn(v1().prompt(1).ends(1)).fold()

    assert "stopReason" not in document.session()


@pytest.mark.parametrize(
    "open_turn", [lambda t: t.state("running"), lambda t: t.state("requires_action"), lambda t: t.user_message("u", "x")]
)
def test_in_v2_too(open_turn):
    ended = v2().state("running").state("idle", stopReason="end_turn")
    assert ended.fold().session()["stopReason"] == "end_turn"

    assert "stopReason" not in open_turn(ended).fold().session()


# --- `activity` -----------------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["running", "idle", "requires_action", "unknown", "_dreaming"])
def test_in_v2_it_is_as_reported(state):
    assert v2().prompt(1).permission_v2(31).state(state).fold().session()["activity"] == state


@pytest.mark.parametrize(
    "update", [lambda t: t.permission_v2(31), lambda t: t.form(31), lambda t: t.prompt(1), lambda t: t.tool_update("t1")]
)
def test_in_v2_nothing_else_changes_it(update):
    assert update(v2().state("idle")).fold().session()["activity"] == "idle"
    assert update(v2().state("running")).fold().session()["activity"] == "running"


@pytest.mark.parametrize("ask", [lambda t: t.permission(31), lambda t: t.form(31), lambda t: t.url(31)])
def test_in_v1_it_requires_action_while_a_prompt_is_open_and_a_question_is_pending(ask):
    transcript = ask(v1().prompt(1))
    assert transcript.fold().session()["activity"] == "requires_action"

    assert transcript.client_answers(31, {}).fold().session()["activity"] == "running"
    assert transcript.ends(1).fold().session()["activity"] == "idle"


def test_in_v1_until_all_of_them_are_answered():
    transcript = v1().prompt(1).permission(31).permission(32).selects(32)
    assert transcript.fold().session()["activity"] == "requires_action"

    assert transcript.selects(31).fold().session()["activity"] == "running"


def test_in_v1_a_question_without_an_open_prompt_requires_none():
    transcript = v1().permission(31)
    assert transcript.fold().session()["activity"] == "idle"

    assert transcript.prompt(1).fold().session()["activity"] == "requires_action"


def test_in_v1_a_question_of_another_session_requires_none():
    document = v1("s-1").new("s-2").prompt(1).permission(31, session="s-2").fold()

    assert document.session("s-1")["activity"] == "running"
    assert document.session("s-2")["activity"] == "idle"


def test_in_v1_it_is_absent_while_unknown():
    assert "activity" not in one_sided(1).agent_says("x").tool_call("t1").permission(31).fold().session()


# --- Updates outside a turn -------------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_updates_outside_a_turn_belong_to_none_and_open_none(version):
    document = (
        of_version(version).agent_says("x", "m").tool_update("t1").update("compaction_update", compactionId="c", status="completed").fold()
    )

    assert len(document.timeline()) == 3
    assert not any("turn" in entry for entry in document.timeline())
    assert document.turns() == []
    assert document.session()["activity"] == "idle"


def test_nor_do_they_reopen_one():
    document = v1().prompt(1).tool_call("t1").ends(1).tool_update("t1", status="in_progress").agent_says("x").permission(31, "t1").fold()

    assert statuses(document) == ["ended"]
    assert document.session()["activity"] == "idle"
    assert "turn" not in document.message(None, role="agent")
    assert "turn" not in document.permission(31)


# --- `refusal` marks a v1 turn as not in context ----------------------------------------------------------------------------------------------------------------------------


def test_refusal_marks_a_v1_turn_as_not_in_context():
    assert v1().prompt(1).ends(1, "refusal").fold().turn(1)["inContext"] is False


@pytest.mark.parametrize("reason", ["end_turn", "max_tokens", "cancelled", "_refusal"])
def test_no_other_reason_does(reason):
    assert "inContext" not in v1().prompt(1).ends(1, reason).fold().turn(1)


def test_nor_does_it_in_v2():
    assert "inContext" not in v2().state("running").state("idle", stopReason="refusal").fold().turns()[0]


# --- `cancelRequested` is a fact of its turn, beside the stop reason ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["cancelled", "end_turn"])
def test_cancel_requested_is_a_fact_of_its_turn_beside_the_stop_reason(reason):
    document = v1().prompt(1).cancel().ends(1, reason).fold()

    assert (document.turn(1)["cancelRequested"], document.turn(1)["stopReason"]) == (True, reason)


@pytest.mark.parametrize("version", [1, 2])
def test_a_cancel_with_no_turn_open_touches_no_turn(version):
    ended = v1().prompt(1).ends(1) if version == 1 else v2().state("running").state("idle")
    before = ended.fold()
    document = ended.cancel().fold()

    assert document.turns() == before.turns()


# --- `session/cancel` by the client covers the open turns ------------------------------------------------------------------------------------------------------------------------------


def test_it_covers_every_open_turn():
    document = v1().prompt(1).prompt(2).ends(1).prompt(3).cancel().fold()

    assert ["cancelRequested" in turn for turn in document.turns()] == [False, True, True]


def test_it_marks_their_open_calls_cancelled_at_once():
    document = v1().prompt(1).tool_call("t1").tool_call("t2", status="in_progress").tool_call("t3", status="failed").cancel().fold()

    assert [call["status"] for call in document.timeline(type="tool_call")] == ["cancelled", "cancelled", "failed"]
    assert [call.get("cancelledByClient", False) for call in document.timeline(type="tool_call")] == [True, True, False]


def test_it_leaves_calls_of_no_turn_alone():
    document = v1().tool_call("t0").prompt(1).cancel().fold()

    assert document.tool("t0")["status"] == "pending"


def test_a_cancel_of_another_session_covers_nothing_here():
    document = v1("s-1").new("s-2").prompt(1).tool_call("t1").cancel("s-2").fold()

    assert "cancelRequested" not in document.turn(1)
    assert document.tool()["status"] == "pending"


def in_background(background, content=()):
    return v2().state("running", background=background).tool_update("t1", status="in_progress", content=list(content)).cancel().fold()


def test_except_those_that_background_lists():
    assert in_background([{"type": "tool_call", "toolCallId": "t1"}]).tool()["status"] == "in_progress"
    assert in_background([{"type": "tool_call", "toolCallId": "t2"}]).tool()["status"] == "cancelled"


def test_or_whose_terminal_it_lists():
    assert in_background([{"type": "terminal", "terminalId": "k"}], [item("x"), shows("k")]).tool()["status"] == "in_progress"
    assert in_background([{"type": "terminal", "terminalId": "q"}], [shows("k")]).tool()["status"] == "cancelled"


def test_a_background_that_is_not_reported_any_more_protects_none():
    listed = [{"type": "tool_call", "toolCallId": "t1"}]
    document = v2().state("running", background=listed).tool_update("t1").state("running").cancel().fold()

    assert document.tool()["status"] == "cancelled"


def test_in_v1_it_cancels_every_pending_question_of_the_session():
    document = v1().permission(30).prompt(1).permission(31).form(32).permission(33).selects(33).cancel().fold()

    for entry in (document.permission(30), document.permission(31), document.elicitation(32)):
        assert (entry["status"], entry["answerOwed"]) == ("cancelled", True)
    assert document.permission(33)["status"] == "selected"


def test_in_v1_even_with_no_turn_open():
    assert v1().permission(31).cancel().fold().permission(31)["status"] == "cancelled"


def test_in_v2_while_requires_action():
    document = v2().state("running").permission_v2(31).form(32).state("requires_action").cancel().fold()

    assert document.permission(31)["status"] == "cancelled"
    assert document.elicitation(32)["status"] == "cancelled"


@pytest.mark.parametrize("state", ["running", "idle"])
def test_in_v2_otherwise_the_rest_is_the_agents_cancel_request(state):
    transcript = v2().state("running").permission_v2(31).form(32).state(state).cancel()
    document = transcript.fold()
    assert document.permission(31)["status"] == "pending"
    assert document.elicitation(32)["status"] == "pending"

    document = transcript.agent_tells("$/cancel_request", requestId=31).fold()
    assert document.permission(31)["status"] == "cancelled"
    assert document.elicitation(32)["status"] == "pending"


def test_it_marks_waiting_prompts_without_removing_them():
    document = v2().prompt(1, "a").accepts(1, "u-1").prompt(2, "b").prompt(3, "c").agent_fails(3).cancel().fold()

    assert [prompt.get("cancelRequested", False) for prompt in document.pending_prompts()] == [True, True, False]


def test_one_that_waits_is_there_when_its_message_comes_after_all():
    document = v2().prompt(1, "a").cancel().accepts(1, "u-1").user_message("u-1", "a").fold()

    assert document.pending_prompts() == []
    assert document.turns()[0]["prompts"] == [{"requestId": 1, "messageId": "u-1"}]


def test_a_prompt_after_the_cancel_is_not_marked():
    document = v2().cancel().prompt(1).fold()

    assert "cancelRequested" not in document.pending_prompts()[0]


# --- `tool_call/cancel` and `terminal/cancel` mark `cancelRequested` on their target and change no status -----------------------------------------------------------------------------------


def test_tool_call_cancel_marks_its_target_and_changes_no_status():
    transcript = v2().state("running").tool_update("t1", status="in_progress").tool_update("t2", status="in_progress")
    transcript.client_asks_session(4, "tool_call/cancel", toolCallId="t1")
    document = transcript.fold()
    assert (document.tool("t1")["status"], document.tool("t1")["cancelRequested"]) == ("in_progress", True)
    assert "cancelRequested" not in document.tool("t2")

    document = transcript.agent_answers(4, {}).fold()
    assert document.tool("t1")["status"] == "in_progress"
    assert "cancelRequested" not in document.turns()[0]


def test_terminal_cancel_marks_its_target_and_changes_no_status():
    transcript = v2().update("terminal_update", terminalId="k", command="ls").update("terminal_update", terminalId="q")
    document = transcript.client_asks_session(4, "terminal/cancel", terminalId="k").agent_answers(4, {}).fold()

    assert document.terminal("k") == {"id": "k", "owner": "agent", "command": "ls", "cancelRequested": True}
    assert "cancelRequested" not in document.terminal("q")


@pytest.mark.parametrize(("method", "name"), [("tool_call/cancel", "toolCallId"), ("terminal/cancel", "terminalId")])
def test_one_whose_target_nobody_knows_makes_none(method, name):
    document = v2().client_asks_session(4, method, **{name: "x"}).agent_answers(4, {}).fold()

    assert document.timeline() == []
    assert "terminals" not in document.session()
    assert document.codes == ["unknown-target"]


def test_a_text_of_no_turn_stays_so():
    document = v2().agent_says(text("x"), "m").state("running").fold()

    assert "turn" not in document.message("m")
