"""`Store`: a fold that goes on, for programs that are told things while they run (SPEC 7).

One lock, `Store.lock`, is held while something is folded, and never while code of others runs: each
`feed` is folded as a whole, in the order in which the lock was got, and threads may feed at once.
Listeners are called one at a time, in the order of what happened, by one of the threads that feed:
who finds another one at it leaves its updates to that one and goes on. So does what a listener
feeds: it is folded at once, and reported when what is being reported has been. `snapshot` may be
read at any time from any thread without the lock.
"""

from __future__ import annotations

import threading

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from types import NoneType
from typing import Any, Final, Self, TypeAlias
from weakref import WeakSet

from attrs import frozen

from ._model import replace
from .changes import Change
from .diagnostics import Diagnostic
from .diffing import diff
from .errors import StoreClosedError, wrong_kind
from .events import Event, SessionUpdate
from .folded import Folded
from .folding import Fold
from .frames import SENDERS, Frame, Sender, freeze_frame, read_message
from .protocol.decoders import convert_update
from .reading.reader import Reader
from .reading.source import BLOCK
from .state import Snapshot


Listener: TypeAlias = Callable[[Any, Any, tuple[Event, ...]], object]
"""Called with what was, what is, and the events that did it."""

Selector: TypeAlias = Callable[[Snapshot], Any]

Fed: TypeAlias = "bytes | bytearray | memoryview | str | Frame | Mapping[str, Any] | list[Any]"


@frozen
class Update:
    """What a frame changed, or several. *joined*: how many updates this one stands for (see `Store.changes`)."""

    before: Snapshot
    after: Snapshot
    events: tuple[Event, ...] = ()
    joined: int = 1

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes, as `diff` finds them."""
        return diff(self.before, self.after)


_DECODED: Final = (Mapping, list, tuple, int, float, NoneType)
"""What a decoded JSON value may be, apart from a text."""


class _Hearer:
    """A listener, and of which kinds the errors are that were told of it."""

    __slots__ = ("hear", "listener", "raised")

    def __init__(self, hear: Callable[[Update], object], listener: Listener) -> None:
        self.hear = hear
        self.listener = listener
        self.raised: set[type[Exception]] = set()


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

        *dialect* is the format of a recording that is fed as bytes. *on_error* is told of whatever a
        listener raises. By default the logger `acp_state` is: of the first error of each kind that a
        listener raises as an error, with its traceback, of further ones in a word, at level debug; a
        listener that fails all the time must not fill a terminal. What *on_error* itself raises comes
        out of the call that reports, and so does what is no `Exception` (a `KeyboardInterrupt`): the
        calls that were to follow are made by the next `feed` or `close`. Raises `UnknownDialectError`.
        """
        start = Folded() if start is None else start
        self.lock: Final = threading.RLock()
        self._fold = Fold(start)
        self._readers: dict[Sender | None, Reader] = {
            None: Reader(dialect, start.wire.reader),
            **{sender: Reader("jsonrpc", state) for sender, state in zip(SENDERS, start.sides, strict=True)},
        }
        if on_error is not None and not callable(on_error):
            raise wrong_kind("on_error is a function", on_error)
        self._on_error = on_error
        self._hearers: tuple[_Hearer, ...] = ()
        self._calls: deque[tuple[_Hearer, Update]] = deque()
        self._calling = False
        self._streams: WeakSet[_Stream] = WeakSet()  # a reader that just goes away ends its stream
        self._followed = False  # whether anybody ever wanted to be told: to ask a `WeakSet` for each frame is dear
        self._closed = False

    @classmethod
    def from_state(
        cls, state: str | bytes | Folded, *, dialect: str | None = None, on_error: Callable[[Exception], object] | None = None
    ) -> Self:
        """Return a store that goes on from a state document, or from a fold's result; options as of the class.

        Raises `DocumentError` for a text that is no document, or one of a newer format.
        """
        if not isinstance(state, Folded):
            from .document import loads

            state = loads(state)
        return cls(state, dialect=dialect, on_error=on_error)

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
        """All that it takes to go on elsewhere, half-read lines included.

        `dumps(store.state)` keeps it, and `Store.from_state(text)` goes on from there.
        """
        with self.lock:
            folded = self._fold.folded()
            whole, client, agent = (self._readers[sender].state for sender in (None, *SENDERS))
        return replace(folded, wire=replace(folded.wire, reader=whole), sides=(client, agent))

    @property
    def closed(self) -> bool:
        """Whether it takes no more."""
        return self._closed

    # --- being told things

    def feed(self, data: Fed, sender: Sender | None = None, *, time: float | None = None) -> Snapshot:
        """Take what was sent, or the next piece of a recording, and return the state as it then is.

        With a *sender*, `"client"` or `"agent"`: a decoded message or batch of that side, or bytes or
        text of its stream, newline-delimited JSON-RPC cut anywhere. Without one: a decoded record, or
        bytes or text, of a recording in any format. Or a `Frame`. *time* is in seconds from the
        beginning. Never raises for what was sent; raises `StoreClosedError` after `close`, and
        `ValueError` for another *sender*, `TypeError` for what nobody can have sent.
        """
        if sender is not None and sender not in SENDERS:
            msg = f"a sender is 'client' or 'agent', not {sender!r}"
            raise ValueError(msg)
        with self.lock:
            if self._closed:
                msg = "the store is closed"
                raise StoreClosedError(msg)
            # First what most is: an update that somebody else has decoded.
            update = self._convert(data) if sender == "agent" and data.__class__ is dict else None
            if update is not None:
                self._take_update(update)
            elif isinstance(data, (bytes, bytearray, memoryview, str)):
                raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data)
                for start in range(0, len(raw), BLOCK):
                    self._take(self._readers[sender].feed(raw[start : start + BLOCK]), sender, time)
            elif isinstance(data, Frame):
                self._take((freeze_frame(data),), sender, time)
            elif data.__class__ is not dict and not isinstance(data, _DECODED):
                raise wrong_kind("a store is fed a frame, bytes, text, or what is decoded from JSON", data)
            elif sender is None:
                self._take(self._readers[None].feed_record(data), None, time)
            else:
                self._take(map(freeze_frame, read_message(data, sender, time=time)))
            snapshot = self._fold.snapshot
        if self._calls:
            self._call()
        return snapshot

    def close(self) -> None:
        """Take the end of the input: what is half read is read as far as it can be, and `changes` ends. Twice is once."""
        with self.lock:
            if not self._closed:
                for sender, reader in self._readers.items():
                    self._take(reader.close(), sender)
                self._closed = True
                for stream in self._streams:
                    stream.end()
        self._call()

    def __enter__(self) -> Self:
        """Return the store; leaving the block closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, items: Iterable[Frame | Diagnostic], sender: Sender | None = None, time: float | None = None) -> None:
        for item in items:
            if isinstance(item, Diagnostic):
                self._fold.findings.add(item)
            elif sender is None and time is None:
                self._take_frame(item)
            else:
                self._take_frame(replace(item, sender=sender or item.sender, time=item.time if time is None else time))

    def _convert(self, message: Any) -> SessionUpdate[Any] | None:
        """Return the update that *message* is, if it is one without a problem."""
        if message.get("method") != "session/update":
            return None
        try:
            return convert_update(message, self._fold.wire.version).params
        except (ValueError, RecursionError):
            return None

    def _take_update(self, update: SessionUpdate[Any]) -> None:
        before = self._fold.snapshot
        self._tell(before, self._fold.take_update(update, None))

    def _take_frame(self, frame: Frame) -> None:
        before = self._fold.snapshot
        self._tell(before, self._fold.take(frame))

    def _tell(self, before: Snapshot, events: tuple[Event, ...]) -> None:
        after = self._fold.snapshot
        if self._followed and after is not before:
            update = Update(before, after, events)
            self._calls.extend((hearer, update) for hearer in self._hearers)
            for stream in self._streams:
                stream.put(update)

    # --- telling others

    def subscribe(self, listener: Listener, select: Selector | None = None) -> Callable[[], None]:
        """Have *listener* called with before, after and events of each frame that changes something; return what ends that.

        With *select*, only when that part of the snapshot is another object, and with the two parts in
        place of the snapshots. A part that is not there (`LookupError`, `AttributeError`) is `None`.
        What a listener raises is reported (see *on_error* of the class) and stops nobody; it is called
        again with the next update. It may feed, subscribe and unsubscribe:
        who subscribes hears of what is fed from then on, who unsubscribes hears nothing more. It is
        called by a thread that feeds; a user interface passes it on to its own loop.
        """
        for called in (listener,) if select is None else (listener, select):
            if not callable(called):
                raise wrong_kind("a listener, and what selects a part for it, is a function", called)
        if select is None:
            return self._listen(_Hearer(lambda update: listener(update.before, update.after, update.events), listener))

        def on_part(update: Update) -> None:
            before, after = _part(select, update.before), _part(select, update.after)
            if before is not after:
                listener(before, after, update.events)

        return self._listen(_Hearer(on_part, listener))

    def _listen(self, hearer: _Hearer) -> Callable[[], None]:
        with self.lock:
            self._hearers = (*self._hearers, hearer)
            self._followed = True

        def unsubscribe() -> None:
            with self.lock:
                self._hearers = tuple(one for one in self._hearers if one is not hearer)

        return unsubscribe

    def _call(self) -> None:
        """Make the calls that wait, unless somebody is at it already: that one goes on with ours."""
        while self._calls:
            ours = False
            try:
                with self.lock:
                    if self._calling or not self._calls:
                        return
                    ours = self._calling = True  # in this order: an interrupt in between must not leave it set
                    hearer, update = self._calls.popleft()
                if hearer in self._hearers:
                    hearer.hear(update)
            except Exception as error:  # noqa: BLE001 -- whatever it is, it stops nobody else
                if self._on_error is not None:
                    self._on_error(error)
                else:
                    _log(error, hearer)
            finally:
                if ours:
                    self._calling = False

    def changes(self, limit: int = 1000) -> AsyncIterator[Update]:
        """Return an iterator, for `async for`, over the updates from now on; it ends when the store is closed.

        Each update's *before* is the *after* of the one that came before it. At most *limit* wait for
        their reader: when one more comes, the two newest become one, which leads from the older one's
        before to the newer one's after, and has no events. So no state is missed, only steps on the
        way, and `Update.joined` tells. Listeners that take long do not hold it up. The store may be fed
        from any thread. Call it in the event loop that reads it; nothing needs to be closed. Raises
        `ValueError` for a *limit* below 1, and `RuntimeError` outside of an event loop.
        """
        if limit < 1:
            msg = f"at least one update must be able to wait, not {limit}"
            raise ValueError(msg)
        stream = _Stream(limit)
        with self.lock:
            self._streams.add(stream)
            self._followed = True
            if self._closed:
                stream.end()
        return stream


class _Stream(AsyncIterator[Update]):
    """One reader of `Store.changes`. It has a lock of its own: an event loop must not wait for a fold."""

    def __init__(self, limit: int) -> None:
        import asyncio

        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._ready = asyncio.Event()
        self._lock = threading.Lock()
        self._waiting: deque[Update] = deque()
        self._ended = False

    def put(self, update: Update) -> None:
        """Have *update* wait for the reader. Any thread may call it."""
        with self._lock:
            if self._ended:
                return
            if len(self._waiting) >= self._limit:
                last = self._waiting.pop()
                update = Update(last.before, update.after, joined=last.joined + update.joined)
            self._waiting.append(update)
        self._wake()

    def end(self) -> None:
        """Take the end: what waits is still to be read. Any thread may call it."""
        with self._lock:
            self._ended = True
        self._wake()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # a loop that is closed has no reader to wake
            self._loop.call_soon_threadsafe(self._ready.set)

    async def __anext__(self) -> Update:
        while True:
            self._ready.clear()
            with self._lock:
                if self._waiting:
                    return self._waiting.popleft()
                if self._ended:
                    raise StopAsyncIteration
            await self._ready.wait()

    async def aclose(self) -> None:
        """Read no more: what waits is dropped, and whoever waits is told of the end."""
        with self._lock:
            self._waiting.clear()
        self.end()


def _part(select: Selector, snapshot: Snapshot) -> Any:
    try:
        return select(snapshot)
    except (LookupError, AttributeError):
        return None


def _log(error: Exception, hearer: _Hearer) -> None:
    import logging

    logger = logging.getLogger("acp_state")
    name = getattr(hearer.listener, "__qualname__", None) or repr(hearer.listener)
    if type(error) in hearer.raised:
        logger.debug("the listener %s raised %r again", name, error)
        return
    hearer.raised.add(type(error))
    logger.error("the listener %s raised %r; more of its %ss are logged at level debug", name, error, type(error).__name__, exc_info=error)
