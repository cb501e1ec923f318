"""A persistent vector, which a table keeps its entries in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final


_BITS: Final = 5
WIDTH: Final = 1 << _BITS
_MASK: Final = WIDTH - 1

_Node = list[Any]

_new_vector: Final = object.__new__


class Vector:
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

    def set(self, index: int, value: Any) -> Vector:
        new = _new_vector(Vector)
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

    def append(self, value: Any) -> Vector:
        new = _new_vector(Vector)
        new.size, new.shift, new.root = self.size + 1, self.shift, self.root
        if len(self.tail) < WIDTH:
            new.tail = [*self.tail, value]
            return new
        full, new.tail = self.tail, [value]
        count = self.size - WIDTH  # entries in the trie
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


def differences(old: Vector, new: Vector) -> Iterator[int]:
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


EMPTY_VECTOR: Final = Vector()
