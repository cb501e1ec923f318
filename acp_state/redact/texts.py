"""How strings, bytes and numbers are replaced.

* A *name* becomes `x-` and twelve digits of a keyed hash: the same everywhere, and different for
  different ones. That suits ids, paths, titles, whole contents. A long one keeps its length.
* A *mask* has an `x` for each character but blanks and line breaks. It suits text that comes in pieces
  cut anywhere, as the mask of the whole is the masks of the pieces. Characters outside ASCII become
  signs of the same size in UTF-8 and UTF-16.
"""

from __future__ import annotations

import re

from base64 import b64decode, b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import Final

from .._json import Json


LONGEST_NAME: Final = 40
"""Up to this many characters a string becomes a name whose length tells nothing."""

_BLANKS: Final = frozenset(" \t\n\r")


def name(text: str, salt: bytes) -> str:
    """Return the name for *text*."""
    start = "x-" + blake2b(text.encode("utf-8", "surrogatepass"), key=salt, digest_size=6).hexdigest()
    return start if len(text) <= LONGEST_NAME else start + mask(text[len(start) :])


def number(value: float, salt: bytes) -> int | float:
    """Return a number for *value*: of its type, and the same for numbers that are equal."""
    whole = isinstance(value, int) or value.is_integer()
    text = str(int(value)) if whole else repr(value)
    other = int.from_bytes(blake2b(text.encode(), key=salt, digest_size=6).digest())
    if isinstance(value, int):
        return other
    return float(other) if whole else other + 0.5


def blob(text: str, salt: bytes) -> str:
    """Return base64 for base64: different for different, and as long if it is not very short. A name for what is none."""
    try:
        size = len(b64decode(text, validate=True))
    except ValueError:
        return name(text, salt)
    if not size:
        return text
    start = blake2b(text.encode(), key=salt, digest_size=12).digest()
    return b64encode(start + bytes(max(0, size - len(start)))).decode()


# --- masks -----------------------------------------------------------------------------------------
#
# Masks are made in UTF-16: a chunk may end between the two halves of a character.

_LETTERS: Final = "xyzabcdefghijklmnopqrstuvw"


@cache
def _letter(unit: str, variant: int = 0) -> str:
    """Return what stands for a UTF-16 *unit*: of the same size in UTF-8, and a half for a half."""
    if unit in _BLANKS:
        return unit
    if unit < "\x80":
        return _LETTERS[variant % len(_LETTERS)]
    base = 0xD7 if unit < "\u0800" else 0xD4CD if "\ud000" <= unit < "\ud800" else 0xD835 if "\ud800" <= unit < "\udc00" else 0x2717
    return chr((0xDCCD if "\udc00" <= unit < "\ue000" else base) + variant)


class _Plain(dict[int, str]):
    """The table for `str.translate`, filled as it is used."""

    def __missing__(self, code: int) -> str:
        letter = self[code] = _joined("".join(map(_letter, _halves(chr(code)))))
        return letter


def _halves(text: str) -> str:
    """Return *text* with each character outside the basic plane as its two halves."""
    if text.isascii() or max(text) < "\U00010000":
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(units[place] | units[place + 1] << 8) for place in range(0, len(units), 2))


def _joined(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


_plain: Final = _Plain()


def mask(text: str) -> str:
    """Return the mask of *text*."""
    return text.translate(_plain)


Known = Iterable[tuple[str, str]]
"""Texts and their masks."""


def mask_apart(text: str, known: Known, before: str = "") -> str:
    """Return the mask of *text*, which goes on after *before*: as much like the *known* masks as the texts are alike.

    So a text begins with another if and only if its mask begins with the other's. Where it first
    differs from one that would look the same, another letter than `x` stands.
    """
    whole, shown = _halves(before + text), ""
    others = [(_halves(other), _halves(masked)) for other, masked in known]
    taken: set[str] = set()
    for other, masked in others:
        size = _common(whole, other)
        if size > len(shown):
            shown, taken = masked[:size], set()
        if size == len(shown):
            taken.add(masked[size : size + 1])
    rest = whole[len(shown) :]
    if rest:
        variant = 0
        while _letter(rest[0], variant) in taken and variant < len(_LETTERS) and rest[0] not in _BLANKS:
            variant += 1
        shown += _letter(rest[0], variant) + "".join(map(_letter, rest[1:]))
    return _joined(shown[len(_halves(before)) :])


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


# --- bytes -----------------------------------------------------------------------------------------

_ASCII: Final = bytes(code if chr(code) in _BLANKS or code >= 0x80 else ord("x") for code in range(256))

_WIDE: Final = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]?|\xe0(?:[\xa0-\xbf][\x80-\xbf]?)?|[\xe1-\xef][\x80-\xbf]{0,2}"
    rb"|\xf0(?:[\x90-\xbf][\x80-\xbf]{0,2})?|[\xf1-\xf3][\x80-\xbf]{0,3}|\xf4(?:[\x80-\x8f][\x80-\xbf]{0,2})?|[\x80-\xff]"
)
"""A character outside ASCII in UTF-8, or how far it goes; a byte that begins none. Halves count as characters."""

_CUT: Final = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
"""What may be the beginning of a character at the end."""


def mask_bytes(data: bytes, before: bytes = b"") -> bytes:
    """Return the mask of terminal output in UTF-8, which goes on after *before*: valid where it is, and nowhere else."""
    cut = _CUT.search(before[-3:])
    tail = cut[0] if cut else b""
    return _WIDE.sub(_wide, (tail + data).translate(_ASCII))[len(tail) :]


def _wide(found: re.Match[bytes]) -> bytes:
    data = found[0]
    lead, size = data[0], len(data)
    if lead < 0xC2 or lead > 0xF4:
        return b"\xff"
    if lead < 0xE0:
        return b"\xc3\x97"[:size]
    if lead == 0xED:
        second = data[1] if size > 1 else 0
        return (b"\xed\x93\x8d" if second < 0xA0 else b"\xed\xa0\xb5" if second < 0xB0 else b"\xed\xb3\x8d")[:size]
    return (b"\xe2\x9c\x97" if lead < 0xF0 else b"\xf0\x9d\x93\x8d")[:size]


def mask_base64(text: Json, salt: bytes, before: bytes = b"") -> Json:
    """Return terminal output in base64, masked. A name for what is no base64."""
    try:
        return b64encode(mask_bytes(b64decode(text, validate=True), before)).decode()
    except ValueError:
        return name(text, salt)
