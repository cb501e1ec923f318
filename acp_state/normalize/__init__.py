"""The normalizer: `normalize(wire, frame) -> (wire, events, diagnostics)`.

Pure and total. It turns a frame of either protocol version, from either side, into events that know
no version. What it must remember between frames is the `Wire`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import events as e
from .. import state as s
from .._json import FrozenDict, Json
from .._model import UNSET, replace
from ..diagnostics import Diagnostic
from ..frames import NO_ID, Frame, invalid
from ..methods import CANCEL_REQUEST
from . import scrub
from . import shapes as sh
from .agent import draft_id
from .correlate import (
    OTHER,
    answered,
    method_of_orphan,
    opened,
    own_request,
    sender_of_frame,
    taken_over,
)
from .decode import anything
from .draft import Draft, shown
from .exchanges import EXCHANGES, NOTIFICATIONS
from .giving_up import given_up
from .sessions import error_code, work_went_on
from .updates import plain_update
from .wire import NEW, QUESTIONS, Asked, Wire


__all__ = ["NEW", "Asked", "Wire", "normalize"]


def normalize(wire: Wire, frame: Frame) -> tuple[Wire, tuple[e.Event, ...], tuple[Diagnostic, ...]]:
    """Return what is remembered after *frame*, the events that it is, and what was wrong with it."""
    # The short way: an update of a session that was heard of, of a kind that changes nothing that is
    # remembered, and just as its schema says. The long way comes to the same.
    if frame.method == "session/update" and frame.kind == "notification" and frame.sender != "client":
        params: Any = frame.payload
        try:
            session_id, update = params["sessionId"], params["update"]
        except (KeyError, TypeError):
            return _normalize(wire, frame)
        if len(params) != 2 or session_id.__class__ is not str:
            return _normalize(wire, frame)
        events = plain_update(session_id, update, wire.version)
    else:
        return _normalize(wire, frame)
    if events is not None and wire.agent_seen:
        if session_id == wire.last_session:
            return wire, events, ()
        if wire.knows(session_id):
            return replace(wire, last_session=session_id), events, ()
    return _normalize(wire, frame)


def _normalize(wire: Wire, frame: Frame) -> tuple[Wire, tuple[e.Event, ...], tuple[Diagnostic, ...]]:
    if isinstance(frame.id, (Mapping, list, tuple)):  # somebody made it so: what is read has none such
        frame = invalid(NO_ID, frame.sender, frame.time, frame.line)
    sender, doubt = sender_of_frame(wire, frame)
    draft = Draft(wire, frame, sender or "agent")
    if frame.kind == "invalid":
        draft.method = None
        draft.note("invalid-message", f"{frame.payload}")
    elif frame.kind == "exit":
        _exited(draft)
    elif sender is None:
        draft.note(
            "unmatched-cancel",
            "its sender cannot be told: no side, or both, have a request with that id open",
        )
    else:
        if doubt is not None:
            draft.note("ambiguous-sender", doubt)
        _seen(draft)
        _read(draft)
    _heard(draft)
    _rule(draft, wire)
    return draft.wire, tuple(draft.events), tuple(draft.findings)


def _exited(draft: Draft) -> None:
    kept = draft.read(sh.mapping, draft.frame.payload)
    draft.emit(e.Exited(FrozenDict(draft.read(anything, kept or {}) or {})))


def _seen(draft: Draft) -> None:
    """Note which sides were seen: a recording is one-sided until its first client frame (SPEC 3)."""
    if draft.sender == "client":
        if not draft.wire.client_seen:
            draft.remember(client_seen=True, blocked=frozenset())
    elif not draft.wire.agent_seen:
        draft.remember(agent_seen=True)


def _read(draft: Draft) -> None:
    kind, method, payload = (
        draft.frame.kind,
        draft.frame.method or "",
        draft.frame.payload,
    )
    if kind == "notification":
        if method == CANCEL_REQUEST:
            _cancel(draft, payload)
        elif method in NOTIFICATIONS:
            NOTIFICATIONS[method](draft, payload)
        else:
            _extension(draft, None)
    elif kind == "request":
        _request(draft, method, payload)
    else:
        _answer(draft, kind == "error", payload)


def _request(draft: Draft, method: str, params: Json) -> None:
    draft.session_id = _session_named(params)
    older = taken_over(draft)
    if older is not None:
        draft.note(
            "id-reused",
            f"{older.method} with id {shown(older.id)} was not answered; it is given up",
        )
        given_up(draft, older, taken_over=True)
    exchange = EXCHANGES.get(method)
    if exchange is not None:
        exchange.asked(draft, params)
    elif method in NOTIFICATIONS or method == CANCEL_REQUEST:
        draft.note("notification-with-id", f"{method} is a notification, and was sent as a request", subject=method)
        opened(draft)
        (_cancel if method == CANCEL_REQUEST else NOTIFICATIONS[method])(draft, params)
    else:
        key = opened(draft, _session_named(params))
        _extension(draft, (draft.sender, key))


def _session_named(params: Json) -> str | None:
    session_id = params.get("sessionId") if isinstance(params, Mapping) else None
    return session_id if type(session_id) is str else None


# --- extensions ------------------------------------------------------------------------------------


def _extension(draft: Draft, key: tuple[str, s.RequestKey] | None) -> None:
    """Keep a message that the protocol does not know, or that says nothing of a session (SPEC 4.8)."""
    frame = draft.frame
    params = frame.payload
    if params is not UNSET:
        params = scrub.scrubbed(draft.read(anything, params, code="unreadable-field"))
    session_id = draft.session_id = _session_named(params)
    request = key is not None
    extension = s.Extension(
        draft.sender,
        "request" if request else "notification",
        draft_id(draft) if request else UNSET,
        frame.method or "",
        params,
        "open" if request else None,
    )
    draft.emit(e.ExtensionSent(session_id, key, extension))


def _extension_answered(draft: Draft, asked: Asked, failed: bool, payload: Json) -> None:
    kept = scrub.scrubbed(draft.read(anything, payload, code="unreadable-field"))
    place = (asked.sender, asked.key)
    if failed:
        status = "cancelled" if error_code(payload) == -32800 else "failed"
        draft.emit(e.ExtensionAnswered(asked.session_id, place, status, error=kept))
    else:
        draft.emit(e.ExtensionAnswered(asked.session_id, place, "answered", result=kept))


# --- answers ---------------------------------------------------------------------------------------


def _answer(draft: Draft, failed: bool, payload: Json) -> None:
    asked = answered(draft)
    if asked is None:
        _orphan(draft, failed, payload)
        return
    draft.method = asked.method
    draft.session_id = asked.session_id
    exchange = EXCHANGES.get(asked.method)
    if exchange is not None:
        settle = exchange.failed if failed else exchange.answered
        settle(draft, asked, _error(draft, payload) if failed else payload)
    elif asked.method not in NOTIFICATIONS and asked.method != CANCEL_REQUEST:
        _extension_answered(draft, asked, failed, payload)


def _error(draft: Draft, payload: Json) -> Json:
    """Return the error as sent; one that is no error object is noted, and kept."""
    error = draft.read(sh.error, payload, code="unreadable-field")
    return draft.read(anything, payload, code="unreadable-field") if error is None else error


def _orphan(draft: Draft, failed: bool, payload: Json) -> None:
    """An answer whose request is not open: if none of its kind was ever recorded, it is taken at its word (SPEC 4.6)."""
    method = draft.frame.method or (None if failed else method_of_orphan(payload))
    draft.method = method
    exchange = EXCHANGES.get(method or "")
    wire = draft.wire
    if draft.sender == "client" or exchange is None or method is None or method in wire.recorded or method in QUESTIONS:
        id = "" if draft.frame.id is UNSET else f" with id {shown(draft.frame.id)}"
        draft.note(
            "unmatched-answer",
            f"an answer of the {draft.sender}'s{id} belongs to no open request of the {OTHER[draft.sender]}",
            subject=f"{draft.sender}{id}",
        )
        return
    draft.session_id = wire.roots.key_at(wire.roots.slot_at(0)) if len(wire.roots) == 1 else wire.last_session
    if wire.client_seen:
        draft.note("orphan-answer", f"the request for {method} was not recorded")
    settle = exchange.failed if failed else exchange.answered
    settle(draft, None, _error(draft, payload) if failed else payload)


# --- cancelling a request --------------------------------------------------------------------------


def _cancel(draft: Draft, params: Json) -> None:
    """`$/cancel_request`: counts for a request that its own sender issued, by the exact id (SPEC 4.5)."""
    fields = draft.object(params)
    if "requestId" not in fields:
        draft.note("malformed", "requestId: is missing", ("requestId",))
        return
    asked = own_request(draft, fields["requestId"])
    if asked is None:
        draft.note(
            "unmatched-cancel",
            f"the {draft.sender} has no request {shown(fields['requestId'])} open",
            ("requestId",),
            f"{draft.sender} {shown(fields['requestId'])}",
        )
        return
    draft.session_id = asked.session_id
    meta = draft.meta(fields)
    if asked.method in QUESTIONS:
        draft.emit(e.QuestionWithdrawn(asked.session_id, asked.key, meta))
    elif asked.method == "session/prompt" and asked.session_id is not None:
        draft.emit(e.PromptCancelAsked(asked.session_id, asked.key, meta))
    elif meta is not None:
        draft.emit(e.ConnectionMetaSent(meta) if asked.session_id is None else e.SessionMetaSent(asked.session_id, meta, known_only=True))


# --- what is remembered of every frame -------------------------------------------------------------


def _heard(draft: Draft) -> None:
    """Remember which sessions there are, and which was heard of last: an orphan answer names none."""
    for event in list(draft.events):
        if type(event) is e.SubagentPatched:
            _child(draft, event)
        elif type(event) is e.StateReported:
            _state_heard(draft, event.session_id, event.state)
        session_id = event.request.session_id if type(event) is e.RequestOpened and event.names_session else _session_of(event)
        if session_id is None or session_id == draft.wire.last_session:
            continue
        if not draft.wire.knows(session_id):
            draft.remember(roots=draft.wire.roots.add(session_id, True))
        draft.remember(last_session=session_id)


def _session_of(event: e.Event) -> str | None:
    return None if type(event) in _NAMING_NOTHING else getattr(event, "session_id", None)


_NAMING_NOTHING = frozenset(
    (
        e.SessionEndAsked,
        e.SessionEnded,
        e.SessionUnarchived,
        e.SessionStatusReported,
        e.TitleStored,
        e.ExtensionSent,
        e.ExtensionAnswered,
        e.SessionSetupFailed,
    )
)
"""Events that make no session known."""


def _child(draft: Draft, event: e.SubagentPatched) -> None:
    wire, child_id = draft.wire, event.child_id
    if child_id != event.session_id and wire.children.slot_of(child_id) < 0:
        draft.remember(
            children=wire.children.add(child_id, True),
            roots=wire.roots.remove(child_id),
        )
    if child_id != event.session_id and event.state:
        _state_heard(draft, child_id, event.state.get("state"))


def _state_heard(draft: Draft, session_id: str, state: Json) -> None:
    """In a one-sided recording, work that resumes or ends shows that its questions were answered (SPEC 4.5)."""
    wire = draft.wire
    if not wire.one_sided:
        return
    if state == "requires_action":
        draft.remember(blocked=wire.blocked | {session_id})
    elif state == "idle" or (state == "running" and session_id in wire.blocked):
        draft.remember(blocked=wire.blocked - {session_id})
        work_went_on(draft, session_id)


def _rule(draft: Draft, before: Wire) -> None:
    """In v1 activity follows from prompts and requests, once both sides are seen (SPEC 4.4)."""
    if draft.wire.derives != before.derives:
        draft.events.insert(0, e.ActivityRuleChanged(draft.wire.derives))
