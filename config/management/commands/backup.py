"""`manage.py backup FILE`: write the whole database to one file, while the site runs."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from config.storage.backups import BackupFailed, back_up


class Command(BaseCommand):
    help = "Write the whole database, as of one moment, to a new file. The site may go on running."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: object) -> None:
        try:
            back_up(file)
        except BackupFailed as failed:
            raise CommandError(str(failed)) from failed
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes")
