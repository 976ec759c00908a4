"""`manage.py restore FILE`: fill the site's database, which must be empty, from a backup."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from config.storage.backups import BackupFailed, restore


class Command(BaseCommand):
    help = "Fill an empty database from a backup, and bring it up to this version's migrations."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: object) -> None:
        try:
            restore(file)
        except BackupFailed as failed:
            raise CommandError(str(failed)) from failed
        call_command("migrate", verbosity=0)
        self.stdout.write("Restored. Now run manage.py doctor, and have game servers send results since then again.")
