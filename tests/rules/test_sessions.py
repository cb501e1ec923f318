"""SPEC 4.6: routing, set-up, phases, lists."""

from __future__ import annotations

import pytest

from support.transcripts import bare, of_version, v1, v2


def connected(version=1):
    return bare().initialize(version)


# --- Routed by `sessionId`; an id that first routes a frame is an unannounced session -------------------------------------------


@pytest.mark.parametrize(
    "frame",
    [
        lambda t: t.agent_says("x", session="s-9"),
        lambda t: t.update("plan", "s-9", entries=[]),
        lambda t: t.update("_unknown", "s-9"),
        lambda t: t.permission(31, session="s-9"),
        lambda t: t.form(31, session="s-9"),
        lambda t: t.prompt(1, "x", "s-9"),
        lambda t: t.agent_asks_session(31, "fs/read_text_file", "s-9", path="/a"),
        lambda t: t.client_asks_session(4, "session/set_mode", "s-9", modeId="x"),
    ],
)
def test_an_id_that_first_routes_a_frame_is_an_unannounced_session(frame):
    document = frame(v1()).fold()

    assert document.session("s-9")["phase"] == "unannounced"
    assert document.session("s-1") == v1().fold().session("s-1")


def test_so_is_one_that_is_announced_by_a_subagent():
    document = v1().update("subagent_update", sessionId="child").fold()

    assert document.session("child")["phase"] == "unannounced"


@pytest.mark.parametrize(
    "setup",
    [
        lambda t: t.new("s-9"),
        lambda t: t.load(4, "s-9").agent_answers(4, None),
        lambda t: t.resume(4, "s-9").agent_answers(4, {}),
        lambda t: t.client_asks_session(4, "session/fork", "s-1", cwd="/w").agent_answers(4, {"sessionId": "s-9"}),
    ],
)
def test_it_is_joined_by_a_later_response(setup):
    document = setup(v1().agent_says("x", "m", "s-9").update("session_info_update", "s-9", title="T")).fold()

    session = document.session("s-9")
    assert session["phase"] == "ready"
    assert session["title"] == "T"
    assert document.messages("s-9") == [("agent", "x")]


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("session/close", {}),
        ("session/archive", {}),
        ("session/delete", {}),
        ("session/unarchive", {}),
        ("session/status", {"status": "open"}),
        ("session/set_title", {"title": "T"}),
    ],
)
def test_some_requests_about_an_unknown_id_create_none(method, result):
    transcript = v1().client_asks_session(4, method, "s-9", title="T")
    assert list(transcript.fold().sessions) == ["s-1"]

    assert list(transcript.agent_answers(4, result).fold().sessions) == ["s-1"]
    assert list(v1().client_asks_session(4, method, "s-9", title="T").agent_fails(4, -32002).fold().sessions) == ["s-1"]


# --- Phase ---------------------------------------------------------------------------------------------------------------------------


LOADING = {
    "load": lambda t, session: t.load(4, session),
    "resume from start": lambda t, session: t.replay(4, session),
    "resume from elsewhere": lambda t, session: t.resume(4, session, replayFrom={"type": "_mark", "at": 3}),
}


@pytest.mark.parametrize("how", LOADING)
@pytest.mark.parametrize("session", ["s-1", "s-9"], ids=["known", "unknown"])
def test_loading_while_history_is_asked_for(how, session):
    transcript = LOADING[how](v2(), session)
    assert transcript.fold().session(session)["phase"] == "loading"

    assert transcript.agent_answers(4, {}).fold().session(session)["phase"] == "ready"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("session", ["s-1", "s-9"], ids=["known", "unknown"])
@pytest.mark.parametrize("cursor", [{}, {"replayFrom": None}], ids=["absent", "null"])
def test_opening_while_a_plain_resume_is_asked_for(version, session, cursor):
    transcript = of_version(version).resume(4, session, **cursor)
    assert transcript.fold().session(session)["phase"] == "opening"

    assert transcript.agent_answers(4, {}).fold().session(session)["phase"] == "ready"


def test_a_new_session_has_no_phase_until_it_has_an_id():
    transcript = connected().client_asks(4, "session/new", cwd="/w")
    assert transcript.fold().sessions == {}

    assert transcript.agent_answers(4, {"sessionId": "s-9"}).fold().session("s-9")["phase"] == "ready"


@pytest.mark.parametrize("result", [None, {}], ids=repr)
@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_null_and_an_empty_object_are_success(method, result):
    document = connected().client_asks_session(4, method, cwd="/w").agent_answers(4, result).fold()

    assert document.session()["phase"] == "ready"
    assert document.faults == []


@pytest.mark.parametrize("result", [None, {}], ids=repr)
@pytest.mark.parametrize(("method", "phase"), [("session/close", "closed"), ("session/archive", "closed"), ("session/delete", "deleted")])
def test_so_they_are_of_an_end(method, phase, result):
    document = v1().client_asks_session(4, method).agent_answers(4, result).fold()

    assert document.session()["phase"] == phase
    assert document.faults == []


# --- what set-up says -----------------------------------------------------------------------------------------------------------------


def test_a_new_session_has_what_its_request_said():
    document = (
        connected()
        .client_asks(4, "session/new", cwd="/w", additionalDirectories=["/x", "/y"], mcpServers=[])
        .agent_answers(4, {"sessionId": "s-9"})
        .fold()
    )
    assert document.session("s-9") == {
        "id": "s-9",
        "phase": "ready",
        "cwd": "/w",
        "additionalDirectories": ["/x", "/y"],
        "activity": "idle",
        "timeline": [],
    }


@pytest.mark.parametrize("method", ["session/load", "session/resume"])
def test_set_up_again_it_has_what_the_last_request_said(method):
    document = v1().client_asks_session(4, method, cwd="/elsewhere", additionalDirectories=["/z"]).agent_answers(4, {}).fold()

    assert document.session()["cwd"] == "/elsewhere"
    assert document.session()["additionalDirectories"] == ["/z"]


@pytest.mark.parametrize("version", [1, 2])
def test_a_fork_copies_no_timeline(version):
    document = (
        of_version(version)
        .agent_says("x", "m")
        .update("session_info_update", title="T")
        .client_asks_session(4, "session/fork", cwd="/f")
        .agent_answers(4, {"sessionId": "s-2"})
        .fold()
    )
    fork = document.session("s-2")
    assert (fork["phase"], fork["cwd"], fork["forkedFrom"], fork["timeline"]) == ("ready", "/f", "s-1", [])
    assert "title" not in fork
    assert document.messages("s-1") == [("agent", "x")]


def test_a_fork_that_fails_makes_no_session():
    document = v1().client_asks_session(4, "session/fork", cwd="/f").agent_fails(4).fold()

    assert list(document.sessions) == ["s-1"]
    assert document.session()["phase"] == "ready"


def test_a_new_that_fails_makes_no_session():
    document = connected().client_asks(4, "session/new", cwd="/w").agent_fails(4, -32000, "log in").fold()

    assert document.sessions == {}
    assert document.open_requests() == []


def test_two_at_once_are_told_apart_by_their_ids():
    document = (
        connected()
        .client_asks(4, "session/new", cwd="/a")
        .client_asks(5, "session/new", cwd="/b")
        .agent_answers(5, {"sessionId": "b"})
        .agent_answers(4, {"sessionId": "a"})
        .fold()
    )
    assert document.session("a")["cwd"] == "/a"
    assert document.session("b")["cwd"] == "/b"


def test_sessions_are_independent():
    def one(transcript, session, letter):
        return [
            lambda: transcript.prompt(f"p-{session}", letter, session),
            lambda: transcript.agent_says(letter, session=session),
            lambda: transcript.tool_call("t1", letter, session),
            lambda: transcript.agent_says(letter, session=session),
            lambda: transcript.ends(f"p-{session}"),
        ]

    after = v1("s-1").new("s-2")
    for step in [*one(after, "s-1", "a"), *one(after, "s-2", "b")]:
        step()
    between = v1("s-1").new("s-2")
    for first, second in zip(one(between, "s-1", "a"), one(between, "s-2", "b"), strict=True):
        first()
        second()

    assert between.fold().sessions == after.fold().sessions


# --- status, title, archive ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["open", "saved", "_frozen"])
def test_status_is_kept_as_sent(status):
    document = v1().client_asks_session(4, "session/status").agent_answers(4, {"status": status}).fold()

    assert document.session()["status"] == status
    assert document.session()["phase"] == "ready"


def test_the_title_is_the_one_that_the_agent_stored():
    transcript = v1().client_asks_session(4, "session/set_title", title=" a ")
    assert "title" not in transcript.fold().session()

    assert transcript.agent_answers(4, {"title": "a"}).fold().session()["title"] == "a"


@pytest.mark.parametrize("result", [{}, None, {"title": 7}], ids=repr)
def test_where_it_does_not_say_which_one_that_is_it_is_the_one_of_the_request(result):
    transcript = v1().update("session_info_update", title="A").client_asks_session(4, "session/set_title", title="B")
    document = transcript.agent_answers(4, result).fold()

    assert document.session()["title"] == "B"
    assert document.severities == {"error"}


def test_a_title_that_was_refused_is_none():
    document = v1().update("session_info_update", title="A").client_asks_session(4, "session/set_title", title="B").agent_fails(4).fold()

    assert document.session()["title"] == "A"


def test_archiving_and_back():
    transcript = v1().client_asks_session(4, "session/archive").agent_answers(4, {})
    assert transcript.fold().session()["archived"] is True

    document = transcript.client_asks_session(5, "session/unarchive").agent_answers(5, {}).fold()
    assert document.session()["archived"] is False


def test_an_archive_that_fails_archives_nothing():
    document = v1().client_asks_session(4, "session/archive").agent_fails(4).fold()

    assert "archived" not in document.session()
    assert document.session()["phase"] == "ready"


# --- list -----------------------------------------------------------------------------------------------------------------------------------


def listed(transcript, *sessions, id=4, cursor=None, **more):
    transcript.client_asks(id, "session/list", **({} if cursor is None else {"cursor": cursor}))
    return transcript.agent_answers(id, {"sessions": list(sessions), **more})


def info(id, title=None, **more):
    return {"sessionId": id, "cwd": "/w", **({} if title is None else {"title": title}), **more}


def shown(document):
    return [(one["id"], one.get("title")) for one in document.connection.get("listedSessions", [])]


def test_a_list_is_the_connections():
    document = listed(
        connected(),
        info("a", "A", updatedAt="2026-01-01T00:00:00Z", additionalDirectories=["/x"], archived=False, _meta={"k": 1}),
        info("b", None),
        nextCursor="more",
    ).fold()

    assert document.connection["listedSessions"] == [
        {
            "id": "a",
            "cwd": "/w",
            "additionalDirectories": ["/x"],
            "title": "A",
            "updatedAt": "2026-01-01T00:00:00Z",
            "archived": False,
            "_meta": {"k": 1},
        },
        {"id": "b", "cwd": "/w"},
    ]
    assert document.connection["nextCursor"] == "more"
    assert document.sessions == {}


def test_with_cursor_it_appends_a_listed_id_in_place():
    document = listed(
        listed(connected(), info("a", "A"), info("b", "B"), nextCursor="1"), info("c", "C"), info("a", "A2"), id=5, cursor="1"
    ).fold()

    assert shown(document) == [("a", "A2"), ("b", "B"), ("c", "C")]
    assert "nextCursor" not in document.connection


def test_any_other_replaces():
    document = listed(listed(connected(), info("a", "A"), info("b", "B"), nextCursor="1"), info("c", "C"), id=5).fold()

    assert shown(document) == [("c", "C")]
    assert "nextCursor" not in document.connection


def test_an_empty_list_is_a_value():
    document = listed(listed(connected(), info("a", "A")), id=5).fold()

    assert document.connection["listedSessions"] == []


def test_a_list_that_fails_leaves_the_old_one():
    document = listed(connected(), info("a", "A")).client_asks(5, "session/list").agent_fails(5).fold()

    assert shown(document) == [("a", "A")]


@pytest.mark.parametrize("sessions", [{}, "x", 7])
def test_so_does_one_that_cannot_be_read(sessions):
    document = listed(connected(), info("a", "A")).client_asks(5, "session/list").agent_answers(5, {"sessions": sessions}).fold()

    assert shown(document) == [("a", "A")]
    assert "error" in document.severities


def test_what_is_listed_makes_no_session_and_tells_nothing_of_one():
    document = listed(v1(), info("s-1", "listed"), info("s-9", "other")).fold()

    assert list(document.sessions) == ["s-1"]
    assert "title" not in document.session()


# --- what a session knows of itself -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
def test_title_and_time_come_with_session_info(version):
    document = of_version(version).update("session_info_update", title="T", updatedAt="2026-01-01T00:00:00Z").fold()

    assert (document.session()["title"], document.session()["updatedAt"]) == ("T", "2026-01-01T00:00:00Z")


def test_an_id_may_be_any_string():
    for id in ("", " ", "__proto__", "s\n1", "\u2028", "0"):
        document = v1(id).agent_says("x", "m", id or None).fold()
        assert document.session(id)["id"] == id


def test_the_order_of_sessions_is_that_of_their_first_mention():
    document = v2("b").new("a").agent_says("x", "m", "c").fold()

    assert list(document.sessions) == ["b", "a", "c"]
