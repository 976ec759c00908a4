"""`manage.py web`: run the web processes under one Granian server."""

import resource
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings

from config.processes.supervision import exit_with_supervisor
from config.rsgi import load_application

CONNECTIONS = 4_096  # at once in each process; idle ones, and those whose client is slow, count too
LARGEST_HEAD = 65_536  # bytes; of all connections together 268 MB, and the bodies of bodies.py as much
_FILES = 3  # of a connection: itself, and an answer that is a file, twice
_OTHER_FILES = 512  # of the process


class Command(BaseCommand):
    help = "Serve the site."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--workers", type=int, default=settings.WEB_WORKERS, help="processes; SQLite wants one")
        parser.add_argument("--threads", type=int, default=settings.WEB_THREADS, help="requests at once in each")

    def handle(self, *, host: str, port: int, workers: int, threads: int, **options: Any) -> None:
        exit_with_supervisor()
        loader: Any = partial(load_application, threads)  # Granian's annotation forgets objects with __rsgi__
        Granian(
            "config.rsgi:load_application",
            address=host,
            port=port,
            interface=Interfaces.RSGI,
            loop=Loops.asyncio,
            http=HTTPModes.http1,
            http1_settings=HTTP1Settings(max_buffer_size=LARGEST_HEAD),
            backlog=CONNECTIONS,
            backpressure=_raise_connections(),
            workers=workers,
            respawn_failed_workers=True,
            respawn_interval=0.2,
            workers_kill_timeout=20,
            log_dictconfig=settings.LOGGING,
            log_access=False,
            websockets=False,
        ).serve(target_loader=loader, wrap_loader=False)


def _raise_connections() -> int:
    """Allow this process and its children as many open files as the system lets them; return their connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS * _FILES + _OTHER_FILES
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return max(128, (allowed - _OTHER_FILES) // _FILES)
