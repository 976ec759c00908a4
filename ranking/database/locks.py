"""Locks on a mode, held until the transaction ends, on the sweeps of the outbox; and the order in which writers lock.

A transaction takes the locks that it needs in this order, so that no two wait for each other in a circle:

1. modes: the advisory locks here (`share_modes`, or `hold_modes` alone), then the rows (`lock_modes` in
   ranking/modes/row_locks.py), then `hold_publishing`
2. reratings: the waiting ones by `lock_modes`; a worker extends its lease, which is the running one
3. neutral names (`hold_neutral_names`), then claim codes, then players, by id
4. ratings, by id, however many modes they are of
5. matches, then forfeits, each by id
6. what hangs on these: bans, incidents and appeals; lobbies, tickets and servers; watches, deliveries

Whoever locks several ratings shares or holds their modes first. So statements under `hold_mode` may update a mode's
ratings in any order. Publishing waits for nobody: it skips locked rows. What goes wrong nevertheless, such as a lock
on a foreign key, is tried again: see retries.

On PostgreSQL the locks here are advisory locks. On SQLite every transaction is IMMEDIATE: writers take turns already,
and there is nothing to lock.
"""

import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import connection

_MODE, _PUBLISHER, _TICKER, _LEARNER, _SWEEPER, _NAMER = 1, 2, 3, 4, 5, 6  # the first of an advisory lock's two numbers
_POLL = 0.1  # seconds, after which SQLite's waiting writers poll again at the latest


class Turns:
    """SQLite only. Between two transactions of a long job, sleep 0.1 s if it has written for longer, so that waiting
    writers (which poll) get the lock.
    """

    def __init__(self) -> None:
        self._since = time.monotonic()

    def pause(self) -> None:
        """Sleep, unless the job has written only for so short a time that waiting writers have hardly polled."""
        if connection.vendor == "sqlite" and time.monotonic() - self._since > _POLL:
            time.sleep(_POLL)
            self._since = time.monotonic()


def share_modes(slugs: Iterable[str]) -> None:
    """Share these modes with other writers; nobody can hold them meanwhile."""
    if connection.vendor == "postgresql":
        numbers = sorted({_number(slug) for slug in slugs})
        if not numbers:
            return
        with connection.cursor() as cursor:
            calls = ", ".join(["pg_advisory_xact_lock_shared(%s, %s)"] * len(numbers))
            cursor.execute(f"SELECT {calls}", [part for number in numbers for part in (_MODE, number)])


def hold_mode(slug: str) -> None:
    """Wait until no writer shares this mode, and keep new ones out."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_MODE, _number(slug)])


def hold_modes(slugs: Iterable[str]) -> None:
    """Hold several modes, locked in the same order as by share_modes."""
    for slug in sorted(slugs, key=_number):
        hold_mode(slug)


def hold_neutral_names() -> None:
    """Wait until nobody gives players neutral names, and keep others from it."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_NAMER])


def claim_publishing(slug: str) -> bool:
    """Become the only publisher of a mode; returns False if another one is at work."""
    return _claim(_PUBLISHER, slug)


def claim_ticking(slug: str) -> bool:
    """Become the only one who forms matches in a mode; returns False if another one is at work."""
    return _claim(_TICKER, slug)


def claim_learning(slug: str) -> bool:
    """Become the only one who writes what a mode has learnt; returns False if another one is at it."""
    return _claim(_LEARNER, slug)


def _claim(work: int, slug: str) -> bool:
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [work, _number(slug)])
        return bool(cursor.fetchone()[0])


@contextmanager
def claim_sweeping() -> Iterator[bool]:
    """Be the only one who sweeps the outbox, for several transactions; yields False if another one is at it."""
    if connection.vendor != "postgresql":
        yield True
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, 0)", [_SWEEPER])
        claimed = bool(cursor.fetchone()[0])
    try:
        yield claimed
    finally:
        if claimed:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [_SWEEPER])


def hold_publishing(slug: str) -> None:
    """Wait until nobody publishes this mode, and keep new publishers out."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_PUBLISHER, _number(slug)])


def _number(slug: str) -> int:
    """A signed 32-bit number for a mode. If two modes share one, they only wait for each other now and then."""
    return zlib.crc32(slug.encode()) - 2**31
