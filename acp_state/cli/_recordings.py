"""What commands that read recordings have in common: their arguments, opening, and going on after a bad one."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Final, cast

from . import FINE, UNUSABLE, UsageError, complain


if TYPE_CHECKING:
    from ..diagnostics import Diagnostic
    from ..folded import Folded


# --- arguments -------------------------------------------------------------------------------------


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the recordings that a command reads, and their format."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a recording, also .gz; - for standard input; a pattern that names no file stands for those that match it",
    )
    parser.set_defaults(headed=False)
    add_dialect(parser)


def add_dialect(parser: argparse.ArgumentParser) -> None:
    """Add the name of the recordings' format."""
    action = parser.add_argument(
        "--dialect",
        metavar="NAME",
        help="the recording's format, where it should not be told from the content: %(names)s",
    )
    vars(action)["names"] = _Names()


class _Names:
    """What the help says of the dialects; they are looked up only then."""

    def __str__(self) -> str:
        from ..dialects import NAMES

        return ", ".join(sorted(NAMES))


def add_diagnostics(parser: argparse.ArgumentParser) -> None:
    """Add how findings are printed."""
    parser.add_argument(
        "--diagnostics",
        choices=("text", "json", "none"),
        nargs="?",
        const="json",
        default="text",
        help="how findings are printed to standard error: as text (the default), as JSON lines (also by --diagnostics alone), not at all",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add where a recording is `written`."""
    parser.add_argument("-o", "--output", metavar="OUT", help="where to write, .gz for gzip; by default standard output")


def check_dialect(name: str | None) -> None:
    """Raise `UsageError` for a dialect that there is not."""
    from ..dialects import NAMES

    if name is not None and name not in NAMES:
        msg = f"no dialect is called {name!r}; there are {', '.join(sorted(NAMES))}"
        raise UsageError(msg)


# --- files -----------------------------------------------------------------------------------------


def each_file(files: Sequence[str], work: Callable[[str], int], refuse: Callable[[str], object] = complain) -> int:
    """Do *work* for each file and return the worst exit code; one that cannot be used is told of, and keeps none from the rest.

    *refuse* is called with why a file cannot be used.
    """
    code = FINE
    for file in files:
        try:
            code = max(code, work(file))
        except UsageError as error:
            sys.stdout.flush()
            refuse(str(error))
            code = UNUSABLE
        sys.stdout.flush()
    return code


_PATTERN: Final = frozenset("*?[")
"""The characters of which a pattern has one."""


def matching(files: Iterable[str]) -> list[str]:
    """Return *files*, and in place of a pattern that no file is called those that match it: not every shell does that.

    Raises `UsageError` if standard input is named twice.
    """
    named: list[str] = []
    for file in files:
        found: list[str] = []
        if not _PATTERN.isdisjoint(file) and not os.path.lexists(file):
            import glob

            found = sorted(glob.glob(file, recursive=True))  # noqa: PTH207 -- pathlib changes how a path is written
        named += found or [file]
    if named.count("-") > 1:
        raise UsageError("standard input can be read only once: give - once")
    return named


def name_of(file: str) -> str:
    """Return what messages call *file*."""
    return "standard input" if file == "-" else file


def check_place(output: str) -> None:
    """Raise `UsageError` if no file can be there."""
    folder = os.path.dirname(output)  # noqa: PTH120 -- as it was written
    if os.path.isdir(output):  # noqa: PTH112 -- the same
        raise UsageError(f"{output}: Is a directory")
    if folder and not os.path.isdir(folder):  # noqa: PTH112 -- the same
        raise UsageError(f"{output}: there is no directory {folder}")


def check_output(output: str, file: str) -> None:
    """Raise `UsageError` if *output* is the recording *file* (`-`: standard input) itself, by whatever name: it would be lost.

    And if no file can be there.
    """
    check_place(output)
    try:
        status = os.fstat(sys.stdin.fileno()) if file == "-" else os.stat(file)  # noqa: PTH116 -- as `samestat` takes it
        is_one = stat.S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(output))  # noqa: PTH116 -- the same
    except (AttributeError, OSError, ValueError):  # one of them is not there, or no file
        return
    if is_one:
        raise UsageError(f"{output}: is the recording itself")


def print_heading(file: str, args: argparse.Namespace) -> None:
    """Print the name of *file* above text about it, if there are several, as `head` does."""
    if len(args.files) > 1:
        from ..findings import visible

        between = "\n" if args.headed else ""
        sys.stdout.write(f"{between}==> {visible(name_of(file))} <==\n")
        args.headed = True


def name_among(file: str, files: Sequence[str]) -> str | None:
    """Return the name that tells *file* from the other *files* that are read, `None` if there are none."""
    return name_of(file) if len(files) > 1 else None


@contextmanager
def opened(file: str, *, bar: bool = True) -> Iterator[Recording]:
    """Open a recording, `-` for standard input, with a progress bar if it is long and somebody looks on.

    *bar* False: there is none, as on a terminal that the command itself prints to while it reads.
    Raises `UsageError` for what cannot be opened or is also the output, and reading it does for what cannot be read.
    """
    try:
        raw = _standard_input() if file == "-" else open(file, "rb", buffering=0)  # noqa: PTH123, SIM115 -- closed by what wraps it
    except (OSError, ValueError) as error:
        raise UsageError(f"{name_of(file)}: {getattr(error, 'strerror', None) or error}") from None
    recording = Recording(file, raw, watched=bar and sys.stderr.isatty())
    try:
        if recording.is_output:
            raise UsageError(f"{name_of(file)}: is also the output")
        yield recording
    finally:
        recording.close()


def _standard_input() -> Any:
    if sys.stdin is None:
        msg = "closed"
        raise ValueError(msg)
    return sys.stdin.buffer


class Recording(io.RawIOBase):
    """A recording that is read: errors are `UsageError`, and the progress bar goes on."""

    def __init__(self, file: str, raw: Any, *, watched: bool = False) -> None:
        self.name = file
        """The path, which tells an archive, or `-`."""
        self.raw = raw
        self._read = getattr(raw, "read1", raw.read)  # a pipe gives what is there
        self._progress = None
        if watched:
            from ._progress import Progress

            self._progress = Progress(os.path.basename(name_of(file)), self.size)  # noqa: PTH119 -- it is no path alone

    @property
    def size(self) -> int | None:
        """The size in bytes of a file, `None` of a pipe and the like."""
        status = _file_status(self.raw)
        return None if status is None else status.st_size

    @property
    def is_output(self) -> bool:
        """Whether it is the file that standard output goes to: it would grow as long as it is read."""
        status, output = _file_status(self.raw), _file_status(sys.stdout)
        return status is not None and output is not None and os.path.samestat(status, output)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill *buffer* as far as there is something to read."""
        try:
            data = self._read(len(buffer))
        except OSError as error:
            raise UsageError(f"{name_of(self.name)}: {error.strerror or error}") from None
        buffer[: len(data)] = data
        if self._progress is not None:
            self._progress.went_on(len(data))
        return len(data)

    def close(self) -> None:
        """Close the file, but not standard input, and end the progress bar."""
        if self._progress is not None:
            self._progress.end()
        if self.name != "-":
            self.raw.close()
        super().close()


def _file_status(stream: Any) -> os.stat_result | None:
    """Return the status of the regular file that *stream* reads or writes, `None` for anything else."""
    try:
        status = os.fstat(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    return status if stat.S_ISREG(status.st_mode) else None


@contextmanager
def written(output: str | None) -> Iterator[IO[bytes]]:
    """Open where a recording is written, `None` for standard output, with gzip if it is called so; raises `UsageError`."""
    if output is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        return
    try:
        with open(output, "wb") as file:  # noqa: PTH123 -- as it was written
            if not output.lower().endswith(".gz"):
                yield file
            else:
                import gzip

                with gzip.GzipFile(output, "wb", mtime=0, fileobj=file) as packed:
                    yield cast("IO[bytes]", packed)
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror or error}") from None


# --- what came of them -----------------------------------------------------------------------------


def check_read(file: str, folded: Folded, *, told: bool) -> None:
    """Raise `UsageError` for a recording of which nothing could be read; *told*: its findings are printed by then."""
    if folded.tally.read == 0:
        raise nothing_read(file, folded.diagnostics, told=told)


def no_session(file: str, session_id: str, known: Iterable[str]) -> UsageError:
    """Return the error that *file* has no such session, but the *known* ones."""
    return UsageError(f"{name_of(file)}: no session {session_id!r}; there are: {', '.join(map(repr, known)) or 'none'}")


def nothing_read(file: str, findings: Sequence[Diagnostic], *, told: bool = False) -> UsageError:
    """Return the error that nothing in *file* could be read, for what was found in it, unless that is *told*."""
    from ..findings import nothing_read as seen

    return UsageError(f"{name_of(file)}: {seen(findings, told=told)}")


def print_losses(findings: Iterable[Diagnostic], how: str, recording: str | None = None, *, session: str | None = None) -> None:
    """Print, where what was asked for is not there, the findings that may be why: the message about that is not to be drowned.

    *session* is that which was asked for.
    """
    from ..findings import losses

    print_findings(losses(findings, session), how, recording)


def tell_of_other_text(file: str, findings: Iterable[Diagnostic], frames: int, how: str = "text") -> None:
    """Say so in one line, unless findings are for machines or for nobody, if most of *file* is no frame: it may be the wrong one."""
    found = tuple(findings)
    if how != "text" or not found:
        return
    from ..findings import lines_without_frame

    others = lines_without_frame(found)
    if others > frames:
        sys.stdout.flush()
        lines = "1 line is no frame" if others == 1 else f"{others:,} lines are no frames"
        read = "1 frame was" if frames == 1 else f"{frames:,} frames were"
        complain(f"{name_of(file)}: most of it is no ACP traffic: {lines}, {read} read")


def print_findings(findings: Iterable[Diagnostic], how: str, recording: str | None = None) -> None:
    """Print *findings* to standard error; *how* is the argument of `--diagnostics`, *recording* the name that goes with them."""
    found = tuple(findings)
    if how != "none" and found:
        from ..findings import print_findings as print_them

        sys.stdout.flush()
        print_them(found, sys.stderr, as_json=how == "json", recording=recording)
