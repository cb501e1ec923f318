"""`Heap`: the smallest number first, whatever the order they came in."""

from __future__ import annotations

import random

import pytest

from acp_state.containers import EMPTY_HEAP


@pytest.mark.parametrize(
    "order", [sorted, lambda numbers: sorted(numbers, reverse=True), lambda numbers: random.Random(1).sample(numbers, len(numbers))]
)
def test_numbers_come_out_in_order(order):
    heap = EMPTY_HEAP
    for number in order(range(300)):
        heap = heap.add(number)
    found = []
    while heap.smallest is not None:
        found.append(heap.smallest)
        heap = heap.take()

    assert found == list(range(300))


def test_an_older_version_stays():
    one = EMPTY_HEAP.add(2)
    two = one.add(1)
    two.take()

    assert (EMPTY_HEAP.smallest, one.smallest, two.smallest) == (None, 2, 1)
