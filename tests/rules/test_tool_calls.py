"""SPEC 4.3: tool calls, their creation, their statuses and what is left of them."""

from __future__ import annotations

import pytest

from support.transcripts import bare, item, of_version, one_sided, shows, v1, v2


# --- Created by the first mention ------------------------------------------------------------------------------------------


DEFAULTS = {"type": "tool_call", "id": "t1", "title": None, "kind": "other", "status": "pending", "content": []}


def test_created_by_an_update():
    assert v2().tool_update("t1").fold().timeline() == [DEFAULTS]


def test_created_by_a_tool_call():
    assert v1().tool_call("t1", "T").fold().timeline() == [{**DEFAULTS, "title": "T"}]


def test_created_by_a_content_chunk():
    assert v2().tool_chunk("t1", item("x")).fold().timeline() == [{**DEFAULTS, "content": [item("x")]}]


def test_created_by_a_permission_before_it():
    document = v1().permission(31, "t1").fold()

    assert document.story() == [("tool_call", "t1"), ("permission", 31)]
    assert document.tool() == DEFAULTS


def test_created_by_a_permission_of_v2_before_it():
    subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1", "title": "T"}}
    document = v2().permission_v2(31, subject=subject).fold()

    assert document.story() == [("tool_call", "t1"), ("permission", 31)]
    assert document.tool() == {**DEFAULTS, "title": "T"}


def test_the_embedded_call_is_applied_as_a_patch():
    document = v1().tool_call("t1", "A", kind="edit", rawInput=1).permission(31, "t1", title="B", rawInput=None).fold()

    assert document.tool() == {**DEFAULTS, "title": "B", "kind": "edit", "rawInput": 1}


@pytest.mark.parametrize(
    "mention",
    [
        lambda t: t.form(31, toolCallId="t1"),
        lambda t: t.state("idle", background=[{"type": "tool_call", "toolCallId": "t1"}]),
        lambda t: t.permission_v2(31, subject={"type": "command", "command": "ls", "cwd": "/", "toolCallId": "t1"}),
        lambda t: t.agent_says("x", "m", _meta={"claudeCode": {"parentToolUseId": "t1"}}),
        lambda t: t.client_asks_session(4, "tool_call/cancel", toolCallId="t1"),
    ],
)
def test_no_other_mention_creates_one(mention):
    assert mention(v2()).fold().timeline(type="tool_call") == []


# --- In v1 an entry never introduced by `tool_call` or a permission is marked `unannounced` ------------------------------------


def test_in_v1_an_entry_never_introduced_is_marked():
    document = v1().tool_update("t1").fold()

    assert document.tool() == {**DEFAULTS, "unannounced": True}
    assert document.codes == ["unannounced-call"]


@pytest.mark.parametrize("introduce", [lambda t: t.tool_call("t1"), lambda t: t.permission(31, "t1")], ids=["tool_call", "permission"])
def test_whoever_introduces_it_before_or_after(introduce):
    before = introduce(v1()).tool_update("t1").fold()
    after = introduce(v1().tool_update("t1")).fold()

    assert "unannounced" not in before.tool()
    assert "unannounced" not in after.tool()
    assert before.codes == []


def test_it_stays_marked_by_any_number_of_updates():
    document = v1().tool_update("t1").tool_update("t1", title="T").tool_update("t1", status="completed").fold()

    assert document.tool()["unannounced"] is True


def test_in_v2_none_is_marked():
    assert v2().tool_update("t1").tool_chunk("t2", item("x")).fold().timeline() == [
        DEFAULTS,
        {**DEFAULTS, "id": "t2", "content": [item("x")]},
    ]


# --- `paused` is open. Final statuses: completed, failed, cancelled -----------------------------------------------------------------


OPEN = ["pending", "in_progress", "paused", "_queued"]
FINAL = ["completed", "failed", "cancelled"]


@pytest.mark.parametrize("status", OPEN)
def test_what_is_open_at_the_end_is_unresolved(status):
    assert v2().state("running").tool_update("t1", status=status).state("idle").fold().tool()["unresolved"] is True


@pytest.mark.parametrize("status", FINAL)
def test_what_is_final_is_not(status):
    assert "unresolved" not in v2().state("running").tool_update("t1", status=status).state("idle").fold().tool()


# --- In v1 a final one is replaced only by a final one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["completed", "failed"])
@pytest.mark.parametrize("second", FINAL)
def test_in_v1_a_final_status_replaces_a_final_one(first, second):
    document = v1().tool_call("t1", status=first).tool_update("t1", status=second).fold()

    assert document.tool()["status"] == second
    assert "status-regression" not in document.codes


@pytest.mark.parametrize("first", ["completed", "failed"])
@pytest.mark.parametrize("second", OPEN)
def test_in_v1_a_later_status_that_is_not_final_is_a_diagnostic_and_the_rest_counts(first, second):
    document = v1().tool_call("t1", status=first).tool_update("t1", status=second, title="B", content=[item("x")]).fold()

    assert (document.tool()["status"], document.tool()["title"], document.tool()["content"]) == (first, "B", [item("x")])
    assert document.codes.count("status-regression") == 1


@pytest.mark.parametrize("status", [None, 7])
def test_in_v1_no_status_is_no_regression(status):
    document = v1().tool_call("t1", status="completed").tool_update("t1", status=status).fold()

    assert document.tool()["status"] == "completed"
    assert "status-regression" not in document.codes


# --- In v2 a value replaces and `null` clears (a regression with the diagnostic) ------------------------------------------------------------


@pytest.mark.parametrize("first", FINAL)
@pytest.mark.parametrize(("second", "shown"), [*zip(OPEN, OPEN, strict=True), (None, "pending")])
def test_in_v2_a_value_replaces_and_null_clears_with_the_diagnostic(first, second, shown):
    document = v2().tool_update("t1", status=first).tool_update("t1", status=second).fold()

    assert document.tool()["status"] == shown
    assert document.codes == ["status-regression"]


def test_in_v2_omission_is_no_regression():
    document = v2().tool_update("t1", status="completed").tool_update("t1", title="T").fold()

    assert document.tool()["status"] == "completed"
    assert document.codes == []


def test_in_v2_one_that_an_agent_cancelled_may_go_on():
    document = v2().tool_update("t1", status="cancelled").tool_update("t1", status="in_progress").fold()

    assert document.tool()["status"] == "in_progress"


# --- only the `cancelled` that the client's own cancel set yields to final statuses alone -------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("status", OPEN)
def test_what_the_clients_cancel_set_yields_to_no_open_status(version, status):
    document = busy(version).cancel().tool_update("t1", status=status, title="B").fold()

    assert (document.tool()["status"], document.tool()["title"]) == ("cancelled", "B")
    assert document.tool()["cancelledByClient"] is True


def test_nor_to_a_null_in_v2():
    assert busy(2).cancel().tool_update("t1", status=None).fold().tool()["status"] == "cancelled"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("status", FINAL)
def test_it_yields_to_final_ones_and_the_mark_goes(version, status):
    document = busy(version).cancel().tool_update("t1", status=status).fold()

    assert document.tool()["status"] == status
    assert "cancelledByClient" not in document.tool()


def test_after_that_it_is_the_agents_and_in_v2_may_go_on():
    document = busy(2).cancel().tool_update("t1", status="cancelled").tool_update("t1", status="in_progress").fold()

    assert document.tool()["status"] == "in_progress"


@pytest.mark.parametrize("version", [1, 2])
def test_the_mark_stays_with_any_other_update(version):
    document = busy(version).cancel().tool_update("t1", content=[item("x")]).fold()

    assert document.tool()["cancelledByClient"] is True
    assert document.tool()["content"] == [item("x")]


def busy(version):
    """A session with an open turn in which a tool call runs."""
    started = v1().prompt(1) if version == 1 else v2().state("running")
    return started.tool_update("t1", status="in_progress")


# --- A v1 `tool_call` for an id that is final, and since which a new turn has begun, opens a new entry ---------------------------------------------


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_a_v1_tool_call_for_a_finished_id_opens_a_new_entry_in_a_new_turn(status):
    document = v1().prompt(1).tool_call("t1", "A", status=status).ends(1).prompt(2).tool_call("t1", "B").fold()

    assert [(call["title"], call["status"], call["turn"]) for call in document.tools()] == [("A", status, 0), ("B", "pending", 1)]
    assert document.codes == ["call-id-reused"]


def test_one_that_the_clients_cancel_finished_too():
    document = v1().prompt(1).tool_call("t1", "A").cancel().ends(1, "cancelled").prompt(2).tool_call("t1", "B").fold()

    assert [(call["title"], call["status"]) for call in document.tools()] == [("A", "cancelled"), ("B", "pending")]


def test_a_turn_that_began_while_the_first_was_open_counts():
    document = v1().prompt(1).tool_call("t1", "A", status="completed").prompt(2).tool_call("t1", "B").fold()

    assert [call["title"] for call in document.tools()] == ["A", "B"]


def test_one_that_finished_after_the_new_turn_began_is_the_same():
    document = v1().prompt(1).tool_call("t1", "A").ends(1).prompt(2).tool_update("t1", status="completed").tool_call("t1", "B").fold()

    assert [call["title"] for call in document.tools()] == ["B"]


def test_the_end_of_a_turn_alone_begins_none():
    document = v1().prompt(1).tool_call("t1", "A", status="completed").ends(1).tool_call("t1", "B").fold()

    assert [call["title"] for call in document.tools()] == ["B"]


def test_in_a_replay_a_new_user_message_begins_one():
    def replayed(between):
        transcript = bare().initialize(1).load(2).user_says("a", "u-1").tool_call("t1", "A", status="completed")
        return between(transcript).tool_call("t1", "B").agent_answers(2, {}).fold().tools()

    assert [call["title"] for call in replayed(lambda t: t.user_says("b", "u-2"))] == ["A", "B"]
    assert [call["title"] for call in replayed(lambda t: t.agent_says("x"))] == ["B"]
    assert [call["title"] for call in replayed(lambda t: t)] == ["B"]


def test_references_by_id_mean_the_newest():
    transcript = v1().prompt(1).tool_call("t1", "A", status="completed").ends(1).prompt(2).tool_call("t1", "B")
    document = transcript.tool_update("t1", status="in_progress").permission(31, "t1", kind="edit").tool_call("t1", "C").fold()

    older, newer = document.tools()
    assert (older["title"], older["status"], older["kind"]) == ("A", "completed", "other")
    assert (newer["title"], newer["status"], newer["kind"]) == ("C", "in_progress", "edit")


def test_in_v2_an_id_is_one_entry_for_ever():
    document = (
        v2()
        .state("running")
        .tool_update("t1", status="completed")
        .state("idle")
        .state("running")
        .tool_update("t1", status="pending")
        .fold()
    )

    assert len(document.tools()) == 1


# --- When a turn ends, calls of it that are not final stay as sent and are marked `unresolved` ---------------------------------------------------------


ENDS = {
    "end_turn": lambda t: t.ends(1),
    "refusal": lambda t: t.ends(1, "refusal"),
    "cancelled": lambda t: t.ends(1, "cancelled"),
    "an error": lambda t: t.agent_fails(1),
    "a cancelled error": lambda t: t.agent_fails(1, -32800),
    "an unreadable answer": lambda t: t.agent_answers(1, None),
}


@pytest.mark.parametrize("end", ENDS)
def test_however_it_ends_its_open_calls_are_unresolved(end):
    document = ENDS[end](busy(1)).fold()

    assert document.tool()["status"] == "in_progress"
    assert document.tool()["unresolved"] is True


def test_calls_of_another_turn_are_not():
    document = v1().tool_call("t0").prompt(1).tool_call("t1").prompt(2).ends(2).fold()

    assert "unresolved" not in document.tool("t0")
    assert "unresolved" not in document.tool("t1")


def test_calls_of_no_turn_are_not():
    document = v2().tool_update("t0", status="in_progress").state("running").state("idle").fold()

    assert "unresolved" not in document.tool("t0")


def test_a_call_that_begins_after_the_end_is_not():
    assert "unresolved" not in v1().prompt(1).ends(1).tool_call("t1").fold().tool()


# --- unless `background` (that of the ending frame) lists them or a terminal that their `content` shows -------------------------------------------------


def ended_with(background, content=()):
    return v2().state("running").tool_update("t1", status="in_progress", content=list(content)).state("idle", background=background).fold()


def test_unless_background_lists_them():
    assert "unresolved" not in ended_with([{"type": "tool_call", "toolCallId": "t1"}]).tool()
    assert ended_with([{"type": "tool_call", "toolCallId": "t2"}]).tool()["unresolved"] is True
    assert ended_with([]).tool()["unresolved"] is True


def test_or_a_terminal_that_their_content_shows():
    assert "unresolved" not in ended_with([{"type": "terminal", "terminalId": "k"}], [item("x"), shows("k")]).tool()
    assert ended_with([{"type": "terminal", "terminalId": "k"}], [shows("q")]).tool()["unresolved"] is True
    assert ended_with([{"type": "_job", "terminalId": "k", "toolCallId": "t1"}], [shows("k")]).tool()["unresolved"] is True


def test_it_is_the_background_of_the_ending_frame():
    listed = [{"type": "tool_call", "toolCallId": "t1"}]
    document = v2().state("running", background=listed).tool_update("t1", status="in_progress").state("idle").fold()

    assert document.tool()["unresolved"] is True


# --- so are calls that a replay leaves open, unless the state is not idle -------------------------------------------------------------------------------


def test_so_are_calls_that_a_load_leaves_open():
    document = bare().initialize(1).load(2).tool_call("t1").tool_call("t2", status="completed").agent_answers(2, {}).fold()

    assert document.tool("t1")["unresolved"] is True
    assert "unresolved" not in document.tool("t2")


def test_not_before_it_is_over():
    assert "unresolved" not in bare().initialize(1).load(2).tool_call("t1").fold().tool()


@pytest.mark.parametrize(("state", "left"), [("idle", True), ("running", False), ("requires_action", False)])
def test_in_v2_unless_the_state_is_not_idle(state, left):
    document = bare().initialize(2).replay(2).tool_update("t1", status="in_progress").state(state).agent_answers(2, {}).fold()

    assert document.tool().get("unresolved", False) is left


def test_in_v2_without_a_state_the_answer_ends_it():
    document = bare().initialize(2).replay(2).tool_update("t1", status="in_progress").agent_answers(2, {}).fold()

    assert document.tool()["unresolved"] is True


def test_in_v2_background_counts_here_too():
    listed = [{"type": "tool_call", "toolCallId": "t1"}]
    document = (
        bare().initialize(2).replay(2).tool_update("t1", status="in_progress").state("idle", background=listed).agent_answers(2, {}).fold()
    )

    assert "unresolved" not in document.tool()


# --- a late final status clears that ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", FINAL)
def test_a_late_final_status_clears_it(status):
    document = busy(1).ends(1).tool_update("t1", status=status).fold()

    assert document.tool()["status"] == status
    assert "unresolved" not in document.tool()


@pytest.mark.parametrize("status", FINAL)
def test_after_a_replay_too(status):
    document = bare().initialize(1).load(2).tool_call("t1").agent_answers(2, {}).tool_update("t1", status=status).fold()

    assert "unresolved" not in document.tool()


@pytest.mark.parametrize("version", [1, 2])
def test_nothing_else_does(version):
    ended = busy(1).ends(1) if version == 1 else busy(2).state("idle")
    document = ended.tool_update("t1", status="pending", title="T", content=[item("x")]).fold()

    assert document.tool()["unresolved"] is True
    assert document.tool()["status"] == "pending"


# --- content ------------------------------------------------------------------------------------------------------------------------------------------------


def test_a_chunk_appends_one_item():
    document = v2().tool_update("t1", content=[item("a")]).tool_chunk("t1", item("b")).tool_chunk("t1", shows("k")).fold()

    assert document.tool()["content"] == [item("a"), item("b"), shows("k")]


def test_two_text_items_are_not_one():
    document = v2().tool_chunk("t1", item("a")).tool_chunk("t1", item("b")).fold()

    assert document.tool()["content"] == [item("a"), item("b")]


@pytest.mark.parametrize("version", [1, 2])
def test_a_call_belongs_to_the_turn_in_which_it_was_first_seen(version):
    document = of_version(version).tool_update("t0", status="in_progress").prompt(1).fold()

    assert "turn" not in document.tool("t0")


def test_a_one_sided_recording_has_calls_of_no_turn():
    assert "turn" not in one_sided(1).tool_call("t1").fold().tool()


@pytest.mark.parametrize("version", [1, 2])
def test_a_parent_link_is_a_tool_call_id(version):
    document = of_version(version).tool_update("t1", _meta={"claudeCode": {"parentToolUseId": "t0", "toolName": "Read"}}).fold()

    assert document.tool()["parent"] == "t0"
    assert document.tool()["_meta"] == {"claudeCode": {"parentToolUseId": "t0", "toolName": "Read"}}
