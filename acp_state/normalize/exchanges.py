"""The tables of methods: what a request begins and what its answer settles, and what a notification says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from .._json import Json
from .._model import Struct
from ..protocol import requests as r
from ..state import RequestKey
from . import agent, connection, sessions
from .context import Context
from .correlate import open_request
from .updates import take_update
from .wire import Asked


Ask: TypeAlias = Callable[[Context, RequestKey, Any], None]
Settle: TypeAlias = Callable[[Context, Asked | None, Any], None]
Take: TypeAlias = Callable[[Context, Json], None]


class Exchange(Struct, frozen=True):
    """A request and its answer. What takes an answer gets the request, `None` if it was not recorded."""

    ask: Ask | None = None
    """Takes the request, once it is open."""
    settle: Settle | None = None
    """Takes the result: read as `RESULTS` says, or *raw*."""
    fail: Settle | None = None
    """Takes the error."""
    take: Take | None = None
    """Takes the params in place of all that the other fields say of the request, and opens it."""
    check: Take | None = None
    """Looks at the params before they are read: which version they are of."""
    names_session: bool = False
    """Whether the session that it names is known from now on."""
    facts: Mapping[str, str] = {}
    """What of the params the answer needs: its name in `Asked.facts`, and the attribute."""
    raw: bool = False
    """Whether *settle* gets the result as it is."""


_MADE: Final = {"cwd": "cwd", "dirs": "additional_directories", "meta": "meta"}
_TERMINAL: Final = {"terminalId": "terminal_id"}
_V1, _V2, _SHOWS_V2 = connection.expect_version_1, connection.expect_version_2, connection.tell_version_2
_CONNECTION, _SESSION, _KNOWN = connection.emit_connection_meta, sessions.emit_session_meta, sessions.emit_known_meta
_LOGIN: Final[dict[str, Any]] = {"ask": _CONNECTION, "settle": connection.settle_authenticate, "facts": {"methodId": "method_id"}}
_SETUP: Final[dict[str, Any]] = {"settle": sessions.settle_setup, "fail": sessions.fail_setup, "raw": True}
_FILE: Final[dict[str, Any]] = {"settle": agent.settle_file, "fail": agent.fail_file, "check": _V1, "names_session": True}
_QUESTION: Final[dict[str, Any]] = {"fail": agent.fail_question, "raw": True}
_ELICITATION: Final = Exchange(take=agent.ask_elicitation, settle=agent.settle_elicitation, **_QUESTION)
_OF_TERMINAL: Final[dict[str, Any]] = {"ask": agent.ask_of_terminal, "check": _V1, "names_session": True, "facts": _TERMINAL}

EXCHANGES: Final[Mapping[str, Exchange]] = {
    # from the client
    "initialize": Exchange(take=connection.ask_initialize, settle=connection.settle_initialize, fail=connection.fail_initialize, raw=True),
    "authenticate": Exchange(check=_V1, **_LOGIN),
    "auth/login": Exchange(check=_SHOWS_V2, **_LOGIN),
    "logout": Exchange(_CONNECTION, connection.settle_logout, check=_V1),
    "auth/logout": Exchange(_CONNECTION, connection.settle_logout, check=_SHOWS_V2),
    "auth/status": Exchange(_CONNECTION, connection.settle_auth_status, raw=True),
    "session/new": Exchange(None, sessions.settle_setup, facts=_MADE, raw=True),
    "session/fork": Exchange(None, sessions.settle_setup, facts={**_MADE, "source": "session_id"}, raw=True),
    "session/load": Exchange(take=sessions.ask_load, **_SETUP),
    "session/resume": Exchange(take=sessions.ask_resume, **_SETUP),
    "session/list": Exchange(take=sessions.ask_list, settle=sessions.settle_list),
    "session/close": Exchange(sessions.ask_end, sessions.settle_end("closed"), sessions.fail_close),
    "session/archive": Exchange(sessions.ask_end, sessions.settle_end("closed", archived=True)),
    "session/delete": Exchange(_KNOWN, sessions.settle_end("deleted")),
    "session/unarchive": Exchange(_KNOWN, sessions.settle_unarchive),
    "session/status": Exchange(_KNOWN, sessions.settle_status),
    "session/set_title": Exchange(_KNOWN, sessions.settle_title, facts={"title": "title"}),
    "session/set_mode": Exchange(_SESSION, sessions.settle_mode, check=_V1, names_session=True, facts={"mode": "mode_id"}),
    "session/set_model": Exchange(_SESSION, sessions.settle_model, check=_V1, names_session=True, facts={"model": "model_id"}),
    "session/set_config_option": Exchange(_SESSION, sessions.settle_config_option, names_session=True),
    "session/prompt": Exchange(take=sessions.ask_prompt, settle=sessions.settle_prompt, fail=sessions.fail_prompt, raw=True),
    "tool_call/cancel": Exchange(sessions.ask_tool_call_cancel, sessions.settle_with_meta, check=_V2, names_session=True),
    "terminal/cancel": Exchange(sessions.ask_terminal_cancel, sessions.settle_with_meta, check=_V2, names_session=True),
    # from the agent
    "session/request_permission": Exchange(take=agent.ask_permission, settle=agent.settle_permission, **_QUESTION),
    "elicitation/create": _ELICITATION,
    "session/elicitation": _ELICITATION,
    "fs/read_text_file": Exchange(agent.ask_file("read"), **_FILE),
    "fs/write_text_file": Exchange(agent.ask_file("write"), **_FILE),
    "terminal/create": Exchange(
        None,
        agent.settle_terminal_create,
        check=_V1,
        names_session=True,
        facts={"command": "command", "args": "args", "cwd": "cwd", "meta": "meta"},
    ),
    "terminal/output": Exchange(settle=agent.settle_terminal_output, **_OF_TERMINAL),
    "terminal/wait_for_exit": Exchange(settle=agent.settle_terminal_exit, **_OF_TERMINAL),
    "terminal/kill": Exchange(settle=agent.settle_terminal_kill, **_OF_TERMINAL),
    "terminal/release": Exchange(settle=agent.settle_terminal_release, **_OF_TERMINAL),
}


def take_request(context: Context, method: str, exchange: Exchange, raw: Json) -> None:
    """Take a request of the protocol: open it, and emit what it says."""
    if exchange.take is not None:
        exchange.take(context, raw)
        return
    if exchange.check is not None:
        exchange.check(context, raw)
    params = context.read_message(r.PARAMS[method], raw)
    context.session_id = getattr(params, "session_id", context.session_id)
    facts = {name: getattr(params, attribute) for name, attribute in exchange.facts.items()}
    key = open_request(context, getattr(params, "session_id", None), names_session=exchange.names_session, facts=facts)
    if exchange.ask is not None:
        exchange.ask(context, key, params)


def settle_exchange(context: Context, method: str, asked: Asked | None, raw: Json, *, failed: bool) -> None:
    """Take the answer to a request of the protocol."""
    exchange = EXCHANGES[method]
    if failed:
        if exchange.fail is not None:
            exchange.fail(context, asked, raw)
    elif exchange.settle is not None:
        exchange.settle(context, asked, raw if exchange.raw else context.read_message(r.RESULTS[method], raw))


def _take_update(context: Context, raw: Json) -> None:
    take_update(context, context.read_object(raw))


NOTIFICATIONS: Final[Mapping[str, Take]] = {
    "session/update": _take_update,
    "session/cancel": sessions.take_cancel,
    "elicitation/complete": agent.take_completion,
    "auth/status_update": connection.take_auth_status,
}
