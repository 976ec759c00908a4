"""Models of the ledger: a row for each change of a rating, with the complete state before and after; and what a mode
had learnt when matches were rated.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.db.models.expressions import Combinable

from ranking.systems.base import State
from ranking.systems.batch.states import FIELDS, HIDDEN, States


class ChangeQuerySet(models.QuerySet["Change"]):
    def live(self, of: int | Combinable | None = None) -> ChangeQuerySet:
        """Return the rows that hold in the generation `of`; by default, in the current generation of their mode."""
        generation: Any = F("mode__generation") if of is None else of
        not_superseded = Q(superseded_in__isnull=True) | Q(superseded_in__gt=generation)
        return self.filter(not_superseded, generation__lte=generation)


class Change(models.Model):
    """A change of a player's rating by one event.

    The live rows of a player, mode and season form a chain: the state before a row is the state after the previous
    row. A row is live from `generation` on. After a re-rating of its event, it is live until `superseded_in`.
    """

    MATCH, FORFEIT, RESET, SEED = "match", "forfeit", "reset", "seed"
    KINDS = (MATCH, FORFEIT, RESET, SEED)
    WIN, DRAW, LOSS, LEFT = "win", "draw", "loss", "left"

    kind = models.CharField(max_length=8, choices=[(kind, kind) for kind in KINDS])
    event = models.ForeignKey("ranking.Event", models.PROTECT, related_name="changes", db_index=False)
    match = models.ForeignKey("ranking.Match", models.PROTECT, null=True, related_name="changes")
    player = models.ForeignKey("ranking.Player", models.PROTECT, related_name="changes", db_index=False)
    mode = models.ForeignKey("ranking.Mode", models.PROTECT, related_name="changes", db_index=False)
    season = models.ForeignKey("ranking.Season", models.PROTECT, related_name="changes", db_index=False)
    generation = models.PositiveIntegerField()
    superseded_in = models.PositiveIntegerField(null=True)
    parameters = models.ForeignKey("ranking.ParameterVersion", models.PROTECT, db_index=False)
    outcome = models.CharField(max_length=4, blank=True)
    win_probability = models.FloatField(null=True)  # of the player's team, before the match

    display_before = models.BigIntegerField()  # hundredths
    mu_before = models.FloatField(null=True)
    sigma_before = models.FloatField(null=True)
    volatility_before = models.FloatField(null=True)
    skill_matches_before = models.IntegerField(null=True)
    display_after = models.BigIntegerField()
    mu_after = models.FloatField(null=True)
    sigma_after = models.FloatField(null=True)
    volatility_after = models.FloatField(null=True)
    skill_matches_after = models.IntegerField(null=True)

    objects = ChangeQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["player", "mode", "season", "event"], name="change_in_order"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["event", "player", "generation"], name="change_once_an_event"),
            models.CheckConstraint(
                condition=Q(kind="match", match__isnull=False, outcome__in=["win", "draw", "loss", "left"])
                | Q(kind__in=["forfeit", "reset", "seed"], match__isnull=True, outcome=""),
                name="change_of_a_match_names_it",
            ),
            models.CheckConstraint(
                condition=Q(superseded_in__isnull=True) | Q(superseded_in__gt=F("generation")),
                name="change_superseded_later",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} at {self.event_id}: {self.display_before} → {self.display_after}"

    @property
    def before(self) -> State:
        return State(
            self.display_before, self.mu_before, self.sigma_before, self.volatility_before, self.skill_matches_before
        )

    @property
    def after(self) -> State:
        return State(
            self.display_after, self.mu_after, self.sigma_after, self.volatility_after, self.skill_matches_after
        )


def states_of(before: State, after: State) -> dict[str, float | None]:
    """The columns of a change that hold these states."""
    return {
        "display_before": before.display_hundredths,
        "mu_before": before.mu,
        "sigma_before": before.sigma,
        "volatility_before": before.volatility,
        "skill_matches_before": before.skill_matches,
        "display_after": after.display_hundredths,
        "mu_after": after.mu,
        "sigma_after": after.sigma,
        "volatility_after": after.volatility,
        "skill_matches_after": after.skill_matches,
    }


def ledger_columns(when: str, states: States) -> dict[str, object]:
    """The columns of a change that hold these states, as arrays; `when`: "before" or "after"."""
    hidden = {f"{name}_{when}": getattr(states, name) for name in HIDDEN}
    return {f"display_{when}": states.display_hundredths, **hidden}


def state_columns(states: States) -> dict[str, object]:
    """The columns of a rating or of a seed that hold these states, as arrays."""
    return {name: getattr(states, name) for name in FIELDS}


class ModeState(models.Model):
    """What a mode had learnt when a block of matches was full; matches and forfeits name the state that rated them.

    It belongs to a version of parameters, and to the generation that began to learn by it: number 0 knows nothing yet,
    each later number follows from the one before. `taken`: the sequences of the matches that it learnt from. A
    re-rating that learns anew writes states without `taken`; `since` says from which sequence on each of these holds.
    """

    parameters = models.ForeignKey("ranking.ParameterVersion", models.PROTECT, related_name="mode_states")
    generation = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    since = models.BigIntegerField(default=0)
    values = models.JSONField()  # ranking.systems.margin.learnt.write_learnt
    taken = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["parameters", "generation", "number"], name="mode_state_once_a_number"),
        ]

    def __str__(self) -> str:
        return f"{self.parameters} · {self.number}"
