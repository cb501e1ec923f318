"""Requests that nobody will answer: another one took their id, or a new connection began (SPEC 3, 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .. import events as e
from .._json import EMPTY
from .context import Context, format_id
from .correlate import close_request
from .wire import SETUPS, Asked


def abandon_request(context: Context, asked: Asked, *, taken_over: bool = False) -> None:
    """Emit what becomes of what *asked* had begun. *taken_over*: the request that now opens under its id closes it."""
    if taken_over:
        context.wire = context.wire.without(asked)
    else:
        close_request(context, asked)
    ABANDONING.get(asked.method, _abandon_extension)(context, asked)


def forget_all(context: Context) -> None:
    """Give up every open request. Prompts first: the questions of their turns are then nobody's."""
    by_age = list(context.wire.open)
    for asked in sorted(by_age, key=lambda request: request.method != "session/prompt"):
        context.report(
            "request-forgotten",
            f"{asked.method} of the {asked.sender} with id {format_id(asked.id)} was open",
            subject=f"{asked.sender} {format_id(asked.id)}",
        )
        abandon_request(context, asked)


def _abandon_prompt(context: Context, asked: Asked) -> None:
    if asked.session_id is None:
        return
    if asked.waits:
        context.emit(e.PromptRejected(asked.session_id, asked.key, EMPTY))
    else:
        context.emit(e.PromptAnswered(asked.session_id, asked.key, failed=True))


def _abandon_question(context: Context, asked: Asked) -> None:
    context.emit(e.QuestionExpired(asked.session_id, asked.key))


def _abandon_setup(context: Context, asked: Asked) -> None:
    if context.frame.method in SETUPS and context.session_id == asked.session_id:
        return  # the one that takes its id takes its place
    if asked.session_id is not None:
        context.emit(e.SetupFailed(asked.session_id, newest=context.wire.is_newest_setup(asked)))


def _abandon_file(context: Context, asked: Asked) -> None:
    if asked.session_id is not None:
        context.emit(e.FileAnswered(asked.session_id, asked.key, "failed"))


def _abandon_extension(context: Context, asked: Asked) -> None:
    # Nothing is under that key for a method of the protocol's that had begun nothing.
    context.emit(e.ExtensionAnswered(asked.session_id, (asked.sender, asked.key), "failed"))


ABANDONING: Final[Mapping[str, Callable[[Context, Asked], None]]] = {
    "session/prompt": _abandon_prompt,
    "session/request_permission": _abandon_question,
    "elicitation/create": _abandon_question,
    "session/elicitation": _abandon_question,
    "session/load": _abandon_setup,
    "session/resume": _abandon_setup,
    "fs/read_text_file": _abandon_file,
    "fs/write_text_file": _abandon_file,
}
