"""What must hold in a document so that going on from it cannot fail.

What else is odd in one is taken as if it had been sent that way. All raise `ValueError`, or cattrs'
validation errors, which know where.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Never

from .. import state as s
from .._json import FrozenDict, Json, freeze
from ..codec.reading import from_json
from ..frames import SENDERS


VERSIONS: Final = (1, 2)

_SCOPES: Final = ("start", "cursor", "none")

_TEXT: Final = str | None
_SETUP: Final[Mapping[str, Any]] = {"cwd": _TEXT, "dirs": tuple[str, ...] | None}
_RESUME: Final[Mapping[str, Any]] = {**_SETUP, "scope": _TEXT}
_CREATED: Final[Mapping[str, Any]] = {**_SETUP, "meta": s.JsonObject | None, "source": _TEXT}
_TERMINAL: Final[Mapping[str, Any]] = {"terminalId": _TEXT}
_LOGIN: Final[Mapping[str, Any]] = {"methodId": _TEXT}

_FACTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "session/new": _CREATED,
    "session/fork": _CREATED,
    "session/load": _SETUP,
    "session/resume": _RESUME,
    "session/list": {"list": int | None, "cursor": Any},
    "session/set_mode": {"mode": _TEXT},
    "session/set_model": {"model": _TEXT},
    "session/set_title": {"title": _TEXT},
    "authenticate": _LOGIN,
    "auth/login": _LOGIN,
    "terminal/create": {"command": _TEXT, "args": tuple[str, ...] | None, "cwd": _TEXT, "meta": s.JsonObject | None},
    "terminal/output": _TERMINAL,
    "terminal/wait_for_exit": _TERMINAL,
    "terminal/kill": _TERMINAL,
    "terminal/release": _TERMINAL,
}
"""What is remembered of a request's params until its answer, by method."""

_MAY_LACK: Final = frozenset(("session/new", "session/fork", "session/load", "session/resume"))
"""The methods of whose answers a fact that is not there changes nothing; of the others all facts are there."""


def facts_of(method: str, written: Json) -> FrozenDict:
    """Return what is remembered of a request; what a document of a snapshot alone lacks is absent in the request, too."""
    facts = dict(from_json(written, s.JsonObject))
    if method == "session/list" and "more" in facts:
        facts["list"] = 0 if facts.pop("more") else None  # as documents before version 2.0 have it
    kinds = _FACTS.get(method, {})
    for name, value in facts.items():
        if name not in kinds:
            _refuse(f"{name!r} is nothing that is remembered of {method}")
        from_json(value, kinds[name])
    if method not in _MAY_LACK:
        facts = {name: facts.get(name) for name in kinds}
    return FrozenDict(freeze(facts))


def check_connection(connection: s.Connection) -> None:
    """Check what a connection says, and who asked what is open."""
    if connection.protocol_version not in (None, *VERSIONS):
        _refuse(f"protocol version {connection.protocol_version}")
    for request in connection.open_requests:
        if request.from_ not in SENDERS:
            _refuse(f"a request from {request.from_!r}")


def check_session(session: s.Session) -> None:
    """Check that what is referred to in a session is there, and what frames may refer to can be compared."""
    for history in (session,) if session.before is None else (session, session.before):
        _check_history(history)
    _check_ids(session.background or ())
    for prompt in session._prompts.all:
        if prompt._taken is not None and (prompt._taken.turn or 0) < 0:  # one that a replay has taken away is passed over
            _refuse(f"there is no turn {prompt._taken.turn}")
    if session._loading is not None:
        _check_loading(session, session._loading)


def _check_history(history: s.History) -> None:
    for entry in history.timeline:
        _check_turn(history, entry)
        if isinstance(entry, s.ToolCall):
            _check_ids(entry.content)
    for turn in history._open_turns:
        place = turn.prompt
        if place is not None and not (history.timeline.has_entry(place) and isinstance(history.timeline.at(place), s.Message)):
            _refuse(f"no message is the prompt at {place}")


def _check_loading(session: s.Session, loading: s.Loading) -> None:
    if loading.scope not in _SCOPES:
        _refuse(f"a load of {loading.scope!r}")
    for place, entry in filter(None, loading.seen):
        _check_turn(session, entry)
        if not session.timeline.has_entry(place) or session.timeline.at(place).type != entry.type:
            _refuse(f"no entry of its kind stands at {place}, where it was replaced")


def _check_turn(history: s.History, entry: s.Entry) -> None:
    if entry.turn is not None and not history.turns.has_entry(entry.turn):
        _refuse(f"there is no turn {entry.turn}")


def _check_ids(items: Iterable[Json]) -> None:
    for item in items:
        name = _NAMED.get(str(item.get("type")))
        if name is not None and not isinstance(item.get(name, ""), str):
            _refuse(f"{name} is no text")


_NAMED: Final = {"terminal": "terminalId", "tool_call": "toolCallId"}


def _refuse(why: str) -> Never:
    raise ValueError(why)
