"""SPEC 2, law 7: what survives the document. Every transcript of every test is cut at every line; these are the awkward ones."""

from __future__ import annotations

import pytest

from support.transcripts import bare, image, item, of_version, text, v1, v2


def test_a_prompt_of_v1_that_is_open_when_v2_is_seen():
    document = bare().prompt(5, "a").agent_message("m", "x").ends(5).fold()

    assert document.messages() == [("user", "a"), ("agent", "x")]


@pytest.mark.parametrize("version", [1, 2])
def test_a_request_without_an_id_that_is_open_when_a_new_connection_begins(version):
    document = of_version(version).agent_asks_session(None, "_x").client_asks("again", "initialize", protocolVersion=1).fold()

    assert document.open_requests() == [("client", "again")]
    assert document.session()["extensions"][0]["status"] != "open"


def test_a_session_that_is_said_to_be_its_own_child():
    document = bare().agent_says("x").update("subagent_update", "s-2", sessionId="s-2").ends(9).agent_says("y").fold()

    assert set(document.sessions) == {"s-1", "s-2"}


def test_half_an_echo():
    document = (
        v1().prompt(1, [text("ping "), image(), text("me")]).user_says("pi", "u").user_says("ng ", "u").user_says(image("x"), "u").fold()
    )

    assert [entry["id"] for entry in document.timeline()] == [None, "u"]


def test_half_a_character():
    document = v1().prompt(1).agent_says("\ud83d").agent_says("\ude00").fold()

    assert document.messages()[-1] == ("agent", "😀")


def test_half_a_character_of_a_terminal():
    document = (
        v2().update("terminal_output_chunk", terminalId="k", data="4g==").update("terminal_output_chunk", terminalId="k", data="gqw=").fold()
    )  # fmt: skip

    assert document.terminal("k")["output"] == "€"


def test_a_load_under_way():
    document = (
        v1()
        .prompt(1, "q")
        .agent_says("a", "a-1")
        .permission(31, "t1")
        .load(2)
        .user_says("Q", "u-1")
        .tool_call("t1", content=[item("x")])
        .permission(32, "t1")
        .ends(1)
        .agent_fails(2)
        .selects(31)
        .selects(32)
        .fold()
    )
    assert document.permission(31)["status"] == "selected"
    assert document.messages() == [("user", "q"), ("agent", "a")]


def test_two_loads_under_way():
    document = (
        v1().agent_says("a", "m").load(2).agent_says("b", "m").load(3).agent_says("c", "m").agent_answers(2, {}).agent_fails(3).fold()
    )

    assert document.open_requests() == []


def test_prompts_that_were_taken_for_messages():
    document = v2().prompt(1, "a").user_message("u-1", "a").prompt(2, "b").user_message("u-2", "b").agent_fails(1).accepts(2, "u-9").fold()

    assert [prompt["requestId"] for prompt in document.pending_prompts()] == [1, 2]


def test_a_list_that_was_updated_while_setup_was_asked():
    document = v2().resume(2).update("available_commands_update", availableCommands=[]).agent_answers(2, {}).fold()

    assert document.session()["availableCommands"] == []


def test_calls_that_may_be_begun_anew():
    document = (
        v1()
        .prompt(1)
        .tool_call("t1", "A", status="completed")
        .tool_call("t2", "A")
        .ends(1)
        .tool_update("t2", status="completed")
        .prompt(2)
        .tool_call("t1", "B")
        .tool_call("t2", "B")
        .fold()
    )
    assert [call["title"] for call in document.timeline(type="tool_call")] == ["A", "A", "B", "B"]


def test_a_closed_session_whose_prompt_is_answered_late():
    document = v1().prompt(1).client_asks_session(2, "session/close").agent_answers(2, {}).ends(1, "cancelled").fold()

    assert document.turn(1)["stopReason"] == "cancelled"


def test_a_child_that_reports_for_itself_after_its_parent_did():
    document = (
        v2()
        .update("subagent_update", sessionId="c", state={"state": "running"})
        .state("idle", "c")
        .update("subagent_update", sessionId="c", state=None)
        .fold()
    )

    assert document.session("c")["activity"] == "idle"


def test_the_turn_that_ended_last_and_not_the_last_one():
    document = v2().state("running").state("idle").state("running").fold()
    assert "stopReason" not in document.session()

    document = v1().prompt(1).prompt(2).ends(2, "max_tokens").ends(1, "refusal").fold()
    assert document.session()["stopReason"] == "refusal"
