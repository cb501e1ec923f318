"""Events as JSON, for whoever is not in this process: `acp-state normalize` prints them.

    {"event": "tool_call_patched", "sessionId": "s-1", "id": "call-1", "status": "completed"}

`event` is the name of the event's class in `acp_state.events`, which says what it means; the other
members are its attributes. They are called as in the state document, and so are the members of what
they hold. An attribute that has the value of its default is left out: what was not told, and of a
patch what stays as it was. A `null` in a patch clears. Bytes are `{"base64": "…"}`.

`key` tells a request from all others that are open: `{"id": 3}`, or `{"number": 2}` in a recording
without ids, where requests are counted; with `from` where the event does not say whose it is.
"""

from __future__ import annotations

import re

from base64 import b64encode
from functools import cache
from typing import Any, Final, get_args

from ._json import Json, decode
from .codec import to_json, wire_name
from .errors import wrong_kind
from .events import Event


_WORD: Final = re.compile("(?<!^)(?=[A-Z])")
_REQUIRED: Final = object()
_EVENTS: Final = frozenset(get_args(Event))


def event_to_json(event: Event) -> dict[str, Json]:
    """Return *event* as a JSON object (see the module). Raises `TypeError` for what is no event."""
    cls: Any = type(event)
    if cls not in _EVENTS:
        raise wrong_kind("an event is one of acp_state.events", event)
    name, members = _members(cls)
    object_: dict[str, Json] = {"event": name}
    for attribute, wire, default in members:
        value = getattr(event, attribute)
        if value is not default:
            object_[wire] = _value(value) if attribute != "key" or value is None else _key(value)
    return object_


@cache
def _members(cls: Any) -> tuple[str, tuple[tuple[str, str, Any], ...]]:
    """The name of an event's class, and of its attributes: name, name in JSON, and the default."""
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    defaults = (*[_REQUIRED] * (len(names) - len(defaults)), *defaults)  # those of the last ones
    members = tuple((name, wire_name(name), default) for name, default in zip(names, defaults, strict=True))
    return _WORD.sub("_", cls.__name__).lower(), members


def _value(value: Any) -> Json:
    return {"base64": b64encode(value).decode("ascii")} if isinstance(value, bytes) else to_json(value)


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
