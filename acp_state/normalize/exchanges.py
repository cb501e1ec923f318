"""The tables of methods: what a request begins and what its answer settles, and what a notification says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from .._json import Json
from .._model import Part
from . import agent, connection, sessions
from .draft import Draft
from .updates import update_sent
from .wire import Asked


Ask: TypeAlias = Callable[[Draft, Json], None]
Answer: TypeAlias = Callable[[Draft, Asked | None, Json], None]


def _nothing(draft: Draft, asked: Asked | None, answer: Json) -> None:
    """An answer that says nothing of a session's state."""


class Exchange(Part, frozen=True):
    """A request and its answer. The handlers of answers get the request, `None` if it was not recorded."""

    asked: Ask
    answered: Answer = _nothing
    failed: Answer = _nothing


_FILE: Final = (agent.file_answered, agent.file_failed)

EXCHANGES: Final[Mapping[str, Exchange]] = {
    # from the client
    "initialize": Exchange(
        connection.initialize_asked,
        connection.initialize_answered,
        connection.initialize_failed,
    ),
    "authenticate": Exchange(connection.authenticate_asked, connection.authenticated),
    "auth/login": Exchange(connection.authenticate_asked, connection.authenticated),
    "logout": Exchange(connection.logout_asked, connection.logged_out),
    "auth/logout": Exchange(connection.logout_asked, connection.logged_out),
    "auth/status": Exchange(connection.connection_asked, connection.auth_status),
    "session/new": Exchange(sessions.new_asked, sessions.set_up),
    "session/fork": Exchange(sessions.fork_asked, sessions.set_up),
    "session/load": Exchange(sessions.load_asked, sessions.set_up, sessions.setup_failed),
    "session/resume": Exchange(sessions.resume_asked, sessions.set_up, sessions.setup_failed),
    "session/list": Exchange(sessions.list_asked, sessions.sessions_listed),
    "session/close": Exchange(sessions.end_asked, sessions.closed, sessions.close_failed),
    "session/archive": Exchange(sessions.end_asked, sessions.archived),
    "session/delete": Exchange(sessions.asked_of_session, sessions.deleted),
    "session/unarchive": Exchange(sessions.asked_of_session, sessions.unarchived),
    "session/status": Exchange(sessions.asked_of_session, sessions.status_told),
    "session/set_title": Exchange(sessions.title_asked, sessions.title_set),
    "session/set_mode": Exchange(sessions.setting_asked("mode", "modeId"), sessions.mode_set),
    "session/set_model": Exchange(sessions.setting_asked("model", "modelId"), sessions.model_set),
    "session/set_config_option": Exchange(sessions.asked_of_session, sessions.config_set),
    "session/prompt": Exchange(sessions.prompt_asked, sessions.prompt_answered, sessions.prompt_failed),
    "tool_call/cancel": Exchange(sessions.tool_call_cancel_asked, sessions.answered_of_session),
    "terminal/cancel": Exchange(sessions.terminal_cancel_asked, sessions.answered_of_session),
    # from the agent
    "session/request_permission": Exchange(agent.permission_asked, agent.permission_answered, agent.permission_failed),
    "elicitation/create": Exchange(agent.elicitation_asked, agent.elicitation_answered, agent.elicitation_failed),
    "session/elicitation": Exchange(agent.elicitation_asked, agent.elicitation_answered, agent.elicitation_failed),
    "fs/read_text_file": Exchange(agent.file_asked("read"), *_FILE),
    "fs/write_text_file": Exchange(agent.file_asked("write"), *_FILE),
    "terminal/create": Exchange(agent.terminal_create_asked, agent.terminal_created),
    "terminal/output": Exchange(agent.terminal_asked, agent.terminal_answered(agent.output_of)),
    "terminal/wait_for_exit": Exchange(agent.terminal_asked, agent.terminal_answered(agent.exit_of)),
    "terminal/kill": Exchange(agent.terminal_asked, agent.terminal_answered(agent.killed)),
    "terminal/release": Exchange(agent.terminal_asked, agent.terminal_answered(agent.released)),
}


def _update(draft: Draft, params: Json) -> None:
    update_sent(draft, draft.object(params))


NOTIFICATIONS: Final[Mapping[str, Ask]] = {
    "session/update": _update,
    "session/cancel": sessions.cancel_sent,
    "elicitation/complete": agent.elicitation_completed,
    "auth/status_update": connection.auth_reported,
}
