"""`wire`, written: what going on needs, where it is not what follows from the rest (see `usual`)."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from .. import state as s
from .._json import Json
from .._model import names_of, replace
from ..codec import to_json, wire_name
from ..normalize.wire import Asked, Wire
from ..reading.reader import FRESH, ReaderState
from .usual import follows_from, usual_fresh, usual_known_until, usual_last_ended, usual_said, usually_reusable


def wire_to_json(snapshot: s.Snapshot, wire: Wire) -> dict[str, Json]:
    usual = follows_from(snapshot)
    written: dict[str, Json] = {}
    for name in ("version", "settled", "client_seen", "agent_seen", "list_number", "last_session"):
        if getattr(wire, name) != getattr(usual, name):
            written[wire_name(name)] = getattr(wire, name)
    for name in ("recorded", "blocked"):
        if getattr(wire, name) != getattr(usual, name):
            written[name] = sorted(getattr(wire, name))
    tables: tuple[tuple[str, Any, Any], ...] = (("urls", wire.urls, usual.urls), ("cursors", wire.cursors, usual.cursors))
    for name, ours, theirs in tables:
        if dict(ours.entries()) != dict(theirs.entries()):
            written[name] = dict(ours.entries())
    asked = [_asked_to_json(*pair) for pair in zip(wire.open, usual.open, strict=True)]
    if any(asked):
        written["open"] = asked
    if wire.reader != FRESH:
        written["reader"] = reader_to_json(wire.reader)
    sessions = {session.id: _private(snapshot, session, wire) for session in snapshot.sessions.values()}
    sessions = {id: private for id, private in sessions.items() if private}
    if sessions:
        written["sessions"] = sessions
    return written


def reader_to_json(reader: ReaderState) -> dict[str, Json]:
    return {
        "pending": b64encode(reader.pending).decode(),
        "block": [b64encode(line).decode() for line in reader.block],
        **({"skipping": True} if reader.skipping else {}),
    }


def _asked_to_json(asked: Asked, usual: Asked) -> dict[str, Json]:
    written: dict[str, Json] = {}
    if asked.waits != usual.waits:
        written["waits"] = asked.waits
    if asked.facts:
        written["facts"] = asked.facts
    return written


def _private(snapshot: s.Snapshot, session: s.Session, wire: Wire) -> dict[str, Json]:
    derives = wire.derives
    usual: dict[str, Any] = {"_derives": derives, "_run_broken": False, "_last_ended": usual_last_ended(session)}
    written: dict[str, Json] = {name: getattr(session, name) for name, value in usual.items() if getattr(session, name) != value}
    if session._said != (said := usual_said(session, snapshot, derives=derives)):
        written |= {f"_{name}": value for name in names_of(s.Said) if (value := getattr(session._said, name)) != getattr(said, name)}
    if session._fresh != usual_fresh(session):
        written["_fresh"] = sorted(session._fresh)
    if session._loading is not None:
        loading = session._loading
        until = usual_known_until(session, known=loading.known)
        written["_loading"] = {
            "scope": loading.scope,
            "known": loading.known,
            "phase": loading.phase,
            "replaying": loading.replaying,
            "begun": loading.begun,
            **({"knownUntil": to_json(loading.known_until)} if loading.known_until != until else {}),
            "seen": [_seen_to_json(session, key, replaced) for key, replaced in loading.seen.entries()],
        }
    taken = [
        {
            "place": index,
            "prompt": to_json(replace(prompt, _taken=None)),
            "taken": to_json(prompt._taken),
        }
        for index, prompt in enumerate(session._prompts.all)
        if prompt._taken is not None
    ]
    if taken:
        written["taken"] = taken
    written |= _private_history(session)
    before = {} if session.before is None else _private_history(session.before)
    if before:
        written["before"] = before
    return written


def _seen_to_json(session: s.Session, key: Any, replaced: tuple[int, s.Entry] | None) -> dict[str, Json]:
    if replaced is None:
        return {"key": list(key)}
    place, entry = replaced
    written = {"key": list(key), "place": place, "entry": to_json(entry)}
    if isinstance(entry, s.ToolCall) and entry.final:
        written["reusable"] = entry._final_since < session._epoch
    return written


def _private_history(history: s.History) -> dict[str, Json]:
    written: dict[str, Json] = {}
    turns = {str(turn.index): _turn_to_json(turn) for turn in history._open_turns}
    turns = {place: turn for place, turn in turns.items() if turn}
    if turns:
        written["turns"] = turns
    usual = usually_reusable(history)
    odd = {str(place): reusable for place, reusable in _reusable(history).items() if reusable != usual[place]}
    if odd:
        written["reusable"] = odd
    return written


def _turn_to_json(turn: s.OpenTurn) -> dict[str, Json]:
    written: dict[str, Json] = {}
    if turn.prompt is not None:
        written["entry"] = turn.prompt
    if turn.echo is not None:
        heard = turn.echo
        written["echo"] = {
            "id": heard.id,
            "parent": heard.parent,
            "size": heard.size,
            "content": to_json(heard.content),
        }
    return written


def _reusable(history: s.History) -> dict[int, bool]:
    """For each finished call, whether a turn began since, so that its id may come again (SPEC 4.3)."""
    return {
        place: entry._final_since < history._epoch
        for place, entry in history.timeline.slots()
        if isinstance(entry, s.ToolCall) and entry.final
    }
