"""`acp-state trace`: what each frame of a recording changed."""

from __future__ import annotations

import argparse
import sys

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from . import FINE, UsageError, _steps
from ._colours import Paint
from ._recordings import check_dialect, each_file, matching, name_of, print_heading, tell_of_other_text


if TYPE_CHECKING:
    from ..changes import Change
    from ..state import Entry, Snapshot
    from ..tracing import Step


HELP: Final = "print what each frame of a recording changed"
DESCRIPTION: Final = """\
Reads a recording and prints for each frame its number, line and time, who sent it, its method (of an
answer, that of the request), what it changed in the state, and what was wrong with it."""
EPILOG: Final = """\
Paths are JSON pointers into the state document. With --entry only the frames are printed that made or
changed one entry of a timeline, and only that of what they did: a message or tool call by its id, a
permission or question by that of its request, or any entry by its place, like @0 for the first.

examples:
  acp-state trace session.ndjson
  acp-state trace session.ndjson --entry call-1
  acp-state trace session.ndjson --session s-1 --format json | jq -c 'select(.diagnostics)'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    _steps.add_arguments(parser)
    parser.add_argument("--entry", metavar="ID", help="how this entry of a timeline came to be")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="as text (the default) or as JSON lines")


def run(args: argparse.Namespace) -> int:
    """Print the steps of each file."""
    check_dialect(args.dialect)
    args.files = matching(args.files)
    args.paint = Paint(sys.stdout)
    return each_file(args.files, lambda file: _run(file, args))


def _run(file: str, args: argparse.Namespace) -> int:
    from ..diagnostics import Findings

    view = _Text(file, args) if args.format == "text" else _Json(file, args)
    frames = 0
    found = Findings()
    after: Snapshot | None = None
    try:
        for step in _wanted(file, args):
            frames += step.number is not None
            after = step.after
            for finding in step.diagnostics:
                found.add(finding)
            object_ = _object(step, args)
            if object_ is not None:
                view.print(object_)
    finally:
        view.end()
    if args.entry is not None and not view.printed:
        raise UsageError(f"{name_of(file)}: no entry {args.entry!r}; {_entries_of(after, args)}")
    tell_of_other_text(file, found, frames)
    return FINE


_NAMED: Final = 10
"""How many entries are named where one that is asked for is not there."""


def _entries_of(snapshot: Snapshot | None, args: argparse.Namespace) -> str:
    """Say which entries with an id there are."""
    sessions = () if snapshot is None else snapshot.sessions.values()
    asked = [session for session in sessions if args.session in (None, session.id)]
    ids = list(dict.fromkeys(str(entry.id) for session in asked for entry in session.timeline if entry.id is not None))
    more = f", and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"there are: {', '.join(map(repr, ids[:_NAMED]))}{more}" if ids else "none has an id; @PLACE names one by where it stands"


def _wanted(file: str, args: argparse.Namespace) -> Iterator[Step]:
    """Yield the steps of a recording; of an entry that is named by its place, those that it came to be by."""
    steps = _steps.steps_of(file, args, told=args.session is None and args.entry is None)
    place = _place(args)
    if place is None:
        return steps
    from ..tracing import entry_steps

    try:
        return entry_steps(steps, place=place, session_id=args.session)
    except LookupError as error:
        raise UsageError(f"{name_of(file)}: {error.args[0]}") from None


def _place(args: argparse.Namespace) -> int | None:
    """Return the place that `--entry` names, `None` if it is an id."""
    place = (args.entry or "").removeprefix("@")
    return int(place) if place.isascii() and place.isdigit() and args.entry.startswith("@") else None


def _object(step: Step, args: argparse.Namespace) -> dict[str, Any] | None:
    """Return what is printed of *step*, as JSON; `None` if nothing is."""
    from ..change_json import changes_to_json
    from ..findings import to_object

    changes = [change for change in step.changes if _is_wanted(change, args)]
    findings = [finding for finding in step.diagnostics if args.session in (None, finding.session_id)]
    if not changes and (args.entry is not None or (args.session is not None and not findings)):
        return None
    object_ = _steps.place_of(step)
    if step.frame is not None:
        object_ |= {name: value for name, value in (("from", step.sender), ("kind", step.frame.kind)) if value is not None}
        if isinstance(step.frame.id, (str, int, float)) or step.frame.id is None:
            object_["id"] = step.frame.id
        if step.method is not None:
            object_["method"] = step.method
    if changes:
        object_["changes"] = changes_to_json(changes, step.after)
    if findings:
        object_["diagnostics"] = [to_object(finding) for finding in findings]
    return object_


def _is_wanted(change: Change, args: argparse.Namespace) -> bool:
    from ..changes import EntryAdded, EntryChanged, HistoryReplaced, SessionAdded, TextAppended

    if args.session is not None and getattr(change, "session_id", None) != args.session:
        return False
    if args.entry is None:
        return True
    if isinstance(change, (EntryAdded, EntryChanged, TextAppended)):
        return _is_named(change.entry, args)
    if isinstance(change, (HistoryReplaced, SessionAdded)):
        holder = change.history if isinstance(change, HistoryReplaced) else change.session
        return any(_is_named(entry, args) for entry in holder.timeline)
    return False


def _is_named(entry: Entry, args: argparse.Namespace) -> bool:
    """Whether `--entry` is the id of *entry*, as text or as JSON; of the steps of a place all is wanted."""
    from ..printing import json_text

    return entry.id == args.entry or (not isinstance(entry.id, str) and json_text(entry.id) == args.entry) or _place(args) is not None


# --- printing --------------------------------------------------------------------------------------


class _Json:
    """Prints steps as JSON lines."""

    def __init__(self, file: str, args: argparse.Namespace) -> None:
        self.printed = False
        self._file = file
        self._args = args

    def print(self, object_: dict[str, Any]) -> None:
        """Print one."""
        from ..printing import json_text

        self.printed = True
        sys.stdout.write(json_text(_steps.of_file(object_, self._file, self._args)) + "\n")

    def end(self) -> None:
        """There are no more."""


class _Text:
    """Prints steps as text, and lines that are no frames for one reason as one, if more than a few follow each other."""

    def __init__(self, file: str, args: argparse.Namespace) -> None:
        self.printed = False
        self._file = file
        self._args = args
        self._alike: list[dict[str, Any]] = []
        """Of lines that are no frames the first few; after these the last one."""
        self._number = 0
        """How many lines that are."""

    def print(self, object_: dict[str, Any]) -> None:
        """Print one, at once or with those like it."""
        from ..findings import FEW

        if not self.printed:
            print_heading(self._file, self._args)
        self.printed = True
        code = _code_of_line(object_)
        if self._alike and _code_of_line(self._alike[0]) != code:
            self.end()
        if code is None:
            self._write(object_)
            return
        self._number += 1
        self._alike[FEW:] = [object_]

    def end(self) -> None:
        """Print what is left."""
        from ..findings import FEW

        if self._number > FEW:
            first, last = self._alike[0], self._alike[-1]
            finding = first["diagnostics"][0]
            message = f"{finding['message']} ({self._number:,} times)"
            self._write({"lines": (first["line"], last["line"]), "diagnostics": [finding | {"message": message}]})
        else:
            for object_ in self._alike:
                self._write(object_)
        self._alike.clear()
        self._number = 0

    def _write(self, object_: dict[str, Any]) -> None:
        sys.stdout.writelines(f"{line}\n" for line in _lines(object_, self._args.paint))


def _code_of_line(object_: dict[str, Any]) -> str | None:
    """Return what is wrong with the line that is all of a step; `None` if there is more to it."""
    is_line = "frame" not in object_ and "line" in object_
    return object_["diagnostics"][0]["code"] if is_line else None


def _lines(object_: dict[str, Any], paint: Paint) -> Iterator[str]:
    from ..change_text import describe_change
    from ..printing import json_text

    facts = [paint(f"{object_['frame']}", "name") if "frame" in object_ else "-"]
    facts += [paint(f"line {object_['line']}", "aside")] if "line" in object_ else []
    facts += [paint("lines {}-{}".format(*object_["lines"]), "aside")] if "lines" in object_ else []
    facts += [paint(f"{object_['time']:+.3f} s", "aside")] if "time" in object_ else []
    facts += [paint(object_["from"], object_["from"])] if "from" in object_ else []
    facts += [object_["kind"]] if "kind" in object_ else []
    facts += [paint(_visible(object_["method"]), "name")] if "method" in object_ else []
    facts += [paint(f"id {_visible(json_text(object_['id']))}", "aside")] if "id" in object_ else []
    yield "  ".join(facts)
    yield from (f"    {paint.change(describe_change(change))}" for change in object_.get("changes", ()))
    for finding in object_.get("diagnostics", ()):
        severity = finding["severity"]
        yield f"    {paint(f'! {severity}', severity)} {finding['code']}: {_visible(finding['message'])}"


def _visible(text: str) -> str:
    from ..findings import visible

    return str(visible(text))
