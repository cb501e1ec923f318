"""A document as YAML, by PyYAML: what it reads again is the same document."""

from __future__ import annotations

from typing import Any, Final

import yaml


def yaml_text(value: Any, *, alone: bool = False) -> str:
    """Return *value*, which is JSON, as one YAML document that begins with its marker; without it what is of one line and stands *alone*."""
    is_marked = not alone or (isinstance(value, (dict, list)) and value != type(value)())
    options: dict[str, Any] = {"sort_keys": False, "allow_unicode": True, "explicit_start": is_marked, "width": 120}
    try:
        text = yaml.dump(value, Dumper=_FAST, **options)
    except UnicodeEncodeError:  # half a character, which only the slower one can write
        text = yaml.dump(value, Dumper=_SLOW, **options)
    return str(text[:-4] if text.endswith("\n...\n") else text)


def _text(dumper: Any, text: str) -> Any:
    """Several lines as such; in quotes, with escapes, what a terminal or a reader of lines might act upon."""
    style = None if text.isprintable() else "|" if text.replace("\n", "").isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _dumper(base: Any) -> Any:
    # A value that stands twice is written twice, as in JSON.
    dumper: Any = type("_Dumper", (base,), {"ignore_aliases": lambda _self, _value: True})
    dumper.add_representer(str, _text)
    dumper.add_multi_representer(dict, base.represent_dict)
    dumper.add_multi_representer(list, base.represent_list)
    return dumper


_SLOW: Final = _dumper(yaml.SafeDumper)
_FAST: Final = _dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper))
