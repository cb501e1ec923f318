"""What the lenient reader says of values that are not as declared, and what it makes of them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from msgspec import UNSET

from acp_state._json import FrozenDict, FrozenList, encode
from acp_state.protocol import content, objects, requests, settings
from acp_state.protocol import updates as u
from acp_state.protocol.lenient import read, read_update, reader_of
from acp_state.protocol.values import MalformedError, Problem

from support.examples import BLOCKS, COMMANDS, DIFFS, ITEMS, LOCATION, OPTIONS, STATE, UPDATES


def told(form: Any, value: Any) -> list[tuple]:
    """Return the problems of *value*: code, message and path."""
    return [(problem.code, problem.message, problem.path) for problem in read(form, value)[1]]


def refused(form: Any, value: Any) -> tuple:
    with pytest.raises(MalformedError) as caught:
        read(form, value)
    return caught.value.message, caught.value.path


TEXT = {"type": "text", "text": "t"}
CALL = {"sessionUpdate": "tool_call_update", "toolCallId": "c"}
ENTRY = {"content": "c", "priority": "high", "status": "pending"}


# --- primitives --------------------------------------------------------------------------------------

WRONG = {
    str: (
        (7, "a string is wanted, not a number"),
        (None, "a string is wanted, not null"),
        (True, "a string is wanted, not a boolean"),
        ([], "a string is wanted, not an array"),
        ({}, "a string is wanted, not an object"),
        (FrozenDict(), "a string is wanted, not an object"),
        (FrozenList(), "a string is wanted, not an array"),
        (b"", "a string is wanted, not no JSON"),
    ),
    int: (
        ("7", "an integer is wanted, not a string"),
        (True, "an integer is wanted, not a boolean"),
        (1.5, "an integer is wanted, not a number"),
        (1e400, "an integer is wanted, not a number"),
    ),
    bool: ((0, "a boolean is wanted, not a number"), ("true", "a boolean is wanted, not a string")),
    bytes: (("e", "base64 is wanted"), ("eHh4\n", "base64 is wanted"), ("\N{GREEK SMALL LETTER ALPHA}", "base64 is wanted")),
    FrozenDict: (([], "an object is wanted, not an array"), ({1: 2}, "JSON is wanted, not an object key of type int")),
    content.Natural: ((-1, "a number that is not negative is wanted"), (-1.0, "a number that is not negative is wanted")),
    objects.Positive: ((0, "a number above 0 is wanted"), (0.0, "a number above 0 is wanted")),
}


@pytest.mark.parametrize(("form", "value", "message"), [(form, *case) for form, cases in WRONG.items() for case in cases])
def test_nothing_is_coerced(form, value, message):
    assert refused(form, value) == (message, ())


@pytest.mark.parametrize(
    ("form", "value", "read_as"),
    [(int, 12.0, 12), (content.Natural, 0.0, 0), (objects.Positive, 1.0, 1), (int, -3, -3), (bytes, "eHh4", b"xxx"), (bytes, "", b"")],
)
def test_what_is_read(form, value, read_as):
    found = read(form, value)[0]

    assert found == read_as
    assert type(found) is type(read_as)


def test_a_number_stays_what_it_is():
    for amount in (1, 1.0, 0.5, 10**40):
        cost, problems = read(objects.Cost, {"amount": amount, "currency": "EUR"})
        assert (type(cost.amount), cost.amount, problems) == (type(amount), amount, [])
    assert refused(objects.Cost, {"amount": "1", "currency": "EUR"}) == ("a number is wanted, not a string", ("amount",))
    assert refused(objects.Cost, {"amount": True, "currency": "EUR"}) == ("a number is wanted, not a boolean", ("amount",))


# --- fields ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("update", "message", "path"),
    [
        ({"sessionUpdate": "agent_message_chunk"}, "is missing", ("content",)),
        ({"sessionUpdate": "agent_message_chunk", "content": None}, "an object is wanted, not null", ("content",)),
        ({"sessionUpdate": "agent_message_chunk", "content": {"type": "text"}}, "is missing", ("content", "text")),
        ({"sessionUpdate": "agent_message_chunk", "content": {"text": "t"}}, "a string is wanted, not missing", ("content", "type")),
        ({"sessionUpdate": "agent_message_chunk", "content": {"type": 7}}, "a string is wanted, not a number", ("content", "type")),
        ({"sessionUpdate": "tool_call", "toolCallId": "c"}, "is missing", ("title",)),
        ({"sessionUpdate": "tool_call_update", "toolCallId": 7}, "a string is wanted, not a number", ("toolCallId",)),
        ({"sessionUpdate": "plan", "entries": "x"}, "an array is wanted, not a string", ("entries",)),
        ({"sessionUpdate": "subagent_update", "sessionId": "s", "cwd": 7}, "a string is wanted, not a number", ("cwd",)),
        (
            {"sessionUpdate": "subagent_update", "sessionId": "s", "additionalDirectories": ["a", 7]},
            "a string is wanted, not a number",
            ("additionalDirectories", 1),
        ),
        ({"sessionUpdate": "terminal_output_chunk", "terminalId": "k", "data": "%"}, "base64 is wanted", ("data",)),
        ({"sessionUpdate": "plan_update", "plan": {"type": "_x", "a": 1}}, "is missing", ("plan", "planId")),
    ],
)
def test_an_update_whose_needed_field_is_malformed_is_refused(update, message, path):
    assert refused(u.UPDATES[1][update["sessionUpdate"]], update) == (message, path)


def test_whether_something_is_missing_is_told():
    for update, missing in (({"sessionUpdate": "plan"}, True), ({"sessionUpdate": "plan", "entries": None}, False)):
        with pytest.raises(MalformedError) as caught:
            read_update(update, 1)
        assert caught.value.missing is missing


@pytest.mark.parametrize(
    ("fields", "problems"),
    [
        ({"title": 7}, [("malformed-field", "a string is wanted, not a number", ("title",))]),
        ({"_meta": "x"}, [("malformed-meta", "an object is wanted, not a string", ("_meta",))]),
        ({"content": {}}, [("malformed-field", "an array is wanted, not an object", ("content",))]),
        (
            {"content": [{"type": "content", "content": TEXT}, {"type": "terminal"}, 7]},
            [
                ("skipped-item", "is missing", ("content", 1, "terminalId")),
                ("skipped-item", "an object is wanted, not a number", ("content", 2)),
            ],
        ),
        (
            {"locations": [{"path": "/a", "line": "7"}, {"line": 7}]},
            [
                ("malformed-field", "an integer is wanted, not a string", ("locations", 0, "line")),
                ("skipped-item", "is missing", ("locations", 1, "path")),
            ],
        ),
        (
            {"kind": "dance"},
            [
                (
                    "unknown-value",
                    "'dance' is none of read, edit, delete, move, search, execute, think, fetch, switch_mode, other",
                    ("kind",),
                )
            ],
        ),
        ({"status": "done"}, [("unknown-value", "'done' is none of pending, in_progress, completed, failed", ("status",))]),
        (
            {"content": [{"type": "content", "content": {"type": "smell"}}]},
            [("unknown-variant", "'smell' is none of text, image, audio, resource_link, resource", ("content", 0, "content", "type"))],
        ),
        ({"content": [{"type": "_x"}]}, [("unknown-variant", "'_x' is none of content, diff, terminal", ("content", 0, "type"))]),
        (
            {"status": 7, "title": 8},
            [("malformed-field", "a string is wanted, not a number", (name,)) for name in ("status", "title")],
        ),
        ({"x": 1, "id": 2}, []),
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_what_is_tolerated_in_an_update_is_a_problem(version, fields, problems):
    assert told(u.UPDATES[version]["tool_call_update"], {**CALL, **fields}) == problems


@pytest.mark.parametrize("version", [1, 2])
def test_what_is_malformed_counts_as_absent(version):
    update = {**CALL, "title": 7, "_meta": 7, "content": 7, "kind": [], "locations": [{"path": 7}, {"path": "/a", "line": "x"}]}
    found = read_update(update, version)[0]

    assert {found.title, found.meta, found.content, found.kind} == {found.leave}
    assert found.locations == ({"path": "/a"},)


def test_problems_are_in_the_order_in_which_the_members_were_sent():
    one = told(u.ToolCallUpdate, {"kind": 1, "toolCallId": "c", "title": 2, "locations": [3]})
    other = told(u.ToolCallUpdate, {"locations": [3], "title": 2, "toolCallId": "c", "kind": 1})

    assert [path for _, _, path in one] == [("kind",), ("title",), ("locations", 0)]
    assert one[::-1] == other


def test_of_what_is_left_out_nothing_else_is_told():
    """What was tolerated in an item, before it turned out to be malformed."""
    item = {"type": "content", "_meta": 7, "content": {"type": "text", "annotations": 7, "text": 8}}

    assert told(u.ToolCallUpdate, {**CALL, "content": [item]}) == [
        ("skipped-item", "a string is wanted, not a number", ("content", 0, "content", "text"))
    ]


def test_a_list_that_must_be_whole_is_absent_if_an_item_is_malformed():
    update = {**UPDATES[2]["state_update"], "background": [{"type": "terminal", "terminalId": "k"}, {"type": "terminal"}]}
    found, problems = read_update(update, 2)

    assert found.background is None
    assert problems == [Problem("malformed-field", "is missing", ("background", 1, "terminalId"), missing=True)]


# --- null --------------------------------------------------------------------------------------------


def test_null_clears_in_version_2_and_says_nothing_in_version_1():
    nulls = dict.fromkeys(("title", "name", "kind", "status", "content", "locations", "rawInput", "rawOutput", "capabilities", "_meta"))
    for kind in (u.ToolCallUpdate, u.ToolCallUpdate1):
        absent, cleared = read(kind, CALL)[0], read(kind, {**CALL, **nulls})[0]
        names = [name for name in kind.__struct_fields__ if name != "tool_call_id"]

        assert {getattr(absent, name) for name in names} == {kind.leave}
        assert {getattr(cleared, name) for name in names} == {None}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", ["session_info_update", "subagent_update", "compaction_update", "session_message"])
def test_some_patches_have_three_states_in_both_versions(version, kind):
    update = UPDATES[version][kind]
    needed = {"sessionId", "compactionId", "status", "messageId", "sessionUpdate"}
    nulls = {name: member if name in needed else None for name, member in update.items()}
    absent = {name: member for name, member in update.items() if name in needed}

    for members, state in ((nulls, None), (absent, UNSET)):
        found, problems = read_update(members, version)
        assert problems == []
        assert found.meta is state
        assert {getattr(found, name) for name in found.__struct_fields__} <= {state, "s-2", "c", "failed", "m"}


def test_values_that_are_false_are_values():
    for value in (False, 0, "", [], {}):
        for kind in (u.ToolCallUpdate, u.ToolCallUpdate1):
            assert read(kind, {**CALL, "rawInput": value})[0].raw_input == value


def test_null_is_no_title():
    """`null` is no value of a member that may be absent and nothing else (schema `RequestPermissionRequest`)."""
    found, problems = read(requests.RequestPermissionRequest, {"sessionId": "s", "title": None, "options": []})

    assert found.title is UNSET
    assert problems == [Problem("unreadable-field", "a string is wanted, not null", ("title",))]


def test_null_is_an_id_of_a_request():
    found = read(requests.CreateElicitationRequest, {"requestId": None, "mode": "form", "message": "m", "requestedSchema": None})[0]

    assert found.request_id is None
    assert found.requested_schema is None
    assert read(requests.CreateElicitationRequest, {"mode": "form", "message": "m"})[0].request_id is UNSET


# --- names -------------------------------------------------------------------------------------------


def test_an_older_name_counts_where_there_is_no_other():
    assert read_update({"sessionUpdate": "plan_removed", "id": "p"}, 1) == (u.PlanRemoved("p"), [])
    assert read_update({"sessionUpdate": "plan_removed", "id": "p", "planId": "q"}, 1) == (u.PlanRemoved("q"), [])
    assert read_update({"sessionUpdate": "plan_removed", "id": 7, "planId": "q"}, 1) == (u.PlanRemoved("q"), [])
    with pytest.raises(MalformedError) as caught:
        read_update({"sessionUpdate": "plan_removed"}, 1)
    assert caught.value.path == ("planId",)


def test_a_name_that_a_page_has_is_reported():
    kind = u.CurrentModeUpdate

    assert told(kind, {"modeId": "m"}) == [("field-alias", "is called currentModeId", ("modeId",))]
    assert told(kind, {"modeId": "m", "currentModeId": "n"}) == []
    assert read(kind, {"modeId": "m", "currentModeId": "n"})[0].current_mode_id == "n"


@pytest.mark.parametrize("version", [1, 2])
def test_what_the_versions_call_otherwise_is_read_by_either_name(version):
    names = [option["id" if version == 1 else "configId"] for option in OPTIONS[version]]
    update = UPDATES[version]["config_option_update"]

    for reading in (1, 2):
        found, problems = read_update(update, reading)
        assert [option.id for option in found.config_options] == names
        assert found.config_options[1].options[0].group == "g"
        assert problems == []


def test_a_chunk_without_an_id_is_read_all_the_same():
    problem = Problem("missing-message-id", "version 2 demands one", ("messageId",), missing=True)
    for id_, more in (({}, []), ({"messageId": None}, []), ({"messageId": 7}, [("malformed-field", "a string is wanted, not a number")])):
        update = {"sessionUpdate": "agent_message_chunk", "content": TEXT, **id_}
        found, problems = read_update(update, 2)
        assert found.message_id is None
        assert problems[-1] == problem
        assert [(one.code, one.message) for one in problems[:-1]] == more
        assert [(one.code, one.message) for one in read_update(update, 1)[1]] == more


# --- unions ------------------------------------------------------------------------------------------


def test_an_unknown_variant_is_kept_as_sent():
    odd = {"z": 1, "type": "_x", "a": [None]}
    for form in (content.ContentBlock, content.ToolCallContent, objects.BackgroundWork, objects.RequestPermissionSubject):
        assert encode(read(form, odd)[0]) == encode(odd)


def test_an_object_of_an_unknown_type_has_what_is_known_of_it_and_the_rest():
    rest = {"a": 1, "_meta": {"b": 2}}
    plan, _ = read(settings.PlanUpdateContent, {"type": "gantt", "planId": "p", **rest})
    option, _ = read(
        settings.SessionConfigOption, {"type": "slider", "configId": "o", "name": "n", "currentValue": [7], "options": 3, **rest}
    )
    command, _ = read(settings.AvailableCommand, {"type": "macro", "name": "n", "description": "d", "input": {"hint": "h"}, **rest})
    given, _ = read(settings.AvailableCommandInput, {"type": "file", "hint": "h", **rest})
    method, _ = read(objects.AnyAuthMethod, {"type": "key", "methodId": "m", "name": "n", "args": ["x"], **rest})

    assert plan == settings.OtherPlan("p", "gantt", {"a": 1}, meta={"b": 2})
    assert option == settings.ConfigOption("o", "n", type="slider", current_value=[7], meta={"b": 2}, extra={"options": 3, "a": 1})
    assert command == settings.Command("macro", "n", "d", None, {"b": 2}, {"input": {"hint": "h"}, "a": 1})
    assert given == settings.CommandInput("file", None, {"b": 2}, {"hint": "h", "a": 1})
    assert method == objects.AuthMethod("m", "key", "n", meta={"b": 2}, extra={"args": ["x"], "a": 1})


def test_what_has_no_discriminator_is_read_as_version_1_reads_it():
    command, problems = read(settings.AvailableCommand, COMMANDS[1])

    assert command == settings.Command(None, "n", "d", settings.CommandInput(None, "h", COMMANDS[1]["_meta"]), meta=COMMANDS[1]["_meta"])
    assert problems == [
        Problem("missing-discriminator", "is missing; read as 'command'", ("type",), missing=True),
        Problem("missing-discriminator", "is missing; read as 'text'", ("input", "type"), missing=True),
    ]
    assert told(objects.AnyAuthMethod, {"id": "m", "name": "n"}) == [("missing-discriminator", "is missing; read as 'agent'", ("type",))]
    assert refused(settings.SessionConfigOption, {"id": "m", "name": "n"}) == ("a string is wanted, not missing", ("type",))


def test_a_diff_of_either_version_is_read_on_any_connection():
    for version in (1, 2):
        for kind in (u.ToolCallUpdate, u.ToolCallUpdate1):
            found, problems = read(kind, {**CALL, "content": [DIFFS[version]]})
            assert (found.content, problems) == ((DIFFS[version],), [])


def test_a_resource_is_text_unless_it_is_a_blob():
    form = content.EmbeddedResourceResource

    assert refused(form, {"uri": "u"}) == ("is missing", ("text",))
    assert refused(form, {"blob": "b"}) == ("is missing", ("uri",))
    assert encode(read(form, {"blob": 7, "text": "t", "uri": "u"})[0]) == b'{"text":"t","uri":"u","blob":7}'
    assert refused(form, 7) == ("an object is wanted, not a number", ())


# --- what is kept as sent ----------------------------------------------------------------------------


def test_members_are_in_the_order_of_their_declaration_and_unknown_ones_come_last():
    sent = {
        "z": 1,
        "_meta": {"b": 1, "a": 2},
        "text": "t",
        "y": None,
        "annotations": {"x": 1, "priority": 0.5, "audience": ["user"]},
        "type": "text",
    }
    found = read(content.ContentBlock, sent)[0]

    assert encode(found) == (
        b'{"type":"text","text":"t","annotations":{"audience":["user"],"priority":0.5,"x":1},"_meta":{"b":1,"a":2},"z":1,"y":null}'
    )


def test_what_is_malformed_in_it_is_left_out_and_null_stays():
    found, problems = read(content.ContentBlock, {**TEXT, "annotations": {"audience": ["user", 7], "priority": "x"}, "_meta": None})

    assert found == {**TEXT, "annotations": {"audience": ["user"]}, "_meta": None}
    assert [(one.code, one.path) for one in problems] == [
        ("skipped-item", ("annotations", "audience", 1)),
        ("malformed-field", ("annotations", "priority")),
    ]


def test_a_number_in_it_that_is_an_integer_is_one():
    assert encode(read(content.ToolCallLocation, {"path": "/a", "line": 12.0})[0]) == b'{"path":"/a","line":12}'


@pytest.mark.parametrize("value", [*BLOCKS, *ITEMS[1], *ITEMS[2], LOCATION, STATE])
def test_everything_in_it_is_frozen(value):
    forms = {"text": content.ContentBlock, None: content.ToolCallLocation if "path" in value else objects.State}
    kind = value.get("type")
    form = forms[None] if kind is None else content.ToolCallContent if kind in ("content", "diff", "terminal") else content.ContentBlock
    found, problems = read(form, value)
    waiting = [found]
    while waiting:
        part = waiting.pop()
        assert type(part) in (FrozenDict, FrozenList)
        waiting += [one for one in (part.values() if isinstance(part, dict) else part) if isinstance(one, (dict, list, tuple))]

    assert (found, problems) == (value, [])


def test_what_is_no_json_is_malformed():
    for value, message in (
        ({1: 2}, "an object key of type int"),
        (float("nan"), "a number out of range"),
        (object(), "a value of type object"),
    ):
        assert told(u.ToolCallUpdate, {**CALL, "rawInput": value}) == [("malformed-field", f"JSON is wanted, not {message}", ("rawInput",))]
    assert refused(content.ContentBlock, {**TEXT, 1: 2}) == ("an object has strings for keys", ())
    assert refused(content.ContentBlock, {**TEXT, "x": object()}) == ("JSON is wanted, not a value of type object", ())


def test_objects_and_arrays_of_other_classes_are_read():
    update = MappingProxyType(
        {**CALL, "content": (MappingProxyType({"type": "terminal", "terminalId": "k"}),), "_meta": MappingProxyType({})}
    )
    found, problems = read(u.ToolCallUpdate, update)

    assert (found.content, found.meta, problems) == (({"type": "terminal", "terminalId": "k"},), {}, [])


# --- requests and answers ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "value", "problems"),
    [
        (requests.InitializeRequest, {}, [("is missing", ("protocolVersion",))]),
        (requests.NewSessionRequest, {"cwd": None}, [("a string is wanted, not null", ("cwd",))]),
        (
            requests.SetupRequest,
            {"sessionId": 7, "cwd": "/", "additionalDirectories": ["a", 7], "replayFrom": {}},
            [
                ("a string is wanted, not a number", ("sessionId",)),
                ("a string is wanted, not a number", ("additionalDirectories", 1)),
                ("is missing", ("replayFrom", "type")),
            ],
        ),
        (
            requests.PromptRequest,
            {"prompt": [TEXT, {"type": "text"}, 7]},
            [
                ("is missing", ("prompt", 1, "text")),
                ("an object is wanted, not a number", ("prompt", 2)),
                ("is missing", ("sessionId",)),
            ],
        ),
        (requests.PromptResponse1, {}, [("is missing", ("stopReason",))]),
        (requests.PromptResponse, {"messageId": 7}, [("a string is wanted, not a number", ("messageId",))]),
        (requests.PromptResponse, {}, []),
        (requests.ListSessionsResponse, {"sessions": None}, [("an array is wanted, not null", ("sessions",))]),
        (requests.TerminalOutputResponse, {"output": "x"}, [("is missing", ("truncated",))]),
        (requests.RequestPermissionRequest, {"sessionId": "s", "options": [7]}, [("an object is wanted, not a number", ("options", 0))]),
        (requests.SetupResponse, {"modes": {"currentModeId": "m"}}, [("is missing", ("modes", "availableModes"))]),
        (requests.SetupResponse, {"modes": {"currentModeId": "m", "availableModes": None}}, []),
    ],
)
def test_what_cannot_be_read_of_a_message_is_absent_and_an_error(form, value, problems):
    assert told(form, value) == [("unreadable-field", *problem) for problem in problems]


def test_what_a_schema_excuses_is_no_error_in_a_message_either():
    assert told(requests.SetupResponse, {"modes": {}, "configOptions": [7], "availableCommands": 7, "_meta": 7}) == [
        ("malformed-field", "is missing", ("modes", "currentModeId")),
        ("skipped-item", "an object is wanted, not a number", ("configOptions", 0)),
        ("malformed-field", "an array is wanted, not a number", ("availableCommands",)),
        ("malformed-meta", "an object is wanted, not a number", ("_meta",)),
    ]


def test_a_prompt_that_is_a_string_is_one_text_block():
    assert read(requests.PromptRequest, {"sessionId": "s", "prompt": "hello"})[0].prompt == ({"type": "text", "text": "hello"},)
    assert read(requests.PromptRequest, {"sessionId": "s", "prompt": ""})[0].prompt == ({"type": "text", "text": ""},)


def test_models_of_earlier_drafts_are_modes():
    models = {"currentModelId": "m", "availableModels": [{"modelId": "m", "name": "M"}, {"id": "n", "name": "N", "description": "d"}]}
    found, problems = read(requests.SetupResponse, {"models": models})

    assert found.models == settings.Modes("m", (settings.Mode("m", "M"), settings.Mode("n", "N", "d")))
    assert problems == []


def test_an_elicitation_has_the_rest():
    sent = {"sessionId": "s", "mode": "_x", "message": "m", "a": [1], "b": None, "_meta": {}}
    found, problems = read(requests.CreateElicitationRequest, sent)

    assert (found.extra, found.meta, problems) == ({"a": [1], "b": None}, {}, [])
    assert read(requests.CreateElicitationRequest, {"mode": "url", "message": "m"})[0].extra is None


def test_what_is_no_answer_is_refused():
    form = requests.RequestPermissionResponse

    assert read(form, {"outcome": {"outcome": "selected", "optionId": "o"}})[0].outcome == requests.SelectedPermissionOutcome("o")
    assert read(form, {"outcome": {"outcome": "cancelled", "x": 1}})[0].outcome == requests.CancelledPermissionOutcome()
    assert refused(form, {"outcome": {"outcome": "selected"}}) == ("is missing", ("outcome", "optionId"))
    assert refused(form, {}) == ("is missing", ("outcome",))
    assert read(requests.CreateElicitationResponse, {"action": "accept", "content": {"a": 1}})[0].content == {"a": 1}
    assert refused(requests.CreateElicitationResponse, {"action": "accept", "content": []}) == (
        "an object is wanted, not an array",
        ("content",),
    )


@pytest.mark.parametrize(
    "form", dict.fromkeys((*requests.PARAMS.values(), *requests.RESULTS.values(), u.ToolCall, content.ContentBlock)), ids=str
)
@pytest.mark.parametrize("value", [None, 7, "x", [], True])
def test_what_is_no_object_is_malformed(form, value):
    kinds = {type(None): "null", int: "a number", str: "a string", list: "an array", bool: "a boolean"}

    assert refused(form, value) == (f"an object is wanted, not {kinds[type(value)]}", ())


# --- updates of any kind -----------------------------------------------------------------------------


def test_an_update_of_an_unknown_kind_is_kept_as_sent():
    update = {"sessionUpdate": "mood", "b": {"a": [1]}, "_meta": 7}
    found, problems = read_update(update, 1)

    assert type(found) is u.UnknownUpdate
    assert encode(found.as_sent) == encode(update)
    assert problems == []


@pytest.mark.parametrize("kind", sorted(u.ONLY_IN_1 | u.ONLY_IN_2))
def test_a_kind_of_the_other_version_is_read_by_its_own_rules(kind):
    version = 1 if kind in u.ONLY_IN_1 else 2
    update = UPDATES[version][kind]
    own, other = read_update(update, version), read_update(update, 3 - version)

    assert own[1] == other[1] == []
    if kind == "user_message":  # it opens no turn where prompts do
        assert (type(own[0]), type(other[0])) == (u.UserMessage, u.UserMessage1)
    else:
        assert own == other


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", u.UPDATES[1])
def test_a_full_update_of_each_kind_has_no_problem_but_of_what_the_versions_differ_in(version, kind):
    update = UPDATES[version].get(kind) or UPDATES[3 - version][kind]
    codes = {problem.code for problem in read_update(update, version)[1]}

    assert codes <= {"missing-discriminator"}


def test_facts_of_the_kinds():
    of_1, of_2 = u.UPDATES[1], u.UPDATES[2]
    facts = {
        kind: (cls.introduces, cls.announces, cls.final_stays)
        for kind, cls in (("1", of_1["tool_call_update"]), ("2", of_2["tool_call_update"]), ("new", of_1["tool_call"]))
    }
    roles = {kind: (cls.role, cls.opens_turn) for kind, cls in of_2.items() if hasattr(cls, "role")}

    assert facts == {"1": (False, False, True), "2": (False, True, False), "new": (True, True, True)}
    assert of_2["tool_call"] is of_1["tool_call"]
    assert roles == {
        "user_message_chunk": ("user", True),
        "user_message": ("user", True),
        "agent_message_chunk": ("agent", False),
        "agent_message": ("agent", False),
        "agent_thought_chunk": ("thought", False),
        "agent_thought": ("thought", False),
        "session_message": ("session", False),
        "session_message_chunk": ("session", False),
    }
    assert not any(cls.opens_turn for cls in of_1.values() if hasattr(cls, "role"))


def test_a_reader_is_made_once():
    assert reader_of(content.ContentBlock) is reader_of(content.ContentBlock)
    assert reader_of(u.ToolCall) is reader_of(u.ToolCall)
