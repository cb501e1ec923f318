"""`Store`: a fold that goes on, for programs that are told things while they run (SPEC 7).

One lock, `Store.lock`, is held while something is folded and never while a listener runs. Listeners
are called one at a time, in the order of what happened, by whichever thread fed last; what a
listener feeds is folded at once and reported after what is being reported. `snapshot` may be read
at any time from any thread.
"""

from __future__ import annotations

import threading

from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Final, Self, TypeAlias

from attrs import evolve, frozen

from .changes import Change
from .diagnostics import Diagnostic
from .diffing import diff
from .errors import StoreClosedError
from .events import Event
from .folded import Folded
from .folding import Fold
from .frames import SENDERS, Frame, Sender, read_message, read_one
from .reading.reader import Reader
from .reading.source import BLOCK
from .state import Snapshot


Listener: TypeAlias = Callable[[Any, Any, tuple[Event, ...]], object]
"""Called with what was, what is, and the events that did it."""

Selector: TypeAlias = Callable[[Snapshot], Any]

Fed: TypeAlias = "bytes | bytearray | memoryview | str | Frame | Mapping[str, Any] | list[Any]"


@frozen
class Update:
    """What one frame, or several, changed. *joined*: how many updates this one stands for (see `Store.changes`)."""

    before: Snapshot
    after: Snapshot
    events: tuple[Event, ...] = ()
    joined: int = 1

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes, as `diff` finds them."""
        return diff(self.before, self.after)


class Store:
    """The state of a connection, kept up to date by what it is fed.

    >>> store = Store()
    >>> unsubscribe = store.subscribe(lambda before, after, events: print(*events))
    >>> store.feed({"jsonrpc": "2.0", "id": 0, "method": "session/list", "params": {}}, "client")
    >>> store.snapshot.connection.open_requests
    """

    def __init__(
        self, start: Folded | None = None, *, dialect: str | None = None, on_error: Callable[[Exception], object] | None = None
    ) -> None:
        """Begin with nothing, or go on from *start*.

        *dialect* is the format of a recording that is fed as bytes. *on_error* is told of what a
        listener raises; by default it is logged. Raises `UnknownDialectError`.
        """
        self.lock: Final = threading.RLock()
        self._fold = Fold(start)
        self._reader = Reader(dialect, self._fold.wire.reader)
        self._sides: dict[str, Reader] = {}
        self._on_error = on_error or _logged
        self._hearers: tuple[Callable[[Update], object], ...] = ()
        self._untold: deque[tuple[Update, tuple[Callable[[Update], object], ...]]] = deque()
        self._telling = False
        self._streams: set[_Stream] = set()
        self._closed = False

    @classmethod
    def from_state(cls, state: str | bytes | Folded, **options: Any) -> Self:
        """Return a store that goes on from a state document, or from a fold's result.

        *options* are those of the class. Raises `DocumentError` for a text that is no document, or one of a newer format.
        """
        if not isinstance(state, Folded):
            from .document import loads

            state = loads(state)
        return cls(state, **options)

    # --- what it knows

    @property
    def snapshot(self) -> Snapshot:
        """The state as it is now. Immutable: it stays as it is whatever is fed later."""
        return self._fold.snapshot

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was wrong so far."""
        with self.lock:
            return tuple(self._fold.findings)

    @property
    def state(self) -> Folded:
        """All that it takes to go on elsewhere: `dumps(store.state)` and later `Store.from_state(text)`."""
        with self.lock:
            self._fold.wire = evolve(self._fold.wire, reader=self._reader.state)
            return self._fold.folded()

    @property
    def closed(self) -> bool:
        """Whether it takes no more."""
        return self._closed

    # --- being told things

    def feed(self, data: Fed, sender: Sender | None = None, *, time: float | None = None) -> Snapshot:
        """Take what was sent, or the next piece of a recording, and return the state as it then is.

        A decoded message (or batch) with its *sender*, `"client"` or `"agent"`; without one it is told
        as in a recording. A `Frame`. Bytes or text, cut anywhere: with a *sender* the newline-delimited
        JSON-RPC of that side as it goes over the pipe, without one a recording in any format. *time* is
        in seconds from the beginning. Never raises for what was sent; raises `StoreClosedError` after
        `close`, and `ValueError` for another *sender*.
        """
        if sender is not None and sender not in SENDERS:
            msg = f"a sender is 'client' or 'agent', not {sender!r}"
            raise ValueError(msg)
        with self.lock:
            if self._closed:
                msg = "the store is closed"
                raise StoreClosedError(msg)
            if data.__class__ is dict:
                self._take(read_one(data, sender, False, time, None))
            elif isinstance(data, (bytes, bytearray, memoryview, str)):
                self._read(data, sender, time)
            else:
                for frame in (data,) if isinstance(data, Frame) else read_message(data, sender, time=time):
                    self._take(frame)
            snapshot = self._fold.snapshot
        if self._untold:
            self._tell()
        return snapshot

    def _take(self, frame: Frame) -> None:
        before = self._fold.snapshot
        events = self._fold.take(frame)
        after = self._fold.snapshot
        if after is not before and self._hearers:
            self._untold.append((Update(before, after, events), self._hearers))

    def _read(self, data: bytes | bytearray | memoryview | str, sender: Sender | None, time: float | None) -> None:
        raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)
        reader = self._reader_of(sender)
        for start in range(0, len(raw), BLOCK):
            self._take_items(reader.feed(raw[start : start + BLOCK]), sender, time)

    def _take_items(self, items: list[Frame | Diagnostic], sender: Sender | None, time: float | None = None) -> None:
        for item in items:
            if isinstance(item, Diagnostic):
                self._fold.findings.add(item)
            elif sender is None and time is None:
                self._take(item)
            else:
                self._take(evolve(item, sender=sender or item.sender, time=item.time if time is None else time))

    def _reader_of(self, sender: Sender | None) -> Reader:
        if sender is None:
            return self._reader
        reader = self._sides.get(sender)
        if reader is None:
            reader = self._sides[sender] = Reader("jsonrpc")
        return reader

    def close(self) -> None:
        """Take the end of the input: what is half read is read as far as it can be, and `changes` ends. Twice is once."""
        with self.lock:
            if self._closed:
                return
            self._take_items(self._reader.close(), None)
            for sender in SENDERS:
                if sender in self._sides:
                    self._take_items(self._sides[sender].close(), sender)
            self._closed = True
        self._tell()
        for stream in tuple(self._streams):
            stream.end()

    def __enter__(self) -> Self:
        """Return the store; leaving the block closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- telling others

    def subscribe(self, listener: Listener, select: Selector | None = None) -> Callable[[], None]:
        """Have *listener* called with before, after and events of each frame that changes something; return what ends that.

        With *select*, only when that part of the snapshot is another object, and with the two parts in
        place of the snapshots. A part that is not there yet (`LookupError`, `AttributeError`) is `None`.
        What a listener raises is reported, and stops nobody. It is called by the thread that fed.
        """
        if select is None:
            return self._listen(lambda update: listener(update.before, update.after, update.events))

        def on_part(update: Update) -> None:
            before, after = _part(select, update.before), _part(select, update.after)
            if before is not after:
                listener(before, after, update.events)

        return self._listen(on_part)

    def _listen(self, hear: Callable[[Update], object]) -> Callable[[], None]:
        with self.lock:
            self._hearers = (*self._hearers, hear)

        def unsubscribe() -> None:
            with self.lock:
                self._hearers = tuple(one for one in self._hearers if one is not hear)

        return unsubscribe

    def _tell(self) -> None:
        """Report what is to be reported, unless somebody is at it already; then that one goes on with ours."""
        while True:
            with self.lock:
                if self._telling or not self._untold:
                    return
                self._telling = True
                update, hearers = self._untold.popleft()
            try:
                for hear in hearers:
                    if hear in self._hearers:  # an earlier one may have ended it
                        self._call(hear, update)
            finally:
                self._telling = False

    def _call(self, hear: Callable[[Update], object], update: Update) -> None:
        try:
            hear(update)
        except Exception as error:  # noqa: BLE001 -- whatever it is, it stops nobody else
            self._on_error(error)

    def changes(self, limit: int = 1000) -> AsyncIterator[Update]:
        """Return an iterator, for `async for`, over the updates from now on; it ends when the store is closed.

        At most *limit* updates wait for their reader: when one more comes, the two newest become one,
        which leads from the older one's before to the newer one's after, and has no events. So no state
        is missed, only steps on the way, and `Update.joined` tells. May be fed from any thread. Call it
        in the event loop that reads it. Raises `ValueError` for a *limit* below 1.
        """
        if limit < 1:
            msg = f"at least one update must be able to wait, not {limit}"
            raise ValueError(msg)
        return _Stream(self, limit)


class _Stream(AsyncIterator[Update]):
    """One reader of `Store.changes`."""

    def __init__(self, store: Store, limit: int) -> None:
        import asyncio

        self._store = store
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Update] = deque()
        self._ready = asyncio.Event()
        self._ended = store.closed
        self._unsubscribe = store._listen(self._heard)
        store._streams.add(self)

    def _heard(self, update: Update) -> None:
        with self._store.lock:
            if len(self._waiting) >= self._limit:
                last = self._waiting.pop()
                update = Update(last.before, update.after, joined=last.joined + update.joined)
            self._waiting.append(update)
        self._wake()

    def end(self) -> None:
        """Nothing more will come."""
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ready.set)

    async def __anext__(self) -> Update:
        while True:
            self._ready.clear()
            with self._store.lock:
                if self._waiting:
                    return self._waiting.popleft()
            if self._ended:
                await self.aclose()
                raise StopAsyncIteration
            await self._ready.wait()

    async def aclose(self) -> None:
        """Listen no more."""
        self._unsubscribe()
        self._store._streams.discard(self)


def _part(select: Selector, snapshot: Snapshot) -> Any:
    try:
        return select(snapshot)
    except (LookupError, AttributeError):
        return None


def _logged(error: Exception) -> None:
    import logging

    logging.getLogger("acp_state").error("a listener raised %r", error, exc_info=error)
