"""The example programs, run for real: agents over pipes, browsers over a socket."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import subprocess
import sys

from pathlib import Path
from typing import Any

import pytest


HERE = Path(__file__).parent
ECHO = (sys.executable, str(HERE / "echo_agent.py"))
SECONDS = 60
"""After which a program that hangs fails its test."""


def run(name: str, *arguments: str, said: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, str(HERE / name), *arguments, *ECHO)
    return subprocess.run(command, input=said, capture_output=True, text=True, check=False, timeout=SECONDS, env=os.environ | environment)


# --- the chat ----------------------------------------------------------------------------------------------


def test_a_chat():
    ran = run("chat.py", said="hello \x1b[31mthere\n1\nbe quiet\n2\n")

    assert ran.stderr == ""
    assert ran.returncode == 0
    assert ran.stdout.split("\n") == [
        "> ",
        "[pending] Say 2 words",
        "  1. Go on",
        "  2. Be quiet",
        "which? ",
        "hello \N{REPLACEMENT CHARACTER}[31mthere ",
        "[completed] Say 2 words",
        "-- end_turn",
        "> ",
        "[pending] Say 2 words",
        "  1. Go on",
        "  2. Be quiet",
        "which? ",
        "[failed] Say 2 words",
        "-- refusal",
        "> ",
    ]


def test_the_chat_has_fewer_than_80_lines():
    assert len((HERE / "chat.py").read_text(encoding="utf-8").splitlines()) < 80


# --- the bot -----------------------------------------------------------------------------------------------


def test_a_bot_refuses_what_its_rule_does_not_allow():
    ran = run("headless_bot.py", "hello there")

    assert ran.stderr == ""
    assert ran.returncode == 1
    assert json.loads(ran.stdout) == {
        "stopReason": "refusal",
        "said": "",
        "decided": [{"call": "Say 2 words", "decision": "reject_once"}],
    }


def test_a_bot_allows_what_its_rule_allows():
    ran = run("headless_bot.py", "hello there", BOT_ALLOWS="other")

    assert ran.returncode == 0
    assert json.loads(ran.stdout) == {
        "stopReason": "end_turn",
        "said": "hello there ",
        "decided": [{"call": "Say 2 words", "decision": "allow_once"}],
    }


# --- the web -----------------------------------------------------------------------------------------------


class Browser:
    """A browser in a room: its copy of the state, and all the events that it was sent."""

    def __init__(self, port: int, path: str) -> None:
        self._port, self._path = port, path
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        connection.request("GET", path)
        self._stream = connection.getresponse()
        self.events: list[tuple[str, str]] = []
        self.state = self.next()

    def next(self) -> Any:
        """Wait for the next event, and return what it carries."""
        kind, data, _ = (self._stream.readline().decode().rstrip("\n").partition(": ")[2] for _ in range(3))
        self.events.append((kind, data))
        return json.loads(data)

    def until(self, change: str) -> dict[str, Any]:
        """Follow the changes until there is one of a kind, and return it."""
        while True:
            changes = self.next()
            for one in changes:
                patch(self.state, one)
            found = [one for one in changes if one["change"] == change]
            if found:
                return found[0]

    def post(self, said: object) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
        connection.request("POST", self._path, json.dumps(said))
        return connection.getresponse().status


def patch(state: Any, change: dict[str, Any]) -> None:
    """Do what the browser's `patch` does."""
    *path, last = (part.replace("~1", "/").replace("~0", "~") for part in change["path"].split("/")[1:])
    for depth, part in enumerate(path):
        state = state[int(part)] if isinstance(state, list) else state.setdefault(part, [] if depth else {})
    place: Any = int(last) if isinstance(state, list) else last
    if "value" in change:
        state[place : place + 1] = [change["value"]] if isinstance(state, list) else state.update({place: change["value"]})
    elif "text" in change:
        state[place]["text"] += change["text"]
    elif "set" in change or "unset" in change:
        state[place].update(change.get("set", {}))
        for name in change.get("unset", ()):
            state[place].pop(name, None)
    else:
        del state[place]


@pytest.fixture(scope="module")
def backend():
    """The port of a backend."""
    command = (sys.executable, str(HERE / "web_backend.py"), "0", *ECHO)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(process.stdout.readline().rpartition(":")[2])
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def browsers(backend):
    """Two browsers in a room, after all that happened there."""
    one, other = Browser(backend, "/room"), Browser(backend, "/room")
    assert other.post({"prompt": "hello there"}) == 202
    while (entry := one.until("entry_added")["value"])["type"] != "permission":
        pass
    assert one.post({"permission": entry["id"], "optionId": "yes"}) == 202
    one.until("turn_ended")
    other.until("turn_ended")
    return one, other


def told(browser: Browser) -> dict[str, Any]:
    (session,) = browser.state["sessions"].values()
    return session


def test_a_browser_sees_what_happens(browsers):
    one, _ = browsers
    assert [entry["type"] for entry in told(one)["timeline"]] == ["message", "tool_call", "permission", "message"]
    assert told(one)["timeline"][-1]["content"] == [{"type": "text", "text": "hello there "}]


def test_every_browser_sees_the_same_also_one_that_comes_late(backend, browsers):
    one, other = browsers
    assert one.state == other.state
    assert told(Browser(backend, "/room")) == told(one)


def test_another_room_knows_nothing_of_it(backend, browsers):
    assert told(Browser(backend, "/other"))["timeline"] == []


def test_what_a_browser_must_not_post_is_refused(browsers):
    one, _ = browsers
    assert [one.post(said) for said in ({"permission": 7, "optionId": "yes"}, {}, [], "prompt", 7)] == [400] * 5


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not here, which runs what a browser would")
def test_the_script_for_the_browser_does_what_it_says(browsers):
    one, _ = browsers
    code = re.search(r"    function patch.*\n    }\n", (HERE / "web_backend.py").read_text(encoding="utf-8"), re.DOTALL)[0]
    (_, state), *changes = one.events
    code += f"let state = {state}; [{','.join(data for _, data in changes)}].flat().forEach(patch); console.log(JSON.stringify(state));"

    ran = subprocess.run(["node", "--eval", code], capture_output=True, text=True, check=True, timeout=SECONDS)
    assert json.loads(ran.stdout) == one.state
