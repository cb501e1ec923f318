"""The content of messages, compaction summaries and tool calls, and the output of terminals: long, and arriving in pieces.

A piece is stored, never copied with what came before; joining waits until someone reads.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, TypeAlias, overload

from msgspec import Struct

from .._json import FrozenDict, Json, freeze, frozen_dict
from .._json import same as same_json
from .log import Log, make_log
from .table import TAKING_OVER


PLAIN: Final = FrozenDict(type="text", text="")
"""A text block that has nothing but its text, without the text."""

Piece: TypeAlias = Any
"""What a content was made of: a `str` is plain text, a tuple is the text of a block with a shape of its own
(shape, text), anything else is a whole block: JSON, or an instance of what `protocol` declares, which becomes JSON when
somebody looks. Text that comes in pieces one after the other grows one block."""


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


def split_text(block: FrozenDict) -> tuple[FrozenDict, str]:
    """Return a text block without its text, and the text."""
    shape = FrozenDict({**block, "text": ""})
    return (PLAIN if shape == PLAIN else shape), block["text"]


def make_piece(block: FrozenDict) -> Piece:
    """Return the piece of a chunk that is *block*: of a text block, a text that others can follow."""
    if block.get("type") != "text":
        return block
    shape, text = split_text(block)
    return text if shape is PLAIN else (shape, text)


class Content(Sequence[FrozenDict]):
    """An immutable sequence of content blocks, as on the wire, to which chunks are appended.

    Text that comes in chunks one after the other grows one block, as long as all but the text is
    equal (`chunkMeta`, where a chunk's own `_meta` stands, included). A block that came in a whole
    array takes no more text. So how a text was cut does not show.
    """

    __slots__ = ("_blocks", "_owner", "_pieces", "_size")

    _pieces: list[Piece]
    """Those of the newest version, and maybe of later ones."""
    _owner: object
    _size: int
    """How many of the pieces are ours, once another version goes on from this one; -1 before."""
    _blocks: tuple[FrozenDict, ...] | None

    def append(self, piece: Piece, owner: object = None) -> Content:
        """Return this content with one more *piece*; itself if the piece adds nothing."""
        if piece.__class__ is str:
            if not piece and self._adds_nothing(PLAIN):
                return self
        elif piece.__class__ is tuple and not piece[1] and self._adds_nothing(piece[0]):
            return self
        if self._owner is owner is not None:
            self._pieces.append(piece)
            return self
        with TAKING_OVER:
            pieces = self._pieces
            if self._size >= 0 or not pieces:  # another version went on from here, or may
                pieces = pieces[: self._size] if pieces else []
            else:
                self._size = len(pieces)
            pieces.append(piece)
            return _make(pieces, owner)

    def _adds_nothing(self, shape: FrozenDict) -> bool:
        """Whether an empty text of *shape* would add nothing: nothing new in it, or nothing at all."""
        end = self.size
        return same_json(_shape_of(self._pieces[end - 1]) if end else PLAIN, shape)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All pieces that it was made of."""
        # First the pieces, then whether another thread has gone on from here meanwhile.
        pieces = tuple(self._pieces)
        size = self._size
        return pieces if size < 0 else pieces[:size]

    @property
    def sealed(self) -> bool:
        """Whether the last block is text that came in no chunk, so that a chunk begins a new block."""
        end = self.size
        last: Piece = self._pieces[end - 1] if end else ""
        return _is_block(last) and freeze(last).get("type") == "text"

    @property
    def text(self) -> str:
        """The text of all text blocks, joined."""
        return join_text(block["text"] for block in self if block.get("type") == "text")

    @property
    def blocks(self) -> tuple[FrozenDict, ...]:
        """All blocks, as on the wire."""
        blocks = self._blocks
        if blocks is None:
            self._owner = None  # who looked keeps what it saw: this version is changed in place no more
            blocks = self._blocks = tuple(_join(self.pieces))  # two threads may both do it, and get equal blocks
        return blocks

    def text_since(self, earlier: Content) -> str | None:
        """Return the text by which this content is longer than *earlier*, `None` if more differs.

        Costs only what came since, whatever the length of both.
        """
        pieces, start, end = self._pieces, earlier.size, self.size
        if earlier._pieces is not pieces or not 0 < start <= end or _is_block(pieces[start - 1]):
            return None
        shape, since = _shape_of(pieces[start - 1]), pieces[start:end]
        if any(_is_block(piece) or not same_json(_shape_of(piece), shape) for piece in since):
            return None
        return "".join(_text_of(piece) for piece in since)

    def with_text(self, text: str) -> Content | None:
        """Return this content with more *text* in its last block; `None` if that takes none."""
        end = self.size
        last = self._pieces[end - 1] if end else None
        if last is None or _is_block(last):
            return None
        return self.append((last[0], text) if last.__class__ is tuple else text)

    def is_made_of(self, blocks: Sequence[Any]) -> bool:
        """Whether *blocks*, JSON or instances as pieces are, are those of this content, to the type."""
        return self.size == len(blocks) and all(map(_is_same_block, self.pieces, blocks))

    @property
    def size(self) -> int:
        """How many pieces it was made of."""
        end = len(self._pieces)
        size = self._size
        return end if size < 0 else size

    def __len__(self) -> int:
        return len(self.blocks)

    def __bool__(self) -> bool:
        return self.size > 0

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
            return self.blocks == other.blocks and self.sealed == other.sealed
        return NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Content({list(self.blocks)!r}, sealed={self.sealed})"

    def __copy__(self) -> Content:
        return self

    def __deepcopy__(self, _: object) -> Content:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (make_content, (self.blocks, not self.sealed))


def _make(pieces: list[Piece], owner: object) -> Content:
    # There is no `__init__`: whoever called that of a content would change it.
    new: Content = _new(Content)
    new._pieces = pieces
    new._owner = owner
    new._size = -1
    new._blocks = None
    return new


_new: Final[Any] = object.__new__


def make_content(blocks: Iterable[Any] = (), growing: bool = False, owner: object = None) -> Content:
    """Return the content of *blocks*, JSON or instances as pieces are. *growing*: text at its end came in chunks, and takes more."""
    pieces: list[Piece] = list(blocks)
    if growing and pieces:
        pieces[-1] = make_piece(freeze(pieces[-1]))
    return _make(pieces, owner)


EMPTY_CONTENT: Final = make_content()


def _is_block(piece: Piece) -> bool:
    return piece.__class__ is not str and piece.__class__ is not tuple


def _shape_of(piece: Piece) -> FrozenDict:
    """Return the block of a text without the text; of any other, that of plain text."""
    if piece.__class__ is tuple:
        return piece[0]  # type: ignore[no-any-return]  # a piece is anything
    if piece.__class__ is str:
        return PLAIN
    block = freeze(piece)
    return split_text(block)[0] if block.get("type") == "text" else PLAIN


def _is_same_block(a: Any, b: Any) -> bool:
    # Instances that differ do so in C; of equal ones 1, 1.0 and true may be three values.
    if a is b:
        return True
    return not (isinstance(a, Struct) and isinstance(b, Struct) and a != b) and same_json(freeze(a), freeze(b))


def _text_of(piece: Piece) -> str:
    return piece if piece.__class__ is str else piece[1]


def _join(pieces: Iterable[Piece]) -> Iterator[FrozenDict]:
    """Yield the blocks of *pieces*: texts one after the other whose blocks are equal in all but the text are one (SPEC 4.2)."""
    shape: FrozenDict | None = None
    texts: list[str] = []
    for piece in pieces:
        its_shape = PLAIN if piece.__class__ is str else piece[0] if piece.__class__ is tuple else None
        if shape is not None and its_shape is not shape and (its_shape is None or not same_json(shape, its_shape)):
            yield _text_block(shape, texts)
            texts = []
            shape = None
        if its_shape is None:
            yield freeze(piece)
        else:
            texts.append(_text_of(piece))
            shape = its_shape if shape is None else shape
    if shape is not None:
        yield _text_block(shape, texts)


def _text_block(shape: FrozenDict, texts: list[str]) -> FrozenDict:
    return frozen_dict({**shape, "text": join_text(texts)})


class Output:
    """The bytes that a terminal printed; immutable, appended to.

    *text* is the view for people: decoded as a whole, so a character may be cut anywhere.
    """

    __slots__ = ("_bytes", "_parts", "_size")

    _bytes: bytes | None
    _parts: Log[bytes]
    _size: int

    def append(self, data: bytes) -> Output:
        """Return this output with *data* at its end; itself if *data* is empty."""
        return _make_output(None, self._parts.append(data), self._size + len(data)) if data else self

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
        """Return text while all bytes are valid UTF-8, else the bytes in base64."""
        data = bytes(self)
        try:
            return data.decode()
        except UnicodeDecodeError:
            return FrozenDict(base64=b64encode(data).decode("ascii"))

    def bytes_since(self, earlier: Output) -> bytes | None:
        """Return the bytes by which this output is longer than *earlier*, `None` if more differs."""
        mine, theirs = self._parts, earlier._parts
        if (theirs and not mine.continues(theirs)) or len(theirs) > len(mine):
            return None
        return b"".join(mine.since(len(theirs)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return bytes(self) == bytes(other) if isinstance(other, Output) else NotImplemented

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # equal by value, and what is in it may be big: not for keys

    def __repr__(self) -> str:
        return f"Output({bytes(self)!r})"

    def __copy__(self) -> Output:
        return self

    def __deepcopy__(self, _: object) -> Output:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (make_output, (bytes(self),))


def _make_output(data: bytes | None, parts: Log[bytes], size: int) -> Output:
    new: Output = _new(Output)
    new._bytes = data
    new._parts = parts
    new._size = size
    return new


def make_output(data: bytes = b"") -> Output:
    """Return the output that is *data*."""
    return _make_output(data, make_log((data,) if data else ()), len(data))


EMPTY_OUTPUT: Final = make_output()
