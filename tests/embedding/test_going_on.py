"""Going on from a document: a store that is left off anywhere, in the middle of a line, a turn or a load, loses nothing."""

from __future__ import annotations

import gc
import json
import weakref

import pytest

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from acp_state import DocumentError, Store, dumps, fold, loads
from acp_state.folding import Fold
from acp_state.frames import read_message
from acp_state.schema import document_schema

from strategies import conversations
from support.effort import many, ran
from support.recordings import folded, frames_of, recording, told
from support.talk import Sent


def line(message):
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def update(kind, **fields):
    params = {"sessionId": "s-1", "update": {"sessionUpdate": kind, **fields}}
    return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": params})


def chunk(words, role="agent"):
    return update(f"{role}_message_chunk", content={"type": "text", "text": words})


def asked(sender, id, method, **params):
    return Sent(sender, {"jsonrpc": "2.0", "id": id, "method": method, "params": {"sessionId": "s-1", **params}})


def answered(sender, id, **result):
    return Sent(sender, {"jsonrpc": "2.0", "id": id, "result": result})


START = [
    asked("client", 0, "initialize", protocolVersion=1),
    answered("agent", 0, protocolVersion=1, agentCapabilities={}),
    asked("client", 1, "session/new", cwd="/", mcpServers=[]),
    answered("agent", 1, sessionId="s-1"),
]
TURN = [
    asked("client", 2, "session/prompt", prompt=[{"type": "text", "text": "do it"}]),
    chunk("d", "user"),
    chunk("\N{GRINNING FACE}"),
    asked(
        "agent",
        0,
        "session/request_permission",
        toolCall={"toolCallId": "t"},
        options=[{"optionId": "o", "name": "O", "kind": "allow_once"}],
    ),
    answered("client", 0, outcome={"outcome": "selected", "optionId": "o"}),
    update("tool_call_update", toolCallId="t", status="completed"),
    answered("agent", 2, stopReason="end_turn"),
]
LOAD = [
    asked("client", 3, "session/load", cwd="/", mcpServers=[]),
    chunk("do it", "user"),
    chunk("a"),
    Sent("agent", {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "m"}}),
    chunk("b"),
]


def restarted(store):
    """What another process makes of the store's document."""
    text = dumps(store.state)
    again = Store.from_state(text)
    assert told(again.state) == told(store.state)
    assert again.snapshot == store.snapshot
    return again


@pytest.mark.parametrize("part", [TURN, LOAD], ids=["turn", "load"])
def test_a_client_that_restarts_anywhere_in_a_turn_or_a_load(part):
    conversation = [*START, *TURN, *part] if part is LOAD else [*START, *part]
    whole = folded(frames_of(conversation))
    store = Store()
    for sent in conversation:
        store = restarted(store)
        store.feed(sent.message, sent.sender)

    assert told(store.state) == told(whole)
    assert store.snapshot == whole.snapshot


def test_a_client_that_restarts_in_the_middle_of_two_lines():
    """Each side's line is cut in the middle of the other one's, too."""
    whole = folded(frames_of([*START, TURN[1], TURN[0]]))
    ahead = line(TURN[0].message)
    data = line(TURN[1].message).replace(b"\n", b"\r\n")
    start = Store()
    for sent in START:
        start.feed(sent.message, sent.sender)
    for cut in [*range(0, len(data) - 20, 7), *range(len(data) - 20, len(data) + 1)]:
        store = Store.from_state(start.state)
        store.feed(ahead[:17], "client")
        store.feed(data[:cut], "agent")
        store = restarted(store)
        store.feed(data[cut:], "agent")
        store.feed(ahead[17:], "client")

        assert told(store.state) == told(whole)


def test_a_document_with_half_lines_is_valid():
    store = Store()
    store.feed(b"{\n", "client")
    store.feed(b'{"a', "agent")
    document = json.loads(dumps(store.state))

    assert document["wire"]["sides"].keys() == {"client", "agent"}
    Draft202012Validator(document_schema()).validate(document)


def test_values_over_several_lines_of_each_side_go_on():
    pretty = [json.dumps(sent.message, indent=1).encode() for sent in (TURN[0], TURN[1])]
    whole = folded(frames_of([TURN[0], TURN[1]]))
    for cut in range(0, len(pretty[0]), 7):
        store = Store()
        store.feed(pretty[0][:cut], "client")
        store.feed(pretty[1][:cut], "agent")
        store = restarted(store)
        store.feed(pretty[0][cut:] + b"\n", "client")
        store.feed(pretty[1][cut:] + b"\n", "agent")

        assert told(store.state) == told(whole)


@many(2)
@given(conversations(18), st.lists(st.tuples(st.integers(0, 200), st.booleans()), min_size=1))
def test_a_client_that_restarts_again_and_again(conversation, cuts):
    ran("conversations")
    whole = folded(frames_of(conversation))
    store = Store()
    for sent, (cut, restarts) in zip(conversation, cuts * len(conversation), strict=False):
        data = line(sent.message)
        store.feed(data[:cut], sent.sender)
        store = restarted(store) if restarts else store
        store.feed(data[cut:], sent.sender)

    assert told(store.state) == told(whole)
    assert store.snapshot == whole.snapshot


@given(conversations(12), st.integers(0, 10_000))
def test_a_store_goes_on_with_what_a_fold_left_and_the_other_way_round(conversation, cut):
    ran("conversations")
    data = recording(conversation)
    cut %= len(data) + 1
    whole = fold(data)
    first = Store()
    first.feed(data[:cut])
    second = Store.from_state(fold(data[:cut]))
    second.feed(data[cut:])

    assert told(fold(data[cut:], from_=first.state)) == told(whole)
    assert told(second.state) == told(whole)


def test_a_fold_keeps_the_half_lines_of_the_sides():
    store = Store()
    store.feed(line(TURN[2].message)[:40], "agent")
    state = fold(recording(START), from_=loads(dumps(store.state)))
    again = Store.from_state(dumps(state))
    again.feed(line(TURN[2].message)[40:], "agent")

    assert [entry.text for entry in again.snapshot.sessions["s-1"].timeline] == ["\N{GRINNING FACE}"]


def test_a_snapshot_alone_can_be_gone_on_with():
    store = Store.from_state(dumps(folded(frames_of([*START, *TURN[:4]])).snapshot))
    for sent in TURN[4:]:
        store.feed(sent.message, sent.sender)

    assert store.snapshot == folded(frames_of([*START, *TURN])).snapshot


def test_what_listeners_and_diagnostics_there_were_is_not_kept():
    store = Store()
    store.feed(b"no json\n")
    assert store.diagnostics

    assert restarted(store).diagnostics == ()


# --- other documents -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [loads, Store.from_state])
def test_a_document_of_a_newer_format(read):
    document = {**json.loads(told(Store().state)), "format": "acp-state/2", "more": True}

    with pytest.raises(DocumentError, match=r"^a state document of format 'acp-state/2'; this version reads 'acp-state/1'$"):
        read(json.dumps(document))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", "null", '"acp-state/1"', "{}", '{"format": 1}', '{"format": null}', b"\xff", "\ud800"]
)
def test_a_text_that_is_no_document(text):
    with pytest.raises(DocumentError):
        loads(text)


def test_a_fold_that_nobody_needs_any_more_is_gone_at_once():
    work = Fold()
    for frame in read_message(
        {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}, "client"
    ):
        work.take(frame)
    session = weakref.ref(work.snapshot.sessions["s"])
    assert session() is not None
    gc.disable()
    try:
        del work, frame
        assert session() is None
    finally:
        gc.enable()


def user_says(text, id=None):
    return update("user_message_chunk", content={"type": "text", "text": text}, **({} if id is None else {"messageId": id}))


def agent_says(text):
    return update("agent_message_chunk", content={"type": "text", "text": text})


def asks(sender_id, method, **params):
    return Sent("client", {"jsonrpc": "2.0", "id": sender_id, "method": method, "params": {"sessionId": "s-1", **params}})


def prompts(number, words):
    return asks(number, "session/prompt", prompt=[{"type": "text", "text": words}])


def loads_it(number):
    return asks(number, "session/load", cwd="/", mcpServers=[])


def fails(number):
    return Sent("agent", {"jsonrpc": "2.0", "id": number, "error": {"code": 1, "message": "e"}})


def succeeds(number):
    return Sent("agent", {"jsonrpc": "2.0", "id": number, "result": {}})


ECHOES_AND_LOADS = {
    "an id that was another message's": (
        [user_says("Z", "e1"), loads_it(4), agent_says("x"), prompts(14, "ab"), user_says("a", "e1")],
        [fails(4), user_says("b", "e1")],
        ["Z", "ab"],
    ),
    "a second load": (
        [user_says("Z", "e1"), loads_it(4), agent_says("x"), prompts(14, "ab"), user_says("a", "e1")],
        [loads_it(5), agent_says("y"), succeeds(5), user_says("b", "e1")],
        ["ab"],
    ),
    "the whole echo came before": (
        [prompts(8, "1b"), user_says("1b", "e1")],
        [user_says("foo "), loads_it(9), user_says("zz"), succeeds(9), user_says("foo", "e1")],
        None,
    ),
    "an echo that goes on after the load": (
        [prompts(5, "ab"), user_says("a", "e1"), loads_it(9), agent_says("x")],
        [succeeds(9), user_says("b", "e1")],
        ["ab"],
    ),
    "what was no echo after all": (
        [prompts(1, "Q"), user_says("Q", "e1")],
        [user_says("ab", "e1"), loads_it(2), loads_it(3), user_says("a", "e1"), succeeds(3), succeeds(2)],
        None,
    ),
    "another prompt": (
        [loads_it(4), agent_says("x"), prompts(5, "ab"), user_says("a", "e1")],
        [fails(4), prompts(6, ""), user_says("Q", "e1")],
        None,
    ),
}


@pytest.mark.parametrize("situation", ECHOES_AND_LOADS)
def test_an_echo_that_a_load_breaks_in_on_is_the_same_after_going_on(situation):
    before, after, words = ECHOES_AND_LOADS[situation]
    start = folded(frames_of(before))
    direct = folded(frames_of(after), start)
    again = folded(frames_of(after), loads(dumps(start)))

    assert told(direct) == told(again)
    if words is not None:
        timeline = direct.snapshot.sessions["s-1"].timeline
        assert [entry.text for entry in timeline if entry.type == "message" and entry.role == "user"] == words
