"""Field cases, section P: requests in flight, replays in mid-turn, and what must not be kept."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from acp_state import Store, dumps

from support.transcripts import bare, v1, v2


# --- L-20: a page of a list that was replaced ----------------------------------------------------------


def listed(*ids, cursor=None):
    page = {"sessions": [{"sessionId": id, "cwd": "/w"} for id in ids]}
    return page if cursor is None else {**page, "nextCursor": cursor}


def names(document):
    return [session["id"] for session in document.connection["listedSessions"]]


def test_L_20_a_page_of_a_list_that_was_replaced_is_dropped():
    document = (
        bare()
        .initialize(1)
        .client_asks(1, "session/list")
        .agent_answers(1, listed("a", cursor="c1"))
        .client_asks(2, "session/list", cursor="c1")
        .client_asks(3, "session/list")
        .agent_answers(3, listed("n", cursor="c9"))
        .agent_answers(2, listed("b"))
        .fold()
    )

    assert names(document) == ["n"]
    assert document.connection["nextCursor"] == "c9"
    assert "stale-page" in document.codes


def test_L_20_a_cursor_of_an_older_list_is_known_as_such():
    document = (
        bare()
        .initialize(1)
        .client_asks(1, "session/list")
        .agent_answers(1, listed("a", cursor="c1"))
        .client_asks(2, "session/list")
        .agent_answers(2, listed("n", cursor="c9"))
        .client_asks(3, "session/list", cursor="c1")
        .agent_answers(3, listed("b"))
        .fold()
    )

    assert names(document) == ["n"]
    assert document.connection["nextCursor"] == "c9"


def test_L_20_pages_of_one_list_are_one_list():
    document = (
        bare()
        .initialize(1)
        .client_asks(1, "session/list")
        .agent_answers(1, listed("a", cursor="c1"))
        .client_asks(2, "session/list", cursor="c1")
        .agent_answers(2, listed("b", cursor="c2"))
        .client_asks(3, "session/list", cursor="c2")
        .agent_answers(3, listed("c", "a"))
        .fold()
    )

    assert names(document) == ["a", "b", "c"]
    assert "nextCursor" not in document.connection
    assert document.faults == []


def test_L_20_a_deleted_session_is_listed_no_more():
    document = (
        v1()
        .client_asks(1, "session/list")
        .agent_answers(1, listed("a", "s-1"))
        .client_asks_session(2, "session/delete")
        .agent_answers(2, {})
        .fold()
    )

    assert names(document) == ["a"]


# --- P-01: answers that name one message -------------------------------------------------------------------


def references(document):
    return [(prompt["requestId"], prompt.get("messageId")) for prompt in document.turns()[-1]["prompts"]]


def test_P_01_two_answers_name_a_message_that_comes_after_them():
    document = v2().prompt(1, "a").prompt(2, "b").accepts(1, "m").accepts(2, "m").user_message("m", "ab").fold()

    assert document.pending_prompts() == []
    assert references(document) == [(1, "m"), (2, "m")]


def test_P_01_and_one_that_came_before():
    document = v2().prompt(1, "a").prompt(2, "b").accepts(1, "m").user_message("m", "ab").accepts(2, "m").fold()

    assert document.pending_prompts() == []
    assert references(document) == [(1, "m"), (2, "m")]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 3, 1)])
def test_P_01_without_a_name_the_oldest_accepted_one_leaves(order):
    transcript = v2().prompt(1, "a").prompt(2, "b").prompt(3, "c")
    for id in order:
        transcript.accepts(id)
    document = transcript.user_message("m", "a").user_message("n", "b").fold()

    assert [prompt["requestId"] for prompt in document.pending_prompts()] == [3]
    assert references(document) == [(1, "m"), (2, "n")]


# --- P-02: a reconnect in mid-turn ---------------------------------------------------------------------------


def test_P_02_the_turn_that_a_replay_keeps_aside_is_the_one_that_runs_and_ends():
    document = (
        v2()
        .user_message("m2", "go")
        .state("running")
        .replay(9)
        .user_message("h1", "old")
        .state("running")
        .agent_answers(9, {})
        .state("idle", stopReason="end_turn")
        .fold()
    )

    assert [turn["status"] for turn in document.turns()] == ["ended"]
    assert document.turns()[0]["stopReason"] == "end_turn"
    assert document.session()["activity"] == "idle"
    assert document.story() == [("user", "old"), ("user", "go")]


def test_P_02_an_end_that_is_reported_before_the_answer_is_its_end():
    document = (
        v2()
        .user_message("m2", "go")
        .state("running")
        .replay(9)
        .user_message("h1", "old")
        .state("idle", stopReason="end_turn")
        .agent_answers(9, {})
        .fold()
    )

    assert not any(turn["status"] == "running" for turn in document.turns())
    assert document.session()["activity"] == "idle"
    assert document.session()["stopReason"] == "end_turn"


def test_P_02_a_new_message_beside_the_replay_opens_no_second_turn():
    document = (
        v2()
        .user_message("m2", "go")
        .state("running")
        .replay(9)
        .user_message("h1", "old")
        .state("running")
        .user_message("m3", "and this")
        .agent_answers(9, {})
        .state("idle")
        .fold()
    )

    assert [turn["status"] for turn in document.turns()] == ["ended"]


# --- P-03: a load without a directory ------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [lambda t: t.client_asks_session(2, "session/load"), lambda t: t.client_asks_session(2, "session/resume")])
def test_P_03_a_directory_that_is_absent_clears_nothing(ask):
    transcript = ask(
        bare()
        .initialize(1)
        .client_asks(1, "session/new", cwd="/w", mcpServers=[], additionalDirectories=["/x"])
        .agent_answers(1, {"sessionId": "s-1"})
    )
    document = transcript.user_says("q", "u").agent_answers(2, {}).fold()

    assert document.session()["cwd"] == "/w"
    assert document.session()["additionalDirectories"] == ["/x"]


# --- P-04: a close leaves nothing running --------------------------------------------------------------------


@pytest.mark.parametrize(("method", "phase"), [("session/close", "closed"), ("session/archive", "closed"), ("session/delete", "deleted")])
def test_P_04_a_call_outside_any_turn_is_cancelled(method, phase):
    document = v1().tool_call("t1", status="in_progress").client_asks_session(8, method).agent_answers(8, {}).fold()

    assert document.session()["phase"] == phase
    assert document.tool()["status"] == "cancelled"
    assert document.tool()["cancelledByClient"] is True


def test_P_04_one_that_its_turn_left_stays_as_it_was():
    document = (
        v1().prompt(1).tool_call("t1", status="in_progress").ends(1).client_asks_session(8, "session/close").agent_answers(8, {}).fold()
    )

    assert document.tool()["status"] == "in_progress"
    assert document.tool()["unresolved"] is True


# --- a plain resume while a replay is under way ---------------------------------------------------------------


def test_a_plain_resume_during_a_replay_keeps_that_replay():
    document = (
        v1()
        .prompt(1, "q")
        .ends(1)
        .load(2)
        .user_says("old", "u")
        .resume(3)
        .agent_answers(3, {})
        .agent_says("older", "a")
        .agent_answers(2, {})
        .fold()
    )

    assert document.messages() == [("user", "old"), ("agent", "older")]
    assert all(entry["historical"] for entry in document.timeline())
    assert document.session()["phase"] == "ready"


def test_the_answer_to_it_does_not_end_the_load():
    document = v1().load(2).user_says("old", "u").resume(3).agent_answers(3, {}).fold()

    assert document.session()["phase"] == "loading"
    assert document.session()["replaying"] is True


def test_two_loads_each_end_by_their_own_answer():
    transcript = v1().load(2).user_says("a", "u").load(3).user_says("b", "v")

    assert transcript.agent_answers(2, {}).fold().session()["phase"] == "loading"
    assert transcript.agent_answers(3, {}).fold().session()["phase"] == "ready"


# --- E-01: values of headers inside `_meta` --------------------------------------------------------------------


HEADERS = [{"name": "Authorization", "value": "Bearer abc"}]


@pytest.mark.parametrize(
    "value",
    [
        {"proxyConfig": {"proxies": [{"proxy": {"type": "http", "headers": HEADERS}}]}},
        {"headers": {"Authorization": "Bearer abc"}},
        {"server": {"env": [{"name": "TOKEN", "value": "Bearer abc"}]}},
    ],
)
def test_E_01_values_of_headers_inside_meta_are_not_kept(value):
    transcripts = [
        bare().client_asks(1, "initialize", protocolVersion=1, _meta=value),
        v1().prompt(1, _meta=value),
        v1().tool_call("t1", _meta=value),
        v1().chunk("agent_message_chunk", "x", _meta=value),
        v1().update("usage_update", used=1, size=2, _meta=value),
        v1().agent_asks_session(7, "_vendor/ask", _meta=value),
        v1().update("plan", entries=[{"content": "c", "priority": "low", "status": "pending", "_meta": value}]),
        v1().chunk("agent_message_chunk", {"type": "text", "text": "x", "_meta": value}),
    ]
    for transcript in transcripts:
        document = dumps(transcript.fold().folded)
        assert "Bearer" not in document
        assert "headers" in document or "env" in document


@pytest.mark.parametrize("value", [{"headers": 3}, {"headers": ["Accept"]}, {"env": {"nested": {"a": 1}}}, {"env": "dev"}])
def test_E_01_what_only_has_that_name_stays(value):
    document = v1().tool_call("t1", _meta=value).fold()

    assert document.tool()["_meta"] == value


# --- C-01: a malformed form -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"choice": "nope"}, "required": "choice"},
        {"type": "object", "properties": {"choice": "nope"}},
        {"type": "object", "properties": {}, "required": "choice"},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"choice": {"type": "string"}}, "required": [3]},
    ],
)
def test_C_01_a_malformed_schema_is_kept_as_sent_with_a_warning(schema):
    document = (
        v1()
        .agent_asks_session(50, "elicitation/create", mode="form", message="?", requestedSchema=schema)
        .replies(50, content={"choice": "x"})
        .fold()
    )

    assert document.elicitation(50)["requestedSchema"] == schema
    assert document.elicitation(50)["status"] == "accepted"
    assert "invalid-schema" in document.codes
    assert "error" not in document.severities


def test_C_01_a_well_formed_schema_is_none():
    schema = {"type": "object", "properties": {"choice": {"type": "string", "enum": ["x"]}}, "required": ["choice"]}
    document = (
        v1()
        .agent_asks_session(50, "elicitation/create", mode="form", message="?", requestedSchema=schema)
        .replies(50, content={"choice": "x"})
        .fold()
    )

    assert document.codes == []


# --- integers that no one can write -----------------------------------------------------------------------


HUGE = 10**5000


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": HUGE, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": []}},
        {"jsonrpc": "2.0", "id": HUGE, "result": {}},
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": "s-1", "update": {"sessionUpdate": "usage_update", "used": HUGE, "size": 1}},
        },
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": "s-1",
                "update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "rawInput": {"n": [HUGE]}},
            },
        },
        {"jsonrpc": "2.0", "method": "_vendor/note", "params": {"n": HUGE}},
        {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": HUGE}},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": HUGE}},
    ],
)
@pytest.mark.parametrize("sender", ["client", "agent"])
def test_A_01_a_decoded_message_with_such_a_number_is_refused(message, sender):
    store = Store()
    store.feed(
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": {"sessionUpdate": "plan", "entries": []}}},
        "agent",
    )
    before = store.snapshot
    store.feed(message, sender)

    assert dumps(store.state) == dumps(Store.from_state(dumps(store.state)).state)
    assert store.snapshot == before
    assert store.diagnostics[-1].severity == "error"
