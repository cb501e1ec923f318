"""Each happening as an item of the story: what it is called, how it went, what is shown of it."""

from __future__ import annotations

import re

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from attrs import evolve, frozen

from .. import state as s
from .._json import Json, encode
from .._model import UNSET
from ..chronicle import Changed, Happening, Planned, UnknownUpdate
from ..diagnostics import Diagnostic
from ..printing import error_text
from .diffs import changes_shown, difference
from .model import Data, Item, Link, Media, Mood, Output, Part, Prose, Step, Steps, Verbatim


@frozen
class Scene:
    """What an item may speak of besides itself: the session's tool calls, and its terminals by what shows them."""

    calls: Mapping[str, s.ToolCall]
    terminals: Mapping[str, s.Terminal]
    shown: frozenset[str]
    """The terminals that a tool call shows."""


NOWHERE: Final = Scene({}, {}, frozenset())


def scene_of(session: s.Session) -> Scene:
    """Return what the items of *session* may speak of."""
    calls = {entry.id: entry for entry in session.timeline if isinstance(entry, s.ToolCall)}
    terminals = {terminal.id: terminal for terminal in session.terminals}
    shown = (item.get("terminalId") for call in calls.values() for item in call.content if item.get("type") == "terminal")
    return Scene(calls, terminals, frozenset(id for id in shown if id in terminals))


def item_of(happening: Happening, number: int, scene: Scene) -> Item | None:
    """Return *happening* as an item with that number; `None` if it is shown elsewhere, or there is nothing to show."""
    what = happening.what
    if isinstance(what, s.Terminal) and what.id in scene.shown:
        return None
    item = _TELLERS[type(what)](what, scene)
    about = scene.calls.get(getattr(what, "tool_call_id", None) or "")
    inner = any(getattr(one, "parent", None) is not None for one in (what, about))
    return evolve(item, number=number, began=happening.began, ended=happening.ended, inner=inner)


MOODS: Final[Mapping[str, Mood]] = {
    "completed": "good",
    "accepted": "good",
    "answered": "good",
    "ended": "good",
    "failed": "bad",
    "invalid": "bad",
    "in_progress": "busy",
    "pending": "busy",
    "running": "busy",
    "open": "busy",
    "paused": "busy",
    "requires_action": "busy",
    "cancelled": "off",
    "declined": "off",
    "unanswered": "off",
}


def mood_of(status: str | None) -> Mood:
    """Return how something of that status stands."""
    return MOODS.get(status or "", "plain")


def data(label: str, value: Json, *, minor: bool = False) -> Data:
    """Return *value* as indented JSON."""
    return Data(encode(value, 2).decode("utf-8", "backslashreplace"), label, minor)


# --- content blocks --------------------------------------------------------------------------------


def content_parts(blocks: Iterable[Mapping[str, Any]], prose: Callable[[str], Part]) -> Iterator[Part]:
    """Yield what is shown of content blocks; *prose* makes a part of text."""
    for block in blocks:
        type_ = block.get("type")
        if type_ == "text":
            yield prose(block["text"])
        elif type_ in ("image", "audio"):
            yield Media(str(block.get("mimeType") or type_), str(block.get("data", "")), str(block.get("uri") or type_))
        elif type_ == "resource_link":
            yield Link(str(block.get("uri", "")), str(block.get("title") or block.get("name") or ""), str(block.get("description") or ""))
        elif type_ == "resource" and isinstance(block.get("resource"), Mapping):
            yield from _resource(block["resource"])
        else:
            yield data(str(type_), block)


def _resource(resource: Mapping[str, Any]) -> Iterator[Part]:
    uri = str(resource.get("uri", ""))
    if isinstance(resource.get("text"), str):
        yield Verbatim(resource["text"], uri, minor=True)
    else:
        yield Media(str(resource.get("mimeType") or "data"), str(resource.get("blob", "")), uri)


def _tool_parts(call: s.ToolCall, scene: Scene) -> Iterator[Part]:
    for item in call.content:
        type_ = item.get("type")
        if type_ == "content" and isinstance(item.get("content"), Mapping):
            yield from content_parts((item["content"],), lambda text: Verbatim(_unfenced(text)))
        elif type_ == "diff" and "changes" in item:
            yield from changes_shown(item)
        elif type_ == "diff":
            yield difference(str(item.get("path", "")), item.get("oldText"), item.get("newText"))
        elif type_ == "terminal" and item.get("terminalId") in scene.shown:
            yield terminal_output(scene.terminals[item["terminalId"]])
        else:
            yield data(str(type_), item)


_FENCED: Final = re.compile(r"(`{3,})[^`\n]*\n((?:(?!\1).*\n)*)\1\s*")


def _unfenced(text: str) -> str:
    """Return an output without the Markdown fence around it: some agents send outputs as code blocks."""
    fenced = _FENCED.fullmatch(text)
    return text if fenced is None else fenced[2].removesuffix("\n")


def terminal_output(terminal: s.Terminal) -> Output:
    """Return what *terminal* printed, and how it ended."""
    facts = [word for word in ("killed", "truncated") if getattr(terminal, word)]
    status = terminal.exit_status
    if status is not None:
        how = "exited" if status.exit_code is None else f"exit code {status.exit_code}"
        facts.insert(0, how if status.signal is None else f"signal {status.signal}")
    command = " ".join((terminal.command or "", *(terminal.args or ()))).strip()
    return Output(command, terminal.output.text if terminal.output is not None else "", tuple(facts))


# --- the timeline's entries ------------------------------------------------------------------------


_ROLES: Final = {"user": "You", "agent": "Agent", "thought": "Thought", "session": "Message"}


def _message(message: s.Message, _: Scene) -> Item:
    prose = Verbatim if message.role == "user" else Prose
    facts = [f"{word} {id}" for word, id in (("from", message.sender_session_id), ("to", message.recipient_session_id)) if id is not None]
    parts = tuple(content_parts(message.content, prose))
    says_something = any(not isinstance(part, (Prose, Verbatim)) or part.text.strip() for part in parts)
    return Item(
        kind=message.role if message.role in _ROLES else "agent",
        title=_ROLES.get(message.role, message.role),
        facts=(*facts, *(() if says_something else ("blank",))),
        parts=parts if says_something else (),
    )


_MARKS: Final = {
    "unannounced": "never introduced",
    "unresolved": "unresolved",
    "cancelled_by_client": "cancelled by the client",
    "cancel_requested": "cancel requested",
}


def _tool_call(call: s.ToolCall, scene: Scene) -> Item:
    parts = list(_tool_parts(call, scene))
    covered = {getattr(part, "path", None) for part in parts}
    shown: list[Part] = [link for link in _locations(call) if link.target not in covered]
    if call.raw_input is not UNSET:
        shown.append(data("input", call.raw_input, minor=any(isinstance(part, Output) for part in parts)))
    if call.raw_output is not UNSET:
        parts.append(data("output", call.raw_output, minor=bool(parts)))
    return Item(
        kind="tool",
        title=call.title or call.name or call.id,
        status=call.status,
        mood="off" if call.unresolved else mood_of(call.status),
        group=call.kind,
        facts=tuple(words for name, words in _MARKS.items() if getattr(call, name)),
        parts=(*shown, *parts),
    )


def _locations(call: s.ToolCall) -> list[Link]:
    locations = [location for location in call.locations or () if isinstance(location, Mapping)]
    return [Link(str(at.get("path", "")), note="" if at.get("line") is None else f"line {at['line']}") for at in locations]


def _permission(permission: s.Permission, scene: Scene) -> Item:
    call = scene.calls.get(permission.tool_call_id or "")
    about = call.title or call.name or call.id if call is not None else permission.tool_call_id
    subject = permission.subject
    parts: list[Part] = []
    if permission.description:
        parts.append(Prose(permission.description))
    if subject is not None and subject.get("type") == "command":
        parts.append(Output(str(subject.get("command", ""))))
    elif subject is not None and subject.get("type") != "tool_call":
        parts.append(data("subject", subject))
    selected = [option for option in permission.options or () if permission.status == "selected" and option.id == permission.option_id]
    parts.append(Steps(tuple(_option(option, permission) for option in permission.options or ()), minor=bool(selected)))
    decision = permission.decision or permission.option_id or permission.status
    name = selected[0].name if selected else None
    rejected = decision.startswith("reject")
    return Item(
        kind="permission",
        title=permission.title or about or "Permission",
        status=permission.status if permission.status != "selected" else decision if name is None else f"{name} ({decision})",
        mood=("bad" if rejected else "good") if permission.status == "selected" else mood_of(permission.status),
        facts=_answer_facts(permission),
        parts=(*parts, *_answer_parts(permission)),
    )


def _option(option: s.PermissionOption, permission: s.Permission) -> Step:
    chosen = permission.status == "selected" and option.id == permission.option_id
    mood: Mood = "off" if not chosen else "bad" if (option.kind or "").startswith("reject") else "good"
    return Step(mood, option.name or option.id, option.kind or "")


def _answer_facts(request: s.Request) -> tuple[str, ...]:
    facts = ["answer owed"] if request.answer_owed else []
    return (*facts, error_text(request.error)) if request.error is not None else tuple(facts)


def _answer_parts(request: s.Request) -> Iterator[Part]:
    if request.answer is not UNSET:
        yield data("answer", request.answer)


def _elicitation(question: s.Elicitation, _: Scene) -> Item:
    parts: list[Part] = []
    if question.url is not None:
        parts.append(Link(question.url, note="completed" if question.completed else ""))
    if question.requested_schema is not UNSET:
        parts += _form(question.requested_schema, question.content or {})
    if question.extra is not None:
        parts.append(data("asked", question.extra))
    if question.content is not None:
        parts.append(data("answer", question.content))
    return Item(
        kind="question",
        title=question.message or "Question",
        status=question.status,
        mood=mood_of(question.status),
        facts=_answer_facts(question),
        parts=(*parts, *_answer_parts(question)),
    )


def _form(schema: Any, content: Mapping[str, Any]) -> Iterator[Part]:
    """The fields of a form; one of an odd schema as it is."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping) or not all(isinstance(field, Mapping) for field in properties.values()):
        yield data("schema", schema)
        return
    fields = (
        Step(
            "good" if name in content else "off", str(field.get("title") or name), str(field.get("description") or field.get("type") or "")
        )
        for name, field in properties.items()
    )
    yield Steps(tuple(fields))


def _compaction(compaction: s.Compaction, _: Scene) -> Item:
    return Item(
        kind="compaction",
        title="Context compaction",
        status=compaction.status,
        mood=mood_of(compaction.status),
        facts=() if compaction.error is None else (compaction.error,),
        parts=tuple(content_parts(compaction.content, Prose)),
    )


# --- what is beside the timeline -------------------------------------------------------------------


def _terminal(terminal: s.Terminal, _: Scene) -> Item:
    status = terminal.exit_status
    failed = status is not None and (status.signal is not None or status.exit_code not in (0, None))
    return Item(
        kind="terminal",
        title=f"Terminal {terminal.id}",
        mood="busy" if status is None else "bad" if failed else "good",
        parts=(terminal_output(terminal),),
    )


def _file(file: s.FileRequest, _: Scene) -> Item:
    title = f"{file.operation} {file.path or ''}".rstrip()
    return Item(kind="file", title=title, status=file.status, mood=mood_of(file.status))


def _extension(extension: s.Extension, _: Scene) -> Item:
    sent = (("params", extension.params), ("result", extension.result))
    return Item(
        kind="extension",
        title=extension.method,
        status=extension.status or "",
        mood=mood_of(extension.status),
        facts=(
            f"{extension.kind} of the {extension.from_}",
            *(() if extension.error is None else (error_text(extension.error),)),
        ),
        parts=tuple(data(label, value, minor=label == "result") for label, value in sent if value is not UNSET and value is not None),
    )


def _subagent(subagent: s.Subagent, _: Scene) -> Item:
    state = "" if subagent.state is None else str(subagent.state.get("state") or "")
    return Item(
        kind="subagent",
        title=subagent.title or subagent.id,
        status=state,
        mood="good" if state == "idle" else mood_of(state),
        facts=(f"session {subagent.id}",),
        parts=() if subagent.description is None else (Prose(subagent.description),),
    )


def _notice(notice: s.Notice, _: Scene) -> Item:
    return Item(
        kind="notice",
        title=notice.title,
        status=notice.severity,
        mood=_SEVERITIES.get(notice.severity, "plain"),
        parts=() if notice.description is None else (Prose(notice.description),),
    )


def _unknown(unknown: UnknownUpdate, _: Scene) -> Item:
    update = unknown.update if isinstance(unknown.update, Mapping) else {}
    return Item(kind="unknown", title=f"Unknown update {update.get('sessionUpdate', '')}", parts=(data("as sent", unknown.update),))


def _changed(changed: Changed, _: Scene) -> Item:
    return Item(
        kind="setting",
        title=f"{changed.name}: {changed.after} (was {changed.before})",
        mood="bad" if changed.name == "session" and changed.after == "failed" else "plain",
    )


_STEP_MOODS: Final[Mapping[str, Mood]] = {"completed": "good", "in_progress": "busy"}


def _planned(planned: Planned, _: Scene) -> Item:
    plan = planned.plan
    if plan is None:
        return Item(kind="plan", title="Plan removed")
    parts: list[Part] = []
    title = "Plan"
    if plan.entries is not None:
        done = sum(entry.status == "completed" for entry in plan.entries)
        title = f"Plan {done}/{len(plan.entries)}" if plan.entries else "Plan without steps"
        before = planned.before.entries or () if planned.before is not None else ()
        old = {entry.content: entry.status for entry in before}
        # A plan that only moved on is told by the steps that moved.
        moved = [entry for entry in plan.entries if old.get(entry.content) != entry.status]
        whole = len(old) != len(plan.entries) or any(entry.content not in old for entry in plan.entries)
        entries = plan.entries if whole or not moved else moved
        if entries:
            parts.append(Steps(tuple(_step(entry) for entry in entries)))
    if plan.content is not None:
        parts.append(Prose(plan.content))
    if plan.uri is not None:
        parts.append(Link(plan.uri))
    if plan.extra is not None:
        parts.append(data(plan.type, plan.extra))
    return Item(kind="plan", title=title, parts=tuple(parts))


def _step(entry: s.PlanEntry) -> Step:
    known = entry.status in (*_STEP_MOODS, "pending")
    return Step(_STEP_MOODS.get(entry.status, "off"), entry.content, "" if known else entry.status)


_SEVERITIES: Final[Mapping[str, Mood]] = {"error": "bad", "warning": "busy"}


def _finding_title(finding: Diagnostic) -> str:
    """What a finding says; of what lacks its type, also what that is: the finding has it in its pointer alone."""
    *way, tag = (finding.pointer or "").split("/")
    names = [name for name in way if name and not name.isdigit()]
    if finding.code != "missing-discriminator" or not names:
        return finding.message
    return f"{names[-1]} without a {tag}, read as version 1 reads it"


def _finding(finding: Diagnostic, _: Scene) -> Item:
    facts = [finding.code]
    if finding.line is not None:
        facts.append(f"line {finding.line}")
    if finding.count > 1:
        facts.append(f"{finding.count} times")
    return Item(
        kind="finding",
        title=_finding_title(finding),
        status=finding.severity,
        mood=_SEVERITIES.get(finding.severity, "plain"),
        facts=tuple(facts),
    )


def waiting(prompt: s.PendingPrompt) -> Item:
    """What is told of a prompt that is not in the timeline."""
    status = "rejected" if prompt.rejected is not None else "accepted" if prompt.accepted else "waiting"
    return Item(
        kind="waiting",
        title="Prompt",
        status=status,
        mood="bad" if prompt.rejected is not None else "busy",
        facts=() if prompt.rejected is None else (error_text(prompt.rejected),),
        parts=tuple(content_parts([block for block in prompt.content if isinstance(block, Mapping)], Verbatim)),
    )


_TELLERS: Final[Mapping[type, Callable[[Any, Scene], Item]]] = {
    s.Message: _message,
    s.ToolCall: _tool_call,
    s.Permission: _permission,
    s.Elicitation: _elicitation,
    s.Compaction: _compaction,
    s.Terminal: _terminal,
    s.FileRequest: _file,
    s.Extension: _extension,
    s.Subagent: _subagent,
    s.Notice: _notice,
    UnknownUpdate: _unknown,
    Changed: _changed,
    Planned: _planned,
    Diagnostic: _finding,
}
