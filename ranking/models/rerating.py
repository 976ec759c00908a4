"""Models of what a mode is rated by: its parameters, re-ratings and ends of seasons, and what a re-rating prepares."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class ParameterVersionQuerySet(models.QuerySet["ParameterVersion"]):
    def in_force(self) -> ParameterVersionQuerySet:
        """Return the versions that belong to their mode's current generation, the newest first."""
        return self.filter(generation__lte=F("mode__generation")).order_by("-number")


class ParameterVersion(models.Model):
    """A mode's rating system with its parameters, in force from the sequence of `event` on.

    A `retroactive` version holds for the whole history: a re-rating wrote the history anew as `generation`.
    """

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="parameter_versions")
    number = models.PositiveIntegerField()
    event = models.OneToOneField("ranking.Event", models.PROTECT)
    system = models.CharField(max_length=32)
    params = models.JSONField(default=dict)
    retroactive = models.BooleanField(default=False)
    generation = models.PositiveIntegerField(default=1)  # the mode's first generation that uses this version

    objects = ParameterVersionQuerySet.as_manager()

    class Meta:
        ordering = ["mode", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["mode", "number"], name="parameters_number_once_a_mode"),
        ]

    def __str__(self) -> str:
        return f"{self.mode} · {self.system} v{self.number}"


class Rerating(models.Model):
    """A run that computes a mode's ledger anew, from the sequence `since` on (None = the whole ledger).

    Before that, the events from the sequence `sorted_from` on (None = no events) are sorted by time, so late matches
    get a new place. From NEVER on: none does, but what the mode has learnt is learnt anew.

    At most one run of a mode waits and one runs; new requests join the waiting run. The running one is the mode's
    `lease`; `worker` holds it until `claimed_until`. The end of a season is a run, too, of another `kind`: so it and a
    re-rating exclude each other. It never waits, and computes nothing anew.
    """

    RERATING, SEASON_END = "rerating", "season_end"
    KINDS = (RERATING, SEASON_END)
    DOING = {RERATING: "being rated anew", SEASON_END: "ending its season"}  # what a leased mode is, for sentences

    NEVER = 2**62  # a sequence that no event has; sorted from there on, every step keeps its place

    WAITING, RUNNING, DONE = "waiting", "running", "done"
    STATES = (WAITING, RUNNING, DONE)

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="reratings")
    kind = models.CharField(
        max_length=10, default=RERATING, db_default=RERATING, choices=[(kind, kind) for kind in KINDS]
    )
    state = models.CharField(max_length=8, default=WAITING, choices=[(state, state) for state in STATES])
    since = models.BigIntegerField(null=True)
    sorted_from = models.BigIntegerField(null=True)
    system = models.CharField(max_length=32, blank=True)  # the mode's new system; "" = it keeps its system
    params = models.JSONField(default=dict, blank=True)
    reason = models.CharField(max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    requested_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    switched_at = models.DateTimeField(null=True)  # from then on, everybody reads the new generation
    finished_at = models.DateTimeField(null=True)
    worker = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)  # matches rated anew
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)  # why the run failed

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["waiting", "running", "done"]), name="rerating_state_known"),
            models.CheckConstraint(
                condition=Q(kind="rerating") | Q(kind="season_end", state__in=["running", "done"]),
                name="rerating_kind_known",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="rerating_reason_given"),
            models.UniqueConstraint(fields=["mode"], condition=Q(state="waiting"), name="rerating_one_waits"),
            models.UniqueConstraint(fields=["mode"], condition=Q(state="running"), name="rerating_one_runs"),
        ]

    def __str__(self) -> str:
        return f"{self.mode} · {self.reason}"

    @property
    def learns_anew(self) -> bool:
        """True if a system that learns about the mode forgets what it has learnt: the system or the order changes."""
        return bool(self.system) or self.sorted_from is not None

    @property
    def sorts(self) -> bool:
        """True if steps may get a new place."""
        return self.sorted_from is not None and self.sorted_from < self.NEVER

    @property
    def doing(self) -> str:
        """What the mode is doing, as "being rated anew"."""
        return self.DOING[self.kind]


class NextPlace(models.Model):
    """The new place of an event: when the mode switches to the new generation, `event` becomes `next`.

    `late`: in the new place, too, the match ended before a match that was already rated for one of its players.
    """

    mode = models.ForeignKey("ranking.Mode", models.CASCADE, related_name="+")
    event = models.OneToOneField("ranking.Event", models.PROTECT, related_name="place")
    next = models.OneToOneField("ranking.Event", models.PROTECT, related_name="+")
    late = models.BooleanField(default=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(next__gt=F("event")), name="next_place_is_new")]

    def __str__(self) -> str:
        return f"{self.event_id} becomes {self.next_id}"


class NextRating(models.Model):
    """The new state of a rating, which it gets when the mode switches to the new generation."""

    rating = models.OneToOneField("ranking.Rating", models.CASCADE, related_name="next")
    mode = models.ForeignKey("ranking.Mode", models.CASCADE, related_name="+")
    display_hundredths = models.BigIntegerField()
    mu = models.FloatField(null=True)
    sigma = models.FloatField(null=True)
    volatility = models.FloatField(null=True)
    skill_matches = models.IntegerField(null=True)
    reached_at = models.DateTimeField()
    wins = models.PositiveIntegerField()
    draws = models.PositiveIntegerField()
    losses = models.PositiveIntegerField()
    leaves = models.PositiveIntegerField()
    podiums = models.PositiveIntegerField(default=0, db_default=0)
    top_halves = models.PositiveIntegerField(default=0, db_default=0)
    place_sum = models.PositiveIntegerField(default=0, db_default=0)
    brief_matches = models.PositiveIntegerField(default=0, db_default=0)
    carried = models.BooleanField(default=False, db_default=False)
    recent_completions = models.JSONField(default=list)
    last_completed_at = models.DateTimeField(null=True)
    last_match_at = models.DateTimeField(null=True)
    active_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"next of {self.rating_id}"
