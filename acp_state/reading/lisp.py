r"""Lisp data over several lines: a list whose elements are records, as Emacs prints alists.

    (((:direction . outgoing) (:kind . request)
      (:object (jsonrpc . #1="2.0") (method . "session/cancel") (params (sessionId . "s"))))
     ((:direction . incoming) (:kind . response) (:object (jsonrpc . #1#) (id . 1) (result))))

An alist is an object, keys without their escapes; a vector, and any other list, an array; `t` is true,
`:false` and `:json-false` are false. `nil` is `null`: what prints so was `{}`, `null` or `false`, and
nobody can tell. Any other symbol is a string. `#1=` names a value that `#1#` repeats, also in a later
element. A string may go on over lines, a raw newline in it is one of its characters; a symbol may not.
"""

from __future__ import annotations

import re

from math import isfinite
from typing import Final, TypeAlias

from .._json import MAX_DIGITS, BadEncodingError, Json, NotJsonError, TooDeepError
from .._patterns import lazy
from .lines import MAX_LINE
from .syntax import Found


OPENING: Final = lazy(rb"\([ \t\r]*+(?:\([ \t\r]*+(?:\([ \t\r]*+(?::.*)?)?)?\Z", re.DOTALL)
"""A line that begins such a list: up to three parentheses alone, or a first key after them."""

SURE: Final = lazy(rb"(?:\([ \t\r]*+){3}:")
"""How a line begins that does whatever comes next."""

MAX_NESTING: Final = 2_000
"""Deepest nesting that is followed: more than any has that can be decoded, as an object has a list for each member."""

# The groups of _TOKEN.
_LIST, _VECTOR, _LIST_END, _VECTOR_END, _LABEL, _REFERENCE, _DOT, _STRING, _CUT, _SYMBOL = range(1, 11)

_END: Final = rb"(?=[ \t\r\n\f()\[\]]|\Z)"
_BODY: Final = rb'(?:[^"\\]|\\(?:[^\n]|\n|\Z))*+'
_TOKEN: Final = lazy(
    rb"(?:[ \t\r\n\f]++|;[^\n]*+)*+(?:(\#?\()|(\[)|(\))|(\])|\#([0-9]{1,9})=|\#([0-9]{1,9})\#"
    + _END
    + rb"|(\.)"
    + _END
    + rb'|"('
    + _BODY
    + rb')"'
    + _END
    + rb'|("'
    + _BODY
    + rb"\Z)|((?:\#\#|(?:[^][ \t\r\n\f()\"';`,\#?\\{}]|\\[^\n])(?:[^][ \t\r\n\f()\"';`,\\]|\\[^\n])*+))"
    + _END
    + rb"|\Z)"
)
_STRING_GOES_ON: Final = lazy(_BODY + rb'"' + _END)
_STRING_STAYS_OPEN: Final = lazy(_BODY + rb"\Z")

_KEYS_AT: Final = 3
"""How deep the keys of an element stand: the list, the element, its first pair."""


class Lisp:
    """How far a list has come whose elements are values; the names in it are known to all that follow.

    *opening* is what `opening` was where the list goes on. Raises `NotJsonError` if it was none.
    """

    def __init__(self, opening: bytes = b"(") -> None:
        self._open = bytearray(b")")  # the bracket that closes each list and vector that is open
        self._in_string = False
        self._head = False  # whether an element has begun and its first key has not come
        self._names = _Names()
        self._entries = 0
        position = 1
        while position < len(opening):
            token = _TOKEN.match(opening, position)
            if token is None or token.lastindex != _LABEL:
                raise NotJsonError("no list begins so")
            position = _Parser(opening, self._names, position).end_of_value()

    @property
    def opened(self) -> list[int]:
        """The entries whose lines may not begin a value again: all of them."""
        return list(range(self._entries + 1))

    @property
    def in_string(self) -> bool:
        """Whether the line's end is a character of a string."""
        return self._in_string

    @property
    def opening(self) -> bytes:
        """What a list begins with that goes on with another element: the values that have a name."""
        return b"(" + b" ".join(b"#%d=%b" % source for source in self._names.written)

    def advance(self, text: bytes, position: int = 0, entry: int = 0) -> tuple[Found, int]:
        """Follow *text* from *position* to where an element or the list ends, or to its own end, or to a fault."""
        self._entries = max(self._entries, entry)
        if self._in_string:
            end = _STRING_GOES_ON.match(text, position)
            if end is None:
                return (Found.MORE, len(text)) if _STRING_STAYS_OPEN.match(text, position) else (Found.BROKEN, position)
            self._in_string, position = False, end.end()
        while position < len(text):
            token = _TOKEN.match(text, position)
            if token is None or not self._take(token):
                return Found.BROKEN, position
            position = token.end()
            if token.lastindex == _LIST_END and len(self._open) < 2:
                return (Found.VALUE if self._open else Found.END), position
        return Found.MORE, len(text)

    def _take(self, token: re.Match[bytes]) -> bool:
        """Take the next token if it may stand there."""
        kind, depth = token.lastindex, len(self._open)
        if kind is None or kind == _LABEL:
            return True
        if kind in (_LIST_END, _VECTOR_END):
            return bool(depth) and not self._head and token.group(kind)[0] == self._open.pop()
        if depth == 1:
            self._head = True
        if self._head and not (
            kind == _LIST if depth < _KEYS_AT else token.group(_SYMBOL) is not None and token.group(_SYMBOL)[:1] == b":"
        ):
            return False
        self._head = self._head and depth < _KEYS_AT
        if kind in (_LIST, _VECTOR):
            self._open += b")" if kind == _LIST else b"]"
            return depth < MAX_NESTING
        self._in_string = kind == _CUT
        return True

    def decode(self, text: bytes, depth: int) -> Json:
        """Return the element *text* as JSON, and remember the values that it names. Raises `NotJsonError`."""
        try:
            text.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            msg = f"not UTF-8 at byte {error.start + 1}"
            raise BadEncodingError(msg) from None
        return _to_json(_Parser(text, self._names).value(), depth)


class _Symbol(str):
    __slots__ = ()


class _List:
    """A list or vector; *tail* is what stands behind a dot. *size* bounds what it is when every name is replaced."""

    __slots__ = ("items", "size", "tail", "vector")

    def __init__(self, items: list[_Value], tail: _Value | None, *, vector: bool) -> None:
        self.items: list[_Value] = items
        self.tail: _Value | None = tail
        self.vector: bool = vector
        if isinstance(tail, _List) and not tail.vector:
            self.items, self.tail = items + tail.items, tail.tail  # a dot before a list is no dot
        elif isinstance(tail, _Symbol) and tail == "nil":
            self.tail = None
        self.size: int = 1 + sum(map(_size, self.items)) + _size(self.tail)
        if self.size > MAX_LINE:
            raise NotJsonError("the value is too large when its names are replaced")


_Value: TypeAlias = "_List | _Symbol | str | int | float"


def _size(value: _Value | None) -> int:
    return value.size if isinstance(value, _List) else len(value) if isinstance(value, str) else 1


class _Names:
    """What has a name, and what that takes to be known again: all that was named, as it was written and in that order.

    A name may be given again, also to a value with the one in it that had it before.
    """

    def __init__(self) -> None:
        self.values: dict[int, _Value] = {}
        self.written: list[tuple[int, bytes]] = []
        self._latest: dict[int, bytes] = {}

    def write(self, label: int, text: bytes) -> None:
        """Take what was named *label*."""
        if self._latest.get(label) != text or b"#" in text:
            self.written.append((label, text))
        self._latest[label] = text


class _Parser:
    """Reads one value; `Lisp.advance` has found its brackets in order."""

    def __init__(self, text: bytes, names: _Names, position: int = 0) -> None:
        self._text = text
        self._names = names
        self._position = position

    def end_of_value(self) -> int:
        """Read the next value, and return where it ends."""
        self.value()
        return self._position

    def value(self) -> _Value:
        """Read the next value. Raises `NotJsonError`."""
        opened: list[_Open] = []
        names: list[tuple[int, int, int]] = []  # in how many lists, the label, where its value begins
        while True:
            kind, text = self._next()
            if kind == _LABEL:
                names.append((len(opened), int(text), self._position))
            elif kind in (_LIST, _VECTOR):
                opened.append(_Open(text))
            elif kind == _DOT:
                _last(opened).dotted = True
            else:
                value = self._atom(kind, text) if kind in (_STRING, _SYMBOL, _REFERENCE) else _last(opened).close()
                if kind in (_LIST_END, _VECTOR_END):
                    opened.pop()
                while names and names[-1][0] == len(opened):
                    self._name(*names.pop()[1:], value, outermost=not names)
                if not opened:
                    return value
                opened[-1].add(value)

    def _next(self) -> tuple[int, bytes]:
        token = _TOKEN.match(self._text, self._position)
        if token is None or token.lastindex is None or token.lastindex == _CUT:
            raise NotJsonError(f"no Lisp data at byte {self._position + 1}")
        self._position = token.end()
        return token.lastindex, token[token.lastindex]

    def _name(self, label: int, start: int, value: _Value, *, outermost: bool) -> None:
        self._names.values[label] = value
        if outermost:
            self._names.write(label, self._text[start : self._position].strip())

    def _atom(self, kind: int, text: bytes) -> _Value:
        if kind == _STRING:
            return _string(text)
        if kind == _SYMBOL:
            return _symbol(text)
        label = int(text)
        if label not in self._names.values:
            raise NotJsonError(f"#{label}# names no value that came before")
        return self._names.values[label]


class _Open:
    """A list or vector that is open."""

    def __init__(self, bracket: bytes) -> None:
        self.bracket = bracket
        self.items: list[_Value] = []
        self.dotted = False
        self._tail: _Value | None = None

    def add(self, value: _Value) -> None:
        """Take the next value."""
        if not self.dotted:
            self.items.append(value)
        elif self._tail is None:
            self._tail = value
        else:
            raise NotJsonError("more than one value behind a dot")

    def close(self) -> _Value:
        """Return what it is."""
        if self.dotted and (self._tail is None or not self.items or self.bracket != b"("):
            raise NotJsonError("a dot that is not before the last of a list")
        if self.bracket == b"#(" and self.items and isinstance(self.items[0], str):
            return self.items[0]  # a text with properties
        if not self.items and self.bracket == b"(":
            return _NIL
        return _List(self.items, self._tail, vector=self.bracket == b"[")


def _last(opened: list[_Open]) -> _Open:
    if not opened:
        raise NotJsonError("a dot or a bracket outside of a list")
    return opened[-1]


_NIL: Final = _Symbol("nil")
_ESCAPE: Final = lazy(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,6})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_CONTROLS: Final = {
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "s": " ",
    "d": "\x7f",
    "\n": "",
    " ": "",
}
_INTEGER: Final = lazy(rb"[+-]?[0-9]+\.?\Z")
_FLOAT: Final = lazy(rb"[+-]?(?:[0-9]*\.[0-9]+(?:e[+-]?[0-9]+)?|[0-9]+e[+-]?[0-9]+)\Z")
_CONSTANTS: Final[dict[str, bool | None]] = {"nil": None, ":null": None, "t": True, ":false": False, ":json-false": False}


def _string(body: bytes) -> str:
    text = body.decode("utf-8", "surrogatepass")
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(escape: re.Match[str]) -> str:
    octal, *hexadecimals, character = escape.groups()
    if character is not None:
        return _CONTROLS.get(character, character)
    code = int(octal, 8) if octal else int(next(filter(None, hexadecimals)), 16)
    return chr(code) if code < 0x110000 else "\ufffd"


def _symbol(name: bytes) -> _Value:
    if _INTEGER.match(name):
        if len(name) > MAX_DIGITS:
            raise NotJsonError("a number out of range")
        return int(name.rstrip(b"."))
    if _FLOAT.match(name):
        number = float(name)
        if not isfinite(number):
            raise NotJsonError("a number out of range")
        return number
    text = "" if name == b"##" else name.decode("utf-8", "surrogatepass")
    return _Symbol(re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL))


def _to_json(value: _Value, depth: int) -> Json:
    if not isinstance(value, _List):
        return _CONSTANTS.get(value, str(value)) if isinstance(value, _Symbol) else value
    if depth <= 0:
        raise TooDeepError("nested too deeply")
    if value.tail is not None:
        raise NotJsonError("a pair that stands alone")
    if value.vector or not all(map(_is_pair, value.items)):
        items = []
        for item in value.items:
            items.append(_to_json(item, depth - 1))  # noqa: PERF401 -- a comprehension would double the depth of the stack
        return items
    members: dict[str, Json] = {}
    for pair in value.items:
        if isinstance(pair, _List) and (key := str(pair.items[0])) not in members:  # Lisp finds the first of equal keys
            members[key] = _to_json(_rest(pair), depth - 1)
    return members


def _is_pair(value: _Value) -> bool:
    return isinstance(value, _List) and not value.vector and isinstance(value.items[0], _Symbol)


def _rest(pair: _List) -> _Value:
    if len(pair.items) > 1:
        return _List(pair.items[1:], pair.tail, vector=False)
    return _NIL if pair.tail is None else pair.tail
