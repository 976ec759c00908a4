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
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import F, Q

from ranking.models import EvaluationRun, FitRun
from ranking.models.evaluation import HistoryRunQuerySet
from ranking.systems.base import Refused

LEASE = dt.timedelta(minutes=1)
ATTEMPTS = 3  # leases in a row without a new result
NOTED_EVERY = dt.timedelta(seconds=1)

Clock = Callable[[], dt.datetime]
Run = TypeVar("Run", EvaluationRun, FitRun)
log = logging.getLogger(__name__)


@dataclass(slots=True)
class Leased(Generic[Run]):
    """A run that this process has leased. `steps` is its work in progress, which yields how far it is."""

    run: Run
    lease: str
    noted_at: dt.datetime
    steps: Iterator[int]


InHand = TypeVar("InHand", bound=Leased[Any])


class Jobs(ABC, Generic[Run, InHand]):
    """The runs of one model, and the one of them that this process has in hand between two turns."""

    model: type[Run]
    command: str  # does the same without a limit of time
    begun: ClassVar[dict[str, Any]] = {}  # columns to set when a run is leased

    def __init__(self) -> None:
        self.in_hand: InHand | None = None

    def has_work(self) -> bool:
        """True if a run hasn't ended."""
        return self.model.objects.filter(state__in=self.model.UNFINISHED).exists()

    def work(self, clock: Clock, *, seconds: float, keep: bool) -> bool:
        """Work on a run for about `seconds`; return False if no run waits.

        `keep`: this process will be called again, and keeps its work in memory until then. Otherwise it gives the
        lease back.
        """
        leased, self.in_hand = self.in_hand or self._lease(clock()), None
        if leased is None:
            return False
        deadline = clock() + dt.timedelta(seconds=seconds)
        try:
            while self.step(leased, clock):
                if clock() >= deadline:
                    if keep:
                        self.in_hand = leased
                    else:
                        self.row(leased).update(claimed_by="", claimed_until=None, **self.to_leave(leased))
                    break
        except Refused as refused:
            self.row(leased).end(self.model.FAILED, clock(), error=str(refused))
        except Exception as error:  # the lease runs out, and a process tries again
            log.exception("%s broke off.", leased.run)
            self.row(leased).update(error=f"{type(error).__name__}: {error}"[:1_000])
        return True

    def row(self, leased: InHand) -> HistoryRunQuerySet:
        """The run's row, if this process still has the lease."""
        return self.model.objects.filter(pk=leased.run.pk, claimed_by=leased.lease, state=self.model.RUNNING)

    def _lease(self, now: dt.datetime) -> InHand | None:
        """Lease the oldest free run; None while a process works on another, since one runs at a time everywhere."""
        unfinished = self.model.objects.filter(state__in=self.model.UNFINISHED)
        if unfinished.filter(claimed_until__gte=now).exists():
            return None
        unclaimed = unfinished.filter(Q(claimed_until=None) | Q(claimed_until__lt=now))
        run = self.ready(unclaimed).select_related("mode").order_by("id").first()
        if run is None:
            return None
        ours = unclaimed.filter(pk=run.pk)
        if run.attempts >= ATTEMPTS:
            gave_up = f"Given up after {ATTEMPTS} attempts, each broken off before it was done. `{self.command}`"
            ours.end(self.model.FAILED, now, error=run.error or f"{gave_up} has no limit of time.")
            return None
        lease = secrets.token_hex(16)
        taken = ours.update(
            state=self.model.RUNNING, claimed_by=lease, claimed_until=now + LEASE, attempts=F("attempts") + 1,
            **self.begun,
        )  # fmt: skip
        return self.begin(run, lease, now) if taken else None  # otherwise another process was first

    def ready(self, unclaimed: HistoryRunQuerySet) -> HistoryRunQuerySet:
        """Those of these runs that can be worked on now."""
        return unclaimed

    @abstractmethod
    def begin(self, run: Run, lease: str, now: dt.datetime) -> InHand:
        """Take up the work where the row has it."""

    @abstractmethod
    def step(self, leased: InHand, clock: Clock) -> bool:
        """Go on a little, and note the progress; return False if the run ended or the lease is lost."""

    @abstractmethod
    def to_leave(self, leased: InHand) -> dict[str, Any]:
        """The columns to set when the lease is given back."""
