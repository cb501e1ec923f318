"""What is chosen of what can be, by the name that the agent gave it."""

from __future__ import annotations

from . import state as s


def mode_name(modes: s.Modes | None) -> str | None:
    """Return which of *modes* (or models) is the current one, by its name if it has one."""
    if modes is None or modes.current_id is None:
        return None
    return next((mode.name for mode in modes.available or () if mode.id == modes.current_id and mode.name), modes.current_id)


def value_name(option: s.ConfigOption) -> str:
    """Return the value of a config option, by its name if it has one."""
    for choice in option.options or ():
        for one in choice.options if isinstance(choice, s.ConfigGroup) else (choice,):
            if one.value == option.current_value and one.name:
                return one.name
    return str(option.current_value)
