"""Terminals: one model for the client's, the agent's, and those that only `_meta` shows (SPEC 4.7)."""

from __future__ import annotations

from typing import Any

from .._model import UNSET, replace
from ..containers import EMPTY_OUTPUT, make_output
from ..events import TerminalCancelAsked, TerminalOutputAppended, TerminalPatched
from ..state import Session, Terminal
from .draft import Draft
from .history import H, change_both, histories_of, merge_meta, patch_meta, with_changes


def apply_terminal_patch(draft: Draft, session: Session, event: TerminalPatched) -> Session:
    """Patch a terminal, or add it."""
    key = (event.owner, event.id)
    terminals = session.terminals
    slot = -1 if event.renews else terminals.slot_of(key)
    if slot < 0 and not event.creates:
        draft.report("unknown-target", f"nobody knows a terminal {event.id!r}", event.id)
        return session
    before = Terminal(event.id, event.owner) if slot < 0 else terminals.at(slot)
    after = with_changes(
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
        meta=patch_meta(draft, before.meta, event.meta),
        **_replace_output(before, event),
    )
    if slot >= 0 and after is before:
        return session
    return replace(session, terminals=terminals.add(key, after, draft.owner) if slot < 0 else terminals.put(slot, after, draft.owner))


def _replace_output(terminal: Terminal, event: TerminalPatched) -> dict[str, Any]:
    """Return what a snapshot of the output changes: it replaces all of it, and what was said of the last one."""
    if event.output is UNSET:
        return {}
    if event.output is None:
        return {"output": None, "output_meta": None}
    old = terminal.output
    output = old if old is not None and bytes(old) == event.output else make_output(event.output)
    return {"output": output, "output_meta": event.output_meta}


def apply_terminal_output(draft: Draft, session: Session, event: TerminalOutputAppended) -> Session:
    """Append bytes to a terminal's output; what comes before its terminal counts."""
    key = (event.owner, event.id)
    slot = session.terminals.slot_of(key)
    terminal = Terminal(event.id, event.owner) if slot < 0 else session.terminals.at(slot)
    output = terminal.output or EMPTY_OUTPUT
    if event.cumulative and output and len(event.data) > len(output) and event.data.startswith(bytes(output)):
        draft.report("repeated-output", f"terminal {event.id!r} sent all of its output again", event.id)
        output = make_output(event.data)
    else:
        output = output.append(event.data)
    after = replace(terminal, output=output, meta=merge_meta(draft, terminal.meta, event.meta))
    terminals = session.terminals.set(key, after, draft.owner)
    return session if terminals is session.terminals else replace(session, terminals=terminals)


def apply_terminal_cancel(draft: Draft, session: Session, event: TerminalCancelAsked) -> Session:
    """Mark the agent's terminal; that it ended is the agent's to say (schema `CancelTerminalRequest`)."""
    key = ("agent", event.id)
    if not any(history.terminals.slot_of(key) >= 0 for history in histories_of(session)):
        draft.report("unknown-target", f"nobody knows a terminal {event.id!r}", event.id)

    def mark(history: H) -> H:
        slot = history.terminals.slot_of(key)
        before = None if slot < 0 else history.terminals.at(slot)
        if before is None or before.cancel_requested:
            return history
        return replace(history, terminals=history.terminals.put(slot, replace(before, cancel_requested=True), draft.owner))

    return change_both(session, mark)
