"""What nearly every line of a recording is: a `session/update` notification, and nothing besides.

Such a line can be decoded straight into what is needed of it, with its form checked on the way, in C.
Whoever meets one may always take its `frame` in its place; the suite holds that it makes no
difference. Set `PLAINLY` to False to have frames alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final, Literal, TypeAlias

import msgspec

from ._json import Json
from ._model import UNSET, Struct
from .frames import Frame


PLAINLY: bool = True


class _Notification(Struct, gc=False, forbid_unknown_fields=True):
    """A JSON-RPC notification, from whichever side. *line* counts from 1; whoever reads the line sets it."""

    jsonrpc: Literal["2.0"]
    method: Literal["session/update"]
    params: Any
    line: int = 0

    @property
    def frame(self) -> Frame:
        """The frame that it is."""
        params = {"sessionId": self.params.session_id, "update": self.update}
        return Frame(None, "notification", UNSET, self.method, params, None, self.line)

    @property
    def update(self) -> Json:
        """The update as it was sent."""
        return self.params.update


class _Params(Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename="camel"):
    """`SessionNotification` without `_meta`; its update may be anything."""

    session_id: str
    update: dict[str, Json]


class PlainUpdate(_Notification, gc=False, forbid_unknown_fields=True):
    """Any update."""

    params: _Params


class _Text(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """`TextContent` that has nothing but its text."""

    # As a tag it might be missing: msgspec demands one in a union alone.
    type: Literal["text"]
    text: str


WITHOUT_ID: Final = msgspec.UNSET


class PlainTextChunk(Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename="camel", tag_field="sessionUpdate"):
    """`ContentChunk` of such text; *message_id* is `WITHOUT_ID` where there is none."""

    role: ClassVar[str]

    content: _Text
    message_id: str | msgspec.UnsetType = msgspec.UNSET


class _OfUser(PlainTextChunk, frozen=True, gc=False, forbid_unknown_fields=True, tag="user_message_chunk"):
    role: ClassVar[str] = "user"


class _OfAgent(PlainTextChunk, frozen=True, gc=False, forbid_unknown_fields=True, tag="agent_message_chunk"):
    role: ClassVar[str] = "agent"


class _OfThought(PlainTextChunk, frozen=True, gc=False, forbid_unknown_fields=True, tag="agent_thought_chunk"):
    role: ClassVar[str] = "thought"


class _ChunkParams(Struct, frozen=True, gc=False, forbid_unknown_fields=True, rename="camel"):
    session_id: str
    update: _OfUser | _OfAgent | _OfThought


class PlainChunk(_Notification, gc=False, forbid_unknown_fields=True):
    """A chunk of plain text: what most lines are."""

    params: _ChunkParams

    @property
    def update(self) -> Json:
        """The update as it was sent."""
        return msgspec.to_builtins(self.params.update)


Plain: TypeAlias = PlainUpdate | PlainChunk

decode_update: Final[Callable[[bytes], Any]] = msgspec.json.Decoder(PlainUpdate).decode
"""Decodes a line that is a `PlainUpdate`. Raises `ValueError` or `RecursionError` for any other."""

decode_chunk: Final[Callable[[bytes], Any]] = msgspec.json.Decoder(PlainChunk).decode
"""Decodes a line that is a `PlainChunk`. Raises `ValueError` or `RecursionError` for any other."""

CHUNK_KINDS: Final = ("agent_message_chunk", "agent_thought_chunk", "user_message_chunk")

CHUNKS: Final = tuple(kind.encode() for kind in CHUNK_KINDS)
"""What a line says where it says that it is a chunk."""


def place_of_kind(line: bytes, update: PlainUpdate) -> int:
    """Return where *line*, which is that *update*, says what kind it is of, if it is a `PlainChunk`; else -1.

    The lines of one agent say it at one place: to look there is cheap, where to search would cost as
    much as to decode in the other way.
    """
    try:
        decode_chunk(line)
    except ValueError:
        return -1
    return line.find(update.params.update["sessionUpdate"].encode())


def joined(chunks: list[PlainChunk]) -> PlainChunk:
    """Return the last of *chunks*, which go on with one message, with the text of all."""
    last = chunks[-1]
    if len(chunks) == 1:
        return last
    chunk = last.params.update
    text = _Text("text", "".join([one.params.update.content.text for one in chunks]))
    params = _ChunkParams(last.params.session_id, chunk.__class__(text, chunk.message_id))
    return PlainChunk(last.jsonrpc, last.method, params, last.line)


__all__ = [
    "CHUNKS",
    "CHUNK_KINDS",
    "PLAINLY",
    "WITHOUT_ID",
    "Plain",
    "PlainChunk",
    "PlainTextChunk",
    "PlainUpdate",
    "decode_chunk",
    "decode_update",
    "place_of_kind",
]
