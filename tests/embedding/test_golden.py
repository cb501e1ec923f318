"""Golden suites: transcripts found, checked and their expected files written, without pytest."""

from __future__ import annotations

import gzip
import json

import pytest

from acp_state.errors import GoldenError
from acp_state.golden import IS_MISSING, Golden, find, update, verify
from acp_state.masking import Mask


def transcript(*texts, session="s-1"):
    updates = ({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}} for text in texts)
    return "".join(json.dumps({"sessionId": session, "update": each}) + "\n" for each in updates)


@pytest.fixture
def folder(tmp_path):
    """A folder with two transcripts whose expected files are written."""
    for name, text in (("one", "hello"), ("two", "good-bye")):
        (tmp_path / f"{name}.ndjson").write_text(transcript(text))
    for golden in find(["*.ndjson"], tmp_path).goldens:
        update(golden)
    return tmp_path


# --- finding -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("transcript", "name"),
    [("a.ndjson", "a"), ("a.ndjson.gz", "a"), ("a.b.json", "a.b"), ("a.gz", "a"), ("a", "a"), ("v1.2", "v1")],
)
def test_the_name_of_a_golden(tmp_path, transcript, name):
    golden = Golden(tmp_path / transcript)

    assert golden.name == name
    assert golden.state == tmp_path / f"{name}.state.json"
    assert golden.diagnostics == tmp_path / f"{name}.diagnostics.json"


@pytest.mark.parametrize("pattern", ["*.ndjson", "*.*", "*", ".", "**/*.ndjson", "[ot]*.ndjson"])
def test_goldens_are_found_in_order(folder, pattern):
    (folder / ".hidden.ndjson").touch()
    if pattern == ".":
        (folder / "README.md").touch()
        (folder / "test_it.py").touch()
    suite = find([pattern], folder)

    assert [golden.name for golden in suite.goldens] == ["one", "two"]
    assert suite.unused == ()


def test_a_pattern_may_be_absolute_and_one_file(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    assert find([str(folder / "one.ndjson")], elsewhere).goldens == (Golden(folder / "one.ndjson"),)


def test_patterns_that_find_the_same_find_it_once(folder):
    assert len(find(["*.ndjson", "one.*", "."], folder).goldens) == 2


def test_the_root_may_look_like_a_pattern(tmp_path):
    root = tmp_path / "[a]"
    root.mkdir()
    (root / "one.ndjson").write_text(transcript("hello"))

    assert len(find(["*.ndjson"], root).goldens) == 1


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("*.jsonl", "no recording is found by '*.jsonl' in {}"),
        ("none/*.ndjson", "no recording is found by 'none/*.ndjson' in {}"),
        ("*.state.json", "no recording is found by '*.state.json' in {}"),
        ("gone.ndjson", "{}/gone.ndjson: there is no such file or folder"),
        ("one.state.json", "{}/one.state.json: is no recording, but what is expected of one"),
        (
            "empty",
            "{}/empty: no recording in it, which would end in .ndjson, .jsonl, .json, .jsons, .log, .traffic, or in these with .gz",
        ),
    ],
)
def test_a_pattern_that_finds_nothing_is_an_error(folder, pattern, message):
    (folder / "empty").mkdir()

    with pytest.raises(GoldenError) as raised:
        find(["*.ndjson", pattern], folder)
    assert str(raised.value) == message.replace("{}", str(folder))


def test_two_transcripts_of_one_name_are_an_error(folder):
    (folder / "one.jsonl").write_text(transcript("hello"))

    with pytest.raises(GoldenError, match=r"one.jsonl and .*one.ndjson both have one.state.json"):
        find(["."], folder)


def test_expected_files_that_belong_to_none_are_unused(folder):
    (folder / "one.ndjson").rename(folder / "uno.ndjson")

    assert [file.name for file in find(["*.ndjson"], folder).unused] == ["one.diagnostics.json", "one.state.json"]
    assert find(["two.ndjson"], folder).unused == ()  # one file was asked for, not the folder


@pytest.mark.parametrize("pattern", ["**/*.ndjson", "*/*.ndjson"])
def test_an_unused_file_is_found_also_in_a_folder_that_has_no_transcript_any_more(folder, pattern):
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / f"{name}.ndjson").write_text(transcript("hello"))
        update(Golden(folder / name / f"{name}.ndjson"))
    (folder / "a/a.ndjson").unlink()

    assert [file.name for file in find([pattern], folder).unused] == ["a.diagnostics.json", "a.state.json"]


# --- checking ----------------------------------------------------------------------------------------------


def test_what_was_written_is_what_comes_of_it(folder):
    assert [verify(golden) for golden in find(["."], folder).goldens] == [(), ()]
    assert json.loads((folder / "one.state.json").read_bytes())["sessions"]["s-1"]["timeline"][0]["role"] == "agent"
    assert [finding["code"] for finding in json.loads((folder / "one.diagnostics.json").read_bytes())] == ["unannounced-session"]


def test_white_space_in_an_expected_file_does_not_count(folder):
    file = folder / "one.state.json"
    file.write_text(json.dumps(json.loads(file.read_text()), indent=None))

    assert verify(Golden(folder / "one.ndjson")) == ()


def test_the_order_of_keys_does(folder):
    file = folder / "one.state.json"
    file.write_text(json.dumps(json.loads(file.read_text()), sort_keys=True))

    assert [one.kind for mismatch in verify(Golden(folder / "one.ndjson")) for one in mismatch.differences][:1] == ["reordered"]


def test_a_mismatch_tells_what_changed(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with (folder / "one.ndjson").open("a") as file:
        file.write(transcript(", world") + "no JSON\n")
    state, diagnostics = verify(Golden(folder / "one.ndjson"))

    assert str(state).splitlines() == [
        "one.state.json (- expected, + what came of it)",
        '  ~ /sessions/s-1/timeline/0/content/0/text (message agent): appended ", world"',
    ]
    assert str(diagnostics).startswith("one.diagnostics.json (- expected, + what came of it)\n  + /1 (not-json): {")


def test_a_missing_file_is_a_mismatch(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "one.state.json").unlink()

    assert [str(mismatch) for mismatch in verify(Golden(folder / "one.ndjson"))] == ["one.state.json is missing"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff"])
def test_a_file_that_is_no_json_is_a_mismatch(folder, content):
    (folder / "one.state.json").write_bytes(content)
    (mismatch,) = verify(Golden(folder / "one.ndjson"))

    assert " is not JSON: " in str(mismatch)
    assert mismatch.differences == ()


def test_an_archive_is_a_transcript(tmp_path):
    (tmp_path / "one.ndjson.gz").write_bytes(gzip.compress(transcript("hello").encode()))
    (golden,) = find(["."], tmp_path).goldens
    update(golden)

    assert golden.state.name == "one.state.json"
    assert verify(golden) == ()


def test_a_transcript_that_cannot_be_read_raises(tmp_path):
    with pytest.raises(FileNotFoundError):
        verify(Golden(tmp_path / "gone.ndjson"))


# --- writing -----------------------------------------------------------------------------------------------


def test_only_what_is_another_one_is_written(folder):
    golden = Golden(folder / "one.ndjson")
    assert update(golden) == ()

    golden.recording.write_text(transcript("other"))
    before = golden.diagnostics.stat().st_mtime_ns
    (mismatch,) = verify(golden)
    assert update(golden) == (mismatch,)
    assert mismatch.file == golden.state
    assert verify(golden) == ()
    assert golden.diagnostics.stat().st_mtime_ns == before
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == []


def test_how_a_file_was_not_as_expected_is_told_of_when_it_is_written(folder):
    golden = Golden(folder / "one.ndjson")
    golden.state.write_bytes(golden.state.read_bytes().replace(b"\n", b""))
    golden.diagnostics.unlink()
    spaced, missing = update(golden)

    assert (spaced.file, spaced.differences, spaced.problem) == (golden.state, (), None)
    assert (missing.file, missing.problem) == (golden.diagnostics, IS_MISSING)
    assert update(golden) == ()


def test_an_expected_file_is_replaced_whole_or_not_at_all(folder, monkeypatch):
    golden = Golden(folder / "one.ndjson")
    golden.recording.write_text(transcript("other"))
    before = golden.state.read_bytes()

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match="No space"):
        update(golden)
    assert golden.state.read_bytes() == before
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


def test_masked_goldens_hold_for_another_run(tmp_path):
    golden = Golden(tmp_path / "one.ndjson")
    mask = Mask.of(["ids"])
    golden.recording.write_text(transcript("hello", session="11-aa"))
    update(golden, mask)
    golden.recording.write_text(transcript("hello", session="22-bb"))

    assert verify(golden, mask) == ()
    assert verify(golden) != ()
    assert "11-aa" not in golden.state.read_text()
