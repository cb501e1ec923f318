"""The package's modules know each other in one direction, and only what they are allowed to know."""

from __future__ import annotations

import ast
import pathlib
import re

from collections.abc import Iterator

import pytest

import acp_state

from acp_state.diagnostics import CATALOGUE
from acp_state.events import EVENTS
from acp_state.protocol.updates import UPDATES, UnknownUpdate
from acp_state.reduce import HANDLERS, UPDATE_HANDLERS


PACKAGE = pathlib.Path(acp_state.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))

BOTTOM = {"_json", "_model", "_patterns", "containers"}
VALUES = BOTTOM | {"protocol"}

ALLOWED = {
    "_json": set(),
    "_model": set(),
    "_patterns": set(),
    "containers": {"_json"},
    "protocol": {"_json", "_model"},
    "errors": set(),
    "methods": set(),
    "diagnostics": {"_model"},
    "printing": {"_json"},
    "frames": {"_json", "_model", "methods"},
    "dialects": {"_json", "_model", "_patterns", "diagnostics", "frames", "methods"},
    "reading": {"_json", "_model", "_patterns", "diagnostics", "dialects", "errors", "frames", "protocol"},
    "state": VALUES,
    "events": {"_json", "_model", "protocol", "state"},
    "reduce": VALUES | {"errors", "events", "state"},
    "normalize": VALUES | {"diagnostics", "events", "frames", "methods", "reading", "state"},
    "codec": VALUES | {"state"},
    "folded": {"_model", "diagnostics", "normalize", "reading", "state"},
    "document": VALUES | {"codec", "errors", "folded", "frames", "normalize", "printing", "reading", "reduce", "state"},
    "schema": VALUES | {"codec", "document", "state"},
    "queries": VALUES | {"state"},
    "changes": VALUES | {"errors", "reduce", "state"},
    "diffing": VALUES | {"changes", "errors", "state"},
    "change_json": VALUES | {"changes", "codec", "errors", "state"},
    "event_json": VALUES | {"codec", "errors", "events", "state"},
    "findings": {"_model", "diagnostics", "dialects", "printing"},
    "render": {"findings", "printing", "state"},
    "compare": {"_json", "_model", "errors", "findings"},
    "change_text": {"_json", "compare", "findings"},
    "masking": {"_json", "errors"},
    "converting": {"_json", "_model", "diagnostics", "dialects", "frames", "normalize", "reading"},
    "folding": {"_model", "diagnostics", "errors", "events", "folded", "frames", "normalize", "protocol", "reading", "reduce", "state"},
    "tracing": BOTTOM | {"changes", "diagnostics", "diffing", "events", "folding", "folded", "frames", "normalize", "reading", "state"},
    "golden": {"_json", "compare", "document", "errors", "findings", "folding", "masking", "printing"},
    "pytest_plugin": {"errors", "golden"},
    "store": {
        "_model",
        "changes",
        "diagnostics",
        "diffing",
        "document",
        "errors",
        "events",
        "folding",
        "folded",
        "frames",
        "protocol",
        "reading",
        "state",
    },
    "contrib": {"errors", "frames", "store"},
    "redact": {
        *(
            "containers",
            "_json",
            "_model",
            "diagnostics",
            "events",
            "folded",
            "folding",
            "frames",
            "methods",
            "normalize",
            "protocol",
            "reading",
            "reduce",
        ),
        "state",
    },
    "recording": {"_json", "dialects", "document", "folding", "frames", "reading", "store"},
    "naming": {"state"},
    "chronicle": {"_json", "containers", "changes", "diagnostics", "naming", "state", "tracing"},
    "story": {"_json", "_model", "chronicle", "diagnostics", "findings", "naming", "printing", "state"},
    "stats": {"chronicle", "state"},
}
"""What the modules and packages may import of each other, each only of those above it; `cli` and the root may import all."""

TOP = {"__init__", "__main__", "cli"}

WORLD = {"asyncio", "datetime", "logging", "os", "pathlib", "random", "socket", "subprocess", "sys", "threading", "time"}
NO_WORLD = {
    "_json",
    "_model",
    "containers",
    "codec",
    "diagnostics",
    "document",
    "events",
    "frames",
    "methods",
    "normalize",
    "protocol",
    "reduce",
    "state",
}
ONLY_IN = {
    "argparse": {"cli"},
    "cattrs": {"codec", "document"},
    "structlog": {"findings"},
    "rich": {"cli", "story"},
    "jinja2": {"story"},
    "markdown_it": {"story"},
    "msgspec": {"_json", "_model", "containers", "normalize", "protocol"},
    "gzip": {"cli", "reading"},
    "zlib": {"reading", "recording"},
    "acp": {"contrib"},
}

VENDORS = re.compile(
    r"claude|codex|gemini|\bCursor\b|grok|kiro|\bzed\b|\bt3\b|t3code|goose|copilot|opencode|qwen|\btoad\b|crucible|hermes", re.IGNORECASE
)
CURSOR = re.compile(r"\bCursor\b")
MAY_NAME_VENDORS = {"normalize/quirks.py", "dialects"}


def unit_of(path: pathlib.Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def name_of(path: pathlib.Path) -> str:
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "__init__"


def imports_of(path: pathlib.Path) -> Iterator[tuple[str, bool]]:
    """Yield what a module imports: a module of ours (True), or the name of somebody else's package."""
    package = path.relative_to(PACKAGE).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                ours = alias.name == "acp_state" or alias.name.startswith("acp_state.")
                yield (alias.name.partition(".")[2], True) if ours else (alias.name.partition(".")[0], False)
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = (*package[: len(package) - node.level + 1], *(node.module or "").split("."))
            base = tuple(part for part in base if part)
            for alias in node.names:
                inner = PACKAGE.joinpath(*base, alias.name)
                is_module = inner.with_suffix(".py").is_file() or (inner / "__init__.py").is_file()
                yield ".".join((*base, alias.name) if is_module else base), True
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0], False


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_module_imports_only_what_is_below_it(path):
    unit = unit_of(path)
    known = {name.partition(".")[0] for name, ours in imports_of(path) if ours} - {unit, ""}

    assert unit in ALLOWED or unit in TOP, f"say in ALLOWED what {unit} may import"
    if unit in ALLOWED:
        assert known <= ALLOWED[unit]


def test_the_table_has_no_cycle_and_no_module_that_is_gone():
    order = list(ALLOWED)

    for unit, allowed in ALLOWED.items():
        assert (PACKAGE / unit).is_dir() or (PACKAGE / f"{unit}.py").is_file(), unit
        assert all(order.index(other) < order.index(unit) for other in allowed), unit


def test_no_module_imports_itself_by_way_of_others():
    graph = {name_of(path): {name for name, ours in imports_of(path) if ours} for path in FILES}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for other in sorted(graph.get(name, ())):
                # A package's first import of its own parts is no cycle: they do not import the package.
                visit(other, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())


@pytest.mark.parametrize("path", [path for path in FILES if unit_of(path) in NO_WORLD], ids=name_of)
def test_a_pure_module_knows_nothing_of_the_world(path):
    known = {name for name, ours in imports_of(path) if not ours} & WORLD

    # Of two threads that go on from one version of a table, one has to copy.
    assert known <= ({"threading"} if name_of(path) == "containers.table" else set())


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_library_is_imported_only_where_it_belongs(path):
    others = {name for name, ours in imports_of(path) if not ours}

    assert [name for name, units in ONLY_IN.items() if name in others and unit_of(path) not in units] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("normalize", "reduce"), ("reduce", "normalize"), ("reduce", "frames"), ("reduce", "diagnostics"), ("state", "frames")],
)
def test_two_halves_know_nothing_of_each_other(one, other):
    files = [path for path in FILES if unit_of(path) == one]

    assert not [name_of(path) for path in files for name, ours in imports_of(path) if ours and name.partition(".")[0] == other]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_vendors_are_named_only_where_their_habits_are_known(path):
    place = path.relative_to(PACKAGE).as_posix()
    if place in MAY_NAME_VENDORS or unit_of(path) in MAY_NAME_VENDORS:
        return
    text = path.read_text(encoding="utf-8")
    named = [found for found in VENDORS.findall(text) if found.lower() != "cursor"] + CURSOR.findall(text)

    assert named == []


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_module_says_what_it_is_for(path):
    if path.stat().st_size:
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


# --- tables ------------------------------------------------------------------------------------------------


def test_every_event_has_a_handler_and_every_handler_an_event():
    assert HANDLERS.keys() == EVENTS
    assert UPDATE_HANDLERS.keys() == {*UPDATES[1].values(), *UPDATES[2].values(), UnknownUpdate}


GIVERS = {"report", "Diagnostic", "Problem", "problem", "Demanded"}


def words(node: ast.expr) -> Iterator[str]:
    """The texts that an expression may be: a literal, or one of two."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from words(node.body)
        yield from words(node.orelse)


def codes_given(path: pathlib.Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in GIVERS and node.args:
                yield from words(node.args[0])
            for keyword in node.keywords:
                if keyword.arg == "code":
                    yield from words(keyword.value)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = [*node.args.args, *node.args.kwonlyargs]
            defaults = [*[None] * (len(node.args.args) - len(node.args.defaults)), *node.args.defaults, *node.args.kw_defaults]
            for argument, default in zip(arguments, defaults, strict=True):
                if argument.arg == "code" and default is not None:
                    yield from words(default)
        elif isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "code" for target in node.targets):
            yield from words(node.value)


def test_every_code_that_is_given_is_in_the_catalogue_and_every_code_of_the_catalogue_is_given():
    given_ = {code for path in FILES for code in codes_given(path)}

    assert given_ - CATALOGUE.keys() == set()
    assert CATALOGUE.keys() - given_ == set()


def test_every_code_of_the_catalogue_is_in_kebab_case_and_has_a_sentence():
    for name, code in CATALOGUE.items():
        assert name == code.name
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", name)
        assert code.sentence.endswith(".")
        assert code.severity in ("error", "warning", "info")
