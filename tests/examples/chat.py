"""A chat with any agent, in a terminal. An empty line or the end of the input ends it.

python chat.py AGENT [ARGUMENT...]
"""

from __future__ import annotations

import asyncio
import os
import sys

from contextlib import suppress
from typing import Any, cast

import acp

from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

from acp_state import Snapshot, Store, diff
from acp_state.changes import EntryAdded, EntryChanged, TextAppended, TurnChanged
from acp_state.contrib.acp_sdk import observer
from acp_state.state import Message, ToolCall


def write(text: str) -> None:
    """Print *text*, but nothing in it that a terminal would act upon."""
    print("".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text), end="", flush=True)


def show(before: Snapshot, after: Snapshot, _: object) -> None:
    """Print what the agent did."""
    for change in diff(before, after):
        match change:
            case EntryAdded(entry=Message(role="agent") as message):
                write(f"\n{message.text}")
            case TextAppended(entry=Message(role="agent"), text=text):
                write(text)
            case EntryAdded(entry=ToolCall() as call) | EntryChanged(entry=ToolCall() as call):
                write(f"\n[{call.status}] {call.title}")
            case TurnChanged(turn=turn) if change.ended:
                write(f"\n-- {turn.stop_reason or turn.status}\n")


class Client:
    """Asks the user; the rest is in the store."""

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """The store knows."""

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> RequestPermissionResponse:
        numbered = {str(number): option for number, option in enumerate(options, 1)}
        write("".join(f"\n  {number}. {option.name}" for number, option in numbered.items()) + "\n")
        chosen = numbered.get(await asked("which? "))
        allowed = chosen and AllowedOutcome(outcome="selected", option_id=chosen.option_id)
        return RequestPermissionResponse(outcome=allowed or DeniedOutcome(outcome="cancelled"))


async def asked(question: str) -> str:
    """Return what the user types, "" at the end of the input."""
    write(question)
    return str(await asyncio.to_thread(sys.stdin.readline)).strip()


async def chat(*command: str) -> None:
    """Talk until there is nothing more to say."""
    store = Store()
    store.subscribe(show)
    client = cast("acp.Client", Client())  # it has some of the methods: the SDK answers for the others
    agent = acp.spawn_agent_process(client, *command, env=os.environ, observers=[observer(store, "client")])
    async with agent as (connection, _):
        await connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
        session = await connection.new_session(cwd=os.getcwd(), mcp_servers=[])  # noqa: PTH109 -- the protocol wants a string
        while words := await asked("> "):
            with suppress(acp.RequestError):  # that it failed is shown already
                await connection.prompt(session_id=session.session_id, prompt=[acp.text_block(words)])


if __name__ == "__main__":
    asyncio.run(chat(*sys.argv[1:]))
