"""Replays a history for an evaluation: each match in order is predicted from the skills before it, then rated."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations
from math import inf
from typing import Any

from ranking.systems.base import Entrant, Refused, ResetRule, Result, System, Team
from ranking.systems.shared.rules import check_result, effective_places

DAY = 86_400.0  # seconds

Who = tuple[str, str]  # a pool and a player's id in it


@dataclass(frozen=True, slots=True)
class PastMatch:
    """A match of a history, with its result but without skills; or a forfeit, which moves its `dropper` alone.

    `where` names it in sentences ("duels.jsonl, line 3"). A player has one skill in each `pool`, such as a mode.
    `resets`: the rules of all ends of seasons before it, oldest first.
    """

    where: str
    pool: str
    ended_at: float  # POSIX seconds
    result: Result[None]
    dropper: str = ""
    resets: tuple[ResetRule, ...] = ()

    @property
    def moved(self) -> list[Who]:
        """The players whose skills it moves."""
        everybody = (player.id for team in self.result.teams for player in team.players)
        return [(self.pool, player) for player in ([self.dropper] if self.dropper else everybody)]


@dataclass(frozen=True, slots=True)
class Held:
    """A player's skill between two matches; `last_ended_at` is -inf before the first one of a season.

    `resets`: how many ends of seasons are behind it.
    """

    skill: Any
    last_ended_at: float
    matches: int = 0
    resets: int = 0


@dataclass(frozen=True, slots=True)
class Predictions:
    """For each decided pair of teams, in order: the first team's chance, and whether it won (1) or lost (0)."""

    chances: array[float] = field(default_factory=lambda: array("d"))
    won: array[int] = field(default_factory=lambda: array("b"))

    def extend(self, more: Predictions) -> None:
        self.chances.extend(more.chances)
        self.won.extend(more.won)


def replay(
    system: System[Any],
    matches: Iterable[PastMatch],
    states: MutableMapping[Who, Held],
    learnt: MutableMapping[str, System[Any]] | None = None,
) -> Predictions:
    """Predict and rate these matches in order, and update `states`; forfeits are rated but not predicted.

    `learnt`: the system of each pool that has been played in, with what it has learnt; it is updated, too.
    In a match of more than two teams each pair of teams is predicted as if the two had met. Raises Refused, naming
    the match, if the system can't rate one; `states` is useless then.
    """
    predictions = Predictions()
    learnt = {} if learnt is None else learnt
    for match in matches:
        own = learnt.get(match.pool, system)
        result = _filled_in(own, match, states)
        try:
            places = effective_places(result, check_result(own, result))
            for chance, won in () if match.dropper else _predicted(own, result, places):
                predictions.chances.append(chance)
                predictions.won.append(won)
            rated = own.rate(result)
            if not match.dropper:
                learnt[match.pool] = own.after(result)
        except Refused as refused:
            raise Refused(f"{match.where}: {refused}") from refused
        for team, skills in zip(result.teams, rated, strict=True):
            for player, skill in zip(team.players, skills, strict=True):
                if match.dropper in ("", player.id):
                    who = match.pool, player.id
                    states[who] = _held(skill, _entered(own, states.get(who), match), match)
    return predictions


def _held(skill: Any, held: Held | None, match: PastMatch) -> Held:
    """What is kept of a player after a match; a forfeit is no match."""
    last, matches = (-inf, 0) if held is None else (held.last_ended_at, held.matches)
    if match.dropper:
        return Held(skill, last, matches, len(match.resets))
    return Held(skill, max(last, match.ended_at), matches + 1, len(match.resets))


def _entered(system: System[Any], held: Held | None, match: PastMatch) -> Held | None:
    """What a player enters a match with: after the resets of the seasons that have ended since the last one."""
    if held is None or held.resets == len(match.resets):
        return held
    state = reduce(system.reset, match.resets[held.resets :], system.to_state(held.skill))
    return Held(system.from_state(state), -inf, 0, len(match.resets))


def _filled_in(system: System[Any], match: PastMatch, states: MutableMapping[Who, Held]) -> Result[Any]:
    """The result with everybody's skill and idle days before the match."""
    teams = tuple(
        [
            Team(tuple([_entrant(system, player, match, states) for player in team.players]), team.place, team.score)
            for team in match.result.teams
        ]
    )
    return replace(match.result, teams=teams)


def _entrant(
    system: System[Any], player: Entrant[None], match: PastMatch, states: MutableMapping[Who, Held]
) -> Entrant[Any]:
    held = _entered(system, states.get((match.pool, player.id)), match)
    skill = system.newcomer() if held is None else held.skill
    idle = 0.0
    if held is not None and held.last_ended_at > -inf and not match.dropper:
        idle = max(0.0, match.ended_at - held.last_ended_at) / DAY
    return Entrant(
        player.id, skill, player.seconds, player.left_early, player.rounds_played, player.weight, idle, player.stats,
        player.party, 0 if held is None else held.matches,
    )  # fmt: skip


def _predicted(system: System[Any], result: Result[Any], places: tuple[int, ...]) -> Iterator[tuple[float, bool]]:
    for first, second in combinations(range(len(places)), 2):
        if places[first] == places[second]:
            continue
        chance = system.win_probability([result.teams[first].players, result.teams[second].players])[0]
        if chance is not None:
            yield chance, places[first] < places[second]
