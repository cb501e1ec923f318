"""Immutable collections whose changes cost their own size, however much they hold.

`Table` is an ordered collection with keys, `Content` the blocks of a message, `Log` a sequence to append
to, `Output` what a terminal printed, `Heap` numbers of which the smallest is found.

*Ownership.* A fold changes in place what nobody else has seen. It has an *owner*, an object of its own,
and a table or content whose owner is that object was made, or taken over, since the last snapshot.
Taking a snapshot gives the fold a new owner, which is all that it costs. The next change of a collection
*takes it over*: a new version gets the list that both share, and the old version keeps what it takes
to read it as it was. Without an owner, each change makes a version of its own.

Threads may read any version while a fold goes on. A writer notes what it overwrites *before* it does so,
and a reader looks at the notes *after* it has read. That relies on the global interpreter lock.

Bottom layer: imports nothing of ours but JSON.
"""

from __future__ import annotations

from .content import (
    EMPTY_CONTENT,
    EMPTY_OUTPUT,
    PLAIN,
    Content,
    Output,
    Piece,
    join_text,
    make_content,
    make_output,
    make_piece,
    split_text,
)
from .heap import EMPTY_HEAP, Heap
from .log import EMPTY_LOG, Log, make_log
from .table import EMPTY_TABLE, Table, make_table


__all__ = [
    "EMPTY_CONTENT",
    "EMPTY_HEAP",
    "EMPTY_LOG",
    "EMPTY_OUTPUT",
    "EMPTY_TABLE",
    "PLAIN",
    "Content",
    "Heap",
    "Log",
    "Output",
    "Piece",
    "Table",
    "join_text",
    "make_content",
    "make_log",
    "make_output",
    "make_piece",
    "make_table",
    "split_text",
]
