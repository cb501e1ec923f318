"""Changes as JSON, for whoever is not in this process: a browser, a log, a person (SPEC 7).

Each is an object with `change` (what kind it is), `sessionId` (unless it is the connection's) and
`path`, a JSON pointer into the state document to what it is about; then one of

* `value`: what stands there now, whole (for a list: one place more than before);
* `set` and `unset`: the members that have other values, and those that are there no more;
* `text`: what is appended to the text of the block there;
* `base64`: the bytes that are appended to the output of the terminal there;
* nothing: what stood there is gone.

Applied one after the other to the document before, they make the document after, but for `wire`. A
list that is not there is an empty one: what is added to it begins it. Where a text ends with one half
of a character (a lone surrogate) and what is appended begins with the other, they become the character.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from . import changes as c
from ._json import Json
from ._model import names_of
from .codec import members_to_json, to_json, wire_name
from .containers import Log, Table
from .state import History, Message, Snapshot


def changes_to_json(changes: Iterable[c.Change], after: Snapshot) -> list[dict[str, Json]]:
    """Return *changes*, which lead to *after*, as JSON objects (see the module). What going on alone needs is left out.

    Raises `TypeError` for what is no change.
    """
    printed = (c.of_kind(_PRINTERS, change)(change, after) for change in changes)
    return [object_ for object_ in printed if object_ is not None]


def _pointer(*parts: str | int) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _head(change: str, session_id: str | None, *path: str | int) -> dict[str, Json]:
    if session_id is None:
        return {"change": change, "path": _pointer("connection", *path)}
    return {"change": change, "sessionId": session_id, "path": _pointer("sessions", session_id, *path)}


def _members(head: dict[str, Json], instance: Any, names: Iterable[str]) -> dict[str, Json] | None:
    """Add the members that print the attributes *names*; `None` if none does."""
    values, unset = members_to_json(instance, {c.COMPUTED_OF.get(name, name) for name in names})
    if values:
        head["set"] = values
    if unset:
        head["unset"] = unset
    return head if values or unset else None


def _session_added(change: c.SessionAdded, _: Snapshot) -> dict[str, Json]:
    return {**_head("session_added", change.session_id), "value": to_json(change.session)}


def _session_removed(change: c.SessionRemoved, _: Snapshot) -> dict[str, Json]:
    return _head("session_removed", change.session_id)


def _session_changed(change: c.SessionChanged, after: Snapshot) -> dict[str, Json] | None:
    return _members(_head("session_changed", change.session_id), after.sessions[change.session_id], change.values)


def _connection_changed(change: c.ConnectionChanged, after: Snapshot) -> dict[str, Json] | None:
    return _members(_head("connection_changed", None), after.connection, change.values)


def _history_replaced(change: c.HistoryReplaced, after: Snapshot) -> dict[str, Json] | None:
    return _members(_head("history_replaced", change.session_id), after.sessions[change.session_id], names_of(History))


def _about(entry: Any) -> dict[str, Json]:
    about = {"type": entry.type, "id": entry.id}
    return {**about, "role": entry.role} if isinstance(entry, Message) else about


def _entry_added(change: c.EntryAdded, _: Snapshot) -> dict[str, Json]:
    return {**_head("entry_added", change.session_id, "timeline", change.place), "value": to_json(change.entry)}


def _entry_changed(change: c.EntryChanged, _: Snapshot) -> dict[str, Json] | None:
    head = {**_head("entry_changed", change.session_id, "timeline", change.place), **_about(change.entry)}
    return _row(head, change.before, change.entry)


def _text_appended(change: c.TextAppended, _: Snapshot) -> dict[str, Json]:
    block = len(change.entry.content) - 1
    head = _head("text_appended", change.session_id, "timeline", change.place, "content", block)
    return {**head, **_about(change.entry), "text": change.text}


def _turn_began(change: c.TurnBegan, _: Snapshot) -> dict[str, Json]:
    return {**_head("turn_began", change.session_id, "turns", change.place), "value": to_json(change.turn)}


def _turn_changed(change: c.TurnChanged, _: Snapshot) -> dict[str, Json] | None:
    name = "turn_ended" if change.ended else "turn_changed"
    return _row(_head(name, change.session_id, "turns", change.place), change.before, change.turn)


def _output_appended(change: c.OutputAppended, after: Snapshot) -> dict[str, Json]:
    terminals = after.sessions[change.session_id].terminals
    head = _head("output_appended", change.session_id, "terminals", terminals.index_of(change.place))
    return {**head, "id": change.terminal.id, "owner": change.terminal.owner, "base64": b64encode(change.data).decode("ascii")}


def _row_head(name: str, change: c.RowAdded | c.RowChanged | c.RowRemoved, after: Snapshot) -> dict[str, Json]:
    holder = after.connection if change.session_id is None else after.sessions[change.session_id]
    list_: Table[Any, Any] | Log[Any] = getattr(holder, change.table)
    return _head(name, change.session_id, wire_name(change.table), _index(list_, change.place))


def _index(list_: Table[Any, Any] | Log[Any], place: int) -> int:
    if isinstance(list_, Log):
        return place
    return len(list_) - 1 if list_.has_entry(place) and place == list_.end - 1 else list_.index_of(place)


def _row_added(change: c.RowAdded, after: Snapshot) -> dict[str, Json]:
    return {**_row_head("row_added", change, after), "value": to_json(change.row)}


def _row_changed(change: c.RowChanged, after: Snapshot) -> dict[str, Json] | None:
    return _row(_row_head("row_changed", change, after), change.before, change.row)


def _row_removed(change: c.RowRemoved, after: Snapshot) -> dict[str, Json]:
    return _row_head("row_removed", change, after)


def _row(head: dict[str, Json], before: Any, now: Any) -> dict[str, Json] | None:
    names = c.changed_names(before, now)
    if type(before) is not type(now) or "extra" in names:
        return {**head, "value": to_json(now)}
    return _members(head, now, names)


_PRINTERS: Final[Mapping[type, Callable[[Any, Snapshot], dict[str, Json] | None]]] = {
    c.SessionAdded: _session_added,
    c.SessionRemoved: _session_removed,
    c.SessionChanged: _session_changed,
    c.ConnectionChanged: _connection_changed,
    c.HistoryReplaced: _history_replaced,
    c.EntryAdded: _entry_added,
    c.EntryChanged: _entry_changed,
    c.TextAppended: _text_appended,
    c.TurnBegan: _turn_began,
    c.TurnChanged: _turn_changed,
    c.OutputAppended: _output_appended,
    c.RowAdded: _row_added,
    c.RowChanged: _row_changed,
    c.RowRemoved: _row_removed,
}
