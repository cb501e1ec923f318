"""Law 9: how the text of messages and summaries was cut never shows."""

from __future__ import annotations

import base64

from typing import Any

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state.folding import fold

from strategies import conversations, polite, rude, texts
from support.effort import many, ran
from support.recordings import folded, frames_of, recording, told
from support.talk import Sent


MESSAGES = ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "session_message_chunk", "compaction_summary_chunk")

cuts = st.lists(st.integers(0, 12), min_size=1, max_size=8)


def text_of(sent: Sent) -> str | None:
    """The text of a chunk that can be cut, `None` if *sent* is no such chunk."""
    message = sent.message
    params = message.get("params")
    update = (
        params.get("update") if message.get("method") == "session/update" and "id" not in message and isinstance(params, dict) else None
    )
    if not isinstance(update, dict) or update.get("sessionUpdate") not in MESSAGES or "_meta" in params:
        return None
    content = update.get("content")
    text = content.get("text") if isinstance(content, dict) and content.get("type") == "text" else None
    return text if isinstance(text, str) else None


def with_text(sent: Sent, text: str) -> Sent:
    params = sent.message["params"]
    update = {**params["update"], "content": {**params["update"]["content"], "text": text}}
    return sent._replace(message={**sent.message, "params": {**params, "update": update}})


def halves(text: str) -> list[str]:
    """The UTF-16 units of *text*: between any two of them a chunk may end."""
    units = text.encode("utf-16-le", "surrogatepass")
    return [units[place : place + 2].decode("utf-16-le", "surrogatepass") for place in range(0, len(units), 2)]


def cut_up(conversation: list[Sent], places: list[int], *, halve: bool = True) -> list[Sent]:
    """Return *conversation* with the texts of its chunks cut, each at one or two of *places*; there may be nothing between two cuts."""
    after: list[Sent] = []
    for number, sent in enumerate(conversation):
        text = text_of(sent)
        if text is None:
            after.append(sent)
            continue
        units = halves(text) if halve else list(text)
        edges = sorted(places[(number + turn) % len(places)] % (len(units) + 1) for turn in range(2))
        pieces = ["".join(units[start:end]) for start, end in zip((0, *edges), (*edges, len(units)), strict=True)]
        after += [with_text(sent, piece) for piece in pieces]
    return after


def glued(conversation: list[Sent]) -> list[Sent]:
    """Return *conversation* with neighbouring chunks that differ in their text alone made one."""
    after: list[Sent] = []
    for sent in conversation:
        text = text_of(sent)
        last = text_of(after[-1]) if after else None
        if text is not None and last is not None and with_text(sent, "") == with_text(after[-1], "") and told_alike(sent, after[-1]):
            after[-1] = with_text(sent, last + text)
        else:
            after.append(sent)
    return after


def told_alike(one: Sent, other: Sent) -> bool:
    """Whether two messages are equal to the type of every number."""
    return repr(with_text(one, "").message) == repr(with_text(other, "").message)


def assert_same_state(one: list[Sent], other: list[Sent]) -> None:
    first, second = folded(frames_of(one)), folded(frames_of(other))
    assert told(first) == told(second)
    assert first.snapshot == second.snapshot


@many(3)
@given(polite(max_size=24), cuts)
def test_texts_may_be_cut_anywhere(conversation, places):
    ran("conversations")
    assert_same_state(conversation, cut_up(conversation, places))


@many(2)
@given(conversations(18), cuts)
def test_texts_may_be_cut_anywhere_in_rude_conversations_too(conversation, places):
    ran("conversations")
    assert_same_state(conversation, cut_up(conversation, places))


@many(2)
@given(polite(max_size=24))
def test_pieces_may_be_glued(conversation):
    ran("conversations")
    assert_same_state(conversation, glued(conversation))


@given(rude(18))
def test_pieces_may_be_glued_in_rude_conversations_too(conversation):
    ran("conversations")
    assert_same_state(conversation, glued(conversation))


@given(polite(max_size=12, words=texts), cuts)
def test_texts_may_be_cut_in_a_recording(conversation, places):
    ran("conversations")
    assert told(fold(recording(conversation))) == told(fold(recording(cut_up(conversation, places))))


def chunk(kind: str, text: str, **fields: Any) -> Sent:
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}, **fields}
    return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": update}}, "s-1")


def echoed(text: str, ids: dict) -> list[Sent]:
    params = {"sessionId": "s-1", "prompt": [{"type": "text", "text": text}]}
    return [
        Sent("client", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}),
        Sent("agent", {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1, "agentCapabilities": {}}}),
        Sent("client", {"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": params}),
        chunk("user_message_chunk", text, **ids),
    ]


@many(2)
@given(texts, texts, cuts, st.sampled_from(({}, {"messageId": "m"})), st.booleans())
def test_an_echo_may_be_cut_anywhere(text, more, places, ids, differs):
    conversation = echoed(text, ids)
    if differs:
        conversation.append(chunk("user_message_chunk", more, **ids))
    conversation.append(chunk("agent_message_chunk", "answer"))

    assert_same_state(conversation, cut_up(conversation, places))


@given(st.lists(texts, max_size=4), cuts, st.sampled_from(MESSAGES), st.sampled_from(({}, {"_meta": {"a": 1}})))
def test_one_message_in_pieces(pieces, places, kind, more):
    ids = {"compactionId": "c"} if kind.startswith("compaction") else {"messageId": "m"}
    conversation = [chunk(kind, piece, **ids, **more) for piece in pieces]

    assert_same_state(conversation, cut_up(conversation, places))


@given(st.binary(max_size=12), st.lists(st.integers(0, 12), max_size=4))
def test_the_bytes_of_a_terminal_may_be_cut_anywhere(data, places):
    def printed(piece: bytes) -> Sent:
        update = {"sessionUpdate": "terminal_output_chunk", "terminalId": "k", "data": base64.b64encode(piece).decode()}
        return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": update}})

    edges = sorted(place % (len(data) + 1) for place in places)
    pieces = [data[start:end] for start, end in zip((0, *edges), (*edges, len(data)), strict=True)]

    assert_same_state([printed(data)], [printed(piece) for piece in pieces])


@pytest.mark.parametrize("more", [{"_meta": {"a": 1}}, {"content": {"type": "text", "text": "b", "annotations": {"priority": 1}}}])
def test_pieces_that_differ_in_more_than_their_text_do_show(more):
    plain = [chunk("agent_message_chunk", "a", messageId="m"), chunk("agent_message_chunk", "b", messageId="m")]
    marked = [chunk("agent_message_chunk", "a", messageId="m"), chunk("agent_message_chunk", "b", **{"messageId": "m", **more})]

    assert told(folded(frames_of(plain))) != told(folded(frames_of(marked)))
