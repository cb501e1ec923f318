"""Changes in words, one line each, made of their JSON form (`change_json`)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import Final

from ._json import Json
from .compare import label_of, shown
from .findings import visible


WIDTH: Final = 120
"""How many characters of a value are shown."""

_MARKS: Final = {"session_added": "+", "entry_added": "+", "turn_began": "+", "row_added": "+", "row_removed": "-"}


def describe_change(change: dict[str, Json], width: int = WIDTH) -> str:
    """Return a change, as `changes_to_json` gives it, as a line of text.

    Values longer than *width* characters are cut, and say so. Control characters are shown as escapes.
    """
    about = {name: change[name] for name in ("type", "role", "owner", "id") if name in change}
    label = label_of(change.get("value", about))
    where = f"{visible(change['path'])} ({visible(label)})" if label else visible(change["path"])
    return ": ".join((f"{_MARKS.get(change['change'], '~')} {where}", *filter(None, [", ".join(_what(change, width))])))


def _what(change: dict[str, Json], width: int) -> Iterator[str]:
    if "value" in change:
        yield shown(change["value"], width)
    if "text" in change:
        yield f"appended {shown(change['text'], width)}"
    if "base64" in change:
        data = b64decode(change["base64"])
        yield f"appended {shown(data.decode('utf-8', 'replace'), width)}"
    for name, value in change.get("set", {}).items():
        yield f"{visible(name)} {shown(value, width)}"
    for name in change.get("unset", ()):
        yield f"no {visible(name)}"
