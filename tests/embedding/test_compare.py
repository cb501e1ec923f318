"""Two documents compared for a person: what differs, where, and in words."""

from __future__ import annotations

import copy
import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state.compare import Difference, TextPart, compare, describe, text_parts, to_object
from acp_state.document import MAX_DOCUMENT_DEPTH, to_document
from acp_state.folding import fold

from strategies import conversations, json_values
from support.recordings import frames_of


def said(before, after, **options):
    return [describe(difference, **options) for difference in compare(before, after)]


def message(text, id=None, role="agent"):
    return {"type": "message", "role": role, "id": id, "content": [{"type": "text", "text": text}]}


def call(id, **members):
    return {"type": "tool_call", "id": id, "title": None, "kind": "other", "status": "pending", **members}


# --- values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["~ /a: 1 became 2"]),
        ({"a": 1}, {"a": 1.0}, ["~ /a: 1 became 1.0"]),
        ({"a": 1}, {"a": True}, ["~ /a: 1 became true"]),
        ({"a": None}, {}, ["- /a: null"]),
        ({}, {"a": None}, ["+ /a: null"]),
        ({"a": []}, {"a": {}}, ["~ /a: [] became {}"]),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, ["~ /a~1b/~0: 1 became 2"]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ['> the whole document: other order, ["a","b"] became ["b","a"]']),
        (1, 2, ["~ the whole document: 1 became 2"]),
        ([1, 2, 3], [1, 3], ["- /1: 2"]),
        ([1, 2, 3], [1, 9, 3], ["~ /1: 2 became 9"]),
        ([[1], [2]], [[1], [3]], ["~ /1/0: 2 became 3"]),
    ],
)
def test_values(before, after, expected):
    assert said(before, after) == expected


# --- entries -----------------------------------------------------------------------------------------------


def test_one_more_entry_is_one_difference_however_many_come_after_it():
    before = [message("hello"), call("a"), call("b"), call("c")]

    assert said(before, [before[0], call("new"), *before[1:]]) == [
        '+ /1 (tool_call new): {"type":"tool_call","id":"new","title":null,"kind":"other","status":"pending"}'
    ]


def test_entries_of_another_id_are_other_entries():
    found = compare([call("a"), call("b")], [call("a"), call("c")])

    assert [(difference.kind, difference.label) for difference in found] == [("removed", "tool_call b"), ("added", "tool_call c")]


def test_an_entry_that_changed_is_found_though_others_came_before_it():
    before = [call("a"), call("b")]
    after = [call("x"), call("a", status="completed"), call("b")]
    one, two = compare(before, after)

    assert (one.kind, one.is_at) == ("added", "/0")
    assert two == Difference("changed", "/0/status", "/1/status", "pending", "completed", "tool_call a")


def test_messages_without_an_id_are_aligned_by_what_did_not_change():
    before = [message("one"), message("two"), message("three")]
    after = [message("zero"), message("one"), message("two!"), message("three")]

    assert said(before, after) == [
        '+ /0 (message agent): {"type":"message","role":"agent","id":null,"content":[{"type":"text","text":"zero"}]}',
        '~ /2/content/0/text (message agent): appended "!"',
    ]


def test_a_message_of_another_role_is_another_message():
    assert [difference.kind for difference in compare([message("a")], [message("a", role="user")])] == ["removed", "added"]


def test_an_entry_that_stands_elsewhere_has_moved_and_what_changed_in_it_is_told():
    before = [call("a"), call("b"), call("c")]
    after = [call("b"), call("c"), call("a", status="failed")]

    assert said(before, after) == [
        "> /2 (tool_call a): moved, was /0",
        '~ /2/status (tool_call a): "pending" became "failed"',
    ]


def test_the_first_options_and_values_of_lists_have_names_too():
    options = [{"id": "yes", "name": "Yes", "kind": "allow_once"}, {"id": "no", "name": "No", "kind": "reject_once"}]
    after = copy.deepcopy(options)
    after[1]["kind"] = "reject_always"

    assert said({"options": options}, {"options": after}) == ['~ /options/1/kind (no): "reject_once" became "reject_always"']


# --- texts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        ("a", "a", ()),
        ("", "a", (TextPart(0, "", "a"),)),
        ("abc", "abcd", (TextPart(3, "", "d"),)),
        ("abcabc", "abc", (TextPart(3, "abc", ""),)),
        ("the old way", "the new way", (TextPart(4, "old", "new"),)),
        ("it failed here", "it completed here", (TextPart(3, "failed", "completed"),)),
        ("failed", "completed", (TextPart(0, "failed", "completed"),)),
        ("x failed", "x fainted", (TextPart(2, "failed", "fainted"),)),
        ("stream", "streaming", (TextPart(6, "", "ing"),)),
        ("a\nb\nc\nd\ne", "a\nX\nc\nd\nE\nf", (TextPart(2, "b", "X"), TextPart(8, "e", "E\nf"))),
        ("1\n2\n3\n4\n5\n", "1\n3\n4\n55\n", (TextPart(2, "2\n", ""), TextPart(9, "", "5"))),
    ],
)
def test_the_parts_of_a_text_that_changed(before, after, parts):
    assert text_parts(before, after) == parts


@given(st.text("ab\n\u2028", max_size=30), st.text("ab\n\u2028", max_size=30))
def test_the_parts_make_the_one_text_the_other(before, after):
    text = before
    for part in reversed(text_parts(before, after)):
        assert text[part.offset :].startswith(part.before)
        text = text[: part.offset] + part.after + text[part.offset + len(part.before) :]

    assert text == after


LONG = "It is a long way to the sea, and it is longer still on the way back.\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("one", "two", '"one" became "two"'),
        ("one", "one two", 'appended " two"'),
        ("", "one", '"" became "one"'),
        (LONG, LONG + "Then it ends.", 'appended "Then it ends."'),
        (LONG, LONG.replace("sea", "hills"), 'at character 25, "sea" became "hills"'),
        (LONG, LONG.replace(" still", ""), 'at character 47, left out "still "'),
        (LONG, LONG.replace("long ", "long, long "), 'at character 13, inserted ", long"'),
        (LONG * 2, LONG + LONG.replace("sea", "hills"), 'in line 2, "sea" became "hills"'),
        (LONG * 3, LONG.replace("sea", "hills") + LONG + LONG.replace("back", "home"), None),
    ],
)
def test_a_text_that_changed_is_told_by_what_changed(before, after, expected):
    (line,) = said({"text": before}, {"text": after})
    if expected is None:
        assert line.split("\n") == ["~ /text:", '    at character 25, "sea" became "hills"', '    in line 3, "back" became "home"']
    else:
        assert line == f"~ /text: {expected}"


def test_long_values_are_cut_and_say_so():
    assert said({}, {"a": "x" * 100}, width=10) == ['+ /a: "xxxxxxxx… (102 characters)']


def test_control_characters_drive_no_terminal():
    (line,) = said({"\x1b[2J": "a"}, {"\x1b[2J": "b\x1b]0;owned\x07\ud800\u202e"})

    assert line.isprintable()
    assert line.startswith("~ /\\x1b[2J")


# --- what holds of any two documents -----------------------------------------------------------------------


MISSING = object()


def resolved(document, pointer):
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        document = document[int(key) if isinstance(document, list) else key]
    return document


def without(document, pointers):
    """Return *document* without what stands at *pointers*."""
    document = json.loads(json.dumps({"": document}))
    for pointer in sorted(pointers, key=lambda pointer: [int(t) if t.isdigit() else -1 for t in pointer.split("/")], reverse=True):
        above, _, token = ("/" + pointer).rpartition("/")
        place = resolved(document, above if pointer else "")
        key = token.replace("~1", "/").replace("~0", "~")
        if isinstance(place, list):
            place[int(key)] = MISSING
        elif place is not MISSING:
            place.pop(key, None)
    return swept(document)


def swept(value):
    if isinstance(value, list):
        return [swept(item) for item in value if item is not MISSING]
    return {key: swept(item) for key, item in value.items()} if isinstance(value, dict) else value


def tops(pointers):
    """Those of *pointers* that are not below another one."""
    return {pointer for pointer in pointers if not any(pointer != other and pointer.startswith(other + "/") for other in pointers)}


def check(before, after):
    found = compare(before, after)
    for difference in found:
        if difference.kind in ("removed", "changed"):
            assert resolved(before, difference.was_at) == difference.before
        if difference.kind in ("added", "changed"):
            assert resolved(after, difference.is_at) == difference.after
        assert describe(difference).replace("\n", "").isprintable()
        json.dumps(to_object(difference))
    named = [difference for difference in found if difference.kind != "reordered"]
    assert without(before, tops({difference.was_at for difference in named} - {None})) == without(
        after, tops({difference.is_at for difference in named} - {None})
    )
    return found


@given(conversations(), conversations())
def test_what_is_not_told_is_the_same(one, other):
    before, after = (json.loads(json.dumps(to_document(fold(frames_of(conversation))))) for conversation in (one, other))

    assert compare(before, before) == []
    assert check(before, after) or before == after
    check(after, before)


_few = st.sampled_from((1, 1.0, True, None, "a", "b"))
_entries = st.fixed_dictionaries({}, optional={"type": st.sampled_from("xy"), "id": st.sampled_from((None, "1", "2", 1)), "v": _few})


@given(st.lists(_entries | _few, max_size=6), st.lists(_entries | _few, max_size=6))
def test_what_is_not_told_of_lists_is_the_same(before, after):
    check(before, after)


@given(json_values, json_values)
def test_nothing_raises(before, after):
    check(before, after)


def test_documents_may_be_nested_deeper_than_python_calls():
    before, after = 1, 2
    for _ in range(900):
        before, after = {"a": before}, {"a": after}

    assert [difference.pointer for difference in compare(before, after)] == ["/a" * 900]


def test_documents_with_lists_may_be_nested_as_deep_as_they_are_read():
    before, after = 1, 2
    for _ in range(MAX_DOCUMENT_DEPTH // 2):
        before, after = {"a": [before]}, {"a": [after]}

    assert [difference.pointer for difference in compare(before, after)] == ["/a/0" * (MAX_DOCUMENT_DEPTH // 2)]


def test_the_json_form():
    (changed,) = compare({"x": ["a"]}, {"x": ["ab"]})
    (moved, _) = compare([{"id": 1}, {"id": 2}, {"id": 3}], [{"id": 2}, {"id": 3}, {"id": 1, "a": 0}])

    assert to_object(changed) == {
        "kind": "changed",
        "pointer": "/x/0",
        "before": "a",
        "after": "ab",
        "parts": [{"offset": 1, "before": "", "after": "b"}],
    }
    assert to_object(moved) == {"kind": "moved", "pointer": "/2", "wasAt": "/0", "label": "1"}


def test_requests_of_both_sides_with_one_id_are_two():
    ours, theirs = (
        {"from": sender, "id": 2, "method": method} for sender, method in (("client", "session/prompt"), ("agent", "elicitation/create"))
    )

    assert [difference.kind for difference in compare({"openRequests": [ours]}, {"openRequests": [theirs]})] == ["removed", "added"]
