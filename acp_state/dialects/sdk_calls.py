"""What an agent called on its SDK, by the names of the callbacks, without ids; answers of the agent too.

    {"kind": "sessionUpdate", "payload": {"sessionId": "s", "update": {}}}
    {"kind": "promptResponse", "payload": {"stopReason": "end_turn"}}
    {"method": "requestPermission", "args": [{"sessionId": "s", "toolCall": {}, "options": []}]}

Often pretty-printed one after the other, or in one array. A callback takes one argument, its params;
an extension takes the method and the params.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .._json import Json
from .._model import UNSET, UnsetType
from ..frames import Frame, Kind, invalid


CALLS: Final[dict[str, tuple[Kind, str]]] = {
    "sessionUpdate": ("notification", "session/update"),
    "completeElicitation": ("notification", "elicitation/complete"),
    "requestPermission": ("request", "session/request_permission"),
    "createElicitation": ("request", "elicitation/create"),
    "readTextFile": ("request", "fs/read_text_file"),
    "writeTextFile": ("request", "fs/write_text_file"),
    "createTerminal": ("request", "terminal/create"),
    "terminalOutput": ("request", "terminal/output"),
    "releaseTerminal": ("request", "terminal/release"),
    "waitForTerminalExit": ("request", "terminal/wait_for_exit"),
    "killTerminal": ("request", "terminal/kill"),
}
"""What an agent calls on its client."""

ANSWERS: Final = {
    "initialize": "initialize",
    "authenticate": "authenticate",
    "logout": "logout",
    "newSession": "session/new",
    "loadSession": "session/load",
    "resumeSession": "session/resume",
    "forkSession": "session/fork",
    "listSessions": "session/list",
    "closeSession": "session/close",
    "deleteSession": "session/delete",
    "setSessionMode": "session/set_mode",
    "setSessionModel": "session/set_model",
    "setSessionConfigOption": "session/set_config_option",
    "promptResponse": "session/prompt",
}
"""What a client calls on its agent: recorded with the agent's answer as payload."""

EXTENSIONS: Final[dict[str, Kind]] = {"extNotification": "notification", "extMethod": "request"}

_DRAFT: Final = "unstable_"
"""What the SDKs put before the name of a draft's callback."""


def read(record: Json, line: int | None, _depth: int) -> Iterable[Frame] | None:
    """Read a record with a callback's name under `kind` or, with `args`, under `method`."""
    if not isinstance(record, dict):
        return None
    by_args = isinstance(record.get("args"), list)
    name = record.get("method" if by_args else "kind")
    if not isinstance(name, str):
        return None
    name = name.removeprefix(_DRAFT)
    if name in EXTENSIONS:
        return (_extension(EXTENSIONS[name], record["args"] if by_args else record.get("payload"), line),)
    if name in CALLS:
        kind, method = CALLS[name]
        return (Frame("agent", kind, UNSET, method, _payload(record, by_args), None, line),)
    if name not in ANSWERS or by_args:
        return None  # the arguments of such a call would be the client's request
    return (_answer(ANSWERS[name], record, line),)


def _payload(record: Json, by_args: bool) -> Json | UnsetType:
    if by_args:
        return record["args"][0] if record["args"] else UNSET
    return record.get("payload", UNSET)


def _answer(method: str, record: Json, line: int | None) -> Frame:
    if "payload" not in record and record.get("error") is not None:
        return Frame("agent", "error", UNSET, method, record["error"], None, line)
    return Frame("agent", "response", UNSET, method, record.get("payload", UNSET), None, line)


def _extension(kind: Kind, call: Json, line: int | None) -> Frame:
    if isinstance(call, list):
        call = dict(zip(("method", "params"), call, strict=False))
    method, params = (call.get("method"), call.get("params", UNSET)) if isinstance(call, dict) else (None, UNSET)
    if not isinstance(method, str):
        return invalid("an extension without a method", "agent", line=line)
    return Frame("agent", kind, UNSET, method, params, None, line)
