"""The official SDK's `SessionAccumulator` as an oracle: both are told the same, and both keep the same, but for what `DIFFERENCES` explains.

It hears `session/update` alone and keeps tool calls, the plan, the mode, the commands and the chunks of
messages. What its models cannot read at all is left out of a stream beforehand.
"""

from __future__ import annotations

import json
import re

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from acp.contrib.session_state import SessionAccumulator, SessionSnapshot
from acp.schema import SessionNotification
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from acp_state import to_document

from strategies import polite, rude_updates
from support.effort import many, ran
from support.recordings import folded, frames_of
from support.talk import FINAL, Sent
from support.transcripts import Transcript, item


CALL_FIELDS = ("title", "kind", "status", "content", "locations", "rawInput", "rawOutput")
UNSAID = {"kind": "other", "status": "pending", "content": [], "locations": []}
"""What we call a field of a call of which nothing was said."""


# --- the two of them ---------------------------------------------------------------------------------------


def is_update(sent: Sent) -> bool:
    return sent.message.get("method") == "session/update"


def read(sent: Sent) -> SessionNotification | None:
    """An update as the SDK's models have it, `None` if they refuse it."""
    try:
        return SessionNotification.model_validate(sent.message["params"])
    except ValidationError:
        return None


def readable(conversation: list[Sent]) -> list[Sent]:
    """Return what the SDK's models can read of it; they know no halves of a character."""
    whole = [sent._replace(message=json.loads(re.sub(r"\\u[dD][89a-fA-F]..", "?", json.dumps(sent.message)))) for sent in conversation]
    return [sent for sent in whole if not is_update(sent) or read(sent)]


def theirs(conversation: list[Sent]) -> dict[str, SessionSnapshot]:
    kept: dict[str, SessionAccumulator] = {}
    for sent in filter(is_update, conversation):
        notification = read(sent)
        kept.setdefault(notification.session_id, SessionAccumulator(auto_reset_on_session_change=False)).apply(notification)
    return {session: accumulator.snapshot() for session, accumulator in kept.items()}


def ours(conversation: list[Sent]) -> dict[str, Any]:
    return to_document(folded(frames_of(conversation)).snapshot)["sessions"]


# --- side by side ------------------------------------------------------------------------------------------


def in_python(name: str) -> str:
    return re.sub("[A-Z]", lambda found: "_" + found[0].lower(), name)


def as_sent(value: Any) -> Any:
    """A value of theirs as JSON, with nothing that was not sent."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return list(map(as_sent, value)) if isinstance(value, (list, tuple)) else value


def holds(more: Any, less: Any) -> bool:
    """Whether *more* is *less*, and perhaps members that the SDK's models do not know."""
    if isinstance(less, dict):
        return isinstance(more, dict) and all(key in more and holds(more[key], value) for key, value in less.items())
    if isinstance(less, list):
        return isinstance(more, list) and len(more) == len(less) and all(map(holds, more, less))
    return type(more) is type(less) and more == less


def words(blocks: list[dict]) -> str:
    return "".join(block["text"] if block["type"] == "text" else f"<{block['type']}>" for block in blocks)


def is_within(less: str, more: str) -> bool:
    """Whether *less* is *more*, but for what stands in between."""
    rest = iter(more)
    return all(letter in rest for letter in less)


def same_words(chunks: tuple[Any, ...], messages: list[dict]) -> bool:
    """Whether *messages* are the text of *chunks*: all of it, and that of each message in order.

    A chunk without an id may go on with a message that has one.
    """
    sent: dict[str | None, str] = defaultdict(str)
    for chunk in chunks:
        sent[chunk.message_id] += words(as_sent([chunk.content]))
    shown: dict[str | None, str] = defaultdict(str)
    for message in messages:
        shown[message["id"]] += words(message["content"])
    all_of_it = sorted("".join(sent.values())) == sorted("".join(shown.values()))
    return all_of_it and all(is_within(text, shown[id]) for id, text in sent.items() if id is not None)


class Found(NamedTuple):
    """What is not the same: a field of a session, or of one of its calls."""

    field: str
    call: str | None
    theirs: Any
    ours: Any


def differing(their: SessionSnapshot, our: dict[str, Any]) -> Iterator[Found]:
    calls = {entry["id"]: entry for entry in our["timeline"] if entry["type"] == "tool_call"}
    for id, view in their.tool_calls.items():
        if id not in calls:
            yield Found("toolCallId", id, id, None)
            continue
        for field in CALL_FIELDS:
            value, unsaid = as_sent(getattr(view, in_python(field))), UNSAID.get(field)
            shown = calls[id].get(field, unsaid)
            if not holds(shown, unsaid if value is None else value):
                yield Found(field, id, value, shown)
    for role, chunks in (("user", their.user_messages), ("agent", their.agent_messages), ("thought", their.agent_thoughts)):
        messages = [entry for entry in our["timeline"] if entry["type"] == "message" and entry["role"] == role]
        if not same_words(chunks, messages):
            yield Found(role, None, words(as_sent([chunk.content for chunk in chunks])), "".join(words(one["content"]) for one in messages))
    facts = {
        "entries": (
            as_sent(their.plan_entries),
            [entry for plan in our.get("plans", ()) if plan["id"] is None for entry in plan["entries"]],
        ),
        "availableCommands": (as_sent(their.available_commands), our.get("availableCommands", [])),
        "currentModeId": (their.current_mode_id, our.get("modes", {}).get("currentId")),
    }
    yield from (Found(field, None, value, shown) for field, (value, shown) in facts.items() if not holds(shown, value))


# --- why they differ ---------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A field of a session, or of one of its calls, and all that was sent of the session."""

    sents: list[Sent]
    field: str
    call: str | None

    def updates(self) -> Iterator[tuple[dict, Any]]:
        """Yield each update that is about it: as sent, and as the SDK's models have it."""
        for sent in filter(is_update, self.sents):
            update = sent.message["params"]["update"]
            if self.call is None or update.get("toolCallId") == self.call:
                yield update, read(sent).update

    def has(self, *methods: str) -> bool:
        return any(sent.message.get("method") in methods for sent in self.sents)


def is_told_of_again(place: Place) -> bool:
    """Whether a `tool_call` that is not the first that is heard of a call leaves the field out."""
    _, *later = [update for update, _ in place.updates()]
    return any(update["sessionUpdate"] == "tool_call" and update.get(place.field) is None for update in later)


def is_asked_about(place: Place) -> bool:
    asked = [sent.message["params"]["toolCall"] for sent in place.sents if sent.message.get("method") == "session/request_permission"]
    return any(call["toolCallId"] == place.call and call.get(place.field) is not None for call in asked)


def is_reopened(place: Place) -> bool:
    """Whether a status that is not final follows one that is."""
    told = [update["status"] for update, _ in place.updates() if update.get("status") is not None]
    return place.field == "status" and any(word in FINAL and set(told[at:]) - set(FINAL) for at, word in enumerate(told))


def is_cancelled(place: Place) -> bool:
    return place.field == "status" and place.has("session/cancel")


def is_unheard_of(place: Place) -> bool:
    """Whether the SDK's models drop or change what the field was said to be."""
    told = ((update.get(place.field), getattr(model, in_python(place.field), None)) for update, model in place.updates())
    return any(value is not None and not holds(value, as_sent(kept)) for value, kept in told)


def is_prompted(place: Place) -> bool:
    return place.field == "user" and place.has("session/prompt")


def is_set(place: Place) -> bool:
    results = [sent.message["result"] for sent in place.sents if isinstance(sent.message.get("result"), dict)]
    return place.field == "currentModeId" and (place.has("session/set_mode") or any("modes" in result for result in results))


def is_begun_anew(place: Place) -> bool:
    return place.has("session/load", "session/resume")


def is_over(place: Place) -> bool:
    return place.has("session/close", "session/delete", "session/archive")


class Difference(NamedTuple):
    """A difference that is meant: SPEC's *rule*, when it *explains* one, and an *example* of it with what each of the two has."""

    rule: str
    explains: Callable[[Place], bool]
    example: Transcript
    found: Found


DIFFERENCES = {
    "told of twice": Difference(
        "4.1: a repeated v1 `tool_call` is a patch of what it carries. There it begins the call anew.",
        is_told_of_again,
        Transcript().tool_call("t", kind="read").tool_call("t", "Again"),
        Found("kind", "t", None, "read"),
    ),
    "asked about": Difference(
        "4.3: a permission's embedded tool call is applied as a patch. Requests are not heard there.",
        is_asked_about,
        Transcript().tool_call("t").permission(1, "t", title="May I?"),
        Found("title", "t", "Work", "May I?"),
    ),
    "final": Difference(
        "4.3: in v1 a final status is replaced only by a final one. There the last one counts.",
        is_reopened,
        Transcript().tool_call("t", status="completed").tool_update("t", status="in_progress"),
        Found("status", "t", "in_progress", "completed"),
    ),
    "cancelled": Difference(
        "4.4: `session/cancel` marks the open calls of open turns cancelled at once. Notifications of the client are not heard there.",
        is_cancelled,
        Transcript().prompt(1).tool_call("t", status="in_progress").cancel(),
        Found("status", "t", "in_progress", "cancelled"),
    ),
    "unheard of": Difference(
        "2.4 and 4: words and variants that nobody knows are kept as sent. There they are dropped.",
        is_unheard_of,
        Transcript().tool_call("t", kind="teleport"),
        Found("kind", "t", None, "teleport"),
    ),
    "prompted": Difference(
        "4.2: v1's user message is the prompt itself, whether it is echoed or not. Requests are not heard there.",
        is_prompted,
        Transcript().prompt(1, "ab").user_says("a").agent_says("c"),
        Found("user", None, "a", "ab"),
    ),
    "set": Difference(
        "4.6: answers to setups and to `set_mode` change the mode. Answers are not heard there.",
        is_set,
        Transcript().client_asks_session(1, "session/set_mode", modeId="ask").agent_answers(1, {}).agent_says("a"),
        Found("currentModeId", None, None, "ask"),
    ),
    "begun anew": Difference(
        "4.6: a replay replaces the history of a session. There it is added.",
        is_begun_anew,
        Transcript().agent_says("a").load().agent_says("a").agent_answers("load", {}),
        Found("agent", None, "aa", "a"),
    ),
    "over": Difference(
        "4.6: what comes for a closed session is not folded. There it is.",
        is_over,
        Transcript().agent_says("a").client_asks_session(1, "session/close").agent_answers(1, {}).agent_says("b"),
        Found("agent", None, "ab", "a"),
    ),
}


def sents_of(transcript: Transcript) -> list[Sent]:
    return [Sent(sender, message, transcript.session) for sender, message in transcript._records]


def compare(conversation: list[Sent]) -> Iterator[tuple[Found, list[str]]]:
    """Yield each difference and the names of what explains it."""
    our = ours(conversation)
    for session, their in theirs(conversation).items():
        sents = [sent for sent in conversation if session in (sent.session, sent.message.get("params", {}).get("sessionId"))]
        for found in differing(their, our[session]):
            place = Place(sents, found.field, found.call)
            yield found, [name for name, difference in DIFFERENCES.items() if difference.explains(place)]


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_that_is_meant_is_there(name):
    difference = DIFFERENCES[name]
    compared = list(compare(sents_of(difference.example)))
    assert (difference.found, [name]) in compared
    assert all(names for _, names in compared)


@pytest.mark.parametrize(
    "transcript",
    [
        Transcript().tool_call("t", kind="edit", rawInput={"a": None}).tool_update("t", status="failed", rawOutput=False, content=[]),
        Transcript()
        .tool_update("t", title="Work", content=[item("a")], locations=[{"path": "/a", "line": 1}])
        .tool_update("t", content=None),
        Transcript()
        .agent_thinks("a")
        .agent_says("b", "m-1")
        .agent_says("c", "m-2")
        .agent_says("d", "m-1")
        .agent_thinks("e")
        .user_says("f"),
        Transcript().update("plan", entries=[]).update("plan", entries=[{"content": "a", "priority": "low", "status": "pending"}]),
        Transcript().update("current_mode_update", currentModeId="a").update("available_commands_update", availableCommands=[]),
    ],
    ids=["a call", "a call never announced", "messages", "a plan", "settings"],
)
def test_both_keep_the_same(transcript):
    conversation = sents_of(transcript)
    assert readable(conversation) == conversation
    assert list(compare(conversation)) == []


streams = st.builds(
    list.__add__, polite(1, mixed=False), st.just([]) | st.lists(rude_updates(st.sampled_from(("s-1", "s-9"))), max_size=12)
)


@many(3)
@given(streams)
def test_both_keep_the_same_but_for_what_is_explained(conversation):
    ran("conversations")
    unexplained = [found for found, names in compare(readable(conversation)) if not names]
    assert unexplained == []
