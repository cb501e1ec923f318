"""The normalizer: `normalize(wire, frame) -> (wire, events, diagnostics)`.

Pure and total. It turns a frame of either protocol version, from either side, into events that know
no version. What it must remember between frames is the `Wire`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from .. import events as e
from .. import state as s
from .._json import FrozenDict, Json, freeze
from .._model import UNSET, replace
from ..diagnostics import Diagnostic
from ..frames import NO_ID, Frame, invalid
from ..methods import CANCEL_REQUEST
from ..protocol import objects as o
from ..protocol import updates as u
from ..protocol.decoders import convert_update
from ..protocol.marks import Json as AnyJson
from ..protocol.secrets import scrub
from ..protocol.values import Problem
from . import quirks
from .abandon import abandon_request
from .connection import CANCELLED, error_code
from .context import Context, format_id
from .correlate import (
    OTHER,
    find_own_request,
    find_taken_over,
    guess_method,
    infer_sender,
    open_request,
    settle_request,
)
from .exchanges import EXCHANGES, NOTIFICATIONS, settle_exchange, take_request
from .sessions import let_questions_expire
from .updates import link_update
from .wire import NEW, QUESTIONS, Asked, Wire


__all__ = ["NEW", "Asked", "Wire", "normalize", "normalize_update"]


def normalize(wire: Wire, frame: Frame) -> tuple[Wire, tuple[e.Event, ...], tuple[Diagnostic, ...]]:
    """Return what is remembered after *frame*, the events that it is, and what was wrong with it."""
    if frame.method == "session/update" and frame.kind == "notification" and frame.sender != "client" and wire.agent_seen:
        try:
            message = {"jsonrpc": "2.0", "method": "session/update", "params": frame.payload}
            update = convert_update(message, wire.version).params
        except (ValueError, RecursionError):
            return _normalize(wire, frame)
        return normalize_update(wire, update, frame.line)
    return _normalize(wire, frame)


def normalize_update(
    wire: Wire, event: e.SessionUpdate[Any], line: int | None = None
) -> tuple[Wire, tuple[e.Event, ...], tuple[Diagnostic, ...]]:
    """Do as `normalize` does, with an update that `protocol.decoders` read without a problem."""
    session_id, update = event.session_id, event.update
    if update.meta:
        if isinstance(update, u.ToolCallUpdate) and quirks.shows_terminal(update.meta):
            return _normalize(wire, Frame("agent", "notification", method="session/update", payload=to_builtins(event), line=line))
        event = link_update(session_id, update)
    if wire.agent_seen and wire.knows(session_id) and type(update) not in REMEMBERED:
        return (wire if session_id == wire.last_session else replace(wire, last_session=session_id)), (event,), ()
    context = Context(wire, Frame("agent", "notification", method="session/update", line=line), "agent")
    context.emit(event)
    _see_side(context)
    _remember_sessions(context)
    return context.wire, tuple(context.events), ()


REMEMBERED = frozenset((u.SubagentUpdate, u.StateUpdate))
"""The classes of updates that change what the normalizer remembers."""


def _normalize(wire: Wire, frame: Frame) -> tuple[Wire, tuple[e.Event, ...], tuple[Diagnostic, ...]]:
    if isinstance(frame.id, (Mapping, list, tuple)):  # somebody made it so: what is read has none such
        frame = invalid(NO_ID, frame.sender, frame.time, frame.line)
    sender, doubt = infer_sender(wire, frame)
    context = Context(wire, frame, sender or "agent")
    if frame.kind == "invalid":
        context.method = None
        context.report("invalid-message", f"{frame.payload}")
    elif frame.kind == "exit":
        _take_exit(context)
    elif sender is None:
        context.report("unmatched-cancel", "its sender cannot be told: no side, or both, have a request with that id open")
    else:
        if doubt is not None:
            context.report("ambiguous-sender", doubt)
        _see_side(context)
        _take_frame(context)
    _remember_sessions(context)
    if context.wire.derives != wire.derives:
        # In v1 activity follows from prompts and requests, once both sides are seen (SPEC 4.4).
        context.events.insert(0, e.ActivityRuleChanged(context.wire.derives))
    return context.wire, tuple(context.events), tuple(context.diagnostics)


def _take_exit(context: Context) -> None:
    payload = context.frame.payload
    if not isinstance(payload, Mapping):
        context.report_problems([Problem("malformed", "an object is wanted", missing=payload is None)])
    context.emit(e.Exited(context.read(FrozenDict, payload if isinstance(payload, Mapping) else {}) or FrozenDict()))


def _see_side(context: Context) -> None:
    """Remember which sides were seen: a recording is one-sided until its first client frame (SPEC 3)."""
    if context.sender == "client":
        if not context.wire.client_seen:
            context.remember(client_seen=True, blocked=frozenset())
    elif not context.wire.agent_seen:
        context.remember(agent_seen=True)


def _take_frame(context: Context) -> None:
    kind, method, payload = context.frame.kind, context.frame.method or "", context.frame.payload
    if kind == "request":
        _take_request(context, method, payload)
    elif kind != "notification":
        _take_answer(context, kind == "error", payload)
    elif method == CANCEL_REQUEST:
        _take_cancel(context, payload)
    elif method in NOTIFICATIONS:
        NOTIFICATIONS[method](context, payload)
    else:
        _take_extension(context, None)


def _take_request(context: Context, method: str, params: Json) -> None:
    context.session_id = _session_named(params)
    older = find_taken_over(context)
    if older is not None:
        context.report("id-reused", f"{older.method} with id {format_id(older.id)} was not answered; it is given up")
        abandon_request(context, older, taken_over=True)
    exchange = EXCHANGES.get(method)
    if exchange is not None:
        take_request(context, method, exchange, params)
    elif method in NOTIFICATIONS or method == CANCEL_REQUEST:
        context.report("notification-with-id", f"{method} is a notification, and was sent as a request", subject=method)
        open_request(context)
        (_take_cancel if method == CANCEL_REQUEST else NOTIFICATIONS[method])(context, params)
    else:
        key = open_request(context, _session_named(params))
        _take_extension(context, (context.sender, key))


def _session_named(params: Json) -> str | None:
    session_id = params.get("sessionId") if isinstance(params, Mapping) else None
    return session_id if type(session_id) is str else None


# --- extensions ------------------------------------------------------------------------------------


def _take_extension(context: Context, key: tuple[str, s.RequestKey] | None) -> None:
    """Keep a message that the protocol does not know, or that says nothing of a session (SPEC 4.8)."""
    params = context.frame.payload
    if params is not UNSET:
        params = scrub(context.read(AnyJson, params, code="unreadable-field"))
    context.session_id = _session_named(params)
    is_request = key is not None
    extension = s.Extension(
        context.sender,
        "request" if is_request else "notification",
        context.id if is_request else UNSET,
        context.frame.method or "",
        params,
        "open" if is_request else None,
    )
    context.emit(e.ExtensionSent(context.session_id, key, extension))


def _settle_extension(context: Context, asked: Asked, failed: bool, payload: Json) -> None:
    kept = scrub(context.read(AnyJson, payload, code="unreadable-field"))
    key = (asked.sender, asked.key)
    if failed:
        status = "cancelled" if error_code(payload) == CANCELLED else "failed"
        context.emit(e.ExtensionAnswered(asked.session_id, key, status, error=kept))
    else:
        context.emit(e.ExtensionAnswered(asked.session_id, key, "answered", result=kept))


# --- answers ---------------------------------------------------------------------------------------


def _take_answer(context: Context, failed: bool, payload: Json) -> None:
    asked = settle_request(context)
    if asked is None:
        _take_orphan(context, failed, payload)
        return
    context.method = asked.method
    context.session_id = asked.session_id
    if asked.method in EXCHANGES:
        settle_exchange(context, asked.method, asked, _read_error(context, payload) if failed else payload, failed=failed)
    elif asked.method not in NOTIFICATIONS and asked.method != CANCEL_REQUEST:
        _settle_extension(context, asked, failed, payload)


def _read_error(context: Context, payload: Json) -> Json:
    """Return the error as sent; one that is no error object is reported, and kept."""
    error = context.read(o.Error, payload, code="unreadable-field")
    return context.read(AnyJson, payload, code="unreadable-field") if error is None else error


def _take_orphan(context: Context, failed: bool, payload: Json) -> None:
    """Take an answer whose request is not open: if none of its kind was ever recorded, it is taken at its word (SPEC 4.6)."""
    method = context.frame.method or (None if failed else guess_method(payload))
    context.method = method
    wire = context.wire
    if context.sender == "client" or method is None or method not in EXCHANGES or method in wire.recorded or method in QUESTIONS:
        id = "" if context.frame.id is UNSET else f" with id {format_id(context.frame.id)}"
        context.report(
            "unmatched-answer",
            f"an answer of the {context.sender}'s{id} belongs to no open request of the {OTHER[context.sender]}",
            subject=f"{context.sender}{id}",
        )
        return
    context.session_id = wire.roots.key_at(wire.roots.slot_at(0)) if len(wire.roots) == 1 else wire.last_session
    if wire.client_seen:
        context.report("orphan-answer", f"the request for {method} was not recorded")
    settle_exchange(context, method, None, _read_error(context, payload) if failed else payload, failed=failed)


# --- cancelling a request --------------------------------------------------------------------------


def _take_cancel(context: Context, params: Json) -> None:
    """`$/cancel_request`: counts for a request that its own sender issued, by the exact id (SPEC 4.5)."""
    fields = context.read_object(params)
    if "requestId" not in fields:
        context.report("malformed", "requestId: is missing", ("requestId",))
        return
    id = fields["requestId"]
    asked = find_own_request(context, id)
    if asked is None:
        subject = f"{context.sender} {format_id(id)}"
        context.report("unmatched-cancel", f"the {context.sender} has no request {format_id(id)} open", ("requestId",), subject)
        return
    context.session_id = asked.session_id
    meta = context.read_meta(fields)
    if asked.method in QUESTIONS:
        context.emit(e.QuestionWithdrawn(asked.session_id, asked.key, meta=meta))
    elif asked.method == "session/prompt" and asked.session_id is not None:
        context.emit(e.PromptCancelled(asked.session_id, asked.key, meta=meta))
    elif meta is not None:
        context.emit(
            e.ConnectionMetaSent(meta=meta) if asked.session_id is None else e.SessionMetaSent(asked.session_id, known_only=True, meta=meta)
        )


# --- what is remembered of every frame -------------------------------------------------------------


def _remember_sessions(context: Context) -> None:
    """Remember which sessions there are, and which was heard of last: an orphan answer names none."""
    for event in list(context.events):
        if isinstance(event, e.SessionUpdate):
            if isinstance(event.update, u.SubagentUpdate):
                _remember_child(context, event.session_id, event.update)
            elif isinstance(event.update, u.StateUpdate):
                _notice_state(context, event.session_id, event.update.state)
        session_id = _session_of(event)
        if session_id is None or session_id == context.wire.last_session:
            continue
        if not context.wire.knows(session_id):
            context.remember(roots=context.wire.roots.add(session_id, True))
        context.remember(last_session=session_id)


def _session_of(event: e.Event) -> str | None:
    """Return the session that *event* makes known."""
    if isinstance(event, e.RequestOpened):
        return event.request.session_id if event.names_session else None
    return None if type(event) in _NAMING_NOTHING else getattr(event, "session_id", None)


_NAMING_NOTHING = frozenset(
    (
        e.EndRequested,
        e.SessionEnded,
        e.SessionUnarchived,
        e.StatusAnswered,
        e.TitleStored,
        e.ExtensionSent,
        e.ExtensionAnswered,
        e.SetupFailed,
    )
)
"""Events that make no session known."""


def _remember_child(context: Context, session_id: str, update: u.SubagentUpdate) -> None:
    wire, child_id = context.wire, update.child_id
    if child_id == session_id:
        return
    if wire.children.slot_of(child_id) < 0:
        context.remember(children=wire.children.add(child_id, True), roots=wire.roots.remove(child_id))
    if update.state:
        _notice_state(context, child_id, freeze(update.state).get("state"))


def _notice_state(context: Context, session_id: str, state: Json) -> None:
    """In a one-sided recording, work that resumes or ends shows that its questions were answered (SPEC 4.5)."""
    wire = context.wire
    if not wire.one_sided:
        return
    if state == "requires_action":
        context.remember(blocked=wire.blocked | {session_id})
    elif state == "idle" or (state == "running" and session_id in wire.blocked):
        context.remember(blocked=wire.blocked - {session_id})
        let_questions_expire(context, session_id)
