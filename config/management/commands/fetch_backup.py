"""`manage.py fetch_backup NAME FILE`: bring back a copy of a backup from RUNGS_BACKUP_URL. Without NAME: list them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.storage.backups import BackupFailed
from config.storage.off_host_backups import fetch_copy, list_copies


class Command(BaseCommand):
    help = "Bring back a copy of a backup from RUNGS_BACKUP_URL. Without arguments: list the copies, the newest first."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="of the copy")
        parser.add_argument("file", nargs="?", type=Path, help="the new file that it goes to")

    def handle(self, *, name: str | None, file: Path | None, **options: Any) -> None:
        try:
            if name is None:
                self.stdout.write("\n".join(list_copies()) or "There are no copies.")
                return
            if file is None:
                raise CommandError("Say which new file the copy goes to: manage.py fetch_backup NAME FILE.")
            fetch_copy(name, file)
        except BackupFailed as failed:
            raise CommandError(str(failed)) from failed
        self.stdout.write(f"{file}: {file.stat().st_size:,} bytes. Restore it by manage.py restore {file}.")
