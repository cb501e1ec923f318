"""Code as users write it, with every public name in it. It is checked by mypy and pyright and never run."""

# pyright: strict

from __future__ import annotations

import asyncio

from collections.abc import Iterator
from pathlib import Path
from typing import Any, assert_type

import acp_state

from acp_state import (
    CATALOGUE,
    UNSET,
    AcpStateError,
    Change,
    Diagnostic,
    DocumentError,
    Folded,
    ForeignChangesError,
    Frame,
    GoldenError,
    Session,
    Snapshot,
    Step,
    Store,
    StoreClosedError,
    Tally,
    UnknownDialectError,
    Update,
    apply,
    changes,
    changes_to_json,
    compare,
    diff,
    document_schema,
    dumps,
    entry_steps,
    event_to_json,
    events,
    fold,
    golden,
    loads,
    normalize,
    queries,
    reduce,
    state,
    to_document,
    trace,
)


def folding(path: Path) -> str:
    try:
        folded = fold(path, dialect="jsonrpc", until=10)
        folded = fold([b"{}", "{}", {"jsonrpc": "2.0"}], from_=folded, strict=True)
    except (UnknownDialectError, OSError) as error:
        return str(error)
    assert_type(folded, Folded)
    assert_type(folded.snapshot, Snapshot)
    assert_type(folded.tally, Tally)
    assert_type(folded.tally.read, int)
    for finding in folded.diagnostics:
        assert_type(finding, Diagnostic)
        assert_type(CATALOGUE[finding.code].sentence, str)
        assert_type(finding.line, int | None)
    return dumps(folded)


def going_on(text: str) -> Folded:
    try:
        return loads(text)
    except DocumentError as error:
        raise SystemExit(str(error)) from None
    except AcpStateError:
        return Folded()


def looking(snapshot: Snapshot) -> Iterator[str]:
    for session in snapshot.sessions.values():
        assert_type(session, Session)
        assert_type(session.title, str | None)
        assert_type(session.effective_mode, str | None)
        for turn in session.turns:
            assert_type(turn, state.Turn)
        for entry in session.timeline:
            match entry:
                case state.Message():
                    assert_type(entry.text, str)
                    yield entry.text
                case state.ToolCall():
                    assert_type(entry.status, str)
                    if entry.raw_output is not UNSET:
                        yield repr(entry.raw_output)
                case state.Permission():
                    assert_type(entry.options, tuple[state.PermissionOption, ...] | None)
                case state.Elicitation() | state.Compaction():
                    assert_type(entry.status, str)


def asking(snapshot: Snapshot) -> Iterator[str]:
    for question in queries.pending(snapshot):
        assert_type(question, queries.Pending)
        assert_type(question.request, state.Permission | state.Elicitation)
    for session in snapshot.sessions.values():
        busy: queries.Work = queries.work(session)
        assert_type(busy.busy, bool)
        assert_type(queries.open_calls(session), tuple[state.ToolCall, ...])
        assert_type(queries.stopped_because(session), str | None)
        assert_type(queries.context_used(session), float | None)
        assert_type(queries.effective_mode(session), state.Mode | None)
        assert_type(queries.available_modes(session), tuple[state.Mode, ...])
        for plan in session.plans:
            progress: queries.Progress | None = queries.plan_progress(plan)
            if progress is not None:
                yield f"{progress.done} of {progress.total}"
        for file in queries.files_touched(session):
            assert_type(file, queries.TouchedFile)
            yield file.path if queries.CHANGING.intersection(file.how) else ""
        yield queries.answer(session)
        yield from calls(session)
        for child in (*queries.children(snapshot, session.id), *queries.subtree(snapshot, session.id)):
            assert_type(child, Session)


def calls(session: Session) -> Iterator[str]:
    for entry in queries.entries_below(session, "call-1"):
        if isinstance(entry, (state.Message, state.Compaction, state.ToolCall)):
            yield queries.text_of(entry)
        if isinstance(entry, state.ToolCall):
            yield from (queries.unified_diff(item, context=1) or "" for item in entry.content)
    terminal = queries.find_terminal(session, "terminal-1")
    if terminal is not None:
        yield queries.terminal_text(terminal, tail=10)


def differences(before: Snapshot, after: Snapshot) -> list[str]:
    found: tuple[Change, ...] = diff(before, after)
    try:
        assert_type(apply(before, found), Snapshot)
    except ForeignChangesError as error:
        return [str(error)]
    appended = [change.text for change in found if isinstance(change, changes.TextAppended)]
    assert_type(appended, list[str])
    paths = [str(printed["path"]) for printed in changes_to_json(found, after)]
    return [*appended, *paths, *(compare.describe(one) for one in compare.compare(to_document(before), to_document(after)))]


def steps(path: Path) -> list[events.Event]:
    for step in entry_steps(trace(path), "call-1"):
        assert_type(step, Step)
        assert_type(step.frame, Frame | None)
        assert_type(step.changes, tuple[Change, ...])
    happened = [event for step in trace(path) for event in step.events]
    assert_type([event_to_json(event) for event in happened], list[dict[str, Any]])
    return happened


def by_hand(frame: Frame) -> Snapshot:
    folded = Folded()
    wire, heard, findings = normalize.normalize(folded.wire, frame)
    assert_type(findings, tuple[Diagnostic, ...])
    assert_type(wire, normalize.Wire)
    snapshot = folded.snapshot
    for event in heard:
        if isinstance(event, events.ExtensionSent):
            continue
        snapshot = reduce.reduce(snapshot, event)
    return snapshot


def live(received: bytes) -> Snapshot:
    def listen(before: Snapshot, after: Snapshot, happened: tuple[events.Event, ...]) -> None:
        assert_type(happened, tuple[events.Event, ...])

    with Store(on_error=repr) as store:
        stop = store.subscribe(listen)
        stop_too = store.subscribe(lambda was, now, _: (was, now), select=lambda snapshot: snapshot.sessions["s-1"].title)
        try:
            assert_type(store.feed(received, "agent"), Snapshot)
            store.feed({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s-1"}}, "client", time=1.5)
            store.feed(Frame("agent", "notification", method="_robin/tell"))
        except StoreClosedError:
            pass
        stop()
        stop_too()
        assert_type(store.state, Folded)
        assert_type(store.diagnostics, tuple[Diagnostic, ...])
    return Store.from_state(dumps(store.state)).snapshot


async def following(store: Store) -> int:
    joined = 0
    async for update in store.changes(limit=10):
        assert_type(update, Update)
        assert_type(update.changes, tuple[Change, ...])
        joined += update.joined
    return joined


def goldens(root: Path) -> list[str]:
    try:
        suite = golden.find(["golden/*.ndjson"], root)
    except GoldenError as error:
        return [str(error)]
    return [str(mismatch) for one in suite.goldens for mismatch in golden.verify(one)]


def main() -> tuple[int, str | None, list[str]]:
    assert_type(document_schema()["$id"], Any)
    return asyncio.run(following(Store())), queries.__doc__, acp_state.__all__
