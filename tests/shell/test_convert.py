"""`acp-state convert`: a recording in another format."""

from __future__ import annotations

import gzip
import json

import pytest

from support.transcripts import v1


SESSION = v1().prompt(1, "hello").agent_says("hi").ends(1)


@pytest.mark.parametrize("dialect", ["jsonrpc", "tagged", "acp-state"])
def test_it_converts_to_our_format(dialect, shell, recording):
    path = recording(SESSION.lines(dialect))
    ran = shell("convert", path)
    assert (ran.code, ran.err) == (0, "")
    header, *records = map(json.loads, ran.out.splitlines())
    assert header == {"format": "acp-state/transcript", "version": 1}
    assert [(record["from"], record["message"]) for record in records] == [
        (record["from"], record["message"]) for record in map(json.loads, SESSION.lines("acp-state")[1:])
    ]
    assert shell("fold", "-", stdin=ran.out.encode()).out == shell("fold", path).out


def test_it_converts_to_bare_json_rpc_and_says_what_is_lost(shell, recording):
    lines = [*SESSION.lines("acp-state"), b"nonsense", b'{"t":9,"exit":{"status":"success"}}']
    path = recording(lines)
    ran = shell("convert", path, "--to", "jsonrpc", "--diagnostics=none")
    assert ran.out.encode().splitlines() == [line.replace(b": ", b":").replace(b", ", b",") for line in SESSION.lines("jsonrpc")]
    assert ran.err == f"acp-state: {path}: the format jsonrpc cannot carry 8 times, 1 end of a process, 1 line that is no message\n"


def test_several_files_become_one_recording(shell, recording):
    lines = SESSION.lines("jsonrpc")
    one, other = recording(lines[:5], "1"), recording(lines[5:], "2")
    ran = shell("convert", one, other)
    assert ran.out == shell("convert", recording(SESSION)).out
    assert ran.out.count("acp-state/transcript") == 1


def test_what_cannot_be_read_is_a_finding_and_is_kept(shell, recording):
    path = recording([b"nonsense", *SESSION.lines("jsonrpc")])
    ran = shell("convert", path)
    assert json.loads(ran.out.splitlines()[1]) == {"t": None, "raw": "nonsense"}
    assert "code=not-json line=1" in ran.err


@pytest.mark.parametrize("name", ["out.ndjson", "out.ndjson.gz"])
def test_it_writes_to_a_file(name, shell, recording, tmp_path):
    path = recording(SESSION)
    ran = shell("convert", path, "-o", tmp_path / name)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    data = (tmp_path / name).read_bytes()
    assert (gzip.decompress(data) if name.endswith(".gz") else data).decode() == shell("convert", path).out


def test_findings_are_those_of_a_fold(shell, recording):
    invalid = b'{"jsonrpc":"2.0","result":3,"method":4}'
    for files in [recording([*SESSION.lines("jsonrpc"), invalid, b"nonsense"])], [recording(SESSION, "1"), recording([invalid], "2")]:
        assert shell("convert", *files).err == shell("fold", *files).err != ""


def test_a_file_that_is_refused_leaves_the_output_as_it_was(shell, recording, tmp_path):
    output = recording(SESSION, "output")
    before = output.read_bytes()
    assert shell("convert", recording([b"nonsense"]), "-o", output).code == 2
    assert shell("convert", recording(SESSION), "-o", tmp_path / "gone" / "x").code == 2
    assert output.read_bytes() == before


def test_nothing_is_written_if_one_of_several_files_cannot_be_read(shell, recording, tmp_path):
    ran = shell("convert", recording(SESSION), tmp_path / "gone", recording([b""], "empty"), tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"acp-state: {tmp_path}/gone: No such file or directory\n"
        f"acp-state: {tmp_path}/empty: empty\n"
        f"acp-state: {tmp_path}: Is a directory\n"
    )


@pytest.mark.parametrize("lines", [[b"{", b'"format": "acp-state/1"', b"}"], [b"Dear reader,"] * 9], ids=["state", "text"])
@pytest.mark.parametrize("file", [True, False], ids=["file", "pipe"])
def test_nothing_is_written_of_what_is_no_recording(lines, file, shell, recording):
    path = recording(lines)
    ran = shell("convert", path) if file else shell("convert", "-", stdin=path.read_bytes())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("acp-state: ") == 1


@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_is_read_from_its_beginning(packed, shell, recording):
    noise = [b"Dear reader, " * 1_000] * 10  # more than is read at once
    path = recording([*noise, *SESSION.lines("jsonrpc")])
    data = gzip.compress(path.read_bytes()) if packed else path.read_bytes()
    assert shell("convert", "-", stdin=data).out == shell("convert", path).out
    assert shell("convert", "-", path, stdin=data).out == shell("convert", path, path).out
