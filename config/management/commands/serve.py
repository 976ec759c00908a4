"""`manage.py serve`: web and jobs of the embedded profile under one supervisor.

Ctrl-C ends both. If either ends, so does the other; if the supervisor is killed, however it is, both end too.
"""

import os
import signal
import subprocess
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.supervision import exit_with_parent

GRACE = 10.0  # seconds to end politely


class Command(BaseCommand):
    help = "Run the site: web and jobs. Ctrl-C ends both."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--with-parent", action="store_true", help="end when whoever started this ends")

    def handle(self, *, host: str, port: int, with_parent: bool, **options: Any) -> None:
        if settings.SCALED:
            raise CommandError("The scaled profile runs web, worker and beat as processes of their own.")
        if with_parent:
            exit_with_parent()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _interrupt)
        children: list[subprocess.Popen[bytes]] = []
        try:
            children.append(_start("web", "--host", host, "--port", str(port)))
            children.append(_start("jobs"))
            self.stdout.write(f"Rungs is on http://{host}:{port}/ (Ctrl-C ends it)")
            while all(child.poll() is None for child in children):
                time.sleep(0.2)
        except KeyboardInterrupt:
            self.stdout.write("Ending.")
        else:
            raise CommandError("A process ended by itself; ended the other.")
        finally:
            _end(children)


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _start(*command: str) -> subprocess.Popen[bytes]:
    """A child in a process group of its own, so that Ctrl-C reaches only the supervisor."""
    manage = settings.BASE_DIR / "manage.py"
    environment = {**os.environ, "RUNGS_SUPERVISED": "1"}
    return subprocess.Popen([sys.executable, str(manage), *command], env=environment, start_new_session=True)  # noqa: S603


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
