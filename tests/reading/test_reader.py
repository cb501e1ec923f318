from __future__ import annotations

import gzip
import json

from collections import Counter
from itertools import pairwise

import pytest

from attrs import evolve
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from acp_state._json import DEEPEST
from acp_state.diagnostics import CATALOGUE, Diagnostic, excerpt
from acp_state.frames import Frame
from acp_state.reading import Reader, ReaderState
from acp_state.reading.block import Block, restore
from acp_state.reading.headed import HeadedSyntax
from acp_state.reading.lisp import Lisp
from acp_state.reading.syntax import Syntax


BOM = b"\xef\xbb\xbf"


def update(text: str) -> dict:
    return {"sessionId": "s-1", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}}


def frame(text: str = "a") -> dict:
    return {"jsonrpc": "2.0", "method": "session/update", "params": update(text)}


def line(text: str = "a") -> bytes:
    return json.dumps(frame(text), ensure_ascii=False).encode()


def pretty(text: str = "a", indent: int | None = 2) -> bytes:
    return json.dumps(frame(text), ensure_ascii=False, indent=indent).encode()


def read(data: bytes, **options) -> list:
    reader = Reader(**options)
    return reader.feed(data) + reader.close()


def texts(items: list) -> list[str]:
    return [item.payload["update"]["content"]["text"] for item in items if isinstance(item, Frame) and item.kind == "notification"]


def codes(items: list) -> list[str]:
    return [item.code for item in items if isinstance(item, Diagnostic)]


def story(items: list) -> list[str]:
    """Texts of frames and codes of diagnostics, each with its line."""
    return [f"{item.line}:{item.code if isinstance(item, Diagnostic) else texts([item])[0]}" for item in items]


class TestLines:
    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (b"", []),
            (b"\n\r\n \t\n", []),
            (line() + b"\n", ["1:a"]),
            (line(), ["1:a"]),
            (line() + b"\r\n\r\n" + line("b") + b"\r", ["1:a", "3:b"]),
            (BOM + line() + b"\n" + BOM + BOM + line("b") + b"\n" + BOM + b"\n", ["1:a", "2:b"]),
            (line("x\u2028y\u0085z") + b"\n", ["1:x\u2028y\u0085z"]),
            (line() + line("b") + b" " + line("c") + b"\n" + line("d"), ["1:a", "1:b", "1:c", "2:d"]),
            (line() + BOM + line("b"), ["1:a", "1:b"]),
            (line() + b" oops\n" + line("b"), ["1:a", "1:not-json", "2:b"]),
            (line() + b'{"a":\n' + line("b"), ["1:a", "1:not-json", "2:b"]),
            (b"WARN cache cold\n" + line() + b"\n\nContent-Length: 12\n" + line("b") + b"\n", ["1:not-json", "2:a", "4:not-json", "5:b"]),
            (b'{"a":"\xff"}\n' + line(), ["1:bad-encoding", "2:a"]),
            (b"\xff\xfe\n" + line(), ["1:bad-encoding", "2:a"]),
            (b"[" * 201 + b"]" * 201 + b"\n" + line(), ["1:too-deep", "2:a"]),
            (b"[" * 9999 + b"\n" + line(), ["1:too-deep", "2:a"]),
            (b'"text"\n5\nnull\n{}\n[]\n[5]\n' + line(), [*(f"{n}:not-a-frame" for n in range(1, 7)), "7:a"]),
            (b"1 2 3\n" + line(), ["1:not-json", "2:a"]),
            (line() + b" 5\n", ["1:a", "1:not-a-frame"]),
        ],
    )
    def test_each_line_is_judged_by_itself(self, data, expected):
        assert expected == story(read(data))

    @pytest.mark.parametrize(
        ("data", "expected", "state"),
        [
            (line() + b"\n" + line("b")[:-9], ["1:a", "2:torn-line"], ReaderState(line("b")[:-9])),
            (line() + line("b")[:-9], ["1:a", "1:torn-line"], ReaderState(line("b")[:-9])),
            (
                line("\u00e9")[: line("\u00e9").index(b"\xa9")],
                ["1:torn-line"],
                ReaderState(line("\u00e9")[: line("\u00e9").index(b"\xa9")]),
            ),
            (b"\xef\xbb", ["1:torn-line"], ReaderState(b"\xef\xbb")),
            (b"{", ["1:torn-line"], ReaderState(b"{")),
            (b"{\n", ["1:torn-line"], ReaderState(b"", (b"{",))),
            (b"[\n" + line() + b"\n,", ["2:a", "1:torn-line"], ReaderState(b",", (b"[0",))),
            (b"oops", ["1:not-json"], ReaderState(b"oops")),
            (line() + b" oops", ["1:a", "1:not-json"], ReaderState(b" oops")),
            (b"{\xff", ["1:bad-encoding"], ReaderState(b"{\xff")),
            (b"[" * 2000, ["1:too-deep"], ReaderState(b"[" * 2000)),
            (b"12", ["1:not-a-frame"], ReaderState(b"12")),
            (line() + b" \r", ["1:a"], ReaderState(b" \r")),
            (BOM, [], ReaderState(BOM)),
        ],
    )
    def test_the_end_reads_what_is_whole_and_keeps_the_rest(self, data, expected, state):
        reader = Reader()

        assert expected == story(reader.feed(data) + reader.close())
        assert state == reader.state

    def test_a_torn_line_that_goes_on_after_the_end_is_read_once(self):
        reader = Reader()
        reader.feed(line("a") + line("b")[:-5])

        assert story(reader.close()) == ["1:a", "1:torn-line"]
        assert story(reader.feed(line("b")[-5:] + b"\n" + line("c") + b"\n")) == ["1:b", "2:c"]
        assert reader.close() == []

    def test_the_same_end_is_reported_once(self):
        reader = Reader()
        reader.feed(b"{")

        assert codes(reader.close()) == ["torn-line"]
        assert reader.close() == []
        assert reader.feed(b"") == []
        assert reader.close() == []

    def test_a_number_at_the_end_may_go_on_and_become_something_else(self):
        reader = Reader()

        assert codes(reader.feed(b"1") + reader.close()) == ["not-a-frame"]
        assert story(reader.feed(b" " + line() + b"\n")) == ["1:not-json"]

    def test_a_message_shows_the_line_without_its_control_characters(self):
        (finding,) = read(b"\x1b[31mred\x07 \xe2\x80\xae " + b"x" * 500 + b"\n")

        assert "'\\x1b[31mred\\x07 \\u202e xxx" in finding.message
        assert finding.message.isprintable()
        assert len(finding.message) < 160

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("a" * 60, f"'{'a' * 60}'"),
            ("a" * 61, f"'{'a' * 60}...'"),
            ("\U0001f600" * 61, f"'{chr(0x1F600) * 60}...'"),
            (("\U0001f600" * 61).encode(), f"'{chr(0x1F600) * 60}...'"),
            (b"\xff\n\x00", "'\\xff\\n\\x00'"),
            ("\ud83d\u200b", "'\\ud83d\\u200b'"),
        ],
    )
    def test_an_excerpt_is_short_and_printable(self, text, shown):
        assert excerpt(text) == shown

    def test_lines_are_counted(self):
        reader = Reader()

        assert reader.lines == 0
        reader.feed(b"\n" + line() + b"\n")
        assert reader.lines == 2
        reader.feed(line())
        assert reader.lines == 3
        reader.close()
        assert reader.lines == 3
        reader.feed(b"\n" + line() + b"\n")
        assert reader.lines == 4


class TestLimits:
    def test_a_line_that_is_too_long_is_skipped(self):
        data = line() + b"\n" + line("b" * 200) + b"\n" + line("c") + b"\n"

        assert story(read(data, max_line=250)) == ["1:a", "2:line-too-long", "3:c"]
        assert ["1:a", f"2:{'b' * 200}", "3:c"] == story(read(data))

    def test_a_line_that_is_too_long_is_known_as_that_later_too(self):
        first = Reader(max_line=10)
        assert story(first.feed(b"x" * 100) + first.close()) == ["1:line-too-long"]
        assert ReaderState(skipping=True) == first.state
        assert first.lines == 1

        second = Reader(state=first.state)
        assert story(second.feed(b'{"jsonrpc":"2.0"}\n' + line() + b"\n")) == ["2:a"]
        assert second.lines == 2

    def test_nesting_has_a_limit_that_may_be_set(self):
        assert codes(read(line(), max_depth=3)) == ["too-deep"]
        assert texts(read(line(), max_depth=4)) == ["a"]

    def test_no_limit_of_nesting_is_so_high_that_python_gives_up(self):
        text = b'{"type":"emit_inbound","frame":{"kind":"request","method":"x","params":' + b"[" * 380 + b"]" * 380 + b"}}\n"
        deeper = b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1) + b"\n"

        assert read(text, max_depth=10**6)[0].kind == "request"
        assert codes(read(deeper, max_depth=10**6)) == ["too-deep"]


class TestValuesOverSeveralLines:
    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (pretty(), ["1:a"]),
            (pretty() + b"\n" + pretty("b") + b"\n", ["1:a", "15:b"]),
            (pretty().replace(b"\n", b"\r\n") + b"\r\n" + line("b"), ["1:a", "15:b"]),
            (pretty(indent=0), ["1:a"]),
            (pretty().replace(b"\n", b"\n\n"), ["1:a"]),
            (BOM + pretty().replace(b"\n", b"\n" + BOM), ["1:a"]),
            (b"[\n" + line() + b",\n" + line("b") + b"\n]\n" + line("c"), ["2:a", "3:b", "5:c"]),
            (json.dumps([frame("a"), frame("b")], indent=4).encode(), ["2:a", "16:b"]),
            (json.dumps([frame("a"), frame("b")], indent=4).replace("},\n    {", "}, {").encode(), ["2:a", "15:b"]),
            (b"[\n" + line() + b"," + line("b") + b",\n" + line("c") + b"\n]", ["2:a", "2:b", "3:c"]),
            (b"[\n]\n{\n}\n", ["3:not-a-frame"]),
            (b"[\n[" + line() + b"," + line("b") + b"],\n5\n]\n", ["2:a", "2:b", "3:not-a-frame"]),
            (b'{\n"a\n}\n' + line(), ["1:broken-value", "2:not-json", "3:not-json", "4:a"]),
            # what comes behind the end is a line of its own
            (pretty() + line("b") + b"\n" + line("c"), ["1:a", "14:b", "15:c"]),
            (pretty() + pretty("b"), ["1:a", "14:b"]),
            (pretty() + b", oops\n" + line("b"), ["1:a", "14:not-json", "15:b"]),
            # one that is not good as a whole
            (b'{\n"a": 1e999\n}\n' + line(), ["1:not-json", "4:a"]),
            (b'{\n"a": "\xff"\n}\n' + line(), ["1:bad-encoding", "4:a"]),
            (b"{\n" + b'"a": [' * 1 + b"[" * 300 + b"]" * 301 + b"\n}\n" + line(), ["1:too-deep", "4:a"]),
            (b'[\n{"a": 1e999},\n' + line() + b"\n]", ["2:not-json", "3:a"]),
        ],
    )
    def test_a_line_that_is_one_bracket_begins_a_value(self, data, expected):
        assert expected == story(read(data))

    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (b"{\n" + line() + b"\n" + line("b") + b"\n", ["1:broken-value", "2:a", "3:b"]),
            (b"[\n" + line() + b"\n" + line("b") + b"\n", ["2:a", "1:broken-value", "3:b"]),
            (b"[\nINFO x\n" + line() + b"\n", ["1:broken-value", "2:not-json", "3:a"]),
            (b"}\n]\n" + line(), ["1:not-json", "2:not-json", "3:a"]),
            (b"{\n" + pretty() + b"\n" + line("b"), ["1:broken-value", "2:a", "16:b"]),
            (b"[\n" + pretty() + b"\n" + pretty("b") + b"\n", ["2:a", "1:broken-value", "16:b"]),
            (b"[\n[\n{\n" + line() + b"\n", ["1:broken-value", "2:broken-value", "3:broken-value", "4:a"]),
            (b'{\n"a": [\n' + pretty() + b"\n,oops\n" + line("b"), ["1:broken-value", "2:not-json", "3:a", "17:not-json", "18:b"]),
            (b"{\r\n" + line() + b"\r\n", ["1:broken-value", "2:a"]),
            (b"{ \n" + line() + b"\n", ["1:not-json", "2:a"]),
            (b" {\n" + line() + b"\n", ["1:not-json", "2:a"]),
        ],
    )
    def test_a_stray_bracket_costs_no_line_but_its_own(self, data, expected):
        if expected is not None:
            assert expected == story(read(data))

    def test_a_value_that_is_too_long_is_given_up_and_its_lines_read(self):
        data = b"{\n" + pretty("b") + b"\n"
        long = b"[\n[\n" + line() + b",\n" + line("b") + b"\n],\n" + line("c") + b",\n" + line("d") + b"\n]\n"

        assert story(read(data)) == ["1:broken-value", "2:b"]
        assert story(read(long, max_line=200)) == [
            "1:broken-value",
            "2:broken-value",
            "3:a",
            "3:not-json",
            "4:b",
            "5:not-json",
            "6:c",
            "6:not-json",
            "7:d",
            "8:not-json",
        ]

    def test_the_line_that_makes_a_value_too_long_may_begin_the_next(self):
        data = b'{\n"a": [\n"' + b"x" * 300 + b'",\n' + pretty(indent=0) + b"\n"
        before = data.index(b'{\n"jsonrpc"') - len(b"{\n")

        assert story(read(data, max_line=before + 1)) == ["1:broken-value", "2:not-json", "3:not-json", "4:a"]

    def test_a_value_that_was_kept_under_a_higher_limit_is_not_lost_under_a_lower_one(self):
        first = Reader()
        first.feed(pretty()[:-1])
        second = Reader(state=first.state, max_line=10)

        assert texts(second.feed(b"}\n")) == ["a"]

    def test_an_array_may_be_of_any_length(self):
        data = b"[\n" + b",\n".join(line(str(n)) for n in range(50)) + b"\n]\n"

        assert [str(n) for n in range(50)] == texts(read(data, max_line=200))
        assert codes(read(data, max_line=200)) == []

    def test_a_line_that_is_too_long_breaks_the_value_around_it(self):
        data = b'{\n"a":\n' + b"x" * 500 + b"\n" + line() + b"\n"

        assert story(read(data, max_line=200)) == ["1:broken-value", "2:not-json", "3:line-too-long", "4:a"]

    def test_elements_are_given_as_soon_as_they_end(self):
        reader = Reader()

        assert story(reader.feed(b"[\n" + line() + b"\n")) == ["2:a"]
        assert story(reader.feed(b",\n")) == []
        assert story(reader.feed(line("b") + b"\n")) == ["4:b"]
        assert ReaderState(b"", (b"[0",)) == reader.state
        assert story(reader.feed(b",\n" + line("c") + b"]\n")) == ["6:c"]
        assert ReaderState() == reader.state

    def test_a_torn_array_gives_what_it_has(self):
        data = json.dumps([frame("a"), frame("b"), frame("c")], indent=2).encode()

        assert story(read(data[: data.rindex(b"}")])) == ["2:a", "16:b", "1:torn-line"]
        assert story(read(data[: data.rindex(b"}") + 1])) == ["2:a", "16:b", "30:c", "1:torn-line"]

    @pytest.mark.parametrize(
        "lines",
        [
            (),
            (b"x",),
            (b"[0,,",),
            (b"{", b"{"),
            (b"{", b"}"),
            (b"[", b"{}"),
            (b"[0", b"1"),
            (b"[0,", b"]"),
            (b"{", b"\xff"),
            (b"",),
            (b"[[",),
        ],
    )
    def test_a_state_that_no_reader_left_is_no_block(self, lines):
        assert restore(lines) is None
        assert story(Reader(state=ReaderState(block=lines)).feed(line() + b"\n")) == ["1:a"]

    @pytest.mark.parametrize(
        "data",
        [
            b"[\n" * 3000 + b"oops\n",
            b'{\n"a":\n' * 3000 + b"oops\n",
            b"[\n" * 3000 + b"]\n" * 3000,
            b"[\n" * 3000 + b"]\n" * 2999 + b"oops\n",
            b"[\n" * 3000 + b" ]\n" * 2999 + b"oops\n",
            b'{\n"a":1,\noops\n' * 1000,
            b"[\n1\n" * 2000,
            b'{\n"a": [\n' + b"{\n},\n" * 3000 + b"oops\n",
            b"[\n" * 9000 + b"oops\n" + b"[\n" * 9000 + b"oops\n",
            b"[\n" * 25000,
            b"\n".join(b"[" if n % 3 else b"{" for n in range(5000)),
        ],
        ids=range(11),
    )
    def test_each_line_is_looked_at_a_bounded_number_of_times(self, data, monkeypatch):
        count = Counter()
        advance, values = Syntax.advance, Reader._read_values
        monkeypatch.setattr(Syntax, "advance", lambda *args, **options: count.update(tokens=1) or advance(*args, **options))
        monkeypatch.setattr(Reader, "_read_values", lambda *args, **options: count.update(lines=1) or values(*args, **options))
        read(data)
        lines = data.count(b"\n") + 1

        assert count["tokens"] <= 6 * lines
        assert count["lines"] <= 3 * lines


class TestRecords:
    def test_decoded_records_are_read_as_lines_are(self):
        reader = Reader()

        assert story(reader.feed_record(frame("a")) + reader.feed_record(update("b"))) == ["1:a", "2:b"]
        assert reader.dialects == ("jsonrpc", "updates")
        assert story(reader.feed_record({"a": 1})) == ["3:not-a-frame"]

    def test_a_list_of_records_is_a_log(self):
        assert story(Reader().feed_record([update("a"), update("b")])) == ["1:a", "1:b"]

    def test_what_is_changed_after_it_was_fed_changes_nothing(self):
        record = frame("a")
        items = Reader().feed_record(record)
        record["params"]["update"]["content"]["text"] = "b"

        assert texts(items) == ["a"]

    @pytest.mark.parametrize(
        ("record", "code"), [(object(), "not-a-frame"), ({1: 2}, "not-a-frame"), (float("nan"), "not-a-frame"), (None, "not-a-frame")]
    )
    def test_what_is_no_record_is_reported(self, record, code):
        assert [code] == codes(Reader().feed_record(record))

    def test_a_record_that_contains_itself_is_too_deep(self):
        record = frame()
        record["params"]["self"] = record

        assert codes(Reader().feed_record(record)) == ["too-deep"]


class TestDialects:
    def test_they_are_found_record_by_record(self):
        reader = Reader()
        items = reader.feed(
            line()
            + b"\n"
            + json.dumps(update("b")).encode()
            + b"\n"
            + json.dumps({"dir": "in", "frame": frame("c")}).encode()
            + b"\n"
            + line("d")
            + b"\n"
        )

        assert story(items) == ["1:a", "2:b", "3:c", "4:d"]
        assert [item.sender for item in items] == [None, "agent", "agent", None]
        assert reader.dialects == ("jsonrpc", "updates", "tagged")

    def test_an_array_in_a_log_is_no_log(self):
        assert codes(read(json.dumps([[update("a")]]).encode())) == ["not-a-frame"]
        assert codes(read(b"[\n[" + json.dumps(update("a")).encode() + b"]\n]\n")) == ["not-a-frame"]
        assert codes(Reader().feed_record([[update("a")]])) == ["not-a-frame"]

    def test_a_named_one_is_the_only_one(self):
        data = line() + b"\n" + json.dumps(update("b")).encode() + b"\n"

        assert story(read(data, dialect="updates")) == ["1:not-a-frame", "2:b"]
        assert story(read(data, dialect="jsonrpc")) == ["1:a", "2:not-a-frame"]

    def test_a_name_that_is_none_is_refused(self):
        with pytest.raises(ValueError, match="no dialect is called 'lisp'"):
            Reader("lisp")

    def test_an_array_on_one_line_that_is_no_batch_is_a_log(self):
        data = json.dumps([update("a"), {"dir": "in", "frame": frame("b")}, {"x": 1}, [1]]).encode()

        assert story(read(data)) == ["1:a", "1:b", "1:not-a-frame", "1:not-a-frame"]


class TestTimes:
    def test_absolute_times_count_from_the_first_one(self):
        lines = [
            {"ts": f"2026-01-01T00:00:{second}Z", "dir": "in", "frame": frame(second)}
            for second in ("05.250", "05.500", "10.000", "04.250")
        ]

        assert [item.time for item in read("\n".join(map(json.dumps, lines)).encode())] == [0.0, 0.25, 4.75, -1.0]

    def test_relative_times_are_kept(self):
        lines = [{"t_ms": time, "dir": "in", "frame": frame()} for time in (250, 1000)]

        assert [item.time for item in read("\n".join(map(json.dumps, lines)).encode())] == [0.25, 1.0]


# Properties

LINES = [
    b"", b" ", b"\r", BOM, b"{", b"}", b"[", b"]", b"[]", b"{}", b",", b"},", b"  },", b'"a": 1,', b'"a": [', b'"b": {', b"],", b"5", b'"x"', b"oops", b"\xff", b'"\xff"',
    b"\xc3", b"\xa9", BOM + BOM + b"{", b"{\r", b"]\r", b"[[[[[[]]]]]]", b"[[[[[[", b"1e999", b'{"a":1e999}', b'"\xed\xa0\xbd"', b"null", b"}{", b"}, {",
    line(), line("é"), line() + line("b"), line() + b",", line() + b" x", b"," + line("c"), line("d")[:-7], line("e") + BOM + line("f"), pretty("g"), pretty("h", 0),
    b"[\n" + line("i") + b",\n" + line("j") + b"\n]", json.dumps([frame("k"), frame("l")], indent=1).encode(), json.dumps(update("m"), indent=2).encode(),
    line("n" * 300),
]  # fmt: skip

LISP = (
    '((:direction . incoming) (:kind . notification) (:object (jsonrpc . #1="2.0") (method . "session/update")'
    ' (params (sessionId . "s-1") (update (sessionUpdate . "agent_message_chunk")\n (content (type . "text") (text . "%s"))))))'
)
LITERAL = str(frame("it's")).encode()

LINES_OF_TEXT = [
    b"[agent] " + line("o"), b"[client] " + LITERAL, b"[client] " + LITERAL + b"[agent] " + line("p"), b"[agent] " + line("q") + line("q"), b"[agent] " + line("r")[:-3], b"[client] " + LITERAL[:-9],
    b"[agent] npm warn", b"[client] {'a': }", b"[client] {'a'", b"[error] no", b"[agent] ", b"[client] [", b"[agent] {", b"[agent] {}{", b"[client] {'\xff': 1}", b"[client] {)}",
    b"2026-01-01 10:00:00,250 [  34]   FINE - AcpTransport - IN: " + line("s"), b"2026-01-01 10:00:00,000 [    3]   FINE - AcpTransport - OUT: oops",
    b"2026-01-01 10:00:00.500", b"2026-01-01 10:00:00\r", b"Sent:", b"Received:", b"Received:\r", b"2026-01-01 10:00:00\nReceived:\n" + line("t"), b"2026-01-01 10:00:00\nSent:\n" + line("u") + line("v"),
    b"(", b"((", b"(((:direction . outgoing)", b")", b"))", b" (", b"(x", b"(((", b'(((:a . "', b'"', b"\\", b";", b"#1#", b"((:a . #1#)) ((:a . #1=(#1#)))", b"((:a . [1 2))", b"((:a . #9=7))",
    b"(" + (LISP % "w").encode(), b"(" + (LISP % "x\n\n y").encode() + b"\n" + (LISP % "z").replace('#1="2.0"', "#1#").encode() + b")", (LISP % "1").encode() + b")" + line("2"),
]  # fmt: skip

recordings = st.lists(
    st.tuples(st.sampled_from(LINES) | st.sampled_from(LINES_OF_TEXT), st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b""])), max_size=10
).map(lambda parts: b"".join(b"".join(part) for part in parts))
OPTIONS = {"max_line": 400, "max_depth": 5}


def without_places(items: list) -> list:
    # A message may name the line of its cause, and show how much of it was there.
    return [replace(item, line=None, time=None) if isinstance(item, Frame) else evolve(item, line=None, message="") for item in items]


def frames(items: list) -> list:
    return [item for item in without_places(items) if isinstance(item, Frame)]


@given(recordings, st.lists(st.integers(0, 10_000), max_size=5))
@settings(max_examples=400, deadline=None)
def test_how_a_recording_is_cut_makes_no_difference(data, cuts):
    whole, cut, by_byte = Reader(**OPTIONS), Reader(**OPTIONS), Reader(**OPTIONS)
    edges = [0, *sorted(place % (len(data) + 1) for place in cuts), len(data)]
    expected = whole.feed(data)

    assert expected == [item for start, end in pairwise(edges) for item in cut.feed(data[start:end])]
    assert expected == [item for place in range(len(data)) for item in by_byte.feed(data[place : place + 1])]
    assert whole.state == cut.state == by_byte.state
    assert whole.lines == cut.lines == by_byte.lines
    assert whole.close() == cut.close() == by_byte.close()
    assert whole.state == cut.state == by_byte.state


LONG = line("n" * 300)


def check_split(data: bytes, place: int) -> None:
    whole = read(data, **OPTIONS)
    first = Reader(**OPTIONS)
    fed = first.feed(data[:place])
    closed = first.close()
    same = first.feed(data[place:]) + first.close()
    second = Reader(**OPTIONS)
    second.feed(data[:place])
    second.close()
    third = Reader(state=second.state, **OPTIONS)
    gone_on = third.feed(data[place:]) + third.close()

    # What was given at the end that was none counts once: either it was read for good or it is judged again.
    assert frames(whole) == frames(fed + closed + gone_on)
    assert place == len(data) or without_places(same) == without_places(gone_on)
    certain, all_of_it = unreadable(fed + gone_on), unreadable(fed + closed + gone_on)
    assert certain <= unreadable(whole) <= all_of_it
    assert third.state == first.state


def unreadable(items: list) -> Counter:
    """How often what is wrong; of what is neither JSON nor UTF-8, either is told: it depends on what of the line is read before."""
    return Counter("not-json" if code == "bad-encoding" else code for code in codes(items))


@given(recordings, st.integers(0, 10_000))
@settings(max_examples=600, deadline=None)
@example(b"1" + line(), 1)
@example(b"[agent] {}{[client] {'\xff': 1}\n", 10)
@example(line() + b"{\n" + line(), len(line()))
@example(b"[\n" + line() + b"\n}", len(line()) + 2)
def test_reading_goes_on_from_a_saved_state_wherever_it_ended(data, place):
    # One exception: of a line that becomes too long, values that were read before that stay read.
    assume(all(len(part) <= OPTIONS["max_line"] or LONG.startswith(part[:-2]) for part in data.split(b"\n")))
    check_split(data, place % (len(data) + 1))


@pytest.mark.parametrize(
    "data",
    [
        BOM + line("é\U0001f600") + b"\r\n" + BOM + line("b") + line("c") + b"\n",
        BOM + pretty("é").replace(b"\n", b"\r\n") + b"\r\n" + line("b"),
        json.dumps([frame("a"), frame("b"), 15], indent=1).encode() + b"\n" + line("c"),
        b"[\n" + line() + b",\n{\n" + line("b") + b"\n[\n]\n",
        b"{\n[\n" + pretty("b", 0) + b"\n" + line("c") + b"\nx\n",
        line("d" * 400) + b"\n" + line("e") + b"\n" + b'{\n"a":\n' + line("d" * 400) + b"\n",
        b"[client] " + LITERAL + b"[agent] " + line("f") + b"\r\n[error] no\n[agent] oops\n[agent] " + line("g") + line("h"),
        b"2026-01-01 10:00:00\r\nSent:\r\n" + line("i") + b"\r\n2026-01-01 10:00:00.5\n2026-01-01 10:00:01\n\nReceived:\n" + pretty("j"),
        b"(" + (LISP % 'k\\"\n\n;').encode() + b"\r\n;; c\n" + (LISP % "l").replace('#1="2.0"', "#1#").encode() + b")\n" + line("m"),
        b"(\n (\n  (\n  :direction . incoming) #7=(:kind . notification)\n (:object . 5)) "
        + (LISP % "n").encode()
        + b"\n(x))\n"
        + line("o"),
    ],
    ids=range(10),
)
def test_reading_goes_on_from_every_byte(data):
    for place in range(len(data) + 1):
        check_split(data, place)


@settings(deadline=None)
@given(
    st.binary(max_size=200)
    | recordings.flatmap(
        lambda data: st.tuples(st.just(data), st.integers(0, 10_000), st.binary(max_size=4)).map(
            lambda t: t[0][: t[1]] + t[2] + t[0][t[1] + 1 :]
        )
    )
)
def test_no_bytes_raise(data):
    reader = Reader(max_line=100, max_depth=6)

    for item in reader.feed(data) + reader.close():
        assert isinstance(item, Frame) or item.code in CATALOGUE


@settings(deadline=None)
@given(recordings)
def test_no_line_is_lost_that_can_be_read_by_itself(data):
    # Whatever stands around them: outside of a value over several lines a good line is read.
    reader = Reader(max_depth=5)
    items = reader.feed(data + b"\noops\n" + line("sentinel") + b"\n")

    assert texts(items)[-1] == "sentinel"


@settings(deadline=None)
@given(recordings)
def test_a_restored_block_is_the_same(data):
    reader = Reader()
    reader.feed(data)
    block = reader._block

    if block is not None:
        again = restore(block.lines)
        assert isinstance(again, Block)
        assert block.lines == again.lines
        assert what_is_left(block._syntax) == what_is_left(again._syntax)


def what_is_left(syntax):
    """What a syntax knows of the brackets that are open."""
    if isinstance(syntax, Lisp):
        return (syntax._open, syntax.in_string, syntax._head, syntax.opening)
    if isinstance(syntax, HeadedSyntax):
        return (syntax._lines, *what_is_left(syntax._syntax))
    return (syntax._state, syntax._outside, syntax.opened)


def test_an_archive_is_not_the_readers_business():
    assert {"bad-encoding"} == set(codes(read(gzip.compress(b"x"))))
