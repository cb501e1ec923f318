"""What `acp-state fold` does with a recording, whether it is followed or not: fold up to a place, and print."""

from __future__ import annotations

import argparse
import sys

from typing import TYPE_CHECKING, Any

from . import FINDINGS, FINE, UsageError
from ._recordings import check_read, name_of, no_session


if TYPE_CHECKING:
    from ..folded import Folded
    from ..folding import Fold
    from ..reading.reader import Reader


def take(work: Fold, recording: Any, reader: Reader, args: argparse.Namespace) -> None:
    """Have *work* fold what *reader* makes of *recording*, up to where *args* say."""
    from .._model import replace
    from ..diagnostics import Diagnostic
    from ..folding import items_of

    for item in items_of(recording, reader) if args.until != 0 else ():
        before = work.snapshot
        if isinstance(item, Diagnostic):
            work.findings.add(item)
        else:
            work.take(item)
        if work.frames == args.until or (args.strict and work.findings.errors):
            break
        if args.until_turn is not None and work.snapshot is not before and turn_ended(work.snapshot, args):
            break
    work.wire = replace(work.wire, reader=reader.state)


def check_folded(folded: Folded, file: str, args: argparse.Namespace) -> None:
    """Raise `UsageError` if there was nothing to fold, or not what was asked for."""
    # With --strict the first error is as far as it goes, be it in the first line.
    if args.start is None and args.until != 0 and code_of(folded, args) == FINE:
        check_read(file, folded, told=args.diagnostics != "none")
    if args.until_turn is not None and not turn_ended(folded.snapshot, args):
        sessions = _asked(folded.snapshot, args)
        if args.session is not None and not sessions:
            raise no_session(file, args.session, folded.snapshot.sessions)
        whose = "" if args.session is None else f" of session {args.session!r}"
        most = max((len(session.turns) for session in sessions), default=0)
        raise UsageError(f"{name_of(file)}: turn {args.until_turn}{whose} does not end in it; there are {most}")


def code_of(folded: Folded, args: argparse.Namespace) -> int:
    """Return the exit code."""
    failed = any(finding.severity == "error" for finding in folded.diagnostics)
    return FINDINGS if args.strict and failed else FINE


def turn_ended(snapshot: Any, args: argparse.Namespace) -> bool:
    """Whether the turn that `--until-turn` names is over."""
    place = args.until_turn - 1
    return any(len(session.turns) > place and session.turns[place].status != "running" for session in _asked(snapshot, args))


def _asked(snapshot: Any, args: argparse.Namespace) -> list[Any]:
    """Return the sessions among which a turn is looked for."""
    sessions = snapshot.sessions
    return [*sessions.values()] if args.session is None else [*filter(None, [sessions.get(args.session)])]


def print_tally(folded: Folded, args: argparse.Namespace) -> None:
    """Print how many frames there were, if that is asked for."""
    if args.tally:
        tally = folded.tally
        sys.stderr.write(f"frames: {tally.read} read, {tally.folded} folded, {tally.unknown} kept as unknown, {tally.refused} refused\n")


def printed(folded: Folded, file: str, args: argparse.Namespace, *, indent: int | None = 2) -> str:
    """Return the state, or the part of it that is asked for, as text."""
    if args.session is not None:
        folded = _only(folded, args.session, file)
    if args.format == "text":
        from ..render import render

        return render(folded.snapshot)
    from ..document import to_document
    from ..printing import json_text

    value = to_document(folded)
    if args.select is not None:
        value = _selected(value, args.select, file)
    if args.format == "yaml":
        from ._yaml import yaml_text

        return yaml_text(value, alone=len(args.files) == 1 and not args.follow)
    return json_text(value, indent) + "\n"


def _only(folded: Folded, session_id: str, file: str) -> Folded:
    """Return *folded* with one session: what it says of the connection stays."""
    from ..document import only

    if session_id not in folded.snapshot.sessions:
        raise no_session(file, session_id, folded.snapshot.sessions)
    return only(folded, session_id)


def _selected(value: Any, pointer: str, file: str) -> Any:
    """Return what *pointer* (RFC 6901) leads to in *value*."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        try:
            value = value[name if isinstance(value, dict) else _index(name, value)]
        except (KeyError, IndexError):
            raise UsageError(f"{name_of(file)}: the state has nothing at {pointer}") from None
    return value


def _index(name: str, value: Any) -> int:
    """Return the place in a list that *name* is; raise `IndexError` where there is none."""
    if not isinstance(value, list) or not (name.isascii() and name.isdigit()) or (len(name) > 1 and name[0] == "0"):
        raise IndexError(name)
    return int(name)
