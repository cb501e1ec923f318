"""Requests that nobody will answer: another one took their id, or a new connection began (SPEC 3, 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .. import events as e
from .._json import EMPTY
from .correlate import close
from .draft import Draft, shown
from .wire import SETUPS, Asked


def given_up(draft: Draft, asked: Asked, *, taken_over: bool = False) -> None:
    """Emit what becomes of what *asked* had begun. *taken_over*: the request that now opens under its id closes it."""
    if taken_over:
        draft.wire = draft.wire.without(asked)
    else:
        close(draft, asked)
    GIVING_UP.get(asked.method, _extension)(draft, asked)


def all_forgotten(draft: Draft) -> None:
    """Give up every open request. Prompts first: the questions of their turns are then nobody's."""
    by_age = list(draft.wire.open)
    for asked in sorted(by_age, key=lambda request: request.method != "session/prompt"):
        draft.note(
            "request-forgotten",
            f"{asked.method} of the {asked.sender} with id {shown(asked.id)} was open",
            subject=f"{asked.sender} {shown(asked.id)}",
        )
        given_up(draft, asked)


def _prompt(draft: Draft, asked: Asked) -> None:
    if asked.session_id is None:
        return
    if asked.waits:
        draft.emit(e.PromptRejected(asked.session_id, asked.key, EMPTY))
    else:
        draft.emit(e.PromptAnswered(asked.session_id, asked.key, failed=True))


def _question(draft: Draft, asked: Asked) -> None:
    draft.emit(e.QuestionLapsed(asked.session_id, asked.key))


def _setup(draft: Draft, asked: Asked) -> None:
    if draft.frame.method in SETUPS and draft.session_id == asked.session_id:
        return  # the one that takes its id takes its place
    if asked.session_id is not None:
        draft.emit(e.SessionSetupFailed(asked.session_id, newest=draft.wire.is_newest_setup(asked)))


def _file(draft: Draft, asked: Asked) -> None:
    if asked.session_id is not None:
        draft.emit(e.FileAnswered(asked.session_id, asked.key, "failed"))


def _extension(draft: Draft, asked: Asked) -> None:
    # Nothing is under that key for a method of the protocol's that had begun nothing.
    draft.emit(e.ExtensionAnswered(asked.session_id, (asked.sender, asked.key), "failed"))


GIVING_UP: Final[Mapping[str, Callable[[Draft, Asked], None]]] = {
    "session/prompt": _prompt,
    "session/request_permission": _question,
    "elicitation/create": _question,
    "session/elicitation": _question,
    "session/load": _setup,
    "session/resume": _setup,
    "fs/read_text_file": _file,
    "fs/write_text_file": _file,
}
