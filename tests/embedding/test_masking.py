"""Masks: what is volatile in documents, replaced so that what is the same still shows."""

from __future__ import annotations

import json

import pytest

from hypothesis import given

from acp_state.document import MAX_DOCUMENT_DEPTH, to_document
from acp_state.errors import GoldenError
from acp_state.findings import to_object
from acp_state.folding import fold
from acp_state.masking import NAMED, Mask

from strategies import conversations, json_values
from support.recordings import frames_of


def masked(document, *rules):
    return Mask.of(rules).apply(document)[0]


def in_session(**members):
    return {"sessions": {"s": {"id": "s", **members}}}


# --- rules of one's own ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("x=/a", {"a": 1, "b": 1}, {"a": "<x>", "b": 1}),
        ("x=/a", {"a": {"b": 1}}, {"a": "<x>"}),
        ("x=/a", {"a": None}, {"a": None}),
        ("x=/a", {"a": True}, {"a": "<x>"}),
        ("x=/a/*", {"a": [1, [2]]}, {"a": ["<x>", "<x>"]}),
        ("x=/a/*Id", {"a": {"runId": "r", "id": "i"}}, {"a": {"runId": "<x>", "id": "i"}}),
        ("x=/**/a", {"a": 1, "b": [{"a": 2}]}, {"a": "<x>", "b": [{"a": "<x>"}]}),
        ("x=/a/**/c", {"a": {"c": 1, "b": {"c": 2}}, "c": 3}, {"a": {"c": "<x>", "b": {"c": "<x>"}}, "c": 3}),
        ("x=/**/a|c", {"a": 1, "b": {"c": 2}}, {"a": "<x>", "b": {"c": "<x>"}}),
        ("x=/a~1b", {"a/b": 1, "a": {"b": 1}}, {"a/b": "<x>", "a": {"b": 1}}),
        ("x=/a.b", {"a.b": 1, "a-b": 1}, {"a.b": "<x>", "a-b": 1}),
        ("x#=/*", [7, "7", 7, 7.0], ["<x-1>", "<x-2>", "<x-1>", "<x-3>"]),
        ("x~[0-9]+ms", {"a": "in 12ms, not 30ms", "3ms": 4}, {"a": "in <x>, not <x>", "<x>": 4}),
        ("x#~[0-9]+", ["9 and 8", "8"], ["<x-1> and <x-2>", "<x-2>"]),
        ("x~a*", ["bab"], ["b<x>b"]),
        ("x~(a|b)=/c", ["a=/c"], ["<x>"]),
    ],
)
def test_a_rule(rule, before, after):
    assert masked(before, rule) == after


def test_what_was_masked_is_masked_by_no_later_rule():
    assert masked({"a": "1", "b": "x 22"}, "n#=/a", "digits~[0-9]+") == {"a": "<n-1>", "b": "x <digits>"}


def test_two_keys_that_look_the_same_are_two_still():
    assert masked({"1": "a", "2": "b", "3": "c"}, "x~[0-9]") == {"<x>": "a", "<x> (2)": "b", "<x> (3)": "c"}


def test_documents_are_masked_alike():
    assert Mask.of(["x#=/*"]).apply(["one-1", "two-2"], ["two-2"], [{"said": "two-2!"}]) == [
        ["<x-1>", "<x-2>"],
        ["<x-2>"],
        ["<x-3>"],
    ]


@pytest.mark.parametrize("line", ["id", "x", "=/a", "x=a", "1x=/a", "x~", "x y=/a", "x~("])
def test_what_is_no_rule(line):
    with pytest.raises(GoldenError, match="no rule for masking"):
        Mask.of([line])


def test_blank_lines_are_no_rules():
    assert Mask.of(["", "  "]) == Mask()


# --- ids ---------------------------------------------------------------------------------------------------


def test_ids_keep_their_identity():
    document = {
        "sessions": {
            "0c8f-1": {
                "id": "0c8f-1",
                "timeline": [
                    {"type": "tool_call", "id": "call_77", "status": "pending", "rawInput": {"note": "see call_77, not call_778"}},
                    {"type": "permission", "id": 31, "toolCallId": "call_77", "options": [{"id": "yes", "kind": "allow_once"}]},
                    {"type": "message", "role": "agent", "id": None, "parent": "call_77", "content": []},
                ],
            },
            "child-2": {"id": "child-2", "parent": {"sessionId": "0c8f-1", "toolCallId": "call_77"}},
        }
    }

    assert masked(document, "ids") == {
        "sessions": {
            "<id-1>": {
                "id": "<id-1>",
                "timeline": [
                    {"type": "tool_call", "id": "<id-3>", "status": "pending", "rawInput": {"note": "see <id-3>, not call_778"}},
                    {"type": "permission", "id": "<id-4>", "toolCallId": "<id-3>", "options": [{"id": "yes", "kind": "allow_once"}]},
                    {"type": "message", "role": "agent", "id": None, "parent": "<id-3>", "content": []},
                ],
            },
            "<id-2>": {"id": "<id-2>", "parent": {"sessionId": "<id-1>", "toolCallId": "<id-3>"}},
        }
    }


def test_a_short_id_is_masked_where_an_id_stands_and_not_in_texts():
    document = in_session(timeline=[{"type": "tool_call", "id": "read", "kind": "read", "title": "read it"}])

    assert masked(document, "ids")["sessions"]["<id-1>"]["timeline"] == [
        {"type": "tool_call", "id": "<id-2>", "kind": "read", "title": "read it"}
    ]


def test_an_empty_id_is_none():
    document = {"sessions": {"": {"id": "", "cwd": ""}}, "wire": {"open": [{"facts": {"cwd": ""}}]}}

    assert masked(document, "ids", "paths") == document


def test_diagnostics_name_the_same_ids():
    state = in_session(timeline=[{"type": "permission", "id": 31}, {"type": "tool_call", "id": "toolu_01"}])
    findings = [
        {"code": "a", "sessionId": "s", "subject": "31", "message": "tool call 'toolu_01' is late"},
        {"code": "b", "subject": "x", "message": "session 's' has no 'x', it's so"},
    ]
    _, masked_findings = Mask.of(["ids"]).apply(state, findings)

    assert masked_findings == [
        {"code": "a", "sessionId": "<id-1>", "subject": "<id-2>", "message": "tool call '<id-3>' is late"},
        {"code": "b", "subject": "x", "message": "session '<id-1>' has no 'x', it's so"},
    ]


def updates_of(ids):
    session, other, call, another, message, terminal = ids
    updates = [
        {"sessionUpdate": "tool_call", "toolCallId": call, "title": "one"},
        {"sessionUpdate": "tool_call_update", "toolCallId": another, "status": "completed"},
        {"sessionUpdate": "tool_call_update", "toolCallId": another, "status": "pending"},
        {"sessionUpdate": "agent_message_chunk", "messageId": message, "content": {"type": "text", "text": f"as {call} says"}},
        {"sessionUpdate": "tool_call", "toolCallId": call, "content": [{"type": "terminal", "terminalId": terminal}]},
    ]
    return [{"sessionId": id, "update": update} for id in (session, other) for update in updates]


def test_the_same_session_with_other_ids_is_masked_to_the_same():
    ids = ("session-1", "session-2", "call-1", "call-2", "message-1", "terminal-1")
    one, other = (
        Mask.of(["ids"]).apply(to_document(folded), [to_object(finding) for finding in folded.diagnostics])
        for folded in (fold(updates_of(ids)), fold(updates_of([f"0{id}-f3" for id in ids])))
    )

    assert one == other
    assert "status-regression" in json.dumps(one)
    assert [id for id in ids if id in json.dumps(one)] == []


# --- times, paths, versions --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("at 2026-03-01T10:00:00Z.", "at <time>."),
        ("2026-03-01T10:00:00.123456+02:00", "<time>"),
        ("2026-03-01 10:00", "<time>"),
        ("2026-03-01", "<time>"),
        ("12026-03-01, v2026-03-011", "12026-03-01, v2026-03-011"),
    ],
)
def test_times(before, after):
    assert masked([before], "times") == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/srv/dir/a.py", "<path-1>/a.py"),
        ("file:///srv/dir/a.py:3", "file://<path-1>/a.py:3"),
        ("see '/srv/dir'", "see '<path-1>'"),
        ("/srv/dir-2/a.py and /srv/directory", "/srv/dir-2/a.py and /srv/directory"),
        ("see /tmp/tmpab12/x and /private/tmp/q", "see <path-2>/x and <path-3>"),
        ("/home/ana/.config, /Users/ana", "<path-2>/.config, <path-3>"),
        (r"C:\Users\ana\x", r"<path-2>\x"),
        ("/usr/bin/env", "/usr/bin/env"),
    ],
)
def test_paths(before, after):
    document = in_session(cwd="/srv/dir", title=before)

    assert masked(document, "paths") == in_session(cwd="<path-1>", title=after)


def test_a_longer_path_comes_first():
    document = in_session(cwd="/srv", additionalDirectories=["/srv/lib"], title="/srv/lib/x /srv/y")

    assert masked(document, "paths")["sessions"]["s"]["title"] == "<path-2>/x <path-1>/y"


def test_versions():
    document = {
        "connection": {"protocolVersion": 1, "agent": {"name": "a", "version": "3.1.0"}},
        "sessions": {},
        "note": "a 3.1.0, not 3.1.01",
    }

    assert masked(document, "versions") == {
        "connection": {"protocolVersion": 1, "agent": {"name": "a", "version": "<version>"}},
        "sessions": {},
        "note": "a <version>, not 3.1.01",
    }


# --- what holds of any document ----------------------------------------------------------------------------


@given(conversations())
def test_masking_twice_is_masking_once_and_takes_nothing_away(conversation):
    folded = fold(frames_of(conversation))
    document = json.loads(json.dumps(to_document(folded)))
    before = json.dumps(document)
    once = masked(document, *NAMED)

    assert json.dumps(document) == before
    assert masked(once, *NAMED) == once
    assert shape(once) == shape(document)


def shape(value):
    if isinstance(value, dict):
        return ["object", *(shape(item) for item in value.values())]
    return ["array", *map(shape, value)] if isinstance(value, list) else value is None


@given(json_values)
def test_nothing_raises(value):
    Mask.of([*NAMED, "x#=/**/a", "y~[a-z]"]).apply(value)


def test_a_document_may_be_nested_as_deep_as_one_can_be():
    value = []
    for _ in range(MAX_DOCUMENT_DEPTH // 2):
        value = {"a": [value]}

    assert masked(value, *NAMED) == value


@given(json_values)
def test_without_rules_nothing_changes(value):
    assert masked(value) == value
