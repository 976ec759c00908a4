"""Runs over a mode's history as jobs: one process at a time leases a run and works on it in turns.

What a run works with lives in the memory of the process with the lease. A process that finds an expired lease begins
with what the row holds; after ATTEMPTS leases in a row without a new result it gives the run up.
"""

from __future__ import annotations

import datetime as dt
import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from django.db.models import F, Q

from ranking.models import EvaluationRun, FitRun
from ranking.models.evaluation import HistoryRunQuerySet
from ranking.systems.base import Refused

LEASE = dt.timedelta(minutes=1)
ATTEMPTS = 3  # leases in a row without a new result
NOTED_EVERY = dt.timedelta(seconds=1)
NEW_RESULT = -1  # what the steps of a work yield after each result

Clock = Callable[[], dt.datetime]
log = logging.getLogger(__name__)


class Work(ABC):
    """The work on a run that this process has leased. `steps` yields how far it is, and NEW_RESULT after a result."""

    model: ClassVar[type[EvaluationRun | FitRun]]
    command: ClassVar[str]  # does the same without a limit of time
    begun: ClassVar[dict[str, Any]] = {}  # columns to set when a run is leased
    ready = Q()  # the runs that can be worked on now

    def __init__(self, run: Any, lease: str, now: dt.datetime) -> None:
        self.run, self.lease, self.noted_at = run, lease, now
        self.steps = self.start()

    @property
    def row(self) -> HistoryRunQuerySet:
        """The run's row, if this process still has the lease."""
        return self.model.objects.filter(pk=self.run.pk, claimed_by=self.lease, state=self.model.RUNNING)

    def step(self, clock: Clock) -> bool:
        """Go on a little, and note the progress; return False if the run ended or the lease is lost."""
        progress = next(self.steps, None)
        now = clock()
        if progress is None:
            self.row.end(self.model.DONE, now, error="", **self.outcome())
            return False
        if progress != NEW_RESULT and now < self.noted_at + NOTED_EVERY:
            return True
        self.noted_at = now
        return bool(self.row.update(claimed_until=now + LEASE, **self.note(progress)))

    @abstractmethod
    def start(self) -> Iterator[int]:
        """Take up the work where the row has it."""

    @abstractmethod
    def note(self, progress: int) -> dict[str, Any]:
        """The columns that tell the progress. `progress`: what `steps` yielded, or 0 if the lease is given back."""

    def outcome(self) -> dict[str, Any]:
        """The columns to set at the end."""
        return {}


class Jobs:
    """The runs of one kind, and the one of them that this process has in hand between two turns."""

    def __init__(self, work: type[Work]) -> None:
        self._work = work
        self.in_hand: Work | None = None

    def has_work(self) -> bool:
        """True if a run hasn't ended."""
        return self._unfinished().exists()

    def work(self, clock: Clock, *, seconds: float, keep: bool) -> bool:
        """Work on a run for about `seconds`; return False if no run waits.

        `keep`: this process will be called again, and keeps its work in memory until then. Otherwise it gives the
        lease back.
        """
        work, self.in_hand = self.in_hand or self._lease(clock()), None
        if work is None:
            return False
        deadline = clock() + dt.timedelta(seconds=seconds)
        try:
            while work.step(clock):
                if clock() >= deadline:
                    if keep:
                        self.in_hand = work
                    else:
                        work.row.update(claimed_by="", claimed_until=None, **work.note(0))
                    break
        except Refused as refused:
            work.row.end(work.model.FAILED, clock(), error=str(refused))
        except Exception as error:  # the lease runs out, and a process tries again
            log.exception("%s broke off.", work.run)
            work.row.update(error=f"{type(error).__name__}: {error}"[:1_000])
        return True

    def _unfinished(self) -> HistoryRunQuerySet:
        return self._work.model.objects.filter(state__in=self._work.model.UNFINISHED)

    def _lease(self, now: dt.datetime) -> Work | None:
        """Lease the oldest free run; None while a process works on another, since one runs at a time everywhere."""
        model, unfinished = self._work.model, self._unfinished()
        if unfinished.filter(claimed_until__gte=now).exists():
            return None
        unclaimed = unfinished.filter(Q(claimed_until=None) | Q(claimed_until__lt=now))
        run = unclaimed.filter(self._work.ready).select_related("mode").order_by("id").first()
        if run is None:
            return None
        ours = unclaimed.filter(pk=run.pk)
        if run.attempts >= ATTEMPTS:
            gave_up = f"Given up after {ATTEMPTS} attempts, each broken off before it was done. `{self._work.command}`"
            ours.end(model.FAILED, now, error=run.error or f"{gave_up} has no limit of time.")
            return None
        lease = secrets.token_hex(16)
        taken = ours.update(
            state=model.RUNNING, claimed_by=lease, claimed_until=now + LEASE, attempts=F("attempts") + 1,
            **self._work.begun,
        )  # fmt: skip
        return self._work(run, lease, now) if taken else None  # otherwise another process was first
