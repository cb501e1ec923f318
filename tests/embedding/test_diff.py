"""Changes between snapshots: found, applied, and as JSON that others can apply to the document."""

from __future__ import annotations

import itertools
import json
import pathlib

from base64 import b64decode, b64encode
from typing import Any

import pytest

from hypothesis import given

from acp_state.change_json import changes_to_json
from acp_state.changes import apply
from acp_state.diffing import diff
from acp_state.document import to_document
from acp_state.folding import Fold, fold
from acp_state.state import EMPTY

from strategies import conversations
from support.recordings import frames_of


GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
TRANSCRIPTS = sorted(
    path
    for path in GOLDEN.iterdir()
    if not path.name.endswith((".state.json", ".diagnostics.json", ".md")) and path.is_file() and not path.name.startswith(".")
)


def snapshots_of(frames) -> list:
    work = Fold()
    found = [EMPTY]
    for frame in frames:
        work.take(frame)
        found.append(work.snapshot)
    return found


def golden_frames(path: pathlib.Path) -> list:
    seen = []

    class Seen(Fold):
        def take(self, frame):
            seen.append(frame)
            return super().take(frame)

    from acp_state import folding as module

    was, module.Fold = module.Fold, Seen
    try:
        fold(path)
    finally:
        module.Fold = was
    return seen


# --- a client of the JSON form, as somebody would write it in another language ---------------------------------


def found(document: Any, pointer: str) -> tuple[Any, Any]:
    *path, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for part in path:
        if isinstance(document, list):
            document = document[int(part)]
        else:
            document = document.setdefault(part, {} if part in ("sessions", "connection") else [])
    return document, int(last) if isinstance(document, list) else last


def patched(document: Any, change: dict) -> None:
    holder, place = found(document, change["path"])
    if "value" in change:
        if isinstance(holder, list) and place == len(holder):
            holder.append(change["value"])
        else:
            holder[place] = change["value"]
    elif "set" in change or "unset" in change:
        target = holder[place]
        target.update(change.get("set", {}))
        for name in change.get("unset", ()):
            target.pop(name, None)
    elif "text" in change:
        text = holder[place]["text"] + change["text"]
        holder[place]["text"] = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    elif "base64" in change:
        output = holder[place]["output"]
        data = output.encode() if isinstance(output, str) else b64decode(output["base64"])
        data += b64decode(change["base64"])
        try:
            holder[place]["output"] = data.decode()
        except UnicodeDecodeError:
            holder[place]["output"] = {"base64": b64encode(data).decode()}
    else:
        del holder[place]


def shown(snapshot) -> Any:
    """The document of a snapshot, without what JSON alone cannot tell apart: lists that are empty and absent."""
    document = json.loads(json.dumps(to_document(snapshot)))
    document.pop("wire", None)
    return emptied(document)


def emptied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: emptied(item) for key, item in value.items() if not (item == [] and key in LISTS)}
    return [emptied(item) for item in value] if isinstance(value, list) else value


LISTS = (
    "openRequests",
    "elicitations",
    "extensions",
    "subagents",
    "plans",
    "terminals",
    "files",
    "turns",
    "notices",
    "unknownUpdates",
    "timeline",
)


def assert_changes_lead_on(snapshots: list) -> None:
    document = shown(snapshots[0])
    for before, after in itertools.pairwise(snapshots):
        changes = diff(before, after)
        assert (before is after) == (not changes) or before == after
        assert apply(before, changes) == after
        for change in changes_to_json(changes, after):
            patched(document, json.loads(json.dumps(change)))
        assert emptied(document) == shown(after)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_of_every_frame_of_a_transcript(path):
    snapshots = snapshots_of(golden_frames(path))

    assert_changes_lead_on(snapshots)


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_over_several_frames_of_a_transcript(path):
    snapshots = snapshots_of(golden_frames(path))

    assert_changes_lead_on(snapshots[::3])
    assert_changes_lead_on([snapshots[0], snapshots[-1]])


@given(conversations())
def test_of_every_frame_of_a_made_up_conversation(conversation):
    assert_changes_lead_on(snapshots_of(frames_of(conversation)))
