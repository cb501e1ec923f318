"""A chronicle as a story: its sessions' turns as chapters, and when what was under way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Final

from attrs import evolve

from .. import state as s
from ..chronicle import Chronicle, Happening, Moment, SessionChronicle, TurnTimes
from ..diagnostics import Diagnostic
from ..naming import mode_name, value_name
from ..printing import error_text, json_text
from .items import NOWHERE, item_of, mood_of, scene_of, waiting
from .model import Bar, Chapter, Item, Level, Mood, Row, SessionStory, Story, Timeline
from .words import amount, spell_seconds, usage_words


def tell(chronicle: Chronicle) -> Story:
    """Return the story of *chronicle*."""
    numbers = count(1)
    items = [item for happening in chronicle.happenings if (item := item_of(happening, next(numbers), NOWHERE)) is not None]
    axis = _Axis(chronicle)
    sessions = tuple(_session(session, number, numbers, axis) for number, session in enumerate(chronicle.sessions, start=1))
    return Story(tuple(_connection_facts(chronicle)), tuple(items), sessions)


def _connection_facts(chronicle: Chronicle) -> Iterator[tuple[str, str]]:
    connection = chronicle.connection
    for role, who in (("agent", connection.agent), ("client", connection.client)):
        if who is not None:
            yield role, " ".join(part for part in (who.title or who.name, who.version) if part)
    if connection.protocol_version is not None:
        yield "protocol", f"version {connection.protocol_version}"
    if connection.phase not in ("ready", "new"):
        yield "connection", connection.phase
    if connection.error is not None:
        yield "error", error_text(connection.error)
    if connection.authenticated is not None:
        yield "authenticated", connection.authenticated
    frames = chronicle.ended.frame
    yield "recording", f"{frames:,} frame{'s' * (frames != 1)}" + _lasted(chronicle.began, chronicle.ended)
    if connection.exit is not None:
        yield "exit", ", ".join(f"{name} {value}" for name, value in connection.exit.items() if value is not None)
    for request in connection.open_requests:
        yield "open", f"{request.method} of the {request.from_}" + ("" if request.id is None else f", id {json_text(request.id)}")


def _lasted(began: Moment, ended: Moment) -> str:
    if began.time is None or ended.time is None:
        return ""
    return f" in {spell_seconds(max(0.0, ended.time - began.time))}"


# --- a session -------------------------------------------------------------------------------------


def _session(told: SessionChronicle, number: int, numbers: Iterator[int], axis: _Axis) -> SessionStory:
    session = told.session
    scene = scene_of(session)
    pairs = [(happening, item) for happening in told.happenings if (item := item_of(happening, next(numbers), scene)) is not None]
    chapters = list(_chapters(pairs, told))
    waits = [evolve(waiting(prompt), number=next(numbers), began=told.ended) for prompt in session.pending_prompts]
    if waits:
        chapters.append(Chapter("Not in the timeline yet", tuple(waits), mood="busy"))
    return SessionStory(
        session.id or "(without a name)",
        number,
        session.title or session.id or "Session without a name",
        session.phase if session.activity is None or session.phase != "ready" else session.activity,
        tuple(_session_facts(session)),
        tuple(chapters),
        _timeline(chapters, told, axis, number),
        tuple(_level(axis.at(moment, told), usage) for moment, usage in told.usage),
        key=session.id,
    )


def _session_facts(session: s.Session) -> Iterator[tuple[str, str]]:
    if session.title is not None:
        yield "session", session.id
    if session.cwd is not None:
        yield "in", session.cwd
    if session.parent is not None:
        yield "subagent of", session.parent.session_id
    if session.forked_from is not None:
        yield "fork of", session.forked_from
    for name, modes in (("mode", session.modes), ("model", session.models)):
        chosen = _chosen(session, name, modes)
        if chosen is not None:
            yield name, chosen
    if session.error is not None:
        yield "error", error_text(session.error)
    if session.usage is not None:
        yield "context", usage_words(session.usage)
        if session.usage.cost is not None:
            yield "cost", amount(session.usage.cost.amount, session.usage.cost.currency)


def _chosen(session: s.Session, category: str, modes: s.Modes | None) -> str | None:
    """The mode or model that the session is in, by its name: a config option comes before *modes* (SPEC 4.6)."""
    for option in session.config_options or ():
        if option.category == category and isinstance(option.current_value, str):
            return value_name(option)
    return mode_name(modes)


def _chapters(pairs: Iterable[tuple[Happening, Item]], told: SessionChronicle) -> Iterator[Chapter]:
    """Yield a chapter for each turn, where its first item stands, and one for each stretch of items without a turn."""
    grouped: dict[tuple[str, int], list[Item]] = {}
    stretch = 0
    last: tuple[str, int] | None = None
    pairs = list(pairs)
    for (happening, item), sort in zip(pairs, _sorts([happening for happening, _ in pairs], len(told.turns)), strict=True):
        if happening.turn is not None and sort == "turn":
            last = ("turn", happening.turn)
        elif last is None or last[0] != sort:
            stretch += 1
            last = (sort, stretch)
        grouped.setdefault(last, []).append(item)
    for place in range(len(told.turns)):  # a turn in which nothing happened is one all the same
        grouped.setdefault(("turn", place), [])
    turns = list(told.session.turns)
    for (sort, place), items in grouped.items():
        if sort == "turn":
            yield _turn(place, turns[place], told.turns[place], tuple(items))
        else:
            title = "History" if sort == "history" else "Outside of a turn" if turns else "Without turns"
            yield Chapter(title, tuple(items), began=items[0].began)


def _sorts(happenings: list[Happening], turns: int) -> list[str]:
    """Return of what sort of chapter each is: `turn`, `history` or `outside`. What is found amid a history is told there."""
    sorts = ["outside"] * len(happenings)
    following = "outside"
    for place in reversed(range(len(happenings))):
        happening = happenings[place]
        if happening.turn is not None and happening.turn < turns:
            following = "turn"
        elif not isinstance(happening.what, Diagnostic):
            following = "history" if getattr(happening.what, "historical", False) else "outside"
        elif following == "turn":
            continue
        sorts[place] = following
    return sorts


def _turn(place: int, turn: s.Turn, times: TurnTimes, items: tuple[Item, ...]) -> Chapter:
    facts = [turn.stop_reason or turn.status]
    if turn.error is not None:
        facts.append(error_text(turn.error))
    if turn.cancel_requested and turn.stop_reason != "cancelled":
        facts.append("cancel requested")
    if not turn.in_context:
        facts.append("not in the context")
    facts += _tokens(turn)
    if times.usage is not None:
        facts.append(f"context {usage_words(times.usage)}")
        if times.usage.cost is not None:
            facts.append(f"{amount(times.usage.cost.amount, times.usage.cost.currency)} so far")
    mood: Mood = "off" if turn.stop_reason == "cancelled" else "bad" if turn.stop_reason == "refusal" else mood_of(turn.status)
    return Chapter(f"Turn {place + 1}", items, place + 1, turn.status, mood, tuple(facts), times.began, times.ended)


_TOKENS: Final = (("inputTokens", "in"), ("outputTokens", "out"), ("thoughtTokens", "thought"), ("cachedReadTokens", "cached"))


def _tokens(turn: s.Turn) -> Iterator[str]:
    usage: Mapping[str, Any] = turn.usage or {}
    counts = [f"{usage[key]:,} {word}" for key, word in _TOKENS if isinstance(usage.get(key), int)]
    total = usage.get("totalTokens")
    if isinstance(total, int):
        yield f"{total:,} tokens" + (f" ({', '.join(counts)})" if counts else "")
    elif counts:
        yield f"tokens: {', '.join(counts)}"


# --- when what was under way -----------------------------------------------------------------------


class _Axis:
    """Where moments lie: by their time, or by their frame where the recording has no times."""

    def __init__(self, chronicle: Chronicle) -> None:
        self.timed = chronicle.began.time is not None and chronicle.ended.time is not None and chronicle.ended.time > chronicle.began.time
        self.unit = "seconds" if self.timed else "frames"

    def value(self, moment: Moment) -> float:
        return (moment.time or 0.0) if self.timed else float(moment.frame)

    def ticks(self, told: SessionChronicle) -> Iterator[str]:
        """Yield what stands below the session's stretch."""
        start, end = self.value(told.began), self.value(told.ended)
        for number in range(TICKS):
            value = start + (end - start) * number / (TICKS - 1)
            if not self.timed:
                yield f"frame {value:.0f}"
            else:
                yield spell_seconds(value) if end - start >= 60 else f"{value:,.{1 if end - start >= 5 else 2}f} s"

    def at(self, moment: Moment, told: SessionChronicle) -> float:
        """Return where *moment* lies in the session, from 0 to 1."""
        start, end = self.value(told.began), self.value(told.ended)
        return 0.0 if end <= start else min(1.0, max(0.0, (self.value(moment) - start) / (end - start)))


TICKS: Final = 5


def _timeline(chapters: list[Chapter], told: SessionChronicle, axis: _Axis, number: int) -> Timeline | None:
    turns = [
        _bar(told, axis, chapter.title, chapter.mood, chapter.began, chapter.ended, f"turn-{number}-{chapter.number}")
        for chapter in chapters
        if chapter.number is not None
    ]
    by_kind: dict[str, list[Bar]] = {}
    for chapter in chapters:
        for item in chapter.items:
            label = item.group if item.kind == "tool" else "waiting for you" if item.kind in ("permission", "question") else None
            if label is not None and chapter.title != "History":
                bar = _bar(told, axis, item.title, item.mood, item.began, item.ended, f"item-{item.number}")
                by_kind.setdefault(label, []).append(bar)
    rows = [Row(label, _lanes(bars)) for label, bars in (("turns", turns), *by_kind.items()) if bars]
    return Timeline(axis.unit, tuple(axis.ticks(told)), tuple(rows)) if rows else None


def _bar(told: SessionChronicle, axis: _Axis, label: str, mood: Mood, began: Moment, ended: Moment | None, target: str) -> Bar:
    """*ended* `None`: it is not over, and lasts to the end of what is known."""
    start = axis.at(began, told)
    return Bar(start, max(start, axis.at(ended or told.ended, told)), label, mood, target)


MAX_LANES: Final = 6
"""How many lanes a row has; what would need more shares the last."""


def _lanes(bars: Iterable[Bar]) -> tuple[tuple[Bar, ...], ...]:
    """Put bars that overlap into different lanes, each into the first that is free."""
    lanes: list[list[Bar]] = []
    for bar in sorted(bars, key=lambda bar: bar.start):
        free = next((lane for lane in lanes if lane[-1].end <= bar.start), None)
        if free is not None:
            free.append(bar)
        elif len(lanes) < MAX_LANES:
            lanes.append([bar])
        else:
            lanes[-1].append(bar)
    return tuple(tuple(lane) for lane in lanes)


_MOST: Final = 2**63
"""No context is larger; a number that is would break the plot."""


def _level(at: float, usage: s.Usage) -> Level:
    cost = "" if usage.cost is None else amount(usage.cost.amount, usage.cost.currency)
    return Level(at, min(usage.used, _MOST), min(usage.size, _MOST), cost)


# --- a part of it ----------------------------------------------------------------------------------


def excerpt(story: Story, *, session: str | None = None, turn: int | None = None, thoughts: bool = True, tools_only: bool = False) -> Story:
    """Return a part of *story*: one session, its turn number *turn* (from 1), without thoughts, or tool calls and what was asked alone.

    A session or turn that is not there leaves nothing.
    """
    kinds = ("tool", "permission", "question")
    sessions = tuple(
        evolve(
            told,
            chapters=tuple(
                evolve(
                    chapter,
                    items=tuple(
                        item for item in chapter.items if (thoughts or item.kind != "thought") and (not tools_only or item.kind in kinds)
                    ),
                )
                for chapter in told.chapters
                if turn is None or chapter.number == turn
            ),
            timeline=told.timeline if turn is None else None,
            levels=told.levels if turn is None else (),
        )
        for told in story.sessions
        if session is None or told.key == session
    )
    whole = session is None and turn is None and not tools_only
    return evolve(story, sessions=sessions, items=story.items if whole else ())
