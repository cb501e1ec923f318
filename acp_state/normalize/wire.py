"""What the normalizer remembers between frames: version, sides, open requests."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen

from .._json import EMPTY, FrozenDict, Json
from .._persistent import Table
from ..reading.reader import ReaderState
from ..state import EMPTY_TABLE, RequestKey


@frozen
class Asked:
    """An open request: what its answer does not repeat."""

    sender: str
    key: RequestKey = field(eq=False)
    id: Json
    method: str
    session_id: str | None = None
    waits: bool = False
    """Of a prompt: whether its message is still to be reported (v2), so that the answer ends no turn."""
    facts: FrozenDict = EMPTY
    """What of the params the answer needs."""


@frozen
class Wire:
    """The normalizer's memory. A value: `normalize` returns another one."""

    version: int = 1
    settled: bool = False
    """Whether an initialize answer or a version 2 message decided *version*."""
    client_seen: bool = False
    agent_seen: bool = False
    open: Table[tuple[str, RequestKey], Asked] = EMPTY_TABLE
    recorded: frozenset[str] = frozenset()
    """The methods of the client's requests on this connection, as far as an orphan answer may be one's."""
    serial: int = field(default=0, eq=False)
    """How many requests without id there were."""
    blocked: frozenset[str] = frozenset()
    """Sessions of a one-sided recording that reported `requires_action`."""
    urls: Table[str, str | None] = field(default=EMPTY_TABLE, eq=False)
    """The session of each elicitation that may be completed."""
    roots: Table[str, bool] = field(default=EMPTY_TABLE, eq=False)
    """The sessions that are nobody's child."""
    children: Table[str, bool] = field(default=EMPTY_TABLE, eq=False)
    last_session: str | None = None
    """The session that was last heard of."""
    reader: ReaderState = field(default=ReaderState())

    @property
    def derives(self) -> bool:
        """Whether what a session is doing follows from its prompts and requests (v1, both sides seen)."""
        return self.version == 1 and self.client_seen

    @property
    def one_sided(self) -> bool:
        """Whether no frame of the client's was seen."""
        return not self.client_seen


NEW: Final = Wire()
