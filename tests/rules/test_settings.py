"""SPEC 4.6, "Settings": modes, models, config options, commands, usage."""

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, bare, of_version, sent, v1, v2


MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code", "description": "writes", "_meta": {"k": 1}}],
}
MODELS = {"currentModelId": "a", "availableModels": [{"modelId": "a", "name": "A"}, {"modelId": "b", "name": "B"}]}
COMMAND = {"name": "fix", "description": "mends"}


def option(value, id="f", version=1):
    return {"id" if version == 1 else "configId": id, "name": "F", "type": "boolean", "currentValue": value}


def shown(document, session="s-1"):
    return [(one["id"], one["currentValue"]) for one in document.session(session).get("configOptions", [])]


# --- answers to `set_mode`, `set_model`, `set_config_option` change state; failed ones do not ------------------------------------


SETTINGS = [
    ("session/set_mode", {"modeId": "code"}, lambda d: d.session()["modes"]["currentId"], "ask", "code"),
    ("session/set_model", {"modelId": "b"}, lambda d: d.session()["models"]["currentId"], "a", "b"),
]


@pytest.mark.parametrize(("method", "params", "found", "before", "after"), SETTINGS)
@pytest.mark.parametrize("result", [None, {}, {"_meta": {"k": 1}}], ids=repr)
def test_the_answer_changes_the_state_to_what_the_request_said(method, params, found, before, after, result):
    transcript = v1(modes=MODES, models=MODELS).client_asks_session(4, method, **params)
    assert found(transcript.fold()) == before

    assert found(transcript.agent_answers(4, result).fold()) == after


@pytest.mark.parametrize(("method", "params", "found", "before", "after"), SETTINGS)
def test_a_failed_one_does_not(method, params, found, before, after):
    document = v1(modes=MODES, models=MODELS).client_asks_session(4, method, **params).agent_fails(4, -32602).fold()

    assert found(document) == before
    assert document.session()["phase"] == "ready"


def test_what_is_available_stays():
    document = v1(modes=MODES).client_asks_session(4, "session/set_mode", modeId="code").agent_answers(4, {}).fold()

    assert document.session()["modes"] == {"currentId": "code", "available": MODES["availableModes"]}


def test_a_mode_may_be_set_that_nobody_offered():
    document = v1().client_asks_session(4, "session/set_mode", modeId="code").agent_answers(4, {}).fold()

    assert document.session()["modes"] == {"currentId": "code"}


def test_two_that_are_asked_at_once_count_in_the_order_of_their_answers():
    document = (
        v1(modes=MODES)
        .client_asks_session(4, "session/set_mode", modeId="code")
        .client_asks_session(5, "session/set_mode", modeId="plan")
        .agent_answers(5, {})
        .agent_answers(4, {})
        .fold()
    )
    assert document.session()["modes"]["currentId"] == "code"


@pytest.mark.parametrize("version", [1, 2])
def test_the_answer_to_set_config_option_brings_all_options(version):
    transcript = of_version(version, configOptions=[option(False, version=version), option(False, "g", version)])
    transcript.client_asks_session(4, "session/set_config_option", configId="f", type="boolean", value=True)
    assert shown(transcript.fold()) == [("f", False), ("g", False)]

    document = transcript.agent_answers(4, {"configOptions": [option(True, version=version), option(True, "h", version)]}).fold()
    assert shown(document) == [("f", True), ("h", True)]


@pytest.mark.parametrize("result", [{}, None, {"configOptions": None}], ids=repr)
def test_one_without_them_changes_none(result):
    transcript = v1(configOptions=[option(False)]).client_asks_session(
        4, "session/set_config_option", configId="f", type="boolean", value=True
    )
    document = transcript.agent_answers(4, result).fold()

    assert shown(document) == [("f", False)]
    assert "error" in document.severities


def test_a_failed_config_option_changes_none():
    transcript = v1(configOptions=[option(False)]).client_asks_session(
        4, "session/set_config_option", configId="f", type="boolean", value=True
    )

    assert shown(transcript.agent_fails(4).fold()) == [("f", False)]


# --- Lists are replaced whole; `[]` is a value -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("kind", "name", "make"),
    [
        ("config_option_update", "configOptions", lambda letter, version: option(True, letter, version)),
        ("available_commands_update", "availableCommands", lambda letter, _: {"name": letter, "description": "d", "type": "command"}),
    ],
)
def test_lists_are_replaced_whole(version, kind, name, make):
    transcript = of_version(version).update(kind, **{name: [make("a", version), make("b", version)]})
    assert len(transcript.fold().session()[name]) == 2

    transcript.update(kind, **{name: [make("c", version)]})
    (only,) = transcript.fold().session()[name]
    assert only.get("id", only["name"]) == "c"

    transcript.update(kind, **{name: []})
    assert transcript.fold().session()[name] == []


# --- in a v2 setup answer `[]` and omission both mean none, unless an update for that list came since the request ------------------------


LISTS = {
    "configOptions": (lambda t: t.update("config_option_update", configOptions=[option(True, version=2)]), "configOptions"),
    "availableCommands": (
        lambda t: t.update("available_commands_update", availableCommands=[{**COMMAND, "type": "command"}]),
        "availableCommands",
    ),
}
SETUPS = {
    "resume": lambda t, result: t.resume(9).agent_answers(9, result),
    "new": lambda t, result: t.client_asks(9, "session/new", cwd="/w").agent_answers(9, {"sessionId": "s-1", **result}),
    "fork": lambda t, result: t.client_asks_session(9, "session/fork", "s-0", cwd="/w").agent_answers(9, {"sessionId": "s-1", **result}),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("value", [ABSENT, None, []], ids=["omitted", "null", "empty"])
def test_in_a_v2_setup_answer_an_empty_list_and_omission_mean_none(name, setup, value):
    update, _ = LISTS[name]
    document = SETUPS[setup](update(v2()), sent(**{name: value})).fold()

    assert document.session().get(name, []) == []


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("value", [ABSENT, None, []], ids=["omitted", "null", "empty"])
def test_unless_an_update_for_that_list_came_since_the_request(name, value):
    update, _ = LISTS[name]
    document = update(v2().resume(9)).agent_answers(9, sent(**{name: value})).fold()

    assert len(document.session()[name]) == 1


@pytest.mark.parametrize("name", LISTS)
def test_an_update_for_the_other_list_does_not_count(name):
    update, _ = LISTS[name]
    (other,) = [one for one in LISTS if one != name]
    document = LISTS[other][0](update(v2()).resume(9)).agent_answers(9, {}).fold()

    assert document.session().get(name, []) == []
    assert len(document.session()[other]) == 1


def test_a_list_that_is_brought_counts_in_any_case():
    document = (
        v2()
        .resume(9)
        .update("config_option_update", configOptions=[option(True, "a", 2)])
        .agent_answers(9, {"configOptions": [option(True, "b", 2)]})
        .fold()
    )
    assert shown(document) == [("b", True)]


def test_a_setup_that_fails_takes_none_away():
    document = v2().update("config_option_update", configOptions=[option(True, "a", 2)]).resume(9).agent_fails(9).fold()

    assert shown(document) == [("a", True)]


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_in_v1_omission_leaves_it(method):
    transcript = v1(modes=MODES, configOptions=[option(True)]).update("available_commands_update", availableCommands=[COMMAND])
    document = transcript.client_asks_session(9, method, cwd="/w").agent_answers(9, {}).fold()

    assert shown(document) == [("f", True)]
    assert document.session()["availableCommands"] == [COMMAND]
    assert document.session()["modes"]["currentId"] == "ask"


# --- `modes` and `configOptions` are two facts: both kept -----------------------------------------------------------------------------------


def select(value, category="mode"):
    choices = [{"value": "ask", "name": "Ask"}, {"value": "code", "name": "Code", "description": "writes"}]
    return {"id": "m", "name": "Mode", "category": category, "type": "select", "currentValue": value, "options": choices}


def test_they_are_two_facts():
    document = v1(modes=MODES, configOptions=[select("code")]).update("current_mode_update", currentModeId="plan").fold()

    assert document.session()["modes"]["currentId"] == "plan"
    assert shown(document) == [("m", "code")]


@pytest.mark.parametrize(
    ("setup", "mode"),
    [
        ({"modes": MODES, "configOptions": [select("code")]}, "code"),
        ({"modes": MODES, "configOptions": [select("code", "model")]}, "ask"),
        ({"modes": MODES, "configOptions": []}, "ask"),
        ({"configOptions": [select("code")]}, "code"),
        ({"modes": MODES}, "ask"),
        ({}, None),
    ],
    ids=["both", "another category", "no options", "options alone", "modes alone", "neither"],
)
def test_the_effective_mode_prefers_the_config_option_of_category_mode(setup, mode):
    assert v1(**setup).fold().folded.snapshot.sessions["s-1"].effective_mode == mode


# --- `current_mode_update` also accepts `modeId` with a diagnostic --------------------------------------------------------------------------------


def test_current_mode_update_also_accepts_mode_id_with_a_diagnostic():
    document = v1(modes=MODES).update("current_mode_update", modeId="code").fold()

    assert document.session()["modes"]["currentId"] == "code"
    assert document.codes == ["field-alias"]


# --- `usage_update` replaces `used` and `size`; a `cost` not sent keeps the last, v2 `null` clears it; nothing is summed, capped or rounded -----------


COST = {"amount": 0.1, "currency": "USD"}


@pytest.mark.parametrize("version", [1, 2])
def test_usage_replaces(version):
    document = of_version(version).update("usage_update", used=5, size=9).update("usage_update", used=3, size=2).fold()

    assert document.session()["usage"] == {"used": 3, "size": 2}


@pytest.mark.parametrize(("version", "cost", "kept"), [(1, ABSENT, COST), (2, ABSENT, COST), (1, None, COST), (2, None, None)])
def test_a_cost_that_is_not_sent_keeps_the_last(version, cost, kept):
    document = (
        of_version(version).update("usage_update", used=1, size=2, cost=COST).update("usage_update", used=1, size=2, cost=cost).fold()
    )

    assert document.session()["usage"].get("cost") == kept


def test_nothing_is_summed_capped_or_rounded():
    document = (
        v1()
        .update("usage_update", used=900, size=100, cost={"amount": 0.1, "currency": "USD"})
        .update("usage_update", used=901, size=100, cost={"amount": 0.30000000000000004, "currency": "usd", "_meta": {"k": 1}})
        .fold()
    )
    assert document.session()["usage"] == {
        "used": 901,
        "size": 100,
        "cost": {"amount": 0.30000000000000004, "currency": "usd", "_meta": {"k": 1}},
    }


# --- what options and commands look like ---------------------------------------------------------------------------------------------------------------


def test_an_option_keeps_what_the_page_models():
    full = {**select("code"), "description": "how", "_meta": {"k": None}}
    document = v1(configOptions=[full]).fold()

    assert document.session()["configOptions"] == [full]


def test_a_null_that_means_absence_is_not_printed():
    document = v1(configOptions=[{**select("code"), "description": None, "category": None}]).fold()

    (only,) = document.session()["configOptions"]
    assert "description" not in only
    assert "category" not in only


def test_a_session_without_settings_has_none():
    session = bare().initialize(1).new().fold().session()

    assert not {"modes", "models", "configOptions", "availableCommands", "usage"} & set(session)
