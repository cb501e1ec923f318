"""Law 8: the same session folds to the same snapshot, whoever recorded it."""

from __future__ import annotations

import json

from typing import Any

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state.document import to_document
from acp_state.folding import fold

from strategies import one_sided, plain_texts, polite
from support.effort import many, ran
from support.recordings import ANSWERS, CALLS, recording, told
from support.talk import OTHER, Sent


REQUEST_IDS = {"requestId", "id"}


def without_ids(document: Any) -> Any:
    """The document as a recording without request ids would give it: they are `null`."""
    document = json.loads(json.dumps(document))
    document.pop("wire", None)
    connection = document["connection"]
    for request in connection.get("openRequests", []):
        request["id"] = None
    holders = [connection, *document["sessions"].values()]
    for holder in holders:
        for extension in holder.get("extensions", []):
            if "id" in extension:
                extension["id"] = None
        for entry in [*holder.get("elicitations", []), *_entries(holder), *_entries(holder.get("before", {}))]:
            if entry["type"] in ("permission", "elicitation"):
                entry["id"] = None
        for turn in [*holder.get("turns", []), *holder.get("before", {}).get("turns", [])]:
            for prompt in turn.get("prompts", []):
                prompt["requestId"] = None
        for prompt in holder.get("pendingPrompts", []):
            prompt["requestId"] = None
    return document


def _entries(holder: Any) -> list[Any]:
    return holder.get("timeline", [])


def sayable(conversation: list[Sent]) -> list[Sent]:
    """The part of a conversation that every SDK has a callback for, errors apart."""
    methods: dict[tuple[str, str], str] = {}
    found = []
    for sent in conversation:
        message = sent.message
        method = message.get("method")
        if method is not None and "id" in message:
            methods[sent.sender, json.dumps(message["id"])] = method
        asked = methods.get((OTHER[sent.sender], json.dumps(message.get("id"))))
        known = method in CALLS if method is not None else "result" in message and asked in ANSWERS
        if known or (method or "").startswith("_"):
            found.append(sent)
    return found


apart = st.sampled_from(((), (0, 1, 2), ("a", "b", 0)))


@many(2)
@given(polite(apart=True, vendors=False), st.sampled_from(("jsonrpc", "tagged")))
def test_recordings_with_ids(conversation, dialect):
    ran("conversations")
    ours = fold(recording(conversation))
    theirs = fold(recording(conversation, dialect))

    assert ours.snapshot == theirs.snapshot
    assert told(ours) == told(theirs)


@given(polite())
def test_a_wrapper_that_says_who_sent_what(conversation):
    """Then the two sides may use the same ids, and vendors' messages have a sender."""
    ran("conversations")
    assert told(fold(recording(conversation))) == told(fold(recording(conversation, "tagged")))


@many(2)
@given(polite(), st.sampled_from(("zed", "conductor", "jetbrains", "codecompanion")))
def test_logs_of_programs(conversation, dialect):
    ran("conversations")
    ours = fold(recording(conversation))
    theirs = fold(recording(conversation, dialect))

    assert ours.snapshot == theirs.snapshot
    assert told(ours) == told(theirs)


def as_in_lisp(value: Any) -> Any:
    """*value* as a Lisp log can say it: one word for `{}` and `null`, no line's end within a member's name."""
    if isinstance(value, dict):
        return {key.replace("\n", ""): as_in_lisp(item) for key, item in value.items()} or None
    return [as_in_lisp(item) for item in value] if isinstance(value, list) else value


@given(polite())
def test_a_log_in_lisp(conversation):
    """What it cannot say apart is left out here, and halves of characters, which no Emacs has."""
    ran("conversations")
    whole = [sent for sent in conversation if "\\ud" not in ascii(sent.message)]
    said = [sent for sent in whole if as_in_lisp(sent.message) == sent.message]
    ours = fold(recording(said))
    theirs = fold(recording(said, "acp-el"))

    assert ours.tally.read == len(said)
    assert told(ours) == told(theirs)


@given(polite())
def test_a_log_in_which_python_wrote_what_the_client_sent(conversation):
    ran("conversations")
    assert told(fold(recording(conversation))) == told(fold(recording(conversation, "toad")))


@many(2)
@given(polite(in_order=True))
def test_recordings_without_ids(conversation):
    ran("conversations")
    ours = fold(recording(conversation, ids=False))
    theirs = fold(recording(conversation, "replay"))

    assert ours.snapshot == theirs.snapshot
    assert told(ours) == told(theirs)


@many(2)
@given(polite(in_order=True))
def test_without_ids_only_the_ids_are_missing(conversation):
    ran("conversations")
    with_ids = fold(recording(conversation))
    without = fold(recording(conversation, ids=False))

    assert without_ids(to_document(with_ids)) == without_ids(to_document(without))
    assert not ids_in(to_document(without))


def ids_in(document: Any) -> list[Any]:
    """The request ids that a document of a recording without any shows."""
    document = json.loads(json.dumps(document))
    shown = without_ids(document)
    document.pop("wire", None)
    return [] if shown == document else [document]


@given(polite(in_order=True))
def test_what_only_the_agent_sent(conversation):
    ran("conversations")
    agents = one_sided(conversation)
    ours = fold(_without_ids_of(conversation))
    theirs = fold(recording(conversation, "snapshot"))

    assert len(agents) == ours.tally.read == theirs.tally.read
    assert told(ours) == told(theirs)


def _without_ids_of(conversation: list[Sent]) -> bytes:
    """What the agent sent, in our own dialect without ids: the client's requests only tell what answers are for."""
    lines = recording(conversation, ids=False).splitlines(keepends=True)
    return b"".join(line for line, sent in zip(lines, conversation, strict=True) if sent.sender == "agent")


@given(polite(in_order=True, drafts=False))
def test_what_an_agent_called_on_its_sdk(conversation):
    ran("conversations")
    lines = recording(conversation, ids=False).splitlines(keepends=True)
    said = {id(sent) for sent in sayable(conversation)}
    ours = b"".join(line for line, sent in zip(lines, conversation, strict=True) if sent.sender == "agent" and id(sent) in said)

    assert told(fold(ours)) == told(fold(recording(conversation, "sdk-calls")))


@given(polite(in_order=True))
def test_bare_updates(conversation):
    ran("conversations")
    updates = [sent for sent in conversation if sent.message.get("method") == "session/update"]

    assert told(fold(recording(updates))) == told(fold(recording(conversation, "updates")))


@pytest.mark.parametrize(
    "wrap",
    [
        lambda sender, message: {"t_ms": 3, "dir": {"agent": "in", "client": "out"}[sender], "frame": message},
        lambda sender, message: {
            "ts": "2026-01-01T00:00:00Z",
            "direction": {"agent": "fromAgent", "client": "fromClient"}[sender],
            "json": json.dumps(message),
        },
        lambda sender, message: {"channel": {"agent": "server->client", "client": "client->server"}[sender], "message": message},
        lambda sender, message: {"sender": sender, "payload": message, "n": 1},
        lambda sender, message: {"from": sender, "line": json.dumps(message) + "\n"},
        lambda sender, message: {"direction": {"agent": "recv", "client": "send"}[sender], "message": message},
        lambda sender, message: {
            "dir": {"agent": "incoming", "client": "outgoing"}[sender],
            "frame": json.dumps(message, ensure_ascii=False),
        },
    ],
)
@given(polite(max_size=9, words=plain_texts))
def test_every_usual_wrapper(wrap, conversation):
    ran("conversations")
    wrapped = b"".join(json.dumps(wrap(sent.sender, sent.message)).encode() + b"\n" for sent in conversation)

    assert told(fold(recording(conversation))) == told(fold(wrapped))


@given(polite(max_size=9), st.lists(st.integers(1, 4), min_size=1, max_size=8))
def test_a_batch_is_its_messages(conversation, sizes):
    ran("conversations")
    records, start, turn = [], 0, 0
    while start < len(conversation):
        # A batch is one side's.
        end = start + 1
        while end < len(conversation) and end - start < sizes[turn % len(sizes)] and conversation[end].sender == conversation[start].sender:
            end += 1
        records.append({"t": 0, "from": conversation[start].sender, "message": [sent.message for sent in conversation[start:end]]})
        start, turn = end, turn + 1
    batches = b"".join(json.dumps(record).encode() + b"\n" for record in records)

    assert told(fold(recording(conversation))) == told(fold(batches))


@given(polite(max_size=9))
def test_how_the_json_is_written_makes_no_difference(conversation):
    ran("conversations")
    plain = recording(conversation)
    raw = b"".join(
        json.dumps({"t": 0.5, "from": sent.sender, "message": sent.message}, ensure_ascii=False, separators=(",", ":")).encode(
            "utf-8", "surrogatepass"
        )
        + b"\r\n"
        for sent in conversation
    )
    pretty = b"".join(
        json.dumps({"t": 0.5, "from": sent.sender, "message": sent.message}, indent=1).encode() + b"\n" for sent in conversation
    )

    assert told(fold(plain)) == told(fold(b"\xef\xbb\xbf" + raw)) == told(fold(pretty))


@given(polite(max_size=9))
def test_lines_and_records_and_bytes_are_the_same_recording(conversation):
    ran("conversations")
    data = recording(conversation)
    lines = data.splitlines(keepends=True)
    records = [{"t": 0.5, "from": sent.sender, "message": sent.message} for sent in conversation]

    expected = told(fold(data))
    assert expected == told(fold(lines))
    assert expected == told(fold([line.decode() for line in lines]))
    assert expected == told(fold([line.rstrip(b"\n") for line in lines]))
    assert expected == told(fold(records))
