"""A bot that has an agent do one thing and answers its permission requests by a rule, with nobody at the keyboard.

python headless_bot.py PROMPT AGENT [ARGUMENT...]

Tool calls that only look are allowed, others are not, unless `BOT_ALLOWS` names their kinds. Prints what was said
and what was decided as JSON. Exits with 0 if the agent ended its turn in order.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from typing import Any, cast

import acp

from acp.schema import AllowedOutcome, DeniedOutcome, PermissionOption, RequestPermissionResponse, ToolCallUpdate

from acp_state import Session, Store, queries
from acp_state.contrib.acp_sdk import observer
from acp_state.state import Permission, ToolCall


LOOKS = frozenset(("read", "search", "think", "fetch"))


class Bot:
    """Allows the kinds of tool calls that *allowed* names, once."""

    def __init__(self, store: Store, allowed: frozenset[str]) -> None:
        self.store = store
        self.allowed = allowed

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """The store knows."""

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        # A request names its call and says what is new of it; what the call is may have been told long before.
        call = call_of(self.store.snapshot.sessions[session_id], tool_call.tool_call_id)
        wanted = "allow_once" if call.kind in self.allowed else "reject_once"
        for option in options:
            if option.kind == wanted:
                return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option.option_id))
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))


def call_of(session: Session, id: str | None) -> ToolCall:
    """Return the tool call of a session with that id; the newest, should an agent have used one twice."""
    return next(entry for entry in reversed(session.timeline) if isinstance(entry, ToolCall) and entry.id == id)


def report(session: Session) -> dict[str, Any]:
    """Return what came of a session as JSON."""
    asked = [entry for entry in session.timeline if isinstance(entry, Permission)]
    return {
        "stopReason": session.stop_reason,
        "said": queries.answer(session),
        "decided": [{"call": call_of(session, one.tool_call_id).title, "decision": one.decision} for one in asked],
    }


async def run(prompt: str, *command: str) -> dict[str, Any]:
    """Have the agent do it and return what came of it."""
    store = Store()
    bot = Bot(store, frozenset(os.environ.get("BOT_ALLOWS", "").split(",")) | LOOKS)
    client = cast("acp.Client", bot)  # it has some of the methods: the SDK answers for the others
    agent = acp.spawn_agent_process(client, *command, env=os.environ, observers=[observer(store, "client")])
    async with agent as (connection, _):
        await connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
        session = await connection.new_session(cwd=os.getcwd(), mcp_servers=[])  # noqa: PTH109 -- the protocol wants a string
        await connection.prompt(session_id=session.session_id, prompt=[acp.text_block(prompt)])
    return report(store.snapshot.sessions[session.session_id])


if __name__ == "__main__":
    came = asyncio.run(run(*sys.argv[1:]))
    print(json.dumps(came, indent=2))
    sys.exit(came["stopReason"] != "end_turn")
