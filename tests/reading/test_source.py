from __future__ import annotations

import ast
import gzip
import io
import os
import random
import sys
import zlib

from pathlib import Path

import pytest

import acp_state

from acp_state.diagnostics import Diagnostic
from acp_state.reading import BLOCK, Reader, blocks


PLAIN = b'{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b"}\n'


def taken(source) -> tuple[bytes, list[str]]:
    """All bytes, and the codes of the findings, of which each must be the last thing given."""
    items = list(blocks(source))
    assert all(isinstance(item, bytes) for item in items[:-1])
    return b"".join(item for item in items if isinstance(item, bytes)), [item.code for item in items if isinstance(item, Diagnostic)]


def noise(size: int) -> bytes:
    """Bytes that no archive makes shorter."""
    return random.Random(size).randbytes(size)  # noqa: S311 -- no secret


@pytest.mark.parametrize(
    "data",
    [PLAIN, b"", b"x", gzip.compress(PLAIN), gzip.compress(b""), noise(3 * BLOCK + 7)],
    ids=["plain", "empty", "one", "packed", "packed-empty", "long"],
)
@pytest.mark.parametrize("name", ["a.ndjson", "a.ndjson.gz", "A.GZ"])
def test_a_file_is_unpacked_by_what_it_holds_whatever_its_name(data, name, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    plain = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data

    assert (plain, []) == taken(path)
    assert (plain, []) == taken(str(path))
    assert (plain, []) == taken(data)


def test_standard_input_is_unpacked_too_and_stays_open(monkeypatch):
    for data in (PLAIN, gzip.compress(PLAIN)):
        buffer = io.BytesIO(data)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffer))

        assert taken("-") == (PLAIN, [])
        assert not buffer.closed


def test_a_pipe_gives_what_is_there_without_waiting_for_a_whole_block():
    end, start = os.pipe()
    os.write(start, PLAIN)
    with open(start, "wb", buffering=0):  # noqa: PTH123 -- a descriptor
        assert next(blocks(f"/dev/fd/{end}")) == PLAIN
    os.close(end)


@pytest.mark.parametrize("start", [b"\x1f", b"\x1f\x8b"])
def test_the_first_bytes_may_come_one_by_one(start, monkeypatch):
    class Slow(io.BytesIO):
        def read1(self, _=-1):
            return super().read(1)

        def read(self, _=-1):
            pytest.fail("this would wait for a whole block")

    data = gzip.compress(PLAIN)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Slow(data)))

    assert data.startswith(start)
    assert taken("-") == (PLAIN, [])


class TestArchives:
    def test_members_follow_each_other(self):
        assert taken(gzip.compress(PLAIN) + gzip.compress(b"") + gzip.compress(PLAIN) + gzip.compress(PLAIN)) == (PLAIN * 3, [])

    def test_zeros_between_and_behind_members_are_padding(self):
        assert taken(gzip.compress(PLAIN) + bytes(5) + gzip.compress(PLAIN) + bytes(1000)) == (PLAIN * 2, [])

    def test_a_long_archive_is_given_in_blocks(self):
        plain = bytes(20 * BLOCK) + noise(BLOCK)
        items = list(blocks(gzip.compress(plain, 1)))

        assert plain == b"".join(items)
        assert max(map(len, items)) <= BLOCK

    @pytest.mark.parametrize("level", [0, 1, 9])
    def test_a_torn_one_gives_what_it_has_wherever_it_is_cut(self, level):
        data = gzip.compress(noise(300) + PLAIN * 5, level, mtime=0)
        whole = gzip.decompress(data)
        before = 0
        for end in range(2, len(data)):
            plain, codes = taken(data[:end])
            assert whole.startswith(plain)
            assert len(plain) >= before
            assert codes == ["torn-archive"]
            before = len(plain)

        assert before == len(whole)

    def test_a_torn_one_gives_the_last_byte_that_is_in_it(self):
        data = gzip.compress(bytes(32 * BLOCK), 9, mtime=0)
        for end in range(20, len(data), 7):
            assert len(taken(data[:end])[0]) == len(zlib.decompressobj(31).decompress(data[:end]))

    def test_a_second_member_may_be_torn(self):
        assert taken(gzip.compress(PLAIN) + gzip.compress(noise(50))[:12]) == (PLAIN, ["torn-archive"])

    def test_a_damaged_one_gives_what_comes_before_the_damage(self):
        plain = b"".join(b"%d\n" % number for number in range(200_000))
        data = bytearray(gzip.compress(plain, 6, mtime=0))
        middle = len(data) // 2
        data[middle : middle + 8] = b"\xff" * 8
        got, codes = taken(bytes(data))

        assert codes == ["torn-archive"]
        assert len(got) > len(plain) // 3
        assert plain[:1000] == got[:1000]

    def test_a_wrong_checksum_costs_no_byte(self):
        data = bytearray(gzip.compress(PLAIN))
        data[-6] ^= 0xFF

        assert taken(bytes(data)) == (PLAIN, ["torn-archive"])

    def test_what_follows_and_is_no_archive_is_reported(self):
        assert taken(gzip.compress(PLAIN) + b"oops, more text") == (PLAIN, ["torn-archive"])

    def test_a_file_that_is_named_as_one_and_ends_at_once_is_torn(self, tmp_path):
        path = tmp_path / "a.gz"
        path.write_bytes(b"\x1f")

        assert taken(path) == (b"", ["torn-archive"])
        assert taken(b"\x1f") == (b"\x1f", [])

    def test_no_bytes_raise(self):
        data = gzip.compress(PLAIN * 20, mtime=0)
        chance = random.Random(7)  # noqa: S311 -- no secret
        for _ in range(300):
            broken = bytearray(data)
            for _ in range(chance.randint(1, 4)):
                broken[chance.randrange(2, len(broken))] = chance.randrange(256)
            taken(bytes(broken))


def test_a_file_is_closed_at_its_end(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(PLAIN)
    opened = []
    real = open
    monkeypatch.setattr("builtins.open", lambda *args, **options: opened.append(real(*args, **options)) or opened[-1])
    list(blocks(path))

    assert [file.closed for file in opened] == [True]


@pytest.mark.parametrize("name", ["missing", ".", "missing.gz"])
def test_what_cannot_be_opened_is_the_callers_to_report_at_once(name, tmp_path):
    with pytest.raises(OSError, match=r"(?i)no such file|is a directory"):
        blocks(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_may_not_be_read_is_the_callers_to_report(tmp_path):
    path = tmp_path / "secret"
    path.touch(mode=0o000)

    with pytest.raises(PermissionError):
        blocks(path)


def test_a_torn_archive_is_read_as_far_as_it_goes():
    reader = Reader()
    items = [
        item for block in blocks(gzip.compress(PLAIN * 50)[:-20]) for item in (reader.feed(block) if isinstance(block, bytes) else [block])
    ]

    assert items[-1].code == "torn-archive"
    assert {"a", "b"} == {item.method for item in items[:-1]}


def test_nothing_else_of_the_layer_touches_the_outside():
    package = Path(acp_state.__file__).parent
    forbidden = {"io", "logging", "os", "pathlib", "random", "socket", "subprocess", "sys", "threading", "time"}
    files = [*(package / "reading").glob("*.py"), *(package / "dialects").glob("*.py"), package / "frames.py", package / "_json.py"]
    for file in files:
        tree = ast.parse(file.read_text())
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}

        assert file.name == "source.py" or not (imported & forbidden or "open" in called or "print" in called), file
