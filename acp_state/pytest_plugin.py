"""The pytest plugin `acp_state`: recordings of ACP traffic as golden tests.

    [tool.pytest.ini_options]
    acp_golden = ["golden/*.ndjson"]
    acp_mask = ["ids", "times"]

Every recording that a pattern of `acp_golden` finds is a test: it is folded, and what comes of it is compared
with `NAME.state.json` and `NAME.diagnostics.json` beside it; a failure prints what changed. `pytest --acp-update`
writes those files anew. Patterns are relative to the configuration file; `acp_mask` has rules, one a line, for what
is another value in every run (`acp_state.masking`). Where pytest is called without paths the recordings
are tested wherever they are; the mark `acp_golden` selects them: `pytest -m acp_golden`.

It is an error if a pattern finds no recording, and a failure if an expected file belongs to none.

pytest imports this file wherever acp-state is installed; so nothing else of it is imported before it is needed.
"""

from __future__ import annotations

import os

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest


if TYPE_CHECKING:
    from .golden import Golden, Mask, Mismatch, Suite

MARK: Final = "acp_golden"

SHOWN: Final = 50
"""How many differences of an expected file are printed, unless pytest is told to be verbose."""


class _Configured:
    """What the configuration asks for, found."""

    def __init__(self, suite: Suite, mask: Mask, *, writes: bool) -> None:
        self.mask = mask
        self.writes = writes
        self.goldens: dict[Path, Golden] = {golden.recording: golden for golden in suite.goldens}
        self.unused = frozenset(suite.unused)


_CONFIGURED: Final = pytest.StashKey[_Configured]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--acp-update` and the settings."""
    group = parser.getgroup("acp-state", "golden tests of ACP recordings")
    group.addoption("--acp-update", action="store_true", help="write what recordings are expected to fold to anew; refused where CI is set")
    parser.addini("acp_golden", "recordings to test: paths, folders or patterns, relative to this file", type="linelist", default=[])
    parser.addini(
        "acp_mask",
        "what is another value in every run: ids, times, paths, versions, LABEL=/POINTER, LABEL~REGEX",
        type="linelist",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known."""
    config.addinivalue_line("markers", f"{MARK}: a recording that is folded and compared with what is expected of it (acp-state)")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Find the recordings, before anything is collected or handed to other processes."""
    config = session.config
    patterns = config.getini("acp_golden")
    writes = config.getoption("--acp-update")
    if writes and os.environ.get("CI"):
        raise pytest.UsageError("--acp-update is refused where CI is set: expected files are written where a person reads what changed")
    if writes and not patterns:
        raise pytest.UsageError("--acp-update: no recordings are configured; acp_golden says where they are")
    if patterns:
        configured = config.stash[_CONFIGURED] = _configured(config, patterns, writes=writes)
        if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
            folders = [config.rootpath / arg for arg in config.args]
            ours = sorted([*configured.goldens, *configured.unused])
            config.args += [str(path) for path in ours if not any(path.is_relative_to(folder) for folder in folders)]


def _configured(config: pytest.Config, patterns: Iterable[str], *, writes: bool) -> _Configured:
    from .errors import GoldenError
    from .golden import Mask, find

    setting = "acp_mask"
    root = config.rootpath if config.inipath is None else config.inipath.parent
    try:
        mask = Mask.of(config.getini(setting))
        setting = "acp_golden"
        return _Configured(find(patterns, root), mask, writes=writes)
    except GoldenError as error:
        raise pytest.UsageError(f"{setting}: {error}") from None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a recording, or an expected file that belongs to none."""
    configured = parent.config.stash.get(_CONFIGURED, None)
    if configured is None or (file_path not in configured.goldens and file_path not in configured.unused):
        return None
    return _File.from_parent(parent, path=file_path)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which files were written."""
    reports = terminalreporter.getreports("passed")
    written = [file for report in reports for name, file in report.user_properties if name == _WRITTEN]
    for file in written:
        terminalreporter.write_line(f"acp-state wrote {file}")


_WRITTEN: Final = "acp-state wrote"
"""The property of a test's report that names a file that it wrote: reports are what xdist brings home."""


class _File(pytest.File):
    """A recording, or an expected file that belongs to none."""

    def collect(self) -> Iterator[pytest.Item]:
        golden = self.config.stash[_CONFIGURED].goldens.get(self.path)
        item = _Unused.from_parent(self, name="unused") if golden is None else _Fold.from_parent(self, name="fold")
        item.add_marker(MARK)
        yield item


class _NotAsExpectedError(Exception):
    """What a test found: a text for the user, without a traceback."""


class _Test(pytest.Item):
    """A test that fails with a text."""

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **options: Any) -> Any:
        from .errors import GoldenError

        if isinstance(excinfo.value, (_NotAsExpectedError, GoldenError, OSError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **options)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.name} {_relative(self.path, self.config)}"


class _Fold(_Test):
    """Folds a recording and compares what comes of it with what is expected, or writes that anew."""

    def runtest(self) -> None:
        from .golden import update, verify

        configured = self.config.stash[_CONFIGURED]
        golden = configured.goldens[self.path]
        if configured.writes:
            written = update(golden, configured.mask)
            self.user_properties += [(_WRITTEN, _relative(each.file, self.config)) for each in written]
        elif mismatches := verify(golden, configured.mask):
            raise _NotAsExpectedError("\n".join([*map(self._told, mismatches), "pytest --acp-update writes expected files anew"]))

    def _told(self, mismatch: Mismatch) -> str:
        most = None if self.config.get_verbosity() > 0 else SHOWN
        return mismatch.told(_relative(mismatch.file, self.config), most)


class _Unused(_Test):
    """Fails: nobody looks at an expected file."""

    def runtest(self) -> None:
        raise _NotAsExpectedError(
            f"{_relative(self.path, self.config)} belongs to no recording that acp_golden finds; delete it, or name it as its recording is named"
        )


def _relative(path: Path, config: pytest.Config) -> str:
    return os.path.relpath(path, config.invocation_params.dir)
