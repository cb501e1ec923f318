"""`async for update in store.changes()`: bounded, complete, from any thread, and nothing is left when it is over."""

from __future__ import annotations

import asyncio
import functools
import gc
import itertools
import threading
import weakref

import pytest

from hypothesis import given
from hypothesis import strategies as st

from acp_state import Store, apply

from strategies import conversations
from support.effort import ran
from support.recordings import told


def title(text):
    params = {"sessionId": "s", "update": {"sessionUpdate": "session_info_update", "title": text}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def titles(updates):
    return [update.after.sessions["s"].title for update in updates]


async def all_of(stream):
    return [update async for update in stream]


def within_a_minute(test):
    """Run a coroutine function as a test; none of its tasks may be left when it ends."""

    def run(*args, **kwargs):
        async def bounded():
            await asyncio.wait_for(test(*args, **kwargs), 60)
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(bounded())

    return functools.wraps(test)(run)


@within_a_minute
async def test_each_update_comes_once_with_its_events():
    store = Store()
    store.feed(title("before"), "agent")
    stream = store.changes()
    start = store.snapshot
    for name in "abc":
        store.feed(title(name), "agent")
    store.feed(title("c"), "agent")
    store.close()
    updates = await all_of(stream)

    assert titles(updates) == ["a", "b", "c"]
    assert updates[0].before is start
    assert all(one.after is other.before for one, other in itertools.pairwise(updates))
    assert [(update.joined, len(update.events)) for update in updates] == [(1, 1)] * 3
    assert [type(change).__name__ for update in updates for change in update.changes] == ["SessionChanged"] * 3


@within_a_minute
async def test_a_reader_is_woken_by_what_its_own_loop_feeds():
    store = Store()
    reader = asyncio.create_task(all_of(store.changes()))
    for name in "abc":
        await asyncio.sleep(0)
        store.feed(title(name), "agent")
    await asyncio.sleep(0)
    store.close()

    assert titles(await reader) == ["a", "b", "c"]


@within_a_minute
async def test_the_newest_two_become_one_where_too_many_wait():
    store = Store()
    stream = store.changes(limit=3)
    start = store.snapshot
    for number in range(10):
        store.feed(title(str(number)), "agent")
    first = await anext(stream)
    store.feed(title("10"), "agent")
    store.feed(title("11"), "agent")
    store.close()
    updates = [first, *await all_of(stream)]

    assert titles(updates) == ["0", "1", "9", "11"]
    assert [update.joined for update in updates] == [1, 1, 8, 2]
    assert [len(update.events) for update in updates] == [1, 1, 0, 0]
    assert updates[0].before is start
    assert all(one.after is other.before for one, other in itertools.pairwise(updates))


@pytest.mark.parametrize("limit", [0, -1])
@within_a_minute
async def test_a_limit_below_one(limit):
    with pytest.raises(ValueError, match="at least one update"):
        Store().changes(limit)


def test_outside_of_an_event_loop():
    with pytest.raises(RuntimeError):
        Store().changes()


@within_a_minute
async def test_a_closed_store_has_no_more_updates():
    store = Store()
    store.close()

    assert await all_of(store.changes()) == []


@within_a_minute
async def test_what_waits_when_the_store_closes_is_still_read():
    store = Store()
    store.subscribe(lambda *_: store.close())
    stream = store.changes()
    store.feed([title("a"), title("b")], "agent")

    assert titles(await all_of(stream)) == ["a", "b"]
    assert await all_of(stream) == []


@within_a_minute
async def test_several_readers_each_get_all():
    store = Store()
    readers = [asyncio.create_task(all_of(store.changes(limit))) for limit in (1, 2, 100)]
    await asyncio.sleep(0)
    for name in "abcd":
        store.feed(title(name), "agent")
    store.close()

    assert [titles(await reader) for reader in readers] == [["d"], ["a", "d"], ["a", "b", "c", "d"]]


@within_a_minute
async def test_several_tasks_may_share_one_stream():
    store = Store()
    stream = store.changes()
    readers = [asyncio.create_task(all_of(stream)) for _ in range(3)]
    await asyncio.sleep(0)
    for name in "abcdef":
        store.feed(title(name), "agent")
    store.close()

    assert sorted(itertools.chain(*[titles(await reader) for reader in readers])) == list("abcdef")


@within_a_minute
async def test_a_reader_that_is_cancelled_loses_nothing():
    store = Store()
    stream = store.changes()
    waiting = asyncio.create_task(anext(stream))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    store.feed(title("a"), "agent")

    assert titles([await anext(stream)]) == ["a"]


@within_a_minute
async def test_a_reader_that_gives_up_waiting_loses_nothing():
    store = Store()
    stream = store.changes()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(stream), 0.001)
    store.feed(title("a"), "agent")

    assert titles([await anext(stream)]) == ["a"]


@within_a_minute
async def test_a_stream_that_is_closed_is_over():
    store = Store()
    stream = store.changes()
    store.feed(title("a"), "agent")
    await stream.aclose()
    await stream.aclose()
    store.feed(title("b"), "agent")

    assert await all_of(stream) == []


@within_a_minute
async def test_who_waits_is_told_that_the_stream_is_closed():
    store = Store()
    stream = store.changes()
    reader = asyncio.create_task(all_of(stream))
    await asyncio.sleep(0)
    await stream.aclose()

    assert await reader == []


@within_a_minute
async def test_a_reader_that_goes_away_leaves_nothing_behind():
    store = Store()
    stream = store.changes()
    gone = weakref.ref(stream)
    store.feed(title("a"), "agent")
    async for _ in stream:
        break
    del stream
    gc.collect()
    store.feed(title("b"), "agent")

    assert gone() is None
    assert not store._streams


@within_a_minute
async def test_a_reader_does_not_wait_for_a_listener():
    store = Store()
    blocked, free = threading.Event(), threading.Event()
    store.subscribe(lambda *_: blocked.set() or free.wait(60))
    stream = store.changes()
    feeding = asyncio.create_task(asyncio.to_thread(store.feed, title("a"), "agent"))
    try:
        assert titles([await anext(stream)]) == ["a"]
    finally:
        free.set()
    await feeding


@within_a_minute
async def test_fed_from_other_threads():
    store = Store()
    small, large = store.changes(limit=2), store.changes(limit=1000)
    start = store.snapshot

    def feed(name):
        for number in range(100):
            store.feed(title(f"{name} {number}"), "agent")

    readers = [asyncio.create_task(all_of(stream)) for stream in (small, large)]
    await asyncio.gather(*(asyncio.to_thread(feed, name) for name in "abc"))
    store.close()
    few, many = [await reader for reader in readers]

    assert len(many) == 300
    for updates in (few, many):
        assert sum(update.joined for update in updates) == 300
        assert updates[0].before is start
        assert updates[-1].after is store.snapshot
        assert all(one.after is other.before for one, other in itertools.pairwise(updates))


def test_a_loop_that_ended_holds_up_nobody():
    store = Store()
    streams = []

    async def start():
        streams.append(store.changes())
        store.feed(title("a"), "agent")

    asyncio.run(start())
    store.feed(title("b"), "agent")
    store.close()

    assert store.snapshot.sessions["s"].title == "b"


@given(conversations(24), st.integers(1, 6), st.lists(st.integers(0, 4), max_size=12))
def test_the_changes_of_what_is_received_lead_to_what_the_store_has(conversation, limit, reads):
    """Applied one after the other to a copy that never sees the store again."""
    ran("conversations")

    @within_a_minute
    async def follow():
        store = Store()
        stream = store.changes(limit)
        copy = store.snapshot
        for sent, count in itertools.zip_longest(conversation, reads[: len(conversation)], fillvalue=0):
            store.feed(sent.message, sent.sender)
            for _ in range(min(count, len(stream._waiting))):
                update = await anext(stream)
                copy = apply(copy, update.changes)
                assert copy == update.after
        store.close()
        async for update in stream:
            copy = apply(copy, update.changes)

        assert copy == store.snapshot
        assert told(copy) == told(store.snapshot)

    follow()
