"""What the normalizer remembers between frames: version, sides, open requests."""

from __future__ import annotations

from typing import ClassVar, Final

from .._json import EMPTY, FrozenDict, Json
from .._model import Entity, replace
from ..containers import EMPTY_TABLE, Table
from ..reading.reader import ReaderState
from ..state import RequestKey


QUESTIONS: Final = frozenset(("session/request_permission", "elicitation/create", "session/elicitation"))
SETUPS: Final = frozenset(("session/load", "session/resume"))


class Asked(Entity, frozen=True, eq=False):
    """An open request: what its answer does not repeat."""

    sender: str
    key: RequestKey
    id: Json
    method: str
    session_id: str | None = None
    waits: bool = False
    """Of a prompt: whether its message is still to be reported (v2), so that the answer ends no turn."""
    facts: FrozenDict = EMPTY
    """What of the params the answer needs."""

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(("key",))

    @property
    def is_plain(self) -> bool:
        """Whether it is a resume that brings no history."""
        return self.facts.get("scope") == "none"


class Wire(Entity, frozen=True, eq=False):
    """The normalizer's memory. A value: `normalize` returns another one."""

    version: int = 1
    settled: bool = False
    """Whether an initialize answer or a version 2 message decided *version*."""
    client_seen: bool = False
    agent_seen: bool = False
    open: Table[tuple[str, RequestKey], Asked] = EMPTY_TABLE
    """The requests that wait for an answer, oldest first."""
    queues: Table[object, Table[RequestKey, RequestKey]] = EMPTY_TABLE
    """The keys of some of them, by what they are looked for (see `_queues`), oldest first."""
    setups: Table[str, RequestKey] = EMPTY_TABLE
    """For each session the load or resume of it that was asked last."""
    recorded: frozenset[str] = frozenset()
    """The methods of the client's requests on this connection, as far as an orphan answer may be one's."""
    serial: int = 0
    """How many requests without id there were."""
    blocked: frozenset[str] = frozenset()
    """Sessions of a one-sided recording that reported `requires_action`."""
    urls: Table[str, str | None] = EMPTY_TABLE
    """The session of each elicitation that may be completed."""
    roots: Table[str, bool] = EMPTY_TABLE
    """The sessions that are nobody's child."""
    children: Table[str, bool] = EMPTY_TABLE
    list_number: int = 0
    """How many lists of sessions the agent gave, pages apart."""
    cursors: Table[object, int] = EMPTY_TABLE
    """For each cursor the number of the list that it came from."""
    last_session: str | None = None
    """The session that was last heard of."""
    reader: ReaderState = ReaderState()

    UNCOMPARED: ClassVar[frozenset[str]] = frozenset(("queues", "setups", "serial", "urls", "roots", "children"))

    @property
    def derives(self) -> bool:
        """Whether what a session is doing follows from its prompts and requests (v1, both sides seen)."""
        return self.version == 1 and self.client_seen

    @property
    def one_sided(self) -> bool:
        """Whether no frame of the client's was seen."""
        return not self.client_seen

    def with_open(self, asked: Asked) -> Wire:
        """Return the wire with *asked* waiting for its answer."""
        queues, setups = self.queues, self.setups
        for name in _queues(asked):
            queues = queues.set(name, (queues.get(name) or EMPTY_TABLE).add(asked.key, asked.key))
        if asked.session_id is not None and asked.method in SETUPS and not (asked.is_plain and self._is_replaying(asked.session_id)):
            setups = setups.set(asked.session_id, asked.key)
        return replace(self, open=self.open.add((asked.sender, asked.key), asked), queues=queues, setups=setups)

    def _is_replaying(self, session_id: str) -> bool:
        """Whether a load, or a resume that brings history, is open: a plain resume does not end that."""
        key = self.setups.get(session_id)
        asked = None if key is None else self.open.get(("client", key))
        return asked is not None and not asked.is_plain

    def without(self, asked: Asked) -> Wire:
        """Return the wire with *asked* waiting no more."""
        queues = self.queues
        for name in _queues(asked):
            queues = queues.set(name, (queues.get(name) or EMPTY_TABLE).remove(asked.key))
        return replace(self, open=self.open.remove((asked.sender, asked.key)), queues=queues)

    def oldest_nameless(self, sender: str, method: str | None) -> Asked | None:
        """Return the oldest request of *sender* that has no id, of any method for `None`."""
        queue = self.queues.get((sender, method))
        key = None if queue is None else queue.first()
        return None if key is None else self.open.get((sender, key))

    def knows(self, session_id: str) -> bool:
        """Whether anything was said of a session of that id."""
        return self.roots.slot_of(session_id) >= 0 or self.children.slot_of(session_id) >= 0

    def questions(self, session_id: str) -> list[Asked]:
        """Return the questions of a session to the user that are open, oldest first."""
        queue = self.queues.get(("questions", session_id)) or ()
        return [asked for key in queue if (asked := self.open.get(("agent", key))) is not None]

    def is_newest_setup(self, asked: Asked | None) -> bool:
        """Whether *asked* is the load or resume of its session that was asked last."""
        if asked is None or asked.session_id is None or asked.method not in SETUPS:
            return False
        return self.setups.get(asked.session_id) == asked.key


def _queues(asked: Asked) -> list[object]:
    """What *asked* is looked for by: without an id, its sender and method, or its sender; a question, its session."""
    names: list[object] = [] if asked.id is not None else [(asked.sender, asked.method), (asked.sender, None)]
    if asked.sender == "agent" and asked.method in QUESTIONS and asked.session_id is not None:
        names.append(("questions", asked.session_id))
    return names


NEW: Final = Wire()
