"""A snapshot that is being changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..state import NO_SESSION, Connection, Session, Snapshot, share_sessions


class Report(Protocol):
    """Takes a diagnostic: its code, a message for a person, and the id of the entity that it is about."""

    def __call__(self, code: str, message: str, subject: str | None = None) -> None: ...


def ignore(code: str, message: str, subject: str | None = None) -> None:
    """Take no notice."""


class Draft:
    """A snapshot that is being changed: what the handlers of events are given.

    What nobody has seen is changed in place: tables and contents whose owner is *owner*. Everything
    else is replaced. *session* is the session at hand: the one that was found or put last.
    """

    __slots__ = (
        "_changed",
        "_last",
        "_outdated",
        "_table",
        "_update",
        "connection",
        "connection_number",
        "derives",
        "owner",
        "report",
        "session",
    )

    def __init__(self, snapshot: Snapshot, report: Report, update: Callable[[Draft, Session], Session]) -> None:
        """Begin with *snapshot*. *update* returns a session as it is on the connection that the draft is at, by its activity rule."""
        self._update = update
        self.report = report
        self.owner: object = object()
        self.connection: Connection = snapshot.connection
        self.derives = snapshot._derives
        self.connection_number = snapshot._connection_number
        self.session: Session = snapshot.sessions._current
        self._table = snapshot.sessions._table
        self._last = snapshot
        self._changed = False  # whether a session that is not at hand is another one than in the last snapshot
        self._outdated = False

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot as it is now; from here on, what is in it is changed in place no more."""
        if self._outdated:
            self._update_all()
        last, session = self._last, self.session
        sessions = last.sessions
        if self._changed or (session is not sessions._current and self._is_changed(session)):
            sessions = share_sessions(self._table, session)
        elif self.connection is last.connection and self.derives is last._derives and self.connection_number == last._connection_number:
            return last
        self._last = last = Snapshot(self.connection, sessions, self.derives, self.connection_number)
        self.owner = object()
        self._changed = False
        return last

    def _is_changed(self, session: Session) -> bool:
        """Whether the last snapshot has *session* otherwise."""
        return session is not self._last.sessions.get(session.id, NO_SESSION)

    # --- sessions

    def find_session(self, session_id: str) -> Session | None:
        """Return the session *session_id*, which is at hand from now on; `None` if there is none."""
        if session_id == self.session.id:
            return self.session
        slot = self._table.slot_of(session_id)
        if slot < 0:
            return None
        self._store_session()
        session: Session = self._table.at(slot)
        self.session = session = self._update(self, session)
        return session

    def has_session(self, session_id: str) -> bool:
        """Whether there is a session *session_id*."""
        return self._table.slot_of(session_id) >= 0

    def open_session(self, session_id: str) -> Session:
        """Return the session *session_id*, which is at hand from now on; one that nobody announced if there is none (SPEC 4.6)."""
        session = self.find_session(session_id)
        if session is None:
            self.report("unannounced-session", f"session {session_id!r} was not announced", session_id)
            session = self.create_session(session_id)
        return session

    def create_session(self, session_id: str, **facts: Any) -> Session:
        """Return a new session, of which nothing is known but *facts*; it is at hand from now on."""
        self.put_session(self._update(self, Session(id=session_id, _connection=self.connection_number, **facts)))
        return self.session

    def put_session(self, session: Session) -> None:
        """Have *session* stand under its id; it is at hand from now on."""
        if session.id != self.session.id:
            self._store_session()
            if self._table.slot_of(session.id) < 0:
                self._table = self._table.add(session.id, session, self.owner)
                self._changed = True
        self.session = session

    def _store_session(self) -> None:
        """Put the session at hand into the table, where it may stand as it was before."""
        session = self.session
        if session is not NO_SESSION:
            self._changed = self._changed or self._is_changed(session)
            slot = self._table.slot_of(session.id)
            if self._table.at(slot) is not session:
                self._table = self._table.put(slot, session, self.owner)

    # --- what concerns all sessions, and each is told when it is needed next

    def begin_connection(self) -> None:
        """Have every session know that this is a new connection: nothing that the old one was doing goes on."""
        self.connection_number += 1
        self._tell_all()

    def set_activity_rule(self, derives: bool) -> None:
        """Have every session derive its activity from its prompts and requests, or not."""
        self.derives = derives
        self._tell_all()

    def _tell_all(self) -> None:
        if self.session is not NO_SESSION:
            self.session = self._update(self, self.session)
        self._outdated = True

    def _update_all(self) -> None:
        self._outdated = False
        self._store_session()
        for slot, session in self._table.slots():
            after = self._update(self, session)
            if after is not session:
                self._table = self._table.put(slot, after, self.owner)
                self._changed = True
        if self.session is not NO_SESSION:
            self.session = self._table.at(self._table.slot_of(self.session.id))
