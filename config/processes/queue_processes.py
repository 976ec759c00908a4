"""Processes of the embedded profile, each for the jobs of a queue: started if there is work, ended if there is none."""

import contextlib
import logging
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable

from django.conf import settings

from ranking.operations.metrics import JOB_FAILURES

IDLE = 60.0  # seconds without a job after which a process ends
GRACE = 8.0  # seconds in which running jobs may end; `manage.py serve` waits for ten
PAUSE, LONGEST_PAUSE = 10.0, 3_600.0  # seconds; twice as long each time that a job takes its process with it

log = logging.getLogger(__name__)


class _Process(subprocess.Popen[bytes]):
    """`manage.py jobs --queue`, and the pipes by which it is told names of jobs and names those that it has run."""

    def __init__(self, queue: str) -> None:
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "jobs", "--queue", queue]
        environment = {**os.environ, "RUNGS_COUNTED_AS": f"{os.getpid()}-{queue}"}
        pipes: list[int] = []
        try:
            pipes += os.pipe()
            pipes += os.pipe()
            reads, self.names, self.answers, writes = pipes
            super().__init__(command, stdin=reads, stdout=writes, env=environment)
        except BaseException:
            _close(pipes)
            raise
        _close([reads, writes])
        os.set_blocking(self.answers, False)

    def close(self) -> None:
        _close([self.names, self.answers])


class QueueProcess:
    """The process of one queue, as the process sees it that names its jobs. It runs them one after the other."""

    def __init__(self, queue: str, idle: float = IDLE) -> None:
        self.queue, self.idle = queue, idle
        self._process: _Process | None = None
        self._ending: _Process | None = None
        self._running: list[str] = []  # in the order in which they were named, so the first one runs
        self._deaths: Counter[str] = Counter()  # how often in succession the process died while a job ran
        self._ended_at = 0.0  # when the last job did, on the monotonic clock

    def has(self, name: str) -> bool:
        """True if this job was named and hasn't ended."""
        return name in self._running

    def run(self, name: str) -> None:
        """Have a job run, in a new process if there is none. If none can be started, OSError is raised.

        In that case, and if the process has just died, `look_after` returns the job.
        """
        self._running.append(name)
        self._process = self._process or _Process(self.queue)
        with contextlib.suppress(BrokenPipeError):
            os.write(self._process.names, f"{name}\n".encode())

    def look_after(self) -> dict[str, float]:
        """Learn which jobs have ended, and let the process end if it is idle.

        Return the jobs that were lost with a process that died, each with the seconds after which it should run again.
        """
        if self._ending and self._ending.poll() is not None:
            self._ending = None
        process = self._process
        if process is None:
            return self._lose("couldn't be started")
        code = process.poll()  # before the answers are read, so none is missed
        with contextlib.suppress(BlockingIOError):  # nothing has ended
            for name in os.read(process.answers, 65_536).decode().split():
                self._running.remove(name)
                del self._deaths[name]
            self._ended_at = time.monotonic()
        if code is not None:
            process.close()
            self._process = None
            return self._lose(f"ended with {code}")
        if not self._running and time.monotonic() - self._ended_at >= self.idle:
            process.close()  # it reads to the end, and ends
            self._process, self._ending = None, process
        return {}

    def _lose(self, what: str) -> dict[str, float]:
        """Forget the named jobs. Only the first one has failed: the others waited, and may run again at once."""
        if not self._running:
            return {}
        failed, lost = self._running[0], dict.fromkeys(self._running, 0.0)
        self._running = []
        self._deaths[failed] += 1
        lost[failed] = min(PAUSE * 2 ** (self._deaths[failed] - 1), LONGEST_PAUSE)
        JOB_FAILURES.labels(failed).inc()
        log.warning(
            "The process of the queue %s %s while %s ran; lost with it: %s.", self.queue, what, failed, ", ".join(lost)
        )
        return lost

    def end(self) -> None:
        """Ask the process to end after the job that it runs; `wait` waits for it."""
        if self._process:
            self._process.terminate()
        self._ending, self._process, self._running = self._process or self._ending, None, []

    def wait(self, seconds: float) -> None:
        if self._ending:
            with contextlib.suppress(subprocess.TimeoutExpired):  # it ends with its parent
                self._ending.wait(max(0.0, seconds))


def end_all(processes: Iterable[QueueProcess], grace: float = GRACE) -> None:
    """End these processes, each after the job that it runs if that doesn't take longer than `grace` seconds."""
    until = time.monotonic() + grace
    for process in processes:
        process.end()
    for process in processes:
        process.wait(until - time.monotonic())


def _close(pipes: Iterable[int]) -> None:
    for pipe in pipes:
        os.close(pipe)
