"""Options of the suite."""

from __future__ import annotations

import os

import pytest


pytest_plugins = ("support.effort",)


def pytest_addoption(parser):
    parser.addoption("--acp-update", action="store_true", help="write the expected files of golden/ anew; then read the diff")


def pytest_configure(config):
    if config.getoption("--acp-update") and os.environ.get("CI"):
        raise pytest.UsageError("--acp-update is refused where CI is set: expected files are written where a person reads the diff")


@pytest.fixture
def acp_update(request):
    """Whether the expected files of goldens are to be written anew."""
    return request.config.getoption("--acp-update")
