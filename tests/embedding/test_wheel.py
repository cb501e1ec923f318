"""The package as others get it: built, installed into an environment of its own, used outside the checkout.

Asks the package index for what it needs; so it is left out unless asked for: `pytest -m long tests/embedding/test_wheel.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

from pathlib import Path

import pytest


pytestmark = pytest.mark.long

CHECKOUT = Path(__file__).parents[2]

CONFIGURATION = """\
[tool.pytest.ini_options]
testpaths = ["tests"]
acp_golden = ["recordings/*.ndjson"]
acp_mask = ["ids"]
"""


def recording(text, session):
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return json.dumps({"sessionId": session, "update": update}) + "\n"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The folder with the programs of an environment in which the wheel, pytest and pytest-xdist are installed."""
    folder = tmp_path_factory.mktemp("wheel")
    sources = folder / "sources"
    sources.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, sources)
    shutil.copytree(CHECKOUT / "acp_state", sources / "acp_state", ignore=shutil.ignore_patterns("__pycache__"))
    ran(folder, sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", ".", "./sources")
    ran(folder, sys.executable, "-m", "venv", "venv")
    (wheel,) = folder.glob("*.whl")
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    ran(folder, programs / "python", "-m", "pip", "install", "--quiet", wheel, "pytest", "pytest-xdist")
    return programs


@pytest.fixture
def project(tmp_path):
    """A project that has recordings and the two lines of configuration."""
    (tmp_path / "recordings").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "pyproject.toml").write_text(CONFIGURATION)
    (tmp_path / "tests/test_it.py").write_text("def test_it(): pass\n")
    (tmp_path / "recordings/one.ndjson").write_text(recording("hello", "0a1b2c3d"))
    return tmp_path


def ran(folder, *command, code=0, **variables):
    """Run a command in *folder* as a user would, and return what it printed."""
    hidden = ("CI", "PYTHONPATH", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER")
    environ = {name: value for name, value in os.environ.items() if name not in hidden}
    result = subprocess.run([*map(str, command)], cwd=folder, env={**environ, **variables}, capture_output=True, text=True, check=False)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout + result.stderr


def test_a_project_guards_its_recordings(environment, project):
    python = environment / "python"

    assert "recordings/one.state.json is missing" in ran(project, python, "-m", "pytest", "-q", code=1)
    assert "--acp-update is refused where CI is set" in ran(project, python, "-m", "pytest", "--acp-update", code=4, CI="true")
    assert "acp-state wrote recordings/one.state.json" in ran(project, python, "-m", "pytest", "--acp-update")
    assert "2 passed" in ran(project, python, "-m", "pytest", "-q", CI="true")
    assert "2 passed" in ran(project, python, "-m", "pytest", "-q", "-n", "2")

    (project / "recordings/one.ndjson").write_text(recording("hello", "another-id-77"))
    assert "2 passed" in ran(project, python, "-m", "pytest", "-q")

    (project / "recordings/one.ndjson").write_text(recording("hello, world", "another-id-77"))
    assert 'appended ", world"' in ran(project, python, "-m", "pytest", "-q", code=1)


def test_the_command_and_the_types_are_there(environment, project):
    script = "import acp_state, pathlib; folder = pathlib.Path(acp_state.__file__).parent; print(folder, (folder / 'py.typed').exists())"
    told = ran(project, environment / "python", "-c", script)

    assert "site-packages" in told
    assert told.strip().endswith("True")
    assert '"format": "acp-state/1"' in ran(project, environment / "acp-state", "fold", "recordings/one.ndjson")
