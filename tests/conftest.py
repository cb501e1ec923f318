"""Plugins of the suite."""

from __future__ import annotations

from importlib.metadata import entry_points


pytest_plugins = ["support.effort", "pytester"]

if not entry_points(group="pytest11", name="acp_state"):  # a source tree that was not installed, or before the plugin was there
    pytest_plugins.append("acp_state.pytest_plugin")
