from __future__ import annotations

from itertools import pairwise

import pytest

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_state.reading.lines import MAX_LINE, LineBuffer


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def fed(buffer: LineBuffer, pieces: list[bytes]) -> list[bytes | None]:
    return [line for piece in pieces for line in buffer.feed(piece)]


@pytest.mark.parametrize(
    ("data", "lines", "pending"),
    [
        (b"", [], b""),
        (b"a", [], b"a"),
        (b"a\n", [b"a"], b""),
        (b"a\nb", [b"a"], b"b"),
        (b"\n\n", [b"", b""], b""),
        (b"a\r\nb\r\n", [b"a\r", b"b\r"], b""),
        (b"a\rb\n", [b"a\rb"], b""),
        ("a\u2028b\u2029c\u0085d\x0b\x0c\x1c\x1d\x1e\n".encode(), ["a\u2028b\u2029c\u0085d\x0b\x0c\x1c\x1d\x1e".encode()], b""),
    ],
)
def test_a_newline_and_nothing_else_ends_a_line(data, lines, pending):
    buffer = LineBuffer()

    assert lines == buffer.feed(data)
    assert pending == buffer.pending


@settings(deadline=None)
@given(st.binary(max_size=60).map(lambda data: data.replace(b"\x00", b"\n")), st.lists(st.integers(0, 60), max_size=6))
def test_how_the_bytes_are_cut_makes_no_difference(data, cuts):
    whole, cut = LineBuffer(limit=5), LineBuffer(limit=5)

    assert whole.feed(data) == fed(cut, pieces_of(data, cuts))
    assert (whole.pending, whole.skipping, whole.begun) == (cut.pending, cut.skipping, cut.begun)


@settings(deadline=None)
@given(st.binary(max_size=60).map(lambda data: data.replace(b"\x00", b"\n")), st.integers(0, 60))
def test_another_buffer_goes_on_from_what_was_pending(data, cut):
    first = LineBuffer(limit=5)
    lines = first.feed(data[:cut])
    second = LineBuffer(first.pending, 5, skipping=first.skipping)

    assert LineBuffer(limit=5).feed(data) == lines + second.feed(data[cut:])


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"12345\n", [b"12345"]),
        (b"123456\n", [None]),
        (b"123456", [None]),
        (b"1234567890123\n1\n", [None, b"1"]),
        (b"1\n123456\n2\n3\n", [b"1", None, b"2", b"3"]),
        (b"123456\n123456\n", [None, None]),
    ],
)
def test_a_line_longer_than_the_limit_is_given_as_none_once(data, lines):
    assert lines == LineBuffer(limit=5).feed(data)
    assert lines == fed(LineBuffer(limit=5), [data[i : i + 1] for i in range(len(data))])


def test_a_line_that_is_too_long_is_reported_before_its_end_and_not_kept():
    buffer = LineBuffer(limit=5)

    assert buffer.feed(b"123456") == [None]
    assert buffer.feed(b"7" * 1000) == []
    assert (buffer.pending, buffer.skipping) == (b"", True)
    assert buffer.feed(b"7\nnext\n") == [b"next"]


def test_what_was_read_early_is_dropped_from_the_line():
    buffer = LineBuffer()
    buffer.feed(b"{} rest")
    buffer.drop(2)

    assert buffer.pending == b" rest"
    assert buffer.feed(b".\n") == [b" rest."]


def test_a_line_has_begun_until_its_newline_comes_even_if_it_was_read():
    buffer = LineBuffer()
    assert not buffer.begun

    buffer.feed(b"{}")
    buffer.drop(2)
    assert buffer.begun

    buffer.feed(b"\n")
    assert not buffer.begun


def test_the_limit_leaves_room_for_whole_files():
    assert MAX_LINE >= 32 * 1024 * 1024
