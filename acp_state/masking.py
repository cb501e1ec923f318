r"""Masks: what is another value in every run, replaced in JSON documents so that they can be compared.

A rule is one of

* `ids`, `times`, `paths`, `versions`: what is usually volatile in a state document, see `NAMED`;
* `LABEL=/POINTER`: the values at a JSON pointer, in which `*` stands for any part of a name, `a|b` for one of
  two names and `**` for any number of names: `run=/sessions/*/_meta/runId`, `tokens=/**/usage/used|size`;
* `LABEL~REGEX`: what the regular expression finds in any text: `port~localhost:\d+`.

What a rule finds becomes `<LABEL>`. A LABEL that ends in `#` numbers what it finds by value, in the order of the
document: with `run#=…` equal values become `<run-1>`, another one `<run-2>`, so that it still shows
which are the same. The ids and paths of the named rules are numbered.

`null` and empty texts are never masked: they say that there is nothing. A text of at least five characters with a digit in
it, or a path, that was masked where a pointer led is masked as well wherever else it stands in a text as a word,
keys and diagnostics included.
"""

from __future__ import annotations

import re

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from itertools import count
from typing import Final

from attrs import frozen

from ._json import Json, key_of
from .errors import GoldenError


@frozen
class Rule:
    """What is masked, and as what."""

    label: str
    numbered: bool = False
    places: re.Pattern[str] | None = None
    """Where values are masked whole: matches their JSON pointers."""
    keys: re.Pattern[str] | None = None
    """Where the keys of an object are."""
    scalars: bool = False
    """Whether only texts and numbers are masked where *places* says, not whole objects and arrays."""
    texts: tuple[re.Pattern[str], ...] = ()
    """What is masked within any text."""


def _places(*pointers: str) -> re.Pattern[str]:
    """Return what matches JSON pointers that patterns (`*`, `**`) describe."""
    return re.compile("|".join(map(_place, pointers)))


def _place(pointer: str) -> str:
    names = (name.split("|") for name in pointer.split("/")[1:])
    return "".join("(?:/[^/]*)*" if either == ["**"] else f"/(?:{'|'.join(map(_name_like, either))})" for either in names)


def _name_like(name: str) -> str:
    return re.escape(name).replace(r"\*", "[^/]*")


_SEGMENT: Final = r"[^/\\\s\"'`<>:,;()]+"

NAMED: Final = {
    "ids": Rule(
        "id",
        numbered=True,
        scalars=True,
        keys=_places("/sessions", "/wire/sessions", "/wire/urls"),
        places=_places(
            "/**/sessionId|messageId|toolCallId|terminalId|requestId|elicitationId|forkedFrom",
            "/**/senderSessionId|recipientSessionId|senderMessageId|recipientMessageId|parentToolUseId|parentToolCallId",
            "/sessions/*/id",
            "/sessions/**/timeline/*/id|parent",
            "/sessions/**/plans|terminals|subagents|extensions/*/id",
            "/connection/openRequests|elicitations|listedSessions|extensions/*/id",
            "/wire/lastSession",
            "/wire/urls/*",
        ),
    ),
    "times": Rule(
        "time",
        scalars=True,
        places=_places("/**/updatedAt"),
        texts=(re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"),),
    ),
    "paths": Rule(
        "path",
        numbered=True,
        scalars=True,
        places=_places("/**/cwd", "/**/additionalDirectories/*"),
        texts=(
            re.compile(rf"(?<!\w)(?:/private)?/(?:tmp|var/folders/{_SEGMENT}/{_SEGMENT})/{_SEGMENT}"),
            re.compile(rf"(?<!\w)/(?:home|Users)/{_SEGMENT}"),
            re.compile(rf"(?<!\w)[A-Za-z]:\\Users\\{_SEGMENT}"),
        ),
    ),
    "versions": Rule("version", scalars=True, places=_places("/connection/**/version")),
}
"""The rules that have a name.

`ids`: of sessions, messages, tool calls, permissions, terminals, plans, requests; not of what an agent offers
(modes, options, commands). `times`: dates and times in ISO 8601, anywhere. `paths`: working and
additional directories, wherever they begin a path; temporary and home directories. `versions`: of agent and client.
"""

_ECHOES: Final = _places("/*/subject", "/wire/**")
"""Where a text that is an id, however short, is masked too: in diagnostics, and in what going on needs."""
_MESSAGES: Final = _places("/*/message")
"""Where such a text is masked within quotes: the messages of diagnostics."""
_QUOTED: Final = re.compile("'[^']*'")

_RULE: Final = re.compile(r"(?P<label>[A-Za-z][\w-]*)(?P<numbered>#?)(?:=(?P<pointer>/.*)|~(?P<regex>.+))", re.DOTALL)
_WORD: Final = re.compile(r"[\w-]+")
_TELLING: Final = re.compile(r"(?=.*\d).{5,}|(?:/|[A-Za-z]:\\).+", re.DOTALL)
"""A masked text that is masked in other texts too; a shorter one may be a word like any other."""


def rule_of(line: str) -> Rule:
    """Return the rule that a line of configuration describes. Raises `GoldenError` if it describes none."""
    line = line.strip()
    if line in NAMED:
        return NAMED[line]
    found = _RULE.fullmatch(line)
    if found is None:
        raise GoldenError(f"no rule for masking: {line!r}; there are {', '.join(NAMED)}, LABEL=/POINTER and LABEL~REGEX")
    label, numbered = found["label"], bool(found["numbered"])
    if found["pointer"]:
        return Rule(label, numbered, _places(found["pointer"]))
    try:
        return Rule(label, numbered, texts=(re.compile(found["regex"]),))
    except re.error as error:
        raise GoldenError(f"no rule for masking: {line!r}: {error}") from None


@frozen
class Mask:
    """Rules, in the order in which they are tried. Without any it leaves everything as it is."""

    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, lines: Iterable[str]) -> Mask:
        """Return the mask of rules that are written one a line. Raises `GoldenError`."""
        return cls(tuple(rule_of(line) for line in lines if line.strip()))

    def apply(self, *documents: Json) -> list[Json]:
        """Return *documents*, masked alike: what is the same in two of them still is."""
        masking = _Masking(self.rules)
        for document in documents:
            masking.collect(document, "")
        masking.collected()
        return [masking.masked(document, "") for document in documents]


class _Masking:
    """One application of a mask: what was found so far, and what it is called."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules
        self._names: dict[tuple[str, Hashable], str] = {}
        self._numbers: dict[str, Iterator[int]] = {}
        # What was masked where a pointer led, as text; and of that what is masked in texts as well: words, and others, such as paths.
        self._known: dict[str, str] = {}
        self._words: dict[str, str] = {}
        self._phrases: dict[str, str] = {}
        self._phrase = re.compile("(?!)")

    def collect(self, value: Json, pointer: str) -> None:
        """Take note of what is masked by its place."""
        if isinstance(value, dict):
            if (naming := self._rule_of_keys(pointer)) is not None:
                for key in filter(None, value):
                    self._note(naming, key)
            for key, item in value.items():
                self.collect(item, _below(pointer, key))
        elif isinstance(value, list):
            for place, item in enumerate(value):
                self.collect(item, f"{pointer}/{place}")
        elif isinstance(value, (str, int, float)) and (rule := self._rule_at(value, pointer)) is not None:
            self._note(rule, value)

    def collected(self) -> None:
        """Make ready for replacing, now that all is noted."""
        longest_first = sorted(self._phrases, key=len, reverse=True)
        if longest_first:
            self._phrase = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")

    def _note(self, rule: Rule, value: str | float) -> None:
        name = self._name(rule, value)
        self._known.setdefault(str(value), name)
        if isinstance(value, str) and _TELLING.fullmatch(value):
            (self._words if _WORD.fullmatch(value) else self._phrases).setdefault(value, name)

    def _rule_at(self, value: Json, pointer: str) -> Rule | None:
        if value is None or value == "":
            return None
        scalar = isinstance(value, (str, int, float)) and not isinstance(value, bool)
        fitting = (rule for rule in self._rules if scalar or not rule.scalars)
        return next((rule for rule in fitting if rule.places is not None and rule.places.fullmatch(pointer)), None)

    def _rule_of_keys(self, pointer: str) -> Rule | None:
        return next((rule for rule in self._rules if rule.keys is not None and rule.keys.fullmatch(pointer)), None)

    def _name(self, rule: Rule, value: Json) -> str:
        if not rule.numbered:
            return f"<{rule.label}>"
        key = (rule.label, key_of(value))
        if key not in self._names:
            number = next(self._numbers.setdefault(rule.label, count(1)))
            self._names[key] = f"<{rule.label}-{number}>"
        return self._names[key]

    def masked(self, value: Json, pointer: str) -> Json:
        """Return *value*, which stands at *pointer*, masked."""
        if (fitting := self._rule_at(value, pointer)) is not None:
            return self._name(fitting, value)
        if isinstance(value, dict):
            naming = self._rule_of_keys(pointer)
            object_: dict[str, Json] = {}
            for key, item in value.items():
                name = self._text(key) if naming is None or key == "" else self._name(naming, key)
                # Two keys that look the same now are two things still.
                name = next(other for number in count(1) if (other := name if number == 1 else f"{name} ({number})") not in object_)
                object_[name] = self.masked(item, _below(pointer, key))
            return object_
        if isinstance(value, list):
            array: list[Json] = []  # no comprehension: it would double the depth of the stack
            for place, item in enumerate(value):
                array.append(self.masked(item, f"{pointer}/{place}"))
            return array
        if isinstance(value, str):
            if value in self._known and _ECHOES.fullmatch(pointer):
                return self._known[value]
            return self._text(value, quotes=_MESSAGES.fullmatch(pointer) is not None)
        return value

    def _text(self, text: str, *, quotes: bool = False) -> str:
        """Return *text* with everything in it masked that is."""
        pieces = [(text, False)]
        if quotes:
            pieces = _replaced(pieces, _QUOTED, self._quoted)
        pieces = _replaced(pieces, _WORD, self._words.get)
        pieces = _replaced(pieces, self._phrase, self._phrases.get)
        for rule in self._rules:
            for pattern in rule.texts:
                pieces = _replaced(pieces, pattern, partial(self._name, rule))
        return "".join(piece for piece, _ in pieces)

    def _quoted(self, part: str) -> str | None:
        name = self._known.get(part[1:-1])
        return None if name is None else f"'{name}'"


def _replaced(pieces: list[tuple[str, bool]], pattern: re.Pattern[str], name: Callable[[str], str | None]) -> list[tuple[str, bool]]:
    """Return *pieces* of a text, each with whether it is masked, cut where *pattern* finds what has a *name*."""
    new: list[tuple[str, bool]] = []
    for piece, done in pieces:
        end = 0
        for match in () if done else pattern.finditer(piece):
            if match[0] and (masked := name(match[0])) is not None:
                new += [(piece[end : match.start()], False), (masked, True)]
                end = match.end()
        new.append((piece[end:], done))
    return new


def _below(pointer: str, key: str) -> str:
    return f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"


__all__ = ["NAMED", "Mask", "Rule", "rule_of"]
