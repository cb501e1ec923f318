"""Terminals: one model for the client's, the agent's, and those that only `_meta` shows (SPEC 4.7)."""

from __future__ import annotations

from typing import Any

from .._json import freeze
from .._model import UNSET, replace
from ..containers import EMPTY_OUTPUT, Output, make_output
from ..events import SessionUpdate, TerminalCancelled, TerminalPatched, TerminalPrinted
from ..protocol.updates import TerminalOutputChunk, TerminalUpdate
from ..state import JsonObject, Session, Terminal
from .draft import Draft
from .history import H, change_both, histories_of, merge_meta, patch_meta, with_changes


def apply_terminal_patch(draft: Draft, session: Session, event: TerminalPatched) -> Session:
    """Patch a terminal that the client runs or that `_meta` shows, or add it."""
    slot = -1 if event.renews else session.terminals.slot_of((event.owner, event.id))
    if slot < 0 and not event.creates:
        draft.report("unknown-target", f"nobody knows a terminal {event.id!r}", event.id)
        return session
    before = Terminal(event.id, event.owner) if slot < 0 else session.terminals.at(slot)
    after = with_changes(
        before,
        command=event.command,
        args=event.args,
        cwd=event.cwd,
        truncated=event.truncated,
        exit_status=event.exit_status,
        killed=event.killed or UNSET,
        released=event.released or UNSET,
        meta=merge_meta(draft, before.meta, event.meta),
    )
    if event.output is not UNSET:
        after = _replace_output(after, event.output, None)
    return _put_terminal(draft, session, slot, before, after)


def apply_terminal_update(draft: Draft, session: Session, event: SessionUpdate[TerminalUpdate]) -> Session:
    """Patch a terminal that the agent runs, or add it."""
    patch = event.update
    slot = session.terminals.slot_of(("agent", patch.terminal_id))
    before = Terminal(patch.terminal_id, "agent") if slot < 0 else session.terminals.at(slot)
    after = with_changes(
        before,
        command=patch.command,
        cwd=patch.cwd,
        size=patch.size if patch.size is UNSET else freeze(patch.size),
        capabilities=patch.capabilities,
        exit_status=patch.exit_status,
        meta=patch_meta(draft, before.meta, patch.meta),
    )
    if patch.output is None:
        after = with_changes(after, output=None, output_meta=None)
    elif patch.output is not UNSET:
        after = _replace_output(after, patch.output.data, patch.output.meta)
    return _put_terminal(draft, session, slot, before, after)


def _replace_output(terminal: Terminal, data: bytes, meta: JsonObject | None) -> Terminal:
    """Return *terminal* with a snapshot of its output: it replaces all of it, and what was said of the last one."""
    old = terminal.output
    output = old if old is not None and bytes(old) == data else make_output(data)
    return with_changes(terminal, output=output, output_meta=meta)


def _put_terminal(draft: Draft, session: Session, slot: int, before: Terminal, after: Terminal) -> Session:
    if slot >= 0 and after is before:
        return session
    terminals = session.terminals
    after_all = terminals.add((after.owner, after.id), after, draft.owner) if slot < 0 else terminals.put(slot, after, draft.owner)
    return session if after_all is terminals else replace(session, terminals=after_all)


def apply_terminal_output(draft: Draft, session: Session, event: TerminalPrinted) -> Session:
    """Append what a terminal that `_meta` shows printed: the next bytes, or all of its output once more."""
    slot, terminal, output = _find_terminal(session, event.id)
    if event.cumulative and output and len(event.data) > len(output) and event.data.startswith(bytes(output)):
        draft.report("repeated-output", f"terminal {event.id!r} sent all of its output again", event.id)
        output = make_output(event.data)
    else:
        output = output.append(event.data)
    return _put_terminal(draft, session, slot, terminal, replace(terminal, output=output))


def apply_terminal_output_chunk(draft: Draft, session: Session, event: SessionUpdate[TerminalOutputChunk]) -> Session:
    """Append bytes to the output of a terminal that the agent runs; what comes before its terminal counts."""
    chunk = event.update
    slot, terminal, output = _find_terminal(session, chunk.terminal_id)
    after = replace(terminal, output=output.append(chunk.data), meta=merge_meta(draft, terminal.meta, chunk.meta))
    return _put_terminal(draft, session, slot, terminal, after)


def _find_terminal(session: Session, id: str) -> tuple[int, Terminal, Output]:
    """Return where the agent's terminal stands, the terminal (a new one if there is none), and its output."""
    slot = session.terminals.slot_of(("agent", id))
    terminal: Any = Terminal(id, "agent") if slot < 0 else session.terminals.at(slot)
    return slot, terminal, terminal.output or EMPTY_OUTPUT


def apply_terminal_cancel(draft: Draft, session: Session, event: TerminalCancelled) -> Session:
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
