"""A session that is recorded: the agent's process, the pumps, and what happens to them."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from .backlog import AGENT, CLIENT, EXIT, Backlog
from .pump import Pump


SIGNALS: Final = frozenset(
    (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGWINCH)
)
"""What is handed on to the agent when a process sends it to us.

What a terminal sends, it sends to the agent too, which is in the same process group."""

PATIENCE: Final = 30.0
"""For how many seconds the end of the session is held up by a recorder that does nothing at all."""

_OURS: Final = SIGNALS | {signal.SIGCHLD}


class Session:
    """Runs an agent between our standard input and output, and has all of it recorded.

    The signals in `SIGNALS` and SIGCHLD are blocked in this process from the start, and waited for.
    """

    def __init__(self, file: int, path: str, state: str | None) -> None:
        """Record to the open *file*, which *path* names, and keep the current state in *state*."""
        _open_standard()
        for number in (signal.SIGCHLD, signal.SIGWINCH):
            signal.signal(number, _nothing)  # one that is ignored may not be waited for everywhere
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, _OURS)
        self._scribe, sink = _scribe(file, path, state)
        self._backlog = Backlog(sink, _wake)
        self._agent: int | None = None
        self._told_to_go = False

    def run(self, agent: Sequence[str]) -> int:
        """Start the *agent* and return its wait status when it is over and all of it recorded.

        Raises `OSError` for an agent that cannot be started.
        """
        incoming, outgoing = self._start(agent)
        self._backlog.start()
        incoming.start()
        outgoing.start()
        status = self._wait_for_agent()
        outgoing.drain()
        if self._until(lambda: outgoing.ended):
            self._backlog.put(EXIT, b"%d" % status)
            self._backlog.close()
            self._finish()
        return status

    def die_as(self, status: int) -> int:
        """End this process as the agent's ended: by the same signal, or return the exit code."""
        if not os.WIFSIGNALED(status):
            return os.WEXITSTATUS(status)
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))  # it would not be the agent's core
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask - {number})
        os.kill(os.getpid(), number)
        return 128 + number

    def _start(self, agent: Sequence[str]) -> tuple[Pump, Pump]:
        for_agent, to_agent = os.pipe()
        from_agent, by_agent = os.pipe()
        self._agent = os.posix_spawnp(
            agent[0],
            tuple(agent),
            os.environ,
            file_actions=((os.POSIX_SPAWN_DUP2, for_agent, 0), (os.POSIX_SPAWN_DUP2, by_agent, 1)),
            setsigmask=self._mask,
            setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),  # which Python ignores
        )
        os.close(for_agent)
        os.close(by_agent)
        incoming = Pump(0, to_agent, lambda data: self._backlog.put(CLIENT, data), _wake)
        outgoing = Pump(from_agent, 1, lambda data: self._backlog.put(AGENT, data), _wake)
        return incoming, outgoing

    def _wait_for_agent(self) -> int:
        while True:
            status = _over(self._agent)
            if status is not None:
                return status
            number, by_process = _next_signal()
            if by_process and number != signal.SIGCHLD and self._agent is not None:
                os.kill(self._agent, number)

    def _finish(self) -> None:
        """Wait for the recorder, as long as it gets on: nobody must wait for ever for a disk that hangs."""
        backlog = self._backlog
        if self._until(lambda: backlog.ended, PATIENCE, lambda: backlog.size) and self._until(self._scribe_is_over, PATIENCE):
            return
        if not self._told_to_go:
            os.kill(self._scribe, signal.SIGKILL)
            warn("the recorder gets on no more and was ended; what came last is not recorded")

    def _until(self, done: Callable[[], bool], patience: float | None = None, left: Callable[[], int] = lambda: 0) -> bool:
        """Wait until *done*, and return whether it is: not if a signal tells us to go, or what is *left* stays for *patience* seconds."""
        begun, before = time.monotonic(), left()
        while not done():
            if patience is not None:
                alarm = threading.Timer(patience, _wake)
                alarm.daemon = True
                alarm.start()
            number, _ = _next_signal()
            if number not in (signal.SIGCHLD, signal.SIGWINCH):
                self._told_to_go = True
                return False
            if left() != before:
                begun, before = time.monotonic(), left()
            elif patience is not None and time.monotonic() - begun >= patience:
                return done()
        return True

    def _scribe_is_over(self) -> bool:
        status = _over(self._scribe)
        if status is not None and os.WIFSIGNALED(status):
            warn(f"the recorder was ended by {signal.Signals(os.WTERMSIG(status)).name}; what came last is not recorded")
        elif status is not None and self._backlog.broken and os.WEXITSTATUS(status) == 0:
            warn("the recorder took nothing for too long; what came last is not recorded")
        return status is not None


def _scribe(file: int, path: str, state: str | None) -> tuple[int, int]:
    """Start the process that records, which *file* belongs to from then on; return it, and what a backlog sends to.

    There are no threads yet, which a fork would tear. What that process needs it imports itself: the
    agent does not wait for it.
    """
    source, sink = os.pipe()
    process = os.fork()
    if process:
        os.close(source)
        os.close(file)
        return process, sink
    code = 1
    try:
        os.close(sink)
        from .scribe import serve

        serve(source, file, path, state, warn)
        code = 0
    except BaseException as error:  # noqa: BLE001 -- nothing of that process may come back from here
        warn(f"{path}: {error!r}; nothing more is recorded")
    finally:
        os._exit(code)


def warn(message: str) -> None:
    """Tell the user what is not recorded, in one line."""
    with suppress(OSError):
        os.write(2, f"acp-state record: {message}\n".encode("utf-8", "backslashreplace"))


def _open_standard() -> None:
    """Have the three standard descriptors open, so that no other descriptor gets one of their numbers."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(descriptor)


def _nothing(*_: object) -> None:
    pass


def _wake() -> None:
    """Have the main thread look again: it waits for signals."""
    os.kill(os.getpid(), signal.SIGCHLD)


def _over(process: int | None) -> int | None:
    """Return the wait status of *process* if it is over."""
    if process is None:
        return None
    found, status = os.waitpid(process, os.WNOHANG)
    return status if found else None


def _next_signal() -> tuple[int, bool]:
    """Wait for a signal; return its number, and whether a process sent it (not the kernel for a terminal)."""
    wait: Any = getattr(signal, "sigwaitinfo", None)
    if wait is None:  # not everywhere
        return signal.sigwait(_OURS), True
    info = wait(_OURS)
    return info.si_signo, info.si_code <= 0
