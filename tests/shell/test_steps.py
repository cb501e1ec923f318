"""`acp-state normalize` and `acp-state trace`: a recording frame by frame."""

from __future__ import annotations

import json

import pytest

from support.transcripts import bare, v1, v2


SESSION = (
    v1("s-1")
    .prompt(1, "hello")
    .agent_says("hi ")
    .agent_says("you")
    .tool_call("t1", kind="juggle", status="pending")
    .permission(31, "t1")
    .selects(31)
    .tool_update("t1", status="completed")
    .ends(1)
)
RECORDS = [json.loads(line) for line in SESSION.lines("acp-state")]
TIMED = [json.dumps(record | ({} if "format" in record else {"t": number / 8})).encode() for number, record in enumerate(RECORDS)]


def lines(ran, code=0):
    assert ran.code == code, ran
    return [json.loads(line) for line in ran.out.splitlines()]


# --- normalize -----------------------------------------------------------------------------------------------


def test_events_come_one_a_line_with_their_place(shell, recording):
    events = lines(shell("normalize", recording(TIMED)))
    assert events[0] == {"frame": 1, "line": 2, "time": 0.125, "event": "activity_rule_changed", "derives": True}
    assert [event for event in events if event["frame"] == 6] == [
        {
            "frame": 6,
            "line": 7,
            "time": 0.75,
            "event": "agent_message_chunk",
            "sessionId": "s-1",
            "content": {"type": "text", "text": "hi "},
        }
    ]
    assert events[-1]["event"] == "prompt_answered"


def test_the_same_session_in_either_version_is_told_in_the_same_words(shell, recording):
    def told(transcript):
        path = recording(transcript.agent_says("hi", "m").tool_call("t1", "Look").tool_update("t1", status="completed"))
        return [event for event in lines(shell("normalize", path, "--session", "s-1")) if event["event"] in words]

    words = {"agent_message_chunk", "tool_call_update"}
    for one, other in zip(told(v1()), told(v2()), strict=True):
        same = one.keys() - {"frame", "line", "finalStays", "introduces", "announces", "content"}
        assert {name: one[name] for name in same} == {name: other[name] for name in same}


def test_events_of_one_session_alone_and_up_to_a_frame(shell, recording):
    path = recording(v1("s-1").new("s-2").agent_says("a", session="s-2").agent_says("b"))
    assert {event["sessionId"] for event in lines(shell("normalize", path, "--session", "s-2"))} == {"s-2"}
    assert lines(shell("normalize", path, "--until", 2))[-1]["frame"] == 2
    assert lines(shell("normalize", path, "--until", 0)) == []


def test_several_files_are_told_apart(shell, recording):
    one, other = recording(v1("s-1"), "a"), recording(v1("s-2"), "b")
    for command in (["normalize"], ["trace", "--format", "json"]):
        assert [*dict.fromkeys(line["recording"] for line in lines(shell(*command, one, other)))] == [str(one), str(other)]
        assert "recording" not in lines(shell(*command, one))[0]


def test_findings_of_events_go_to_standard_error(shell, recording):
    ran = shell("normalize", recording([b"nonsense", *TIMED]), "--diagnostics=json")
    assert [json.loads(line)["code"] for line in ran.err.splitlines()] == ["not-json", "unknown-value"]


def test_findings_are_printed_even_if_reading_breaks_off(shell, recording):
    ran = shell("normalize", recording([b"nonsense"]))
    assert ran.code == 2
    assert "code=not-json" in ran.err


# --- trace ---------------------------------------------------------------------------------------------------


def test_a_step_says_who_sent_what_and_what_it_changed(shell, recording):
    steps = lines(shell("trace", recording(TIMED), "--format", "json"))
    assert steps[6] == {
        "frame": 7,
        "line": 8,
        "time": 0.875,
        "from": "agent",
        "kind": "notification",
        "method": "session/update",
        "changes": [
            {
                "change": "text_appended",
                "sessionId": "s-1",
                "path": "/sessions/s-1/timeline/1/content/0",
                "type": "message",
                "id": None,
                "role": "agent",
                "text": "you",
            }
        ],
    }
    assert [finding["code"] for finding in steps[7]["diagnostics"]] == ["unknown-value"]
    assert [steps[9][name] for name in ("from", "kind", "id", "method")] == ["client", "response", 31, "session/request_permission"]


@pytest.mark.parametrize("dialect", ["jsonrpc", "tagged", "replay"])
def test_who_sent_it_and_what_it_answers_is_told_of_any_recording(dialect, shell, recording):
    def who(some):
        return [(step["from"], step["kind"], step["method"]) for step in lines(shell("trace", recording(some), "--format", "json"))]

    assert who(SESSION.lines(dialect)) == who(TIMED)


def test_the_changes_make_the_state(shell, recording):
    path = recording(SESSION)
    steps = lines(shell("trace", path, "--format", "json"))
    document = json.loads(shell("fold", path, "--diagnostics=none").out)
    added = [change for step in steps for change in step.get("changes", []) if change["change"] == "entry_added"]
    assert [change["path"] for change in added] == [f"/sessions/s-1/timeline/{place}" for place in range(4)]
    assert added[0]["value"] == document["sessions"]["s-1"]["timeline"][0]


def test_a_step_as_text(shell, recording):
    out = shell("trace", recording(TIMED)).out
    assert (
        '6  line 7  +0.750 s  agent  notification  session/update\n    + /sessions/s-1/timeline/1 (message agent): {"type":"message",'
        in out
    )
    assert '    ~ /sessions/s-1/timeline/1/content/0 (message agent): appended "you"\n' in out
    assert "    ! warning unknown-value: kind: 'juggle' is none of" in out
    assert '    ~ /sessions/s-1: activity "idle", stopReason "end_turn"\n' in out


def test_lines_of_another_kind_are_told_of_once(shell, recording):
    noise = [b"line %d" % number for number in range(1, 31)]
    out = shell("trace", recording([*noise, *SESSION.lines("jsonrpc")[:1], *noise[:3], b"", *noise[:4], b'{"hello": "world"}'])).out
    found = [line for line in out.splitlines() if line.startswith(("-", "    !"))]
    assert found == [
        "-  lines 1-30",
        "    ! error not-json: 'line 1': Expecting value (character 1) (30 times)",
        "-  lines 32-39",
        "    ! error not-json: 'line 1': Expecting value (character 1) (7 times)",
        "-  line 40",
        "    ! warning not-a-frame: no dialect knows an object with 'hello'",
    ]


def test_a_few_lines_of_another_kind_are_told_of_one_by_one(shell, recording):
    out = shell("trace", recording([b"x", b"y", b"z", *SESSION.lines("jsonrpc")])).out
    assert [line.split()[2] for line in out.splitlines() if line.startswith("-  line")] == ["1", "2", "3"]


def test_steps_as_json_are_never_one_for_several(shell, recording):
    assert len(lines(shell("trace", recording([*[b"x"] * 9, *TIMED]), "--format", "json"))) == 9 + len(TIMED) - 1


def test_lines_of_another_kind_are_told_of_even_if_there_is_nothing_else(shell, recording):
    ran = shell("trace", recording([b"x"] * 9))
    assert (ran.code, ran.out) == (2, "-  lines 1-9\n    ! error not-json: 'x': Expecting value (character 1) (9 times)\n")


def test_long_values_are_cut(shell, recording):
    out = shell("trace", recording(v1().agent_says("x" * 5000))).out
    assert max(map(len, out.splitlines())) < 400
    assert "… (5,0" in out


def test_what_is_no_frame_has_its_line(shell, recording):
    path = recording([b"nonsense", *SESSION.lines("jsonrpc")])
    assert shell("trace", path).out.startswith("-  line 1\n    ! error not-json: 'nonsense': ")
    first = lines(shell("trace", path, "--format", "json"))[0]
    assert (first["line"], first["diagnostics"][0]["code"]) == (1, "not-json")
    assert shell("trace", path).err == ""


def test_how_one_entry_came_to_be(shell, recording):
    path = recording(SESSION)

    def frames(entry):
        return [(step["frame"], len(step["changes"])) for step in lines(shell("trace", path, "--format", "json", "--entry", entry))]

    assert frames("t1") == [(8, 1), (11, 1)]
    assert frames("31") == [(9, 1), (10, 1)]
    assert frames("@1") == [(6, 1), (7, 1)]
    assert shell("trace", path, "--entry", "t1").out.count("\n") == 5


def test_an_entry_that_a_replay_brought_back(shell, recording):
    path = recording(v1().prompt(1).agent_says("a", "m-1").ends(1).load().agent_says("a", "m-1").agent_answers("load"))
    changes = [step["changes"][0]["change"] for step in lines(shell("trace", path, "--format", "json", "--entry", "m-1"))]
    assert changes[0] == "entry_added"
    assert "history_replaced" in changes


def test_an_entry_that_there_is_not(shell, recording):
    path = recording(SESSION)
    ran = shell("trace", path, "--entry", "t2")
    known = "there are: 't1', '31'"
    assert (ran.code, ran.out, ran.err) == (2, "", f"acp-state: {path}: no entry 't2'; {known}\n")


def test_of_many_entries_the_first_are_named(shell, recording):
    talk = v1().prompt(1)
    for number in range(12):
        talk.agent_says("a", f"m-{number}")
    err = shell("trace", recording(talk.ends(1)), "--entry", "m").err
    assert err.endswith("no entry 'm'; there are: " + ", ".join(f"'m-{number}'" for number in range(10)) + ", and 2 more\n")
    err = shell("trace", recording(v1().prompt(1).agent_says("a").ends(1)), "--entry", "m").err
    assert err.endswith("no entry 'm'; none has an id; @PLACE names one by where it stands\n")


def test_steps_of_one_session_alone(shell, recording):
    path = recording(v1("s-1").new("s-2").agent_says("a", session="s-2").agent_says("b"))
    steps = lines(shell("trace", path, "--session", "s-2", "--format", "json"))
    assert [step["frame"] for step in steps] == [6, 7]
    assert {change["sessionId"] for step in steps for change in step["changes"]} == {"s-2"}


def test_files_have_a_heading_where_there_are_several(shell, recording):
    one, other = recording(v1("s-1"), "a"), recording(bare().agent_says("x"), "b")
    out = shell("trace", one, other).out
    assert out.startswith(f"==> {one} <==\n1  line 1")
    assert f"\n\n==> {other} <==\n1  line 1  agent" in out


def test_a_place_where_no_entry_stands(shell, recording):
    path = recording(SESSION)
    ran = shell("trace", path, "--entry", "@9")
    assert (ran.code, ran.out, ran.err) == (2, "", f"acp-state: {path}: no entry stands at 9 in the timeline of session 's-1'\n")
    two = recording(v1("s-1").new("s-2").agent_says("a", session="s-2").agent_says("b"), "two")
    assert shell("trace", two, "--entry", "@0").err == f"acp-state: {two}: no entry stands at 0 of no session: there are 2\n"
    assert [step["frame"] for step in lines(shell("trace", two, "--entry", "@0", "--session", "s-2", "--format", "json"))] == [7]


@pytest.mark.parametrize("command", ["normalize", "trace"])
class TestASessionThatThereIsNot:
    def test_is_told_at_the_end(self, shell, recording, command):
        path = recording(v1("s-1").new("s-2").agent_says("a"))
        ran = shell(command, path, "--session", "nope")
        assert (ran.code, ran.out, ran.err) == (2, "", f"acp-state: {path}: no session 'nope'; there are: 's-1', 's-2'\n")
        assert ran.err == shell("fold", path, "--session", "nope").err

    def test_is_told_of_a_connection_alone(self, shell, recording, command):
        path = recording([b'{"jsonrpc":"2.0","id":1,"method":"session/list"}'])
        ran = shell(command, path, "--session", "nope")
        assert (ran.code, ran.err) == (2, f"acp-state: {path}: no session 'nope'; there are: none\n")

    def test_is_shown_where_it_is_named(self, shell, recording, command):
        path = recording(v1("s-1").agent_says("a").client_asks("d", "session/close", sessionId="s-2"))
        ran = shell(command, path, "--session", "s-2")
        assert ran.code == 0
        assert "s-2" in ran.out
        assert "s-2" not in json.loads(shell("fold", path).out)["sessions"]
