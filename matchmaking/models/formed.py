"""The history of matches formed and their quality, without players' names."""

from __future__ import annotations

from django.db import models


class Formed(models.Model):
    """A match that the tick formed. `waits`: [percentile, size, seconds waited] of each ticket.

    `spread`: highest minus lowest strength; `difference`: between the teams' mean strengths.
    """

    queue = models.ForeignKey("matchmaking.Queue", models.PROTECT, related_name="history", db_index=False)
    formed_at = models.DateTimeField(db_index=True)
    region = models.CharField(max_length=32, blank=True)
    difference = models.FloatField()
    spread = models.FloatField()
    longest_wait = models.FloatField()
    waits = models.JSONField()

    class Meta:
        verbose_name_plural = "matches formed"
        indexes = [models.Index(fields=["queue", "-id"], name="formed_latest")]

    def __str__(self) -> str:
        return f"{self.queue_id} at {self.formed_at:%Y-%m-%d %H:%M:%S}"
