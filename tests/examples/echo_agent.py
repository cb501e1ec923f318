"""An agent that says what it is told, word by word, if it may.

python echo_agent.py
"""

from __future__ import annotations

import asyncio

from typing import Any, cast
from uuid import uuid4

import acp

from acp.schema import AllowedOutcome, InitializeResponse, NewSessionResponse, PermissionOption, PromptResponse, ToolCallUpdate


MAY_I = [
    PermissionOption(option_id="yes", name="Go on", kind="allow_once"),
    PermissionOption(option_id="no", name="Be quiet", kind="reject_once"),
]


class EchoAgent:
    """Asks for each prompt whether it may repeat it."""

    def on_connect(self, conn: acp.Client) -> None:
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: Any) -> NewSessionResponse:
        return NewSessionResponse(session_id=uuid4().hex)

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        words = " ".join(block.text for block in prompt if block.type == "text").split()
        call = uuid4().hex
        await self.client.session_update(session_id, acp.start_tool_call(call, f"Say {len(words)} words", kind="other"))
        answer = await self.client.request_permission(session_id=session_id, tool_call=ToolCallUpdate(tool_call_id=call), options=MAY_I)
        allowed = isinstance(answer.outcome, AllowedOutcome) and answer.outcome.option_id == "yes"
        for word in words if allowed else ():
            await self.client.session_update(session_id, acp.update_agent_message_text(f"{word} "))
        await self.client.session_update(session_id, acp.update_tool_call(call, status="completed" if allowed else "failed"))
        return PromptResponse(stop_reason="end_turn" if allowed else "refusal")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(cast("acp.Agent", EchoAgent())))  # it has some of the methods: the SDK answers for the others
