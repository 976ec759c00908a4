"""What a match is worth to each player: what it did, and what a win, a draw or a loss would have done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from ranking.systems.base import Result, System
from ranking.systems.shared.explanations import Explanation, explanation_of
from ranking.systems.shared.rules import Places, Skills, check_result


@dataclass(frozen=True, slots=True)
class Prospect:
    """A player's display ratings: before, after the match as it went, and had their team won, drawn, lost."""

    before: Decimal
    after: Decimal
    won: Decimal
    drew: Decimal
    lost: Decimal
    why: Explanation


def prospects(system: System[Any], result: Result[Any], *, only: int | None = None) -> tuple[tuple[Prospect, ...], ...]:
    """Of every player, in the shape of teams, or of one team alone, the others empty; raises Refused.

    To win is to come first alone, to lose to come last alone, all others in the order in which they came; to draw
    is that all teams do. Who left early left in each case, and scores don't count in those that didn't happen.
    """
    places = check_result(system, result)
    cases: dict[Places, Skills[Any]] = {}

    def rated(supposed: Places) -> Skills[Any]:
        if supposed not in cases:
            teams = tuple(
                replace(team, place=place, score=None) for team, place in zip(result.teams, supposed, strict=True)
            )
            cases[supposed] = system.rate(replace(result, teams=teams))
        return cases[supposed]

    after, told = system.rate(result), system.explain(result)
    drew = rated((1,) * len(places))
    return tuple(
        tuple(
            Prospect(
                before=system.display(player.skill),
                after=system.display(after[index][slot]),
                won=system.display(rated(_supposing(places, index, first=True))[index][slot]),
                drew=system.display(drew[index][slot]),
                lost=system.display(rated(_supposing(places, index, first=False))[index][slot]),
                why=explanation_of(told[index][slot], system.decimals),
            )
            for slot, player in enumerate(team.players if only in (None, index) else ())
        )
        for index, team in enumerate(result.teams)
    )


def _supposing(places: Places, index: int, *, first: bool) -> Places:
    """The places had one team come first, or last, alone."""
    others = sorted({place for other, place in enumerate(places) if other != index})
    order = {place: rank for rank, place in enumerate(others, 2 if first else 1)}
    own = 1 if first else len(others) + 1
    return tuple(own if other == index else order[place] for other, place in enumerate(places))
