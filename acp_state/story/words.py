"""Numbers as people read them."""

from __future__ import annotations

from decimal import Decimal

from .. import state as s


def spell_seconds(seconds: float) -> str:
    """Return a duration in words: `0.35 s`, `4.2 s`, `42 s`, `2 min 03 s`, `1 h 05 min`."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60:,} h {minutes % 60:02} min"


def usage_words(usage: s.Usage) -> str:
    """Return how full a context is: `18,450 of 200,000 (9 %)`."""
    share = f" ({100 * usage.used // usage.size} %)" if usage.size > 0 else ""
    return f"{usage.used:,} of {usage.size:,}{share}"


def amount(value: float | Decimal, currency: str) -> str:
    """Return an amount of money: `0.084 USD`."""
    return f"{value:,} {currency}" if isinstance(value, int) else f"{value:,.6f}".rstrip("0").rstrip(".") + f" {currency}"
