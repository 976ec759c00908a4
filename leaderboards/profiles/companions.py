"""With and against whom somebody plays: team-mates and opponents of their newest matches, with the results.

Only the newest MATCHES of the season are looked at, so that it costs the same however long somebody has played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    Count,
    ExpressionWrapper,
    F,
    FilteredRelation,
    Q,
    QuerySet,
    When,
    Window,
)
from django.db.models.functions import RowNumber

from ranking.models import Change, Player, Rating

MATCHES = 500
SHOWN, EXTREMES = 5, 3  # rows of a list: met most often; best and worst
LEAST = 3  # meetings before results against somebody say anything


@dataclass(frozen=True, slots=True)
class Companion:
    """Somebody met in `matches` matches, of which the player won and drew so many."""

    player: Player
    matches: int
    wins: int
    draws: int

    @property
    def losses(self) -> int:
        """Lost, or left early."""
        return self.matches - self.wins - self.draws


@dataclass(frozen=True, slots=True)
class Companions:
    """Met most often, and the opponents against whom it went best and worst; `limit`: only so many matches count."""

    mates: list[Companion] = field(default_factory=list)
    opponents: list[Companion] = field(default_factory=list)
    best: list[Companion] = field(default_factory=list)
    worst: list[Companion] = field(default_factory=list)
    limit: int | None = None


def load_companions(rating: Rating, generation: int, *, two_teams: bool) -> Companions:
    """Of the newest matches in a rating's mode and season. `two_teams`: so that each match was won or lost
    against the opponents in it. Two queries."""
    rows = list(_rows(rating, generation))
    players = Player.objects.in_bulk({row["other"] for row in rows})

    def picked(together: bool, order: str, shown: int, wanted: Callable[[Any], bool]) -> list[Companion]:
        chosen = sorted((r for r in rows if r["together"] is together and wanted(r)), key=lambda r: r[order])
        return [Companion(players[r["other"]], r["matches"], r["wins"], r["draws"]) for r in chosen[:shown]]

    return Companions(
        mates=picked(True, "frequent", SHOWN, lambda row: row["frequent"] <= SHOWN),
        opponents=picked(False, "frequent", SHOWN, lambda row: row["frequent"] <= SHOWN),
        best=picked(False, "best", EXTREMES, lambda row: two_teams and row["settled"] and row["balance"] > 0),
        worst=picked(False, "worst", EXTREMES, lambda row: two_teams and row["settled"] and row["balance"] < 0),
        limit=MATCHES if rating.matches > MATCHES else None,
    )


def _rows(rating: Rating, generation: int) -> QuerySet[Change, Any]:
    """A row for each one met who comes into one of the lists, with their places by how often and how well."""
    own = {"player": rating.player_id, "mode": rating.mode_id, "season": rating.season_id}
    newest = Change.objects.live(generation).filter(**own, kind=Change.MATCH).order_by("-event")[:MATCHES]
    mine = FilteredRelation("match__participations", condition=Q(match__participations__player=rating.player_id))
    # Without parameters, for PostgreSQL groups by it and must know it again in the windows.
    together = ExpressionWrapper(Q(mine__team=F("match__participations__team")), output_field=BooleanField())
    met = (
        Change.objects.filter(pk__in=newest.values("pk"))
        .annotate(mine=mine)
        .annotate(other=F("match__participations__player"), together=together)
        .exclude(other=rating.player_id)
        .values("other", "together")
        .order_by()
    )
    won, drawn = Count("pk", filter=Q(outcome=Change.WIN)), Count("pk", filter=Q(outcome=Change.DRAW))
    counted = met.annotate(matches=Count("pk"), wins=won, draws=drawn).annotate(
        balance=(2 * F("wins") + F("draws")) - F("matches"),  # above 0: more won than lost
        share=(F("wins") + F("draws") / 2.0) / F("matches"),
        settled=Case(When(matches__gte=LEAST, then=True), default=False, output_field=BooleanField()),
    )
    placed = counted.annotate(
        frequent=_place("-matches"),
        best=_place("-settled", "-share", "-matches"),
        worst=_place("-settled", "share", "-matches"),
    )
    return placed.filter(Q(frequent__lte=SHOWN) | Q(best__lte=EXTREMES) | Q(worst__lte=EXTREMES))


def _place(*order: str) -> Window:
    """The place among team-mates, or among opponents."""
    return Window(RowNumber(), partition_by=["together"], order_by=[*order, "other"])
