"""What msgspec reads is what the lenient reader reads without a problem, to the same value; everything else is refused."""

from __future__ import annotations

import copy
import json
import random

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from msgspec import Struct

from acp_state._json import MAX_DEPTH, FrozenDict, FrozenList, encode, freeze
from acp_state.frames import Frame
from acp_state.normalize import NEW, normalize
from acp_state.protocol import updates as u
from acp_state.protocol.content import Diff, Diff1, TextContent
from acp_state.protocol.decoders import Notification, convert_update, decode_update, decode_updates
from acp_state.protocol.lenient import read_update
from acp_state.protocol.updates import SessionUpdate, Update
from acp_state.protocol.values import MalformedError
from acp_state.reading.reader import Reader
from benchmarks.workloads import WORKLOADS, lines

from support.effort import ran
from support.examples import OTHERS, SLOW, UPDATES
from support.mutated import generator, mutated
from support.official import schemas


GOLDEN = Path(__file__).parents[2] / "golden"
VERSIONS = (1, 2)
EXAMPLES = [
    pytest.param(version, example, id=f"{version}-{example['sessionUpdate']}-{number}")
    for version in VERSIONS
    for number, example in enumerate((*UPDATES[version].values(), *OTHERS[version]))
]


def message(update: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s-1", "update": update}}


def line(update: Any) -> bytes:
    return json.dumps(message(update)).encode()


def accepted(act: Any, *arguments: Any) -> Update | None:
    """Return what a decoder makes of an update, `None` if it refuses it."""
    try:
        return act(*arguments).params.update
    except (ValueError, RecursionError):
        return None


def told(value: Any) -> Any:
    """Return what an update says, with its types, in the order in which it would be printed."""
    if isinstance(value, Struct):
        if isinstance(value, Update):
            members = {name: told(getattr(value, name)) for name in value.__struct_fields__}
            return (type(value).__name__, *members.items())
        return told(freeze(value)) if hasattr(type(value), "__struct_config__") else value
    if isinstance(value, dict):
        return ("object", *((name, told(member)) for name, member in value.items()))
    if isinstance(value, (list, tuple)):
        return ("array", *map(told, value))
    return (type(value).__name__, repr(value))


def checked(version: int, update: dict[str, Any]) -> bool:
    """Check both decoders with an *update*, and return whether they accept it."""
    found = accepted(decode_update[version], line(update))
    assert told(accepted(convert_update, message(update), version)) == told(found)
    if found is None:
        return False
    read, problems = read_update(update, version)
    assert problems == []
    assert told(found) == told(read)
    return True


# --- what is accepted --------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "update"), EXAMPLES)
def test_what_is_as_its_schema_says_is_accepted(version, update):
    assert checked(version, update) == (update["sessionUpdate"] not in SLOW)


@pytest.mark.parametrize(("version", "update"), EXAMPLES)
def test_what_has_only_the_members_that_must_be_there_is_accepted(version, update):
    kind = u.UPDATES[version][update["sessionUpdate"]]
    needed = {info.encode_name for info in msgspec.structs.fields(kind) if info.required} | {"sessionUpdate"}

    assert checked(version, {name: member for name, member in update.items() if name in needed}) == (update["sessionUpdate"] not in SLOW)


@pytest.mark.parametrize("version", VERSIONS)
def test_there_is_an_example_of_every_kind(version):
    other = u.ONLY_IN_1 if version == 2 else u.ONLY_IN_2

    assert UPDATES[version].keys() == u.UPDATES[version].keys() - other


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_workloads_of_the_benchmarks_are_accepted(name):
    version = WORKLOADS[name].version
    found = [one for one in lines(name, 400) if b'"session/update"' in one]

    assert len(found) > 200
    for one in found:
        assert isinstance(decode_update[version](one), Notification)
    assert decode_updates[version](b"".join(found)) == [decode_update[version](one) for one in found]


def updates_made(chance: random.Random, version: int) -> Iterator[dict[str, Any]]:
    """Yield updates that are nearly as they should be: made from the schemas, where these are, and from the examples."""
    made = [*UPDATES[version].values(), *OTHERS[version]]
    makers = [generator(official).schema(variant) for official in schemas().values() for variant in official.updates.values()]
    while True:
        update = chance.choice(makers)(chance) if makers and chance.random() < 0.5 else chance.choice(made)
        update = mutated(update, chance, chance.choice((0, 1, 1, 1, 2, 3)))
        if isinstance(update, dict) and isinstance(update.get("sessionUpdate"), str):
            yield update


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_accepted_has_no_problem_and_reads_the_same(version, seed):
    """Whatever is changed of an update: the decoders refuse it, or the lenient reader comes to the same and finds nothing."""
    chance = random.Random(f"{version} {seed}")  # noqa: S311 -- no secret
    number = 1500
    found = 0
    for _, update in zip(range(number), updates_made(chance, version), strict=False):
        try:
            found += checked(version, update)
        except MalformedError:
            pytest.fail(f"accepted, and malformed: {json.dumps(update)}")
    ran("mutated inputs", number)

    assert number * 0.1 < found < number * 0.9


@pytest.mark.parametrize("version", VERSIONS)
def test_of_an_accepted_update_the_normalizer_has_nothing_to_report(version):
    chance = random.Random(f"normalized {version}")  # noqa: S311 -- no secret
    wire = normalize(NEW, Frame("agent", "notification", method="session/update", payload={"sessionId": "s", "update": {}}))[0]
    wire = msgspec.structs.replace(wire, version=version, settled=True)
    for _, update in zip(range(300), updates_made(chance, version), strict=False):
        if accepted(decode_update[version], line(update)) is not None:
            frame = Frame("agent", "notification", method="session/update", payload=message(update)["params"])
            assert normalize(wire, frame)[2] == ()


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.ndjson")), ids=lambda path: path.stem)
def test_of_a_golden_only_updates_without_a_diagnostic_are_accepted(path):
    wire, reader = NEW, Reader()
    for frame in (*reader.feed(path.read_bytes()), *reader.close()):
        if isinstance(frame, Frame):
            version = wire.version
            wire, _, diagnostics = normalize(wire, frame)
            is_update = frame.method == "session/update" and frame.kind == "notification"
            if is_update and {one.code for one in diagnostics} - {"ambiguous-sender"}:
                assert accepted(convert_update, {"jsonrpc": "2.0", "method": "session/update", "params": frame.payload}, version) is None


# --- what is refused ---------------------------------------------------------------------------------

CHUNK = UPDATES[1]["agent_message_chunk"]
PLAIN = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "t"}}


def test_a_plain_chunk_is_accepted():
    assert decode_update[1](line(PLAIN)).params == SessionUpdate("s-1", u.AgentMessageChunk1(TextContent("t")))


def texts_of_others() -> dict[str, bytes]:
    one = line(PLAIN)
    return {
        "two values": one + one,
        "half a value": one[:-1],
        "blank": b"",
        "a byte order mark": b"\xef\xbb\xbf" + one,
        "no JSON-RPC": one.replace(b'"jsonrpc": "2.0", ', b""),
        "another JSON-RPC": one.replace(b'"2.0"', b'"1.0"'),
        "another method": one.replace(b"session/update", b"session/upd"),
        "an id": one.replace(b"{", b'{"id": 1, ', 1),
        "_meta of the params": one.replace(b'"params": {', b'"params": {"_meta": {}, '),
        "no session": one.replace(b'"sessionId": "s-1", ', b""),
        "a batch": b"[" + one + b"]",
        "no object": b"[]",
        "not UTF-8": one.replace(b'"t"', b'"\xff"'),
        "a lone surrogate": one.replace(b'"t"', b'"\\ud83d"'),
        "NaN": line({"sessionUpdate": "usage_update", "used": 1, "size": 1, "cost": {"amount": 1e999, "currency": "EUR"}}),
        "another tag after it": one.replace(b'"sessionUpdate"', b'"sessionUpdate": "agent_message_chunk", "sessionUpdate"').replace(
            b'"agent_message_chunk", "content"', b'"plan", "content"'
        ),
    }


@pytest.mark.parametrize("text", texts_of_others().values(), ids=texts_of_others())
def test_a_line_that_is_anything_else_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 -- msgspec's errors, and Unicode's, are such
        decode_update[1](text)


@pytest.mark.parametrize(
    "update",
    [
        {**PLAIN, "x": 1},
        {**PLAIN, "content": {"type": "text", "text": "t", "x": 1}},
        {**PLAIN, "content": {"type": "_x"}},
        {**PLAIN, "content": {"text": "t"}},
        {**PLAIN, "content": None},
        {**PLAIN, "messageId": 7},
        {**PLAIN, "_meta": []},
        {"sessionUpdate": "usage_update", "used": 1.0, "size": 2},
        {"sessionUpdate": "usage_update", "used": -1, "size": 2},
        {"sessionUpdate": "usage_update", "used": True, "size": 2},
        {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "done"},
        {"sessionUpdate": "plan_removed", "id": "p"},
        {"sessionUpdate": "_x"},
        {},
    ],
    ids=json.dumps,
)
def test_what_there_is_something_to_report_about_is_refused(update):
    assert not accepted(decode_update[1], line(update))
    assert not accepted(convert_update, message(update), 1)


@pytest.mark.parametrize("kind", sorted(u.ONLY_IN_1 | u.ONLY_IN_2))
def test_a_kind_of_the_other_version_is_refused(kind):
    version = 2 if kind in u.ONLY_IN_1 else 1

    assert not accepted(decode_update[version], line(UPDATES[3 - version][kind]))
    assert accepted(decode_update[3 - version], line(UPDATES[3 - version][kind]))


def test_a_chunk_without_an_id_is_refused_where_the_version_demands_one():
    for missing in (PLAIN, {**PLAIN, "messageId": None}):
        assert accepted(decode_update[1], line(missing))
        assert not accepted(decode_update[2], line(missing))


def test_the_diff_of_the_other_version_is_refused():
    for version, kind in ((1, Diff1), (2, Diff)):
        update = UPDATES[version]["tool_call_update"]
        found = accepted(decode_update[version], line(update))
        assert any(type(item) is kind for item in found.content)
        assert not accepted(decode_update[3 - version], line(update))


# --- what is kept ------------------------------------------------------------------------------------


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, Struct):
        value = [getattr(value, name) for name in value.__struct_fields__]
    elif isinstance(value, (dict, list)):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ():
        yield from containers(part)


@pytest.mark.parametrize(("version", "update"), EXAMPLES)
def test_everything_that_is_kept_is_frozen_and_ours(version, update):
    if update["sessionUpdate"] in SLOW:
        return
    mine = copy.deepcopy(message(update))
    found = convert_update(mine, version)
    before = told(found.params.update)
    for part in list(containers(mine)):
        part.clear()

    assert told(found.params.update) == before
    assert {type(part) for part in containers(found)} <= {FrozenDict, FrozenList}


def test_frozen_parts_may_be_fed():
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawInput": freeze({"a": [1]})}

    assert accepted(convert_update, message(update), 2).raw_input == {"a": [1]}


class Word(str):
    __slots__ = ()


class Table(dict):
    pass


@pytest.mark.parametrize(
    "value",
    [
        *(Word("x"), Table(a=1), {1: 2}, {Word("x"): 1}, {"a"}, frozenset("a"), ("a",), b"x", object(), float("nan"), float("inf")),
        *([("a",)], {"a": {"b": float("nan")}}, 10**4301, "\ud83d"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_no_decoder_makes_is_refused(value):
    """The lenient reader says what it is, or reads it all the same."""
    assert not accepted(convert_update, message({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawInput": value}), 2)
    assert not accepted(convert_update, message({"sessionUpdate": "session_info_update", "title": value}), 2)
    assert not accepted(convert_update, value, 2)


def nested(depth: int) -> Any:
    value: Any = 1
    for number in range(depth):
        value = [value] if number % 2 else {"a": value}
    return value


@pytest.mark.parametrize("name", ["rawInput", "_meta"])
def test_what_is_too_deep_is_refused_long_before_it_is_too_deep_for_a_frame(name):
    def update(depth: int) -> dict[str, Any]:
        return {"sessionUpdate": "tool_call_update", "toolCallId": "c", name: nested(depth) if name == "rawInput" else {"a": nested(depth)}}

    deep = MAX_DEPTH - 16
    assert checked(2, update(deep - 1))
    assert not checked(2, update(deep + 1))
    for depth in (300, 5000):
        with pytest.raises((ValueError, RecursionError)):
            decode_update[2](b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":' + b"[" * depth)
    assert not accepted(convert_update, message(update(20_000)), 2)


def test_what_holds_itself_is_refused():
    loop: list[Any] = []
    loop.append(loop)

    assert not accepted(convert_update, message({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawInput": loop}), 2)


# --- as on the wire ----------------------------------------------------------------------------------


def test_what_is_kept_as_sent_comes_out_the_same_whichever_way_it_was_read():
    block = {"_meta": {"b": 1, "a": 2}, "text": "t", "annotations": None, "type": "text"}
    quick = accepted(decode_update[1], line({**PLAIN, "content": block})).content
    slow = read_update({**PLAIN, "content": block}, 1)[0].content

    assert type(quick) is TextContent
    assert type(slow) is FrozenDict
    assert encode(freeze(quick)) == encode(freeze(slow)) == b'{"type":"text","text":"t","annotations":null,"_meta":{"b":1,"a":2}}'


def test_freeze_leaves_alone_what_is_on_the_wire():
    frozen = freeze({"type": "_x", "a": [1]})

    assert freeze(frozen) is frozen
    assert freeze((frozen, TextContent("t"))) == [frozen, {"type": "text", "text": "t"}]
    assert type(freeze((frozen,))) is FrozenList
    assert freeze(None) is None
