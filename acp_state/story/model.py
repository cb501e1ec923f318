"""The model of a story: what a person is shown of a recording, whatever it is printed on.

Every text in it went through `visible`: a text that is made part of a story can drive no terminal (SPEC 8).
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from attrs import field, frozen

from ..chronicle import Moment
from ..findings import visible, visible_text


Mood: TypeAlias = Literal["good", "bad", "busy", "off", "plain"]
"""How something stands: done, gone wrong, under way, given up, or none of it."""


def _all_visible(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(visible(text) for text in texts)


def _pairs_visible(pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((visible(name), visible(value)) for name, value in pairs)


def _line(default: str = "") -> Any:
    return field(default=default, converter=visible)


# --- what an item is made of -----------------------------------------------------------------------


@frozen
class Prose:
    """Markdown, as a model writes it."""

    text: str = field(converter=visible_text)


@frozen
class Verbatim:
    """Text whose every space counts; *label* says what it is. *minor*: seldom worth its place."""

    text: str = field(converter=visible_text)
    label: str = _line()
    minor: bool = False


@frozen
class Data:
    """JSON, indented."""

    text: str = field(converter=visible_text)
    label: str = _line()
    minor: bool = False


@frozen
class DiffLine:
    """A line of a diff; *sign*: `+`, `-`, a space, or `@` for what is no line of the file."""

    sign: str
    text: str = field(converter=visible_text)


@frozen
class Diff:
    """A change of files; *operation* as sent, or what it amounts to."""

    path: str = field(converter=visible)
    operation: str = field(converter=visible)
    lines: tuple[DiffLine, ...] = ()


@frozen
class Output:
    """What a terminal printed."""

    command: str = _line()
    text: str = field(default="", converter=visible_text)
    facts: tuple[str, ...] = field(default=(), converter=_all_visible)


@frozen
class Step:
    """A step of a plan, an option of a question."""

    mood: Mood
    text: str = field(converter=visible)
    note: str = _line()


@frozen
class Steps:
    """Some of them; *minor*: seldom worth their place."""

    steps: tuple[Step, ...]
    minor: bool = False


@frozen
class Link:
    """Something that is elsewhere."""

    target: str = field(converter=visible)
    name: str = _line()
    note: str = _line()


@frozen
class Media:
    """A picture, a sound or another thing that is no text; *data* is base64 as sent."""

    mime_type: str = field(converter=visible)
    data: str = field(converter=visible, repr=False)
    name: str = _line()


Part: TypeAlias = Prose | Verbatim | Data | Diff | Output | Steps | Link | Media


MAX_MARKDOWN: Final = 50_000
"""A text of more characters is shown as it was written."""

NO_MOMENT: Final = Moment()


_LABELS: Final = {"permission": "asked", "question": "asked", **dict.fromkeys(("plan", "terminal", "compaction", "unknown", "finding"), "")}


# --- the story -------------------------------------------------------------------------------------


@frozen
class Item:
    """Something that happened.

    *kind*: `user`, `agent`, `thought`, `session`, `tool`, `permission`, `question`, `compaction`, `plan`,
    `terminal`, `file`, `extension`, `subagent`, `notice`, `unknown`, `setting`, `finding` or `waiting`.
    *number* is its own in the whole story. *seconds*: how long it took, if the recording tells. *inner*: part of what
    another call does.
    """

    kind: str
    title: str = field(converter=visible)
    number: int = 0
    status: str = _line()
    mood: Mood = "plain"
    facts: tuple[str, ...] = field(default=(), converter=_all_visible)
    parts: tuple[Part, ...] = ()
    group: str = _line()
    """Of a tool call its kind."""
    began: Moment = NO_MOMENT
    ended: Moment | None = None
    inner: bool = False

    @property
    def label(self) -> str:
        """What it is called; nothing, if its title says it."""
        return ("tool" if self.group == "other" else self.group) or _LABELS.get(self.kind, self.kind)

    @property
    def word(self) -> str:
        """Its status, unless its mark says as much."""
        return "" if self.status in ("completed", "answered") else self.status

    @property
    def timed(self) -> bool:
        """Whether how long it took is of interest."""
        return self.kind in ("tool", "permission", "question", "terminal", "compaction") and self.seconds is not None

    @property
    def telling(self) -> bool:
        """Whether its parts are worth a look at once: what failed, and what was changed."""
        return self.mood == "bad" or any(isinstance(part, Diff) for part in self.parts)

    @property
    def seconds(self) -> float | None:
        """How long it took, if it is over and the recording has times."""
        return seconds_between(self.began, self.ended)


def seconds_between(began: Moment, ended: Moment | None) -> float | None:
    """Return the seconds from one moment to the other, `None` if they are not known."""
    if ended is None or ended.time is None or began.time is None:
        return None
    return max(0.0, ended.time - began.time)


@frozen
class Chapter:
    """A turn; or what happened outside of any, or was replayed (*number* `None`). *facts*: how it ended and what it cost."""

    title: str = field(converter=visible)
    items: tuple[Item, ...]
    number: int | None = None
    status: str = _line()
    mood: Mood = "plain"
    facts: tuple[str, ...] = field(default=(), converter=_all_visible)
    began: Moment = NO_MOMENT
    ended: Moment | None = None

    @property
    def seconds(self) -> float | None:
        """How long it took, if it is a turn, it is over and the recording has times."""
        return None if self.number is None else seconds_between(self.began, self.ended)


@frozen
class Bar:
    """A stretch of a timeline, *start* and *end* as parts of its whole."""

    start: float
    end: float
    label: str = field(converter=visible)
    mood: Mood = "plain"
    target: str = ""
    """The id of what it stands for in a page: `turn-…` or `item-…`."""


@frozen
class Row:
    """A row of a timeline: bars that may overlap are in different *lanes*."""

    label: str = field(converter=visible)
    lanes: tuple[tuple[Bar, ...], ...]


@frozen
class Timeline:
    """When turns and calls were under way; *unit*: `seconds`, or `frames` where the recording has no times."""

    unit: str
    ticks: tuple[str, ...]
    """What stands below it, at equal distances from its start to its end."""
    rows: tuple[Row, ...]


@frozen
class Level:
    """How full the context was, *at* as a part of the timeline's whole."""

    at: float
    used: int
    size: int
    cost: str = _line()


@frozen
class SessionStory:
    """The story of a session. *facts* are names and values, *missing* what is still waited for at the end."""

    id: str = field(converter=visible)
    number: int
    title: str = field(converter=visible)
    status: str = field(converter=visible)
    facts: tuple[tuple[str, str], ...] = field(converter=_pairs_visible)
    chapters: tuple[Chapter, ...] = ()
    timeline: Timeline | None = None
    levels: tuple[Level, ...] = ()
    key: str = field(default="", repr=False)
    """The session's id as sent."""


@frozen
class Story:
    """The story of a recording. *facts*: who talked, names and values; *items*: what belongs to no session."""

    facts: tuple[tuple[str, str], ...] = field(converter=_pairs_visible)
    items: tuple[Item, ...] = ()
    sessions: tuple[SessionStory, ...] = ()
