"""Text formats: before each message stands a heading that says who sent it.

A heading is on the message's own line, or on lines of its own before that.
"""

from __future__ import annotations

import re

from collections.abc import Callable
from typing import Final

from .._json import encode
from .._model import Part
from .._patterns import lazy
from ..frames import Sender


class Heading(Part, frozen=True):
    """What stands before a message: it begins at *start*. *literal*: it is no JSON but a literal of Python.

    *time* is in seconds, as a frame's.
    """

    start: int
    sender: Sender | None
    time: float | None = None
    literal: bool = False


class Headed(Part, frozen=True):
    """A dialect of text. *heading* finds one at a position of a text.

    *lines* are what the lines of a heading that has some of its own match, in their order.
    """

    heading: Callable[[bytes, int], Heading | None]
    lines: tuple[re.Pattern[bytes], ...] = ()


_BRACKETS: Final = {b"{": b"}", b"[": b"]", b"(": b")"}
_WORDS: Final = {b"True": b"true", b"False": b"false", b"None": b"null"}
_LITERAL: Final = lazy(
    rb"""[ \t\r]*+(?:([{[(])|([]})])|('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")|(True|False|None)\b|([:,]|-?[0-9][0-9.e+-]*+))"""
)
_ESCAPE: Final = lazy(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_CHARACTERS: Final = {"n": "\n", "r": "\r", "t": "\t"}
_CUT: Final = lazy(rb"""[ \t\r]*+(?:'(?:[^'\\]|\\.)*+\\?|"(?:[^"\\]|\\.)*+\\?|[A-Za-z]*|-)\Z""")


def literal_as_json(text: bytes, start: int) -> tuple[bytes, int] | None:
    """Return the Python literal at *start* as JSON, and where it ends; `None` if it is none, or not whole.

    Of strings, numbers, dictionaries, lists, tuples and the three words, as `repr` writes them. What
    is wrong with its commas and colons is left to whoever reads the JSON.
    """
    found: list[bytes] = []
    closing: list[bytes] = []
    position = start
    while token := _LITERAL.match(text, position):
        position = token.end()
        opened, closed, string, word, other = token.groups()
        if opened:
            closing.append(_BRACKETS[opened])
            found.append(b"{" if opened == b"{" else b"[")
        elif closed:
            if not closing or closing.pop() != closed:
                return None
            found.append(b"}" if closed == b"}" else b"]")
        else:
            found.append(_json_string(string) if string else _WORDS[word] if word else other)
        if not closing:
            return b"".join(found), position
    return None


def literal_is_begun(text: bytes, start: int) -> bool:
    """Whether what stands at *start*, which is no literal, may become one when more comes."""
    position = start
    while token := _LITERAL.match(text, position):
        position = token.end()
    return bool(_CUT.match(text, position))


def _json_string(literal: bytes) -> bytes:
    try:
        return encode(_ESCAPE.sub(_unescaped, literal[1:-1].decode("utf-8", "surrogatepass")))
    except UnicodeDecodeError:
        return literal  # which the decoder refuses, and says why


def _unescaped(escape: re.Match[str]) -> str:
    *codes, character = escape.groups()
    if character is not None:
        return _CHARACTERS.get(character, character)
    code = int(next(filter(None, codes)), 16)
    return chr(code) if code < 0x110000 else "\ufffd"
