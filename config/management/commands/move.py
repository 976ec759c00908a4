"""`manage.py move --to URL`: copy the whole site to a database of the other kind, from SQLite to PostgreSQL or back."""

import os
from argparse import ArgumentParser
from collections.abc import Iterator

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from config.storage.moving import MoveFailed, move
from config.storage.read_only import SessionsRemain, take_writes


class Command(BaseCommand):
    help = (
        "Copy the whole site to an empty database of the other kind. From its beginning on this one takes no writes: "
        "pages are shown, results are answered 503. Run it again to go on with a move that was broken off."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        group = parser.add_mutually_exclusive_group(required=True)
        group.add_argument("--to", metavar="URL", help="such as postgres://user:password@host:5432/name")
        group.add_argument("--give-up", action="store_true", help="have this database take writes again")

    def handle(self, *, to: str | None, give_up: bool, **options: object) -> None:
        if to is None:
            try:
                take_writes(connection)
            except SessionsRemain as remain:
                raise CommandError(f"New sessions take writes again. {remain}") from remain
            except DatabaseError as error:
                raise CommandError(f"The database refuses to take writes again: {error}") from error
            self.stdout.write("This database takes writes again. A new one that was begun can be deleted.")
            return
        try:
            move(to, self.stdout.write)
        except MoveFailed as failed:
            raise CommandError(str(failed)) from failed
        for sentence in _what_follows():
            self.stdout.write(sentence)
        call_command("doctor", data=True, stdout=self.stdout)


def _what_follows() -> Iterator[str]:
    yield "The site has moved. The old database goes on refusing writes; now stop the site."
    yield "Start it with RUNGS_DATABASE_URL set to the new database, and with these secrets as they are here:"
    is_set = os.environ.get("RUNGS_SECRET_KEY") or os.environ.get("RUNGS_SECRET_KEY_FILE")
    stored = "" if is_set else f", the content of {settings.SECRET_KEY_FILE}"
    yield f"- RUNGS_SECRET_KEY{stored}"
    if settings.DEVICE_PEPPER:
        yield "- RUNGS_DEVICE_PEPPER"
