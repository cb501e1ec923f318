"""`redact`: a copy of a recording that can be shown to others (SPEC 8).

What stays, because the protocol itself says it (the lists are in `words`):

| what | where |
| --- | --- |
| names of members | of the protocol and of our document; others become names like any text |
| words: kinds of update, content, tool, option; statuses, stop reasons, modes of forms, roles, ... | in the members that have such words; only words that are known |
| methods | those of the protocol |
| numbers: usage, costs, sizes, lines, exit and error codes, versions, ids of requests | in those members, where the protocol knows what is in them; other numbers are replaced |
| `true`, `false`, `null`, empty strings, the shape and order of objects and arrays | everywhere |
| times | as seconds from the start |
| blanks and line breaks | in texts, and in contents after their first characters |

What stands for the rest (`texts`): texts that come in pieces are masked, character by character, so
no secret is hidden worse for being cut; all other strings become names, the same wherever they stand.
So it can be told how long texts and contents are and where their words and lines end; which ids,
paths, titles and contents are equal; and of a character outside ASCII how many bytes it has. Lines
that are no message, and whatever a recording format has besides messages, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .._model import replace
from ..diagnostics import Diagnostic
from ..folded import Folded
from ..folding import Fold, Source, items_of
from ..frames import Frame, Sender
from ..normalize.correlate import infer_sender
from ..reading.reader import Reader
from .documents import redact_document
from .frames import redact_frame


__all__ = ["redact", "redact_document", "redact_frame"]


def redact(
    source: Source, salt: bytes, *, dialect: str | None = None, found: Callable[[Diagnostic], object] = lambda _: None
) -> Iterator[Frame | None]:
    """Yield what stands for each frame of *source*, and `None` for what is no message; arguments as for `fold`.

    *salt* keys the hash of names: at most 64 bytes. With the same one, what is equal in two recordings
    becomes equal; whoever knows it can find out whether a name stands for a given text. A frame has the
    sender that it is taken to have, also where the recording says none. *found* is called with why a line
    is no message; that is not redacted.
    Raises `OSError` for a path that cannot be read, `UnknownDialectError`.
    """
    before, shown = Fold(), Fold()
    for item in items_of(source, Reader(dialect)):
        if isinstance(item, Diagnostic):
            found(item)
            yield None
            continue
        redacted = redact_frame(item, salt, _so_far(before), _so_far(shown))
        if redacted is not None:
            redacted = replace(redacted, sender=_sender(before, item))
            before.take(item)
            shown.take(redacted)
        yield redacted


def _sender(before: Fold, frame: Frame) -> Sender | None:
    return frame.sender if frame.kind == "exit" else infer_sender(before.wire, frame)[0]


def _so_far(work: Fold) -> Folded:
    return Folded(work.snapshot, work.wire)
