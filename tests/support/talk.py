"""A polite conversation in the making: a client and an agent that keep to the protocol.

`Talk` is told what the two would like to do next, as small numbers and words that hypothesis makes
up, and writes the messages; what the protocol does not allow at that point is left out. So a script
of wishes stays a script if any part of it is taken away, and failing ones shrink well.

This file knows the protocol and nothing of how the package works.
"""

from __future__ import annotations

import base64

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple


class Sent(NamedTuple):
    """A message, who sent it, and the session that it is about (`None`: the connection)."""

    sender: str
    message: Any
    session: str | None = None


OTHER: Final = {"client": "agent", "agent": "client"}
FINAL: Final = ("completed", "failed")
KINDS: Final = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
STATUSES: Final = ("pending", "in_progress", "completed", "failed")
REASONS: Final = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
OPTION_KINDS: Final = ("allow_once", "allow_always", "reject_once", "reject_always")
CODES: Final = (-32603, -32800, -32601, -32000)


class Asked:
    """A request without an answer yet."""

    def __init__(self, sender: str, id: Any, method: str, params: dict, session: str | None) -> None:
        self.sender, self.id, self.method, self.params, self.session = sender, id, method, params, session
        self.withdrawn = False


class Place:
    """What the two know of a session."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.phase = "ready"  # unknown, asked, loading, ready, closed
        self.calls: dict[str, str] = {}
        self.earlier_calls: set[str] = set()
        self.prompts: list[Asked] = []  # v1: open turns; v2: not reported yet
        self.accepted: list[str] = []  # v2: message ids that were promised
        self.running = False  # v2
        self.cancelled = False
        self.terminals: dict[str, str] = {}
        self.shown: set[str] = set()
        self.plans: set[str] = set()


class Talk:
    """A conversation; the public methods are what may be wished for.

    *ids* are those that requests get, in turn, as long as they are free; then numbers. *fresh*: no id
    is used twice. *in_order*: an answer is for the oldest open request of its method. *apart*: the two
    sides never use the same id. *replays*: sessions may be loaded and resumed. *drafts*: what only the
    unstable schemas have.
    """

    def __init__(
        self,
        version: int,
        *,
        ids: Iterable[Any] = (),
        fresh: bool = False,
        in_order: bool = False,
        apart: bool = False,
        drafts: bool = True,
        vendors: bool = True,
    ) -> None:
        self.version = version
        self.sent: list[Sent] = []
        self.open: list[Asked] = []
        self.places: dict[str, Place] = {}
        self._ids = list(ids)
        self._used: list[tuple[str, Any]] = []
        self._fresh, self._in_order, self._apart, self._drafts, self._vendors = fresh, in_order, apart, drafts, vendors
        self._count = 0
        self._sessions = 0

    # --- the wire ----------------------------------------------------------------------------------

    def put(self, sender: str, message: dict, session: str | None) -> None:
        self.sent.append(Sent(sender, {"jsonrpc": "2.0", **message}, session))

    def ask(self, sender: str, method: str, params: dict, session: str | None) -> Asked:
        asked = Asked(sender, self._id(sender), method, params, session)
        self.open.append(asked)
        self.put(sender, {"id": asked.id, "method": method, "params": params}, session)
        return asked

    def tell(self, sender: str, method: str, params: dict, session: str | None) -> None:
        self.put(sender, {"method": method, "params": params}, session)

    def update(self, place: Place, kind: str, **fields: Any) -> None:
        update = {"sessionUpdate": kind, **{name: value for name, value in fields.items() if value is not None}}
        self.tell("agent", "session/update", {"sessionId": place.id, "update": update}, place.id)

    def patch(self, place: Place, kind: str, fields: dict) -> None:
        """Send an update whose `null`s mean something."""
        self.tell("agent", "session/update", {"sessionId": place.id, "update": {"sessionUpdate": kind, **fields}}, place.id)

    def _id(self, sender: str) -> Any:
        taken = self._used if self._fresh else [(asked.sender, asked.id) for asked in self.open]
        sides = ("client", "agent") if self._apart else (sender,)
        taken = [(side, id) for side, id in taken if side in sides]
        if self._apart:
            # Who uses an id once has it for good.
            taken += [(side, id) for side, id in self._used if side == OTHER[sender]]
        for id in self._ids:
            if not any(_same(id, other) for _, other in taken):
                self._used.append((sender, id))
                return id
        self._count += 1
        self._used.append((sender, 1000 + self._count))
        return 1000 + self._count

    # --- whom and what -----------------------------------------------------------------------------

    def _place(self, pick: int, *phases: str) -> Place | None:
        fitting = [place for place in self.places.values() if place.phase in (phases or ("ready", "loading"))]
        return fitting[pick % len(fitting)] if fitting else None

    def _answerable(self, sender: str) -> list[Asked]:
        """The open requests that *sender* may answer now."""
        found = [asked for asked in self.open if asked.sender == OTHER[sender]]
        if self._in_order:
            seen: set[str] = set()
            found = [asked for asked in found if asked.method not in seen and not seen.add(asked.method)]  # type: ignore[func-returns-value]  # for its effect
        return found

    def _new_place(self) -> str:
        self._sessions += 1
        return f"s-{self._sessions}"

    # --- the connection ----------------------------------------------------------------------------

    def handshake(self, *, offered: int | None = None, meta: dict | None = None) -> None:
        offered = self.version if offered is None else offered
        more = {} if meta is None else {"_meta": meta}
        if offered == 2:
            params = {"protocolVersion": 2, "info": {"name": "pane", "version": "3"}, "capabilities": {}, **more}
        else:
            params = {"protocolVersion": offered, "clientCapabilities": {"fs": {"readTextFile": True}}, **more}
        asked = self.ask("client", "initialize", params, None)
        if self.version == 2:
            methods = [{"type": "agent", "methodId": "key", "name": "Key"}, {"type": "_pigeon", "methodId": "p", "name": "P", "age": 3}]
            result = {"protocolVersion": 2, "info": {"name": "robin", "version": "9"}, "capabilities": {}, "authMethods": methods}
        else:
            result = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}, "authMethods": [{"id": "key", "name": "Key"}]}
        self._answer(asked, result)

    def again(self) -> None:
        """A new connection: all that was open is nobody's."""
        self.open.clear()
        self._ids.clear()  # whether the new connection may take an open id of the old one's is no question of manners
        for place in self.places.values():
            place.prompts.clear()
            place.accepted.clear()
            place.running = False
            if place.phase != "closed":
                place.phase = "ready"
        self.handshake()

    def login(self, out: bool) -> None:
        names = ("authenticate", "logout") if self.version == 1 else ("auth/login", "auth/logout")
        self.ask("client", names[out], {} if out else {"methodId": "key"}, None)

    def who(self, told: bool) -> None:
        if not self._drafts:
            return
        if told:
            self.tell("agent", "auth/status_update", {"state": "authenticated", "accounts": [{"label": "a"}]}, None)
        else:
            self.ask("client", "auth/status", {}, None)

    def list(self, more: bool) -> None:
        self.ask("client", "session/list", {"cursor": "c"} if more else {}, None)

    def providers(self) -> None:
        if self._drafts:
            self.ask("client", "providers/list", {}, None)

    def vendor(self, client: bool, asks: bool, pick: int, value: Any) -> None:
        if not self._vendors:
            return
        place = self._place(pick)
        params = {"value": value} if place is None else {"sessionId": place.id, "value": value}
        session = None if place is None else place.id
        sender = "client" if client else "agent"
        if asks:
            self.ask(sender, "_robin/ask", params, session)
        else:
            self.tell(sender, "_robin/tell", params, session)

    # --- sessions ----------------------------------------------------------------------------------

    def new(self, early: bool, now: bool) -> None:
        """*early*: the agent sends the new session's commands before the answer. *now*: it answers at once."""
        if self._sessions >= 3:
            return
        id = self._new_place()
        params = {"cwd": "/home", "mcpServers": [], "additionalDirectories": ["/lib"]}
        asked = self.ask("client", "session/new", params, id)
        asked.session = id
        place = self.places[id] = Place(id)
        place.phase = "asked"
        if early:
            self._commands(place, ("go",))
        if now or self._in_order:
            self.answered(asked, 0)

    def load(self, pick: int, way: int, known: bool) -> None:
        """Load, or resume from the start, from a cursor, or plainly; a known session or an older one."""
        place = self._place(pick, "ready", "closed") if known else None
        if place is None:
            if self._sessions >= 3:
                return
            id = self._new_place()
            place = self.places[id] = Place(id)
        if place.prompts or place.running or any(asked.session == place.id for asked in self.open):
            return
        common = {"sessionId": place.id, "cwd": "/home", "mcpServers": []}
        place.phase = "loading"
        if self.version == 1 and way % 2 == 0:
            self.ask("client", "session/load", common, place.id)
            self._forget(place)
        elif self.version == 1 or way % 3 == 0:
            place.phase = "resuming"  # which brings no history
            self.ask("client", "session/resume", common, place.id)
        elif way % 3 == 1:
            self.ask("client", "session/resume", {**common, "replayFrom": {"type": "start"}}, place.id)
            self._forget(place)
        else:
            self.ask("client", "session/resume", {**common, "replayFrom": {"type": "message", "messageId": "m-0"}}, place.id)

    def _forget(self, place: Place) -> None:
        place.earlier_calls |= place.calls.keys()
        place.calls.clear()

    def fork(self, pick: int) -> None:
        source = self._place(pick, "ready")
        if source is None or not self._drafts or self._sessions >= 3:
            return
        id = self._new_place()
        asked = self.ask("client", "session/fork", {"sessionId": source.id, "cwd": "/home", "mcpServers": []}, id)
        asked.session = id
        self.places[id] = Place(id)
        self.places[id].phase = "asked"

    def end(self, pick: int, way: int) -> None:
        place = self._place(pick, "ready")
        methods = ("session/close", "session/delete", "session/archive") if self._drafts else ("session/close", "session/delete")
        if place is not None and not any(asked.session == place.id and asked.sender == "client" for asked in self.open):
            self.ask("client", methods[way % len(methods)], {"sessionId": place.id}, place.id)

    def setting(self, pick: int, way: int, word: str) -> None:
        place = self._place(pick, "ready")
        if place is None:
            return
        methods: list[tuple[str, dict]] = [
            ("session/set_config_option", {"configId": "mode", "value": "ask", **({"type": "id"} if self.version == 2 else {})})
        ]
        if self._drafts:
            methods += [("session/set_title", {"title": word}), ("session/status", {}), ("session/unarchive", {})]
        if self.version == 1:
            methods += [("session/set_mode", {"modeId": word})]
        else:
            methods += [("tool_call/cancel", {"toolCallId": call}) for call in place.calls]
            methods += [("terminal/cancel", {"terminalId": terminal}) for terminal in sorted(place.shown)]
        method, params = methods[way % len(methods)]
        self.ask("client", method, {"sessionId": place.id, **params}, place.id)

    # --- turns -------------------------------------------------------------------------------------

    def prompt(self, pick: int, blocks: list) -> None:
        place = self._place(pick, "ready")
        if place is not None:
            place.prompts.append(self.ask("client", "session/prompt", {"sessionId": place.id, "prompt": blocks or [_text("")]}, place.id))

    def state(self, pick: int, way: int, reason: int, background: int) -> None:
        place = self._place(pick)
        if place is None or self.version == 1:
            return
        name = ("running", "idle", "requires_action", "running", "idle", "_dreaming")[way % 6]
        fields: dict[str, Any] = {"state": name}
        if background:
            work = [{"type": "tool_call", "toolCallId": call} for call in list(place.calls)[:1]]
            work += [{"type": "terminal", "terminalId": terminal} for terminal in sorted(place.shown)[:1]]
            fields["background"] = (work, [], [{"type": "_nap", "for": 3}])[background % 3]
        if name == "idle":
            fields["stopReason"] = (*REASONS, "error", "_bored")[reason % 7]
            if fields["stopReason"] == "error":
                fields["error"] = {"code": -32603, "message": "broken"}
            if reason % 2:
                fields["usage"] = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}
            place.running = place.cancelled = False
        elif name in ("running", "requires_action"):
            place.running = True
        self.patch(place, "state_update", fields)

    def cancel(self, pick: int) -> None:
        place = self._place(pick, "ready")
        if place is None or not (place.prompts or place.running):
            return
        place.cancelled = True
        self.tell("client", "session/cancel", {"sessionId": place.id}, place.id)

    def withdraw(self, client: bool, pick: int) -> None:
        """Cancel one request by its id."""
        sender = "client" if client else "agent"
        mine = [asked for asked in self.open if asked.sender == sender and not asked.withdrawn and asked.method != "initialize"]
        if mine and not self._in_order:
            asked = mine[pick % len(mine)]
            asked.withdrawn = True
            self.tell(sender, "$/cancel_request", {"requestId": asked.id}, asked.session)

    # --- messages ----------------------------------------------------------------------------------

    def chunk(self, pick: int, role: int, message: int | None, block: dict, meta: dict | None) -> None:
        place = self._place(pick)
        if place is None:
            return
        name = ("agent", "thought", "user")[role % 3]
        kind = {"agent": "agent_message_chunk", "thought": "agent_thought_chunk", "user": "user_message_chunk"}[name]
        if message is None and self.version == 2:
            message = 0
        self.update(place, kind, messageId=None if message is None else f"{name[0]}-{message}", content=block, _meta=meta)

    def echo(self, pick: int, which: int, size: int, message: int | None) -> None:
        """Repeat the beginning of a v1 prompt that is open, as some agents do; an empty piece of it, too."""
        place = self._place(pick, "ready")
        if place is None or not place.prompts or self.version == 2:
            return
        block = place.prompts[which % len(place.prompts)].params["prompt"][0]
        if block.get("type") == "text":
            block = {**block, "text": block["text"][:size]}
        self.update(place, "user_message_chunk", messageId=None if message is None else f"u-{message}", content=block)

    def message(self, pick: int, role: int, message: int, blocks: list | None, sent: bool, meta: dict | None) -> None:
        place = self._place(pick)
        if place is None or self.version == 1:
            return
        name = ("agent", "thought", "user")[role % 3]
        kind = {"agent": "agent_message", "thought": "agent_thought", "user": "user_message"}[name]
        id = f"{name[0]}-{message}"
        if name == "user" and place.accepted and message % 2:
            id = place.accepted.pop(0)
        fields: dict[str, Any] = {"messageId": id}
        if sent:
            fields["content"] = blocks
        if meta is not None:
            fields["_meta"] = meta
        self.patch(place, kind, fields)

    def session_message(self, pick: int, message: int, blocks: list | None, chunk: bool, meta: dict | None) -> None:
        place = self._place(pick)
        if place is None or not self._drafts:
            return
        if chunk:
            block = blocks[0] if blocks else _text("x")
            self.update(place, "session_message_chunk", messageId=f"x-{message}", content=block, _meta=meta)
        else:
            self.patch(place, "session_message", {"messageId": f"x-{message}", "content": blocks, "senderSessionId": "s-9"})

    def compaction(self, pick: int, id: int, status: int, blocks: list | None, chunk: bool) -> None:
        place = self._place(pick)
        if place is None:
            return
        name = f"c-{id}"
        if chunk:
            self.update(place, "compaction_summary_chunk", compactionId=name, content=blocks[0] if blocks else _text("x"))
        else:
            fields = {"compactionId": name, "status": ("in_progress", "completed", "failed", "cancelled")[status % 4]}
            self.patch(place, "compaction_update", fields if status % 2 else {**fields, "summary": blocks, "error": None})

    # --- tool calls --------------------------------------------------------------------------------

    def call(self, pick: int, id: int, status: int, fields: dict) -> None:
        place = self._place(pick)
        if place is None:
            return
        name = f"t-{id}"
        known = place.calls.get(name)
        given = dict(fields)
        word: str | None = (*STATUSES, None)[status % 5]
        if known in FINAL and word not in FINAL:
            word = None  # a finished call stays finished
        if word is not None:
            given["status"] = word
        if self.version == 2:
            self.patch(place, "tool_call_update", {"toolCallId": name, **given})
        elif known is None:
            given = {key: value for key, value in given.items() if value is not None}
            self.patch(place, "tool_call", {"toolCallId": name, "title": "Work", **given})
        else:
            self.patch(place, "tool_call_update", {"toolCallId": name, **given})
        place.calls[name] = word or known or "pending"

    def call_chunk(self, pick: int, id: int, item: dict, meta: dict | None) -> None:
        place = self._place(pick)
        if place is not None and self.version == 2:
            place.calls.setdefault(f"t-{id}", "pending")
            self.update(place, "tool_call_content_chunk", toolCallId=f"t-{id}", content=item, _meta=meta)

    # --- questions ---------------------------------------------------------------------------------

    def permission(self, pick: int, call: int, way: int) -> None:
        place = self._place(pick)
        if place is None:
            return
        options = [{"optionId": f"o-{i}", "name": f"Option {i}", "kind": kind} for i, kind in enumerate(OPTION_KINDS)][: 1 + way % 4]
        name = f"t-{call}"
        params: dict[str, Any] = {"sessionId": place.id, "options": options}
        if self.version == 1:
            params["toolCall"] = {"toolCallId": name, "title": "May I?"}
            place.calls.setdefault(name, "pending")
        else:
            params["title"] = "May I?"
            subjects = (
                {"type": "tool_call", "toolCall": {"toolCallId": name}},
                {"type": "command", "command": "ls", "cwd": "/home", "toolCallId": name},
                {"type": "_dance", "steps": [1, 2, None]},
            )
            if way % 4 < 3:
                params["subject"] = subjects[way % 4]
            if way % 4 == 0:
                place.calls.setdefault(name, "pending")
        self.ask("agent", "session/request_permission", params, place.id)

    def elicitation(self, pick: int, way: int, scoped: bool) -> None:
        place = self._place(pick)
        mine = [asked for asked in self.open if asked.sender == "client"]
        scope: dict[str, Any]
        if scoped and mine:
            scope, session = {"requestId": mine[0].id}, None
        elif place is not None:
            scope, session = {"sessionId": place.id}, place.id
        else:
            return
        self._count += 1
        modes: tuple[dict, ...] = (
            {"mode": "form", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
            {"mode": "url", "url": "https://example.test/in", "elicitationId": f"e-{self._count}"},
            {"mode": "_voice", "language": "en", "nested": {"deep": [None]}},
        )
        self.ask("agent", "elicitation/create", {"message": "Who?", **scope, **modes[way % 3]}, session)

    def complete(self, pick: int) -> None:
        urls = [
            sent
            for sent in self.sent
            if sent.sender == "agent" and sent.message.get("method") == "elicitation/create" and sent.message["params"]["mode"] == "url"
        ]
        done = {sent.message["params"]["elicitationId"] for sent in self.sent if sent.message.get("method") == "elicitation/complete"}
        left = [sent for sent in urls if sent.message["params"]["elicitationId"] not in done]
        if left:
            sent = left[pick % len(left)]
            self.tell("agent", "elicitation/complete", {"elicitationId": sent.message["params"]["elicitationId"]}, sent.session)

    # --- files and terminals -----------------------------------------------------------------------

    def file(self, pick: int, write: bool) -> None:
        place = self._place(pick)
        if place is None or self.version == 2:
            return
        method = "fs/write_text_file" if write else "fs/read_text_file"
        self.ask("agent", method, {"sessionId": place.id, "path": "/home/a", **({"content": "x"} if write else {})}, place.id)

    def terminal(self, pick: int, way: int, which: int) -> None:
        """Run a terminal at the client, or do something to one (v1)."""
        place = self._place(pick)
        if place is None or self.version == 2:
            return
        live = [id for id, state in place.terminals.items() if state == "live"]
        if not live or way % 5 == 0:
            self.ask("agent", "terminal/create", {"sessionId": place.id, "command": "ls", "args": ["-l"], "cwd": "/home"}, place.id)
            return
        id = live[which % len(live)]
        method = ("terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release")[way % 5 - 1]
        if method == "terminal/release":
            place.terminals[id] = "released"
        self.ask("agent", method, {"sessionId": place.id, "terminalId": id}, place.id)

    def display(self, pick: int, call: int, way: int, words: str) -> None:
        """Show a terminal in a tool call's `_meta` (v1)."""
        place = self._place(pick)
        if place is None or self.version == 2 or f"t-{call}" not in place.calls:
            return
        id = f"d-{call}"
        metas: tuple[dict, ...] = (
            {"terminal_info": {"terminal_id": id, "cwd": "/home"}},
            {"terminal_output": {"terminal_id": id, "data": words}},
            {"terminal_output_delta": {"terminal_id": id, "data": words}},
            {"terminal_exit": {"terminal_id": id, "exit_code": 0, "signal": None}, "other": 1},
        )
        self.patch(place, "tool_call_update", {"toolCallId": f"t-{call}", "_meta": metas[way % 4]})

    def agent_terminal(self, pick: int, which: int, way: int, data: bytes) -> None:
        place = self._place(pick)
        if place is None or self.version == 1:
            return
        id = f"k-{which}"
        place.shown.add(id)
        if way % 3 == 0:
            self.update(place, "terminal_output_chunk", terminalId=id, data=base64.b64encode(data).decode())
            return
        patches: tuple[dict, ...] = (
            {"command": "ls", "cwd": "/home"},
            {"output": {"data": base64.b64encode(data).decode()}},
            {"exitStatus": {"exitCode": 0}},
            {"output": None, "exitStatus": None, "command": None},
            {"size": {"cols": 80, "rows": 24}, "capabilities": {"cancel": {}}},
            {"exitStatus": {}, "_meta": {"a": 1}},
        )
        self.patch(place, "terminal_update", {"terminalId": id, **patches[way % len(patches)]})

    # --- facts -------------------------------------------------------------------------------------

    def plan(self, pick: int, which: int, way: int, words: str) -> None:
        place = self._place(pick)
        if place is None:
            return
        entries = [{"content": words, "priority": "low", "status": "pending"}] * (which % 3)
        if self.version == 1 and way % 2 == 0:
            self.update(place, "plan", entries=entries)
            return
        if self.version == 1 and not self._drafts:
            return
        id = f"p-{which}"
        if way % 5 == 4 and self._drafts:
            self.update(place, "plan_removed", planId=id)
            return
        plans: tuple[dict, ...] = (
            {"type": "items", "entries": entries},
            {"type": "markdown", "content": words},
            {"type": "file", "uri": "file:///plan"},
            {"type": "_map", "north": [words]},
        )
        self.update(place, "plan_update", plan={"planId": id, **plans[way % (4 if self.version == 2 else 2)]})

    def _commands(self, place: Place, names: Iterable[str]) -> None:
        commands: list[dict] = [{"name": name, "description": "d", "input": {"hint": "h"}} for name in names]
        if self.version == 2:
            commands = [{"type": "command", **command, "input": {"type": "text", "hint": "h"}} for command in commands]
        self.update(place, "available_commands_update", availableCommands=commands)

    def _config(self, value: str) -> list[dict]:
        id = "configId" if self.version == 2 else "id"
        options: list[dict] = [
            {
                id: "mode",
                "name": "Mode",
                "category": "mode",
                "type": "select",
                "currentValue": value,
                "options": [{"value": "ask", "name": "Ask"}, {"value": value, "name": "V"}],
            },
            {id: "loud", "name": "Loud", "type": "boolean", "currentValue": True},
        ]
        if self.version == 2:
            options.append({id: "vol", "name": "Volume", "type": "_slider", "currentValue": 3, "range": [0, None]})
        return options

    def fact(self, pick: int, way: int, number: int, words: str) -> None:
        """Commands, settings, title, usage, notices: what a session has one of."""
        place = self._place(pick)
        if place is None:
            return
        ways: list[Callable[[], None]] = [
            lambda: self._commands(place, ("a", "b")[: number % 3]),
            lambda: self.update(place, "config_option_update", configOptions=self._config(words)),
            lambda: self.patch(place, "session_info_update", {"title": words} if number % 2 else {"title": None, "_meta": {"n": number}}),
            lambda: self.patch(
                place,
                "usage_update",
                {"used": number, "size": 9, **({"cost": {"amount": 0.5, "currency": "USD"}} if number % 2 else {})},
            ),
            lambda: self.update(place, "notice", severity="info", title=words or "n", description="d"),
        ]
        if self.version == 1:
            ways.append(lambda: self.update(place, "current_mode_update", currentModeId=words))
        else:
            ways.append(lambda: self.patch(place, "_unheard_of", {"value": words, "nested": {"null": None}}))
        ways[way % len(ways)]()

    def subagent(self, pick: int, child: int, way: int) -> None:
        place = self._place(pick)
        if place is None or not self._drafts:
            return
        patches: tuple[dict, ...] = (
            {"title": "Child"},
            {"state": {"state": "running"}},
            {"state": {"state": "idle", "stopReason": "end_turn"}},
            {"state": None, "title": None},
            {"cwd": "/home", "additionalDirectories": ["/lib"], "_meta": {"claudeCode": {"parentToolUseId": "t-0"}}},
        )
        id = f"{place.id}-child-{child}"
        self.patch(place, "subagent_update", {"sessionId": id, **patches[way % 5]})

    # --- answers -----------------------------------------------------------------------------------

    def answer(self, client: bool, pick: int, way: int) -> None:
        """Answer one of the requests that are open, with success (*way* says which) or an error (every fifth)."""
        candidates = self._answerable("client" if client else "agent")
        if candidates:
            self.answered(candidates[pick % len(candidates)], way)

    def answered(self, asked: Asked, way: int) -> None:
        failed = way % 5 == 4
        place = self.places.get(asked.session or "")
        if failed:
            self._answer(asked, None, {"code": CODES[way // 5 % len(CODES)], "message": "no"})
        else:
            self._answer(asked, self._result(asked, way))
        if place is not None:
            self._settled(place, asked, failed)

    def _answer(self, asked: Asked, result: Any, error: dict | None = None) -> None:
        if asked in self.open:
            self.open.remove(asked)
        message = {"id": asked.id, "result": result} if error is None else {"id": asked.id, "error": error}
        self.put(OTHER[asked.sender], message, asked.session)

    def _settled(self, place: Place, asked: Asked, failed: bool) -> None:
        if asked in place.prompts:
            place.prompts.remove(asked)
            if self.version == 1 and not place.prompts:
                place.cancelled = False
        elif asked.method in ("session/new", "session/fork"):
            place.phase = "unknown" if failed else "ready"
        elif asked.method in ("session/load", "session/resume"):
            place.phase = "ready" if not failed else "closed"
        elif asked.method in ("session/close", "session/delete", "session/archive") and not failed:
            place.phase = "closed"
            place.running = False
            # What the agent still asked for is answered; the client's own prompts may be, too.
            place.prompts.clear()

    def _result(self, asked: Asked, way: int) -> Any:
        if asked.method == "session/prompt":
            return self._prompt_result(asked, way)
        if asked.method == "session/request_permission":
            place = self.places.get(asked.session or "")
            if way % 5 == 3 or asked.withdrawn or (place is not None and place.cancelled):
                return {"outcome": {"outcome": "cancelled"}}
            options = asked.params["options"]
            return {"outcome": {"outcome": "selected", "optionId": options[way % len(options)]["optionId"]}}
        if asked.method == "elicitation/create":
            accepted = {"action": "accept", **({"content": {"name": "Ada"}} if asked.params["mode"] == "form" else {})}
            return (accepted, {"action": "decline"}, {"action": "cancel"}, accepted)[way % 5]
        if asked.method == "terminal/create":
            place = self.places[asked.session or ""]
            id = f"x-{asked.session}-{len(place.terminals)}"
            place.terminals[id] = "live"
            return {"terminalId": id}
        results = self._results(asked, way)
        return results.get(asked.method, {})

    def _prompt_result(self, asked: Asked, way: int) -> Any:
        if self.version == 2:
            self._count += 1
            place = self.places.get(asked.session or "")
            if place is not None:
                place.accepted.append(f"u-p{self._count}")
            return {"messageId": f"u-p{self._count}"}
        usage = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}
        return {"stopReason": REASONS[way % len(REASONS)], **({"usage": usage} if way % 2 else {})}

    def _results(self, asked: Asked, way: int) -> dict[str, Any]:
        modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}]}
        setup: dict[str, Any] = {}
        if way % 5 == 1:
            setup["configOptions"] = self._config("slow")
        if way % 5 == 2 and self.version == 1:
            setup["modes"] = modes
        if way % 5 == 3 and self.version == 2:
            setup["availableCommands"] = [{"type": "command", "name": "go", "description": "d"}]
        status: dict[str, Any] = {"status": "active"}
        if self.version == 2 and way % 5 == 1:
            status["state"] = {"state": "idle", "stopReason": "end_turn"}
        listed = [{"sessionId": id, "cwd": "/home", "title": "T"} for id in self.places]
        return {
            "session/new": {"sessionId": asked.session, **setup},
            "session/fork": {"sessionId": asked.session, **setup},
            "session/load": setup,
            "session/resume": setup,
            "session/list": {"sessions": listed, **({"nextCursor": "c"} if way % 2 else {})},
            "session/set_config_option": {"configOptions": self._config("ask")},
            "session/set_title": {"title": str(asked.params.get("title"))},
            "session/status": status,
            "auth/status": {"state": "authenticated"},
            "providers/list": {"providers": []},
            "fs/read_text_file": {"content": "secret"},
            "terminal/output": {
                "output": "out" * (way % 4),
                "truncated": bool(way % 2),
                **({"exitStatus": {"exitCode": 1}} if way % 3 else {}),
            },
            "terminal/wait_for_exit": {"exitCode": way},
            "_robin/ask": {"value": way},
        }


def _text(words: str) -> dict:
    return {"type": "text", "text": words}


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b
