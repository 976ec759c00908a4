"""Announcements of seasons, and which players have read them."""

from django.db import models
from django.db.models import Q


class Announcement(models.Model):
    """What is told of a season's end to everybody whom the season lists: one row, however many they are.

    `at`: the end that it tells of. Players see it only while the season has that end and is in the state that
    leaderboards.notifications.season_news asks for, so an end that is moved or taken back leaves nothing false.
    """

    WEEK, DAY, OVER = "week", "day", "over"  # ends in 7 days, ends in a day, is over
    KINDS = (WEEK, DAY, OVER)

    season = models.ForeignKey("ranking.Season", models.CASCADE, related_name="announcements")
    kind = models.CharField(max_length=8)
    at = models.DateTimeField()
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["season", "kind", "at"], name="announcement_once"),
            # Rows of "begun" are older, and no longer shown.
            models.CheckConstraint(condition=Q(kind__in=["week", "day", "over", "begun"]), name="announcement_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of season {self.season_id}"


class ReadMark(models.Model):
    """A player has read an announcement."""

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="read_marks", db_index=False)
    announcement = models.ForeignKey(Announcement, models.CASCADE, related_name="read_marks")
    read_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "announcement"], name="read_mark_once")]

    def __str__(self) -> str:
        return f"{self.announcement_id} by {self.player_id}"
