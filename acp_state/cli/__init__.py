"""The command `acp-state` (SPEC 8): the parser, and what all commands have in common.

Every command is a file of its own, of which only the one that is asked for is imported, and imports
what it needs when it runs: a small recording is folded in the time that it takes to start Python.
What several commands need is in the files whose names begin with an underscore.
"""

from __future__ import annotations

import argparse
import io
import os
import sys

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

from ._process import spare_collector, spare_typing_extensions


COMMANDS: Final = (
    "fold",
    "normalize",
    "trace",
    "check",
    "convert",
    "diff",
    "golden",
    "record",
    "show",
    "stats",
    "redact",
    "schema",
)
"""Each is a module of this package with `HELP`, `DESCRIPTION`, `EPILOG`, `add_arguments(parser)` and `run(args) -> int`."""

FINE: Final = 0
FINDINGS: Final = 1
UNUSABLE: Final = 2

_SIGINT: Final = 2
_SIGPIPE: Final = 13
"""Of `signal`, which takes longer to import than to do without; Windows has none of the second."""


class UsageError(Exception):
    """Arguments or input that cannot be used: one line for the user, exit 2."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with *argv* and return its exit code; by default with the process's arguments: then it is the process's own."""
    try:
        if argv is None:
            spare_collector()
        _prepare_output()
        args = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
        if argv is None:
            spare_typing_extensions()
        code: int = args.run(args)
        sys.stdout.flush()
    except UsageError as error:
        return complain(str(error))
    except BrokenPipeError:
        # Whoever read has seen enough.
        return _output_lost(128 + _SIGPIPE)
    except OSError as error:
        # What is read tells of its own errors, so this is what is written: a full disk, mostly.
        return _output_lost(complain(f"standard output: {error.strerror or error}"))
    except KeyboardInterrupt:
        return 128 + _SIGINT
    return code


def complain(message: str) -> int:
    """Tell the user in one line why something cannot be done, and return the exit code of what cannot be used."""
    from ..findings import visible

    sys.stderr.write(f"acp-state: {visible(message)}\n")
    return UNUSABLE


def require(module: str, use: str, package: str | None = None) -> Any:
    """Return *module* of an optional library for some *use* (`acp-state show`); *package* is its name where that differs.

    Raises `UsageError` if it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError:
        msg = f"{use} needs {package or module.partition('.')[0]}: pip install 'acp-state[cli]'"
        raise UsageError(msg) from None


def count(text: str) -> int:
    """Return the number, 0 or more, that an argument is; the type of options that count."""
    if text.isascii() and text.isdigit():
        return int(text)
    msg = f"it takes a whole number, 0 or more, not {text!r}"
    raise argparse.ArgumentTypeError(msg)


MIN_WIDTH: Final = 20
"""How many columns a story or a table needs at least."""


def columns(text: str) -> int:
    """Return the number of columns that an argument is; the type of options that say how wide something is."""
    if text.isascii() and text.isdigit() and int(text) >= MIN_WIDTH:
        return int(text)
    msg = f"it takes a number of columns, {MIN_WIDTH} or more, not {text!r}"
    raise argparse.ArgumentTypeError(msg)


def _prepare_output() -> None:
    """Have documents be UTF-8 with plain newlines, as JSON is, whatever the terminal's own encoding."""
    if sys.stdout is None:  # the shell closed it
        msg = "standard output is closed"
        raise UsageError(msg)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _output_lost(code: int) -> int:
    """Let what is still buffered not be tried again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse here what this parser does not know: left over, it would be the parser of all commands that tells of it."""
        found, rest = super().parse_known_args(None if args is None else [*self._completed(args)], namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found, rest

    def _completed(self, args: Sequence[str]) -> Iterator[str]:
        """Yield *args*; an option that may stand without its value has it where what comes next is none of its values, but a file."""
        options = args[: args.index("--")] if "--" in args else args
        for place, arg in enumerate(args):
            action = self._option_string_actions.get(arg) if place < len(options) else None
            after = args[place + 1] if place + 1 < len(args) else ""
            lacks = action is not None and action.nargs == "?" and action.choices is not None and after not in action.choices
            yield f"{arg}={action.const}" if action is not None and lacks else arg


class _Help(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. argparse makes one with every option, and would itself import much to find that out."""

    def __init__(self, prog: str, **options: Any) -> None:
        try:
            columns = os.get_terminal_size().columns
        except (OSError, ValueError):
            columns = 0
        super().__init__(prog, width=(columns or 80) - 2, **options)


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from importlib.metadata import version

        sys.stdout.write(f"acp-state {version('acp-state')}\n")
        parser.exit()


_DESCRIPTION: Final = "Folds Agent Client Protocol (ACP) traffic into one state, and looks into recordings of it."
_EPILOG: Final = """\
example:
  acp-state fold session.ndjson --format text

What a command is for and what it takes: acp-state COMMAND --help
Exit codes: 0 fine; 1 findings, where a command looks for them; 2 arguments or input that cannot be used."""


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="acp-state",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    asked = [name for name in COMMANDS if [name] == list(argv[:1])]
    for name in asked or COMMANDS:
        module = import_module(f"{__name__}.{name}")
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=module.DESCRIPTION,
            epilog=module.EPILOG,
            formatter_class=_Help,
            allow_abbrev=False,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
