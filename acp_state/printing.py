"""JSON as it is printed for people and other programs.

The text is the same for equal values: keys keep their order, and lone surrogates are escaped.
"""

from __future__ import annotations

from typing import Final

from ._json import Json, encode


_CONTROLS: Final = {chr(code): f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}
"""What JSON lets stand as it is and a terminal or a reader of lines might act upon (SPEC 8)."""


def json_text(value: Json, indent: int | None = None) -> str:
    """Return *value* as JSON text, on one line or indented, without a newline at its end; it can drive no terminal."""
    text = encode(value, indent).decode()
    if text.isascii() and "\x7f" not in text:
        return text
    for control, escape in _CONTROLS.items():  # one search of C each, where a pattern would look at each character
        if control in text:
            text = text.replace(control, escape)
    return text


def error_text(error: Json | None) -> str:
    """Return a JSON-RPC error in one line, `message (code) data`; anything else as JSON."""
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        code, data = ("" if error.get(key) is None else json_text(error[key]) for key in ("code", "data"))
        return f"{error['message']}{f' ({code})' if code else ''}{f' {data}' if data else ''}"
    return json_text(error)
