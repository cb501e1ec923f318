"""What a redacted recording keeps: names and words that the protocol, or our document, has itself.

Whatever is not listed here is replaced, wherever it stands. The lists are those of the protocol's
schemas of both versions, stable and draft, of what earlier drafts called things, and of our document.
"""

from __future__ import annotations

from typing import Final

from ..methods import AGENT_NOTIFICATIONS, AGENT_REQUESTS, CANCEL_REQUEST, CLIENT_NOTIFICATIONS, CLIENT_REQUESTS
from ..normalize.quirks import DISPLAYS, PARENT_LINKS
from ..protocol.updates import UPDATES


METHODS: Final = CLIENT_REQUESTS | CLIENT_NOTIFICATIONS | AGENT_REQUESTS | AGENT_NOTIFICATIONS | {CANCEL_REQUEST}

_SCHEMAS: Final = """
    _meta accounts acp action active additionalDirectories additionalProperties agentCapabilities agentInfo amount
    annotations anyOf apiType archive archived args audience audio auth authMethods availableCommands availableModes
    background baseUrl blob boolean cachedReadTokens cachedWriteTokens cancel capabilities category changes
    clientCapabilities clientInfo close code cols command compaction compactionId configId configOptions const content
    cost currency current currentModeId currentValue cursor cwd data default delete description elicitation
    elicitationId email embeddedContext entries enum env error exitCode exitStatus fileType fork form format fs group
    groupId headers hint http icons id image info input inputTokens items jsonrpc kind label lastModified limit line
    list loadSession locations logout maxItems maxLength maximum mcp mcpCapabilities mcpServers message messageId
    method methodId mimeType minItems minLength minimum mode modeId modes name newText nextCursor notices oldPath
    oldText oneOf operation optionId options organization outcome output outputByteLimit outputTokens override params
    patch path pattern plan planId priority prompt promptCapabilities properties protocolVersion providerId providers
    rawInput rawOutput readTextFile recipientMessageId recipientSessionId replayFrom requestId requested
    requestedSchema required resource result resume rows senderMessageId senderSessionId serverId session
    sessionCapabilities sessionId sessionUpdate sessions severity signal size sizes src sse state status stdio
    stopReason subagents subject summary supported systemPrompt terminal terminalId text theme thoughtTokens title
    toolCall toolCallId totalTokens truncated type update updatedAt uri url usage used value version writeTextFile
"""
_EARLIER: Final = "availableModels currentModelId modelId models allOf not"
_DOCUMENT: Final = """
    accepted activity agent answer answerOwed authenticated available base64 before cancelRequested cancelledByClient
    chunkMeta client completed connection currentId decision elicitations exit extensions files forkedFrom from
    historical inContext killed listedSessions openRequests outputMeta owner parent pendingPrompts phase plans prompts
    rejected released replaying requestedProtocolVersion role sealed terminals timeline turn turns unannounced
    unknownUpdates unresolved
"""
_VENDORS: Final = {"terminal_id", "exit_code", *DISPLAYS, *(key for path in PARENT_LINKS for key in path)}

MEMBERS: Final = frozenset({*_SCHEMAS.split(), *_EARLIER.split(), *_DOCUMENT.split(), *_VENDORS})
"""The names of members that are kept."""

_NUMBERS: Final = """
    amount cachedReadTokens cachedWriteTokens code cols exitCode exit_code id inputTokens limit line maxItems maxLength
    maximum minItems minLength minimum outputByteLimit outputTokens priority protocolVersion requestId
    requestedProtocolVersion rows size thoughtTokens totalTokens turn used
"""
NUMBERS: Final = frozenset(_NUMBERS.split())
"""The members whose numbers are kept, where the protocol knows what they are."""

_WORDED: Final = """
    action activity apiType archived audience category currency decision fileType format from kind method mimeType mode
    operation outcome owner phase priority role sessionUpdate severity signal state status stopReason theme type
"""
WORDED: Final = frozenset(_WORDED.split())
"""The members whose strings are kept if they are among `WORDS`."""

_ENUMS: Final = """
    accept accepted acp add agent allow_always allow_once answered append array assistant audio authenticated binary
    boolean cancel cancelled client closed command compaction completed content copy dark date date-time decline
    declined delete deleted diff directory edit elicitation email end_turn ended error exclude execute failed fetch
    file form git_patch high http id idle image in_progress include info initializing integer invalid items light
    loading low markdown max_tokens max_turn_requests medium message mode model model_config modify move new
    not_required notification null number object only open opening other override paused pending permission read ready
    refusal reject_always reject_once request requires_action resource resource_link running saved search select
    selected session sse start stdio string subagent success switch_mode symlink terminal text think thought
    thought_level tool_call unannounced unanswered unauthenticated unknown uri url user warning write
"""
_FORMATS: Final = """
    application/json application/pdf audio/mpeg audio/ogg audio/wav image/gif image/jpeg image/png image/svg+xml
    image/webp text/css text/html text/javascript text/markdown text/plain text/x-python
"""
_REST: Final = """
    acp-state/1 CNY EUR GBP JPY USD SIGABRT SIGALRM SIGHUP SIGINT SIGKILL SIGPIPE SIGQUIT SIGSEGV SIGTERM SIGXFSZ
"""

WORDS: Final = frozenset({*_ENUMS.split(), *_FORMATS.split(), *_REST.split(), *UPDATES[1], *UPDATES[2], *METHODS})
"""The words that are kept in `WORDED` members. Any other is replaced: what is unknown stays unknown, and the same."""

OPAQUE: Final = frozenset(("_meta", "chunkMeta", "outputMeta", "rawInput", "rawOutput"))
"""The members of which the protocol does not say what is in them: numbers and words are replaced there too."""
