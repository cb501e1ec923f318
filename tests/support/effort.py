"""A pytest plugin: which hypothesis profile runs, and how much was made up and tried, in one line at the end.

And what something costs, counted and not timed.

`HYPOTHESIS_PROFILE` names the profile: `default` (small, for every day), `ci` (the same, but always the
same examples; taken by itself where `CI` is set) or `long` (for hours; run it with `-m "long or not long"`).
"""

from __future__ import annotations

import os
import sys
import tracemalloc

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

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


def opcodes_and_calls(act: Callable[[], Any]) -> tuple[int, int]:
    """Return how many bytecodes and how many calls of Python functions *act* takes."""
    counted = Counter[str]()

    def trace(frame: Any, event: str, _: Any) -> Any:
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        counted[event] += 1
        return trace

    was = sys.gettrace()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(was)
    return counted["opcode"], counted["call"]


def calls_into_c(act: Callable[[], Any]) -> int:
    count = 0

    def profile(_: Any, event: str, __: Any) -> None:
        nonlocal count
        count += event == "c_call"

    was = sys.getprofile()
    sys.setprofile(profile)
    try:
        act()
    finally:
        sys.setprofile(was)
    return count


def bytes_asked_for(act: Callable[[], Any]) -> int:
    """Return how much more memory is in use at the worst moment of *act* than before it."""
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        act()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return peak - before


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
