"""The replay: every match of a history in order, predicted from the skills before it, then rated."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field
from itertools import combinations
from math import inf
from typing import Any

from ranking.systems.base import Entrant, Refused, Result, System, Team
from ranking.systems.shared.rules import check_result, effective_places

DAY = 86_400.0  # seconds

Who = tuple[str, str]  # a pool and a player's id in it


@dataclass(frozen=True, slots=True)
class PastMatch:
    """A match of a history, or a forfeit, which moves its `dropper` alone: its result with nobody's skill filled in.

    `where` names it in sentences ("duels.jsonl, line 3"). Skills belong to a player in a `pool`, such as a mode.
    """

    where: str
    pool: str
    ended_at: float  # POSIX seconds
    result: Result[None]
    dropper: str = ""

    @property
    def moved(self) -> list[Who]:
        """Whose skills it moves."""
        everybody = (player.id for team in self.result.teams for player in team.players)
        return [(self.pool, player) for player in ([self.dropper] if self.dropper else everybody)]


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of a player between two matches; `last_ended_at` -inf before the first."""

    skill: Any
    last_ended_at: float


@dataclass(frozen=True, slots=True)
class Predictions:
    """For each decided pair of teams, in order: the first team's chance, and whether it won (1) or lost (0)."""

    chances: array[float] = field(default_factory=lambda: array("d"))
    won: array[int] = field(default_factory=lambda: array("b"))

    def extend(self, more: Predictions) -> None:
        self.chances.extend(more.chances)
        self.won.extend(more.won)


def replay(system: System[Any], pasts: Iterable[PastMatch], states: MutableMapping[Who, Held]) -> Predictions:
    """Predict and rate these matches, in order; brings `states` up to date. Forfeits are rated, not predicted.

    In a match of more than two teams every pair of them is predicted, as if the two had met. Raises Refused,
    naming the match, for one that the system can't rate; `states` is then of no further use.
    """
    predictions = Predictions()
    for past in pasts:
        result = _filled_in(system, past, states)
        try:
            places = effective_places(result, check_result(system, result))
            for chance, won in () if past.dropper else _predicted(system, result, places):
                predictions.chances.append(chance)
                predictions.won.append(won)
            rated = system.rate(result)
        except Refused as refused:
            raise Refused(f"{past.where}: {refused}") from refused
        for team, skills in zip(result.teams, rated, strict=True):
            for player, skill in zip(team.players, skills, strict=True):
                if past.dropper in ("", player.id):
                    who = past.pool, player.id
                    states[who] = Held(skill, _last(states.get(who), past))
    return predictions


def _last(held: Held | None, past: PastMatch) -> float:
    """When the player's last match ended; a forfeit is none."""
    before = -inf if held is None else held.last_ended_at
    return before if past.dropper else max(before, past.ended_at)


def _filled_in(system: System[Any], past: PastMatch, states: MutableMapping[Who, Held]) -> Result[Any]:
    """The result with everybody's skill before it, and how long each hadn't played."""
    teams = tuple(
        [
            Team(tuple([_entrant(system, player, past, states) for player in team.players]), team.place, team.score)
            for team in past.result.teams
        ]
    )
    return Result(teams, past.result.duration, past.result.rounds)


def _entrant(
    system: System[Any], player: Entrant[None], past: PastMatch, states: MutableMapping[Who, Held]
) -> Entrant[Any]:
    held = states.get((past.pool, player.id))
    skill = system.newcomer() if held is None else held.skill
    idle = 0.0
    if held is not None and held.last_ended_at > -inf and not past.dropper:
        idle = max(0.0, past.ended_at - held.last_ended_at) / DAY
    return Entrant(
        player.id, skill, player.seconds, player.left_early, player.rounds_played, player.weight, idle, player.stats,
        player.party,
    )  # fmt: skip


def _predicted(system: System[Any], result: Result[Any], places: tuple[int, ...]) -> Iterator[tuple[float, bool]]:
    for first, second in combinations(range(len(places)), 2):
        if places[first] == places[second]:
            continue
        chance = system.win_probability([result.teams[first].players, result.teams[second].players])[0]
        if chance is not None:
            yield chance, places[first] < places[second]
