"""`Table`: every version reads as it was, whoever goes on from it."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
import threading

import pytest

from acp_state.containers import EMPTY_TABLE, make_table


class Model:
    """What a table should hold: a list of (key, item), `None` where something was removed."""

    def __init__(self, slots=()):
        self.slots = list(slots)

    def live(self):
        return [slot for slot, entry in enumerate(self.slots) if entry]

    def items(self):
        return [entry[1] for entry in self.slots if entry]

    def differences(self, older):
        return [slot for slot, entry in enumerate(self.slots) if slot >= len(older.slots) or older.slots[slot] != entry]


def assert_reads_as(table, model):
    live = model.live()
    assert list(table) == model.items()
    assert (table.end, len(table)) == (len(model.slots), len(live))
    assert [slot for slot, _ in table.slots()] == live
    assert list(table.entries()) == [entry for entry in model.slots if entry]
    for index, slot in enumerate(live):
        key, item = model.slots[slot]
        assert (table.slot_at(index), table.index_of(slot), table.at(slot), table[index], table.key_at(slot)) == (
            slot,
            index,
            item,
            item,
            key,
        )
    assert (table.first(), table.last()) == ((model.items()[0], model.items()[-1]) if live else (None, None))
    for key in {entry[0] for entry in model.slots if entry} - {None}:
        assert table.slot_of(key) in (-1, max(slot for slot in live if model.slots[slot][0] == key))


def step(chance, table, model, owner, number):
    """Change *table* and *model* alike."""
    live, draw = model.live(), chance.random()
    if draw < 0.35 or not live:
        key = chance.choice([None, "a", "b", "c", number])
        model.slots.append((key, number))
        return table.add(key, number, owner)
    slot = chance.choice(live)
    if draw < 0.8:
        model.slots[slot] = (model.slots[slot][0], number)
        return table.put(slot, number, owner)
    model.slots[slot] = None
    table = table.remove_slot(slot, owner)
    if table.end != len(model.slots):  # what was left got new slots
        model.slots = [entry for entry in model.slots if entry]
    return table


@pytest.mark.parametrize("seed", range(60))
def test_every_version_reads_as_it_was(seed):
    chance = random.Random(seed)  # noqa: S311 -- no secret
    table, model, owner = EMPTY_TABLE, Model(), object()
    versions = []
    for number in range(chance.randrange(10, 200)):
        if chance.random() < 0.2:
            versions.append((table, Model(model.slots)))
            owner = object()
        if versions and chance.random() < 0.03:  # somebody goes on from an older version
            table, model = versions[chance.randrange(len(versions))]
            model, owner = Model(model.slots), object()
        table = step(chance, table, model, owner if chance.random() < 0.8 else None, number)
        owner = owner if table._owner is owner else object()
    for version, expected in [*versions, (table, model)]:
        assert_reads_as(version, expected)
    for (older, before), (newer, after) in itertools.product(versions, repeat=2):
        if newer.continues(older):
            assert newer.differences(older) == after.differences(before)


def test_a_key_that_is_added_again_stands_for_the_newest_entry():
    before = make_table([("a", 1)])
    after = before.add("a", 2)

    assert (before.get("a"), after.get("a"), list(after)) == (1, 2, [1, 2])
    assert after.remove("a").get("a") is None
    assert after.get("a") == 2


def test_what_many_begin_with_keeps_nothing():
    EMPTY_TABLE.add("a", 1, object())
    EMPTY_TABLE.add("b", 2)

    assert list(EMPTY_TABLE) == []


def test_an_owner_changes_its_own_version_in_place_and_no_other():
    owner = object()
    table = make_table().add("a", 1, owner)
    seen = table.put(0, 2, owner)
    other = table.put(0, 3, object())

    assert seen is table
    assert (table[0], other[0]) == (2, 3)


def test_it_cannot_be_changed_through_its_constructor():
    table = make_table([("a", 1)])
    with pytest.raises(TypeError):
        table.__init__([("b", 2)])

    assert list(table) == [1]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])  # noqa: S301 -- our own
def test_a_copy_is_equal(copied):
    table = make_table([("a", 1), (None, 2)]).remove("a").add("b", 3)

    assert copied(table) == table
    assert copied(table).get("b") == 3


def test_threads_that_go_on_from_one_version_do_not_meet():
    start = make_table([(n, n) for n in range(100)])
    found = {}

    def go_on(name):
        table = start
        for number in range(300):
            table = table.put(number % 100, (name, number)).add((name, number), name)
        found[name] = table

    threads = [threading.Thread(target=go_on, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert list(start) == list(range(100))
    for name, table in found.items():
        assert list(table) == [(name, 200 + n) for n in range(100)] + [name] * 300
