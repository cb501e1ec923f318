"""SPEC 4.8: plans, notices, compactions, files, extensions, authentication."""

from __future__ import annotations

import pytest

from acp_state.document import dumps

from support.transcripts import bare, image, of_version, sent, text, v1, v2


def step(content, status="pending"):
    return {"content": content, "priority": "low", "status": status}


def plan_update(transcript, **plan):
    return transcript.update("plan_update", plan=plan)


# --- `plan` (v1) is the plan with id `null`; `plan_update` by id -----------------------------------------------------------------


def test_the_v1_plan_is_the_plan_with_id_null():
    assert v1().update("plan", entries=[step("a")]).fold().session()["plans"] == [{"id": None, "type": "items", "entries": [step("a")]}]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "content",
    [
        {"type": "items", "entries": [step("a"), step("b", "completed")]},
        {"type": "items", "entries": []},
        {"type": "markdown", "content": "# a"},
        {"type": "markdown", "content": ""},
        {"type": "file", "uri": "file:///a.md"},
    ],
    ids=str,
)
def test_plans_by_id(version, content):
    document = plan_update(of_version(version), planId="p", **content).fold()

    assert document.session()["plans"] == [{"id": "p", **content}]


def test_in_v1s_older_draft_the_id_is_id():
    document = plan_update(v1(), id="p", type="items", entries=[step("a")]).fold()

    assert document.session()["plans"] == [{"id": "p", "type": "items", "entries": [step("a")]}]


def test_an_update_replaces_the_whole_plan_in_its_place():
    transcript = plan_update(plan_update(v2(), planId="p", type="items", entries=[step("a")]), planId="q", type="markdown", content="x")
    document = plan_update(transcript, planId="p", type="file", uri="file:///a").fold()

    assert document.session()["plans"] == [{"id": "p", "type": "file", "uri": "file:///a"}, {"id": "q", "type": "markdown", "content": "x"}]


def test_an_unknown_one_is_kept_raw_and_replaces_too():
    transcript = plan_update(v2(), planId="p", type="markdown", content="x")
    document = plan_update(transcript, planId="p", type="_map", nodes=[None, {"planId": "inner"}]).fold()

    assert document.session()["plans"] == [{"id": "p", "type": "_map", "nodes": [None, {"planId": "inner"}]}]


@pytest.mark.parametrize("version", [1, 2])
def test_plan_removed_removes(version):
    transcript = plan_update(
        plan_update(of_version(version), planId="p", type="markdown", content="x"), planId="q", type="markdown", content="y"
    )
    document = transcript.update("plan_removed", planId="p").fold()

    assert document.session()["plans"] == [{"id": "q", "type": "markdown", "content": "y"}]


def test_an_unknown_id_removes_nothing():
    document = plan_update(v2(), planId="p", type="markdown", content="x").update("plan_removed", planId="q").fold()

    assert [plan["id"] for plan in document.session()["plans"]] == ["p"]


def test_a_plan_that_comes_again_is_a_new_one():
    transcript = plan_update(plan_update(v2(), planId="p", type="markdown", content="x"), planId="q", type="markdown", content="y")
    document = plan_update(transcript.update("plan_removed", planId="p"), planId="p", type="markdown", content="z").fold()

    assert [(plan["id"], plan["content"]) for plan in document.session()["plans"]] == [("q", "y"), ("p", "z")]


def test_the_one_with_id_null_stands_beside_the_others():
    document = plan_update(v1().update("plan", entries=[]), planId="p", type="markdown", content="x").fold()

    assert [plan["id"] for plan in document.session()["plans"]] == [None, "p"]


# --- `notice` is a list beside the timeline ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_notices_are_a_list_beside_the_timeline(version):
    document = (
        of_version(version)
        .update("notice", severity="warning", title="A", description="why", _meta={"k": 1})
        .update("notice", severity="_loud", title="B", description=None)
        .update("notice", severity="warning", title="A")
        .fold()
    )
    assert document.session()["notices"] == [
        {"severity": "warning", "title": "A", "description": "why", "_meta": {"k": 1}},
        {"severity": "_loud", "title": "B"},
        {"severity": "warning", "title": "A"},
    ]
    assert document.timeline() == []


# --- Compaction is a timeline entry, patched like messages -----------------------------------------------------------------------------


def compaction(transcript, status="in_progress", **more):
    return transcript.update("compaction_update", compactionId="c", status=status, **more)


def summary(transcript, content, **more):
    content = text(content) if isinstance(content, str) else content
    return transcript.update("compaction_summary_chunk", compactionId="c", content=content, **more)


@pytest.mark.parametrize("version", [1, 2])
def test_a_compaction_is_a_timeline_entry(version):
    document = compaction(
        of_version(version).agent_says("x", "m"), "completed", summary=[text("a"), image()], error="e", _meta={"k": 1}
    ).fold()

    assert document.last() == {
        "type": "compaction",
        "id": "c",
        "status": "completed",
        "content": [text("a"), image()],
        "error": "e",
        "_meta": {"k": 1},
    }


@pytest.mark.parametrize("version", [1, 2])
def test_a_first_chunk_makes_it_in_progress(version):
    document = summary(of_version(version), "a").fold()

    assert document.compaction("c") == {"type": "compaction", "id": "c", "status": "in_progress", "content": [text("a")]}


@pytest.mark.parametrize("version", [1, 2])
def test_it_is_patched_like_messages(version):
    transcript = summary(summary(compaction(of_version(version)), "a"), "b")
    assert transcript.fold().compaction("c")["content"] == [text("ab")]

    compaction(transcript, "in_progress")
    assert transcript.fold().compaction("c")["content"] == [text("ab")]

    compaction(transcript, summary=[text("X")])
    assert transcript.fold().compaction("c")["content"] == [text("X")]
    assert transcript.fold().compaction("c")["sealed"] is True

    summary(transcript, "Y")
    assert transcript.fold().compaction("c")["content"] == [text("X"), text("Y")]

    compaction(transcript, "completed", summary=None)
    assert transcript.fold().compaction("c")["content"] == []
    assert transcript.fold().compaction("c")["status"] == "completed"


def test_it_stays_where_it_was_first_seen():
    document = compaction(compaction(v2()).agent_says("x", "m"), "completed").fold()

    assert document.story() == [("compaction", "c"), ("agent", "x")]


def test_it_belongs_to_the_turn_in_which_it_began():
    document = compaction(compaction(v2().state("running")).state("idle"), "completed").fold()

    assert document.compaction("c")["turn"] == 0


def test_in_v1_an_error_is_three_state_too():
    document = compaction(compaction(v1(), "failed", error="e"), "in_progress", error=None).fold()

    assert "error" not in document.compaction("c")


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled", "_paused"])
def test_every_status_is_kept(status):
    assert compaction(v2(), status).fold().compaction("c")["status"] == status


# --- `fs/*` requests: operation, path, outcome, no contents ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (lambda t: t, "open"),
        (lambda t: t.client_answers(9, {"content": "s3cret"}), "answered"),
        (lambda t: t.client_answers(9, None), "answered"),
        (lambda t: t.client_fails(9, -32603), "failed"),
        (lambda t: t.client_fails(9, -32800), "cancelled"),
    ],
    ids=["open", "answered", "null", "failed", "cancelled"],
)
@pytest.mark.parametrize(("method", "operation"), [("fs/read_text_file", "read"), ("fs/write_text_file", "write")])
def test_files_have_operation_path_and_outcome(method, operation, answer, status):
    document = answer(v1().agent_asks_session(9, method, path="/a", content="s3cret", line=3)).fold()

    assert document.session()["files"] == [{"operation": operation, "path": "/a", "status": status}]


def test_they_have_no_contents():
    document = (
        v1()
        .agent_asks_session(8, "fs/write_text_file", path="/a", content="s3cret")
        .client_answers(8, {})
        .agent_asks_session(9, "fs/read_text_file", path="/a")
        .client_answers(9, {"content": "s3cret"})
        .fold()
    )
    assert "s3cret" not in dumps(document.folded)


def test_every_request_is_one():
    document = (
        v1()
        .agent_asks_session(8, "fs/read_text_file", path="/a")
        .agent_asks_session(9, "fs/read_text_file", path="/a")
        .client_answers(9, {"content": ""})
        .fold()
    )

    assert [one["status"] for one in document.session()["files"]] == ["open", "answered"]


# --- Unknown methods, and those that carry no session state: extension requests with their outcome; extension notifications kept --------------


@pytest.mark.parametrize(
    "method",
    [
        "_acme/x",
        "acme/x",
        "mcp/message",
        "providers/list",
        "providers/set",
        "providers/disable",
        "proxy/initialize",
        "proxy/successor",
        "session/teleport",
    ],
)
def test_extension_requests_with_their_outcome(method):
    transcript = bare().initialize(1).client_asks(9, method, a=[None])
    assert transcript.fold().connection["extensions"] == [
        {"from": "client", "kind": "request", "id": 9, "method": method, "params": {"a": [None]}, "status": "open"}
    ]

    (answered,) = transcript.agent_answers(9, {"b": None}).fold().connection["extensions"]
    assert (answered["status"], answered["result"]) == ("answered", {"b": None})


@pytest.mark.parametrize(("code", "status"), [(-32603, "failed"), (-32601, "failed"), (-32800, "cancelled")])
def test_an_error_is_their_outcome_too(code, status):
    document = bare().initialize(1).agent_asks(9, "_acme/x").client_fails(9, code, "no").fold()

    (extension,) = document.connection["extensions"]
    assert (extension["status"], extension["error"]) == (status, {"code": code, "message": "no"})


@pytest.mark.parametrize("sender", ["client", "agent"])
@pytest.mark.parametrize("method", ["_acme/x", "mcp/message", "proxy/successor"])
def test_extension_notifications_are_kept(sender, method):
    document = bare().initialize(1).tells(sender, method, {"a": None}).tells(sender, method, {"a": None}).fold()

    one = {"from": sender, "kind": "notification", "method": method, "params": {"a": None}}
    assert document.connection["extensions"] == [one, one]


@pytest.mark.parametrize("params", [None, [], [1, None], "x", 7, {}], ids=repr)
def test_their_params_come_out_as_sent(params):
    document = bare().initialize(1).tells("agent", "_acme/x", params).fold()

    assert document.connection["extensions"] == [{"from": "agent", "kind": "notification", "method": "_acme/x", "params": params}]


def test_without_params_there_are_none():
    document = bare().initialize(1).tells("agent", "_acme/x").fold()

    assert document.connection["extensions"] == [{"from": "agent", "kind": "notification", "method": "_acme/x"}]


def test_those_that_name_a_session_are_that_sessions():
    document = v1().agent_tells("_acme/x", sessionId="s-1").fold()

    assert document.session()["extensions"] == [
        {"from": "agent", "kind": "notification", "method": "_acme/x", "params": {"sessionId": "s-1"}}
    ]
    assert "extensions" not in document.connection


def test_headers_of_providers_are_never_stored():
    document = (
        bare()
        .initialize(1)
        .client_asks(9, "providers/set", providerId="main", apiType="openai", baseUrl="https://x.test", headers={"Authorization": "s3cret"})
        .agent_answers(9, {})
        .fold()
    )
    assert "s3cret" not in dumps(document.folded)
    assert document.connection["extensions"][0]["params"]["providerId"] == "main"


# --- `authenticate`, `auth/login`, `logout`, `auth/logout`, `auth/status`, `auth/status_update`: connection state -----------------------------------


LOGIN = {1: "authenticate", 2: "auth/login"}
LOGOUT = {1: "logout", 2: "auth/logout"}


@pytest.mark.parametrize("version", [1, 2])
def test_logging_in(version):
    transcript = of_version(version).client_asks(4, LOGIN[version], methodId="key")
    assert "authenticated" not in transcript.fold().connection

    assert transcript.agent_answers(4, {}).fold().connection["authenticated"] == "key"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("result", [None, {}], ids=repr)
def test_logging_out(version, result):
    transcript = of_version(version).client_asks(4, LOGIN[version], methodId="key").agent_answers(4, {})
    document = transcript.client_asks(5, LOGOUT[version]).agent_answers(5, result).fold()

    assert "authenticated" not in document.connection


@pytest.mark.parametrize("version", [1, 2])
def test_failures_change_nothing(version):
    transcript = of_version(version).client_asks(4, LOGIN[version], methodId="key").agent_answers(4, {})
    document = (
        transcript.client_asks(5, LOGOUT[version]).agent_fails(5).client_asks(6, LOGIN[version], methodId="other").agent_fails(6).fold()
    )

    assert document.connection["authenticated"] == "key"


@pytest.mark.parametrize("state", ["authenticated", "unauthenticated", "not_required", "unknown", "_maybe"])
def test_the_status_is_kept_as_sent(state):
    asked = v1().client_asks(4, "auth/status").agent_answers(4, {"state": state}).fold()
    told = v1().agent_tells("auth/status_update", state=state).fold()

    assert asked.connection["auth"] == told.connection["auth"] == {"state": state}


@pytest.mark.parametrize("accounts", [[], [{"label": "a", "active": None, "x": 1}, {"label": "b"}]], ids=repr)
def test_accounts_come_with_it(accounts):
    document = v1().agent_tells("auth/status_update", state="authenticated", accounts=accounts).fold()

    assert document.connection["auth"] == {"state": "authenticated", "accounts": accounts}


def test_the_last_report_counts_whole():
    document = (
        v1()
        .agent_tells("auth/status_update", state="authenticated", accounts=[{"label": "a"}])
        .agent_tells("auth/status_update", state="unknown")
        .fold()
    )

    assert document.connection["auth"] == {"state": "unknown"}


def test_an_answer_that_cannot_be_read_leaves_the_old_one():
    document = (
        v1().agent_tells("auth/status_update", state="authenticated").client_asks(4, "auth/status").agent_answers(4, {"state": 7}).fold()
    )

    assert document.connection["auth"] == {"state": "authenticated"}
    assert "error" in document.severities


# --- Values of environment variables and headers are never stored ------------------------------------------------------------------------------------


PRIVATE = "s3cret"

SERVERS = [
    {"name": "a", "command": "/a", "args": [], "env": [{"name": "KEY", "value": PRIVATE}]},
    {"type": "stdio", "name": "a", "command": "/a", "env": [{"name": "KEY", "value": PRIVATE}]},
    {"type": "http", "name": "b", "url": "https://b.test", "headers": [{"name": "Authorization", "value": PRIVATE}]},
    {"type": "sse", "name": "c", "url": "https://c.test", "headers": [{"name": "X", "value": PRIVATE}]},
]


@pytest.mark.parametrize("server", SERVERS, ids=str)
@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume", "session/fork"])
def test_of_mcp_servers(method, server):
    transcript = v1().client_asks_session(4, method, cwd="/w", mcpServers=[server])

    assert PRIVATE not in dumps(transcript.fold().folded)
    assert PRIVATE not in dumps(transcript.agent_answers(4, {"sessionId": "s-2"}).fold().folded)
    assert PRIVATE not in repr(transcript.fold().folded)


def test_of_terminals():
    transcript = v1().agent_asks_session(4, "terminal/create", command="ls", env=[{"name": "KEY", "value": PRIVATE}])

    assert PRIVATE not in dumps(transcript.fold().folded)
    assert PRIVATE not in repr(transcript.client_answers(4, {"terminalId": "x"}).fold().folded)


@pytest.mark.parametrize("env", [{"KEY": PRIVATE}, [{"name": "KEY", "value": PRIVATE}]], ids=repr)
@pytest.mark.parametrize("version", [1, 2])
def test_of_auth_methods(version, env):
    method = {"id" if version == 1 else "methodId": "t", "type": "terminal", "name": "T", "args": ["login"], "env": env}
    document = bare().initialize(version, authMethods=[method]).fold()

    assert PRIVATE not in dumps(document.folded)
    assert document.connection["authMethods"][0]["args"] == ["login"]


@pytest.mark.parametrize("headers", [{"Authorization": PRIVATE}, [{"name": "Authorization", "value": PRIVATE}]], ids=repr)
def test_of_providers(headers):
    params = sent(providerId="p", apiType="openai", baseUrl="https://x.test", headers=headers)
    document = bare().initialize(1).client_asks(9, "providers/set", **params).fold()

    assert PRIVATE not in dumps(document.folded)


# --- Times and frame numbers are never in the snapshot -------------------------------------------------------------------------------------------------


def test_times_are_never_in_the_snapshot():
    def recorded(start):
        transcript = bare()
        for number, line in enumerate(v1().prompt(1).agent_says("x").ends(1).lines()[1:]):
            transcript.line(line.replace(b'"t": 0.0', f'"t": {start + number}'.encode()))
        return transcript.fold()

    assert recorded(0).value == recorded(1_700_000_000).value
    assert recorded(0).turn(1)["status"] == "ended"


def test_nor_are_frame_numbers():
    plain = v1().prompt(1).agent_says("x").ends(1)
    noisy = v1().line("").line("WARN").prompt(1).line("WARN").agent_says("x").ends(1)

    assert noisy.fold().value == plain.fold().value
