"""Field cases, section D: patch semantics and tool content."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, item, of_version, same, shows, text, v1, v2


def diff(path="/w/a", new="x", old=ABSENT):
    found = {"type": "diff", "path": path, "newText": new}
    return found if old is ABSENT else {**found, "oldText": old}


# --- P-01 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_P_01_status_only_update_resets_title_kind_input(version):
    fields = {"title": "Run", "kind": "execute", "rawInput": {"cmd": "x"}, "rawOutput": [1], "locations": [{"path": "/w/a"}]}
    transcript = of_version(version).tool_update("t1", content=[item("c")], name="run", _meta={"k": 1}, **fields)
    document = transcript.tool_update("t1", status="completed").fold()

    call = document.tool()
    assert call["status"] == "completed"
    assert {name: call[name] for name in fields} == fields
    assert (call["content"], call["name"], call["_meta"]) == ([item("c")], "run", {"k": 1})


def test_P_01_after_a_v1_tool_call():
    document = (
        v1()
        .tool_call("t1", "Run", kind="execute", rawInput={"cmd": "x"}, locations=[{"path": "/w/a"}])
        .tool_update("t1", status="completed")
        .fold()
    )

    assert document.tool() == {
        "type": "tool_call",
        "id": "t1",
        "title": "Run",
        "kind": "execute",
        "status": "completed",
        "content": [],
        "locations": [{"path": "/w/a"}],
        "rawInput": {"cmd": "x"},
    }


def test_P_01_a_title_only_update_resets_no_status():
    document = v1().tool_call("t1", "Run", status="in_progress").tool_update("t1", title="Ran").fold()

    assert document.tool()["status"] == "in_progress"


# --- P-02 ------------------------------------------------------------------------------------------------


def test_P_02_v2_null_versus_omitted():
    document = (
        v2()
        .tool_update("t1", title="A", rawOutput={"n": 1}, locations=[{"path": "/w/a"}], status="in_progress")
        .tool_update("t1", rawOutput=None, locations=None)
        .fold()
    )

    call = document.tool()
    assert "rawOutput" not in call
    assert call.get("locations", []) == []
    assert (call["title"], call["status"]) == ("A", "in_progress")


@pytest.mark.parametrize(
    ("field", "value", "default"),
    [
        ("title", "A", None),
        ("kind", "edit", "other"),
        ("status", "in_progress", "pending"),
        ("content", [item("x")], []),
        ("name", "run", ABSENT),
        ("rawInput", {"a": 1}, ABSENT),
        ("rawOutput", [1], ABSENT),
        ("capabilities", {"cancel": {}}, ABSENT),
        ("_meta", {"a": 1}, ABSENT),
    ],
)
def test_P_02_null_brings_the_default_back(field, value, default):
    transcript = v2().tool_update("t1", **{field: value})
    assert transcript.fold().tool()[field] == value

    cleared = transcript.tool_update("t1", **{field: None}).fold().tool()
    assert cleared.get(field, ABSENT) == default


# --- P-03 ------------------------------------------------------------------------------------------------


def test_P_03_v1_null_in_an_update():
    document = (
        v1()
        .tool_call("t1", "Run", content=[item("x")])
        .tool_update("t1", title=None, content=None, status="completed")
        .fold()
    )  # fmt: skip

    assert document.tool()["title"] == "Run"
    assert document.tool()["content"] == [item("x")]
    assert document.tool()["status"] == "completed"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "edit"),
        ("status", "in_progress"),
        ("locations", [{"path": "/w/a"}]),
        ("name", "run"),
        ("rawInput", {"a": 1}),
        ("rawOutput", [1]),
        ("_meta", {"a": 1}),
    ],
)
def test_P_03_null_is_omission_for_every_field(field, value):
    document = v1().tool_call("t1", **{field: value}).tool_update("t1", **{field: None}).fold()

    assert document.tool()[field] == value


def test_P_03_so_it_is_in_a_repeated_tool_call():
    document = v1().tool_call("t1", "Run", kind="edit", content=[item("x")]).tool_call("t1", "Ran", kind=None, content=None).fold()

    assert (document.tool()["title"], document.tool()["kind"], document.tool()["content"]) == ("Ran", "edit", [item("x")])


# --- P-04 ------------------------------------------------------------------------------------------------


def test_P_04_content_appended_instead_of_replaced():
    document = (
        v1()
        .tool_call("t1")
        .tool_update("t1", content=[shows("term-1"), item("1/2")])
        .tool_update("t1", content=[item("2/2")])
        .fold()
    )  # fmt: skip

    assert document.tool()["content"] == [item("2/2")]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("field", "first", "second"), [("locations", [{"path": "/a"}, {"path": "/b"}], [{"path": "/c"}])])
def test_P_04_locations_are_replaced_too(version, field, first, second):
    document = of_version(version).tool_update("t1", **{field: first}).tool_update("t1", **{field: second}).fold()

    assert document.tool()[field] == second


def test_P_04_an_empty_list_replaces_too():
    document = v1().tool_call("t1", content=[item("x")]).tool_update("t1", content=[]).fold()

    assert document.tool()["content"] == []


def test_P_04_v2_chunks_append_until_the_next_replacement():
    document = (
        v2()
        .tool_update("t1", content=[item("a")])
        .tool_chunk("t1", item("b"))
        .tool_update("t1", content=[item("c")])
        .tool_chunk("t1", item("d"))
        .fold()
    )

    assert document.tool()["content"] == [item("c"), item("d")]


# --- P-07 ------------------------------------------------------------------------------------------------


def test_P_07_raw_input_and_output_of_any_json_type():
    document = v1().tool_call("t1", rawInput='{"a":1}').tool_update("t1", rawOutput=[1, "two", None]).fold()

    assert document.tool()["rawInput"] == '{"a":1}'
    assert document.tool()["rawOutput"] == [1, "two", None]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("field", ["rawInput", "rawOutput"])
@pytest.mark.parametrize(
    "value", [3.0, 3, 0, -0.5, False, True, "", [], {}, {"a": None}, [None], "7", 12345678901234567890, 1e300], ids=repr
)
def test_P_07_each_is_stored_as_sent(version, field, value):
    document = of_version(version).tool_update("t1", **{field: value}).fold()

    assert same(document.tool()[field], value)
    assert "malformed-field" not in document.codes


@pytest.mark.parametrize("value", [False, 0, "", [], {}], ids=repr)
def test_P_07_an_empty_value_replaces_a_full_one(value):
    document = v1().tool_call("t1", rawInput={"cmd": "x"}).tool_update("t1", rawInput=value).fold()

    assert same(document.tool()["rawInput"], value)


# --- P-08 ------------------------------------------------------------------------------------------------


SHOWN = {"toolCallId": "t1", "rawInput": {}, "content": [item("why")]}


def asked_twice():
    return (
        v1()
        .prompt(1)
        .tool_call("t1", "Edit", rawInput={"path": "/w/a"}, content=[diff()])
        .permission(14, "t1", rawInput={}, content=[item("why")])
    )  # fmt: skip


def test_P_08_permissions_embedded_update_empties_the_real_input():
    between = asked_twice().fold()
    document = asked_twice().tool_update("t1", rawInput={"path": "/w/a"}).fold()

    assert between.tool()["rawInput"] == {}
    assert document.tool()["rawInput"] == {"path": "/w/a"}
    assert document.tool()["content"] == [item("why")]
    assert document.tool()["title"] == "Edit"
    assert document.permission(14)["subject"] == {"type": "tool_call", "toolCall": SHOWN}


def test_P_08_what_was_shown_stays_whatever_becomes_of_the_call():
    document = asked_twice().selects(14).tool_update("t1", content=[item("done")], status="completed", title="Edited").fold()

    assert document.permission(14)["subject"] == {"type": "tool_call", "toolCall": SHOWN}


def test_P_08_what_the_permission_omits_it_leaves():
    document = v1().tool_call("t1", "Edit", kind="edit", rawInput={"path": "/w/a"}).permission(14, "t1").fold()

    assert document.tool()["rawInput"] == {"path": "/w/a"}
    assert document.tool()["kind"] == "edit"


def test_P_08_in_v2_its_null_clears_like_any_updates():
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1", "rawInput": None}}
    document = v2().tool_update("t1", rawInput={"path": "/w/a"}, title="Edit").permission_v2(14, subject=subject).fold()

    assert "rawInput" not in document.tool()
    assert document.tool()["title"] == "Edit"
    assert document.permission(14)["subject"] == subject


# --- P-10 ------------------------------------------------------------------------------------------------


def test_P_10_new_file_versus_emptied_file_in_a_v1_diff():
    document = (
        v1()
        .tool_call("t1", content=[diff("/w/n", "x", None)])
        .tool_call("t2", content=[diff("/w/e", "x", "")])
        .tool_call("t3", content=[diff("/w/o", "x")])
        .fold()
    )

    assert document.tool("t1")["content"][0]["oldText"] is None
    assert document.tool("t2")["content"][0]["oldText"] == ""
    assert document.tool("t3")["content"][0].get("oldText") is None


def test_P_10_content_items_come_out_as_sent():
    sent = [diff("/w/n", "", None), diff("/w/e", "x", ""), diff("/w/o", "x"), {**diff(), "_meta": {"k": None}, "extra": [None]}]
    document = v1().tool_call("t1", content=sent).fold()

    assert document.tool()["content"] == sent


def test_P_10_a_v2_diff_comes_out_as_sent():
    sent = {
        "type": "diff",
        "changes": [{"operation": "add", "path": "/w/n", "fileType": None}, {"operation": "_swirl", "path": "/w/e"}],
        "patch": None,
    }
    document = v2().tool_update("t1", content=[sent]).fold()

    assert document.tool()["content"] == [sent]


# --- P-11 ------------------------------------------------------------------------------------------------


def test_P_11_diff_without_new_text():
    document = v1().tool_call("t1", kind="edit", content=[{"type": "diff", "path": "/w/a"}, item("note")]).fold()

    assert document.tool()["content"] == [item("note")]
    assert document.tool()["kind"] == "edit"
    assert document.codes == ["skipped-item"]


@pytest.mark.parametrize(
    "broken",
    [
        {"type": "diff", "newText": "x"},
        {"type": "diff", "path": "/w/a", "newText": None},
        {"type": "diff", "path": 7, "newText": "x"},
        {"type": "content"},
        {"type": "content", "content": {"type": "text"}},
        {"type": "content", "content": "x"},
        "x",
        None,
        [],
        {"type": 3},
    ],
    ids=str,
)
def test_P_11_whatever_is_malformed_in_an_item_costs_the_item_alone(broken):
    document = v1().tool_call("t1", kind="edit", content=[item("a"), broken, item("b")]).fold()

    assert document.tool()["content"] == [item("a"), item("b")]
    assert document.tool()["kind"] == "edit"
    assert document.codes == ["skipped-item"]


def test_P_11_in_v2_too():
    document = v2().tool_update("t1", content=[{"type": "diff", "changes": "x"}, item("note")], kind="edit").fold()

    assert document.tool()["content"] == [item("note")]
    assert document.codes == ["skipped-item"]


def test_P_11_so_does_a_malformed_location():
    document = v1().tool_call("t1", locations=[{"path": "/a"}, {"line": 3}, {"path": 5}, {"path": "/b"}]).fold()

    assert document.tool()["locations"] == [{"path": "/a"}, {"path": "/b"}]
    assert set(document.codes) == {"skipped-item"}


# --- P-12 ------------------------------------------------------------------------------------------------


def test_P_12_bare_content_block_where_a_wrapped_one_is_required():
    document = v1().tool_call("t1", kind="edit").tool_update("t1", content=[text("plan")], title="Plan").fold()

    assert document.tool()["content"] == [text("plan")]
    assert (document.tool()["kind"], document.tool()["title"]) == ("edit", "Plan")
    assert document.codes == ["unknown-variant"]


def test_P_12_in_v2_it_is_an_unknown_item_and_no_diagnostic():
    document = v2().tool_update("t1", content=[text("plan"), item("x")]).fold()

    assert document.tool()["content"] == [text("plan"), item("x")]
    assert document.codes == []


def test_P_12_an_unknown_item_keeps_its_place():
    glow = {"type": "hologram", "layers": [None, 1]}
    document = v1().tool_call("t1", content=[item("a"), glow, item("b")]).fold()

    assert document.tool()["content"] == [item("a"), glow, item("b")]
