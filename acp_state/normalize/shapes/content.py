"""What messages and tool calls are made of: content blocks, chunks, and what a tool call produced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from ..._json import FrozenDict, Json
from ..._model import UNSET, Part
from ...containers import split_text
from .. import quick, quirks
from ..combine import Field, either, keeping, part, reading, row, union
from ..decode import Hook, MalformedError, Problem, Tolerated, integer, natural, number, text, word
from .fields import META, META_PART, NEEDED, TEXT, field, listed


# --- content blocks (ContentBlock), kept as sent ---------------------------------------------------

_ANNOTATIONS: Final = part(
    keeping(
        {
            "audience": part(listed(text)),
            "lastModified": TEXT,
            "priority": part(number),
            "_meta": META_PART,
        }
    )
)
_COMMON: Final = {"annotations": _ANNOTATIONS, "_meta": META_PART}
_ICON: Final = keeping(
    {
        "src": NEEDED,
        "mimeType": TEXT,
        "sizes": part(listed(text)),
        "theme": TEXT,
        "_meta": META_PART,
    }
)
_TEXT_RESOURCE: Final = keeping({"text": NEEDED, "uri": NEEDED, "mimeType": TEXT, "_meta": META_PART})
_BLOB_RESOURCE: Final = keeping({"blob": NEEDED, "uri": NEEDED, "mimeType": TEXT, "_meta": META_PART})


_RESOURCE: Final = either(lambda raw: "blob" in raw and "text" not in raw, _BLOB_RESOURCE, _TEXT_RESOURCE)
"""`EmbeddedResourceResource`: text or a blob."""

content_block: Final = union(
    {
        "text": keeping({"text": NEEDED, **_COMMON}),
        "image": keeping({"data": NEEDED, "mimeType": NEEDED, "uri": TEXT, **_COMMON}),
        "audio": keeping({"data": NEEDED, "mimeType": NEEDED, **_COMMON}),
        "resource_link": keeping(
            {
                "name": NEEDED,
                "uri": NEEDED,
                "title": TEXT,
                "description": TEXT,
                "icons": part(listed(_ICON)),
                "mimeType": TEXT,
                "size": part(integer),
                **_COMMON,
            }
        ),
        "resource": keeping({"resource": part(_RESOURCE, need="required"), **_COMMON}),
    }
)


Chunk: TypeAlias = tuple[FrozenDict, str | None, str | None, FrozenDict | None]
"""A chunk as the content of a message takes it in: the block (of a text one, without the text), the
text, the id of what it belongs to, and its own `_meta`, which stands in the block as `chunkMeta` (SPEC 4.2)."""


def _chunk(id: Field) -> Hook:
    return row((field("content", content_block, "required"), id, META), make=_chunk_of)


def _chunk_of(values: list[Any]) -> Chunk:
    block, id, meta = values
    if meta is not None:
        block = FrozenDict(block, chunkMeta=meta)
    shape, words = split_text(block) if block["type"] == "text" else (block, None)
    return shape, words, id, meta


message_chunk: Final = _chunk(field("messageId", text))
"""`ContentChunk`."""


def message_chunk_2(raw: Json) -> Chunk:
    """`ContentChunk` of version 2, which demands an id; a chunk without one is read all the same."""
    chunk: Chunk
    problems: list[Problem]
    try:
        chunk, problems = message_chunk(raw), []
    except Tolerated as tolerated:
        chunk, problems = tolerated.value, tolerated.problems
    if chunk[2] is None:
        problems = [*problems, Problem("missing-message-id", "version 2 demands one", ("messageId",), missing=True)]
    if problems:
        raise Tolerated(chunk, problems)
    return chunk


session_message_chunk: Final = _chunk(field("messageId", text, "required"))
compaction_chunk: Final = _chunk(field("compactionId", text, "required"))

# --- tool calls ------------------------------------------------------------------------------------


_DIFF_1: Final = keeping({"path": NEEDED, "oldText": TEXT, "newText": NEEDED, "_meta": META_PART})
_PATH: Final = {"path": NEEDED, "fileType": TEXT, "mimeType": TEXT, "_meta": META_PART}
_PATHS: Final = {"oldPath": NEEDED, **_PATH}
_CHANGE: Final = union(
    {
        "add": keeping(_PATH),
        "delete": keeping(_PATH),
        "modify": keeping(_PATH),
        "move": keeping(_PATHS),
        "copy": keeping(_PATHS),
    },
    tag="operation",
)
_DIFF_2: Final = keeping(
    {
        "changes": part(listed(_CHANGE), need="required"),
        "patch": part(keeping({"format": NEEDED, "text": NEEDED, "_meta": META_PART})),
        "_meta": META_PART,
    }
)
_DIFF: Final = either(lambda raw: "changes" in raw, _DIFF_2, _DIFF_1)
"""`Diff` of either version: old and new text, or changes with a patch."""

tool_content: Final = union(
    {
        "content": keeping({"content": part(content_block, need="required"), "_meta": META_PART}),
        "diff": _DIFF,
        "terminal": keeping({"terminalId": NEEDED, "_meta": META_PART}),
    }
)
location: Final = keeping({"path": NEEDED, "line": part(natural), "_meta": META_PART})
tool_kind: Final = word(
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
)
tool_status: Final = word("pending", "in_progress", "completed", "failed")


class ToolChunk(Part, frozen=True):
    """A `ToolCallContentChunk`; its own `_meta` stands in the item as `chunkMeta`."""

    id: str
    item: FrozenDict
    meta: FrozenDict | None


def _tool_chunk_of(values: list[Any]) -> ToolChunk:
    id, item, meta = values
    return ToolChunk(id, item if meta is None else FrozenDict(item, chunkMeta=meta), meta)


tool_chunk: Final = row(
    (
        field("toolCallId", text, "required"),
        field("content", tool_content, "required"),
        META,
    ),
    make=_tool_chunk_of,
)
"""`ToolCallContentChunk`."""

CallPatch: TypeAlias = tuple[list[Any], tuple[tuple[str, dict[str, Any]], ...], str | None]
"""A patch of a tool call: its values in the order of `Patches.tool_call`, what its `_meta` shows of display
terminals (key and what stands under it), and the tool call that it is a part of."""

_TERMINAL_ID: Final = field("terminal_id", text, "required")
_DATA: Final = reading({"id": _TERMINAL_ID, "data": field("data", text, "required")})
_DISPLAY: Final[Mapping[str, Hook]] = {
    "terminal_info": reading({"id": _TERMINAL_ID, "cwd": field("cwd", text)}),
    "terminal_output": _DATA,
    "terminal_output_delta": _DATA,
    "terminal_exit": reading(
        {
            "id": _TERMINAL_ID,
            "exit_code": field("exit_code", integer),
            "signal": field("signal", text),
        }
    ),
}


def call_patch(read: Hook) -> Hook:
    """Read a tool call, and apart from it what its `_meta` says of terminals and parents (SPEC 4.6, 4.7)."""

    def hook(raw: Json) -> CallPatch:
        try:
            values, problems = read(raw), []
        except Tolerated as tolerated:
            values, problems = tolerated.value, tolerated.problems
        meta = values[-1]
        if not meta:
            call: CallPatch = (values, (), None)
        else:
            shown = tuple(_displays(meta, problems))
            if not quirks.TERMINAL_KEYS.isdisjoint(meta):
                rest = quirks.without_terminal(meta)
                values[-1] = UNSET if rest is None else rest
            call = (values, shown, quirks.parent_link(meta))
        if problems:
            raise Tolerated(call, problems)
        return call

    quickly = quick.form_of(read)

    def form(raw: Json) -> CallPatch:
        values = quickly(raw)
        meta = values[-1]
        if not meta:
            return values, (), None
        if not quirks.TERMINAL_KEYS.isdisjoint(meta):
            raise quick.OddError
        return values, (), quirks.parent_link(meta)

    return quick.having(hook, form)


def _displays(meta: FrozenDict, problems: list[Problem]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, hook in _DISPLAY.items():
        if key not in meta:
            continue
        try:
            yield key, hook(meta[key])
        except Tolerated as tolerated:
            problems += [problem.under("_meta", key) for problem in tolerated.problems]
            yield key, tolerated.value
        except MalformedError as error:
            problems.append(error.problem("malformed-field").under("_meta", key))
