"""The store: fed in any form and any pieces, it has the state of the recording, and tells who listens, in order."""

from __future__ import annotations

import itertools
import json
import logging
import threading

from types import MappingProxyType

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state import DocumentError, Frame, Store, StoreClosedError, UnknownDialectError, dumps, fold
from acp_state.folded import Folded
from acp_state.frames import SENDERS

from strategies import conversations
from support.effort import many, ran
from support.recordings import folded, frames_of, recording, told


def update(kind="agent_message_chunk", session="s", **fields):
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": {"sessionUpdate": kind, **fields}}}


def chunk(text, session="s", **fields):
    return update(session=session, content={"type": "text", "text": text}, **fields)


def title(text, session="s"):
    return update("session_info_update", session, title=text)


def asked(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def line(message, end=b"\n"):
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + end


def text_of(store, session="s"):
    return "".join(entry.text for entry in store.snapshot.sessions[session].timeline)


def titles(store):
    """Subscribe to *store*; return the list to which the title after each update is added."""
    heard = []
    store.subscribe(lambda _, after, __: heard.append(after.sessions["s"].title))
    return heard


# --- feeding ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [dict, MappingProxyType, line, lambda message: line(message).decode()])
def test_a_message_in_any_form(form):
    store = Store()
    after = store.feed(form(chunk("hello")), "agent")

    assert after is store.snapshot
    assert text_of(store) == "hello"
    assert [finding.code for finding in store.diagnostics] == ["unannounced-session"]


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_of_any_kind_may_be_changed_afterwards(kind):
    data = line(chunk("hello"))
    store = Store()
    buffer = bytearray(data)
    store.feed(kind(buffer)[:20], "agent")
    buffer[:] = b"x" * len(buffer)
    store.feed(data[20:], "agent")

    assert text_of(store) == "hello"


def test_a_batch():
    store = Store()
    store.feed([chunk("a"), chunk("b"), 7], "agent")

    assert text_of(store) == "ab"
    assert [finding.code for finding in store.diagnostics] == ["unannounced-session", "invalid-message"]


def test_a_frame_keeps_its_sender_unless_another_is_given():
    asks = Frame("agent", "request", 1, "_x", {})
    store = Store()
    store.feed(asks)
    store.feed(asks, "client")

    assert [request.from_ for request in store.snapshot.connection.open_requests] == ["agent", "client"]


def test_both_sides_number_independently():
    store = Store()
    store.feed(line(asked(1, "_x")), "client")
    store.feed(line(asked(1, "_y")), "agent")

    assert [(request.from_, request.id, request.method) for request in store.snapshot.connection.open_requests] == [
        ("client", 1, "_x"),
        ("agent", 1, "_y"),
    ]


def test_a_record_without_a_sender_is_read_as_in_a_recording():
    store = Store()
    store.feed({"direction": "in", "message": chunk("a")})
    store.feed({"t": 1, "from": "agent", "message": chunk("b")})
    store.feed(chunk("c"))
    store.feed({"no": "record"})

    assert text_of(store) == "abc"
    assert [finding.code for finding in store.diagnostics] == ["unannounced-session", "not-a-frame"]


@pytest.mark.parametrize("data", [None, 7, {"a": {1, 2}}, {"jsonrpc": "2.0", "method": "_x", "params": float("nan")}, {1: 2}, [], [[]]])
@pytest.mark.parametrize("sender", [None, *SENDERS])
def test_what_is_no_message_is_a_diagnostic(data, sender):
    store = Store()
    store.feed(data, sender)

    assert len(store.diagnostics) == 1
    assert dumps(store.state)


def test_what_contains_itself_is_a_diagnostic():
    params = {}
    params["params"] = params
    for sender in (None, "agent"):
        store = Store()
        store.feed({"jsonrpc": "2.0", "method": "_x", "params": params}, sender)

        assert len(store.diagnostics) == 1


@pytest.mark.parametrize("sender", ["server", "", 0, "Agent", [], b"agent"])
def test_a_sender_that_there_is_not(sender):
    store = Store()
    with pytest.raises(ValueError, match="a sender is 'client' or 'agent'"):
        store.feed(chunk("a"), sender)

    assert store.snapshot == Store().snapshot


def test_a_dialect_that_there_is_not():
    with pytest.raises(UnknownDialectError):
        Store(dialect="morse")


def test_the_dialect_is_that_of_a_recording_and_not_of_a_side():
    store = Store(dialect="tagged")
    store.feed(line(chunk("a")))
    store.feed(line({"dir": "in", "json": chunk("b")}))
    store.feed(line(chunk("c")), "agent")

    assert text_of(store) == "bc"


def test_what_was_fed_may_be_changed_afterwards():
    message = chunk("a")
    message["params"]["update"]["_meta"] = {"a": [1]}
    store = Store()
    store.feed(message, "agent")
    before = told(store.state)
    message["params"]["update"]["_meta"]["a"].append(2)
    message["params"]["update"]["content"]["text"] = "b"

    assert told(store.state) == before


HARD = "caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{GRINNING FACE} \u2028 \x85 \ud83d"
"""Characters of one to four bytes, line breaks that are none, and half a character."""


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("sender", [None, *SENDERS])
def test_bytes_cut_anywhere(sender, end, size):
    data = b"\xef\xbb\xbf" + line(chunk(HARD), end) + end + line(chunk("!"), end)
    store = Store()
    for start in range(0, len(data), size):
        store.feed(data[start : start + size], sender)

    assert text_of(store) == HARD + "!"


@pytest.mark.parametrize("size", [1, 2, 3])
def test_text_cut_anywhere(size):
    text = line(chunk(HARD), b"\r\n").decode("utf-8", "surrogatepass")
    store = Store()
    for start in range(0, len(text), size):
        store.feed(text[start : start + size], "agent")

    assert text_of(store) == HARD


def test_each_side_and_the_recording_have_their_own_half_lines():
    parts = {"client": line(asked(1, "_x")), "agent": line(asked(2, "_y")), None: line({"dir": "in", "json": asked(3, "_z")})}
    store = Store()
    for pieces in itertools.zip_longest(*map(thirds, parts.values())):
        for sender, piece in zip(parts, pieces, strict=True):
            store.feed(piece or b"", sender)

    assert sorted(request.id for request in store.snapshot.connection.open_requests) == [1, 2, 3]
    assert store.diagnostics == ()


def thirds(data):
    return [data[start : start + 3] for start in range(0, len(data), 3)]


def test_a_large_piece_is_read_whole():
    store = Store()
    store.feed(b"".join(line(chunk(f"{number} ")) for number in range(2000)), "agent")

    assert text_of(store) == "".join(f"{number} " for number in range(2000))


def test_a_time_that_is_given_counts():
    store = Store()
    seen = []
    take = store._fold.take
    store._fold.take = lambda frame: (seen.append(frame.time), take(frame))[1]
    store.feed({"jsonrpc": "2.0", "method": "_x"}, "agent", time=1.5)
    store.feed(line(chunk("a")), "agent", time=2.5)
    store.feed({"t": 9, "from": "agent", "message": chunk("b")})
    store.feed(Frame("agent", "notification", method="_x", payload={}, time=4.0))
    store.feed(Frame("agent", "notification", method="_x", payload={}, time=4.0), time=5.0)

    assert seen == [1.5, 2.5, 9, 4.0, 5.0]


@many(2)
@given(conversations(18), st.randoms(use_true_random=False))
def test_a_conversation_over_two_pipes(conversation, chance):
    ran("conversations")
    store = Store()
    for sent in conversation:
        data = line(sent.message)
        cuts = sorted({0, *(chance.randrange(len(data)) for _ in range(3)), len(data)})
        for start, end in itertools.pairwise(cuts):
            store.feed(data[start:end], sent.sender)
    whole = folded(frames_of(conversation))

    assert told(store.state) == told(whole)
    assert store.snapshot == whole.snapshot


# --- the end ---------------------------------------------------------------------------------------------------


def test_a_last_line_without_an_end_is_read_at_the_end():
    store = Store()
    store.feed(line(chunk("a"), b""), "agent")
    store.feed(line(asked(1, "_x"), b""), "client")
    store.feed(line({"dir": "in", "json": asked(2, "_y")}, b""))
    assert store.snapshot == Store().snapshot
    store.close()

    assert text_of(store) == "a"
    assert [(request.from_, request.id) for request in store.snapshot.connection.open_requests] == [("agent", 2), ("client", 1)]
    assert store.closed


def test_a_torn_line_is_a_diagnostic_and_is_kept():
    store = Store()
    data = line(chunk("a"))
    store.feed(data[:20], "agent")
    store.close()
    assert [finding.code for finding in store.diagnostics] == ["torn-line"]
    again = Store.from_state(dumps(store.state))
    again.feed(data[20:], "agent")

    assert text_of(again) == "a"


def test_after_the_end():
    store = Store()
    store.feed(line(chunk("a"), b""), "agent")
    heard = titles(store)
    store.close()
    store.close()
    state = told(store.state)
    for data in (chunk("b"), b"", "", Frame("agent", "exit")):
        with pytest.raises(StoreClosedError, match="the store is closed"):
            store.feed(data, "agent")

    assert told(store.state) == state
    assert heard == [None]


def test_leaving_the_block_closes():
    class OddError(Exception):
        pass

    with pytest.raises(OddError), Store() as store:
        raise OddError

    assert store.closed


# --- listening -------------------------------------------------------------------------------------------------


def test_a_listener_hears_before_after_and_events():
    store = Store()
    heard = []
    store.subscribe(lambda *told: heard.append(told))
    first = store.snapshot
    second = store.feed(title("a"), "agent")
    store.feed(title("a"), "agent")
    third = store.feed([title("b"), title("c")], "agent")

    assert [len(told) for told in heard] == [3, 3, 3]
    assert heard[0][:2] == (first, second)
    assert heard[0][0] is first
    assert heard[2][1] is third
    assert all(after is before for (_, after, _), (before, _, _) in itertools.pairwise(heard))
    assert [type(event).__name__ for _, _, events in heard for event in events] == ["SessionUpdate"] * 3


def test_who_unsubscribed_hears_nothing_more():
    store = Store()
    heard = []
    unsubscribe = store.subscribe(lambda *told: heard.append(told))
    store.feed(title("a"), "agent")
    unsubscribe()
    unsubscribe()
    store.feed(title("b"), "agent")

    assert len(heard) == 1


def test_one_listener_twice_is_two():
    store = Store()
    heard = []
    listener = lambda *told: heard.append(told)  # noqa: E731 -- the same object twice
    ends = [store.subscribe(listener), store.subscribe(listener)]
    store.feed(title("a"), "agent")
    ends[0]()
    store.feed(title("b"), "agent")

    assert len(heard) == 3


def test_what_a_listener_subscribes_hears_what_is_fed_from_then_on():
    store = Store()
    heard = []

    def first(before, after, events):
        if not heard:
            store.subscribe(lambda _, after, __: heard.append(after.sessions["s"].title))
            store.feed(title("c"), "agent")

    store.subscribe(first)
    store.feed([title("a"), title("b")], "agent")

    assert heard == ["c"]


def test_a_listener_may_end_another_and_itself():
    store = Store()
    heard = []

    def first(*_):
        heard.append("first")
        end_second()
        end_first()

    end_first = store.subscribe(first)
    end_second = store.subscribe(lambda *_: heard.append("second"))
    store.subscribe(lambda *_: heard.append("third"))
    store.feed([title("a"), title("b")], "agent")

    assert heard == ["first", "third", "third"]


def test_a_selector_lets_only_other_objects_through():
    store = Store()
    heard = []
    store.subscribe(lambda before, after, _: heard.append((before, after)), lambda state: state.sessions["s"].plans)
    store.feed(title("a"), "agent")
    store.feed(update("plan", entries=[]), "agent")
    store.feed(chunk("a"), "agent")
    store.feed(update("plan", entries=[]), "agent")
    store.feed(update("plan", "t", entries=[]), "agent")

    assert [(before if before is None else len(before), len(after)) for before, after in heard] == [(None, 0), (0, 1)]


def test_a_selector_that_raises_is_reported():
    errors = []
    store = Store(on_error=errors.append)
    store.subscribe(lambda *_: errors.append("called"), lambda _: 1 / 0)
    store.feed(title("a"), "agent")

    assert [type(error) for error in errors] == [ZeroDivisionError]


def test_what_a_listener_raises_is_reported_and_stops_nobody():
    errors = []
    store = Store(on_error=errors.append)
    store.subscribe(lambda *_: 1 / 0)
    heard = titles(store)
    store.feed([title("a"), title("b")], "agent")

    assert [type(error) for error in errors] == [ZeroDivisionError] * 2
    assert heard == ["a", "b"]


def test_what_a_listener_raises_is_logged_once_for_each_kind(caplog):
    store = Store()

    def failing(before, after, events):
        return {"a": 1}[after.sessions["s"].title] / 0

    store.subscribe(failing)
    with caplog.at_level(logging.DEBUG, "acp_state"):
        for text in ("a", "b", "a", "c"):
            store.feed(title(text), "agent")

    name = failing.__qualname__
    assert [(record.levelname, record.message, record.exc_info is not None) for record in caplog.records] == [
        (
            "ERROR",
            f"the listener {name} raised ZeroDivisionError('division by zero'); more of its ZeroDivisionErrors are logged at level debug",
            True,
        ),
        ("ERROR", f"the listener {name} raised KeyError('b'); more of its KeyErrors are logged at level debug", True),
        ("DEBUG", f"the listener {name} raised ZeroDivisionError('division by zero') again", False),
        ("DEBUG", f"the listener {name} raised KeyError('c') again", False),
    ]


def test_each_listener_is_told_of_by_itself(caplog):
    store = Store()
    for listener in (lambda *_: 1 / 0, lambda *_: 1 / 0, int):
        store.subscribe(listener)
    store.feed(title("a"), "agent")
    store.feed(title("b"), "agent")

    assert [type(record.exc_info[1]) for record in caplog.records] == [ZeroDivisionError, ZeroDivisionError, TypeError]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_comes_out_and_loses_nothing(error):
    store = Store()
    heard = []
    armed = [True]

    def interrupted(before, after, events):
        heard.append(f"first {after.sessions['s'].title}")
        if armed.pop() if armed else False:
            raise error

    store.subscribe(interrupted)
    store.subscribe(lambda _, after, __: heard.append(f"second {after.sessions['s'].title}"))
    with pytest.raises(error):
        store.feed([title("a"), title("b")], "agent")
    assert store.snapshot.sessions["s"].title == "b"
    store.feed(title("c"), "agent")

    assert heard == ["first a", "second a", "first b", "second b", "first c", "second c"]


def test_what_was_left_by_an_interrupt_is_told_at_the_end():
    def refuse(error):
        raise error

    store = Store(on_error=refuse)
    store.subscribe(lambda *_: 1 / 0)
    heard = titles(store)
    with pytest.raises(ZeroDivisionError):
        store.feed(title("a"), "agent")
    assert heard == []
    store.close()

    assert heard == ["a"]


def test_what_a_listener_feeds_is_folded_at_once_and_told_later():
    store = Store()
    heard = []

    def first(before, after, events):
        name = after.sessions["s"].title
        heard.append(f"first {name}")
        if len(name) < 3:
            result = store.feed(title(name + "x"), "agent")
            assert result.sessions["s"].title == store.snapshot.sessions["s"].title == name + "x"

    store.subscribe(first)
    store.subscribe(lambda _, after, __: heard.append(f"second {after.sessions['s'].title}"))
    store.feed(title("a"), "agent")

    assert heard == ["first a", "second a", "first ax", "second ax", "first axx", "second axx"]


def test_what_a_listener_feeds_is_told_after_what_was_fed_with_it():
    store = Store()
    heard = titles(store)
    store.subscribe(lambda _, after, __: after.sessions["s"].title == "a" and store.feed(title("z"), "agent"))
    store.feed([title("a"), title("b")], "agent")

    assert heard == ["a", "b", "z"]


def test_many_levels_of_feeding_take_no_stack():
    store = Store()

    def again(before, after, events):
        number = int(after.sessions["s"].title)
        if number < 3000:
            store.feed(title(str(number + 1)), "agent")

    store.subscribe(again)
    store.feed(title("0"), "agent")

    assert store.snapshot.sessions["s"].title == "3000"


def test_a_listener_may_close():
    errors = []
    store = Store(on_error=errors.append)
    heard = titles(store)

    def closing(*_):
        store.close()
        store.feed(title("z"), "agent")

    store.subscribe(closing)
    store.feed([title("a"), title("b")], "agent")

    assert heard == ["a", "b"]
    assert [type(error) for error in errors] == [StoreClosedError] * 2


# --- threads ---------------------------------------------------------------------------------------------------


def run(*acts):
    threads = [threading.Thread(target=act, daemon=True) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_many_threads_feed_and_each_update_is_told_once_in_order():
    store = Store()
    heard = []
    store.subscribe(lambda before, after, events: heard.append((before, after, events)))

    def feeding(name):
        def act():
            for number in range(100):
                store.feed(chunk(f"{number} ", session=name), "agent")
                if number % 10 == 0:
                    end = store.subscribe(lambda *_: None)
                    assert store.snapshot.sessions[name]
                    end()

        return act

    names = [f"s-{number}" for number in range(4)]
    run(*map(feeding, names))

    assert len(heard) == 400
    assert all(after is before for (_, after, _), (before, _, _) in itertools.pairwise(heard))
    for name in names:
        assert text_of(store, name) == "".join(f"{number} " for number in range(100))
        assert [event.update.content.text for _, _, events in heard for event in events if event.session_id == name] == [
            f"{n} " for n in range(100)
        ]


def test_a_listener_that_blocks_holds_up_nobody_who_feeds():
    store = Store()
    heard = []
    blocked, free = threading.Event(), threading.Event()

    def slow(before, after, events):
        blocked.set()
        assert free.wait(60)
        heard.append((threading.current_thread().name, after.sessions["s"].title))

    store.subscribe(slow)
    thread = threading.Thread(target=lambda: store.feed(title("a"), "agent"), name="first", daemon=True)
    thread.start()
    assert blocked.wait(60)
    assert store.feed(title("b"), "agent").sessions["s"].title == "b"
    assert store.snapshot.sessions["s"].title == "b"
    assert store.diagnostics
    assert heard == []
    free.set()
    thread.join(60)

    assert heard == [("first", "a"), ("first", "b")]


def test_the_lock_may_be_held_to_look_at_several_things():
    store = Store()
    with store.lock:
        thread = threading.Thread(target=lambda: store.feed(title("a"), "agent"), daemon=True)
        thread.start()
        assert "s" not in store.snapshot.sessions
        assert store.diagnostics == ()
        assert store.state == Folded()
    thread.join(60)

    assert store.snapshot.sessions["s"].title == "a"


def test_no_listener_is_called_with_the_lock_held():
    store = Store()
    free = []

    def listener(*_):
        thread = threading.Thread(
            target=lambda: free.append(store.lock.acquire(timeout=60) and (store.lock.release() or True)), daemon=True
        )
        thread.start()
        thread.join(90)

    store.subscribe(listener)
    store.feed(title("a"), "agent")

    assert free == [True]


def test_a_store_of_a_recording_is_that_of_its_fold():
    data = recording([])
    with Store() as store:
        store.feed(data)

    assert told(store.state) == told(fold(data))


def test_a_text_that_is_no_document():
    with pytest.raises(DocumentError):
        Store.from_state("{}")


def test_answers_to_nobody_are_as_many_findings_as_there_are_ids():
    store = Store()
    for number in (1, 2, 2, 3):
        store.feed({"jsonrpc": "2.0", "id": number, "result": {}}, "agent")
    store.feed({"jsonrpc": "2.0", "id": 1, "result": {}}, "client")

    assert [(finding.subject, finding.count) for finding in store.diagnostics] == [
        ("agent with id 1", 1),
        ("agent with id 2", 2),
        ("agent with id 3", 1),
        ("client with id 1", 1),
    ]
