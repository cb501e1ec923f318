"""`session/update`: what the agent reports of a session, as events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import events as e
from .. import state as s
from .._json import FrozenDict, Json
from .._model import UNSET, replace
from ..protocol import objects as o
from ..protocol import updates as u
from ..protocol.values import Problem
from . import quirks
from .context import Context


def take_update(context: Context, params: Mapping[str, Json]) -> None:
    """Take the params of a `session/update` notification, whatever is wrong with them (schema `SessionNotification`)."""
    session_id = context.read_member(str, params, "sessionId")
    if session_id is None:
        return
    context.session_id = session_id
    raw = _read_object_member(context, params)
    kind = None if raw is None else context.read_member(str, raw, "sessionUpdate", "update")
    if raw is None or kind is None:
        return
    _tell_version(context, kind)
    update = _read_update(context, kind, raw)
    if update is None:
        return
    if _says_more_of_state(update, raw):
        context.emit(e.SessionUpdate(session_id, u.UnknownUpdate(context.read(FrozenDict, raw))))
    emit_update(context, session_id, update, "update")
    meta = context.read_meta(params)
    if meta is not None:
        context.emit(e.SessionMetaSent(session_id, meta=meta))


def _read_object_member(context: Context, params: Mapping[str, Json]) -> Mapping[str, Json] | None:
    raw = params.get("update", UNSET)
    if isinstance(raw, Mapping):
        return raw
    missing = raw is UNSET or raw is None
    context.report_problems([Problem("malformed", "is missing" if raw is UNSET else "an object is wanted", ("update",), missing)])
    return None


def _tell_version(context: Context, kind: str) -> None:
    """A kind that only version 2 has shows that version, as long as nothing else decided it."""
    if kind in u.ONLY_IN_2 and not context.wire.settled:
        context.remember(version=2, settled=True)
    elif kind in (u.ONLY_IN_2 if context.version == 1 else u.ONLY_IN_1):
        context.report("other-version", f"{kind} is an update of version {3 - context.version}", ("update", "sessionUpdate"))


def _read_update(context: Context, kind: str, raw: Mapping[str, Json]) -> u.Update | None:
    form = u.UPDATES[context.version].get(kind)
    # In v1 the prompts say who is busy (SPEC 4, Version).
    if form is not None and not (form is u.StateUpdate and context.version == 1):
        update: u.Update | None = context.read(form, raw, "update")
        return update
    kept = context.read(FrozenDict, raw, "update")
    if kept is None:
        return None
    context.report("unknown-update", f"{kind!r} is no kind of update that is known", ("update", "sessionUpdate"))
    return u.UnknownUpdate(kept)


def _says_more_of_state(update: u.Update, raw: Mapping[str, Json]) -> bool:
    """Whether what an unknown state or stop reason has besides must be kept as sent (SPEC 2, law 4)."""
    if not isinstance(update, u.StateUpdate):
        return False
    is_known = update.state in o.STATES and (update.stop_reason is None or update.stop_reason in o.STOP_REASONS)
    return not is_known and not u.STATE_MEMBERS.issuperset(raw)


def emit_update(context: Context, session_id: str, update: u.Update, *path: str, live: bool = False) -> None:
    """Emit *update*, to which *path* leads, and before it what the `_meta` of a tool call shows of terminals (SPEC 4.7)."""
    meta: Any = getattr(update, "meta", None)
    if isinstance(update, u.ToolCallUpdate) and quirks.shows_terminal(meta):
        for key in quirks.DISPLAYS:
            if key in meta:
                _emit_display(context, session_id, key, meta[key], *path, live=live)
        update = replace(update, meta=quirks.without_terminals(meta) or update.leave)
    context.emit(link_update(session_id, update, live=live))


def link_update(session_id: str, update: Any, *, live: bool = False) -> e.SessionUpdate[u.Update]:
    """Return the event that *update* is, with the tool call that it is a part of, as its `_meta` says."""
    parent = quirks.find_parent(update.meta)
    return e.SessionUpdate(session_id, update) if parent is None and not live else e.LinkedUpdate(session_id, update, parent, live)


def _emit_display(context: Context, session_id: str, key: str, raw: Json, *path: str, live: bool) -> None:
    """Emit what one member of a tool call's `_meta` says of a terminal."""
    display: Any = context.read(quirks.DISPLAYS[key], raw, *path, "_meta", key, code="malformed-field")
    if isinstance(display, quirks.DisplayInfo):
        context.emit(e.TerminalPatched(session_id, display.terminal_id, "agent", cwd=display.cwd or UNSET, live=live))
    elif isinstance(display, quirks.DisplayExit):
        status = s.ExitStatus(exit_code=display.exit_code, signal=display.signal)
        context.emit(e.TerminalPatched(session_id, display.terminal_id, "agent", exit_status=status, live=live))
    elif display is not None:
        data = display.data.encode("utf-8", "surrogatepass")
        context.emit(e.TerminalPrinted(session_id, display.terminal_id, data, key == "terminal_output", live))
