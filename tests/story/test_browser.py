"""A page in a real browser: it works, it asks nobody for anything, and nothing in it runs but its own script."""

from __future__ import annotations

import shutil

from pathlib import Path

import pytest

from acp_state.story.html import page

from support.hostile import hostile
from support.timed import story_of
from support.transcripts import item, v1


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Opened:
    """A page that is open, and what it did: what it said, what it asked for."""

    def __init__(self, browser, path: Path, html: str, **options) -> None:
        path.write_text(html, encoding="utf-8")
        self.page = browser.new_page(**options)
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def seen(self, selector: str) -> list[str]:
        return [node.inner_text() for node in self.page.query_selector_all(selector) if node.is_visible()]


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_(source, **options) -> Opened:
        pages.append(Opened(browser, tmp_path / "page.html", page(story_of(source), "session.ndjson"), **options))
        return pages[-1]

    yield open_
    for one in pages:
        one.page.close()


def small():
    talk = v1().prompt("p", "Where is the needle?").agent_thinks("Hmm.").agent_says("In the *haystack*.")
    talk.tool_call("t", "Look", kind="read", content=[item("a needle, deep inside")]).tool_update("t", status="completed")
    return talk.update("usage_update", used=5, size=10).ends("p")


@pytest.mark.parametrize("version", [1, 2])
def test_the_worst_page_runs_nothing_and_asks_for_nothing(opened, version):
    one = opened(hostile(version=version))
    one.page.click("#open")
    one.page.wait_for_load_state("networkidle")

    assert one.page.evaluate("window.hacked") is None
    assert [url for url in one.asked if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in one.asked if url.startswith("file:")]) == 1
    assert one.said == []
    assert one.page.evaluate("document.scripts.length") == 1
    assert len(one.seen(".item")) > 20


def test_even_a_script_that_got_into_the_page_would_not_run(browser, tmp_path):
    html = page(story_of(small()), "n").replace(
        "</main>", "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'></main>"
    )
    one = Opened(browser, tmp_path / "page.html", html)

    assert one.page.evaluate("window.hacked") is None
    assert "Content Security Policy" in " ".join(one.said)
    one.page.close()


def test_searching_hides_the_rest_and_opens_what_holds_the_words(opened):
    one = opened(small())
    assert one.seen("pre") == ["Where is the needle?"]  # the call is closed

    one.page.keyboard.press("/")
    one.page.keyboard.type("NEEDLE")
    assert one.seen("pre") == ["Where is the needle?", "a needle, deep inside"]
    assert one.seen("article.agent") == []
    assert one.page.inner_text("#found") == "2 of 4"
    assert one.page.evaluate("[...CSS.highlights.get('found')].length") == 2

    one.page.keyboard.press("Escape")
    assert one.seen("pre") == ["Where is the needle?"]
    assert len(one.seen("article.agent")) == 1
    assert one.said == []


def test_a_bar_leads_to_its_call_and_opens_it(opened):
    one = opened(small())
    one.page.click(".timeline a[href^='#item-'] rect")

    assert one.page.evaluate("document.querySelector('details.tool').open")
    one.page.click("#close")
    assert not one.page.evaluate("document.querySelector('details.tool').open")


def test_thoughts_can_be_put_away(opened):
    one = opened(small())
    assert len(one.seen(".thought")) == 1
    one.page.uncheck("#thoughts")
    assert one.seen(".thought") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1200])
def test_it_fits_any_width_in_light_and_dark(opened, scheme, width):
    one = opened(hostile(), viewport={"width": width, "height": 800}, color_scheme=scheme)

    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    light = one.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(251, 250, 248)"
    assert light == (scheme == "light")
