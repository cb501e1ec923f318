"""Arguments of a wrong kind: one clear error at the door, and nothing of it further in."""

from __future__ import annotations

import io

import pytest

from acp_state import (
    ForeignChangesError,
    Frame,
    Snapshot,
    Store,
    apply,
    changes_to_json,
    diff,
    dumps,
    event_to_json,
    fold,
    loads,
    to_document,
    trace,
)
from acp_state.compare import compare
from acp_state.normalize import normalize
from acp_state.reduce import reduce


EMPTY = fold(b"")
OTHER = object()
CALLS = {
    "fold": fold,
    "fold from": lambda bad: fold(b"", from_=bad),
    "trace": lambda bad: list(trace(bad)),
    "trace from": lambda bad: list(trace(b"", from_=bad)),
    "diff before": lambda bad: diff(bad, EMPTY.snapshot),
    "diff after": lambda bad: diff(EMPTY.snapshot, bad),
    "apply to": lambda bad: apply(bad, ()),
    "apply": lambda bad: apply(EMPTY.snapshot, [bad]),
    "changes_to_json": lambda bad: changes_to_json([bad], EMPTY.snapshot),
    "event_to_json": event_to_json,
    "dumps": dumps,
    "to_document": to_document,
    "loads": loads,
    "Store": Store,
    "Store.from_state": Store.from_state,
    "Store on_error": lambda bad: Store(on_error=bad),
    "subscribe": lambda bad: Store().subscribe(bad),
    "subscribe to": lambda bad: Store().subscribe(print, bad),
    "reduce": lambda bad: reduce(EMPTY.snapshot, bad),
}
NONE_IS_FINE = {"fold from", "trace from", "Store", "Store on_error", "subscribe to"}


@pytest.mark.parametrize("bad", [3, 2.5, OTHER, None], ids=lambda bad: type(bad).__name__)
@pytest.mark.parametrize("name", CALLS)
def test_one_clear_error_at_the_door(name, bad):
    if bad is None and name in NONE_IS_FINE:
        CALLS[name](None)
        return
    with pytest.raises(TypeError, match=rf", not {'None' if bad is None else type(bad).__name__}$") as caught:
        CALLS[name](bad)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: fold({"jsonrpc": "2.0", "method": "x"}),
        lambda: fold(Frame("agent", "notification")),
        lambda: fold(b"", from_=EMPTY.snapshot),
        lambda: fold(b"", from_={}),
        lambda: fold(b"", from_=dumps(EMPTY)),
        lambda: Store(EMPTY.snapshot),
        lambda: Store.from_state(to_document(EMPTY)),
        lambda: Store().feed(EMPTY.snapshot, "agent"),
        lambda: Store().feed(OTHER),
        lambda: Store().feed({1}, "client"),
        lambda: loads(to_document(EMPTY)),
        lambda: compare(EMPTY, EMPTY),
        lambda: compare({}, EMPTY.snapshot),
        lambda: diff(EMPTY, EMPTY.snapshot),
        lambda: reduce(EMPTY, folded_events()[0]),
    ],
)
def test_what_is_easily_taken_for_another(call):
    with pytest.raises(TypeError, match=", not "):
        call()


def folded_events():
    return normalize(EMPTY.wire, Frame("client", "request", 0, "session/list", {}))[1]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, io.BytesIO, lambda data: io.StringIO(data.decode())])
def test_the_bytes_of_a_recording_in_any_form(kind):
    data = b'{"jsonrpc":"2.0","id":0,"method":"session/list","params":{}}\n'

    assert fold(kind(data)).snapshot == fold(data).snapshot != Snapshot()


@pytest.mark.parametrize("decoded", [3, 2.5, True, None, {}, [], [3], [[]]])
def test_what_is_json_but_no_message_is_a_finding(decoded):
    for sender in (None, "agent"):
        store = Store()
        store.feed(decoded, sender)

        assert store.snapshot == Snapshot()
        assert len(store.diagnostics) == 1 or (decoded == [] and sender is None)


def update(kind, **fields):
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}}


def chunk(text, **fields):
    return update("agent_message_chunk", content={"type": "text", "text": text}, **fields)


MESSAGE = chunk("a", messageId="m")
TERMINAL = update("terminal_update", terminalId="t", output={"data": "YQ=="})
UNKNOWN = update("_unknown")

FOREIGN = {
    "there is no session 's'": ((MESSAGE,), MESSAGE, ()),
    "nothing stands at 0": ((MESSAGE,), MESSAGE, (UNKNOWN,)),
    "something stands at 1": ((MESSAGE,), chunk("b", messageId="n"), (MESSAGE, chunk("b", messageId="o"))),
    "something stands at 0": ((MESSAGE,), UNKNOWN, (UNKNOWN,)),
    "a message has no text that goes on": ((MESSAGE,), MESSAGE, (update("agent_message", messageId="m", content=[]),)),
    "terminal 't' has no output": (
        (TERMINAL,),
        update("terminal_output_chunk", terminalId="t", data="YQ=="),
        (update("terminal_update", terminalId="t", command="c"),),
    ),
}


def snapshots_of(*messages):
    """Yield the empty snapshot and that after each of *messages* of an agent."""
    store = Store()
    yield store.snapshot
    for message in messages:
        yield store.feed(message, "agent")


@pytest.mark.parametrize("why", FOREIGN)
def test_changes_from_another_snapshot(why):
    begin, change, other = FOREIGN[why]
    *_, before, after = snapshots_of(*begin, change)
    *_, foreign = snapshots_of(*other)
    changes = diff(before, after)

    assert apply(before, changes) == after
    with pytest.raises(ForeignChangesError, match=f"the changes were found from another snapshot: {why}"):
        apply(foreign, changes)


def test_changes_from_any_other_snapshot_are_applied_or_refused():
    stories = [[*begin, change, *other] for begin, change, other in FOREIGN.values()]
    snapshots = [snapshot for story in stories for snapshot in snapshots_of(*story)]
    for before in snapshots:
        for after in snapshots:
            changes = diff(before, after)
            for base in snapshots:
                try:
                    assert isinstance(apply(base, changes), Snapshot)
                except ForeignChangesError:
                    assert base is not before
