"""Recordings made to be dear: twice as much of them takes twice the work. Counted, not timed."""

from __future__ import annotations

import gzip

import pytest

from acp_state.folding import fold

from support.effort import bytes_asked_for, opcodes_and_calls, ran


UPDATE = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
    b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}'
)

HOSTILE = {
    "objects that do not end": lambda times: b"{\n" * times,
    "arrays that do not end": lambda times: b"[\n" * times,
    "both in turns": lambda times: b"{\n[\n" * times,
    "nested, then broken": lambda times: b"[\n" * times + b"x\n",
    "begun and broken again and again": lambda times: b"{\nx\n" * times,
    "arrays of broken objects": lambda times: b"[\n{\n}\nx\n" * times,
    "an array without end": lambda times: b"[\n" + b'"a",\n' * times,
    "an object without end": lambda times: b"{\n" + b'"a":1,\n' * times,
    "members that are begun": lambda times: b"{\n" + b'"a":{\n' * times,
    "an array of objects that are begun": lambda times: b"[\n" + b'{"a":\n' * times,
    "values on one line": lambda times: b"{}" * times,
    "messages on one line": lambda times: UPDATE * times,
    "values and then none": lambda times: b"{}" * times + b"x",
    "brackets on one line": lambda times: b"[" * 50 * times,
    "a number": lambda times: b"1" * 50 * times,
    "byte order marks": lambda times: b"\xef\xbb\xbf" * 50 * times,
    "a batch": lambda times: b"[" + b",".join([UPDATE] * times) + b"]",
    "a batch of batches": lambda times: b"[" + b",".join([b"[]"] * times) + b"]",
    "a batch of anything": lambda times: b"[" + b",".join([b"7"] * times) + b"]",
    "the same key": lambda times: b'{"jsonrpc":"2.0","method":"_x","params":{' + b'"a":1,' * times + b'"a":1}}',
    "many archives": lambda times: gzip.compress(b"{}\n", mtime=0) * times,
    "an archive that is cut": lambda times: gzip.compress(b"".join(b"%d\n" % number for number in range(times)), mtime=0)[:-9],
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_twice_as_much_is_twice_the_work(make):
    short, long = make(60), make(240)
    ran("mutated inputs", 2)
    fold(short)
    few, many = (opcodes_and_calls(lambda data=data: fold(data))[0] for data in (short, long))

    assert many <= few * 4 * 1.2 + 2000


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_twice_as_much_is_at_most_twice_the_memory(make):
    short, long = make(500), make(2_000)
    ran("mutated inputs", 2)
    few, many = (bytes_asked_for(lambda data=data: fold(data)) for data in (short, long))

    assert many <= few * 4 * 1.5 + 200_000


def test_an_archive_of_nothing_is_unpacked_in_pieces():
    """Zip bombs: 32 MiB of blanks in 32 KiB, which are a line within the limit, and one over it."""
    bomb = gzip.compress(b" " * (32 * 1024 * 1024), mtime=0)
    ran("mutated inputs", 2)

    assert fold(bomb).diagnostics == ()
    (found,) = fold(bomb * 3).diagnostics
    assert found.code == "line-too-long"
