"""Law 1: the same input gives the same output, and nothing that was there before is touched."""

from __future__ import annotations

import ast
import pathlib

import pytest

from hypothesis import given
from hypothesis import strategies as st

import acp_state

from acp_state.folding import Fold, fold
from acp_state.normalize import NEW, normalize
from acp_state.reduce import reduce
from acp_state.state import EMPTY

from strategies import conversations, polite, rude_messages
from support.effort import ran
from support.recordings import folded, frames_of, recording, told


PACKAGE = pathlib.Path(acp_state.__file__).parent
IMPURE = {
    "asyncio",
    "builtins",
    "datetime",
    "io",
    "logging",
    "os",
    "pathlib",
    "random",
    "secrets",
    "socket",
    "subprocess",
    "sys",
    "threading",
    "time",
    "uuid",
}
PURE_FILES = sorted(path for name in ("events", "normalize", "reduce", "state") for path in PACKAGE.glob(f"{name}/**/*.py"))


def imported(path: pathlib.Path) -> set[str]:
    """The top-level names of what a module imports from outside the package."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("path", PURE_FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_normalizer_and_reducer_import_nothing_that_knows_the_world(path):
    assert not imported(path) & IMPURE


@pytest.mark.parametrize("path", PURE_FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_normalizer_and_reducer_have_no_variable_that_outlives_a_call(path):
    changing = [node.lineno for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, (ast.Global, ast.Nonlocal))]
    made_mutable = [
        node.lineno
        for node in ast.parse(path.read_text()).body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and isinstance(node.value, (ast.List, ast.Set, ast.ListComp, ast.SetComp))
        and "__all__" not in ast.unparse(node)
    ]

    assert not changing
    assert not made_mutable


@pytest.mark.parametrize("path", PURE_FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_normalizer_and_reducer_open_and_print_nothing(path):
    called = {
        node.func.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }

    assert not called & {"open", "print", "input", "eval", "exec", "compile", "globals", "id", "hash", "vars"}


@given(conversations())
def test_the_same_frames_give_the_same_twice(conversation):
    ran("conversations")
    first, second = folded(frames_of(conversation)), folded(frames_of(conversation))

    assert told(first) == told(second)
    assert first == second


@given(conversations())
def test_the_same_bytes_give_the_same_twice(conversation):
    ran("conversations")
    data = recording(conversation)

    assert fold(data) == fold(data)


@given(conversations())
def test_normalize_and_reduce_touch_none_of_their_arguments(conversation):
    ran("conversations")
    wire, snapshot = NEW, EMPTY
    kept = []
    for frame in frames_of(conversation):
        kept.append((snapshot, told(snapshot)))
        once = normalize(wire, frame)
        again = normalize(wire, frame)
        assert once == again
        wire, events, _ = once
        for event in events:
            before = snapshot
            snapshot = reduce(before, event)
            assert told(snapshot) == told(reduce(before, event))

    for snapshot, text in kept:
        assert text == told(snapshot)


@given(conversations(12), st.integers(0, 12), st.lists(rude_messages(), max_size=6), st.lists(rude_messages(), max_size=6))
def test_two_ways_to_go_on_from_one_state_know_nothing_of_each_other(conversation, cut, one_way, other_way):
    ran("conversations", 2)
    known, more = conversation[:cut], conversation[cut:]
    start = folded(frames_of(known))
    text = told(start)
    ways = [frames_of([*more, *one_way]), frames_of([*other_way, *more])]
    works = [Fold(start), Fold(start)]
    for place in range(max(map(len, ways))):
        for work, way in zip(works, ways, strict=True):
            if place < len(way):
                work.take(way[place])

    for work, way in zip(works, ways, strict=True):
        alone = folded([*frames_of(known), *way])
        assert told(alone) == told(work.folded())
        assert alone.snapshot == work.folded().snapshot
    assert text == told(start)


@given(polite(max_size=15), st.data())
def test_every_earlier_state_can_be_gone_on_from_again(conversation, data):
    ran("conversations")
    frames = frames_of(conversation)
    work = Fold()
    states = [work.folded()]
    for frame in frames:
        work.take(frame)
        states.append(work.folded())
    place = data.draw(st.integers(0, len(frames)))

    assert told(states[-1]) == told(folded(frames[place:], states[place]))


def test_two_ways_may_append_to_one_message():
    def chunk(words):
        update = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": words}}
        return {"method": "session/update", "params": {"sessionId": "s", "update": update}}

    start = fold([{"jsonrpc": "2.0", **chunk("a")}])
    left = fold([{"jsonrpc": "2.0", **chunk("b")}], from_=start)
    right = fold([{"jsonrpc": "2.0", **chunk("c")}], from_=start)
    left = fold([{"jsonrpc": "2.0", **chunk("d")}], from_=left)

    assert [one.snapshot.sessions["s"].timeline[0].text for one in (start, left, right)] == ["a", "abd", "ac"]
