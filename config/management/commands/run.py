"""`manage.py run`: bring the database up to date, then serve: what `make run`, `make scaled` and `rungs run` do."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from config.processes.supervision import exit_with_parent


class Command(BaseCommand):
    help = "Migrate the database, then serve the site; embedded, a new database gets the demo. Ctrl-C ends all."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--no-demo", action="store_true", help="leave a new database empty")
        parser.add_argument("--with-parent", action="store_true", help="end when whoever started this ends")

    def handle(self, *, host: str, port: int, no_demo: bool, with_parent: bool, **options: Any) -> None:
        if with_parent:
            exit_with_parent()  # until this process becomes the supervisor, which looks after it itself
        self.stdout.write("Bringing the database up to date")
        self.stdout.flush()
        call_command("migrate", verbosity=0)
        serve = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve", "--host", host, "--port", str(port)]
        if settings.SCALED:
            call_command("collectstatic", interactive=False, verbosity=0)
        elif not no_demo:
            serve.append("--demo")
        if with_parent:
            serve.append("--with-parent")
        os.execv(sys.executable, serve)  # noqa: S606 - this process becomes the supervisor, without what migrating loaded
