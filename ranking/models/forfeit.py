"""Dropping out of a lobby before its match: a fact of its own, rated for the dropper alone."""

from django.db import models
from django.db.models import Q


class Forfeit(models.Model):
    """One per lobby and player. `event` and `season` are None until it is rated."""

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="forfeits", db_index=False)
    lobby = models.CharField(max_length=64)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="forfeits")  # the dropper
    teams = models.JSONField()  # [[player id, …], …], as proposed
    reason = models.CharField(max_length=200)
    happened_at = models.DateTimeField()
    event = models.OneToOneField("ranking.Event", models.PROTECT, null=True, related_name="forfeit")
    season = models.ForeignKey("ranking.Season", models.PROTECT, null=True, related_name="+", db_index=False)

    class Meta:
        indexes = [models.Index(fields=["mode", "id"], condition=Q(event__isnull=True), name="forfeit_to_rate")]
        constraints = [
            models.UniqueConstraint(fields=["mode", "lobby", "player"], name="forfeit_once_a_lobby"),
            models.CheckConstraint(condition=~Q(lobby=""), name="forfeit_lobby_given"),
            models.CheckConstraint(
                condition=Q(event__isnull=True, season__isnull=True) | Q(event__isnull=False, season__isnull=False),
                name="forfeit_rated_within_a_season",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} of {self.lobby}"
