"""`diff`: the changes between two snapshots, found by identity.

Snapshots share all that did not change, so finding what did costs what changed, not how much there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._model import names_of
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
    SessionRemoved,
    TextAppended,
    TurnBegan,
    TurnChanged,
    changed_names,
    differs,
)
from .containers import Log, Table
from .errors import wrong_kind
from .state import Connection, Entry, History, Message, Session, Snapshot, Terminal


def diff(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """Return what to do to *before* to get *after*, in an order in which it can be done.

    Of a snapshot and a later one of the same fold it costs what changed. Of any two snapshots the
    result is right, but then it may cost as much as they hold. Raises `TypeError` for other objects.
    """
    if before is after:
        return ()
    try:
        return tuple(_differences(before, after))
    except AttributeError:
        for snapshot in (before, after):
            if not isinstance(snapshot, Snapshot):
                raise wrong_kind("differences are found between two Snapshots", snapshot) from None
        raise


def _differences(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    yield from _connection(before, after)
    old, new = before.sessions, after.sessions
    kept = len(new)
    for session_id in new.ids_changed_since(old):
        known, session = old.get(session_id), new[session_id]
        if known is None:
            kept -= 1
            yield SessionAdded(session_id, session)
        else:
            yield from _session(session_id, known, session)
    if kept < len(old):
        yield from (SessionRemoved(session_id, session) for session_id, session in old.items() if session_id not in new)


def _connection(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    old, new = before.connection, after.connection
    values: dict[str, Any] = {}
    if new is not old:
        values, rows = _attributes(None, old, new, names_of(Connection))
        yield from rows
    earlier = {name: getattr(old, name) for name in values}
    if before._derives != after._derives:
        values[SNAPSHOT_RULE], earlier[SNAPSHOT_RULE] = after._derives, before._derives
    if values:
        yield ConnectionChanged(values, earlier)


def _session(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    names = names_of(Session)
    apart: set[str] = set()
    if _continues(after.timeline, before.timeline) and _continues(after.turns, before.turns):
        apart |= {"timeline", "turns"}
        yield from _timeline(session_id, before, after)
        yield from _turns(session_id, before, after)
    else:
        apart |= set(names_of(History))
        yield HistoryReplaced(session_id, _history_of(after))
    values, rows = _attributes(session_id, before, after, [name for name in names if name not in apart])
    yield from rows
    if values:
        yield SessionChanged(session_id, values, {name: getattr(before, name) for name in values})


def _history_of(session: Session) -> History:
    return History(**{name: getattr(session, name) for name in names_of(History)})


def _attributes(session_id: str | None, before: Any, after: Any, names: Iterable[str]) -> tuple[dict[str, Any], list[Change]]:
    """Return the attributes that differ, by their new value, and apart from them the rows of lists that do."""
    values: dict[str, Any] = {}
    rows: list[Change] = []
    for name in names:
        old, new = getattr(before, name), getattr(after, name)
        if not differs(old, new):
            continue
        listed = None if name.startswith("_") else _rows(session_id, name, old, new)
        if listed is None:
            values[name] = new
        else:
            rows += listed
    return values, rows


# --- lists -----------------------------------------------------------------------------------------


def _continues(new: Table[Any, Any], old: Table[Any, Any]) -> bool:
    """Whether places mean the same in both. What is empty is continued by anything."""
    return new.continues(old) or not old.end


def _rows(session_id: str | None, table: str, old: Any, new: Any) -> list[Change] | None:
    """Return the rows that differ, `None` if the one list does not continue the other."""
    if isinstance(old, Log) and isinstance(new, Log):
        if not new.continues(old):
            return None
        return [RowAdded(session_id, table, len(old) + place, row) for place, row in enumerate(new.since(len(old)))]
    if not isinstance(old, Table) or not isinstance(new, Table) or not _continues(new, old):
        return None
    rows: list[Change] = []
    for place in new.differences(old):
        stood, stands = old.has_entry(place), new.has_entry(place)
        if stood:
            was = old.at(place)
            rows.append(_row_changed(session_id, table, place, was, new.at(place)) if stands else RowRemoved(session_id, table, place, was))
        elif place < old.end:
            return None  # what was gone is there: this is the earlier one
        elif stands:
            rows.append(RowAdded(session_id, table, place, new.at(place), new.key_at(place)))
    return rows


def _row_changed(session_id: str | None, table: str, place: int, before: Any, after: Any) -> Change:
    if session_id is not None and isinstance(before, Terminal):
        data = _output_appended(before, after)
        if data:
            return OutputAppended(session_id, place, data, after)
    return RowChanged(session_id, table, place, after, before)


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


def _turns(session_id: str, before: Session, after: Session) -> Iterator[Change]:
    old, new = before.turns, after.turns
    for place in new.differences(old):
        turn = new.at(place)
        if place >= old.end:
            yield TurnBegan(session_id, place, turn, new.key_at(place))
        else:
            yield TurnChanged(session_id, place, turn, old.at(place))


def _text_appended(before: Entry, after: Entry) -> str | None:
    """Return the text by which a message is longer, `None` if anything else of it is different, too."""
    if not isinstance(before, Message) or not isinstance(after, Message):
        return None
    text = after.content.text_since(before.content)
    if not text or changed_names(before, after) != ("content",):
        return None
    return text


def _output_appended(before: Terminal, after: Terminal) -> bytes | None:
    if before.output is None or after.output is None or changed_names(before, after) != ("output",):
        return None
    return after.output.bytes_since(before.output)
