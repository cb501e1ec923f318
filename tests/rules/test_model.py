"""Model classes: attrs classes to whoever inspects them, whatever they are made of."""

from __future__ import annotations

import copy
import gc
import pathlib
import pickle
import weakref

import attrs
import pytest

import acp_state

from acp_state._model import Entity, Part, names_of, replace
from acp_state.state import Session, ToolCall


def subclasses(cls):
    return [one for sub in cls.__subclasses__() for one in (sub, *subclasses(sub))]


CLASSES = sorted({*subclasses(Entity), *subclasses(Part)}, key=lambda cls: cls.__qualname__)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_attrs_knows_its_attributes(cls):
    assert attrs.has(cls)
    defaults = cls.__struct_defaults__
    fields = attrs.fields(cls)
    assert tuple(field.name for field in fields) == names_of(cls) == cls.__struct_fields__
    assert tuple(field.default for field in fields) == (*[attrs.NOTHING] * (len(fields) - len(defaults)), *defaults)


def test_a_changed_copy_is_what_attrs_makes():
    call = ToolCall("t", title="T")

    assert replace(call, status="completed", _final_since=3) == attrs.evolve(call, status="completed", _final_since=3)
    assert replace(call, title="U") != call
    assert replace(call, _final_since=3) == call, "what does not count when two are compared"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301 -- our own
def test_copies_are_equal(copied):
    session = replace(Session(), id="s")

    assert copied(session) == session
    assert (copied(session) != session) is False


def test_nothing_can_be_set():
    with pytest.raises(AttributeError):
        ToolCall("t").title = "other"  # type: ignore[misc]  # that is what must fail


GOLDEN = pathlib.Path(acp_state.__file__).parent.parent / "golden"
RECORDINGS = [*sorted(GOLDEN.glob("v[12]-*.ndjson")), GOLDEN / "extensions.ndjson"]
LISTS = ("timeline", "turns", "plans", "terminals", "files", "subagents", "notices", "pending_prompts", "extensions")

SHOWN = {"Compaction", "Connection", "Elicitation", "Extension", "FileRequest", "Message", "Notice", "PendingPrompt", "Permission"}
SHOWN |= {"Plan", "Session", "Subagent", "Terminal", "ToolCall", "Turn"}


def remember(path):
    """Return the names of the classes whose instances a view of a recording remembers by identity."""
    snapshot = acp_state.fold(path).snapshot
    sessions = list(snapshot.sessions.values())
    listed = [one for session in sessions for name in LISTS for one in getattr(session, name)]
    parts = {id(one): one for one in (snapshot.connection, *sessions, *listed)}
    views = weakref.WeakValueDictionary(parts)
    assert all(views[key] is one for key, one in parts.items())
    names = {type(one).__name__ for one in parts.values()}
    del snapshot, sessions, listed, parts
    gc.collect()
    assert not views
    return names


def test_what_a_client_shows_can_be_remembered_by_identity():
    assert set().union(*map(remember, RECORDINGS)) == SHOWN


def test_a_change_leaves_no_weak_reference_to_what_was():
    call = ToolCall("t")
    changed = replace(call, title="T")
    seen = weakref.ref(changed)

    assert weakref.ref(call)() is call
    assert seen() is changed is not call
    del changed
    assert seen() is None
