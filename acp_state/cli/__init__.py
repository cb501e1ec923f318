"""The command `acp-state` (SPEC 8): the parser, and what all commands have in common.

Every command is a file of its own, and imports what it needs when it runs.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys

from collections.abc import Sequence
from importlib import import_module
from typing import Final, NoReturn


COMMANDS: Final = ("fold", "record", "schema")
"""Each is a module of this package with `HELP`, `add_arguments(parser)` and `run(args) -> int`."""

FINE: Final = 0
FINDINGS: Final = 1
UNUSABLE: Final = 2


class UsageError(Exception):
    """Arguments or input that cannot be used: one line for the user, exit 2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with *argv* (default: the process's arguments) and return its exit code."""
    try:
        args = _parser().parse_args(argv)
        code: int = args.run(args)
        sys.stdout.flush()
    except UsageError as error:
        return complain(str(error))
    except BrokenPipeError:
        # Whoever read has seen enough; what is still buffered must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return code


def complain(message: str) -> int:
    """Tell the user in one line why nothing can be done."""
    sys.stderr.write(f"acp-state: {message}\n")
    return UNUSABLE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        parser.exit(message=f"acp-state {version('acp-state')}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="acp-state",
        description="Folds Agent Client Protocol (ACP) traffic into one state.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = import_module(f"{__name__}.{name}")
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.DESCRIPTION,
            epilog=module.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
