"""The transcripts of `golden/`, each beside the state that it folds to and what is wrong with it.

`golden/README.md` says what each of them shows, and how expected files are written anew.
"""

from __future__ import annotations

import difflib
import functools
import io
import json

from pathlib import Path

import pytest

from jsonschema import Draft202012Validator

from acp_state.diagnostics import CATALOGUE, Diagnostic
from acp_state.dialects import DIALECTS
from acp_state.document import dumps, loads
from acp_state.findings import to_object
from acp_state.folding import fold
from acp_state.frames import Frame
from acp_state.reading import Reader, blocks
from acp_state.schema import document_schema


GOLDEN = Path(__file__).parents[1] / "golden"
STATE = ".state.json"
DIAGNOSTICS = ".diagnostics.json"

MOST_CUTS = 50
"""A longer transcript is cut at about so many places, evenly spread, not at each."""


def slug_of(path):
    return path.name.partition(".")[0]


def transcripts():
    no_transcript = (STATE, DIAGNOSTICS, ".md")
    return sorted(
        path for path in GOLDEN.iterdir() if path.is_file() and not path.name.startswith(".") and not path.name.endswith(no_transcript)
    )


def expected_files():
    return sorted([*GOLDEN.glob(f"*{STATE}"), *GOLDEN.glob(f"*{DIAGNOSTICS}")])


each_transcript = pytest.mark.parametrize("path", [pytest.param(path, id=slug_of(path)) for path in transcripts()])
each_state = pytest.mark.parametrize("path", [pytest.param(path, id=slug_of(path)) for path in sorted(GOLDEN.glob(f"*{STATE}"))])


def printed(findings):
    return json.dumps([to_object(finding) for finding in findings], indent=2, ensure_ascii=False) + "\n"


def difference(path, text):
    """How *text* differs from what *path* holds, as a unified diff; nothing if it does not."""
    if not path.exists():
        return f"golden/{path.name} is missing; pytest --acp-update writes it\n"
    expected = path.read_bytes().decode()
    lines = difflib.unified_diff(expected.split("\n"), text.split("\n"), f"golden/{path.name}", "what came of it", lineterm="")
    return "\n".join(lines)


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


@each_transcript
def test_a_transcript_folds_to_what_stands_beside_it(path, acp_update):
    folded = fold(path)
    texts = {
        path.with_name(slug_of(path) + STATE): dumps(folded) + "\n",
        path.with_name(slug_of(path) + DIAGNOSTICS): printed(folded.diagnostics),
    }
    if acp_update:
        for expected, text in texts.items():
            expected.write_bytes(text.encode())
    differences = [found for expected, text in texts.items() if (found := difference(expected, text))]
    if differences:
        pytest.fail("\n".join(differences), pytrace=False)


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


def test_there_are_transcripts():
    assert transcripts() != []


def test_no_two_transcripts_have_the_same_name():
    slugs = [slug_of(path) for path in transcripts()]
    assert sorted(set(slugs)) == slugs


def test_every_expected_file_belongs_to_a_transcript():
    slugs = {slug_of(path) for path in transcripts()}
    assert [path.name for path in expected_files() if slug_of(path) not in slugs] == []


def test_the_readme_lists_every_transcript_and_no_other():
    text = (GOLDEN / "README.md").read_text(encoding="utf-8")
    listed = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert sorted(listed) == [path.name for path in transcripts()]


def test_every_code_of_the_catalogue_is_shown():
    shown = {finding["code"] for path in GOLDEN.glob(f"*{DIAGNOSTICS}") for finding in json.loads(path.read_bytes())}
    assert sorted(CATALOGUE.keys() - shown) == []


def test_every_dialect_is_shown():
    shown = {dialect for path in transcripts() for dialect in items_of(path)[1]}
    assert sorted(DIALECTS.keys() - shown) == []
