"""The state as plain text."""

from __future__ import annotations

import json

import pytest

from acp_state.render import render

from support.transcripts import Transcript, bare, v1


def lines(talk: Transcript) -> list[str]:
    return render(talk.fold().folded.snapshot).splitlines()


def test_a_turn_that_failed_is_told():
    talk = v1().prompt("p", "Hi").ends("p").prompt("q", "Well?").agent_fails("q", message="overloaded", data={"retry": 5})

    assert lines(talk) == [
        "connection ready, protocol version 1",
        "",
        "session s-1 ready, activity idle",
        '  turn 2 failed: overloaded (-32603) {"retry":5}',
        "  user: Hi",
        "  user: Well?",
    ]


def test_a_turn_that_its_connection_left_is_told():
    talk = v1().prompt("p", "Hi").initialize(id="again")

    assert "  turn 1 failed" in lines(talk)


def test_what_ended_the_connection_is_told():
    talk = bare().client_asks("i", "initialize", protocolVersion=1).agent_fails("i", -32000, "sign in first")
    talk.line(json.dumps({"exit": {"status": "error", "code": 0, "signal": None}}))

    assert lines(talk) == ["connection closed", "  error: sign in first (-32000)", "  exit: status error, code 0, signal null"]


def test_a_session_that_could_not_be_loaded_is_told():
    talk = bare().initialize().load().agent_fails("load", -32002, "no such session")

    assert "  error: no such session (-32002)" in lines(talk)


@pytest.mark.parametrize(("id", "written"), [(7, "7"), ("7", '"7"'), (True, "true"), (1.5, "1.5")])
def test_ids_are_written_as_they_were_sent(id, written):
    asked = v1().prompt("p").permission(id, "t").form(f"{id}-form").prompt(id)

    assert f"  open: session/request_permission of the agent, id {written}" in lines(asked)
    assert f"  permission {written} [pending] for t" in lines(asked)


def test_a_plan_without_steps_is_told():
    assert "  plan, without steps" in lines(v1().update("plan", entries=[]))
