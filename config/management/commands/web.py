"""`manage.py web`: run the web processes under one Granian server."""

from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops

from config.rsgi import load_application
from config.supervision import exit_with_supervisor


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
            workers=workers,
            respawn_failed_workers=True,
            respawn_interval=0.2,
            workers_kill_timeout=20,
            log_dictconfig=settings.LOGGING,
            log_access=False,
            websockets=False,
        ).serve(target_loader=loader, wrap_loader=False)
