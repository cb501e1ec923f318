"""`trace`: what each frame did; `entry_steps`: how one entry came to be."""

from __future__ import annotations

import json
import pathlib

import pytest

from hypothesis import given

from acp_state import Folded, apply, dumps, entry_steps, fold, loads, trace

from strategies import conversations
from support.effort import ran
from support.recordings import frames_of, recording, told


GOLDEN = pathlib.Path(__file__).parents[2] / "golden"


def update(kind, session="s-1", **fields):
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
    return "agent", {"jsonrpc": "2.0", "method": "session/update", "params": params}


def chunk(text, role="agent", session="s-1", **fields):
    return update(f"{role}_message_chunk", session, content={"type": "text", "text": text}, **fields)


def call(id="t", **fields):
    return update("tool_call", toolCallId=id, title="T", **fields)


def asked(sender, id, method, **params):
    return sender, {"jsonrpc": "2.0", "id": id, "method": method, "params": {"sessionId": "s-1", **params}}


def answered(sender, id, **result):
    return sender, {"jsonrpc": "2.0", "id": id, "result": result}


def failed(sender, id):
    return sender, {"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "m"}}


def transcript(*sent):
    """A recording of *sent*, each a second after the one before."""
    return b"".join(json.dumps({"t": place, "from": who, "message": message}).encode() + b"\n" for place, (who, message) in enumerate(sent))


def numbers(steps):
    return [step.number for step in steps]


START = (
    asked("client", 0, "initialize", protocolVersion=1),
    answered("agent", 0, protocolVersion=1, agentCapabilities={}),
    asked("client", 1, "session/new", cwd="/", mcpServers=[]),
    answered("agent", 1, sessionId="s-1"),
)


# --- what each frame did ---------------------------------------------------------------------------------------


def test_a_step_has_time_events_changes_and_diagnostics():
    steps = list(trace(transcript(*START, call(status="completed"), call(status="pending"))))

    assert numbers(steps) == [1, 2, 3, 4, 5, 6]
    assert [(step.frame.time, step.frame.line) for step in steps] == [(n, n + 1) for n in range(6)]
    assert [[type(event).__name__ for event in step.events] for step in steps[4:]] == [["SessionUpdate"], ["SessionUpdate"]]
    assert [[type(change).__name__ for change in step.changes] for step in steps[4:]] == [["EntryAdded"], []]
    assert [[finding.code for finding in step.diagnostics] for step in steps] == [[], [], [], [], [], ["status-regression"]]
    assert steps[5].diagnostics[0].frame == 6


def test_a_time_that_is_not_known_is_none():
    (step,) = trace(json.dumps(chunk("a")[1]).encode())

    assert step.frame.time is None


def test_a_line_that_is_no_frame_is_a_step_of_its_own():
    steps = list(trace(transcript(chunk("a")) + b"no json\n" + transcript(chunk("b"))))

    assert numbers(steps) == [1, None, 2]
    assert [finding.code for finding in steps[1].diagnostics] == ["not-json"]
    assert (steps[1].frame, steps[1].events, steps[1].changes) == (None, (), ())
    assert steps[1].before is steps[1].after is steps[0].after


def test_going_on_and_stopping():
    data = transcript(*START, chunk("a"), chunk("b"))
    start = fold(data, until=4)
    steps = list(trace(data.splitlines(keepends=True)[4:], from_=start, until=1))

    assert numbers(steps) == [1]
    assert steps[0].before == start.snapshot
    assert list(trace(data, until=0)) == []


def test_a_file_that_there_is_not(tmp_path):
    with pytest.raises(FileNotFoundError):
        next(trace(tmp_path / "nothing.ndjson"))


@given(conversations())
def test_the_steps_of_a_conversation_are_its_fold(conversation):
    ran("conversations")
    data = recording(conversation)
    whole = fold(data)
    steps = list(trace(data))
    copy = Folded().snapshot
    for step in steps:
        assert step.before == copy
        copy = apply(copy, step.changes)

    assert copy == whole.snapshot
    assert told(copy) == told(whole.snapshot)
    assert numbers(steps) == list(range(1, whole.tally.read + 1))
    assert sum(len(step.diagnostics) for step in steps) == sum(finding.count for finding in whole.diagnostics)


# --- how an entry came to be -----------------------------------------------------------------------------------


def test_an_entry_that_comes_with_its_session():
    steps = list(trace(transcript(chunk("a", messageId="m"), chunk("b", messageId="m"), chunk("c", messageId="n"))))

    assert numbers(entry_steps(steps, "m")) == [1, 2]
    assert numbers(entry_steps(steps, place=0)) == [1, 2]
    assert numbers(entry_steps(steps, "n")) == numbers(entry_steps(steps, place=1)) == [3]


def test_steps_may_come_one_at_a_time():
    data = transcript(*START, call(), chunk("a"), call(status="completed"))

    assert next(entry_steps(trace(data), "t")).number == 5
    assert numbers(entry_steps(trace(data), place=0)) == [5, 7]


def test_messages_without_ids_are_told_apart_by_their_place():
    steps = list(trace(transcript(*START, chunk("a"), chunk("b"), chunk("x", "user"), chunk("c"), chunk("d"))))

    assert [numbers(entry_steps(steps, place=place)) for place in range(3)] == [[5, 6], [7], [8, 9]]
    assert numbers(entry_steps(steps, None)) == [5, 6, 7, 8, 9]


def test_one_id_under_two_roles_kinds_and_sessions():
    steps = list(
        trace(
            transcript(
                *START,
                chunk("a", messageId="x"),
                chunk("b", "user", messageId="x"),
                call("x"),
                chunk("c", session="s-2", messageId="x"),
                chunk("d", messageId="x"),
            )
        )
    )

    assert numbers(entry_steps(steps, "x")) == [5, 6, 7, 8, 9]
    assert numbers(entry_steps(steps, "x", "s-1")) == [5, 6, 7, 9]
    assert numbers(entry_steps(steps, "x", "s-2")) == numbers(entry_steps(steps, session_id="s-2", place=0)) == [8]
    assert [numbers(entry_steps(steps, session_id="s-1", place=place)) for place in range(3)] == [[5, 9], [6], [7]]


def test_a_prompt_that_gets_its_id_from_its_echo():
    prompt = asked("client", 2, "session/prompt", prompt=[{"type": "text", "text": "ab"}])
    steps = list(trace(transcript(*START, prompt, chunk("a", "user", messageId="u"), chunk("b", "user", messageId="u"))))

    assert numbers(entry_steps(steps, "u")) == [6]
    assert numbers(entry_steps(steps, place=0)) == [5, 6]


def test_ids_are_compared_as_json():
    def permission(id):
        return asked("agent", id, "session/request_permission", toolCall={"toolCallId": "t"}, options=[])

    steps = list(trace(transcript(*START, permission(1), permission("1"), answered("client", 1, outcome={"outcome": "cancelled"}))))

    assert numbers(entry_steps(steps, 1)) == numbers(entry_steps(steps, place=1)) == [5, 7]
    assert numbers(entry_steps(steps, "1")) == numbers(entry_steps(steps, place=2)) == [6]
    assert numbers(entry_steps(steps, True)) == numbers(entry_steps(steps, 1.0)) == []


def test_a_call_whose_id_was_used_before():
    turn = asked("client", 2, "session/prompt", prompt=[]), call(status="completed"), answered("agent", 2, stopReason="end_turn")
    steps = list(trace(transcript(*START, *turn, *turn)))
    places = [place for place, entry in enumerate(steps[-1].after.sessions["s-1"].timeline) if entry.type == "tool_call"]

    assert len(places) == 2
    assert [numbers(entry_steps(steps, place=place)) for place in places] == [[6], [9]]
    assert numbers(entry_steps(steps, "t")) == [6, 9]


LOAD = asked("client", 5, "session/load", cwd="/", mcpServers=[])


def test_an_entry_that_was_replayed():
    steps = list(
        trace(
            transcript(
                *START,
                chunk("old", messageId="m"),
                call(),
                LOAD,
                call(),
                chunk("new", messageId="m"),
                answered("agent", 5),
                chunk("more", messageId="m"),
            )
        )
    )

    assert numbers(entry_steps(steps, "t")) == numbers(entry_steps(steps, place=0)) == [6, 8, 10]
    assert numbers(entry_steps(steps, "m")) == numbers(entry_steps(steps, place=1)) == [5, 9, 11]


def test_an_entry_that_a_replay_would_have_replaced():
    steps = list(
        trace(
            transcript(*START, chunk("a"), chunk("x", "user"), LOAD, chunk("y", "user"), chunk("b"), failed("agent", 5), chunk("c", "user"))
        )
    )

    assert [entry.text for entry in steps[-1].after.sessions["s-1"].timeline] == ["a", "xc"]
    assert numbers(entry_steps(steps, place=0)) == [5]
    assert numbers(entry_steps(steps, place=1)) == [6, 11]


def test_a_question_that_a_replay_carries_to_the_end():
    steps = list(
        trace(
            transcript(
                *START,
                asked("client", 2, "session/prompt", prompt=[]),
                asked("agent", 9, "session/request_permission", toolCall={"toolCallId": "t"}, options=[]),
                LOAD,
                chunk("a"),
                chunk("b", "user"),
                answered("agent", 5),
                answered("client", 9, outcome={"outcome": "cancelled"}),
            )
        )
    )
    timeline = steps[-1].after.sessions["s-1"].timeline

    assert [entry.type for entry in timeline] == ["message", "message", "message", "tool_call", "permission"]
    assert numbers(entry_steps(steps, "t")) == numbers(entry_steps(steps, place=3)) == [6, 10]
    assert numbers(entry_steps(steps, 9)) == numbers(entry_steps(steps, place=4)) == [6, 10, 11]


def test_an_entry_that_was_there_before_the_first_step():
    data = transcript(*START, call(), call(status="completed"))
    start = loads(dumps(fold(data, until=5)))
    steps = list(trace(data.splitlines(keepends=True)[5:], from_=start))

    assert numbers(entry_steps(steps, "t")) == numbers(entry_steps(steps, place=0)) == [1]


def test_no_such_entry():
    steps = list(trace(transcript(*START, chunk("a"), chunk("a", session="s-2"))))

    assert list(entry_steps(steps, "x")) == []
    for place, session_id in ((0, None), (1, "s-1"), (-1, "s-1"), (0, "s-3")):
        with pytest.raises(LookupError, match="no entry stands at"):
            entry_steps(steps, session_id=session_id, place=place)
    with pytest.raises(LookupError):
        entry_steps([], place=0)


def test_an_id_or_a_place():
    for arguments in ({}, {"entry_id": "m", "place": 0}):
        with pytest.raises(TypeError, match="either an id or a place"):
            entry_steps([], **arguments)


@given(conversations(30))
def test_every_entry_has_a_beginning(conversation):
    ran("conversations")
    steps = list(trace(frames_of(conversation)))
    for session in steps[-1].after.sessions.values() if steps else ():
        for place, entry in enumerate(session.timeline):
            by_place = numbers(entry_steps(steps, session_id=session.id, place=place))

            assert by_place
            if getattr(entry, "role", None) != "user":  # a prompt may get its id from its echo
                assert set(by_place) <= set(numbers(entry_steps(steps, entry.id, session.id)))
