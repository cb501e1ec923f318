"""Terminals: one model for the client's, the agent's, and those that only `_meta` shows (SPEC 4.7)."""

from __future__ import annotations

from typing import Any

from .._content import EMPTY_OUTPUT, Output
from .._model import UNSET, evolve
from ..events import TerminalCancelAsked, TerminalOutputAppended, TerminalPatched
from ..state import Session, Terminal
from ._session import H, Note, changed, histories, in_both, merged_meta, patched_meta


def terminal_patched(session: Session, event: TerminalPatched, note: Note) -> Session:
    """Patch a terminal, or add it."""
    key = (event.owner, event.id)
    terminals = session.terminals
    place = -1 if event.renews else terminals.place(key)
    if place < 0 and not event.creates:
        note("unknown-target", f"nobody knows a terminal {event.id!r}", event.id)
        return session
    before = Terminal(event.id, event.owner) if place < 0 else terminals.at(place)
    after = changed(
        before,
        command=event.command,
        args=event.args,
        cwd=event.cwd,
        size=event.size,
        capabilities=event.capabilities,
        truncated=event.truncated,
        exit_status=event.exit_status,
        killed=event.killed or UNSET,
        released=event.released or UNSET,
        meta=patched_meta(before.meta, event.meta),
        **_snapshot(before, event),
    )
    if place < 0:
        return evolve(session, terminals=terminals.add(key, after))
    return session if after is before else evolve(session, terminals=terminals.replace(place, after))


def _snapshot(terminal: Terminal, event: TerminalPatched) -> dict[str, Any]:
    """A snapshot of the output replaces all of it, and what was said of the last one."""
    if event.output is UNSET:
        return {}
    if event.output is None:
        return {"output": None, "output_meta": None}
    old = terminal.output
    output = old if old is not None and bytes(old) == event.output else Output(event.output)
    return {"output": output, "output_meta": event.output_meta}


def terminal_output_appended(session: Session, event: TerminalOutputAppended, note: Note) -> Session:
    """Append bytes to a terminal's output; what comes before its terminal counts."""
    key = (event.owner, event.id)
    terminal = session.terminals.find(key) or Terminal(event.id, event.owner)
    output = terminal.output or EMPTY_OUTPUT
    if event.cumulative and output and len(event.data) > len(output) and event.data.startswith(bytes(output)):
        note(
            "repeated-output",
            f"terminal {event.id!r} sent all of its output again",
            event.id,
        )
        output = Output(event.data)
    else:
        output = output.append(event.data)
    after = evolve(terminal, output=output, meta=merged_meta(terminal.meta, event.meta))
    return evolve(session, terminals=session.terminals.put(key, after))


def terminal_cancel_asked(session: Session, event: TerminalCancelAsked, note: Note) -> Session:
    """Mark the agent's terminal; that it ended is the agent's to say (schema `CancelTerminalRequest`)."""
    key = ("agent", event.id)
    if not any(history.terminals.place(key) >= 0 for history in histories(session)):
        note("unknown-target", f"nobody knows a terminal {event.id!r}", event.id)

    def mark(history: H) -> H:
        place = history.terminals.place(key)
        before = None if place < 0 else history.terminals.at(place)
        if before is None or before.cancel_requested:
            return history
        return evolve(history, terminals=history.terminals.replace(place, evolve(before, cancel_requested=True)))

    return in_both(session, mark)
