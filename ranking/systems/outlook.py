"""What a match is worth to each player: their ratings after it, and after a win, a draw, a loss or another place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from typing import Any

from ranking.systems.base import Entrant, Factor, Result, S, System, Team
from ranking.systems.shared.explanations import Explanation
from ranking.systems.shared.formulas import FIELD, chance_with_luck
from ranking.systems.shared.rules import Places, Skills, check_result
from ranking.systems.shared.staying import explanations_of


@dataclass(frozen=True, slots=True)
class PlayerOutlook:
    """A player's display ratings: before, after the match as it went, and if their team had won, drawn or lost."""

    before: Decimal
    after: Decimal
    won: Decimal
    drew: Decimal
    lost: Decimal
    why: Explanation


def outlooks_of(
    system: System[S], result: Result[S], *, only: int | None = None
) -> tuple[tuple[PlayerOutlook, ...], ...]:
    """The outlook of every player, in the shape of teams; raises Refused.

    `only`: the index of the one team to compute; the other teams' tuples stay empty. A win means that the team comes
    first alone, a loss that it comes last alone, with the other teams in the order of the result; a draw means that
    all teams draw. Leavers have left in each case. Scores count in the real result only.
    """
    places = check_result(system, result)
    cases: dict[Places, Skills[Any]] = {}

    def rate_by(supposed: Places) -> Skills[Any]:
        if supposed not in cases:
            teams = tuple(
                replace(team, place=place, score=None) for team, place in zip(result.teams, supposed, strict=True)
            )
            cases[supposed] = system.rate(replace(result, teams=teams))
        return cases[supposed]

    after, why = system.rate(result), explanations_of(system, result)
    drew = rate_by((1,) * len(places))
    return tuple(
        tuple(
            PlayerOutlook(
                before=system.display(player.skill),
                after=system.display(after[index][slot]),
                won=system.display(rate_by(_suppose(places, index, first=True))[index][slot]),
                drew=system.display(drew[index][slot]),
                lost=system.display(rate_by(_suppose(places, index, first=False))[index][slot]),
                why=why[index][slot],
            )
            for slot, player in enumerate(team.players if only in (None, index) else ())
        )
        for index, team in enumerate(result.teams)
    )


def why_drawn(system: System[S], result: Result[S]) -> tuple[str, ...]:
    """How the system would rate a draw of all teams, in a sentence for each team; raises Refused."""
    teams = tuple(replace(team, place=1, score=None) for team in result.teams)
    explained = system.explain(replace(result, teams=teams))
    return tuple(_draw_note(team, factors) for team, factors in zip(teams, explained, strict=True))


def _draw_note(team: Team[S], explained: Sequence[Sequence[Factor]]) -> str:
    """The note of the factor by which a result counts, for the first player who stayed: a share, else an amount."""
    stayed = next((slot for slot, player in enumerate(team.players) if not player.left_early), 0)
    factors = explained[stayed]
    kind = "share" if any(factor.kind == "stake" for factor in factors) else "amount"
    return next(factor.note for factor in factors if factor.kind == kind)


def _suppose(places: Places, index: int, *, first: bool) -> Places:
    """The places if the team at `index` had come first alone, or last alone."""
    others = sorted({place for other, place in enumerate(places) if other != index})
    order = {place: rank for rank, place in enumerate(others, 2 if first else 1)}
    own = 1 if first else len(others) + 1
    return tuple(own if other == index else order[place] for other, place in enumerate(places))


def skills_by_place(
    system: System[S], teams: Sequence[Sequence[Entrant[S]]], own: int, places: Sequence[int], variant: str = ""
) -> list[Skills[S]]:
    """Everybody's skill after each of these places of the team at `own`, in the shape of teams; raises Refused.

    The other teams come in the order of their strength.
    """
    chances = field_chances(system, teams)
    others = sorted((index for index in range(len(teams)) if index != own), key=lambda index: -(chances[index] or 0.0))
    after = []
    for place in places:
        order = [*others[: place - 1], own, *others[place - 1 :]]
        ranked = tuple(Team(tuple(team), place=1 + order.index(index)) for index, team in enumerate(teams))
        after.append(system.rate(Result(ranked, variant=variant)))
    return after


HIGHEST = (1e30, 0.0)  # no score says more


def skills_by_scores(
    system: System[S],
    teams: Sequence[Sequence[Entrant[S]]],
    winner: int,
    scores: Sequence[tuple[float, float]],
    variant: str = "",
) -> list[Skills[S]]:
    """Everybody's skill after a match of two teams with each of these scores, the winner's first; raises Refused."""
    after = []
    for pair in scores:
        own = [pair[index != winner] for index in range(2)]
        scored = tuple(Team(tuple(team), score=score) for team, score in zip(teams, own, strict=True))
        after.append(system.rate(Result(scored, variant=variant)))
    return after


def field_chances(system: System[S], teams: Sequence[Sequence[Entrant[S]]]) -> tuple[float | None, ...]:
    """Each team's chance to come first; raises Refused.

    If the system compares two teams only: each team's mean chance against one other team, as a share of all, and as far
    as luck doesn't decide.
    """
    together = system.win_probability(teams)
    if None not in together or len(teams) == 2:
        return together
    means, luck = [0.0] * len(teams), system.luck_of_pairs if len(teams) >= FIELD else 0.0
    for one, other in combinations(range(len(teams)), 2):
        first, second = system.win_probability([teams[one], teams[other]])
        if first is None or second is None:
            return together
        means[one] += chance_with_luck(first, luck)
        means[other] += chance_with_luck(second, luck)
    return tuple(mean / sum(means) for mean in means)
