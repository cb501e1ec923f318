"""SPEC 4, "Decoding": what the schema does not know, and what it knows in another form."""

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, NO, YES, image, item, of_version, same, sent, v1, v2


# --- An unknown discriminator string makes an unknown variant in both versions, kept as sent (diagnostic in v1) ------------


GLOW = {"type": "_glow", "hue": 7, "deep": [None, {"a": None}]}

PLACES = {
    "content": lambda t: (t.agent_says(GLOW, "m").fold(), lambda d: d.message("m")["content"]),
    "tool content": lambda t: (t.tool_update("t1", content=[GLOW]).fold(), lambda d: d.tool()["content"]),
    "content of tool content": lambda t: (
        t.tool_update("t1", content=[{"type": "content", "content": GLOW}]).fold(),
        lambda d: [d.tool()["content"][0]["content"]],
    ),
    "prompt content": lambda t: (
        t.prompt(1, [GLOW]).fold(),
        lambda d: [*d.timeline(type="message"), *d.pending_prompts()][0]["content"],
    ),
    "compaction summary": lambda t: (
        t.update("compaction_update", compactionId="c", status="completed", summary=[GLOW]).fold(),
        lambda d: d.compaction("c")["content"],
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("version", [1, 2])
def test_an_unknown_variant_is_kept_as_sent(version, place):
    document, found = PLACES[place](of_version(version).tool_update("t1"))

    assert found(document) == [GLOW]
    assert ("unknown-variant" in document.codes) is (version == 1)


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_config_option(version):
    name = {1: "id", 2: "configId"}[version]
    option = {name: "vol", "name": "Volume", "type": "_slider", "currentValue": 3, "range": [0, None]}
    document = of_version(version).update("config_option_update", configOptions=[option]).fold()

    assert document.session()["configOptions"] == [
        {"id": "vol", "name": "Volume", "type": "_slider", "currentValue": 3, "range": [0, None]}
    ]
    assert ("unknown-variant" in document.codes) is (version == 1)


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_plan(version):
    plan = {"type": "_map", "planId": "p", "nodes": [None]}
    document = of_version(version).update("plan_update", plan=plan).fold()

    assert document.session()["plans"] == [{"id": "p", "type": "_map", "nodes": [None]}]
    assert ("unknown-variant" in document.codes) is (version == 1)


def test_so_is_an_unknown_command():
    command = {"type": "_macro", "name": "m", "description": "d", "steps": [None]}
    document = v2().update("available_commands_update", availableCommands=[command]).fold()

    assert document.session()["availableCommands"] == [command]
    assert document.codes == []


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_auth_method(version):
    name = {1: "id", 2: "methodId"}[version]
    methods = [{name: "k", "type": "_keycard", "name": "Card", "slot": {"methodId": "inner"}}]
    document = of_version(version).initialize(version, id="again", authMethods=methods).fold()

    assert document.connection["authMethods"] == [{"id": "k", "type": "_keycard", "name": "Card", "slot": {"methodId": "inner"}}]
    assert ("unknown-variant" in document.codes) is (version == 1)


def test_so_is_an_unknown_subject():
    subject = {"type": "_file", "path": "/a", "x": None}
    document = v2().permission_v2(31, subject=subject).fold()

    assert document.permission(31)["subject"] == subject
    assert document.codes == []


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_mode_of_an_elicitation(version):
    document = of_version(version).agent_asks_session(31, "elicitation/create", mode="_voice", message="Speak", tone=[None]).fold()

    elicitation = document.elicitation(31)
    assert (elicitation["mode"], elicitation["message"], elicitation["tone"]) == ("_voice", "Speak", [None])
    assert ("unknown-variant" in document.codes) is (version == 1)


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_outcome_and_it_is_no_approval(version):
    result = {"outcome": {"outcome": "_later", "optionId": "yes", "x": None}}
    document = of_version(version).permission(31).client_answers(31, result).fold()

    assert document.permission(31)["status"] not in ("selected", "pending")
    assert "decision" not in document.permission(31)
    assert result["outcome"] in (document.permission(31)["answer"], document.permission(31)["answer"].get("outcome"))


@pytest.mark.parametrize("version", [1, 2])
def test_so_is_an_unknown_action(version):
    result = {"action": "_later", "x": None}
    document = of_version(version).form(31).client_answers(31, result).fold()

    assert document.elicitation(31)["answer"] == result


def test_so_is_an_unknown_state():
    document = v2().state("_dreaming", depth=3).fold()

    assert document.session()["activity"] == "_dreaming"
    assert document.codes == []


def test_so_is_unknown_background_work():
    work = [{"type": "_job", "jobId": 7, "x": None}, {"type": "terminal", "terminalId": "k"}]
    document = v2().state("idle", background=work).fold()

    assert document.session()["background"] == work


# --- only what is malformed inside a known variant is skipped -------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_a_known_variant_that_is_malformed_is_skipped_beside_an_unknown_one(version):
    document = of_version(version).tool_update("t1", content=[GLOW, {"type": "terminal"}, item("x")]).fold()

    assert document.tool()["content"] == [GLOW, item("x")]
    assert "skipped-item" in document.codes


def test_a_variant_that_v2_added_is_unknown_in_v1_and_kept():
    document = v1().permission(31, "t1").update("config_option_update", configOptions=[{"id": "a", "name": "A", "type": "range"}]).fold()

    assert document.session()["configOptions"] == [{"id": "a", "name": "A", "type": "range"}]


# --- A union member without its discriminator is read as v1 reads it --------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_a_command_without_type_is_a_command(version):
    command = {"name": "a", "description": "d", "input": {"hint": "h"}}
    document = of_version(version).update("available_commands_update", availableCommands=[command]).fold()

    assert document.session()["availableCommands"] == [command]
    assert document.faults == []


@pytest.mark.parametrize("version", [1, 2])
def test_an_auth_method_without_type_is_agent(version):
    name = {1: "id", 2: "methodId"}[version]
    document = of_version(version).initialize(version, id="again", authMethods=[{name: "k", "name": "Key"}]).fold()

    assert document.connection["authMethods"] == [{"id": "k", "name": "Key"}]
    assert document.faults == []


def test_it_is_good_to_know_in_v2():
    document = v2().update("available_commands_update", availableCommands=[{"name": "a", "description": "d"}]).fold()

    assert document.codes == ["missing-discriminator"]
    assert document.severities == {"info"}


# --- No primitive is coerced -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("value", ["7", True, False, "", 7.5, None], ids=repr)
def test_what_is_no_whole_number_is_none(version, value):
    document = of_version(version).update("usage_update", used=value, size=9).fold()

    assert "usage" not in document.session()
    assert document.codes == ["malformed"]


def test_12_0_is_accepted_as_12():
    document = v1().update("usage_update", used=12.0, size=2e2).fold()

    assert same(document.session()["usage"], {"used": 12, "size": 200})


@pytest.mark.parametrize("value", [1, 0, "true", "false"], ids=repr)
def test_what_is_no_boolean_is_none(value):
    option = {"id": "f", "name": "F", "type": "boolean", "currentValue": value}
    document = v1().update("config_option_update", configOptions=[option]).fold()

    assert document.session()["configOptions"] == []
    assert document.codes == ["skipped-item"]


@pytest.mark.parametrize("value", [7, True, 1.0, ["x"]], ids=repr)
def test_what_is_no_string_is_none(value):
    document = v1().update("session_info_update", title="T").update("session_info_update", title=value).fold()

    assert document.session()["title"] == "T"


@pytest.mark.parametrize(("value", "kept"), [("3", ABSENT), (True, ABSENT), (3, 3), (3.0, 3), (0, 0), (3.5, ABSENT)], ids=repr)
def test_an_exit_code_is_a_whole_number(value, kept):
    document = v2().update("terminal_update", terminalId="k", exitStatus={"exitCode": value}).fold()

    assert same(document.terminal("k")["exitStatus"], sent(exitCode=kept))


# --- Unknown enum strings are kept as sent (diagnostic in v1, silent in v2) ---------------------------------------------------


WORDS = [
    ("a tool's kind", lambda t: t.tool_update("t1", kind="_dream"), lambda d: d.tool()["kind"]),
    ("a tool's status", lambda t: t.tool_update("t1", status="_dream"), lambda d: d.tool()["status"]),
    (
        "a plan entry's status",
        lambda t: t.update(
            "plan_update", plan={"type": "items", "planId": "p", "entries": [{"content": "a", "priority": "low", "status": "_dream"}]}
        ),
        lambda d: d.session()["plans"][0]["entries"][0]["status"],
    ),
    (
        "a plan entry's priority",
        lambda t: t.update(
            "plan_update", plan={"type": "items", "planId": "p", "entries": [{"content": "a", "priority": "_dream", "status": "pending"}]}
        ),
        lambda d: d.session()["plans"][0]["entries"][0]["priority"],
    ),
    (
        "an option's kind",
        lambda t: t.permission(31, "t1", [{"optionId": "a", "name": "A", "kind": "_dream"}]),
        lambda d: d.permission(31)["options"][0]["kind"],
    ),
]


@pytest.mark.parametrize(("send", "find"), [case[1:] for case in WORDS], ids=[case[0] for case in WORDS])
@pytest.mark.parametrize("version", [1, 2])
def test_unknown_words_are_kept_as_sent(version, send, find):
    document = send(of_version(version).tool_update("t1")).fold()

    assert find(document) == "_dream"
    assert ("unknown-value" in document.codes) is (version == 1)


def test_so_is_an_unknown_stop_reason():
    assert v2().state("running").state("idle", stopReason="_tired").fold().turns()[0]["stopReason"] == "_tired"

    document = v1().prompt(1).ends(1, "_tired").fold()
    assert document.turn(1)["stopReason"] == "_tired"
    assert document.codes == ["unknown-value"]


# --- A `_meta` that is no object is absent, with a diagnostic ------------------------------------------------------------------


@pytest.mark.parametrize("meta", ["x", 7, True, [], [{"a": 1}]], ids=repr)
@pytest.mark.parametrize(
    "send",
    [
        lambda t, meta: t.tool_update("t1", _meta=meta),
        lambda t, meta: t.agent_says("x", "m", _meta=meta),
        lambda t, meta: t.update("usage_update", used=1, size=2, _meta=meta),
        lambda t, meta: t.update("session_info_update", title="T", _meta=meta),
        lambda t, meta: t.update("compaction_update", compactionId="c", status="completed", _meta=meta),
        lambda t, meta: t.prompt(1, _meta=meta),
        lambda t, meta: t.permission(31).client_answers(31, {"outcome": {"outcome": "cancelled"}, "_meta": meta}),
        lambda t, meta: t.client_asks_session(4, "session/close").agent_answers(4, {"_meta": meta}),
    ],
)
def test_a_meta_that_is_no_object_is_absent_with_a_diagnostic(send, meta):
    without = send(v2(), {}).fold()
    document = send(v2(), meta).fold()

    assert _without_empty_meta(document.sessions) == _without_empty_meta(without.sessions)
    assert document.codes.count("malformed-meta") == 1


@pytest.mark.parametrize("version", [1, 2])
def test_a_meta_that_is_no_object_leaves_the_one_that_is_there(version):
    document = of_version(version).tool_update("t1", _meta={"a": 1}).tool_update("t1", _meta="x").fold()

    assert document.tool()["_meta"] == {"a": 1}


def _without_empty_meta(value):
    if isinstance(value, list):
        return [_without_empty_meta(one) for one in value]
    if isinstance(value, dict):
        return {name: _without_empty_meta(one) for name, one in value.items() if name not in ("_meta", "chunkMeta") or one}
    return value


# --- content keeps what the schema does not know ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_extra_fields_of_content_blocks_come_out_as_sent(version):
    block = image("QQ==", uri=None, extra={"a": [None]}, annotations={"audience": ["user"], "x": None})
    document = of_version(version).agent_says(block, "m").tool_update("t1", content=[{**item("x"), "extra": None}]).fold()

    assert document.message("m")["content"] == [block]
    assert document.tool()["content"] == [{**item("x"), "extra": None}]


def test_extra_fields_of_options_that_are_offered_do_no_harm():
    document = v1().permission(31, "t1", [{**YES, "shortcut": "y"}, NO]).selects(31).fold()

    assert document.permission(31)["decision"] == "allow_once"
