"""SPEC 4, "Decoding": variants that nobody knows need what their schema says that they need, and nothing that known ones do."""

from __future__ import annotations

import pytest

from support.official import name_of, parametrize, schemas, tag_of, variants_of
from support.transcripts import bare, of_version, v2


IDS = {"configId": "id", "planId": "id", "methodId": "id"}
"""What the document calls the ids of entities (SPEC 5)."""


def command(variant):
    return {"type": "command", "name": "n", "description": "d", "input": variant}


SENT = {
    "ContentBlock": lambda t, variant: t.agent_message("m", [variant]),
    "ToolCallContent": lambda t, variant: t.tool_update("t1", content=[variant]),
    "DiffChange": lambda t, variant: t.tool_update("t1", content=[{"type": "diff", "changes": [variant]}]),
    "PlanUpdateContent": lambda t, variant: t.update("plan_update", plan=variant),
    "SessionConfigOption": lambda t, variant: t.update("config_option_update", configOptions=[variant]),
    "AvailableCommand": lambda t, variant: t.update("available_commands_update", availableCommands=[variant]),
    "AvailableCommandInput": lambda t, variant: t.update("available_commands_update", availableCommands=[command(variant)]),
    "AuthMethod": lambda _, variant: bare().initialize(2, authMethods=[variant]),
    "BackgroundWork": lambda t, variant: t.state("idle", background=[variant]),
    "RequestPermissionSubject": lambda t, variant: t.permission_v2(31, subject=variant),
}
"""How a variant of each open union is sent."""

FOUND = {
    "ContentBlock": lambda d: d.message("m")["content"],
    "ToolCallContent": lambda d: d.tool()["content"],
    "DiffChange": lambda d: [change for content in d.tool()["content"] for change in content["changes"]],
    "PlanUpdateContent": lambda d: d.session().get("plans", []),
    "SessionConfigOption": lambda d: d.session().get("configOptions", []),
    "AvailableCommand": lambda d: d.session().get("availableCommands", []),
    "AvailableCommandInput": lambda d: [c["input"] for c in d.session()["availableCommands"] if "input" in c],
    "AuthMethod": lambda d: d.connection["authMethods"],
    "BackgroundWork": lambda d: d.session().get("background", []),
    "RequestPermissionSubject": lambda d: [d.permission(31)["subject"]] if "subject" in d.permission(31) else [],
}
"""Where it then stands in the document."""

each_union = pytest.mark.parametrize("union", SENT)
each_v2 = parametrize("official", [schema for schema in schemas().values() if schema.version == 2], ids=repr)


def needed(official, union):
    """What a variant of *union* that nobody knows must have, by its schema; its tag first."""
    definition = official.defs.get(union)
    if definition is None:
        pytest.skip(f"{official} has no {union}")
    (other,) = [variant for variant in variants_of(definition) if "not" in variant]
    tag = other["required"][0]
    assert tag_of(other, tag) is None
    assert name_of(other) is None
    return list(dict.fromkeys([*other["required"], *definition.get("required", [])]))


def printed(variant):
    return {IDS.get(name, name): value for name, value in variant.items()}


@each_v2
@each_union
def test_a_variant_that_has_what_it_needs_is_kept(union, official):
    bare = dict.fromkeys(needed(official, union), "_x")
    document = SENT[union](v2(), bare).fold()

    assert FOUND[union](document) == [printed(bare)]
    assert document.codes == []


@each_v2
@each_union
def test_one_that_lacks_any_of_it_is_malformed(union, official):
    for missing in needed(official, union)[1:]:
        bare = dict.fromkeys(needed(official, union), "_x")
        del bare[missing]
        document = SENT[union](v2(), bare).fold()

        assert FOUND[union](document) == []
        assert len(document.codes) == 1


NEEDED_BY_KNOWN_ONES = {
    "ContentBlock": ("text", "data", "mimeType", "name", "uri", "resource"),
    "ToolCallContent": ("content", "changes", "path", "newText"),
    "DiffChange": ("path", "oldPath"),
    "PlanUpdateContent": ("entries", "content", "uri"),
    "SessionConfigOption": ("currentValue", "options"),
    "AvailableCommand": ("input",),
    "AvailableCommandInput": ("hint",),
    "AuthMethod": ("args",),
    "BackgroundWork": ("terminalId", "toolCallId", "sessionId"),
    "RequestPermissionSubject": ("toolCall", "command", "cwd"),
}


@each_v2
@each_union
@pytest.mark.parametrize("value", [7, None, [{"a": None}]], ids=repr)
def test_what_known_ones_need_is_in_an_unknown_one_whatever_was_sent(union, value, official):
    variant = dict.fromkeys(needed(official, union), "_x") | dict.fromkeys(NEEDED_BY_KNOWN_ONES[union], value)
    document = SENT[union](v2(), variant).fold()

    assert FOUND[union](document) == [printed(variant)]
    assert document.codes == []


@pytest.mark.parametrize("union", ["ContentBlock", "ToolCallContent", "PlanUpdateContent", "SessionConfigOption", "AvailableCommandInput"])
def test_in_v1_too(union):
    ids = {"PlanUpdateContent": {"planId": "_x"}, "SessionConfigOption": {"id": "_x", "name": "_x"}}
    variant = {"type": "_x", **ids.get(union, {}), **dict.fromkeys(NEEDED_BY_KNOWN_ONES[union], 7)}
    transcript = of_version(1).tool_call("t1")
    transcript = transcript.agent_says(variant, "m") if union == "ContentBlock" else SENT[union](transcript, variant)
    document = transcript.fold()

    assert FOUND[union](document) == [printed(variant)]
    assert document.codes == ["unknown-variant"]
