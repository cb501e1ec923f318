"""Law 2: no public path lets a caller change a snapshot, and what was fed may be changed afterwards."""

from __future__ import annotations

import copy
import enum
import weakref

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
import pytest

from hypothesis import given

from acp_state.containers import EMPTY_LOG, EMPTY_TABLE
from acp_state.document import to_document
from acp_state.folding import Fold, fold

from strategies import conversations, json_values
from support.effort import many, ran
from support.recordings import folded, frames_of, told
from support.talk import Sent


LIST_CHANGES = (
    lambda value: value.append(1),
    lambda value: value.extend([1]),
    lambda value: value.insert(0, 1),
    lambda value: value.pop(),
    lambda value: value.remove(None),
    lambda value: value.clear(),
    lambda value: value.sort(),
    lambda value: value.reverse(),
    lambda value: value.__setitem__(0, 1),
    lambda value: value.__setitem__(slice(None), [1]),
    lambda value: value.__delitem__(0),
    lambda value: value.__iadd__([1]),
    lambda value: value.__imul__(2),
)
DICT_CHANGES = (
    lambda value: value.update(x=1),
    lambda value: value.setdefault("x", 1),
    lambda value: value.pop(next(iter(value), "x"), None),
    lambda value: value.popitem(),
    lambda value: value.clear(),
    lambda value: value.__setitem__("x", 1),
    lambda value: value.__delitem__(next(iter(value), "x")),
    lambda value: value.__ior__({"x": 1}),
)
REFUSALS = (TypeError, AttributeError, attrs.exceptions.FrozenInstanceError)


def public_names(value: Any) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]


def reachable(value: Any) -> Iterator[Any]:
    """Every object that public attributes and items lead to from *value*, itself included."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if one is None or isinstance(one, (str, bytes, int, float, bool, enum.Enum, type)) or id(one) in seen or callable(one):
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, (list, tuple)) or (hasattr(one, "__iter__") and hasattr(one, "__len__")):
            waiting += one
        if not isinstance(one, (dict, list, tuple, frozenset)):
            waiting += [getattr(one, name) for name in public_names(one)]


def fresh(conversation: list[Sent]) -> list[Sent]:
    """A copy that shares nothing: neither with *conversation* nor between its messages."""
    return [sent._replace(message=copy.deepcopy(sent.message)) for sent in conversation]


def is_refused(change: Any, value: Any) -> bool:
    try:
        change(value)
    except REFUSALS:
        return True
    return False


def assert_nothing_can_be_changed(root: Any) -> None:
    for value in reachable(root):
        if isinstance(value, (dict, list)):
            for change in DICT_CHANGES if isinstance(value, dict) else LIST_CHANGES:
                assert is_refused(change, value), (type(value), change)
            continue
        for name in (*public_names(value), "brand_new"):
            assert is_refused(lambda one, name=name: setattr(one, name, None), value), (type(value), name)
            assert is_refused(lambda one, name=name: delattr(one, name), value), (type(value), name)
        for change in (lambda one: one.__setitem__(0, None), lambda one: one.__delitem__(0)):
            assert is_refused(change, value), type(value)


def spoil(value: Any) -> None:
    """Change everything in *value*, at every depth."""
    children = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    for child in children:
        spoil(child)
    if isinstance(value, dict):
        for key in list(value):
            value[key] = "spoiled"
        value["spoiled"] = True
    elif isinstance(value, list):
        value[:] = ["spoiled"]


@given(conversations())
def test_no_public_path_changes_a_snapshot(conversation):
    ran("conversations")
    state = folded(frames_of(conversation))
    text = told(state)

    assert_nothing_can_be_changed(state)

    assert text == told(state)


@given(conversations())
def test_changing_what_was_fed_changes_nothing(conversation):
    ran("conversations")
    fed = fresh(conversation)
    by_frame, by_record = folded(frames_of(fed)), fold([{"t": 0, "from": sent.sender, "message": sent.message} for sent in fed])
    texts = told(by_frame), told(by_record)
    findings = copy.deepcopy(by_frame.diagnostics)
    for sent in fed:
        spoil(sent.message)

    assert texts == (told(by_frame), told(by_record))
    assert findings == by_frame.diagnostics


@given(conversations(12))
def test_changing_a_message_once_it_was_taken_changes_nothing_later(conversation):
    ran("conversations")
    fed = fresh(conversation)
    work = Fold()
    for sent in fed:
        for frame in frames_of([sent]):
            work.take(frame)
        spoil(sent.message)

    assert told(folded(frames_of(conversation))) == told(work.folded())


@given(conversations())
def test_events_hold_nothing_of_what_was_fed_that_may_be_changed(conversation):
    ran("conversations")
    work = Fold()
    for frame in frames_of(conversation):
        for event in work.take(frame):
            assert_nothing_can_be_changed(event)


@given(conversations())
def test_changing_a_document_changes_nothing(conversation):
    ran("conversations")
    state = folded(frames_of(conversation))
    text = told(state)
    document = to_document(state)
    for part in (document, document["connection"], document["sessions"], *document["sessions"].values()):
        part["spoiled"] = True
        for key in list(part):
            part[key] = None

    assert text == told(state)


@given(conversations())
def test_what_a_document_shares_with_a_snapshot_cannot_be_changed(conversation):
    ran("conversations")
    state = folded(frames_of(conversation))
    ours = {id(value) for value in reachable(state)}
    waiting: list[Any] = [to_document(state)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, (dict, list)):
            waiting += value.values() if isinstance(value, dict) else value
            if id(value) in ours:
                assert is_refused(lambda one: one.clear(), value)


@many(4)
@given(json_values)
def test_raw_values_cannot_be_changed(value):
    update = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "rawInput": value, "_meta": {"x": value}}
    state = fold([{"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}])
    (call,) = state.snapshot.sessions["s"].timeline

    assert_nothing_can_be_changed(call)


class Item:
    """Something to be kept, or not."""


@pytest.mark.parametrize(
    ("empty", "added"),
    [
        (EMPTY_LOG, EMPTY_LOG.append),
        (EMPTY_TABLE, lambda item: EMPTY_TABLE.add(item, item)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_empty_keeps_nothing_of_what_others_add(empty, added):
    item = Item()
    kept = weakref.ref(item)
    later = added(item)

    assert len(later) > len(empty) == 0
    del item, later
    assert kept() is None


def test_nothing_can_be_taken_out_of_the_empty_state():
    assert_nothing_can_be_changed(fold(b""))


@pytest.mark.parametrize("name", ["connection", "sessions"])
def test_an_attribute_cannot_be_set(name):
    with pytest.raises(AttributeError):
        setattr(fold(b"").snapshot, name, None)
