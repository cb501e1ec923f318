"""Fold Agent Client Protocol traffic, of either version, into one immutable session state.

    from acp_state import fold, dumps

    folded = fold("session.ndjson")
    print(dumps(folded))

What is in `__all__` is public, and so are the modules named there with all that their own docstrings
tell of. Each name is imported when it is first used: `import acp_state` itself costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final


if TYPE_CHECKING:
    from . import changes, compare, events, golden, normalize, queries, reduce, state
    from ._model import UNSET
    from .change_json import changes_to_json
    from .changes import Change, apply
    from .diagnostics import CATALOGUE, Diagnostic
    from .diffing import diff
    from .document import dumps, loads, to_document
    from .errors import AcpStateError, DocumentError, ForeignChangesError, GoldenError, StoreClosedError, UnknownDialectError
    from .event_json import event_to_json
    from .folded import Folded, Tally
    from .folding import fold
    from .frames import Frame
    from .schema import document_schema
    from .state import Session, Snapshot
    from .store import Store, Update
    from .tracing import Step, entry_steps, trace

__all__ = [
    "CATALOGUE",
    "UNSET",
    "AcpStateError",
    "Change",
    "Diagnostic",
    "DocumentError",
    "Folded",
    "ForeignChangesError",
    "Frame",
    "GoldenError",
    "Session",
    "Snapshot",
    "Step",
    "Store",
    "StoreClosedError",
    "Tally",
    "UnknownDialectError",
    "Update",
    "apply",
    "changes",
    "changes_to_json",
    "compare",
    "diff",
    "document_schema",
    "dumps",
    "entry_steps",
    "event_to_json",
    "events",
    "fold",
    "golden",
    "loads",
    "normalize",
    "queries",
    "reduce",
    "state",
    "to_document",
    "trace",
]

_HOME: Final = {
    "CATALOGUE": "diagnostics",
    "UNSET": "_model",
    "AcpStateError": "errors",
    "Change": "changes",
    "Diagnostic": "diagnostics",
    "DocumentError": "errors",
    "Folded": "folded",
    "ForeignChangesError": "errors",
    "Frame": "frames",
    "GoldenError": "errors",
    "Session": "state",
    "Snapshot": "state",
    "Step": "tracing",
    "Store": "store",
    "StoreClosedError": "errors",
    "Tally": "folded",
    "UnknownDialectError": "errors",
    "Update": "store",
    "apply": "changes",
    "changes_to_json": "change_json",
    "diff": "diffing",
    "document_schema": "schema",
    "dumps": "document",
    "entry_steps": "tracing",
    "event_to_json": "event_json",
    "fold": "folding",
    "loads": "document",
    "to_document": "document",
    "trace": "tracing",
}
"""In which module a name is; a name of `__all__` that is not here is a module itself."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    home = _HOME.get(name)
    value = import_module(f".{name}", __name__) if home is None else getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
