"""Questions that every client asks of a snapshot: small pure functions.

    for question in pending(snapshot):
        show(question.session_id, question.request)

A function takes the smallest part of the snapshot that has the answer: the snapshot itself where sessions are
looked through, else a session, a plan, a terminal. What is not said takes constant time. Texts are as
agents sent them: who prints them on a terminal takes control characters out first.
"""

from __future__ import annotations

import difflib
import re

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Final

from attrs import field, frozen

from ._json import FrozenDict, Json, key_of
from .containers import make_output
from .state import (
    Compaction,
    ConfigChoice,
    ConfigOption,
    Elicitation,
    Entry,
    JsonObject,
    Message,
    Mode,
    PendingPrompt,
    Permission,
    Plan,
    PlanEntry,
    Request,
    Session,
    Snapshot,
    Terminal,
    ToolCall,
    Turn,
)


# --- what waits for the user -----------------------------------------------------------------------


@frozen
class Pending:
    """A permission or elicitation that waits for the user."""

    session_id: str | None
    """The session that it belongs to; `None`: the connection itself asks, as while signing in."""
    request: Request


def pending(snapshot: Snapshot, session_id: str | None = None) -> tuple[Pending, ...]:
    """Return what waits for an answer of the user, the oldest first: in all sessions and on the connection, or in one session.

    Raises `KeyError` if there is no such session. Costs the number of sessions, of open requests and of what waits.
    """
    sessions = snapshot.sessions.values() if session_id is None else (snapshot.sessions[session_id],)
    found = [Pending(session.id, request) for session in sessions for request in _pending_in(session)]
    if session_id is None:
        found += [Pending(None, request) for request in snapshot.connection.elicitations if request.status == "pending"]
    # Entries of two sessions do not say which is older; requests do, which stand in the order in which they were sent.
    waiting: dict[object, deque[Pending]] = defaultdict(deque)
    for one in found:
        waiting[one.session_id, key_of(one.request.id)].append(one)
    places: dict[int, int] = {}
    for request in snapshot.connection.open_requests:
        same = waiting.get((request.session_id, key_of(request.id)))
        if same and request.from_ == "agent" and request.method in _QUESTIONS:
            places[id(same.popleft())] = len(places)
    return tuple(sorted(found, key=lambda one: places.get(id(one), len(places))))


_QUESTIONS: Final = frozenset(("session/request_permission", "elicitation/create", "session/elicitation"))


def _pending_in(session: Session) -> Iterator[Request]:
    for history in (session.before, session):
        if history is not None:
            yield from (
                question for place in history._pending if isinstance(question := history.timeline.at(place), (Permission, Elicitation))
            )


# --- what is going on ------------------------------------------------------------------------------


@frozen
class Work:
    """What a session is at work on."""

    activity: str | None
    """As `Session.activity`."""
    loading: bool
    """Whether the session is being set up, or its history loaded."""
    turns: tuple[Turn, ...]
    """The turns that run, the oldest first."""
    prompts: tuple[PendingPrompt, ...]
    """Prompts that wait for the agent to take them up, the oldest first (v2)."""
    calls: tuple[ToolCall, ...]
    """As `open_calls`."""
    pending: tuple[Request, ...]
    """What waits for the user, the oldest first."""
    background: tuple[JsonObject, ...]
    """What goes on beside, as sent; not counted as busy (v2)."""

    @property
    def busy(self) -> bool:
        """Whether the session is at work for the user, or waits for an answer of his."""
        return self.loading or bool(self.turns or self.prompts or self.pending) or self.activity not in (None, "idle")


def work(session: Session) -> Work:
    """Return whether *session* is busy, and with what. Costs the length of the timeline."""
    return Work(
        session.activity,
        session.phase in ("opening", "loading"),
        tuple(session.turns.at(turn.index) for turn in session._open_turns),
        tuple(prompt for prompt in session.pending_prompts if prompt.rejected is None),
        open_calls(session),
        tuple(_pending_in(session)),
        tuple(_objects(session.background)),
    )


def open_calls(session: Session) -> tuple[ToolCall, ...]:
    """Return the tool calls that have not come to an end and still may, in the order of the timeline.

    A call whose turn ended without it (`unresolved`) is none of them. Costs the length of the timeline.
    """
    calls = (entry for entry in session.timeline if isinstance(entry, ToolCall))
    return tuple(call for call in calls if not call.final and not call.unresolved)


_REASONS: Final = {
    "end_turn": "finished",
    "max_tokens": "ran out of tokens",
    "max_turn_requests": "made as many requests as a turn may have",
    "refusal": "refused to go on",
    "cancelled": "cancelled",
    "error": "failed",
}


def stopped_because(session: Session) -> str | None:
    """Return in words why the agent stopped: `finished`, `ran out of tokens`, `failed: <message>`; an unknown reason as sent.

    `None` while a turn runs, and where nobody said.
    """
    if session._open_turns:
        return None
    last = session._last_ended
    turn = (
        session.turns.at(last) if last is not None and session.turns.has_entry(last) else None
    )  # a replay takes turns away, not the reason
    reason = session.stop_reason or ("error" if turn is not None and turn.status == "failed" else None)
    if reason is None:
        return None
    error = None if turn is None or reason == "cancelled" else turn.error
    message = error.get("message") if isinstance(error, dict) else None
    words = _REASONS.get(reason, reason)
    return f"{words}: {message}" if isinstance(message, str) and message else words


def context_used(session: Session) -> float | None:
    """Return how full the context is, in percent; over 100 if the agent says so, `None` if it does not say or its size is 0."""
    usage = session.usage
    return None if usage is None or usage.size <= 0 else 100 * usage.used / usage.size


# --- modes -----------------------------------------------------------------------------------------


def effective_mode(session: Session) -> Mode | None:
    """Return the mode that *session* is in, with its name where that was told (SPEC 4.6).

    The config option of category `mode` comes before the session's modes; its choices are modes here.
    """
    id = session.effective_mode
    if id is None:
        return None
    return next((mode for mode in available_modes(session) if mode.id == id), Mode(id))


def available_modes(session: Session) -> tuple[Mode, ...]:
    """Return the modes that *session* may be put in; groups of choices are flattened.

    Those of a config option are set by `session/set_config_option`, others by `session/set_mode`.
    """
    for option in session.config_options or ():
        if option.category == "mode" and isinstance(option.current_value, str):
            return tuple(Mode(choice.value, choice.name, choice.description, meta=choice.meta) for choice in _choices(option))
    return (session.modes.available if session.modes is not None else None) or ()


def _choices(option: ConfigOption) -> Iterator[ConfigChoice]:
    for choice in option.options or ():
        if isinstance(choice, ConfigChoice):
            yield choice
        else:
            yield from choice.options


# --- texts -----------------------------------------------------------------------------------------


def text_of(entry: Message | Compaction | ToolCall) -> str:
    """Return the text of an entry: its text blocks, those of a tool call one below the other.

    Images and the like say nothing here. Costs the length of the text.
    """
    if not isinstance(entry, ToolCall):
        return entry.content.text
    blocks = (item["content"] for item in entry.content if item.get("type") == "content")
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text")


def answer(session: Session) -> str:
    """Return what the agent said in the last turn, or while that runs, so far: its messages with a blank line between them.

    Thoughts are left out, and what subagents said in the same session. Costs the length of the timeline.
    """
    last = len(session.turns) - 1
    messages = (entry for entry in session.timeline if isinstance(entry, Message) and entry.turn == last)
    said = (message.text for message in messages if message.role == "agent" and message.parent is None)
    return "\n\n".join(text for text in said if text)


def terminal_text(terminal: Terminal, tail: int | None = None) -> str:
    """Return what *terminal* printed, or the last *tail* lines of it.

    Bytes that are no UTF-8 are U+FFFD, half a character at the end is left out. The line end at the end begins no line.
    Costs the length of what is returned, and once that of what was printed since it was asked last.
    """
    if terminal.output is None:
        return ""
    if tail is None:
        return terminal.output.text
    data = bytes(terminal.output)
    start = len(data) - data.endswith(b"\n")
    for _ in range(tail):
        start = data.rfind(b"\n", 0, start)
        if start < 0:
            break
    return make_output(data[start + 1 :]).text if tail > 0 else ""


def find_terminal(session: Session, terminal_id: str) -> Terminal | None:
    """Return the terminal that a tool call's content names by its id; `None` if nothing is known of it yet."""
    return session.terminals.get(("agent", terminal_id)) or session.terminals.get(("client", terminal_id))


# --- plans -----------------------------------------------------------------------------------------


@frozen
class Progress:
    """How far a plan is."""

    done: int
    total: int
    current: PlanEntry | None = None
    """The first step that is in progress."""


def plan_progress(plan: Plan) -> Progress | None:
    """Return how many steps of a plan are completed, of how many; `None` if it is no list of steps.

    Cancelled steps count for neither. Costs the number of steps.
    """
    if plan.type != "items" or plan.entries is None:
        return None
    steps = [step for step in plan.entries if step.status != "cancelled"]
    current = next((step for step in steps if step.status == "in_progress"), None)
    return Progress(sum(step.status == "completed" for step in steps), len(steps), current)


# --- files -----------------------------------------------------------------------------------------


CHANGING: Final = frozenset(("edit", "delete", "move", "write", "add", "modify", "copy"))
"""What changes a file, of the words that `TouchedFile.how` may have."""


@frozen
class TouchedFile:
    """A file that a session had to do with."""

    path: str
    how: tuple[str, ...]
    """In which ways, each once: the kind of a call that names it (`read`, `edit`, `search`…), `edit` for a diff, the operation of a
    change (`add`, `delete`, `modify`, `move`, `copy`), `read` and `write` for a request of the agent."""
    lines: tuple[int, ...] = ()
    """The lines that calls point to, each once, from 1."""
    calls: tuple[str, ...] = ()
    """The ids of these calls, each once."""
    changed: bool = False
    """Whether it was changed, or is about to be: by a request or a call that did not fail and was not cancelled."""


def files_touched(session: Session) -> tuple[TouchedFile, ...]:
    """Return the files that tool calls and the agent's requests name, in the order in which they are named first, requests last.

    Requests that failed or were cancelled touch nothing. Costs the length of the timeline with its calls' content.
    """
    found: dict[str, _Touched] = {}
    for entry in session.timeline:
        if isinstance(entry, ToolCall):
            real = entry.status not in ("failed", "cancelled")
            for path, how, line in _named_by(entry):
                found.setdefault(path, _Touched()).note(how, line, entry.id, real=real)
    for request in session.files:
        if request.path is not None and request.status not in ("failed", "cancelled"):
            found.setdefault(request.path, _Touched()).note(request.operation)
    return tuple(touched.file(path) for path, touched in found.items())


@frozen
class _Touched:
    # Dictionaries, for they keep the order in which a set's members came.
    how: dict[str, None] = field(factory=dict)
    lines: dict[int, None] = field(factory=dict)
    calls: dict[str, None] = field(factory=dict)
    changes: set[str] = field(factory=set)

    def note(self, how: str, line: int | None = None, call: str | None = None, *, real: bool = True) -> None:
        self.how[how] = None
        if line is not None:
            self.lines[line] = None
        if call is not None:
            self.calls[call] = None
        if real and how in CHANGING:
            self.changes.add(how)

    def file(self, path: str) -> TouchedFile:
        return TouchedFile(path, tuple(self.how), tuple(self.lines), tuple(self.calls), bool(self.changes))


def _named_by(call: ToolCall) -> Iterator[tuple[str, str, int | None]]:
    """Yield the paths that a call names, with how, and with the line if one is told."""
    for location in call.locations or ():
        path, line = location.get("path"), location.get("line")
        if isinstance(path, str):
            yield path, call.kind, line if type(line) is int else None
    for item in call.content:
        if item.get("type") == "diff":
            yield from ((path, how, None) for path, how in _changed_by(item))


def _changed_by(diff: JsonObject) -> Iterator[tuple[str, str]]:
    if isinstance(diff.get("path"), str):
        yield diff["path"], "edit"
    for change in _objects(diff.get("changes")):
        operation = str(change.get("operation"))
        if isinstance(change.get("oldPath"), str):
            yield change["oldPath"], "read" if operation == "copy" else operation
        if isinstance(change.get("path"), str):
            yield change["path"], operation


def _objects(value: Json) -> tuple[JsonObject, ...]:
    return tuple(item for item in value if isinstance(item, FrozenDict)) if isinstance(value, list) else ()


def unified_diff(item: JsonObject, context: int = 3) -> str | None:
    """Return what a `diff` of a tool call's content changes, as a unified diff with so many lines of *context*.

    A v1 diff has both texts: no `oldText` is a new file; the diff of equal texts is empty. A v2 diff has a patch, which is returned as sent, or none: then
    only its `changes` tell which files are others, and `None` is returned, as for an item that is no diff. Costs the length of the
    texts, and where most lines differ the product of their numbers.
    """
    if item.get("type") != "diff":
        return None
    path, old, new = item.get("path"), item.get("oldText"), item.get("newText")
    if isinstance(path, str) and isinstance(new, str):
        before, after = (_LINES.findall(text) if isinstance(text, str) else [] for text in (old, new))
        name = _quoted(path)
        lines = difflib.unified_diff(before, after, name if isinstance(old, str) else "/dev/null", name, n=context)
        return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)
    patch = item.get("patch")
    text = patch.get("text") if isinstance(patch, dict) else None
    return text if isinstance(text, str) else None


_LINES: Final = re.compile("[^\n]*\n|[^\n]+")
"""A line of a file, with its end."""


def _quoted(path: str) -> str:
    """Return a path as git writes it: quoted where a character in it would be taken for something else."""
    if path.isprintable() and '"' not in path and "\\" not in path:
        return path
    data = path.encode("utf-8", "surrogatepass")
    return '"' + "".join(f"\\{chr(byte)}" if byte in b'"\\' else chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in data) + '"'


# --- subagents -------------------------------------------------------------------------------------


def children(snapshot: Snapshot, session_id: str) -> tuple[Session, ...]:
    """Return the sessions of a session's subagents, in the order in which they were announced.

    Raises `KeyError` if there is no such session. Costs the number of its subagents.
    """
    listed = (snapshot.sessions.get(subagent.id) for subagent in snapshot.sessions[session_id].subagents)
    return tuple(session for session in listed if session is not None)


def subtree(snapshot: Snapshot, session_id: str) -> tuple[Session, ...]:
    """Return a session, its children, theirs and so on, each once: a child stands after its parent and before its parent's next child.

    Raises `KeyError` if there is no such session. Costs the number of sessions that are returned.
    """
    found: dict[str, Session] = {}
    waiting = [snapshot.sessions[session_id]]
    while waiting:
        session = waiting.pop()
        if session.id not in found:
            found[session.id] = session
            waiting += reversed(children(snapshot, session.id))
    return tuple(found.values())


def entries_below(session: Session, tool_call_id: str) -> tuple[Entry, ...]:
    """Return the entries that came out of a tool call of the same session, and out of calls among them, in the order of the timeline.

    So agents show their subagents that give them no session (`parent`, SPEC 4.6). Costs the length of the timeline.
    """
    parents = {tool_call_id}
    found: list[Entry] = []
    for entry in session.timeline:
        if getattr(entry, "parent", None) in parents:
            found.append(entry)
            if isinstance(entry, ToolCall):
                parents.add(entry.id)
    return tuple(found)


__all__ = [
    "CHANGING",
    "Pending",
    "Progress",
    "TouchedFile",
    "Work",
    "answer",
    "available_modes",
    "children",
    "context_used",
    "effective_mode",
    "entries_below",
    "files_touched",
    "find_terminal",
    "open_calls",
    "pending",
    "plan_progress",
    "stopped_because",
    "subtree",
    "terminal_text",
    "text_of",
    "unified_diff",
    "work",
]
