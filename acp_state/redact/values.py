"""JSON values: which of them stay, and what becomes of the others. The same for frames and documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from attrs import frozen

from .._json import Json
from ..normalize.quirks import DISPLAYS
from .texts import blob, mask, mask_base64, name, number
from .words import MEMBERS, NUMBERS, OPAQUE, WORDED, WORDS


@frozen
class Redactor:
    """Replaces what is in JSON values.

    Masked, as they come in pieces: the *text* of a text block, a prompt that is a string, the output of
    terminals; of a display terminal, which has an id, by *shown*. *before* is the output that a chunk
    in base64 goes on after. All other strings become names.
    """

    salt: bytes
    text: Callable[[str], str] = mask
    shown: Callable[[str, Json], str] = lambda data, _: mask(data)
    before: bytes = b""

    def value(self, member: str, value: Json, sure: bool) -> Json:
        """Return what stands for the *value* of a *member*; *sure*: the protocol knows what it is."""
        if isinstance(value, str):
            return self.string(member, value, sure)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, (int, float)):
            return value if sure and member in NUMBERS else number(value, self.salt)
        if isinstance(value, Mapping):
            return self.object(member, value, sure)
        return [self.value(member, item, sure) for item in value]

    def string(self, member: str, value: str, sure: bool) -> str:
        """Return what stands for a string."""
        if not value or (sure and member in WORDED and value in WORDS):
            return value
        if sure and member == "output":
            return mask(value)
        return self.text(value) if sure and member == "prompt" else name(value, self.salt)

    def member(self, key: str) -> str:
        """Return what a member is called."""
        return key if key in MEMBERS or not key else name(key, self.salt)

    def object(self, member: str, value: Mapping[str, Json], sure: bool) -> dict[str, Json]:
        """Return what stands for an object."""
        if not sure:
            return {self.member(key): self.value(key, item, False) for key, item in value.items()}
        return {self.member(key): self._item(member, value, key, item) for key, item in value.items()}

    def _item(self, member: str, holder: Mapping[str, Json], key: str, item: Json) -> Json:
        """Return what stands for a member's value in an object that is sure."""
        special = _SPECIAL.get(key)
        if special is not None:
            return special(self, member, holder, item)
        vendors = member == "extensions" and key in ("params", "result")
        return self.value(key, item, key in MEMBERS and key not in OPAQUE and not vendors)

    def _text(self, _: str, holder: Mapping[str, Json], item: Json) -> Json:
        flows = holder.get("type") == "text" and isinstance(item, str)
        return self.text(item) if flows else self.value("text", item, True)

    def _data(self, member: str, holder: Mapping[str, Json], item: Json) -> Json:
        if not isinstance(item, str):
            return self.value("data", item, False)  # of an error
        if member in DISPLAYS:
            return self.shown(item, holder.get("terminal_id"))
        if holder.get("sessionUpdate") == "terminal_output_chunk":
            return mask_base64(item, self.salt, self.before)
        if member == "output":
            return mask_base64(item, self.salt)
        return self._blob(member, holder, item) if holder.get("type") in ("image", "audio") else name(item, self.salt)

    def _base64(self, member: str, _: Mapping[str, Json], item: Json) -> Json:
        return mask_base64(item, self.salt) if member == "output" and isinstance(item, str) else self.value("base64", item, True)

    def _blob(self, _: str, __: Mapping[str, Json], item: Json) -> Json:
        return blob(item, self.salt) if isinstance(item, str) else self.value("blob", item, True)

    def _content(self, _: str, holder: Mapping[str, Json], item: Json) -> Json:
        """What the user filled in is the user's; any other content is the protocol's."""
        filled_in = "action" in holder or holder.get("type") == "elicitation"
        return self.value("content", item, not filled_in)

    def _meta(self, _: str, __: Mapping[str, Json], item: Json) -> Json:
        if not isinstance(item, Mapping):
            return self.value("_meta", item, False)
        return {self.member(key): self.value(key, inner, key in DISPLAYS) for key, inner in item.items()}

    # Schemas of forms

    def _schema_member(self, _: str, __: Mapping[str, Json], item: Json) -> Json:
        return self._schema(item)

    def _schema(self, value: Json) -> Json:
        """A form: its keywords stay; what its properties are called, and what they offer, matches the answer."""
        if isinstance(value, list):
            return [self._schema(item) for item in value]
        if not isinstance(value, Mapping):
            return self.value("", value, False)
        return {self.member(key): self._keyword(key, item) for key, item in value.items()}

    def _keyword(self, key: str, item: Json) -> Json:
        if key == "properties" and isinstance(item, Mapping):
            return {self.member(one): self._schema(inner) for one, inner in item.items()}
        if key == "required" and isinstance(item, list):
            return [self.member(one) if isinstance(one, str) else self.value("", one, False) for one in item]
        if key in ("items", "anyOf", "oneOf", "allOf", "not", "additionalProperties"):
            return self._schema(item)
        return self.value(key, item, key in ("type", "format", *NUMBERS))


_SPECIAL: Final[Mapping[str, Callable[[Redactor, str, Mapping[str, Json], Json], Json]]] = {
    "text": Redactor._text,
    "data": Redactor._data,
    "base64": Redactor._base64,
    "blob": Redactor._blob,
    "content": Redactor._content,
    "_meta": Redactor._meta,
    "chunkMeta": Redactor._meta,
    "requestedSchema": Redactor._schema_member,
}
