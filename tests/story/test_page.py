"""A story as a page: what stands in it, and that nothing that was sent acts in it."""

from __future__ import annotations

import base64
import hashlib
import re

from html.parser import HTMLParser
from pathlib import Path

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state.story.html import page
from acp_state.story.model import Item, Prose, Story

from strategies import conversations
from support.effort import ran
from support.hostile import ALL, MARKDOWN, PAGE, hostile
from support.recordings import recording
from support.timed import story_of
from support.transcripts import image, item, v1


GOLDEN = Path(__file__).parents[2] / "golden"

# fmt: off
TAGS = frozenset(
    (
        "html", "head", "meta", "title", "style", "script", "body", "header", "footer", "main", "nav", "section",
        "article", "figure", "figcaption", "details", "summary", "div", "span", "p", "pre", "code", "h1", "h2",
        "h3", "h4", "h5", "h6", "dl", "dt", "dd", "ul", "ol", "li", "a", "img",
        "svg", "rect", "polygon", "polyline", "br", "hr", "em", "strong", "s", "blockquote", "table", "thead",
        "tbody", "tr", "th", "td", "input", "output", "button", "label",
    )
)
ATTRIBUTES = frozenset(
    (
        "lang", "charset", "http-equiv", "content", "name", "class", "id", "open", "aria-hidden", "aria-label", "role", "type",
        "placeholder", "autocomplete", "spellcheck", "for", "checked", "href", "rel", "title", "alt", "src", "start", "viewbox", "height", "width", "preserveaspectratio", "x", "y", "points",
    )
)
# fmt: on


class Page(HTMLParser):
    """What a page holds, as a reader of HTML understands it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.raw: dict[str, str] = {}
        self._in: str | None = None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), "an attribute twice"
        self.tags.append((tag, dict(attrs)))
        self._in = tag if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self._in = None

    def handle_data(self, data):
        if self._in is None:
            self.text.append(data)
        else:
            self.raw[self._in] = self.raw.get(self._in, "") + data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def read(source) -> Page:
    return Page(page(source if isinstance(source, Story) else story_of(source), "session.ndjson"))


def is_harmless(read: Page) -> None:
    """Check that a page has nothing that acts but its own, and reaches for nothing."""
    assert {tag for tag, _ in read.tags} <= TAGS
    assert {name for _, attributes in read.tags for name in attributes} <= ATTRIBUTES
    assert len(read.named("script")) == len(read.named("style")) == 1
    assert [attributes["http-equiv"] for attributes in read.named("meta") if "http-equiv" in attributes] == ["Content-Security-Policy"]
    for link in read.named("a"):
        assert re.match(r"#(item|turn|session)-[0-9-]+$|https?://|mailto:", link["href"] or "")
        assert (link["href"] or "").startswith("#") or link["rel"] == "noopener noreferrer nofollow"
    for picture in read.named("img"):
        assert re.fullmatch(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}", picture["src"] or "")
    ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("evil", [PAGE, MARKDOWN, ALL], ids=["page", "markdown", "all"])
def test_nothing_that_was_sent_acts(version, evil):
    is_harmless(read(hostile(evil, version=version)))


def test_the_worst_is_shown_as_it_was_sent():
    text = "".join(read(hostile(PAGE)).text)

    assert text.count(PAGE) > 40


def test_what_was_sent_is_no_template_and_no_name_of_the_page_is_trusted():
    assert "<script>1</script>" not in page(Story(()), "<script>1</script>")
    assert "{{ 7 * 7 }}" in page(story_of(v1().prompt("p", "{{ 7 * 7 }}")), "n")


@given(st.text(), st.sampled_from(["[a](", "<", "![", "`", "&", "[a]: "]), st.text())
def test_no_markdown_acts(before, middle, after):
    is_harmless(read(Story((), (Item("agent", "Agent", parts=(Prose(before + middle + after),)),))))


@given(conversations())
def test_every_conversation_makes_a_page(conversation):
    ran("conversations")

    is_harmless(read(recording(conversation)))


def test_the_policy_allows_its_own_parts_alone():
    read_ = read(v1().prompt("p"))
    (policy,) = (attributes["content"] for attributes in read_.named("meta") if attributes.get("http-equiv"))
    directives = dict(part.strip().split(" ", 1) for part in (policy or "").split(";"))

    assert directives == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        **{f"{tag}-src": f"'sha256-{digest(read_.raw[tag])}'" for tag in ("style", "script")},
    }


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_links_go_to_the_web_and_to_mail_alone():
    says = "[web](https://e.test/a?b=1&c=2) [mail](mailto:a@e.test) [file](file:///etc/passwd) [script](javascript:x) [here](#search) [up](../x)"
    talk = v1().prompt("p").agent_says(says)
    for uri in ("https://e.test/doc", "file:///a.py", "javascript:x"):
        talk.agent_says({"type": "resource_link", "uri": uri, "name": "doc"}, uri)
    targets = [link["href"] for link in read(talk).named("a") if not (link["href"] or "").startswith("#")]

    assert targets == ["https://e.test/a?b=1&c=2", "mailto:a@e.test", "https://e.test/doc"]


def test_pictures_are_shown_if_they_can_hold_no_script():
    svg = {"type": "image", "mimeType": "image/svg+xml", "data": "PHN2Zy8+"}
    talk = v1().prompt("p", [image(), svg, image("no base64!")])

    assert [picture["src"] for picture in read(talk).named("img")] == ["data:image/png;base64,aW1n"]


def test_bars_stand_where_their_calls_were_under_way_and_lead_to_them():
    talk = (
        v1()
        .prompt("p")
        .tool_call("t", "Read", kind="read")
        .tool_update("t", status="completed")
        .permission("q", "t")
        .selects("q")
        .ends("p")
    )
    read_ = read(talk)  # frames 3 to 9 are the session's, at 3 s to 9 s
    bars = [(attributes["class"], attributes["x"], attributes["width"]) for attributes in read_.named("rect")]

    assert bars == [("good", "166.7", "833.3"), ("good", "333.3", "166.7"), ("good", "666.7", "166.7")]
    targets = [link["href"] for link in read_.named("a")]
    assert targets[0] == "#turn-1-1"
    ids = {attributes.get("id") for _, attributes in read_.tags}
    assert {(target or "")[1:] for target in targets} <= ids


def test_the_context_is_drawn_as_steps():
    talk = v1().prompt("p").update("usage_update", used=50, size=100).update("usage_update", used=80, size=100).ends("p")
    (line,) = read(talk).named("polyline")

    assert line["points"] == "500.0,50.0 750.0,50.0 750.0,20.0 1000,20.0"


def test_a_failed_call_is_open_and_a_finished_one_closed():
    talk = (
        v1()
        .prompt("p")
        .tool_call("a", "Fine", status="completed", content=[item("x")])
        .tool_call("b", "Bad", status="failed", content=[item("y")])
    )
    details = read(talk).named("details")

    assert ["open" in attributes for attributes in details] == [False, True]


@pytest.mark.parametrize("name", ["v1-bug-fix-with-tests", "v2-questions", "v2-subagents-and-session-messages"])
def test_pages_are_pure(name):
    data = (GOLDEN / f"{name}.ndjson").read_bytes()

    assert page(story_of(data), name) == page(story_of(data), name)
