"""What the client asks of a session: set up, settings, prompts, ends (SPEC 4.4, 4.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .. import events as e
from .._json import FrozenDict, Json
from .._model import UNSET
from . import shapes as sh
from .connection import of_version
from .correlate import close, opened
from .decode import text
from .draft import Draft
from .wire import SETUPS, Asked


NOT_FOUND: Final = -32002
CANCELLED: Final = -32800


def session_of(draft: Draft, params: Mapping[str, Json]) -> str | None:
    """Return the session that a request names, `None` with an error if it names none."""
    session_id: str | None = draft.fields(sh.named_session, params)["session_id"]
    draft.session_id = session_id
    return session_id


def error_code(error: Json) -> int | None:
    """Return the code of an error object."""
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if type(code) is int else None


def both(first: FrozenDict | None, second: FrozenDict | None) -> FrozenDict | None:
    """Return two `_meta` as one; where both have a key, the second's counts."""
    if first is None or second is None:
        return second if first is None else first
    return FrozenDict({**first, **second})


# --- set up ----------------------------------------------------------------------------------------


def new_asked(draft: Draft, params: Json) -> None:
    """The session's id comes with the answer."""
    values = draft.fields(sh.new_request, params)
    opened(
        draft,
        facts={
            "cwd": values["cwd"],
            "dirs": values["additional_directories"],
            "meta": values["meta"],
        },
    )


def fork_asked(draft: Draft, params: Json) -> None:
    """The new session's id comes with the answer; the old one is not touched."""
    values = draft.fields(sh.setup_request, params)
    draft.session_id = values["session_id"]
    opened(
        draft,
        values["session_id"],
        facts={
            "cwd": values["cwd"],
            "dirs": values["additional_directories"],
            "meta": values["meta"],
            "source": values["session_id"],
        },
    )


def load_asked(draft: Draft, params: Json) -> None:
    """The agent will replay all that it has."""
    of_version(draft, 1)
    _setup_asked(draft, draft.fields(sh.setup_request, params), "start")


def resume_asked(draft: Draft, params: Json) -> None:
    """The agent will replay nothing, all, or from a cursor on."""
    values = draft.fields(sh.setup_request, params)
    cursor = values["replay_from"]
    _setup_asked(
        draft,
        values,
        "none" if cursor is None else "start" if cursor["type"] == "start" else "cursor",
    )


def _setup_asked(draft: Draft, values: dict[str, Any], scope: str) -> None:
    session_id = draft.session_id = values["session_id"]
    cwd, dirs = values["cwd"], values["additional_directories"]
    opened(draft, session_id, facts={"cwd": cwd, "dirs": dirs})
    if session_id is not None:
        draft.emit(e.SessionSetupAsked(session_id, scope, cwd, dirs, values["meta"]))


def set_up(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`NewSessionResponse`, `LoadSessionResponse` and their like; `null` is success."""
    names_itself = draft.method in ("session/new", "session/fork")
    session_id = session_of(draft, draft.object(result)) if names_itself else draft.session_id
    values = draft.fields(sh.setup_answer, result)
    if session_id is None:
        if not names_itself:
            draft.note("unmatched-answer", f"an answer to {draft.method}, and no session that it could be about")
        return
    facts: Mapping[str, Json] = {} if asked is None else asked.facts
    modes, models = values["modes"] or _NONE_CHOSEN, values["models"] or _NONE_CHOSEN
    draft.emit(
        e.SessionReady(
            session_id,
            newest=draft.wire.is_newest_setup(asked),
            cwd=facts.get("cwd", UNSET),
            additional_directories=_directories(facts),
            forked_from=facts.get("source"),
            current_mode_id=modes["current_id"],
            available_modes=modes["available"],
            modes_meta=modes["meta"],
            current_model_id=models["current_id"],
            available_models=models["available"],
            models_meta=models["meta"],
            config_options=values["config_options"],
            available_commands=values["available_commands"],
            fresh=names_itself and draft.version == 2,
            complete=draft.version == 2,
            orphan=asked is None and not names_itself,
            meta=both(facts.get("meta"), values["meta"]),
        )
    )


_NONE_CHOSEN: Final[Mapping[str, Json]] = {
    "current_id": None,
    "available": None,
    "meta": None,
}


def _directories(facts: Mapping[str, Json]) -> Any:
    if "dirs" not in facts:
        return UNSET
    dirs = facts["dirs"]
    return None if dirs is None else tuple(dirs)


def setup_failed(draft: Draft, asked: Asked | None, error: Json) -> None:
    """A load or resume failed; a session that was only to be made never was."""
    if asked is not None and asked.session_id is not None and asked.method in SETUPS:
        draft.emit(e.SessionSetupFailed(asked.session_id, error, newest=draft.wire.is_newest_setup(asked)))


# --- settings --------------------------------------------------------------------------------------


def setting_asked(name: str, wire_name: str) -> Callable[[Draft, Json], None]:
    """Return what asks for a setting: the answer may carry no value, so the request's counts."""

    def asked(draft: Draft, params: Json) -> None:
        of_version(draft, 1)
        fields = draft.object(params)
        session_id = session_of(draft, fields)
        value = draft.member(text, fields, wire_name)
        opened(draft, session_id, names_session=True, facts={name: value})
        _session_meta(draft, session_id, fields)

    return asked


def _session_meta(draft: Draft, session_id: str | None, fields: Mapping[str, Json], *, known_only: bool = False) -> None:
    meta = draft.meta(fields)
    if meta is not None and session_id is not None:
        draft.emit(e.SessionMetaSent(session_id, meta, known_only))


def asked_of_session(draft: Draft, params: Json) -> None:
    """A request about a session that only its answer matters of."""
    fields = draft.object(params)
    session_id = session_of(draft, fields)
    names_none = draft.method in NAMING_NO_SESSION
    opened(draft, session_id, names_session=not names_none)
    _session_meta(draft, session_id, fields, known_only=names_none)


NAMING_NO_SESSION: Final = frozenset(
    (
        "session/close",
        "session/archive",
        "session/delete",
        "session/status",
        "session/set_title",
        "session/unarchive",
    )
)
"""Methods that make an unknown session no more known (SPEC 4.6)."""


def mode_set(draft: Draft, asked: Asked | None, result: Json) -> None:
    """The mode is what the request said."""
    if asked is not None and asked.session_id is not None and asked.facts["mode"] is not None:
        draft.emit(e.ModeChosen(asked.session_id, asked.facts["mode"], draft.meta(draft.object(result))))


def model_set(draft: Draft, asked: Asked | None, result: Json) -> None:
    """The model is what the request said."""
    if asked is not None and asked.session_id is not None and asked.facts["model"] is not None:
        draft.emit(e.ModelChosen(asked.session_id, asked.facts["model"], draft.meta(draft.object(result))))


def config_set(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`SetSessionConfigOptionResponse`: all settings as they are now."""
    session_id = draft.session_id
    values = draft.fields(sh.config_answer, result)
    if session_id is not None and values["options"] is not None:
        draft.emit(e.ConfigReplaced(session_id, values["options"], values["meta"]))


def title_asked(draft: Draft, params: Json) -> None:
    """The session need not be known; the answer says what was stored."""
    fields = draft.object(params)
    session_id = session_of(draft, fields)
    title = draft.member(text, fields, "title")
    opened(draft, session_id, facts={"title": title})
    _session_meta(draft, session_id, fields, known_only=True)


def title_set(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`SetSessionTitleResponse`: the title that the agent stored; that of the request where it does not say."""
    values = draft.fields(sh.title_answer, result)
    title = values["title"]
    if title is None and asked is not None:
        title = asked.facts["title"]
    if draft.session_id is not None:
        draft.emit(e.TitleStored(draft.session_id, title, values["meta"]))


def status_told(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`SessionStatusResponse`: a snapshot, no transition."""
    values = draft.fields(sh.status_answer, result)
    if draft.session_id is None:
        return
    state = values["state"]
    background = None if state is None else state.get("background")
    name = None if state is None else state["state"]
    if name is not None and name not in sh.STATES and not sh.STATE_FIELDS.issuperset(state) and draft.wire.knows(draft.session_id):
        draft.emit(e.UnknownUpdated(draft.session_id, state))  # what an unknown state has besides comes out as sent (SPEC 2, law 4)
    draft.emit(e.SessionStatusReported(draft.session_id, values["status"], name, background, values["meta"]))


# --- prompts ---------------------------------------------------------------------------------------


def prompt_asked(draft: Draft, params: Json) -> None:
    """In v1 a prompt is a turn; in v2 it waits until its message is reported."""
    values = draft.fields(sh.prompt_request, params)
    session_id = draft.session_id = values["session_id"]
    waits = draft.version == 2
    key = opened(draft, session_id, waits=waits)
    if session_id is not None:
        sent = e.PromptQueued if waits else e.PromptSent
        id = draft.wire.open.get((draft.sender, key))
        draft.emit(
            sent(
                session_id,
                key,
                None if id is None else id.id,
                values["content"] or (),
                values["meta"],
            )
        )


def prompt_answered(draft: Draft, asked: Asked | None, result: Json) -> None:
    """In v1 the turn is over; in v2 the prompt was taken."""
    fields = draft.object(result)
    session_id = draft.session_id
    if asked is None:
        of_v2 = draft.version == 2 or ("messageId" in fields and "stopReason" not in fields)
        if not of_v2 and session_id is not None:
            values = draft.fields(sh.turn_answer, fields)
            draft.emit(
                e.TurnOrphaned(
                    session_id,
                    values["stop_reason"],
                    values["usage"],
                    meta=values["meta"],
                )
            )
            work_went_on(draft, session_id)
        return
    if session_id is None:
        return
    if asked.waits or (draft.version == 2 and "stopReason" not in fields):
        draft.emit(e.PromptAccepted(session_id, asked.key, **draft.fields(sh.acceptance, fields)))
        return
    values = draft.fields(sh.turn_answer, result)
    draft.emit(
        e.PromptAnswered(
            session_id,
            asked.key,
            values["stop_reason"],
            values["usage"],
            meta=values["meta"],
        )
    )


def prompt_failed(draft: Draft, asked: Asked | None, error: Json) -> None:
    """An error ends the turn of a v1 prompt as failed, or as cancelled; it rejects a v2 one."""
    session_id = draft.session_id
    if session_id is None:
        return
    cancelled = error_code(error) == CANCELLED
    reason = "cancelled" if cancelled else None
    if asked is None:
        if draft.version == 1:
            draft.emit(e.TurnOrphaned(session_id, reason, None, error, not cancelled))
            work_went_on(draft, session_id)
    elif asked.waits:
        draft.emit(e.PromptRejected(session_id, asked.key, error))
    else:
        draft.emit(e.PromptAnswered(session_id, asked.key, reason, None, error, not cancelled))


def work_went_on(draft: Draft, session_id: str) -> None:
    """In a one-sided recording the answers to questions are not seen: work that goes on shows that they came (SPEC 4.5)."""
    if not draft.wire.one_sided:
        return
    for asked in draft.wire.questions(session_id):
        close(draft, asked)
        draft.emit(e.QuestionLapsed(session_id, asked.key))


def cancel_sent(draft: Draft, params: Json) -> None:
    """`session/cancel`."""
    fields = draft.object(params)
    session_id = session_of(draft, fields)
    if session_id is not None:
        draft.emit(e.CancelAsked(session_id, draft.version == 2, draft.meta(fields)))


def tool_call_cancel_asked(draft: Draft, params: Json) -> None:
    """`CancelToolCallRequest`."""
    session_id, id = _target(draft, params, "toolCallId")
    if session_id is not None and id is not None:
        draft.emit(e.ToolCallCancelAsked(session_id, id))


def terminal_cancel_asked(draft: Draft, params: Json) -> None:
    """`CancelTerminalRequest`."""
    session_id, id = _target(draft, params, "terminalId")
    if session_id is not None and id is not None:
        draft.emit(e.TerminalCancelAsked(session_id, id))


def _target(draft: Draft, params: Json, name: str) -> tuple[str | None, str | None]:
    of_version(draft, 2)
    fields = draft.object(params)
    session_id = session_of(draft, fields)
    id = draft.member(text, fields, name)
    opened(draft, session_id, names_session=True)
    _session_meta(draft, session_id, fields)
    return session_id, id


def answered_of_session(draft: Draft, asked: Asked | None, result: Json) -> None:
    """An answer that says nothing but `_meta`, which is the session's."""
    _session_meta(draft, draft.session_id, draft.object(result))


# --- ends ------------------------------------------------------------------------------------------


def end_asked(draft: Draft, params: Json) -> None:
    """Close or archive."""
    fields = draft.object(params)
    session_id = session_of(draft, fields)
    opened(draft, session_id)
    if session_id is not None:
        draft.emit(e.SessionEndAsked(session_id, draft.meta(fields)))


def closed(draft: Draft, asked: Asked | None, result: Json) -> None:
    """It is closed; closing what does not exist is success (schema `CloseSessionRequest`)."""
    _ended(draft, result, "closed")


def close_failed(draft: Draft, asked: Asked | None, error: Json) -> None:
    """A session that the agent does not know is closed."""
    if error_code(error) == NOT_FOUND:
        _ended(draft, None, "closed")


def archived(draft: Draft, asked: Asked | None, result: Json) -> None:
    """It is closed and archived."""
    _ended(draft, result, "closed", archived=True)


def deleted(draft: Draft, asked: Asked | None, result: Json) -> None:
    """It is deleted."""
    _ended(draft, result, "deleted")


def _ended(draft: Draft, result: Json, phase: str, *, archived: bool = False) -> None:
    if draft.session_id is not None:
        draft.emit(e.SessionEnded(draft.session_id, phase, archived, draft.meta(draft.object(result))))


def unarchived(draft: Draft, asked: Asked | None, result: Json) -> None:
    """It is in the agent's list again."""
    if draft.session_id is not None:
        draft.emit(e.SessionUnarchived(draft.session_id, draft.meta(draft.object(result))))


def list_asked(draft: Draft, params: Json) -> None:
    """With a cursor the answer is the next page."""
    fields = draft.object(params)
    meta = draft.meta(fields)
    opened(draft, facts={"more": fields.get("cursor") is not None})
    if meta is not None:
        draft.emit(e.ConnectionMetaSent(meta))


def sessions_listed(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`ListSessionsResponse`."""
    values = draft.fields(sh.list_answer, result)
    more = asked is not None and asked.facts["more"]
    draft.emit(e.SessionsListed(values["sessions"], values["next_cursor"], more, values["meta"]))
