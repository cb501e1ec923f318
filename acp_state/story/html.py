"""A story as one page that needs nothing else: by Jinja2, its Markdown by markdown-it-py.

Everything that was sent is escaped. Markdown may hold no HTML and no pictures, and link to nothing but
http(s) and mailto addresses. What a page may do is stated in a Content-Security-Policy of its own: run
its one script, use its one style sheet, show pictures that are in it, and no more.
"""

from __future__ import annotations

import re

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from ..findings import visible, visible_text
from .model import MAX_MARKDOWN, Level, Media, Story
from .words import spell_seconds


SAFE_LINK: Final = re.compile(r"(https?://|mailto:)[^\s]*", re.IGNORECASE)
"""What may be linked to."""

PICTURES: Final = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
"""What is shown as a picture: formats without scripts."""


def page(story: Story, name: str) -> str:
    """Return *story* as an HTML page; *name* is that of the recording."""
    environment = _environment()
    style, script = (_asset(environment, asset) for asset in ("page.css", "page.js"))
    template = environment.get_template("page.html.j2")
    return template.render(story=story, name=visible(name), style=style, script=script, policy=_policy(style, script))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("acp_state.story"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        sort=lambda part: type(part).__name__,
        seconds=spell_seconds,
        markdown=_markdown,
        picture=_picture,
        plot=plot,
    )
    environment.tests["linkable"] = lambda target: SAFE_LINK.fullmatch(target) is not None
    return environment


def _asset(environment: Environment, name: str) -> Markup:
    """Return a file of the package as it is: nothing in it was sent."""
    assert environment.loader is not None  # noqa: S101 -- it was made with one
    return Markup(environment.loader.get_source(environment, name)[0])  # noqa: S704 -- our own


def _policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy: by hash, so that no other script or style is ever used."""
    hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


# --- Markdown --------------------------------------------------------------------------------------


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
    parser.validateLink = lambda url: SAFE_LINK.fullmatch(url) is not None  # type: ignore[method-assign]  # it is documented to be set
    return parser


def _markdown(text: str) -> Markup:
    """Return Markdown as HTML."""
    if len(text) > MAX_MARKDOWN:
        return Markup('<pre class="long">{}</pre>').format(text)
    parser = _parser()
    tokens = parser.parse(text)
    _prepare(tokens)
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 -- the renderer escapes, and HTML is off


def _prepare(tokens: Iterable[Token]) -> None:
    """Make visible what Markdown spelled, let no site be told where its reader comes from, and have no styles."""
    for token in tokens:
        token.content = visible_text(token.content)
        token.info = visible(token.info)
        token.attrs = {key: visible(value) for key, value in token.attrs.items()}
        if token.type == "link_open":
            token.attrs["rel"] = "noopener noreferrer nofollow"
        if "style" in token.attrs:  # a table's alignment; the policy refuses styles
            token.attrs["class"] = str(token.attrs.pop("style")).removeprefix("text-align:")
        _prepare(token.children or ())


# --- pictures --------------------------------------------------------------------------------------


def _picture(media: Media) -> Markup | None:
    """Return a picture, `None` for what is none that can be shown."""
    if media.mime_type not in PICTURES or not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", media.data):
        return None
    return Markup('<img alt="{}" src="data:{};base64,{}">').format(media.name, media.mime_type, media.data)


def plot(levels: tuple[Level, ...]) -> dict[str, Any]:
    """Return how full the context was as the points of a line in a field of 1000 by 100, and what the field's top stands for."""
    peak = max(level.used for level in levels)
    size = max(level.size for level in levels)
    top = max(size if 4 * peak > size else 2 * peak, 1)
    points: list[str] = []
    height = 100.0
    for level in levels:
        x = f"{level.at * 1000:.1f}"
        if points:
            points.append(f"{x},{height:.1f}")
        height = 100 - 100 * level.used / top
        points.append(f"{x},{height:.1f}")
    points.append(f"1000,{height:.1f}")
    start = f"{levels[0].at * 1000:.1f}"
    return {"top": top, "peak": peak, "line": " ".join(points), "area": f"{start},100 {' '.join(points)} 1000,100"}


__all__: Final = ["page", "plot"]
