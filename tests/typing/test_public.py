"""What is public: where its names are, what they say of themselves, and that code which uses them is typed."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys

from collections.abc import Iterator
from pathlib import Path

import pytest

import acp_state

from acp_state import queries

from support.official import ROOT


USER_CODE = ROOT / "tests/typing/user_code.py"
CHECKED = [str(USER_CODE), *(str(path) for path in sorted((ROOT / "tests/examples").glob("*.py")) if not path.name.startswith("test_"))]
PYRIGHT = ROOT / "node_modules/.bin/pyright"

HOME = acp_state._HOME
MODULES = sorted(set(acp_state.__all__) - HOME.keys())

each_name = pytest.mark.parametrize("name", acp_state.__all__)


def tree_of(module: str) -> ast.Module:
    return ast.parse(Path(importlib.util.find_spec(module).origin).read_text(encoding="utf-8"))


def imported_for_types() -> Iterator[tuple[str, str | None]]:
    """Yield the names that `__init__` imports for type checkers, and from which module; `None` for a module itself."""
    for node in tree_of("acp_state").body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for part in node.body:
                yield from ((alias.name, part.module) for alias in part.names)


# --- names -------------------------------------------------------------------------------------------------


def test_what_type_checkers_see_is_what_is_there():
    assert dict(imported_for_types()) == HOME | dict.fromkeys(MODULES)
    assert sorted(name for name, _ in imported_for_types()) == sorted(acp_state.__all__)


def test_every_home_is_of_a_public_name():
    assert HOME.keys() <= set(acp_state.__all__)


def test_names_are_listed_once_and_in_order():
    order = sorted(acp_state.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name))
    assert acp_state.__all__ == order
    assert len(set(order)) == len(order)


@each_name
def test_a_name_is_what_its_home_has(name):
    value = getattr(acp_state, name)
    if name in HOME:
        assert value is getattr(importlib.import_module(f"acp_state.{HOME[name]}"), name)
    else:
        assert value is importlib.import_module(f"acp_state.{name}")


@pytest.mark.parametrize("name", HOME)
def test_no_module_has_the_name_of_something_else(name):
    """Importing it would put it in the other's place."""
    assert importlib.util.find_spec(f"acp_state.{name}") is None


def test_importing_modules_first_changes_no_name():
    code = f"""
import importlib, acp_state
for module in {sorted({*HOME.values(), *MODULES})!r}:
    importlib.import_module("acp_state." + module)
from acp_state import *
assert all(globals()[name] is getattr(importlib.import_module("acp_state." + home), name) for name, home in {HOME!r}.items())
assert all(inspect.ismodule(globals()[name]) for name in {MODULES!r}) if (inspect := importlib.import_module("inspect")) else None
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert ran.stderr == ""


def test_a_name_that_is_not_public_is_not_there():
    with pytest.raises(AttributeError, match="module 'acp_state' has no attribute 'nothing'"):
        acp_state.nothing  # noqa: B018 -- looking is the point


def test_dir_lists_what_is_public():
    assert set(acp_state.__all__) <= set(dir(acp_state))


# --- documentation -----------------------------------------------------------------------------------------


def documented(tree: ast.Module) -> Iterator[str]:
    """Yield the names of a module that have a docstring: classes, functions, and values with a text after them."""
    for node, after in zip(tree.body, [*tree.body[1:], ast.Pass()], strict=True):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
            yield node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def where_made(name: str, home: str) -> str:
    """The module in which *name* is written: *home*, or the part of it from which it is imported."""
    for node in tree_of(home).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and name in (alias.name for alias in node.names):
            part = f"{home}.{node.module}"
            return part if importlib.util.find_spec(home).submodule_search_locations and importlib.util.find_spec(part) else home
    return home


@each_name
def test_a_name_says_what_it_is(name):
    if name in HOME:
        assert name in documented(tree_of(where_made(name, f"acp_state.{HOME[name]}")))
    else:
        assert ast.get_docstring(tree_of(f"acp_state.{name}"))


def public_parts(module: str) -> Iterator[tuple[str, bool]]:
    """Yield the public classes and functions of a public module, and their public methods, and whether each is documented."""
    for node in tree_of(f"acp_state.{module}").body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            yield node.name, bool(ast.get_docstring(node))
            for part in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)) and not part.name.startswith("_"):
                    yield f"{node.name}.{part.name}", bool(ast.get_docstring(part))


@pytest.mark.parametrize("module", sorted({*MODULES, *HOME.values()} - {"_model"}))
def test_what_is_in_a_public_module_says_what_it_is(module):
    assert [name for name, is_documented in public_parts(module) if not is_documented] == []


# --- types -------------------------------------------------------------------------------------------------


def used_by(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return names | {f"{ast.unparse(node.value)}.{node.attr}" for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def test_the_user_code_uses_everything_that_is_public():
    public = {*acp_state.__all__, *(f"queries.{name}" for name in queries.__all__)}
    assert sorted(public - used_by(USER_CODE)) == []


def test_mypy_finds_nothing_in_the_user_code():
    pytest.importorskip("mypy", reason="mypy is not installed (pip install 'acp-state[dev]')")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *CHECKED], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert ran.stdout == f"Success: no issues found in {len(CHECKED)} source files\n"


@pytest.mark.skipif(not PYRIGHT.exists(), reason="the npm package pyright is not installed (npm ci)")
def test_pyright_finds_nothing_in_the_user_code():
    command = [str(PYRIGHT), "--pythonpath", sys.executable, *CHECKED]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert ran.stdout.splitlines()[-1] == "0 errors, 0 warnings, 0 informations", ran.stdout
