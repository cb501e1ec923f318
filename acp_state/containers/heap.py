"""An immutable collection of numbers of which the smallest is found."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Heap(Struct, frozen=True, gc=False):
    """Numbers, of which the smallest is found and taken at a cost that hardly grows: a leftist heap.

    *rank* is how far the nearest end is, along *right*, which is never the longer side.
    """

    smallest: int | None = None
    rank: int = 0
    left: Heap | None = None
    right: Heap | None = None

    def add(self, number: int) -> Heap:
        """Return this heap with one more *number*."""
        return _merge(self, Heap(number, 1, EMPTY_HEAP, EMPTY_HEAP))

    def take(self) -> Heap:
        """Return this heap, which is not empty, without its smallest number."""
        return _merge(self.left or EMPTY_HEAP, self.right or EMPTY_HEAP)


EMPTY_HEAP: Final = Heap()


def _merge(one: Heap, other: Heap) -> Heap:
    if one.smallest is None:
        return other
    if other.smallest is None:
        return one
    if other.smallest < one.smallest:
        one, other = other, one
    left, right = one.left or EMPTY_HEAP, _merge(one.right or EMPTY_HEAP, other)
    if left.rank < right.rank:
        left, right = right, left
    return Heap(one.smallest, right.rank + 1, left, right)
