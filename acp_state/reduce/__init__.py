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
from . import (
    connection,
    extensions,
    facts,
    messages,
    prompts,
    questions,
    sessions,
    terminals,
    tools,
    turns,
)
from ._session import Handler, Note, in_session
from .replay import in_history


HANDLERS: Final[Mapping[type[e.Event], Handler]] = {
    # connection
    e.Connecting: connection.connecting,
    e.Connected: connection.connected,
    e.ConnectFailed: connection.connect_failed,
    e.ActivityRuleChanged: connection.activity_rule_changed,
    e.Authenticated: connection.authenticated,
    e.LoggedOut: connection.logged_out,
    e.AuthReported: connection.auth_reported,
    e.SessionsListed: connection.sessions_listed,
    e.RequestOpened: connection.request_opened,
    e.RequestClosed: connection.request_closed,
    e.Exited: connection.exited,
    e.ConnectionMetaSent: connection.meta_sent,
    # sessions
    e.SessionSetupAsked: sessions.setup_asked,
    e.SessionReady: sessions.ready,
    e.SessionSetupFailed: sessions.setup_failed,
    e.SessionEndAsked: in_session(sessions.end_asked, creates=False),
    e.SessionEnded: in_session(sessions.ended, ended=True, creates=False),
    e.SessionUnarchived: in_session(sessions.unarchived, ended=True, creates=False),
    e.SessionStatusReported: in_session(facts.status_reported, creates=False),
    e.TitleStored: in_session(facts.title_stored, creates=False),
    e.SubagentPatched: sessions.subagent_patched,
    # facts and lists
    e.InfoPatched: in_session(facts.info_patched, beside=True),
    e.ModeChosen: in_session(facts.mode_chosen, beside=True),
    e.ModelChosen: in_session(facts.model_chosen, beside=True),
    e.ConfigReplaced: in_session(facts.config_replaced, beside=True),
    e.CommandsReplaced: in_session(facts.commands_replaced, beside=True),
    e.UsageReported: in_session(facts.usage_reported, beside=True),
    e.NoticePosted: in_session(facts.notice_posted, beside=True),
    e.SessionMetaSent: facts.session_meta_sent,
    e.PlanReplaced: in_history(facts.plan_replaced, beside=True),
    e.PlanRemoved: in_history(facts.plan_removed, beside=True),
    e.UnknownUpdated: in_history(facts.unknown_updated, beside=True),
    # turns and prompts
    e.PromptSent: in_session(turns.prompt_sent),
    e.PromptAnswered: in_session(turns.prompt_answered, ended=True),
    e.PromptQueued: in_session(prompts.prompt_queued),
    e.PromptAccepted: in_session(prompts.prompt_accepted, ended=True),
    e.PromptRejected: in_session(prompts.prompt_rejected, ended=True),
    e.PromptCancelAsked: in_session(turns.prompt_cancel_asked, ended=True),
    e.TurnOrphaned: in_session(turns.turn_orphaned),
    e.CancelAsked: in_session(turns.cancel_asked),
    e.StateReported: in_session(turns.state_reported),
    # messages
    e.MessageChunked: messages.message_chunked,
    e.MessagePatched: in_history(messages.message_patched),
    e.CompactionPatched: in_history(messages.compaction_patched),
    e.CompactionChunked: in_history(messages.compaction_chunked),
    # tool calls
    e.ToolCallPatched: in_history(tools.tool_call_patched, beside=True),
    e.ToolContentChunked: in_history(tools.tool_content_chunked, beside=True),
    e.ToolCallCancelAsked: in_session(tools.tool_call_cancel_asked),
    # questions
    e.PermissionAsked: in_session(questions.permission_asked, ended=True),
    e.PermissionAnswered: in_session(questions.permission_answered, ended=True),
    e.ElicitationAsked: questions.elicitation_asked,
    e.ElicitationAnswered: questions.elicitation_answered,
    e.ElicitationCompleted: questions.elicitation_completed,
    e.QuestionWithdrawn: questions.question_withdrawn,
    e.QuestionLapsed: questions.question_lapsed,
    # terminals, files, extensions
    e.TerminalPatched: in_history(terminals.terminal_patched, beside=True),
    e.TerminalOutputAppended: in_history(terminals.terminal_output_appended, beside=True),
    e.TerminalCancelAsked: in_session(terminals.terminal_cancel_asked),
    e.FileAsked: in_session(extensions.file_asked),
    e.FileAnswered: in_session(extensions.file_answered, ended=True),
    e.ExtensionSent: extensions.extension_sent,
    e.ExtensionAnswered: extensions.extension_answered,
}


def _silent(code: str, message: str, subject: str | None = None) -> None:
    """Take no note."""


def reduce(snapshot: Snapshot, event: e.Event, note: Note = _silent) -> Snapshot:
    """Return the *snapshot* that *event* leads to: the same object if it changes nothing.

    What is wrong with the event, as far as only the snapshot can tell, is told to *note*; it is
    called with a code of the catalogue in `diagnostics`, a message, and the id of what it is about.
    Raises `TypeError` for what is no snapshot or no event.
    """
    handler = HANDLERS.get(type(event))
    if handler is None:
        raise wrong_kind("an event is one of acp_state.events", event)
    if not isinstance(snapshot, Snapshot):
        raise wrong_kind("events change a Snapshot", snapshot)
    return handler(snapshot, event, note)
