"""`session/update`: what each kind is read with and which events it is, and the table of all of them.

Nearly every frame of a recording is one of these, and as it should be: `normalize` takes the short
way with them. What there is to remark upon takes the long one, `update_sent`, through the same table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from .. import events as e
from .. import state as s
from .._json import FrozenDict, Json
from .._model import UNSET, Part
from ..containers import PLAIN as PLAIN_TEXT
from . import quick, quirks
from . import shapes as sh
from .decode import Hook, anything, text
from .draft import Draft


Make: TypeAlias = Callable[[str, Any, int], tuple[e.Event, ...]]
"""Makes the events of an update from its session, what was read of it, and the protocol version."""


Short: TypeAlias = Callable[[str, Mapping[str, Json]], "tuple[e.Event, ...] | None"]
"""Makes the events of an update that is just as its schema says; `None` if it is not."""


class Kind(Part, frozen=True):
    """A kind of update: how it is read in either version (SPEC 4.1: what `null` says), and what it is."""

    in_1: Hook
    in_2: Hook
    make: Make
    glance: Callable[[int, Short], Short] | None = None
    """Makes of the short way for a version one that sees the plainest updates at a glance."""

    def short(self, version: int) -> Short:
        """Return the short way for *version*."""
        read, make = quick.form_of(self.in_2 if version == 2 else self.in_1), self.make

        def events_of(session_id: str, update: Mapping[str, Json]) -> tuple[e.Event, ...] | None:
            try:
                values = read(update)
            except quick.ODD:
                return None
            return make(session_id, values, version)

        return events_of if self.glance is None else self.glance(version, events_of)


def update_sent(draft: Draft, params: Mapping[str, Json]) -> None:
    """Fold the params of a `session/update` notification (schema `SessionNotification`)."""
    session_id = draft.member(text, params, "sessionId", code="malformed")
    if session_id is None:
        return
    draft.session_id = session_id
    update = draft.member(sh.mapping, params, "update", code="malformed")
    if update is None:
        return
    name = draft.member(text, update, "sessionUpdate", "update", code="malformed")
    if name is None:
        return
    _tell_version(draft, name)
    kind = KINDS.get(name)
    if kind is None or (name == "state_update" and draft.version == 1):
        # In v1 the prompts say who is busy (SPEC 4, Version).
        read = _unknown(draft, session_id, update)
    else:
        read = _known(draft, session_id, update, kind)
    meta = draft.meta(params)
    if read and meta is not None:
        draft.emit(e.SessionMetaSent(session_id, meta))


def _known(draft: Draft, session_id: str, update: Mapping[str, Json], kind: Kind) -> bool:
    values = draft.read(kind.in_2 if draft.version == 2 else kind.in_1, update, "update")
    if values is None:
        return False
    for event in kind.make(session_id, values, draft.version):
        draft.emit(event)
    return True


def _unknown(draft: Draft, session_id: str, update: Mapping[str, Json]) -> bool:
    kept = draft.read(anything, update, "update")
    if kept is None:
        return False
    draft.note(
        "unknown-update",
        f"{update['sessionUpdate']!r} is no kind of update that is known",
        ("update", "sessionUpdate"),
    )
    draft.emit(e.UnknownUpdated(session_id, kept))
    return True


def _tell_version(draft: Draft, name: str) -> None:
    """A kind that only version 2 has shows that version, as long as nothing else decided it."""
    if name in ONLY_IN_2 and not draft.wire.settled:
        draft.remember(version=2, settled=True)
    elif name in (ONLY_IN_2 if draft.version == 1 else ONLY_IN_1):
        draft.note(
            "other-version",
            f"{name} is an update of version {3 - draft.version}",
            ("update", "sessionUpdate"),
        )


# --- messages --------------------------------------------------------------------------------------


def _chunk(role: str) -> Kind:
    """`ContentChunk`. Plain text in a known version's form, which is most of all traffic, is seen at a glance."""
    by_user = role == "user"

    def make(session_id: str, chunk: sh.Chunk, version: int) -> tuple[e.Event, ...]:
        block, words, id, meta = chunk
        parent = None if meta is None else quirks.parent_link(meta)
        return (e.MessageChunked(session_id, role, id, block, words, parent, by_user and version == 2),)

    def glance(version: int, otherwise: Short) -> Short:
        needs_id = version == 2
        opens_turn = by_user and version == 2
        chunked = e.MessageChunked

        def events_of(session_id: str, update: Mapping[str, Json]) -> tuple[e.Event, ...] | None:
            try:
                content: Any = update["content"]
                kind, words = content["type"], content["text"]
            except (KeyError, TypeError):
                return otherwise(session_id, update)
            id = update.get("messageId")
            if (
                kind == "text"
                and len(content) == 2
                and words.__class__ is str
                and "_meta" not in update
                and (id.__class__ is str or (id is None and not needs_id))
            ):
                return (chunked(session_id, role, id, PLAIN_TEXT, words, None, opens_turn),)
            return otherwise(session_id, update)

        return events_of

    return Kind(sh.message_chunk, sh.message_chunk_2, make, glance)


def _message(role: str) -> Kind:
    """`UserMessage`, `AgentMessage`, `AgentThought`, `SessionMessage`: three-state in both versions."""

    def make(session_id: str, values: dict[str, Any], version: int) -> tuple[e.Event, ...]:
        opens = role == "user" and version == 2
        return (
            e.MessagePatched(
                session_id,
                role,
                parent=quirks.parent_link(values["meta"]),
                opens_turn=opens,
                **values,
            ),
        )

    hook = sh.CLEARING.session_message if role == "session" else sh.CLEARING.message
    return Kind(hook, hook, make)


def _session_message_chunk(session_id: str, chunk: sh.Chunk, version: int) -> tuple[e.Event, ...]:
    block, words, id, meta = chunk
    return (e.MessageChunked(session_id, "session", id, block, words, quirks.parent_link(meta)),)


def _compaction(session_id: str, values: dict[str, Any], version: int) -> tuple[e.Event, ...]:
    return (e.CompactionPatched(session_id, parent=quirks.parent_link(values["meta"]), **values),)


def _compaction_chunk(session_id: str, chunk: sh.Chunk, version: int) -> tuple[e.Event, ...]:
    block, words, id, meta = chunk
    return (e.CompactionChunked(session_id, id or "", block, words, quirks.parent_link(meta)),)


# --- tool calls and terminals ----------------------------------------------------------------------

_patched: Final[Callable[..., e.ToolCallPatched]] = e.ToolCallPatched


def call_patched(
    session_id: str,
    call: sh.CallPatch,
    version: int,
    *,
    introduces: bool = False,
    announces: bool = True,
    live: bool = False,
) -> tuple[e.Event, ...]:
    """Return what a patch of a tool call says of it, and before that of the terminal that its `_meta` shows (SPEC 4.7)."""
    values, shown, link = call
    patched = _patched(session_id, *values, link, introduces, announces, version == 1, live)
    if not shown:
        return (patched,)
    return (*(_shown(session_id, key, display, live) for key, display in shown), patched)


def _shown(session_id: str, key: str, display: dict[str, Any], live: bool) -> e.Event:
    """What one `_meta` key says of a display terminal."""
    id = display["id"]
    if key == "terminal_info":
        return e.TerminalPatched(session_id, id, "agent", cwd=display["cwd"] or UNSET, live=live)
    if key == "terminal_exit":
        return e.TerminalPatched(
            session_id,
            id,
            "agent",
            exit_status=s.ExitStatus(display["exit_code"], display["signal"]),
            live=live,
        )
    data = display["data"].encode("utf-8", "surrogatepass")
    return e.TerminalOutputAppended(session_id, id, "agent", data, cumulative=key == "terminal_output", live=live)


def _tool_call(session_id: str, call: sh.CallPatch, version: int) -> tuple[e.Event, ...]:
    """`ToolCall` (version 1, whatever the connection's): introduces a call, or says what it carries once more."""
    return call_patched(session_id, call, 1, introduces=True)


def _tool_call_update(session_id: str, call: sh.CallPatch, version: int) -> tuple[e.Event, ...]:
    """`ToolCallUpdate`: an upsert in version 2; in version 1 the call should be known."""
    return call_patched(session_id, call, version, announces=version == 2)


def _tool_chunk(session_id: str, chunk: sh.ToolChunk, version: int) -> tuple[e.Event, ...]:
    return (e.ToolContentChunked(session_id, chunk.id, chunk.item, quirks.parent_link(chunk.meta)),)


def _terminal(session_id: str, values: dict[str, Any], version: int) -> tuple[e.Event, ...]:
    output = values["output"]
    if isinstance(output, sh.OutputSnapshot):
        values = {**values, "output": output.data, "output_meta": output.meta}
    return (e.TerminalPatched(session_id, owner="agent", **values),)


def _terminal_chunk(session_id: str, values: dict[str, Any], version: int) -> tuple[e.Event, ...]:
    return (e.TerminalOutputAppended(session_id, values["id"], "agent", values["data"], meta=values["meta"]),)


# --- plans, settings, facts ------------------------------------------------------------------------


def _plan(session_id: str, plan: s.Plan, version: int) -> tuple[e.Event, ...]:
    return (e.PlanReplaced(session_id, plan),)


def _plan_update(session_id: str, values: dict[str, Any], version: int) -> tuple[e.Event, ...]:
    """`PlanUpdate`: its own `_meta` and the plan's are the plan's."""
    plan: s.Plan = values["plan"]
    if values["meta"] is not None:
        plan = sh.with_meta(plan, FrozenDict({**values["meta"], **(plan.meta or {})}))
    return (e.PlanReplaced(session_id, plan),)


def _usage(session_id: str, values: dict[str, Any], version: int) -> tuple[e.Event, ...]:
    return (e.UsageReported(session_id, **values),)


def _fields_of(event: Callable[..., e.Event]) -> Make:
    """The event has what was read, field by field."""

    def make(session_id: str, values: dict[str, Any], version: int) -> tuple[e.Event, ...]:
        return (event(session_id, **values),)

    return make


def _notice(session_id: str, notice: s.Notice, version: int) -> tuple[e.Event, ...]:
    return (e.NoticePosted(session_id, notice),)


def _subagent(session_id: str, values: dict[str, Any], version: int) -> tuple[e.Event, ...]:
    return (e.SubagentPatched(session_id, tool_call_id=quirks.parent_link(values["meta"]), **values),)


def _state(session_id: str, state: sh.ReadState, version: int) -> tuple[e.Event, ...]:
    """`StateUpdate`; what an unknown state or stop reason has besides is kept as sent."""
    values = state.values
    if values["state"] != "idle":
        values = {**values, "stop_reason": None, "usage": None, "error": None}
    reported = e.StateReported(session_id, **values)
    return (reported,) if state.odd is None else (e.UnknownUpdated(session_id, state.odd), reported)


KINDS: Final[Mapping[str, Kind]] = {
    "user_message_chunk": _chunk("user"),
    "agent_message_chunk": _chunk("agent"),
    "agent_thought_chunk": _chunk("thought"),
    "user_message": _message("user"),
    "agent_message": _message("agent"),
    "agent_thought": _message("thought"),
    "session_message": _message("session"),
    "session_message_chunk": Kind(sh.session_message_chunk, sh.session_message_chunk, _session_message_chunk),
    "compaction_update": Kind(sh.CLEARING.compaction, sh.CLEARING.compaction, _compaction),
    "compaction_summary_chunk": Kind(sh.compaction_chunk, sh.compaction_chunk, _compaction_chunk),
    "tool_call": Kind(sh.SAYING_NOTHING.tool_call, sh.SAYING_NOTHING.tool_call, _tool_call),
    "tool_call_update": Kind(
        sh.SAYING_NOTHING.tool_call_update,
        sh.CLEARING.tool_call_update,
        _tool_call_update,
    ),
    "tool_call_content_chunk": Kind(sh.tool_chunk, sh.tool_chunk, _tool_chunk),
    "terminal_update": Kind(sh.CLEARING.terminal, sh.CLEARING.terminal, _terminal),
    "terminal_output_chunk": Kind(sh.terminal_chunk, sh.terminal_chunk, _terminal_chunk),
    "plan": Kind(sh.plan, sh.plan, _plan),
    "plan_update": Kind(sh.plan_update, sh.plan_update, _plan_update),
    "plan_removed": Kind(sh.plan_removed, sh.plan_removed, _fields_of(e.PlanRemoved)),
    "available_commands_update": Kind(sh.commands_update, sh.commands_update, _fields_of(e.CommandsReplaced)),
    "current_mode_update": Kind(sh.mode_update, sh.mode_update, _fields_of(e.ModeChosen)),
    "config_option_update": Kind(sh.config_update, sh.config_update, _fields_of(e.ConfigReplaced)),
    "session_info_update": Kind(sh.CLEARING.info, sh.CLEARING.info, _fields_of(e.InfoPatched)),
    "usage_update": Kind(sh.SAYING_NOTHING.usage, sh.CLEARING.usage, _usage),
    "notice": Kind(sh.notice, sh.notice, _notice),
    "subagent_update": Kind(sh.CLEARING.subagent, sh.CLEARING.subagent, _subagent),
    "state_update": Kind(sh.state_update, sh.state_update, _state),
}

ONLY_IN_1: Final = frozenset(("tool_call", "plan", "current_mode_update"))
ONLY_IN_2: Final = frozenset(
    (
        "user_message",
        "agent_message",
        "agent_thought",
        "state_update",
        "tool_call_content_chunk",
        "terminal_update",
        "terminal_output_chunk",
    )
)
"""They also show version 2 where nothing else decides it (SPEC 4, Version)."""

_REMEMBERED: Final = frozenset(("subagent_update", "state_update"))
"""The kinds that change what the normalizer remembers."""

_SHORT: Final = {
    version: {name: kind.short(version) for name, kind in KINDS.items() if name not in _REMEMBERED | other}
    for version, other in ((1, ONLY_IN_2), (2, ONLY_IN_1))
}
"""For each version the kinds that need no second look, and the short way with each."""


def plain_update(session_id: str, update: Any, version: int) -> tuple[e.Event, ...] | None:
    """Return the events of an update that is just as its schema says, and of a kind that needs no second look; else `None`."""
    try:
        events_of = _SHORT[version][update["sessionUpdate"]]
    except (KeyError, TypeError):
        return None
    return events_of(session_id, update)
