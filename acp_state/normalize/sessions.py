"""What the client asks of a session: set up, settings, prompts, ends (SPEC 4.4, 4.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import events as e
from .._json import FrozenDict, Json, key_of
from ..protocol import objects as o
from ..protocol import requests as r
from ..protocol import updates as u
from ..state import RequestKey
from .connection import CANCELLED, NOT_FOUND, check_version, emit_connection_meta, error_code, merge
from .context import Context
from .correlate import close_request, open_request
from .wire import SETUPS, Asked


# --- set up ----------------------------------------------------------------------------------------


def ask_load(context: Context, raw: Json) -> None:
    """The agent will replay all that it has."""
    check_version(context, 1)
    _ask_setup(context, context.read_message(r.SetupRequest, raw), "start", {})


def ask_resume(context: Context, raw: Json) -> None:
    """The agent will replay nothing, all, or what comes from a cursor on."""
    params = context.read_message(r.SetupRequest, raw)
    cursor = params.replay_from
    scope = "none" if cursor is None else "start" if cursor.type == "start" else "cursor"
    _ask_setup(context, params, scope, {"scope": scope} if scope == "none" else {})


def _ask_setup(context: Context, params: r.SetupRequest, scope: str, facts: Mapping[str, Json]) -> None:
    session_id = context.session_id = params.session_id
    cwd, directories = params.cwd, params.additional_directories
    open_request(context, session_id, facts={"cwd": cwd, "dirs": directories, **facts})
    if session_id is not None:
        context.emit(e.SetupRequested(session_id, scope, cwd, directories, meta=params.meta))


def settle_setup(context: Context, asked: Asked | None, raw: Json) -> None:
    """Take a `NewSessionResponse`, `LoadSessionResponse` or their like; `null` is success."""
    fields = context.read_object(raw)
    names_itself = context.method in ("session/new", "session/fork")
    if names_itself:
        context.session_id = context.read_member(str, fields, "sessionId", code="unreadable-field")
    response = context.read_message(r.SetupResponse, fields)
    if context.session_id is None:
        if not names_itself:
            context.report("unmatched-answer", f"an answer to {context.method}, and no session that it could be about")
        return
    facts: Mapping[str, Json] = {} if asked is None else asked.facts
    directories = facts.get("dirs")
    context.emit(
        e.SetupAnswered(
            context.session_id,
            response,
            newest=context.wire.is_newest_setup(asked),
            cwd=facts.get("cwd"),
            additional_directories=None if directories is None else tuple(directories),
            forked_from=facts.get("source"),
            fresh=names_itself and context.version == 2,
            complete=context.version == 2,
            orphan=asked is None and not names_itself,
            meta=merge(facts.get("meta"), response.meta),
        )
    )


def fail_setup(context: Context, asked: Asked | None, error: Json) -> None:
    """A load or resume failed; a session that was only to be made never was."""
    if asked is not None and asked.session_id is not None and asked.method in SETUPS:
        context.emit(e.SetupFailed(asked.session_id, error, newest=context.wire.is_newest_setup(asked)))


# --- settings --------------------------------------------------------------------------------------


def emit_session_meta(context: Context, key: RequestKey, params: Any) -> None:
    """Of a request about a session that only its answer matters of, `_meta` is kept."""
    _emit_meta(context, params.session_id, params.meta)


def emit_known_meta(context: Context, key: RequestKey, params: Any) -> None:
    """The same for a request that makes an unknown session no more known (SPEC 4.6)."""
    _emit_meta(context, params.session_id, params.meta, known_only=True)


def _emit_meta(context: Context, session_id: str | None, meta: FrozenDict | None, *, known_only: bool = False) -> None:
    if meta is not None and session_id is not None:
        context.emit(e.SessionMetaSent(session_id, known_only, meta=meta))


def settle_with_meta(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """Take an answer that says nothing but `_meta`, which is the session's."""
    _emit_meta(context, context.session_id, result.meta)


def settle_mode(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """The mode is what the request said."""
    if asked is not None and asked.session_id is not None and asked.facts["mode"] is not None:
        context.emit(e.SessionUpdate(asked.session_id, u.CurrentModeUpdate(asked.facts["mode"], meta=result.meta)))


def settle_model(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """The model is what the request said."""
    if asked is not None and asked.session_id is not None and asked.facts["model"] is not None:
        context.emit(e.ModelChosen(asked.session_id, asked.facts["model"], meta=result.meta))


def settle_config_option(context: Context, asked: Asked | None, result: r.SetSessionConfigOptionResponse) -> None:
    """All settings, as they are now."""
    if context.session_id is not None and result.config_options is not None:
        context.emit(e.SessionUpdate(context.session_id, u.ConfigOptionUpdate(result.config_options, meta=result.meta)))


def settle_title(context: Context, asked: Asked | None, result: r.SetSessionTitleResponse) -> None:
    """The title that the agent stored; that of the request where it does not say."""
    title = asked.facts["title"] if result.title is None and asked is not None else result.title
    if context.session_id is not None:
        context.emit(e.TitleStored(context.session_id, title, meta=result.meta))


def settle_status(context: Context, asked: Asked | None, result: r.SessionStatusResponse) -> None:
    """A snapshot, no transition."""
    if context.session_id is None:
        return
    state: Any = result.state
    name = None if state is None else state["state"]
    if state is not None and name not in o.STATES and not u.STATE_MEMBERS.issuperset(state) and context.wire.knows(context.session_id):
        # What an unknown state has besides comes out as sent (SPEC 2, law 4).
        context.emit(e.SessionUpdate(context.session_id, u.UnknownUpdate(state)))
    background = None if state is None else state.get("background")
    context.emit(e.StatusAnswered(context.session_id, result.status, name, background, meta=result.meta))


def ask_list(context: Context, raw: Json) -> None:
    """With a cursor the answer is the next page of the list that the cursor came from."""
    params = context.read_message(r.ListSessionsRequest, raw)
    wire = context.wire
    origin = None if params.cursor is None else wire.cursors.get(key_of(params.cursor))
    facts = {"list": wire.list_number if origin is None and params.cursor is not None else origin, "cursor": params.cursor}
    key = open_request(context, facts=facts)
    emit_connection_meta(context, key, params)


def settle_list(context: Context, asked: Asked | None, result: r.ListSessionsResponse) -> None:
    """Replace the agent's list of sessions, or go on with it; a page of a list that was replaced since is dropped (SPEC 4.6)."""
    number = context.wire.list_number
    origin = None if asked is None else asked.facts["list"]
    if origin is not None and origin != number:
        context.report("stale-page", "a page of a list of sessions that was replaced since it was asked for")
        return
    if origin is None:
        number += 1
    cursors = context.wire.cursors
    if asked is not None:
        cursors = cursors.remove(key_of(asked.facts["cursor"]))
    if result.next_cursor is not None:
        cursors = cursors.set(result.next_cursor, number)
    context.remember(list_number=number, cursors=cursors)
    context.emit(e.SessionsListed(result.sessions, result.next_cursor, origin is not None, meta=result.meta))


# --- prompts ---------------------------------------------------------------------------------------


def ask_prompt(context: Context, raw: Json) -> None:
    """In v1 a prompt is a turn; in v2 it waits until its message is reported."""
    params = context.read_message(r.PromptRequest, raw)
    session_id = context.session_id = params.session_id
    waits = context.version == 2
    key = open_request(context, session_id, waits=waits)
    if session_id is not None:
        context.emit(e.PromptSent(session_id, key, context.id, params.prompt or (), waits, meta=params.meta))


def settle_prompt(context: Context, asked: Asked | None, raw: Json) -> None:
    """In v1 the turn is over; in v2 the prompt was taken."""
    fields = context.read_object(raw)
    session_id = context.session_id
    if session_id is None:
        return
    if asked is None:
        is_of_v2 = context.version == 2 or ("messageId" in fields and "stopReason" not in fields)
        if not is_of_v2:
            _emit_end(context, session_id, None, fields)
            let_questions_expire(context, session_id)
    elif asked.waits or (context.version == 2 and "stopReason" not in fields):
        response = context.read_message(r.PromptResponse, fields)
        context.emit(e.PromptAccepted(session_id, asked.key, response.message_id, meta=response.meta))
    else:
        _emit_end(context, session_id, asked.key, fields)


def _emit_end(context: Context, session_id: str, key: RequestKey | None, fields: Mapping[str, Json]) -> None:
    response = context.read_message(r.PromptResponse1, fields)
    context.emit(e.PromptAnswered(session_id, key, response.stop_reason, response.usage, meta=response.meta))


def fail_prompt(context: Context, asked: Asked | None, error: Json) -> None:
    """An error ends the turn of a v1 prompt as failed, or as cancelled; it rejects a v2 one."""
    session_id = context.session_id
    if session_id is None or (asked is None and context.version != 1):
        return
    if asked is not None and asked.waits:
        context.emit(e.PromptRejected(session_id, asked.key, error))
        return
    is_cancelled = error_code(error) == CANCELLED
    reason = "cancelled" if is_cancelled else None
    context.emit(e.PromptAnswered(session_id, None if asked is None else asked.key, reason, None, error, not is_cancelled))
    if asked is None:
        let_questions_expire(context, session_id)


def let_questions_expire(context: Context, session_id: str) -> None:
    """In a one-sided recording the answers to questions are not seen: work that goes on shows that they came (SPEC 4.5)."""
    if not context.wire.one_sided:
        return
    for asked in context.wire.questions(session_id):
        close_request(context, asked)
        context.emit(e.QuestionExpired(session_id, asked.key))


def take_cancel(context: Context, raw: Json) -> None:
    """Take `session/cancel`."""
    params = context.read_message(r.SessionRequest, raw)
    context.session_id = params.session_id
    if params.session_id is not None:
        context.emit(e.Cancelled(params.session_id, context.version == 2, meta=params.meta))


def ask_tool_call_cancel(context: Context, key: RequestKey, params: r.CancelToolCallRequest) -> None:
    """The client cancels a tool call."""
    emit_session_meta(context, key, params)
    if params.session_id is not None and params.tool_call_id is not None:
        context.emit(e.ToolCallCancelled(params.session_id, params.tool_call_id))


def ask_terminal_cancel(context: Context, key: RequestKey, params: r.TerminalRequest) -> None:
    """The client cancels a terminal."""
    emit_session_meta(context, key, params)
    if params.session_id is not None and params.terminal_id is not None:
        context.emit(e.TerminalCancelled(params.session_id, params.terminal_id))


# --- ends ------------------------------------------------------------------------------------------


def ask_end(context: Context, key: RequestKey, params: r.SessionRequest) -> None:
    """The client closes or archives a session."""
    if params.session_id is not None:
        context.emit(e.EndRequested(params.session_id, meta=params.meta))


def settle_end(phase: str, *, archived: bool = False) -> Callable[[Context, Asked | None, r.Empty], None]:
    """Return what takes the answer that a session is closed, archived or deleted."""

    def settle(context: Context, asked: Asked | None, result: r.Empty) -> None:
        if context.session_id is not None:
            context.emit(e.SessionEnded(context.session_id, phase, archived, meta=result.meta))

    return settle


def fail_close(context: Context, asked: Asked | None, error: Json) -> None:
    """A session that the agent does not know is closed: closing what does not exist is success (schema `CloseSessionRequest`)."""
    if error_code(error) == NOT_FOUND and context.session_id is not None:
        context.emit(e.SessionEnded(context.session_id, "closed"))


def settle_unarchive(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """It is in the agent's list again."""
    if context.session_id is not None:
        context.emit(e.SessionUnarchived(context.session_id, meta=result.meta))
