"""SPEC 4.6, "Replay": what goes on live while a load is under way is there after it, whether the load succeeds or fails."""

from __future__ import annotations

import pytest

from support.transcripts import bare, shows, text, v1, v2


SUCCEEDS = {"success": lambda t: t.agent_answers(2, {}), "failure": lambda t: t.agent_fails(2)}

each_outcome = pytest.mark.parametrize("outcome", SUCCEEDS)
whenever = pytest.mark.parametrize("early", [True, False], ids=["before the first replayed update", "after it"])


def lived():
    return v1().prompt(1, "old").agent_says("a", "a-1").ends(1)


def during_load(begun, live, *, early):
    """A load, a replayed message, and *live*, before or after that."""
    loading = begun.load(2)
    return live(loading).user_says("Q", "u-9") if early else live(loading.user_says("Q", "u-9"))


def remains(outcome):
    return [("user", "Q")] if outcome == "success" else [("user", "old"), ("agent", "a")]


# --- turns ------------------------------------------------------------------------------------------------------


@each_outcome
@whenever
def test_a_turn_that_begins_and_ends_during_it_is_kept(outcome, early):
    transcript = during_load(lived(), lambda t: t.prompt(3, "new").ends(3, "max_tokens"), early=early)
    document = SUCCEEDS[outcome](transcript).fold()

    assert document.messages() == [*remains(outcome), ("user", "new")]
    assert document.turn(3)["stopReason"] == "max_tokens"
    assert document.last()["turn"] == len(document.turns()) - 1
    assert document.session()["stopReason"] == "max_tokens"


@each_outcome
@whenever
def test_one_that_fails_during_it_too(outcome, early):
    transcript = during_load(lived(), lambda t: t.prompt(3, "new").agent_fails(3, -1, "no"), early=early)
    document = SUCCEEDS[outcome](transcript).fold()

    assert document.turn(3)["status"] == "failed"
    assert document.turn(3)["error"] == {"code": -1, "message": "no"}


@each_outcome
def test_one_that_a_second_load_finds_under_way_is_kept(outcome):
    transcript = lived().load(4).user_says("R", "u-8").prompt(3, "new").load(2).user_says("Q", "u-9").ends(3)
    document = SUCCEEDS[outcome](transcript).fold()

    assert document.messages() == [*remains(outcome), ("user", "new")]
    assert document.turn(3)["stopReason"] == "end_turn"
    assert "unknown-turn" not in document.codes


def test_what_is_live_in_v2_after_the_replay_is_kept_when_the_load_fails():
    document = (
        v2()
        .user_message("u-1", "q")
        .state("running")
        .state("idle")
        .replay(2)
        .user_message("h", "old")
        .state("idle")
        .user_message("n", "new")
        .tool_update("t1", title="T", status="completed")
        .agent_message("a", "x")
        .state("idle", stopReason="end_turn")
        .agent_fails(2)
        .fold()
    )
    assert document.story() == [("user", "q"), ("user", "new"), ("tool_call", "t1"), ("agent", "x")]
    assert [entry["turn"] for entry in document.timeline()] == [0, 1, 1, 1]
    assert [turn["status"] for turn in document.turns()] == ["ended", "ended"]


def test_a_call_of_an_open_turn_is_marked_when_that_ends_after_the_load_failed():
    transcript = v2().replay(2).user_message("h", "old").state("running").tool_update("t1", title="T").agent_fails(2)
    document = transcript.state("idle").fold()

    assert document.tool()["unresolved"] is True


@whenever
def test_an_unknown_session_keeps_it_too(early):
    document = during_load(bare().initialize(1), lambda t: t.prompt(3, "new").ends(3), early=early).agent_answers(2, {}).fold()

    assert document.messages() == ([("user", "Q"), ("user", "new")])
    assert document.turn(3)["status"] == "ended"


def test_a_late_stop_reason_of_a_turn_that_was_carried_over_is_the_sessions():
    transcript = lived().load(2).user_says("Q", "u-9").prompt(3, "new").client_asks_session(5, "session/close").agent_answers(5, {})
    document = transcript.ends(3, "refusal").fold()

    assert document.turn(3)["stopReason"] == "refusal"
    assert document.session()["stopReason"] == "refusal"


# --- permissions and what they are about -----------------------------------------------------------------------------


def asks(transcript):
    return transcript.permission(31, "t1", title="Edit")


@each_outcome
def test_the_call_of_a_pending_permission_is_carried_with_it(outcome):
    transcript = asks(v1().prompt(1, "q").tool_call("t1", kind="edit")).load(2).user_says("Q", "u-9")
    document = SUCCEEDS[outcome](transcript).fold()

    assert document.permission(31)["toolCallId"] == "t1"
    assert (document.tool()["title"], document.tool()["kind"], document.tool()["turn"]) == ("Edit", "edit", 0)
    assert document.permission(31)["turn"] == 0


def test_it_goes_on_there():
    transcript = asks(v1().prompt(1, "q").tool_call("t1")).load(2).user_says("Q", "u-9").agent_answers(2, {})
    document = transcript.selects(31).tool_update("t1", status="completed").fold()

    assert document.tool()["status"] == "completed"
    assert document.codes == []


def test_it_is_marked_when_its_turn_ends():
    document = asks(v1().prompt(1, "q").tool_call("t1")).load(2).user_says("Q", "u-9").agent_answers(2, {}).ends(1).fold()

    assert document.tool()["unresolved"] is True


def test_a_call_that_the_replay_brings_is_not_there_twice():
    transcript = asks(v1().prompt(1, "q").tool_call("t1")).load(2).user_says("Q", "u-9").tool_call("t1", title="Replayed")
    document = transcript.agent_answers(2, {}).fold()

    assert [entry["title"] for entry in document.timeline(type="tool_call")] == ["Replayed"]


@each_outcome
@whenever
def test_the_call_of_one_that_is_asked_during_it_is_live(outcome, early):
    document = SUCCEEDS[outcome](during_load(lived(), asks, early=early)).fold()

    assert "historical" not in document.tool()
    assert document.permission(31)["status"] == "pending"
    assert document.messages() == remains(outcome)


@each_outcome
def test_one_that_is_asked_of_a_call_before_it_patches_that_call(outcome):
    transcript = during_load(v1().prompt(1, "q").tool_call("t1", title="Old", kind="edit"), asks, early=False)
    document = SUCCEEDS[outcome](transcript).fold()

    (call,) = document.timeline(type="tool_call")
    assert (call["title"], call["kind"], call["turn"]) == ("Edit", "edit", 0)
    assert document.permission(31)["turn"] == 0


def test_its_turn_takes_it_along_when_it_fails():
    document = during_load(v1().prompt(1, "q").tool_call("t1"), asks, early=False).agent_answers(2, {}).agent_fails(1).fold()

    assert document.permission(31)["status"] == "unanswered"


def test_one_that_is_asked_of_a_replayed_call_patches_that():
    document = lived().load(2).tool_call("t1", title="Old", kind="edit").permission(31, "t1", title="Edit").agent_answers(2, {}).fold()

    (call,) = document.timeline(type="tool_call")
    assert (call["title"], call["kind"], call["historical"]) == ("Edit", "edit", True)


def test_one_alone_brings_no_history():
    document = asks(lived().load(2)).agent_answers(2, {}).fold()

    assert document.messages() == [("user", "old"), ("agent", "a")]
    assert document.permission(31)["status"] == "pending"


@each_outcome
@whenever
def test_one_that_is_answered_during_it_is_kept(outcome, early):
    document = SUCCEEDS[outcome](during_load(lived(), lambda t: asks(t).selects(31), early=early)).fold()

    assert document.permission(31)["status"] == "selected"


@each_outcome
@whenever
def test_a_page_that_the_user_is_sent_to_during_it_can_be_completed_after_it(outcome, early):
    def asked(transcript):
        fields = {"mode": "url", "message": "m", "url": "http://x", "elicitationId": "e"}
        return transcript.agent_asks_session(32, "elicitation/create", **fields).replies(32, "accept")

    transcript = SUCCEEDS[outcome](during_load(lived(), asked, early=early))
    document = transcript.agent_tells("elicitation/complete", elicitationId="e").fold()

    assert document.elicitation(32)["completed"] is True


# --- files and the client's terminals ------------------------------------------------------------------------------------


@each_outcome
@whenever
def test_a_file_that_is_asked_for_during_it_is_kept(outcome, early):
    transcript = during_load(lived(), lambda t: t.agent_asks_session(8, "fs/read_text_file", path="/a"), early=early)
    document = SUCCEEDS[outcome](transcript).client_answers(8, {"content": "x"}).fold()

    assert document.session()["files"] == [{"operation": "read", "path": "/a", "status": "answered"}]


@each_outcome
def test_one_that_is_asked_for_still_is_too(outcome):
    transcript = lived().agent_asks_session(8, "fs/read_text_file", path="/a").load(2).user_says("Q", "u-9")
    document = SUCCEEDS[outcome](transcript).client_answers(8, {"content": "x"}).fold()

    assert document.session()["files"] == [{"operation": "read", "path": "/a", "status": "answered"}]


def creates_terminal(transcript):
    return transcript.agent_asks_session(9, "terminal/create", command="ls").client_answers(9, {"terminalId": "x1"})


def test_a_terminal_of_the_clients_brings_no_history():
    document = creates_terminal(lived().load(2)).agent_answers(2, {}).fold()

    assert document.messages() == [("user", "old"), ("agent", "a")]
    assert [terminal["id"] for terminal in document.session()["terminals"]] == ["x1"]


@each_outcome
@whenever
def test_one_that_was_asked_for_and_answered_during_it_is_too(outcome, early):
    def reads(transcript):
        return transcript.agent_asks_session(8, "fs/read_text_file", path="/a").client_answers(8, {"content": "x"})

    before = lived().agent_asks_session(7, "fs/read_text_file", path="/old").client_answers(7, {"content": "x"})
    files = SUCCEEDS[outcome](during_load(before, reads, early=early)).fold().session()["files"]

    assert [file["path"] for file in files] == [*(["/old"] if outcome == "failure" else []), "/a"]


@each_outcome
@whenever
def test_one_that_is_made_during_it_is_kept(outcome, early):
    document = SUCCEEDS[outcome](during_load(lived(), creates_terminal, early=early)).fold()

    assert [terminal["command"] for terminal in document.session()["terminals"]] == ["ls"]


def test_what_one_says_that_was_there_before_is_kept_when_the_load_fails():
    transcript = creates_terminal(lived()).load(2).user_says("Q", "u-9").agent_asks_session(10, "terminal/output", terminalId="x1")
    document = transcript.client_answers(10, {"output": "z", "truncated": False}).agent_fails(2).fold()

    (terminal,) = document.session()["terminals"]
    assert (terminal["command"], terminal["output"]) == ("ls", "z")


@each_outcome
@whenever
def test_one_that_a_question_shows_is_kept_with_its_call(outcome, early):
    call = {"toolCallId": "t1", "title": "T", "content": [shows("d")], "_meta": {"terminal_info": {"terminal_id": "d", "cwd": "/d"}}}

    def asked(transcript):
        return transcript.agent_asks_session(31, "session/request_permission", toolCall=call, options=[])

    document = SUCCEEDS[outcome](during_load(lived(), asked, early=early)).fold()

    assert document.tool()["content"] == [shows("d")]
    assert [terminal["cwd"] for terminal in document.session()["terminals"]] == ["/d"]


@each_outcome
def test_those_of_the_replay_go_with_it(outcome):
    transcript = lived().load(2).tool_call("t1", content=[shows("d")], _meta={"terminal_info": {"terminal_id": "d", "cwd": "/d"}})
    document = SUCCEEDS[outcome](transcript).fold()

    assert [terminal["id"] for terminal in document.session().get("terminals", [])] == (["d"] if outcome == "success" else [])


# --- what stands beside the timeline, after the replay has ended -----------------------------------------------------------

OUTPUT = {"terminalId": "k", "data": "Yg=="}
BESIDE = {
    "plans": (
        lambda t: t.update("plan_update", plan={"type": "markdown", "planId": "p", "content": "new"}),
        lambda plans: [(plan["id"], plan["content"]) for plan in plans],
        {"success": [("h", "old"), ("p", "new")], "failure": [("p", "new")]},
    ),
    "unknownUpdates": (
        lambda t: t.update("_vendor", n=2),
        lambda updates: [update["n"] for update in updates],
        {"success": [1, 2], "failure": [2]},
    ),
    "terminals": (
        lambda t: t.update("terminal_update", terminalId="n", command="new").update("terminal_output_chunk", **OUTPUT),
        lambda terminals: sorted((one["id"], one.get("output")) for one in terminals),
        {"success": [("k", "ab"), ("n", None)], "failure": [("k", "b"), ("n", None)]},
    ),
}


@each_outcome
@pytest.mark.parametrize("what", BESIDE)
def test_what_is_live_beside_the_timeline_is_kept(what, outcome):
    live, shown, expected = BESIDE[what]
    replayed = v2().user_message("u-1", "q").state("idle").replay(2).user_message("h", "old")
    replayed = replayed.update("plan_update", plan={"type": "markdown", "planId": "h", "content": "old"}).update("_vendor", n=1)
    replayed = replayed.update("terminal_update", terminalId="k", command="old", output={"data": "YQ=="})
    document = SUCCEEDS[outcome](live(replayed.state("running"))).fold()

    assert shown(document.session()[what]) == expected[outcome]


@each_outcome
def test_a_plan_that_is_removed_then_is_gone(outcome):
    plan = {"type": "markdown", "planId": "p", "content": "x"}
    transcript = v2().user_message("u-1", "q").state("idle").update("plan_update", plan=plan).replay(2).user_message("h", "old")
    transcript = transcript.update("plan_update", plan=plan).state("running").update("plan_removed", planId="p")

    assert "plans" not in SUCCEEDS[outcome](transcript).fold().session()


# --- what the client cancels -------------------------------------------------------------------------------------------------


CANCELS = {
    "tool_call/cancel": (lambda t: t.tool_update("t1", title="T"), {"toolCallId": "t1"}, lambda document: document.tool()),
    "terminal/cancel": (
        lambda t: t.update("terminal_update", terminalId="k", command="c"),
        {"terminalId": "k"},
        lambda document: document.terminal("k"),
    ),
}


@pytest.mark.parametrize("method", CANCELS)
def test_what_is_cancelled_is_so_in_the_history_that_returns(method):
    made, target, found = CANCELS[method]
    begun = made(v2().user_message("u-1", "q").state("running")).replay(2).user_message("h", "old")
    document = begun.client_asks_session(7, method, **target).agent_fails(2).fold()

    assert found(document)["cancelRequested"] is True
    assert "unknown-target" not in document.codes


@pytest.mark.parametrize("method", CANCELS)
def test_what_nobody_knows_is_told_of_once(method):
    _, target, _ = CANCELS[method]
    begun = v2().user_message("u-1", "q").state("running").replay(2).user_message("h", "old")
    document = begun.client_asks_session(7, method, **target).fold()

    assert document.codes == ["unknown-target"]


# --- going on from the middle of it --------------------------------------------------------------------------------------


@each_outcome
@whenever
def test_it_goes_on_from_a_document(outcome, early):
    def live(transcript):
        transcript = asks(transcript.prompt(3, "new")).ends(3).prompt(4, "more")
        return transcript.agent_asks_session(8, "fs/read_text_file", path="/a")

    begun = v1().prompt(1, "q").tool_call("t1").permission(30, "t1")
    document = SUCCEEDS[outcome](during_load(begun, live, early=early)).ends(4).ends(1).fold()

    assert document.permission(30)["status"] == "pending"
    assert [turn["status"] for turn in document.turns()] == ["ended"] * 3


def test_text_goes_on_where_it_is():
    document = v2().replay(2).user_message("h", "old").state("running").agent_says("a", "m").agent_fails(2).agent_says("b", "m").fold()

    assert document.message("m")["content"] == [text("ab")]


# --- another load in the middle of it ------------------------------------------------------------------------------------


@pytest.mark.parametrize("id", [2, 4], ids=["that takes its id over", "with an id of its own"])
def test_another_load_begins_with_what_was_there_before_the_first_one(id):
    transcript = lived().load(2).user_says("R", "u-8").prompt(3, "new").load(id)
    document = transcript.fold()

    assert document.messages() == [("user", "old"), ("agent", "a"), ("user", "new")]
    assert "before" not in document.session()
    assert document.session()["phase"] == "loading"

    document = transcript.agent_answers(id, {}).fold()
    assert document.messages() == [("user", "old"), ("agent", "a"), ("user", "new")]
    assert document.session()["phase"] == "ready"
