"""The fields that many objects have, and how a field is written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..._json import Json
from ..combine import Field, Need, items, part
from ..decode import Hook, MalformedError, an_object, text


def field(name: str, hook: Hook, need: Need = "lenient", *older: str) -> Field:
    """A field whose absence is `None`; a required one must not be `null` either."""
    return Field((name, *older), hook, need, None, nullable=need != "required")


def listed(hook: Hook) -> Hook:
    """A list out of which malformed items are left (`x-deserialize-skip-invalid-items`)."""
    return items(hook, skip=True)


def mapping(raw: Json) -> Mapping[str, Json]:
    """An object, as it is."""
    if raw.__class__ is not dict and not isinstance(raw, Mapping):
        raise MalformedError("an object is wanted", missing=raw is None)
    return raw


META: Final = field("_meta", an_object)
NAME: Final = field("name", text, "required")
DESCRIPTION: Final = field("description", text)
strings: Final = items(text, skip=False)

# Members of objects that are kept as sent:
META_PART: Final = part(an_object)
NEEDED: Final = part(text, need="required")
TEXT: Final = part(text)
