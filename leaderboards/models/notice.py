"""Notices to players, and whose standing is to be looked at after the next publication."""

from django.db import models
from django.db.models import Q


class Notice(models.Model):
    """Something that a player is told, once an occasion.

    `data` is what its words need: leaderboards.notifications.wording.
    """

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="notices", db_index=False)
    kind = models.CharField(max_length=16)
    occasion = models.CharField(max_length=80)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, null=True, related_name="+", db_index=False)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["player", "-id"], name="notice_newest"),
            models.Index(fields=["player"], condition=Q(read_at__isnull=True), name="notice_unread"),
            models.Index(fields=["read_at"], condition=Q(read_at__isnull=False), name="notice_read"),
            models.Index(fields=["created_at"], condition=Q(read_at__isnull=True), name="notice_stale"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["player", "kind", "occasion"], name="notice_once_an_occasion"),
            models.CheckConstraint(condition=~Q(kind="") & ~Q(occasion=""), name="notice_kind_given"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.occasion} to {self.player_id}"


class Watch(models.Model):
    """The best that a player has been told of their standing in a season; None: never seen on the board.

    `pending`: they played since it was last looked at. `level` orders tiers (leaderboards.rules.crossings), `top` is
    the narrowest share, in per cent, that they have been in.
    """

    rating = models.OneToOneField("ranking.Rating", models.CASCADE, related_name="watch")
    pending = models.BooleanField(default=True)
    level = models.PositiveSmallIntegerField(null=True)
    top = models.PositiveSmallIntegerField(null=True)

    class Meta:
        verbose_name_plural = "watches"
        indexes = [models.Index(fields=["id"], condition=Q(pending=True), name="watch_pending")]
        constraints = [
            models.CheckConstraint(
                condition=Q(level__isnull=True, top__isnull=True) | Q(level__isnull=False, top__isnull=False),
                name="watch_seen_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rating_id}"
