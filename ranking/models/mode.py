"""The model of modes: what is played, and what boards show."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from ranking.database.name_fields import is_object, names_field
from ranking.rules import tiers
from ranking.rules.conduct import Settings as ConductSettings
from ranking.rules.conduct import read_settings as read_conduct
from ranking.rules.match_links import BadLink, read_hosts
from ranking.rules.schedule import LONGEST as LONGEST_SCHEDULE
from ranking.rules.schedule import BadSchedule, read_schedule
from ranking.rules.scoreboard import LONGEST_STAT, Column, read_columns
from ranking.wording.names import StoredName, local_name, stored_name

MOST_ACTIVITY_MATCHES = 10  # a rating row keeps the times of this many completed matches
MOST_LATE_RESULTS = 86_400  # seconds
MOST_WITHDRAW_SECONDS = 604_800
MOST_TEAMS = 128


def check_named_tiers(value: object) -> None:
    try:
        tiers.read_named_tiers(value)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def check_conduct(value: object) -> None:
    try:
        read_conduct(value)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def check_scoreboard(value: object) -> None:
    try:
        read_columns(value)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def check_schedule(value: str) -> None:
    try:
        read_schedule(value)
    except BadSchedule as error:
        raise ValidationError(str(error)) from error


@cache
def time_zone_names() -> Sequence[str]:
    """Return the names of all time zones, sorted; they are read from disk once."""
    return sorted(available_timezones())


def check_time_zone(name: str) -> None:
    if name not in time_zone_names():
        raise ValidationError(f"{name!r} is not a time zone; use a name such as Europe/Berlin.")


def check_link_hosts(text: str) -> None:
    try:
        read_hosts(text)
    except BadLink as error:
        raise ValidationError(str(error)) from error


class Mode(models.Model):
    """A mode of play. `activity_days` None: nobody becomes inactive. `generation`: that of the live changes.

    While `lease` is set, a re-rating runs or a season ends, as its kind says: results are recorded and not rated (see
    ranking.modes.parameters.Rules.waits), and nothing is published.
    """

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=64)
    names = names_field()
    description = models.CharField(max_length=200, blank=True)
    # A match has `team_count` teams, or fewer down to `team_count_min`; None = it always has as many.
    team_count = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(2), MaxValueValidator(MOST_TEAMS)]
    )
    team_count_min = models.PositiveSmallIntegerField(null=True, blank=True, validators=[MinValueValidator(2)])
    team_size_min = models.PositiveSmallIntegerField(default=1, validators=[MinValueValidator(1)])
    team_size_max = models.PositiveSmallIntegerField(default=1)
    ranked = models.BooleanField(default=True)
    shows_rating = models.BooleanField(default=True)
    shows_percentile = models.BooleanField(default=True)
    shows_tier = models.BooleanField(default=True)
    tier_scheme = models.CharField(
        max_length=8, default=tiers.NAMED, choices=[(scheme, scheme) for scheme in tiers.SCHEMES]
    )
    # Tiers are given while at least so many players are listed; see `gives_tiers`.
    tier_least_listed = models.PositiveSmallIntegerField(default=20, db_default=20)
    named_tiers = models.JSONField(default=list, blank=True, validators=[check_named_tiers])  # empty = the default
    placement_matches = models.PositiveSmallIntegerField(default=10)
    activity_matches = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(MOST_ACTIVITY_MATCHES)]
    )
    activity_days = models.PositiveSmallIntegerField(
        default=30, null=True, blank=True, validators=[MinValueValidator(1)]
    )
    # The columns of match pages, empty = one for each statistic; and the statistic that tells the most valuable player.
    scoreboard = models.JSONField(default=list, db_default=[], blank=True, validators=[check_scoreboard])
    best_by = models.CharField(max_length=LONGEST_STAT, blank=True, default="", db_default="")
    link_hosts = models.TextField(
        blank=True, default="", db_default="", validators=[check_link_hosts]
    )  # the hosts to which links of matches may lead, one a line
    reconnect_grace = models.PositiveSmallIntegerField(default=180)  # seconds that a player may be absent
    # Players may leave, without being leavers, a team that somebody has abandoned.
    leave_after_abandon = models.BooleanField(default=False, db_default=False)
    # True: matches of teams of different sizes are recorded and don't count, but for part-time players.
    equal_teams = models.BooleanField(default=False, db_default=False)
    # True: the lowest score is the best, as in races by time.
    least_is_best = models.BooleanField(default=False, db_default=False)
    # Shorter matches are recorded and don't count; 0 = every match counts.
    least_seconds = models.PositiveIntegerField(default=0, db_default=0)
    least_rounds = models.PositiveIntegerField(default=0, db_default=0)
    # For so many seconds after a result arrived its sender may withdraw it; 0 = never.
    withdraw_seconds = models.PositiveIntegerField(
        default=0, db_default=0, validators=[MaxValueValidator(MOST_WITHDRAW_SECONDS)]
    )
    conduct = models.JSONField(
        default=dict, blank=True, validators=[check_conduct]
    )  # empty = ranking.rules.conduct's defaults
    # Requirements for ranked play: known here for so many days, and so many completed matches of a mode for fun.
    entry_days = models.PositiveSmallIntegerField(default=0, db_default=0)
    entry_matches = models.PositiveSmallIntegerField(default=0, db_default=0)
    entry_mode = models.ForeignKey("self", models.PROTECT, null=True, blank=True, related_name="opens", db_index=False)
    time_zone = models.CharField(max_length=64, default="UTC", validators=[check_time_zone])
    # Seasons: when they end; for how many seconds after an end results that ended before it still belong to the season;
    # and how many matches place a player whose rating comes from an earlier season.
    schedule = models.CharField(
        max_length=LONGEST_SCHEDULE, blank=True, default="", db_default="", validators=[check_schedule]
    )
    late_results = models.PositiveIntegerField(
        default=300, db_default=300, validators=[MaxValueValidator(MOST_LATE_RESULTS)]
    )
    placement_after_reset = models.PositiveSmallIntegerField(default=3, db_default=3)
    generation = models.PositiveIntegerField(default=1)
    lease = models.OneToOneField(
        "ranking.Rerating", models.PROTECT, null=True, blank=True, editable=False, related_name="+"
    )
    # The last rating row that a change of settings has updated, while rows remain; see ranking.modes.changes.relist.
    relisted_to = models.BigIntegerField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=is_object("names"), name="mode_names_by_language"),
            models.CheckConstraint(condition=Q(team_count__gte=2), name="mode_two_teams_or_more"),
            models.CheckConstraint(
                condition=Q(team_count_min__isnull=True)
                | Q(team_count_min__gte=2, team_count_min__lte=F("team_count")),
                name="mode_team_counts_in_order",
            ),
            models.CheckConstraint(
                condition=Q(team_size_min__gte=1, team_size_max__gte=F("team_size_min")),
                name="mode_team_sizes_in_order",
            ),
            models.CheckConstraint(
                condition=Q(activity_matches__gte=1, activity_matches__lte=MOST_ACTIVITY_MATCHES),
                name="mode_activity_needs_one_to_ten",
            ),
            models.CheckConstraint(
                condition=Q(activity_days__isnull=True) | Q(activity_days__gte=1), name="mode_activity_days_positive"
            ),
            models.CheckConstraint(condition=Q(tier_scheme__in=tiers.SCHEMES), name="mode_tier_scheme_known"),
            models.CheckConstraint(
                condition=Q(late_results__lte=MOST_LATE_RESULTS), name="mode_late_results_within_a_day"
            ),
            models.CheckConstraint(
                condition=Q(entry_matches=0, entry_mode__isnull=True)
                | Q(entry_matches__gt=0, entry_mode__isnull=False),
                name="mode_entry_matches_of_a_mode",
            ),
            models.CheckConstraint(
                condition=Q(entry_mode__isnull=True) | ~Q(entry_mode=F("id")), name="mode_entry_by_another"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        smallest, largest = self.team_size_min, self.team_size_max
        if smallest is not None and largest is not None and largest < smallest:
            raise ValidationError({"team_size_max": f"Teams of at most {largest} can't have at least {smallest}."})
        if self.team_count is not None and self.fewest_teams > self.team_count:
            sentence = f"Matches of at most {self.team_count} teams can't have at least {self.fewest_teams}."
            raise ValidationError({"team_count_min": sentence})
        if objection := self._entry_objection():
            raise ValidationError(objection)

    def _entry_objection(self) -> dict[str, str]:
        """Return what is wrong with the requirements for players: {field: sentence}, or an empty dictionary."""
        if bool(self.entry_matches) != (self.entry_mode is not None):
            return {"entry_mode": "A number of matches and the mode that they are of belong together."}
        if (self.entry_matches or self.entry_days) and not self.ranked:
            return {"ranked": "A mode for fun is open to everybody: it asks for nothing."}
        if self.entry_mode is not None and self.entry_mode.ranked:
            return {"entry_mode": f"{self.entry_mode.name} is ranked; choose a mode for fun."}
        if self.ranked and self.pk and (asking := Mode.objects.filter(entry_mode=self.pk).order_by("name").first()):
            return {"ranked": f"{asking.name} asks newcomers for matches of this mode, so it stays for fun."}
        return {}

    @property
    def local_name(self) -> str:
        """The name in the language of the reader."""
        return local_name(self.name, self.names)

    @property
    def stored_name(self) -> StoredName:
        """The name as rows keep it to be worded later."""
        return stored_name(self.name, self.names)

    @property
    def fewest_teams(self) -> int:
        """How many teams a match has at least."""
        return int(self.team_count if self.team_count_min is None else self.team_count_min)

    @property
    def teams(self) -> str:
        """How many teams a match has, as "2" or "3 to 12"."""
        fewest = self.fewest_teams
        return f"{self.team_count}" if fewest == self.team_count else f"{fewest} to {self.team_count}"

    @property
    def activity_window(self) -> dt.timedelta | None:
        return None if self.activity_days is None else dt.timedelta(days=self.activity_days)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of match pages that were chosen; empty for a column for each statistic."""
        return read_columns(self.scoreboard)

    @property
    def conduct_settings(self) -> ConductSettings:
        return read_conduct(self.conduct)

    def placement_of(self, carried: bool) -> int:
        """Return the completed matches that place a player; `carried` is that of their rating."""
        return min(self.placement_after_reset, self.placement_matches) if carried else self.placement_matches

    def day_of(self, moment: dt.datetime) -> dt.date:
        """Return the calendar day of a moment in the mode's time zone."""
        return moment.astimezone(ZoneInfo(self.time_zone)).date()

    def day_start(self, moment: dt.datetime) -> dt.datetime:
        """Return the midnight in the mode's time zone with which the day of `moment` began."""
        return dt.datetime.combine(self.day_of(moment), dt.time(), ZoneInfo(self.time_zone))

    @property
    def ladder(self) -> tuple[tiers.Tier, ...]:
        """Return the tiers of the percentiles 1 to 100, in that order."""
        return tiers.ladder(self.tier_scheme, self.named_tier_list)

    def gives_tiers(self, listed: int) -> bool:
        """True if the mode shows tiers and gives them among so many listed players."""
        return self.shows_tier and listed >= self.tier_least_listed

    @property
    def named_tier_list(self) -> tuple[tiers.NamedTier, ...]:
        """Return the named tiers, lowest first."""
        return tiers.read_named_tiers(self.named_tiers) if self.named_tiers else tiers.DEFAULT_TIERS
