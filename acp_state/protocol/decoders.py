"""Decoders of updates, in C: from a line straight to the event that the reducer takes.

A decoder accepts only what the lenient reader reads without a problem, and returns an equal update. It raises
`ValueError` or `RecursionError` for anything else: then the lenient reader reads the update and reports what is wrong.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from types import NoneType
from typing import Any, Final, Generic, Literal, TypeVar

from msgspec import Struct, convert
from msgspec.json import Decoder, Encoder

from .._json import MAX_DEPTH, FrozenDict, FrozenList, freeze
from . import marks as m
from .secrets import scrub
from .updates import SessionUpdate, Update, UpdateOf1, UpdateOf2


U = TypeVar("U", bound=Update)


class Notification(Struct, Generic[U], frozen=True, gc=False, forbid_unknown_fields=True):
    """A JSON-RPC notification `session/update` without further members."""

    jsonrpc: Literal["2.0"]
    method: Literal["session/update"]
    params: SessionUpdate[U]


_NOTIFICATIONS: Final[Mapping[int, Any]] = {1: Notification[UpdateOf1], 2: Notification[UpdateOf2]}

_DEPTH: Final = MAX_DEPTH - 16
"""The limit for a value that is kept, which is itself at most 16 levels deep in its frame."""


def _read_custom(kind: type, value: Any) -> Any:
    """Read a value of a *kind* that msgspec does not know. Raises `ValueError`."""
    if kind is m.MetaObject:
        if not isinstance(value, Mapping):
            raise ValueError("_meta is no object")
        return scrub(freeze(value, _DEPTH))
    if issubclass(kind, m.Untagged):
        return convert(value, kind.choose(value), dec_hook=_read_custom)
    return freeze(value, _DEPTH)


class _Decoders(dict[int, Any]):
    """Decoders by protocol version. Each is made when it is first used: that takes milliseconds."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, version: int) -> Any:
        decoder = self[version] = self._make(version)
        return decoder


_DECODERS: Final = _Decoders(lambda version: Decoder(_NOTIFICATIONS[version], dec_hook=_read_custom))

decode_update: Final[Mapping[int, Callable[[bytes], Notification[Any]]]] = _Decoders(lambda version: _DECODERS[version].decode)
"""Decode one line that is a `Notification`, by protocol version."""

decode_updates: Final[Mapping[int, Callable[[bytes], list[Notification[Any]]]]] = _Decoders(lambda version: _DECODERS[version].decode_lines)
"""Decode several lines that each are a `Notification`. It does not check that each line has exactly one value."""


_encode: Final = Encoder().encode


def convert_update(message: Any, version: int) -> Notification[Any]:
    """Read a *message* that is decoded already. The result shares nothing with it that can change.

    To encode and decode it is quicker than `msgspec.convert`, and accepts exactly what `decode_update` accepts.
    """
    if not _is_json(message):
        raise ValueError("the message has a value that no JSON decoder makes")
    return decode_update[version](_encode(message))


def _is_json(value: Any) -> bool:
    """Whether *value* consists of what a JSON decoder makes. The encoder accepts more: sets, enums, numbers as keys..."""
    kind = value.__class__
    if kind is dict:
        for name, member in value.items():
            if name.__class__ is not str or (member.__class__ is not str and not _is_json(member)):
                return False
        return True
    if kind is list:
        return all(map(_is_json, value))
    return kind in _SCALARS or (kind is float and isfinite(value))


_SCALARS: Final = frozenset((NoneType, bool, int, str, FrozenDict, FrozenList))
"""Types that are JSON without a look inside: frozen objects and arrays hold nothing else."""
