"""How long tests wait for processes and threads: for as long as the machine is busy, and some seconds more."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

_STAT = Path("/proc/stat")
_LONGEST = 10  # times the seconds that were asked for: then something hangs, however busy the machine is


def waits(seconds: float, *, every: float = 0.1) -> Iterator[None]:
    """Yield between pauses, until `seconds` have passed in which a processor of this machine had nothing to do.

    While all are busy, whoever is waited for may not get its turn: that time doesn't count.
    """
    began = time.monotonic()
    at, idle, left = began, _idle_seconds(), seconds
    while left > 0 and at - began < _LONGEST * seconds:
        yield
        time.sleep(every)
        now, still_idle = time.monotonic(), _idle_seconds()
        left -= min(now - at, still_idle - idle)
        at, idle = now, still_idle


def wait_until(true: Callable[[], bool], seconds: float = 40) -> bool:
    """Ask again and again. Is it so, before the patience ends?"""
    return any(true() for _ in waits(seconds))


def _idle_seconds() -> float:
    """The time in which processors had nothing to do, of all together; where the system doesn't say so, all time."""
    if not _STAT.exists():
        return time.monotonic()
    return int(_STAT.read_text().split(maxsplit=5)[4]) / os.sysconf("SC_CLK_TCK")
