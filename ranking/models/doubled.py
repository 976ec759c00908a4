"""Model of doubled matches: what a moderator looks at, since one match may have been recorded twice."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class DoubledMatch(models.Model):
    """Matches that look like one: `first` and those alike to it, or `first` and `second`, which overlap.

    Those alike to the first aren't stored: see ranking.matches.doubles. Nothing follows from a row by itself. A
    moderator's dismissal ("these are different") stands for good.
    """

    ALIKE, OVERLAP = "alike", "overlap"
    KINDS = ((ALIKE, "alike"), (OVERLAP, "overlapping"))

    kind = models.CharField(max_length=7, choices=KINDS)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="+", db_index=False)  # of the first
    first = models.ForeignKey("ranking.Match", models.PROTECT, related_name="+", db_index=False)
    second = models.ForeignKey("ranking.Match", models.PROTECT, related_name="+", null=True)
    ended_at = models.DateTimeField()  # when the first ended
    found_at = models.DateTimeField()
    dismissed_at = models.DateTimeField(null=True)
    dismissed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        verbose_name = "doubled match"
        verbose_name_plural = "alike and overlapping matches"
        indexes = [models.Index(F("ended_at").desc(), F("id").desc(), name="doubled_latest")]
        constraints = [
            models.UniqueConstraint(fields=["first"], condition=Q(kind="alike"), name="doubled_once_a_match"),
            models.UniqueConstraint(fields=["first", "second"], name="doubled_once_a_pair"),
            models.CheckConstraint(
                condition=Q(kind="alike", second__isnull=True) | Q(kind="overlap", second__isnull=False),
                name="doubled_of_one_or_two",
            ),
            models.CheckConstraint(
                condition=Q(second__isnull=True) | Q(second__gt=F("first")), name="doubled_first_is_earlier"
            ),
            models.CheckConstraint(
                condition=Q(dismissed_at__isnull=True, reason="") | Q(dismissed_at__isnull=False) & ~Q(reason=""),
                name="doubled_dismissed_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        if self.second_id is None:
            return f"Matches alike to {self.first_id}"
        return f"Overlapping matches {self.first_id} and {self.second_id}"
