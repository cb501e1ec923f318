"""Law 5: what did not change is the same object."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from hypothesis import given

from acp_state._json import same
from acp_state.containers import Content, Log, Table
from acp_state.events import SessionUpdate
from acp_state.folding import Fold
from acp_state.frames import Frame
from acp_state.protocol.updates import UnknownUpdate
from acp_state.state import History, Sessions, Snapshot

from strategies import conversations, polite
from support.effort import ran
from support.recordings import frames_of
from support.talk import Sent, Talk


IDEMPOTENT = frozenset(
    (
        "tool_call",
        "tool_call_update",
        "plan",
        "plan_update",
        "plan_removed",
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "session_info_update",
        "usage_update",
        "user_message",
        "agent_message",
        "agent_thought",
        "session_message",
        "compaction_update",
        "subagent_update",
        "terminal_update",
        "state_update",
    )
)
"""Updates that say how something is; once more they say nothing."""


def kind_of(frame: Frame) -> str | None:
    if frame.kind != "notification" or frame.method != "session/update" or not isinstance(frame.payload, dict):
        return None
    update = frame.payload.get("update")
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    return kind if isinstance(kind, str) else None


def is_idempotent(frame: Frame) -> bool:
    if kind_of(frame) not in IDEMPOTENT:
        return False
    # Output that only `_meta` shows is appended, each time.
    return "terminal_output" not in str(frame.payload)


@given(conversations())
def test_an_update_that_says_how_things_are_changes_nothing_when_it_is_repeated(conversation):
    ran("conversations")
    work = Fold()
    for frame in frames_of(conversation):
        work.take(frame)
        if is_idempotent(frame):
            once = work.snapshot
            events = work.take(frame)
            if any(isinstance(event, SessionUpdate) and isinstance(event.update, UnknownUpdate) for event in events):
                continue  # what nobody knows is kept as often as it comes
            assert once is work.snapshot, kind_of(frame)


@given(conversations())
def test_what_is_equal_to_what_was_is_what_was(conversation):
    ran("conversations")
    work = Fold()
    for frame in frames_of(conversation):
        before = work.snapshot.sessions
        work.take(frame)
        for id, session in work.snapshot.sessions.items():
            if id in before:
                assert session.turns is before[id].turns or session.turns != before[id].turns
                for turn, now in zip(before[id].turns, session.turns, strict=False):
                    assert now is turn or now != turn


@given(conversations())
def test_a_frame_that_is_refused_changes_nothing(conversation):
    ran("conversations")
    work = Fold()
    for frame in frames_of(conversation):
        before, refused, version = work.snapshot, work.refused, work.wire.version
        work.take(frame)
        # A kind that only version 2 has tells the version, malformed or not.
        if work.refused > refused and kind_of(frame) is not None and version == work.wire.version:
            assert before.sessions is work.snapshot.sessions
            assert before.connection is work.snapshot.connection


@given(polite())
def test_sessions_that_a_frame_is_not_about_are_the_same_objects(conversation):
    ran("conversations")
    work = Fold()
    for sent in conversation:
        before = work.snapshot
        for frame in frames_of([sent]):
            work.take(frame)
        if sent.session is None:
            continue  # a new connection is about all of them
        children = {
            id for id, session in work.snapshot.sessions.items() if session.parent is not None and session.parent.session_id == sent.session
        }
        for id, session in before.sessions.items():
            if id != sent.session and id not in children:
                assert session is work.snapshot.sessions[id]


@given(polite())
def test_an_update_leaves_the_connection_the_same_object(conversation):
    ran("conversations")
    work = Fold()
    for frame in frames_of(conversation):
        before = work.snapshot
        work.take(frame)
        if kind_of(frame) is not None:
            assert before.connection is work.snapshot.connection


def unshared(before: Any, after: Any, where: str) -> list[str]:
    """The places where *after* has another object than *before* that is equal to it."""
    if before is after or type(before) is not type(after) or isinstance(before, (str, bytes, int, float, bool, frozenset)):
        return []
    if isinstance(before, (Content, Log)):
        return [where] if before == after else []
    if isinstance(before, Table):
        pairs = dict(before.slots())
        if dict(after.slots()).keys() == pairs.keys() and all(pairs[place] is entry for place, entry in after.slots()):
            return [where]
        return [found for place, entry in after.slots() if place in pairs for found in unshared(pairs[place], entry, f"{where}/{place}")]
    if isinstance(before, Sessions):
        return [found for key in before.keys() & after.keys() for found in unshared(before[key], after[key], f"{where}/{key}")]
    if attrs.has(type(before)):
        if before == after and _exactly(before, after):
            return [where]
        fields = attrs.fields(type(before))
        names = [field.name for field in fields if not field.name.startswith("_")] + ["sessions"] * isinstance(before, Snapshot)
        return [found for name in names for found in unshared(getattr(before, name), getattr(after, name), f"{where}/{name}")]
    if isinstance(before, (dict, list)):
        return [where] if same(before, after) else []
    if isinstance(before, tuple):
        return [where] if before and before == after else []
    return []


def _exactly(before: Any, after: Any) -> bool:
    """Whether all attributes are equal, those included that equality leaves out."""
    return all(getattr(before, field.name) == getattr(after, field.name) for field in attrs.fields(type(before)))


def brings_all_anew(frame: Frame, snapshot: Snapshot) -> bool:
    """Whether *frame* may replace what there is with its like: a load, a reply to one, a new connection, a whole list."""
    loading = any(session.phase in ("loading", "opening") or session.before is not None for session in snapshot.sessions.values())
    return loading or frame.method in ("initialize", "session/load", "session/resume")


@given(polite())
def test_parts_that_did_not_change_are_shared(conversation):
    ran("conversations")
    work = Fold()
    for frame in frames_of(conversation):
        before = work.snapshot
        work.take(frame)
        if not brings_all_anew(frame, before) and not brings_all_anew(frame, work.snapshot):
            assert unshared(before, work.snapshot, "") == []


@given(polite())
def test_a_load_that_takes_over_its_like_changes_nothing(conversation):
    ran("conversations")
    work = Fold()
    for frame in frames_of(conversation):
        work.take(frame)
        if frame.kind == "request" and frame.method in ("session/load", "session/resume") and frame.id is not None:
            once = work.snapshot
            work.take(frame)
            assert once is work.snapshot


def test_an_echo_without_an_id_leaves_the_prompt_the_same_object():
    talk = Talk(1)
    talk.handshake()
    talk.new(early=False, now=True)
    talk.prompt(0, [{"type": "text", "text": "abc"}])
    begun = len(talk.sent)
    for size in (1, 0, 2):
        talk.echo(0, 0, size, None)
    work = Fold()
    for frame in frames_of(talk.sent[:begun]):
        work.take(frame)
    for frame in frames_of(talk.sent[begun:]):
        before = work.snapshot
        work.take(frame)
        assert unshared(before, work.snapshot, "") == []
    assert len(work.snapshot.sessions["s-1"].timeline) == 2  # the last piece shows that it was none


@pytest.mark.parametrize("version", [1, 2])
def test_a_chunk_shares_all_but_its_message(version):
    talk = Talk(version)
    talk.handshake()
    talk.new(early=False, now=True)
    for number in range(40):
        talk.chunk(0, 0, number, {"type": "text", "text": "t"}, None)
        talk.call(0, number, 0, {"title": "T"})
    work = Fold()
    for frame in frames_of(talk.sent):
        work.take(frame)
    before = work.snapshot.sessions["s-1"]
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "a-3", "content": {"type": "text", "text": "t"}}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": update}}
    for frame in frames_of([Sent("agent", message)]):
        work.take(frame)
    after = work.snapshot.sessions["s-1"]

    changed = [place for place, (old, new) in enumerate(zip(before.timeline, after.timeline, strict=True)) if old is not new]
    names = [field.name for field in attrs.fields(History) if getattr(before, field.name) is not getattr(after, field.name)]
    assert changed == [6]
    assert names == ["timeline"]
