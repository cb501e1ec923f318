"""Frames: one JSON-RPC message each, with what the recording says about it.

This file knows JSON-RPC's form and nothing of what methods mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from ._json import DEEPEST, Json, NotJsonError, freeze
from ._model import UNSET, Struct, UnsetType, replace
from .methods import REQUESTS


Sender: TypeAlias = Literal["client", "agent"]
Kind: TypeAlias = Literal["request", "response", "error", "notification", "exit", "invalid"]

NO_ID: Final = "an id that is an object or an array"

SENDERS: Final[tuple[Sender, Sender]] = ("client", "agent")


class Frame(Struct, frozen=True, gc=False):
    """One message of a recording.

    *payload* is the params, the result or the error, `UNSET` if there is none. *id* is `UNSET` where
    the recording has none. *method* of an answer is known in recordings without ids only. *time* is in
    seconds from the recording's first one, *line* counts from 1. Kind `exit` is the end of the agent's
    process or of the recording; `invalid` is no message, and *payload* says why (a text).
    """

    sender: Sender | None
    kind: Kind
    id: Json | UnsetType = UNSET
    method: str | None = None
    payload: Json | UnsetType = UNSET
    time: float | None = None
    line: int | None = None
    partial: bool = False


def read_message(
    message: Json,
    sender: Sender | None = None,
    *,
    asked: bool = False,
    time: float | None = None,
    line: int | None = None,
) -> Iterator[Frame]:
    """Yield the frames of one JSON-RPC *message* or batch.

    *asked*: a message without id is a request, as the recording says. What is no message is a frame
    of kind `invalid`.
    """
    if not isinstance(message, (list, tuple)):
        yield read_one(message, sender, asked, time, line)
        return
    if not message:
        yield invalid("an empty batch", sender, time, line)
    for part in message:
        if isinstance(part, (list, tuple)):
            yield invalid("a batch in a batch", sender, time, line)
        else:
            yield read_one(part, sender, asked, time, line)


def read_one(message: Json, sender: Sender | None, asked: bool, time: float | None, line: int | None) -> Frame:
    """Return the frame of one JSON-RPC *message* that is no batch; arguments as for `read_message`."""
    if message.__class__ is dict:
        frame = notification(message, sender, time, line)
        if frame is not None and not asked:
            return frame
    elif not isinstance(message, Mapping):
        return invalid("no JSON object", sender, time, line)
    return _read_with_care(message, sender, asked, time, line)


def notification(message: dict[str, Json], sender: Sender | None, time: float | None, line: int | None) -> Frame | None:
    """Return the frame of a message that has a version, a method and params, as nearly all have; `None` for any other."""
    if len(message) == 3 and "params" in message and message.get("jsonrpc") == "2.0":
        method = message.get("method")
        if method.__class__ is str and method not in REQUESTS:
            return Frame(sender, "notification", UNSET, method, message["params"], time, line)
    return None


def _read_with_care(message: Mapping[str, Json], sender: Sender | None, asked: bool, time: float | None, line: int | None) -> Frame:
    id_ = message.get("id", UNSET)
    method = message.get("method", UNSET)
    if isinstance(id_, (Mapping, list, tuple)):
        return invalid(NO_ID, sender, time, line)
    if method is not UNSET and not isinstance(method, str):
        return invalid("a method that is no string", sender, time, line)
    if "error" in message and (message["error"] is not None or "result" not in message):
        return Frame(sender, "error", id_, method or None, message["error"], time, line)
    if "result" in message:
        return Frame(sender, "response", id_, method or None, message["result"], time, line)
    if method is UNSET:
        return invalid("neither a method nor a result nor an error", sender, time, line)
    # With an id, or without one but of a request's method: recordings without ids have both.
    kind: Kind = "request" if id_ is not UNSET or asked or method in REQUESTS else "notification"
    return Frame(sender, kind, id_, method, message.get("params", UNSET), time, line)


def invalid(why: str, sender: Sender | None = None, time: float | None = None, line: int | None = None) -> Frame:
    """Return the frame of something that is no message, and *why* not."""
    return Frame(sender, "invalid", UNSET, None, why, time, line)


def freeze_frame(frame: Frame) -> Frame:
    """Return *frame*, which somebody else made, so that nobody can change it; what is no JSON is an invalid message."""
    try:
        id = frame.id if frame.id is UNSET else freeze(frame.id)
        payload = frame.payload if frame.payload is UNSET else freeze(frame.payload, DEEPEST)
    except NotJsonError as error:
        return invalid(str(error), frame.sender, frame.time, frame.line)
    return replace(frame, id=id, payload=payload)
