"""A web backend: each room is an agent and a store of its own, and its browsers are sent the changes as JSON.

python web_backend.py PORT AGENT [ARGUMENT...]

GET /ROOM streams server-sent events: first the room's state document, then lists of changes that lead on from it.
POST /ROOM takes {"prompt": "..."}, or {"permission": its id, "optionId": "..."} to answer what is pending. In a browser:

    const stream = new EventSource("/room");
    stream.addEventListener("state", (event) => render(state = JSON.parse(event.data)));
    stream.addEventListener("changes", (event) => { JSON.parse(event.data).forEach(patch); render(state); });

    function patch(change) {                                     // change.path is a JSON pointer into the document
      const path = change.path.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
      const last = path.pop();
      const holder = path.reduce((at, part, depth) => (at[part] ??= depth ? [] : {}), state);
      if ("value" in change) holder[last] = change.value;
      else if ("text" in change) holder[last].text += change.text;
      else if ("base64" in change) holder[last].output += atob(change.base64);
      else if (change.set || change.unset) {
        Object.assign(holder[last], change.set);
        for (const name of change.unset ?? []) delete holder[last][name];
      } else if (Array.isArray(holder)) holder.splice(last, 1);
      else delete holder[last];
    }
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from asyncio import StreamReader, StreamWriter
from contextlib import AsyncExitStack, suppress
from typing import Any, cast

import acp

from acp.schema import AllowedOutcome, PermissionOption, RequestPermissionResponse, ToolCallUpdate

from acp_state import Snapshot, Store, changes_to_json, dumps, queries
from acp_state.contrib.acp_sdk import observer
from acp_state.state import Permission


class Room:
    """An agent, one session with it, and the store that follows both."""

    def __init__(self) -> None:
        self.store = Store()
        self.session_id = ""
        self._answers: dict[Any, asyncio.Future[str]] = {}
        self._prompts: set[asyncio.Task[Any]] = set()

    async def open(self, stack: AsyncExitStack, command: tuple[str, ...]) -> None:
        """Start the agent and a session; *stack* ends them."""
        client = cast("acp.Client", self)  # it has some of the methods: the SDK answers for the others
        spawned = acp.spawn_agent_process(client, *command, env=os.environ, observers=[observer(self.store, "client")])
        self._agent, _ = await stack.enter_async_context(spawned)
        await self._agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        self.session_id = (await self._agent.new_session(cwd=os.getcwd(), mcp_servers=[])).session_id  # noqa: PTH109 -- the protocol wants a string

    def take(self, body: bytes) -> bytes:
        """Take what a browser posted, and return the status of the answer to it."""
        try:
            said = json.loads(body)
            if "prompt" in said:
                task = asyncio.create_task(self._agent.prompt(session_id=self.session_id, prompt=[acp.text_block(said["prompt"])]))
                self._prompts.add(task)
                task.add_done_callback(self._prompts.discard)
            else:
                self._answers.pop(said["permission"]).set_result(said["optionId"])
        except (LookupError, TypeError, ValueError):
            return b"400 Bad Request"
        return b"202 Accepted"

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """The store knows."""

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        id = newest_asked(self.store.snapshot, session_id, tool_call.tool_call_id)
        self._answers[id] = answer = asyncio.get_running_loop().create_future()
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=await answer))


def newest_asked(snapshot: Snapshot, session_id: str, call: str) -> Any:
    """Return the id of the newest permission that is pending for a tool call."""
    asked = [one.request for one in queries.pending(snapshot, session_id)]
    return [one.id for one in asked if isinstance(one, Permission) and one.tool_call_id == call][-1]


class Backend:
    """The rooms, by path; one begins when somebody first asks for it."""

    def __init__(self, stack: AsyncExitStack, command: tuple[str, ...]) -> None:
        self._stack = stack
        self._command = command
        self._rooms: dict[str, asyncio.Task[Room]] = {}

    async def _room(self, path: str) -> Room:
        room = Room()
        await room.open(self._stack, self._command)
        return room

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        if path not in self._rooms:
            self._rooms[path] = asyncio.create_task(self._room(path))
        room = await self._rooms[path]
        if method == "GET":
            with suppress(ConnectionError):
                await stream(room.store, writer)
        else:
            body = await reader.readexactly(int(headers["content-length"]))
            writer.write(b"HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % room.take(body))
        writer.close()


async def stream(store: Store, writer: StreamWriter) -> None:
    """Send the state and then its changes until the store is closed or the browser is gone."""
    updates, snapshot = store.changes(), store.snapshot  # nothing can come between the two
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n\r\n")
    writer.write(b"event: state\ndata: %s\n\n" % dumps(snapshot, indent=None).encode())
    async for update in updates:
        writer.write(b"event: changes\ndata: %s\n\n" % json.dumps(changes_to_json(update.changes, update.after)).encode())
        await writer.drain()


async def main(port: int, *command: str) -> None:
    """Serve until somebody stops it. With port 0 a free one is found; it is printed."""
    async with AsyncExitStack() as stack:
        server = await asyncio.start_server(Backend(stack, command).serve, "127.0.0.1", port)
        print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), *sys.argv[2:]))
