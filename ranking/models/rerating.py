"""Re-rating a mode: the lease that its run holds, and the ratings that it prepares."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Rerating(models.Model):
    """One computing anew of a mode's ledger, from the sequence `since` on (None = all of it).

    What came from `sorted_from` on (None = nothing) is put in the order of time before: late matches get a new place.

    At most one of a mode waits and one runs; requests made meanwhile join the one that waits. The one that runs is
    the mode's `lease`; `worker` holds it until `claimed_until`.
    """

    WAITING, RUNNING, DONE = "waiting", "running", "done"
    STATES = (WAITING, RUNNING, DONE)

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="reratings")
    state = models.CharField(max_length=8, default=WAITING, choices=[(state, state) for state in STATES])
    since = models.BigIntegerField(null=True)
    sorted_from = models.BigIntegerField(null=True)
    system = models.CharField(max_length=32, blank=True)  # to which the mode goes over; "" = stays with what it has
    params = models.JSONField(default=dict, blank=True)
    reason = models.CharField(max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    requested_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    switched_at = models.DateTimeField(null=True)  # since then everybody reads the new generation
    finished_at = models.DateTimeField(null=True)
    worker = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0)  # matches rated anew
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)  # why nothing came of it

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=["waiting", "running", "done"]), name="rerating_state_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="rerating_reason_given"),
            models.UniqueConstraint(fields=["mode"], condition=Q(state="waiting"), name="rerating_one_waits"),
            models.UniqueConstraint(fields=["mode"], condition=Q(state="running"), name="rerating_one_runs"),
        ]

    def __str__(self) -> str:
        return f"{self.mode} · {self.reason}"


class NextPlace(models.Model):
    """Where a step of history goes when its mode switches to the generation that is being computed: it becomes `next`.

    `late`: in its new place, too, its match ended before one already rated for one of its players.
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
    """What a rating becomes when its mode switches to the generation that is being computed."""

    rating = models.OneToOneField("ranking.Rating", models.CASCADE, related_name="next")
    mode = models.ForeignKey("ranking.Mode", models.CASCADE, related_name="+")
    display_hundredths = models.BigIntegerField()
    mu = models.FloatField(null=True)
    sigma = models.FloatField(null=True)
    volatility = models.FloatField(null=True)
    reached_at = models.DateTimeField()
    wins = models.PositiveIntegerField()
    draws = models.PositiveIntegerField()
    losses = models.PositiveIntegerField()
    leaves = models.PositiveIntegerField()
    recent_completions = models.JSONField(default=list)
    last_completed_at = models.DateTimeField(null=True)
    last_match_at = models.DateTimeField(null=True)
    active_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"next of {self.rating_id}"
