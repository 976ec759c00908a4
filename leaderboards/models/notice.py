"""Notices to players, what players don't want to be told, and the ratings whose standing is watched for them."""

from django.db import models
from django.db.models import Q


class Notice(models.Model):
    """A notice to a player, written once an occasion.

    `data`: the values that its sentence needs, see leaderboards.notifications.wording.
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


class MutedTopic(models.Model):
    """A topic that a player doesn't want notices about; see leaderboards.notifications.wording.TOPICS."""

    player = models.ForeignKey("ranking.Player", models.CASCADE, related_name="muted_topics", db_index=False)
    topic = models.CharField(max_length=16)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "topic"], name="muted_topic_once"),
            models.CheckConstraint(condition=Q(topic__in=["tiers", "ranks", "achievements"]), name="muted_topic_known"),
        ]

    def __str__(self) -> str:
        return f"{self.topic} for {self.player_id}"


class Watch(models.Model):
    """The best standing of a rating that its player has been told; None: never seen on the board.

    `pending`: the player has played since the last look. `level`: the highest tier, as leaderboards.rules.crossings
    orders them. `top`: the narrowest share of the board, in per cent, that the player has been in.
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
