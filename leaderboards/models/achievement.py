"""Achievements, which are derived from the ledger, and how far each player's history has been read for them."""

from django.db import models
from django.db.models import Q


class Achievement(models.Model):
    """An achievement that a player earned in a mode: once, or once an `occasion` if it can be earned again.

    `feat`: a key of leaderboards.rules.achievements. `season`: the archived season that granted it; its number is the
    occasion.
    """

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="achievements", db_index=False)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="achievements", db_index=False)
    feat = models.CharField(max_length=32)
    occasion = models.CharField(max_length=32, blank=True)
    season = models.ForeignKey("ranking.Season", models.PROTECT, null=True, related_name="achievements")
    match = models.ForeignKey("ranking.Match", models.PROTECT, null=True, related_name="+", db_index=False)
    earned_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "mode", "feat", "occasion"], name="achievement_once"),
            models.CheckConstraint(condition=~Q(feat=""), name="achievement_feat_given"),
            models.CheckConstraint(
                condition=Q(season__isnull=True) | ~Q(occasion=""), name="achievement_once_a_season"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.feat} of {self.player_id}"


class AchievementCount(models.Model):
    """How many players have an achievement in a mode, of how many who have played it; a job counts anew."""

    mode = models.ForeignKey("ranking.Mode", models.CASCADE, related_name="+", db_index=False)
    feat = models.CharField(max_length=32)
    holders = models.PositiveIntegerField()
    players = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["mode", "feat"], name="achievement_count_once"),
        ]

    def __str__(self) -> str:
        return f"{self.feat}: {self.holders} of {self.players}"


class Progress(models.Model):
    """How far a player's history in a mode was read, and the counts that the rules carry on from there.

    `upto`: the last event that was read; 0 = none yet. `completed`: matches completed in the season of that event.
    """

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="progress", db_index=False)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="progress", db_index=False)
    generation = models.PositiveIntegerField()
    upto = models.BigIntegerField(default=0)
    season = models.BigIntegerField(default=0)
    completed = models.PositiveIntegerField(default=0)
    wins = models.PositiveIntegerField(default=0)  # in a row, like the next two
    losses = models.PositiveIntegerField(default=0)
    stayed = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "mode"], name="progress_once_a_mode")]

    def __str__(self) -> str:
        return f"{self.player_id} up to {self.upto}"
