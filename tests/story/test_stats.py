"""Sessions in numbers."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given

from acp_state import state as s
from acp_state.stats import Stats, session_stats, to_object, total

from strategies import conversations
from support.effort import ran
from support.recordings import recording
from support.timed import chronicle_of, untimed
from support.transcripts import item, v1, v2


def stats_of(talk, session: str = "s-1") -> Stats:
    return session_stats(chronicle_of(talk))[session]


def test_what_happened_is_counted():
    talk = v1().prompt("p").agent_thinks("Hm.").tool_call("a", kind="read", status="completed").tool_call("b", kind="edit")
    talk.permission("q", "b").selects("q").tool_update("b", status="failed").tool_call("c", kind="edit").form("f").replies("f", "decline")
    talk.ends("p").prompt("r").agent_fails("r").prompt("s")
    stats = stats_of(talk)

    assert stats.turns == {"end_turn": 1, "failed": 1, "running": 1}
    assert stats.messages == {"user": 3, "thought": 1}
    assert stats.tools == {"read": {"completed": 1}, "edit": {"failed": 1, "unresolved": 1}}
    assert (stats.tool_calls, stats.failures) == (3, 2)
    assert stats.permissions == {"allow_once": 1}
    assert stats.questions == {"declined": 1}


def test_how_long_it_took():
    talk = v1().prompt("p").tool_call("a").tool_update("a", status="completed").permission("q", "a").selects("q").ends("p").prompt("r")

    assert stats_of(talk).seconds == {"session": 7, "turns": 5, "tools": 1, "waiting": 1}
    assert stats_of(untimed(talk)).seconds == {}


def test_tokens_of_version_1_are_those_of_all_turns_so_far_and_of_version_2_of_each():
    first, second = {"totalTokens": 10, "inputTokens": 7, "outputTokens": 3}, {"totalTokens": 25, "inputTokens": 20, "outputTokens": 5}
    old = v1().prompt("p").ends("p", usage=first).prompt("q").ends("q", usage=second).prompt("r").ends("r")
    new = v2().user_message("u", "a").state("running").state("idle", stopReason="end_turn", usage=first)
    new.user_message("v", "b").state("running").state("idle", stopReason="end_turn", usage=second)

    assert stats_of(old).tokens == {"total": 25, "input": 20, "output": 5}
    assert stats_of(new).tokens == {"total": 35, "input": 27, "output": 8}


def test_cost_is_summed_by_currency_and_exactly():
    parts = [
        stats_of(v1().prompt("p").update("usage_update", used=1, size=2, cost={"amount": amount, "currency": currency}))
        for amount, currency in ((0.1, "USD"), (0.2, "USD"), (3, "EUR"))
    ]

    assert total(parts).cost == {"USD": Decimal("0.3"), "EUR": Decimal(3)}
    assert to_object(total(parts))["cost"] == {"USD": 0.3, "EUR": 3.0}


def test_files_are_those_that_were_changed_and_read():
    diff = {"type": "diff", "path": "/new", "oldText": None, "newText": "a"}
    talk = v1().prompt("p").tool_call("a", kind="edit", content=[diff, item("x")], locations=[{"path": "/new"}, {"path": "/other"}])
    talk.tool_call("b", kind="read", locations=[{"path": "/read"}]).tool_call("c", kind="execute", locations=[{"path": "/run"}])
    talk.agent_asks_session("f", "fs/write_text_file", path="/written", content="x").agent_asks_session(
        "g", "fs/read_text_file", path="/seen"
    )
    stats = stats_of(talk)

    assert (stats.files_changed, stats.files_read) == (("/new", "/other", "/written"), ("/read", "/seen"))


def test_files_of_version_2_are_in_the_changes_of_a_diff():
    changes = [{"operation": "move", "oldPath": "/a", "path": "/b"}, {"operation": "add", "path": "/c"}]
    talk = v2().user_message("u", "a").state("running").tool_update("t", content=[{"type": "diff", "changes": changes}])

    assert stats_of(talk).files_changed == ("/a", "/b", "/c")


def test_what_was_replayed_is_counted_apart():
    talk = v1().load().user_says("a").agent_says("b").tool_call("t").agent_answers("load", {}).prompt("p").ends("p")
    stats = stats_of(talk)

    assert stats.history == 3
    assert (stats.messages, stats.tools) == ({"user": 1}, {})


@given(conversations())
def test_a_total_is_what_its_parts_are_together(conversation):
    ran("conversations")
    told = chronicle_of(recording(conversation))
    parts = session_stats(told)
    entries = [entry for session in told.sessions for entry in session.session.timeline]
    whole = total(parts.values())

    assert whole.sessions == len(told.sessions)
    assert whole.history == sum(getattr(entry, "historical", False) for entry in entries)
    assert whole.tool_calls == sum(isinstance(entry, s.ToolCall) and not entry.historical for entry in entries)
    assert sum(whole.permissions.values()) == sum(isinstance(entry, s.Permission) for entry in entries)
    assert sum(whole.turns.values()) == sum(len(session.session.turns) for session in told.sessions)
    assert total([total([part]) for part in parts.values()]) == whole
    assert total([]) == Stats()
