"""Events: what happened, free of protocol versions, vendors and JSON-RPC.

The normalizer makes them, the reducer folds them. Each is a fact in the past. A rule that differs
between versions is a field of the event, not a version. `session_id` is the session that it is
about; *key* finds a request (its id with its JSON type, or a number where the recording has no
ids). Dispatch is on the exact type: do not subclass. `msgspec.structs` has what goes with the classes
(`fields`, `replace`, `asdict`).
"""

from __future__ import annotations

from typing import TypeAlias

from .base import ContentBlock, Location, Meta, ToolContent
from .connection import (
    ActivityRuleChanged,
    Authenticated,
    AuthReported,
    CommandsReplaced,
    ConfigReplaced,
    Connected,
    ConnectFailed,
    Connecting,
    ConnectionMetaSent,
    Exited,
    InfoPatched,
    LoggedOut,
    ModeChosen,
    ModelChosen,
    NoticePosted,
    RequestClosed,
    RequestOpened,
    SessionEndAsked,
    SessionEnded,
    SessionMetaSent,
    SessionReady,
    SessionSetupAsked,
    SessionSetupFailed,
    SessionsListed,
    SessionStatusReported,
    SessionUnarchived,
    SubagentPatched,
    TitleStored,
    UnknownUpdated,
    UsageReported,
)
from .history import (
    CancelAsked,
    CompactionChunked,
    CompactionPatched,
    ElicitationAnswered,
    ElicitationAsked,
    ElicitationCompleted,
    ExtensionAnswered,
    ExtensionSent,
    FileAnswered,
    FileAsked,
    MessageChunked,
    MessagePatched,
    PermissionAnswered,
    PermissionAsked,
    PlanRemoved,
    PlanReplaced,
    PromptAccepted,
    PromptAnswered,
    PromptCancelAsked,
    PromptQueued,
    PromptRejected,
    PromptSent,
    QuestionLapsed,
    QuestionWithdrawn,
    StateReported,
    TerminalCancelAsked,
    TerminalOutputAppended,
    TerminalPatched,
    ToolCallCancelAsked,
    ToolCallPatched,
    ToolContentChunked,
    TurnOrphaned,
)


Event: TypeAlias = (
    Connecting
    | Connected
    | ConnectFailed
    | ActivityRuleChanged
    | Authenticated
    | LoggedOut
    | AuthReported
    | SessionsListed
    | RequestOpened
    | RequestClosed
    | Exited
    | ConnectionMetaSent
    | SessionSetupAsked
    | SessionReady
    | SessionSetupFailed
    | SessionEndAsked
    | SessionEnded
    | SessionUnarchived
    | SessionStatusReported
    | TitleStored
    | InfoPatched
    | ModeChosen
    | ModelChosen
    | ConfigReplaced
    | CommandsReplaced
    | UsageReported
    | NoticePosted
    | SubagentPatched
    | SessionMetaSent
    | UnknownUpdated
    | PromptSent
    | PromptAnswered
    | PromptQueued
    | PromptAccepted
    | PromptRejected
    | PromptCancelAsked
    | TurnOrphaned
    | CancelAsked
    | StateReported
    | MessageChunked
    | MessagePatched
    | CompactionPatched
    | CompactionChunked
    | ToolCallPatched
    | ToolContentChunked
    | ToolCallCancelAsked
    | PlanReplaced
    | PlanRemoved
    | PermissionAsked
    | PermissionAnswered
    | ElicitationAsked
    | ElicitationAnswered
    | ElicitationCompleted
    | QuestionWithdrawn
    | QuestionLapsed
    | TerminalPatched
    | TerminalOutputAppended
    | TerminalCancelAsked
    | FileAsked
    | FileAnswered
    | ExtensionSent
    | ExtensionAnswered
)

__all__ = [
    "ActivityRuleChanged",
    "AuthReported",
    "Authenticated",
    "CancelAsked",
    "CommandsReplaced",
    "CompactionChunked",
    "CompactionPatched",
    "ConfigReplaced",
    "ConnectFailed",
    "Connected",
    "Connecting",
    "ConnectionMetaSent",
    "ContentBlock",
    "ElicitationAnswered",
    "ElicitationAsked",
    "ElicitationCompleted",
    "Event",
    "Exited",
    "ExtensionAnswered",
    "ExtensionSent",
    "FileAnswered",
    "FileAsked",
    "InfoPatched",
    "Location",
    "LoggedOut",
    "MessageChunked",
    "MessagePatched",
    "Meta",
    "ModeChosen",
    "ModelChosen",
    "NoticePosted",
    "PermissionAnswered",
    "PermissionAsked",
    "PlanRemoved",
    "PlanReplaced",
    "PromptAccepted",
    "PromptAnswered",
    "PromptCancelAsked",
    "PromptQueued",
    "PromptRejected",
    "PromptSent",
    "QuestionLapsed",
    "QuestionWithdrawn",
    "RequestClosed",
    "RequestOpened",
    "SessionEndAsked",
    "SessionEnded",
    "SessionMetaSent",
    "SessionReady",
    "SessionSetupAsked",
    "SessionSetupFailed",
    "SessionStatusReported",
    "SessionUnarchived",
    "SessionsListed",
    "StateReported",
    "SubagentPatched",
    "TerminalCancelAsked",
    "TerminalOutputAppended",
    "TerminalPatched",
    "TitleStored",
    "ToolCallCancelAsked",
    "ToolCallPatched",
    "ToolContent",
    "ToolContentChunked",
    "TurnOrphaned",
    "UnknownUpdated",
    "UsageReported",
]
