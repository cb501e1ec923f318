"""A pytest plugin: which hypothesis profile runs, and how much was made up and tried, in one line at the end.

`HYPOTHESIS_PROFILE` names the profile: `default` (small, for every day), `ci` (the same, but always the
same examples; taken by itself where `CI` is set) or `long` (for hours; run it with `-m "long or not long"`).
"""

from __future__ import annotations

import os

from collections import Counter
from typing import Final

import pytest

from hypothesis import HealthCheck, settings


KINDS: Final = ("conversations", "frames", "mutated inputs", "schema-generated frames", "documents validated")

_ran: Counter[str] = Counter()

settings.register_profile(
    "default",
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "12")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None, print_blob=True)
settings.register_profile("long", settings.get_profile("default"), max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "2000")))


def ran(kind: str, number: int = 1) -> None:
    """Count *number* things of a *kind* (one of `KINDS`) that were made up and tried."""
    _ran[kind] += number


def many(times: float) -> settings:
    """Return settings with so many *times* the examples of the profile: a cheap test takes more, an expensive one fewer."""
    return settings(max_examples=max(1, round(settings().max_examples * times)))


def pytest_configure(config):
    profile = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
    settings.load_profile(profile)


def pytest_sessionfinish(session):
    output = getattr(session.config, "workeroutput", None)  # only in a worker of pytest-xdist
    if output is not None:
        output["ran"] = dict(_ran)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Add up what the workers of pytest-xdist counted."""
    _ran.update(getattr(node, "workeroutput", {}).get("ran", {}))


def pytest_terminal_summary(terminalreporter):
    if _ran:
        counted = ", ".join(f"{_ran[kind]:,} {kind}" for kind in KINDS if _ran[kind])
        terminalreporter.write_line(f"made up and tried: {counted}")
