"""SPEC 4.2: in v1 the prompt is the user's message, and the agent may echo it."""

from __future__ import annotations

import pytest

from support.transcripts import ABSENT, image, text, v1, v2


def ids(document):
    return [entry["id"] for entry in document.timeline(type="message")]


# --- the user's message is the `session/prompt` request itself ------------------------------------------------------------


def test_the_users_message_is_the_prompt_itself():
    document = v1().prompt(1, [text("see"), image()]).fold()

    (message,) = document.timeline()
    assert message == {"type": "message", "role": "user", "id": None, "turn": 0, "content": [text("see"), image()]}


def test_it_stands_where_the_request_was_made():
    document = v1().agent_says("hi").prompt(1, "a").agent_says("b").fold()

    assert document.messages() == [("agent", "hi"), ("user", "a"), ("agent", "b")]


def test_in_v2_it_is_not():
    document = v2().prompt(1, "a").fold()

    assert document.timeline() == []


# --- chunks that are, joined block by block (chunk `_meta` aside), a prefix of it echo it ------------------------------------


@pytest.mark.parametrize(
    "chunks",
    [
        ["ping me"],
        ["p", "ing me"],
        ["ping", " ", "me"],
        ["ping me", ""],
        ["", "ping me"],
        list("ping me"),
        ["ping"],
        ["p"],
    ],
    ids=str,
)
@pytest.mark.parametrize("id", ["um-1", ABSENT], ids=["with id", "without"])
def test_chunks_that_are_a_prefix_echo_it(chunks, id):
    transcript = v1().prompt(1, "ping me")
    for chunk in chunks:
        transcript.user_says(chunk, id)
    document = transcript.fold()

    assert document.messages() == [("user", "ping me")]
    assert ids(document) == [None if id is ABSENT else id]


@pytest.mark.parametrize(
    ("prompt", "chunks"),
    [
        ([text("a"), text("b")], [text("a"), text("b")]),
        ([text("a"), text("b")], [text("ab")]),
        ([text("ab")], [text("a"), text("b")]),
        ([text("a"), image("AA"), text("b")], [text("a"), image("AA"), text("b")]),
        ([text("a"), image("AA"), text("b")], [text("a"), image("AA")]),
        ([image("AA"), image("BB")], [image("AA"), image("BB")]),
        ([image("AA")], [image("AA")]),
        ([{"type": "_glow", "hue": 1}], [{"type": "_glow", "hue": 1}]),
    ],
    ids=str,
)
def test_block_by_block(prompt, chunks):
    transcript = v1().prompt(1, prompt)
    for chunk in chunks:
        transcript.user_says(chunk, "um-1")
    document = transcript.fold()

    assert len(document.timeline()) == 1
    assert ids(document) == ["um-1"]
    assert document.timeline()[0]["content"] == prompt


@pytest.mark.parametrize(
    ("prompt", "chunks"),
    [
        ([text("a"), image("AA")], [image("AA")]),
        ([image("AA"), image("BB")], [image("BB")]),
        ([image("AA")], [image("AA"), image("AA")]),
        ([text("a")], [text("A")]),
        ([text("a")], [text(" a")]),
        ([text("a")], [text("a ")]),
    ],
    ids=str,
)
def test_what_is_no_prefix_is_an_entry(prompt, chunks):
    transcript = v1().prompt(1, prompt)
    for chunk in chunks:
        transcript.user_says(chunk, "um-1")
    document = transcript.fold()

    assert [entry["content"] for entry in document.timeline()] == [prompt, chunks]
    assert ids(document) == [None, "um-1"]


def test_chunk_meta_is_set_aside():
    document = v1().prompt(1, "ping me").user_says("ping", "um-1", _meta={"n": 1}).user_says(" me", "um-1", _meta={"n": 2}).fold()

    assert document.messages() == [("user", "ping me")]
    assert ids(document) == ["um-1"]


# --- they belong to the oldest open prompt that they fit and whose own turn has no other entry ----------------------------------


def test_they_belong_to_the_oldest_prompt_that_they_fit():
    document = v1().prompt(1, "same").prompt(2, "same").user_says("same", "um-1").fold()

    assert document.messages() == [("user", "same"), ("user", "same")]
    assert ids(document) == ["um-1", None]


def test_a_prompt_that_they_do_not_fit_is_passed_over():
    document = v1().prompt(1, "a").prompt(2, "b").user_says("b", "um-2").fold()

    assert document.messages() == [("user", "a"), ("user", "b")]
    assert ids(document) == [None, "um-2"]


def test_the_second_echo_belongs_to_the_second_prompt():
    document = v1().prompt(1, "same").prompt(2, "same").user_says("same", "um-1").user_says("same", "um-2").fold()

    assert document.messages() == [("user", "same"), ("user", "same")]
    assert ids(document) == ["um-1", "um-2"]


def test_echoes_may_come_in_another_order():
    document = v1().prompt(1, "a").prompt(2, "b").user_says("b", "um-2").user_says("a", "um-1").fold()

    assert document.messages() == [("user", "a"), ("user", "b")]
    assert ids(document) == ["um-1", "um-2"]


def test_a_prompt_whose_turn_has_another_entry_is_passed_over():
    document = v1().prompt(1, "same").agent_says("x").prompt(2, "same").user_says("same", "um-2").fold()

    assert document.messages() == [("user", "same"), ("agent", "x"), ("user", "same")]
    assert ids(document) == [None, None, "um-2"]


@pytest.mark.parametrize(
    "entry",
    [
        lambda t: t.agent_says("x"),
        lambda t: t.agent_thinks("x"),
        lambda t: t.tool_call("t1"),
        lambda t: t.permission(31),
        lambda t: t.form(31),
        lambda t: t.update("compaction_update", compactionId="c", status="completed"),
    ],
)
def test_any_other_entry_of_the_turn_ends_the_time_for_echoes(entry):
    document = entry(v1().prompt(1, "a")).user_says("a", "um-1").fold()

    assert [told for told in document.messages() if told[0] == "user"] == [("user", "a"), ("user", "a")]
    assert document.timeline()[0]["id"] is None


@pytest.mark.parametrize(
    "update",
    [
        lambda t: t.update("plan", entries=[]),
        lambda t: t.update("usage_update", used=1, size=2),
        lambda t: t.update("session_info_update", title="T"),
        lambda t: t.agent_says(""),
    ],
)
def test_what_is_no_entry_does_not(update):
    document = update(v1().prompt(1, "ping me").user_says("ping", "um-1")).user_says(" me", "um-1").fold()

    assert document.messages() == [("user", "ping me")]
    assert ids(document) == ["um-1"]


def test_a_prompt_that_is_answered_is_open_no_more():
    document = v1().prompt(1, "a").ends(1).user_says("a", "um-1").fold()

    assert document.messages() == [("user", "a"), ("user", "a")]
    assert ids(document) == [None, "um-1"]


def test_without_a_prompt_a_user_chunk_is_an_entry():
    document = v1().user_says("a", "um-1").fold()

    assert document.messages() == [("user", "a")]
    assert "turn" not in document.last()


def test_a_prompt_of_another_session_is_not_echoed():
    document = v1("s-1").new("s-2").prompt(1, "a", "s-2").user_says("a", "um-1", "s-1").fold()

    assert document.messages("s-1") == [("user", "a")]
    assert document.timeline("s-2")[0]["id"] is None


# --- at the first difference it loses that id again and all of the echoed text becomes an entry at the end -------------------------


def test_it_has_the_id_as_long_as_they_fit():
    document = v1().prompt(1, "ping me").user_says("ping", "um-1").fold()

    assert ids(document) == ["um-1"]
    assert document.turn(1)["prompts"] == [{"requestId": 1, "messageId": "um-1"}]


@pytest.mark.parametrize("chunks", [("ping", " you"), ("ping me", " too"), ("p", "o", "ng"), ("ping me", "!")], ids=str)
@pytest.mark.parametrize("id", ["um-1", ABSENT], ids=["with id", "without"])
def test_at_the_first_difference_it_loses_it_and_the_text_is_an_entry_at_the_end(chunks, id):
    transcript = v1().prompt(1, "ping me")
    for chunk in chunks:
        transcript.user_says(chunk, id)
    document = transcript.fold()

    assert document.messages() == [("user", "ping me"), ("user", "".join(chunks))]
    assert ids(document) == [None, None if id is ABSENT else id]
    assert document.timeline()[1]["content"] == [text("".join(chunks))]
    assert document.turn(1)["prompts"] == [{"requestId": 1}]


def test_that_entry_goes_on():
    document = v1().prompt(1, "ping me").user_says("ping", "um-1").user_says(" you", "um-1").user_says(" all", "um-1").fold()

    assert document.messages() == [("user", "ping me"), ("user", "ping you all")]


def test_a_difference_in_a_block_takes_all_blocks_along():
    document = v1().prompt(1, [text("a"), image("AA")]).user_says("a", "um-1").user_says(image("BB"), "um-1").fold()

    assert document.timeline()[1]["content"] == [text("a"), image("BB")]
    assert ids(document) == [None, "um-1"]


def test_the_chunk_meta_that_was_set_aside_is_in_it():
    document = v1().prompt(1, "ping me").user_says("ping", "um-1", _meta={"n": 1}).user_says(" you", "um-1", _meta={"n": 1}).fold()

    assert document.timeline()[1]["content"] == [text("ping you", chunkMeta={"n": 1})]


def test_it_may_still_fit_the_next_prompt():
    document = v1().prompt(1, "ab").prompt(2, "ac").user_says("a", "um-1").user_says("c", "um-1").fold()

    assert document.messages() == [("user", "ab"), ("user", "ac")]
    assert ids(document) == [None, "um-1"]


def test_half_a_character_is_no_difference():
    document = v1().prompt(1, "a😀b").user_says("a\ud83d", "um-1").user_says("\ude00b", "um-1").fold()

    assert document.messages() == [("user", "a😀b")]
    assert ids(document) == ["um-1"]


def test_the_wrong_half_is_one():
    document = v1().prompt(1, "a😀b").user_says("a\ud83d", "um-1").user_says("\ude01b", "um-1").fold()

    assert document.messages() == [("user", "a😀b"), ("user", "a😁b")]
    assert ids(document) == [None, "um-1"]
