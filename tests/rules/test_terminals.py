"""SPEC 4.7: one model of terminals for three wires."""

from __future__ import annotations

import base64

import pytest

from acp_state.document import dumps

from support.transcripts import item, shows, v1, v2


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


# --- v1 client-run (`terminal/*`) -------------------------------------------------------------------------------------------------


def created(transcript=None, terminal="x1", **more):
    asked = {"command": "ls", **more}
    return (transcript or v1()).agent_asks_session("create", "terminal/create", **asked).client_answers("create", {"terminalId": terminal})


def asked(transcript, what, result, terminal="x1"):
    return transcript.agent_asks_session(what, f"terminal/{what}", terminalId=terminal).client_answers(what, result)


def test_a_terminal_of_the_client():
    document = created(args=["-l", ""], cwd="/w", env=[{"name": "KEY", "value": "s3cret"}], outputByteLimit=9).fold()

    assert document.terminal("x1") == {"id": "x1", "owner": "client", "command": "ls", "args": ["-l", ""], "cwd": "/w"}


def test_it_is_there_when_it_has_an_id():
    document = v1().agent_asks_session(80, "terminal/create", command="ls").fold()

    assert "terminals" not in document.session()


@pytest.mark.parametrize("result", [None, {}, {"terminalId": None}, {"terminalId": 7}], ids=repr)
def test_without_one_there_is_none(result):
    document = v1().agent_asks_session(80, "terminal/create", command="ls").client_answers(80, result).fold()

    assert "terminals" not in document.session()
    assert document.open_requests() == []
    assert "error" in document.severities


def test_values_of_environment_variables_are_never_stored():
    document = created(env=[{"name": "KEY", "value": "s3cret"}]).fold()

    assert "s3cret" not in dumps(document.folded)


def test_output_answers_replace():
    document = asked(asked(created(), "output", {"output": "ab", "truncated": False}), "output", {"output": "b", "truncated": True}).fold()

    assert (document.terminal("x1")["output"], document.terminal("x1")["truncated"]) == ("b", True)


def test_an_output_answer_may_tell_the_exit():
    document = asked(created(), "output", {"output": "a", "truncated": False, "exitStatus": {"exitCode": None, "signal": "TERM"}}).fold()

    assert document.terminal("x1")["exitStatus"] == {"signal": "TERM"}


@pytest.mark.parametrize("exit_status", [{}, {"exitStatus": None}], ids=repr)
def test_without_one_it_has_not_exited(exit_status):
    document = asked(created(), "output", {"output": "a", "truncated": False, **exit_status}).fold()

    assert "exitStatus" not in document.terminal("x1")


@pytest.mark.parametrize(
    ("result", "shown"),
    [({"exitCode": 0}, {"exitCode": 0}), ({"signal": "KILL", "exitCode": None}, {"signal": "KILL"}), ({}, {})],
    ids=repr,
)
def test_waiting_for_the_exit_tells_it(result, shown):
    document = asked(created(), "wait_for_exit", result).fold()

    assert document.terminal("x1")["exitStatus"] == shown


@pytest.mark.parametrize("what", ["output", "wait_for_exit", "kill", "release"])
def test_asking_alone_changes_nothing(what):
    before = created().fold()
    document = created().agent_asks_session(9, f"terminal/{what}", terminalId="x1").fold()

    assert document.session() == before.session()


@pytest.mark.parametrize("what", ["output", "wait_for_exit", "kill", "release"])
def test_an_error_changes_nothing(what):
    before = created().fold()
    document = created().agent_asks_session(9, f"terminal/{what}", terminalId="x1").client_fails(9).fold()

    assert document.session() == before.session()


def test_an_answer_that_lacks_its_output_changes_none():
    document = asked(asked(created(), "output", {"output": "a", "truncated": False}), "output", {"truncated": True}).fold()

    assert document.terminal("x1")["output"] == "a"
    assert "error" in document.severities


# --- v1 display (`_meta.terminal_info` / `terminal_output` / `terminal_output_delta` / `terminal_exit`) ---------------------------------


def display(transcript=None, **meta):
    return (transcript or v1()).tool_update("t1", _meta={name: {"terminal_id": "d1", **value} for name, value in meta.items()})


def test_a_display_terminal_is_the_agents():
    document = v1().tool_call("t1", content=[shows("d1")], _meta={"terminal_info": {"terminal_id": "d1", "cwd": "/w"}}).fold()

    assert document.terminal("d1") == {"id": "d1", "owner": "agent", "cwd": "/w"}


@pytest.mark.parametrize("key", ["terminal_output", "terminal_output_delta"])
def test_output_is_appended(key):
    document = display(display(v1().tool_call("t1"), **{key: {"data": "ab"}}), **{key: {"data": "cd"}}).fold()

    assert document.terminal("d1")["output"] == "abcd"


def test_both_keys_append_to_one_output():
    document = display(display(v1().tool_call("t1"), terminal_output={"data": "ab"}), terminal_output_delta={"data": "cd"}).fold()

    assert document.terminal("d1")["output"] == "abcd"


def test_output_that_is_longer_and_begins_with_it_replaces_it_with_a_diagnostic():
    document = display(display(v1().tool_call("t1"), terminal_output={"data": "ab\n"}), terminal_output={"data": "ab\ncd\n"}).fold()

    assert document.terminal("d1")["output"] == "ab\ncd\n"
    assert document.codes == ["repeated-output"]


def test_a_delta_never_replaces():
    document = display(display(v1().tool_call("t1"), terminal_output={"data": "ab"}), terminal_output_delta={"data": "abcd"}).fold()

    assert document.terminal("d1")["output"] == "ababcd"


@pytest.mark.parametrize(
    ("first", "second", "whole"), [("ab", "ab", "abab"), ("ab", "a", "aba"), ("ab", "cab", "abcab"), ("", "ab", "ab")], ids=repr
)
def test_output_that_is_not_longer_or_begins_otherwise_is_appended(first, second, whole):
    document = display(display(v1().tool_call("t1"), terminal_output={"data": first}), terminal_output={"data": second}).fold()

    assert document.terminal("d1")["output"] == whole
    assert document.codes == []


@pytest.mark.parametrize(
    ("sent", "shown"), [({"exit_code": 1, "signal": None}, {"exitCode": 1}), ({"signal": "TERM"}, {"signal": "TERM"}), ({}, {})], ids=repr
)
def test_the_exit_of_a_display_terminal(sent, shown):
    document = display(v1().tool_call("t1"), terminal_exit=sent).fold()

    assert document.terminal("d1")["exitStatus"] == shown


def test_all_keys_in_one_update():
    document = display(
        v1().tool_call("t1"), terminal_info={"cwd": "/w"}, terminal_output={"data": "a"}, terminal_exit={"exit_code": 0}
    ).fold()

    assert document.terminal("d1") == {"id": "d1", "owner": "agent", "cwd": "/w", "output": "a", "exitStatus": {"exitCode": 0}}


def test_these_keys_are_consumed_and_do_not_stay_in_meta():
    meta = {
        "terminal_info": {"terminal_id": "d1"},
        "terminal_output": {"terminal_id": "d1", "data": "a"},
        "terminal_output_delta": {"terminal_id": "d1", "data": "b"},
        "terminal_exit": {"terminal_id": "d1"},
    }
    alone = v1().tool_call("t1", _meta=meta).fold()
    beside = v1().tool_call("t1", _meta={**meta, "other": {"k": None}}).fold()

    assert "_meta" not in alone.tool()
    assert beside.tool()["_meta"] == {"other": {"k": None}}


def test_they_clear_no_meta_that_is_there():
    document = display(v1().tool_call("t1", _meta={"other": 1}), terminal_output={"data": "a"}).fold()

    assert document.tool()["_meta"] == {"other": 1}


def test_the_output_of_one_terminal_is_not_anothers():
    document = (
        v1()
        .tool_call("t1", _meta={"terminal_output": {"terminal_id": "d1", "data": "a"}})
        .tool_call("t2", _meta={"terminal_output": {"terminal_id": "d2", "data": "b"}})
        .tool_update("t1", _meta={"terminal_output": {"terminal_id": "d1", "data": "c"}})
        .fold()
    )
    assert (document.terminal("d1")["output"], document.terminal("d2")["output"]) == ("ac", "b")


@pytest.mark.parametrize(
    "value", ["x", None, 7, {}, {"data": "a"}, {"terminal_id": 7, "data": "a"}, {"terminal_id": "d1", "data": 7}], ids=repr
)
def test_what_cannot_be_read_of_them_harms_nothing_else(value):
    document = v1().tool_call("t1", "A", _meta={"terminal_output": value}).agent_says("x").fold()

    assert document.tool()["title"] == "A"
    assert document.messages() == [("agent", "x")]


# --- v2 agent-owned -------------------------------------------------------------------------------------------------------------------------


def update(transcript, **fields):
    return transcript.update("terminal_update", terminalId="k", **fields)


def chunk(transcript, data):
    return transcript.update("terminal_output_chunk", terminalId="k", data=b64(data))


def test_a_terminal_of_the_agent():
    document = update(v2(), command="ls", cwd="/w", size={"cols": 80, "rows": 24}, capabilities={"cancel": {}}, _meta={"k": 1}).fold()

    assert document.terminal("k") == {
        "id": "k",
        "owner": "agent",
        "command": "ls",
        "cwd": "/w",
        "size": {"cols": 80, "rows": 24},
        "capabilities": {"cancel": {}},
        "_meta": {"k": 1},
    }


def test_chunks_are_appended_in_order_and_a_snapshot_replaces():
    document = chunk(chunk(update(chunk(v2(), "a"), output={"data": b64("b")}), "c"), "d").fold()

    assert document.terminal("k")["output"] == "bcd"


# --- Keyed by owner and id; a reference alone creates none -----------------------------------------------------------------------------------


def test_they_are_keyed_by_owner_and_id():
    document = update(created(v2(), "k", cwd="/w"), command="agent's").fold()

    assert [(one["owner"], one["id"], one["command"]) for one in document.session()["terminals"]] == [
        ("client", "k", "ls"),
        ("agent", "k", "agent's"),
    ]


def test_each_keeps_its_own_output():
    transcript = chunk(asked(created(v2(), "k"), "output", {"output": "client's", "truncated": False}, "k"), "agent's")
    document = transcript.fold()

    assert [one["output"] for one in document.session()["terminals"]] == ["client's", "agent's"]


def test_a_display_terminal_and_one_of_v2_have_the_same_owner():
    document = update(v1().tool_call("t1", _meta={"terminal_output": {"terminal_id": "k", "data": "a"}}), command="ls").fold()

    assert document.session()["terminals"] == [{"id": "k", "owner": "agent", "command": "ls", "output": "a"}]


@pytest.mark.parametrize(
    "mention",
    [
        lambda t: t.tool_update("t1", content=[shows("k")]),
        lambda t: t.tool_chunk("t1", shows("k")),
        lambda t: t.state("idle", background=[{"type": "terminal", "terminalId": "k"}]),
        lambda t: t.permission_v2(31, subject={"type": "command", "command": "ls", "cwd": "/", "terminalId": "k"}),
        lambda t: t.client_asks_session(4, "terminal/cancel", terminalId="k"),
    ],
)
def test_a_reference_alone_creates_none(mention):
    assert "terminals" not in mention(v2()).fold().session()


@pytest.mark.parametrize("what", ["kill", "release"])
def test_nor_does_an_answer_that_says_nothing_of_it(what):
    document = asked(v1(), what, {}, "x9").fold()

    assert "terminals" not in document.session()
    assert document.open_requests() == []


def test_what_an_answer_says_of_one_whose_beginning_was_not_recorded_is_kept():
    transcript = asked(v1(), "output", {"output": "a", "truncated": True}, "x9")
    assert transcript.fold().terminal("x9") == {"id": "x9", "owner": "client", "output": "a", "truncated": True}

    assert asked(transcript, "wait_for_exit", {"exitCode": 3}, "x9").fold().terminal("x9")["exitStatus"] == {"exitCode": 3}


# --- Output is bytes; text is a view with incremental UTF-8 --------------------------------------------------------------------------------------


WHOLE = "é€😀".encode()


@pytest.mark.parametrize("cut", range(len(WHOLE) + 1))
def test_text_while_all_bytes_are_valid_else_base64(cut):
    transcript = chunk(v2(), WHOLE[:cut])
    printed = transcript.fold().terminal("k").get("output", "")
    try:
        assert printed == WHOLE[:cut].decode()
    except UnicodeDecodeError:
        assert printed == {"base64": b64(WHOLE[:cut])}

    assert chunk(transcript, WHOLE[cut:]).fold().terminal("k")["output"] == "é€😀"


@pytest.mark.parametrize("data", [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"a\xffb"], ids=repr)
def test_what_is_no_text_comes_out_byte_for_byte(data):
    document = chunk(v2(), data).fold()

    assert document.terminal("k")["output"] == {"base64": b64(data)}


@pytest.mark.parametrize("data", ["", "\x00", "\x1b[31m", "\r\n", "\ufeff", "\u2028"], ids=ascii)
def test_what_is_text_comes_out_as_it_is(data):
    document = update(v2(), output={"data": b64(data)}).fold()

    assert document.terminal("k")["output"] == data


def test_how_bytes_were_cut_never_shows():
    by_byte = v2()
    for byte in WHOLE:
        chunk(by_byte, bytes([byte]))

    assert by_byte.fold().sessions == chunk(v2(), WHOLE).fold().sessions


def test_each_chunk_is_decoded_by_itself():
    assert b64("a").endswith("==")
    assert chunk(chunk(v2(), "a"), "b").fold().terminal("k")["output"] == "ab"


# --- Chunks before the reference, or before the command, count --------------------------------------------------------------------------------------


def test_chunks_before_the_reference_or_the_command_count():
    document = update(chunk(v2(), "a"), command="ls").tool_update("t1", content=[shows("k")]).fold()

    assert document.terminal("k") == {"id": "k", "owner": "agent", "command": "ls", "output": "a"}


# --- `exitStatus: {}` means exited. Kill is not release; a released terminal keeps its output. Exit says nothing of the tool call ----------------------


def test_an_empty_exit_status_means_exited():
    document = update(v2(), exitStatus={}).fold()

    assert document.terminal("k")["exitStatus"] == {}


def test_one_that_is_null_does_not():
    assert "exitStatus" not in update(v2(), exitStatus=None).fold().terminal("k")


def test_kill_is_not_release():
    document = asked(created(), "kill", {}).fold()

    assert document.terminal("x1")["killed"] is True
    assert "released" not in document.terminal("x1")


@pytest.mark.parametrize("result", [None, {}], ids=repr)
def test_a_released_terminal_keeps_its_output(result):
    document = asked(asked(created(), "output", {"output": "a", "truncated": False}), "release", result).fold()

    assert document.terminal("x1")["released"] is True
    assert document.terminal("x1")["output"] == "a"


def test_exit_says_nothing_of_the_tool_call():
    document = update(
        v2().state("running").tool_update("t1", status="in_progress", content=[shows("k")]), exitStatus={"exitCode": 1}
    ).fold()

    assert document.tool()["status"] == "in_progress"


def test_nor_does_it_in_v1():
    transcript = created(v1().prompt(1)).tool_call("t1", status="in_progress", content=[shows("x1"), item("y")])
    document = asked(transcript, "wait_for_exit", {"exitCode": 1}).fold()

    assert document.tool()["status"] == "in_progress"


def test_an_id_that_is_created_again_after_release_is_a_terminal_that_runs():
    transcript = asked(asked(created(), "output", {"output": "old", "truncated": False}), "release", {})
    document = transcript.agent_asks_session("again", "terminal/create", command="pwd").client_answers("again", {"terminalId": "x1"}).fold()

    newest = [one for one in document.session()["terminals"] if one["id"] == "x1"][-1]
    assert newest["command"] == "pwd"
    assert "released" not in newest
    assert "output" not in newest
