"""Law 10: how the frames of two sessions are interleaved changes neither.

Held once the version is known, both sides are seen, ids are there and every answer's request was
recorded; a child's `parent` and `activity` are its parent's word, and left out.
"""

from __future__ import annotations

import json

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from strategies import polite, rude_updates
from support.effort import many, ran
from support.recordings import folded, frames_of, told
from support.talk import Sent, Talk


order = st.lists(st.integers(0, 3), max_size=60)


def streams_of(conversation: list[Sent]) -> tuple[list[Sent], dict[str | None, list[Sent]]]:
    """Return the handshake, and the frames of each session in their order; `None` are those of the connection."""
    streams: dict[str | None, list[Sent]] = {}
    for sent in conversation[2:]:
        streams.setdefault(sent.session, []).append(sent)
    return conversation[:2], streams


def woven(streams: list[list[Sent]], turns: list[int]) -> list[Sent]:
    """Take from the streams in turn, as *turns* say; each keeps its own order."""
    left = [list(stream) for stream in streams if stream]
    found = []
    for turn in turns:
        if left:
            stream = left[turn % len(left)]
            found.append(stream.pop(0))
            left = [stream for stream in left if stream]
    for stream in left:
        found += stream
    return found


def sessions_of(conversation: list[Sent]) -> Any:
    sessions = json.loads(told(folded(frames_of(conversation))))["sessions"]
    for session in sessions.values():
        if session.pop("parent", None) is not None:
            session.pop("activity", None)
    return sessions


@many(3)
@given(polite(max_size=30, min_sessions=2, fresh=True, ids=(), mixed=False), order)
def test_sessions_may_be_interleaved_in_any_way(conversation, turns):
    ran("conversations")
    conversation = up_to_the_next_connection(conversation)
    handshake, streams = streams_of(conversation)
    # A fork names another session, which must be there; the scope of some questions is another's request.
    other = [*handshake, *woven(list(streams.values()), turns)]

    assert sessions_of(conversation) == sessions_of(other)


def up_to_the_next_connection(conversation: list[Sent]) -> list[Sent]:
    """A new connection is about all sessions: what comes before one is compared."""
    for place, sent in enumerate(conversation[1:], 1):
        if sent.message.get("method") == "initialize":
            return conversation[:place]
    return conversation


def routed(session: str, updates: list[Sent]) -> list[Sent]:
    """Return *updates* as those of one session; children get names of their own."""
    found = []
    for sent in updates:
        params = {**sent.message["params"], "sessionId": session}
        update = params["update"]
        if update["sessionUpdate"] == "subagent_update" and isinstance(update.get("sessionId"), str):
            params["update"] = {**update, "sessionId": f"{session} child {update['sessionId']}"}
        found.append(sent._replace(message={**sent.message, "params": params}))
    return found


def asked(version: int, session: str, number: int) -> list[Sent]:
    """A prompt and a permission, answered at once, so that there is more to tell than updates."""
    prompt = {"sessionId": session, "prompt": [{"type": "text", "text": "q"}]}
    what: dict = {"title": "T"} if version == 2 else {"toolCall": {"toolCallId": "t-1"}}
    permission = {"sessionId": session, "options": [{"optionId": "o", "name": "n", "kind": "allow_once"}], **what}
    name = f"{session} {number}"
    return [
        Sent("client", {"jsonrpc": "2.0", "id": name, "method": "session/prompt", "params": prompt}),
        Sent("agent", {"jsonrpc": "2.0", "id": name, "method": "session/request_permission", "params": permission}),
        Sent("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}),
        Sent("client", {"jsonrpc": "2.0", "id": name, "result": {"outcome": {"outcome": "cancelled"}}}),
        Sent("agent", {"jsonrpc": "2.0", "id": name, "result": {"stopReason": "cancelled"} if version == 1 else {"messageId": name}}),
    ]


@st.composite
def rude_streams(draw: Any) -> tuple[list[Sent], list[list[Sent]]]:
    version = draw(st.sampled_from((1, 2)))
    talk = Talk(version)
    talk.handshake()
    streams = []
    for session in ("s-1", "s-2"):
        updates = routed(session, draw(st.lists(rude_updates(), max_size=8)))
        extra = [sent for number in range(draw(st.integers(0, 2))) for sent in asked(version, session, number)]
        streams.append(woven([updates, extra], draw(st.lists(st.integers(0, 1), max_size=12))))
    return talk.sent, streams


@many(2)
@given(rude_streams(), order, order)
def test_rude_sessions_may_be_interleaved_in_any_way(made, turns, others):
    ran("conversations", 2)
    handshake, streams = made

    assert sessions_of([*handshake, *woven(streams, turns)]) == sessions_of([*handshake, *woven(streams, others)])


@given(polite(max_size=24, min_sessions=2, fresh=True, mixed=False))
def test_a_session_is_what_it_would_be_alone(conversation):
    ran("conversations")
    conversation = up_to_the_next_connection(conversation)
    handshake, streams = streams_of(conversation)
    together = sessions_of(conversation)
    for session, stream in streams.items():
        if session is not None:
            alone = sessions_of([*handshake, *stream])
            assert together.get(session) == alone.get(session)
