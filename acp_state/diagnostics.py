"""Diagnostics: what was wrong with a recording, as values beside the snapshot.

The catalogue below is complete: no other code is ever given (SPEC 6).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from ._model import Part, replace


Severity: TypeAlias = Literal["error", "warning", "info"]


class Code(Part, frozen=True):
    """An entry of the catalogue."""

    name: str
    severity: Severity
    """`error`: data was lost or a must was broken; `warning`: it was tolerated; `info`: good to know."""
    sentence: str
    refuses: bool = False
    """Whether the frame changed nothing for it."""


def _catalogue(*codes: Code) -> dict[str, Code]:
    return {code.name: code for code in codes}


CATALOGUE: Final[dict[str, Code]] = _catalogue(
    # reading
    Code("not-json", "error", "A line is not JSON."),
    Code("bad-encoding", "error", "A line is not valid UTF-8."),
    Code("torn-line", "error", "The last line ends too soon; it is kept until more comes."),
    Code("line-too-long", "error", "A line is longer than the limit."),
    Code("too-deep", "error", "A value is nested deeper than the limit."),
    Code("broken-value", "error", "A value over several lines is not JSON; its lines were read one by one."),
    Code("torn-archive", "error", "The compressed file is damaged or ends too soon."),
    Code("not-a-frame", "warning", "A JSON value is no record that a dialect knows."),
    Code("invalid-message", "error", "A record's message is not JSON-RPC.", refuses=True),
    # correlating
    Code("unmatched-answer", "warning", "An answer belongs to no open request.", refuses=True),
    Code("orphan-answer", "info", "An answer's request was not recorded; what it says was used."),
    Code("ambiguous-sender", "warning", "Both sides may have sent a message; one was chosen."),
    Code("id-reused", "error", "A request took the id of one that was open; that one was given up."),
    Code("stale-page", "warning", "A page belongs to a list of sessions that was replaced since it was asked for.", refuses=True),
    Code("unmatched-cancel", "warning", "A $/cancel_request names no open request of its sender.", refuses=True),
    Code("new-connection", "info", "The client initialized again; sessions stay."),
    Code("request-forgotten", "warning", "A request was open when a new connection began."),
    Code("notification-with-id", "warning", "A notification was sent as a request, with an id; it says the same, and may be answered."),
    # versions
    Code("version-unsupported", "error", "The agent answered a protocol version that is neither 1 nor 2."),
    Code("version-unreadable", "error", "The agent's protocol version could not be read."),
    Code("version-shape", "warning", "The agent answered version 2 in the shape of version 1; read as 1."),
    Code("other-version", "warning", "A message belongs to the other protocol version; folded by that one's rules."),
    # decoding
    Code("malformed", "error", "A message does not have the form that its schema demands.", refuses=True),
    Code("unreadable-field", "error", "A field of a request or an answer could not be read; it counts as absent."),
    Code("malformed-field", "warning", "A field has the wrong form; it counts as absent, as its schema says."),
    Code("skipped-item", "warning", "An item of a list has the wrong form; it was left out, as its schema says."),
    Code("malformed-meta", "warning", "A _meta is no object; it counts as absent."),
    Code("missing-message-id", "error", "A chunk has no messageId, which version 2 demands."),
    Code("missing-discriminator", "info", "A union member does not say what it is; read as version 1 reads it."),
    Code("unknown-value", "warning", "A word is not one of those that version 1 knows; kept as sent."),
    Code("unknown-variant", "warning", "A variant is not one of those that version 1 knows; kept as sent."),
    Code("unknown-update", "info", "An update is of a kind that nobody knows; kept as sent."),
    Code("field-alias", "warning", "A field has an older or another name than the schema's."),
    # sessions and turns
    Code("closed-session", "warning", "A message came for a session that is closed or deleted.", refuses=True),
    Code("unknown-session", "warning", "A message is about a session that nobody knows.", refuses=True),
    Code("unannounced-session", "info", "A message named a session that no answer had announced."),
    Code("replay-in-resume", "warning", "The agent replayed history although a plain resume brings none."),
    Code("late-update", "info", "A message went on after its turn had ended."),
    Code("unknown-turn", "warning", "A turn's end was reported that had no beginning.", refuses=True),
    # tool calls and terminals
    Code("unannounced-call", "warning", "A tool call was updated that was never introduced."),
    Code("status-regression", "warning", "A finished tool call went back to an unfinished status."),
    Code("call-id-reused", "warning", "A new tool call has the id of a finished one of an earlier turn."),
    Code("unknown-target", "warning", "A cancel or an answer is about a tool call or terminal that nobody knows.", refuses=True),
    Code("repeated-output", "info", "A terminal's output began with all of the output so far; it replaced it."),
    # questions
    Code("invalid-answer", "error", "The answer to a question is not of the protocol's form; it is no approval."),
    Code("option-not-offered", "warning", "A permission was answered with an option that was not offered; it is no approval."),
    Code("invalid-schema", "warning", "The schema of a form is not that of an object."),
    Code("form-mismatch", "warning", "A form's content does not fit its schema."),
    Code("repeated-completion", "info", "An elicitation was completed that was unknown, or completed already.", refuses=True),
    # bounds
    Code("more-diagnostics", "warning", "More kinds of diagnostics came than are kept apart; these were only counted."),
)
"""Every code that a diagnostic may have, by its name."""


class Diagnostic(Part, frozen=True):
    """One finding, or several of one kind about one subject (*count*, then the place is that of the first).

    *line* and *frame* count from 1. *pointer* is a JSON pointer (RFC 6901) into the frame's message.
    *subject* is the id of the entity that it is about, if it is about one.
    """

    code: str
    message: str
    line: int | None = None
    frame: int | None = None
    session_id: str | None = None
    method: str | None = None
    pointer: str | None = None
    subject: str | None = None
    count: int = 1

    @property
    def severity(self) -> Severity:
        """`error`, `warning` or `info`."""
        return CATALOGUE[self.code].severity

    @property
    def refuses(self) -> bool:
        """Whether its frame changed nothing."""
        return CATALOGUE[self.code].refuses


MAX_SUBJECTS: Final = 20
"""How many subjects of one code are kept apart in a session: an agent that breaks one call breaks all."""

MAX_FINDINGS: Final = 1000
"""How many findings are kept apart in all: a broken recording must not fill the memory."""


class Findings:
    """Collects diagnostics; repeats of one code for one subject are counted (SPEC 6)."""

    def __init__(self, findings: Iterable[Diagnostic] = ()) -> None:
        self._found: dict[tuple[str | None, ...], Diagnostic] = {}
        self._subjects: dict[tuple[str | None, ...], int] = {}
        self.errors: int = 0
        """How many of the findings are errors."""
        self.added: int = 0
        """How many there were, repeats included."""
        for finding in findings:
            self.add(finding)

    def add(self, finding: Diagnostic) -> None:
        """Add *finding*."""
        self.added += 1
        self.errors += finding.severity == "error"
        kind = (finding.code, finding.session_id)
        # What is wrong with a line, and not with a message, is about that line.
        line = str(finding.line) if finding.method is None else None
        subject: tuple[str | None, ...] = (*kind, finding.method, _place(finding.pointer), line, finding.subject)
        if subject not in self._found:
            count = self._subjects.get(kind, 0)
            if count >= MAX_SUBJECTS:
                subject = kind
            elif len(self._found) < MAX_FINDINGS:
                self._subjects[kind] = count + 1
            else:
                finding = Diagnostic("more-diagnostics", f"the first: {finding.message}", finding.line, finding.frame)
                subject = (finding.code,)
        before = self._found.get(subject)
        self._found[subject] = finding if before is None else replace(before, count=before.count + finding.count)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(list(self._found.values()))

    def __len__(self) -> int:
        return len(self._found)


def _place(pointer: str | None) -> str | None:
    """A pointer without positions in lists."""
    if pointer is None or not any(part.isdigit() for part in pointer.split("/")):
        return pointer
    return "/".join("*" if part.isdigit() else part for part in pointer.split("/"))


MAX_EXCERPT: Final = 60
"""How many characters of a broken line a message shows."""


def excerpt(text: str | bytes) -> str:
    """Return the beginning of *text* in quotes, on one line; what is not printable is escaped (SPEC 8)."""
    start = text[: MAX_EXCERPT * 4]
    shown = start.decode("utf-8", "backslashreplace") if isinstance(start, bytes) else start
    more = "..." if len(text) > len(start) or len(shown) > MAX_EXCERPT else ""
    return f"'{''.join(map(_printable, shown[:MAX_EXCERPT]))}{more}'"


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
