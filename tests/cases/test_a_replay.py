"""Field cases, section A: replay, load, resume."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import bare, image, text, v1, v2


def connected(version=1):
    return bare().initialize(version)


def lived():
    """A session of v1 in which one turn has ended: user `u-1` "q", agent `a-1` "a"."""
    return v1().prompt(1, "q").user_says("q", "u-1").agent_says("a", "a-1").ends(1)


# --- R-01 ------------------------------------------------------------------------------------------------


def test_R_01_own_prompt_shown_twice():
    document = v1().prompt(7, "ping me").user_says("ping me", "um-1").agent_says("pong").ends(7).fold()

    assert document.story() == [("user", "ping me"), ("agent", "pong")]
    assert document.message("um-1")["role"] == "user"
    assert document.turn(7)["prompts"] == [{"requestId": 7, "messageId": "um-1"}]


def test_R_01_an_echo_with_a_different_text_stays_a_second_entry():
    document = v1().prompt(7, "ping me").user_says("ping us", "um-1").agent_says("pong").ends(7).fold()

    assert document.story() == [("user", "ping me"), ("user", "ping us"), ("agent", "pong")]
    assert document.timeline()[0]["id"] is None
    assert document.timeline()[1]["id"] == "um-1"


@pytest.mark.parametrize("pieces", [("pi", "ng me"), ("p", "", "ing", " me"), tuple("ping me")])
def test_R_01_an_echo_in_pieces_adds_nothing(pieces):
    transcript = v1().prompt(7, "ping me")
    for piece in pieces:
        transcript.user_says(piece, "um-1")
    document = transcript.agent_says("pong").ends(7).fold()

    assert document.story() == [("user", "ping me"), ("agent", "pong")]
    assert document.timeline()[0]["id"] == "um-1"


def test_R_01_an_echo_without_id_adds_nothing_and_gives_no_id():
    document = v1().prompt(7, "ping me").user_says("ping me").agent_says("pong").ends(7).fold()

    assert document.story() == [("user", "ping me"), ("agent", "pong")]
    assert document.timeline()[0]["id"] is None


def test_R_01_an_echo_that_goes_on_beyond_the_prompt_is_an_entry_with_all_of_its_text():
    document = v1().prompt(7, "ping me").user_says("ping me", "um-1").user_says(" now", "um-1").ends(7).fold()

    assert document.story() == [("user", "ping me"), ("user", "ping me now")]
    assert [entry["id"] for entry in document.timeline()] == [None, "um-1"]


def test_R_01_an_echo_is_compared_block_by_block():
    prompt = [text("see"), image("AAAA"), text("that")]
    transcript = v1().prompt(7, prompt)
    for block in prompt:
        transcript.user_says(block, "um-1")
    document = transcript.agent_says("pong").fold()

    assert document.story() == [("user", "see<image>that"), ("agent", "pong")]
    assert document.timeline()[0]["id"] == "um-1"


def test_R_01_another_image_is_no_echo():
    document = v1().prompt(7, [image("AAAA")]).user_says(image("BBBB"), "um-1").fold()

    assert document.story() == [("user", "<image>"), ("user", "<image>")]
    assert [entry["id"] for entry in document.timeline()] == [None, "um-1"]


def test_R_01_the_same_text_after_the_agent_spoke_is_no_echo():
    document = v1().prompt(7, "ping me").agent_says("pong").user_says("ping me", "um-1").ends(7).fold()

    assert document.story() == [("user", "ping me"), ("agent", "pong"), ("user", "ping me")]


def test_R_01_the_report_of_a_v2_prompt_is_shown_once():
    document = v2().prompt(7, "ping me").accepts(7, "um-1").user_message("um-1", "ping me").state("running").fold()

    assert document.story() == [("user", "ping me")]
    assert document.pending_prompts() == []


# --- R-03 ------------------------------------------------------------------------------------------------


def test_R_03_replayed_history_counted_as_output_of_the_next_turn():
    document = (
        connected()
        .load(2)
        .user_says("old q")
        .agent_says("old a")
        .agent_answers(2, None)
        .prompt(3, "new q")
        .agent_says("new a")
        .ends(3)
        .fold()
    )

    assert document.story() == [("user", "old q"), ("agent", "old a"), ("user", "new q"), ("agent", "new a")]
    assert [entry.get("historical", False) for entry in document.timeline()] == [True, True, False, False]
    assert [entry.get("turn") for entry in document.timeline()] == [None, None, 0, 0]
    assert document.turns() == [{"status": "ended", "prompts": [{"requestId": 3}], "stopReason": "end_turn"}]


def test_R_03_in_v2_what_comes_before_the_state_is_history_and_what_follows_is_live():
    document = (
        connected(2)
        .replay(2)
        .user_message("h-1", "old q")
        .agent_message("h-2", "old a")
        .state("idle")
        .agent_answers(2, {})
        .prompt(3, "new q")
        .accepts(3, "n-1")
        .user_message("n-1", "new q")
        .state("running")
        .agent_says("new a", "n-2")
        .state("idle", stopReason="end_turn")
        .fold()
    )

    assert document.story() == [("user", "old q"), ("agent", "old a"), ("user", "new q"), ("agent", "new a")]
    assert [entry.get("historical", False) for entry in document.timeline()] == [True, True, False, False]
    assert [entry.get("turn") for entry in document.timeline()] == [None, None, 0, 0]
    assert len(document.turns()) == 1


@pytest.mark.parametrize("kind", ["tool_call", "compaction_update", "agent_thought_chunk"])
def test_R_03_whatever_is_replayed_belongs_to_no_turn(kind):
    fields = {
        "tool_call": {"toolCallId": "t1", "title": "Old"},
        "compaction_update": {"compactionId": "c1", "status": "completed"},
        "agent_thought_chunk": {"content": text("hm")},
    }[kind]
    document = connected().load(2).update(kind, **fields).agent_answers(2, {}).prompt(3).ends(3).fold()

    (entry, _) = document.timeline()
    assert entry["historical"] is True
    assert "turn" not in entry


# --- R-04 ------------------------------------------------------------------------------------------------


def test_R_04_agent_answers_load_first_and_replays_afterwards():
    document = (
        connected()
        .load(2)
        .agent_answers(2, None)
        .prompt(3, "go")
        .user_says("q0", "h-1")
        .agent_says("a0", "h-2")
        .agent_says("fresh", "n-1")
        .ends(3)
        .fold()
    )

    assert document.story() == [("user", "go"), ("user", "q0"), ("agent", "a0"), ("agent", "fresh")]
    assert [entry["id"] for entry in document.timeline()] == [None, "h-1", "h-2", "n-1"]
    assert document.turn(3)["stopReason"] == "end_turn"


def test_R_04_the_late_replay_without_a_prompt_is_kept_too():
    document = connected().load(2).agent_answers(2, None).user_says("q0", "h-1").agent_says("a0", "h-2").fold()

    assert document.story() == [("user", "q0"), ("agent", "a0")]
    assert document.turns() == []


def test_R_04_a_late_replay_of_known_ids_keeps_each_message_by_itself():
    document = (
        connected()
        .load(2)
        .agent_answers(2, None)
        .prompt(3, "go")
        .agent_says("a0", "h-1")
        .agent_says("a1", "h-2")
        .agent_says("a2", "h-3")
        .fold()
    )

    assert document.messages() == [("user", "go"), ("agent", "a0"), ("agent", "a1"), ("agent", "a2")]


# --- R-06 ------------------------------------------------------------------------------------------------


def test_R_06_replay_without_ids_collapses_several_turns_into_one_bubble():
    document = (
        connected()
        .load(2)
        .user_says("q1")
        .agent_says("a1")
        .user_says("q2")
        .agent_says("a2")
        .agent_answers(2, None)
        .fold()
    )  # fmt: skip

    assert document.story() == [("user", "q1"), ("agent", "a1"), ("user", "q2"), ("agent", "a2")]


@pytest.mark.parametrize("id", [None, 5], ids=["null", "a number"])
def test_R_06_an_id_that_is_none_is_no_shared_key_either(id):
    document = (
        connected()
        .load(2)
        .user_says("q1", id)
        .agent_says("a1", id)
        .user_says("q2", id)
        .agent_says("a2", id)
        .agent_answers(2, {})
        .fold()
    )  # fmt: skip

    assert document.story() == [("user", "q1"), ("agent", "a1"), ("user", "q2"), ("agent", "a2")]
    assert [entry["id"] for entry in document.timeline()] == [None, None, None, None]


def test_R_06_two_user_messages_in_a_row_need_a_boundary_to_be_two():
    document = connected().load(2).user_says("q1").user_says("q2").agent_says("a").agent_answers(2, {}).fold()

    assert document.story() == [("user", "q1q2"), ("agent", "a")]


# --- R-08 ------------------------------------------------------------------------------------------------


def test_R_08_resume_replays_although_it_must_not():
    document = lived().resume(2).user_says("q", "u-1").agent_says("a", "a-1").agent_answers(2, {}).fold()

    assert document.messages() == [("user", "q"), ("agent", "a")]
    assert [entry["id"] for entry in document.timeline()] == ["u-1", "a-1"]
    assert "replay-in-resume" in document.codes
    assert document.session()["phase"] == "ready"


def test_R_08_with_no_prior_snapshot_the_entries_are_simply_history():
    document = connected().resume(2).user_says("q").agent_says("a").agent_answers(2, {}).fold()

    assert document.messages() == [("user", "q"), ("agent", "a")]
    assert [entry.get("historical", False) for entry in document.timeline()] == [True, True]


def test_R_08_a_user_message_with_a_new_id_is_no_replay():
    document = lived().resume(2).user_says("more", "u-2").agent_says("b", "a-2").agent_answers(2, {}).fold()

    assert document.messages() == [("user", "q"), ("agent", "a"), ("user", "more"), ("agent", "b")]
    assert "replay-in-resume" not in document.codes
    assert not any(entry.get("historical") for entry in document.timeline())


def test_R_08_the_agent_alone_starts_no_replay():
    document = lived().resume(2).agent_says("a", "a-1").agent_answers(2, {}).fold()

    assert document.messages() == [("user", "q"), ("agent", "aa")]
    assert "replay-in-resume" not in document.codes


def test_R_08_in_v2_a_plain_resume_that_replays_does_not_double():
    document = (
        v2()
        .user_message("u-1", "q")
        .state("running")
        .agent_message("a-1", "a")
        .state("idle", stopReason="end_turn")
        .resume(2)
        .user_says("q", "u-1")
        .agent_says("a", "a-1")
        .state("idle")
        .agent_answers(2, {})
        .fold()
    )

    assert document.messages() == [("user", "q"), ("agent", "a")]
    assert "replay-in-resume" in document.codes


# --- R-09 ------------------------------------------------------------------------------------------------


PLAN = [{"content": "look", "priority": "high", "status": "pending"}]


def loading_s_8():
    return connected().load(2, "s-8").update("plan", "s-8", entries=PLAN).tool_call("t1", session="s-8").agent_says("hi", session="s-8")


def test_R_09_updates_during_load_dropped_as_out_of_turn():
    document = loading_s_8().agent_answers(2, None).fold()

    assert document.story("s-8") == [("tool_call", "t1"), ("agent", "hi")]
    assert document.session("s-8")["plans"] == [{"id": None, "type": "items", "entries": PLAN}]
    assert document.session("s-8")["phase"] == "ready"
    assert list(document.sessions) == ["s-8"]


def test_R_09_they_stand_there_before_the_answer():
    document = loading_s_8().fold()

    assert document.story("s-8") == [("tool_call", "t1"), ("agent", "hi")]
    assert document.session("s-8")["plans"] == [{"id": None, "type": "items", "entries": PLAN}]
    assert document.session("s-8")["phase"] == "loading"
    assert document.session("s-8")["replaying"] is True


def test_R_09_another_session_that_is_current_takes_none_of_it():
    document = (
        v1("s-1").load(2, "s-8").tool_call("t1", session="s-8").agent_says("hi", session="s-8").agent_answers(2, {}).fold()
    )  # fmt: skip

    assert document.story("s-8") == [("tool_call", "t1"), ("agent", "hi")]
    assert document.story("s-1") == []


# --- R-11 ------------------------------------------------------------------------------------------------


def test_R_11_failed_load_reported_as_success():
    document = connected().load(2, "s-5").user_says("old", session="s-5").agent_fails(2, -32601, "no such method").fold()

    session = document.session("s-5")
    assert session["phase"] == "failed"
    assert session["error"] == {"code": -32601, "message": "no such method"}
    assert document.story("s-5") == [("user", "old")]
    assert document.last("s-5")["historical"] is True
    assert "turns" not in session


def test_R_11_a_known_session_is_as_it_was_with_the_error():
    document = lived().load(2).user_says("old").agent_fails(2, -32603, "disk", data={"path": "/x"}).fold()

    session = document.session()
    assert session["phase"] == "ready"
    assert session["error"] == {"code": -32603, "message": "disk", "data": {"path": "/x"}}
    assert document.story() == [("user", "q"), ("agent", "a")]
    assert [entry["turn"] for entry in document.timeline()] == [0, 0]


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_R_11_a_setup_that_fails_without_any_update_leaves_a_failed_session(method):
    document = connected().client_asks_session(2, method, "s-5", cwd="/home", mcpServers=[]).agent_fails(2, -32002, "gone").fold()

    session = document.session("s-5")
    assert session["phase"] == "failed"
    assert session["error"] == {"code": -32002, "message": "gone"}
    assert session["timeline"] == []


# --- R-12 ------------------------------------------------------------------------------------------------


def test_R_12_replayed_tool_call_without_final_status_leaves_the_session_busy():
    document = connected().load(2).user_says("q").tool_call("t1", status="in_progress").agent_answers(2, None).fold()

    assert document.session()["activity"] == "idle"
    assert document.tool()["status"] == "in_progress"
    assert document.tool()["unresolved"] is True


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_R_12_a_replayed_call_with_a_final_status_is_not_unresolved(status):
    document = connected().load(2).tool_call("t1", status="pending").tool_update("t1", status=status).agent_answers(2, None).fold()

    assert document.tool()["status"] == status
    assert "unresolved" not in document.tool()


def test_R_12_in_v2_a_replay_that_ends_running_leaves_its_calls_open():
    document = connected(2).replay(2).tool_update("t1", status="in_progress").state("running").agent_answers(2, {}).fold()

    assert document.session()["activity"] == "running"
    assert "unresolved" not in document.tool()


def test_R_12_in_v2_a_replay_that_ends_idle_marks_them():
    document = connected(2).replay(2).tool_update("t1", status="in_progress").state("idle").agent_answers(2, {}).fold()

    assert document.session()["activity"] == "idle"
    assert document.tool()["unresolved"] is True


# --- R-13 ------------------------------------------------------------------------------------------------


def test_R_13_old_sessions_late_updates_land_in_the_new_session():
    document = connected().new("s-new", id=5).agent_says("tail", session="s-old").fold()

    assert document.story("s-old") == [("agent", "tail")]
    assert document.story("s-new") == []
    assert document.session("s-old")["phase"] == "unannounced"


def test_R_13_a_setup_under_way_takes_no_foreign_update():
    document = connected().client_asks(5, "session/new", cwd="/", mcpServers=[]).agent_says("tail", session="s-old").fold()

    assert document.story("s-old") == [("agent", "tail")]
    assert list(document.sessions) == ["s-old"]


def test_R_13_an_open_prompt_of_one_session_takes_no_update_of_another():
    document = v1("s-1").new("s-2").prompt(3, "go", "s-2").agent_says("tail", session="s-1").ends(3).fold()

    assert document.story("s-1") == [("agent", "tail")]
    assert "turn" not in document.last("s-1")
    assert document.story("s-2") == [("user", "go")]


# --- R-14 ------------------------------------------------------------------------------------------------


def closed(version=1):
    transcript = {1: v1, 2: v2}[version]()
    return transcript.client_asks_session(8, "session/close").agent_answers(8, {})


def test_R_14_updates_after_close_resurrect_the_session():
    document = (
        closed().agent_says("ghost").update("available_commands_update", availableCommands=[{"name": "x", "description": "y"}]).fold()
    )

    assert document.session()["phase"] == "closed"
    assert document.story() == []
    assert "availableCommands" not in document.session()
    assert document.codes == ["closed-session", "closed-session"]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("tool_call_update", {"toolCallId": "t1", "status": "completed"}),
        ("session_info_update", {"title": "late"}),
        ("usage_update", {"used": 1, "size": 2}),
        ("notice", {"severity": "info", "title": "late"}),
        ("config_option_update", {"configOptions": []}),
        ("plan_update", {"plan": {"type": "markdown", "planId": "p", "content": "x"}}),
        ("_vendor_kind", {"x": 1}),
    ],
)
def test_R_14_no_kind_of_update_changes_a_closed_session(version, kind, fields):
    before = closed(version).fold()
    after = closed(version).update(kind, **fields).fold()

    assert after.session() == before.session()
    assert "closed-session" in after.codes


def test_R_14_a_deleted_session_stays_deleted():
    document = v1().client_asks_session(8, "session/delete").agent_answers(8, {}).agent_says("ghost").fold()

    assert document.session()["phase"] == "deleted"
    assert document.story() == []
    assert document.codes == ["closed-session"]


def test_R_14_a_close_that_failed_closes_nothing():
    document = v1().client_asks_session(8, "session/close").agent_fails(8, -32603).agent_says("here").fold()

    assert document.session()["phase"] == "ready"
    assert document.story() == [("agent", "here")]


# --- R-15 ------------------------------------------------------------------------------------------------


def test_R_15_pending_form_not_restored_on_load():
    document = connected().load(2).user_says("q").tool_call("t1", status="pending").form(60).agent_answers(2, None).fold()

    assert document.elicitation(60)["status"] == "pending"
    assert "historical" not in document.elicitation(60)
    assert ("agent", 60) in document.open_requests()


def test_R_15_when_it_is_the_first_thing_that_comes():
    document = connected().load(2).form(60).user_says("q").tool_call("t1", status="pending").agent_answers(2, None).fold()

    assert document.elicitation(60)["status"] == "pending"


def test_R_15_so_is_a_permission():
    document = connected().load(2).user_says("q").permission(60, "t1", title="Edit").agent_answers(2, None).fold()

    assert document.permission(60)["status"] == "pending"
    assert ("agent", 60) in document.open_requests()


def test_R_15_it_can_be_answered_after_the_load():
    document = connected().load(2).form(60).agent_answers(2, None).replies(60, "accept", content={"name": "Ada"}).fold()

    assert document.elicitation(60)["status"] == "accepted"
    assert document.elicitation(60)["content"] == {"name": "Ada"}


def test_R_15_in_a_session_that_was_known_it_is_kept_beside_the_replayed_history():
    document = lived().load(2).user_says("q", "u-1").form(60).agent_answers(2, None).fold()

    assert document.story() == [("user", "q"), ("elicitation", 60)]
    assert document.elicitation(60)["status"] == "pending"
