"""Model classes: attrs classes to whoever inspects them, whatever they are made of."""

from __future__ import annotations

import copy
import pathlib
import pickle
import shutil
import subprocess
import sys
import weakref

import attrs
import pytest

import acp_state

from acp_state._model import _declared, evolve, names_of
from acp_state.state import Facts, Session, ToolCall


CLASSES = sorted((cls for cls in _declared if cls.__module__.startswith("acp_state.")), key=lambda cls: cls.__qualname__)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_attrs_knows_its_attributes(cls):
    assert attrs.has(cls)
    defaults = cls.__struct_defaults__
    fields = attrs.fields(cls)
    assert tuple(field.name for field in fields) == names_of(cls) == cls.__struct_fields__
    assert tuple(field.default for field in fields) == (*[attrs.NOTHING] * (len(fields) - len(defaults)), *defaults)


def test_a_changed_copy_is_what_attrs_makes():
    call = ToolCall("t", title="T")

    assert evolve(call, status="completed", _final_since=3) == attrs.evolve(call, status="completed", _final_since=3)
    assert evolve(call, title="U") != call
    assert evolve(call, _final_since=3) == call, "what does not count when two are compared"


def test_a_session_passes_on_its_facts():
    session = evolve(Session(), id="s", cwd="/w")

    assert (session.id, session.cwd, session._facts) == ("s", "/w", Facts(id="s", cwd="/w"))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301 -- our own
def test_copies_are_equal(copied):
    session = evolve(Session(), id="s")

    assert copied(session) == session
    assert (copied(session) != session) is False


def test_nothing_can_be_set():
    with pytest.raises(AttributeError):
        ToolCall("t").title = "other"  # type: ignore[misc]  # that is what must fail


PACKAGE = pathlib.Path(acp_state.__file__).parent
RECORDINGS = sorted(pathlib.Path(PACKAGE.parent, "golden").glob("v[12]-*.ndjson"))
EXTENSIONS = pathlib.Path(PACKAGE.parent, "golden", "extensions.ndjson")
FOLDING = "import sys; from acp_state import dumps, fold; [print(dumps(fold(path))) for path in sys.argv[1:]]"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A copy of the package, of plain attrs classes."""
    where = tmp_path_factory.mktemp("plain")
    shutil.copytree(PACKAGE, where / "acp_state", ignore=shutil.ignore_patterns("__pycache__"))
    model = where / "acp_state" / "_model.py"
    model.write_text(model.read_text().replace("STRUCTS: bool = True", "STRUCTS: bool = False"))
    return where


def ran(where: pathlib.Path, code: str) -> str:
    """Return what *code* prints about the recordings, run with the package that stands in *where*."""
    command = [sys.executable, "-c", code, *RECORDINGS, EXTENSIONS]
    done = subprocess.run(command, cwd=where, env={"PYTHONPATH": str(where)}, capture_output=True, check=True)
    return done.stdout.decode()


def test_plain_attrs_classes_give_the_same_documents(plain):
    assert ran(plain, FOLDING) == ran(PACKAGE.parent, FOLDING) != ""


SHOWN = {"Compaction", "Connection", "Elicitation", "Extension", "FileRequest", "Message", "Notice", "PendingPrompt", "Permission"}
SHOWN |= {"Plan", "Session", "Subagent", "Terminal", "ToolCall", "Turn"}

MEMOISING = """
import gc, sys, weakref
from acp_state import fold
from acp_state._model import STRUCTS

LISTS = "timeline turns plans terminals files subagents notices pending_prompts extensions".split()
seen = set()
for path in sys.argv[1:]:
    snapshot = fold(path).snapshot
    sessions = list(snapshot.sessions.values())
    listed = [one for session in sessions for name in LISTS for one in getattr(session, name)]
    parts = {id(one): one for one in (snapshot.connection, *sessions, *listed)}
    views = weakref.WeakValueDictionary(parts)
    seen |= {type(one).__name__ for one in parts.values()}
    assert all(views[key] is one for key, one in parts.items())
    del snapshot, sessions, listed, parts
    gc.collect()
    assert not views
print(STRUCTS, *sorted(seen))
"""


def test_what_a_client_shows_can_be_remembered_by_identity(plain):
    assert ran(PACKAGE.parent, MEMOISING).split() == ["True", *sorted(SHOWN)]
    assert ran(plain, MEMOISING).split() == ["False", *sorted(SHOWN)]


def test_a_change_leaves_no_weak_reference_to_what_was():
    call = ToolCall("t")
    changed = evolve(call, title="T")
    seen = weakref.ref(changed)

    assert weakref.ref(call)() is call
    assert seen() is changed is not call
    del changed
    assert seen() is None
