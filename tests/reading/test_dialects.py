from __future__ import annotations

import copy
import json

import pytest

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_state._json import freeze
from acp_state._model import UNSET
from acp_state.diagnostics import CATALOGUE, Diagnostic
from acp_state.dialects import DIALECTS, NAMES
from acp_state.dialects._common import describe, from_iso, seconds
from acp_state.dialects.sdk_calls import ANSWERS, CALLS
from acp_state.dialects.tagged import WORDS, sender_of
from acp_state.frames import Frame
from acp_state.methods import AGENT_REQUESTS, REQUESTS
from acp_state.reading import Reader


CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
PROMPT = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}
ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}
UPDATE = {"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": []}}


def read(*records, dialect=None) -> list:
    reader = Reader(dialect)
    return reader.feed(b"".join(json.dumps(record).encode() + b"\n" for record in records)) + reader.close()


def only(*records, dialect=None):
    (item,) = read(*records, dialect=dialect)
    return item


def said(item) -> tuple:
    return (item.sender, item.kind, item.id, item.method, item.payload)


def codes(items) -> list[str]:
    return [item.code for item in items]


class TestJsonRpc:
    @pytest.mark.parametrize(
        ("message", "expected"),
        [
            (PROMPT, (None, "request", 1, "session/prompt", PROMPT["params"])),
            (CANCEL, (None, "notification", UNSET, "session/cancel", {"sessionId": "s"})),
            (ANSWER, (None, "response", 1, None, {"stopReason": "end_turn"})),
            (ERROR, (None, "error", 1, None, {"code": -32603, "message": "no"})),
            ({"jsonrpc": "2.0", "id": "1", "result": None}, (None, "response", "1", None, None)),
            ({"jsonrpc": "2.0", "id": None, "error": {}}, (None, "error", None, None, {})),
            ({"jsonrpc": "2.0", "id": 0, "method": "x"}, (None, "request", 0, "x", UNSET)),
            ({"jsonrpc": "2.0", "id": 1, "method": "session/cancel"}, (None, "request", 1, "session/cancel", UNSET)),
            ({"jsonrpc": "2.0", "id": 1, "result": {}, "error": None}, (None, "response", 1, None, {})),
            ({"jsonrpc": "2.0", "method": "session/prompt", "params": []}, (None, "request", UNSET, "session/prompt", [])),
            ({"type": "rpc.Request", **PROMPT}, (None, "request", 1, "session/prompt", PROMPT["params"])),
        ],
    )
    def test_a_bare_message_is_a_frame(self, message, expected):
        frame = only(message)

        assert expected == said(frame)
        assert (frame.line, frame.time, frame.partial) == (1, None, False)

    @pytest.mark.parametrize("id_", [True, 1.0, "", 2**63, -1, 0.5])
    def test_an_id_keeps_its_type(self, id_):
        frame = only({**ANSWER, "id": id_})

        assert (type(id_), id_) == (type(frame.id), frame.id)

    def test_a_batch_is_its_messages(self):
        assert [item.kind for item in read([PROMPT, {"id": 3}, 5, [CANCEL], ANSWER])] == [
            "request",
            "invalid",
            "invalid",
            "invalid",
            "response",
        ]

    @pytest.mark.parametrize(
        "message", [{**PROMPT, "id": {}}, {**PROMPT, "id": [1]}, {**CANCEL, "method": 5}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": 1}]
    )
    def test_what_calls_itself_a_message_and_is_none_is_an_invalid_frame(self, message):
        frame = only(message)

        assert ("invalid", str) == (frame.kind, type(frame.payload))

    @pytest.mark.parametrize("version", ["1.0", 2.0, 2, None, "2", ["2.0"], {}])
    def test_without_its_version_it_is_no_frame(self, version):
        assert codes(read({**PROMPT, "jsonrpc": version})) == ["not-a-frame"]
        assert codes(read({key: value for key, value in PROMPT.items() if key != "jsonrpc"})) == ["not-a-frame"]

    def test_escapes_in_names_are_no_other_names(self):
        (frame,) = Reader().feed(b'{"json\\u0072pc":"2\\u002e0","method":"session\\/update"}\n')

        assert frame.method == "session/update"


class TestAcpState:
    HEADER = {"format": "acp-state/transcript", "version": 1}

    @pytest.mark.parametrize(
        ("record", "expected"),
        [
            ({"t": 0.125, "from": "client", "message": PROMPT}, ("client", "request", 1, "session/prompt", PROMPT["params"])),
            (
                {"t": 0, "from": "agent", "message": {"method": "session/prompt", "result": {}}},
                ("agent", "response", UNSET, "session/prompt", {}),
            ),
            ({"t": 0, "from": "agent", "message": {"method": "x", "error": {"code": 1}}}, ("agent", "error", UNSET, "x", {"code": 1})),
            (
                {"t": 0, "from": "agent", "message": {"method": "fs/read_text_file"}},
                ("agent", "request", UNSET, "fs/read_text_file", UNSET),
            ),
            ({"t": 0, "from": "agent", "message": {"method": "_x"}}, ("agent", "notification", UNSET, "_x", UNSET)),
            ({"t": 0, "from": "agent", "kind": "request", "message": {"method": "_x"}}, ("agent", "request", UNSET, "_x", UNSET)),
            ({"t": 0, "from": "agent", "kind": 5, "message": {"method": "_x"}}, ("agent", "notification", UNSET, "_x", UNSET)),
            ({"from": "client", "message": {"method": "_x"}}, ("client", "notification", UNSET, "_x", UNSET)),
            ({"from": None, "message": {"method": "_x"}}, (None, "notification", UNSET, "_x", UNSET)),
            ({"t": 1, "message": {"method": "_x"}}, (None, "notification", UNSET, "_x", UNSET)),
            ({"t": 0, "from": "agent", "message": None}, ("agent", "invalid", UNSET, None, "no JSON object")),
            ({"t": 0, "from": "agent", "message": {"id": []}}, ("agent", "invalid", UNSET, None, "an id that is an object or an array")),
            ({"t": 2, "exit": {"status": "success"}}, (None, "exit", UNSET, None, {"status": "success"})),
            ({"exit": {"code": 1}}, (None, "exit", UNSET, None, {"code": 1})),
        ],
    )
    def test_a_record_is_its_message(self, record, expected):
        frame = only(record)

        assert expected == said(frame)
        assert record.get("t") == frame.time

    def test_a_message_may_be_a_batch(self):
        items = read(self.HEADER, {"t": 1.5, "from": "client", "message": [{"id": 1, "method": "a"}, {"method": "b"}]})

        assert [(item.sender, item.kind, item.time, item.line) for item in items] == [
            ("client", "request", 1.5, 2),
            ("client", "notification", 1.5, 2),
        ]

    def test_a_header_is_passed_over(self):
        assert read(self.HEADER) == []
        assert read({**self.HEADER, "agent": "x", "from": "y"}) == []

    @pytest.mark.parametrize("version", [2, 0, "1", None, True, 1.0])
    def test_an_unknown_version_is_said_and_read_on(self, version):
        finding, frame = read({**self.HEADER, "version": version}, {"t": 0, "from": "client", "message": PROMPT})

        assert (finding.code, "version" in finding.message) == ("not-a-frame", True)
        assert frame.kind == "request"

    @pytest.mark.parametrize("raw", ["oops \x1b[0m", {"base64": "/w=="}])
    def test_a_line_that_was_no_message_is_reported_again(self, raw):
        finding = only({"t": 0, "from": "agent", "raw": raw})

        assert (finding.code, finding.line) == ("not-json", 1)
        assert finding.message.isprintable()

    @pytest.mark.parametrize(
        "record",
        [
            {"t": 0, "from": 7, "message": PROMPT},
            {"t": 0, "from": ["client"], "message": PROMPT},
            {"t": 0, "from": "agent", "raw": 5},
            {"t": 0, "from": "agent", "raw": {"base64": 5}},
            {"t": 0, "exit": "success"},
            {"t": 0},
        ],
    )
    def test_wrong_types_are_no_frame(self, record):
        assert codes(read(record)) == ["not-a-frame"]
        assert codes(read(record, dialect="acp-state")) == ["not-a-frame"]

    @pytest.mark.parametrize("t", ["0.5", True, None, [], {}, 10**400])
    def test_a_time_that_is_none_costs_the_time_alone(self, t):
        frame = only({"t": t, "from": "client", "message": PROMPT})

        assert (frame.kind, frame.time) == ("request", None)


class TestTagged:
    @pytest.mark.parametrize("key", ["direction", "dir", "sender", "from", "channel"])
    @pytest.mark.parametrize("message", ["message", "frame", "json", "line", "payload"])
    def test_any_of_the_usual_keys_will_do(self, key, message):
        assert ("agent", "response", 1, None, ANSWER["result"]) == said(only({key: "in", message: ANSWER}))
        assert ("client", "request", 1, "session/prompt", PROMPT["params"]) == said(
            only({"at": "12:00", message: json.dumps(PROMPT), key: "OUT"})
        )

    @pytest.mark.parametrize(
        ("word", "sender"),
        [
            *((word, "agent") for word in ("in", "inbound", "incoming", "recv", "received", "fromAgent", "agent", "server->client")),
            *((word, "client") for word in ("out", "outbound", "outgoing", "send", "sent", "fromClient", "client", "client->server")),
            *((word, "agent") for word in ("IN", "Incoming", "from_agent", "agent to client", "agent \u2192 client", "server -> client")),
            *((word, "client") for word in ("OUT", "FROMCLIENT", "from_client", "client\u2192agent", " client to server ")),
            *((word, None) for word in ("", "to", "stderr", "both", "scenario-result", "proxy:0")),
        ],
    )
    def test_words_say_who_sent_it(self, word, sender):
        assert sender == sender_of(word)

    def test_words_are_known_in_lower_case(self):
        assert all(word == word.lower() for word in WORDS)

    def test_a_time_under_our_own_key_makes_it_no_transcript_of_ours(self):
        assert said(only({"t": 1.5, "dir": "in", "message": ANSWER}))[:2] == ("agent", "response")
        assert said(only({"t": 1.5, "sender": "client", "message": PROMPT}))[:2] == ("client", "request")

    def test_the_known_word_counts_among_several(self):
        assert only({"channel": "acp", "from": "proxy", "dir": "recv", "frame": ANSWER}).sender == "agent"

    def test_a_wrapped_message_needs_no_version(self):
        assert said(only({"dir": "in", "frame": {"method": "_x", "params": {"a": 1}}})) == ("agent", "notification", UNSET, "_x", {"a": 1})

    def test_a_wrapped_batch_is_its_messages(self):
        assert [(item.sender, item.kind) for item in read({"dir": "in", "frame": [ANSWER, 5]})] == [
            ("agent", "response"),
            ("agent", "invalid"),
        ]

    def test_an_object_is_preferred_to_text_beside_it(self):
        assert only({"dir": "out", "message": "sent a prompt", "line": 12, "frame": PROMPT}).kind == "request"
        assert only({"dir": "out", "line": 12, "payload": json.dumps(PROMPT)}).kind == "request"

    @pytest.mark.parametrize(
        "record",
        [
            {"version": 1, "agent": "demo", "agent_version": None, "scenario": "basic"},
            {"_provenance": "made up", "agent": "demo"},
            {"ts": 1, "channel": "scenario-result", "scenario": "hello", "result": {"stopReason": "end_turn"}},
            {"ts": 1, "channel": "lifecycle", "event": "start", "pid": 143},
            {"ts": 1, "channel": "other", "event": "exit", "code": 143},
            {"channel": "stderr", "line": "warning: cold"},
            {"channel": "stderr", "line": "5"},
            {"dir": "in", "event": "connected"},
            {"dir": "in", "event": "connected", "payload": None},
            {"dir": "in", "frame": " \r"},
        ],
    )
    def test_headers_and_records_without_a_message_are_passed_over(self, record):
        assert read(record) == []
        assert read(record, dialect="tagged") == []

    @pytest.mark.parametrize("dialect", [None, "tagged"])
    def test_the_end_of_the_process_is_the_exit(self, dialect):
        (frame,) = read(
            {"ts": "1970-01-01T00:00:02Z", "channel": "lifecycle", "event": "exit", "code": 143, "signal": None}, dialect=dialect
        )

        assert said(frame) == (None, "exit", UNSET, None, {"code": 143, "signal": None})
        assert frame.time == 2

    def test_a_message_under_an_unknown_word_or_none_has_no_known_sender(self):
        assert said(only({"channel": "acp", "message": PROMPT}))[:2] == (None, "request")
        assert said(only({"cursor": "x", "message": PROMPT}))[:2] == (None, "request")
        assert said(only({"channel": "acp", "line": json.dumps(PROMPT)}))[:2] == (None, "request")
        assert [item.sender for item in read({"channel": "acp", "message": [PROMPT, CANCEL]})] == [None, None]

    @pytest.mark.parametrize(
        ("record", "kind"),
        [
            ({"dir": "in", "frame": None}, "invalid"),
            ({"dir": "in", "frame": {}}, "invalid"),
            ({"dir": "in", "json": "5"}, "invalid"),
            ({"dir": "in", "frame": []}, "invalid"),
        ],
    )
    def test_a_message_that_is_none_is_an_invalid_frame(self, record, kind):
        assert ("agent", kind) == said(only(record))[:2]

    def test_a_string_that_is_no_json_is_reported_with_its_line(self):
        assert [(item.code, item.line) for item in read({"_provenance": 1}, {"dir": "in", "line": "panic: \x07"})] == [("not-json", 2)]
        assert codes(read({"dir": "in", "line": "[" * 300 + "]" * 300})) == ["too-deep"]

    @pytest.mark.parametrize(
        "record",
        [
            {"from": 7, "message": PROMPT},
            {"from": "bob", "message": {"text": "hi"}},
            {"message": "hello"},
            {"message": {"text": "hi"}},
            {"direction": "out", "type": "request", "method": "session/cancel", "payload": {"sessionId": "s"}},
            {"from": "proxy", "method": "session/update", "params": {}},
            {"payload": {"method": "session/update"}},
            {"direction": "in", "data": ANSWER},
        ],
    )
    def test_other_wrappers_are_not_read_half(self, record):
        assert codes(read(record)) == ["not-a-frame"]

    @pytest.mark.parametrize(
        ("times", "expected"),
        [
            ([{"t_ms": 0}, {"t_ms": 7}, {"t_ms": 1500.5}], [0.0, 0.007, 1.5005]),
            ([{"ts": 0.42}, {"ts": 1.0}], [0.42, 1.0]),
            ([{"ts": 100}, {"ts": 1000}], [0.1, 1.0]),
            ([{"t": 100}, {"t": 1000.25}], [100.0, 1000.25]),
            ([{"timestamp": 1780000000000}, {"timestamp": 1780000001500}], [0.0, 1.5]),
            ([{"ts": 1780000000}, {"ts": 1780000001.25}], [0.0, 1.25]),
            ([{"ts": 1780000000000000}, {"ts": 1780000000500000}], [0.0, 0.5]),
            ([{"at": 1780000000000000000}, {"at": 1780000000500000000}], [0.0, 0.5]),
            ([{"time": "2026-01-01T00:00:00.100Z"}, {"time": "2026-01-01T01:00:00.350+01:00"}], [0.0, 0.25]),
            ([{"createdAt": "2026-01-01 00:00:00"}, {"createdAt": "2026-01-01T00:00:01"}], [0.0, 1.0]),
            ([{"ts": "yesterday"}, {"ts": True}, {"ts": None}, {"ts": []}, {"ts": 10**400}, {"ts": ""}], [None] * 6),
        ],
    )
    def test_times_are_in_seconds_from_the_first(self, times, expected):
        assert expected == [item.time for item in read(*({**time, "dir": "in", "frame": ANSWER} for time in times))]


class TestReplay:
    @pytest.mark.parametrize(
        ("type_", "frame", "expected", "partial"),
        [
            ("expect_outbound", {"kind": "request", "method": "m", "params": {"a": 1}}, ("client", "request", UNSET, "m", {"a": 1}), False),
            ("emit_inbound", {"kind": "request", "method": "m"}, ("agent", "request", UNSET, "m", UNSET), False),
            ("emit_inbound", {"kind": "notification", "method": "m", "params": None}, ("agent", "notification", UNSET, "m", None), False),
            ("emit_inbound", {"kind": "response", "method": "m", "result": None}, ("agent", "response", UNSET, "m", None), False),
            (
                "expect_outbound",
                {"kind": "response", "method": "m", "error": {"code": 1}},
                ("client", "error", UNSET, "m", {"code": 1}),
                False,
            ),
            (
                "expect_outbound",
                {"kind": "error", "method": "m", "error": {"code": 1}},
                ("client", "error", UNSET, "m", {"code": 1}),
                False,
            ),
            ("emit_inbound", {"kind": "response", "method": "m"}, ("agent", "response", UNSET, "m", UNSET), False),
            ("expect_outbound", {"kind": "request", "method": "m", "params": "<any>"}, ("client", "request", UNSET, "m", UNSET), True),
            ("emit_inbound", {"kind": "response", "method": "m", "result": "<any>"}, ("agent", "response", UNSET, "m", UNSET), True),
            (
                "expect_outbound",
                {
                    "kind": "request",
                    "method": "m",
                    "params": {"a": "<any>", "b": ["<any>", {"c": "<any>"}, 1], "d": "x <any>", "e": "<workspace>", "<any>": []},
                },
                ("client", "request", UNSET, "m", {"b": [{}, 1], "d": "x <any>", "e": "<workspace>", "<any>": []}),
                True,
            ),
            ("expect_outbound", {"kind": "request", "method": 5}, ("client", "invalid", UNSET, None, "a frame without a method"), False),
            ("expect_outbound", {"kind": "x", "method": "m"}, ("client", "invalid", UNSET, None, "a frame of an unknown kind"), False),
            ("expect_outbound", {"kind": [], "method": "m"}, ("client", "invalid", UNSET, None, "a frame of an unknown kind"), False),
            ("emit_inbound", None, ("agent", "invalid", UNSET, None, "a frame that is no object"), False),
        ],
    )
    def test_a_record_says_who_sent_its_frame(self, type_, frame, expected, partial):
        item = only({"type": type_, "label": "x", "afterMs": 5, "frame": frame})

        assert expected == said(item)
        assert (partial, None) == (item.partial, item.time)

    def test_what_was_left_open_is_never_a_finding(self):
        items = read(
            {"type": "transcript_start", "scenario": "<any>"},
            {"type": "expect_outbound", "frame": {"kind": "request", "method": "m", "params": {"a": "<any>"}}},
        )

        assert [item.kind for item in items] == ["request"]

    def test_the_payload_stays_the_same_object_if_all_of_it_is_known(self):
        record = freeze({"type": "emit_inbound", "frame": {"kind": "notification", "method": "m", "params": {"a": [1, {"b": None}]}}})
        (frame,) = DIALECTS["replay"](record, 1, 200)

        assert frame.payload is record["frame"]["params"]

    def test_the_end_of_the_process_is_a_frame(self):
        assert said(only({"type": "runtime_exit", "status": "success"})) == (None, "exit", UNSET, None, {"status": "success"})

    @pytest.mark.parametrize("type_", ["other", 5, None, ["emit_inbound"], {}])
    def test_other_types_are_no_frame(self, type_):
        assert codes(read({"type": type_, "frame": {}})) == ["not-a-frame"]


class TestSnapshot:
    @pytest.mark.parametrize(
        ("record", "expected"),
        [
            (
                {"kind": "notification", "method": "session/update", "payload": UPDATE},
                ("agent", "notification", UNSET, "session/update", UPDATE),
            ),
            ({"kind": "request", "method": "elicitation/create", "payload": {}}, ("agent", "request", UNSET, "elicitation/create", {})),
            (
                {"kind": "response", "method": "session/new", "payload": {"sessionId": "<s>"}},
                ("agent", "response", UNSET, "session/new", {"sessionId": "<s>"}),
            ),
            ({"kind": "response", "method": "session/new", "payload": None}, ("agent", "response", UNSET, "session/new", None)),
            ({"kind": "response", "method": "session/new"}, ("agent", "response", UNSET, "session/new", UNSET)),
            (
                {"kind": "error", "method": "session/prompt", "payload": {"code": 1}},
                ("agent", "error", UNSET, "session/prompt", {"code": 1}),
            ),
            ({"kind": "error", "method": "session/prompt", "error": {"code": 1}}, ("agent", "error", UNSET, "session/prompt", {"code": 1})),
            (
                {"kind": "response", "method": "session/prompt", "error": {"code": 1}},
                ("agent", "error", UNSET, "session/prompt", {"code": 1}),
            ),
        ],
    )
    def test_the_agent_sent_it(self, record, expected):
        assert expected == said(only(record))
        assert expected == said(only(record, dialect="snapshot"))

    @pytest.mark.parametrize(
        "record",
        [
            {"kind": "request"},
            {"kind": "request", "method": 5},
            {"kind": [], "method": "m"},
            {"kind": "x", "method": "m"},
            {"kind": "request", "method": "m", "direction": "out"},
        ],
    )
    def test_wrong_types_are_no_frame(self, record):
        assert codes(read(record)) == ["not-a-frame"]


class TestSdkCalls:
    @pytest.mark.parametrize(
        ("name", "kind", "method"),
        [
            ("sessionUpdate", "notification", "session/update"),
            ("requestPermission", "request", "session/request_permission"),
            ("createElicitation", "request", "elicitation/create"),
            ("completeElicitation", "notification", "elicitation/complete"),
            ("unstable_createElicitation", "request", "elicitation/create"),
            ("readTextFile", "request", "fs/read_text_file"),
        ],
    )
    def test_a_callback_is_what_the_agent_sent(self, name, kind, method):
        expected = ("agent", kind, UNSET, method, {"sessionId": "s"})

        assert expected == said(only({"kind": name, "payload": {"sessionId": "s"}}))
        assert expected == said(only({"method": name, "args": [{"sessionId": "s"}]}))

    @pytest.mark.parametrize(
        ("name", "method"),
        [
            ("initialize", "initialize"),
            ("newSession", "session/new"),
            ("loadSession", "session/load"),
            ("promptResponse", "session/prompt"),
            ("setSessionMode", "session/set_mode"),
        ],
    )
    def test_an_answer_names_its_method(self, name, method):
        assert ("agent", "response", UNSET, method, {"a": 1}) == said(only({"kind": name, "payload": {"a": 1}}))
        assert ("agent", "error", UNSET, method, {"code": 1}) == said(only({"kind": name, "error": {"code": 1}}))
        assert codes(read({"method": name, "args": [{}]})) == ["not-a-frame"]

    def test_every_name_stands_for_a_method_of_the_protocol(self):
        assert set(ANSWERS.values()) <= REQUESTS - AGENT_REQUESTS
        assert {method for kind, method in CALLS.values() if kind == "request"} <= AGENT_REQUESTS

    @pytest.mark.parametrize(
        ("call", "expected"),
        [
            ({"kind": "extNotification", "payload": {"method": "_x", "params": {"a": 1}}}, ("notification", "_x", {"a": 1})),
            ({"kind": "extNotification", "payload": {"method": "_x"}}, ("notification", "_x", UNSET)),
            ({"kind": "extMethod", "payload": {"method": "_x", "params": None}}, ("request", "_x", None)),
            ({"method": "extNotification", "args": ["_x", {"a": 1}, "more"]}, ("notification", "_x", {"a": 1})),
            ({"method": "extMethod", "args": ["_x"]}, ("request", "_x", UNSET)),
        ],
    )
    def test_an_extension_names_its_method(self, call, expected):
        frame = only(call)

        assert expected == (frame.kind, frame.method, frame.payload)

    @pytest.mark.parametrize(
        "call",
        [
            {"kind": "extMethod"},
            {"kind": "extMethod", "payload": {"method": 5}},
            {"kind": "extMethod", "payload": "x"},
            {"method": "extMethod", "args": []},
        ],
    )
    def test_an_extension_without_a_method_is_an_invalid_frame(self, call):
        assert only(call).kind == "invalid"

    def test_a_call_without_arguments_has_no_params(self):
        assert UNSET is only({"method": "sessionUpdate", "args": []}).payload
        assert UNSET is only({"kind": "sessionUpdate"}).payload

    @pytest.mark.parametrize(
        "record",
        [
            {"kind": "somethingElse", "payload": {}},
            {"kind": 5},
            {"method": "sessionUpdate", "args": {}},
            {"method": [], "args": []},
            {"method": "x", "args": []},
        ],
    )
    def test_other_names_are_no_frame(self, record):
        assert codes(read(record)) == ["not-a-frame"]

    def test_they_may_be_pretty_printed_back_to_back_or_in_one_array(self):
        calls = [{"method": "sessionUpdate", "args": [UPDATE]}, {"kind": "requestPermission", "payload": {}}]
        forms = ["\n".join(json.dumps(call, indent=2) for call in calls), json.dumps(calls, indent=2), json.dumps(calls)]

        for form in forms:
            items = Reader().feed(form.encode() + b"\n")
            assert [item.method for item in items] == ["session/update", "session/request_permission"]


class TestUpdates:
    def test_params_alone_are_an_update(self):
        assert said(only(UPDATE)) == ("agent", "notification", UNSET, "session/update", UPDATE)

    def test_an_update_alone_belongs_to_the_session_without_a_name(self):
        assert ("agent", "notification", UNSET, "session/update", {"sessionId": "", "update": UPDATE["update"]}) == said(
            only(UPDATE["update"])
        )

    def test_what_is_wrong_inside_is_not_judged_here(self):
        assert only({"sessionId": 5, "update": None}).kind == "notification"
        assert only({"sessionUpdate": 5}).kind == "notification"

    def test_one_of_the_two_is_too_little(self):
        assert codes(read({"update": {}}, {"sessionId": "s"})) == ["not-a-frame", "not-a-frame"]


class TestAll:
    RECORDS = [
        PROMPT,
        [PROMPT, 5],
        TestAcpState.HEADER,
        {"t": 0, "from": "client", "kind": "request", "message": PROMPT},
        {"t": 0, "from": "agent", "raw": {"base64": "x"}},
        {"t": 0, "from": None, "exit": {}},
        {"ts": "2026-01-01T00:00:00Z", "direction": "in", "json": json.dumps(ANSWER)},
        {"t_ms": 5, "dir": "out", "frame": PROMPT},
        {"channel": "acp", "payload": [PROMPT]},
        {"version": 1, "agent": "x"},
        {"type": "emit_inbound", "frame": {"kind": "response", "method": "m", "result": {"a": ["<any>"]}}},
        {"type": "runtime_exit"},
        {"kind": "response", "method": "m", "payload": {}, "error": {}},
        {"kind": "extNotification", "payload": {"method": "m", "params": {}}},
        {"method": "extMethod", "args": ["m", {}]},
        UPDATE,
        {"sessionUpdate": "plan"},
    ]
    ODD = [
        None,
        True,
        0,
        -1,
        1e300,
        10**400,
        "",
        "x",
        "client",
        "\ud83d",
        [],
        [[]],
        {},
        {"method": []},
        [None],
        "{}",
        '{"jsonrpc":"2.0"}',
        "[[[",
    ]

    @settings(deadline=None)
    @given(st.sampled_from(RECORDS), st.data())
    def test_no_types_raise(self, record, data):
        record = copy.deepcopy(record)
        for _ in range(data.draw(st.integers(0, 3))):
            node = record
            while isinstance(node, (dict, list)) and node:
                key = data.draw(st.sampled_from(list(node) if isinstance(node, dict) else range(len(node))))
                if data.draw(st.booleans()) or not isinstance(node[key], (dict, list)):
                    node[key] = data.draw(st.sampled_from(self.ODD))
                    break
                node = node[key]
        for dialect in (None, *NAMES):
            for item in Reader(dialect).feed_record(record):
                assert isinstance(item, Frame) or item.code in CATALOGUE

    @settings(deadline=None)
    @given(
        st.recursive(
            st.sampled_from(ODD),
            lambda inner: st.dictionaries(
                st.sampled_from(["jsonrpc", "method", "id", "from", "message", "type", "frame", "kind", "payload", "args", "update"]), inner
            ),
        )
    )
    def test_no_record_raises(self, record):
        for dialect in (None, *NAMES):
            assert all(isinstance(item, Diagnostic) or isinstance(item.kind, str) for item in Reader(dialect).feed_record(record))

    @pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
    def test_each_record_has_one_dialect_or_the_order_decides(self, record):
        claims = [name for name, read in DIALECTS.items() if read(freeze(record), 1, 200) is not None]
        reader = Reader()
        reader.feed_record(record)

        assert claims[:1] == list(reader.dialects)
        assert len(claims) == 1 or claims in (["acp-state", "tagged"], ["jsonrpc", "acpx"])

    def test_the_names_are_those_of_the_contract(self):
        contract = {"acp-state", "jsonrpc", "tagged", "replay", "snapshot", "sdk-calls", "updates"}
        wanted = {"zed", "acpx", "conductor", "acp-el", "codecompanion", "jetbrains", "toad"}

        assert contract | wanted == set(NAMES)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "an empty object"),
        ({"a": 1, "\x1b": 2}, "an object with 'a', '\\x1b'"),
        (dict.fromkeys("abcdefghij"), "an object with 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h' and more"),
        ([], "an empty array"),
        ([1], "an array"),
        ("x" * 100, f"the string '{'x' * 60}...'"),
        (None, "null"),
        (True, "a boolean"),
        (1, "a number"),
    ],
)
def test_a_value_is_described_by_what_it_holds(value, text):
    assert text == describe(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:01Z", 1.0),
        ("1970-01-01T00:00:01", 1.0),
        ("1970-01-01 01:00:01.5+01:00", 1.5),
        ("0001-01-01T00:00:00+14:00", -62135647200.0),
        ("12:00", None),
        ("\ud83d", None),
    ],
)
def test_iso_times_without_a_zone_are_in_utc(text, expected):
    assert expected == from_iso(text)


@pytest.mark.parametrize(
    ("value", "expected"), [(1, 1.0), (0.5, 0.5), (True, None), ("1", None), (None, None), (10**400, None), (-5, -5.0)]
)
def test_seconds_are_numbers(value, expected):
    got = seconds(value)

    assert (expected, type(expected)) == (got, type(got))
