"""Corners where rules meet: what a load does to a prompt, what was sent empty, what is asked for secretly."""

from __future__ import annotations

import json

import pytest

from acp_state import Store, fold, to_document
from acp_state.containers import make_output


def request(sender, id, method, **params):
    return {"from": sender, "message": {"jsonrpc": "2.0", "id": id, "method": method, "params": params}}


def answer(sender, id, **result):
    return {"from": sender, "message": {"jsonrpc": "2.0", "id": id, "result": result}}


def update(kind, **fields):
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}
    return {"from": "agent", "message": {"jsonrpc": "2.0", "method": "session/update", "params": params}}


def begun(version):
    about = {"agentCapabilities": {}} if version == 1 else {"info": {"name": "a", "version": "1"}}
    return [
        request("client", 0, "initialize", protocolVersion=version, **({} if version == 1 else {"info": {"name": "c", "version": "1"}})),
        answer("agent", 0, protocolVersion=version, **about),
        request("client", 1, "session/new", cwd="/", mcpServers=[]),
        answer("agent", 1, sessionId="s"),
    ]


def state_of(version, *records):
    folded = fold([*begun(version), *records])
    return to_document(folded)["sessions"]["s"], [finding.code for finding in folded.diagnostics]


def text(words):
    return {"type": "text", "text": words}


def prompt(id, words):
    return request("client", id, "session/prompt", sessionId="s", prompt=[text(words)])


def load(id):
    return request("client", id, "session/load", sessionId="s", cwd="/", mcpServers=[])


FAILED = {"from": "agent", "message": {"jsonrpc": "2.0", "id": 2, "error": {"code": -1, "message": "no"}}}


def said(session):
    return [(entry["role"], entry["content"][0]["text"], entry.get("turn")) for entry in session["timeline"]]


def test_a_prompt_during_a_load_that_fails_is_kept():
    replayed = update("user_message_chunk", content=text("R"))
    session, _ = state_of(
        1,
        *(prompt(9, "old"), answer("agent", 9, stopReason="end_turn"), load(2), replayed, prompt(3, "new"), FAILED),
        *(update("agent_message_chunk", content=text("ans")), answer("agent", 3, stopReason="end_turn")),
    )

    assert said(session) == [("user", "old", 0), ("user", "new", 1), ("agent", "ans", 1)]


@pytest.mark.parametrize("early", [True, False])
def test_a_prompt_during_a_load_that_succeeds_is_kept_whenever_it_came(early):
    replayed = update("user_message_chunk", content=text("R"))
    between = [prompt(3, "new"), replayed] if early else [replayed, prompt(3, "new")]
    session, _ = state_of(
        1,
        *(prompt(9, "old"), answer("agent", 9, stopReason="end_turn"), load(2), *between, answer("agent", 2)),
        answer("agent", 3, stopReason="end_turn"),
    )

    assert said(session) == [("user", "R", None), ("user", "new", 0)]


@pytest.mark.parametrize("accepted_first", [True, False])
def test_a_pending_prompt_leaves_when_a_replay_brings_its_message(accepted_first):
    both = [answer("agent", 3, messageId="n"), update("user_message", messageId="n", content=[text("new")])]
    session, _ = state_of(
        2,
        request("client", 2, "session/resume", sessionId="s", cwd="/", replayFrom={"type": "start"}),
        *(prompt(3, "new"), *(both if accepted_first else both[::-1])),
        *(update("state_update", state="idle"), answer("agent", 2)),
    )

    assert "pendingPrompts" not in session


def test_a_close_tells_turns_nothing_that_are_cancelled_already():
    cancel = {"from": "client", "message": {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}}
    before = fold([*begun(1), prompt(9, "q"), cancel])
    after = fold([request("client", 10, "session/close", sessionId="s")], from_=before)

    assert after.snapshot.sessions["s"] is before.snapshot.sessions["s"]


def test_how_long_an_output_is_costs_no_look_at_it():
    output = make_output(b"ab").append(b"cde")

    assert len(output) == 5
    assert output._bytes is None
    assert bytes(output) == b"abcde"


@pytest.mark.parametrize("version", [1, 2])
def test_a_variables_value_is_not_stored_but_what_is_asked_for_is(version):
    name = {"id": "e"} if version == 1 else {"methodId": "e"}
    method = {**name, "type": "env_var", "name": "E", "vars": [{"name": "K", "label": "Key", "secret": True, "value": "SECRET"}]}
    first, second, *rest = begun(version)
    second["message"]["result"]["authMethods"] = [method]
    document = to_document(fold([first, second, *rest]))

    assert "SECRET" not in json.dumps(document)
    assert document["connection"]["authMethods"][0]["vars"] == [{"name": "K", "label": "Key", "secret": True}]


def test_what_was_sent_empty_is_there():
    option = {"id": "o", "name": "O", "type": "select", "currentValue": "x", "options": [{"group": "g", "name": "G", "options": []}]}
    session, codes = state_of(
        1,
        update("config_option_update", configOptions=[option]),
        update("tool_call", toolCallId="t", title="T", _meta={}),
    )

    assert session["configOptions"][0]["options"] == [{"group": "g", "name": "G", "options": []}]
    assert session["timeline"][0]["_meta"] == {}
    assert codes == []


@pytest.mark.parametrize(
    "fields",
    [
        {"sessionUpdate": "usage_update", "used": 1, "size": "<num>"},
        {"sessionUpdate": "plan", "entries": "<entries>"},
        {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "status": "<status>"},
    ],
)
def test_a_placeholder_is_no_finding(fields):
    frame = {"kind": "notification", "method": "session/update", "params": {"sessionId": "s", "update": fields}}
    codes = {finding.code for finding in fold([{"type": "emit_inbound", "frame": frame}]).diagnostics}

    assert codes <= {"unannounced-session"}


HALVES = ("\ud83d", "\ude00")


@pytest.mark.parametrize("kind", ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"])
@pytest.mark.parametrize("named", [{}, {"messageId": "m"}], ids=["no id", "id"])
@pytest.mark.parametrize("words", [HALVES, ("a", *HALVES, "b"), ("a" + HALVES[0], HALVES[1] + "b")], ids=ascii)
def test_half_a_character_meets_the_other_half_as_an_object_too(kind, named, words):
    messages = [update(kind, content=text(word), **named)["message"] for word in words]
    live = Store()
    for message in messages:
        live.feed(message, "agent")
    as_objects, as_bytes = fold(messages), fold("\n".join(map(json.dumps, messages)).encode())

    assert as_objects.snapshot == as_bytes.snapshot == live.snapshot
    assert as_objects.snapshot.sessions["s"].timeline[0].text == "".join(words).encode("utf-16", "surrogatepass").decode("utf-16")


def test_an_answer_after_its_turn_leaves_the_turns_alone():
    asked = request("agent", 7, "session/request_permission", sessionId="s", toolCall={"toolCallId": "t"}, options=[])
    before = fold([*begun(1), prompt(9, "q"), asked, answer("agent", 9, stopReason="end_turn")])
    after = fold([answer("client", 7, outcome={"outcome": "cancelled"})], from_=before)

    assert after.snapshot.sessions["s"].timeline[-1].status == "cancelled"
    assert after.snapshot.sessions["s"].turns is before.snapshot.sessions["s"].turns


def test_a_run_without_id_does_not_go_on_with_a_replayed_message_that_is_live_again():
    words = [update("agent_message_chunk", messageId="m", content=text("old"))]
    loaded = [
        request("client", 1, "session/load", sessionId="s", cwd="/w", mcpServers=[]),
        *words,
        answer("agent", 1),
        *(update("agent_message_chunk", messageId="m", content=text(word)) for word in (" a", " b")),
        update("agent_message_chunk", content=text("new")),
    ]

    assert [entry.text for entry in fold([*begun(1), *loaded]).snapshot.sessions["s"].timeline] == ["old a b", "new"]
