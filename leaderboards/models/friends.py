"""Players whom a player follows (one way, without their consent), blocks, or avoids for a while."""

from django.db import models
from django.db.models import Expression, F, Q, QuerySet

from ranking.models import Player

MOST_FOLLOWED = 1_000  # by one player
MOST_AVOIDED = 10  # by one player, at the same time
AVOIDED_DAYS = 30


class Following(models.Model):
    """`follower` follows `followed`, and sees them on the friends boards."""

    follower = models.ForeignKey(Player, models.CASCADE, related_name="followings", db_index=False)
    followed = models.ForeignKey(Player, models.CASCADE, related_name="followers")
    since = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["follower", "followed"], name="following_once"),
            models.CheckConstraint(condition=~Q(follower=F("followed")), name="following_not_oneself"),
        ]

    def __str__(self) -> str:
        return f"{self.follower_id} follows {self.followed_id}"


class Blocking(models.Model):
    """`blocker` blocks `blocked`, who can't follow them."""

    blocker = models.ForeignKey(Player, models.CASCADE, related_name="blockings", db_index=False)
    blocked = models.ForeignKey(Player, models.CASCADE, related_name="blockers")
    since = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["blocker", "id"], name="blocking_latest")]
        constraints = [
            models.UniqueConstraint(fields=["blocker", "blocked"], name="blocking_once"),
            models.CheckConstraint(condition=~Q(blocker=F("blocked")), name="blocking_not_oneself"),
        ]

    def __str__(self) -> str:
        return f"{self.blocker_id} blocks {self.blocked_id}"


class Avoidance(models.Model):
    """Until `until`, the matcher keeps `avoided` off the team of `avoider`. It keeps nobody from following."""

    avoider = models.ForeignKey(Player, models.CASCADE, related_name="avoidances", db_index=False)
    avoided = models.ForeignKey(Player, models.CASCADE, related_name="avoiders")
    since = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["avoider", "avoided"], name="avoidance_once"),
            models.CheckConstraint(condition=~Q(avoider=F("avoided")), name="avoidance_not_oneself"),
            models.CheckConstraint(condition=Q(until__gt=F("since")), name="avoidance_ends_later"),
        ]

    def __str__(self) -> str:
        return f"{self.avoider_id} avoids {self.avoided_id}"


def on_friends_board_of(viewer: int | Expression) -> QuerySet[Player]:
    """Players whom a viewer (an id) sees on friends boards: the viewer, and followed people who don't hide.

    This is the only place of the rule. Blocks need no condition: blocking a player deletes their following.
    """
    followed = Following.objects.filter(follower=viewer).values("followed")
    # A union instead of OR: for OR, PostgreSQL would read every player.
    ids = followed.union(Player.objects.filter(pk=viewer).values("pk"))
    return Player.objects.filter(Q(hides_from_friends=False, is_bot=False) | Q(pk=viewer), pk__in=ids)
