"""Companions: team-mates and opponents of a player's newest matches, with the results.

Only the newest MATCHES of the season count, so that the cost is the same however long somebody has played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from django.db.models import (
    BigIntegerField,
    BooleanField,
    Case,
    Count,
    ExpressionWrapper,
    F,
    FilteredRelation,
    Q,
    When,
    Window,
)
from django.db.models.functions import RowNumber

from ranking.database.prepared_queries import Placeholder, Prepared, prepare
from ranking.models import Change, Player, Rating, ReadAccess

MATCHES = 500
SHOWN, EXTREMES = 5, 3  # rows of a list: met most often; best and worst
LEAST = 3  # meetings before results against somebody say anything


@dataclass(frozen=True, slots=True)
class Companion:
    """A player met in `matches` matches; `wins` and `draws` are those of the player whose page it is.

    With more than two teams, a win over an opponent is to come ahead of them, a draw is to share their place, and a
    win with a team-mate is a place in the top half.
    """

    player: Player
    matches: int
    wins: int
    draws: int

    @property
    def losses(self) -> int:
        """All other matches, also those that the player left early."""
        return self.matches - self.wins - self.draws


@dataclass(frozen=True, slots=True)
class Companions:
    """Companions met most often, and opponents with the best and worst results; `limit`: only so many matches count."""

    mates: list[Companion] = field(default_factory=list)
    opponents: list[Companion] = field(default_factory=list)
    best: list[Companion] = field(default_factory=list)
    worst: list[Companion] = field(default_factory=list)
    limit: int | None = None


class _Met(NamedTuple):
    """Somebody met, with their places in the lists, from 1; `balance`: above 0 if more was won than lost."""

    other: int
    together: bool
    matches: int
    wins: int
    draws: int
    balance: int
    settled: bool
    frequent: int
    best: int
    worst: int


def load_companions(rating: Rating, generation: int, *, by_place: bool, access: ReadAccess) -> Companions:
    """Return the companions of the newest matches in a rating's mode and season. Two queries.

    Players who hide their matches are left out, but for themselves, for the player of the rating, and for those who
    may see everything. `by_place`: the mode has more than two teams.
    """
    sees_all = access.everything or access.player_id == rating.player_id
    rows = _met(by_place, sees_all).rows(
        player=rating.player_id, mode=rating.mode_id, season=rating.season_id,
        generation=generation, viewer=access.player_id,
    )  # fmt: skip
    met = [_Met(*row) for row in rows]
    players = Player.objects.in_bulk({one.other for one in met})

    def picked(together: bool, order: str, shown: int, condition: Callable[[_Met], bool]) -> list[Companion]:
        chosen = [one for one in met if one.together is together and condition(one)]
        chosen.sort(key=lambda one: getattr(one, order))
        return [Companion(players[one.other], one.matches, one.wins, one.draws) for one in chosen[:shown]]

    return Companions(
        mates=picked(True, "frequent", SHOWN, lambda one: one.frequent <= SHOWN),
        opponents=picked(False, "frequent", SHOWN, lambda one: one.frequent <= SHOWN),
        best=picked(False, "best", EXTREMES, lambda one: one.settled and one.balance > 0),
        worst=picked(False, "worst", EXTREMES, lambda one: one.settled and one.balance < 0),
        limit=MATCHES if rating.matches > MATCHES else None,
    )


@cache
def _met(by_place: bool, sees_all: bool) -> Prepared:
    """The players met who come into one of the lists."""
    own = {name: Placeholder(name, BigIntegerField()) for name in ("player", "mode", "season")}
    viewer = Placeholder("viewer", BigIntegerField())
    live = Change.objects.live(Placeholder("generation", BigIntegerField()))
    newest = live.filter(**own, kind=Change.MATCH).order_by("-event")[:MATCHES]
    mine = FilteredRelation("match__participations", condition=Q(match__participations__player=own["player"]))
    # An expression without parameters: PostgreSQL groups by it, and must recognise it in the windows.
    together = ExpressionWrapper(Q(mine__team=F("match__participations__team")), output_field=BooleanField())
    met = (
        Change.objects.filter(pk__in=newest.values("pk"))
        .annotate(mine=mine)
        .annotate(other=F("match__participations__player"), together=together)
        .annotate(hides=F("match__participations__player__hides_matches"))
        .annotate(my_place=F("mine__place"), i_left=F("mine__left_early"), of=F("mine__places"))
        .annotate(their_place=F("match__participations__place"), they_left=F("match__participations__left_early"))
        .exclude(other=own["player"])
        .filter(Q() if sees_all else Q(hides=False) | Q(other=viewer))
        .values("other", "together")
        .order_by()
    )
    won, drawn = _by_place() if by_place else (Q(outcome=Change.WIN), Q(outcome=Change.DRAW))
    wins, draws = Count("pk", filter=won), Count("pk", filter=drawn)
    counted = met.annotate(matches=Count("pk"), wins=wins, draws=draws).annotate(
        balance=(2 * F("wins") + F("draws")) - F("matches"),
        share=(F("wins") + F("draws") / 2.0) / F("matches"),
        settled=Case(When(matches__gte=LEAST, then=True), default=False, output_field=BooleanField()),
    )
    placed = counted.annotate(
        frequent=_place("-matches"),
        best=_place("-settled", "-share", "-matches"),
        worst=_place("-settled", "share", "-matches"),
    )
    shown = placed.filter(Q(frequent__lte=SHOWN) | Q(best__lte=EXTREMES) | Q(worst__lte=EXTREMES))
    return prepare(shown.values_list(*_Met._fields))


def _by_place() -> tuple[Q, Q]:
    """Conditions of a win and a draw with more than two teams. Whoever left comes after everybody who stayed."""
    both = Q(i_left=F("they_left"))
    ahead = Q(i_left=False, they_left=True) | both & Q(my_place__lt=F("their_place"))
    upper = Q(i_left=False, of__gte=2 * F("my_place"))
    return Q(together=False) & ahead | Q(together=True) & upper, Q(together=False) & both & Q(my_place=F("their_place"))


def _place(*order: str) -> Window:
    """Number the rows in this order, team-mates and opponents apart."""
    return Window(RowNumber(), partition_by=["together"], order_by=[*order, "other"])
