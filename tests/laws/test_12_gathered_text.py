"""Text that is gathered beside the sessions never shows: whoever looks, whenever, at any of the snapshots, sees what plain folding gives."""

from __future__ import annotations

import copy
import inspect
import pickle

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any, NamedTuple

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state import events as e
from acp_state._content import PLAIN
from acp_state._json import FrozenDict
from acp_state._model import replaced
from acp_state.document import dumps
from acp_state.folding import Fold
from acp_state.normalize import Wire, normalize
from acp_state.reduce import HANDLERS, messages, reduce
from acp_state.reduce._session import in_session, open_places
from acp_state.state import EMPTY, Message, Session, Snapshot

from strategies import conversations, rude_updates
from support.effort import many, ran
from support.recordings import frames_of
from support.situations import before, update
from support.talk import Sent


BESIDE = tuple(kind for kind, handler in HANDLERS.items() if inspect.getclosurevars(handler).nonlocals.get("beside"))
"""The events that leave gathered text where it is."""


@contextmanager
def nothing_gathered() -> Iterator[None]:
    """Fold as if there were no gathering: each piece is put into its message at once."""
    table: Any = HANDLERS
    table[e.MessageChunked] = messages._chunked_in_session
    try:
        yield
    finally:
        table[e.MessageChunked] = messages.message_chunked


# --- what the agent says -----------------------------------------------------------------------------

_sessions = st.sampled_from(("s-1", "s-1", "s-1", "s-2", "s-3"))
_ids = st.sampled_from((None, "x", "x", "y"))
_words = st.sampled_from(("q", "a", "b", "c", "d", "e", "", "\ud83d", "\ude00"))
_roles = st.sampled_from(
    ("agent_message_chunk", "agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "session_message_chunk")
)
_links = st.sampled_from((None, None, None, None, {"claudeCode": {"parentToolUseId": "t-1"}}, {"a": 1}))


def _sent(session: str, **fields: Any) -> Sent:
    fields = {name: value for name, value in fields.items() if value is not None}
    return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": fields}}, session)


def _chunk(session: str, kind: str, id: str | None, words: str, meta: dict | None) -> Sent:
    return _sent(session, sessionUpdate=kind, messageId=id, content={"type": "text", "text": words}, _meta=meta)


_chunks = st.builds(_chunk, _sessions, _roles, _ids, _words, _links)
_likely = st.builds(
    _chunk, st.just("s-1"), st.just("agent_message_chunk"), st.sampled_from(("x", None)), st.sampled_from("abcdef"), st.none()
)
_plain = (
    {"sessionUpdate": "tool_call", "toolCallId": "t-1", "title": "T"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t-1", "status": "completed"},
    {"sessionUpdate": "tool_call_update", "toolCallId": "t-2", "status": "in_progress"},
    {"sessionUpdate": "usage_update", "used": 1, "size": 2},
    {"sessionUpdate": "usage_update", "used": 2, "size": 2},
    {"sessionUpdate": "plan", "entries": []},
    {"sessionUpdate": "agent_message", "messageId": "x", "content": [{"type": "text", "text": "w"}]},
    {"sessionUpdate": "agent_message", "messageId": "y", "content": None},
    {"sessionUpdate": "state_update", "state": "running"},
    {"sessionUpdate": "state_update", "state": "idle"},
    {"sessionUpdate": "subagent_update", "sessionId": "s-2", "state": {"state": "running"}},
    {"sessionUpdate": "agent_message_chunk", "messageId": "x", "content": {"type": "image", "data": "aW1n", "mimeType": "image/png"}},
)
_others = st.builds(lambda session, fields: _sent(session, **fields), _sessions, st.sampled_from(_plain))
_client = st.sampled_from(
    (
        Sent("client", {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s-1", "prompt": [{"type": "text", "text": "ab"}]}}),
        Sent("agent", {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}),
        Sent("client", {"jsonrpc": "2.0", "id": 2, "method": "session/load", "params": {"sessionId": "s-1", "cwd": "/", "mcpServers": []}}),
        Sent("agent", {"jsonrpc": "2.0", "id": 2, "result": {}}),
        Sent("client", {"jsonrpc": "2.0", "id": 3, "method": "session/close", "params": {"sessionId": "s-2"}}),
        Sent("agent", {"jsonrpc": "2.0", "id": 3, "result": {}}),
        Sent("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s-1"}}),
    )
)  # fmt: skip
_told = st.integers(0, 11).flatmap(
    lambda way: _likely if way < 6 else _chunks if way < 8 else (_others, _others, rude_updates(_sessions), _client)[way - 8]
)


class Act(NamedTuple):
    """Something that happens, and who looks at which snapshots right after it."""

    sent: Sent
    back: int
    """After which snapshot: so many before the newest."""
    looks: tuple[int, ...]
    """How many before the newest each is that is looked at."""


_act = st.builds(Act, _told, st.sampled_from((0,) * 15 + (1, 2, 5)), st.sampled_from(((),) * 6 + ((0,), (1,), (2,), (3, 0), (6, 1))))
_acts = st.lists(_act, min_size=12, max_size=30)


class State(NamedTuple):
    wire: Wire
    snapshot: Snapshot
    notes: tuple[str, ...] = ()
    """What the reducer remarked upon the last frame."""


def begun(version: int) -> State:
    work = Fold()
    for frame in frames_of(before(version)):
        work.take(frame)
    return State(work.wire, work.snapshot)


BEGUN = {version: begun(version) for version in (1, 2)}


def grown(start: State, deeds: list[Act], *, looking: bool) -> list[tuple[State, int]]:
    """Return the states that *deeds* lead to, each with the place of the one that it came from."""
    tree = [(start, 0)]
    for act in deeds:
        place = max(0, len(tree) - 1 - act.back)
        wire, snapshot, _ = tree[place][0]
        notes: list[str] = []
        for frame in frames_of([act.sent]):
            wire, events, _ = normalize(wire, frame)
            for event in events:
                after = reduce(snapshot, event, lambda code, message, *_, notes=notes: notes.append(f"{code} {message}"))
                if looking:
                    assert_left_beside(snapshot, event, after)
                snapshot = after
        tree.append((State(wire, snapshot, tuple(notes)), place))
        if looking:
            for look in act.looks:
                _ = tree[max(0, len(tree) - 1 - look)][0].snapshot.sessions
    return tree


def assert_left_beside(snapshot: Snapshot, event: e.Event, after: Snapshot) -> None:
    """What leaves gathered text beside the sessions changes no message and ends no turn."""
    if type(event) not in BESIDE or after._streams is None:
        return
    assert after._streams is snapshot._streams
    for id, session in snapshot._sessions.items():
        changed = after._sessions[id]
        assert open_places(session) == open_places(changed)
        for place, entry in enumerate(session.timeline):
            if isinstance(entry, Message):
                assert changed.timeline[place] is entry


def parts(session: Session) -> list[Any]:
    return [*session.timeline, *session.turns, session.usage, session._facts]


def assert_shares_as_much(mine: tuple[Snapshot, Snapshot], plain: tuple[Snapshot, Snapshot]) -> None:
    """What is the same object in two snapshots that are folded plainly is the same in ours."""
    for id, session in plain[0].sessions.items():
        other = plain[1].sessions.find(id)
        if other is session:
            assert mine[1].sessions[id] is mine[0].sessions[id]
        elif other is not None:
            for place, (one, two) in enumerate(zip(session.timeline, other.timeline, strict=False)):
                if one is two:
                    assert mine[1].sessions[id].timeline[place] is mine[0].sessions[id].timeline[place]


@many(6)
@given(st.sampled_from((1, 2)), _acts, st.randoms(use_true_random=False))
def test_whoever_looks_at_whatever_snapshot_sees_what_plain_folding_gives(version, deeds, order):
    ran("conversations")
    with nothing_gathered():
        plain = grown(BEGUN[version], deeds, looking=False)
    mine = grown(BEGUN[version], deeds, looking=True)
    places = list(range(len(mine)))
    order.shuffle(places)
    for place in places:
        assert mine[place][0].snapshot == plain[place][0].snapshot
    for place, (state, parent) in enumerate(mine):
        assert state.notes == plain[place][0].notes
        assert dumps(state.snapshot) == dumps(plain[place][0].snapshot)
        assert_shares_as_much((mine[parent][0].snapshot, state.snapshot), (plain[parent][0].snapshot, plain[place][0].snapshot))


@many(2)
@given(conversations(30), st.randoms(use_true_random=False))
def test_any_conversation_folds_to_what_plain_folding_gives(conversation, order):
    ran("conversations")
    frames = frames_of(conversation)
    with nothing_gathered():
        plain = snapshots_of(frames)
    mine = snapshots_of(frames)
    places = list(range(len(mine)))
    order.shuffle(places)
    for place in places:
        assert mine[place] == plain[place]


def snapshots_of(frames: list[Any]) -> list[Snapshot]:
    work = Fold()
    found = [work.snapshot]
    for frame in frames:
        work.take(frame)
        found.append(work.snapshot)
    return found


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 -- our own


# --- one at a time -----------------------------------------------------------------------------------


def folded(*events: e.Event, start: Snapshot = EMPTY) -> Snapshot:
    for event in events:
        start = reduce(start, event)
    return start


def said(text: str, id: str | None = "x", session: str = "s", role: str = "agent", parent: str | None = None) -> e.MessageChunked:
    return e.MessageChunked(session, role, id, PLAIN, text, parent)


def texts(snapshot: Snapshot, session: str = "s") -> list[str]:
    return [entry.text for entry in snapshot.sessions[session].timeline if isinstance(entry, Message)]


def gathering() -> Snapshot:
    """A snapshot with text beside its sessions."""
    snapshot = folded(said("a"), said("b"))
    assert snapshot._streams is not None
    return snapshot


def test_text_is_gathered_and_a_look_takes_it_in():
    snapshot = gathering()

    assert snapshot._sessions["s"].timeline[0].text == "a"
    assert texts(snapshot) == ["ab"]
    assert snapshot.sessions is snapshot.sessions


def test_what_comes_after_a_look_is_gathered_by_itself():
    snapshot = gathering()
    assert texts(snapshot) == ["ab"]

    after = reduce(snapshot, said("c"))

    assert (after._size, texts(after)) == (1, ["abc"])


def test_a_piece_without_an_id_goes_on_with_the_last_entry_alone():
    snapshot = folded(said("a", None), said("b", None), e.ToolCallPatched("s", "t"), said("c", None), said("d", None))

    assert texts(snapshot) == ["ab", "cd"]


def test_a_closed_session_takes_no_text():
    snapshot = folded(said("a"), e.SessionEnded("s", "closed"))
    noted = []

    assert reduce(snapshot, said("b"), lambda code, *_: noted.append(code)) is snapshot
    assert noted == ["closed-session"]


def test_text_of_a_turn_that_is_over_is_late():
    start = folded(e.StateReported("s", "running"), said("a"), e.StateReported("s", "idle"))
    noted: list[str] = []
    for piece in "bc":
        start = reduce(start, said(piece), lambda code, *_: noted.append(code))

    assert texts(start) == ["abc"]
    assert noted == ["late-update", "late-update"]


def test_a_piece_of_another_parent_begins_a_message():
    snapshot = folded(said("a", None), said("b", None), said("c", None, parent="t"), said("d", None, parent="t"), said("e", None))

    assert texts(snapshot) == ["ab", "cd", "e"]


@pytest.mark.parametrize("ids", [("x", "x", None, "x", None), ("x", None, "x", None), ("x", None, None, "x", "x")])
def test_pieces_with_and_without_the_id_of_one_message_keep_their_order(ids):
    letters = "abcdefgh"[: len(ids)]

    snapshot = folded(*(said(letter, id) for letter, id in zip(letters, ids, strict=True)))

    assert texts(snapshot) == [letters]


@pytest.mark.parametrize("count", [255, 1023, 1024, 1025, 1026, 3000])
@pytest.mark.parametrize("messages_at_once", [1, 2, 40])
def test_any_number_of_pieces(count, messages_at_once):
    names = [f"m-{number}" for number in range(messages_at_once)]
    snapshot, longest = EMPTY, 0
    for number in range(count):
        snapshot = reduce(snapshot, said(chr(97 + number % 26), names[number % len(names)]))
        longest = max(longest, snapshot._size)

    wanted = ["".join(chr(97 + number % 26) for number in range(first, count, len(names))) for first in range(len(names))]
    assert texts(snapshot) == wanted
    assert longest <= 1024  # what a look costs is bounded


@pytest.mark.parametrize("first", [0, 1])
def test_two_continuations_of_one_snapshot_never_show_each_others_text(first):
    start = gathering()
    ways = [[said("1"), said("2"), said("n", "y"), said("3")], [said("9"), said("o", "z"), said("8", "z"), said("7")]]
    made = {}
    for way in (first, 1 - first):
        made[way] = folded(*ways[way], start=start)

    assert texts(made[0]) == ["ab123", "n"]
    assert texts(made[1]) == ["ab97", "o8"]
    assert texts(start) == ["ab"]


def test_two_continuations_that_begin_other_messages_at_one_place():
    start = gathering()
    one, other = folded(said("n", "y"), start=start), folded(said("o", None, role="thought"), start=start)

    one, other = folded(said("m", "y"), said("!"), start=one), folded(said("p", None, role="thought"), said("?"), start=other)

    assert texts(one) == ["ab!", "nm"]
    assert texts(other) == ["ab?", "op"]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_a_session_that_did_not_change_is_the_same_object_whichever_snapshot_is_looked_at_first(order):
    one = gathering()
    two = reduce(one, e.UsageReported("other", used=1, size=2))
    three = reduce(two, e.UsageReported("s", used=1, size=2))
    made = [one, two, three]

    for place in order:
        _ = made[place].sessions

    assert one.sessions["s"] is two.sessions["s"]
    assert two.sessions["other"] is three.sessions["other"]
    assert three.sessions["s"].timeline[0] is one.sessions["s"].timeline[0]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled], ids=["copy", "deepcopy", "pickle"])
def test_a_copy_in_mid_stream_goes_on_by_itself(copied):
    snapshot = gathering()

    twin = copied(snapshot)

    assert twin == snapshot
    assert texts(folded(said("1"), said("2"), start=twin)) == ["ab12"]
    assert texts(folded(said("3"), start=snapshot)) == ["ab3"]
    assert texts(twin) == texts(snapshot) == ["ab"]


def test_threads_that_fold_on_from_one_snapshot_see_their_own_text_alone():
    count, rounds = 8, 40
    ready = Barrier(count)

    def go_on(number: int, start: Snapshot) -> list[str]:
        ready.wait()
        snapshot = start
        for piece in range(12):
            snapshot = reduce(snapshot, said(str(number), ("x", "y")[piece % 2]))
        return texts(snapshot)

    with ThreadPoolExecutor(count) as pool:
        for _ in range(rounds):
            start = gathering()
            found = list(pool.map(go_on, range(count), [start] * count))
            assert found == [["ab" + str(number) * 6, str(number) * 6] for number in range(count)]
            assert texts(start) == ["ab"]


class Faster(list):
    """A log that somebody else appends to first, or in which somebody looks at a snapshot: what a thread may do at that moment."""

    def __init__(self, items: list, act: Any) -> None:
        super().__init__(items)
        self.act = act

    def append(self, item: Any) -> None:
        act, self.act = self.act, lambda: None
        act()
        super().append(item)


@pytest.mark.parametrize("id", ["x", "y"], ids=["on", "first"])
def test_a_thread_that_comes_second_loses_nothing(id):
    snapshot = folded(said("n", "y"), start=gathering())
    made = []
    log = snapshot._streams.log = Faster(snapshot._streams.log, lambda: made.append(reduce(snapshot, said("1", id))))

    mine = reduce(snapshot, said("2", id))

    assert len(log) == 3
    wanted = {"x": ["ab{}", "n"], "y": ["ab", "n{}"]}[id]
    assert texts(made[0]) == [text.format("1") for text in wanted]
    assert texts(mine) == [text.format("2") for text in wanted]
    assert texts(folded(said("3", id), start=made[0])) == [text.format("13") for text in wanted]


@pytest.mark.parametrize("id", ["x", "y"], ids=["on", "first"])
def test_a_look_while_a_piece_is_taken_loses_nothing(id):
    snapshot = folded(said("n", "y"), start=gathering())
    snapshot._streams.log = Faster(snapshot._streams.log, lambda: snapshot.sessions)

    after = folded(said("1", id), said("2", id), start=snapshot)

    assert texts(after) == {"x": ["ab12", "n"], "y": ["ab", "n12"]}[id]


def test_a_look_while_something_else_is_taken_loses_nothing():
    snapshot = gathering()

    def looking(session: Session, event: Any, note: Any) -> Session:
        _ = snapshot.sessions
        return replaced(session, usage=event)

    after = in_session(looking, beside=True)(snapshot, e.UsageReported("s", used=1, size=2), lambda *_: None)

    assert after.sessions["s"].usage is not None
    assert texts(after) == ["ab"]


# --- the table ---------------------------------------------------------------------------------------


def of_kind(fields: dict, version: int = 2) -> e.Event:
    (frame,) = frames_of([update(fields)])
    return normalize(BEGUN[version].wire, frame)[1][-1]


SAMPLES = {
    type(event): event
    for event in (
        of_kind({"sessionUpdate": "session_info_update", "title": "t"}),
        of_kind({"sessionUpdate": "current_mode_update", "currentModeId": "m"}),
        e.ModelChosen("s-1", "m"),
        of_kind({"sessionUpdate": "config_option_update", "configOptions": [{"configId": "c", "name": "n", "type": "boolean", "currentValue": True}]}),
        of_kind({"sessionUpdate": "available_commands_update", "availableCommands": []}),
        of_kind({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
        of_kind({"sessionUpdate": "notice", "severity": "info", "title": "t"}),
        of_kind({"sessionUpdate": "plan", "entries": []}, 1),
        of_kind({"sessionUpdate": "plan_removed", "planId": "p"}),
        e.UnknownUpdated("s-1", FrozenDict(sessionUpdate="_x")),
        of_kind({"sessionUpdate": "tool_call_update", "toolCallId": "new", "status": "completed", "_meta": {"claudeCode": {"parentToolUseId": "t-1"}}}),
        of_kind({"sessionUpdate": "tool_call_content_chunk", "toolCallId": "new", "content": {"type": "terminal", "terminalId": "k-1"}}),
        of_kind({"sessionUpdate": "terminal_update", "terminalId": "k-1", "command": "c", "exitStatus": {}}),
        of_kind({"sessionUpdate": "terminal_output_chunk", "terminalId": "k-1", "data": "YQ=="}),
    )
}  # fmt: skip


def test_each_event_that_leaves_text_beside_has_a_sample():
    assert set(BESIDE) == set(SAMPLES)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("kind", BESIDE, ids=lambda kind: kind.__name__)
def test_an_event_beside_gathered_text_does_what_it_does_without(kind, version):
    talk = [said("a", session="s-1"), said("b", session="s-1"), said("c", None, "s-1", "thought"), said("d", None, "s-1", "thought")]
    rest = [SAMPLES[kind], said("e", session="s-1"), said("f", None, "s-1", "thought"), SAMPLES[kind], said("g", session="s-1")]
    start = folded(*talk, start=BEGUN[version].snapshot)
    assert start._streams is not None

    after = reduce(start, rest[0])

    assert after._streams is start._streams
    assert after._size == start._size
    assert_left_beside(start, rest[0], after)
    with nothing_gathered():
        plain = folded(*talk, *rest, start=BEGUN[version].snapshot)
    assert dumps(folded(*rest[1:], start=after)) == dumps(plain)
