"""The chronicle: when what came and was done, whatever replaces what."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hypothesis import given

from acp_state import state as s
from acp_state.chronicle import Changed, Chronicle, Happening, Moment, Planned, UnknownUpdate
from acp_state.diagnostics import Diagnostic
from acp_state.folding import fold

from strategies import conversations
from support.effort import ran
from support.recordings import recording
from support.timed import chronicle_of, timed
from support.transcripts import item, one_sided, v1, v2


def of(chronicle: Chronicle, sort: type, session: int = 0) -> list[Happening]:
    return [happening for happening in chronicle.sessions[session].happenings if isinstance(happening.what, sort)]


def times(happening: Happening) -> tuple[float | None, float | None]:
    return happening.began.time, None if happening.ended is None else happening.ended.time


def found(chronicle: Chronicle) -> Iterator[Diagnostic]:
    for happening in (*chronicle.happenings, *(one for session in chronicle.sessions for one in session.happenings)):
        if isinstance(happening.what, Diagnostic):
            yield happening.what


# --- laws ------------------------------------------------------------------------------------------


@given(conversations())
def test_all_that_the_snapshot_holds_has_its_place(conversation):
    ran("conversations")
    data = recording(conversation)
    folded = fold(data)
    told = chronicle_of(data)

    assert told.connection == folded.snapshot.connection
    assert [session.session for session in told.sessions] == list(folded.snapshot.sessions.values())
    for session in told.sessions:
        whats = [happening.what for happening in session.happenings]
        entries = [what for what in whats if isinstance(what, (s.Message, s.ToolCall, s.Permission, s.Elicitation, s.Compaction))]
        assert entries == list(session.session.timeline)
        for sort, table in (
            (s.Terminal, session.session.terminals),
            (s.FileRequest, session.session.files),
            (s.Extension, session.session.extensions),
            (s.Subagent, session.session.subagents),
            (s.Notice, session.session.notices),
        ):
            assert sorted(map(repr, table)) == sorted(repr(what) for what in whats if isinstance(what, sort))
        assert [what.update for what in whats if isinstance(what, UnknownUpdate)] == list(session.session.unknown_updates)
        assert len(session.turns) == len(session.session.turns)
        assert all(happening.turn is None or happening.turn < len(session.turns) for happening in session.happenings)
        assert {plan.id for plan in session.session.plans} <= {
            what.plan.id for what in whats if isinstance(what, Planned) and what.plan is not None
        }
    assert [what for happening in told.happenings if isinstance(what := happening.what, s.Elicitation)] == list(
        folded.snapshot.connection.elicitations
    )


@given(conversations())
def test_every_finding_has_one_place_and_its_count(conversation):
    ran("conversations")
    data = recording(conversation)
    told = chronicle_of(data)

    assert told.findings == fold(data).diagnostics
    assert sorted(map(repr, found(told))) == sorted(map(repr, told.findings))


@given(conversations())
def test_nothing_ends_before_it_began(conversation):
    ran("conversations")
    told = chronicle_of(recording(conversation))
    for session in told.sessions:
        for happening in session.happenings:
            assert session.began.frame <= happening.began.frame <= session.ended.frame or isinstance(happening.what, Diagnostic)
            assert happening.ended is None or happening.began.frame <= happening.ended.frame


# --- when ------------------------------------------------------------------------------------------


def test_a_tool_call_lasts_from_its_first_mention_to_its_final_status():
    talk = v1().prompt("p").tool_call("t1", status="pending").tool_update("t1", status="in_progress")
    talk.tool_update("t1", status="completed").tool_update("t1", content=[item("late")]).ends("p")
    (call,) = of(chronicle_of(talk), s.ToolCall)

    assert times(call) == (5, 7)


def test_a_tool_call_without_an_end_has_none_and_a_later_end_counts():
    talk = v1().prompt("p").tool_call("t1").tool_call("t2", status="completed").ends("p").tool_update("t1", status="failed")
    first, second = of(chronicle_of(talk), s.ToolCall)

    assert (times(first), times(second)) == ((5, 8), (6, 6))
    (first, _) = of(chronicle_of(v1().prompt("p").tool_call("t1").tool_call("t2").ends("p")), s.ToolCall)
    assert times(first) == (5, None)


def test_a_call_that_the_client_cancelled_ends_with_what_the_agent_says_of_it():
    talk = v1().prompt("p").tool_call("t1").cancel().tool_update("t1", status="completed").ends("p", "cancelled")
    (call,) = of(chronicle_of(talk), s.ToolCall)

    assert times(call) == (5, 7)


def test_a_permission_lasts_until_it_is_answered_and_a_message_until_its_last_piece():
    talk = v1().prompt("p").agent_says("a").agent_says("b").permission("q").selects("q").ends("p")
    told = chronicle_of(talk)

    assert times(of(told, s.Permission)[0]) == (7, 8)
    assert [times(message) for message in of(told, s.Message)] == [(4, 4), (5, 6)]


def test_a_turn_lasts_from_its_prompt_to_its_answer():
    told = chronicle_of(v1().prompt("p").agent_says("a").ends("p").prompt("q"))
    first, second = told.sessions[0].turns

    assert (first.began.time, first.ended and first.ended.time) == (4, 6)
    assert (second.began.time, second.ended) == (7, None)


def test_frames_without_a_time_are_as_late_as_the_last_that_had_one():
    data = timed(v1().prompt("p")) + b'{"from":"agent","message":{"jsonrpc":"2.0","id":"p","result":{"stopReason":"end_turn"}}}\n'
    told = chronicle_of(data)

    assert told.sessions[0].turns[0].ended == Moment(6, 7, 4)
    assert told.ended == Moment(6, 7, 4)


# --- where -----------------------------------------------------------------------------------------


def test_what_is_beside_the_timeline_stands_in_the_turn_in_which_it_came():
    plan = [{"content": "a", "priority": "low", "status": "pending"}]
    talk = v1(modes={"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "do", "name": "Do"}]})
    talk.prompt("p").update("plan", entries=plan).update("current_mode_update", currentModeId="do").update("_new", x=1)
    talk.agent_asks_session("f", "fs/read_text_file", path="/a").client_answers("f", {"content": ""}).ends("p")
    talk.update("plan", entries=[]).update("notice", severity="info", title="Hello")
    told = chronicle_of(talk)

    planned = of(told, Planned)
    assert [(happening.turn, happening.began.time) for happening in planned] == [(0, 5), (None, 11)]
    assert (planned[1].what.before, planned[0].what.before) == (planned[0].what.plan, None)
    (changed,) = of(told, Changed)
    assert (changed.what, changed.turn) == (Changed("mode", "Ask", "Do"), 0)
    (unknown,) = of(told, UnknownUpdate)
    assert (unknown.what.update["sessionUpdate"], unknown.turn) == ("_new", 0)
    (file,) = of(told, s.FileRequest)
    assert (file.what.status, times(file), file.turn) == ("answered", (8, 9), 0)
    (notice,) = of(told, s.Notice)
    assert (notice.what.title, notice.turn) == ("Hello", None)


def test_a_finding_stands_where_it_happened():
    talk = v1().prompt("p").agent_says("a").line("no json").agent_says("b").tool_update("t1", status="completed").ends("p")
    whats = [happening.what for happening in chronicle_of(untimed_with_a_line(talk)).sessions[0].happenings]

    assert [what.code if isinstance(what, Diagnostic) else what.type for what in whats] == [
        "message",
        "message",
        "not-json",
        "tool_call",
        "unannounced-call",
    ]


def untimed_with_a_line(talk) -> bytes:
    return b"".join(line + b"\n" for line in talk.lines("jsonrpc"))


def test_a_finding_before_any_session_belongs_to_the_connection():
    told = chronicle_of(b"no json\n" + timed(v1()))

    assert [happening.what.code for happening in told.happenings] == ["not-json"]
    assert told.sessions[0].happenings == ()


def test_usage_is_kept_as_it_was_reported_and_a_turn_has_its_last():
    talk = v1().prompt("p").update("usage_update", used=1, size=9).update("usage_update", used=5, size=9).ends("p")
    talk.prompt("q").ends("q").prompt("r").update("usage_update", used=2, size=9).ends("r")
    told = chronicle_of(talk).sessions[0]

    assert [(moment.time, usage.used) for moment, usage in told.usage] == [(5, 1), (6, 5), (11, 2)]
    assert [turn.usage and turn.usage.used for turn in told.turns] == [5, None, 2]


# --- replays ---------------------------------------------------------------------------------------


def loaded(*, failing: bool):
    talk = v1().prompt("p").agent_says("live").ends("p").update("plan", entries=[]).load()
    talk.user_says("old question").agent_says("old answer")
    return talk.agent_fails("load") if failing else talk.agent_answers("load", {})


def test_a_replay_takes_the_place_of_what_was():
    told = chronicle_of(loaded(failing=False)).sessions[0]

    assert [happening.what.text for happening in told.happenings] == ["old question", "old answer"]
    assert [happening.began.time for happening in told.happenings] == [9, 10]
    assert told.turns == ()


def test_after_a_failed_replay_everything_is_as_it_was_with_its_times():
    told = chronicle_of(loaded(failing=True)).sessions[0]

    assert [happening.began.time for happening in told.happenings] == [4, 5, 7]
    assert [type(happening.what) for happening in told.happenings] == [s.Message, s.Message, Planned]
    assert told.turns[0].ended is not None
    assert told.turns[0].ended.time == 6


@pytest.mark.parametrize("version", [1, 2])
def test_a_session_that_begins_with_an_update_is_told_from_there(version):
    talk = (v1 if version == 1 else v2)("known").agent_says("hello", "m", session="s-2")
    told = chronicle_of(talk).sessions[1]

    assert [what.text for happening in told.happenings if isinstance(what := happening.what, s.Message)] == ["hello"]
    assert told.began.time == 4


def test_a_replay_that_brings_no_entry_and_fails_leaves_the_times_too():
    plan = [{"content": "a", "priority": "low", "status": "pending"}]
    talk = v1().prompt("p").agent_says("live").ends("p").load().update("plan", entries=plan).agent_fails("load")
    told = chronicle_of(talk).sessions[0]

    assert [(type(happening.what), times(happening)) for happening in told.happenings] == [(s.Message, (4, 4)), (s.Message, (5, 5))]
    assert told.turns[0].began.time == 4


def test_what_comes_with_an_answer_that_drops_all_turns_belongs_to_none():
    command = {"type": "command", "name": "go", "description": "d"}
    talk = one_sided(2).user_message("u", "a").agent_answers(9, {"availableCommands": [command]})
    told = chronicle_of(talk).sessions[0]

    assert told.turns == ()
    assert {happening.turn for happening in told.happenings} == {None}


def test_what_is_carried_over_stands_where_the_timeline_has_it():
    talk = v1().prompt("p").permission("q").load().user_says("old question").agent_says("old answer").agent_answers("load", {})
    told = chronicle_of(talk).sessions[0]

    assert [happening.what for happening in told.happenings] == list(told.session.timeline)
    assert [happening.began.time for happening in told.happenings] == [7, 8, 4, 5, 5]
    assert [turn.began.time for turn in told.turns] == [4]
