"""A state document, read: keys that it does not show are found by the order of what is open."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any, Final

from .. import state as s
from .._json import Json, freeze, key_of
from .._model import replace
from ..codec import wire_name
from ..codec.reading import from_json, read_entry
from ..containers import EMPTY_HEAP, EMPTY_TABLE, Content, Table, make_content, make_log, make_table
from ..folded import Folded
from ..frames import SENDERS
from ..normalize.wire import Asked, Wire
from ..reading.reader import FRESH, ReaderState
from ..reduce import echo
from ..reduce.history import is_unfinished
from .checks import VERSIONS, check_connection, check_session, facts_of
from .usual import follows_from, usual_fresh, usual_known_until, usual_last_ended, usual_said, usually_reusable


class Reading:
    """Reads one document: keys that the document does not show are found by the order of what is open."""

    def __init__(self, document: Mapping[str, Json]) -> None:
        self.document = document
        self.wire_json: Mapping[str, Json] = document.get("wire", {})
        self.connection = document["connection"]
        self.open: list[Asked] = self._read_open()
        self._files: set[object] = set()
        self.unnamed: dict[tuple[str | None, str, bool], list[Asked]] = {}
        for asked in self.open:
            if asked.id is None:
                self.unnamed.setdefault((asked.session_id, asked.method, asked.waits), []).append(asked)

    def _read_open(self) -> list[Asked]:
        requests = self.connection.get("openRequests", [])
        extras = self.wire_json.get("open", [{}] * len(requests))
        version = self.connection.get("protocolVersion")
        found = []
        for serial, (written, extra) in enumerate(zip(requests, extras, strict=True), 1):
            request: s.OpenRequest = from_json(written, s.OpenRequest)
            key = key_of(request.id) if request.id is not None else ("#", serial)
            waits = from_json(extra.get("waits", request.method == "session/prompt" and version == 2), bool)
            facts = facts_of(request.method, extra.get("facts", {}))
            found.append(Asked(request.from_, key, request.id, request.method, request.session_id, waits, facts))
        return found

    def key(self, id: Json, session_id: str | None, methods: Iterable[str], *, waiting: bool, waits: bool = False) -> Any:
        """Return the key of the request that an entry is about; one without id has its own only while it is open.

        *waiting*: it is. *waits*: it is a prompt that waits for its message.
        """
        if id is not None:
            return key_of(id)
        for method in methods if waiting else ():
            queue = self.unnamed.get((session_id, method, waits))
            if queue:
                return queue.pop(0).key
        return None

    def folded(self) -> Folded:
        """Return the fold's result."""
        connection = self._connection()
        check_connection(connection)
        sessions = {id: self._session(id, session) for id, session in self.document["sessions"].items()}
        snapshot = s.Snapshot(connection, s.make_sessions(sessions.values()))
        wire = self._wire(snapshot)
        snapshot = replace(snapshot, _derives=wire.derives)
        privates = self.wire_json.get("sessions", {})
        for session in snapshot.sessions.values():
            whole = self._with_private(session, snapshot, wire, privates.get(session.id, {}))
            check_session(whole)
            snapshot = replace(snapshot, sessions=s.put_session(snapshot.sessions, whole))
        sides = self.wire_json.get("sides", {})
        client, agent = (_reader(sides.get(side)) for side in SENDERS)
        return Folded(snapshot, wire, sides=(client, agent))

    def _connection(self) -> s.Connection:
        tables = {"openRequests", "elicitations", "listedSessions", "extensions"}
        connection: s.Connection = from_json(
            {key: value for key, value in self.connection.items() if key not in tables},
            s.Connection,
        )
        listed = self.connection.get("listedSessions")
        elicitations = [read_entry(entry) for entry in self.connection.get("elicitations", [])]
        return replace(
            connection,
            open_requests=make_table(
                (
                    (asked.sender, asked.key),
                    s.OpenRequest(asked.sender, asked.id, asked.method, asked.session_id),
                )
                for asked in self.open
            ),
            elicitations=make_table((self._question_key(None, entry), entry) for entry in elicitations),
            _urls=_completable(enumerate(elicitations)),
            listed_sessions=None if listed is None else make_table((item["id"], from_json(item, s.ListedSession)) for item in listed),
            extensions=self._extensions(None, self.connection.get("extensions", [])),
        )

    def _question_key(self, session_id: str | None, entry: Any) -> Any:
        methods = ("session/request_permission",) if isinstance(entry, s.Permission) else ("elicitation/create", "session/elicitation")
        return self.key(
            entry.id,
            session_id,
            methods,
            waiting=entry.status == "pending" or entry.answer_owed,
        )

    def _extensions(self, session_id: str | None, items: Json) -> Table[Any, s.Extension]:
        found = []
        for item in items:
            extension: s.Extension = from_json(item, s.Extension)
            key = None
            if extension.kind == "request":
                key = self.key(
                    extension.id,
                    _session_named(extension) if session_id is None else session_id,
                    (extension.method,),
                    waiting=extension.status == "open",
                )
            found.append((None if key is None else (extension.from_, key), extension))
        return make_table(found)

    def _session(self, id: str, item: Json) -> s.Session:
        if item["id"] != id:
            msg = f"session {item['id']!r} stands under {id!r}"
            raise ValueError(msg)
        tables = {
            "subagents",
            "notices",
            "extensions",
            "pendingPrompts",
            "before",
            "replaying",
            *_HISTORY,
        }
        session: s.Session = from_json({key: value for key, value in item.items() if key not in tables}, s.Session)
        before = None if "before" not in item else self._history(s.History(), item["id"], item["before"])
        session = self._history(session, item["id"], item)
        whole: s.Session = replace(
            session,
            subagents=make_table((child["id"], from_json(child, s.Subagent)) for child in item.get("subagents", [])),
            notices=make_log([from_json(notice, s.Notice) for notice in item.get("notices", [])]),
            extensions=self._extensions(item["id"], item.get("extensions", [])),
            before=before,
        )
        return whole

    def _history(self, history: Any, session_id: str, item: Mapping[str, Json]) -> Any:
        timeline = make_table((self._entry_key(session_id, entry), entry) for entry in map(read_entry, item.get("timeline", [])))
        files = [from_json(file, s.FileRequest) for file in item.get("files", [])]
        return replace(
            history,
            timeline=timeline,
            turns=self._turns(session_id, item.get("turns", [])),
            plans=make_table((("plan", plan["id"]), from_json(plan, s.Plan)) for plan in item.get("plans", [])),
            terminals=make_table(((one["owner"], one["id"]), from_json(one, s.Terminal)) for one in item.get("terminals", [])),
            files=make_table((self._file_key(session_id, file), file) for file in files),
            unknown_updates=make_log([freeze(update) for update in item.get("unknownUpdates", [])]),
        )

    def _file_key(self, session_id: str, file: s.FileRequest) -> Any:
        """A file request shows no id: the open ones are the open requests, in their order."""
        if file.status != "open":
            return None
        method = f"fs/{file.operation}_text_file"
        for asked in self.open:
            if (asked.session_id, asked.method) == (
                session_id,
                method,
            ) and asked.key not in self._files:
                self._files.add(asked.key)
                return asked.key
        return None

    def _entry_key(self, session_id: str, entry: s.Entry) -> Any:
        if isinstance(entry, s.Message):
            return None if entry.id is None else (entry.role, entry.id)
        if isinstance(entry, (s.Permission, s.Elicitation)):
            key = self._question_key(session_id, entry)
            return None if key is None else ("request", key)
        return (entry.type, entry.id)

    def _turns(self, session_id: str, items: Json) -> Table[Any, s.Turn]:
        turns: list[s.Turn] = [from_json(item, s.Turn) for item in items]
        waiting = [place for place, turn in enumerate(turns) if _may_be_answered(turn)]
        waiting = waiting[-len(self.unnamed.get((session_id, "session/prompt", False), ())) :]
        return make_table(
            (
                self.key(
                    turn.prompts[0].request_id,
                    session_id,
                    ("session/prompt",),
                    waiting=place in waiting,
                )
                if turn.prompts
                else None,
                turn,
            )
            for place, turn in enumerate(turns)
        )

    def _wire(self, snapshot: s.Snapshot) -> Wire:
        written = self.wire_json
        usual = replace(follows_from(snapshot), open=EMPTY_TABLE, queues=EMPTY_TABLE, setups=EMPTY_TABLE)
        for asked in self.open:
            usual = usual.with_open(asked)
        changes = {name: from_json(written[wire_name(name)], kind) for name, kind in _WIRE.items() if wire_name(name) in written}
        if changes.get("version", 1) not in VERSIONS:
            msg = f"protocol version {changes['version']}"
            raise ValueError(msg)
        if "urls" in written:
            changes["urls"] = make_table(from_json(written["urls"], dict[str, str | None]).items())
        if "cursors" in written:
            changes["cursors"] = make_table(from_json(written["cursors"], dict[str, int]).items())
        if "reader" in written:
            changes["reader"] = _reader(written["reader"])
        changes["serial"] = len(self.open)
        return replace(usual, **changes)

    # --- what a session does not show

    def _with_private(
        self,
        session: s.Session,
        snapshot: s.Snapshot,
        wire: Wire,
        written: Mapping[str, Json],
    ) -> s.Session:
        said = usual_said(session, snapshot, derives=wire.derives)
        facts: dict[str, Any] = {
            "_derives": wire.derives,
            "_run_broken": False,
            "_last_ended": usual_last_ended(session),
            "_said": replace(said, **{name: from_json(written[f"_{name}"], kind) for name, kind in _SAID.items() if f"_{name}" in written}),
        }
        facts |= {name: from_json(written[name], kind) for name, kind in _PRIVATE.items() if name in written}
        fresh = written.get("_fresh")
        session = replace(
            session,
            _fresh=usual_fresh(session) if fresh is None else from_json(fresh, frozenset[str]),
            _loading=self._loading(session, written.get("_loading")),
            before=None if session.before is None else _with_private_history(session.before, written.get("before", {})),
            **facts,
        )
        whole: s.Session = _with_private_history(self._with_prompts(session, written), written)
        return whole

    def _loading(self, session: s.Session, written: Mapping[str, Json] | None) -> s.Loading | None:
        if written is None:
            return None
        seen: Table[object, Any] = make_table((tuple(from_json(one["key"], tuple[str | None, ...])), _seen(one)) for one in written["seen"])
        loading = {name: from_json(written[name], kind) for name, kind in _LOADING.items()}
        until = usual_known_until(session, known=loading["known"])
        if "knownUntil" in written:
            until = from_json(written["knownUntil"], s.Ends)
        return s.Loading(**loading, seen=seen, known_until=until)

    def _with_prompts(self, session: s.Session, written: Mapping[str, Json]) -> s.Session:
        items = self.document["sessions"][session.id].get("pendingPrompts", [])
        prompts: list[s.PendingPrompt] = [from_json(item, s.PendingPrompt) for item in items]
        for taken in written.get("taken", []):
            prompt = replace(
                from_json(taken["prompt"], s.PendingPrompt),
                _taken=from_json(taken["taken"], s.Taken),
            )
            prompts.insert(taken["place"], prompt)
        keyed = [
            (
                self.key(
                    prompt.request_id,
                    session.id,
                    ("session/prompt",),
                    waiting=not prompt.accepted and prompt.rejected is None,
                    waits=True,
                ),
                prompt,
            )
            for prompt in prompts
        ]
        return replace(
            session, _prompts=_prompts_of([(("gone", place) if key is None else key, prompt) for place, (key, prompt) in enumerate(keyed)])
        )


def _prompts_of(keyed: list[tuple[Any, s.PendingPrompt]]) -> s.Prompts:
    """Return the prompts of a session with what follows from their answers."""
    waiting = [(slot, key, prompt) for slot, (key, prompt) in enumerate(keyed) if prompt.rejected is None and prompt._taken is None]
    unnamed = EMPTY_HEAP
    expected: dict[str, list[Any]] = {}
    for slot, key, prompt in waiting:
        if prompt.message_id is not None:
            expected.setdefault(prompt.message_id, []).append(key)
        elif prompt.accepted:
            unnamed = unnamed.add(slot)
    return s.Prompts(
        make_table(keyed),
        make_table((key, key) for _, key, prompt in waiting if not prompt.accepted),
        unnamed,
        make_table((id, make_log(keys)) for id, keys in expected.items()),
        make_table((key, key) for _, key, prompt in waiting if not prompt.cancel_requested),
    )


def _reader(written: Mapping[str, Json] | None) -> ReaderState:
    if written is None:
        return FRESH
    return ReaderState(
        b64decode(written["pending"]),
        tuple(b64decode(line) for line in written["block"]),
        from_json(written.get("skipping", False), bool),
    )


_WIRE: Final[Mapping[str, Any]] = {
    "version": int,
    "settled": bool,
    "client_seen": bool,
    "agent_seen": bool,
    "list_number": int,
    "last_session": str | None,
    "recorded": frozenset[str],
    "blocked": frozenset[str],
}
_PRIVATE: Final[Mapping[str, Any]] = {
    "_derives": bool,
    "_run_broken": bool,
    "_last_ended": int | None,
}
_SAID: Final[Mapping[str, Any]] = {"reported": str | None, "mirrored": str | None, "idle": bool}
_LOADING: Final[Mapping[str, Any]] = {
    "scope": str,
    "known": bool,
    "phase": str,
    "replaying": bool,
    "begun": bool,
}
"""What stands under `wire`, of the connection, of a session, and of its load."""


def _session_named(extension: s.Extension) -> str | None:
    """The session that the params name: it was not known when they came."""
    session_id = extension.params.get("sessionId") if isinstance(extension.params, Mapping) else None
    return session_id if isinstance(session_id, str) else None


def _seen(written: Mapping[str, Json]) -> tuple[int, s.Entry] | None:
    if "place" not in written:
        return None
    entry = read_entry(written["entry"])
    if isinstance(entry, s.ToolCall) and "reusable" in written:
        entry = _with_end_known(entry, written["reusable"])
    return written["place"], entry


_HISTORY: Final = ("timeline", "turns", "plans", "terminals", "files", "unknownUpdates")


def _may_be_answered(turn: s.Turn) -> bool:
    """Whether the prompt of a turn may still be open: it runs, or a close ended it."""
    return bool(turn.prompts) and turn.prompts[0].request_id is None and (turn.status == "running" or turn.stop_reason is None)


def _with_private_history(history: Any, written: Mapping[str, Json]) -> Any:
    """Return *history* with what follows from its entries, and with what was written of it."""
    turns = _open_turns(history, written.get("turns", {}))
    timeline = history.timeline
    pending: list[int] = []
    asked: dict[int, list[int]] = {}
    calls: dict[int, list[int]] = {}
    loose: list[int] = []
    replayed: list[int] = []
    for index, entry in timeline.slots():
        if isinstance(entry, (s.Permission, s.Elicitation)) and entry.status == "pending":
            pending.append(index)
            if entry.turn is not None:
                asked.setdefault(entry.turn, []).append(index)
        if is_unfinished(entry):
            found = calls.setdefault(entry.turn, []) if entry.turn in turns else replayed if entry.historical else loose
            found.append(index)
    echoed = [
        (timeline.at(turn.prompt).id, turn.prompt)
        for turn in turns.values()
        if turn.prompt is not None and timeline.at(turn.prompt).id is not None
    ]
    for index, turn in turns.items():
        questions = make_table((question, question) for question in asked.get(index, ()))
        turns[index] = replace(turn, calls=make_log(calls.get(index, ())), questions=questions)
    history = replace(
        history,
        _pending=make_table((index, index) for index in pending),
        _open_turns=make_table(turns.items()),
        _cancellable=make_table(
            (index, index) for index, turn in turns.items() if turn.calls or not history.turns.at(index).cancel_requested
        ),
        _loose_calls=make_log(loose),
        _replayed_calls=make_log(replayed),
        _urls=_completable(timeline.slots()),
        _echoed=make_table(echoed),
    )
    return _with_epoch(history, written.get("reusable", {}))


def _completable(entries: Iterable[tuple[int, Any]]) -> Table[str, int]:
    """Where the elicitations stand, by their id, that are not completed."""
    found: dict[str, int | None] = {}
    for place, entry in entries:
        if isinstance(entry, s.Elicitation) and entry.elicitation_id is not None:
            found[entry.elicitation_id] = None if entry.completed else place
    return make_table((id, place) for id, place in found.items() if place is not None)


def _open_turns(history: s.History, written: Mapping[str, Json]) -> dict[int, s.OpenTurn]:
    """Return what is remembered of each turn that runs, by its place."""
    turns = {place: s.OpenTurn(place) for place, turn in history.turns.slots() if turn.status == "running"}
    for place, extra in written.items():
        entry = from_json(extra.get("entry"), int | None)
        busy = any(other.turn == int(place) for at, other in history.timeline.slots() if at != entry)
        turn = replace(turns[int(place)], prompt=entry, busy=entry is not None and busy)
        heard = extra.get("echo")
        if heard is not None:
            content = make_content(from_json(heard["content"], Content), growing=True)
            prompt: Any = history.timeline.at(entry)
            id, parent, size = (from_json(heard[name], kind) for name, kind in (("id", str | None), ("parent", str | None), ("size", int)))
            turn = replace(
                turn,
                echo=echo.restore_echo(prompt.content, content, id, parent, size),
            )
        turns[int(place)] = turn
    return turns


def _with_epoch(history: Any, written: Mapping[str, Json]) -> Any:
    """Set when calls were finished, as far as it matters: before or after the last turn began."""
    reusable = {
        **usually_reusable(history),
        **{int(place): value for place, value in written.items()},
    }
    timeline = history.timeline
    for place, after in reusable.items():
        timeline = timeline.put(place, _with_end_known(timeline.at(place), after))
    return replace(history, timeline=timeline, _epoch=1)


def _with_end_known(call: s.ToolCall, reusable: bool) -> s.ToolCall:
    """Return a finished call as one that was finished before or after the last turn began."""
    return replace(call, _final_since=0 if reusable else 1)
