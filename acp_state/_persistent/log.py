"""An immutable sequence to append to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar, overload


T = TypeVar("T")


class Log(Sequence[T], Generic[T]):
    """An immutable sequence to append to."""

    __slots__ = ("_items", "_size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._size = len(self._items)

    def append(self, item: T) -> Log[T]:
        """Return this log with *item* at its end."""
        items, size = self._items, self._size
        if not size:
            items = [item]  # an empty one that many begin with must not keep what one of them adds
        elif len(items) == size:
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
