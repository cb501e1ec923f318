"""Statistics of sessions: what happened how often, how it ended, what it cost and how long it took.

Counted is what happened live; what a replay brought is counted apart, as it happened in another recording.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, TypeAlias

from attrs import field, frozen

from . import state as s
from .chronicle import Chronicle, Happening, Moment, SessionChronicle


Counts: TypeAlias = Mapping[str, int]


@frozen
class Stats:
    """What is counted of a session, or of several.

    *turns* by how they ended (their stop reason, `failed` or `running`), *messages* by role, *tools* by kind
    and then by outcome (their status, or `unresolved`), *permissions* by decision (else by status), *questions* by
    status. *tokens* as the agent names them, without `Tokens`. *cost* by currency. *seconds* by what took them, where
    the recording tells: `session`, `turns`, `tools` and `waiting` (for the user). *history*: how many entries were replayed.
    """

    sessions: int = 0
    turns: Counts = field(factory=dict)
    messages: Counts = field(factory=dict)
    tools: Mapping[str, Counts] = field(factory=dict)
    permissions: Counts = field(factory=dict)
    questions: Counts = field(factory=dict)
    tokens: Counts = field(factory=dict)
    cost: Mapping[str, Decimal] = field(factory=dict)
    seconds: Mapping[str, float] = field(factory=dict)
    files_changed: tuple[str, ...] = ()
    files_read: tuple[str, ...] = ()
    history: int = 0

    @property
    def failures(self) -> int:
        """How many turns and tool calls failed."""
        return self.turns.get("failed", 0) + sum(outcomes.get("failed", 0) for outcomes in self.tools.values())

    @property
    def tool_calls(self) -> int:
        """How many tool calls there were."""
        return sum(sum(outcomes.values()) for outcomes in self.tools.values())


def session_stats(chronicle: Chronicle) -> dict[str, Stats]:
    """Return the statistics of each session of a recording, by its id."""
    cumulative = chronicle.connection.protocol_version != 2
    return {told.session.id: _stats(told, cumulative=cumulative) for told in chronicle.sessions}


def total(parts: Iterable[Stats]) -> Stats:
    """Return the statistics of all *parts* together; what is known of some only is that of those."""
    parts = tuple(parts)
    tools: dict[str, Counter[str]] = {}
    cost: dict[str, Decimal] = {}
    seconds: dict[str, float] = {}
    for part in parts:
        for kind, outcomes in part.tools.items():
            tools.setdefault(kind, Counter()).update(outcomes)
        for currency, amount in part.cost.items():
            cost[currency] = cost.get(currency, Decimal(0)) + amount
        for name, value in part.seconds.items():
            seconds[name] = seconds.get(name, 0.0) + value
    return Stats(
        sum(part.sessions for part in parts),
        _sum(part.turns for part in parts),
        _sum(part.messages for part in parts),
        {kind: dict(outcomes) for kind, outcomes in tools.items()},
        _sum(part.permissions for part in parts),
        _sum(part.questions for part in parts),
        _sum(part.tokens for part in parts),
        cost,
        seconds,
        tuple(dict.fromkeys(path for part in parts for path in part.files_changed)),
        tuple(dict.fromkeys(path for part in parts for path in part.files_read)),
        sum(part.history for part in parts),
    )


def to_object(stats: Stats) -> dict[str, Any]:
    """Return *stats* as JSON; seconds that are not known are left out."""
    return {
        "sessions": stats.sessions,
        "turns": dict(stats.turns),
        "messages": dict(stats.messages),
        "tools": {kind: dict(outcomes) for kind, outcomes in stats.tools.items()},
        "failures": stats.failures,
        "permissions": dict(stats.permissions),
        "questions": dict(stats.questions),
        "tokens": dict(stats.tokens),
        "cost": {currency: float(amount) for currency, amount in stats.cost.items()},
        "seconds": {name: round(value, 6) for name, value in stats.seconds.items()},
        "filesChanged": list(stats.files_changed),
        "filesRead": list(stats.files_read),
        "history": stats.history,
    }


def _sum(counts: Iterable[Counts]) -> Counts:
    result: Counter[str] = Counter()
    for one in counts:
        result.update(one)
    return dict(result)


# --- one session -----------------------------------------------------------------------------------


def _stats(told: SessionChronicle, *, cumulative: bool) -> Stats:
    session = told.session
    live = [happening for happening in told.happenings if not getattr(happening.what, "historical", False)]
    calls = [what for happening in live if isinstance(what := happening.what, s.ToolCall)]
    permissions = [what for happening in live if isinstance(what := happening.what, s.Permission)]
    tools: dict[str, Counter[str]] = {}
    for call in calls:
        tools.setdefault(call.kind, Counter())["unresolved" if call.unresolved else call.status] += 1
    requests = [what for happening in live if isinstance(what := happening.what, s.FileRequest)]
    usage = session.usage
    return Stats(
        1,
        dict(Counter(_ending(turn) for turn in session.turns)),
        dict(Counter(happening.what.role for happening in live if isinstance(happening.what, s.Message))),
        {kind: dict(outcomes) for kind, outcomes in tools.items()},
        dict(Counter(permission.decision or permission.status for permission in permissions)),
        dict(Counter(happening.what.status for happening in live if isinstance(happening.what, s.Elicitation))),
        _tokens(session.turns, cumulative=cumulative),
        {} if usage is None or usage.cost is None else {usage.cost.currency: Decimal(repr(usage.cost.amount))},
        _seconds(told, live),
        tuple(dict.fromkeys((*_changed(calls), *(file.path for file in requests if file.operation == "write" and file.path)))),
        tuple(dict.fromkeys((*_read(calls), *(file.path for file in requests if file.operation == "read" and file.path)))),
        sum(getattr(happening.what, "historical", False) for happening in told.happenings),
    )


def _ending(turn: s.Turn) -> str:
    return turn.status if turn.status != "ended" else turn.stop_reason or "ended"


def _tokens(turns: Iterable[s.Turn], *, cumulative: bool) -> Counts:
    """Version 1 tells the tokens of all turns so far with each turn, version 2 those of the turn alone (schema `Usage`)."""
    told = [
        {name.removesuffix("Tokens"): count for name, count in turn.usage.items() if name.endswith("Tokens") and type(count) is int}
        for turn in turns
        if turn.usage is not None
    ]
    return _sum(told[-1:] if cumulative else told)


def _seconds(told: SessionChronicle, live: Iterable[Happening]) -> Mapping[str, float]:
    spans: dict[str, list[tuple[Moment, Moment | None]]] = {
        "session": [(told.began, told.ended)],
        "turns": [(turn.began, turn.ended) for turn in told.turns],
    }
    for happening in live:
        name = _TIMED.get(type(happening.what))
        if name is not None:
            spans.setdefault(name, []).append((happening.began, happening.ended))
    return {name: sum(lengths) for name, of_it in spans.items() if (lengths := list(_lengths(of_it)))}


_TIMED: Final[Mapping[type, str]] = {s.ToolCall: "tools", s.Permission: "waiting", s.Elicitation: "waiting"}


def _lengths(spans: Iterable[tuple[Moment, Moment | None]]) -> Iterator[float]:
    for began, ended in spans:
        if began.time is not None and ended is not None and ended.time is not None:
            yield max(0.0, ended.time - began.time)


_CHANGING: Final = frozenset(("edit", "delete", "move"))


def _changed(calls: Iterable[s.ToolCall]) -> Iterator[str]:
    """Yield the files that calls changed, as their diffs and, for calls of such a kind, their locations tell."""
    for call in calls:
        for item in call.content:
            changes = item.get("changes")
            for change in (item, *(changes if isinstance(changes, list) else ())) if item.get("type") == "diff" else ():
                if isinstance(change, Mapping):
                    yield from (path for name in ("oldPath", "path") if isinstance(path := change.get(name), str))
        if call.kind in _CHANGING:
            yield from _locations(call)


def _read(calls: Iterable[s.ToolCall]) -> Iterator[str]:
    for call in calls:
        if call.kind == "read":
            yield from _locations(call)


def _locations(call: s.ToolCall) -> Iterator[str]:
    for location in call.locations or ():
        if isinstance(location, Mapping) and isinstance(path := location.get("path"), str):
            yield path
