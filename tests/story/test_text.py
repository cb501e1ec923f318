"""A story in a terminal."""

from __future__ import annotations

import base64
import io
import re

from pathlib import Path

import pytest

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_state.story.model import Item, Prose, Story, Verbatim
from acp_state.story.text import Look, print_story

from strategies import conversations
from support.effort import ran
from support.hostile import ALL, MARKDOWN, SPELLED, TERMINAL, hostile
from support.recordings import recording
from support.timed import story_of, untimed
from support.transcripts import image, item, shows, v1, v2


GOLDEN = Path(__file__).parents[2] / "golden"

DRIVING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""What no text of ours has, but for line ends."""

STYLING = re.compile(r"\x1b\[[0-9;]*m")


class Screen(io.StringIO):
    """A file that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def printed(source, *, file=None, width=80, **look) -> str:
    file = io.StringIO() if file is None else file
    story = source if isinstance(source, Story) else story_of(source)
    print_story(story, file, width=width, look=Look(**look))
    return file.getvalue()


@pytest.fixture
def screen(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    return Screen()


# --- nothing drives the terminal -------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("plain", [False, True], ids=["rendered", "plain"])
@pytest.mark.parametrize("evil", [TERMINAL, SPELLED, MARKDOWN, ALL], ids=["raw", "spelled", "markdown", "all"])
def test_the_worst_comes_out_as_text(version, plain, evil):
    out = printed(hostile(evil, version=version), plain=plain, lines=0)

    assert DRIVING.findall(out) == []


@pytest.mark.parametrize("version", [1, 2])
def test_on_a_terminal_only_our_own_styles_are_control_sequences(version, screen):
    out = printed(hostile(version=version), file=screen, lines=0)

    assert STYLING.search(out)
    assert DRIVING.findall(STYLING.sub("", out)) == []


def test_the_worst_is_shown_and_not_swallowed():
    out = printed(hostile(TERMINAL), lines=0, width=400)

    assert out.count(r"\x1b]0;title\x07") > 40
    assert r"\u202e\u2066\u200f\ufeff\U000e0041" in out


@given(st.text(st.characters(categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "L", "P", "S"))))
def test_no_markdown_makes_what_is_not_text(text):
    story = Story((), (Item("agent", text, parts=(Prose(text), Verbatim(text, text))),))

    assert DRIVING.findall(printed(story)) == []


@given(conversations())
def test_every_conversation_can_be_shown(conversation):
    ran("conversations")
    story = story_of(recording(conversation))

    assert DRIVING.findall(printed(story)) == []
    assert DRIVING.findall(printed(story, plain=True, lines=1)) == []


def test_markup_of_the_printer_is_no_markup_in_what_was_sent():
    talk = v1().prompt("p", "[bold]loud[/bold] :smile:").tool_call("t", "[link=http://e.test]x[/link]")

    assert "[bold]loud[/bold] :smile:" in printed(talk)
    assert "[link=http://e.test]x[/link]" in printed(talk)


# --- colours ---------------------------------------------------------------------------------------


def test_there_are_colours_on_a_terminal_alone(screen):
    talk = v1().prompt("p").tool_call("t", status="completed").ends("p")

    assert "\x1b[32m" in printed(talk, file=screen)
    assert "\x1b" not in printed(talk)


def test_no_color_is_honoured(screen, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    out = printed(v1().prompt("p").tool_call("t", status="failed").ends("p"), file=screen)

    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", out)


def test_plain_is_plain_on_a_terminal_too(screen):
    talk = v1(modes={"currentModeId": "ask"}).prompt("p").agent_says("**loud** `code`").tool_call("t", status="completed")
    talk.update("current_mode_update", currentModeId="do").permission("q").selects("q").tool_call("u", content=[item("x\n" * 50)]).ends("p")
    out = printed(talk, file=screen, plain=True)

    assert "\x1b" not in out
    assert "**loud** `code`" in out
    assert out.isascii()


# --- what it looks like ----------------------------------------------------------------------------


def goldens():
    paths = sorted(path for path in GOLDEN.iterdir() if path.suffix not in (".md", ".gz") and ".state." not in path.name)
    return [pytest.param(path, id=path.name.partition(".")[0]) for path in paths if ".diagnostics." not in path.name and path.is_file()]


@pytest.mark.parametrize("path", goldens())
def test_every_golden_fits_its_width(path):
    story = story_of(path.read_bytes())
    for width in (40, 100):
        lines = printed(story, width=width).split("\n")
        assert max(map(cell_len, lines)) <= width
        assert not [line for line in lines if line != line.rstrip()]


def test_the_story_of_a_small_session():
    talk = v1().prompt("p", "Fix it,\n  please.").agent_thinks("Hm.").agent_says("It is *easy*:\n\n- one\n- two")
    talk.tool_call("t", "Edit a.py", kind="edit", locations=[{"path": "/a.py"}], rawInput={"path": "/a.py"})
    talk.permission("q", "t").selects("q").tool_update(
        "t", status="completed", content=[{"type": "diff", "path": "/a.py", "oldText": "a\nb\nc\n", "newText": "a\nB\nc\n"}]
    )
    talk.update("plan", entries=[{"content": "Edit", "priority": "low", "status": "completed"}])
    talk.update("usage_update", used=500, size=1000, cost={"amount": 0.5, "currency": "EUR"})
    talk.tool_call("u", "Run", kind="execute", status="failed", content=[item("boom")])
    talk.ends("p", usage={"totalTokens": 1200, "inputTokens": 1000, "outputTokens": 200})

    assert printed(talk) == SMALL


SMALL = """\
protocol   version 1
recording  15 frames in 14 s

s-1  idle
in       /home
context  500 of 1,000 (50 %)
cost     0.5 EUR

Turn 1  at 4.0 s, took 10 s ────────────────────────────────────────────────────

You
  Fix it,
    please.

Thought
  Hm.

Agent
  It is easy:

   • one
   • two

✓ edit Edit a.py  3.0 s
  input { "path": "/a.py" }
  /a.py  modify
   a
  -b
  +B
   c
✓ asked Edit a.py  Yes (allow_once), 1.0 s

· Plan 1/1
  ✓ Edit

✗ execute Run  failed, 0.00 s
  boom

✓ end_turn, 1,200 tokens (1,000 in, 200 out), context 500 of 1,000 (50 %), 0.5
EUR so far
"""


def test_long_outputs_are_cut_in_the_middle():
    out = "\n".join(f"line {number}" for number in range(1, 101))
    talk = v1().prompt("p").tool_call("t", content=[item(out)])

    assert re.findall(r"(?:line \d+|… .*)", printed(talk, lines=4)) == ["line 1", "line 2", "… 96 more lines", "line 99", "line 100"]
    assert printed(talk, lines=0).count("line ") == 100


def test_a_terminal_stands_in_the_call_that_shows_it_else_by_itself():
    talk = v2().user_message("u", "go").state("running").tool_update("t", title="Run", content=[shows("k")])
    for terminal in ("k", "alone"):
        talk.update("terminal_update", terminalId=terminal, command=f"make {terminal}", output={"data": "b2s="}, exitStatus={"exitCode": 3})
    out = printed(untimed(talk))

    assert out.count("make k") == out.count("make alone") == 1
    assert "◌ tool Run  pending\n  $ make k  exit code 3\n  ok\n" in out
    assert "✗ Terminal alone\n  $ make alone  exit code 3\n  ok\n" in out


@pytest.mark.parametrize(("size", "told"), [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes"), (3, "3 bytes"), (1500, "1,500 bytes")])
def test_media_are_told_by_their_size(size, told):
    data = base64.b64encode(b"x" * size).decode()

    assert f"[image: image/png, {told}]" in printed(v1().prompt("p", [image(data)]), plain=True)
