"""Processor time of other processes, from /proc (Linux)."""

import os
from pathlib import Path

from django.db import connection

_TICK = os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()


def descendants(pid: int) -> list[int]:
    """A process and all its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents.setdefault(int(_stat(int(entry.name))[1]), []).append(int(entry.name))
            except OSError:
                continue  # gone meanwhile
    found, queue = [], [pid]
    while queue:
        found.append(queue.pop())
        queue += parents.get(found[-1], [])
    return found


def cpu_seconds(pid: int) -> float:
    """User and system time of a process tree so far, including children that have ended."""
    total = 0
    for each in descendants(pid):
        try:
            fields = _stat(each)
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12]) + int(fields[13]) + int(fields[14])
    return total / _TICK


def scheduled_seconds(pid: int) -> float:
    """Processor time of one process of one thread so far, to the nanosecond."""
    return int((Path("/proc") / str(pid) / "schedstat").read_text().split()[0]) / 1e9


def postmaster() -> int:
    """The process of the PostgreSQL server that we are connected to, the parent of our backend, on this machine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = int(cursor.fetchone()[0])
    try:
        command = (Path("/proc") / str(backend) / "cmdline").read_bytes()
    except OSError:
        command = b""
    if not command.startswith(b"postgres"):
        raise SystemExit("PostgreSQL must run on this machine for its processor time to be counted.")
    return int(_stat(backend)[1])
