"""The reducer: `reduce(snapshot, event) -> snapshot`.

Pure and total. It knows events and snapshots; no JSON-RPC, no protocol version, no vendor, no
clock. What an event does is one function; the two tables below say which.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .. import events as e
from ..errors import wrong_kind
from ..protocol import updates as u
from ..state import Snapshot
from . import connection, extensions, facts, messages, prompts, questions, sessions, terminals, tools, turns
from .draft import Draft, Report, ignore
from .history import Handler, in_session
from .replay import in_history


_CHUNK: Final = in_history(messages.apply_message_chunk)
_MESSAGE: Final = in_history(messages.apply_message)
_TOOL_CALL: Final = in_history(tools.apply_tool_call)
_USAGE: Final = in_session(facts.apply_usage)

UPDATE_HANDLERS: Final[Mapping[type[u.Update], Handler]] = {
    # messages
    u.UserMessageChunk1: _CHUNK,
    u.UserMessageChunk: _CHUNK,
    u.AgentMessageChunk1: _CHUNK,
    u.AgentMessageChunk: _CHUNK,
    u.AgentThoughtChunk1: _CHUNK,
    u.AgentThoughtChunk: _CHUNK,
    u.UserMessage1: _MESSAGE,
    u.UserMessage: _MESSAGE,
    u.AgentMessage: _MESSAGE,
    u.AgentThought: _MESSAGE,
    u.SessionMessage: in_history(messages.apply_session_message),
    u.SessionMessageChunk: _CHUNK,
    u.CompactionUpdate: in_history(messages.apply_compaction),
    u.CompactionSummaryChunk: in_history(messages.apply_compaction_chunk),
    # tool calls and terminals
    u.ToolCall: _TOOL_CALL,
    u.ToolCallUpdate1: _TOOL_CALL,
    u.ToolCallUpdate: _TOOL_CALL,
    u.ToolCallContentChunk: in_history(tools.apply_tool_call_content_chunk),
    u.TerminalUpdate: in_history(terminals.apply_terminal_update),
    u.TerminalOutputChunk: in_history(terminals.apply_terminal_output_chunk),
    # plans, facts, lists
    u.Plan: in_history(facts.apply_plan),
    u.PlanUpdate: in_history(facts.apply_plan_update),
    u.PlanRemoved: in_history(facts.apply_plan_removal),
    u.UnknownUpdate: in_history(facts.apply_unknown_update),
    u.SessionInfoUpdate: in_session(facts.apply_info),
    u.CurrentModeUpdate: in_session(facts.apply_mode),
    u.ConfigOptionUpdate: in_session(facts.apply_config_options),
    u.AvailableCommandsUpdate: in_session(facts.apply_commands),
    u.UsageUpdate1: _USAGE,
    u.UsageUpdate: _USAGE,
    u.Notice: in_session(facts.apply_notice),
    u.StateUpdate: in_session(turns.apply_state),
    u.SubagentUpdate: sessions.apply_subagent,
}
"""What an update of a session does."""


def apply_update(draft: Draft, event: e.SessionUpdate[Any]) -> None:
    """Apply an update of a session."""
    UPDATE_HANDLERS[event.update.__class__](draft, event)


HANDLERS: Final[Mapping[type[e.Event], Handler]] = {
    e.SessionUpdate: apply_update,
    e.LinkedUpdate: apply_update,
    # connection
    e.InitializeRequested: connection.apply_initialize_request,
    e.Initialized: connection.apply_initialize_answer,
    e.InitializeFailed: connection.apply_initialize_failure,
    e.ActivityRuleChanged: connection.apply_activity_rule,
    e.Authenticated: connection.apply_authentication,
    e.LoggedOut: connection.apply_logout,
    e.AuthReported: connection.apply_auth_report,
    e.SessionsListed: connection.apply_session_list,
    e.RequestOpened: connection.apply_request,
    e.RequestClosed: connection.apply_request_end,
    e.Exited: connection.apply_exit,
    e.ConnectionMetaSent: connection.apply_connection_meta,
    # sessions
    e.SetupRequested: sessions.apply_setup_request,
    e.SetupAnswered: sessions.apply_setup,
    e.SetupFailed: sessions.apply_setup_failure,
    e.EndRequested: in_session(sessions.apply_end_request, creates=False),
    e.SessionEnded: in_session(sessions.apply_end, ended=True, creates=False),
    e.SessionUnarchived: in_session(sessions.apply_unarchiving, ended=True, creates=False),
    e.StatusAnswered: in_session(facts.apply_status, creates=False),
    e.TitleStored: in_session(facts.apply_title, creates=False),
    e.ModelChosen: in_session(facts.apply_model),
    e.SessionMetaSent: facts.apply_session_meta,
    # turns and prompts
    e.PromptSent: in_session(turns.apply_prompt),
    e.PromptAnswered: in_session(turns.apply_prompt_answer, ended=True),
    e.PromptAccepted: in_session(prompts.apply_prompt_acceptance, ended=True),
    e.PromptRejected: in_session(prompts.apply_prompt_rejection, ended=True),
    e.PromptCancelled: in_session(turns.apply_prompt_cancel, ended=True),
    e.Cancelled: in_session(turns.apply_cancel),
    e.ToolCallCancelled: in_session(tools.apply_tool_call_cancel),
    e.TerminalCancelled: in_session(terminals.apply_terminal_cancel),
    # questions
    e.QuestionAsked: questions.apply_question,
    e.QuestionAnswered: questions.apply_answer,
    e.QuestionWithdrawn: questions.apply_question_withdrawal,
    e.QuestionExpired: questions.apply_question_expiry,
    e.ElicitationCompleted: questions.apply_elicitation_completion,
    # terminals, files, extensions
    e.TerminalPatched: in_history(terminals.apply_terminal_patch),
    e.TerminalPrinted: in_history(terminals.apply_terminal_output),
    e.FileRequested: in_session(extensions.apply_file_request),
    e.FileAnswered: in_session(extensions.apply_file_answer, ended=True),
    e.ExtensionSent: extensions.apply_extension,
    e.ExtensionAnswered: extensions.apply_extension_answer,
}
"""What an event does."""


def start_draft(snapshot: Snapshot, report: Report = ignore) -> Draft:
    """Return a draft that begins with *snapshot*; `HANDLERS` change it."""
    return Draft(snapshot, report, sessions.update_session)


def reduce(snapshot: Snapshot, event: e.Event, report: Report = ignore) -> Snapshot:
    """Return the *snapshot* that *event* leads to: the same object if it changes nothing.

    What is wrong with the event, as far as only the snapshot can tell, is given to *report*: a
    code of the catalogue in `diagnostics`, a message, and the id of what it is about.
    Raises `TypeError` for what is no snapshot or no event.
    """
    handler = HANDLERS.get(type(event))
    if handler is None:
        raise wrong_kind("an event is one of acp_state.events", event)
    if not isinstance(snapshot, Snapshot):
        raise wrong_kind("events change a Snapshot", snapshot)
    draft = start_draft(snapshot, report)
    handler(draft, event)
    return draft.snapshot
