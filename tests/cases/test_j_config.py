"""Field cases, section J: config options, modes, commands."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, bare, of_version, v1, v2


ASK = {"value": "ask", "name": "Ask"}
PLAN = {"value": "plan", "name": "Plan"}
MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan", "description": "first"}]}


def select(id, value, options=(ASK, PLAN), **more):
    return {"id": id, "name": id.title(), "type": "select", "currentValue": value, "options": list(options), **more}


def mode(value):
    return select("mode", value, category="mode")


def effective_mode(document):
    return document.folded.snapshot.sessions["s-1"].effective_mode


# --- C-01 ------------------------------------------------------------------------------------------------


def test_C_01_mode_and_config_option_disagree():
    document = (
        v1(modes=MODES, configOptions=[mode("ask")])
        .client_asks_session(4, "session/set_config_option", configId="mode", value="plan")
        .agent_answers(4, {"configOptions": [mode("plan")]})
        .fold()
    )

    session = document.session()
    assert session["modes"]["currentId"] == "ask"
    assert session["configOptions"] == [mode("plan")]
    assert effective_mode(document) == "plan"


def test_C_01_without_a_config_option_the_mode_counts():
    document = v1(modes=MODES, configOptions=[select("model", "ask", category="model")]).fold()

    assert effective_mode(document) == "ask"


def test_C_01_without_either_there_is_none():
    assert effective_mode(v1().fold()) is None


def test_C_01_what_was_asked_counts_when_it_is_answered_and_not_before():
    transcript = v1(configOptions=[mode("ask")]).client_asks_session(4, "session/set_config_option", configId="mode", value="plan")
    assert transcript.fold().session()["configOptions"] == [mode("ask")]

    document = transcript.agent_fails(4, -32602).fold()
    assert document.session()["configOptions"] == [mode("ask")]


def test_C_01_an_option_of_that_category_under_another_id_counts():
    document = v1(modes=MODES, configOptions=[select("how", "plan", category="mode")]).fold()

    assert effective_mode(document) == "plan"


# --- C-02 ------------------------------------------------------------------------------------------------


def test_C_02_current_mode_update_with_mode_id():
    document = v1().update("current_mode_update", currentModeId="code").update("current_mode_update", modeId="plan").fold()

    assert document.session()["modes"] == {"currentId": "plan"}
    assert document.codes == ["field-alias"]


@pytest.mark.parametrize("fields", [{}, {"currentModeId": None}, {"currentModeId": 7}, {"modeId": 7}])
def test_C_02_never_reset_to_none(fields):
    document = v1().update("current_mode_update", currentModeId="code").update("current_mode_update", **fields).fold()

    assert document.session()["modes"] == {"currentId": "code"}
    assert "malformed" in document.codes


def test_C_02_the_schemas_name_counts_where_both_are_sent():
    document = v1().update("current_mode_update", currentModeId="code", modeId="plan").fold()

    assert document.session()["modes"] == {"currentId": "code"}


def test_C_02_what_is_available_stays():
    document = v1(modes=MODES).update("current_mode_update", modeId="plan").fold()

    assert document.session()["modes"] == {"currentId": "plan", "available": MODES["availableModes"]}


# --- C-03 ------------------------------------------------------------------------------------------------


def choices(*values):
    return [{"value": value, "name": value.upper()} for value in values]


@pytest.mark.parametrize("version", [1, 2])
def test_C_03_same_ids_new_choices(version):
    name = {1: "id", 2: "configId"}[version]

    def model(*values):
        return {name: "model", "name": "Model", "type": "select", "currentValue": values[0], "options": choices(*values)}

    document = (
        of_version(version)
        .update("config_option_update", configOptions=[model("a", "b")])
        .update("config_option_update", configOptions=[model("c", "d")])
        .fold()
    )

    (option,) = document.session()["configOptions"]
    assert option == {"id": "model", "name": "Model", "type": "select", "currentValue": "c", "options": choices("c", "d")}


def test_C_03_an_option_that_is_not_listed_is_gone():
    document = (
        v1(configOptions=[mode("ask"), select("model", "ask")])
        .update("config_option_update", configOptions=[mode("plan")])
        .fold()
    )  # fmt: skip

    assert document.session()["configOptions"] == [mode("plan")]


def test_C_03_a_current_value_that_is_no_choice_is_kept_as_sent():
    document = v1().update("config_option_update", configOptions=[mode("gone")]).fold()

    assert document.session()["configOptions"] == [mode("gone")]


# --- C-05 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("kind", "field", "listed"),
    [
        ("config_option_update", "configOptions", [{"id": "flag", "name": "Flag", "type": "boolean", "currentValue": True}]),
        ("available_commands_update", "availableCommands", [{"name": "fix", "description": "mends"}]),
    ],
)
@pytest.mark.parametrize("value", [ABSENT, None, {}, "x", 3], ids=["absent", "null", "object", "string", "number"])
def test_C_05_update_without_its_list(version, kind, field, listed, value):
    if version == 2:
        listed = [{"configId" if name == "id" else name: value for name, value in one.items()} for one in listed]
    transcript = of_version(version).update(kind, **{field: listed})
    before = transcript.fold().session()
    assert len(before[field]) == 1

    document = transcript.update(kind, **{field: value}).fold()
    assert document.session() == before
    assert "error" in document.severities


# --- C-06 ------------------------------------------------------------------------------------------------


def test_C_06_grouped_choices_unknown_option_type():
    grouped = select("model", "a", [{"group": "g", "name": "G", "options": choices("a", "b")}])
    slider = {"id": "vol", "name": "Volume", "type": "slider", "currentValue": 3, "max": 11}
    flag = {"id": "flag", "name": "Flag", "type": "boolean", "currentValue": True}
    document = v1().update("config_option_update", configOptions=[grouped, slider, flag]).fold()

    assert document.session()["configOptions"] == [grouped, slider, flag]
    assert document.codes == ["unknown-variant"]


def test_C_06_in_v2_the_ids_are_spelled_as_in_v1():
    grouped = {
        "configId": "model",
        "name": "Model",
        "type": "select",
        "currentValue": "a",
        "options": [{"groupId": "g", "name": "G", "options": choices("a", "b")}],
    }
    slider = {"configId": "vol", "name": "Volume", "type": "_slider", "currentValue": 3, "max": {"configId": "inner"}}
    document = v2().update("config_option_update", configOptions=[grouped, slider]).fold()

    assert document.session()["configOptions"] == [
        select("model", "a", [{"group": "g", "name": "G", "options": choices("a", "b")}]),
        {"id": "vol", "name": "Volume", "type": "_slider", "currentValue": 3, "max": {"configId": "inner"}},
    ]
    assert document.codes == []


@pytest.mark.parametrize(
    "broken",
    [
        {"id": "x", "name": "X", "type": "select", "currentValue": "a"},
        {"id": "x", "name": "X", "type": "select", "options": []},
        {"id": "x", "name": "X", "type": "boolean", "currentValue": "true"},
        {"id": "x", "name": "X", "type": "boolean", "currentValue": 1},
        {"id": 7, "name": "X", "type": "boolean", "currentValue": True},
        {"name": "X", "type": "boolean", "currentValue": True},
        "x",
        None,
    ],
    ids=str,
)
def test_C_06_a_malformed_option_costs_itself_alone(broken):
    document = v1().update("config_option_update", configOptions=[mode("ask"), broken]).fold()

    assert document.session()["configOptions"] == [mode("ask")]
    assert document.codes == ["skipped-item"]


# --- C-07 ------------------------------------------------------------------------------------------------


def test_C_07_empty_command_list_and_commands_with_plain_input():
    commands = [{"name": "a", "description": "d", "input": {"hint": "h"}}, {"name": "b", "description": "d", "input": None}]
    transcript = v1()
    assert "availableCommands" not in transcript.fold().session()

    listed = transcript.update("available_commands_update", availableCommands=commands).fold()
    assert listed.session()["availableCommands"] == [
        {"name": "a", "description": "d", "input": {"hint": "h"}},
        {"name": "b", "description": "d"},
    ]
    assert "error" not in listed.severities
    assert "warning" not in listed.severities

    emptied = transcript.update("available_commands_update", availableCommands=[]).fold()
    assert emptied.session()["availableCommands"] == []


def test_C_07_v2_commands_with_types():
    commands = [
        {"type": "command", "name": "a", "description": "d", "input": {"type": "text", "hint": "h"}},
        {"type": "_macro", "name": "b", "description": "d", "steps": [1, None]},
        {"type": "command", "name": "c", "description": "d", "input": {"type": "_pick", "of": []}},
    ]
    document = v2().update("available_commands_update", availableCommands=commands).fold()

    assert document.session()["availableCommands"] == commands
    assert document.codes == []


@pytest.mark.parametrize("broken", [{"name": "x"}, {"description": "d"}, {"name": 5, "description": "d"}, "x", None], ids=str)
def test_C_07_a_malformed_command_costs_itself_alone(broken):
    good = {"name": "a", "description": "d"}
    document = v1().update("available_commands_update", availableCommands=[broken, good]).fold()

    assert document.session()["availableCommands"] == [good]
    assert document.codes == ["skipped-item"]


def test_C_07_a_malformed_input_costs_the_input_alone():
    document = v1().update("available_commands_update", availableCommands=[{"name": "a", "description": "d", "input": "x"}]).fold()

    assert document.session()["availableCommands"] == [{"name": "a", "description": "d"}]
    assert document.codes == ["malformed-field"]


def test_C_07_a_list_of_a_session_that_nobody_announced():
    document = bare().update("available_commands_update", "s-9", availableCommands=[]).fold()

    assert document.session("s-9")["availableCommands"] == []
