"""Events as JSON: what is there, what is left out, and that all of them can be printed."""

from __future__ import annotations

import json

from pathlib import Path
from typing import get_args

import pytest

from acp_state import events as e
from acp_state import state as s
from acp_state._json import FrozenDict, freeze, key_of
from acp_state._model import UNSET
from acp_state.event_json import event_to_json
from acp_state.printing import json_text
from acp_state.tracing import trace


GOLDEN = Path(__file__).parents[2] / "golden"


def test_what_was_not_told_is_left_out_and_what_is_cleared_is_null():
    event = e.ToolCallPatched("s-1", "t1", title=None, status="completed", raw_output=False, introduces=True)
    assert event_to_json(event) == {
        "event": "tool_call_patched",
        "sessionId": "s-1",
        "id": "t1",
        "title": None,
        "status": "completed",
        "rawOutput": False,
        "introduces": True,
    }


def test_what_has_no_default_is_always_there():
    assert event_to_json(e.Authenticated(None)) == {"event": "authenticated", "methodId": None}
    assert event_to_json(e.MessageChunked("s", "agent", None, freeze({"type": "text"}), text="")) == {
        "event": "message_chunked",
        "sessionId": "s",
        "role": "agent",
        "id": None,
        "block": {"type": "text"},
        "text": "",
    }


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
    assert event_to_json(e.TerminalOutputAppended("s", "t", "agent", b"\xff"))["data"] == {"base64": "/w=="}


def test_a_member_is_not_called_like_what_every_line_has():
    for cls in get_args(e.Event):
        assert not set(cls.__struct_fields__) & {"event", "frame", "line", "time", "recording"}


def test_the_events_of_every_golden_can_be_printed():
    seen = set()
    for path in sorted(GOLDEN.glob("*.ndjson")) + sorted(GOLDEN.glob("*.jsonl")):
        for step in trace(path):
            for event in step.events:
                printed = event_to_json(event)
                seen.add(printed["event"])
                assert json.loads(json_text(printed)) == printed
    assert len(seen) > len(get_args(e.Event)) - 6
