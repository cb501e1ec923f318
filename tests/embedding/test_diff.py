"""Changes between snapshots: found, applied, and as JSON that others can apply to the document."""

from __future__ import annotations

import functools
import itertools
import json
import pathlib

from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Any

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state import changes as c
from acp_state.change_json import changes_to_json
from acp_state.changes import Change, apply
from acp_state.diffing import diff
from acp_state.document import loads, to_document
from acp_state.folding import Fold
from acp_state.state import EMPTY, Snapshot
from acp_state.tracing import trace

from strategies import conversations
from support.effort import bytes_asked_for, calls_into_c, many, opcodes_and_calls, ran
from support.recordings import frames_of, told
from support.talk import Sent


GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
TRANSCRIPTS = sorted(
    path
    for path in GOLDEN.iterdir()
    if not path.name.endswith((".state.json", ".diagnostics.json", ".md")) and path.is_file() and not path.name.startswith(".")
)


def snapshots_of(frames) -> list:
    work = Fold()
    found = [EMPTY]
    for frame in frames:
        work.take(frame)
        found.append(work.snapshot)
    return found


@functools.cache
def golden_snapshots(path: pathlib.Path) -> list:
    return [EMPTY, *(step.after for step in trace(path) if step.frame is not None)]


# --- a client of the JSON form, as somebody would write it in another language ---------------------------------


def found(document: Any, pointer: str) -> tuple[Any, Any]:
    *path, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for part in path:
        if isinstance(document, list):
            document = document[int(part)]
        else:
            document = document.setdefault(part, {} if part in ("sessions", "connection") else [])
    return document, int(last) if isinstance(document, list) else last


def patched(document: Any, change: dict) -> None:
    holder, place = found(document, change["path"])
    if "value" in change:
        if isinstance(holder, list) and place == len(holder):
            holder.append(change["value"])
        else:
            holder[place] = change["value"]
    elif "set" in change or "unset" in change:
        target = holder[place]
        target.update(change.get("set", {}))
        for name in change.get("unset", ()):
            target.pop(name, None)
    elif "text" in change:
        text = holder[place]["text"] + change["text"]
        holder[place]["text"] = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    elif "base64" in change:
        output = holder[place]["output"]
        data = output.encode() if isinstance(output, str) else b64decode(output["base64"])
        data += b64decode(change["base64"])
        try:
            holder[place]["output"] = data.decode()
        except UnicodeDecodeError:
            holder[place]["output"] = {"base64": b64encode(data).decode()}
    else:
        del holder[place]


def shown(snapshot) -> Any:
    """The document of a snapshot, without what JSON alone cannot tell apart: lists that are empty and absent."""
    document = json.loads(json.dumps(to_document(snapshot)))
    document.pop("wire", None)
    return emptied(document)


def emptied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: emptied(item) for key, item in value.items() if not (item == [] and key in LISTS)}
    return [emptied(item) for item in value] if isinstance(value, list) else value


LISTS = (
    "openRequests",
    "elicitations",
    "extensions",
    "subagents",
    "plans",
    "terminals",
    "files",
    "turns",
    "notices",
    "unknownUpdates",
    "timeline",
)


def assert_changes_lead_on(snapshots: list) -> None:
    """From each of *snapshots* to the next; and, one after the other, a copy and a document that never see them."""
    document = shown(snapshots[0])
    copy = snapshots[0]
    for before, after in itertools.pairwise(snapshots):
        changes = diff(before, after)
        assert (before is after) == (not changes) or before == after
        assert apply(before, changes) == after
        assert_json_leads_on(document, changes, after)
        copy = apply(copy, changes)
        assert copy == after


def assert_json_leads_on(document: Any, changes: Iterable[Change], after: Snapshot) -> None:
    for change in changes_to_json(changes, after):
        patched(document, json.loads(json.dumps(change)))
    assert emptied(document) == shown(after)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_of_every_frame_of_a_transcript(path):
    assert_changes_lead_on(golden_snapshots(path))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_over_several_frames_of_a_transcript(path):
    snapshots = golden_snapshots(path)

    assert_changes_lead_on(snapshots[::3])
    assert_changes_lead_on([snapshots[0], snapshots[-1]])


@given(conversations())
def test_of_every_frame_of_a_made_up_conversation(conversation):
    ran("conversations")
    assert_changes_lead_on(snapshots_of(frames_of(conversation)))


# --- any two snapshots -------------------------------------------------------------------------------------------


def assert_changes_lead_from_one_to_the_other(before: Snapshot, after: Snapshot) -> None:
    changes = diff(before, after)

    assert apply(before, changes) == after
    assert_json_leads_on(shown(before), changes, after)


@many(1.5)
@given(conversations(30), st.lists(st.integers(1, 8), min_size=1))
def test_over_any_frames_of_a_conversation_again_and_again(conversation, steps):
    """What was applied, too, can be gone on with: a copy keeps the places that the original has."""
    ran("conversations")
    snapshots = snapshots_of(frames_of(conversation))
    last = copy = EMPTY
    place = 0
    for step in itertools.cycle(steps):
        place += step
        if place >= len(snapshots):
            break
        copy = apply(copy, diff(last, snapshots[place]))
        last = snapshots[place]
        assert copy == last
        assert told(copy) == told(last)


@given(conversations(), st.data())
def test_between_any_two_snapshots_of_a_conversation_also_backwards(conversation, data):
    ran("conversations")
    some = st.sampled_from(snapshots_of(frames_of(conversation)))
    for _ in range(4):
        assert_changes_lead_from_one_to_the_other(data.draw(some), data.draw(some))


@given(conversations(), conversations(), st.data())
def test_between_snapshots_of_two_conversations(one, other, data):
    ran("conversations", 2)
    before = data.draw(st.sampled_from(snapshots_of(frames_of(one))))
    after = data.draw(st.sampled_from(snapshots_of(frames_of(other))))

    assert_changes_lead_from_one_to_the_other(before, after)
    assert_changes_lead_from_one_to_the_other(after, before)


@given(conversations(), st.data())
def test_between_a_snapshot_and_one_that_was_read_from_a_document(conversation, data):
    ran("conversations")
    some = st.sampled_from(snapshots_of(frames_of(conversation)))
    read = loads(told(data.draw(some))).snapshot

    assert_changes_lead_from_one_to_the_other(data.draw(some), read)
    assert_changes_lead_from_one_to_the_other(read, data.draw(some))
    assert_changes_lead_from_one_to_the_other(read, loads(told(read)).snapshot)


def test_between_the_goldens():
    last = [golden_snapshots(path)[-1] for path in TRANSCRIPTS]

    for before, after in itertools.pairwise([*last, last[0], EMPTY]):
        assert_changes_lead_from_one_to_the_other(before, after)


def asked(id, sender="agent"):
    return frames_of([Sent(sender, {"jsonrpc": "2.0", "id": id, "method": "_x", "params": {}})])


def answered(id, sender="client"):
    return frames_of([Sent(sender, {"jsonrpc": "2.0", "id": id, "result": {}})])


def test_places_that_came_and_went_in_between_stay_empty():
    start, *_, both, second = snapshots_of([*asked(1), *asked(2), *answered(1), *asked(3), *answered(2)])
    copy = apply(start, diff(start, both))

    assert [change.place for change in diff(start, both) if isinstance(change, c.RowAdded) and change.table == "open_requests"] == [1, 2]
    assert apply(copy, diff(both, second)) == second


def test_what_is_there_again_is_in_its_order():
    *_, both, second = snapshots_of([*asked(1), *asked(2), *answered(1)])

    assert [request.id for request in apply(second, diff(second, both)).connection.open_requests] == [1, 2]


# --- what a client is told ---------------------------------------------------------------------------------------


def update(kind, session="s-1", **fields):
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}
    return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": params})


def chunk(words, **fields):
    return update("agent_message_chunk", content={"type": "text", "text": words}, **fields)


def request(sender, id, method, **params):
    return Sent(sender, {"jsonrpc": "2.0", "id": id, "method": method, "params": {"sessionId": "s-1", **params}})


def answer(sender, id, **result):
    return Sent(sender, {"jsonrpc": "2.0", "id": id, "result": result})


ALLOW = {"optionId": "o", "name": "Allow", "kind": "allow_once"}
STORY = (
    (request("client", 0, "initialize", protocolVersion=1), "RowAdded open_requests 0, ConnectionChanged phase requested_protocol_version"),
    (
        answer("agent", 0, protocolVersion=1, agentCapabilities={}),
        "RowRemoved open_requests 0, ConnectionChanged phase protocol_version agent_capabilities",
    ),
    (request("client", 1, "session/new", cwd="/", mcpServers=[]), "RowAdded open_requests 1"),
    (answer("agent", 1, sessionId="s-1"), "RowRemoved open_requests 1, SessionAdded"),
    (request("client", 2, "session/prompt", prompt=[]), "RowAdded open_requests 2, EntryAdded 0, TurnBegan 0, SessionChanged activity"),
    (chunk("a"), "EntryAdded 1, SessionChanged"),
    (chunk("b c"), "TextAppended 1 'b c'"),
    (update("tool_call", toolCallId="t", title="T"), "EntryAdded 2, SessionChanged"),
    (update("tool_call_update", toolCallId="t", status="in_progress"), "EntryChanged 2 status"),
    (
        request("agent", 0, "session/request_permission", toolCall={"toolCallId": "t"}, options=[ALLOW]),
        "RowAdded open_requests 3, EntryAdded 3, SessionChanged activity",
    ),
    (
        answer("client", 0, outcome={"outcome": "selected", "optionId": "o"}),
        "RowRemoved open_requests 3, EntryChanged 3 status option_id decision, SessionChanged activity",
    ),
    (update("tool_call_update", toolCallId="t", status="completed", title="T"), "EntryChanged 2 status"),
    (update("plan", entries=[]), "RowAdded plans 0"),
    (update("plan", entries=[{"content": "c", "priority": "low", "status": "pending"}]), "RowChanged plans 0 entries"),
    (update("plan_removed", planId="p"), ""),
    (update("notice", severity="info", title="t"), "RowAdded notices 0"),
    (update("notice", severity="info", title="t"), "RowAdded notices 1"),
    (update("_x"), "RowAdded unknown_updates 0"),
    (update("usage_update", used=1, size=2), "SessionChanged usage"),
    (update("current_mode_update", currentModeId="m"), "SessionChanged modes"),
    (update("terminal_update", terminalId="k", command="c"), "RowAdded terminals 0"),
    (update("terminal_output_chunk", terminalId="k", data="YQ=="), "RowChanged terminals 0 output"),
    (update("terminal_output_chunk", terminalId="k", data="Yg=="), "OutputAppended 0 b'b'"),
    (update("terminal_update", terminalId="k", output={"data": ""}), "RowChanged terminals 0 output"),
    (update("terminal_output_chunk", terminalId="k", data="Yw=="), "OutputAppended 0 b'c'"),
    (
        answer("agent", 2, stopReason="end_turn"),
        "RowRemoved open_requests 2, TurnChanged 0 status stop_reason, SessionChanged activity stop_reason",
    ),
    (request("client", 3, "session/load", cwd="/", mcpServers=[]), "RowAdded open_requests 4, SessionChanged phase"),
    (update("user_message_chunk", content={"type": "text", "text": "a"}), "HistoryReplaced, SessionChanged before"),
    (chunk("a"), "EntryAdded 1"),
    (answer("agent", 3), "RowRemoved open_requests 4, SessionChanged phase before"),
)


def words_of(change: Change) -> Iterable[str]:
    """What is said of a change, without what going on alone needs."""
    yield type(change).__name__
    for name in ("table", "place", "text", "data"):
        if hasattr(change, name):
            value = getattr(change, name)
            yield repr(value) if name in ("text", "data") else str(value)
    if isinstance(change, (c.EntryChanged, c.TurnChanged, c.RowChanged)):
        yield from change.changed
    if isinstance(change, (c.SessionChanged, c.ConnectionChanged)):
        yield from (name for name in change.values if not name.startswith("_"))


def test_what_a_client_is_told_of_a_turn_and_a_replay():
    sent, expected = zip(*STORY, strict=True)
    told_ = [
        ", ".join(" ".join(words_of(change)) for change in diff(before, after))
        for before, after in itertools.pairwise(snapshots_of(frames_of(sent)))
    ]

    assert told_ == list(expected)


# --- what it costs -----------------------------------------------------------------------------------------------

HISTORIES = {
    "chunks": lambda _: [chunk("a", messageId="m")],
    "messages": lambda n: [chunk("a", messageId=f"m{n}")],
    "calls": lambda n: [update("tool_call", toolCallId=f"t{n}", title="T")],
    "turns": lambda n: [request("client", n, "session/prompt", prompt=[]), answer("agent", n, stopReason="end_turn")],
    "permissions": lambda n: [
        request("agent", n, "session/request_permission", toolCall={"toolCallId": "t"}, options=[ALLOW]),
        answer("client", n, outcome={"outcome": "cancelled"}),
    ],
    "open requests": lambda n: [request("agent", n, "_x")],
    "sessions": lambda n: [chunk("a", session=f"s{n}")],
    "plans": lambda n: [update("plan_update", plan={"type": "markdown", "planId": f"p{n}", "content": "c"})],
    "output": lambda _: [update("terminal_output_chunk", terminalId="k", data="YQ==")],
    "notices": lambda _: [update("notice", severity="info", title="t")],
    "unknown updates": lambda _: [update("_x")],
}
PROBES = {
    "a chunk": chunk("b", messageId="m"),
    "a message": chunk("b", messageId="new"),
    "a call": update("tool_call", toolCallId="new", title="T"),
    "a plan": update("plan_update", plan={"type": "markdown", "planId": "p1", "content": "d"}),
    "output": update("terminal_output_chunk", terminalId="k", data="YQ=="),
    "a notice": update("notice", severity="info", title="t"),
    "an unknown update": update("_x"),
    "a request": request("agent", "new", "_x"),
    "a turn": request("client", "new", "session/prompt", prompt=[]),
    "a session": chunk("b", session="new"),
}
SHORT, LONG = 1100, 3300
"""Both of three levels of a trie, so that a level more is not what is measured."""


def costs_after(history, size):
    work = Fold()
    for sent in STORY[:4]:
        work.take(*frames_of([sent[0]]))
    for step in range(size):
        for frame in frames_of(HISTORIES[history](step)):
            work.take(frame)
    for name, probe in PROBES.items():
        before = work.snapshot
        work.take(*frames_of([probe]))
        yield name, cost_of(before, work.snapshot)


def cost_of(before, after):
    """What it costs at the least to find the changes, and to print them."""

    def act():
        return changes_to_json(diff(before, after), after)

    act()
    return (*opcodes_and_calls(act), calls_into_c(act), bytes_asked_for(act))


@pytest.mark.parametrize("history", HISTORIES)
def test_changes_cost_the_same_after_a_long_history(history):
    short, long = dict(costs_after(history, SHORT)), dict(costs_after(history, LONG))
    grown = {
        name: (short[name], long[name])
        for name in short
        if any(many > few * 1.3 + 200 for few, many in zip(short[name], long[name], strict=True))
    }

    assert grown == {}


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_what_json_tells_of_a_change_is_visible(path):
    for step in trace(path):
        for change in step.changes:
            if isinstance(change, (c.SessionChanged, c.ConnectionChanged)):
                assert change.visible or not changes_to_json([change], step.after)
                assert change.visible == any(not name.startswith("_") or name in ("_loading", "_prompts") for name in change.values)
