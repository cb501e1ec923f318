"""An immutable sequence to append to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar, overload


T = TypeVar("T")


class Log(Sequence[T], Generic[T]):
    """An immutable sequence to append to.

    Versions share one growing list, and each knows how much of it is its own. Whoever appends to the
    newest one just appends; whoever appends to an older one copies its part first.
    """

    __slots__ = ("_items", "_size")

    _items: list[T]
    _size: int

    def append(self, item: T) -> Log[T]:
        """Return this log with *item* at its end."""
        items, size = self._items, self._size
        # An empty one that many begin with must not keep what one of them adds.
        if size and len(items) == size:
            items.append(item)
            if items[size] is item:  # else another thread was faster
                return _make(items, size + 1)
        return _make([*items[:size], item], size + 1)

    def since(self, start: int) -> list[T]:
        """Return the items from index *start* on, without a look at those before."""
        return self._items[start : self._size]

    def continues(self, older: Log[T]) -> bool:
        """Whether this is *older* or a later version of it."""
        return self._size >= older._size and (self._items is older._items or not older._size)

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

    def __copy__(self) -> Log[T]:
        return self

    def __deepcopy__(self, _: object) -> Log[T]:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (make_log, (self._items[: self._size],))


def _make(items: list[T], size: int) -> Log[T]:
    # There is no `__init__`: whoever called that of a log would change it.
    new: Log[T] = _new(Log)
    new._items = items
    new._size = size
    return new


_new: Final[Any] = object.__new__


def make_log(items: Iterable[T] = ()) -> Log[T]:
    """Return a log of *items*."""
    listed = list(items)
    return _make(listed, len(listed))


EMPTY_LOG: Final[Log[Any]] = make_log()
