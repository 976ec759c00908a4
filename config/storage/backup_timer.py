"""The backup timer: a new backup when the newest is old enough, and the oldest deleted when there are enough.

A backup is deleted only after a newer one was written and read again. Files of other names are never touched.
"""

import datetime as dt
import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from config.storage.backups import BackupFailed, back_up, delete_partial, partial_of

NAME = "rungs-%Y%m%dT%H%M%SZ.backup"  # UTC
PATTERN = re.compile(r"rungs-\d{8}T\d{6}Z\.backup")
_PARTIAL = partial_of(Path("rungs-*.backup")).name

log = structlog.get_logger(__name__)


def take_backup(folder: Path, *, keep: int, now: dt.datetime) -> tuple[Path, list[Path]]:
    """Write a backup into the folder, then delete all but the newest `keep`. Returns the new file and those deleted.

    Raises BackupFailed, and then deletes nothing. An old backup that can't be deleted is logged, and stays.
    """
    with _alone(folder):
        file = folder / now.astimezone(dt.UTC).strftime(NAME)
        back_up(file)
        _delete_leftovers(folder)
        return file, [old for _, old in list_backups(folder)[:-keep] if old != file and _delete(old)]


def newest_backup_at(folder: Path, *, now: dt.datetime) -> dt.datetime | None:
    """Return when the newest backup in the folder began. One of the future doesn't count.

    None if there is none, or the folder can't be read.
    """
    try:
        return max((at for at, _ in list_backups(folder) if at <= now), default=None)
    except OSError:
        return None


def list_backups(folder: Path) -> list[tuple[dt.datetime, Path]]:
    """Return the finished backups of the timer, the oldest first. Empty files and other names are none."""
    files = [path for path in folder.glob("rungs-*.backup") if PATTERN.fullmatch(path.name) and _size(path)]
    return sorted((time_of(path.name), path) for path in files)


def time_of(name: str) -> dt.datetime:
    """Return when the backup of this name began."""
    return dt.datetime.strptime(name, NAME).replace(tzinfo=dt.UTC)


def _size(file: Path) -> int:
    """Bytes; 0 if the file can't be looked at, or another timer has just deleted it."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _delete(backup: Path) -> bool:
    """Delete an old backup. False if that fails, after which the log has the reason."""
    try:
        backup.unlink(missing_ok=True)
    except OSError as error:
        log.error("backup_not_deleted", file=str(backup), reason=error.strerror)
        return False
    return True


def _delete_leftovers(folder: Path) -> None:
    """Delete what timers left that were killed while they wrote. Nobody else writes now."""
    for path in folder.glob(f"{_PARTIAL}*"):  # with a journal, whose partial file may be gone
        delete_partial(path)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock. Raises BackupFailed if another timer holds it, or the folder can't be used."""
    lock = None
    try:
        lock = os.open(folder / ".lock", os.O_WRONLY | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BackupFailed(f"Another backup is being written into {folder}.") from None
    except OSError as error:
        raise BackupFailed(f"The folder {folder} can't be written ({error.strerror}).") from error
    finally:
        if lock is not None:
            os.close(lock)
