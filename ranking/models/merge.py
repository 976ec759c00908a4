"""Merges of players: facts, each with who and why."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Merge(models.Model):
    """`merged` turned out to be `kept`: whose matches theirs are, and whose any result is that names their key.

    `sequence`: the last step of history of which `merged` may have been a part. Which matches were theirs, their
    participations know (`played_as`); `forfeits` are the ids of those in whose teams they were.
    """

    kept = models.ForeignKey("ranking.Player", models.PROTECT, related_name="merges")
    merged = models.ForeignKey("ranking.Player", models.PROTECT, related_name="merges_away", db_index=False)
    sequence = models.BigIntegerField()
    forfeits = models.JSONField(default=list)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=200)
    merged_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["merged"], name="merge_once_a_player"),
            models.CheckConstraint(condition=~Q(kept=F("merged")), name="merge_of_two"),
            models.CheckConstraint(condition=~Q(reason=""), name="merge_reason_given"),
        ]

    def __str__(self) -> str:
        return f"{self.merged} into {self.kept}"
