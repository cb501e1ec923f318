"""The work on one frame: what it has brought so far, and what the normalizer then remembers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._json import EMPTY, FrozenDict, Json, encode
from .._model import UNSET, replace
from ..diagnostics import Diagnostic
from ..events import Event
from ..frames import Frame, Sender
from ..protocol.lenient import read
from ..protocol.marks import MetaObject
from ..protocol.values import MalformedError, Path, Problem
from .wire import Wire


# Who may say what is a matter of the version: in 2 any word may come, in 1 a tag may be missing.
_ONLY_IN_1 = frozenset(("unknown-value", "unknown-variant"))
_ONLY_IN_2 = frozenset(("missing-discriminator",))


class Context:
    """Collects the events and diagnostics of one frame. Lives as long as the call to `normalize`."""

    __slots__ = ("diagnostics", "events", "frame", "method", "part", "sender", "session_id", "wire")

    def __init__(self, wire: Wire, frame: Frame, sender: Sender) -> None:
        self.wire: Wire = wire
        self.frame: Frame = frame
        self.sender: Sender = sender
        self.method: str | None = frame.method
        self.part = "params" if frame.kind in ("request", "notification") else "error" if frame.kind == "error" else "result"
        self.session_id: str | None = None
        self.events: list[Event] = []
        self.diagnostics: list[Diagnostic] = []

    @property
    def version(self) -> int:
        """The protocol version that the frame is read as."""
        return self.wire.version

    @property
    def id(self) -> Json:
        """The id of the frame, `None` if the recording has none."""
        return None if self.frame.id is UNSET else self.frame.id

    def emit(self, event: Event) -> None:
        """Add *event*."""
        self.events.append(event)

    def remember(self, **changes: Any) -> None:
        """Change the normalizer's memory."""
        self.wire = replace(self.wire, **changes)

    def report(self, code: str, message: str, path: Path | None = None, subject: str | None = None) -> None:
        """Add a diagnostic; *path* leads to the place in the payload, *subject* is by default what the frame is about."""
        pointer = None if path is None else _pointer((self.part, *path))
        subject = subject or self._subject()
        self.diagnostics.append(Diagnostic(code, message, self.frame.line, None, self.session_id, self.method, pointer, subject))

    def _subject(self) -> str | None:
        """Return the frame's id, as JSON, or its kind of update."""
        id, params = self.frame.id, self.frame.payload
        if id is not UNSET:
            return format_id(id)
        update = params.get("update") if self.part == "params" and isinstance(params, Mapping) else None
        kind = update.get("sessionUpdate") if isinstance(update, Mapping) else None
        return kind if isinstance(kind, str) else None

    def report_problems(self, problems: Iterable[Problem], *path: str | int) -> None:
        """Report what was tolerated in the value that *path* leads to."""
        for problem in problems:
            self._report_problem(problem.code, problem.message, (*path, *problem.path), missing=problem.missing)

    def _report_problem(self, code: str, message: str, path: Path, *, missing: bool) -> None:
        if code in (_ONLY_IN_2 if self.version == 1 else _ONLY_IN_1):
            return
        if self.frame.partial and (missing or self._is_placeholder(path)):
            return  # the recording has a wildcard there (SPEC 3)
        name = path[-1] if path else self.part
        self.report(code, f"{name}: {message}", path)

    def _is_placeholder(self, path: Path) -> bool:
        """Whether a word in angle brackets stands where *path* leads."""
        value: Json = self.frame.payload
        for step in path:
            try:
                value = value[step]
            except (LookupError, TypeError):
                return False
        return isinstance(value, str) and value.startswith("<") and value.endswith(">")

    def read(self, form: Any, raw: Json, *path: str | int, code: str = "malformed") -> Any:
        """Read *raw*, the value that *path* leads to, as a *form* of the protocol; `None` with an error (*code*) if it is malformed."""
        try:
            value, problems = read(form, raw)
        except MalformedError as error:
            self._report_problem(code, error.message, (*path, *error.path), missing=error.missing)
            return None
        self.report_problems(problems, *path)
        return value

    def read_member(self, form: Any, fields: Mapping[str, Json], name: str, *path: str, code: str = "malformed") -> Any:
        """Read the member *name* of *fields*; `None` with an error (*code*) if it is missing or malformed."""
        if name in fields:
            return self.read(form, fields[name], *path, name, code=code)
        self._report_problem(code, "is missing", (*path, name), missing=True)
        return None

    def read_object(self, raw: Json) -> Mapping[str, Json]:
        """Return *raw* if it is an object, else an empty one: absent is, anything else is an error."""
        if isinstance(raw, Mapping):
            return raw
        if raw is not UNSET and raw is not None:
            self.report("unreadable-field", f"{self.part}: an object is wanted", ())
        return EMPTY

    def read_message(self, form: Any, raw: Json) -> Any:
        """Read the object that the frame carries as a `Message`: what cannot be read of it is absent, with an error."""
        return self.read(form, self.read_object(raw))

    def read_meta(self, raw: Mapping[str, Json], *path: str) -> FrozenDict | None:
        """Return the `_meta` of *raw*, if it has one."""
        meta = raw.get("_meta")
        if meta is None:
            return None
        if not isinstance(meta, Mapping):
            self.report("malformed-meta", "_meta: an object is wanted", (*path, "_meta"))
            return None
        found: FrozenDict | None = self.read(MetaObject, meta, *path, "_meta")
        return found


def format_id(id: Json) -> str:
    """Return a JSON-RPC id as a person reads it: as it is on the wire."""
    try:
        return encode(id).decode()
    except (TypeError, ValueError):
        return repr(id)


def _pointer(path: Path) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
