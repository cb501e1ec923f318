"""Initializing and authenticating: the version, and who is who (SPEC 4, Version)."""

from __future__ import annotations

from collections.abc import Mapping

from .. import events as e
from .. import state as s
from .._json import FrozenList, Json
from .._model import UNSET, replace
from . import scrub
from . import shapes as sh
from .correlate import opened
from .decode import kind_of, text
from .draft import Draft
from .giving_up import all_forgotten
from .wire import Asked


def initialize_asked(draft: Draft, params: Json) -> None:
    """A further `initialize` is a new connection: what was open is forgotten, and the version with it."""
    renewed = "initialize" in draft.wire.recorded
    if renewed:
        draft.note("new-connection", f"the client initialized again; {len(draft.wire.open)} requests were open")
        all_forgotten(draft)
        draft.remember(version=1, settled=False, recorded=frozenset(), blocked=frozenset())
    values = draft.fields(sh.initialize_request, params)
    draft.emit(e.Connecting(renewed=renewed, **values))
    opened(draft)


def initialize_answered(draft: Draft, asked: Asked | None, result: Json) -> None:
    """The number in the agent's answer decides."""
    version = _version(draft, result if isinstance(result, Mapping) else {})
    if version is not None:
        draft.remember(version=version, settled=True)
    values = draft.fields(sh.initialize_answer, result)
    if values["auth_methods"] is not None:
        values["auth_methods"] = tuple(_without_secrets(method) for method in values["auth_methods"])
    draft.emit(e.ConnectFailed(**values) if version is None else e.Connected(version, **values))


def _version(draft: Draft, result: Mapping[str, Json]) -> int | None:
    number = result.get("protocolVersion", UNSET)
    if number is UNSET and draft.frame.partial:
        return draft.version
    if type(number) is not int and type(number) is not float:
        draft.note(
            "version-unreadable",
            f"protocolVersion: a number is wanted, not {kind_of(number)}",
            ("protocolVersion",),
        )
        return None
    if number == 2 and "agentCapabilities" in result and "info" not in result:
        draft.note(
            "version-shape",
            "protocolVersion 2 in the shape of version 1, which it is read as",
            ("protocolVersion",),
        )
        return 1
    if number not in (1, 2):
        nearest = 2 if number > 1.5 else 1
        draft.note(
            "version-unsupported",
            f"protocolVersion {number} is read as {nearest}",
            ("protocolVersion",),
        )
        return nearest
    return int(number)


def initialize_failed(draft: Draft, asked: Asked | None, error: Json) -> None:
    """The agent refused."""
    draft.emit(e.ConnectFailed(error))


def _without_secrets(method: s.AuthMethod) -> s.AuthMethod:
    extra = method.extra
    return method if extra is None else replace(method, extra=scrub.scrubbed(extra))


def authenticate_asked(draft: Draft, params: Json) -> None:
    """Remember the method: the answer does not repeat it."""
    if draft.method == "auth/login":
        tell_version_2(draft)
    else:
        of_version(draft, 1)
    fields = draft.object(params)
    method_id = draft.member(text, fields, "methodId")
    meta = draft.meta(fields)
    opened(draft, facts={"methodId": method_id})
    if meta is not None:
        draft.emit(e.ConnectionMetaSent(meta))


def authenticated(draft: Draft, asked: Asked | None, result: Json) -> None:
    """The agent accepted."""
    method_id = None if asked is None else asked.facts["methodId"]
    draft.emit(e.Authenticated(method_id, draft.meta(draft.object(result))))


def logout_asked(draft: Draft, params: Json) -> None:
    """Ask to be nobody."""
    if draft.method == "auth/logout":
        tell_version_2(draft)
    else:
        of_version(draft, 1)
    connection_asked(draft, params)


def connection_asked(draft: Draft, params: Json) -> None:
    """A request about the connection that only its answer matters of."""
    meta = draft.meta(draft.object(params))
    opened(draft)
    if meta is not None:
        draft.emit(e.ConnectionMetaSent(meta))


def logged_out(draft: Draft, asked: Asked | None, result: Json) -> None:
    """The user is nobody."""
    draft.emit(e.LoggedOut(draft.meta(draft.object(result))))


def auth_status(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`AuthStatusResponse`."""
    auth_reported(draft, result)


def auth_reported(draft: Draft, payload: Json) -> None:
    """`AuthStatusResponse` or `AuthStatusUpdateNotification`: the same fields."""
    values = draft.read(sh.auth_status, draft.object(payload))
    if values is not None:
        accounts = values["accounts"]
        auth = s.Auth(values["state"], None if accounts is None else FrozenList(accounts))
        draft.emit(e.AuthReported(auth, values["meta"]))


def tell_version_2(draft: Draft) -> None:
    """A message that only version 2 has shows that version, as long as nothing else decided it."""
    if not draft.wire.settled:
        draft.remember(version=2, settled=True)
    else:
        of_version(draft, 2)


def of_version(draft: Draft, version: int) -> None:
    """Note that the frame's message is one of *version*, if the connection has the other one."""
    if draft.version != version:
        draft.note("other-version", f"{draft.method} in this form is a message of version {version}", ())
