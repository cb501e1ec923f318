"""SPEC 4.2: messages, their keys, their boundaries and their blocks."""

from __future__ import annotations

from itertools import pairwise

import pytest

from acp_state.document import dumps

from support.transcripts import ABSENT, bare, image, item, of_version, one_sided, text, v1, v2


CHILD = {"claudeCode": {"parentToolUseId": "task-1"}}


# --- Key: (role, `messageId`); the same id under two roles is two messages -------------------------------------------------


def test_the_same_id_under_four_roles_is_four_messages():
    document = v2().user_says("u", "m").agent_says("a", "m").agent_thinks("t", "m").chunk("session_message_chunk", "s", "m").fold()

    assert document.story() == [("user", "u"), ("agent", "a"), ("thought", "t"), ("session", "s")]


def test_each_of_them_goes_on_by_itself():
    document = v2().agent_says("a", "m").agent_thinks("t", "m").agent_says("A", "m").agent_thought("m", "T").fold()

    assert document.story() == [("agent", "aA"), ("thought", "T")]


# --- Position: where first seen ----------------------------------------------------------------------------------------------


def test_a_message_stands_where_it_was_first_seen():
    document = v2().agent_says("a", "m-1").tool_update("t1").agent_says("b", "m-2").agent_message("m-1", "A").agent_says("!", "m-1").fold()

    assert document.story() == [("agent", "A!"), ("tool_call", "t1"), ("agent", "b")]


# --- A chunk without id (absent, `null`, wrong type) ---------------------------------------------------------------------------


NO_ID = [ABSENT, None, 7, True, ["m"], {"id": "m"}]


@pytest.mark.parametrize("id", NO_ID, ids=["absent", "null", "number", "true", "list", "object"])
def test_in_v1_a_chunk_without_id_continues_the_last_entry(id):
    document = v1().agent_says("a", id).agent_says("b", id).fold()

    assert document.story() == [("agent", "ab")]
    assert document.last()["id"] is None
    assert "missing-message-id" not in document.codes


@pytest.mark.parametrize("id", NO_ID, ids=["absent", "null", "number", "true", "list", "object"])
def test_in_v2_with_an_error_but_folded_all_the_same(id):
    document = v2().agent_says("a", id).agent_says("b", id).fold()

    assert document.story() == [("agent", "ab")]
    assert document.codes.count("missing-message-id") == 2
    assert "error" in document.severities


@pytest.mark.parametrize("role", ["user", "agent", "thought"])
def test_for_every_role(role):
    kind = {"user": "user_message_chunk", "agent": "agent_message_chunk", "thought": "agent_thought_chunk"}[role]
    document = v1().chunk(kind, "a").chunk(kind, "b").fold()

    assert document.story() == [(role, "ab")]


def test_it_continues_an_entry_that_has_an_id():
    document = v1().agent_says("a", "m").agent_says("b").fold()

    assert document.story() == [("agent", "ab")]
    assert document.last()["id"] == "m"


def test_only_the_last_entry_is_continued():
    document = v1().agent_says("a").agent_thinks("t").agent_says("b").agent_thinks("u").fold()

    assert document.story() == [("agent", "a"), ("thought", "t"), ("agent", "b"), ("thought", "u")]


def test_a_patched_message_that_is_not_last_is_not_continued():
    document = v2().agent_says("a", "m-1").agent_thinks("t", "r").agent_says("b", "m-1").agent_says("c").fold()

    assert document.story() == [("agent", "ab"), ("thought", "t"), ("agent", "c")]


@pytest.mark.parametrize(
    ("first", "second"),
    [(None, CHILD), (CHILD, None), (CHILD, {"claudeCode": {"parentToolUseId": "task-2"}})],
    ids=["none then one", "one then none", "one then another"],
)
def test_it_continues_only_a_message_of_the_same_parent(first, second):
    transcript = v1().agent_says("a", _meta=first or ABSENT).agent_says("b", _meta=second or ABSENT)
    document = transcript.fold()

    assert document.messages() == [("agent", "a"), ("agent", "b")]


def test_with_the_same_parent_it_continues():
    document = v1().agent_says("a", _meta=CHILD).agent_says("b", _meta=CHILD).fold()

    assert document.messages() == [("agent", "ab")]
    assert document.last()["parent"] == "task-1"


def test_it_continues_only_what_is_equally_historical():
    document = bare().initialize(1).load(2).agent_says("old").agent_answers(2, {}).agent_says("new").fold()

    assert document.messages() == [("agent", "old"), ("agent", "new")]
    assert [entry.get("historical", False) for entry in document.timeline()] == [True, False]


def test_it_does_not_continue_a_message_of_a_turn_that_ended():
    document = v1().prompt(1).agent_says("a").ends(1).agent_says("b").fold()

    assert document.messages() == [("user", "question"), ("agent", "a"), ("agent", "b")]


def test_nor_of_one_that_failed():
    document = v1().prompt(1).agent_says("a").agent_fails(1).agent_says("b").fold()

    assert document.messages() == [("user", "question"), ("agent", "a"), ("agent", "b")]


def test_in_v2_neither():
    document = v2().state("running").agent_says("a").state("idle").agent_says("b").fold()

    assert document.messages() == [("agent", "a"), ("agent", "b")]


def test_it_continues_a_message_of_no_turn():
    document = v1().prompt(1).ends(1).agent_says("a").agent_says("b").fold()

    assert document.messages() == [("user", "question"), ("agent", "ab")]
    assert "turn" not in document.last()


def test_even_when_a_turn_opened_meanwhile():
    document = v2().agent_says("a").state("running").agent_says("b").fold()

    assert document.messages() == [("agent", "ab")]


def test_it_continues_a_message_of_a_turn_still_open_whatever_other_turn_ended():
    document = v1().prompt(1, "x").prompt(2, "y").agent_says("a").ends(2).agent_says("b").fold()

    assert document.messages() == [("user", "x"), ("user", "y"), ("agent", "ab")]


# --- A chunk with an id never joins a message without one --------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_a_chunk_with_an_id_never_joins_a_message_without_one(version):
    document = of_version(version).agent_says("a").agent_says("b", "m").agent_says("c", "m").fold()

    assert document.messages() == [("agent", "a"), ("agent", "bc")]
    assert [entry["id"] for entry in document.timeline()] == [None, "m"]


# --- Only a new timeline entry, the end of its turn, or an orphan answer breaks an id-less run ---------------------------------------


def broken_by(transcript):
    return [told for told in transcript.agent_says("b").fold().messages() if told[0] == "agent"] == [("agent", "a"), ("agent", "b")]


def begun(version=1):
    return of_version(version).tool_update("t1").agent_says("a")


BREAKS = {
    "a tool call": lambda t: t.tool_call("t2"),
    "a tool update that makes an entry": lambda t: t.tool_update("t2"),
    "a permission": lambda t: t.permission(31, "t1"),
    "an elicitation": lambda t: t.form(31),
    "a compaction": lambda t: t.update("compaction_update", compactionId="c", status="completed"),
    "a compaction's first chunk": lambda t: t.update("compaction_summary_chunk", compactionId="c", content=text("x")),
    "a thought": lambda t: t.agent_thinks("x"),
    "a user message": lambda t: t.user_says("x"),
    "a session message": lambda t: t.update("session_message", messageId="s"),
    "a message with an id": lambda t: t.agent_thinks("", "r"),
    "a prompt": lambda t: t.prompt(1),
}


@pytest.mark.parametrize("what", BREAKS)
def test_a_new_timeline_entry_breaks_it(what):
    assert broken_by(BREAKS[what](begun()))


LEAVES = {
    "nothing": lambda t: t,
    "a tool update": lambda t: t.tool_update("t1", status="completed"),
    "a repeated tool call": lambda t: t.tool_call("t1"),
    "usage": lambda t: t.update("usage_update", used=1, size=2),
    "a title": lambda t: t.update("session_info_update", title="T"),
    "commands": lambda t: t.update("available_commands_update", availableCommands=[]),
    "config": lambda t: t.update("config_option_update", configOptions=[]),
    "a mode": lambda t: t.update("current_mode_update", currentModeId="code"),
    "a plan": lambda t: t.update("plan", entries=[]),
    "a plan update": lambda t: t.update("plan_update", plan={"type": "markdown", "planId": "p", "content": "x"}),
    "a removed plan": lambda t: t.update("plan_removed", planId="p"),
    "a notice": lambda t: t.update("notice", severity="info", title="T"),
    "a subagent": lambda t: t.update("subagent_update", sessionId="child"),
    "an unknown update": lambda t: t.update("_x"),
    "a malformed update": lambda t: t.update("plan"),
    "an empty chunk": lambda t: t.agent_says(""),
    "an empty chunk of another role": lambda t: t.agent_thinks(""),
    "a file": lambda t: t.agent_asks_session(9, "fs/read_text_file", path="/a").client_answers(9, {"content": "x"}),
    "a terminal": lambda t: t.agent_asks_session(9, "terminal/create", command="ls").client_answers(9, {"terminalId": "x"}),
    "an extension request": lambda t: t.agent_asks_session(9, "_x").client_answers(9, {}),
    "an extension notification": lambda t: t.agent_tells("_x", sessionId="s-1"),
    "a setting": lambda t: t.client_asks_session(9, "session/set_mode", modeId="x").agent_answers(9, {}),
    "another session's entry": lambda t: t.agent_says("x", session="s-2").tool_call("t9", session="s-2"),
    "a line that is no JSON": lambda t: t.line("WARN"),
    "an unmatched answer": lambda t: t.agent_answers(99, {}),
}


@pytest.mark.parametrize("what", LEAVES)
def test_nothing_else_does(what):
    assert not broken_by(LEAVES[what](begun()))


def test_nor_does_the_answer_to_a_question_that_stood_before():
    assert not broken_by(v1().prompt(1).permission(31).agent_says("a").selects(31))
    assert not broken_by(v1().prompt(1).form(31).agent_says("a").replies(31, "decline"))


def test_nor_does_a_patch_of_a_compaction_that_stood_before():
    compaction = {"compactionId": "c", "status": "in_progress"}
    transcript = v1().update("compaction_update", **compaction).agent_says("a")

    assert not broken_by(transcript.update("compaction_update", **{**compaction, "status": "completed"}))


def test_nor_does_a_chunk_of_a_message_that_stood_before():
    assert not broken_by(v1().agent_thinks("x", "r").agent_says("a").agent_thinks("y", "r"))


def test_nor_does_a_state_that_ends_no_turn():
    assert not broken_by(v2().state("running").agent_says("a").state("requires_action").state("running"))


def test_nor_does_a_v2_prompt_that_is_no_entry_yet():
    assert not broken_by(v2().state("running").agent_says("a").prompt(1).accepts(1, "u"))


def test_the_end_of_its_turn_breaks_it():
    assert broken_by(v1().prompt(1).agent_says("a").ends(1))
    assert broken_by(v2().state("running").agent_says("a").state("idle"))


def test_an_orphan_answer_breaks_it():
    document = one_sided(1).agent_says("a").ends(9).agent_says("b").fold()

    assert document.messages() == [("agent", "a"), ("agent", "b")]


# --- Text is never trimmed, de-duplicated or guessed at ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pieces",
    [
        (" a ", " a "),
        ("a", "a"),
        ("a", "ab", "abc"),
        ("\n", "\n\n"),
        ("\r\n", "\r"),
        ("e\u0301", "é"),
        ("\u200b", "\ufeff"),
        ("\x00", "\x1b[31m", "\x7f"),
        ("<think>", "x", "</think>"),
        ("```", "```"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("id", ["m", ABSENT], ids=["with id", "without"])
def test_text_is_never_trimmed_de_duplicated_or_guessed_at(pieces, id):
    transcript = v1()
    for piece in pieces:
        transcript.agent_says(piece, id)

    assert transcript.fold().last()["content"] == [text("".join(pieces))]


# --- Text that came in chunks one after the other is one block, as long as all but `text` is equal -------------------------------------------


NOTE = {"annotations": {"audience": ["user"]}}


@pytest.mark.parametrize(
    ("chunks", "blocks"),
    [
        ([text("a"), text("b")], [text("ab")]),
        ([text("a", **NOTE), text("b", **NOTE)], [text("ab", **NOTE)]),
        ([text("a", x=[None]), text("b", x=[None])], [text("ab", x=[None])]),
        ([text("a", _meta={"k": 1}), text("b", _meta={"k": 1})], [text("ab", _meta={"k": 1})]),
        ([text("a"), text("b", **NOTE)], [text("a"), text("b", **NOTE)]),
        ([text("a", **NOTE), text("b")], [text("a", **NOTE), text("b")]),
        ([text("a", x=1), text("b", x=2)], [text("a", x=1), text("b", x=2)]),
        ([text("a", x=1), text("b", x=True)], [text("a", x=1), text("b", x=True)]),
        ([text("a", x=1), text("b", x=1.0)], [text("a", x=1), text("b", x=1.0)]),
        ([text("a", x=0), text("b", x=False)], [text("a", x=0), text("b", x=False)]),
        ([text("a", x=None), text("b")], [text("a", x=None), text("b")]),
        ([text("a"), image(), text("b")], [text("a"), image(), text("b")]),
        ([image(), image()], [image(), image()]),
        ([text("a"), {"type": "_glow"}, text("b"), text("c")], [text("a"), {"type": "_glow"}, text("bc")]),
    ],
    ids=str,
)
@pytest.mark.parametrize("id", ["m", ABSENT], ids=["with id", "without"])
def test_chunks_are_one_block_as_long_as_all_but_the_text_is_equal(chunks, blocks, id):
    transcript = v1()
    for chunk in chunks:
        transcript.agent_says(chunk, id)
    document = transcript.fold()

    assert repr(document.last()["content"]) == repr(blocks)


def test_the_order_of_keys_makes_no_difference():
    document = (
        v1()
        .agent_says({"type": "text", "text": "a", "x": {"p": 1, "q": 2}}, "m")
        .agent_says({"x": {"q": 2, "p": 1}, "text": "b", "type": "text"}, "m")
        .fold()
    )

    assert document.last()["content"] == [text("ab", x={"p": 1, "q": 2})]


@pytest.mark.parametrize(
    ("metas", "blocks"),
    [
        (({"k": 1}, {"k": 1}), [text("ab", chunkMeta={"k": 1})]),
        (({"k": 1}, {"k": 2}), [text("a", chunkMeta={"k": 1}), text("b", chunkMeta={"k": 2})]),
        (({"k": 1}, ABSENT), [text("a", chunkMeta={"k": 1}), text("b")]),
        ((ABSENT, {"k": 1}), [text("a"), text("b", chunkMeta={"k": 1})]),
        (({"k": None}, {"k": None}), [text("ab", chunkMeta={"k": None})]),
        ((None, ABSENT), [text("ab")]),
    ],
    ids=str,
)
def test_the_chunks_meta_included(metas, blocks):
    transcript = v1()
    for letter, meta in zip("ab", metas, strict=True):
        transcript.agent_says(letter, "m", _meta=meta)

    assert transcript.fold().last()["content"] == blocks


# --- a whole-message `content` array is kept block for block, and a later chunk begins a new block after it -------------------------------------


@pytest.mark.parametrize("kind", ["user_message", "agent_message", "agent_thought"])
def test_a_whole_content_array_is_kept_block_for_block(kind):
    blocks = [text("a"), text("b"), text(""), image(), text("c")]
    document = v2().update(kind, messageId="m", content=blocks).fold()

    assert document.message("m")["content"] == blocks
    assert document.message("m")["sealed"] is True


def test_so_is_a_v1_prompt():
    document = v1().prompt(1, [text("a"), text("b")]).fold()

    assert document.last()["content"] == [text("a"), text("b")]
    assert document.last()["sealed"] is True


def test_a_later_chunk_begins_a_new_block_after_it():
    document = v2().agent_message("m", "a").agent_says("b", "m").agent_says("c", "m").fold()

    assert document.message("m")["content"] == [text("a"), text("bc")]
    assert "sealed" not in document.message("m")


def test_it_does_so_after_a_whole_array_that_replaced_chunks():
    document = v2().agent_says("x", "m").agent_message("m", "a").agent_says("b", "m").fold()

    assert document.message("m")["content"] == [text("a"), text("b")]


def test_a_whole_message_without_content_seals_nothing():
    document = v2().agent_says("a", "m").agent_message("m", _meta={"k": 1}).agent_says("b", "m").fold()

    assert document.message("m")["content"] == [text("ab")]


@pytest.mark.parametrize("content", [[], None, [image()], [text("a"), image()]], ids=str)
def test_sealed_stands_only_where_the_last_block_is_text(content):
    document = v2().agent_message("m", content).fold()

    assert "sealed" not in document.message("m")


# --- A chunk's own `_meta` stands in its block as `chunkMeta` and never becomes the message's --------------------------------------------------------


@pytest.mark.parametrize("content", [text("x"), image(), {"type": "_glow"}], ids=str)
def test_a_chunks_own_meta_stands_in_its_block(content):
    document = v1().agent_says(content, "m", _meta={"k": {"n": None}}).fold()

    assert document.message("m")["content"] == [{**content, "chunkMeta": {"k": {"n": None}}}]
    assert "_meta" not in document.message("m")


def test_a_blocks_own_meta_and_the_chunks_are_two():
    document = v1().agent_says(text("x", _meta={"block": 1}), "m", _meta={"chunk": 2}).fold()

    assert document.message("m")["content"] == [text("x", _meta={"block": 1}, chunkMeta={"chunk": 2})]


# --- An empty text chunk ---------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("more", [{}, {"_meta": {"k": 1}}], ids=["bare", "with _meta"])
def test_with_an_id_it_makes_its_entry_at_once(version, more):
    document = of_version(version).agent_says("", "m", **more).fold()

    assert document.message("m")["id"] == "m"
    assert document.message("m")["content"] in ([], [text("", chunkMeta={"k": 1})])


def test_its_entry_has_no_content():
    assert v1().agent_says("", "m").fold().message("m")["content"] == []


@pytest.mark.parametrize("id", [ABSENT, None])
def test_without_an_id_it_makes_none(id):
    document = v1().agent_says("", id).agent_thinks("", id).user_says("", id).fold()

    assert document.timeline() == []


def test_on_an_existing_message_it_adds_nothing():
    document = v2().agent_says("a", "m").agent_says("", "m").agent_says("b", "m").fold()

    assert document.message("m")["content"] == [text("ab")]


def test_nor_on_one_whose_content_is_whole():
    document = v2().agent_message("m", "a").agent_says("", "m").fold()

    assert document.message("m")["content"] == [text("a")]


@pytest.mark.parametrize(
    ("block", "meta", "added"),
    [
        (text("", **NOTE), ABSENT, text("", **NOTE)),
        (text(""), {"k": 1}, text("", chunkMeta={"k": 1})),
        (text("", _meta={"k": 1}), ABSENT, text("", _meta={"k": 1})),
    ],
    ids=str,
)
def test_unless_its_other_fields_or_its_meta_differ_from_the_last_blocks(block, meta, added):
    document = v2().agent_says("a", "m").agent_says(block, "m", _meta=meta).fold()

    assert document.message("m")["content"] == [text("a"), added]


def test_if_they_are_those_of_the_last_block_it_adds_nothing():
    document = v2().agent_says(text("a", **NOTE), "m", _meta={"k": 1}).agent_says(text("", **NOTE), "m", _meta={"k": 1}).fold()

    assert document.message("m")["content"] == [text("a", **NOTE, chunkMeta={"k": 1})]


def test_an_empty_block_that_is_no_chunk_is_kept():
    assert v2().agent_message("m", [text("")]).fold().message("m")["content"] == [text("")]


# --- Two lone surrogates that meet become the character --------------------------------------------------------------------------------------------------


HIGH, LOW = "\ud83d", "\ude00"


def test_two_lone_surrogates_that_meet_become_the_character():
    document = v1().agent_says(f"a{HIGH}", "m").agent_says(f"{LOW}b", "m").fold()

    assert document.message("m")["content"] == [text("a😀b")]


def test_so_they_do_without_an_id_and_with_an_empty_chunk_between():
    document = v1().agent_says(HIGH).agent_says("").agent_says(LOW).fold()

    assert document.last()["content"] == [text("😀")]


def test_so_they_do_in_a_summary():
    document = (
        v2()
        .update("compaction_summary_chunk", compactionId="c", content=text(HIGH))
        .update("compaction_summary_chunk", compactionId="c", content=text(LOW))
        .fold()
    )
    assert document.compaction("c")["content"] == [text("😀")]


@pytest.mark.parametrize("value", [HIGH, LOW, LOW + HIGH, f"a{HIGH}b", HIGH + HIGH + LOW], ids=ascii)
def test_output_is_valid_utf_8_and_a_lone_one_is_written_as_its_escape(value):
    document = v1().agent_says(value, "m").fold()
    printed = dumps(document.folded)

    printed.encode("utf-8")
    assert document.message("m")["content"] == [text(value.replace(HIGH + LOW, "😀"))]
    assert (r"\ud83d" in printed) or (r"\ude00" in printed)


def test_what_does_not_meet_stays_apart():
    document = v1().agent_says(HIGH, "m").agent_says(LOW, "n").fold()

    assert [message["content"] for message in document.timeline()] == [[text(HIGH)], [text(LOW)]]


def test_nor_do_halves_in_two_blocks_meet():
    document = v1().agent_says(HIGH, "m", _meta={"k": 1}).agent_says(LOW, "m").fold()

    assert document.message("m")["content"] == [text(HIGH, chunkMeta={"k": 1}), text(LOW)]


# --- how text was cut never shows (law 9) ------------------------------------------------------------------------------------------------------------------


WHOLE = "a€😀\n\n é"


@pytest.mark.parametrize("kind", ["agent_message_chunk", "agent_thought_chunk", "session_message_chunk", "compaction_summary_chunk"])
@pytest.mark.parametrize("cuts", [(), (1,), (2, 3), (1, 1, 4), tuple(range(1, len(WHOLE)))], ids=str)
def test_how_text_was_cut_never_shows(kind, cuts):
    key = {"compaction_summary_chunk": "compactionId"}.get(kind, "messageId")

    def told(*pieces):
        transcript = v2()
        for piece in pieces:
            transcript.update(kind, **{key: "m"}, content=text(piece))
        return transcript.fold().sessions

    edges = (0, *cuts, len(WHOLE))
    assert told(*[WHOLE[left:right] for left, right in pairwise(edges)]) == told(WHOLE)


# --- messages and the turn -------------------------------------------------------------------------------------------------------------------------------------


def test_a_message_belongs_to_the_turn_in_which_it_was_first_seen():
    document = v1().prompt(1).agent_says("a", "m").ends(1).prompt(2).agent_says("b", "m").ends(2).fold()

    assert document.message("m", role="agent")["turn"] == 0
    assert document.messages() == [("user", "question"), ("agent", "ab"), ("user", "question")]


def test_a_patch_changes_neither_turn_nor_parent():
    document = v2().state("running").agent_says("a", "m", _meta=CHILD).state("idle").agent_message("m", "b").fold()

    assert document.message("m")["turn"] == 0
    assert document.message("m")["parent"] == "task-1"


@pytest.mark.parametrize("version", [1, 2])
def test_every_field_that_a_message_always_has(version):
    document = of_version(version).agent_says("a", "m").fold()

    assert document.message("m") == {"type": "message", "role": "agent", "id": "m", "content": [text("a")]}


def test_a_tool_calls_content_is_no_message():
    document = v1().tool_call("t1", content=[item("x")]).fold()

    assert document.messages() == []
