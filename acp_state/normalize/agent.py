"""What the agent asks of the client: permission, answers, files, terminals (SPEC 4.5, 4.7, 4.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .. import events as e
from .. import state as s
from .._json import FrozenDict, Json
from .._model import UNSET, UnsetType
from . import quirks
from . import shapes as sh
from .connection import of_version, tell_version_2
from .correlate import opened
from .decode import anything, text
from .draft import Draft, shown
from .sessions import CANCELLED, both, error_code, session_of
from .updates import call_patched
from .wire import Asked


# --- permissions -----------------------------------------------------------------------------------


def permission_asked(draft: Draft, params: Json) -> None:
    """`RequestPermissionRequest`: v1 names a tool call, v2 a subject. It always gets its entry."""
    fields = draft.object(params)
    form = 1 if "toolCall" in fields and "title" not in fields else 2
    if "title" in fields:
        tell_version_2(draft)
    elif form == 1:
        of_version(draft, 1)
    elif not draft.frame.partial:
        draft.note("unreadable-field", "neither a title nor a toolCall", ())
    values = draft.fields(sh.permission_request, fields)
    session_id = draft.session_id = values.pop("session_id")
    session_id = "" if session_id is None else session_id
    subject, call = _subject(draft, fields)
    tool_call_id = None if call is None else call[0][0]
    if subject is not None and subject.get("type") == "command":
        tool_call_id = subject.get("toolCallId")
    link = quirks.parent_link(values["meta"]) or (None if call is None else call[2])
    key = opened(draft, session_id, names_session=True)
    for event in () if call is None else call_patched(session_id, call, form, live=True):
        draft.emit(event)
    permission = s.Permission(draft_id(draft), parent=link, tool_call_id=tool_call_id, subject=subject, **values)
    draft.emit(e.PermissionAsked(session_id, key, permission))


def draft_id(draft: Draft) -> Json:
    """Return the id of the frame, `None` if the recording has none."""
    return None if draft.frame.id is UNSET else draft.frame.id


def _subject(draft: Draft, fields: Mapping[str, Json]) -> tuple[FrozenDict | None, sh.CallPatch | None]:
    """Return what a permission is about, as sent, and the patch of the tool call that it has."""
    if "toolCall" in fields:
        subject = draft.read(anything, fields["toolCall"], "toolCall", code="unreadable-field")
        call = draft.read(sh.SAYING_NOTHING.tool_call_update, fields["toolCall"], "toolCall", code="unreadable-field")
        return (FrozenDict(type="tool_call", toolCall=subject) if isinstance(subject, FrozenDict) else None), call
    if fields.get("subject") is None:
        return None, None
    subject = draft.read(sh.permission_subject, fields["subject"], "subject", code="unreadable-field")
    if subject is None or subject["type"] != "tool_call":
        return subject, None
    call = draft.read(
        sh.CLEARING.tool_call_update,
        subject["toolCall"],
        "subject",
        "toolCall",
        code="unreadable-field",
    )
    return subject, call


def permission_answered(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`RequestPermissionResponse`: what is not of the protocol's form is no approval."""
    if asked is None or asked.session_id is None:
        return
    kept = _kept(draft, result)
    outcome = result.get("outcome") if isinstance(result, Mapping) else None
    kind = outcome.get("outcome") if isinstance(outcome, Mapping) else None
    meta = _metas(draft, result, outcome)
    answered = _Answer(draft, e.PermissionAnswered, asked, meta)
    option_id = outcome.get("optionId") if isinstance(outcome, Mapping) else None
    if kind == "selected" and type(option_id) is str:
        answer = UNSET if _is_plain(result, outcome, "optionId") else kept
        answered("selected", option_id=option_id, answer=answer, kept=kept)
    elif kind == "cancelled":
        answered("cancelled", answer=UNSET if _is_plain(result, outcome) else kept)
    else:
        if not (type(kind) is str and kind != "selected" and draft.version == 2):
            draft.note(
                "invalid-answer",
                "outcome: neither selected with an optionId nor cancelled",
                ("outcome",),
            )
        answered("invalid", answer=kept)


def _kept(draft: Draft, result: Json) -> Json | UnsetType:
    kept = draft.read(anything, result, code="unreadable-field")
    return UNSET if kept is None and result is not None else kept


def _is_plain(result: Json, outcome: Json, *members: str) -> bool:
    """Whether an answer says nothing that its entry has no place for."""
    return {"outcome", "_meta"}.issuperset(result) and {
        "outcome",
        "_meta",
        *members,
    }.issuperset(outcome)


def _metas(draft: Draft, result: Json, inner: Json) -> FrozenDict | None:
    """The `_meta` of an answer and of what is in it, as one."""
    outer = draft.meta(result) if isinstance(result, Mapping) else None
    nested = draft.meta(inner, "outcome") if isinstance(inner, Mapping) and inner is not result else None
    return both(outer, nested)


class _Answer:
    """Emits the answer to a question."""

    def __init__(
        self,
        draft: Draft,
        event: Callable[..., Any],
        asked: Asked,
        meta: FrozenDict | None,
    ) -> None:
        self._draft, self._event, self._asked, self._meta = draft, event, asked, meta

    def __call__(self, status: str, **facts: Any) -> None:
        self._draft.emit(
            self._event(
                self._asked.session_id,
                self._asked.key,
                status,
                meta=self._meta,
                **facts,
            )
        )


def permission_failed(draft: Draft, asked: Asked | None, error: Json) -> None:
    """An error is no approval; a cancelled request is cancelled."""
    _failed(draft, e.PermissionAnswered, asked, error)


def _failed(draft: Draft, event: Callable[..., Any], asked: Asked | None, error: Json) -> None:
    if asked is not None:
        status = "cancelled" if error_code(error) == CANCELLED else "failed"
        draft.emit(event(asked.session_id, asked.key, status, error=error))


# --- elicitations ----------------------------------------------------------------------------------


def elicitation_asked(draft: Draft, params: Json) -> None:
    """`CreateElicitationRequest`. It always gets its entry, on the connection if it names no session."""
    values = draft.fields(sh.elicitation_request, params)
    session_id = draft.session_id = values.pop("session_id")
    if session_id is None and values["request_id"] is UNSET and not draft.frame.partial:
        draft.note("unreadable-field", "neither a sessionId nor a requestId", ())
    mode, extra = values["mode"], values.pop("extra")
    if mode in ("form", "url", None):
        extra = None
    elif draft.version == 1:
        draft.note("unknown-variant", f"mode: {shown(mode)} is none of form, url", ("mode",))
    if extra is not None:
        extra = FrozenDict({key: value for key, value in extra.items() if key not in OUR_MEMBERS}) or None
    _check_mode(draft, mode, values)
    key = opened(draft, session_id, names_session=session_id is not None)
    elicitation = s.Elicitation(draft_id(draft), extra=extra, **values)
    if elicitation.elicitation_id is not None:
        draft.remember(urls=draft.wire.urls.set(elicitation.elicitation_id, session_id))
    draft.emit(e.ElicitationAsked(session_id, key, elicitation))


OUR_MEMBERS: Final = frozenset(
    ("type", "id", "turn", "status", "content", "completed", "answerOwed", "answer", "error"),
)
"""What an elicitation's entry says besides what was sent: a vendor's member of that name would be taken for it."""


def _check_mode(draft: Draft, mode: str | None, values: dict[str, Any]) -> None:
    """What a mode needs must be there; a form's schema is that of an object."""
    if draft.frame.partial:
        return
    needed = {
        "form": {"requested_schema": "requestedSchema"},
        "url": {"url": "url", "elicitation_id": "elicitationId"},
    }
    for name, wire_name in needed.get(mode or "", {}).items():
        if values[name] in (None, UNSET):
            draft.note("unreadable-field", f"{wire_name}: is missing", (wire_name,))
    schema = values["requested_schema"]
    if mode == "form" and schema is not UNSET:
        kind = schema.get("type", "object") if isinstance(schema, Mapping) else None
        if kind != "object":
            draft.note(
                "invalid-schema",
                f"requestedSchema: the form is no object but {kind!r}",
                ("requestedSchema",),
            )


def elicitation_answered(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`CreateElicitationResponse`: `accept` with content, `decline`, `cancel`, or what version 2 may add."""
    if asked is None:
        return
    inner = result
    if isinstance(result, Mapping) and isinstance(result.get("action"), Mapping):
        inner = result["action"]  # quirks.NESTED_ACTION
    kept = _kept(draft, result)
    answered = _Answer(draft, e.ElicitationAnswered, asked, _metas(draft, result, inner))
    fields: Mapping[str, Json] = inner if isinstance(inner, Mapping) else {}
    action, content = fields.get("action"), fields.get("content")
    spare = not {"action", "content", "_meta"}.issuperset(fields)
    if action == "accept" and (content is None or isinstance(content, Mapping)):
        read = None if content is None else draft.read(anything, content, "content", code="unreadable-field")
        answered("accepted", content=read, answer=kept if spare else UNSET)
    elif action in ("decline", "cancel"):
        answered(
            "declined" if action == "decline" else "cancelled",
            answer=kept if spare or content is not None else UNSET,
        )
    elif type(action) is str and action != "accept" and draft.version == 2:
        answered("cancelled", answer=kept)  # schema CreateElicitationResponse: "MUST handle it as `cancel`"
    else:
        draft.note(
            "invalid-answer",
            "action: none of accept (with an object), decline and cancel",
            ("action",),
        )
        answered("invalid", answer=kept)


def elicitation_failed(draft: Draft, asked: Asked | None, error: Json) -> None:
    """An error is no answer."""
    _failed(draft, e.ElicitationAnswered, asked, error)


def elicitation_completed(draft: Draft, params: Json) -> None:
    """`CompleteElicitationNotification`: it names no session, so the normalizer remembers it."""
    fields = draft.object(params)
    id = draft.member(text, fields, "elicitationId", code="malformed")
    if id is None:
        return
    urls = draft.wire.urls
    if urls.slot_of(id) < 0:
        draft.note(
            "repeated-completion",
            f"no elicitation {id!r} waits to be completed",
            ("elicitationId",),
            id,
        )
        return
    session_id = urls.get(id)
    draft.remember(urls=urls.remove(id))
    draft.emit(e.ElicitationCompleted(session_id, id, draft.meta(fields)))


# --- files -----------------------------------------------------------------------------------------


def file_asked(operation: str) -> Callable[[Draft, Json], None]:
    """Return what asks for a file to be read or written; contents are not kept."""

    def asked(draft: Draft, params: Json) -> None:
        of_version(draft, 1)
        values = draft.fields(sh.file_request, params)
        session_id = draft.session_id = values["session_id"]
        key = opened(draft, session_id, names_session=True)
        if session_id is not None:
            draft.emit(
                e.FileAsked(
                    session_id,
                    key,
                    s.FileRequest(operation, values["path"], meta=values["meta"]),
                )
            )

    return asked


def file_answered(draft: Draft, asked: Asked | None, result: Json) -> None:
    """It is done."""
    if asked is not None and asked.session_id is not None:
        draft.emit(
            e.FileAnswered(
                asked.session_id,
                asked.key,
                "answered",
                draft.meta(draft.object(result)),
            )
        )


def file_failed(draft: Draft, asked: Asked | None, error: Json) -> None:
    """It is not done."""
    if asked is not None and asked.session_id is not None:
        draft.emit(
            e.FileAnswered(
                asked.session_id,
                asked.key,
                "cancelled" if error_code(error) == CANCELLED else "failed",
            )
        )


# --- the client's terminals ------------------------------------------------------------------------


def terminal_create_asked(draft: Draft, params: Json) -> None:
    """`CreateTerminalRequest`: its id comes with the answer. The environment is never kept."""
    of_version(draft, 1)
    values = draft.fields(sh.terminal_request, params)
    session_id = draft.session_id = values.pop("session_id")
    opened(draft, session_id, names_session=True, facts=values)


def terminal_created(draft: Draft, asked: Asked | None, result: Json) -> None:
    """`CreateTerminalResponse`."""
    if asked is None or asked.session_id is None:
        return
    fields = draft.object(result)
    id = draft.member(text, fields, "terminalId")
    if id is None:
        return
    facts = asked.facts
    args = facts["args"]
    meta = draft.meta(fields)
    patch = e.TerminalPatched(
        asked.session_id,
        id,
        "client",
        command=UNSET if facts["command"] is None else facts["command"],
        args=UNSET if args is None else tuple(args),
        cwd=UNSET if facts["cwd"] is None else facts["cwd"],
        renews=True,
        meta=UNSET if facts["meta"] is None else facts["meta"],
    )
    draft.emit(patch)
    if meta is not None:
        draft.emit(e.TerminalPatched(asked.session_id, id, "client", meta=meta))


def terminal_asked(draft: Draft, params: Json) -> None:
    """A request about a terminal: its answer does not name it."""
    of_version(draft, 1)
    fields = draft.object(params)
    session_id = session_of(draft, fields)
    id = draft.member(text, fields, "terminalId")
    meta = draft.meta(fields)
    opened(draft, session_id, names_session=True, facts={"terminalId": id})
    if meta is not None and session_id is not None and id is not None:
        draft.emit(e.TerminalPatched(session_id, id, "client", creates=False, meta=meta))


def terminal_answered(
    read: Callable[[Draft, Json], dict[str, Any]],
) -> Callable[[Draft, Asked | None, Json], None]:
    """Return what takes an answer about a terminal; *read* gets the patch out of it."""

    def answered(draft: Draft, asked: Asked | None, result: Json) -> None:
        if asked is None or asked.session_id is None or asked.facts["terminalId"] is None:
            return
        draft.emit(e.TerminalPatched(asked.session_id, asked.facts["terminalId"], "client", **read(draft, result)))

    return answered


def output_of(draft: Draft, result: Json) -> dict[str, Any]:
    """`TerminalOutputResponse`: all output that is retained."""
    values = draft.fields(sh.output_answer, result)
    output, truncated, status = (
        values["output"],
        values["truncated"],
        values["exit_status"],
    )
    return {
        "output": UNSET if output is None else output.encode("utf-8", "surrogatepass"),
        "truncated": UNSET if truncated is None else truncated,
        "exit_status": UNSET if status is None else status,
        "meta": _sent(values["meta"]),
    }


def _sent(meta: FrozenDict | None) -> FrozenDict | UnsetType:
    """The `_meta` of an answer as a patch: one that is not there clears nothing."""
    return UNSET if meta is None else meta


def exit_of(draft: Draft, result: Json) -> dict[str, Any]:
    """`WaitForTerminalExitResponse`."""
    status = draft.read(sh.exit_status, draft.object(result))
    return {"exit_status": s.ExitStatus(status.exit_code, status.signal), "creates": False, "meta": _sent(status.meta)}


def killed(draft: Draft, result: Json) -> dict[str, Any]:
    """`KillTerminalResponse`: the terminal stays."""
    return {"killed": True, "creates": False, "meta": _sent(draft.meta(draft.object(result)))}


def released(draft: Draft, result: Json) -> dict[str, Any]:
    """`ReleaseTerminalResponse`: its output stays."""
    return {"released": True, "creates": False, "meta": _sent(draft.meta(draft.object(result)))}
