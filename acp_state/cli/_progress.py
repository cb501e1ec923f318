"""The progress bar of commands that read long recordings: by rich, on standard error, gone when it is done."""

from __future__ import annotations

from typing import Any, Final


LONG: Final = 16 * 1024 * 1024
"""From which size in bytes on there is a bar: what is shorter is read in about a second."""


class Progress:
    """How far a recording of *size* bytes is read, or of one whose size is not known (`None`).

    The bar is there when the recording is known to be long, and never without rich.
    """

    def __init__(self, name: str, size: int | None) -> None:
        self._name = name
        self._size = size
        self._read = 0
        self._bar: Any = None
        self._task: Any = None
        self._needless = size is not None and size < LONG

    def went_on(self, size: int) -> None:
        """*size* more bytes were read."""
        self._read += size
        if self._bar is not None:
            self._bar.update(self._task, completed=self._read)
        elif not self._needless and (self._size is not None or self._read >= LONG):
            self._begin()

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        self._needless = True

    def _begin(self) -> None:
        self._needless = True
        try:
            from rich import progress
            from rich.console import Console
        except ModuleNotFoundError:
            return
        from ..findings import visible

        self._bar = progress.Progress(
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.DownloadColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            # Else rich would take what the command itself prints, and show it beside the bar.
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task(visible(self._name), total=self._size, completed=self._read)
        self._bar.start()
