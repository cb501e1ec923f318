"""What the protocol's objects are made of: the schemas of both versions, as hooks.

The versions differ little here. A field that one of them renamed is read by either name. `Patches`
has what does differ: in version 2 `null` clears, in version 1 it says nothing (SPEC 4.1).

Each table cites the schema type whose fields it lists. A field that is not listed is left out of
our classes, or kept as sent where the object as a whole is.

`fields` has what many objects share, `content` what messages and tool calls are made of, `session` what
the updates of a session carry, `requests` what the connection, requests and answers carry.
"""

from __future__ import annotations

from .content import CallPatch, Chunk, ToolChunk, compaction_chunk, message_chunk, message_chunk_2, session_message_chunk, tool_chunk
from .fields import mapping
from .requests import (
    acceptance,
    auth_status,
    config_answer,
    elicitation_request,
    file_request,
    initialize_answer,
    initialize_request,
    list_answer,
    named_session,
    new_request,
    output_answer,
    permission_request,
    permission_subject,
    prompt_request,
    setup_answer,
    setup_request,
    status_answer,
    terminal_request,
    title_answer,
    turn_answer,
)
from .session import (
    CLEARING,
    SAYING_NOTHING,
    STATE_FIELDS,
    STATES,
    OutputSnapshot,
    ReadState,
    commands_update,
    config_update,
    error,
    exit_status,
    mode_update,
    notice,
    plan,
    plan_removed,
    plan_update,
    state_update,
    terminal_chunk,
    with_meta,
)


__all__ = [
    "CLEARING",
    "SAYING_NOTHING",
    "STATES",
    "STATE_FIELDS",
    "CallPatch",
    "Chunk",
    "OutputSnapshot",
    "ReadState",
    "ToolChunk",
    "acceptance",
    "auth_status",
    "commands_update",
    "compaction_chunk",
    "config_answer",
    "config_update",
    "elicitation_request",
    "error",
    "exit_status",
    "file_request",
    "initialize_answer",
    "initialize_request",
    "list_answer",
    "mapping",
    "message_chunk",
    "message_chunk_2",
    "mode_update",
    "named_session",
    "new_request",
    "notice",
    "output_answer",
    "permission_request",
    "permission_subject",
    "plan",
    "plan_removed",
    "plan_update",
    "prompt_request",
    "session_message_chunk",
    "setup_answer",
    "setup_request",
    "state_update",
    "status_answer",
    "terminal_chunk",
    "terminal_request",
    "title_answer",
    "tool_chunk",
    "turn_answer",
    "with_meta",
]
