"""A chronicle as chapters: what stands in which, and how it is told."""

from __future__ import annotations

import json

import pytest

from acp_state.story.model import Chapter, Data, Diff, Item, Link, SessionStory, Step, Steps, Verbatim
from acp_state.story.telling import excerpt
from acp_state.story.words import amount, spell_seconds

from support.timed import story_of, untimed
from support.transcripts import NO, YES, item, text, v1, v2


def session_of(talk, number: int = 0) -> SessionStory:
    return story_of(talk).sessions[number]


def outline(session: SessionStory) -> list[tuple[str, list[str]]]:
    return [(chapter.title, [item.title for item in chapter.items]) for chapter in session.chapters]


def items(talk, kind: str) -> list[Item]:
    return [one for session in story_of(talk).sessions for chapter in session.chapters for one in chapter.items if one.kind == kind]


def chapter(talk) -> Chapter:
    return session_of(talk).chapters[0]


# --- chapters --------------------------------------------------------------------------------------


def test_each_turn_is_a_chapter_and_what_is_between_too():
    talk = v1().agent_says("Welcome.").prompt("p").agent_says("a").ends("p").agent_says("still here").prompt("q").ends("q")

    assert outline(session_of(talk)) == [
        ("Outside of a turn", ["Agent"]),
        ("Turn 1", ["You", "Agent"]),
        ("Outside of a turn", ["Agent"]),
        ("Turn 2", ["You"]),
    ]


def test_with_several_prompts_open_each_turn_stays_together():
    talk = v1().prompt("p").agent_says("a").prompt("q").agent_says("b").ends("p").agent_says("c").ends("q")

    assert outline(session_of(talk)) == [("Turn 1", ["You", "Agent", "Agent"]), ("Turn 2", ["You", "Agent"])]


def test_what_was_replayed_is_a_chapter_of_its_own():
    talk = v1().load().user_says("a").agent_says("b").agent_answers("load", {}).prompt("p").ends("p")

    assert outline(session_of(talk)) == [("History", ["You", "Agent"]), ("Turn 1", ["You"])]


def test_what_is_found_in_a_replay_does_not_cut_it_in_two():
    talk = v1().load().user_says("a").update("usage_update", used="many").agent_says("b").agent_answers("load", {}).update("plan")
    talk.agent_says("c")

    assert [(title, len(told)) for title, told in outline(session_of(talk))] == [("History", 3), ("Without turns", 2)]


def test_a_turn_without_anything_is_told_all_the_same():
    talk = v2().user_message("u", "go").state("running").state("idle", stopReason="end_turn").state("running").state("idle")

    assert outline(session_of(talk)) == [("Turn 1", ["You"]), ("Turn 2", [])]


def test_a_prompt_that_waits_stands_at_the_end():
    talk = v2().prompt("p", "Later.").prompt("q", "No.").agent_fails("q", message="busy")
    (waiting,) = session_of(talk).chapters

    assert waiting.title == "Not in the timeline yet"
    assert [(one.status, one.facts, one.parts) for one in waiting.items] == [
        ("waiting", (), (Verbatim("Later."),)),
        ("rejected", ("busy (-32603)",), (Verbatim("No."),)),
    ]


@pytest.mark.parametrize(
    ("ending", "mood", "facts"),
    [
        (lambda talk: talk.ends("p"), "good", ("end_turn",)),
        (lambda talk: talk.ends("p", "refusal"), "bad", ("refusal", "not in the context")),
        (lambda talk: talk.cancel().ends("p", "cancelled"), "off", ("cancelled",)),
        (lambda talk: talk.cancel().ends("p"), "good", ("end_turn", "cancel requested")),
        (lambda talk: talk.agent_fails("p", message="no", data=[1]), "bad", ("failed", "no (-32603) [1]")),
        (lambda talk: talk, "busy", ("running",)),
        (
            lambda talk: talk.ends("p", usage={"totalTokens": 1234, "inputTokens": 1000, "outputTokens": 234}),
            "good",
            ("end_turn", "1,234 tokens (1,000 in, 234 out)"),
        ),
    ],
)
def test_how_a_turn_ended(ending, mood, facts):
    told = chapter(ending(v1().prompt("p")))

    assert (told.mood, told.facts) == (mood, facts)


# --- items -----------------------------------------------------------------------------------------


def test_a_tool_call_tells_what_it_is_where_and_how_it_went():
    talk = v1().prompt("p").tool_call("t", "Look", kind="read", locations=[{"path": "/a", "line": 3}, {"path": "/b"}], rawInput={"a": 1})
    talk.tool_update("t", status="completed", content=[item("found")], rawOutput={"b": 2})
    (call,) = items(talk, "tool")

    assert (call.title, call.group, call.status, call.mood, call.seconds) == ("Look", "read", "completed", "good", 1)
    assert call.parts == (
        Link("/a", note="line 3"),
        Link("/b"),
        Data('{\n  "a": 1\n}', "input"),
        Verbatim("found"),
        Data('{\n  "b": 2\n}', "output", minor=True),
    )


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("```\nout\n  put\n```", "out\n  put"),
        ("````sh\n```\n````\n", "```"),
        ("```\na\n```\nb\n```", "```\na\n```\nb\n```"),
        ("```\nopen", "```\nopen"),
    ],
)
def test_the_fence_around_an_output_is_not_shown(sent, shown):
    (call,) = items(v1().prompt("p").tool_call("t", content=[item(sent)]), "tool")

    assert call.parts == (Verbatim(shown),)


def test_a_call_that_is_left_is_marked():
    talk = v1().prompt("p").tool_update("t", status="in_progress").tool_call("u").cancel().ends("p", "cancelled")
    first, second = items(talk, "tool")

    assert (first.mood, first.facts) == ("off", ("never introduced", "cancelled by the client"))
    assert (second.mood, second.facts) == ("off", ("cancelled by the client",))


def test_a_diff_shows_what_changed_and_a_little_around_it():
    old = "\n".join(f"line {number}" for number in range(20))
    change = {"type": "diff", "path": "/a", "oldText": old, "newText": old.replace("line 10", "line ten")}
    (call,) = items(v1().prompt("p").tool_call("t", content=[change, {**change, "oldText": None, "newText": "a\nb\n"}]), "tool")
    first, second = call.parts

    assert isinstance(first, Diff)
    assert isinstance(second, Diff)
    assert [line.sign + line.text for line in first.lines] == [
        *(f" line {number}" for number in (7, 8, 9)),
        "-line 10",
        "+line ten",
        *(f" line {number}" for number in (11, 12, 13)),
    ]
    assert (second.operation, [line.sign + line.text for line in second.lines]) == ("add", ["+a", "+b"])


def test_a_diff_to_nothing_leaves_an_empty_file():
    change = {"type": "diff", "path": "/a", "oldText": "a\n", "newText": ""}
    (call,) = items(v1().prompt("p").tool_call("t", content=[change, {**change, "oldText": ""}]), "tool")

    assert [part.operation for part in call.parts if isinstance(part, Diff)] == ["empty", "modify"]


def test_a_diff_of_many_lines_is_not_compared():
    lines = "x\n" * 3_000
    (call,) = items(v1().prompt("p").tool_call("t", content=[{"type": "diff", "path": "/a", "oldText": lines, "newText": lines}]), "tool")
    (diff,) = call.parts

    assert isinstance(diff, Diff)
    assert [line.sign for line in diff.lines] == ["-"] * 3_000 + ["+"] * 3_000


def test_a_git_patch_is_shown_as_a_diff_and_changes_without_one_are_listed():
    changes = [{"operation": "move", "path": "/b", "oldPath": "/a"}]
    patch = {"format": "git_patch", "text": "diff --git a/a b/b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n"}
    talk = v2().user_message("u", "go").state("running")
    talk.tool_update("t", content=[{"type": "diff", "changes": changes, "patch": patch}, {"type": "diff", "changes": changes}])
    patched, listed = items(talk, "tool")[0].parts

    assert isinstance(patched, Diff)
    assert (patched.path, patched.operation, "".join(line.sign for line in patched.lines)) == ("/b", "move", "@@@@-+")
    assert listed == Link("/b", note="move of /a")


@pytest.mark.parametrize(
    ("answer", "status", "mood"),
    [
        (lambda talk: talk.selects("q", "yes"), "Yes (allow_once)", "good"),
        (lambda talk: talk.selects("q", "no"), "No (reject_once)", "bad"),
        (lambda talk: talk.dismisses("q"), "cancelled", "off"),
        (lambda talk: talk.selects("q", "maybe"), "invalid", "bad"),
        (lambda talk: talk.client_fails("q"), "failed", "bad"),
        (lambda talk: talk, "pending", "busy"),
    ],
)
def test_a_permission_tells_what_was_decided(answer, status, mood):
    talk = v1().prompt("p").tool_call("t", "Delete all").permission("q", "t", [YES, NO])
    (asked,) = items(answer(talk), "permission")

    assert (asked.title, asked.status, asked.mood) == ("Delete all", status, mood)
    (options,) = (part for part in asked.parts if isinstance(part, Steps))
    assert [(step.text, step.note) for step in options.steps] == [("Yes", "allow_once"), ("No", "reject_once")]


def test_a_form_tells_its_fields_and_what_was_answered():
    talk = v1().prompt("p").form("q", {"name": {"type": "string", "title": "Your name"}, "age": {"type": "integer"}})
    (asked,) = items(talk.replies("q", content={"name": "Ada"}), "question")

    assert (asked.title, asked.status) == ("Who?", "accepted")
    assert asked.parts == (
        Steps((Step("good", "Your name", "string"), Step("off", "age", "integer"))),
        Data('{\n  "name": "Ada"\n}', "answer"),
    )


def test_a_plan_is_told_whole_and_then_by_what_moved():
    def plan(*statuses):
        return [{"content": name, "priority": "low", "status": status} for name, status in zip("ab", statuses, strict=True)]

    talk = v1().prompt("p").update("plan", entries=plan("pending", "pending")).update("plan", entries=plan("completed", "pending"))
    talk.update("plan", entries=plan("completed", "in_progress")).update("plan", entries=[])
    told = [(one.title, [step.text for part in one.parts if isinstance(part, Steps) for step in part.steps]) for one in items(talk, "plan")]

    assert told == [("Plan 0/2", ["a", "b"]), ("Plan 1/2", ["a"]), ("Plan 1/2", ["b"]), ("Plan without steps", [])]


def test_entries_of_a_call_of_another_are_inner():
    talk = v1().prompt("p").tool_call("t", "Task").tool_call("u", "Step", _meta={"claudeCode": {"parentToolUseId": "t"}})

    assert [one.inner for one in items(talk, "tool")] == [False, True]


def test_what_is_asked_about_an_inner_call_is_inner():
    talk = v1().prompt("p").tool_call("t", "Task").tool_call("u", "Step", _meta={"claudeCode": {"parentToolUseId": "t"}})
    talk.permission("q", "u").permission("r", "t").form("f", toolCallId="u")

    assert [one.inner for one in (*items(talk, "permission"), *items(talk, "question"))] == [True, False, True]


def test_content_of_every_type_is_shown():
    link = {"type": "resource_link", "uri": "file:///a", "name": "a", "description": "d"}
    resource = {"type": "resource", "resource": {"uri": "file:///b", "text": "b"}}
    (message,) = items(v1().prompt("p", [text("t"), link, resource, {"type": "_new", "x": 1}]), "user")

    assert message.parts == (
        Verbatim("t"),
        Link("file:///a", "a", "d"),
        Verbatim("b", "file:///b", minor=True),
        Data('{\n  "type": "_new",\n  "x": 1\n}', "_new"),
    )


# --- facts -----------------------------------------------------------------------------------------


def option(category: str, *, current: str = "a2") -> dict:
    choices = [{"value": "a1", "name": "First"}, {"value": "a2", "name": "Second"}]
    return {"id": f"the-{category}", "name": category, "category": category, "type": "select", "currentValue": current, "options": choices}


def test_mode_and_model_are_told_by_their_names():
    modes = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "Careful"}]}
    models = {"currentModelId": "x", "availableModels": [{"modelId": "x", "name": "Large"}]}

    def facts(**setup):
        return {name: value for name, value in session_of(v1(**setup)).facts if name in ("mode", "model")}

    assert facts(modes=modes, models=models) == {"mode": "Careful", "model": "Large"}
    assert facts(modes=modes, models=models, configOptions=[option("mode"), option("model")]) == {"mode": "Second", "model": "Second"}
    assert facts(configOptions=[option("model", current="a3")]) == {"model": "a3"}
    assert facts(configOptions=[option("mode", current=True), option("thought_level")]) == {}


@pytest.mark.parametrize(("id", "written"), [(7, ", id 7"), ("7", ', id "7"'), (True, ", id true")])
def test_open_requests_are_told_by_their_ids(id, written):
    told = [value for name, value in story_of(v1().prompt(id)).facts if name == "open"]

    assert told == [f"session/prompt of the client{written}"]


def test_an_open_request_of_a_recording_without_ids():
    record = {"kind": "requestPermission", "payload": {"sessionId": "s-1", "toolCall": {"toolCallId": "t"}, "options": []}}
    told = [value for name, value in story_of(json.dumps(record).encode()).facts if name == "open"]

    assert told == ["session/request_permission of the agent"]


# --- the whole -------------------------------------------------------------------------------------


def test_calls_under_way_at_the_same_time_have_lanes():
    talk = v1().prompt("p").tool_call("a", "A", kind="read").tool_call("b", "B", kind="read").tool_update("a", status="completed")
    talk.tool_call("c", "C", kind="read").tool_update("b", status="completed").tool_update("c", status="failed").ends("p")
    line = session_of(talk).timeline
    assert line is not None
    turns, reads = line.rows

    assert line.unit == "seconds"
    assert [[(bar.label, bar.mood) for bar in lane] for lane in reads.lanes] == [[("A", "good"), ("C", "bad")], [("B", "good")]]
    assert [(round(bar.start * 8, 3), round(bar.end * 8, 3)) for lane in reads.lanes for bar in lane] == [(2, 4), (5, 7), (3, 6)]
    assert [[bar.label for bar in lane] for lane in turns.lanes] == [["Turn 1"]]


def test_without_times_frames_are_counted():
    talk = v1().prompt("p").tool_call("t").ends("p")
    line = session_of(untimed(talk)).timeline
    assert line is not None

    assert (line.unit, line.ticks[0], line.ticks[-1]) == ("frames", "frame 4", "frame 7")
    assert chapter(untimed(talk)).seconds is None


def test_a_part_of_a_story():
    talk = v1().prompt("p").agent_thinks("Hm.").agent_says("Yes.").tool_call("t").permission("q", "t").ends("p").prompt("r").ends("r")
    story = story_of(talk.new("s-2").prompt("x", session="s-2"))

    assert [len(session.chapters) for session in excerpt(story, session="s-2").sessions] == [1]
    assert outline(excerpt(story, turn=2).sessions[0]) == [("Turn 2", ["You"])]
    kinds = [one.kind for one in excerpt(story, thoughts=False).sessions[0].chapters[0].items]
    assert kinds == ["user", "agent", "tool", "permission"]
    assert [one.kind for one in excerpt(story, tools_only=True).sessions[0].chapters[0].items] == ["tool", "permission"]
    assert excerpt(story) == story


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0.00 s"), (0.345, "0.34 s"), (9.94, "9.9 s"), (42.4, "42 s"), (60, "1 min 00 s"), (123.4, "2 min 03 s"), (3900, "1 h 05 min")],
)
def test_durations_in_words(seconds, words):
    assert spell_seconds(seconds) == words


def test_amounts_of_money():
    assert [amount(value, "EUR") for value in (3, 0.084, 1234.5, 0.1 + 0.2)] == ["3 EUR", "0.084 EUR", "1,234.5 EUR", "0.3 EUR"]


# --- what says little ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "facts"),
    [(text("\n \n"), ("blank",)), (text(""), ("blank",)), (text("a"), ()), ({"type": "image", "data": "", "mimeType": "a/b"}, ())],
)
def test_a_message_without_a_word_says_so(said, facts):
    (told,) = items(v1().update("agent_message_chunk", content=said, messageId="m"), "agent")

    assert told.facts == facts
    assert (told.parts == ()) is (facts != ())


def test_what_lacks_its_type_is_called_by_its_name():
    talk = v2().update("available_commands_update", availableCommands=[{"name": "a", "description": "b", "input": {"hint": "c"}}])
    titles = [told.title for told in items(talk, "finding")]

    assert titles == [
        "availableCommands without a type, read as version 1 reads it",
        "input without a type, read as version 1 reads it",
    ]
