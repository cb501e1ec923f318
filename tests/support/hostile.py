"""A recording in which an agent says the worst wherever it may say something that is shown."""

from __future__ import annotations

import base64
import json

from typing import Final

from .transcripts import Transcript, item, shows, text, v1, v2


TERMINAL: Final = (
    "\x1b[2J\x1b[31m\x1b]0;title\x07\x1b]8;;http://example.test\x1b\\link\x1b]8;;\x1b\\"
    "\x1bP$q\x1b\\\x1b[6n\x9b31m\x9d52;c;aGk=\x9c\x90q\x9c"
    "\r\b\x00\x7f\x85\x0b\x0c\u2028\u2029\u202e\u2066\u200f\ufeff\U000e0041\x1b"
)
"""What drives a terminal, and what turns text around or hides in it."""

SPELLED: Final = "&#27;[31m &#x1b;[0m &#x202e; &#155; &rlm; &ZeroWidthSpace; [a](http://e.test/%1b%5B31m) <http://e.test/%e2%80%ae>"
"""The same, as Markdown spells it."""

PAGE: Final = (
    "</script><script>window.hacked = 1</script></style><style>*{display:none}</style>"
    "<img src=x onerror='window.hacked = 1'>\"'><svg onload=window.hacked=1><!--"
    "<iframe src=javascript:alert(1)></iframe><base href=http://e.test/><meta http-equiv=refresh content=0;url=http://e.test/>"
    "{{ 7 * 7 }}{% raw %}"
)
"""What would act in a page."""

MARKDOWN: Final = (
    "[a](javascript:window.hacked=1) [b](JaVaScRiPt&colon;window.hacked=1) [c](data:text/html,<script>1</script>) [d](vbscript:x)\n\n"
    "[e](java\tscript:1) [f]( javascript:1 ) <javascript:window.hacked=1> [g](file:///etc/passwd) [h](//e.test/x) [i](/x) [j](#item-1)\n\n"
    "![picture](http://e.test/track.png) ![picture](data:image/svg+xml;base64,PHN2Zy8+)\n\n"
    '[k]: javascript:1 "title"\n\n[k] <a href="javascript:1">l</a> <script>window.hacked=1</script>\n\n'
    '```" onmouseover="window.hacked=1\ncode\n```\n\n'
    '[fine](https://e.test/?q=%22%3E "\\" onclick=\\"window.hacked=1")\n\n'
    "| a | b |\n| - | - |\n| <script>window.hacked=1</script> | [x](javascript:1) |\n\n"
)
"""What would act in a page that believes Markdown."""

ALL: Final = f"{TERMINAL}\n\n{SPELLED}\n\n{PAGE}\n\n{MARKDOWN}"


def hostile(evil: str = ALL, *, version: int = 1) -> bytes:
    """Return a recording that has *evil* in each place that an agent fills."""
    talk = (v1 if version == 1 else v2)(evil, modes={"currentModeId": evil, "availableModes": [{"id": evil, "name": evil}]})
    about = {"name": evil, "title": evil, "version": evil}
    talk.initialize(version, **({"agentInfo": about} if version == 1 else {"info": about}))
    talk.prompt(evil, evil)
    if version == 2:
        talk.user_message(evil, evil).state("running")
    _messages(talk, evil)
    _tools(talk, evil, version)
    _questions(talk, evil, version)
    _facts(talk, evil)
    if version == 1:
        talk.ends(evil, evil)
    else:
        talk.state("idle", stopReason=evil)
    talk.client_asks("n", "session/new", cwd=evil).agent_fails("n", message=evil, data={evil: evil})
    talk.load("l").agent_fails("l", message=evil)
    talk.agent_says(evil, "outside", session=f"other {evil}")
    raw = evil.replace("\n", " ").encode()
    talk.line(raw).line(b'{"' + raw).line(json.dumps({evil: evil})).line(b"\x1b[31m\xff\xfe\x9b")
    return b"".join(line + b"\n" for line in talk.lines("jsonrpc"))


def _messages(talk: Transcript, evil: str) -> None:
    talk.agent_thinks(evil, "thought").agent_says(evil, "said")
    talk.agent_says({"type": evil, evil: evil}, "unknown")
    talk.agent_says({"type": "image", "mimeType": evil, "data": evil, "uri": evil}, "image")
    talk.agent_says({"type": "image", "mimeType": "image/png", "data": f'aGk="{evil}'}, "picture")
    talk.agent_says({"type": "image", "mimeType": "image/svg+xml", "data": base64.b64encode(b"<svg onload='x'/>").decode()}, "svg")
    talk.agent_says({"type": "resource_link", "uri": evil, "name": evil, "title": evil, "description": evil}, "link")
    talk.agent_says({"type": "resource_link", "uri": "javascript:window.hacked=1", "name": "n"}, "script")
    talk.agent_says({"type": "resource", "resource": {"uri": evil, "text": evil}}, "resource")
    talk.agent_says({"type": "resource", "resource": {"uri": evil, "blob": evil, "mimeType": evil}}, "blob")


def _tools(talk: Transcript, evil: str, version: int) -> None:
    fields = {"kind": evil, "status": evil, "rawInput": {evil: [evil]}, "rawOutput": evil, "locations": [{"path": evil}]}
    call = "tool_call" if version == 1 else "tool_call_update"
    talk.update(call, toolCallId=evil, title=evil, name=evil, **fields)
    diff = {"type": "diff", "path": evil, "oldText": evil, "newText": f"{evil} {evil}"}
    if version == 2:
        change = {"operation": evil, "path": evil, "oldPath": evil}
        diff = {"type": "diff", "changes": [change], "patch": {"format": "git_patch", "text": evil}}
        talk.tool_chunk("plain", {**diff, "patch": {"format": evil, "text": evil}})
        output = base64.b64encode(evil.encode()).decode()
        talk.update("terminal_update", terminalId=evil, command=evil, cwd=evil, output={"data": output}, exitStatus={"signal": evil})
        talk.update("terminal_update", terminalId=f"alone {evil}", command=evil, output={"data": output})
    else:
        talk.update("tool_call_update", toolCallId="t", _meta={"terminal_info": {"terminal_id": evil}})
        talk.update("tool_call_update", toolCallId="t", _meta={"terminal_output": {"terminal_id": evil, "data": evil}})
        talk.update("tool_call_update", toolCallId="t", _meta={"terminal_exit": {"terminal_id": evil, "signal": evil}})
    talk.tool_update(evil, content=[item(evil), diff, shows(evil), {"type": "content", "content": text(evil)}, {"type": evil, evil: evil}])


def _questions(talk: Transcript, evil: str, version: int) -> None:
    options = [{"optionId": evil, "name": evil, "kind": evil}]
    for number, answer in enumerate((evil, "none")):
        if version == 1:
            talk.permission(f"p{number} {evil}", evil, options)
        else:
            subject = {"type": "command", "command": evil} if number else {"type": evil, evil: evil}
            talk.permission_v2(f"p{number} {evil}", evil, description=evil, subject=subject, options=options)
        talk.selects(f"p{number} {evil}", answer)
    talk.form("form", {evil: {"type": "string", "title": evil, "description": evil}}, message=evil).replies("form", content={evil: evil})
    talk.url("url", evil, url=evil, message=evil).client_fails("url", message=evil, data=evil)
    talk.form("odd", evil, mode=evil, message=evil)


def _facts(talk: Transcript, evil: str) -> None:
    talk.update("plan", entries=[{"content": evil, "priority": evil, "status": evil}])
    for plan in ({"type": "markdown", "content": evil}, {"type": "file", "uri": evil}, {"type": evil, evil: evil}):
        talk.update("plan_update", plan={"planId": f"{evil} {plan['type']}", **plan})
    talk.update("session_info_update", title=evil, updatedAt=evil)
    talk.update("usage_update", used=2**70, size=1, cost={"amount": 1e300, "currency": evil})
    talk.update("notice", severity=evil, title=evil, description=evil)
    talk.update("compaction_update", compactionId=evil, status=evil, error=evil, content=[text(evil)])
    talk.update("subagent_update", sessionId=f"child {evil}", title=evil, description=evil, state={"state": evil})
    talk.update("current_mode_update", currentModeId=f"another {evil}")
    talk.update(evil, **{evil: evil})
    talk.agent_tells(evil, **{evil: evil}).agent_asks("x", evil, a=evil).agent_asks_session("f", "fs/read_text_file", path=evil)
