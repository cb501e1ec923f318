"""`diff`: the changes between two snapshots, found by identity.

Snapshots share all that did not change, so finding what did costs what changed, not how much there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ._persistent import Log, Table
from .changes import (
    SNAPSHOT_RULE,
    Change,
    ConnectionChanged,
    EntryAdded,
    EntryChanged,
    HistoryReplaced,
    OutputAppended,
    RowAdded,
    RowChanged,
    RowRemoved,
    SessionAdded,
    SessionChanged,
    TextAppended,
    TurnBegan,
    TurnChanged,
    changed_names,
    names_of,
)
from .state import Connection, Entry, Facts, History, Message, Session, Snapshot, Terminal


def diff(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """Return what to do to *before* to get *after*, in an order in which it can be done.

    *after* should be a later snapshot of the same fold; of any two snapshots the result is right, but
    then it costs as much as they hold.
    """
    if before is after:
        return ()
    return tuple(_differences(before, after))


def _differences(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    yield from _connection(before.connection, after.connection)
    if before._derives != after._derives:
        yield ConnectionChanged({SNAPSHOT_RULE: after._derives}, {SNAPSHOT_RULE: before._derives})
    old, new = before.sessions, after.sessions
    for session_id in new.changed_since(old):
        session = new[session_id]
        known = old.find(session_id)
        if known is None:
            yield SessionAdded(session_id, session)
        else:
            yield from _session(session_id, known, session)


def _connection(before: Connection, after: Connection) -> Iterator[Change]:
    if before is not after:
        values, rows = _attributes(None, before, after, names_of(Connection))
        yield from rows
        if values:
            yield ConnectionChanged(values, {name: getattr(before, name) for name in values})


def _session(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    names = [name for name in (*names_of(Session), *names_of(Facts)) if name != "_facts"]
    if after.timeline.continues(before.timeline) and after.turns.continues(before.turns):
        yield from _timeline(session_id, before, after)
        yield from _turns(session_id, before, after)
        yield from _terminals(session_id, before, after)
        names = [name for name in names if name not in _BY_THEMSELVES]
    else:
        history = _history_of(after)
        yield HistoryReplaced(session_id, history)
        names = [name for name in names if name not in names_of(History)]
    values, rows = _attributes(session_id, before, after, names)
    yield from rows
    if values:
        yield SessionChanged(session_id, values, {name: getattr(before, name) for name in values})


_BY_THEMSELVES: Final = frozenset(("timeline", "turns", "terminals"))


def _history_of(session: Session) -> History:
    return History(**{name.lstrip("_"): getattr(session, name) for name in names_of(History)})


def _attributes(session_id: str | None, before: Any, after: Any, names: Iterable[str]) -> tuple[dict[str, Any], list[Change]]:
    """Return the attributes that differ, by their new value, and apart from them the rows of tables that do."""
    values: dict[str, Any] = {}
    rows: list[Change] = []
    for name in names:
        old, new = getattr(before, name), getattr(after, name)
        if old is new:
            continue
        if isinstance(new, Table) and isinstance(old, Table) and new.continues(old):
            rows += _rows(session_id, name, old, new)
        elif not _alike(old, new):
            values[name] = new
    return values, rows


def _alike(old: Any, new: Any) -> bool:
    return (
        type(old) is type(new)
        and not isinstance(new, (Table, Log))
        and bool(old == new)
        and not isinstance(new, (bool, int, float, dict, list))
    )


def _rows(session_id: str | None, table: str, old: Table[Any, Any], new: Table[Any, Any]) -> Iterator[Change]:
    for place in new.differences(old):
        if not new.stands(place):
            if old.stands(place):
                yield RowRemoved(session_id, table, place, old.at(place))
        elif old.stands(place):
            yield RowChanged(session_id, table, place, new.at(place), old.at(place))
        else:
            yield RowAdded(session_id, table, place, new.at(place), new.key_at(place))


def _timeline(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    old, new = before.timeline, after.timeline
    for place in new.differences(old):
        entry = new.at(place)
        if place >= old.end:
            yield EntryAdded(session_id, place, entry, new.key_at(place))
            continue
        was = old.at(place)
        text = _text_appended(was, entry)
        if text is not None and isinstance(entry, Message):
            yield TextAppended(session_id, place, text, entry)
        else:
            yield EntryChanged(session_id, place, entry, was)


def _text_appended(before: Entry, after: Entry) -> str | None:
    """Return the text by which a message is longer, `None` if anything else of it is different, too."""
    if not isinstance(before, Message) or not isinstance(after, Message):
        return None
    text = after.content.text_since(before.content)
    if not text or changed_names(before, after) != ("content",):
        return None
    return text


def _turns(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    old, new = before.turns, after.turns
    for place in new.differences(old):
        turn = new.at(place)
        yield (
            TurnBegan(session_id, place, turn, new.key_at(place))
            if place >= old.end
            else TurnChanged(session_id, place, turn, old.at(place))
        )


def _terminals(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    old, new = before.terminals, after.terminals
    if not new.continues(old):
        yield SessionChanged(session_id, {"terminals": new}, {"terminals": old})
        return
    for change in _rows(session_id, "terminals", old, new):
        if isinstance(change, RowChanged):
            data = _output_appended(change.before, change.row)
            if data:
                yield OutputAppended(session_id, change.place, data, change.row)
                continue
        yield change


def _output_appended(before: Terminal, after: Terminal) -> bytes | None:
    if before.output is None or after.output is None or changed_names(before, after) != ("output",):
        return None
    return after.output.since(before.output)
