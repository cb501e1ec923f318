"""What the agent asks of the client: permission, answers, files, terminals (SPEC 4.5, 4.7, 4.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .. import events as e
from .. import state as s
from .._json import FrozenDict, Json
from .._model import UNSET, UnsetType
from ..protocol import objects as o
from ..protocol import requests as r
from ..protocol import updates as u
from ..protocol.marks import Json as AnyJson
from ..state import RequestKey
from . import quirks
from .connection import CANCELLED, check_version, error_code, merge, tell_version_2
from .context import Context, format_id
from .correlate import open_request
from .updates import emit_update
from .wire import Asked


# --- permissions -----------------------------------------------------------------------------------


def ask_permission(context: Context, raw: Json) -> None:
    """Take a `RequestPermissionRequest`: v1 names a tool call, v2 a subject. It always gets its entry."""
    fields = context.read_object(raw)
    is_of_v1 = "toolCall" in fields and "title" not in fields
    if "title" in fields:
        tell_version_2(context)
    elif is_of_v1:
        check_version(context, 1)
    elif not context.frame.partial:
        context.report("unreadable-field", "neither a title nor a toolCall", ())
    params = context.read_message(r.RequestPermissionRequest, fields)
    session_id = context.session_id = params.session_id or ""
    subject, call, path = _read_subject(context, fields)
    tool_call_id = None if call is None else call.tool_call_id
    if subject is not None and subject.get("type") == "command":
        tool_call_id = subject.get("toolCallId")
    parent = quirks.find_parent(params.meta) or (None if call is None else quirks.find_parent(call.meta))
    key = open_request(context, session_id, names_session=True)
    if call is not None:
        emit_update(context, session_id, call, *path, live=True)
    permission = s.Permission(
        context.id,
        parent=parent,
        tool_call_id=tool_call_id,
        title=None if params.title is UNSET else params.title,
        description=params.description,
        subject=subject,
        options=params.options,
        meta=params.meta,
    )
    context.emit(e.QuestionAsked(session_id, key, permission))


def _read_subject(context: Context, fields: Mapping[str, Json]) -> tuple[FrozenDict | None, u.ToolCallUpdate | None, tuple[str, ...]]:
    """Return what a permission is about, as sent, the patch of the tool call that it has, and where that stands."""
    if "toolCall" in fields:
        raw, form = fields["toolCall"], u.ToolCallUpdate1
        sent = context.read(AnyJson, raw, "toolCall", code="unreadable-field")
        subject = FrozenDict(type="tool_call", toolCall=sent) if isinstance(sent, FrozenDict) else None
        return subject, context.read(form, raw, "toolCall", code="unreadable-field"), ("toolCall",)
    if fields.get("subject") is None:
        return None, None, ()
    subject = context.read(o.RequestPermissionSubject, fields["subject"], "subject", code="unreadable-field")
    if subject is None or subject["type"] != "tool_call":
        return subject, None, ()
    path = ("subject", "toolCall")
    return subject, context.read(u.ToolCallUpdate, subject["toolCall"], *path, code="unreadable-field"), path


def settle_permission(context: Context, asked: Asked | None, result: Json) -> None:
    """Take a `RequestPermissionResponse`: what is not of the protocol's form is no approval."""
    if asked is None or asked.session_id is None:
        return
    whole = _keep(context, result)
    outcome = result.get("outcome") if isinstance(result, Mapping) else None
    kind = outcome.get("outcome") if isinstance(outcome, Mapping) else None
    meta = _read_metas(context, result, outcome)
    option_id = outcome.get("optionId") if isinstance(outcome, Mapping) else None
    if kind == "selected" and type(option_id) is str:
        answer = UNSET if _is_plain(result, outcome, "optionId") else whole
        _emit_answer(context, asked, "selected", meta, option_id=option_id, answer=answer, whole=whole)
    elif kind == "cancelled":
        _emit_answer(context, asked, "cancelled", meta, answer=UNSET if _is_plain(result, outcome) else whole)
    else:
        if not (type(kind) is str and kind != "selected" and context.version == 2):
            context.report("invalid-answer", "outcome: neither selected with an optionId nor cancelled", ("outcome",))
        _emit_answer(context, asked, "invalid", meta, answer=whole)


def _emit_answer(context: Context, asked: Asked, status: str, meta: FrozenDict | None, **facts: Any) -> None:
    context.emit(e.QuestionAnswered(asked.session_id, asked.key, status, meta=meta, **facts))


def _keep(context: Context, result: Json) -> Json | UnsetType:
    kept = context.read(AnyJson, result, code="unreadable-field")
    return UNSET if kept is None and result is not None else kept


def _is_plain(result: Json, outcome: Json, *members: str) -> bool:
    """Whether an answer says nothing that its entry has no place for."""
    return {"outcome", "_meta"}.issuperset(result) and {"outcome", "_meta", *members}.issuperset(outcome)


def _read_metas(context: Context, result: Json, inner: Json) -> FrozenDict | None:
    """Return the `_meta` of an answer and of what is in it, as one."""
    outer = context.read_meta(result) if isinstance(result, Mapping) else None
    nested = context.read_meta(inner, "outcome") if isinstance(inner, Mapping) and inner is not result else None
    return merge(outer, nested)


def fail_question(context: Context, asked: Asked | None, error: Json) -> None:
    """An error is no approval and no answer; a cancelled request is cancelled."""
    if asked is not None:
        status = "cancelled" if error_code(error) == CANCELLED else "failed"
        _emit_answer(context, asked, status, None, error=error)


# --- elicitations ----------------------------------------------------------------------------------


def ask_elicitation(context: Context, raw: Json) -> None:
    """Take a `CreateElicitationRequest`. It always gets its entry, on the connection if it names no session."""
    params = context.read_message(r.CreateElicitationRequest, raw)
    session_id = context.session_id = params.session_id
    if session_id is None and params.request_id is UNSET and not context.frame.partial:
        context.report("unreadable-field", "neither a sessionId nor a requestId", ())
    extra = None if params.mode in ("form", "url", None) else params.extra
    if params.mode not in ("form", "url", None) and context.version == 1:
        context.report("unknown-variant", f"mode: {format_id(params.mode)} is none of form, url", ("mode",))
    if extra is not None:
        extra = FrozenDict({key: value for key, value in extra.items() if key not in OUR_MEMBERS}) or None
    _check_mode(context, params)
    key = open_request(context, session_id, names_session=session_id is not None)
    if params.elicitation_id is not None:
        context.remember(urls=context.wire.urls.set(params.elicitation_id, session_id))
    elicitation = s.Elicitation(
        context.id,
        tool_call_id=params.tool_call_id,
        request_id=params.request_id,
        mode=params.mode,
        message=params.message,
        requested_schema=params.requested_schema,
        url=params.url,
        elicitation_id=params.elicitation_id,
        meta=params.meta,
        extra=extra,
    )
    context.emit(e.QuestionAsked(session_id, key, elicitation))


OUR_MEMBERS: Final = frozenset(("type", "id", "turn", "status", "content", "completed", "answerOwed", "answer", "error"))
"""What an elicitation's entry says besides what was sent: a vendor's member of that name would be taken for it."""


def _check_mode(context: Context, params: r.CreateElicitationRequest) -> None:
    """What a mode needs must be there; a form's schema is that of an object."""
    if context.frame.partial:
        return
    needed: dict[str, Any] = {}
    if params.mode == "form":
        needed = {"requestedSchema": params.requested_schema}
    elif params.mode == "url":
        needed = {"url": params.url, "elicitationId": params.elicitation_id}
    for name, value in needed.items():
        if value is None or value is UNSET:
            context.report("unreadable-field", f"{name}: is missing", (name,))
    if params.mode == "form" and params.requested_schema is not UNSET:
        fault = _find_fault(params.requested_schema)
        if fault is not None:
            context.report("invalid-schema", f"requestedSchema: {fault}", ("requestedSchema",))


def _find_fault(schema: Json) -> str | None:
    """Return why a form cannot be made of *schema* (schema `ElicitationSchema`), `None` if it can."""
    if not isinstance(schema, Mapping):
        return "the form is no object but None"
    if schema.get("type", "object") != "object":
        return f"the form is no object but {schema['type']!r}"
    properties, required = schema.get("properties", {}), schema.get("required")
    if not isinstance(properties, Mapping):
        return "its properties are no object"
    for name, property_ in properties.items():
        if not isinstance(property_, Mapping):
            return f"the property {name!r} is no object"
    if required is not None and not (isinstance(required, list) and all(type(name) is str for name in required)):
        return "what is required is no list of names"
    return None


def settle_elicitation(context: Context, asked: Asked | None, result: Json) -> None:
    """Take a `CreateElicitationResponse`: `accept` with content, `decline`, `cancel`, or what version 2 may add."""
    if asked is None:
        return
    inner = result
    if isinstance(result, Mapping) and isinstance(result.get("action"), Mapping):
        inner = result["action"]  # quirks.NESTED_ACTION
    whole = _keep(context, result)
    meta = _read_metas(context, result, inner)
    fields: Mapping[str, Json] = inner if isinstance(inner, Mapping) else {}
    action, content = fields.get("action"), fields.get("content")
    has_more = not {"action", "content", "_meta"}.issuperset(fields)
    if action == "accept" and (content is None or isinstance(content, Mapping)):
        read = None if content is None else context.read(AnyJson, content, "content", code="unreadable-field")
        _emit_answer(context, asked, "accepted", meta, content=read, answer=whole if has_more else UNSET)
    elif action in ("decline", "cancel"):
        status = "declined" if action == "decline" else "cancelled"
        _emit_answer(context, asked, status, meta, answer=whole if has_more or content is not None else UNSET)
    elif type(action) is str and action != "accept" and context.version == 2:
        _emit_answer(context, asked, "cancelled", meta, answer=whole)  # schema CreateElicitationResponse: "MUST handle it as `cancel`"
    else:
        context.report("invalid-answer", "action: none of accept (with an object), decline and cancel", ("action",))
        _emit_answer(context, asked, "invalid", meta, answer=whole)


def take_completion(context: Context, raw: Json) -> None:
    """Take a `CompleteElicitationNotification`: it names no session, so the normalizer remembers it."""
    fields = context.read_object(raw)
    id = context.read_member(str, fields, "elicitationId")
    if id is None:
        return
    urls = context.wire.urls
    if urls.slot_of(id) < 0:
        context.report("repeated-completion", f"no elicitation {id!r} waits to be completed", ("elicitationId",), id)
        return
    session_id = urls.get(id)
    context.remember(urls=urls.remove(id))
    context.emit(e.ElicitationCompleted(session_id, id, meta=context.read_meta(fields)))


# --- files -----------------------------------------------------------------------------------------


def ask_file(operation: str) -> Callable[[Context, RequestKey, r.TextFileRequest], None]:
    """Return what takes a request for a file to be read or written; contents are not kept."""

    def ask(context: Context, key: RequestKey, params: r.TextFileRequest) -> None:
        if params.session_id is not None:
            file = s.FileRequest(operation, params.path, meta=params.meta)
            context.emit(e.FileRequested(params.session_id, key, file))

    return ask


def settle_file(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """It is done."""
    if asked is not None and asked.session_id is not None:
        context.emit(e.FileAnswered(asked.session_id, asked.key, "answered", meta=result.meta))


def fail_file(context: Context, asked: Asked | None, error: Json) -> None:
    """It is not done."""
    if asked is not None and asked.session_id is not None:
        status = "cancelled" if error_code(error) == CANCELLED else "failed"
        context.emit(e.FileAnswered(asked.session_id, asked.key, status))


# --- the client's terminals ------------------------------------------------------------------------


def settle_terminal_create(context: Context, asked: Asked | None, result: r.CreateTerminalResponse) -> None:
    """The terminal's id comes with the answer. The environment is never kept."""
    if asked is None or asked.session_id is None or result.terminal_id is None:
        return
    facts = {name: UNSET if value is None else value for name, value in asked.facts.items()}
    context.emit(
        e.TerminalPatched(
            asked.session_id,
            result.terminal_id,
            "client",
            command=facts["command"],
            args=UNSET if facts["args"] is UNSET else tuple(facts["args"]),
            cwd=facts["cwd"],
            renews=True,
            meta=merge(asked.facts["meta"], result.meta),
        )
    )


def ask_of_terminal(context: Context, key: RequestKey, params: r.TerminalRequest) -> None:
    """The answer to a request about a terminal does not name it."""
    if params.meta is not None and params.session_id is not None and params.terminal_id is not None:
        context.emit(e.TerminalPatched(params.session_id, params.terminal_id, "client", creates=False, meta=params.meta))


def _settle_terminal(context: Context, asked: Asked | None, meta: FrozenDict | None, **facts: Any) -> None:
    if asked is not None and asked.session_id is not None and asked.facts["terminalId"] is not None:
        context.emit(e.TerminalPatched(asked.session_id, asked.facts["terminalId"], "client", meta=meta, **facts))


def settle_terminal_output(context: Context, asked: Asked | None, result: r.TerminalOutputResponse) -> None:
    """All output that is retained."""
    output = UNSET if result.output is None else result.output.encode("utf-8", "surrogatepass")
    truncated = UNSET if result.truncated is None else result.truncated
    status = UNSET if result.exit_status is None else result.exit_status
    _settle_terminal(context, asked, result.meta, output=output, truncated=truncated, exit_status=status)


def settle_terminal_exit(context: Context, asked: Asked | None, result: s.ExitStatus) -> None:
    """Its command ended; `_meta` of the answer is the terminal's."""
    status = s.ExitStatus(exit_code=result.exit_code, signal=result.signal)
    _settle_terminal(context, asked, result.meta, exit_status=status, creates=False)


def settle_terminal_kill(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """Its command was killed; the terminal stays."""
    _settle_terminal(context, asked, result.meta, killed=True, creates=False)


def settle_terminal_release(context: Context, asked: Asked | None, result: r.Empty) -> None:
    """The terminal is released; its output stays."""
    _settle_terminal(context, asked, result.meta, released=True, creates=False)
