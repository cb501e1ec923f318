"""SPEC 4.6, "Replay": load and resume."""

from __future__ import annotations

import pytest

from support.transcripts import bare, item, text, v1, v2


PLAN = [{"content": "a", "priority": "low", "status": "pending"}]
COMMAND = {"name": "a", "description": "d"}
OPTION = {"id": "f", "name": "F", "type": "boolean", "currentValue": True}


def connected(version=1):
    return bare().initialize(version)


def lived():
    """A v1 session with something of everything."""
    return (
        v1()
        .update("current_mode_update", currentModeId="code")
        .update("config_option_update", configOptions=[OPTION])
        .update("available_commands_update", availableCommands=[COMMAND])
        .update("usage_update", used=1, size=2)
        .update("session_info_update", title="T")
        .update("notice", severity="info", title="N")
        .update("plan", entries=PLAN)
        .update("_unknown", x=1)
        .prompt(1, "q")
        .agent_says("a", "a-1")
        .agent_asks_session(8, "fs/read_text_file", path="/a")
        .client_answers(8, {"content": "x"})
        .agent_asks_session(9, "terminal/create", command="ls")
        .client_answers(9, {"terminalId": "x1"})
        .ends(1)
    )


def lived_v2():
    return (
        v2()
        .user_message("u-1", "q")
        .state("running")
        .agent_message("a-1", "a")
        .tool_update("t1", title="Old", kind="edit", status="completed")
        .state("idle", stopReason="end_turn")
    )


HISTORY = ("timeline", "turns", "plans", "terminals", "files", "unknownUpdates")
STAYS = ("modes", "configOptions", "availableCommands", "usage", "title", "notices")


def history(document, session="s-1"):
    return {name: document.session(session).get(name) for name in HISTORY}


ASKS = {
    "load": lambda t: t.load(2),
    "resume from start": lambda t: t.replay(2),
}


# --- `load`, and `resume` with `replayFrom` `start`, replace the history of a known session ---------------------------------------


@pytest.mark.parametrize("ask", ASKS)
def test_they_replace_the_history(ask):
    document = ASKS[ask](lived()).user_says("Q", "u-9").agent_answers(2, {}).fold()

    assert history(document) == {
        "timeline": [{"type": "message", "role": "user", "id": "u-9", "historical": True, "content": [text("Q")]}],
        **dict.fromkeys(HISTORY[1:]),
    }
    assert "before" not in document.session()


@pytest.mark.parametrize("ask", ASKS)
def test_what_is_current_state_stays(ask):
    before = lived().fold()
    document = ASKS[ask](lived()).user_says("Q", "u-9").agent_answers(2, {}).fold()

    assert {name: document.session()[name] for name in STAYS} == {name: before.session()[name] for name in STAYS}


@pytest.mark.parametrize("ask", ASKS)
def test_what_a_replay_brings_of_it_counts(ask):
    document = (
        ASKS[ask](lived())
        .update("current_mode_update", currentModeId="plan")
        .update("session_info_update", title="new")
        .update("usage_update", used=5, size=6)
        .update("plan", entries=[])
        .agent_answers(2, {})
        .fold()
    )
    session = document.session()
    assert (session["modes"]["currentId"], session["title"], session["usage"]) == ("plan", "new", {"used": 5, "size": 6})
    assert session["plans"] == [{"id": None, "type": "items", "entries": []}]


# --- From the first replayed update the session shows the replay; what it had is kept aside as `before` -----------------------------


@pytest.mark.parametrize("ask", ASKS)
def test_until_then_it_shows_what_it_had(ask):
    document = ASKS[ask](lived()).fold()

    assert history(document) == history(lived().fold())
    assert "before" not in document.session()
    assert document.session()["phase"] == "loading"


@pytest.mark.parametrize("ask", ASKS)
def test_from_the_first_replayed_update_it_shows_the_replay(ask):
    document = ASKS[ask](lived()).user_says("Q", "u-9").fold()

    assert document.messages() == [("user", "Q")]
    assert document.session()["replaying"] is True
    kept = document.session()["before"]
    assert {name: kept.get(name) for name in HISTORY} == history(lived().fold())


@pytest.mark.parametrize("ask", ASKS)
def test_it_returns_whole_on_failure(ask):
    before = lived().fold().session()
    document = ASKS[ask](lived()).user_says("Q", "u-9").tool_call("t1").agent_fails(2, -32603, "disk").fold()

    assert document.session() == {**before, "error": {"code": -32603, "message": "disk"}}


@pytest.mark.parametrize("ask", ASKS)
def test_on_failure_without_any_update_it_is_as_it_was_too(ask):
    before = lived().fold().session()
    document = ASKS[ask](lived()).agent_fails(2, -32603, "disk").fold()

    assert document.session() == {**before, "error": {"code": -32603, "message": "disk"}}


def test_what_goes_on_after_a_failure_goes_on_where_it_was():
    document = lived().load(2).user_says("Q", "u-9").agent_fails(2).agent_says("b", "a-1").fold()

    assert document.messages() == [("user", "q"), ("agent", "ab")]


def test_the_error_goes_with_the_next_success():
    document = lived().load(2).agent_fails(2).load(3).agent_answers(3, {}).fold()

    assert document.session()["phase"] == "ready"
    assert "error" not in document.session()


# --- Turns still open and requests still pending are carried to the end of the history that stays -------------------------------------


def interrupted():
    return v1().prompt(1, "q").agent_says("a", "a-1").permission(31, "t1").form(32)


def test_they_are_carried_over_on_success():
    document = interrupted().load(2).user_says("Q", "u-9").agent_says("A", "a-9").agent_answers(2, {}).fold()

    assert document.story()[:2] == [("user", "Q"), ("agent", "A")]
    assert document.permission(31)["status"] == "pending"
    assert document.elicitation(32)["status"] == "pending"
    assert [turn["status"] for turn in document.turns()] == ["running"]
    assert document.turn(1)["status"] == "running"
    assert document.open_requests() == [("client", 1), ("agent", 31), ("agent", 32)]


def test_they_can_be_answered_there():
    document = interrupted().load(2).user_says("Q", "u-9").agent_answers(2, {}).selects(31).replies(32, "decline").ends(1).fold()

    assert document.permission(31)["status"] == "selected"
    assert document.elicitation(32)["status"] == "declined"
    assert document.turn(1)["stopReason"] == "end_turn"
    assert document.session()["activity"] == "idle"


def test_they_can_be_answered_while_the_replay_is_under_way():
    document = interrupted().load(2).user_says("Q", "u-9").selects(31).ends(1).agent_answers(2, {}).fold()

    assert document.open_requests() == [("agent", 32)]
    assert document.session()["activity"] == "idle"
    assert all(entry["status"] != "pending" for entry in document.timeline(type="permission"))
    assert document.elicitation(32)["status"] == "pending"


def test_they_can_be_answered_while_a_replay_that_fails_is_under_way():
    document = interrupted().load(2).user_says("Q", "u-9").selects(31, "no").ends(1).agent_fails(2).fold()

    assert document.permission(31)["decision"] == "reject_once"
    assert document.turn(1)["stopReason"] == "end_turn"
    assert document.messages() == [("user", "q"), ("agent", "a")]


def test_a_question_that_is_asked_during_the_replay_is_kept_when_it_fails():
    document = lived().load(2).user_says("Q", "u-9").permission(41, "t9").agent_fails(2).fold()

    assert document.permission(41)["status"] == "pending"


OUTCOMES = {"success": lambda t: t.agent_answers(2, {}), "failure": lambda t: t.agent_fails(2), "neither yet": lambda t: t}


def everything(document):
    """The timeline, and what is kept aside of the one before."""
    return [*document.timeline(), *document.session().get("before", {}).get("timeline", [])]


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("start", [connected, v1, lived], ids=["unknown", "new", "known"])
@pytest.mark.parametrize("ask", [lambda t: t.form(31), lambda t: t.permission(31, "t1")], ids=["elicitation", "permission"])
def test_a_question_that_is_asked_before_the_first_replayed_update_is_not_lost(start, ask, outcome):
    document = OUTCOMES[outcome](ask(start().load(2)).user_says("Q", "u-9")).fold()

    assert [entry["status"] for entry in everything(document) if entry["id"] == 31] == ["pending"]
    assert ("agent", 31) in document.open_requests()


@pytest.mark.parametrize("outcome", ["success", "failure"])
@pytest.mark.parametrize("start", [connected, v1], ids=["unknown", "new"])
def test_nor_is_the_turn_of_a_prompt(start, outcome):
    document = OUTCOMES[outcome](start().load(2).prompt(5, "live").user_says("Q", "u-9")).fold()

    assert document.turn(5)["status"] == "running"
    assert document.session()["activity"] == "running"


def test_turns_that_are_carried_over_are_numbered_anew():
    document = (
        v1()
        .prompt(1, "a")
        .ends(1)
        .prompt(2, "b")
        .permission(31, "t1")
        .load(9)
        .user_says("Q", "u")
        .agent_answers(9, {})
        .agent_says("x")
        .fold()
    )

    assert [turn["prompts"] for turn in document.turns()] == [[{"requestId": 2}]]
    assert document.permission(31)["turn"] == 0
    assert document.last()["turn"] == 0


# --- A replay that brings nothing leaves the history as it was ---------------------------------------------------------------------------


@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("result", [None, {}], ids=repr)
def test_a_replay_that_brings_nothing_leaves_the_history_as_it_was(ask, result):
    document = ASKS[ask](lived()).agent_answers(2, result).fold()

    assert history(document) == history(lived().fold())


def test_a_state_alone_brings_none_of_it():
    document = lived_v2().replay(2).state("idle").agent_answers(2, {}).fold()

    assert document.timeline() == lived_v2().fold().timeline()


# --- with nothing before, the entries stay, phase `failed` ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", ASKS)
def test_with_nothing_before_the_entries_stay_and_the_phase_is_failed(ask):
    document = ASKS[ask](connected()).user_says("Q", "u").tool_call("t1").agent_fails(2, -32603, "disk").fold()

    assert document.story() == [("user", "Q"), ("tool_call", "t1")]
    assert all(entry["historical"] for entry in document.timeline())
    assert document.session()["phase"] == "failed"
    assert document.session()["error"] == {"code": -32603, "message": "disk"}


# --- Replayed entries are `historical` and belong to no turn; requests, usage, lists and notices are never historical ---------------------------


def test_replayed_entries_are_historical_and_belong_to_no_turn():
    document = (
        connected()
        .prompt(1, "live")
        .load(2)
        .user_says("Q", "u")
        .agent_says("A", "a")
        .agent_thinks("T", "t")
        .tool_call("t1")
        .update("compaction_update", compactionId="c", status="completed")
        .update("session_message", messageId="s", content=[text("S")])
        .fold()
    )
    replayed = [entry for entry in document.timeline() if entry.get("historical")]
    assert [entry["type"] for entry in replayed] == ["message", "message", "message", "tool_call", "compaction", "message"]
    assert not any("turn" in entry for entry in replayed)


def test_requests_are_never_historical():
    document = connected().load(2).permission(31, "t1").form(32).agent_answers(2, {}).fold()

    assert "historical" not in document.permission(31)
    assert "historical" not in document.elicitation(32)


# --- The replay ends with its first `state_update` (v2), else with the response; what follows is live ----------------------------------------------


def test_in_v2_it_ends_with_its_first_state():
    transcript = connected(2).replay(2).user_message("h", "old").state("idle")
    assert "replaying" not in transcript.fold().session()
    assert transcript.fold().session()["phase"] == "loading"

    document = transcript.agent_message("n", "new").agent_answers(2, {}).fold()
    assert [entry.get("historical", False) for entry in document.timeline()] == [True, False]


def test_a_state_that_runs_opens_a_turn_for_what_follows():
    document = connected(2).replay(2).agent_message("h", "old").state("running").agent_message("n", "new").agent_answers(2, {}).fold()

    assert [entry.get("turn") for entry in document.timeline()] == [None, 0]
    assert [turn["status"] for turn in document.turns()] == ["running"]


def test_else_with_the_response():
    document = connected(2).replay(2).agent_message("h", "old").agent_answers(2, {}).agent_message("n", "new").fold()

    assert [entry.get("historical", False) for entry in document.timeline()] == [True, False]


def test_in_v1_with_the_response():
    document = connected().load(2).agent_says("old", "h").agent_answers(2, None).agent_says("new", "n").fold()

    assert [entry.get("historical", False) for entry in document.timeline()] == [True, False]


def test_a_replayed_message_that_goes_on_live_stays_historical():
    document = connected().load(2).agent_says("old", "h").agent_answers(2, None).agent_says("er", "h").fold()

    assert document.message("h")["content"] == [text("older")]
    assert document.message("h")["historical"] is True


def test_with_no_answer_it_never_ends():
    document = connected().load(2).agent_says("old", "h").agent_says("er", "i").fold()

    assert [entry["historical"] for entry in document.timeline()] == [True, True]


# --- With another cursor an entry of a known id is replaced in place, others are appended --------------------------------------------------------------


CURSOR = {"type": "_from", "message": "a-1"}


def test_with_another_cursor_a_known_id_is_replaced_in_place():
    document = (
        lived_v2()
        .resume(2, replayFrom=CURSOR)
        .agent_message("a-1", "again")
        .tool_update("t1", title="New")
        .agent_message("a-2", "more")
        .state("idle")
        .agent_answers(2, {})
        .fold()
    )
    assert document.story() == [("user", "q"), ("agent", "again"), ("tool_call", "t1"), ("agent", "more")]
    assert (document.tool()["title"], document.tool()["kind"], document.tool()["status"]) == ("New", "other", "pending")


def test_chunks_replace_too():
    document = (
        lived_v2().resume(2, replayFrom=CURSOR).agent_says("ag", "a-1").agent_says("ain", "a-1").state("idle").agent_answers(2, {}).fold()
    )

    assert document.message("a-1")["content"] == [text("again")]


def test_each_is_replaced_once():
    document = (
        lived_v2()
        .resume(2, replayFrom=CURSOR)
        .tool_update("t1", title="New")
        .tool_update("t1", kind="read")
        .state("idle")
        .agent_answers(2, {})
        .fold()
    )
    assert (document.tool()["title"], document.tool()["kind"]) == ("New", "read")


def test_what_it_replaced_returns_on_failure_and_what_it_appended_stays():
    before = lived_v2().fold().session()
    document = (
        lived_v2()
        .resume(2, replayFrom=CURSOR)
        .agent_message("a-1", "again")
        .tool_update("t1", title="Again")
        .agent_message("a-2", "more")
        .agent_fails(2, -1, "no")
        .fold()
    )

    assert document.session()["timeline"][:-1] == before["timeline"]
    assert document.message("a-2")["content"] == [text("more")]
    assert document.session()["error"] == {"code": -1, "message": "no"}


def test_what_it_does_not_bring_stays():
    document = lived_v2().resume(2, replayFrom=CURSOR).agent_message("a-1", "again").agent_answers(2, {}).fold()

    assert [turn["status"] for turn in document.turns()] == ["ended"]
    assert document.messages() == [("user", "q"), ("agent", "again")]
    assert document.tool()["title"] == "Old"


def test_after_it_a_known_id_is_patched_again():
    document = (
        lived_v2()
        .resume(2, replayFrom=CURSOR)
        .agent_message("a-1", "again")
        .state("idle")
        .agent_answers(2, {})
        .agent_says("!", "a-1")
        .fold()
    )
    assert document.message("a-1")["content"] == [text("again"), text("!")]


# --- On a plain resume only a user message whose id is known or absent ... starts a replay (diagnostic) ---------------------------------------------------------


def resumed(transcript):
    return transcript.agent_answers(2, {}).fold()


def test_on_a_plain_resume_a_known_user_message_starts_a_replay():
    document = resumed(lived_v2().resume(2).user_message("u-1", "q").agent_message("a-1", "a").tool_update("t1", title="Old"))

    assert document.story() == [("user", "q"), ("agent", "a"), ("tool_call", "t1")]
    assert "replay-in-resume" in document.codes


def test_so_does_one_without_an_id():
    document = resumed(lived().resume(2).user_says("q"))

    assert "replay-in-resume" in document.codes
    assert document.last()["historical"] is True


@pytest.mark.parametrize(
    "update",
    [
        lambda t: t.user_message("u-9", "new"),
        lambda t: t.agent_message("a-1", "a"),
        lambda t: t.agent_says("x", "a-9"),
        lambda t: t.tool_update("t1", title="x"),
        lambda t: t.update("plan_update", plan={"type": "markdown", "planId": "p", "content": "x"}),
    ],
)
def test_nothing_else_does(update):
    document = resumed(update(lived_v2().resume(2)))

    assert "replay-in-resume" not in document.codes
    assert not any(entry.get("historical") for entry in document.timeline())


@pytest.mark.parametrize("pieces", [("new",), ("n", "ew"), ("", "new"), ("n", "e", "w")], ids=str)
def test_nor_does_one_with_a_new_id_however_it_is_cut(pieces):
    transcript = lived_v2().resume(2)
    for piece in pieces:
        transcript.user_says(piece, "u-9")
    document = resumed(transcript)

    assert document.messages()[-1] == ("user", "new")
    assert "replay-in-resume" not in document.codes
    assert not any(entry.get("historical") for entry in document.timeline())


@pytest.mark.parametrize("start", [connected, lived], ids=["unknown session", "known session"])
@pytest.mark.parametrize("pieces", [("new",), ("n", "ew"), ("", "new"), ("n", "e", "w")], ids=str)
def test_nor_in_v1(start, pieces):
    transcript = start().resume(2)
    for piece in pieces:
        transcript.user_says(piece, "u-9")
    document = resumed(transcript)

    assert document.messages()[-1] == ("user", "new")
    assert "replay-in-resume" not in document.codes
    assert not any(entry.get("historical") for entry in document.timeline())


def test_nor_does_one_after_a_state():
    document = resumed(lived_v2().resume(2).state("idle").user_says("!", "u-1"))

    assert "replay-in-resume" not in document.codes
    assert document.message("u-1")["content"] == [text("q"), text("!")]


def test_nor_one_while_a_prompt_is_pending():
    document = resumed(lived_v2().resume(2).prompt(5, "p").user_says("!", "u-1"))

    assert "replay-in-resume" not in document.codes


def test_nor_one_in_v1_while_a_prompt_is_open():
    document = resumed(lived().resume(2).prompt(5, "p").user_says("other"))

    assert "replay-in-resume" not in document.codes


def test_nor_one_after_the_answer():
    document = lived_v2().resume(2).agent_answers(2, {}).user_says("!", "u-1").fold()

    assert "replay-in-resume" not in document.codes


# --- tools in a replay ------------------------------------------------------------------------------------------------------------------------------------------------


def test_a_replay_patches_its_own_entries():
    document = (
        connected().load(2).tool_call("t1", "A").tool_update("t1", content=[item("x")], status="completed").agent_answers(2, {}).fold()
    )

    assert (document.tool()["title"], document.tool()["status"], document.tool()["content"]) == ("A", "completed", [item("x")])
    assert document.tool()["historical"] is True


def test_a_replay_knows_nothing_of_the_ids_that_were_before():
    document = lived().load(2).agent_says("new", "a-1").agent_answers(2, {}).fold()

    assert document.message("a-1")["content"] == [text("new")]


def test_a_call_that_went_with_the_history_is_unknown_after_it():
    document = v1().tool_call("t1", "Old").load(2).user_says("Q", "u").agent_answers(2, {}).tool_update("t1", status="completed").fold()

    assert document.tool()["title"] is None
    assert document.tool()["unannounced"] is True


def test_a_second_load_replaces_the_first():
    document = connected().load(2).agent_says("a", "m").agent_answers(2, {}).load(3).agent_says("b", "m").agent_answers(3, {}).fold()

    assert document.messages() == [("agent", "b")]
