"""`acp-state record` between a client and an agent that are made with the official SDK."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys

import acp

from acp import schema as m

from acp_state import fold
from acp_state.document import to_document

from support import sdk_agent
from support.recorder import COMMAND


class Client(acp.Client):
    async def session_update(self, session_id, update, **_):
        pass

    async def request_permission(self, session_id, tool_call, options, **_):
        return m.RequestPermissionResponse(outcome=m.AllowedOutcome(outcome="selected", option_id="yes"))

    async def read_text_file(self, path, session_id, **_):
        return m.ReadTextFileResponse(content="a\n")

    async def write_text_file(self, content, path, session_id, **_):
        return None


async def talk(recorder):
    async with contextlib.AsyncExitStack() as stack:
        command = [*COMMAND, "-o", str(recorder), "--", sys.executable, sdk_agent.__file__, str(recorder.with_suffix(".agent"))]
        agent, process = await stack.enter_async_context(acp.spawn_agent_process(Client(), command[0], *command[1:]))
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        session = (await agent.new_session(cwd="/home", mcp_servers=[])).session_id
        await agent.prompt(session_id=session, prompt=[acp.text_block("say one two three")])
        await agent.prompt(session_id=session, prompt=[acp.text_block("work yes")])
    return await process.wait()


def test_a_client_and_an_agent_of_the_official_sdk(tmp_path):
    path = tmp_path / "session.ndjson"
    assert asyncio.run(talk(path)) == 0
    folded = fold(path)
    heard = json.loads(path.with_suffix(".agent").read_text())
    assert folded.diagnostics == ()
    assert json.loads(json.dumps(to_document(folded)))["sessions"] == heard["sessions"]
    assert folded.snapshot.connection.exit == {"status": "success", "code": 0}
    (session,) = folded.snapshot.sessions.values()
    assert [turn.stop_reason for turn in session.turns] == ["end_turn", "end_turn"]
