"""What is different between two JSON documents, such as two state documents, for a person to read.

    for difference in compare(json.loads(before), json.loads(after)):
        print(describe(difference))

Entries of a list are aligned by what they are (their type and id), not by their place: one more entry
is one difference, however many come after it. `diff` compares two snapshots, and gives what can be
applied; this compares two documents, also ones that are no valid state, and gives what can be read.
"""

from __future__ import annotations

import difflib
import itertools
import re

from collections.abc import Callable, Hashable, Iterator, Sequence
from types import NoneType
from typing import Any, Final, Literal, TypeAlias

from attrs import frozen

from ._json import Json, encode, key_of, same
from ._model import UNSET, UnsetType
from .errors import wrong_kind
from .findings import visible


Kind: TypeAlias = Literal["added", "removed", "changed", "moved", "reordered"]

_JSON: Final = (dict, list, str, int, float, NoneType)

WIDTH: Final = 160
"""How many characters of a value `describe` shows."""


@frozen
class Difference:
    """One difference, and where it is as JSON pointers (RFC 6901) into the two documents.

    `moved`: an entry stands elsewhere among the others; what is different within it comes after this.
    `reordered`: an object has the same keys in another order; *before* and *after* are those keys.
    """

    kind: Kind
    was_at: str | None
    """Where it is in the earlier document; `None` if it is not there."""
    is_at: str | None
    """Where it is in the later one."""
    before: Json | UnsetType = UNSET
    after: Json | UnsetType = UNSET
    label: str = ""
    """What the pointer goes through, in words: `tool_call call-1`."""

    @property
    def pointer(self) -> str:
        """Where it is: in the later document, or if it is not there, in the earlier."""
        return (self.was_at or "") if self.is_at is None else self.is_at

    @property
    def text(self) -> tuple[TextPart, ...]:
        """Of a text that changed: the parts that did, in order. Of anything else nothing."""
        if isinstance(self.before, str) and isinstance(self.after, str):
            return text_parts(self.before, self.after)
        return ()


@frozen
class TextPart:
    """A part of a text that is another one now."""

    offset: int
    """Where it begins in the earlier text, in characters."""
    before: str
    after: str


@frozen
class _Pair:
    """Two values that stand for the same thing and have yet to be compared."""

    was_at: str
    is_at: str
    before: Json
    after: Json
    label: str


def compare(before: Json, after: Json) -> list[Difference]:
    """Return how *after* differs from *before*, in the order of the documents; nothing if they are the same.

    Numbers differ from each other as JSON does: `1`, `1.0` and `true` are three values. The cost is that of
    reading both, times the depth; where many neighbours in a list are other ones, it is the product of their
    numbers at worst. Raises `TypeError` for a snapshot: compare what `to_document` makes of it.
    """
    for document in (before, after):
        if not isinstance(document, _JSON):
            raise wrong_kind("JSON is compared, such as to_document makes of a snapshot", document)
    found: list[Difference] = []
    waiting: list[Difference | _Pair] = [_Pair("", "", before, after, "")]
    while waiting:
        # A stack, since documents may be nested deeper than Python likes to call.
        step = waiting.pop()
        if isinstance(step, Difference):
            found.append(step)
        elif isinstance(step.before, dict) and isinstance(step.after, dict):
            waiting += reversed([*_in_objects(step, step.before, step.after)])
        elif isinstance(step.before, list) and isinstance(step.after, list):
            waiting += reversed([*_in_lists(step, step.before, step.after)])
        elif not same(step.before, step.after):
            found.append(Difference("changed", step.was_at, step.is_at, step.before, step.after, step.label))
    return found


def _in_objects(pair: _Pair, before: dict[str, Json], after: dict[str, Json]) -> Iterator[Difference | _Pair]:
    kept = [key for key in before if key in after]
    if (order := [key for key in after if key in before]) != kept:
        yield Difference("reordered", pair.was_at, pair.is_at, kept, order, pair.label)
    for key, value in before.items():
        was_at = f"{pair.was_at}/{_token(key)}"
        if key in after:
            yield _Pair(was_at, f"{pair.is_at}/{_token(key)}", value, after[key], pair.label)
        else:
            yield Difference("removed", was_at, None, value, label=pair.label)
    for key, value in after.items():
        if key not in before:
            yield Difference("added", None, f"{pair.is_at}/{_token(key)}", after=value, label=pair.label)


def _in_lists(pair: _Pair, before: list[Json], after: list[Json]) -> Iterator[Difference | _Pair]:
    for i, j, moved in _aligned(before, after):
        was_at = None if i is None else f"{pair.was_at}/{i}"
        is_at = None if j is None else f"{pair.is_at}/{j}"
        item = before[i] if j is None and i is not None else after[j or 0]
        label = ", ".join(filter(None, (pair.label, label_of(item))))
        if was_at is None or i is None:
            yield Difference("added", None, is_at, after=item, label=label)
        elif is_at is None or j is None:
            yield Difference("removed", was_at, None, item, label=label)
        else:
            if moved:
                yield Difference("moved", was_at, is_at, label=label)
            yield _Pair(was_at, is_at, before[i], after[j], label)


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


# --- which entry of a list is which ----------------------------------------------------------------


_SORT: Final = ("type", "role", "owner", "from", "operation", "code")
"""The members that say what sort of thing an entry is: two of different sorts are never the same thing."""
_ID: Final = ("id", "value", "group", "requestId", "messageId", "toolCallId", "terminalId")
"""The members that name it: the first that is there counts, and two of different names are never the same."""
_NAME: Final = ("name", "path", "uri", "url", "title", "content", "method", "subject", "text")
"""The members that tell it from others, but may themselves be what changed."""

_Key: TypeAlias = Callable[[Json], Hashable]
_Gap: TypeAlias = tuple[int, int, int, int]


def _aligned(before: Sequence[Json], after: Sequence[Json]) -> Iterator[tuple[int | None, int | None, bool]]:
    """Yield the places of what stands for the same in both lists, in order; and whether it has moved."""
    partner: dict[int, int] = {}
    gaps: list[_Gap] = [(0, len(before), 0, len(after))]
    keys: tuple[_Key, ...] = (encode, _identity, _sort)
    for key in keys:
        gaps = [rest for gap in gaps for rest in _match(before, after, gap, key, partner)]
    stayed = set(partner.values())
    lost = {_identity(item): i for i, item in enumerate(before) if i not in stayed and _id(item) is not None}
    moved = {j: lost.pop(name) for j, item in enumerate(after) if j not in partner and (name := _identity(item)) in lost}
    paired = stayed.union(moved.values())
    i = 0
    for j in range(len(after) + 1):
        # What was removed comes before what stands in its place.
        while i < len(before) and i not in stayed:
            if i not in paired:
                yield i, None, False
            i += 1
        if j in partner:
            yield i, j, False
            i += 1
        elif j < len(after):
            yield moved.get(j), j, j in moved


def _match(before: Sequence[Json], after: Sequence[Json], gap: _Gap, key: _Key, partner: dict[int, int]) -> Iterator[_Gap]:
    """Note in *partner* what has equal keys within *gap*; yield the gaps that remain."""
    start, end, other_start, other_end = gap
    one = [key(item) for item in before[start:end]]
    other = [key(item) for item in after[other_start:other_end]]
    # What is alike at both ends is most of it, as a rule, and found in no time.
    head = _common(one, other)
    tail = _common(one[head:][::-1], other[head:][::-1])
    middle = difflib.SequenceMatcher(None, one[head : len(one) - tail], other[head : len(other) - tail], autojunk=False)
    blocks = [(0, 0, head)]
    blocks += [(head + i, head + j, size) for i, j, size in middle.get_matching_blocks() if size]
    blocks += [(len(one) - tail, len(other) - tail, tail)]
    i_end = j_end = 0
    for i, j, size in blocks:
        if i > i_end and j > j_end:
            yield start + i_end, start + i, other_start + j_end, other_start + j
        for step in range(size):
            partner[other_start + j + step] = start + i + step
        i_end, j_end = i + size, j + size


def _common(one: Sequence[object], other: Sequence[object]) -> int:
    size = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        size += 1
    return size


def _first(item: Json, members: tuple[str, ...]) -> tuple[str, Json] | None:
    for member in members:
        value = item.get(member)
        if value is not None and not isinstance(value, (dict, list)):
            return member, value
    return None


def _id(item: Json) -> Hashable:
    named = _first(item, _ID) if isinstance(item, dict) else None
    return None if named is None else (named[0], key_of(named[1]))


def _sort(item: Json) -> Hashable:
    """A key of what may stand for the same if nothing better is found."""
    if not isinstance(item, dict):
        return "list" if isinstance(item, list) else "scalar"
    return (*(key_of(item.get(member)) for member in _SORT), _id(item))


def _identity(item: Json) -> Hashable:
    """A key of what stands for the same, though it may have changed."""
    if not isinstance(item, dict):
        return "list" if isinstance(item, list) else key_of(item)
    return (_sort(item), None if _id(item) is not None else _first(item, _NAME))


def label_of(item: Json) -> str:
    """Return what an entry of a list is, in words: its type or role, and its id or name. May be empty."""
    if not isinstance(item, dict):
        return ""
    words = [item[member] for member in _SORT if isinstance(item.get(member), str)]
    named = _first(item, _ID) or _first(item, _NAME[:-1])
    if named is not None:
        words.append(shown(named[1], 40) if named[0] in _NAME else str(named[1]))
    return " ".join(words) if named is not None or "role" in item or "code" in item else ""


# --- texts -----------------------------------------------------------------------------------------


def text_parts(before: str, after: str) -> tuple[TextPart, ...]:
    """Return the parts of a text that changed, in order: lines apart from each other, and of a line the words that differ."""
    whole = _trimmed(0, before, after)
    if "\n" not in whole.before or "\n" not in whole.after:
        return (whole,) if before != after else ()
    lines, others = _LINES.findall(whole.before), _LINES.findall(whole.after)
    starts = [*itertools.accumulate(map(len, lines), initial=whole.offset)]
    matcher = difflib.SequenceMatcher(None, lines, others)
    return tuple(
        _trimmed(starts[i], "".join(lines[i:i_end]), "".join(others[j:j_end]))
        for tag, i, i_end, j, j_end in matcher.get_opcodes()
        if tag != "equal"
    )


_LINES: Final = re.compile("[^\n]*\n|[^\n]+")
"""A line with its end; other line breaks are none in JSON Lines, and none here."""


def _trimmed(offset: int, before: str, after: str) -> TextPart:
    """Return the part without what is alike at both ends; where something became something else, whole words."""
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    if head + tail < min(len(before), len(after)):
        while head and _one_word(before, head) | _one_word(after, head):
            head -= 1
        while tail and _one_word(before, len(before) - tail) | _one_word(after, len(after) - tail):
            tail -= 1
    return TextPart(offset + head, before[head : len(before) - tail], after[head : len(after) - tail])


def _one_word(text: str, place: int) -> bool:
    """Whether a cut at *place* would go through a word."""
    return text[place - 1].isalnum() and text[place].isalnum()


# --- in words --------------------------------------------------------------------------------------


_MARKS: Final = {"added": "+", "removed": "-", "changed": "~", "moved": ">", "reordered": ">"}


def describe(difference: Difference, width: int = WIDTH) -> str:
    """Return *difference* as a line of text; a text with several changed parts has one more line for each.

    Values longer than *width* characters are cut, and say so. Control characters are shown as escapes.
    """
    label = f" ({visible(difference.label)})" if difference.label else ""
    start = f"{_MARKS[difference.kind]} {visible(difference.pointer) or 'the whole document'}{label}"
    if difference.kind == "moved":
        return f"{start}: moved, was {visible(difference.was_at)}"
    if difference.kind == "reordered":
        return f"{start}: other order, {shown(difference.before, width)} became {shown(difference.after, width)}"
    parts = difference.text
    if len(parts) > 1:
        return "\n".join([f"{start}:", *(f"    {_part(difference, part, width)}" for part in parts)])
    if parts:
        return f"{start}: {_part(difference, parts[0], width)}"
    values = [shown(value, width) for value in (difference.before, difference.after) if not isinstance(value, UnsetType)]
    return f"{start}: {' became '.join(values)}"


def _part(difference: Difference, part: TextPart, width: int) -> str:
    before, after = str(difference.before), str(difference.after)
    appended = not part.before and part.offset == len(before)
    if not (appended and before) and max(len(before), len(after)) <= width // 4:
        return f"{shown(before, width)} became {shown(after, width)}"
    if appended:
        return f"appended {shown(part.after, width)}"
    line = before.count("\n", 0, part.offset)
    where = f"in line {line + 1}" if line else f"at character {part.offset + 1}"
    if not part.before:
        return f"{where}, inserted {shown(part.after, width)}"
    if not part.after:
        return f"{where}, left out {shown(part.before, width)}"
    return f"{where}, {shown(part.before, width)} became {shown(part.after, width)}"


def shown(value: Any, width: int) -> str:
    """Return a JSON value as text on one line, cut after *width* characters; control characters are shown as escapes."""
    text = str(visible(encode(value).decode()))
    if len(text) <= width:
        return text
    return f"{text[: width - 1]}… ({len(text):,} characters)"


def to_object(difference: Difference) -> dict[str, Json]:
    """Return *difference* as JSON: `kind`, `pointer`, `wasAt` where it was elsewhere, `label`, `before`, `after`, and of a text `parts`."""
    object_: dict[str, Json] = {"kind": difference.kind, "pointer": difference.pointer}
    if difference.was_at not in (None, difference.pointer):
        object_["wasAt"] = difference.was_at
    if difference.label:
        object_["label"] = difference.label
    values = (("before", difference.before), ("after", difference.after))
    object_ |= {name: value for name, value in values if not isinstance(value, UnsetType)}
    if parts := difference.text:
        object_["parts"] = [{"offset": part.offset, "before": part.before, "after": part.after} for part in parts]
    return object_


__all__ = ["Difference", "TextPart", "compare", "describe", "label_of", "shown", "text_parts", "to_object"]
