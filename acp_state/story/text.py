"""A story as text, for a terminal or a pipe, by rich.

Markup of rich is never made of what was sent, its Markdown makes no links that a terminal would follow,
and whatever leaves here as text went through `visible_text` once more: Markdown spells characters, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TextIO

from attrs import frozen
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ..findings import visible_text
from .model import MAX_MARKDOWN, Chapter, Data, Diff, Item, Link, Media, Output, Part, Prose, SessionStory, Steps, Story, Verbatim
from .words import spell_seconds


STYLES: Final[Mapping[str, str]] = {"good": "green", "bad": "red", "busy": "yellow", "off": "dim", "plain": ""}
MARKS: Final[Mapping[str, str]] = {"good": "✓", "bad": "✗", "busy": "◌", "off": "○", "plain": "·"}
PLAIN_MARKS: Final[Mapping[str, str]] = {"good": "+", "bad": "x", "busy": "~", "off": "-", "plain": "*"}

MIN_WIDTH: Final = 20


@frozen
class Look:
    """How a story is printed.

    *plain*: with ASCII marks, without colours, and with Markdown as it was written. Outputs and diffs of
    more than *lines* are cut in the middle (0: never).
    """

    plain: bool = False
    lines: int = 20


def print_story(story: Story, file: TextIO, *, width: int | None = None, look: Look = Look()) -> None:
    """Print *story* to *file*; with colours if it is a terminal and `NO_COLOR` is not set. *width* in columns, at least 20."""
    console = PipedConsole(
        file=file,
        width=None if width is None else max(width, MIN_WIDTH),
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        color_system=None if look.plain else "auto",
        force_terminal=False if look.plain else None,
    )
    for renderable in _Telling(look).story(story):
        console.print(Guarded(renderable))


class PipedConsole(Console):
    """A console that nobody need read to the end."""

    def on_broken_pipe(self) -> None:
        """Leave it to the caller what to do when nobody reads on."""
        raise BrokenPipeError


class Guarded:
    """What is printed, with every character that could drive a terminal made visible (SPEC 8), and no spaces at the ends of lines."""

    def __init__(self, renderable: RenderableType) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        segments = (segment for segment in console.render(self._renderable, options) if not segment.control)
        for line in Segment.split_lines(Segment(visible_text(segment.text), segment.style) for segment in segments):
            while line and not line[-1].text.strip():
                line.pop()  # what only fills the line
            if line:
                line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
            yield from line
            yield Segment.line()


class _Telling:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._marks = PLAIN_MARKS if look.plain else MARKS
        self._had_body = True
        self._dash = "-" if look.plain else "─"

    def story(self, story: Story) -> Iterator[RenderableType]:
        if story.facts:
            yield _facts(story.facts)
        for item in story.items:
            yield from self._item(item)
        for session in story.sessions:
            yield ""
            yield from self._session(session)

    def _session(self, session: SessionStory) -> Iterator[RenderableType]:
        title = Text(session.title, "bold")
        title.append(f"  {session.status}", "dim")
        yield title
        yield _facts(session.facts)
        for chapter in session.chapters:
            yield ""
            yield from self._chapter(chapter)

    def _chapter(self, chapter: Chapter) -> Iterator[RenderableType]:
        title = Text(chapter.title, "bold")
        if chapter.number is not None and chapter.began.time is not None:
            title.append(f"  at {spell_seconds(chapter.began.time)}", "not bold dim")
        if chapter.seconds is not None:
            title.append(f", took {spell_seconds(chapter.seconds)}", "not bold dim")
        yield Rule(title, characters=self._dash, style="dim", align="left")
        self._had_body = True
        for item in chapter.items:
            yield from self._item(item)
        if chapter.number is not None:
            yield ""
            end = Text(f"{self._marks[chapter.mood]} ", STYLES[chapter.mood])
            end.append(", ".join(chapter.facts), "dim")
            yield end

    # --- items ---------------------------------------------------------------------------------------

    def _item(self, item: Item) -> Iterator[RenderableType]:
        head = _HEADS.get(item.kind, _Telling._event)(self, item)
        dim = item.kind == "thought"
        body = [self._part(part, dim=dim) for part in item.parts if self._is_shown(part)]
        indent = 2 * item.inner
        if item.kind not in _SMALL and (body or self._had_body):
            yield ""
        self._had_body = bool(body)
        yield Padding(head, (0, 0, 0, indent))
        for part in body:
            yield Padding(part, (0, 0, 0, indent + 2))

    def _is_shown(self, part: Part) -> bool:
        return not (isinstance(part, (Verbatim, Data, Steps)) and part.minor)

    def _speaker(self, item: Item) -> Text:
        head = Text(item.title, _VOICES.get(item.kind, "bold"))
        return head.append("".join(f", {fact}" for fact in item.facts), "dim")

    def _event(self, item: Item) -> Text:
        """Return the head of anything that is no message: mark, sort, title, how it went."""
        mark = "!" if item.kind == "finding" and item.mood == "busy" else self._marks[item.mood]
        head = Text(f"{mark} ", STYLES[item.mood])
        head.append(f"{item.label} " if item.label else "", "dim" if item.mood != "bad" else "red")
        head.append(item.title, "bold" if item.kind == "tool" else "")
        words = [*((item.word,) if item.word else ()), *item.facts]
        if item.timed and item.seconds is not None:
            words.append(spell_seconds(item.seconds))
        if words:
            head.append(f"  {', '.join(words)}", STYLES[item.mood] if item.mood in ("bad", "busy") else "dim")
        return head

    # --- parts ---------------------------------------------------------------------------------------

    def _part(self, part: Part, *, dim: bool) -> RenderableType:
        return self._prose(part, dim=dim) if isinstance(part, Prose) else _PARTS[type(part)](self, part)

    def _prose(self, part: Prose, *, dim: bool) -> RenderableType:
        style = "dim italic" if dim else ""
        if self._look.plain or len(part.text) > MAX_MARKDOWN:
            return Text(part.text.strip("\n"))
        return Markdown(part.text, style=style, hyperlinks=False, code_theme="ansi_dark")

    def _verbatim(self, part: Verbatim) -> RenderableType:
        return _block(_label(part.label), self._cut([Text(line) for line in _lines(part.text)]))

    def _data(self, part: Data) -> RenderableType:
        lines = _lines(part.text)
        short = " ".join(line.strip() for line in lines)
        if len(short) <= 60 or len(lines) == 1:
            return Text(f"{part.label} {short}", "dim")
        return _block(_label(part.label), self._cut([Text(line, "dim") for line in lines]))

    def _diff(self, part: Diff) -> RenderableType:
        head = Text(part.path)
        head.append(f"  {part.operation}", "dim")
        lines = [Text(line.text if line.sign == "@" else line.sign + line.text, _SIGNS[line.sign]) for line in part.lines]
        return _block(head, self._cut(lines))

    def _output(self, part: Output) -> RenderableType:
        head = Text(f"$ {part.command}" if part.command else "")
        head.append(f"{'  ' * bool(head)}{', '.join(part.facts)}", "dim")
        return _block(head, self._cut([Text(line) for line in _lines(part.text)]))

    def _steps(self, part: Steps) -> RenderableType:
        lines = []
        for step in part.steps:
            line = Text(f"{self._marks[step.mood]} ", STYLES[step.mood])
            line.append(step.text, "dim" if step.mood == "off" else "")
            lines.append(line.append(f"  {step.note}" * bool(step.note), "dim"))
        return Text("\n").join(lines)

    def _link(self, part: Link) -> RenderableType:
        line = Text(f"{part.name}  " if part.name else "")
        line.append(part.target, "underline" if part.name else "")
        return line.append(f"  {part.note}" * bool(part.note), "dim")

    def _media(self, part: Media) -> RenderableType:
        size = len(part.data.rstrip("=")) * 3 // 4
        return Text(f"[{part.name}: {part.mime_type}, {size:,} byte{'s' * (size != 1)}]", "dim")

    def _cut(self, lines: list[Text]) -> list[Text]:
        """Leave out the middle of what is too long."""
        most = self._look.lines
        if not most or len(lines) <= most:
            return lines
        tail = most // 2
        left = len(lines) - most
        gone = Text(f"… {left:,} more line{'s' * (left != 1)}" if not self._look.plain else f"... {left:,} more", "dim italic")
        return [*lines[: most - tail], gone, *lines[len(lines) - tail :]]


_SMALL: Final = frozenset(("finding", "setting", "file", "permission"))
"""What takes no room of its own."""
_VOICES: Final[Mapping[str, str]] = {"user": "bold cyan", "agent": "bold", "thought": "dim italic", "session": "bold magenta"}
_HEADS: Final[Mapping[str, Callable[[_Telling, Item], Text]]] = dict.fromkeys(_VOICES, _Telling._speaker)
_SIGNS: Final[Mapping[str, str]] = {"+": "green", "-": "red", " ": "", "@": "cyan"}
_PARTS: Final[Mapping[type, Callable[[_Telling, Any], RenderableType]]] = {
    Verbatim: _Telling._verbatim,
    Data: _Telling._data,
    Diff: _Telling._diff,
    Output: _Telling._output,
    Steps: _Telling._steps,
    Link: _Telling._link,
    Media: _Telling._media,
}


def _lines(text: str) -> list[str]:
    return text.rstrip("\n").split("\n") if text.strip("\n") else []


def _label(label: str) -> Text:
    return Text(label, "dim")


def _block(head: Text, lines: list[Text]) -> Text:
    """Return lines as one text, under a head unless it is empty."""
    return Text("\n").join([head, *lines] if head else lines)


def _facts(facts: tuple[tuple[str, str], ...]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, value in facts:
        table.add_row(Text(name), Text(value))
    return table


__all__: Final = ["MIN_WIDTH", "Guarded", "Look", "print_story"]
