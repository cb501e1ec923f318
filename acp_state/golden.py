"""Golden suites: recordings, each beside the state that it folds to and what is wrong with it.

    suite = find(["golden/*.ndjson"], root)
    for golden in suite.goldens:
        for mismatch in verify(golden):
            print(mismatch)

Beside `NAME.ndjson` (or `.jsonl`, `.json.gz`, whatever it ends in) stand `NAME.state.json`, the state document, and
`NAME.diagnostics.json`, an array of findings. Both are compared as JSON documents: white space does not count,
the order of keys does. The pytest plugin and the command `acp-state golden` are made of this.
"""

from __future__ import annotations

import glob
import os

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from attrs import frozen

from ._json import Json, NotJsonError, decode
from .compare import Difference, compare, describe
from .errors import GoldenError
from .findings import visible
from .masking import Mask


STATE: Final = ".state.json"
DIAGNOSTICS: Final = ".diagnostics.json"

SUFFIXES: Final = (".ndjson", ".jsonl", ".json", ".jsons", ".log", ".traffic")
"""What recordings end in, before a `.gz`: those of a folder are taken. A pattern may take any file."""

_DEPTH: Final = 500
"""How deep an expected file may be nested: deeper than any that is written."""

NO_MASK: Final = Mask()


@frozen(order=True)
class Golden:
    """A recording, and the files that say what is expected of it."""

    recording: Path

    @property
    def name(self) -> str:
        """What the expected files are called: the recording's name without its ending, `a.b` for `a.b.ndjson.gz`."""
        name = self.recording.name.removesuffix(".gz")
        return name.rpartition(".")[0] or name

    @property
    def state(self) -> Path:
        """The file with the state document."""
        return self.recording.with_name(self.name + STATE)

    @property
    def diagnostics(self) -> Path:
        """The file with the array of findings."""
        return self.recording.with_name(self.name + DIAGNOSTICS)


@frozen
class Suite:
    """The goldens that patterns find."""

    goldens: tuple[Golden, ...]
    unused: tuple[Path, ...]
    """Expected files beside them that belong to none: of a recording that was renamed or removed, or that no pattern finds."""


IS_MISSING: Final = "is missing"


@frozen
class Mismatch:
    """An expected file that does not say what came of the recording."""

    file: Path
    differences: tuple[Difference, ...] = ()
    """How what came of it differs from what is expected; empty if there is a *problem*."""
    problem: str | None = None
    """Why the file cannot be compared: it `IS_MISSING`, or what is in it is no JSON."""

    def __str__(self) -> str:
        return self.told(os.path.relpath(self.file))

    def told(self, name: str, most: int | None = None) -> str:
        """Return this in words, under the *name* of the file; no more than so many differences."""
        if self.problem is not None:
            return f"{visible(name)} {self.problem}"
        return "\n".join([f"{visible(name)} (- expected, + what came of it)", *self.lines(most)])

    def lines(self, most: int | None = None) -> Iterator[str]:
        """Yield the differences in words, one a line, no more than so many, and how many there are besides."""
        shown = self.differences[:most]
        yield from (f"  {describe(one)}" for one in shown)
        if left := len(self.differences) - len(shown):
            yield f"  and {left:,} more"


# --- finding ---------------------------------------------------------------------------------------


def is_expected(path: Path) -> bool:
    """Whether a file, by its name, says what is expected of a recording."""
    return path.name.endswith((STATE, DIAGNOSTICS))


def find(patterns: Iterable[str], root: Path) -> Suite:
    """Return the goldens that *patterns* find, each a path relative to *root* in which `*`, `?`, `[…]` and `**` have their usual meaning.

    A pattern that is a folder means the recordings in it, by `SUFFIXES`. Expected files and hidden files are no recordings.
    Raises `GoldenError` if a pattern finds none, or if two recordings would have the same expected files.
    """
    found: set[Golden] = set()
    expected: set[Path] = set()
    for pattern in patterns:
        recordings = [*_recordings(pattern, root)]
        if not recordings:
            raise GoldenError(_nothing_found(pattern, root))
        found.update(map(Golden, recordings))
        if recordings != [root / pattern]:
            expected.update(_expected_files(pattern, root))
    goldens = sorted(found)
    owners: dict[Path, Path] = {}
    for golden in goldens:
        other = owners.setdefault(golden.state, golden.recording)
        if other != golden.recording:
            raise GoldenError(f"{other} and {golden.recording} both have {golden.state.name}; one needs another name")
    expected.difference_update(*((golden.state, golden.diagnostics) for golden in goldens))
    return Suite(tuple(goldens), tuple(sorted(expected)))


def _nothing_found(pattern: str, root: Path) -> str:
    """Say why *pattern* finds no recording."""
    path = root / pattern
    if path.is_dir():
        return f"{path}: no recording in it, which would end in {', '.join(SUFFIXES)}, or in these with .gz"
    if path.exists():
        return f"{path}: is no recording" + (", but what is expected of one" if is_expected(path) else "")
    if glob.has_magic(pattern):
        return f"no recording is found by {pattern!r}" + ("" if root == Path() else f" in {root}")
    return f"{path}: there is no such file or folder"


def _recordings(pattern: str, root: Path) -> Iterator[Path]:
    path = root / pattern
    if path.is_dir():
        files = [file for file in path.iterdir() if file.name.removesuffix(".gz").endswith(SUFFIXES)]
    elif path.exists():
        files = [path]
    else:
        files = _glob(pattern, root)
    for file in files:
        if file.is_file() and not is_expected(file) and not file.name.startswith("."):
            yield file


def _expected_files(pattern: str, root: Path) -> Iterator[Path]:
    """Yield the expected files in the folders in which a pattern looks for recordings."""
    folder = glob.escape(pattern) if (root / pattern).is_dir() else os.path.dirname(pattern)  # noqa: PTH120 -- a pattern is no path
    for suffix in (STATE, DIAGNOSTICS):
        yield from _glob(f"{folder or '.'}/*{suffix}", root)


def _glob(pattern: str, root: Path) -> list[Path]:
    return [root / name for name in glob.glob(pattern, root_dir=root, recursive=True)]  # noqa: PTH207 -- `Path.glob` takes no absolute one


# --- checking --------------------------------------------------------------------------------------


def texts(golden: Golden, mask: Mask = NO_MASK) -> dict[Path, str]:
    """Return what the expected files of *golden* have to say, masked.

    Raises `OSError` if the recording cannot be read, and `GoldenError` if there is no frame in it: that is no recording.
    """
    from .document import to_document
    from .findings import nothing_read, to_object
    from .folding import fold
    from .printing import json_text

    folded = fold(golden.recording)
    if folded.tally.read == 0:
        raise GoldenError(f"{visible(str(golden.recording))}: {visible(nothing_read(folded.diagnostics))}")
    state: Json = to_document(folded)
    findings: Json = [to_object(finding) for finding in folded.diagnostics]
    if mask.rules:
        state, findings = mask.apply(state, findings)
    return {golden.state: json_text(state, 2) + "\n", golden.diagnostics: json_text(findings, 2) + "\n"}


def verify(golden: Golden, mask: Mask = NO_MASK) -> tuple[Mismatch, ...]:
    """Fold the recording and compare what comes of it with the expected files; nothing if it is what they say.

    Raises `OSError` for a file that is there and cannot be read, and `GoldenError` as `texts` does.
    """
    found = (_mismatch(file, text) for file, text in texts(golden, mask).items())
    return tuple(mismatch for mismatch in found if mismatch is not None)


def _mismatch(file: Path, text: str) -> Mismatch | None:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return Mismatch(file, problem=IS_MISSING)
    if data == text.encode():
        return None
    try:
        expected = decode(data, _DEPTH)
    except NotJsonError as error:
        return Mismatch(file, problem=f"is not JSON: {error}")
    differences = compare(expected, decode(text.encode(), _DEPTH))
    return Mismatch(file, tuple(differences)) if differences else None


def update(golden: Golden, mask: Mask = NO_MASK) -> tuple[Mismatch, ...]:
    """Write the expected files of *golden* anew; return of those that are others now how they were not as expected.

    One without differences and without a problem had other white space. A file is replaced at once or not at all.
    Raises `OSError`, and `GoldenError` as `texts` does; then none is written.
    """
    written = (_write(file, text) for file, text in texts(golden, mask).items())
    return tuple(mismatch for mismatch in written if mismatch is not None)


def _write(file: Path, text: str) -> Mismatch | None:
    mismatch = _mismatch(file, text)
    data = text.encode()
    if mismatch is None and file.read_bytes() == data:
        return None
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(data)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)
    return mismatch or Mismatch(file)


__all__ = [
    "DIAGNOSTICS",
    "IS_MISSING",
    "NO_MASK",
    "STATE",
    "SUFFIXES",
    "Golden",
    "Mask",
    "Mismatch",
    "Suite",
    "find",
    "is_expected",
    "texts",
    "update",
    "verify",
]
