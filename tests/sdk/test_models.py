"""The official SDK's models parse what the goldens send in version 1.

All of it that is no finding of ours, whose method the SDK has models for, but for what `REFUSED` lists.
"""

from __future__ import annotations

import json

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from acp import schema as m
from pydantic import TypeAdapter, ValidationError

from acp_state import UNSET, Diagnostic, Frame
from acp_state._json import encode
from acp_state.folding import Fold, items_of
from acp_state.methods import AGENT_NOTIFICATIONS, AGENT_REQUESTS, CLIENT_NOTIFICATIONS, CLIENT_REQUESTS
from acp_state.reading import Reader

from support.effort import ran


GOLDEN = Path(__file__).parents[2] / "golden"

MODELS = {
    "initialize": (m.InitializeRequest, m.InitializeResponse),
    "authenticate": (m.AuthenticateRequest, m.AuthenticateResponse),
    "logout": (m.LogoutRequest, m.LogoutResponse),
    "providers/list": (m.ListProvidersRequest, m.ListProvidersResponse),
    "providers/set": (m.SetProviderRequest, m.SetProviderResponse),
    "session/new": (m.NewSessionRequest, m.NewSessionResponse),
    "session/load": (m.LoadSessionRequest, m.LoadSessionResponse),
    "session/resume": (m.ResumeSessionRequest, m.ResumeSessionResponse),
    "session/fork": (m.ForkSessionRequest, m.ForkSessionResponse),
    "session/list": (m.ListSessionsRequest, m.ListSessionsResponse),
    "session/delete": (m.DeleteSessionRequest, m.DeleteSessionResponse),
    "session/close": (m.CloseSessionRequest, m.CloseSessionResponse),
    "session/set_mode": (m.SetSessionModeRequest, m.SetSessionModeResponse),
    "session/set_config_option": (
        m.SetSessionConfigOptionBooleanRequest | m.SetSessionConfigOptionSelectRequest,
        m.SetSessionConfigOptionResponse,
    ),
    "session/prompt": (m.PromptRequest, m.PromptResponse),
    "session/cancel": (m.CancelNotification, None),
    "session/update": (m.SessionNotification, None),
    "session/request_permission": (m.RequestPermissionRequest, m.RequestPermissionResponse),
    "elicitation/create": (m.CreateElicitationRequest, m.CreateElicitationResponse),
    "elicitation/complete": (m.CompleteElicitationNotification, None),
    "fs/read_text_file": (m.ReadTextFileRequest, m.ReadTextFileResponse),
    "fs/write_text_file": (m.WriteTextFileRequest, m.WriteTextFileResponse),
    "terminal/create": (m.CreateTerminalRequest, m.CreateTerminalResponse),
    "terminal/output": (m.TerminalOutputRequest, m.TerminalOutputResponse),
    "terminal/release": (m.ReleaseTerminalRequest, m.ReleaseTerminalResponse),
    "terminal/wait_for_exit": (m.WaitForTerminalExitRequest, m.WaitForTerminalExitResponse),
    "terminal/kill": (m.KillTerminalRequest, m.KillTerminalResponse),
    "$/cancel_request": (m.CancelRequestNotification, None),
}
"""What is asked or told with a method, and what is answered."""

NO_MODELS = {
    "auth/login": "v2",
    "auth/logout": "v2",
    "auth/status": "a draft",
    "auth/status_update": "a draft",
    "session/archive": "a draft",
    "session/unarchive": "a draft",
    "session/status": "a draft",
    "session/set_title": "a draft",
    "session/set_model": "an earlier draft",
    "session/elicitation": "an earlier draft",
    "tool_call/cancel": "v2",
    "terminal/cancel": "v2",
    "proxy/initialize": "between a client and a proxy",
    "proxy/successor": "between a client and a proxy",
    "providers/disable": "in no golden",
    "mcp/message": "tunnels another protocol",
}
"""The methods that the SDK has no models for, and why."""

REFUSED = {
    ("plans-v1", "plan_update"): "an id as v1's older draft calls it: `id`, not `planId`",
    ("plans-v1", "plan_removed"): "an id as v1's older draft calls it: `id`, not `planId`",
    ("replay-form-mismatch", "session/new"): "a form that leaves out what a real request has",
    ("replay-reviewed-turn", "session/new"): "a form that leaves out what a real request has",
    ("replay-steered-by-cancel", "session/new"): "a form that leaves out what a real request has",
    ("version-shape", "session/new"): "a form that leaves out what a real request has",
    ("sdk-calls-child-session", "compaction_update"): "a draft, which is understood in both",
    ("sdk-calls-child-session", "compaction_summary_chunk"): "a draft, which is understood in both",
    ("sdk-calls-child-session", "session_message"): "a draft, which is understood in both",
    ("sdk-calls-child-session", "subagent_update"): "a draft, which is understood in both",
    ("unknown-update", "notice"): "a draft of v2, which is understood in both",
    ("usage-and-cost", "compaction_update"): "a draft, which is understood in both",
    ("unreadable-field", "session/prompt"): "a prompt that is a string, which is read as one text block",
}
"""What the SDK's models refuse and we read without a finding: golden, and update or method; and the reason."""


class Said(NamedTuple):
    """A payload that nothing is wrong with, and what it is for."""

    golden: str
    line: int | None
    method: str
    is_answer: bool
    payload: Any

    @property
    def what(self) -> str:
        return self.payload["update"]["sessionUpdate"] if self.method == "session/update" else self.method


def said_in(path: Path) -> Iterator[Said]:
    """Yield what is said in version 1 in a golden."""
    heard: list[Diagnostic] = []
    work = Fold(None, heard.append)
    for frame in items_of(path, Reader()):
        if not isinstance(frame, Frame):
            continue
        heard.clear()
        before = work.wire.open
        work.take(frame)
        if heard or work.wire.version != 1 or frame.kind not in ("request", "response", "notification"):
            continue
        method = frame.method
        if method is None:  # no two requests are answered at once, and an orphan answer is for none
            method = next((asked.method for asked in before if asked not in tuple(work.wire.open)), None)
        if method is not None:
            payload = {} if frame.payload in (UNSET, None) else json.loads(encode(frame.payload))
            yield Said(path.name.partition(".")[0], frame.line, method, frame.kind == "response", payload)


@pytest.fixture(scope="module")
def said():
    paths = sorted(path for path in GOLDEN.iterdir() if not path.name.endswith((".state.json", ".diagnostics.json", ".md")))
    return [said for path in paths if path.is_file() for said in said_in(path)]


def test_every_method_has_models_or_a_reason_why_not():
    methods = CLIENT_REQUESTS | AGENT_REQUESTS | CLIENT_NOTIFICATIONS | AGENT_NOTIFICATIONS | {"$/cancel_request"}
    assert MODELS.keys() | NO_MODELS.keys() == methods
    assert MODELS.keys() & NO_MODELS.keys() == set()


def test_the_models_parse_what_the_goldens_say(said):
    adapters = {method: [TypeAdapter(model) for model in models] for method, models in MODELS.items()}
    refused = {}
    for one in said:
        if one.method in MODELS:
            ran("frames")
            try:
                adapters[one.method][one.is_answer].validate_python(one.payload)
            except ValidationError as error:
                refused[one.golden, one.what] = f"line {one.line}: {error}"

    assert {key: why for key, why in refused.items() if key not in REFUSED} == {}
    assert sorted(REFUSED.keys() - refused.keys()) == []


def test_the_goldens_use_every_method_that_there_are_models_for(said):
    assert sorted(MODELS.keys() - {one.method for one in said}) == []
