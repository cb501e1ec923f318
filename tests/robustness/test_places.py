"""Any JSON value at any place of a frame: the goldens' frames, each place of each kind of frame once.

What stands at a place is replaced, and what comes after it is folded all the same.
"""

from __future__ import annotations

import json

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from acp_state.document import dumps, loads
from acp_state.folded import Folded
from acp_state.folding import fold

from support.effort import ran
from support.recordings import told


GOLDEN: Final = Path(__file__).parents[2] / "golden"

VALUES: Final = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    2**64,
    "",
    "other",
    "\ud800",
    [],
    {},
    [None, 7, "x", {}, []],
    {"": None, "type": "_x", "_meta": 3},
    [[[[]]]],
    {"sessionId": "s-1", "toolCallId": {}, "id": []},
)

APART: Final = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"apart","update":'
    b'{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"said"}}}}\n'
)


class Place(NamedTuple):
    """Where something may stand: in which frame, after what, and the way to it."""

    before: bytes
    record: Any
    path: tuple[Any, ...]


def ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value in *value*; of a list the first item alone."""
    yield way
    if isinstance(value, dict):
        for name, part in value.items():
            yield from ways(part, (*way, name))
    elif isinstance(value, list) and value:
        yield from ways(value[0], (*way, 0))


def kind_of(message: Any) -> tuple[Any, ...]:
    """Return what makes a message another one than others."""
    params = message.get("params")
    update = params.get("update") if isinstance(params, dict) else None
    told_kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    result = message.get("result")
    return (message.get("method"), told_kind, tuple(sorted(result)) if isinstance(result, dict) else None)


def places() -> Iterator[Place]:
    """Yield the places of the messages in the goldens, those of one kind of message once."""
    seen = set()
    for path in sorted([*GOLDEN.glob("*.ndjson"), *GOLDEN.glob("*.jsonl")]):
        before = b""
        for line in path.read_bytes().splitlines(keepends=True):
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            message = record.get("message", record) if isinstance(record, dict) else None
            if isinstance(message, dict):
                for way in ways(message):
                    key = str((kind_of(message), way))
                    if key not in seen:
                        seen.add(key)
                        yield Place(before, record, ("message", *way) if message is not record else way)
            before += line


PLACES: Final = list(places())


def replaced(value: Any, way: tuple[Any, ...], other: Any) -> Any:
    """Return a copy of *value* in which *other* stands at the end of *way*."""
    if not way:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[way[0]] = replaced(value[way[0]], way[1:], other)
    return copy


def assert_goes_on(state: Folded, place: Place, value: Any) -> Folded:
    ran("mutated inputs")
    line = json.dumps(replaced(place.record, place.path, value)).encode() + b"\n"
    after = fold(line + APART, from_=state)
    assert after.snapshot.sessions["apart"].timeline[-1].text == "said", line
    return after


def state_before(place: Place, known: dict[bytes, Folded]) -> Folded:
    """Return the state before a place; of places in the same frame the same one."""
    if place.before not in known:
        known.clear()
        known[place.before] = fold(place.before)
    return known[place.before]


def test_there_are_places_of_both_versions():
    assert len(PLACES) > 1000
    assert {place.path[-1] for place in PLACES if place.path} >= {"sessionUpdate", "toolCallId", "stopReason", "data", "protocolVersion"}


@pytest.mark.parametrize("part", range(8))
def test_any_value_may_stand_at_any_place_and_what_follows_is_folded(part):
    """A few values for each place, others for its neighbours."""
    known: dict[bytes, Folded] = {}
    for number in range(part * len(PLACES) // 8, (part + 1) * len(PLACES) // 8):
        place = PLACES[number]
        state = state_before(place, known)
        for turn in range(2):
            after = assert_goes_on(state, place, VALUES[(number + turn * 7) % len(VALUES)])
        if number % 8 == 0:
            assert told(loads(dumps(after))) == told(after)


@pytest.mark.long
@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_each_value_may_stand_at_each_place_and_goes_through_the_document(value):
    known: dict[bytes, Folded] = {}
    for place in PLACES:
        after = assert_goes_on(state_before(place, known), place, value)
        assert told(loads(dumps(after))) == told(after)
