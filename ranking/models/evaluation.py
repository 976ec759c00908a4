"""Models of evaluations and fits: what to try on a mode's history, the progress, and the results."""

import datetime as dt
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q


class HistoryRunQuerySet(models.QuerySet[Any]):
    def end(self, state: str, now: dt.datetime, **fields: Any) -> bool:
        """Set the final state of those of these runs that are unfinished; return False if none was."""
        unclaimed = {"claimed_by": "", "claimed_until": None, **self.model.OF_UNFINISHED}
        unfinished = self.filter(state__in=self.model.UNFINISHED)
        return bool(unfinished.update(state=state, finished_at=now, **unclaimed, **fields))


class HistoryRun(models.Model):
    """A run over a mode's history up to the sequence `until`.

    `candidates`: [{"system", "params"}]. `results`: one for each candidate that is done, in the same order. A worker
    claims the run by a conditional update until `claimed_until`; `attempts` counts the claims since the last result.
    """

    WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
    STATES = (WAITING, RUNNING, DONE, FAILED, STOPPED)
    UNFINISHED = (WAITING, RUNNING)
    OF_UNFINISHED: ClassVar[dict[str, object]] = {}  # columns of an unfinished run, with what they hold afterwards

    candidates = models.JSONField()
    until = models.PositiveBigIntegerField()
    matches = models.PositiveBigIntegerField()
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    asked_at = models.DateTimeField()

    state = models.CharField(max_length=7, default=WAITING, choices=[(state, state) for state in STATES])
    results = models.JSONField(default=list)
    error = models.TextField(blank=True)  # a sentence
    finished_at = models.DateTimeField(null=True)
    claimed_by = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    objects = HistoryRunQuerySet.as_manager()

    class Meta:
        abstract = True

    @property
    def is_unfinished(self) -> bool:
        return self.state in self.UNFINISHED


def _constraints(prefix: str) -> list[models.BaseConstraint]:
    """One unfinished run a mode; a time of the end for those that have ended; a claim on running ones alone."""
    return [
        models.UniqueConstraint(
            fields=["mode"], condition=Q(state__in=["waiting", "running"]), name=f"{prefix}_one_at_a_time"
        ),
        models.CheckConstraint(
            condition=Q(state__in=["waiting", "running"], finished_at__isnull=True)
            | Q(state__in=["done", "failed", "stopped"], finished_at__isnull=False),
            name=f"{prefix}_finished_or_not",
        ),
        models.CheckConstraint(
            condition=Q(claimed_by="", claimed_until__isnull=True)
            | ~Q(claimed_by="") & Q(claimed_until__isnull=False, state="running"),
            name=f"{prefix}_claimed_while_running",
        ),
    ]


class EvaluationRun(HistoryRun):
    """A run that tries rating systems. The first candidate is the parameters in force.

    `progress`: how many of the `matches` the current candidate has rated.
    """

    OF_UNFINISHED: ClassVar[dict[str, object]] = {"progress": 0}

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="evaluations", db_index=False)
    progress = models.PositiveBigIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["mode", "-id"], name="evaluation_newest")]
        constraints = _constraints("evaluation")

    def __str__(self) -> str:
        return f"{self.mode} · evaluation {self.pk}"

    @property
    def percent(self) -> int:
        """Return the progress of all candidates together, 0 to 100."""
        done = len(self.results) * self.matches + self.progress
        return 100 * done // max(1, len(self.candidates) * self.matches)


class FitRun(HistoryRun):
    """A run that fits rating systems; its results (see ranking.trials.core.fits) are candidates of the mode.

    `known`: [alternative, point, objective] of the current search, from which another worker goes on; it belongs to
    the history with this `digest`. `replays`: those of the current search. `summary`: the ranking of systems, and
    weights of statistics if `impact`. `used`: the results that became parameters of the mode.
    """

    OF_UNFINISHED: ClassVar[dict[str, Any]] = {"known": [], "replays": 0}

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="fits", db_index=False)
    number = models.PositiveIntegerField()  # counts the mode's fits from 1; old ones are dropped
    impact = models.BooleanField(default=False)
    source = models.CharField(max_length=200, blank=True)  # the file; empty = the mode's own history

    replays = models.PositiveIntegerField(default=0)
    known = models.JSONField(default=list)
    digest = models.CharField(max_length=32, blank=True)
    summary = models.JSONField(default=dict)
    used = models.JSONField(default=list)

    class Meta:
        indexes = [models.Index(fields=["mode", "-id"], name="fit_newest")]
        constraints = _constraints("fit")

    def __str__(self) -> str:
        return f"{self.mode} · fit {self.pk}"
