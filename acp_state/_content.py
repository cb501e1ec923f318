"""The content of messages, compaction summaries and terminals: long, and arriving in small pieces.

A piece is stored, never copied with what came before; joining waits until someone reads.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Final, overload

from ._json import FrozenDict, Json
from ._json import same as same_json
from ._persistent import Log


PLAIN: Final = FrozenDict(type="text", text="")
"""A text block that has nothing but its text, without the text."""


def join_text(parts: Iterable[str]) -> str:
    """Join *parts*; two halves of a character that meet become the character (SPEC 4.2)."""
    text = "".join(parts)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


_new_content = object.__new__


def appended(parts: list[str], size: int, part: str) -> list[str]:
    """Return a list of the first *size* of *parts* and then *part*: the same one, if nobody has gone on from there."""
    if len(parts) == size:
        parts.append(part)
        if parts[size] is part:
            return parts  # else another thread was faster
    return [*parts[:size], part]


class Content(Sequence[FrozenDict]):
    """An immutable sequence of content blocks, wire spelling, to which chunks are appended.

    Text that comes in chunks one after the other grows one block, as long as all but the text is
    equal (`chunkMeta`, where a chunk's own `_meta` stands, included). A block that came in a whole
    array takes no more text. So how a text was cut does not show.
    """

    # _open is the block that still takes text, without its text (which is in _parts); None if there is none.
    # _parts grows; all versions of a message share it as a Log's do, and _size is how much is ours.
    __slots__ = ("_blocks", "_closed", "_open", "_parts", "_size")

    _closed: Log[FrozenDict]
    _open: FrozenDict | None
    _parts: list[str]
    _size: int
    _blocks: tuple[FrozenDict, ...] | None

    def __init__(self, blocks: Iterable[FrozenDict] = (), *, sealed: bool = True) -> None:
        """*sealed*: a text block at the end takes no more text."""
        closed = list(blocks)
        self._open = None
        self._parts = []
        self._blocks = None
        if not sealed and closed and closed[-1].get("type") == "text":
            self._open, text = split_text(closed.pop())
            self._parts = [text]
        self._size = len(self._parts)
        self._closed = Log(closed)

    def append(self, block: FrozenDict, text: str | None = None) -> Content:
        """Return this content with one more chunk; itself if the chunk adds nothing.

        *block* is a whole block, or with *text* a text block without it (`split_text`).
        """
        same = self._open
        if text is not None and (
            same is block or (same is not None and block is not PLAIN and same is not PLAIN and same_json(same, block))
        ):
            if not text:
                return self
            return self._grown(appended(self._parts, self._size, text), self._size + 1)
        if text is not None and not text and self._looks_like(block):
            return self
        return self._begun(block, text)

    def extended(self, pieces: list[str]) -> Content:
        """Return this content with *pieces* of text at the end of its open block."""
        parts, size = self._parts, self._size
        end = size + len(pieces)
        there = parts[size:end]  # what another version has put there: if it is the same, both share it
        if there == pieces[: len(there)]:
            parts.extend(pieces[len(there) :])
        if parts[size:end] != pieces:  # or another thread was faster
            parts = [*parts[:size], *pieces]
        return self._grown(parts, end)

    def _grown(self, parts: list[str], size: int) -> Content:
        """Return this content with the text of its open block being the first *size* of *parts*, which are its own and more."""
        new: Content = _new_content(Content)
        new._closed = self._closed
        new._open = self._open
        new._parts = parts
        new._size = size
        new._blocks = None
        return new

    def _begun(self, block: FrozenDict, text: str | None) -> Content:
        """Return this content with another block begun, or added whole."""
        new = _new_content(Content)
        closed = self._all_closed()
        new._closed = closed.append(block) if text is None else closed
        new._open = None if text is None else block
        new._parts = [] if text is None else [text]
        new._size = len(new._parts)
        new._blocks = None
        return new

    def _looks_like(self, shape: FrozenDict) -> bool:
        """Whether an empty text of *shape* would add nothing: nothing new in it, or nothing at all."""
        if self._open is not None or not self._closed:
            return shape == PLAIN and self._open is None
        last = self._closed[-1]
        return same_json(split_text(last)[0] if last.get("type") == "text" else PLAIN, shape)

    def _all_closed(self) -> Log[FrozenDict]:
        return self._closed if self._open is None else self._closed.append(self._last())

    def _last(self) -> FrozenDict:
        # Only called where a block is open.
        return FrozenDict(self._open or PLAIN, text=join_text(self._parts[: self._size]))

    @property
    def sealed(self) -> bool:
        """Whether the last block is text that came in no chunk, so that a chunk begins a new block."""
        return self._open is None and bool(self._closed) and self._closed[-1].get("type") == "text"

    @property
    def text(self) -> str:
        """The text of all text blocks, joined."""
        return join_text(block["text"] for block in self if block.get("type") == "text")

    @property
    def blocks(self) -> tuple[FrozenDict, ...]:
        """All blocks, as on the wire."""
        blocks = self._blocks
        if blocks is None:
            # Two threads may both do this; they get equal values.
            blocks = self._blocks = (*self._closed, self._last()) if self._open is not None else tuple(self._closed)
        return blocks

    def text_since(self, earlier: Content) -> str | None:
        """Return the text by which this content is longer than *earlier*, `None` if more differs.

        Costs only what came since, whatever the length of both.
        """
        if self._open is None or earlier._open is not self._open or earlier._closed is not self._closed:
            return None
        if earlier._size > self._size or earlier._parts is not self._parts:
            return None
        return "".join(self._parts[earlier._size : self._size])

    def __len__(self) -> int:
        return len(self._closed) + (self._open is not None)

    @overload
    def __getitem__(self, index: int) -> FrozenDict: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[FrozenDict]: ...
    def __getitem__(self, index: int | slice) -> FrozenDict | Sequence[FrozenDict]:
        return self.blocks[index]

    def __iter__(self) -> Iterator[FrozenDict]:
        return iter(self.blocks)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Content):
            return len(self) == len(other) and self.sealed == other.sealed and self.blocks == other.blocks
        return NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Content({list(self.blocks)!r}, sealed={self.sealed})"

    def __reduce__(self) -> tuple[object, ...]:
        return (_content, (self.blocks, self.sealed))


def _content(blocks: tuple[FrozenDict, ...], sealed: bool) -> Content:
    return Content(blocks, sealed=sealed)


def split_text(block: FrozenDict) -> tuple[FrozenDict, str]:
    """Return a text block without its text, and the text."""
    shape = FrozenDict({**block, "text": ""})
    return (PLAIN if shape == PLAIN else shape), block["text"]


EMPTY_CONTENT: Final = Content()


class Output:
    """The bytes that a terminal printed; immutable, appended to.

    *text* is the view for people: decoded as a whole, so a character may be cut anywhere.
    """

    __slots__ = ("_bytes", "_parts", "_size")

    def __init__(self, data: bytes = b"") -> None:
        self._parts: Log[bytes] = Log((data,) if data else ())
        self._bytes: bytes | None = data
        self._size = len(data)

    def append(self, data: bytes) -> Output:
        """Return this output with *data* at its end; itself if *data* is empty."""
        if not data:
            return self
        new: Output = Output.__new__(Output)
        new._parts = self._parts.append(data)
        new._bytes = None
        new._size = self._size + len(data)
        return new

    def __bytes__(self) -> bytes:
        data = self._bytes
        if data is None:
            data = self._bytes = b"".join(self._parts)
        return data

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def text(self) -> str:
        """The output as text; bytes that are no UTF-8 as U+FFFD, a cut character at the end left out."""
        data = bytes(self)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                return data[: error.start].decode("utf-8", "replace")
            return data.decode("utf-8", "replace")

    def to_json(self) -> Json:
        """Text while all bytes are valid UTF-8, else the bytes in base64."""
        data = bytes(self)
        try:
            return data.decode()
        except UnicodeDecodeError:
            return FrozenDict(base64=b64encode(data).decode("ascii"))

    def since(self, earlier: Output) -> bytes | None:
        """Return the bytes by which this output is longer than *earlier*, `None` if more differs."""
        mine, theirs = self._parts, earlier._parts
        if (theirs and theirs._items is not mine._items) or len(theirs) > len(mine):
            return None
        return b"".join(mine.since(len(theirs)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return bytes(self) == bytes(other) if isinstance(other, Output) else NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Output({bytes(self)!r})"

    def __reduce__(self) -> tuple[type[Output], tuple[bytes]]:
        return (Output, (bytes(self),))


EMPTY_OUTPUT: Final = Output()
