"""SPEC 4.6, "Orphan answers": answers whose request was not recorded."""

from __future__ import annotations

import pytest

from support.transcripts import bare, one_sided, text, v1, v2


def answered(transcript, method, result):
    """Add an answer in a format that has no ids and names the method."""
    return transcript.sends("agent", {"method": method, "result": result})


# --- a v1 prompt answer appends an ended turn without prompts and breaks an id-less run ----------------------------------------------


def test_a_v1_prompt_answer_appends_an_ended_turn_without_prompts():
    usage = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}
    document = one_sided(1).agent_says("a").agent_answers(3, {"stopReason": "max_tokens", "usage": usage}).fold()

    assert document.turns() == [{"status": "ended", "stopReason": "max_tokens", "usage": usage}]
    assert document.session()["stopReason"] == "max_tokens"
    assert "turn" not in document.last()


def test_it_breaks_an_id_less_run():
    document = one_sided(1).agent_says("a").ends(3).agent_says("b").ends(4).agent_says("c").fold()

    assert document.messages() == [("agent", "a"), ("agent", "b"), ("agent", "c")]
    assert len(document.turns()) == 2


OTHERS = ({"messageId": "u"}, {"sessions": []}, {"configOptions": []}, {"sessionId": "s-1"}, {"protocolVersion": 1}, {}, None)


@pytest.mark.parametrize("result", OTHERS, ids=repr)
def test_one_that_leaves_the_timeline_as_it_is_breaks_none(result):
    document = one_sided(1).agent_says("a").agent_answers(3, result).agent_says("b").fold()

    assert document.messages() == [("agent", "ab")]


def test_one_with_an_id_goes_on():
    document = one_sided(1).agent_says("a", "m").ends(3).agent_says("b", "m").fold()

    assert document.messages() == [("agent", "ab")]


def test_in_a_format_without_ids_too():
    document = answered(one_sided().agent_says("a"), "session/prompt", {"stopReason": "end_turn"}).agent_says("b").fold()

    assert document.turns() == [{"status": "ended", "stopReason": "end_turn"}]
    assert document.messages() == [("agent", "a"), ("agent", "b")]


def test_a_v2_one_changes_nothing():
    before = one_sided(2).agent_says("a", "m").fold()
    document = answered(one_sided(2).agent_says("a", "m"), "session/prompt", {"messageId": "u"}).fold()

    assert document.sessions == before.sessions


@pytest.mark.parametrize("version", [None, 1, 2])
def test_its_shape_says_that_it_is_one_of_v2(version):
    before = one_sided(version).agent_says("a").fold()
    document = one_sided(version).agent_says("a").agent_answers(3, {"messageId": "u"}).fold()

    assert document.sessions == before.sessions


# --- load/resume makes what stands there historical and drops its turns --------------------------------------------------------------------


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_a_load_makes_what_stands_there_historical_and_drops_its_turns(method):
    transcript = one_sided().user_says("q", "u").agent_says("a", "a").ends(3).tool_call("t1", status="completed")
    document = answered(transcript, method, {}).agent_says("new", "n").fold()

    assert [entry.get("historical", False) for entry in document.timeline()] == [True, True, True, False]
    assert not any("turn" in entry for entry in document.timeline())
    assert document.turns() == []
    assert document.session()["phase"] == "ready"


def test_what_it_says_of_the_session_counts():
    modes = {"currentModeId": "ask", "availableModes": []}
    document = answered(one_sided().user_says("q", "u"), "session/load", {"modes": modes}).fold()

    assert document.session()["modes"]["currentId"] == "ask"


def test_a_new_names_its_session():
    document = answered(one_sided().agent_says("x", session="s-2"), "session/new", {"sessionId": "s-1"}).fold()

    assert document.session("s-1")["phase"] == "ready"
    assert document.session("s-2")["phase"] == "unannounced"


# --- that name no session belong to the only session that is nobody's child, else to the one last heard of ------------------------------------


def test_they_belong_to_the_only_session_that_is_nobodys_child():
    transcript = one_sided(1).agent_says("a").update("subagent_update", sessionId="child").agent_says("b", session="child")
    document = transcript.ends(3).fold()

    assert document.turns("s-1") == [{"status": "ended", "stopReason": "end_turn"}]
    assert document.turns("child") == []


def test_else_to_the_one_last_heard_of():
    document = one_sided(1).agent_says("a", session="s-1").agent_says("b", session="s-2").agent_says("c", session="s-1").ends(3).fold()

    assert len(document.turns("s-1")) == 1
    assert document.turns("s-2") == []


def test_with_no_session_they_make_none():
    document = one_sided(1).ends(3).fold()

    assert document.sessions == {}


# --- no request of that method was recorded on this connection; any other unmatched answer changes nothing, with a diagnostic -----------------------


def test_where_a_prompt_was_recorded_an_unmatched_answer_changes_nothing():
    transcript = v1().prompt(1).ends(1)
    before = transcript.fold()
    document = transcript.agent_answers(99, {"stopReason": "refusal"}).fold()

    assert document.sessions == before.sessions
    assert document.codes == ["unmatched-answer"]


def test_where_a_load_was_recorded_too():
    transcript = bare().initialize(1).load(2).user_says("q", "u").agent_answers(2, {}).agent_says("live", "a")
    before = transcript.fold()
    document = answered(transcript, "session/load", {}).fold()

    assert document.sessions == before.sessions
    assert document.codes == ["unmatched-answer"]


@pytest.mark.parametrize("result", [{"anything": 1}, None, [], "x"], ids=repr)
def test_an_answer_that_says_not_what_it_answers_changes_nothing(result):
    before = one_sided(1).agent_says("a").fold()
    document = one_sided(1).agent_says("a").agent_answers(3, result).fold()

    assert document.sessions == before.sessions
    assert len(document.codes) > len(before.codes)


@pytest.mark.parametrize("sender", ["client", "agent"])
def test_an_error_that_nobody_asked_for_changes_nothing(sender):
    transcript = v2().agent_says(text("a"), "m")
    before = transcript.fold()
    document = transcript.fails(sender, 99).fold()

    assert document.value["sessions"] == before.value["sessions"]
    assert document.codes == ["unmatched-answer"]
