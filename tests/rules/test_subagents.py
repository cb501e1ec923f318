"""SPEC 4.6, "Subagents": children, parents, and messages between sessions."""

from __future__ import annotations

import pytest

from support.transcripts import image, of_version, text, v1, v2


def child(transcript, **fields):
    return transcript.update("subagent_update", sessionId="child", **fields)


# --- `subagent_update` lists the child on its parent and gives the child session its `parent` ------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_it_lists_the_child_on_its_parent(version):
    fields = {
        "title": "Scout",
        "description": "looks",
        "capabilities": {"cancel": {}, "x": None},
        "state": {"state": "running", "background": []},
        "cwd": "/w",
        "additionalDirectories": ["/x"],
        "_meta": {"k": {"n": None}},
    }
    document = child(of_version(version), **fields).fold()

    assert document.session("s-1")["subagents"] == [{"id": "child", **fields}]


@pytest.mark.parametrize("version", [1, 2])
def test_it_gives_the_child_its_parent(version):
    document = child(of_version(version)).fold()

    assert document.session("child")["parent"] == {"sessionId": "s-1"}
    assert document.session("child")["phase"] == "unannounced"
    assert document.session("child")["timeline"] == []


def test_a_child_that_was_heard_of_before_gets_its_parent_too():
    document = child(v2().agent_says("x", "m", "child")).fold()

    assert document.session("child")["parent"] == {"sessionId": "s-1"}
    assert document.messages("child") == [("agent", "x")]


def test_several_children_stand_in_the_order_of_their_first_mention():
    document = (
        v1()
        .update("subagent_update", sessionId="b")
        .update("subagent_update", sessionId="a")
        .update("subagent_update", sessionId="b", title="B")
        .fold()
    )

    assert document.session()["subagents"] == [{"id": "b", "title": "B"}, {"id": "a"}]


def test_children_of_children():
    document = v1().update("subagent_update", sessionId="c-1").update("subagent_update", "c-1", sessionId="c-2").fold()

    assert document.session("c-2")["parent"] == {"sessionId": "c-1"}
    assert document.session("c-1")["subagents"] == [{"id": "c-2"}]


# --- its `state` sets the child's `activity` where the child reports none itself (v1: always), and opens no turn -------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("state", ["running", "idle", "requires_action", "unknown", "_dreaming"])
def test_its_state_sets_the_childs_activity(version, state):
    document = child(of_version(version), state={"state": state}).fold()

    assert document.session("child")["activity"] == state
    assert document.turns("child") == []
    assert document.session("s-1")["activity"] == "idle"


def test_in_v2_not_where_the_child_reports_one_itself():
    document = child(v2().state("idle", "child"), state={"state": "running"}).fold()

    assert document.session("child")["activity"] == "idle"
    assert document.session("s-1")["subagents"][0]["state"] == {"state": "running"}


def test_in_v2_the_childs_own_report_counts_when_it_comes_later():
    document = child(v2(), state={"state": "running"}).state("idle", "child").fold()

    assert document.session("child")["activity"] == "idle"


def test_in_v1_always():
    transcript = child(v1().prompt(1, "x", "child"), state={"state": "idle"})

    assert transcript.fold().session("child")["activity"] == "idle"


def test_null_takes_that_back():
    for version in (1, 2):
        running = child(of_version(version), state={"state": "running"}).fold()
        assert running.session("child")["activity"] == "running"

        taken = child(child(of_version(version), state={"state": "running"}), state=None).fold()
        assert "state" not in taken.session("s-1")["subagents"][0]
        assert taken.session("child").get("activity") != "running"


def test_in_v2_there_is_none_after_that():
    document = child(child(v2(), state={"state": "running"}), state=None).fold()

    assert "activity" not in document.session("child")


def test_omission_leaves_it():
    document = child(child(v2(), state={"state": "running"}), title="T").fold()

    assert document.session("child")["activity"] == "running"


def test_a_state_replaces_the_whole_one():
    document = child(child(v2(), state={"state": "running", "background": []}), state={"state": "idle", "stopReason": "end_turn"}).fold()

    assert document.session("s-1")["subagents"][0]["state"] == {"state": "idle", "stopReason": "end_turn"}
    assert document.turns("child") == []


# --- `_meta` parent links become `parent`, a tool call id, on the entry ----------------------------------------------------------------


LINK = {"claudeCode": {"parentToolUseId": "task-1"}}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "update",
    [
        lambda t: t.agent_says("x", "m", _meta=LINK),
        lambda t: t.agent_thinks("x", "m", _meta=LINK),
        lambda t: t.tool_update("t1", _meta=LINK),
    ],
)
def test_parent_links_become_the_parent_of_the_entry(version, update):
    assert update(of_version(version)).fold().last()["parent"] == "task-1"


def test_a_tool_call_of_v1_too():
    assert v1().tool_call("t1", _meta=LINK).fold().tool()["parent"] == "task-1"


def test_the_meta_is_kept():
    document = v1().tool_call("t1", _meta=LINK).agent_says("x", "m", _meta=LINK).fold()

    assert document.tool()["_meta"] == LINK
    assert document.message("m")["content"][0]["chunkMeta"] == LINK


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"claudeCode": {}},
        {"claudeCode": None},
        {"claudeCode": {"parentToolUseId": None}},
        {"claudeCode": {"parentToolUseId": 7}},
        {"claudeCode": "x"},
    ],
    ids=repr,
)
def test_what_is_no_link_gives_no_parent(meta):
    assert "parent" not in v1().tool_call("t1", _meta=meta).fold().tool()


def test_it_is_no_matter_whether_the_parent_is_known():
    document = v1().tool_call("task-1").tool_call("t1", _meta=LINK).fold()

    assert "parent" not in document.tool("task-1")
    assert document.tool("t1")["parent"] == "task-1"


# --- `session_message*` are messages of role `session` ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_session_messages_are_messages_of_role_session(version):
    document = (
        of_version(version)
        .update(
            "session_message",
            messageId="s",
            content=[text("a"), image()],
            senderSessionId="s-1",
            recipientSessionId="child",
            senderMessageId="x",
            recipientMessageId="y",
            _meta={"k": 1},
        )
        .update("session_message_chunk", messageId="s", content=text("b"))
        .fold()
    )
    assert document.message("s") == {
        "type": "message",
        "role": "session",
        "id": "s",
        "content": [text("a"), image(), text("b")],
        "senderSessionId": "s-1",
        "recipientSessionId": "child",
        "senderMessageId": "x",
        "recipientMessageId": "y",
        "_meta": {"k": 1},
    }


def test_a_chunk_may_come_first():
    document = (
        v2()
        .update("session_message_chunk", messageId="s", content=text("a"))
        .update("session_message", messageId="s", senderSessionId="x")
        .fold()
    )

    assert document.message("s")["content"] == [text("a")]
    assert document.message("s")["senderSessionId"] == "x"


def test_who_sent_it_makes_no_session():
    document = v2().update("session_message", messageId="s", senderSessionId="x", recipientSessionId="y").fold()

    assert list(document.sessions) == ["s-1"]


def test_it_opens_no_turn():
    assert v2().update("session_message", messageId="s", content=[text("a")]).fold().turns() == []
