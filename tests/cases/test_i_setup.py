"""Field cases, section I: session set-up and routing."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import bare, v1, v2


FIX = {"name": "fix", "description": "mends"}


def mode(value):
    options = [{"value": "ask", "name": "Ask"}, {"value": "plan", "name": "Plan"}]
    return {"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": value, "options": options}


def asked():
    return bare().initialize(1).client_asks(1, "session/new", cwd="/w", mcpServers=[])


# --- S-01 ------------------------------------------------------------------------------------------------


def test_S_01_updates_before_the_session_new_response_are_dropped():
    document = (
        asked()
        .update("available_commands_update", "s-77", availableCommands=[FIX])
        .update("usage_update", "s-77", used=3, size=10)
        .agent_answers(1, {"sessionId": "s-77"})
        .fold()
    )

    session = document.session("s-77")
    assert session["availableCommands"] == [FIX]
    assert session["usage"] == {"used": 3, "size": 10}
    assert session["phase"] == "ready"
    assert session["cwd"] == "/w"


def test_S_01_they_stand_there_before_the_response():
    document = asked().update("usage_update", "s-77", used=3, size=10).fold()

    assert document.session("s-77")["usage"] == {"used": 3, "size": 10}
    assert document.session("s-77")["phase"] == "unannounced"


def test_S_01_in_v2_an_omitted_list_does_not_take_back_what_came_meanwhile():
    document = (
        bare()
        .initialize(2)
        .client_asks(1, "session/new", cwd="/w")
        .update("available_commands_update", "s-77", availableCommands=[FIX])
        .agent_answers(1, {"sessionId": "s-77"})
        .fold()
    )

    assert document.session("s-77")["availableCommands"] == [FIX]


def test_S_01_a_message_before_the_response_is_kept():
    document = asked().agent_says("welcome", session="s-77").agent_answers(1, {"sessionId": "s-77"}).fold()

    assert document.story("s-77") == [("agent", "welcome")]


# --- S-02 ------------------------------------------------------------------------------------------------


def current(document, session="s-77"):
    return [(option["id"], option["currentValue"]) for option in document.session(session).get("configOptions", [])]


def updated_early():
    return asked().update("config_option_update", "s-77", configOptions=[mode("plan")])


def test_S_02_early_config_update_then_a_response_with_the_initial_state():
    document = updated_early().agent_answers(1, {"sessionId": "s-77", "configOptions": [mode("ask")]}).fold()

    assert current(document) == [("mode", "ask")]


@pytest.mark.parametrize("result", [{}, {"configOptions": None}], ids=["omitted", "null"])
def test_S_02_the_early_update_is_not_lost_when_the_response_has_none(result):
    document = updated_early().agent_answers(1, {"sessionId": "s-77", **result}).fold()

    assert current(document) == [("mode", "plan")]


def test_S_02_an_early_mode_and_a_response_with_modes():
    modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}
    transcript = asked().update("current_mode_update", "s-77", currentModeId="plan")
    assert transcript.fold().session("s-77")["modes"]["currentId"] == "plan"

    document = transcript.agent_answers(1, {"sessionId": "s-77", "modes": modes}).fold()
    assert document.session("s-77")["modes"] == {"currentId": "ask", "available": [{"id": "ask", "name": "Ask"}]}


def test_S_02_an_early_mode_stays_when_the_response_has_no_modes():
    document = asked().update("current_mode_update", "s-77", currentModeId="plan").agent_answers(1, {"sessionId": "s-77"}).fold()

    assert document.session("s-77")["modes"]["currentId"] == "plan"


# --- S-04 ------------------------------------------------------------------------------------------------


def offered_2_answered_1():
    return (
        bare()
        .client_asks(0, "initialize", protocolVersion=2, info={"name": "pane", "version": "3"}, capabilities={})
        .agent_answers(0, {"protocolVersion": 1, "agentCapabilities": {}})
    )


def test_S_04_version_negotiation_client_offers_2_agent_answers_1():
    document = offered_2_answered_1().new().prompt(1).tool_call("t1").tool_update("t1", title=None).ends(1).fold()

    assert document.connection["phase"] == "ready"
    assert document.connection["protocolVersion"] == 1
    assert document.connection["requestedProtocolVersion"] == 2
    assert document.tool()["title"] == "Work"
    assert document.turn(1)["stopReason"] == "end_turn"
    assert document.codes == []


def test_S_04_zero_is_an_id():
    asked = bare().client_asks(0, "initialize", protocolVersion=1)
    assert asked.fold().connection["openRequests"] == [{"from": "client", "id": 0, "method": "initialize"}]
    assert asked.fold().connection["phase"] == "initializing"

    document = offered_2_answered_1().fold()
    assert "openRequests" not in document.connection


def test_S_04_client_offers_1_agent_answers_2():
    document = bare().initialize(1, 2).new().tool_update("t1", title="A").tool_update("t1", title=None).fold()

    assert document.connection["protocolVersion"] == 2
    assert document.tool()["title"] is None


# --- S-06 ------------------------------------------------------------------------------------------------


def initialized_with(result):
    return bare().client_asks(0, "initialize", protocolVersion=1).agent_answers(0, result)


def folds_as_v1(transcript):
    document = transcript.new().prompt(3).tool_call("t1").tool_update("t1", title=None).ends(3).fold()
    return document.tool()["title"] == "Work" and document.turn(3)["status"] == "ended"


@pytest.mark.parametrize("version", ["1", None, True, [], {}, "two"], ids=repr)
def test_S_06_odd_initialize_answers(version):
    transcript = initialized_with({"protocolVersion": version, "agentCapabilities": {"loadSession": True}})
    document = transcript.fold()

    assert document.connection["phase"] == "failed"
    assert document.connection["agentCapabilities"] == {"loadSession": True}
    assert "version-unreadable" in document.codes
    assert folds_as_v1(transcript)


@pytest.mark.parametrize("result", [{}, None, [], "ok"], ids=repr)
def test_S_06_an_answer_without_a_version(result):
    transcript = initialized_with(result)

    assert transcript.fold().connection["phase"] == "failed"
    assert folds_as_v1(transcript)


def test_S_06_an_error():
    transcript = bare().client_asks(0, "initialize", protocolVersion=1).agent_fails(0, -32602, "no", data={"supported": [1]})
    document = transcript.fold()

    assert document.connection["phase"] == "failed"
    assert document.connection["error"] == {"code": -32602, "message": "no", "data": {"supported": [1]}}
    assert folds_as_v1(transcript)


@pytest.mark.parametrize(("number", "nearest"), [(7, 2), (3, 2), (0, 1), (-4, 1)])
def test_S_06_another_number_is_read_as_the_nearest(number, nearest):
    document = initialized_with({"protocolVersion": number}).fold()

    assert document.connection["protocolVersion"] == nearest
    assert document.connection["phase"] == "ready"
    assert document.codes == ["version-unsupported"]


def test_S_06_a_second_initialize_later():
    document = v1().agent_says("before").initialize(1, id="again").prompt(3).agent_says("after").ends(3).fold()

    assert document.connection["phase"] == "ready"
    assert document.messages() == [("agent", "before"), ("user", "question"), ("agent", "after")]
    assert document.turn(3)["stopReason"] == "end_turn"


def test_S_06_a_second_initialize_may_bring_another_version():
    document = v2().initialize(1, id="again").prompt(3).ends(3).fold()

    assert document.connection["protocolVersion"] == 1
    assert document.turn(3)["stopReason"] == "end_turn"
