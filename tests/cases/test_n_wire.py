"""Field cases, section N: the wire: lines, ids, decoding."""
# ruff: noqa: N802 - a test is named by its case

from __future__ import annotations

import json

import pytest

from acp_state.document import dumps, loads
from acp_state.folding import fold

from support.transcripts import bare, item, of_version, same, text, v1, v2


def said(value, session="s-1"):
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": value}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}


def lines_of(folded, code):
    return [finding.line for finding in folded.diagnostics if finding.code == code]


def faults(folded):
    return [finding.code for finding in folded.diagnostics if finding.severity != "info"]


def heard(folded, session="s-1"):
    return [message.text for message in folded.snapshot.sessions[session].timeline]


# --- W-01 ------------------------------------------------------------------------------------------------


def test_W_01_log_lines_on_stdout():
    transcript = (
        bare()
        .line("WARN cache cold")
        .line(json.dumps(said("a")))
        .line("")
        .line("Content-Length: 12")
        .line(json.dumps(said("b")))
    )  # fmt: skip
    document = transcript.fold("jsonrpc")

    assert document.story() == [("agent", "ab")]
    assert lines_of(document.folded, "not-json") == [1, 4]
    assert document.faults == ["not-json", "not-json"]


@pytest.mark.parametrize("noise", ["npm notice", "\x1b[31mred\x1b[0m", "Debug: {", "'single'", "<html>", "undefined", "{'a': 1}"])
def test_W_01_whatever_the_noise_is(noise):
    document = bare().line(json.dumps(said("a"))).line(noise).line(json.dumps(said("b"))).fold("jsonrpc")

    assert document.story() == [("agent", "ab")]
    assert document.faults == ["not-json"]


def test_W_01_bytes_that_are_no_text_are_a_finding_too():
    document = bare().line(json.dumps(said("a"))).line(b"\xff\xfe\xfd").line(json.dumps(said("b"))).fold("jsonrpc")

    assert document.story() == [("agent", "ab")]
    assert len(document.faults) == 1


# --- W-03 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\r"], ids=ascii)
def test_W_03_separators_inside_strings_split_the_line(separator):
    value = f"a{separator}b\u0085c"
    raw = json.dumps(said(value), ensure_ascii=False)
    assert (separator in raw) is (separator > "\x1f")

    document = bare().line(raw).line(json.dumps(said("!"))).fold("jsonrpc")
    assert document.story() == [("agent", f"{value}!")]
    assert document.faults == []


def test_W_03_both_written_raw_in_our_own_dialect():
    record = {"t": 0, "from": "agent", "message": said("a\u2028b\u0085c")}
    document = bare().line(json.dumps(record, ensure_ascii=False)).fold()

    assert document.story() == [("agent", "a\u2028b\u0085c")]


# --- W-05 ------------------------------------------------------------------------------------------------


TWO = f"{json.dumps(said('a'))}\n{json.dumps(said('b'))}\n".encode()
TORN = b'{"jsonrpc":"2.0","method":"session/upd'
REST = b'ate","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c"}}}}\n'


def test_W_05_torn_last_line():
    folded = fold(TWO + TORN)

    assert heard(folded) == ["ab"]
    assert faults(folded) == ["torn-line"]
    assert lines_of(folded, "torn-line") == [3]


def test_W_05_it_is_read_when_the_rest_comes():
    folded = fold(TWO + TORN)
    whole = fold(TWO + TORN + REST)
    resumed = fold(REST, from_=loads(dumps(folded)))

    assert heard(resumed) == ["abc"]
    assert resumed.snapshot == whole.snapshot
    assert resumed.wire == whole.wire
    assert faults(resumed) == []


def test_W_05_a_bad_line_in_the_middle_is_another_fault():
    folded = fold(TORN + b"\n" + TWO)

    assert heard(folded) == ["ab"]
    assert faults(folded) == ["not-json"]


def test_W_05_a_last_line_without_newline_is_not_torn():
    folded = fold(TWO[:-1])

    assert heard(folded) == ["ab"]
    assert faults(folded) == []


@pytest.mark.parametrize("size", range(1, 60, 7))
def test_W_05_wherever_the_line_is_torn(size):
    line = json.dumps(said("c")).encode()
    first = fold(TWO + line[:size])

    assert heard(first) == ["ab"]
    assert faults(first) == ["torn-line"]
    assert heard(fold(line[size:] + b"\n", from_=loads(dumps(first)))) == ["abc"]


# --- W-07 ------------------------------------------------------------------------------------------------


def test_W_07_escaped_slash_in_the_method():
    raw = (
        r'{"jsonrpc":"2.0","method":"session\/update","params":{"sessionId":"s-1",'
        r'"update":{"sessionUpdate":"agent_message\u005fchunk","content":{"type":"te\u0078t","text":"hi"}}}}'
    )
    document = bare().line(raw).fold("jsonrpc")

    assert document.story() == [("agent", "hi")]
    assert document.timeline()[0]["content"] == [text("hi")]
    assert document.faults == []


def test_W_07_escaped_keys():
    raw = json.dumps(said("hi")).replace('"sessionId"', r'"session\u0049d"').replace('"update"', r'"\u0075pdate"')
    document = bare().line(raw).fold("jsonrpc")

    assert document.story() == [("agent", "hi")]


def test_W_07_an_escaped_id_is_the_same_id():
    document = (
        v1().prompt("a/b").line(r'{"t":0,"from":"agent","message":{"jsonrpc":"2.0","id":"a\/b","result":{"stopReason":"end_turn"}}}').fold()
    )

    assert document.turn("a/b")["status"] == "ended"


# --- W-08 ------------------------------------------------------------------------------------------------


IDS = ["7", 7, 0, "", "0", 9223372036854775807, -1, True, False, 1, 1.0, 7.0, "true", 1.5]


@pytest.mark.parametrize("id", IDS, ids=repr)
@pytest.mark.parametrize("other", IDS, ids=repr)
def test_W_08_id_types(id, other):
    document = v1().prompt(id).ends(other).fold()

    (turn,) = document.turns()
    assert same(turn["prompts"], [{"requestId": id}])
    assert turn["status"] == ("ended" if same(id, other) else "running")
    assert document.codes == ([] if same(id, other) else ["unmatched-answer"])


def test_W_08_a_number_does_not_answer_a_string():
    transcript = v1().prompt("7").ends(7)
    assert transcript.fold().turn("7")["status"] == "running"

    document = transcript.ends("7").fold()
    assert document.turn("7")["status"] == "ended"


def test_W_08_true_one_and_one_point_nought_are_four_requests():
    transcript = v1()
    for id in (1, "1", True, 1.0):
        transcript.prompt(id)
    document = transcript.ends(True, "refusal").ends(1.0, "max_tokens").fold()

    assert [turn["status"] for turn in document.turns()] == ["running", "running", "ended", "ended"]
    assert same([one["id"] for one in document.connection["openRequests"]], [1, "1"])


def test_W_08_client_and_agent_number_independently():
    document = v1().prompt(5).permission(5, "t1").selects(5).fold()

    assert document.permission(5)["status"] == "selected"
    assert document.turn(5)["status"] == "running"


# --- W-10 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "bad"}},
        {"jsonrpc": "2.0", "error": {"code": -32700, "message": "x"}},
        {"jsonrpc": "2.0", "id": None, "result": {"stopReason": "end_turn"}},
    ],
    ids=["error with null id", "error without id", "result with null id"],
)
@pytest.mark.parametrize("sender", ["agent", "client"])
def test_W_10_error_with_null_id(message, sender):
    asked = v1().prompt(3).permission(31)
    document = v1().prompt(3).permission(31).sends(sender, message).fold()

    assert document.sessions == asked.fold().sessions
    assert document.turn(3)["status"] == "running"
    assert document.permission(31)["status"] == "pending"
    assert len(document.codes) == 1


# --- W-12 ------------------------------------------------------------------------------------------------


def test_W_12_unknown_update_kind():
    document = (
        v1()
        .prompt(1)
        .update("notice", text="x")
        .update("_acme_glow", hue=3, deep={"a": None})
        .agent_tells("session/update", sessionId="s-1", update={})
        .agent_says("ok")
        .ends(1)
        .fold()
    )

    assert document.messages() == [("user", "question"), ("agent", "ok")]
    assert {"sessionUpdate": "_acme_glow", "hue": 3, "deep": {"a": None}} in document.session()["unknownUpdates"]
    assert document.turn(1)["stopReason"] == "end_turn"
    assert "unknown-update" in document.codes
    assert "malformed" in document.codes


@pytest.mark.parametrize("version", [1, 2])
def test_W_12_unknown_updates_come_out_as_sent_in_their_order(version):
    document = of_version(version).update("_a", _meta={"k": None}, x=[None, 1.0]).update("_b").update("_a").fold()

    assert document.session()["unknownUpdates"] == [
        {"sessionUpdate": "_a", "_meta": {"k": None}, "x": [None, 1.0]},
        {"sessionUpdate": "_b"},
        {"sessionUpdate": "_a"},
    ]


@pytest.mark.parametrize(
    "update",
    [{"sessionUpdate": 7}, {"sessionUpdate": None}, {"sessionUpdate": []}, {"sessionUpdate": {"a": 1}}, [], "x", None, 3],
    ids=repr,
)
def test_W_12_an_update_that_says_no_kind_is_malformed(update):
    document = v1().agent_tells("session/update", sessionId="s-1", update=update).agent_says("ok").fold()

    assert document.messages() == [("agent", "ok")]
    assert document.codes == ["malformed"]


# --- W-13 ------------------------------------------------------------------------------------------------


def test_W_13_unknown_enum_values_and_foreign_content_items():
    content = [{"type": "hologram"}, item("x")]
    document = v1().tool_call("t1", "T", kind="teleport", status="queued", content=content).fold()

    assert document.tool() == {"type": "tool_call", "id": "t1", "title": "T", "kind": "teleport", "status": "queued", "content": content}
    assert sorted(document.codes) == ["unknown-value", "unknown-value", "unknown-variant"]


def test_W_13_in_v2_they_are_silent():
    content = [{"type": "_hologram", "x": None}, item("x")]
    document = v2().tool_update("t1", kind="_teleport", status="_queued", content=content).fold()

    assert (document.tool()["kind"], document.tool()["status"], document.tool()["content"]) == ("_teleport", "_queued", content)
    assert document.codes == []


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("field", "value", "kept"), [("kind", 7, "other"), ("status", False, "pending"), ("title", {}, None)])
def test_W_13_a_value_of_the_wrong_type_is_absent(version, field, value, kept):
    document = of_version(version).tool_update("t1", **{field: value, "rawInput": 1}).fold()

    assert document.tool()[field] == kept
    assert document.tool()["rawInput"] == 1
    assert "malformed-field" in document.codes


def test_W_13_an_unknown_status_is_open():
    document = v1().prompt(1).tool_call("t1", status="queued").ends(1).fold()

    assert document.tool()["status"] == "queued"
    assert document.tool()["unresolved"] is True


# --- W-15 ------------------------------------------------------------------------------------------------


PLAN = {"planId": "p", "type": "items", "entries": [{"content": "a", "priority": "low", "status": "pending"}]}
OPTION = {"name": "F", "type": "boolean", "currentValue": True}

KINDS = {
    "user_message_chunk": {"messageId": "m", "content": text("x")},
    "agent_message_chunk": {"messageId": "m", "content": text("x")},
    "agent_thought_chunk": {"messageId": "m", "content": text("x")},
    "tool_call_update": {"toolCallId": "t", "title": "T"},
    "available_commands_update": {"availableCommands": [{"name": "a", "description": "d", "type": "command"}]},
    "session_info_update": {"title": "T"},
    "usage_update": {"used": 1, "size": 2},
    "plan_update": {"plan": PLAN},
    "notice": {"severity": "info", "title": "T"},
    "compaction_update": {"compactionId": "c", "status": "completed"},
    "compaction_summary_chunk": {"compactionId": "c", "content": text("x")},
    "subagent_update": {"sessionId": "child", "title": "T"},
    "session_message": {"messageId": "m", "content": [text("x")]},
    "session_message_chunk": {"messageId": "m", "content": text("x")},
}
KINDS_OF_V1 = {
    **KINDS,
    "tool_call": {"toolCallId": "t", "title": "T"},
    "plan": {"entries": PLAN["entries"]},
    "current_mode_update": {"currentModeId": "code"},
    "config_option_update": {"configOptions": [{"id": "f", **OPTION}]},
}
KINDS_OF_V2 = {
    **KINDS,
    "user_message": {"messageId": "m", "content": [text("x")]},
    "agent_message": {"messageId": "m", "content": [text("x")]},
    "agent_thought": {"messageId": "m", "content": [text("x")]},
    "state_update": {"state": "running"},
    "tool_call_content_chunk": {"toolCallId": "t", "content": item("x")},
    "terminal_update": {"terminalId": "k", "command": "ls"},
    "terminal_output_chunk": {"terminalId": "k", "data": "YQ=="},
    "config_option_update": {"configOptions": [{"configId": "f", **OPTION}]},
}


@pytest.mark.parametrize(
    ("version", "kind", "fields"),
    [(1, kind, fields) for kind, fields in KINDS_OF_V1.items()] + [(2, kind, fields) for kind, fields in KINDS_OF_V2.items()],
)
def test_W_15_every_kind_leaves_a_visible_trace(version, kind, fields):
    before = of_version(version).fold()
    after = of_version(version).update(kind, **fields).fold()

    assert after.session() != before.session()
    assert "unknownUpdates" not in after.session()
    assert not after.severities & {"error", "warning"} or kind == "tool_call_update"


@pytest.mark.parametrize("version", [1, 2])
def test_W_15_a_removed_plan_is_gone(version):
    document = of_version(version).update("plan_update", plan=PLAN).update("plan_removed", planId="p").fold()

    assert document.session().get("plans", []) == []
