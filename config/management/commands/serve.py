"""`manage.py serve`: every process of the site on one machine, under one supervisor.

Ctrl-C ends all; if the supervisor is killed, however it is, all end too. Embedded (web and jobs): if one ends, so
does the other; `--demo` plays the demo seasons beside web, and starts jobs when they are played, because jobs would
publish boards at today's time in the midst of them. Scaled (web, a worker for each queue, beat): one that ends is
started again, as a container would be. With RUNGS_BACKUP_DIR the backup timer runs beside them; it is always started
again.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from config.celery import NETWORK, QUEUES
from config.processes.supervision import exit_with_parent
from config.storage.upgrades import BEHIND, is_behind

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # that end all
GRACE = 10.0  # seconds to end politely
PAUSE = 1.0  # seconds before a process is started again
MEMORY = Path("/dev/shm")  # noqa: S108 - Linux's folder in memory; the one that is made in it has a name of its own

Children = dict[str, "subprocess.Popen[bytes]"]


class Command(BaseCommand):
    help = "Run the site: web and jobs, or in the scaled profile web, workers and beat. Ctrl-C ends all."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--demo", action="store_true", help="play the demo in a new database; embedded only")
        parser.add_argument("--with-parent", action="store_true", help="end when whoever started this ends")

    def handle(self, *, host: str, port: int, demo: bool, with_parent: bool, **options: object) -> None:
        if demo and settings.SCALED:
            raise CommandError("The demo's logins are public; it runs on the embedded profile only.")
        if demo and is_behind(connection):
            raise CommandError(BEHIND)
        _check_port(host, port)
        if with_parent:
            exit_with_parent()
        for number in SIGNALS[1:]:  # Python has a handler of the first
            if signal.getsignal(number) is not signal.SIG_IGN:  # as it is under nohup
                signal.signal(number, _interrupt)
        children: Children = {}
        with metrics_folder() as metrics:
            environment = {
                "RUNGS_METRICS_DIR": str(metrics),
                **os.environ,
                "RUNGS_SUPERVISED": str(os.getpid()),
                "PYTHON": sys.executable,
            }
            processes = _processes(host, port, demo)
            try:
                for name, command in processes.items():
                    children[name] = _start(command, environment)
                self.stdout.write(f"Rungs is on http://{host}:{port}/ (Ctrl-C ends it)")
                self.stdout.flush()
                while True:
                    time.sleep(0.2)
                    self._look_after(children, processes, environment)
            except KeyboardInterrupt:
                _ignore_signals()
                self.stdout.write("Ending.")
                self.stdout.flush()
            finally:
                _end(list(children.values()))

    def _look_after(self, children: Children, processes: dict[str, list[str]], environment: dict[str, str]) -> None:
        for name, child in list(children.items()):
            if child.poll() is None:
                continue
            if name == "demo" and child.returncode == 0:
                del children[name]
                children["jobs"] = _start(["jobs"], environment)
                continue
            if not settings.SCALED and name != "backup_timer":
                raise CommandError(f"The {name} process ended by itself; ended the other.")
            self.stderr.write(f"The {name} process ended with {child.returncode}; starting it again.")
            _kill_group(child.pid)
            time.sleep(PAUSE)
            children[name] = _start(processes[name], environment)


@contextmanager
def metrics_folder(memory: Path = MEMORY) -> Iterator[Path]:
    """A new folder for counters, in memory if that can be: processes map the files, and a full disk would kill them.

    What a supervisor that was killed left in memory is deleted.
    """
    in_memory = os.access(memory, os.W_OK | os.X_OK)
    for left in memory.glob("rungs-serve-*-*") if in_memory else ():
        if not Path("/proc", left.name.split("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    prefix = f"rungs-serve-{os.getpid()}-"
    with tempfile.TemporaryDirectory(
        prefix=prefix, dir=memory if in_memory else None, ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def _processes(host: str, port: int, demo: bool) -> dict[str, list[str]]:
    """What to start, by a name of its own: the command of `bin/rungs` and its arguments."""
    web = {"web": ["web", "--host", host, "--port", str(port)]}
    if settings.BACKUP_DIR:
        web["backup_timer"] = ["backup_timer"]
    if settings.SCALED:
        workers = {f"{queue} worker": ["worker", "-Q", queue, "-n", f"{queue}@%h"] for queue in QUEUES}
        workers[f"{NETWORK} worker"] += ["-c", "1"]
        return {**web, **workers, "beat": ["beat"]}
    return {**web, "demo": ["demo", "--if-new"]} if demo else {**web, "jobs": ["jobs"]}


def _check_port(host: str, port: int) -> None:
    """Raises CommandError if it can't be listened to. Web itself would share a port that another site listens to."""
    try:
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        says = f"Nothing can listen on port {port} of {host}: {error.strerror}."
        raise CommandError(f"{says} Choose another by --port, or by make run PORT=...") from error


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _ignore_signals() -> None:
    """All is about to end, within GRACE; a second Ctrl-C would break that off."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def _start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A child in a process group of its own, so that Ctrl-C reaches only the supervisor."""
    script = str(settings.BASE_DIR / "bin" / "rungs")
    return subprocess.Popen([script, *command], env=environment, start_new_session=True)  # noqa: S603


def _end(children: list[subprocess.Popen[bytes]]) -> None:
    """Ask each child to end, then end its whole group."""
    for child in children:
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    for child in children:
        try:
            child.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        finally:
            _kill_group(child.pid)


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return  # nobody of it is left
