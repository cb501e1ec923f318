"""Events as JSON, for whoever is not in this process: `acp-state normalize` prints them.

    {"event": "tool_call_update", "sessionId": "s-1", "toolCallId": "call-1", "status": "completed"}

An update of a session is called what the protocol calls it (`sessionUpdate`), and so are its members; version 1's
`tool_call` is a `tool_call_update` that `introduces` its call, as the first one of version 2 does. Any other event is called after its class in `acp_state.events`, which says what it means, and its members after the
attributes; what these hold is called as in the state document. An attribute that has the value of its default is
left out: what was not told, and of a patch what stays as it was. A `null` in a patch clears. Bytes are
`{"base64": "…"}`.

`key` tells a request from all others that are open: `{"id": 3}`, or `{"number": 2}` in a recording
without ids, where requests are counted; with `from` where the event does not say whose it is.
"""

from __future__ import annotations

import re

from functools import cache
from typing import Any, Final

from ._json import Json, decode
from .codec import to_json, wire_name
from .errors import wrong_kind
from .events import EVENTS, Event, SessionUpdate
from .protocol.updates import ToolCall, UnknownUpdate


_WORD: Final = re.compile("(?<!^)(?=[A-Z])")
_REQUIRED: Final = object()


def event_to_json(event: Event) -> dict[str, Json]:
    """Return *event* as a JSON object (see the module). Raises `TypeError` for what is no event."""
    cls: Any = type(event)
    if cls not in EVENTS:
        raise wrong_kind("an event is one of acp_state.events", event)
    if isinstance(event, SessionUpdate):
        return _update_to_json(event)
    object_: dict[str, Json] = {"event": _WORD.sub("_", cls.__name__).lower()}
    for attribute, wire, default in _members(cls):
        value = getattr(event, attribute)
        if value is not default:
            object_[wire] = to_json(value) if attribute != "key" or value is None else _key(value)
    return object_


def _update_to_json(event: SessionUpdate[Any]) -> dict[str, Json]:
    update = event.update
    if isinstance(update, UnknownUpdate):
        return {"event": "unknown_update", "sessionId": event.session_id, "update": update.as_sent}
    name = "tool_call_update" if isinstance(update, ToolCall) else update.__struct_config__.tag
    object_: dict[str, Json] = {"event": name, "sessionId": event.session_id}
    facts = {"introduces": isinstance(update, ToolCall), "parent": event.parent, "live": event.live}
    object_ |= {fact: value for fact, value in facts.items() if value}
    for attribute, wire, default in _members(update.__class__):
        value = getattr(update, attribute)
        if value is not default:
            object_[wire] = to_json(value)
    return object_


@cache
def _members(cls: Any) -> tuple[tuple[str, str, Any], ...]:
    """Return the attributes of a class: the name, what it is called in JSON, and the default."""
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    defaults = (*[_REQUIRED] * (len(names) - len(defaults)), *defaults)  # those of the last ones
    is_update = cls.__struct_config__.tag is not None
    called = cls.__struct_encode_fields__ if is_update else map(wire_name, names)
    return tuple(zip(names, called, defaults, strict=True))


def _key(key: Any) -> Json:
    """A request's key, which `_json.key_of` made of its id; of a connection-wide one together with the sender."""
    if not isinstance(key, tuple):
        return {"id": key}
    kind, value = key
    if kind in ("client", "agent"):
        return {"from": kind, **_key(value)}
    if kind == "#":
        return {"number": value}
    return {"id": decode(value) if kind == "json" else value}
