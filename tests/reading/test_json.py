from __future__ import annotations

import itertools
import json
import sys

import pytest

from hypothesis import example, given, settings
from hypothesis import strategies as st

from acp_state import _json
from acp_state._json import BadEncodingError, NotJsonError, TooDeepError, decode, decode_many
from acp_state.reading.syntax import MAX_NESTING, Found, Syntax, is_begun


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=8
)
containers = st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=4), values, max_size=3)


def dumped(value, **options) -> bytes:
    return json.dumps(value, **options).encode("utf-8", "surrogatepass")


def nested(depth: int) -> bytes:
    return b"[" * depth + b"]" * depth


def exactly(value) -> str:
    # 1, 1.0 and True are equal; their representations are not.
    return repr(value)


GOOD = [
    (b"{}", {}),
    (b" [1, 2] \r", [1, 2]),
    (b'{"a":1,"a":2}', {"a": 2}),
    (b"12.0", 12.0),
    (b"-0", 0),
    (b"-0.0", -0.0),
    (b"1E5", 1e5),
    (b"1e-400", 0.0),
    (b"9007199254740993", 9007199254740993),
    (b"18446744073709551616", 2**64),
    (b"-9223372036854775809", -(2**63) - 1),
    (b"9" * 4300, int("9" * 4300)),
    (b"-" + b"9" * 4300, -int("9" * 4300)),
    (b'"\\u005f\\/"', "_/"),
    (b'"\\ud83d\\ude00"', "\U0001f600"),
    (b'"\\ud83d"', "\ud83d"),
    (b'"\\ude00x"', "\ude00x"),
    (b'"\\ud83d\\u0041"', "\ud83dA"),
    ('"\ud83d"'.encode("utf-8", "surrogatepass"), "\ud83d"),
    ('"\ud83d\ude00"'.encode("utf-8", "surrogatepass"), "\U0001f600"),
    ('{"\ud83d\ude00":["é\ud83d\ude00"]}'.encode("utf-8", "surrogatepass"), {"\U0001f600": ["é\U0001f600"]}),
    ('"a\u2028b\u0085c\x7f"'.encode(), "a\u2028b\u0085c\x7f"),
    (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
    (b"\xef\xbb\xbf\xef\xbb\xbf []", []),
]

BAD = [
    b"", b" ", b"{", b"[", b"}", b"]", b"[1,]", b"[1 2]", b'{"a":1,}', b'{"a" 1}', b"{a:1}", b"{'a':1}", b"{1:1}",
    b"NaN", b"-NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999", b"9" * 4301, b"[" + b"9" * 5000 + b"]", b"4" * 400 + b".0",
    b"01", b"-01", b"1.", b".5", b"1.e5", b"1e", b"1e+", b"-", b"+1", b"0x10", b"tru", b"True", b"nulll", b"undefined",
    b'"\x01"', b'"\t"', b'"\n"', b'"abc', b'"\\', b'"\\x"', b'"\\u12"', b'"\\u12', b'"\\ud83', b"\x0c{}", b"{}\x00", b"\x00",
    b"{} x", b"[] ]", b"1 {}", b"1 2",
]  # fmt: skip

BAD_BYTES = [b'"\xff"', b'"\xc3"', b'"\xc0\x80"', b'"\xf4\x90\x80\x80"', b'{"\xff":1}', b'"\xe2\x80', b"\xff", b"{} \xff", b"5\xff"]


@pytest.mark.parametrize(("data", "value"), GOOD)
def test_json_is_decoded_exactly(data, value):
    assert exactly(value) == exactly(decode(data))


@pytest.mark.parametrize("data", BAD)
def test_what_is_no_json_value_is_refused(data):
    with pytest.raises(NotJsonError) as caught:
        decode(data)

    assert NotJsonError is caught.type


@pytest.mark.parametrize("data", BAD_BYTES)
def test_what_is_not_utf_8_is_refused_as_that(data):
    with pytest.raises(BadEncodingError):
        decode(data)


@pytest.mark.parametrize("data", [b"{} {}", b'{"a":1}[2]'])
def test_one_value_is_decoded_and_not_two(data):
    with pytest.raises(NotJsonError, match="2 values"):
        decode(data)


@settings(deadline=None)
@given(values)
def test_the_fast_reader_and_the_slow_one_agree(value):
    data = dumped(value)
    read, ends, error = decode_many(data)

    assert exactly(decode(data)) == exactly(value)
    assert (exactly([value]), [len(data)], None) == (exactly(read), ends, error)


@settings(deadline=None)
@given(st.binary(max_size=12) | st.text('{}[]",:\\ud83aetrufals0123456789.-+eE \t\x00é', max_size=12).map(str.encode))
def test_nothing_but_our_own_error_comes_of_any_bytes(data):
    try:
        value = decode(data)
    except NotJsonError:
        read, ends, _ = decode_many(data)
        assert len(read) == len(ends)
    else:
        read, ends, error = decode_many(data)
        assert (exactly([value]), None) == (exactly(read), error)
        assert not data[ends[0] :].strip(b" \t\r\n")


@pytest.mark.parametrize(
    ("data", "read", "rest", "error"),
    [
        (b"", [], b"", None),
        (b" \t\r", [], b" \t\r", None),
        (b"{}{}", [{}, {}], b"", None),
        (b"{} [1]\r", [{}, [1]], b"\r", None),
        (b"{}\xef\xbb\xbf[]", [{}, []], b"", None),
        ('{"é":"\U0001f600"} {"b":2}x'.encode(), [{"é": "\U0001f600"}, {"b": 2}], b"x", NotJsonError),
        (b'{"a":1} garbage', [{"a": 1}], b" garbage", NotJsonError),
        (b'{"a":1}{"b":', [{"a": 1}], b'{"b":', NotJsonError),
        (b'{"a":1}{"b":"\xff"}', [{"a": 1}], b'{"b":"\xff"}', BadEncodingError),
        (b'{"a":1}{"b":"\xc3', [{"a": 1}], b'{"b":"\xc3', BadEncodingError),
        ('{"a":"\ud83d"}{'.encode("utf-8", "surrogatepass"), [{"a": "\ud83d"}], b"{", NotJsonError),
        (b"[1e999] {}", [], b"[1e999] {}", NotJsonError),
        (b"{} 5", [{}, 5], b"", None),
        (b"{} 5 {}", [{}], b" 5 {}", NotJsonError),
        (b"2026-01-01 10:00 started", [], b"2026-01-01 10:00 started", NotJsonError),
        (b"{} 5\xff", [{}], b" 5\xff", BadEncodingError),
        (b"{} " + nested(201), [{}], b" " + nested(201), TooDeepError),
    ],
)
def test_values_are_read_up_to_the_first_that_is_not_good(data, read, rest, error):
    got, ends, why = decode_many(data)

    assert exactly(read) == exactly(got)
    assert rest == data[ends[-1] if ends else 0 :]
    assert error is (why and type(why))


class TestDepth:
    @pytest.mark.parametrize("limit", [1, 3, 200, 400])
    def test_a_value_as_deep_as_the_limit_is_read_and_a_deeper_one_is_not(self, limit):
        for text in (nested(limit), b"[1," * (limit - 1) + b"{}" + b"]" * (limit - 1), b'{"a":' * limit + b"0" + b"}" * limit):
            assert isinstance(decode(text, limit), (list, dict))
            with pytest.raises(TooDeepError):
                decode(b"[" + text + b"]", limit)

    @pytest.mark.parametrize("depth", [500, 1_000, 5_000, 100_000])
    def test_no_depth_raises_anything_else(self, depth):
        for text in (nested(depth), b'{"a":' * depth + b"0" + b"}" * depth):
            with pytest.raises(TooDeepError):
                decode(text)

    def test_brackets_in_strings_and_side_by_side_are_not_deep(self):
        assert decode(dumped(["[" * 1000, "\\{" * 1000])) == ["[" * 1000, "\\{" * 1000]
        assert decode(dumped([[]] * 5000)) == [[]] * 5000
        assert decode(dumped([{"a": {}}] * 500), depth=3) == [{"a": {}}] * 500

    def test_the_limit_counts_for_each_value_of_a_line(self):
        assert decode_many(b"[[]] [[]]", 2)[::2] == ([[[]], [[]]], None)

    @settings(deadline=None)
    @given(values)
    def test_depth_is_counted_as_brackets_nest(self, value):
        def depth(value):
            inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
            return 0 if inner is None else 1 + max(map(depth, inner), default=0)

        assert not _json.is_deeper(value, depth(value))
        assert depth(value) == 0 or _json.is_deeper(value, depth(value) - 1)


def test_a_lower_limit_of_digits_in_the_interpreter_is_no_crash():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(NotJsonError):
            decode(b"[" + b"9" * 4000 + b"]")
    finally:
        sys.set_int_max_str_digits(before)


class TestFreeze:
    @pytest.mark.parametrize(
        "value",
        [10**4300, -(10**4300), [10**4300], {"a": 10**4300}, float("nan"), [float("-inf")], {1: 2}, object(), {"a": {1}}],
        ids=itertools.count(),
    )
    def test_what_no_json_can_say_is_refused(self, value):
        with pytest.raises(NotJsonError):
            _json.freeze(value)

    def test_the_longest_integer_is_kept_and_can_be_written(self):
        value = _json.freeze({"a": 10**4300 - 1})

        assert value == decode(_json.encode(value))

    def test_a_value_that_contains_itself_is_too_deep(self):
        value: list = []
        value.append({"a": value})

        with pytest.raises(TooDeepError):
            _json.freeze(value)


# The beginnings of JSON values


@settings(deadline=None)
@given(containers, st.booleans(), st.data())
def test_every_beginning_of_a_value_is_known_as_one(value, ascii_only, data):
    text = dumped(value, ensure_ascii=ascii_only)
    cut = data.draw(st.integers(1, len(text) - 1))

    assert is_begun(text[:cut])
    assert not is_begun(text)


@pytest.mark.parametrize(
    "text",
    [b'"', b'"a', b'"\\', b'"\\u', b'"\\ud83', b"-", b"t", b"fals", b"nul", b'{"a"', b'{"a":', b'{"a":tru', b"[1", b"[1.", b"[1e", b"[1e-", b"[-", b'["\xe2\x80',
     b'["\xed\xa0', b'{"a":"\\"}', b"[{},", b" ["],
)  # fmt: skip
def test_a_value_may_be_cut_anywhere(text):
    assert is_begun(text)


@pytest.mark.parametrize(
    "text",
    [b"}", b"]", b",", b":", b"x", b"[}", b"{]", b"[,", b"[1,,", b"[1 2", b'{"a"]', b'{"a":]', b"{1", b"{t", b'{"a",', b"[01", b"[1.e", b"[truf", b'["\\x', b'["\\u12g',
     b'["\t', b'["\xff', b'["\xc3"', b"[] x", b"{} {", b"WARN", b"1 x", b"[1]]"],
)  # fmt: skip
def test_what_can_become_no_value_is_no_beginning(text):
    assert not is_begun(text)


def test_a_beginning_may_be_deep_but_not_without_end():
    assert is_begun(b"[" * MAX_NESTING)
    assert not is_begun(b"[" * (MAX_NESTING + 1))


# Syntax: line by line


def followed(lines: list[bytes]) -> bool:
    """Whether *lines* are one whole value to `Syntax`."""
    syntax = Syntax(base=0)
    for number, line in enumerate(lines):
        found, position = syntax.advance(line)
        if found is Found.END:
            return not b"".join((line[position:], *lines[number + 1 :])).strip()
        if found is not Found.MORE:
            return False
    return False


def decodable(text: bytes) -> bool:
    try:
        json.loads(text.decode("utf-8", "surrogatepass"), parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        return False
    return True


@settings(deadline=None)
@given(values, st.sampled_from([None, 0, 2]), st.data())
@example(["a"], 0, None)
def test_syntax_agrees_with_a_decoder_about_whole_values_and_damaged_ones(value, indent, data):
    text = dumped(value, indent=indent)
    if data is not None:
        for _ in range(data.draw(st.integers(0, 2))):
            place = data.draw(st.integers(0, len(text)))
            text = (
                text[:place]
                + data.draw(st.sampled_from([b"", b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"1", b"-", b"t", b" ", b"\n"]))
                + text[place + 1 :]
            )
    lines = text.split(b"\n")

    assert decodable(text) == followed(lines)


def test_the_parts_of_a_member_may_stand_on_lines_of_their_own():
    assert followed([b"{", b'"a"', b":", b"1", b",", b'"b"', b"", b":", b"[", b"]", b"}"])
