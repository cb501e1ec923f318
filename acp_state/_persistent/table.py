"""Immutable collections with keys: `Table`, whose entries have places, and `Registry`, a mapping over one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar, overload

from .vector import EMPTY_VECTOR, WIDTH, Vector, differences


T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class _Gone:
    """What stands in the place of a removed entry."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<removed>"


_GONE: Final = _Gone()
_NONE: Final = object()
_new_table: Final = object.__new__
_new_registry: Final = object.__new__


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
    _vector: Vector
    _end: int  # places given out
    _gone: int  # how many of them are empty
    _first: int  # no entry stands before this place
    _hot_place: int
    _hot: Any

    def __init__(self, items: Iterable[tuple[K, T]] = ()) -> None:
        vector = EMPTY_VECTOR
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

    def _flushed(self) -> Vector:
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
        if not place:
            index = _Index(log := [mark], {})  # an empty one that many begin with must not keep what one of them adds
        elif len(log) == place:
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
        candidates = set(differences(older._vector, self._vector))
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
        return Table(new.entries()) if new._gone > WIDTH and new._gone * 2 > new._end else new

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
