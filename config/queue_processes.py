"""Processes of the embedded profile, each for the jobs of a queue: started if there is work, ended if there is none."""

import contextlib
import os
import subprocess
import sys
import time

from django.conf import settings

IDLE = 60.0  # seconds without a job after which a process ends


class _Process(subprocess.Popen[bytes]):
    """`manage.py jobs --queue`, and the pipes by which it is told names of jobs and names those that it has run."""

    def __init__(self, queue: str) -> None:
        reads, self.names = os.pipe()
        self.answers, writes = os.pipe()
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "jobs", "--queue", queue]
        environment = {**os.environ, "RUNGS_COUNTED_AS": f"{os.getpid()}-{queue}"}
        super().__init__(command, stdin=reads, stdout=writes, env=environment)
        os.close(reads)
        os.close(writes)
        os.set_blocking(self.answers, False)

    def close(self) -> None:
        os.close(self.names)
        os.close(self.answers)


class QueueProcess:
    """The process of one queue, as the process sees it that names its jobs. It runs them one after the other."""

    def __init__(self, queue: str, idle: float = IDLE) -> None:
        self.queue, self.idle = queue, idle
        self._process: _Process | None = None
        self._ending: _Process | None = None
        self._running: set[str] = set()
        self._ended_at = 0.0  # when the last job did, on the monotonic clock

    def has(self, name: str) -> bool:
        """True if this job was named and hasn't ended."""
        return name in self._running

    def run(self, name: str) -> None:
        """Have a job run, in a new process if there is none. Raises OSError if the process has just died."""
        self._process = self._process or _Process(self.queue)
        os.write(self._process.names, f"{name}\n".encode())
        self._running.add(name)

    def look_after(self) -> None:
        """Learn which jobs have ended. Let the process end if it is idle; forget one that died, with its jobs."""
        if self._ending and self._ending.poll() is not None:
            self._ending = None
        process = self._process
        if process is None:
            return
        with contextlib.suppress(BlockingIOError):  # nothing has ended
            self._running -= set(os.read(process.answers, 65_536).decode().split())
            self._ended_at = time.monotonic()
        if process.poll() is not None:
            process.close()
            self._process, self._running = None, set()
        elif not self._running and time.monotonic() - self._ended_at >= self.idle:
            process.close()  # it reads to the end, and ends
            self._process, self._ending = None, process
