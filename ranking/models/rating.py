"""A player's rating in one mode and season: live state, counts, and what was published of it."""

import datetime as dt
from decimal import Decimal

from django.db import models
from django.db.models import F, Q

from ranking.systems.base import State


class Rating(models.Model):
    """Boards sort by (board_order, published_reached_at, id) among listed rows.

    `active_until`: from that moment on the player is inactive; None = never was active yet.
    `recent_completions`: POSIX times of the newest completed matches, newest first, as many as a mode may
    ask for (MOST_ACTIVITY_MATCHES). `published_day_ago` holds what was published when the day `published_on` began.
    A newcomer's region is their first match's; one that they choose moves them with the next publication.
    """

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="ratings", db_index=False)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="ratings", db_index=False)
    season = models.ForeignKey("ranking.Season", models.PROTECT, related_name="ratings", db_index=False)
    region = models.CharField(max_length=32, blank=True)  # as boards show it
    chosen_region = models.CharField(
        max_length=32, blank=True, default="", db_default=""
    )  # the player's own last choice
    region_chosen_at = models.DateTimeField(null=True, blank=True)

    display_hundredths = models.BigIntegerField()
    mu = models.FloatField(null=True)
    sigma = models.FloatField(null=True)
    volatility = models.FloatField(null=True)
    reached_at = models.DateTimeField()  # when the display rating became what it is

    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    leaves = models.PositiveIntegerField(default=0)
    recent_completions = models.JSONField(default=list)
    last_completed_at = models.DateTimeField(null=True)
    last_match_at = models.DateTimeField(null=True)
    active_until = models.DateTimeField(null=True)

    to_publish = models.BooleanField(default=True)  # something that boards show has changed
    listed = models.BooleanField(default=False)
    published_hundredths = models.BigIntegerField(null=True)
    published_reached_at = models.DateTimeField(null=True)
    published_on = models.DateField(null=True)
    published_day_ago = models.BigIntegerField(null=True)
    board_order = models.GeneratedField(
        expression=F("published_hundredths") * -1, output_field=models.BigIntegerField(null=True), db_persist=True
    )

    # What rating a match writes; publishing and moderation write the rest.
    RATED_FIELDS = [
        "display_hundredths", "mu", "sigma", "volatility", "reached_at", "wins", "draws", "losses", "leaves",
        "recent_completions", "last_completed_at", "last_match_at", "active_until", "to_publish",
    ]  # fmt: skip

    class Meta:
        indexes = [
            models.Index(
                fields=["mode", "season", "board_order", "published_reached_at", "id"],
                condition=Q(listed=True),
                name="rating_board",
            ),
            models.Index(
                fields=["mode", "season", "region", "board_order", "published_reached_at", "id"],
                condition=Q(listed=True),
                name="rating_board_of_region",
            ),
            models.Index(fields=["mode", "season", "id"], condition=Q(to_publish=True), name="rating_to_publish"),
            models.Index(
                fields=["mode", "season", "active_until"], condition=Q(listed=True), name="rating_becoming_inactive"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["player", "mode", "season"], name="rating_once_a_season"),
            models.CheckConstraint(
                condition=Q(listed=False) | Q(published_hundredths__isnull=False, published_reached_at__isnull=False),
                name="rating_listed_is_published",
            ),
            models.CheckConstraint(
                condition=Q(chosen_region="", region_chosen_at__isnull=True)
                | Q(~Q(chosen_region=""), region_chosen_at__isnull=False),
                name="rating_region_chosen_at_some_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.display}"

    @property
    def display(self) -> Decimal:
        return Decimal(self.display_hundredths).scaleb(-2)

    @property
    def completed(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def matches(self) -> int:
        return self.completed + self.leaves

    @property
    def state(self) -> State:
        return State(self.display_hundredths, self.mu, self.sigma, self.volatility)

    @state.setter
    def state(self, state: State) -> None:
        self.display_hundredths = state.display_hundredths
        self.mu, self.sigma, self.volatility = state.mu, state.sigma, state.volatility

    def is_active(self, now: dt.datetime) -> bool:
        return self.active_until is not None and self.active_until >= now


class Snapshot(models.Model):
    """Kept: the newest, the last before today began, and each season's final.

    Region "" = everyone; the regions' of the same publication follow it, with greater ids and the same moment.
    """

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="snapshots", db_index=False)
    season = models.ForeignKey("ranking.Season", models.PROTECT, related_name="snapshots")
    region = models.CharField(max_length=32, blank=True)
    taken_at = models.DateTimeField()
    final = models.BooleanField(default=False)
    listed = models.PositiveIntegerField()
    table = models.BinaryField()  # ranking.rules.rank_table.RankTable.to_bytes

    class Meta:
        indexes = [models.Index(fields=["mode", "season", "region", "-id"], name="snapshot_newest")]

    def __str__(self) -> str:
        return f"{self.mode_id} at {self.taken_at:%Y-%m-%d %H:%M:%S}"
