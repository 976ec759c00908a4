"""Copies of the timer's backups away from this machine, in a storage that speaks S3.

A copy is whole, or it isn't there: the storage shows it only after its last part, and compares the checksum of each
part. Its SHA-256 goes with it, and is compared when the copy is fetched. Copies bear the names of the timer's backups;
files of other names are never touched.
"""

import datetime as dt
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings

from config.storage.backup_timer import PATTERN, list_backups, time_of
from config.storage.backups import BackupFailed, delete_partial, partial_of

if TYPE_CHECKING:
    from obstore.store import S3Config, S3Store

LEAST_PART, MOST_PARTS = 8 * 1024 * 1024, 9_000  # bytes of a part; S3 takes 10,000 parts
AT_ONCE = 2  # parts, which are held in memory
PATIENCE = dt.timedelta(seconds=10)  # for a connection
GIVE_UP = dt.timedelta(minutes=1)  # after which a request isn't tried again
_COPIES = ".copies"  # in the timer's folder: their names, a line each
_CHECKSUM = "sha256"  # of the whole file, among what the storage keeps with a copy


def copy_backups(folder: Path, *, keep: int) -> tuple[list[str], list[str]]:
    """Copy each backup of the folder that isn't there yet, then delete all but the newest `keep` copies.

    Returns the names of the new copies, and of those deleted. Raises BackupFailed.
    """
    with _reached() as store:
        there = _names(store)
        missing = [file for _, file in list_backups(folder)[-keep:] if file.name not in there]
        for file in missing:
            _copy(store, file)
        names = sorted({*there, *(file.name for file in missing)})
        old = names[:-keep]
        for name in old:
            store.delete(name)
        _remember(folder, names[-keep:])
        return [file.name for file in missing], old


def known_copy_at(folder: Path, *, now: dt.datetime) -> dt.datetime | None:
    """Return when the backup began whose copy was the newest when the timer last saw the storage; asks the folder only.

    None if there was no copy, or the folder can't be read.
    """
    try:
        return _newest((folder / _COPIES).read_text(encoding="utf-8").splitlines(), now)
    except (OSError, ValueError):
        return None


def newest_copy_at(*, now: dt.datetime) -> dt.datetime | None:
    """Return when the backup began whose copy is the newest. None: there is no copy. Raises BackupFailed."""
    with _reached() as store:
        return _newest(_names(store), now)


def _newest(names: Iterable[str], now: dt.datetime) -> dt.datetime | None:
    """Return when the newest of these backups began. A clock that was ahead has made one that hasn't begun yet."""
    return max((at for at in map(time_of, names) if at <= now), default=None)


def find_fault(now: dt.datetime) -> str | None:
    """Return a sentence if copies are wanted, and the newest is older than two backups, or can't be looked for."""
    if not settings.BACKUP_URL:
        return None
    try:
        newest = newest_copy_at(now=now)
    except BackupFailed as failed:
        return f"Copies of backups can't be looked for. {failed}"
    if newest is not None and now <= newest + 2 * dt.timedelta(hours=settings.BACKUP_EVERY):
        return None
    age = f"The newest is of {newest:%Y-%m-%d %H:%M} UTC." if newest else "There is none."
    return f"There is no recent copy of a backup in {settings.BACKUP_URL}. {age}"


def list_copies() -> list[str]:
    """Return the names of the copies, the newest first. Raises BackupFailed."""
    with _reached() as store:
        return sorted(_names(store), reverse=True)


def fetch_copy(name: str, file: Path) -> None:
    """Write a copy to a new file, which is whole, or isn't there. Raises BackupFailed."""
    if file.exists():
        raise BackupFailed(f"{file} exists already; give a new name.")
    partial = partial_of(file)
    with _reached() as store:
        if name not in _names(store):
            raise BackupFailed(f"There is no copy {name} in {settings.BACKUP_URL}.")
        try:
            copy, digest = store.get(name), hashlib.sha256()
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:
                for part in copy.stream():
                    digest.update(part)
                    written.write(part)
                os.fsync(written.fileno())
            if copy.attributes.get(_CHECKSUM) != digest.hexdigest():
                raise BackupFailed(f"The copy {name} is damaged: its checksum is another.")
            partial.rename(file)
        except OSError as error:
            raise BackupFailed(f"{file} can't be written: {error}.") from error
        finally:
            delete_partial(partial)


def _remember(folder: Path, names: Iterable[str]) -> None:
    """Write the names of the copies into the folder, for whoever measures how old they are without the key."""
    partial = partial_of(folder / _COPIES)
    try:
        partial.write_text("\n".join(names), encoding="utf-8")
        partial.replace(folder / _COPIES)
    except OSError as error:
        raise BackupFailed(f"The folder {folder} can't be written ({error.strerror}).") from error


def _copy(store: "S3Store", file: Path) -> None:
    with file.open("rb") as backup:
        digest = hashlib.file_digest(backup, "sha256").hexdigest()
    size = file.stat().st_size
    part = max(LEAST_PART, size // MOST_PARTS + 1)
    store.put(file.name, file, attributes={_CHECKSUM: digest}, chunk_size=part, max_concurrency=AT_ONCE)
    if (there := store.head(file.name)["size"]) != size:
        raise BackupFailed(f"The copy of {file.name} has {there:,} bytes instead of {size:,}.")


def _names(store: "S3Store") -> set[str]:
    return {entry["path"] for page in store.list() for entry in page if PATTERN.fullmatch(entry["path"])}


@contextmanager
def _reached() -> Iterator["S3Store"]:
    """The storage of RUNGS_BACKUP_URL. Its errors become BackupFailed."""
    from obstore.exceptions import BaseError  # not at the top: no other process needs the library

    if not settings.BACKUP_URL:
        raise BackupFailed("RUNGS_BACKUP_URL must be set to the storage that copies go to, like s3://bucket/folder.")
    try:
        yield _open()
    except BaseError as error:
        raise BackupFailed(f"{settings.BACKUP_URL}: {str(error).strip().splitlines()[0]}") from error


def _open() -> "S3Store":
    from obstore.store import S3Store

    address = urlsplit(settings.BACKUP_URL)
    config: S3Config = {"checksum_algorithm": "SHA256"}
    if settings.BACKUP_REGION:
        config["region"] = settings.BACKUP_REGION
    if settings.BACKUP_ENDPOINT:
        config["endpoint"] = settings.BACKUP_ENDPOINT
    if settings.BACKUP_KEY_ID:
        config |= {"access_key_id": settings.BACKUP_KEY_ID, "secret_access_key": settings.BACKUP_SECRET}
    return S3Store(
        address.netloc,
        prefix=address.path.strip("/") or None,
        config=config,
        client_options={"connect_timeout": PATIENCE, "allow_http": settings.BACKUP_ENDPOINT.startswith("http://")},
        retry_config={"retry_timeout": GIVE_UP},
    )
