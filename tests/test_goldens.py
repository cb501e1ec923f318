"""What must hold of the transcripts of `golden/` besides that each folds to what stands beside it: that the plugin tests.

`golden/README.md` says what each of them shows.
"""

from __future__ import annotations

import functools
import io
import json

from pathlib import Path

import pytest

from jsonschema import Draft202012Validator

from acp_state.diagnostics import CATALOGUE, Diagnostic
from acp_state.dialects import NAMES
from acp_state.document import dumps, loads
from acp_state.folding import fold
from acp_state.frames import Frame
from acp_state.golden import find
from acp_state.reading import Reader, blocks
from acp_state.schema import document_schema


GOLDEN = Path(__file__).parents[1] / "golden"

MOST_CUTS = 50
"""A longer transcript is cut at about so many places, evenly spread, not at each."""


GOLDENS = find(["."], GOLDEN).goldens

each_transcript = pytest.mark.parametrize("path", [pytest.param(golden.recording, id=golden.name) for golden in GOLDENS])
each_state = pytest.mark.parametrize("path", [pytest.param(golden.state, id=golden.name) for golden in GOLDENS])


@functools.cache
def validator():
    return Draft202012Validator(document_schema())


def bytes_of(path):
    """What a transcript holds, unpacked if it is packed."""
    return b"".join(block for block in blocks(path) if not isinstance(block, Diagnostic))


def lines_of(path):
    """The lines of a transcript, each with its end."""
    return io.BytesIO(bytes_of(path)).readlines()


def items_of(path):
    """The frames and findings of a transcript, and the names of its dialects."""
    reader = Reader()
    items = [*reader.feed(bytes_of(path)), *reader.close()]
    return items, reader.dialects


def cuts(size):
    return range(0, size + 1, size // MOST_CUTS + 1)


@each_state
def test_a_state_is_valid_under_the_schema(path):
    document = json.loads(path.read_bytes())
    assert [f"{error.json_path}: {error.message}" for error in validator().iter_errors(document)] == []


@each_state
def test_a_state_survives_being_read_and_written(path):
    text = path.read_bytes().decode().removesuffix("\n")
    assert dumps(loads(text)) == text


@each_transcript
def test_folding_may_stop_after_any_line_and_go_on_from_the_document(path):
    whole = fold(path)
    text = dumps(whole)
    lines = lines_of(path)
    for cut in cuts(len(lines)):
        saved = dumps(fold(b"".join(lines[:cut])))
        resumed = fold(b"".join(lines[cut:]), from_=loads(saved))
        assert dumps(resumed) == text, f"after line {cut}"
        assert (resumed.snapshot, resumed.wire) == (whole.snapshot, whole.wire), f"after line {cut}"


@each_transcript
def test_folding_may_stop_after_any_frame_and_go_on_from_the_document(path):
    frames = [item for item in items_of(path)[0] if isinstance(item, Frame)]
    whole = fold(frames)
    text = dumps(whole)
    for cut in cuts(len(frames)):
        saved = dumps(fold(frames[:cut]))
        resumed = fold(frames[cut:], from_=loads(saved))
        assert dumps(resumed) == text, f"after frame {cut}"
        assert (resumed.snapshot, resumed.wire) == (whole.snapshot, whole.wire), f"after frame {cut}"


def test_the_readme_lists_every_transcript_and_no_other():
    text = (GOLDEN / "README.md").read_text(encoding="utf-8")
    listed = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert sorted(listed) == [golden.recording.name for golden in GOLDENS]


def test_every_code_of_the_catalogue_is_shown():
    shown = {finding["code"] for golden in GOLDENS for finding in json.loads(golden.diagnostics.read_bytes())}
    assert sorted(CATALOGUE.keys() - shown) == []


def named_dialects():
    """The names of the dialects of each transcript, as the README has them."""
    rows = [line.split("|") for line in (GOLDEN / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return {row[1].strip(" `"): sorted(name.strip() for name in row[2].split(",")) for row in rows}


@each_transcript
def test_a_transcript_is_detected_as_what_it_is(path):
    assert sorted(items_of(path)[1]) == named_dialects()[path.name]


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        # acpx reads the messages between its markers itself when nobody else is asked.
        pytest.param(name, dialects[0], id=name)
        for name, dialects in named_dialects().items()
        if len(dialects) == 1 or dialects == ["acpx", "jsonrpc"]
    ],
)
def test_a_transcript_reads_the_same_when_its_dialect_is_named(name, dialect):
    whole, named = fold(GOLDEN / name), fold(GOLDEN / name, dialect=dialect)
    assert (named.snapshot, named.wire) == (whole.snapshot, whole.wire)


def test_every_dialect_is_shown():
    shown = {dialect for golden in GOLDENS for dialect in items_of(golden.recording)[1]}
    assert sorted(set(NAMES) - shown) == []
