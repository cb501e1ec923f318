"""What hypothesis makes up: JSON, texts, content, and whole conversations between a client and an agent.

A conversation is a list of `Sent`: who sent which message. `polite` ones keep to the protocol and are
valid under the schemas; `rude` ones are anything in any order; `perturbed` ones were polite before
somebody dropped, repeated, moved or mixed up some of their messages.
"""

from __future__ import annotations

import copy

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from hypothesis import strategies as st

from support.talk import FINAL, KINDS, OPTION_KINDS, OTHER, REASONS, STATUSES, Sent, Talk


# --- JSON ----------------------------------------------------------------------------------------------

LETTERS: Final = (
    *"ab \n",
    "\N{GRINNING FACE}",
    "\N{LATIN SMALL LETTER E WITH ACUTE}",
    "\ud83d",  # one half of a character, and the other
    "\ude00",
    "\x00",
    "\x1b",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    '"',
    "\\",
)
"""What has troubled readers of JSON and writers to terminals, after what has not."""

TEXTS: Final = (
    "a",
    "",
    "b",
    " ",
    "\n",
    "ab",
    "a b",
    "aa",
    "b\n\na",
    "\N{GRINNING FACE}",
    "\N{LATIN SMALL LETTER E WITH ACUTE}",
    "\ud83d",  # one half of a character, and the other
    "\ude00",
    "a\ud83d",
    "\ude00b",
    "\x00\x1b[31m",
    "\x7f\x85\u2028\ufeff",
    '"\\\\/',
)
VALUES: Final = (
    None,
    0,
    "",
    False,
    [],
    {},
    True,
    1,
    1.0,
    "1",
    "a",
    -1,
    12.0,
    0.1,
    -0.0,
    1e300,
    2**53 + 1,
    10**40,
    [None],
    [1, "two", None],
    [[], {}],
    {"a": None},
    {"": {"b": [True]}},
    {"type": "text", "text": "x"},
    {"env": {"KEY": "v"}, "b": 1},
)


def _weighted(*choices: tuple[int, st.SearchStrategy]) -> st.SearchStrategy:
    """One of several strategies, each so many times as likely (`one_of` takes each but once)."""
    table = [strategy for weight, strategy in choices for _ in range(weight)]

    @st.composite
    def weighted(draw: Any) -> Any:
        return draw(table[draw(st.integers(0, len(table) - 1))])

    return weighted()


def as_json_has_it(text: str) -> str:
    """Two halves of a character that stand side by side in a JSON text are the character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


texts: Final = _weighted((5, st.sampled_from(TEXTS)), (1, st.lists(st.sampled_from(LETTERS), max_size=6).map("".join).map(as_json_has_it)))
plain_texts: Final = st.sampled_from(("a", "", "b", "a b", " ", "ab"))
numbers: Final = st.integers(-3, 3) | st.sampled_from((0.0, -0.0, 1.0, 0.1, 1e300, 2**53 + 1, 2**63, 10**40, -(2**64)))
scalars: Final = st.none() | st.booleans() | numbers | texts
json_values: Final = _weighted(
    (8, st.sampled_from(VALUES)),
    (1, st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6)),
)
json_objects: Final = st.dictionaries(st.sampled_from(("a", "b", "_robin/c", "")), json_values, max_size=2)
metas: Final = st.none() | st.dictionaries(st.sampled_from(("a", "b", "_robin/c")), json_values, min_size=1, max_size=2)


# --- content -------------------------------------------------------------------------------------------


def _some(**fields: Any) -> st.SearchStrategy[dict]:
    """An object with any of *fields*."""
    return st.fixed_dictionaries({}, optional=fields)


annotations: Final = _some(audience=st.just(["user"]), priority=st.just(0.5), lastModified=st.just("2026-01-01T00:00:00Z"))
text_blocks: Final = st.builds(
    lambda words, more: {"type": "text", "text": words, **more}, texts, _some(annotations=annotations, _meta=json_objects)
)
plain_blocks: Final = st.builds(lambda words: {"type": "text", "text": words}, texts)
other_blocks: Final = st.sampled_from(
    (
        {"type": "image", "data": "aW1n", "mimeType": "image/png"},
        {"type": "audio", "data": "aW1n", "mimeType": "audio/wav"},
        {"type": "resource_link", "name": "a", "uri": "file:///a", "size": 3},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "t"}},
    )
)
blocks: Final = plain_blocks | text_blocks | other_blocks
unknown_variants: Final = st.builds(
    lambda more, name: {**more, "type": name},
    st.dictionaries(st.sampled_from(("x", "y", "id", "text")), json_values, max_size=3),
    st.sampled_from(("_x", "hologram")),
)
block_lists: Final = st.lists(blocks, max_size=3)
call_items: Final = st.one_of(
    st.builds(lambda block: {"type": "content", "content": block}, blocks),
    st.just({"type": "terminal", "terminalId": "k-0"}),
    st.just({"type": "terminal", "terminalId": "x-s-1-0"}),
)
diffs: Final = {
    1: st.just({"type": "diff", "path": "/a", "oldText": None, "newText": "n"}),
    2: st.just({"type": "diff", "changes": [{"operation": "add", "path": "/a"}], "patch": {"format": "git_patch", "text": "p"}}),
}


def acts(part: st.SearchStrategy, max_size: int) -> st.SearchStrategy[list]:
    """A list of up to *max_size* parts; three in one, as hypothesis likes lists to be short."""
    third = st.lists(part, max_size=max_size // 3)
    return st.tuples(third, third, third).map(lambda three: [one for act in three for one in act])


# --- polite conversations --------------------------------------------------------------------------------

_PICK = st.integers(0, 3)
_WAY = st.integers(0, 29)
_FLAG = st.booleans()


def _wish(name: str, **arguments: Any) -> st.SearchStrategy[tuple[str, dict]]:
    return st.tuples(st.just(name), st.fixed_dictionaries(arguments))


@cache
def _wishes(version: int, words: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, dict]]:
    """What the two may want to do; what stands here more often is wished for more often."""
    values = json_values
    block = plain_blocks | blocks if version == 1 else plain_blocks | blocks | unknown_variants
    some = st.lists(block, max_size=3)
    nullable = st.none() | some
    call_fields = _some(
        title=words if version == 1 else st.none() | words,
        kind=st.sampled_from(KINDS),
        content=st.lists(call_items | diffs[version], max_size=2),
        locations=st.just([{"path": "/a", "line": 3}]) | st.just([]),
        rawInput=values,
        rawOutput=values,
        name=st.just("bash"),
        _meta=json_objects,
    )
    chunk = _wish("chunk", pick=_PICK, role=_PICK, message=st.none() | st.integers(0, 2), block=block, meta=st.none() | metas)
    plain_chunk = _wish("chunk", pick=st.just(0), role=_PICK, message=st.none(), block=plain_blocks, meta=st.none())
    call = _wish("call", pick=_PICK, id=st.integers(0, 2), status=_WAY, fields=call_fields)
    prompt = _wish("prompt", pick=_PICK, blocks=some)
    answer = _wish("answer", client=_FLAG, pick=_PICK, way=_WAY)
    new = _wish("new", early=_FLAG, now=st.just(True) | _FLAG)
    state = _wish("state", pick=_PICK, way=_WAY, reason=_WAY, background=_PICK)
    rest = (
        _wish("load", pick=_PICK, way=_PICK, known=_FLAG),
        _wish("fork", pick=_PICK),
        _wish("end", pick=_PICK, way=_PICK),
        _wish("setting", pick=_PICK, way=_WAY, word=plain_texts),
        _wish("cancel", pick=_PICK),
        _wish("withdraw", client=_FLAG, pick=_PICK),
        _wish("session_message", pick=_PICK, message=_PICK, blocks=nullable, chunk=_FLAG, meta=metas),
        _wish("compaction", pick=_PICK, id=st.integers(0, 1), status=_PICK, blocks=nullable, chunk=_FLAG),
        _wish("permission", pick=_PICK, call=st.integers(0, 2), way=_PICK),
        _wish("elicitation", pick=_PICK, way=_PICK, scoped=_FLAG),
        _wish("complete", pick=_PICK),
        _wish("plan", pick=_PICK, which=_PICK, way=_WAY, words=words),
        _wish("fact", pick=_PICK, way=_WAY, number=_PICK, words=plain_texts),
        _wish("subagent", pick=_PICK, child=st.integers(0, 1), way=_WAY),
        _wish("vendor", client=_FLAG, asks=_FLAG, pick=_PICK, value=values),
        st.one_of(
            _wish("login", out=_FLAG),
            _wish("who", told=_FLAG),
            _wish("list", more=_FLAG),
            _wish("providers"),
            _wish("again"),
        ),
        *(
            (
                _wish("message", pick=_PICK, role=_PICK, message=st.integers(0, 2), blocks=nullable, sent=_FLAG, meta=metas),
                _wish("call_chunk", pick=_PICK, id=st.integers(0, 2), item=call_items, meta=metas),
                _wish("agent_terminal", pick=_PICK, which=st.integers(0, 1), way=_WAY, data=st.binary(max_size=4)),
                state,
                state,
            )
            if version == 2
            else (
                _wish("file", pick=_PICK, write=_FLAG),
                _wish("terminal", pick=_PICK, way=_WAY, which=_PICK),
                _wish("display", pick=_PICK, call=st.integers(0, 2), way=_PICK, words=words),
                _wish("echo", pick=_PICK, which=_PICK, size=st.integers(0, 3), message=st.none() | st.integers(0, 1)),
            )
        ),
    )
    often = (prompt, chunk, call, plain_chunk, new)
    return _weighted(*((2, wish) for wish in often), (4, answer), *((1, wish) for wish in rest))


_IDS: Final = (
    (),
    (0, 1),
    ("", "a", 0),
    ("1", 1, 2),
)


@st.composite
def polite(
    draw: Any,
    version: int | None = None,
    *,
    max_size: int = 25,
    min_sessions: int = 1,
    words: st.SearchStrategy[str] = texts,
    mixed: bool = True,
    **options: Any,
) -> list[Sent]:
    """A conversation that keeps to the protocol; *options* are those of `Talk`. *mixed*: v2 may be offered where v1 is agreed on."""
    version = draw(st.sampled_from((1, 2))) if version is None else version
    options.setdefault("ids", draw(st.sampled_from(_IDS)))
    talk = Talk(version, **options)
    talk.handshake(offered=2 if mixed and draw(_FLAG) else version)
    for _ in range(min_sessions):
        talk.new(early=False, now=True)
    for name, arguments in draw(acts(_wishes(version, words), max_size)):
        # What is made up may be one object in several places; a recording has none twice.
        getattr(talk, name)(**copy.deepcopy(arguments))
    return talk.sent


def one_sided(conversation: Iterable[Sent]) -> list[Sent]:
    """Return what the agent sent."""
    return [sent for sent in conversation if sent.sender == "agent"]


# --- rude conversations ----------------------------------------------------------------------------------

SESSIONS: Final = ("s-1", "s-2", "")
IDS: Final = (0, 1, 2, "1", "a", True, 1.0, None)

_session = st.sampled_from(SESSIONS)
_ids = st.sampled_from(IDS)
_names = st.sampled_from(("a", "b"))
_junk = json_values


def loosely(strategy: st.SearchStrategy) -> st.SearchStrategy:
    """Mostly *strategy*; sometimes `null`, sometimes anything."""
    return _weighted((12, strategy), (1, st.none()), (1, _junk))


def loose(**fields: st.SearchStrategy) -> st.SearchStrategy[dict]:
    """An object with most of *fields*, most of them right; nearly always with its session, and seldom with `_meta`."""
    members = {name: loosely(strategy) for name, strategy in fields.items()}
    names = tuple(members)

    @st.composite
    def object_(draw: Any) -> dict:
        left_out = draw(st.integers(0, 2 ** len(names) - 1)) & draw(st.integers(0, 2 ** len(names) - 1))
        found = {name: draw(members[name]) for place, name in enumerate(names) if name == "sessionId" or not left_out >> place & 1}
        if draw(st.integers(0, 7)) == 7:
            found["_meta"] = draw(loosely(json_objects))
        return found

    return object_()


_block = blocks | unknown_variants
_message_id = st.sampled_from(("m-1", "m-2"))
_call_id = st.sampled_from(("t-1", "t-2"))
_status = st.sampled_from((*STATUSES, *FINAL, "cancelled", "paused", "queued"))
_terminal_id = st.sampled_from(("k-1", "x-1"))
_state = st.sampled_from(("running", "idle", "requires_action", "unknown", "_x"))
_reason = st.sampled_from((*REASONS, "error", "_x"))
_error = st.builds(
    lambda code, more: {"code": code, "message": "m", **more}, st.sampled_from((-32603, -32800, -32002)), _some(data=json_values)
)
_background = st.lists(
    st.sampled_from(
        ({"type": "tool_call", "toolCallId": "t-1"}, {"type": "terminal", "terminalId": "k-1"}, {"type": "_x"}, {"type": "terminal"}, 3)
    ),
    max_size=2,
)
_usage = st.sampled_from(({"totalTokens": 1, "inputTokens": 1, "outputTokens": 0}, {"totalTokens": -1}))
_item = call_items | diffs[1] | diffs[2] | unknown_variants
_call_fields: Final = {
    "title": texts,
    "kind": st.sampled_from((*KINDS, "teleport")),
    "status": _status,
    "content": st.lists(loosely(_item), max_size=2),
    "locations": st.lists(loosely(st.just({"path": "/a"})), max_size=2),
    "rawInput": json_values,
    "rawOutput": json_values,
    "name": texts,
    "capabilities": json_objects,
}
_call = loose(toolCallId=_call_id, **_call_fields)
_parent_meta = st.just({"claudeCode": {"parentToolUseId": "t-1"}})
_chunk = loose(content=_block, messageId=_message_id) | st.builds(
    lambda words, key, meta: {"content": {"type": "text", "text": words}, "messageId": key, **({"_meta": meta} if meta else {})},
    texts,
    st.none() | _message_id,
    st.none() | _parent_meta,
)
_whole = loose(messageId=_message_id, content=st.lists(loosely(_block), max_size=2))
_plan_entries = st.lists(
    loosely(
        st.just({"content": "c", "priority": "low", "status": "pending"})
        | st.just({"content": "c", "priority": "low", "status": "cancelled"})
    ),
    max_size=2,
)
_plan_content = st.builds(
    lambda tag, more: {"type": tag, **more},
    st.sampled_from(("items", "markdown", "file", "_x")),
    loose(planId=_names, id=_names, entries=_plan_entries, content=texts, uri=texts, x=json_values),
)
_option = st.builds(
    lambda key, tag, more: {"configId": key, "id": key, "name": "n", "type": tag, **more},
    _names,
    st.sampled_from(("select", "boolean", "_x")),
    loose(
        currentValue=st.sampled_from(("v", True, 3)),
        options=st.sampled_from(
            ([{"value": "v", "name": "n"}], [{"group": "g", "groupId": "g", "name": "n", "options": [{"value": "v", "name": "n"}]}])
        ),
        category=st.just("mode"),
        x=json_values,
    ),
)
_command = st.builds(
    lambda tag, more: {**tag, "name": "n", "description": "d", **more},
    st.sampled_from(({}, {"type": "command"}, {"type": "_x"})),
    loose(input=st.sampled_from(({"hint": "h"}, {"type": "text", "hint": "h"}, {"type": "_x", "y": None})), x=json_values),
)
_modes = loose(currentModeId=_names, availableModes=st.lists(loosely(st.just({"id": "a", "name": "A"})), max_size=2))
_exit = _some(exitCode=st.just(0), signal=st.just("KILL"))
_display = _some(
    terminal_info=loosely(st.just({"terminal_id": "k-1", "cwd": "/"})),
    terminal_output=loosely(st.builds(lambda words: {"terminal_id": "k-1", "data": words}, texts)),
    terminal_output_delta=loosely(st.builds(lambda words: {"terminal_id": "k-1", "data": words}, texts)),
    terminal_exit=loosely(st.just({"terminal_id": "k-1", "exit_code": 1})),
)
_base64 = st.sampled_from(("YQ==", "8J+Y", "gA==", "", "/w==", "no base64!"))
_state_fields = loose(state=_state, stopReason=_reason, background=_background, usage=_usage, error=_error, x=json_values)

UPDATES: Final[dict[str, st.SearchStrategy[dict]]] = {
    "user_message_chunk": _chunk,
    "agent_message_chunk": _chunk,
    "agent_thought_chunk": _chunk,
    "user_message": _whole,
    "agent_message": _whole,
    "agent_thought": _whole,
    "session_message": loose(
        messageId=_message_id, content=st.lists(_block, max_size=2), senderSessionId=_session, recipientMessageId=_message_id
    ),
    "session_message_chunk": _chunk,
    "compaction_update": loose(compactionId=_names, status=_status, summary=st.lists(loosely(_block), max_size=2), error=texts),
    "compaction_summary_chunk": loose(compactionId=_names, content=_block),
    "tool_call": _call | st.builds(lambda call: {"toolCallId": "t-1", "title": "T", **call}, loose(**_call_fields)),
    "tool_call_update": _call | st.builds(lambda meta: {"toolCallId": "t-1", "_meta": meta}, _display),
    "tool_call_content_chunk": loose(toolCallId=_call_id, content=_item),
    "terminal_update": loose(
        terminalId=_terminal_id,
        command=texts,
        cwd=texts,
        output=st.builds(lambda data: {"data": data}, _base64),
        exitStatus=_exit,
        size=st.just({"cols": 80, "rows": 24}),
        capabilities=json_objects,
    ),
    "terminal_output_chunk": loose(terminalId=_terminal_id, data=_base64),
    "plan": loose(entries=_plan_entries),
    "plan_update": loose(plan=_plan_content),
    "plan_removed": loose(planId=_names),
    "available_commands_update": loose(availableCommands=st.lists(loosely(_command), max_size=2)),
    "current_mode_update": loose(currentModeId=_names, modeId=_names),
    "config_option_update": loose(configOptions=st.lists(loosely(_option), max_size=2)),
    "session_info_update": loose(title=texts, updatedAt=texts),
    "usage_update": loose(used=numbers, size=numbers, cost=loosely(st.just({"amount": 1, "currency": "USD"}))),
    "notice": loose(severity=st.just("info"), title=texts, description=texts),
    "subagent_update": loose(sessionId=_session, title=texts, state=_state_fields, cwd=texts, additionalDirectories=st.just(["/a"])),
    "state_update": _state_fields,
    "_unheard_of": loose(x=json_values),
}

_scope = {"sessionId": _session}
_options = st.lists(
    loosely(st.builds(lambda key, kind: {"optionId": key, "name": "n", "kind": kind}, _names, st.sampled_from(OPTION_KINDS))), max_size=2
)
_setup = {**_scope, "cwd": texts, "additionalDirectories": st.just(["/a"]), "mcpServers": st.just([])}
_elicitation = {
    "toolCallId": _call_id,
    "mode": st.sampled_from(("form", "url", "_x")),
    "message": texts,
    "requestedSchema": st.just({"type": "object", "properties": {"a": {"type": "string"}}}),
    "url": texts,
    "elicitationId": _names,
    "x": json_values,
}

CLIENT_REQUESTS: Final[dict[str, st.SearchStrategy[dict]]] = {
    "initialize": loose(
        protocolVersion=st.sampled_from((1, 2)), clientCapabilities=json_objects, info=st.just({"name": "n", "version": "1"})
    ),
    "authenticate": loose(methodId=_names),
    "auth/login": loose(methodId=_names),
    "logout": loose(),
    "auth/logout": loose(),
    "auth/status": loose(),
    "session/new": loose(**{name: value for name, value in _setup.items() if name != "sessionId"}),
    "session/load": loose(**_setup),
    "session/resume": loose(**_setup, replayFrom=st.sampled_from(({"type": "start"}, {"type": "message"}))),
    "session/fork": loose(**_setup),
    "session/list": loose(cursor=texts),
    "session/prompt": loose(**_scope, prompt=st.lists(loosely(_block), max_size=2) | texts),
    "session/close": loose(**_scope),
    "session/delete": loose(**_scope),
    "session/archive": loose(**_scope),
    "session/unarchive": loose(**_scope),
    "session/status": loose(**_scope),
    "session/set_title": loose(**_scope, title=texts),
    "session/set_mode": loose(**_scope, modeId=_names),
    "session/set_model": loose(**_scope, modelId=_names),
    "session/set_config_option": loose(**_scope, configId=_names, value=_names),
    "tool_call/cancel": loose(**_scope, toolCallId=_call_id),
    "terminal/cancel": loose(**_scope, terminalId=_terminal_id),
    "providers/list": loose(),
    "_robin/ask": loose(**_scope, value=json_values),
}
AGENT_REQUESTS: Final[dict[str, st.SearchStrategy[dict]]] = {
    "session/request_permission": loose(**_scope, toolCall=_call, options=_options)
    | loose(
        **_scope,
        title=texts,
        subject=st.builds(lambda call: {"type": "tool_call", "toolCall": call}, _call) | unknown_variants,
        options=_options,
    ),
    "elicitation/create": loose(**_scope, **_elicitation) | loose(requestId=_ids, **_elicitation),
    "session/elicitation": loose(**_scope, **_elicitation),
    "fs/read_text_file": loose(**_scope, path=texts),
    "fs/write_text_file": loose(**_scope, path=texts, content=texts),
    "terminal/create": loose(**_scope, command=texts, args=st.just(["a"]), cwd=texts, env=st.just([{"name": "n", "value": "v"}])),
    "terminal/output": loose(**_scope, terminalId=_terminal_id),
    "terminal/wait_for_exit": loose(**_scope, terminalId=_terminal_id),
    "terminal/kill": loose(**_scope, terminalId=_terminal_id),
    "terminal/release": loose(**_scope, terminalId=_terminal_id),
    "mcp/message": loose(serverId=_names, requestId=_names, method=_names),
    "_robin/ask": loose(**_scope, value=json_values),
}
NOTIFICATIONS: Final[dict[str, tuple[str, st.SearchStrategy[dict]]]] = {
    "session/cancel": ("client", loose(**_scope)),
    "elicitation/complete": ("agent", loose(elicitationId=_names)),
    "auth/status_update": ("agent", loose(state=_names, accounts=st.just([{"label": "a"}]))),
    "_robin/tell": ("agent", loose(**_scope, value=json_values)),
}
_outcome = st.sampled_from(({"outcome": "selected", "optionId": "a"}, {"outcome": "cancelled"}, {"outcome": "_x"}, {"outcome": "selected"}))
AGENT_RESULTS: Final = st.one_of(
    loose(stopReason=_reason, usage=_usage),
    loose(messageId=_message_id),
    st.just({}),
    st.builds(lambda key, more: {"sessionId": key, **more}, _session, loose(modes=_modes, configOptions=st.lists(_option, max_size=1))),
    loose(
        modes=_modes, models=_modes, configOptions=st.lists(loosely(_option), max_size=1), availableCommands=st.lists(_command, max_size=1)
    ),
    loose(protocolVersion=st.sampled_from((1, 2, 3, 2.0)), agentCapabilities=json_objects, info=st.just({"name": "n", "version": "1"})),
    loose(sessions=st.lists(loosely(st.just({"sessionId": "s-1", "cwd": "/"})), max_size=1), nextCursor=texts),
    loose(status=_names, state=_state_fields, title=texts, configOptions=st.lists(_option, max_size=1)),
    _junk,
)
CLIENT_RESULTS: Final = st.one_of(
    loose(outcome=_outcome),
    loose(action=st.sampled_from(("accept", "decline", "cancel", "_x", {"action": "accept"})), content=json_objects),
    loose(terminalId=_terminal_id, output=texts, truncated=st.booleans(), exitStatus=_exit, exitCode=st.just(3)),
    st.just({}),
    _junk,
)


def _update(session: str, kind: str, fields: dict, meta: Any) -> Sent:
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **fields}, **({} if meta is None else {"_meta": meta})}
    return Sent("agent", {"jsonrpc": "2.0", "method": "session/update", "params": params})


def rude_updates(sessions: st.SearchStrategy[str] = _session) -> st.SearchStrategy[Sent]:
    """An update of any kind, with fields that may be wrong."""
    kinds = st.sampled_from(sorted(UPDATES)).flatmap(lambda kind: st.tuples(st.just(kind), UPDATES[kind]))
    return st.builds(lambda session, update, meta: _update(session, *update, meta), sessions, kinds, st.none() | st.none() | metas)


def _requests(sender: str, methods: dict[str, st.SearchStrategy[dict]], ids: st.SearchStrategy) -> st.SearchStrategy[Sent]:
    return st.sampled_from(sorted(methods)).flatmap(
        lambda method: st.builds(
            lambda key, params: Sent(sender, {"jsonrpc": "2.0", "id": key, "method": method, "params": params}), ids, methods[method]
        )
    )


def _told(method: str) -> st.SearchStrategy[Sent]:
    sender, params = NOTIFICATIONS[method]
    return params.map(lambda made: Sent(sender, {"jsonrpc": "2.0", "method": method, "params": made}))


def rude_messages(ids: st.SearchStrategy = _ids) -> st.SearchStrategy[Sent]:
    """Any message of any side; nearly every one is of a form that the protocol knows."""
    sides = st.sampled_from(("agent", "client"))
    return _weighted(
        (8, rude_updates()),
        (4, _requests("client", CLIENT_REQUESTS, ids)),
        (3, _requests("agent", AGENT_REQUESTS, ids)),
        (3, st.builds(_result, st.just("agent"), ids, AGENT_RESULTS)),
        (2, st.builds(_result, st.just("client"), ids, CLIENT_RESULTS)),
        (1, st.builds(_failure, sides, ids, loosely(_error))),
        (2, st.sampled_from(sorted(NOTIFICATIONS)).flatmap(_told)),
        (1, st.builds(_cancelling, sides, ids)),
        (1, st.builds(Sent, sides, json_objects.map(lambda made: {"jsonrpc": "2.0", **made}))),
    )


def _result(sender: str, request: Any, result: Any) -> Sent:
    return Sent(sender, {"jsonrpc": "2.0", "id": request, "result": result})


def _failure(sender: str, request: Any, error: Any) -> Sent:
    return Sent(sender, {"jsonrpc": "2.0", "id": request, "error": error})


def _cancelling(sender: str, request: Any) -> Sent:
    return Sent(sender, {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": request}})


def _with_handshake(version: int | None, conversation: list[Sent]) -> list[Sent]:
    if version is None:
        return conversation
    talk = Talk(version, ids=("init",))
    talk.handshake()
    return talk.sent + conversation


def rude(max_size: int = 20) -> st.SearchStrategy[list[Sent]]:
    """Anything in any order, after a handshake or without."""
    return st.builds(_with_handshake, st.sampled_from((None, 1, 2)), acts(rude_messages(), max_size))


# --- perturbed conversations -----------------------------------------------------------------------------


def perturb(conversation: list[Sent], edits: list[tuple[str, int, int]]) -> list[Sent]:
    """Return *conversation* after *edits*: an operation and two places each."""
    after = list(conversation)
    for operation, one, other in edits:
        if not after:
            break
        one, other = one % len(after), other % len(after)  # noqa: PLW2901 -- places wrap around
        sent = after[one]
        if operation == "drop":
            del after[one]
        elif operation == "repeat":
            after.insert(other, sent)
        elif operation == "move":
            after.insert(other, after.pop(one))
        elif operation == "turn":
            after[one] = sent._replace(sender=OTHER[sent.sender])
        elif operation == "swap ids":
            after[one], after[other] = _with_id_of(sent, after[other]), _with_id_of(after[other], sent)
        elif operation == "strip":
            after[one] = sent._replace(message={key: value for key, value in sent.message.items() if key != "id"})
    return after


def _with_id_of(sent: Sent, other: Sent) -> Sent:
    if "id" in sent.message and "id" in other.message:
        return sent._replace(message={**sent.message, "id": other.message["id"]})
    return sent


_edits = st.lists(
    st.tuples(st.sampled_from(("drop", "repeat", "move", "turn", "swap ids", "strip")), st.integers(0, 40), st.integers(0, 40)), max_size=5
)


def perturbed(max_size: int = 20) -> st.SearchStrategy[list[Sent]]:
    """A polite conversation that somebody has mixed up."""
    return st.builds(perturb, polite(max_size=max_size), _edits)


@st.composite
def _one_sided(draw: Any, of: st.SearchStrategy[list[Sent]]) -> list[Sent]:
    return one_sided(draw(of))


def conversations(max_size: int = 20) -> st.SearchStrategy[list[Sent]]:
    """A conversation of any kind, one-sided ones included."""
    known = polite(max_size=max_size)
    mixed = perturbed(max_size)
    wild = rude(max_size)
    return st.one_of(known, mixed, wild, _one_sided(known), _one_sided(mixed), _one_sided(wild))
