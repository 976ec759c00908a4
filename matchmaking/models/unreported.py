"""Facts about matches that were never reported, and whose server fell silent while one team was behind."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q


class UnreportedLoss(models.Model):
    """A player whose team was behind when the match's server fell silent; no result ever came.

    Once is bad luck. Again and again it is a loser who crashes servers. `score`: of the player's team; `best`: of the
    team that led, both as the server told last.
    """

    lobby_key = models.CharField(max_length=20)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="+", db_index=False)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="unreported_losses", db_index=False)
    server = models.CharField(max_length=200)  # its name; the row itself may belong to another one by now
    score = models.FloatField()
    best = models.FloatField()
    silent_at = models.DateTimeField()
    closed_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "unreported losses"
        indexes = [
            models.Index(fields=["player", "mode"], name="unreported_of_player"),
            models.Index(fields=["-closed_at"], name="unreported_latest"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["lobby_key", "player"], name="unreported_once_a_lobby"),
            models.CheckConstraint(condition=Q(best__gt=F("score")), name="unreported_was_behind"),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.lobby_key}"
