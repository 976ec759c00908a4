"""The model of voids: a match or a forfeit is taken out of the history of ratings, by whom and why."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Void(models.Model):
    """A void, in force until it is lifted. A match may be voided again afterwards; each time is a row of its own."""

    match = models.ForeignKey("ranking.Match", models.PROTECT, null=True, related_name="voids")
    forfeit = models.ForeignKey("ranking.Forfeit", models.PROTECT, null=True, related_name="voids")
    voided_at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200)
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    lift_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match"], condition=Q(lifted_at__isnull=True), name="void_once_at_a_time"),
            models.UniqueConstraint(
                fields=["forfeit"], condition=Q(lifted_at__isnull=True), name="void_of_forfeit_once_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(match__isnull=True, forfeit__isnull=False) | Q(match__isnull=False, forfeit__isnull=True),
                name="void_of_a_match_or_a_forfeit",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="void_reason_given"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lift_reason="") | Q(lifted_at__isnull=False) & ~Q(lift_reason=""),
                name="void_lifted_with_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True) | Q(lifted_at__gte=F("voided_at")), name="void_lifted_afterwards"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.match_id or self.forfeit_id}: {self.reason}"
