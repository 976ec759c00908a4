"""Models of ratings and of published snapshots."""

import datetime as dt
from decimal import Decimal

from django.db import models
from django.db.models import F, Q

from ranking.rules.shares import percent_of
from ranking.systems.base import State
from ranking.wording.dates import utc_text


class Rating(models.Model):
    """A player's rating in a mode and season: the live state, counts, and what was published.

    Boards show the listed rows, sorted by (board_order, published_reached_at, id).
    `active_until`: from then on the player is inactive; None = they were never active.
    `recent_completions`: POSIX times of the last MOST_ACTIVITY_MATCHES completed matches, newest first.
    `published_day_ago`: the published rating when the day `published_on` began.
    `region`: at first that of the player's first match; a region that they choose takes effect with the next
    publication.
    """

    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="ratings", db_index=False)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="ratings", db_index=False)
    season = models.ForeignKey("ranking.Season", models.PROTECT, related_name="ratings", db_index=False)
    region = models.CharField(max_length=32, blank=True)  # the region whose board shows the player
    chosen_region = models.CharField(
        max_length=32, blank=True, default="", db_default=""
    )  # the player's own last choice
    region_chosen_at = models.DateTimeField(null=True, blank=True)

    display_hundredths = models.BigIntegerField()
    mu = models.FloatField(null=True)
    sigma = models.FloatField(null=True)
    volatility = models.FloatField(null=True)
    skill_matches = models.IntegerField(null=True)  # those that the skill rests on, if the system counts them
    reached_at = models.DateTimeField()  # when the display rating got its present value

    wins = models.PositiveIntegerField(default=0)
    draws = models.PositiveIntegerField(default=0)
    losses = models.PositiveIntegerField(default=0)
    leaves = models.PositiveIntegerField(default=0)
    podiums = models.PositiveIntegerField(default=0, db_default=0)
    top_halves = models.PositiveIntegerField(default=0, db_default=0)
    place_sum = models.PositiveIntegerField(default=0, db_default=0)  # of completed matches
    brief_matches = models.PositiveIntegerField(default=0, db_default=0)  # completed ones that don't help to place
    # True if the state comes from an earlier season, by resets of which none is hard: fewer matches place the player.
    carried = models.BooleanField(default=False, db_default=False)
    # What the player brought along into the season: the matches that their rating rests on, which count as played
    # before; and when that placed them at once, if it did: they are active from then on, too.
    seeded_matches = models.PositiveIntegerField(default=0, db_default=0)
    placed_at = models.DateTimeField(null=True)
    recent_completions = models.JSONField(default=list)
    last_completed_at = models.DateTimeField(null=True)
    last_match_at = models.DateTimeField(null=True)
    active_until = models.DateTimeField(null=True)

    to_publish = models.BooleanField(default=True)  # something has changed that boards show
    listed = models.BooleanField(default=False)
    published_hundredths = models.BigIntegerField(null=True)
    published_reached_at = models.DateTimeField(null=True)
    published_on = models.DateField(null=True)
    published_day_ago = models.BigIntegerField(null=True)
    board_order = models.GeneratedField(
        expression=F("published_hundredths") * -1, output_field=models.BigIntegerField(null=True), db_persist=True
    )

    # The fields that rating a match writes; publishing and moderation write the rest.
    RATED_FIELDS = [
        "display_hundredths", "mu", "sigma", "volatility", "skill_matches", "reached_at", "wins", "draws", "losses",
        "leaves", "podiums", "top_halves", "place_sum", "brief_matches", "recent_completions", "last_completed_at",
        "last_match_at", "active_until", "to_publish",
    ]  # fmt: skip

    class Meta:
        permissions = [("strike_rating", "Can strike players from archived seasons")]
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
            models.Index(
                fields=["mode", "season", "active_until"], condition=Q(listed=False), name="rating_becoming_active"
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
        return f"{self.player}: {self.display}"

    @property
    def display(self) -> Decimal:
        return Decimal(self.display_hundredths).scaleb(-2)

    @property
    def completed(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def placement_done(self) -> int:
        """The completed matches that help to place the player."""
        return self.completed - self.brief_matches

    @property
    def matches(self) -> int:
        return self.completed + self.leaves

    @property
    def known_matches(self) -> int:
        """The matches, with those that the rating rests on that the player brought along."""
        return self.matches + self.seeded_matches

    @property
    def firsts(self) -> int:
        """First places, alone or shared."""
        return self.wins + self.draws

    @property
    def top_half_percent(self) -> int | None:
        """The share of matches in the better half of the places; whoever left a match isn't in it."""
        return percent_of(self.top_halves, self.matches)

    @property
    def average_place(self) -> str:
        """The average place in completed matches, as 3.4; "" if none was completed."""
        return f"{self.place_sum / self.completed:.1f}" if self.completed else ""

    @property
    def state(self) -> State:
        return State(self.display_hundredths, self.mu, self.sigma, self.volatility, self.skill_matches)

    @state.setter
    def state(self, state: State) -> None:
        self.display_hundredths = state.display_hundredths
        self.mu, self.sigma, self.volatility = state.mu, state.sigma, state.volatility
        self.skill_matches = state.skill_matches

    def is_active(self, now: dt.datetime) -> bool:
        return self.active_until is not None and self.active_until >= now


class Snapshot(models.Model):
    """A published rank table of a mode and season.

    Kept are the newest one, the last one before today began, and each season's final one.

    `region` "" = all regions. The tables of single regions have the same `taken_at` and greater ids.
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
        return f"{self.mode_id} at {utc_text(self.taken_at)}"
