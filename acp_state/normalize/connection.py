"""Initializing and authenticating: the version, and who is who (SPEC 4, Version)."""

from __future__ import annotations

from collections.abc import Mapping

from .. import events as e
from .. import state as s
from .._json import FrozenDict, FrozenList, Json
from .._model import UNSET, replace
from ..protocol import requests as r
from ..protocol.marks import Message
from ..protocol.secrets import scrub
from ..protocol.values import kind_of
from ..state import RequestKey
from .abandon import forget_all
from .context import Context
from .correlate import open_request
from .wire import Asked


def ask_initialize(context: Context, raw: Json) -> None:
    """A further `initialize` is a new connection: what was open is forgotten, and the version with it."""
    renewed = "initialize" in context.wire.recorded
    if renewed:
        context.report("new-connection", f"the client initialized again; {len(context.wire.open)} requests were open")
        forget_all(context)
        context.remember(version=1, settled=False, recorded=frozenset(), blocked=frozenset())
    request = context.read_message(r.InitializeRequest, raw)
    context.emit(e.InitializeRequested(request, renewed))
    open_request(context)


def settle_initialize(context: Context, asked: Asked | None, raw: Json) -> None:
    """The number in the agent's answer decides."""
    version = _read_version(context, raw if isinstance(raw, Mapping) else {})
    if version is not None:
        context.remember(version=version, settled=True)
    response = context.read_message(r.InitializeResponse, raw)
    if response.auth_methods is not None:
        response = replace(response, auth_methods=tuple(map(_without_secrets, response.auth_methods)))
    context.emit(e.InitializeFailed(None, response) if version is None else e.Initialized(version, response))


def _read_version(context: Context, result: Mapping[str, Json]) -> int | None:
    number = result.get("protocolVersion", UNSET)
    if number is UNSET and context.frame.partial:
        return context.version
    if type(number) is not int and type(number) is not float:
        kind = kind_of(number)
        context.report("version-unreadable", f"protocolVersion: a number is wanted, not {kind}", ("protocolVersion",))
        return None
    if number == 2 and "agentCapabilities" in result and "info" not in result:
        context.report("version-shape", "protocolVersion 2 in the shape of version 1, which it is read as", ("protocolVersion",))
        return 1
    if number not in (1, 2):
        nearest = 2 if number > 1.5 else 1
        context.report("version-unsupported", f"protocolVersion {number} is read as {nearest}", ("protocolVersion",))
        return nearest
    return int(number)


def fail_initialize(context: Context, asked: Asked | None, error: Json) -> None:
    """The agent refused."""
    context.emit(e.InitializeFailed(error))


def _without_secrets(method: s.AuthMethod) -> s.AuthMethod:
    return method if method.extra is None else replace(method, extra=scrub(method.extra))


def settle_authenticate(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """The agent accepted."""
    context.emit(e.Authenticated(None if asked is None else asked.facts["methodId"], meta=result.meta))


def settle_logout(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """The user is nobody."""
    context.emit(e.LoggedOut(meta=result.meta))


def settle_auth_status(context: Context, asked: Asked | None, raw: Json) -> None:
    """The answer says the same as the notification."""
    take_auth_status(context, raw)


def take_auth_status(context: Context, raw: Json) -> None:
    """Take an `AuthStatusResponse` or an `AuthStatusUpdateNotification`: they have the same fields."""
    status = context.read(r.AuthStatusResponse, context.read_object(raw))
    if status is not None:
        accounts = None if status.accounts is None else FrozenList(status.accounts)
        context.emit(e.AuthReported(s.Auth(status.state, accounts), meta=status.meta))


def emit_connection_meta(context: Context, key: RequestKey, params: Message) -> None:
    """Of a request about the connection that only its answer matters of, `_meta` is kept."""
    if params.meta is not None:
        context.emit(e.ConnectionMetaSent(meta=params.meta))


def tell_version_2(context: Context, raw: Json = None) -> None:
    """A message that only version 2 has shows that version, as long as nothing else decided it."""
    if not context.wire.settled:
        context.remember(version=2, settled=True)
    else:
        check_version(context, 2)


def check_version(context: Context, version: int) -> None:
    """Report that the frame's message is one of *version*, if the connection has the other one."""
    if context.version != version:
        context.report("other-version", f"{context.method} in this form is a message of version {version}", ())


def expect_version_1(context: Context, raw: Json) -> None:
    """The message is one of version 1."""
    check_version(context, 1)


def expect_version_2(context: Context, raw: Json) -> None:
    """The message is one of version 2."""
    check_version(context, 2)


def merge(first: FrozenDict | None, second: FrozenDict | None) -> FrozenDict | None:
    """Return two `_meta` as one; where both have a key, the second's counts."""
    if first is None or second is None:
        return second if first is None else first
    return FrozenDict({**first, **second})


def error_code(error: Json) -> int | None:
    """Return the code of an error object."""
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if type(code) is int else None


NOT_FOUND = -32002
CANCELLED = -32800
"""The codes of errors that mean something here (schema `ErrorCode`)."""
