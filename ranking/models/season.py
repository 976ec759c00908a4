"""Models of seasons, which are parts of a mode's history, and of ratings that players brought along into one."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from ranking.database.name_fields import is_object, names_field
from ranking.systems.base import RESETS, ResetRule, State
from ranking.wording.names import StoredName, numbered_name, season_name, stored_name


class Season(models.Model):
    """A season: the part [starts_at, ends_at) of a mode's history, with ratings and boards of its own.

    From `ends_at` on it is closing: results that ended before may still arrive, until `late_until`. Then it is
    archived, as the fact of the step of history `event`; `reset` is the rule by which players enter a later season.
    `current`: not archived. `shown`: what an archived season's boards show, see ranking.seasons.archives. `checksum`:
    of an archived season's ratings.
    """

    RUNNING, CLOSING, ARCHIVED = "running", "closing", "archived"
    STATES = (RUNNING, CLOSING, ARCHIVED)

    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="seasons")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=64)
    names = names_field()
    next_name = models.CharField(max_length=64, blank=True, default="", db_default="")  # "" = by its number
    next_names = names_field()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    late_until = models.DateTimeField(null=True, editable=False)
    state = models.CharField(
        max_length=8, default=RUNNING, db_default=RUNNING, choices=[(state, state) for state in STATES]
    )
    current = models.BooleanField(default=True)
    event = models.OneToOneField("ranking.Event", models.PROTECT, null=True, related_name="ended_season")
    reset = models.CharField(max_length=4, default=RESETS[0], db_default=RESETS[0], choices=[(r, r) for r in RESETS])
    reset_factor = models.FloatField(
        default=0.5, db_default=0.5, validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    shown = models.JSONField(null=True, editable=False)
    checksum = models.CharField(max_length=64, blank=True, default="", db_default="", editable=False)

    class Meta:
        ordering = ["mode", "number"]
        constraints = [
            models.UniqueConstraint(fields=["mode", "number"], name="season_number_once_a_mode"),
            models.UniqueConstraint(fields=["mode"], condition=Q(current=True), name="season_one_current_a_mode"),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gt=F("starts_at")), name="season_ends_after_start"
            ),
            models.CheckConstraint(condition=~Q(name=""), name="season_name_given"),
            models.CheckConstraint(condition=is_object("names"), name="season_names_by_language"),
            models.CheckConstraint(condition=is_object("next_names"), name="season_next_names_by_language"),
            models.CheckConstraint(condition=Q(reset__in=RESETS), name="season_reset_known"),
            models.CheckConstraint(
                condition=Q(reset_factor__gte=0, reset_factor__lte=1), name="season_reset_factor_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(state="running", late_until__isnull=True)
                | Q(
                    state__in=["closing", "archived"],
                    ends_at__isnull=False,
                    late_until__isnull=False,
                    late_until__gte=F("ends_at"),
                ),
                name="season_closes_at_its_end",
            ),
            models.CheckConstraint(
                condition=Q(state="archived", current=False, event__isnull=False, shown__isnull=False)
                | Q(state__in=["running", "closing"], current=True, event__isnull=True),
                name="season_archived_by_its_end",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.mode} · {self.name}"

    @property
    def rule(self) -> ResetRule:
        return ResetRule(self.reset, self.reset_factor)

    @property
    def name_of_next(self) -> str:
        return self.next_name or numbered_name(self.number + 1)

    @property
    def local_name(self) -> str:
        """The name in the language of the reader; a season without a name of its own is named by its number."""
        return season_name(self.name, self.names, self.number)

    @property
    def stored_name(self) -> StoredName:
        """The name as rows keep it to be worded later."""
        return stored_name(self.name, self.names)

    @property
    def local_name_of_next(self) -> str:
        """The next season's name in the language of the reader."""
        return season_name(self.name_of_next, self.next_names, self.number + 1)


class ResetTable(models.Model):
    """The rank table that matchmaking uses while the board of a young season lists few players; shown nowhere.

    It holds the ratings of the board before, after the reset. `listed`: how many players that board listed. `table`
    None: the reset left no order of players, or another rating system has replaced the one that it is in.
    """

    season = models.OneToOneField(Season, models.CASCADE, primary_key=True, related_name="reset_table")
    listed = models.PositiveIntegerField()
    table = models.BinaryField(null=True)  # ranking.rules.rank_table.RankTable.to_bytes

    def __str__(self) -> str:
        return f"{self.season_id}: {self.listed} listed before"


class Seed(models.Model):
    """A rating that a player brought along into a season, as the fact of the step of history `event`.

    The state is the one right after it, under the system of `parameters`; under another system the player gets an
    equally strong state (ranking.systems.conversion). `matches`: those that the rating rests on. `placed`: the rating
    is listed without placement matches.
    """

    event = models.OneToOneField("ranking.Event", models.PROTECT, related_name="seed")
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="seeds", db_index=False)
    season = models.ForeignKey(Season, models.PROTECT, related_name="seeds", db_index=False)
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="seeds")
    parameters = models.ForeignKey("ranking.ParameterVersion", models.PROTECT, related_name="+", db_index=False)
    display_hundredths = models.BigIntegerField()
    mu = models.FloatField(null=True)
    sigma = models.FloatField(null=True)
    volatility = models.FloatField(null=True)
    skill_matches = models.IntegerField(null=True)
    matches = models.PositiveIntegerField(default=0)
    placed = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["season", "player"], name="seed_once_a_season")]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.display_hundredths / 100:.2f}"

    @property
    def state(self) -> State:
        return State(self.display_hundredths, self.mu, self.sigma, self.volatility, self.skill_matches)
