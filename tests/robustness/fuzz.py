"""A coverage-guided run over the whole fold, by hand: `python tests/robustness/fuzz.py CORPUS [libFuzzer's options]`.

Needs atheris (`pip install atheris`); importing this file does not. *CORPUS* is a directory in which
the inputs that reach something new are kept; it is filled from `golden/` first. What breaks a promise
is written beside it, to `CORPUS-finds`, once for each place in the code; the run goes on, ends with
how many there were, and exits with 1 if there were any. One of them alone:
`python tests/robustness/fuzz.py --check FILE`.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import traceback
import zlib

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final


if __name__ == "__main__" and sys.argv[1:2] != ["--check"]:
    import atheris

    # What is at the bottom is used everywhere: which lines of it run says little, and to watch it is slow.
    bottom = ["acp_state._json", "acp_state._model", "acp_state._persistent"]
    with atheris.instrument_imports(include=["acp_state"], exclude=bottom):
        import acp_state.document
        import acp_state.store  # noqa: F401 -- these two draw in all that is to be watched

from acp_state.document import dumps, loads
from acp_state.folding import fold
from acp_state.store import Store


ROOT: Final = Path(__file__).parents[2]
LARGEST: Final = 512
"""The size of an input in bytes: two to four frames."""


def check(data: bytes) -> None:
    """Feed *data*, and see that what is promised for any input holds; raises `AssertionError`, or whatever the fold does."""
    # Where it is cut depends on the input alone, so that a find can be found again.
    cut = zlib.crc32(data) % (len(data) + 1)
    store = Store()
    store.feed(data[:cut])
    half = store.state
    document = dumps(half, indent=None)
    again = loads(document)
    assert again.snapshot == half.snapshot, f"cut at byte {cut}, the document has another snapshot"
    assert again.wire == half.wire, f"cut at byte {cut}, the document has another wire"
    assert dumps(again, indent=None) == document, f"cut at byte {cut}, the document becomes another one"
    store.feed(data[cut:])
    store.close()
    whole, resumed = store.state, fold(data[cut:], from_=again)
    assert resumed.snapshot == whole.snapshot, f"gone on from byte {cut}, the snapshot is another one"
    assert resumed.wire == whole.wire, f"gone on from byte {cut}, the wire is another one"


def check_cheaply(data: bytes) -> None:
    """Fold *data*; check it in full if it is one of the quarter (told from itself) for which there is time."""
    if zlib.adler32(data) % 4 == 0:
        check(data)
    else:
        fold(data)


# --- what to begin with, and how to go on ------------------------------------------------------------------


def seeds() -> Iterator[bytes]:
    """Yield the beginnings of the goldens, and a few lines from each place of them."""
    for path in sorted((ROOT / "golden").rglob("*.*")):
        if path.suffix in (".json", ".md", ".gz"):
            continue
        lines = path.read_bytes()[:100_000].splitlines(keepends=True)
        for start in range(0, len(lines), 3):
            piece = b""
            for line in lines[start : start + 8]:
                if len(piece) + len(line) > LARGEST:
                    break
                piece += line
            if piece:
                yield piece


def values_in(value: Any) -> Iterator[Any]:
    """Yield *value* and all that is in it."""
    yield value
    if isinstance(value, dict):
        for part in value.values():
            yield from values_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from values_in(part)


def records(data: bytes) -> list[Any]:
    """Return the values on those lines of *data* that are JSON."""
    found = []
    for line in data.split(b"\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


ODD: Final = (None, True, 0, -1, 1.0, 1e308, 2**64, "", "s-1", "\ud800", [], {}, [None], {"": None}, {"type": "_x"}, {"_meta": {"x": None}})


class Mutator:
    """Changes recordings as somebody would who knows JSON and has seen the protocol, or byte by byte."""

    def __init__(self, atheris: Any, known: list[bytes]) -> None:
        self._atheris = atheris
        self._lines = sorted({line for data in known for line in data.split(b"\n") if line})
        parts = {json.dumps(part) for data in known for record in records(data) for part in values_in(record)}
        self._values = [*ODD, *(json.loads(text) for text in sorted(parts) if len(text) < 200)]
        self._names = sorted({name for value in self._values if isinstance(value, dict) for name in value})

    def __call__(self, data: bytes, largest: int, seed: int) -> bytes:
        chance = random.Random(seed)  # noqa: S311 -- no secret
        if chance.random() < 0.3:
            return self._atheris.Mutate(data, largest)
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            data = self._changed(data, chance)
        return data[:largest]

    def _changed(self, data: bytes, chance: random.Random) -> bytes:
        lines = data.split(b"\n")
        place = chance.randrange(len(lines))
        way = chance.randrange(8)
        if way == 0:
            lines.insert(place, chance.choice(self._lines))
        elif way == 1:
            lines.insert(chance.randrange(len(lines) + 1), lines[place])
        elif way == 2:
            lines.insert(chance.randrange(len(lines)), lines.pop(place))
        elif way == 3:
            lines.pop(place)
        else:
            try:
                record = json.loads(lines[place])
            except ValueError:
                lines[place] = chance.choice(self._lines)
            else:
                lines[place] = json.dumps(self._other(record, chance), ensure_ascii=chance.random() < 0.9).encode("utf-8", "surrogatepass")
        return b"\n".join(lines)

    def _other(self, value: Any, chance: random.Random) -> Any:
        """Return *value* with one place of it changed: nearer to the leaves than to the root, mostly."""
        if not value or not isinstance(value, (dict, list)) or chance.random() < 0.1:
            return chance.choice(self._values)
        if isinstance(value, list):
            place = chance.randrange(len(value))
            return [self._other(part, chance) if number == place else part for number, part in enumerate(value)]
        name = chance.choice(list(value))
        way = chance.randrange(10)
        if way == 0:
            return {key: part for key, part in value.items() if key != name}
        if way == 1:
            return {**value, chance.choice(self._names): chance.choice(self._values)}
        if way == 2:
            return {(chance.choice(self._names) if key == name else key): part for key, part in value.items()}
        return {**value, name: self._other(value[name], chance)}


# --- the run -----------------------------------------------------------------------------------------------


class Run:
    """Checks inputs and keeps those that break a promise: one for each place in the code, the smallest."""

    def __init__(self, finds: Path) -> None:
        self._finds = finds
        self.sizes: dict[str, int] = {}

    def __call__(self, data: bytes) -> None:
        try:
            check_cheaply(data)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is a find
            self._keep(data, error)

    def _keep(self, data: bytes, error: Exception) -> None:
        places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-3:]]
        what = str(error).split(",")[0] if isinstance(error, AssertionError) else type(error).__name__
        name = hashlib.sha256(" ".join((what, *places)).encode()).hexdigest()[:12]
        if len(data) >= self.sizes.get(name, LARGEST + 1):
            return
        if name not in self.sizes:
            sys.stderr.write(f"find {name}: {type(error).__name__}: {error} ({' '.join(places)})\n")
        self.sizes[name] = len(data)
        self._finds.mkdir(exist_ok=True)
        (self._finds / name).write_bytes(data)
        (self._finds / f"{name}.txt").write_text("".join(traceback.format_exception(error)), encoding="utf-8", errors="backslashreplace")


def main(arguments: list[str]) -> int:
    """Run the fuzzer, or check the one file that is named after `--check`."""
    if len(arguments) == 2 and arguments[0] == "--check":
        check(Path(arguments[1]).read_bytes())
        return 0
    if not arguments or arguments[0].startswith("-"):
        sys.stderr.write(f"usage: {Path(__file__).name} CORPUS [libFuzzer's options]\n")
        return 2
    import atheris

    corpus = Path(arguments[0])
    corpus.mkdir(exist_ok=True)
    known = list(seeds())
    for data in known:
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    run = Run(corpus.with_name(corpus.name + "-finds"))
    mutator = Mutator(atheris, known)
    atheris.Setup([sys.argv[0], f"-max_len={LARGEST}", *arguments], run, custom_mutator=mutator)
    atheris.Fuzz()
    return 1 if run.sizes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
