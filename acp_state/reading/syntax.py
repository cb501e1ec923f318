"""Whether JSON that comes line by line is good so far, and where its values end (SPEC 3).

A JSON string cannot hold a raw newline, so lines cut a value between tokens only. That makes it
cheap to know at once where a value over several lines is broken, and to go on from there.
"""

from __future__ import annotations

import enum

from typing import Final

from .._patterns import lazy


MAX_NESTING: Final = 10_000
"""Deepest nesting that is followed. Nothing so deep can be decoded; it bounds the memory of the stack."""


class Found(enum.Enum):
    """What `Syntax.advance` stopped at."""

    MORE = enum.auto()
    """The end of the text, all of it good."""
    COMMA = enum.auto()
    """A comma between two elements."""
    VALUE = enum.auto()
    """The end of an element."""
    END = enum.auto()
    """The end of the whole value."""
    BROKEN = enum.auto()
    """Something that cannot stand there."""


# The groups of _TOKEN.
_OBJECT, _ARRAY, _OBJECT_END, _ARRAY_END, _COMMA, _COLON, _KEY_AND_COLON, _STRING, _SCALAR = range(1, 10)

_CHARACTERS: Final = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+'
_TOKEN: Final = lazy(
    rb"[ \t\r\n]*+(?:(\{)|(\[)|(\})|(\])|(,)|(:)|(" + _CHARACTERS + rb'"[ \t\r\n]*:)|(' + _CHARACTERS + rb'")'
    rb"|((?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)(?![\w.+-]))|\Z)"
)
_CUT_STRING: Final = lazy(rb"[ \t\r\n]*" + _CHARACTERS + rb"(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z")
_CUT_SCALAR: Final = lazy(rb"[ \t\r\n]*(?:-|-?(?:0|[1-9][0-9]*+)(?:\.|(?:\.[0-9]++)?[eE][+-]?)|t|tr|tru|f|fa|fal|fals|n|nu|nul)\Z")
_CUT_CHARACTER: Final = lazy(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")

# What may come next.
_START, _MEMBER, _ITEM, _FIRST_ITEM, _KEY, _FIRST_KEY, _AT_COLON, _AFTER_MEMBER, _AFTER_ITEM, _NOTHING = range(10)

_AFTER_VALUE: Final = {_START: _NOTHING, _MEMBER: _AFTER_MEMBER, _ITEM: _AFTER_ITEM, _FIRST_ITEM: _AFTER_ITEM}
"""Where a value may stand, and what comes after it."""

_AFTER_COMMA: Final = {_AFTER_MEMBER: _KEY, _AFTER_ITEM: _ITEM}

_CLOSES: Final = {_FIRST_KEY: _OBJECT_END, _AFTER_MEMBER: _OBJECT_END, _FIRST_ITEM: _ARRAY_END, _AFTER_ITEM: _ARRAY_END}
"""Where an object or array may end."""


class Syntax:
    """How far a JSON value has come. *base*: at which nesting an element ends (0: the value itself)."""

    __slots__ = ("_base", "_outside", "_state", "opened")

    def __init__(self, base: int) -> None:
        self._base = base
        self._state = _START
        self._outside: list[int] = []  # for each open bracket, what comes after its end
        self.opened: list[int] = []
        """For each open bracket the *entry* at which it came."""

    def advance(self, text: bytes, position: int = 0, entry: int = 0) -> tuple[Found, int]:
        """Follow *text* from *position* to where an element or the value ends, or to its own end, or to a fault.

        Returns what was found and the position behind it (before it, for a fault).
        """
        outside, base, size = self._outside, self._base, len(text)
        while position < size:
            token = _TOKEN.match(text, position)
            if token is None:
                return Found.BROKEN, position
            kind = token.lastindex
            if kind is None:
                break
            if not self._take(kind, entry):
                return Found.BROKEN, position
            position = token.end()
            if len(outside) > base:
                # Commas mostly stand right behind a value.
                if self._state in _AFTER_COMMA and text.startswith(b",", position):
                    self._state = _AFTER_COMMA[self._state]
                    position += 1
            elif kind >= _OBJECT_END:
                return self._found(kind), position
        return Found.MORE, size

    def _take(self, kind: int, entry: int) -> bool:
        """Take the next token if it may stand there."""
        state = self._state
        if kind >= _STRING and state in _AFTER_VALUE:
            self._state = _AFTER_VALUE[state]
        elif state in (_KEY, _FIRST_KEY) and kind in (_KEY_AND_COLON, _STRING):
            self._state = _MEMBER if kind == _KEY_AND_COLON else _AT_COLON
        elif kind <= _ARRAY and state in _AFTER_VALUE and len(self._outside) < MAX_NESTING:
            self._outside.append(_AFTER_VALUE[state])
            self.opened.append(entry)
            self._state = _FIRST_KEY if kind == _OBJECT else _FIRST_ITEM
        elif kind == _CLOSES.get(state):
            self._state = self._outside.pop()
            self.opened.pop()
        elif kind == _COMMA and state in _AFTER_COMMA:
            self._state = _AFTER_COMMA[state]
        elif kind == _COLON and state == _AT_COLON:
            self._state = _MEMBER
        else:
            return False
        return True

    def _found(self, kind: int) -> Found:
        if self._state == _NOTHING:
            return Found.END
        return Found.COMMA if kind == _COMMA else Found.VALUE

    def may_go_on_with(self, cut: bytes, position: int) -> bool:
        """Whether *cut* from *position* is the beginning of a token that may stand here."""
        if _CUT_STRING.match(cut, position):
            return self._state in _AFTER_VALUE or self._state in (_KEY, _FIRST_KEY)
        return bool(_CUT_SCALAR.match(cut, position)) and self._state in _AFTER_VALUE


def is_begun(text: bytes) -> bool:
    """Whether *text*, which is no JSON value, may become one when more comes; it may end inside a character."""
    cut = _CUT_CHARACTER.search(text, max(0, len(text) - 3))
    whole = text[: cut.start()] if cut else text
    try:
        whole.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    syntax = Syntax(base=0)
    found, position = syntax.advance(whole)
    return found is Found.MORE or (found is Found.BROKEN and syntax.may_go_on_with(whole, position))
