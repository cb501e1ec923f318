"""Field cases, section B: message boundaries and chunk merging."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import pytest

from support.transcripts import bare, image, of_version, text, v1, v2


# --- M-01 ------------------------------------------------------------------------------------------------


def test_M_01_thoughts_of_separate_segments_merged_into_the_first_thought():
    document = v1().agent_thinks("plan it").agent_says("Looking").tool_call("t1").agent_thinks("now fix").agent_says("Done").fold()

    assert document.story() == [
        ("thought", "plan it"),
        ("agent", "Looking"),
        ("tool_call", "t1"),
        ("thought", "now fix"),
        ("agent", "Done"),
    ]


def test_M_01_two_thoughts_around_a_tool_call_are_two():
    document = v1().agent_thinks("a").tool_call("t1").agent_thinks("b").fold()

    assert document.story() == [("thought", "a"), ("tool_call", "t1"), ("thought", "b")]


def test_M_01_two_thoughts_around_a_message_are_two():
    document = v1().agent_thinks("a").agent_says("b").agent_thinks("c").agent_says("d").fold()

    assert document.story() == [("thought", "a"), ("agent", "b"), ("thought", "c"), ("agent", "d")]


def test_M_01_so_are_two_messages_around_a_question():
    document = v1().prompt(1, "q").agent_says("a").permission(31, "t1").agent_says("b").fold()

    assert document.messages() == [("user", "q"), ("agent", "a"), ("agent", "b")]


# --- M-02 ------------------------------------------------------------------------------------------------


def test_M_02_deltas_without_id_cut_by_status_noise():
    document = v1().tool_call("t1").agent_says("**bo").tool_update("t1", status="completed").agent_says("ld**").fold()

    assert document.story() == [("tool_call", "t1"), ("agent", "**bold**")]


def test_M_02_deltas_without_id_are_one_message():
    document = v1().agent_says("a").agent_says("b").agent_says("c").fold()

    assert document.story() == [("agent", "abc")]


def test_M_02_a_repeated_tool_call_is_a_patch_and_cuts_nothing():
    document = v1().tool_call("t1").agent_says("**bo").tool_call("t1", "Again").agent_says("ld**").fold()

    assert document.story() == [("tool_call", "t1"), ("agent", "**bold**")]


def test_M_02_a_tool_update_that_makes_an_entry_cuts():
    document = v1().agent_says("**bo").tool_update("t1", status="completed").agent_says("ld**").fold()

    assert document.story() == [("agent", "**bo"), ("tool_call", "t1"), ("agent", "ld**")]


# --- M-03 ------------------------------------------------------------------------------------------------


def test_M_03_side_channel_updates_split_a_message():
    document = (
        v1()
        .agent_says("12")
        .update("usage_update", used=5, size=10)
        .update("session_info_update", title="x")
        .update("available_commands_update", availableCommands=[])
        .agent_says("34")
        .fold()
    )

    assert document.story() == [("agent", "1234")]
    assert document.session()["title"] == "x"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("current_mode_update", {"currentModeId": "code"}),
        ("config_option_update", {"configOptions": []}),
        ("plan", {"entries": []}),
        ("plan_removed", {"planId": "p"}),
        ("notice", {"severity": "info", "title": "hey"}),
        ("subagent_update", {"sessionId": "child"}),
        ("_vendor_kind", {"x": 1}),
    ],
)
def test_M_03_nor_does_any_other_update_without_an_entry(kind, fields):
    document = v1().agent_says("12").update(kind, **fields).agent_says("34").fold()

    assert document.messages() == [("agent", "1234")]


def test_M_03_nor_does_a_request_without_an_entry():
    document = (
        v1()
        .agent_says("12")
        .agent_asks_session(9, "fs/read_text_file", path="/a")
        .client_answers(9, {"content": "x"})
        .agent_tells("_vendor/beat", n=1)
        .agent_says("34")
        .fold()
    )

    assert document.story() == [("agent", "1234")]


# --- M-05 ------------------------------------------------------------------------------------------------


def test_M_05_agent_reuses_one_id_for_two_separate_thoughts():
    document = v2().agent_thinks("x", "r-1").tool_update("t1").agent_thinks("y", "r-1").fold()

    assert document.story() == [("thought", "xy"), ("tool_call", "t1")]


def test_M_05_in_v1_too():
    document = v1().agent_says("x", "r-1").tool_call("t1").agent_says("y", "r-1").fold()

    assert document.story() == [("agent", "xy"), ("tool_call", "t1")]


def test_M_05_messages_with_ids_may_interleave():
    document = v2().agent_says("a", "m-1").agent_says("1", "m-2").agent_says("b", "m-1").agent_says("2", "m-2").fold()

    assert document.story() == [("agent", "ab"), ("agent", "12")]


def test_M_05_the_same_id_as_another_role_is_another_message():
    document = v2().agent_thinks("x", "r-1").agent_says("y", "r-1").agent_thinks("z", "r-1").fold()

    assert document.story() == [("thought", "xz"), ("agent", "y")]


# --- M-07 ------------------------------------------------------------------------------------------------


def test_M_07_untagged_notice_joined_to_the_tagged_reply_that_follows():
    document = v1().agent_says("Heads up.").agent_says("Answer", "m-1").agent_says(" text", "m-1").fold()

    assert document.story() == [("agent", "Heads up."), ("agent", "Answer text")]
    assert [entry["id"] for entry in document.timeline()] == [None, "m-1"]


@pytest.mark.parametrize("id", [None, 5, ["m"]], ids=["null", "number", "list"])
def test_M_07_an_id_that_is_no_string_is_none(id):
    document = v1().agent_says("Heads up.", id).agent_says("Answer", "m-1").fold()

    assert document.story() == [("agent", "Heads up."), ("agent", "Answer")]
    assert [entry["id"] for entry in document.timeline()] == [None, "m-1"]


def test_M_07_an_id_that_changes_begins_a_message():
    document = v1().agent_says("a", "m-1").agent_says("b", "m-2").fold()

    assert document.story() == [("agent", "a"), ("agent", "b")]


def test_M_07_an_id_that_is_empty_is_an_id():
    document = v1().agent_says("a", "").agent_says("b", "m-2").agent_says("c", "").fold()

    assert document.story() == [("agent", "ac"), ("agent", "b")]
    assert [entry["id"] for entry in document.timeline()] == ["", "m-2"]


# --- M-09 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (("|--|", "--|", "--|\n"), "|--|--|--|\n"),
        (("ab", "ba", "ab"), "abbaab"),
        (("same", "same", "same"), "samesamesame"),
        (("x", "xx", "xxx"), "xxxxxx"),
    ],
)
@pytest.mark.parametrize("id", ["m-1", None], ids=["with id", "without id"])
def test_M_09_overlap_de_duplication_eats_real_text(pieces, whole, id):
    transcript = v1()
    for piece in pieces:
        transcript.agent_says(piece, id)

    assert transcript.fold().story() == [("agent", whole)]


def test_M_09_nor_is_a_thought_de_duplicated():
    document = v2().agent_thinks("go", "r").agent_thinks("go", "r").fold()

    assert document.story() == [("thought", "gogo")]


# --- M-10 ------------------------------------------------------------------------------------------------


def test_M_10_whitespace_at_chunk_borders_trimmed():
    document = v1().agent_says("Done.", "m").agent_says("\n\n", "m").agent_says(" Next ", "m").fold()

    assert document.message("m")["content"] == [text("Done.\n\n Next ")]


@pytest.mark.parametrize("blank", [" ", "\n", "\t", "\r\n", "\u00a0", "\u200b", "\ufeff"])
def test_M_10_a_chunk_of_nothing_but_whitespace_is_text(blank):
    document = v1().agent_says(blank).agent_says("x").agent_says(blank).fold()

    assert document.timeline()[0]["content"] == [text(f"{blank}x{blank}")]


def test_M_10_it_makes_a_message_by_itself():
    document = v1().user_says("\n").fold()

    assert document.story() == [("user", "\n")]


# --- M-11 ------------------------------------------------------------------------------------------------


def test_M_11_empty_text_chunk_crashes_or_makes_a_blank_bubble():
    document = v1().user_says("").agent_says("a").agent_says("").agent_says("b").fold()

    assert document.story() == [("agent", "ab")]


def test_M_11_an_empty_chunk_of_another_role_without_id_cuts_nothing():
    document = v1().agent_says("a").agent_thinks("").agent_says("b").fold()

    assert document.story() == [("agent", "ab")]


def test_M_11_with_an_id_it_makes_its_entry_at_once():
    document = v1().agent_says("", "m-1").agent_thinks("hm").agent_says("x", "m-1").fold()

    assert document.story() == [("agent", "x"), ("thought", "hm")]


def test_M_11_and_that_entry_is_empty():
    document = v2().agent_says("", "m-1").fold()

    assert document.message("m-1")["content"] == []


# --- M-12 ------------------------------------------------------------------------------------------------


def test_M_12_deltas_then_the_whole_text_again_under_another_id():
    document = v1().agent_says("foo", "d-1").agent_says(" bar", "d-1").agent_says("foo bar", "d-2").fold()

    assert document.story() == [("agent", "foo bar"), ("agent", "foo bar")]


def test_M_12_under_the_same_id_it_is_appended():
    document = v1().agent_says("foo", "d-1").agent_says("foo", "d-1").fold()

    assert document.story() == [("agent", "foofoo")]


def test_M_12_v2_restates_with_a_whole_message():
    document = v2().agent_says("foo", "d-1").agent_says(" ba", "d-1").agent_message("d-1", "foo bar").fold()

    assert document.story() == [("agent", "foo bar")]


# --- M-13 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "content",
    [
        {"type": "text"},
        {"type": "text", "text": None},
        {"type": "text", "text": 7},
        {"type": "image", "mimeType": "image/png"},
        {"type": "resource_link", "name": "x"},
        {"type": "resource", "resource": {"uri": "file:///x"}},
        {"type": 7},
        [text("x")],
        "x",
        None,
    ],
    ids=str,
)
def test_M_13_one_malformed_chunk_aborts_the_stream(version, content):
    transcript = of_version(version).update("agent_message_chunk", messageId="m", content=content)
    document = transcript.agent_says("fine", "m").fold()

    assert document.story() == [("agent", "fine")]
    assert "malformed" in document.codes


def test_M_13_a_chunk_without_content_is_malformed_too():
    document = v1().update("agent_message_chunk", messageId="m").agent_says("fine", "m").fold()

    assert document.story() == [("agent", "fine")]
    assert document.codes == ["malformed"]


@pytest.mark.parametrize("version", [1, 2])
def test_M_13_an_unknown_kind_of_content_is_no_malformed_one(version):
    glow = {"type": "_glow", "hue": 7, "deep": {"null": None}}
    document = of_version(version).agent_says(glow, "m").agent_says("fine", "m").fold()

    assert document.message("m")["content"] == [glow, text("fine")]
    assert "malformed" not in document.codes


# --- M-15 ------------------------------------------------------------------------------------------------


def test_M_15_meta_of_a_chunk_lost_or_smeared_over_the_message():
    document = v2().agent_says("a", "m", _meta={"seq": 1}).agent_says("b", "m").fold()

    assert document.message("m")["content"] == [text("a", chunkMeta={"seq": 1}), text("b")]
    assert "_meta" not in document.message("m")


def test_M_15_in_v1_too():
    document = v1().agent_says("a", _meta={"seq": 1}).agent_says("b").fold()

    (message,) = document.timeline()
    assert message["content"] == [text("a", chunkMeta={"seq": 1}), text("b")]
    assert "_meta" not in message


def test_M_15_chunks_with_equal_meta_are_one_block():
    document = v2().agent_says("a", "m", _meta={"lane": 2}).agent_says("b", "m", _meta={"lane": 2}).fold()

    assert document.message("m")["content"] == [text("ab", chunkMeta={"lane": 2})]


def test_M_15_meta_of_the_message_stays_apart_from_that_of_its_chunks():
    document = v2().agent_message("m", "a", _meta={"of": "message"}).agent_says("b", "m", _meta={"of": "chunk"}).fold()

    assert document.message("m")["_meta"] == {"of": "message"}
    assert document.message("m")["content"] == [text("a"), text("b", chunkMeta={"of": "chunk"})]


def test_M_15_meta_of_a_content_block_is_that_blocks():
    document = v2().agent_says(text("a", _meta={"k": None}), "m").agent_says(text("b", _meta={"k": None}), "m").fold()

    assert document.message("m")["content"] == [text("ab", _meta={"k": None})]
    assert "_meta" not in document.message("m")


# --- M-17 ------------------------------------------------------------------------------------------------


def test_M_17_v2_replace_clear_append_order():
    transcript = v2().agent_says("old", "m")
    assert transcript.fold().message("m")["content"] == [text("old")]

    transcript.agent_message("m", None)
    assert transcript.fold().message("m")["content"] == []

    transcript.agent_says("new", "m")
    assert transcript.fold().message("m")["content"] == [text("new")]

    transcript.agent_message("m", "X")
    assert transcript.fold().message("m")["content"] == [text("X")]

    transcript.agent_says("Y", "m")
    assert transcript.fold().message("m")["content"] == [text("X"), text("Y")]


def test_M_17_a_whole_message_without_content_changes_none():
    document = v2().agent_says("old", "m").agent_message("m", _meta={"k": 1}).agent_says("er", "m").fold()

    assert document.message("m")["content"] == [text("older")]
    assert document.message("m")["_meta"] == {"k": 1}


def test_M_17_an_empty_array_clears_as_null_does():
    document = v2().agent_says("old", "m").agent_message("m", []).agent_says("new", "m").fold()

    assert document.message("m")["content"] == [text("new")]


@pytest.mark.parametrize("role", ["user", "agent", "thought"])
def test_M_17_for_every_role(role):
    kinds = {"user": ("user_message_chunk", "user_message"), "agent": ("agent_message_chunk", "agent_message")}
    chunk, whole = kinds.get(role, ("agent_thought_chunk", "agent_thought"))
    document = (
        v2()
        .chunk(chunk, "old", "m")
        .update(whole, messageId="m", content=[text("X"), image()])
        .chunk(chunk, "Y", "m")
        .chunk(chunk, "Z", "m")
        .fold()
    )

    assert document.message("m")["content"] == [text("X"), image(), text("YZ")]
    assert document.message("m")["role"] == role


def test_M_17_a_recording_without_its_beginning_knows_the_kind_for_v2():
    document = bare().agent_says("old", "m").agent_message("m", None).agent_says("new", "m").fold()

    assert document.message("m")["content"] == [text("new")]
