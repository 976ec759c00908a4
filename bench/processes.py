"""Processor time of other processes, from /proc (Linux)."""

import os
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()


def descendants(pid: int) -> list[int]:
    """A process and all below it."""
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
    """User and system time of a process tree so far, its ended children included."""
    total = 0
    for each in descendants(pid):
        try:
            fields = _stat(each)
        except OSError:
            continue
        total += int(fields[11]) + int(fields[12]) + int(fields[13]) + int(fields[14])
    return total / _TICK


def postmaster() -> int:
    """The PostgreSQL server on this machine."""
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().split(b"\0")
            if command[0].endswith(b"/postgres") and b"-D" in command:
                return int(entry.name)
        except OSError:
            continue
    raise SystemExit("PostgreSQL must run on this machine for its processor time to be counted.")
