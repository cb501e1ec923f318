"""`acp-state show`: the story of a recording, for a person."""

from __future__ import annotations

import argparse
import sys

from pathlib import Path
from typing import TYPE_CHECKING, Final

from . import FINE, UsageError, columns, count, require
from ._recordings import (
    add_files,
    check_dialect,
    check_output,
    each_file,
    matching,
    name_of,
    no_session,
    print_heading,
    tell_of_other_text,
)


if TYPE_CHECKING:
    from ..chronicle import Chronicle
    from ..story import Story


HELP: Final = "tell the story of a recording, in the terminal or as a page"
DESCRIPTION: Final = """\
Tells what happened in a recording, in order: turns, messages, tool calls with how they went and how
long they took, what was asked and decided, plans, terminals, usage; and what is wrong with the
recording, where it is. What an agent sent is shown, and never lets it drive the terminal."""
EPILOG: Final = """\
examples:
  acp-state show session.ndjson | less
  acp-state show session.ndjson --turn 2 --no-thoughts
  acp-state show session.ndjson --html session.html"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add_files(parser)
    parser.add_argument("--session", metavar="ID", help="this session alone")
    parser.add_argument("--turn", metavar="N", type=count, help="this turn alone, counted from 1")
    parser.add_argument("--no-thoughts", action="store_true", help="leave out what the agent thought")
    parser.add_argument("--tools-only", action="store_true", help="tool calls and what was asked alone")
    parser.add_argument("--lines", metavar="N", type=count, default=20, help="cut outputs and diffs that are longer (20; 0: never)")
    parser.add_argument("--width", metavar="COLUMNS", type=columns, help="as wide as this, not as the terminal")
    parser.add_argument("--plain", action="store_true", help="no colours, ASCII marks, Markdown as it was written")
    parser.add_argument("--html", metavar="OUTPUT", help="write one page that needs nothing else, instead; - for standard output")


def run(args: argparse.Namespace) -> int:
    """Tell the story of each file."""
    check_dialect(args.dialect)
    if args.html is not None:
        return _write_page(args)
    require("rich", "acp-state show")
    args.files = matching(args.files)
    return each_file(args.files, lambda file: _print(file, args))


def _print(file: str, args: argparse.Namespace) -> int:
    from ..story.text import Look, print_story

    story, told = _story(file, args)
    print_heading(file, args)
    print_story(story, sys.stdout, width=args.width, look=Look(plain=args.plain, lines=args.lines))
    tell_of_other_text(file, told.findings, told.ended.frame)
    return FINE


def _write_page(args: argparse.Namespace) -> int:
    require("jinja2", "acp-state show --html", "Jinja2")
    require("markdown_it", "acp-state show --html", "markdown-it-py")
    from ..story.html import page

    file, *more = matching(args.files)
    if more:
        raise UsageError("--html writes one page: give one FILE")
    if args.html != "-":
        check_output(args.html, file)
    story, told = _story(file, args)
    text = page(story, name_of(file) if file == "-" else Path(file).name)
    if args.html == "-":
        sys.stdout.write(text)
    else:
        try:
            Path(args.html).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{args.html}: {error.strerror or error}") from None
    tell_of_other_text(file, told.findings, told.ended.frame)
    return FINE


def _story(file: str, args: argparse.Namespace) -> tuple[Story, Chronicle]:
    from ..story import tell
    from ..story.telling import excerpt
    from ._chronicle import chronicle_of

    told = chronicle_of(file, args.dialect)
    story = tell(told)
    if args.session is not None and args.session not in [session.key for session in story.sessions]:
        raise no_session(file, args.session, (session.key for session in story.sessions))
    part = excerpt(story, session=args.session, turn=args.turn, thoughts=not args.no_thoughts, tools_only=args.tools_only)
    if args.turn is not None and not any(session.chapters for session in part.sessions):
        most = max((sum(chapter.number is not None for chapter in session.chapters) for session in story.sessions), default=0)
        raise UsageError(f"{name_of(file)}: no turn {args.turn}; there are {most}")
    return part, told
