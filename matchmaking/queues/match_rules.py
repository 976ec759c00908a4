"""Translates a queue's settings into the matcher's rules."""

from __future__ import annotations

from typing import Any, cast

from matchmaking.matcher.tickets import ChanceBound, MatchRules
from matchmaking.models import Queue, TicketMember
from matchmaking.queues._skills import strength_of
from ranking.modes.mode_states import system_now
from ranking.systems.base import Entrant, Refused, State, System

_TEN_TO_ONE = 10 / 11


def rules_of(queue: Queue) -> MatchRules:
    """The matcher's rules for a queue. One query."""
    return MatchRules(
        team_size=queue.players_a_team,
        team_count=queue.mode.team_count,
        fewest_teams=queue.mode.team_count_min,
        fill_after=queue.fill_after,
        widen_every=queue.widen_every,
        rematch_after=queue.rematch_after,
        rematches=cast("Any", queue.rematches),
        rematch_memory=queue.rematch_memory,
        max_spread=queue.max_rating_spread,
        max_party_difference=queue.max_party_difference,
        bound=_bound(queue),
        split="greedy" if queue.split == Queue.GREEDY else "exact",
    )


def _bound(queue: Queue) -> ChanceBound | None:
    """The bound on the favourite's chance; None if the queue has none, or the system gives no chances."""
    if queue.favourite is None or queue.mode.team_count != 2:
        return None
    scale = scale_of(system_now(queue.mode), queue.players_a_team)
    if scale is None:
        return None
    return ChanceBound(scale, queue.favourite, queue.favourite_end, queue.favourite_over)


def scale_of(system: System[Any], team_size: int) -> float | None:
    """The difference of two teams' mean strengths that makes odds of ten to one between newcomers' teams.

    None if the system gives no chances. Found by bisection, because each system has its own formula.
    """
    base = system.to_state(system.newcomer())
    low, high = 0.0, max(1.0, abs(strength_of(base)))
    try:
        while (chance := _chance(system, base, high, team_size)) is not None and chance < _TEN_TO_ONE:
            low, high = high, high * 2
            if high > 1e9:
                return None
        if chance is None:
            return None
        for _ in range(40):
            middle = (low + high) / 2
            chance = _chance(system, base, middle, team_size)
            low, high = (middle, high) if chance is not None and chance < _TEN_TO_ONE else (low, middle)
    except Refused:
        return None
    return high


def _chance(system: System[Any], base: State, ahead: float, team_size: int) -> float | None:
    """The chance to win of a team whose players are each stronger than newcomers by `ahead`, against newcomers."""
    better = State(
        base.display_hundredths + round(100 * ahead), None if base.mu is None else base.mu + ahead, base.sigma,
        base.volatility, base.skill_matches,
    )  # fmt: skip
    teams = [
        [Entrant(id=f"{name}{number}", skill=system.from_state(state)) for number in range(team_size)]
        for name, state in (("a", better), ("b", base))
    ]
    return system.win_probability(teams)[0]


def strategy_of(queue: Queue) -> str:
    """The queue's strategy now: first in, first out may change to skill when enough players are in the queue."""
    if queue.strategy == Queue.SKILL or queue.skill_above is None:
        return str(queue.strategy)
    return Queue.SKILL if count_online(queue) > queue.skill_above else Queue.FIFO


def count_online(queue: Queue) -> int:
    """Count the players of the queue who wait, accept or play."""
    return TicketMember.objects.filter(live=True, ticket__queue=queue).count()
