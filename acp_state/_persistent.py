"""Immutable collections whose changes cost their own size, however much they hold.

`Log` is append-only, `Table` is an ordered collection with keys. Both share all that two versions
have in common. They do so by a trick that CPython makes cheap: versions share one growing list, and
each knows how much of it is its own. Whoever appends to the newest version just appends; whoever
appends to an older one copies its part first. So appending is flat along one history, and no
version ever sees what another one added.

Two threads may append to one version at the same time: the list's own atomic `append` decides who
got the place, the other one copies.

Bottom layer: imports nothing of ours.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar, overload


T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Log(Sequence[T], Generic[T]):
    """An immutable sequence to append to."""

    __slots__ = ("_items", "_size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._size = len(self._items)

    def append(self, item: T) -> Log[T]:
        """Return this log with *item* at its end."""
        items, size = self._items, self._size
        if len(items) == size:
            items.append(item)
            if items[size] is not item:
                items = [*items[:size], item]
        else:
            items = [*items[:size], item]
        new: Log[T] = Log.__new__(Log)
        new._items = items
        new._size = size + 1
        return new

    def since(self, start: int) -> list[T]:
        """Return the items from index *start* on, without a look at those before."""
        return self._items[start : self._size]

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return tuple(self._items[: self._size])[index]
        if index < 0:
            index += self._size
        if not 0 <= index < self._size:
            raise IndexError(index)
        return self._items[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self._items[: self._size])

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Log):
            return NotImplemented
        if self._size != other._size:
            return False
        return self._items is other._items or self._items[: self._size] == other._items[: other._size]

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Log({self._items[: self._size]!r})"

    def __reduce__(self) -> tuple[type[Log[T]], tuple[list[T]]]:
        return (Log, (self._items[: self._size],))


EMPTY_LOG: Final[Log[Any]] = Log()

_BITS: Final = 5
_WIDTH: Final = 1 << _BITS
_MASK: Final = _WIDTH - 1

_Node = list[Any]


_new_vector: Final = object.__new__
_new_table: Final = object.__new__
_new_registry: Final = object.__new__


class _Vector:
    """A persistent vector: a trie of 32-wide nodes with the last, incomplete node kept apart.

    After Clojure's PersistentVector. `set` copies one node per level, so two levels up to 1,024
    entries and four up to a million.
    """

    __slots__ = ("root", "shift", "size", "tail")

    def __init__(self) -> None:
        self.size = 0
        self.shift = _BITS
        self.root: _Node = []
        self.tail: _Node = []

    def get(self, index: int) -> Any:
        if index >= self.size - len(self.tail):
            return self.tail[index & _MASK]
        node, shift = self.root, self.shift
        while shift:
            node = node[(index >> shift) & _MASK]
            shift -= _BITS
        return node[index & _MASK]

    def set(self, index: int, value: Any) -> _Vector:
        new = _new_vector(_Vector)
        new.size, new.shift = self.size, self.shift
        if index >= self.size - len(self.tail):
            new.root = self.root
            new.tail = tail = self.tail[:]
            tail[index & _MASK] = value
            return new
        new.tail = self.tail
        new.root = node = self.root[:]
        shift = self.shift
        while shift:
            place = (index >> shift) & _MASK
            node[place] = child = node[place][:]
            node = child
            shift -= _BITS
        node[index & _MASK] = value
        return new

    def append(self, value: Any) -> _Vector:
        new = _new_vector(_Vector)
        new.size, new.shift, new.root = self.size + 1, self.shift, self.root
        if len(self.tail) < _WIDTH:
            new.tail = [*self.tail, value]
            return new
        full, new.tail = self.tail, [value]
        count = self.size - _WIDTH  # entries in the trie
        if count >> _BITS >= 1 << self.shift:
            new.root = [self.root, _path(self.shift, full)]
            new.shift += _BITS
            return new
        new.root = node = self.root[:]
        shift = self.shift
        while shift > _BITS:
            place = (count >> shift) & _MASK
            if place == len(node):
                node.append(_path(shift - _BITS, full))
                return new
            node[place] = child = node[place][:]
            node = child
            shift -= _BITS
        node.append(full)
        return new

    def __iter__(self) -> Iterator[Any]:
        if self.size > len(self.tail):
            yield from _leaves(self.root, self.shift)
        yield from self.tail


def _differences(old: _Vector, new: _Vector) -> Iterator[int]:
    """Yield the indices below both sizes where two versions may differ: they share the nodes in which they do not."""
    if old is new:
        return
    in_tries = min(old.size - len(old.tail), new.size - len(new.tail))
    old_root, new_root = old.root, new.root
    for _ in range((new.shift - old.shift) // _BITS):
        new_root = new_root[0]  # the trie grew a level: what was all of it is the first part
    for _ in range((old.shift - new.shift) // _BITS):
        old_root = old_root[0]
    if in_tries:
        yield from _node_differences(old_root, new_root, min(old.shift, new.shift), 0, in_tries)
    yield from range(in_tries, min(old.size, new.size))


def _node_differences(old: _Node, new: _Node, shift: int, start: int, end: int) -> Iterator[int]:
    if old is new or start >= end:
        return
    if shift == 0:
        yield from (start + place for place in range(min(len(old), len(new), end - start)) if old[place] is not new[place])
        return
    for place, (one, other) in enumerate(zip(old, new, strict=False)):
        yield from _node_differences(one, other, shift - _BITS, start + (place << shift), end)


def _path(shift: int, leaf: _Node) -> _Node:
    return leaf if shift == 0 else [_path(shift - _BITS, leaf)]


def _leaves(node: _Node, shift: int) -> Iterator[Any]:
    if shift == 0:
        yield from node
        return
    for child in node:
        yield from _leaves(child, shift - _BITS)


class _Gone:
    """What stands in the place of a removed entry."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<removed>"


_GONE: Final = _Gone()
_NONE: Final = object()
_EMPTY_VECTOR: Final = _Vector()


_Places = Any  # int | tuple[int, _Places]


class _Index:
    """Where the entries of a table's versions stand; shared by all of them.

    *places* maps a key to its place; where a key was used again, to a pair of its newest place and
    what it was mapped to before. The key `None` is that of entries that are never looked for.
    *log* has a mark, the key in a tuple, for each place: whose mark got there owns the place.
    """

    __slots__ = ("log", "places")

    def __init__(self, log: list[tuple[Any]], places: dict[Any, _Places]) -> None:
        self.log = log
        self.places = places

    def note(self, key: Hashable, place: int) -> None:
        before = self.places.get(key)
        self.places[key] = place if before is None else (place, before)


class Table(Sequence[T], Generic[K, T]):
    """An immutable ordered collection of entries with keys.

    An entry keeps its *place* (0, 1, ...) for good. A key that is added again stands for its newest
    entry from then on, and the older one stays in its place. The entry that changed last is kept
    beside the trie, since the next change most often is to the same one.
    """

    __slots__ = ("_end", "_first", "_gone", "_hot", "_hot_place", "_index", "_vector")

    _index: _Index
    _vector: _Vector
    _end: int  # places given out
    _gone: int  # how many of them are empty
    _first: int  # no entry stands before this place
    _hot_place: int
    _hot: Any

    def __init__(self, items: Iterable[tuple[K, T]] = ()) -> None:
        vector = _EMPTY_VECTOR
        index = _Index([], {})
        end = 0
        for key, item in items:
            vector = vector.append(item)
            index.log.append((key,))
            if key is not None:
                index.note(key, end)
            end += 1
        self._index = index
        self._vector = vector
        self._end = end
        self._gone = self._first = 0
        self._hot_place = -1
        self._hot = None

    def _flushed(self) -> _Vector:
        """The trie with the entry that is kept beside it."""
        place = self._hot_place
        if place < 0:
            return self._vector
        return self._vector.append(self._hot) if place == self._vector.size else self._vector.set(place, self._hot)

    def place(self, key: K) -> int:
        """Return the place of *key*'s newest entry, -1 if it has none."""
        found = self._index.places.get(key)
        while found is not None:
            place, found = (found, None) if type(found) is int else found
            if place < self._end and (not self._gone or self.at(place) is not _GONE):
                return place
        return -1

    def at(self, place: int) -> T:
        """Return the entry at *place*, which must have been given out."""
        return self._hot if place == self._hot_place else self._vector.get(place)  # type: ignore[no-any-return]  # the vector and the log hold values of any type

    if TYPE_CHECKING:

        def known(self, place: int) -> Any:
            """Return the entry at *place* for a caller whom its key has told what it is."""
    else:
        known = at

    def find(self, key: K) -> T | None:
        """Return *key*'s newest entry, `None` if it has none."""
        place = self.place(key)
        return None if place < 0 else self.at(place)

    def replace(self, place: int, item: T) -> Table[K, T]:
        """Return this table with *item* at *place*."""
        new: Table[K, T] = _new_table(Table)
        hot = self._hot_place
        if place == hot or hot < 0:
            new._vector = self._vector
        else:  # as `_flushed` does
            vector = self._vector
            new._vector = vector.append(self._hot) if hot == vector.size else vector.set(hot, self._hot)
        new._index = self._index
        new._end = self._end
        new._gone = self._gone
        new._first = self._first
        new._hot_place = place
        new._hot = item
        return new

    def add(self, key: K, item: T) -> Table[K, T]:
        """Return this table with *item* at its end; *key* stands for it from now on."""
        place = self._end
        index = self._index
        mark = (key,)  # an object of our own, so that the place can be told to be ours
        log = index.log
        if len(log) == place:
            log.append(mark)
        if len(log) <= place or log[place] is not mark:
            index = self._own_index()
            index.log.append(mark)
        if key is not None:
            index.note(key, place)
        new: Table[K, T] = _new_table(Table)
        new._vector = self._flushed()
        new._index = index
        new._end = place + 1
        new._gone = self._gone
        new._first = self._first
        new._hot_place = place
        new._hot = item
        return new

    def put(self, key: K, item: T) -> Table[K, T]:
        """Return this table with *item* in the place of *key*'s newest entry, at the end if it has none."""
        place = self.place(key)
        return self.add(key, item) if place < 0 else self.replace(place, item)

    def differences(self, older: Table[K, T]) -> Iterator[int]:
        """Yield the places of this table where *older* has another entry or none, ascending.

        Costs what differs, as long as one is a later version of the other.
        """
        shared = min(self._end, older._end)
        candidates = set(_differences(older._vector, self._vector))
        candidates |= {older._hot_place, self._hot_place}
        for place in sorted(candidates):
            if 0 <= place < shared and self.at(place) is not older.at(place):
                yield place
        yield from range(shared, self._end)

    def continues(self, older: Table[K, T]) -> bool:
        """Whether this is *older* or a later version of it, so that places mean the same in both."""
        return self._index is older._index and self._end >= older._end

    def stands(self, place: int) -> bool:
        """Whether there is an entry at *place*."""
        return 0 <= place < self._end and self.at(place) is not _GONE

    def index_of(self, place: int) -> int:
        """Return how many entries stand before *place*: its index, if one stands there."""
        return place if not self._gone else sum(self.at(earlier) is not _GONE for earlier in range(place))

    def key_at(self, place: int) -> K:
        """Return the key under which the entry at *place* was added."""
        return self._index.log[place][0]  # type: ignore[no-any-return]  # the vector and the log hold values of any type

    @property
    def end(self) -> int:
        """The place that the next entry gets."""
        return self._end

    def remove(self, key: K) -> Table[K, T]:
        """Return this table without *key*'s newest entry; itself if it has none."""
        place = self.place(key)
        return self if place < 0 else self.remove_at(place)

    def remove_at(self, place: int) -> Table[K, T]:
        """Return this table without the entry at *place*.

        Empty places are kept until they are the most; then the other entries get new ones. Where
        places are remembered, `empty` is what to use.
        """
        new = self.empty(place)
        return Table(new.entries()) if new._gone > _WIDTH and new._gone * 2 > new._end else new

    def empty(self, place: int) -> Table[K, T]:
        """Return this table with nothing at *place*, for good."""
        new = self.replace(place, _GONE)  # type: ignore[arg-type]  # the mark is no entry
        new._gone = self._gone + 1
        if place == self._first:
            new._first = next(
                (i for i in range(place + 1, self._end) if new.at(i) is not _GONE),
                self._end,
            )
        return new

    def _own_index(self) -> _Index:
        places: dict[Any, _Places] = {}
        for (
            key,
            found,
        ) in self._index.places.copy().items():  # another thread may be adding
            ours = []
            while found is not None:
                place, found = (found, None) if type(found) is int else found  # noqa: PLW2901 -- the chain is walked
                if place < self._end:
                    ours.append(place)
            for place in reversed(ours):
                places[key] = place if key not in places else (place, places[key])
        return _Index(self._index.log[: self._end], places)

    def entries(self) -> Iterator[tuple[K, T]]:
        """Iterate over keys and entries, in order."""
        for (key,), item in zip(self._index.log, self._flushed(), strict=False):
            if item is not _GONE:
                yield key, item

    def places(self) -> Iterator[tuple[int, T]]:
        """Iterate over places and entries, in order."""
        return ((place, item) for place, item in enumerate(self._flushed()) if item is not _GONE)

    def keys(self) -> list[K]:
        """Return the keys, in order; a key that was used again as often as it was."""
        return [key for key, _ in self.entries()]

    def __iter__(self) -> Iterator[T]:
        values = iter(self._flushed())
        return (item for item in values if item is not _GONE) if self._gone else values

    def __len__(self) -> int:
        return self._end - self._gone

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return tuple(self)[index]
        size = len(self)
        if index < 0:
            index += size
        if not 0 <= index < size:
            raise IndexError(index)
        return next(islice(self, index, None)) if self._gone else self.at(index)

    def first(self) -> T | None:
        """Return the first entry, `None` if there is none."""
        return self.at(self._first) if self._first < self._end else None

    def last(self) -> T | None:
        """Return the last entry, `None` if there is none."""
        return next((item for place in range(self._end - 1, -1, -1) if (item := self.at(place)) is not _GONE), None)

    def first_key(self) -> K | None:
        """Return the key of the first entry, `None` if there is none."""
        return self.key_at(self._first) if self._first < self._end else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Table):
            return NotImplemented
        if len(self) != len(other):
            return False
        mine, theirs = self._flushed(), other._flushed()
        if mine is theirs:
            return True
        return all(a is b or a == b for a, b in zip(self, other, strict=True))

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})"

    def __reduce__(self) -> tuple[type[Table[K, T]], tuple[list[tuple[K, T]]]]:
        return (type(self), (list(self.entries()),))


class Registry(Mapping[K, T], Generic[K, T]):
    """An immutable mapping over a `Table`: for what users look up by key.

    The entry that was put last stands beside the table, which is told of it when another one is put.
    """

    __slots__ = ("_hot", "_hot_key", "_table")

    _table: Table[K, T]
    _hot_key: object
    _hot: T

    def __init__(self, items: Iterable[tuple[K, T]] = ()) -> None:
        self._table = Table(items)
        self._hot_key = _NONE
        self._hot = None  # type: ignore[assignment]  # nobody looks at it without a key

    def put(self, key: K, item: T) -> Registry[K, T]:
        """Return this registry with *item* under *key*."""
        new: Registry[K, T] = _new_registry(Registry)
        new._table = self._table if key == self._hot_key else self._whole().put(key, item)
        new._hot_key = key
        new._hot = item
        return new

    def _whole(self) -> Table[K, T]:
        return self._table if self._hot_key is _NONE else self._table.put(self._hot_key, self._hot)  # type: ignore[arg-type]  # the key is one of ours then

    def find(self, key: K) -> T | None:
        """Return what stands under *key*, `None` if nothing does."""
        return self._hot if key == self._hot_key else self._table.find(key)

    def changed_since(self, older: Registry[K, T]) -> list[K]:
        """Return the keys whose entries differ, or are not in *older*. Costs what differs, if *older* is an earlier version."""
        if self._table is older._table and self._hot_key == older._hot_key:
            return [] if self._hot is older._hot else [self._hot_key]  # type: ignore[list-item]  # the key is one of ours then
        mine, theirs = self._whole(), older._whole()
        if mine.continues(theirs):
            return [mine.key_at(place) for place in mine.differences(theirs)]
        return [key for key, item in mine.entries() if theirs.find(key) is not item]

    def __getitem__(self, key: K) -> T:
        if key == self._hot_key:
            return self._hot
        place = self._table.place(key)
        if place < 0:
            raise KeyError(key)
        return self._table.at(place)

    def __contains__(self, key: object) -> bool:
        return key == self._hot_key or self._table.place(key) >= 0  # type: ignore[arg-type]  # the key is one of ours then

    def __iter__(self) -> Iterator[K]:
        return iter(self._table.keys())

    def __len__(self) -> int:
        return len(self._table)

    def __eq__(self, other: object) -> bool:
        # Not the order: sessions that interleave differently are the same sessions.
        return NotImplemented if not isinstance(other, Mapping) else dict(self.items()) == dict(other.items())

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Registry({dict(self.items())!r})"

    def __reduce__(self) -> tuple[type[Registry[K, T]], tuple[list[tuple[K, T]]]]:
        return (Registry, (list(self.items()),))
