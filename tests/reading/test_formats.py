"""What programs write of their ACP traffic in formats of their own: which record is which frame."""

from __future__ import annotations

import json

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state._model import UNSET
from acp_state.diagnostics import Diagnostic
from acp_state.dialects import HEADED, literal_as_json, literal_is_begun
from acp_state.frames import Frame
from acp_state.reading import Reader


CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
PROMPT = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s"}}
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}
ERROR = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}

PROMPT_FRAME = ("client", "request", 1, "session/prompt", {"sessionId": "s"})
CANCEL_FRAME = ("client", "notification", UNSET, "session/cancel", {"sessionId": "s"})
ANSWER_FRAME = ("agent", "response", 1, None, {"stopReason": "end_turn"})


def read(text: str | bytes, dialect: str | None = None) -> list:
    reader = Reader(dialect)
    return reader.feed(text.encode() if isinstance(text, str) else text) + reader.close()


def said(item: Frame | Diagnostic) -> tuple | str:
    return item.code if isinstance(item, Diagnostic) else (item.sender, item.kind, item.id, item.method, item.payload)


def story(text: str | bytes, dialect: str | None = None) -> list:
    return [said(item) for item in read(text, dialect)]


def of(record: dict, dialect: str | None = None) -> list:
    return story(json.dumps(record), dialect)


class TestZed:
    @staticmethod
    def record(direction="incoming", type_="response", **members) -> dict:
        return {"_direction": direction, "_type": type_, "id": 1, "method": "session/prompt", "params": None, **members}

    @pytest.mark.parametrize(
        ("members", "frame"),
        [
            ({"direction": "outgoing", "type_": "request", "params": {"sessionId": "s"}}, PROMPT_FRAME),
            ({"direction": "outgoing", "type_": "request"}, ("client", "request", 1, "session/prompt", UNSET)),
            ({"type_": "notification", "id": None, "method": "x"}, ("agent", "notification", UNSET, "x", UNSET)),
            ({"params": {"stopReason": "end_turn"}}, ANSWER_FRAME),
            ({}, ("agent", "response", 1, None, None)),
            ({"id": "1", "method": "[unrecognized response]"}, ("agent", "response", "1", None, None)),
            ({"params": {"code": 1, "message": "no"}}, ("agent", "error", 1, None, {"code": 1, "message": "no"})),
            ({"params": {"code": 1, "message": "no", "data": 5}}, ("agent", "error", 1, None, {"code": 1, "message": "no", "data": 5})),
            ({"params": {"code": 1, "message": "no", "x": 5}}, ("agent", "response", 1, None, {"code": 1, "message": "no", "x": 5})),
            ({"params": {"code": True, "message": "no"}}, ("agent", "response", 1, None, {"code": True, "message": "no"})),
            ({"params": {"code": 1}}, ("agent", "response", 1, None, {"code": 1})),
            ({"id": [1]}, ("agent", "invalid", UNSET, None, "an id that is an object or an array")),
        ],
    )
    def test_a_record_is_its_message(self, members, frame):
        assert of(self.record(**members)) == [frame]

    def test_lines_of_standard_error_are_passed_over(self):
        assert of(self.record("stderr", "stderr", id=None, method="stderr", params="oops")) == []

    @pytest.mark.parametrize("members", [{"direction": "x"}, {"type_": "asdf"}, {"method": None}, {"direction": 5}, {"type_": []}])
    def test_what_is_no_record_is_told(self, members):
        assert of(self.record(**members)) == ["not-a-frame"]


class TestAcpx:
    def test_markers_are_passed_over(self):
        marker = {"schema": "acpx.session.journal.v1", "type": "turn_started", "request_id": "q"}

        assert of(marker) == []
        assert of({**marker, "schema": "other"}) == ["not-a-frame"]

    def test_a_message_that_looks_like_a_marker_is_a_message(self):
        assert story(json.dumps({**CANCEL, "schema": "acpx.session.journal.v1", "type": "segment"}))[0][1] == "notification"

    def test_events_of_watch(self):
        event = {"cursor": "x", "requestId": "q", "type": "message", "message": PROMPT}

        assert of(event) == [(None, *PROMPT_FRAME[1:])]
        assert of({**event, "type": "turn_result", "result": {}}) == []
        assert of({**event, "message": {"id": 1}}) == ["not-a-frame"]
        assert of({**event, "type": "other"}) == ["not-a-frame"]

    def test_an_export_is_its_history(self):
        export = {"format_version": 1, "exported_by": "acpx", "session": {}, "history": [CANCEL, 5, ANSWER]}

        assert [one if isinstance(one, str) else one[1] for one in of(export)] == ["notification", "not-a-frame", "response"]
        assert of({**export, "history": {}}) == ["not-a-frame"]

    def test_bare_messages_are_its_own_when_it_is_named(self):
        assert of(CANCEL, "acpx")[0][1] == "notification"


class TestConductor:
    @staticmethod
    def record(type_: str, from_: str, to: str, **members) -> dict:
        return {"type": type_, "ts": 0.5, "protocol": "acp", "from": from_, "to": to, "id": 1, **members}

    CALL = {"method": "session/prompt", "params": {"sessionId": "s"}}

    @pytest.mark.parametrize(
        ("type_", "from_", "to", "sender"),
        [
            ("request", "Client", "Agent", "client"),
            ("request", "client", "agent", "client"),
            ("request", "Agent", "Client", "agent"),
            ("request", "Client", "Proxy(0)", "client"),
            ("request", "Proxy(1)", "Proxy(0)", "agent"),
            ("request", "agent", "proxy:0", "agent"),
            ("request", "Proxy(0)", "Proxy(1)", None),
            ("request", "Proxy(2)", "Proxy(1)", None),
            ("request", "Proxy(1)", "Agent", None),
            ("response", "Agent", "Client", "agent"),
            ("response", "Client", "Agent", "client"),
            ("response", "Proxy(0)", "Client", "agent"),
            ("response", "Proxy(0)", "Proxy(1)", "client"),
            ("response", "Proxy(1)", "Proxy(0)", None),
            ("response", "Proxy(1)", "Proxy(2)", None),
        ],
    )
    def test_a_session_is_what_the_client_sees_of_it(self, type_, from_, to, sender):
        members = self.CALL if type_ == "request" else {"is_error": False, "payload": None}
        items = read(json.dumps(self.record(type_, from_, to, **members)))

        assert [item.sender for item in items] == ([sender] if sender else [])
        assert [item.time for item in items] == [0.5] * len(items)

    @pytest.mark.parametrize(
        ("record", "frame"),
        [
            (record("request", "Client", "Agent", **CALL), PROMPT_FRAME),
            (record("notification", "Client", "Agent", method="x", params=None), ("client", "notification", UNSET, "x", UNSET)),
            (record("request", "Client", "Agent", method="_proxy/initialize"), ("client", "request", 1, "initialize", UNSET)),
            (record("response", "Agent", "Client", is_error=False, payload=ANSWER["result"]), ANSWER_FRAME),
            (record("response", "Agent", "Client", is_error=True, payload=ERROR["error"]), ("agent", "error", 1, None, ERROR["error"])),
            (
                record("request", "Agent", "Client", method="tools/list", params={"a": 1}, protocol="mcp"),
                ("agent", "request", 1, "mcp/message", {"method": "tools/list", "params": {"a": 1}}),
            ),
            (
                record("response", "Agent", "Client", is_error=False, payload=1, id=[]),
                ("agent", "invalid", UNSET, None, "an id that is an object or an array"),
            ),
        ],
    )
    def test_a_record_is_its_message(self, record, frame):
        assert of(record) == [frame]

    @pytest.mark.parametrize(
        "record",
        [
            record("trace", "Client", "Agent", **CALL),
            {**record("request", "Client", "Agent", **CALL), "from": 5},
        ],
    )
    def test_what_is_no_record_is_told(self, record):
        assert of(record) == ["not-a-frame"]


class TestAcpEl:
    @staticmethod
    def entry(message: str, direction: str = "outgoing", kind: str = "request") -> str:
        return f"(((:direction . {direction}) (:kind . {kind}) (:object {message})))"

    @pytest.mark.parametrize(
        ("entry", "frame"),
        [
            (entry('(jsonrpc . "2.0") (id . 1) (method . "session/prompt") (params (sessionId . "s"))'), PROMPT_FRAME),
            (entry('(id . 1) (result (stopReason . "end_turn"))', "incoming", "response"), ANSWER_FRAME),
            (entry("(id . 1) (result)", "incoming", "response"), ("agent", "response", 1, None, None)),
            (entry('(method . "x") (params)', kind="notification"), ("client", "notification", UNSET, "x", {})),
            (entry('(method . "x")'), ("client", "request", UNSET, "x", UNSET)),
            (entry('(id . 1) (error (code . 1) (message . "no") (data))', "incoming"), ("agent", "error", 1, None, {"code": 1, "message": "no", "data": None})),
            (entry("", "sideways"), (None, "invalid", UNSET, None, "a message that is no object")),
            (entry(". 5"), ("client", "invalid", UNSET, None, "a message that is no object")),
        ],
    )  # fmt: skip
    def test_an_entry_is_its_message(self, entry, frame):
        assert story(entry) == [frame]

    def test_entries_are_given_as_soon_as_they_end(self):
        reader = Reader()
        one = self.entry('(id . 1) (result . #1="x")', "incoming", "response")[1:-1]

        assert reader.feed(b"(\n") == []
        assert [item.line for item in reader.feed(f" {one}\n\n".encode())] == [2]
        assert reader.state.block == (b'(#1="x"',)
        assert [item.payload for item in reader.feed(one.replace('#1="x"', "#1#").encode() + b")\n")] == ["x"]
        assert reader.state.block == ()
        assert reader.dialects == ("acp-el",)

    def test_json_behind_a_list_that_breaks_off_is_read(self):
        data = '(((:direction . outgoing) (:object (method . "x\n' + json.dumps(CANCEL) + "\n" + json.dumps(PROMPT) + "\n"

        assert story(data) == ["broken-value", "not-json", (None, *CANCEL_FRAME[1:]), (None, *PROMPT_FRAME[1:])]

    def test_a_list_is_none_when_another_dialect_is_named(self):
        assert story(self.entry("(id . 1) (result)"), "jsonrpc") == ["not-json"]


class TestText:
    JSON = json.dumps(ANSWER)
    LOG = "2026-01-01 10:00:00,250 [   250]   FINE - AcpTransport - "

    @pytest.mark.parametrize(
        ("text", "frames"),
        [
            (f"[agent] {JSON}", [ANSWER_FRAME]),
            (f"[client] {PROMPT}", [PROMPT_FRAME]),
            (f"[client] {[CANCEL, PROMPT]}\n", [CANCEL_FRAME, PROMPT_FRAME]),
            (f"[agent] {JSON}[client] {CANCEL}{JSON}", [ANSWER_FRAME, CANCEL_FRAME, (None, *ANSWER_FRAME[1:])]),
            ("[agent] loading\n[error] no\n[client] {'a': }\n[client] None", ["not-json"] * 4),
            (f"{LOG}OUT: {json.dumps(CANCEL)}\n{LOG}IN: {JSON}", [CANCEL_FRAME, ANSWER_FRAME]),
            (f"{LOG}OUT: x\n{LOG}CLOSED\n{LOG.replace('Acp', 'Other')}IN: {JSON}", ["not-json"] * 3),
            (f"2026-01-01 10:00:00\nSent:\n{json.dumps(CANCEL)}\n2026-01-01 10:00:00.500\nReceived:\n{JSON}\n", [CANCEL_FRAME, ANSWER_FRAME]),
            (f"2026-01-01 10:00:00\n{JSON}\n", ["broken-value", (None, *ANSWER_FRAME[1:])]),
            (f"2026-01-01 10:00:00\nSent:\noops\n{JSON}\n", ["broken-value", "not-json", "not-json", (None, *ANSWER_FRAME[1:])]),
            (f"Received:\n{JSON}", ["not-json", (None, *ANSWER_FRAME[1:])]),
        ],
    )  # fmt: skip
    def test_a_heading_says_who_sent_what_follows(self, text, frames):
        assert story(text) == frames

    def test_times_count_from_the_first_one(self):
        lines = [f"2026-01-01 10:00:{second}\nSent:\n{json.dumps(CANCEL)}\n" for second in ("59", "59.250")]

        assert [item.time for item in read("".join(lines))] == [0.0, 0.25]
        assert [item.time for item in read(f"{self.LOG}IN: {self.JSON}\n{self.LOG.replace(',250', ',750')}IN: {self.JSON}")] == [0.0, 0.5]

    @pytest.mark.parametrize("name", HEADED)
    def test_a_named_one_is_the_only_one(self, name):
        assert story(f"[agent] {self.JSON}\n{self.JSON}\n", name) == [ANSWER_FRAME if name == "toad" else "not-json", "not-a-frame"]

    def test_nesting_has_its_limit_here_too(self):
        assert story("[client] " + "[" * 300 + "]" * 300) == ["too-deep"]


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner),
)  # fmt: skip


@given(st.lists(literals) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), literals), st.data())
def test_what_python_prints_is_read_as_it_was(value, data):
    text = repr(value).encode()
    found = literal_as_json(b"> " + text + b"]}", 2)

    assert found is not None
    assert (json.loads(found[0]), found[1]) == (value, len(text) + 2)
    assert repr(json.loads(found[0])) == repr(value)

    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    assert literal_as_json(cut, 0) is None
    assert literal_is_begun(cut, 0) or cut[-1:] >= b"\x80"


@pytest.mark.parametrize("text", [b"{)}", b"]", b"'\\q'", b"{'a' 'b'", b"oops", b"{'a': oops}", b"[1, 2", b"'a"])
def test_what_python_does_not_print(text):
    found = literal_as_json(text, 0)

    assert found is None or json.loads(found[0]) == "q"
