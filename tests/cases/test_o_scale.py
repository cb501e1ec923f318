"""Field cases, section O: scale and purity."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import gc
import types

from acp_state.folding import fold

from support.transcripts import item, v1


SLACK = 100
"""Ids that differ and strings that are shared or not; less than one line of output each."""


def held(value):
    """Return how many characters and bytes are reachable from a value."""
    seen, waiting, found = set(), [value], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (type, types.ModuleType, types.FunctionType)):
            continue
        seen.add(id(one))
        found += len(one) if isinstance(one, (str, bytes, bytearray)) else 0
        waiting.extend(gc.get_referents(one))
    return found


# --- Z-01 ------------------------------------------------------------------------------------------------


def lines(count):
    return "".join(f"line {number}\n" for number in range(count))


def test_Z_01_every_update_resends_the_whole_output():
    transcript = v1().tool_call("t1")
    for count in range(1, 501):
        transcript.tool_update("t1", content=[item(lines(count))])
    document = transcript.fold(splits=(250,))
    alone = v1().tool_call("t1").tool_update("t1", content=[item(lines(500))]).fold()

    assert document.tool()["content"] == [item(lines(500))]
    assert document.value == alone.value
    assert held(document.folded.snapshot) < held(alone.folded.snapshot) + SLACK
    assert held(document.folded.wire) < held(alone.folded.wire) + SLACK


def test_Z_01_a_plan_that_is_resent_keeps_no_older_one():
    transcript = v1()
    for count in range(1, 101):
        transcript.update("plan", entries=[{"content": lines(count), "priority": "low", "status": "pending"}])
    document = transcript.fold(splits=(50,))
    alone = v1().update("plan", entries=[{"content": lines(100), "priority": "low", "status": "pending"}]).fold()

    assert document.value == alone.value
    assert held(document.folded.snapshot) < held(alone.folded.snapshot) + SLACK


def test_Z_01_a_terminal_that_is_polled_keeps_no_older_output():
    def polled(transcript, count):
        transcript.agent_asks_session(f"o{count}", "terminal/output", terminalId="x1")
        return transcript.client_answers(f"o{count}", {"output": lines(count), "truncated": False})

    def created():
        return v1().agent_asks_session(80, "terminal/create", command="ls").client_answers(80, {"terminalId": "x1"})

    transcript = created()
    for count in range(1, 101):
        polled(transcript, count)
    document = transcript.fold(splits=(50,))
    alone = polled(created(), 100).fold()

    assert document.session() == alone.session()
    assert held(document.folded.snapshot) < held(alone.folded.snapshot) + SLACK


# --- Z-04 ------------------------------------------------------------------------------------------------


def flooded(count, **update):
    transcript = v1()
    for _ in range(count):
        transcript.tool_update("t1", **update)
    return transcript


def test_Z_04_flood_of_equal_updates():
    transcript = flooded(1100, status="in_progress")
    few, many = flooded(2, status="in_progress").fold(), transcript.fold(splits=(7, 600))

    assert many.session() == few.session()
    assert len(many.folded.diagnostics) == len(few.folded.diagnostics) == 1
    assert many.codes == ["unannounced-call"] * len(many.codes)
    assert held(many.folded.snapshot) < held(few.folded.snapshot) + SLACK

    document = transcript.tool_update("t1", status="completed").fold(splits=(7, 600))
    assert document.tool()["status"] == "completed"


def test_Z_04_a_repeat_gives_the_same_object():
    transcript = flooded(1, status="in_progress", title="T", rawInput={"a": [1]}, content=[item("x")])
    folded = fold(b"\n".join(transcript.lines()) + b"\n")
    again = fold(transcript.lines()[-1] + b"\n", from_=folded)

    assert again.snapshot is folded.snapshot


def test_Z_04_faults_are_counted_and_not_listed():
    transcript = v1()
    for _ in range(300):
        transcript.update("usage_update", used=None, size=1)
    document = transcript.fold(splits=(100,))

    (finding,) = document.folded.diagnostics
    assert (finding.code, finding.count) == ("malformed", 300)


def test_Z_04_equal_ones_in_the_middle_of_a_text_cut_it_nowhere():
    transcript = v1().tool_call("t1").agent_says("a")
    for _ in range(50):
        transcript.tool_update("t1", status="in_progress")
    document = transcript.agent_says("b").fold(splits=(20,))

    assert document.story() == [("tool_call", "t1"), ("agent", "ab")]
