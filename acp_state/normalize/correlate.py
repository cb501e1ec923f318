"""Who sent what, and which answer belongs to which request (SPEC 3).

Ids keep their JSON type, and the two sides count independently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .. import events as e
from .._json import Json, freeze, key_of
from .._model import UNSET
from ..frames import Frame, Sender
from ..methods import CANCEL_REQUEST, CLIENT_REQUESTS, sender_of
from ..state import OpenRequest, RequestKey
from .context import Context
from .wire import Asked, Wire


OTHER: Final[Mapping[str, Sender]] = {"client": "agent", "agent": "client"}


# --- senders ---------------------------------------------------------------------------------------


def infer_sender(wire: Wire, frame: Frame) -> tuple[Sender | None, str | None]:
    """Return who sent *frame*, and what is doubtful about it.

    Where the recording does not say: a request by its method; an answer by who has a request with
    that id open, then by the shape of the result, then by age.
    """
    if frame.sender is not None:
        return frame.sender, None
    if frame.kind in ("request", "notification"):
        if frame.method == CANCEL_REQUEST:
            return _infer_canceller(wire, frame), None
        if frame.method == "mcp/message":
            return ("agent" if frame.kind == "request" else "client"), None
        # A vendor's own: nearly all come from agents.
        return sender_of(frame.method or "") or "agent", None  # type: ignore[return-value]  # no other word is given
    return _infer_answerer(wire, frame)


def _infer_canceller(wire: Wire, frame: Frame) -> Sender | None:
    params = frame.payload
    id = params.get("requestId", UNSET) if isinstance(params, Mapping) else UNSET
    sides: list[Sender] = [] if id is UNSET else [side for side in ("client", "agent") if _find_by_id(wire, side, id) is not None]
    return sides[0] if len(sides) == 1 else None


def _infer_answerer(wire: Wire, frame: Frame) -> tuple[Sender | None, str | None]:
    asked = [found for side in ("client", "agent") if (found := _find_open(wire, side, frame)) is not None]
    if not asked:
        return ("client" if _has_client_shape(frame.payload) else "agent"), None
    if len(asked) == 1:
        return OTHER[asked[0].sender], None
    fitting = [request for request in asked if frame.kind == "response" and _fits(request.method, frame.payload)]
    if len(fitting) == 1:
        return OTHER[fitting[0].sender], None
    older = min(asked, key=lambda request: wire.open.slot_of((request.sender, request.key)))
    return (
        OTHER[older.sender],
        f"both sides have a request {frame.id!r} open; taken for the answer to {older.method}, the older one",
    )


_RESULT_KEYS: Final[Mapping[str, frozenset[str]]] = {
    "initialize": frozenset(("protocolVersion",)),
    "session/new": frozenset(("sessionId",)),
    "session/fork": frozenset(("sessionId",)),
    "session/list": frozenset(("sessions",)),
    "session/prompt": frozenset(("stopReason", "messageId")),
    "session/set_config_option": frozenset(("configOptions",)),
    "session/status": frozenset(("status",)),
    "session/set_title": frozenset(("title",)),
    "auth/status": frozenset(("state",)),
    "providers/list": frozenset(("providers",)),
    "session/request_permission": frozenset(("outcome",)),
    "elicitation/create": frozenset(("action",)),
    "session/elicitation": frozenset(("action",)),
    "fs/read_text_file": frozenset(("content",)),
    "terminal/create": frozenset(("terminalId",)),
    "terminal/output": frozenset(("output", "truncated")),
    "terminal/wait_for_exit": frozenset(("exitCode", "signal")),
}
"""What a result of a method is told by: a member that it has, and that those of other methods have not."""

_CLIENT_KEYS: Final = frozenset(("outcome", "action", "terminalId", "output", "exitCode"))
_TOLD_BY: Final = frozenset().union(*_RESULT_KEYS.values())


def _fits(method: str, result: Json) -> bool:
    keys = result.keys() if isinstance(result, Mapping) else frozenset[str]()
    wanted = _RESULT_KEYS.get(method)
    return not _TOLD_BY.intersection(keys) if wanted is None else bool(wanted.intersection(keys))


def _has_client_shape(result: Json) -> bool:
    return isinstance(result, Mapping) and not _CLIENT_KEYS.isdisjoint(result)


def guess_method(result: Json) -> str | None:
    """Return the client's method that an agent's *result* tells of itself, `None` if it does not."""
    if not isinstance(result, Mapping):
        return None
    if "protocolVersion" in result:
        return "initialize"
    if "stopReason" in result or "messageId" in result:
        return "session/prompt"
    if "sessionId" in result:
        return "session/new"
    if "sessions" in result:
        return "session/list"
    if "modes" in result or "models" in result or "availableCommands" in result:
        return "session/load"
    return "session/set_config_option" if "configOptions" in result else None


# --- open requests ---------------------------------------------------------------------------------


def _find_by_id(wire: Wire, sender: str, id: Json) -> Asked | None:
    return None if id is None else wire.open.get((sender, key_of(id)))


def _find_open(wire: Wire, sender: str, frame: Frame) -> Asked | None:
    """Return the open request of *sender* that *frame* answers.

    Where the recording has no id it is the oldest one of its method; `null` is an id that several may have.
    """
    if frame.id is not UNSET and frame.id is not None:
        return _find_by_id(wire, sender, frame.id)
    if frame.id is UNSET and frame.method is None:
        return None
    return wire.oldest_nameless(sender, frame.method)


def find_taken_over(context: Context) -> Asked | None:
    """Return the open request whose id the frame's request takes; `null` is never taken (SPEC 3)."""
    return None if context.frame.id is UNSET else _find_by_id(context.wire, context.sender, context.frame.id)


def open_request(
    context: Context,
    session_id: str | None = None,
    *,
    names_session: bool = False,
    waits: bool = False,
    facts: Mapping[str, Json] | None = None,
) -> RequestKey:
    """Note that the frame's request waits for an answer, and return its key."""
    method = context.frame.method or ""
    id = context.id
    key = key_of(id)
    if id is None:
        serial = context.wire.serial + 1
        key = ("#", serial)
        context.remember(serial=serial)
    place = (context.sender, key)
    asked = Asked(context.sender, key, id, method, session_id, waits, freeze(facts or {}))
    context.wire = context.wire.with_open(asked)
    if context.sender == "client" and method in CLIENT_REQUESTS and method not in context.wire.recorded:
        context.remember(recorded=context.wire.recorded | {method})
    context.emit(e.RequestOpened(place, OpenRequest(context.sender, id, method, session_id), names_session))
    return key


def close_request(context: Context, asked: Asked) -> None:
    """Note that *asked* waits no more."""
    place = (asked.sender, asked.key)
    context.wire = context.wire.without(asked)
    context.emit(e.RequestClosed(place))


def settle_request(context: Context) -> Asked | None:
    """Return the request that the frame answers, which then is open no more; `None` if there is none."""
    asked = _find_open(context.wire, OTHER[context.sender], context.frame)
    if asked is not None:
        close_request(context, asked)
    return asked


def find_own_request(context: Context, id: Json) -> Asked | None:
    """Return the open request of the frame's own sender with that *id*."""
    return _find_by_id(context.wire, context.sender, id)
