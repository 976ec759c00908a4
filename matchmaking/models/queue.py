"""A mode's queue: where tickets wait, with the rules that its matches must keep. From the matchmaking rules."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

MOST_NAMES, LONGEST_NAME, LONGEST_REGION = 100, 64, 32
MOST_REGIONS = 62  # the matcher has a bit for each


def check_names(names: object, longest: int = LONGEST_NAME, most: int = MOST_NAMES) -> None:
    """Check a list of different names, such as maps or regions. Raises ValidationError."""
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() == name for name in names):
        raise ValidationError('Write a list of names, such as ["Foundry", "Harbour"].')
    if any(not 1 <= len(name) <= longest for name in names):
        raise ValidationError(f"Each name has 1 to {longest} letters.")
    if len(names) > most or len(set(names)) < len(names):
        raise ValidationError(f"At most {most} names, each of them once.")


def check_regions(names: object) -> None:
    check_names(names, LONGEST_REGION, MOST_REGIONS)


def _setting(
    default: float, low: float, high: float, help_text: str, *, none: bool = False, db_default: bool = False
) -> Any:
    """A number field with bounds; an integer field if the default is an integer.

    `none`: the field may be empty, and is so by default. `db_default`: the database has the default, too, for processes
    of the previous version that still add rows during an upgrade.
    """
    field: Any = models.FloatField if isinstance(default, float) else models.PositiveIntegerField
    more: dict[str, object] = {"null": True, "blank": True, "default": None} if none else {"default": default}
    if db_default:
        more["db_default"] = default
    return field(validators=[MinValueValidator(low), MaxValueValidator(high)], help_text=help_text, **more)


class Queue(models.Model):
    """A queue and its settings. Only the tick writes `ticked_at` and the fields after it: about the last tick."""

    FIFO, SKILL = "fifo", "skill"
    EXACT, GREEDY = "exact", "greedy"
    BLIND, OPEN = "blind", "open"
    REQUIRED, NONE, AUTO = "required", "none", "auto"
    ONCE, ANY = "once", "any"

    mode = models.OneToOneField("ranking.Mode", models.PROTECT, related_name="queue")
    open = models.BooleanField(default=True, help_text="Off: nobody new may queue; players who wait go on waiting.")
    strategy = models.CharField(
        max_length=5, default=SKILL, choices=[(SKILL, "by skill"), (FIFO, "first in, first out")]
    )
    skill_above = _setting(
        100, 1, 1_000_000, "Above so many players in the queue, first in, first out gives way to skill.", none=True
    )
    team_size = _setting(1, 1, 100, "Players in a team; empty: as many as the mode allows.", none=True)
    largest_party = _setting(1, 1, 100, "Players in a party; empty: as many as a team has.", none=True)
    default_width = _setting(10, 1, 100, "Percentiles up and down among which a player is matched, unless they choose.")
    widen_every = _setting(20.0, 1, 3_600, "Seconds after which a loose window takes its next step.")
    fill_after = _setting(
        30, 0, 3_600, "In a mode of several sizes: seconds waited after which a smaller match may begin.",
        db_default=True,
    )  # fmt: skip
    max_rating_spread = _setting(1.0, 0, 1e9, "Highest less lowest rating in a match; empty: any.", none=True)
    max_party_difference = _setting(1, 0, 100, "Between the teams’ largest parties; empty: any.", none=True)
    split = models.CharField(
        max_length=6, default=EXACT, choices=[(EXACT, "the evenest teams"), (GREEDY, "strongest first, to the weakest")]
    )
    favourite = _setting(0.6, 0.5, 1, "How likely the favourite may be to win; empty: no bound.", none=True)
    favourite_end = _setting(0.75, 0.5, 1, "The bound that it relaxes to.")
    favourite_over = _setting(120.0, 1, 86_400, "Seconds waited over which it relaxes.")
    rematch_after = _setting(600, 0, 86_400, "Seconds for which opponents don’t meet again.")
    rematches = models.CharField(
        max_length=4, default=ONCE, db_default=ONCE,
        choices=[(NONE, "none"), (ONCE, "one in a row"), (ANY, "any number")],
        help_text="How often opponents may meet again at once. More only after the seconds below, or once each has"
        " played another match.",
    )  # fmt: skip
    rematch_memory = _setting(
        21_600, 0, 604_800, "Seconds for which opponents who have met that often don’t meet again.", db_default=True
    )
    accepting = models.CharField(
        max_length=5, default=BLIND, db_default=BLIND,
        choices=[(BLIND, "blind: nothing is known until all have accepted"), (OPEN, "open: teams and map are known")],
        help_text="Open invites players to decline until map, team-mates and opponents suit them.",
    )  # fmt: skip
    accept_seconds = _setting(20, 0, 600, "Seconds to accept a match; 0: nobody is asked.")
    start_seconds = _setting(180, 10, 3_600, "Seconds within which a match begins once all accepted.")
    longest_match = _setting(7_200, 60, 86_400, "Seconds after which a match without a result is closed as lost.")
    lost_seconds = _setting(
        180, 0, 86_400, "Seconds after which a match that its server doesn’t know any more is closed as lost.",
        db_default=True,
    )  # fmt: skip
    longest_wait = _setting(3_600, 60, 86_400, "Seconds after which a ticket expires.")
    servers = models.CharField(
        max_length=8, default=AUTO, db_default=AUTO,
        choices=[(AUTO, "if there are any"), (REQUIRED, "required"), (NONE, "none: the game has its own")],
        help_text="Whether a match needs a game server that is connected here.",
    )  # fmt: skip
    server_memory = _setting(
        600, 0, 86_400, "If there are any: seconds for which matches wait for servers that have all fallen silent.",
        db_default=True,
    )  # fmt: skip
    regions = models.JSONField(
        default=list, blank=True, validators=[check_regions], help_text="The regions there are; empty: any."
    )
    ping_limit = _setting(150, 1, 10_000, "Milliseconds of ping up to which a region is good, unless a player says.")
    variants = models.JSONField(
        default=list, blank=True, validators=[check_names], help_text="Maps or variants, drawn at random; empty: none."
    )

    ticked_at = models.DateTimeField(null=True, blank=True, editable=False)
    tick_seconds = models.FloatField(null=True, blank=True, editable=False)
    tick_tickets = models.PositiveIntegerField(default=0, editable=False)
    tick_lobbies = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["mode__name"]
        constraints = [
            models.CheckConstraint(condition=Q(strategy__in=["fifo", "skill"]), name="queue_strategy_known"),
            models.CheckConstraint(condition=Q(split__in=["exact", "greedy"]), name="queue_split_known"),
            models.CheckConstraint(condition=Q(accepting__in=["blind", "open"]), name="queue_accepting_known"),
            models.CheckConstraint(condition=Q(servers__in=["required", "none", "auto"]), name="queue_servers_known"),
            models.CheckConstraint(condition=Q(rematches__in=["none", "once", "any"]), name="queue_rematches_known"),
            models.CheckConstraint(condition=Q(widen_every__gt=0), name="queue_widens_after_a_while"),
            models.CheckConstraint(
                condition=Q(favourite__isnull=True) | Q(favourite__lte=F("favourite_end")), name="queue_bound_relaxes"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.mode}"

    def clean(self) -> None:
        problems: dict[str, str] = {}
        if self.mode_id is not None:
            low, high = self.mode.team_size_min, self.mode.team_size_max
            if self.team_size is not None and not low <= self.team_size <= high:
                problems["team_size"] = f"Teams of {self.mode.name} have {low} to {high} players."
            elif self.largest_party is not None and self.largest_party > self.players_a_team:
                problems["largest_party"] = f"A party of more than {self.players_a_team} fits into no team."
        if self.favourite is not None and self.favourite_end is not None and self.favourite > self.favourite_end:
            problems["favourite_end"] = "The bound relaxes: at least what it begins with."
        if problems:
            raise ValidationError(problems)

    @property
    def players_a_team(self) -> int:
        return int(self.team_size or self.mode.team_size_max)

    @property
    def party_limit(self) -> int:
        """How many players a ticket may have."""
        return int(self.largest_party or self.players_a_team)

    @property
    def accept_time(self) -> dt.timedelta:
        return dt.timedelta(seconds=self.accept_seconds)
