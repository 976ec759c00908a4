"""`manage.py backup_timer`: the process that backs the site up by itself. `--once`: for a timer of the system."""

import datetime as dt
import signal
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import close_old_connections, connection
from django.utils import timezone

from config.processes.supervision import exit_with_supervisor
from config.storage.backup_timer import newest_backup_at, take_backup
from config.storage.backups import BackupFailed
from config.storage.off_host_backups import copy_backups

AGAIN = 900.0  # seconds after which a backup that failed is tried again
LOOK = 60.0  # seconds between two looks at the clock, which may be set meanwhile

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = "Take a backup into RUNGS_BACKUP_DIR every RUNGS_BACKUP_EVERY hours; keep the newest RUNGS_BACKUPS_KEPT."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="take one now and end; exit status 1 if that fails")

    def handle(self, *, once: bool, **options: object) -> None:
        if not settings.BACKUP_DIR:
            raise CommandError("RUNGS_BACKUP_DIR must be set to the folder that backups go to.")
        folder = Path(settings.BACKUP_DIR)
        if once:
            try:
                _take(folder)
                _copy(folder)
            except BackupFailed as failed:
                raise CommandError(str(failed)) from failed
            return
        exit_with_supervisor()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _end)
        _go_on(folder)


def _end(*_: Any) -> None:
    """End at once: what is half written is deleted on the way out."""
    raise SystemExit(0)


def _go_on(folder: Path) -> None:
    every = dt.timedelta(hours=settings.BACKUP_EVERY)
    log.info("backup_timer_started", folder=str(folder), hours=settings.BACKUP_EVERY, kept=settings.BACKUPS_KEPT)
    copied, copy_at = False, 0.0  # are all copied, and when is it tried again; a copy's failure delays no backup
    while True:
        now = timezone.now()
        newest = newest_backup_at(folder, now=now)
        if newest is None or now >= newest + every:
            try:
                _take(folder)
                copied, copy_at = False, 0.0
            except BackupFailed as failed:
                log.error("backup_failed", reason=str(failed))
                time.sleep(AGAIN)
        elif not copied and time.monotonic() >= copy_at:
            try:
                _copy(folder)
                copied = True
            except BackupFailed as failed:
                log.error("backup_not_copied", reason=str(failed))
                copy_at = time.monotonic() + AGAIN
        else:
            time.sleep(min(LOOK, (newest + every - now).total_seconds()))


def _take(folder: Path) -> None:
    close_old_connections()
    try:
        file, deleted = take_backup(folder, keep=settings.BACKUPS_KEPT, now=timezone.now())
    finally:
        connection.close()  # it isn't needed for hours
    names = [path.name for path in deleted]
    log.info("backup_taken", file=str(file), bytes=file.stat().st_size, deleted=names)


def _copy(folder: Path) -> None:
    """Copy away from this machine what isn't there yet, if RUNGS_BACKUP_URL says where to."""
    if settings.BACKUP_URL:
        copied, deleted = copy_backups(folder, keep=settings.BACKUPS_KEPT)
        log.info("backup_copied", copied=copied, deleted=deleted)
