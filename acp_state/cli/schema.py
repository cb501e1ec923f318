"""`acp-state schema`: the JSON Schema of the state document."""

from __future__ import annotations

import argparse
import sys

from typing import Final

from . import FINE


HELP: Final = "print the JSON Schema of the state document"
DESCRIPTION: Final = "Prints the JSON Schema (draft 2020-12) that every state document is valid under."
EPILOG: Final = "example:\n  acp-state schema > state.schema.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none."""


def run(args: argparse.Namespace) -> int:
    """Print the schema."""
    from ..printing import json_text
    from ..schema import document_schema

    sys.stdout.write(json_text(document_schema(), 2) + "\n")
    return FINE
