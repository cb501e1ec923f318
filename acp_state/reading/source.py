"""Opening recordings: files, standard input, bytes, each plain or gzip (SPEC 3).

The only file of this package that opens anything.
"""

from __future__ import annotations

import io
import itertools
import os
import sys
import zlib

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from ..diagnostics import Diagnostic


BinaryFile: TypeAlias = io.RawIOBase | io.BufferedIOBase

Source: TypeAlias = str | os.PathLike[str] | bytes | BinaryFile
"""A path, `"-"` for standard input, a binary file that is open, or the recording itself."""

BLOCK: Final = 64 * 1024
"""How many bytes are read, and at most given, at a time. Larger blocks are slower: the frames of one
are alive together, and Python's garbage collector looks at all that is."""

_MAGIC: Final = b"\x1f\x8b"
_GZIP: Final = 16 + zlib.MAX_WBITS


def blocks(source: Source) -> Iterator[bytes | Diagnostic]:
    """Open *source* and return an iterator over its plain bytes, and over the diagnostic of a damaged archive.

    Opens at once. Raises `OSError` for what cannot be opened, and while it is read for what cannot be read.
    """
    if isinstance(source, bytes):
        return _plain(source[start : start + BLOCK] for start in range(0, len(source), BLOCK))
    if isinstance(source, (io.RawIOBase, io.BufferedIOBase)):
        return _plain(_read(source), named=_is_packed(getattr(source, "name", "")))
    if source == "-":
        return _plain(_read(sys.stdin.buffer))
    return _plain(_read_and_close(open(source, "rb", buffering=0)), named=_is_packed(source))  # noqa: PTH123 -- a path may be text


def _is_packed(name: object) -> bool:
    """Whether a file of that *name* is a gzip archive; an open file may have none, or a number."""
    return isinstance(name, (str, os.PathLike)) and os.fspath(name).lower().endswith(".gz")


def _read(file: Any) -> Iterator[bytes]:
    # Not all that is asked for need be there yet: a live recording is read as it comes.
    read = getattr(file, "read1", file.read)
    while data := read(BLOCK):
        yield data


def _read_and_close(file: io.FileIO) -> Iterator[bytes]:
    with file:
        yield from _read(file)


def _plain(raw: Iterator[bytes], *, named: bool = False) -> Iterator[bytes | Diagnostic]:
    """Give *raw* as it is, or unpacked if it begins as gzip does. A *named* archive may end in its first bytes."""
    start = b""
    while len(start) < len(_MAGIC) and (more := next(raw, b"")):
        start += more
    packed = start.startswith(_MAGIC) or (named and start != b"" and _MAGIC.startswith(start))
    all_of_it = itertools.chain((start,), raw)
    yield from _unpack(all_of_it) if packed else filter(None, all_of_it)


def _unpack(raw: Iterable[bytes]) -> Iterator[bytes | Diagnostic]:
    """Unpack an archive of any number of members; what a damaged one gives comes before its diagnostic."""
    member, begun = zlib.decompressobj(_GZIP), False
    for block in raw:
        data = block
        while data := data if begun else data.lstrip(b"\0"):  # archives are padded with zeros
            before, begun = member.copy(), True
            try:
                plain = member.decompress(data, BLOCK)
            except zlib.error as error:
                yield from _salvage(before, data)
                yield _torn(f"damaged: {error}")
                return
            if plain:
                yield plain
            data = member.unconsumed_tail
            if member.eof:
                data, member, begun = member.unused_data, zlib.decompressobj(_GZIP), False
    if begun:
        yield from filter(None, (member.flush(),))
        if not member.eof:
            yield _torn("it ends too soon")


def _salvage(member: Any, data: bytes) -> Iterator[bytes]:
    """Give what *member* can make of *data* before the fault in it: zlib itself drops that."""
    for size in (1024, 1):
        before = member
        try:
            while data:
                before = member.copy()
                plain = member.decompress(data[:size])
                data = data[size:]
                if plain:
                    yield plain
        except zlib.error:
            member = before


def _torn(why: str) -> Diagnostic:
    return Diagnostic("torn-archive", f"the archive is not whole: {why}")
