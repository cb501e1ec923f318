"""The reducer: `reduce(snapshot, event) -> snapshot`.

Pure and total. It knows events and snapshots; no JSON-RPC, no protocol version, no vendor, no
clock. What an event does is one function; the table below says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .. import events as e
from ..errors import wrong_kind
from ..state import Snapshot
from . import connection, extensions, facts, messages, prompts, questions, sessions, terminals, tools, turns
from .draft import Draft, Report, ignore
from .history import Handler, in_session
from .replay import in_history


HANDLERS: Final[Mapping[type[e.Event], Handler]] = {
    # connection
    e.Connecting: connection.apply_initialize_request,
    e.Connected: connection.apply_initialize_answer,
    e.ConnectFailed: connection.apply_initialize_failure,
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
    e.SessionSetupAsked: sessions.apply_setup_request,
    e.SessionReady: sessions.apply_setup,
    e.SessionSetupFailed: sessions.apply_setup_failure,
    e.SessionEndAsked: in_session(sessions.apply_end_request, creates=False),
    e.SessionEnded: in_session(sessions.apply_end, ended=True, creates=False),
    e.SessionUnarchived: in_session(sessions.apply_unarchiving, ended=True, creates=False),
    e.SessionStatusReported: in_session(facts.apply_status, creates=False),
    e.TitleStored: in_session(facts.apply_title, creates=False),
    e.SubagentPatched: sessions.apply_subagent,
    # facts and lists
    e.InfoPatched: in_session(facts.apply_info),
    e.ModeChosen: in_session(facts.apply_mode),
    e.ModelChosen: in_session(facts.apply_model),
    e.ConfigReplaced: in_session(facts.apply_config_options),
    e.CommandsReplaced: in_session(facts.apply_commands),
    e.UsageReported: in_session(facts.apply_usage),
    e.NoticePosted: in_session(facts.apply_notice),
    e.SessionMetaSent: facts.apply_session_meta,
    e.PlanReplaced: in_history(facts.apply_plan),
    e.PlanRemoved: in_history(facts.apply_plan_removal),
    e.UnknownUpdated: in_history(facts.apply_unknown_update),
    # turns and prompts
    e.PromptSent: in_session(turns.apply_prompt),
    e.PromptAnswered: in_session(turns.apply_prompt_answer, ended=True),
    e.PromptQueued: in_session(prompts.apply_queued_prompt),
    e.PromptAccepted: in_session(prompts.apply_prompt_acceptance, ended=True),
    e.PromptRejected: in_session(prompts.apply_prompt_rejection, ended=True),
    e.PromptCancelAsked: in_session(turns.apply_prompt_cancel, ended=True),
    e.TurnOrphaned: in_session(turns.apply_orphan_turn),
    e.CancelAsked: in_session(turns.apply_cancel),
    e.StateReported: in_session(turns.apply_state_report),
    # messages
    e.MessageChunked: in_history(messages.apply_message_chunk),
    e.MessagePatched: in_history(messages.apply_message_patch),
    e.CompactionPatched: in_history(messages.apply_compaction_patch),
    e.CompactionChunked: in_history(messages.apply_compaction_chunk),
    # tool calls
    e.ToolCallPatched: in_history(tools.apply_tool_call),
    e.ToolContentChunked: in_history(tools.apply_tool_content_chunk),
    e.ToolCallCancelAsked: in_session(tools.apply_tool_call_cancel),
    # questions
    e.PermissionAsked: in_session(questions.apply_permission_request, ended=True),
    e.PermissionAnswered: in_session(questions.apply_permission_answer, ended=True),
    e.ElicitationAsked: questions.apply_elicitation_request,
    e.ElicitationAnswered: questions.apply_elicitation_answer,
    e.ElicitationCompleted: questions.apply_elicitation_completion,
    e.QuestionWithdrawn: questions.apply_question_withdrawal,
    e.QuestionLapsed: questions.apply_question_expiry,
    # terminals, files, extensions
    e.TerminalPatched: in_history(terminals.apply_terminal_patch),
    e.TerminalOutputAppended: in_history(terminals.apply_terminal_output),
    e.TerminalCancelAsked: in_session(terminals.apply_terminal_cancel),
    e.FileAsked: in_session(extensions.apply_file_request),
    e.FileAnswered: in_session(extensions.apply_file_answer, ended=True),
    e.ExtensionSent: extensions.apply_extension,
    e.ExtensionAnswered: extensions.apply_extension_answer,
}


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
