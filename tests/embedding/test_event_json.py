"""Events as JSON: what is there, what is left out, and that all of them can be printed."""

from __future__ import annotations

import json

from pathlib import Path

import pytest

from acp_state import events as e
from acp_state import state as s
from acp_state._json import FrozenDict, freeze, key_of
from acp_state._model import UNSET
from acp_state.event_json import event_to_json
from acp_state.printing import json_text
from acp_state.protocol import updates as u
from acp_state.protocol.content import TextContent
from acp_state.tracing import trace


GOLDEN = Path(__file__).parents[2] / "golden"


def update(update, parent=None, live=False):
    return e.LinkedUpdate("s-1", update, parent, live) if parent or live else e.SessionUpdate("s-1", update)


def test_what_was_not_told_is_left_out_and_what_is_cleared_is_null():
    assert event_to_json(update(u.ToolCallUpdate("t1", title=None, status="completed", raw_output=False))) == {
        "event": "tool_call_update",
        "sessionId": "s-1",
        "toolCallId": "t1",
        "title": None,
        "status": "completed",
        "rawOutput": False,
    }


def test_an_update_says_what_is_known_of_it_besides():
    assert event_to_json(update(u.ToolCall("t1", "Look"), parent="t0", live=True)) == {
        "event": "tool_call_update",
        "introduces": True,
        "parent": "t0",
        "live": True,
        "sessionId": "s-1",
        "toolCallId": "t1",
        "title": "Look",
    }


def test_an_update_of_an_unknown_kind_is_as_it_was_sent():
    sent = freeze({"sessionUpdate": "_x", "n": [1]})
    assert event_to_json(update(u.UnknownUpdate(sent))) == {"event": "unknown_update", "sessionId": "s-1", "update": sent}


@pytest.mark.parametrize("block", [TextContent("a"), freeze({"type": "text", "text": "a"})], ids=["from C", "lenient"])
def test_a_block_is_the_same_whichever_reader_read_it(block):
    printed = event_to_json(update(u.AgentMessageChunk1(block)))

    assert printed == {"event": "agent_message_chunk", "sessionId": "s-1", "content": {"type": "text", "text": "a"}}


def test_what_has_no_default_is_always_there():
    assert event_to_json(e.Authenticated(None)) == {"event": "authenticated", "methodId": None}


@pytest.mark.parametrize("id", ["3", 3, 1.0, True, None, [1], {"a": 1}])
def test_a_key_is_printed_as_the_request_s_id(id):
    printed = event_to_json(e.RequestClosed(("agent", key_of(freeze(id)))))["key"]
    assert printed.pop("from") == "agent"
    assert json.dumps(printed) == json.dumps({"id": id})


def test_a_key_is_a_number_where_there_are_no_ids():
    assert event_to_json(e.PromptAnswered("s", ("#", 2), "end_turn"))["key"] == {"number": 2}
    assert event_to_json(e.RequestClosed(("client", ("#", 4))))["key"] == {"from": "client", "number": 4}
    told = e.ExtensionSent(None, None, s.Extension("agent", "notification", UNSET, "_x", FrozenDict(), None))
    assert event_to_json(told)["key"] is None


def test_bytes_are_base64():
    assert event_to_json(e.TerminalPrinted("s", "t", b"\xff"))["data"] == {"base64": "/w=="}
    assert event_to_json(update(u.TerminalOutputChunk("t", b"\xff")))["data"] == {"base64": "/w=="}


def test_a_member_is_not_called_like_what_every_line_has():
    for cls in (*e.EVENTS, *u.UPDATES[1].values(), *u.UPDATES[2].values()):
        assert not {*cls.__struct_fields__, *cls.__struct_encode_fields__} & {"event", "frame", "line", "time", "recording"}


def test_the_events_of_every_golden_can_be_printed():
    seen = set()
    for path in sorted(GOLDEN.glob("*.ndjson")) + sorted(GOLDEN.glob("*.jsonl")):
        for step in trace(path):
            for event in step.events:
                printed = event_to_json(event)
                seen.add(printed["event"])
                assert json.loads(json_text(printed)) == printed
    assert len(seen) > len(e.EVENTS | {*u.UPDATES[1]}) - 8
