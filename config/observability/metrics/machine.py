"""Gauges of this machine: its version, what it can reach, and how much room its disks have."""

import platform
import shutil
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from prometheus_client import Metric
from prometheus_client.core import InfoMetricFamily

from config import VERSION
from config.observability.health import CHECKS, READY, find_outcomes
from config.observability.metrics.gauges import gauge, labelled_gauge
from config.storage.backup_timer import newest_backup_at
from config.storage.off_host_backups import known_copy_at

_BELIEVED = {"migrations": 60.0}  # seconds
_ready_until: dict[str, float] = {}  # by check, on this process's monotonic clock


def read_gauges(readiness: Mapping[str, bool]) -> Iterable[Metric]:
    """`readiness`: as `find_readiness` gives it."""
    info = {"version": VERSION, "profile": settings.PROFILE, "python": platform.python_version()}
    yield InfoMetricFamily("rungs", "The program.", value=info)
    yield labelled_gauge(
        "rungs_ready", "1 if this part of the site is ready: what /health/ready says.", ["check"],
        (([name], is_ready) for name, is_ready in readiness.items()),
    )  # fmt: skip
    yield from _backups()
    usages = dict(_disk_usages())
    yield labelled_gauge(
        "rungs_disk_free_bytes", "Room on the disk that a folder is on.", ["folder"],
        (([name], usage.free) for name, usage in usages.items()),
    )  # fmt: skip
    yield labelled_gauge(
        "rungs_disk_size_bytes", "Size of the disk that a folder is on.", ["folder"],
        (([name], usage.total) for name, usage in usages.items()),
    )  # fmt: skip


def find_readiness() -> dict[str, bool]:
    """Run all checks. That all migrations are applied is believed for a minute: to find it out takes 40 ms."""
    asked = [name for name in CHECKS if _ready_until.get(name, 0.0) <= time.monotonic()]
    outcomes = {**dict.fromkeys(CHECKS, READY), **find_outcomes(asked)}
    for name in asked:
        if outcomes[name] == READY:
            _ready_until[name] = time.monotonic() + _BELIEVED.get(name, 0.0)
    return {name: outcome == READY for name, outcome in outcomes.items()}


def _backups() -> Iterable[Metric]:
    """When the newest backup of the timer began; 0 also if the folder isn't there, because it may have been lost.

    If copies are wanted, when that of the newest copy began.
    """
    if not settings.BACKUP_DIR:
        return
    folder, now = Path(settings.BACKUP_DIR), timezone.now()
    newest = newest_backup_at(folder, now=now)
    yield gauge(
        "rungs_backup_timestamp_seconds", "When the newest backup began, as a Unix time; 0 if there is none.",
        newest.timestamp() if newest else 0,
    )  # fmt: skip
    if settings.BACKUP_URL:
        copied = known_copy_at(folder, now=now)
        yield gauge(
            "rungs_backup_copy_timestamp_seconds",
            "When the newest backup began of which there is a copy away from the machine, as a Unix time; 0 if none.",
            copied.timestamp() if copied else 0,
        )
    yield gauge("rungs_backup_interval_seconds", "How often a backup is taken.", 3_600 * settings.BACKUP_EVERY)


def _disk_usages() -> Iterable[tuple[str, Any]]:
    """The disk of each folder, by the folder's name. A folder that can't be looked at, or isn't there, is left out."""
    for name, folder in _folders().items():
        with suppress(OSError):
            yield name, shutil.disk_usage(folder)


def _folders() -> dict[str, Path]:
    """Folders of this machine that the site writes to, by name. PostgreSQL's are elsewhere."""
    database = settings.DATABASES["default"]
    folders = {} if settings.SCALED else {"database": Path(database["NAME"]).parent}
    if settings.BACKUP_DIR:
        folders["backups"] = Path(settings.BACKUP_DIR)
    if settings.METRICS_DIR:
        folders["metrics"] = Path(settings.METRICS_DIR)
    return folders
