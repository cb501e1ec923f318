"""The work on one frame: what it has brought so far, and what the normalizer then remembers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._json import EMPTY, FrozenDict, Json, encode
from .._model import UNSET, replace
from ..diagnostics import Diagnostic
from ..events import Event
from ..frames import Frame, Sender
from .decode import Hook, MalformedError, Path, Problem, an_object, decode
from .wire import Wire


# Who may say what is a matter of the version: in 2 any word may come, in 1 a tag may be missing.
_ONLY_IN_1 = frozenset(("unknown-value", "unknown-variant"))
_ONLY_IN_2 = frozenset(("missing-discriminator",))


class Draft:
    """Collects the events and findings of one frame. Lives as long as the call to `normalize`."""

    __slots__ = (
        "events",
        "findings",
        "frame",
        "method",
        "part",
        "sender",
        "session_id",
        "wire",
    )

    def __init__(self, wire: Wire, frame: Frame, sender: Sender) -> None:
        self.wire: Wire = wire
        self.frame: Frame = frame
        self.sender: Sender = sender
        self.method: str | None = frame.method
        self.part = "params" if frame.kind in ("request", "notification") else "error" if frame.kind == "error" else "result"
        self.session_id: str | None = None
        self.events: list[Event] = []
        self.findings: list[Diagnostic] = []

    @property
    def version(self) -> int:
        """The protocol version that the frame is read as."""
        return self.wire.version

    def emit(self, event: Event) -> None:
        """Add *event*."""
        self.events.append(event)

    def remember(self, **changes: Any) -> None:
        """Change the normalizer's memory."""
        self.wire = replace(self.wire, **changes)

    def note(
        self,
        code: str,
        message: str,
        path: Path | None = None,
        subject: str | None = None,
    ) -> None:
        """Add a finding; *path* leads to the place in the payload, *subject* is by default what the frame is about."""
        pointer = None if path is None else _pointer((self.part, *path))
        subject = subject or self._subject()
        self.findings.append(
            Diagnostic(
                code,
                message,
                self.frame.line,
                None,
                self.session_id,
                self.method,
                pointer,
                subject,
            )
        )

    def _subject(self) -> str | None:
        """The frame's id, as JSON, or its kind of update."""
        id, params = self.frame.id, self.frame.payload
        if id is not UNSET:
            return shown(id)
        update = params.get("update") if self.part == "params" and isinstance(params, Mapping) else None
        kind = update.get("sessionUpdate") if isinstance(update, Mapping) else None
        return kind if isinstance(kind, str) else None

    def problems(self, problems: Iterable[Problem], *path: str | int) -> None:
        """Add what was tolerated in the value that *path* leads to."""
        for problem in problems:
            self._problem(
                problem.code,
                problem.message,
                (*path, *problem.path),
                missing=problem.missing,
            )

    def _problem(self, code: str, message: str, path: Path, *, missing: bool) -> None:
        if code in (_ONLY_IN_2 if self.version == 1 else _ONLY_IN_1):
            return
        if self.frame.partial and (missing or self._is_placeholder(path)):
            return  # the recording has a wildcard there (SPEC 3)
        name = path[-1] if path else self.part
        self.note(code, f"{name}: {message}", path)

    def _is_placeholder(self, path: Path) -> bool:
        """Whether a word in angle brackets stands where *path* leads."""
        value: Json = self.frame.payload
        for step in path:
            try:
                value = value[step]
            except (LookupError, TypeError):
                return False
        return isinstance(value, str) and value.startswith("<") and value.endswith(">")

    def read(self, hook: Hook, raw: Json, *path: str | int, code: str = "malformed") -> Any:
        """Read *raw*, the value that *path* leads to; `None` with an error (*code*) if it is malformed."""
        try:
            value, problems = decode(hook, raw)
        except MalformedError as error:
            self._problem(code, error.message, (*path, *error.path), missing=error.missing)
            return None
        if problems:
            self.problems(problems, *path)
        return value

    def member(self, hook: Hook, fields: Mapping[str, Json], name: str, *path: str, code: str = "unreadable-field") -> Any:
        """Read the member *name* of *fields*; `None` with an error (*code*) if it is missing or malformed."""
        if name in fields:
            return self.read(hook, fields[name], *path, name, code=code)
        self._problem(code, "is missing", (*path, name), missing=True)
        return None

    def object(self, raw: Json) -> Mapping[str, Json]:
        """Return *raw* if it is an object, else an empty one: absent is, anything else is an error."""
        if isinstance(raw, Mapping):
            return raw
        if raw is not UNSET and raw is not None:
            self.note("unreadable-field", f"{self.part}: an object is wanted", ())
        return EMPTY

    def fields(self, hook: Hook, raw: Json) -> dict[str, Any]:
        """Read the object that the frame carries: what cannot be read of it is absent, with an error."""
        values: dict[str, Any] = self.read(hook, self.object(raw))
        return values

    def meta(self, raw: Mapping[str, Json], *path: str) -> FrozenDict | None:
        """Return the `_meta` of *raw*, if it has one."""
        if "_meta" not in raw or raw["_meta"] is None:
            return None
        if not isinstance(raw["_meta"], Mapping):
            self.note("malformed-meta", "_meta: an object is wanted", (*path, "_meta"))
            return None
        meta: FrozenDict | None = self.read(an_object, raw["_meta"], *path, "_meta")
        return meta


def shown(id: Json) -> str:
    """Return a JSON-RPC id as a person reads it: as it is on the wire."""
    try:
        return encode(id).decode()
    except (TypeError, ValueError):
        return repr(id)


def _pointer(path: Path) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
