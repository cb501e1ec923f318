"""Field cases, section M: terminals and bytes."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import base64

import pytest

from support.transcripts import item, shows, v1, v2


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def chunk(transcript, data, terminal="k"):
    return transcript.update("terminal_output_chunk", terminalId=terminal, data=b64(data))


def terminal(transcript, terminal="k", **fields):
    return transcript.update("terminal_update", terminalId=terminal, **fields)


def output(document, id="k"):
    return document.terminal(id).get("output", "")


# --- B-01 ------------------------------------------------------------------------------------------------


def test_B_01_utf_8_character_split_over_two_chunks():
    transcript = chunk(v2(), b"caf\xc3")
    assert output(transcript.fold()) == {"base64": b64(b"caf\xc3")}

    document = chunk(transcript, b"\xa9\n").fold()
    assert output(document) == "café\n"


@pytest.mark.parametrize("cut", range(1, 12))
def test_B_01_wherever_it_is_cut(cut):
    whole = "a€😀é".encode()
    document = chunk(chunk(v2(), whole[:cut]), whole[cut:]).fold()

    assert output(document) == "a€😀é"


def test_B_01_bytes_that_are_no_text_stay_bytes():
    document = chunk(chunk(v2(), b"a\xff"), b"b").fold()

    assert output(document) == {"base64": b64(b"a\xffb")}


def test_B_01_each_chunk_is_decoded_by_itself():
    document = chunk(chunk(v2(), "a"), "bc").fold()

    assert b64("a") == "YQ=="
    assert output(document) == "abc"


@pytest.mark.parametrize("data", ["%%%", None, 7, "YQ=", "Y"])
def test_B_01_a_chunk_that_is_no_base64_is_malformed(data):
    document = chunk(v2(), "a").update("terminal_output_chunk", terminalId="k", data=data).fold()

    assert output(document) == "a"
    assert document.codes == ["malformed"]


# --- B-03 ------------------------------------------------------------------------------------------------


def test_B_03_snapshot_and_chunks():
    transcript = chunk(v2(), "1\n")
    assert output(transcript.fold()) == "1\n"

    terminal(transcript, output={"data": b64("2\n")})
    assert output(transcript.fold()) == "2\n"

    chunk(transcript, "3\n")
    assert output(transcript.fold()) == "2\n3\n"
    assert "exitStatus" not in transcript.fold().terminal("k")

    terminal(transcript, exitStatus={"exitCode": 0})
    exited = transcript.fold()
    assert output(exited) == "2\n3\n"
    assert exited.terminal("k")["exitStatus"] == {"exitCode": 0}

    terminal(transcript, output=None)
    document = transcript.fold()
    assert output(document) == ""
    assert document.terminal("k")["exitStatus"] == {"exitCode": 0}


def test_B_03_a_snapshot_drops_half_a_character():
    document = chunk(terminal(chunk(v2(), b"\xc3"), output={"data": b64("x")}), "y").fold()

    assert output(document) == "xy"


def test_B_03_an_empty_snapshot_is_one():
    document = terminal(chunk(v2(), "1\n"), output={"data": ""}).fold()

    assert document.terminal("k")["output"] == ""


def test_B_03_a_malformed_snapshot_leaves_the_output():
    document = terminal(chunk(v2(), "1\n"), output={"data": "%%%"}, command="ls").fold()

    assert output(document) == "1\n"
    assert document.terminal("k")["command"] == "ls"
    assert document.codes == ["malformed-field"]


# --- B-05 ------------------------------------------------------------------------------------------------


def created(transcript=None):
    transcript = transcript or v1()
    return transcript.agent_asks_session(80, "terminal/create", command="ls", args=["-l"], cwd="/w").client_answers(
        80, {"terminalId": "x1"}
    )


def polled(transcript, id, output, *, truncated=False, **more):
    transcript.agent_asks_session(id, "terminal/output", terminalId="x1")
    return transcript.client_answers(id, {"output": output, "truncated": truncated, **more})


def released(transcript, id=83):
    return transcript.agent_asks_session(id, "terminal/release", terminalId="x1").client_answers(id, {})


def test_B_05_content_refers_to_a_released_v1_terminal():
    transcript = created().tool_call("t1").tool_update("t1", content=[shows("x1")])
    polled(transcript, 81, "hi\n", exitStatus={"exitCode": 0})
    document = released(transcript).tool_update("t1", status="completed", content=[shows("x1")]).fold()

    assert document.tool()["content"] == [shows("x1")]
    assert document.terminal("x1") == {
        "id": "x1",
        "owner": "client",
        "command": "ls",
        "args": ["-l"],
        "cwd": "/w",
        "output": "hi\n",
        "truncated": False,
        "exitStatus": {"exitCode": 0},
        "released": True,
    }


def test_B_05_content_refers_to_an_unknown_terminal():
    document = v1().tool_call("t1", content=[shows("x9"), item("ok")]).fold()

    assert document.tool()["content"] == [shows("x9"), item("ok")]
    assert "terminals" not in document.session()
    assert document.codes == []


def test_B_05_a_terminal_is_not_created_by_asking():
    document = v1().agent_asks_session(80, "terminal/create", command="ls").client_fails(80, -32603).fold()

    assert "terminals" not in document.session()
    assert document.open_requests() == []


def test_B_05_a_release_that_fails_releases_nothing():
    document = created().agent_asks_session(83, "terminal/release", terminalId="x1").client_fails(83).fold()

    assert "released" not in document.terminal("x1")


# --- B-06 ------------------------------------------------------------------------------------------------


def killed(transcript, id=81):
    return transcript.agent_asks_session(id, "terminal/kill", terminalId="x1").client_answers(id, {})


def test_B_06_kill_is_not_release():
    transcript = killed(created())
    assert transcript.fold().terminal("x1")["killed"] is True
    assert "released" not in transcript.fold().terminal("x1")
    assert "exitStatus" not in transcript.fold().terminal("x1")

    polled(transcript, 82, "part", truncated=True, exitStatus={"signal": "SIGKILL"})
    document = released(transcript).fold()
    found = document.terminal("x1")
    assert (found["output"], found["truncated"], found["exitStatus"]) == ("part", True, {"signal": "SIGKILL"})
    assert (found["killed"], found["released"]) == (True, True)


def test_B_06_an_exit_alone_is_neither():
    transcript = created().agent_asks_session(82, "terminal/wait_for_exit", terminalId="x1").client_answers(82, {"exitCode": 3})
    found = transcript.fold().terminal("x1")

    assert found["exitStatus"] == {"exitCode": 3}
    assert "killed" not in found
    assert "released" not in found


def test_B_06_a_kill_that_fails_kills_nothing():
    document = created().agent_asks_session(81, "terminal/kill", terminalId="x1").client_fails(81).fold()

    assert "killed" not in document.terminal("x1")


# --- B-07 ------------------------------------------------------------------------------------------------


def test_B_07_repeated_terminal_output_results_appended_truncated_flag_lost():
    transcript = polled(created(), 81, "a\n")
    assert (transcript.fold().terminal("x1")["output"], transcript.fold().terminal("x1")["truncated"]) == ("a\n", False)

    polled(transcript, 82, "a\nb\n", truncated=True)
    polled(transcript, 83, "b\nc\n", truncated=True)
    document = transcript.fold()
    assert (document.terminal("x1")["output"], document.terminal("x1")["truncated"]) == ("b\nc\n", True)


def test_B_07_a_shorter_result_replaces_too():
    document = polled(polled(created(), 81, "abc"), 82, "").fold()

    assert document.terminal("x1")["output"] == ""


def test_B_07_an_exit_that_was_told_is_not_taken_back_by_a_result_without_one():
    document = polled(polled(created(), 81, "a", exitStatus={"exitCode": 1}), 82, "ab").fold()

    assert document.terminal("x1")["output"] == "ab"
    assert document.terminal("x1")["exitStatus"] == {"exitCode": 1}
