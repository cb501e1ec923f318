"""An immutable ordered collection whose entries are found by key."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Hashable, Iterable, Iterator, Sequence
from threading import Lock
from typing import Any, ClassVar, Final, Generic, TypeVar, overload

from msgspec import Struct


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

TAKING_OVER: Final = Lock()
"""Held while a version is taken over: of two threads that go on from one version, one has to copy."""


class _Removed:
    """What stands in the slot of a removed entry."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<removed>"


_REMOVED: Final[Any] = _Removed()

_MANY: Final = 32
"""How many slots may be empty before the entries get new ones."""


class _Core(Struct, eq=False):
    """What the versions of a table share: the entries of the newest one, and where its keys stand."""

    items: list[Any]
    keys: list[Any]
    """The key under which each entry was added."""
    index: dict[Any, int]
    """The slot of the newest entry of each key."""
    removed: list[int]
    """The slots that are empty, ascending."""
    lineage: object
    """The same in all tables in which a slot means the same."""
    frozen: int = 0
    """How many slots the version before the newest has: what stands in them is noted before it is overwritten."""
    undo: dict[Any, Any] = {}
    """The notes of the version before the newest (see `Table._undo`)."""
    versions: int = -64
    """How many older versions there are, so that none has far to read; the first ones do not count."""


def _new_core(keys: list[Any], items: list[Any], lineage: object) -> _Core:
    index = {key: slot for slot, key in enumerate(keys) if key is not None and items[slot] is not _REMOVED}
    return _Core(items, keys, index, [slot for slot, item in enumerate(items) if item is _REMOVED], lineage)


class _Past(Struct, frozen=True, eq=False):
    """What an older version has besides."""

    size: int
    """How many slots it has."""
    empty: int
    """How many of these are empty."""
    undo: dict[Any, Any]
    """What *next* overwrote: by slot, what stood there; by a key in a tuple, in which slot it was found."""
    next: Table[Any, Any] | None
    """The version that overwrites what both share; `None` if they share nothing."""


class Table(Sequence[T], Generic[K, T]):
    """An immutable ordered collection of entries with keys.

    An entry keeps its *slot* (0, 1, ...); where nothing was removed, that is its index. A key that is added
    again stands for its newest entry, and the older one stays in its slot. `None` is the key of
    entries that are never looked for.

    The newest version reads `_Core`. An older one also reads what its successors overwrote.
    """

    __slots__ = ("_core", "_owner", "_past")

    _core: _Core
    _owner: object
    _past: _Past | None

    # --- changing

    def put(self, slot: int, item: T, owner: object = None) -> Table[K, T]:
        """Return this table with *item* in *slot*."""
        table = self if self._owner is owner is not None else self._take_over(owner)
        core = table._core
        if slot < core.frozen and slot not in core.undo:
            core.undo[slot] = core.items[slot]
        core.items[slot] = item
        return table

    def add(self, key: K, item: T, owner: object = None) -> Table[K, T]:
        """Return this table with *item* at its end, which *key* stands for from now on."""
        table = self if self._owner is owner is not None else self._take_over(owner)
        core = table._core
        if key is not None:
            _note_key(core, key)
            core.index[key] = len(core.items)
        core.keys.append(key)
        core.items.append(item)
        return table

    def set(self, key: K, item: T, owner: object = None) -> Table[K, T]:
        """Return this table with *item* in place of the entry of *key*; at the end if there is none."""
        slot = self.slot_of(key)
        return self.add(key, item, owner) if slot < 0 else self.put(slot, item, owner)

    def remove(self, key: K, owner: object = None) -> Table[K, T]:
        """Return this table without the newest entry of *key*; itself if there is none."""
        slot = self.slot_of(key)
        return self if slot < 0 else self.remove_slot(slot, owner)

    def remove_slot(self, slot: int, owner: object = None) -> Table[K, T]:
        """Return this table without the entry in *slot*. Once most slots are empty, what is left gets new ones."""
        table = self.empty_slot(slot, owner)
        removed = len(table._core.removed)
        if removed > _MANY and 2 * removed > table.end:
            return _make(_new_core(*_split(table.entries()), object()), owner)
        return table

    def empty_slot(self, slot: int, owner: object = None) -> Table[K, T]:
        """Return this table with nothing in *slot*; all other entries keep theirs."""
        table = self.put(slot, _REMOVED, owner)
        core = table._core
        key = core.keys[slot]
        if key is not None and core.index.get(key) == slot:
            _note_key(core, key)
            del core.index[key]
        insort(core.removed, slot)
        return table

    def _take_over(self, owner: object) -> Table[K, T]:
        """Return a version that *owner* may change in place; this one is older from now on."""
        with TAKING_OVER:
            core, past = self._core, self._past
            if past is not None:
                return _make(_new_core(core.keys[: past.size], self._items(), object()), owner)
            size = len(core.items)
            if not size:  # what many begin with must not keep what one of them adds
                return _make(_new_core([], [], object()), owner)
            if core.versions > size:  # so that no older version has far to read
                self._past = _Past(size, len(core.removed), {}, None)
                return _make(_Core(core.items.copy(), core.keys.copy(), core.index.copy(), core.removed.copy(), core.lineage), owner)
            core.versions += 1
            core.frozen = size
            core.undo = {}
            new: Table[K, T] = _make(core, owner)
            self._past = _Past(size, len(core.removed), core.undo, new)
            return new

    # --- reading: first what is shared, then whether a later version has changed it meanwhile

    def slot_of(self, key: K) -> int:
        """Return the slot of the newest entry of *key*, -1 if it has none."""
        slot = self._core.index.get(key, -1)
        past = self._past
        if past is None:
            return slot
        size, noted = past.size, (key,)
        while past is not None and past.next is not None:
            if noted in past.undo:
                slot = past.undo[noted]
                break
            past = past.next._past
        return slot if slot < size else -1

    def at(self, slot: int) -> T:
        """Return the entry in *slot*, in which one stands."""
        item = self._core.items[slot]
        past = self._past
        while past is not None and past.next is not None:
            if slot in past.undo:
                return past.undo[slot]  # type: ignore[no-any-return]  # the notes hold anything
            past = past.next._past
        return item  # type: ignore[no-any-return]  # the core holds anything

    def get(self, key: K) -> T | None:
        """Return the newest entry of *key*, `None` if it has none."""
        slot = self.slot_of(key)
        return None if slot < 0 else self.at(slot)

    def has_entry(self, slot: int) -> bool:
        """Whether an entry stands in *slot*."""
        return 0 <= slot < self.end and self.at(slot) is not _REMOVED

    def key_at(self, slot: int) -> K:
        """Return the key under which the entry in *slot* was added."""
        return self._core.keys[slot]  # type: ignore[no-any-return]  # the core holds anything

    @property
    def end(self) -> int:
        """The slot that the next entry gets."""
        size = len(self._core.items)
        past = self._past
        return size if past is None else past.size

    def index_of(self, slot: int) -> int:
        """Return the index of the entry in *slot*: how many stand before it."""
        return slot - bisect_left(self._removed(), slot)

    def slot_at(self, index: int) -> int:
        """Return the slot of the entry with that *index*, which is not negative."""
        removed = self._removed()
        # removed[i] - i entries stand before the i-th empty slot.
        return index + bisect_right(range(len(removed)), index, key=lambda i: removed[i] - i)

    def first(self) -> T | None:
        """Return the first entry, `None` if there is none."""
        return self.at(self.slot_at(0)) if len(self) else None

    def last(self) -> T | None:
        """Return the last entry, `None` if there is none."""
        size = len(self)
        return self.at(self.slot_at(size - 1)) if size else None

    def entries(self) -> Iterator[tuple[K, T]]:
        """Iterate over keys and entries, in order."""
        return ((key, item) for key, item in zip(self._core.keys, self._items(), strict=False) if item is not _REMOVED)

    def slots(self) -> Iterator[tuple[int, T]]:
        """Iterate over slots and entries, in order."""
        return ((slot, item) for slot, item in enumerate(self._items()) if item is not _REMOVED)

    def _items(self) -> list[Any]:
        """Return what stands in all slots, the empty ones included."""
        items = self._core.items.copy()
        past = self._past
        if past is None:
            return items
        size = past.size
        del items[size:]
        known = set[int]()
        while past is not None and past.next is not None:
            for slot, item in past.undo.copy().items():  # another thread may be adding to it
                if slot.__class__ is int and slot < size and slot not in known:
                    known.add(slot)
                    items[slot] = item
            past = past.next._past
        return items

    def _removed(self) -> Sequence[int]:
        removed = self._core.removed
        past = self._past
        if past is None:
            return removed
        return [slot for slot, item in enumerate(self._items()) if item is _REMOVED] if past.empty else ()

    # --- comparing

    def continues(self, older: Table[K, T]) -> bool:
        """Whether this is *older* or a later version of it, so that slots mean the same in both."""
        return self._core.lineage is older._core.lineage and self.end >= older.end

    def differences(self, older: Table[K, T]) -> list[int]:
        """Return the slots in which *older*, which this continues, has another entry or none, ascending.

        Costs what differs, as long as both share what they hold.
        """
        shared = older.end
        slots = set[int]()
        table: Table[Any, Any] | None = older
        while table is not self:
            past = None if table is None else table._past
            if past is None or past.next is None:  # what they hold was copied between them
                slots.update(range(shared))
                break
            slots.update(slot for slot in past.undo.copy() if slot.__class__ is int)
            table = past.next
        changed = sorted(slot for slot in slots if slot < shared and self.at(slot) is not older.at(slot))
        return [*changed, *range(shared, self.end)]

    def __len__(self) -> int:
        core = self._core
        size = len(core.items) - len(core.removed)
        past = self._past
        return size if past is None else past.size - past.empty

    def __iter__(self) -> Iterator[T]:
        items = self._items()
        return (item for item in items if item is not _REMOVED) if len(items) != len(self) else iter(items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return tuple(self)[index]
        size = len(self)
        if not -size <= index < size:
            raise IndexError(index)
        return self.at(self.slot_at(index % size))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return list(self) == list(other) if isinstance(other, Table) else NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Table({list(self)!r})"

    def __copy__(self) -> Table[K, T]:
        return self

    def __deepcopy__(self, _: object) -> Table[K, T]:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (make_table, (list(self.entries()),))


def _note_key(core: _Core, key: Any) -> None:
    """Note where *key* stands for the version before the newest, before that changes."""
    slot = core.index.get(key, core.frozen)
    if slot < core.frozen and (key,) not in core.undo:
        core.undo[key,] = slot


def _make(core: _Core, owner: object) -> Table[Any, Any]:
    # There is no `__init__`: whoever called that of a table would change it.
    new: Table[Any, Any] = _new(Table)
    new._core = core
    new._owner = owner
    new._past = None
    return new


_new: Final = object.__new__


def _split(entries: Iterable[tuple[K, T]]) -> tuple[list[K], list[T]]:
    pairs = list(entries)
    return [key for key, _ in pairs], [item for _, item in pairs]


def make_table(entries: Iterable[tuple[K, T]] = ()) -> Table[K, T]:
    """Return a table of *entries*, which are keys and what they stand for."""
    return _make(_new_core(*_split(entries), object()), None)


EMPTY_TABLE: Final[Table[Any, Any]] = make_table()
