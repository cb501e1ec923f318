"""The quick form of a hook gives what the hook gives where there is nothing to remark upon, and else says that it does not know."""

from __future__ import annotations

import copy

from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state._json import freeze
from acp_state.normalize import quick
from acp_state.normalize.decode import MalformedError, Tolerated
from acp_state.normalize.updates import KINDS, plain_update

from strategies import UPDATES, json_values, texts
from support.effort import many, ran
from support.generated import updates
from support.official import parametrize, schemas
from support.recordings import folded, frames_of, told
from support.situations import before, update


class Odd:
    """What a quick form gives that does not know, or a hook where there is something to remark upon."""

    def __repr__(self) -> str:
        return "ODD"


ODD = Odd()


def quickly(hook: Any, value: Any) -> Any:
    try:
        return quick.form_of(hook)(value)
    except quick.ODD:
        return ODD


def slowly(hook: Any, value: Any) -> Any:
    try:
        return hook(value)
    except (MalformedError, Tolerated):
        return ODD


# --- updates that are nearly right -------------------------------------------------------------------


def places(value: Any, path: tuple = ()) -> list[tuple]:
    """Where something stands in *value*."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [place for key, part in inner for place in places(part, (*path, key))]


def changed(value: Any, edits: list[tuple[int, str, Any]]) -> Any:
    """Return *value* after *edits*: each the number of a place, what to do there, and what with."""
    value = copy.deepcopy(value)
    for number, deed, new in edits:
        found = places(value)
        if not found:
            break
        new = copy.deepcopy(new)  # noqa: PLW2901 -- else it could be put into itself
        *way, last = found[number % len(found)]
        owner = value
        for key in way:
            owner = owner[key]
        if deed == "drop":
            del owner[last]
        elif deed == "rename" and isinstance(owner, dict):
            owner[new if isinstance(new, str) else "id"] = owner.pop(last)
        elif deed == "add" and isinstance(owner[last], dict):
            owner[last][new if isinstance(new, str) else "x"] = new
        elif deed == "repeat" and isinstance(owner, list):
            owner.append(copy.deepcopy(owner[last]))
        else:
            owner[last] = new
    return value


_new = st.one_of(
    st.none(),
    st.sampled_from((True, 1, 1.0, -1, "", "x", "text", "items", "cancelled", "2026-01-01T00:00:00Z", [], {}, [None], {"a": None}, 10**40)),
    json_values,
)
_edits = st.lists(st.tuples(st.integers(0, 60), st.sampled_from(("set", "set", "drop", "rename", "add", "repeat")), _new), max_size=3)


def _valid(kind: str) -> list[st.SearchStrategy]:
    return [updates(official, kind) for official in schemas().values() if kind in official.updates]


def _updates_of(kind: str) -> st.SearchStrategy[dict]:
    loose = UPDATES[kind].map(lambda fields: {"sessionUpdate": kind, **fields})
    return st.builds(changed, st.one_of(loose, *_valid(kind)), st.just([]) | _edits)


@pytest.mark.parametrize("kind", KINDS)
@many(1)
@given(st.data())
def test_a_quick_form_gives_what_its_hook_gives_or_does_not_know(kind, data):
    made = data.draw(_updates_of(kind))
    for hook in {KINDS[kind].in_1, KINDS[kind].in_2}:
        mine, plain = quickly(hook, made), slowly(hook, made)
        if mine is not ODD:
            assert repr(mine) == repr(plain)
            assert mine == plain


AT_LENGTH = {(1, "config_option_update")}
"""What is read at length as it should be: version 1 has another name for the id than version 2, and quick forms know one."""

KINDS_OF = [
    pytest.param(official, kind, id=f"{official}-{kind}")
    for official in schemas().values()
    for kind in official.updates
    if (official.version, kind) not in AT_LENGTH
]


def proper(value: Any) -> Any:
    """Return *value* without `null`s, and without words that are in no schema."""
    if isinstance(value, dict):
        return {key: proper(part) for key, part in value.items() if part is not None}
    return [proper(part) for part in value if part is not None] if isinstance(value, list) else value


def is_known(value: Any) -> bool:
    """Whether *value* has no variants that the schema leaves to vendors."""
    if isinstance(value, dict):
        return not any(tag in ("_odd", "hologram") for tag in value.values() if isinstance(tag, str)) and all(map(is_known, value.values()))
    return all(map(is_known, value)) if isinstance(value, list) else True


@parametrize("official, kind", KINDS_OF)
@many(0.5)
@given(st.data())
def test_what_is_just_as_its_schema_says_is_read_quickly(official, kind, data):
    made = proper(data.draw(updates(official, kind).filter(is_known)))
    hook = KINDS[kind].in_2 if official.version == 2 else KINDS[kind].in_1
    ran("schema-generated frames")

    if slowly(hook, made) is not ODD:
        assert quickly(hook, made) is not ODD
        if kind not in ("state_update", "subagent_update"):  # these change what is remembered
            assert plain_update("s-1", made, official.version) is not None


# --- objects and arrays of other classes -------------------------------------------------------------


class Object(dict):
    """A `dict` of somebody's own."""


class Array(list):
    """A `list` of somebody's own."""


def in_classes(value: Any, of_objects: Any, of_arrays: Any) -> Any:
    if isinstance(value, dict):
        return of_objects({key: in_classes(part, of_objects, of_arrays) for key, part in value.items()})
    return of_arrays([in_classes(part, of_objects, of_arrays) for part in value]) if isinstance(value, list) else value


CLASSES = {
    "subclasses": lambda value: in_classes(value, Object, Array),
    "ordered": lambda value: in_classes(value, OrderedDict, tuple),
    "mappings": lambda value: in_classes(value, MappingProxyType, tuple),
    "frozen": freeze,
    "frozen within": lambda value: {key: freeze(part) for key, part in value.items()},
    "subclasses within": lambda value: {key: in_classes(part, Object, Array) for key, part in value.items()},
}


def outcome(version: int, made: Any) -> tuple[str, list[str]]:
    state = folded(frames_of([*before(version), update(made), update({"sessionUpdate": "plan_removed", "planId": "p"})]))
    return told(state), sorted(finding.code for finding in state.diagnostics)


@pytest.mark.parametrize("how", CLASSES)
@many(1)
@given(st.sampled_from(tuple(KINDS)).flatmap(_updates_of), st.sampled_from((1, 2)))
def test_objects_and_arrays_of_any_class_fold_to_the_same_state(how, made, version):
    assert outcome(version, CLASSES[how](made)) == outcome(version, made)


@pytest.mark.parametrize("value", ["x", 1, None, True, []])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_object_is_no_update(kind, value):
    assert quickly(KINDS[kind].in_1, value) is ODD
    assert quickly(KINDS[kind].in_2, value) is ODD


@given(texts)
def test_a_word_of_a_class_of_its_own_is_left_to_the_hook(words):
    class Word(str):
        __slots__ = ()

    made = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": Word(words)}}
    plain = {**made, "content": {"type": "text", "text": words}}
    assert outcome(1, made)[0] in (outcome(1, plain)[0], outcome(1, {"sessionUpdate": "plan", "entries": None})[0])
