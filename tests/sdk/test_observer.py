"""A client and an agent made with the official SDK talk over pipes, and both ends are observed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

from typing import NamedTuple

import acp
import pytest

from acp import schema as m
from acp._transport import memory_transport_pair
from acp.connection import StreamDirection, StreamEvent

from acp_state import Folded, Store, dumps, fold, loads
from acp_state.contrib.acp_sdk import observed, observer

from support import sdk_agent, wiretap


class Client(acp.Client):
    """Answers a permission with what its call is titled; cancels the turn of a call that is titled `Wait`."""

    def __init__(self):
        self.waits = False
        self.told = asyncio.Event()

    def on_connect(self, conn):
        self.agent = conn

    async def session_update(self, session_id, update, **_):
        if self.waits and getattr(update, "title", None) == "Wait":
            self.waits = False
            await self.agent.cancel(session_id=session_id)

    async def request_permission(self, session_id, tool_call, options, **_):
        if tool_call.title == "cancelled":
            return m.RequestPermissionResponse(outcome=m.DeniedOutcome(outcome="cancelled"))
        return m.RequestPermissionResponse(outcome=m.AllowedOutcome(outcome="selected", option_id=tool_call.title))

    async def read_text_file(self, path, session_id, **_):
        return m.ReadTextFileResponse(content="a\n")

    async def write_text_file(self, content, path, session_id, **_):
        return None

    async def create_terminal(self, command, session_id, **_):
        return m.CreateTerminalResponse(terminal_id="k-1")

    async def wait_for_terminal_exit(self, session_id, terminal_id, **_):
        return m.WaitForTerminalExitResponse(exit_code=0)

    async def terminal_output(self, session_id, terminal_id, **_):
        return m.TerminalOutputResponse(output="2 passed\n", truncated=False, exit_status=m.TerminalExitStatus(exit_code=0))

    async def ext_notification(self, method, params):
        self.told.set()


async def everything(client, agent):
    """What the client does; while the agent does something of its own, it waits for it."""

    def ask(session, words):
        return agent.prompt(session_id=session, prompt=[acp.text_block(words)])

    await agent.initialize(protocol_version=acp.PROTOCOL_VERSION, client_info=m.Implementation(name="pane", version="3"))
    one, two, three = [(await agent.new_session(cwd="/home", mcp_servers=[])).session_id for _ in range(3)]
    await asyncio.gather(ask(one, "say one two three"), ask(two, "work yes"), ask(three, "say four five"))
    client.waits = True
    await asyncio.gather(ask(one, "wait"), ask(two, "work no"), ask(three, "run"))
    with pytest.raises(acp.RequestError):
        await ask(one, "fail not today")
    await ask(two, "work cancelled")
    await agent.set_session_mode(session_id=two, mode_id="code")
    await agent.load_session(cwd="/home", session_id=three, mcp_servers=[])
    await ask(three, "say six")
    await agent.ext_method("robin/ask", {"value": None})
    await agent.ext_notification("robin/tell", {"value": [1]})
    await client.told.wait()


class Ends(NamedTuple):
    """What is known of a connection: at the client's end, at the agent's, and from the bytes between them."""

    client: Store
    agent: Folded
    between: Folded


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    """The ends of a conversation with an agent in another process."""
    path = tmp_path_factory.mktemp("talk")
    recording, document = path / "recording.jsonl", path / "agent.json"
    store, client = Store(), Client()

    async def talk():
        spawned = acp.spawn_agent_process(
            client,
            sys.executable,
            *(wiretap.__file__, str(recording), sys.executable, sdk_agent.__file__, str(document)),
            env=dict(os.environ),
            observers=[observer(store, "client")],
            transport_kwargs={"stderr": None, "shutdown_timeout": 60},
        )
        async with asyncio.timeout(60), spawned as (agent, process):
            await everything(client, agent)
        assert process.returncode == 0

    asyncio.run(talk())
    return Ends(store, loads(document.read_text(encoding="utf-8")), fold(recording))


def test_both_ends_and_the_bytes_between_them_tell_the_same(ends):
    document = dumps(ends.between.snapshot)
    assert dumps(ends.client.snapshot) == document
    assert dumps(ends.agent.snapshot) == document
    assert ends.client.snapshot == ends.agent.snapshot == ends.between.snapshot


def test_both_ends_can_be_gone_on_with_as_the_recording_can(ends):
    assert ends.client.state.wire == ends.agent.wire
    assert dumps(ends.client.state) == dumps(ends.agent) == dumps(ends.between)


def test_nothing_is_wrong_with_what_the_official_sdk_says(ends):
    assert ends.client.diagnostics == ends.between.diagnostics == ()


def test_the_connection_is_told_of(ends):
    connection = ends.client.snapshot.connection
    assert (connection.phase, connection.protocol_version) == ("ready", 1)
    assert (connection.client.name, connection.agent.name) == ("pane", "robin")
    assert [(one.from_, one.kind, one.method) for one in connection.extensions] == [
        ("client", "request", "_robin/ask"),
        ("client", "notification", "_robin/tell"),
        ("agent", "notification", "_robin/tell"),
    ]


def test_turns_end_as_they_did(ends):
    turns = {session.id: [(turn.status, turn.stop_reason) for turn in session.turns] for session in ends.client.snapshot.sessions.values()}
    assert turns == {
        "s-1": [("ended", "end_turn"), ("ended", "cancelled"), ("failed", None)],
        "s-2": [("ended", "end_turn")] * 3,
        "s-3": [("ended", "end_turn")],
    }


def test_permissions_are_answered_as_they_were(ends):
    permissions = [entry for entry in ends.client.snapshot.sessions["s-2"].timeline if entry.type == "permission"]
    assert [(entry.status, entry.decision) for entry in permissions] == [
        ("selected", "allow_once"),
        ("selected", "reject_once"),
        ("cancelled", None),
    ]


def test_a_loaded_session_is_what_was_replayed_and_what_came_then(ends):
    timeline = ends.client.snapshot.sessions["s-3"].timeline
    assert [(entry.type, entry.historical) for entry in timeline][-4:] == [
        ("tool_call", True),
        ("message", False),
        ("message", False),
        ("message", False),
    ]


# --- transports --------------------------------------------------------------------------------------------


class Late:
    """A transport that, as HTTP may, knows that a message has arrived long after it has been answered."""

    def __init__(self, transport):
        self.receive, self.close, self._transport = transport.receive, transport.close, transport

    async def send(self, message):
        await self._transport.send(message)
        for _ in range(100):
            await asyncio.sleep(0)


def test_a_transport_is_observed_in_the_order_of_the_wire():
    ours, theirs = Store(), Store()

    async def talk():
        left, right = memory_transport_pair()
        agent = asyncio.create_task(acp.run_agent(sdk_agent.Agent(), right, observers=[observer(theirs, "agent")]))
        connection = acp.connect_to_agent(Client(), observed(Late(left), ours, "client"))
        async with asyncio.timeout(60), connection:
            await connection.initialize(protocol_version=acp.PROTOCOL_VERSION)
            session = await connection.new_session(cwd="/home", mcp_servers=[])
            await connection.prompt(session_id=session.session_id, prompt=[acp.text_block("say one two")])
        await agent

    asyncio.run(talk())
    assert dumps(ours.snapshot) == dumps(theirs.snapshot)
    assert ours.diagnostics == theirs.diagnostics == ()
    assert [entry.turn for entry in ours.snapshot.sessions["s-1"].timeline] == [0] * 5


def test_a_transport_of_another_side_is_refused():
    with pytest.raises(ValueError, match="'client' or 'agent', not 'server'"):
        observed(memory_transport_pair()[0], Store(), "server")


# --- one message at a time ---------------------------------------------------------------------------------


def incoming(message):
    return StreamEvent(StreamDirection.INCOMING, message)


def outgoing(message):
    return StreamEvent(StreamDirection.OUTGOING, message)


@pytest.mark.parametrize(("side", "sender"), [("client", "client"), ("agent", "agent")])
def test_what_goes_out_comes_from_the_side_that_is_observed(side, sender):
    store = Store()
    observer(store, side)(outgoing({"jsonrpc": "2.0", "method": "_robin/tell", "params": {}}))
    assert [one.from_ for one in store.snapshot.connection.extensions] == [sender]


@pytest.mark.parametrize(("side", "sender"), [("client", "agent"), ("agent", "client")])
def test_what_comes_in_is_from_the_other_side(side, sender):
    store = Store()
    observer(store, side)(incoming({"jsonrpc": "2.0", "method": "_robin/tell", "params": {}}))
    assert [one.from_ for one in store.snapshot.connection.extensions] == [sender]


def test_another_side_is_refused():
    with pytest.raises(ValueError, match="'client' or 'agent', not 'server'"):
        observer(Store(), "server")


def test_what_goes_out_is_what_is_written():
    store = Store()
    observer(store, "agent")(outgoing({"jsonrpc": "2.0", "method": "_robin/tell", "params": {1: (2, None)}}))
    (told,) = store.snapshot.connection.extensions
    assert told.params == {"1": [2, None]}
    assert store.diagnostics == ()


@pytest.mark.parametrize("message", [None, 7, "text", True, [], {}])
def test_what_is_no_message_is_a_finding(message):
    store = Store()
    observer(store, "client")(incoming(message))
    assert [finding.code for finding in store.diagnostics] == ["invalid-message"]


def test_a_batch_is_its_messages():
    store = Store()
    message = {"jsonrpc": "2.0", "method": "_robin/tell", "params": {}}
    observer(store, "client")(incoming([message, message]))
    assert len(store.snapshot.connection.extensions) == 2


def test_a_closed_store_is_told_no_more():
    store = Store()
    observe = observer(store, "client")
    store.close()
    observe(incoming({"jsonrpc": "2.0", "method": "_robin/tell", "params": {}}))
    assert len(store.snapshot.connection.extensions) == 0


# --- the SDK is an extra ------------------------------------------------------------------------------------


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)


def test_nothing_else_imports_the_sdk():
    code = "import sys, acp_state; [getattr(acp_state, name) for name in acp_state.__all__]; sys.exit('acp' in sys.modules)"
    assert python(code).returncode == 0


def test_where_the_sdk_is_missing_the_error_says_what_to_install():
    ran = python("import sys; sys.modules['acp'] = None; import acp_state.contrib.acp_sdk")
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1] == (
        "ImportError: acp_state.contrib.acp_sdk needs the official Python SDK of ACP: pip install 'acp-state[acp-sdk]'"
    )
