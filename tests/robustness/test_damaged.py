"""Recordings that are damaged, huge or hostile: nothing raises, memory is bounded, and the frames around are folded."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc

from collections.abc import Iterator
from typing import Any

import pytest

from hypothesis import example, given
from hypothesis import strategies as st

from acp_state.document import dumps, loads
from acp_state.folded import Folded
from acp_state.folding import fold
from acp_state.reading.lines import MAX_LINE

from strategies import conversations, polite
from support.effort import many, ran
from support.recordings import folded, frames_of, lines_of, recording, told
from support.talk import Sent, Talk


def spoken() -> list[Sent]:
    """A conversation with a bit of everything, always the same."""
    talk = Talk(1, ids=(0, "a"))
    talk.handshake()
    talk.new(early=True, now=True)
    talk.prompt(0, [{"type": "text", "text": "q\N{GRINNING FACE}"}])
    talk.chunk(0, 0, None, {"type": "text", "text": "a\u2028b\x85c\ud83d"}, None)
    talk.call(0, 0, 1, {"rawInput": {"n": [1, 1.5, None, False]}})
    talk.permission(0, 0, 0)
    talk.answer(client=True, pick=0, way=0)
    talk.answer(client=False, pick=0, way=0)
    return talk.sent


PLAIN = recording(spoken())


def chunk(text: Any, session: str = "s-1") -> bytes:
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": text}}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}
    return json.dumps({"t": 0, "from": "agent", "message": message}).encode() + b"\n"


def around(bad: bytes) -> Folded:
    """Fold two good lines with *bad* ones between them, and see that they are there."""
    ran("mutated inputs")
    state = fold(chunk("one") + bad + b"\n" + chunk(" two"))
    assert state.snapshot.sessions["s-1"].timeline[0].text == "one two"
    assert told(loads(dumps(state))) == told(state)
    return state


def codes(state: Folded) -> set[str]:
    return {finding.code for finding in state.diagnostics}


def assert_well(data: bytes) -> Folded:
    ran("mutated inputs")
    state = fold(data)
    assert told(loads(dumps(state))) == told(state)
    return state


# --- cut and flipped -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["acp-state", "jsonrpc", "tagged"])
def test_a_recording_may_end_at_any_byte(dialect):
    data = recording(spoken(), dialect)
    for end in range(len(data) + 1):
        ran("mutated inputs")
        state = assert_well(data[:end]) if end % 20 == 0 else fold(data[:end])
        whole_lines = data[:end].count(b"\n")
        assert state.tally.read in (whole_lines, whole_lines + 1)


def test_a_recording_may_begin_at_any_byte():
    for start in range(len(PLAIN)):
        ran("mutated inputs")
        state = assert_well(PLAIN[start:]) if start % 20 == 0 else fold(PLAIN[start:])
        assert state.tally.read >= PLAIN[start:].count(b"\n") - 1


@pytest.mark.parametrize("bit", range(8))
def test_any_bit_may_flip(bit):
    for place in range(bit, len(PLAIN), 11):
        data = bytearray(PLAIN)
        data[place] ^= 1 << bit
        assert_well(bytes(data))


@pytest.mark.parametrize("byte", [b"\n", b"\0", b"\xff", b'"', b"{", b"}", b"\\", b"\x80", b"\r"])
def test_any_byte_may_be_another_one(byte):
    for place in range(0, len(PLAIN), 13):
        assert_well(PLAIN[:place] + byte + PLAIN[place + 1 :])


def test_any_byte_may_be_missing_or_twice():
    for place in range(0, len(PLAIN), 11):
        assert_well(PLAIN[:place] + PLAIN[place + 1 :])
        assert_well(PLAIN[:place] + PLAIN[place : place + 1] + PLAIN[place:])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_many_bytes_may_be_anything(seed):
    chance = random.Random(seed)  # noqa: S311 -- no secret
    for _ in range(2000):
        data = bytearray(PLAIN)
        for _ in range(chance.randrange(1, 12)):
            place = chance.randrange(len(data))
            data[place : place + chance.randrange(3)] = chance.randbytes(chance.randrange(4))
        assert_well(bytes(data))


def test_an_archive_may_end_at_any_byte_and_any_byte_of_it_may_be_wrong():
    data = gzip.compress(PLAIN, mtime=0)
    assert fold(data).tally == fold(PLAIN).tally
    for place in range(len(data)):
        for broken in (data[:place], data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]):
            ran("mutated inputs")
            told(fold(broken))


# --- values ----------------------------------------------------------------------------------------------


def line(value: str, where: str) -> bytes:
    """A frame with a JSON text in one of its places."""
    texts = {
        "raw input": '{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","rawInput":%s}',
        "meta": '{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","_meta":{"x":%s}}',
        "text": '{"sessionUpdate":"agent_message_chunk","messageId":"n","content":{"type":"text","text":%s}}',
        "usage": '{"sessionUpdate":"usage_update","used":%s,"size":1}',
        "unknown": '{"sessionUpdate":"_x","y":%s}',
        "extra": '{"sessionUpdate":"agent_message_chunk","messageId":"n","content":{"type":"image","data":"","mimeType":"","z":%s}}',
    }
    return ('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":' + texts[where] % value + "}}").encode(
        "utf-8", "surrogatepass"
    )


PLACES = ["raw input", "meta", "text", "usage", "unknown", "extra"]


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize(
    "value",
    [
        "1e999",
        "-1e999",
        "NaN",
        "Infinity",
        "-Infinity",
        "1" + "0" * 5000,
        "-1" + "0" * 5000,
        "1" + "0" * 4299,
        "0." + "1" * 5000,
        "1e-999",
        "1E400",
        "123456789012345678901234567890",
        "-0",
        "-0.0",
        "9007199254740993",
        "1.0",
    ],
    ids=lambda text: text[:24],
)
def test_numbers_of_any_size(value, where):
    around(line(value, where))


@pytest.mark.parametrize("number", [2**53 + 1, 2**63, 2**64 + 1, 10**40, -(10**400), 0.1, 5e-324, 1.7976931348623157e308])
def test_numbers_keep_every_digit(number):
    state = around(line(json.dumps(number), "raw input"))
    (_, call) = json.loads(dumps(state))["sessions"]["s-1"]["timeline"]

    assert repr(call["rawInput"]) == repr(number)


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
@pytest.mark.parametrize("depth", [20, 190, 250, 1_000, 100_000])
def test_nesting_of_any_depth(opening, depth, where):
    closing = {"[": "]", '{"a":': "}", '[{"a":': "}]"}[opening]
    around(line(opening * depth + "1" + closing * depth, where))
    around(line(opening * depth, where))


@pytest.mark.parametrize("brackets", ["[", "{", "[[[[{", '{"a":[', "]", "}"])
def test_brackets_alone(brackets):
    around((brackets * 30_000).encode())


@pytest.mark.parametrize(
    "members",
    [
        '"jsonrpc":"1.0","jsonrpc":"2.0","method":"_x"',
        '"jsonrpc":"2.0","method":"_x","method":"_y"',
        '"jsonrpc":"2.0","id":1,"id":2,"method":"session/prompt","params":{"sessionId":"s-2","sessionId":"s-3","prompt":[]}',
        '"jsonrpc":"2.0","id":1,"result":{},"result":{"stopReason":"end_turn"},"error":null',
        '"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}',
        '"jsonrpc":"2.0","__proto__":{},"constructor":1,"method":"_x"',
    ],
)
def test_keys_that_come_twice(members):
    around(("{" + members + "}").encode())


def test_of_keys_that_come_twice_the_last_counts():
    state = around(line('{"a":1,"a":2}', "raw input"))

    assert state.snapshot.sessions["s-1"].timeline[-1].raw_input == {"a": 2}


@pytest.mark.parametrize(
    "text",
    [
        '"\\ud83d"',
        '"\\ude00"',
        '"\\ude00\\ud83d"',
        '"\\ud83d\\ud83d\\ude00"',
        '"\ud83d"',
        '"\ud83d\ude00"',
        '"\\u0000"',
        '"\\u001b[2J"',
        '"\\ud83dx\\ude00"',
    ],
    ids=ascii,
)
@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("indent", [None, 2])
def test_halves_of_characters_and_control_characters(text, where, indent):
    state = around(line(text, where))
    printed = dumps(state, indent=indent)

    assert printed.encode()  # it is UTF-8
    assert not any(character in printed for character in "\x00\x1b\x7f\x85\u2028\u2029")
    assert dumps(loads(printed), indent=indent) == printed


@pytest.mark.parametrize("text", ['"\\ud83d"', '"\ude00"'], ids=ascii)
def test_halves_of_characters_as_names(text):
    for part in (
        f'{{"sessionUpdate":"agent_message_chunk","messageId":{text},"content":{{"type":"text","text":"x"}}}}',
        f'{{"sessionUpdate":"tool_call","toolCallId":{text},"title":{text}}}',
        f'{{"sessionUpdate":{text},{text}:{text}}}',
        f'{{"sessionUpdate":"plan_update","plan":{{"type":{text},"planId":{text},{text}:1}}}}',
    ):
        message = f'{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":{text},"update":{part}}}}}'
        around(message.encode("utf-8", "surrogatepass"))
    around(f'{{"jsonrpc":"2.0","id":{text},"method":{text},"params":{text}}}'.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "bad",
    [
        b"\0",
        b"\0" * 1000,
        b"a\0b",
        b'{"a":"\0"}',
        b"\xef\xbb\xbf" * 3,
        b"\xff\xfe\x00",
        b"\xc3\x28",
        b"\xed\xa0\x80",
        b"\r",
        b"\x1f\x8b\x08",
    ],
)
def test_bytes_that_are_no_text(bad):
    around(bad)


def test_a_number_that_is_in_the_middle_of_a_frame_spoils_that_frame_alone():
    state = around(line("1e999", "usage"))

    assert "not-json" in codes(state)
    assert state.tally.read == 2


# --- size ------------------------------------------------------------------------------------------------


def peak_of(act: Any) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_line_that_is_too_long_is_refused_in_bounded_memory():
    block = b"x" * (1024 * 1024)

    def pieces() -> Iterator[bytes]:
        yield chunk("one")
        for _ in range(MAX_LINE // len(block) + 40):
            yield block
        yield b"\n" + chunk(" two")

    from acp_state.folding import Fold
    from acp_state.frames import Frame
    from acp_state.reading.reader import Reader

    work, found, sizes = Fold(), set(), []
    reader = Reader()
    for piece in pieces():
        for item in reader.feed(piece):
            if isinstance(item, Frame):
                work.take(item)
            else:
                found.add(item.code)
        sizes.append(len(reader.state.pending))

    assert found == {"line-too-long"}
    assert max(sizes) <= MAX_LINE
    assert sizes[-1] == 0
    assert work.snapshot.sessions["s-1"].timeline[0].text == "one two"


def test_a_line_of_64_mebibytes_is_read():
    filler = b" " * (MAX_LINE - len(chunk("one")) - 1)
    ran("mutated inputs")
    state = fold(chunk("one").rstrip(b"\n") + filler + b"\n" + chunk(" two"))

    assert codes(state) == {"unannounced-session"}
    assert state.snapshot.sessions["s-1"].timeline[0].text == "one two"


def test_a_flood_of_faults_does_not_fill_the_memory():
    floods = [b"".join(b'{"broken %d"\n' % number for number in range(size)) for size in (2_000, 20_000)]
    fold(floods[0])
    few, many_ = (peak_of(lambda flood=flood: fold(flood)) for flood in floods)

    # The lines of a block are cut all at once; what is found in them is bounded.
    assert many_ < few + len(floods[1]) * 6


@pytest.mark.parametrize(
    "make",
    [
        lambda number: {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": "s-1", "update": {"sessionUpdate": "plan", "entries": number}},
        },
        lambda number: {"jsonrpc": "2.0", "id": number, "result": {}},
        lambda number: {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": "s-1", "update": {"sessionUpdate": "tool_call_update", "toolCallId": f"t{number}"}},
        },
        lambda number: {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": f"s-{number}", "update": {"sessionUpdate": "_x"}},
        },
        lambda number: {"jsonrpc": "2.0", "id": f"{number}", "method": "session/cancel", "params": 3},
        lambda number: {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": number}},
    ],
)
def test_diagnostics_are_bounded(make):
    conversation = [Sent("agent", make(number)) for number in range(3000)]
    ran("frames", 3000)
    state = folded(frames_of(conversation))

    assert len(state.diagnostics) <= 1010
    assert sum(finding.count for finding in state.diagnostics) >= 3000 or state.diagnostics == ()


def test_a_tool_call_that_sends_all_its_output_again_and_again_keeps_the_last():
    def talk(times: int) -> Any:
        def act() -> None:
            work = folded(
                frame
                for number in range(times)
                for frame in frames_of(
                    [
                        Sent(
                            "agent",
                            {
                                "jsonrpc": "2.0",
                                "method": "session/update",
                                "params": {
                                    "sessionId": "s",
                                    "update": {"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawOutput": "x" * (100 * number)},
                                },
                            },
                        )
                    ]
                )
            )
            assert work.snapshot.sessions["s"].timeline[0].raw_output == "x" * (100 * (times - 1))

        return act

    assert peak_of(talk(1000)) < 3_000_000


def test_a_message_in_a_hundred_thousand_pieces_is_not_kept_a_hundred_thousand_times():
    def act() -> None:
        data = b"".join([chunk("0123456789")] * 20_000)
        assert len(fold(data).snapshot.sessions["s-1"].timeline[0].text) == 200_000

    assert peak_of(act) < 20_000 * len(chunk("0123456789")) * 2 + 12_000_000


# --- mixtures --------------------------------------------------------------------------------------------

JUNK = (
    b"WARN cache cold",
    b"Content-Length: 12",
    b"",
    b"\xff\xfe",
    b"[1, 2",
    b'{"a":',
    b"{}",
    b"null",
    b"7",
    b'"text"',
    b'{"jsonrpc":"2.0"}',
    b'{"jsonrpc":"2.0","id":{},"method":"x"}',
    b'{"jsonrpc":"2.0","method":7}',
    b"[]",
    b"[[]]",
    b'[{"jsonrpc":"2.0","id":1},7,[]]',
    b'{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}',
)


@many(2)
@given(polite(max_size=12), st.lists(st.tuples(st.integers(0, 30), st.sampled_from(JUNK)), max_size=6))
@example([], [])
def test_junk_between_the_lines_changes_no_session(conversation, junk):
    ran("mutated inputs")
    lines = lines_of(conversation)
    alone = fold(b"".join(lines))
    for place, bad in junk:
        lines.insert(place % (len(lines) + 1), bad + b"\n")
    state = fold(b"".join(lines))

    assert told(alone.snapshot) == told(state.snapshot)


@many(2)
@given(conversations(12), st.integers(0, 2**32))
def test_spoiled_recordings_can_be_gone_on_from(conversation, seed):
    ran("mutated inputs")
    chance = random.Random(seed)  # noqa: S311 -- no secret
    data = bytearray(recording(conversation))
    for _ in range(chance.randrange(6)):
        if data:
            place = chance.randrange(len(data))
            data[place : place + chance.randrange(3)] = chance.choice((b"\n", b"\0", b"\xff", b'"', b"}", b"{", b"9", b"\xed\xa0\xbd"))
    cut = chance.randrange(len(data) + 1)
    whole = fold(bytes(data))
    halves = fold(bytes(data[cut:]), from_=loads(dumps(fold(bytes(data[:cut])))))

    assert told(whole) == told(halves)
