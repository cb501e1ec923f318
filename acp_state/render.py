"""A snapshot as plain text for a person: what there is, in the order in which it came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from . import state as s
from .findings import visible
from .printing import error_text, json_text


def render(snapshot: s.Snapshot) -> str:
    """Return *snapshot* as text; what agents sent can drive no terminal (SPEC 8)."""
    lines = [*_connection(snapshot.connection)]
    for session in snapshot.sessions.values():
        lines += ["", *_session(session)]
    return "\n".join(_printable(line) for line in lines) + "\n"


def _printable(line: str) -> str:
    return str(visible(line))


def _facts(*facts: tuple[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts if value not in (None, "", False))


def _connection(connection: s.Connection) -> Iterator[str]:
    agent = connection.agent
    name = None if agent is None else " ".join(part for part in (agent.name, agent.version) if part)
    yield (
        "connection "
        + _facts(
            ("", connection.phase),
            ("with", name),
            ("protocol version", connection.protocol_version),
        ).strip()
    )
    if connection.error is not None:
        yield f"  error: {error_text(connection.error)}"
    if connection.exit is not None:
        yield "  exit: " + ", ".join(
            f"{name} {value if isinstance(value, str) else json_text(value)}" for name, value in connection.exit.items()
        )
    for request in connection.open_requests:
        yield f"  open: {request.method} of the {request.from_}{_id(request.id, ', id')}"
    for elicitation in connection.elicitations:
        yield from _entry(elicitation)


def _session(session: s.Session) -> Iterator[str]:
    yield (
        f"session {session.id} "
        + _facts(
            ("", session.phase),
            ("title", session.title),
            ("activity", session.activity),
            ("stopped for", session.stop_reason),
        ).strip()
    )
    if session.error is not None:
        yield f"  error: {error_text(session.error)}"
    if session.usage is not None:
        usage = session.usage
        cost = "" if usage.cost is None else f", {usage.cost.amount} {usage.cost.currency}"
        yield f"  context {usage.used} of {usage.size}{cost}"
    for plan in session.plans:
        yield f"  plan {plan.id or ''}".rstrip() + ", without steps" * (plan.entries == ())
        for step in plan.entries or ():
            yield f"    [{step.status}] {step.content}"
    for number, turn in enumerate(session.turns, start=1):
        if turn.status == "failed":
            yield f"  turn {number} failed" + ("" if turn.error is None else f": {error_text(turn.error)}")
    for entry in session.timeline:
        yield from _entry(entry)
    for prompt in session.pending_prompts:
        yield f"  waiting: a prompt{_id(prompt.request_id, ', id')}" + (" (rejected)" if prompt.rejected is not None else "")


def _entry(entry: s.Entry) -> Iterator[str]:
    yield from (f"  {line}" for line in _RENDERERS[type(entry)](entry))


def _message(message: s.Message) -> Iterator[str]:
    first, *rest = (message.text or f"<{len(message.content)} blocks>").split("\n")
    yield f"{message.role}: {first}"
    yield from (f"  {line}" for line in rest)


def _tool_call(call: s.ToolCall) -> Iterator[str]:
    marks = [name for name in ("unannounced", "unresolved", "cancelled_by_client") if getattr(call, name)]
    yield f"tool {call.id} [{call.status}] {call.title or call.name or call.kind}" + (f" ({', '.join(marks)})" if marks else "")


def _id(id: s.RequestId, before: str = "") -> str:
    """The id of a request, where one is known: a recording may have none."""
    return "" if id is None else f"{before} {json_text(id)}"


def _permission(permission: s.Permission) -> Iterator[str]:
    yield f"permission{_id(permission.id)} [{permission.status}] " + _facts(
        ("for", permission.tool_call_id), ("decision", permission.decision)
    )


def _elicitation(elicitation: s.Elicitation) -> Iterator[str]:
    yield f"question{_id(elicitation.id)} [{elicitation.status}] {elicitation.message or ''}".rstrip()


def _compaction(compaction: s.Compaction) -> Iterator[str]:
    yield f"compaction {compaction.id} [{compaction.status}]"


_RENDERERS: Final[Mapping[type, Callable[[Any], Iterator[str]]]] = {
    s.Message: _message,
    s.ToolCall: _tool_call,
    s.Permission: _permission,
    s.Elicitation: _elicitation,
    s.Compaction: _compaction,
}
