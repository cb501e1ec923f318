"""JSON as this package handles it: exact decoding, immutable values, deterministic text.

Bottom layer: imports nothing of ours. Everything that is kept of a frame as sent passes through
`freeze`, so no caller can reach into a snapshot and nothing that a caller changes later shows.
"""

from __future__ import annotations

import re

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, TypeAlias

import msgspec


if TYPE_CHECKING:
    from json import JSONDecoder


Json: TypeAlias = Any
"""A JSON value: `None`, `bool`, `int`, `float`, `str`, `FrozenList` or `FrozenDict`."""

MAX_DEPTH: Final = 200
"""Deepest nesting that a frame may have. ACP itself needs about 12; Python's own walkers give up at 1,000."""

DEEPEST: Final = 400
"""The highest limit of nesting: Python's own stack ends at 1,000, and whoever calls us uses some of it."""

MAX_DIGITS: Final = 4300
"""Longest integer that is read: CPython's own limit for int <-> str conversion."""

_HUGE: Final = 10**MAX_DIGITS


class NotJsonError(ValueError):
    """A text or an object that is no JSON value that this package can hold."""


class TooDeepError(NotJsonError):
    """A value that is nested deeper than the limit."""


class BadEncodingError(NotJsonError):
    """A text that is not UTF-8."""


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    msg = f"{type(self).__name__} is immutable"
    raise TypeError(msg)


_Refusal: TypeAlias = Callable[..., NoReturn]


class FrozenDict(dict[str, Json]):
    """A JSON object that cannot be changed. Equal to a plain `dict` with the same items."""

    __slots__ = ("_owner",)

    _owner: object
    """Who made it and may still change it (`change_members`); most have none."""

    def __new__(cls, *args: Any, **members: Any) -> Self:
        """Return an object with what a `dict` of the same arguments has."""
        new = dict.__new__(cls)
        dict.update(new, *args, **members)
        return new

    def __init__(self, *_: object, **__: object) -> None:
        """Change nothing: that of a `dict` would."""

    __setitem__: _Refusal = _refuse
    __delitem__: _Refusal = _refuse
    __ior__: _Refusal = _refuse
    clear: _Refusal = _refuse
    pop: _Refusal = _refuse
    popitem: _Refusal = _refuse
    setdefault: _Refusal = _refuse
    update: _Refusal = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # a dict and a list have none
        return hash(frozenset((key, _hashable(value)) for key, value in self.items()))

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Json]]]:
        return (FrozenDict, (dict(self),))

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _: object) -> FrozenDict:
        return self


class FrozenList(list[Json]):
    """A JSON array that cannot be changed. Equal to a plain `list` with the same items."""

    __slots__ = ()

    def __new__(cls, items: Iterable[Any] = ()) -> Self:
        """Return an array of *items*."""
        new = list.__new__(cls)
        list.extend(new, items)
        return new

    def __init__(self, *_: object) -> None:
        """Change nothing: that of a `list` would."""

    __setitem__: _Refusal = _refuse
    __delitem__: _Refusal = _refuse
    __iadd__: _Refusal = _refuse
    __imul__: _Refusal = _refuse
    append: _Refusal = _refuse
    clear: _Refusal = _refuse
    extend: _Refusal = _refuse
    insert: _Refusal = _refuse
    pop: _Refusal = _refuse
    remove: _Refusal = _refuse
    reverse: _Refusal = _refuse
    sort: _Refusal = _refuse

    def __hash__(self) -> int:  # type: ignore[override]  # a dict and a list have none
        return hash(tuple(_hashable(value) for value in self))

    def __reduce__(self) -> tuple[type[FrozenList], tuple[list[Json]]]:
        return (FrozenList, (list(self),))

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, _: object) -> FrozenList:
        return self


EMPTY: Final = FrozenDict()


_new_dict: Final[Any] = dict.__new__
_fill_dict: Final[Any] = dict.update
_new_list: Final[Any] = list.__new__
_fill_list: Final[Any] = list.extend


def frozen_dict(members: Mapping[str, Json]) -> FrozenDict:
    """Return `FrozenDict(members)`, at half the cost; its values must be frozen."""
    new: FrozenDict = _new_dict(FrozenDict)
    _fill_dict(new, members)
    return new


def change_members(object_: FrozenDict, members: Mapping[str, Json], owner: object) -> FrozenDict:
    """Return *object_* with *members*, and without those that are `None`; one of the *owner*'s own is changed in place."""
    new = object_ if getattr(object_, "_owner", None) is owner else frozen_dict(object_)
    for name, value in members.items():
        if value is None:
            dict.pop(new, name, None)
        else:
            dict.__setitem__(new, name, value)
    new._owner = owner
    return new


def frozen_list(items: Iterable[Json]) -> FrozenList:
    """Return `FrozenList(items)`, at half the cost; its items must be frozen."""
    new: FrozenList = _new_list(FrozenList)
    _fill_list(new, items)
    return new


def _hashable(value: Json) -> object:
    # 1, True and 1.0 are three JSON values but one Python key.
    return value if isinstance(value, (str, FrozenDict, FrozenList)) else (type(value), value)


def freeze(value: Any, depth: int = MAX_DEPTH) -> Json:
    """Return *value* as an immutable JSON value; what is frozen already comes back as it is.

    A Struct becomes the object that it is on the wire, a tuple an array, and a subclass of a primitive that primitive. Raises
    `NotJsonError` for anything else, for a key that is no string, for NaN and infinities, and for
    nesting deeper than *depth* (which a value that contains itself is too).
    """
    kind = type(value)
    if kind is str or kind is bool or value is None or kind is FrozenDict or kind is FrozenList:
        return value
    if kind is int or kind is float:
        return _freeze_scalar(value)
    if kind is dict or isinstance(value, Mapping):
        return _freeze_object(value, depth)
    if kind is list or isinstance(value, (list, tuple)):
        if depth <= 0:
            raise _too_deep()
        elements: list[Json] = []
        for item in value:
            item_kind = type(item)
            elements.append(item if item_kind is str or (item_kind is int and -_HUGE < item < _HUGE) else freeze(item, depth - 1))
        return frozen_list(elements)
    return _freeze_scalar(value)


def _freeze_object(value: Mapping[Any, Any], depth: int) -> FrozenDict:
    if depth <= 0:
        raise _too_deep()
    changed: dict[str, Json] = {}
    for name, item in value.items():
        if name.__class__ is not str:
            return FrozenDict((_freeze_key(name), freeze(item, depth - 1)) for name, item in value.items())
        kind = item.__class__
        if kind is not str and not (kind is int and -_HUGE < item < _HUGE):
            changed[name] = freeze(item, depth - 1)
    return frozen_dict({**value, **changed} if changed else value)


def _freeze_key(name: object) -> str:
    if isinstance(name, str):
        return str.__str__(name)
    msg = f"an object key of type {type(name).__name__}"
    raise NotJsonError(msg)


def _freeze_scalar(value: object) -> Json:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and -_HUGE < value < _HUGE:
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return float(value)
    if isinstance(value, msgspec.Struct):
        return freeze(msgspec.to_builtins(value))
    what = "a number out of range" if isinstance(value, (int, float)) else f"a value of type {type(value).__name__}"
    raise NotJsonError(what)


fast_decode: Final = msgspec.json.Decoder().decode
"""Decodes one JSON text; refuses lone surrogates and allows any depth. Raises `ValueError` or `RecursionError`."""


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _bad_number(text)


def _bounded(text: str) -> int:
    try:
        return int(text) if len(text.lstrip("-")) <= MAX_DIGITS else _bad_number(text)
    except ValueError:  # CPython may be told to convert even fewer digits
        return _bad_number(text)


def _bad_number(text: str) -> NoReturn:
    msg = f"the number {text if len(text) <= 24 else text[:20] + '...'} is out of range"
    raise NotJsonError(msg)


@cache
def _scanner() -> JSONDecoder:
    """Return what decodes a text that may be wrong, or only the beginning of one. Few recordings need it."""
    from json import JSONDecoder

    return JSONDecoder(parse_float=_finite, parse_int=_bounded, parse_constant=_bad_number)


_GAP: Final = re.compile(r"\ufeff*[ \t\r\n]*")


def decode(data: bytes, depth: int = MAX_DEPTH) -> Json:
    """Decode one JSON text (UTF-8) into plain Python values; the last of equal keys wins.

    Integers keep every digit. A lone surrogate, as an escape or as bytes, is kept as such (half a
    character may be the end of a chunk). Raises `NotJsonError` or one of its two subclasses.
    """
    try:
        value = fast_decode(data)
    except (ValueError, RecursionError):
        return _decode_slowly(data, depth)  # which knows lone surrogates and says what is wrong
    if many_brackets(data, depth) and is_deeper(value, depth):
        raise _too_deep(depth)
    return value


def _decode_slowly(data: bytes, depth: int) -> Json:
    values, _, error = decode_many(data, depth)
    if error is not None:
        raise error
    if len(values) == 1:
        return values[0]
    msg = f"{len(values)} values where one was expected"
    raise NotJsonError(msg)


def decode_many(data: bytes, depth: int = MAX_DEPTH) -> tuple[list[Json], list[int], NotJsonError | None]:
    """Decode the JSON values that stand one after the other in *data*, as far as they are good.

    Returns the values, the position in *data* where each ends, and what is wrong with what comes
    after the last of them (`None` if that is blank). Objects and arrays need nothing between them;
    any other value must be the last. A byte order mark may stand right before a value and its blanks.
    """
    text, error = _text(data)
    values: list[Json] = []
    ends: list[int] = []
    position = seen = byte = 0
    while (start := _skip(text, position)) < len(text):
        value, end, fault = _read_one(text, start, depth)
        if fault is None and not isinstance(value, (dict, list)) and (error or _skip(text, end) < len(text)):
            fault = NotJsonError(f"more text after a value (character {end + 1})")
        if fault is not None:
            return values, ends, error or fault
        byte += end - seen if len(data) == len(text) else len(text[seen:end].encode("utf-8", "surrogatepass"))
        values.append(value)
        ends.append(byte)
        position = seen = end
    return values, ends, error


def _text(data: bytes) -> tuple[str, BadEncodingError | None]:
    """The text as far as it is UTF-8, and what is wrong with it. Surrogates are let through."""
    try:
        return data.decode("utf-8", "surrogatepass"), None
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8", "surrogatepass")
        return good, BadEncodingError(f"not UTF-8 at byte {error.start + 1}")


def _skip(text: str, position: int) -> int:
    gap = _GAP.match(text, position)
    return gap.end() if gap else position


def _read_one(text: str, start: int, depth: int) -> tuple[Json, int, NotJsonError | None]:
    from json import JSONDecodeError

    try:
        value, end = _scanner().raw_decode(text, start)
    except JSONDecodeError as error:
        return None, start, NotJsonError(f"{error.msg} (character {error.pos + 1})")
    except NotJsonError as error:
        return None, start, error
    except RecursionError:
        return None, start, _too_deep(depth)
    if end - start > 2 * depth and is_deeper(value, depth):
        return None, start, _too_deep(depth)
    if not text.isascii() and re.search("[\ud800-\udbff][\udc00-\udfff]", text[start:end]):
        # Each half of a character was encoded by itself (CESU-8); inside JSON that is one character.
        joined = text[start:end].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        value = _scanner().raw_decode(joined)[0]
    return value, end, None


def many_brackets(data: bytes, depth: int) -> bool:
    """Whether *data* has enough brackets to be nested deeper than *depth*; cheap, as nearly no line has.

    Counts by deleting, which searches by words of memory where `bytes.count` goes byte by byte.
    """
    size = len(data)
    return size > 2 * depth and 2 * size - len(data.replace(b"[", b"", depth + 1)) - len(data.replace(b"{", b"", depth + 1)) > depth


def is_deeper(value: Json, depth: int) -> bool:
    """Whether *value* is nested deeper than *depth*: a number is 0 deep, `[]` is 1."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(depth):
        below = [child for node in level for child in (node.values() if isinstance(node, dict) else node)]
        level = [child for child in below if isinstance(child, (dict, list))]
        if not level:
            return False
    return bool(level)


def _too_deep(depth: int | None = None) -> TooDeepError:
    return TooDeepError("nested too deeply" if depth is None else f"nested deeper than {depth} levels")


_encode = msgspec.json.Encoder().encode


def encode(value: Json, indent: int | None = None) -> bytes:
    """Encode *value* as UTF-8 JSON: keys in their order, lone surrogates as escapes, compact or indented."""
    try:
        data = _encode(value)
    except UnicodeEncodeError:
        # Only the C-free encoder leaves a lone surrogate for the codec, which can write its JSON escape.
        separators = (",", ":") if indent is None else None
        import json

        text = json.dumps(value, ensure_ascii=False, separators=separators, indent=indent)
        return text.encode("utf-8", "backslashreplace")
    return msgspec.json.format(data, indent=indent) if indent is not None else data


def key_of(value: Json) -> object:
    """A dictionary key under which different JSON values differ: `1`, `"1"`, `true` and `1.0` are four."""
    kind = type(value)
    if kind is str or kind is int:
        return value
    if kind is FrozenDict or kind is FrozenList or kind is dict or kind is list:
        return ("json", encode(value))
    return (kind.__name__, value)


def same(a: Json, b: Json) -> bool:
    """Whether two JSON values are the same to the type: `1`, `1.0` and `true` are equal to Python, not to JSON."""
    return a is b or (a == b and _alike(a, b))  # Python compares in C, and what differs nearly always differs to it, too


def _alike(a: Json, b: Json) -> bool:
    """Whether two equal values are so to the type."""
    if a is b:
        return True
    if isinstance(a, dict):
        for key, value in a.items():  # noqa: SIM110 -- a generator would double the depth of the stack
            if not _alike(value, b[key]):
                return False
        return True
    if isinstance(a, list):
        for one, other in zip(a, b, strict=True):  # noqa: SIM110 -- likewise
            if not _alike(one, other):
                return False
        return True
    return type(a) is type(b)
