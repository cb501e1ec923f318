"""An agent made with the official SDK, which does what a prompt says and observes its own end.

    python sdk_agent.py DOCUMENT

Its state document stands in the file DOCUMENT when it is done. What it does and its client do at the
same time is never about one session, so both ends see each session's messages in one order.
"""

from __future__ import annotations

import asyncio
import pathlib
import sys

from typing import Any

import acp

from acp import schema as m

from acp_state import Store, dumps
from acp_state.contrib.acp_sdk import observer


OPTIONS = [
    m.PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
    m.PermissionOption(option_id="no", name="No", kind="reject_once"),
]
MODES = m.SessionModeState(
    current_mode_id="ask",
    available_modes=[m.SessionMode(id="ask", name="Ask"), m.SessionMode(id="code", name="Code", description="Writes")],
)


class Agent(acp.Agent):
    def __init__(self) -> None:
        self.told: dict[str, list[Any]] = {}
        self.cancelled: dict[str, asyncio.Event] = {}
        self.turns = 0

    def on_connect(self, conn: acp.Client) -> None:
        self.client = conn

    async def tell(self, session_id: str, update: Any) -> None:
        self.told.setdefault(session_id, []).append(update)
        await self.client.session_update(session_id, update)

    async def initialize(self, protocol_version: int, **_: Any) -> m.InitializeResponse:
        return m.InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=m.AgentCapabilities(load_session=True),
            agent_info=m.Implementation(name="robin", title="Robin", version="9"),
        )

    async def new_session(self, cwd: str, **_: Any) -> m.NewSessionResponse:
        session_id = f"s-{len(self.cancelled) + 1}"
        self.cancelled[session_id] = asyncio.Event()
        return m.NewSessionResponse(session_id=session_id, modes=MODES)

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> m.LoadSessionResponse:
        for update in self.told.get(session_id, ()):
            await self.client.session_update(session_id, update)
        return m.LoadSessionResponse(modes=MODES)

    async def set_session_mode(self, mode_id: str, session_id: str, **_: Any) -> None:
        await self.client.session_update(session_id, m.CurrentModeUpdate(session_update="current_mode_update", current_mode_id=mode_id))

    async def cancel(self, session_id: str, **_: Any) -> None:
        self.cancelled[session_id].set()

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"method": method, 1: (2, params)}

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        await self.client.ext_notification(method, params)

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> m.PromptResponse:
        self.turns += 1
        word, _, rest = prompt[0].text.partition(" ")
        reason = await getattr(self, f"on_{word}")(session_id, f"t-{self.turns}", rest) or "end_turn"
        return m.PromptResponse(stop_reason=reason, usage=m.Usage(input_tokens=1, output_tokens=2, total_tokens=3))

    async def on_say(self, session: str, call: str, rest: str) -> None:
        for piece in rest.split(" "):
            await self.tell(session, acp.update_agent_thought_text(f"({piece})"))
            await self.tell(session, acp.update_agent_message_text(piece))

    async def on_work(self, session: str, call: str, rest: str) -> None:
        await self.tell(session, acp.update_plan([acp.plan_entry("look"), acp.plan_entry("mend", priority="high")]))
        await self.tell(session, acp.start_edit_tool_call(call, "Mend it", "/a.py", "b\n"))
        asked = m.ToolCallUpdate(tool_call_id=call, title=rest)
        answer = await self.client.request_permission(session_id=session, tool_call=asked, options=OPTIONS)
        if answer.outcome.outcome == "cancelled" or answer.outcome.option_id != "yes":
            await self.tell(session, acp.update_tool_call(call, status="failed", raw_output={"refused": True}))
            return
        old = await self.client.read_text_file(session_id=session, path="/a.py")
        await self.client.write_text_file(session_id=session, path="/a.py", content="b\n")
        diff = acp.tool_diff_content("/a.py", "b\n", old.content)
        await self.tell(session, acp.update_tool_call(call, status="completed", content=[diff], raw_output=0))
        await self.tell(session, acp.update_plan([acp.plan_entry("look", status="completed")]))

    async def on_run(self, session: str, call: str, rest: str) -> None:
        terminal = await self.client.create_terminal(
            session_id=session, command="make", args=["test"], env=[m.EnvVariable(name="K", value="v")]
        )
        shown = [acp.tool_terminal_ref(terminal.terminal_id)]
        await self.tell(session, acp.start_tool_call(call, "make test", kind="execute", status="in_progress", content=shown))
        await self.client.wait_for_terminal_exit(session_id=session, terminal_id=terminal.terminal_id)
        await self.client.terminal_output(session_id=session, terminal_id=terminal.terminal_id)
        await self.client.release_terminal(session_id=session, terminal_id=terminal.terminal_id)
        await self.tell(session, acp.update_tool_call(call, status="completed"))

    async def on_wait(self, session: str, call: str, rest: str) -> str:
        await self.tell(session, acp.start_tool_call(call, "Wait", status="in_progress"))
        await self.cancelled[session].wait()
        await self.tell(session, acp.update_tool_call(call, status="failed"))
        return "cancelled"

    async def on_fail(self, session: str, call: str, rest: str) -> None:
        raise acp.RequestError.invalid_params({"why": rest})


async def state_of_a_connection() -> str:
    store = Store()
    await acp.run_agent(Agent(), observers=[observer(store, "agent")])
    return dumps(store.state)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(asyncio.run(state_of_a_connection()), encoding="utf-8")
