"""History told again from its facts alone, by the pure systems: what the ledger must equal."""

import datetime as dt
from dataclasses import astuple
from math import isclose
from typing import Any

from ranking.matches.records import load_records
from ranking.models import Forfeit, Match, Mode, ParameterVersion, Season, Seed, Void
from ranking.modes.mode_states import system_at
from ranking.modes.parameters import system_of
from ranking.systems.base import Entrant, Result, State, Team


def alike(one: Any, other: Any) -> bool:
    """Are these states, rows or tables of them the same: hidden floats to 1e-9, all else exactly?"""
    if isinstance(one, State) and isinstance(other, State):
        return alike(astuple(one), astuple(other))
    if isinstance(one, dict) and isinstance(other, dict):
        return alike(sorted(one.items()), sorted(other.items()))
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


def replayed_states(mode: Mode) -> dict[int, State]:
    """Every player's state after all matches of a mode in the order of their sequence, in their last season."""
    states = replayed_seasons(mode)
    return {player: states[season, player] for season, player in sorted(states)}


def replayed_seasons(mode: Mode) -> dict[tuple[int, int], State]:
    """The state of everybody with a rated match or forfeit in a season, at the season's end, by number and player."""
    version = ParameterVersion.objects.get(mode=mode)
    generation = Mode.objects.get(pk=mode.pk).generation
    system = system_of(version)
    skills: dict[int, Any] = {}  # of the season being played
    states: dict[tuple[int, int], State] = {}
    last_played: dict[int, Any] = {}
    number = 1
    for _, fact in sorted(_facts(mode).items()):
        if isinstance(fact, Season):
            states |= {(number, player): system.to_state(skill) for player, skill in skills.items()}
            number, last_played = number + 1, {}
            skills = _Entering(mode, number, system, states)
        elif isinstance(fact, Forfeit):
            own = system_at(version, generation, named=fact.mode_state_id, sequence=fact.event_id)
            _drop_out(fact, own, skills)
        elif isinstance(fact, Seed):
            skills[fact.player_id] = system.from_state(fact.state)
        else:
            own = system_at(version, generation, named=fact.match.mode_state_id, sequence=fact.match.event_id)
            _play(fact, own, skills, last_played)
    return states | {(number, player): system.to_state(skill) for player, skill in skills.items()}


class _Entering(dict[int, Any]):
    """Skills of a season: whoever has none yet enters it by the resets since the last season that they played."""

    def __init__(self, mode: Mode, number: int, system: Any, states: dict[tuple[int, int], State]) -> None:
        self.rules = {season.number: season.rule for season in Season.objects.filter(mode=mode)}
        self.number, self.system, self.states = number, system, states

    def get(self, player: int, default: Any = None) -> Any:
        if player in self:
            return self[player]
        played = [season for season, who in self.states if who == player]
        if not played:
            return default
        state = self.states[max(played), player]
        for season in range(max(played), self.number):
            state = self.system.reset(state, self.rules[season])
        return self.system.from_state(state)

    def setdefault(self, player: int, default: Any = None) -> Any:
        self[player] = self.get(player, default)
        return self[player]


def _facts(mode: Mode) -> dict[int, Any]:
    """What changes ratings, by its sequence."""
    void = Void.objects.filter(lifted_at=None)
    matches = Match.objects.filter(mode=mode, event__isnull=False).exclude(
        pk__in=void.filter(match__isnull=False).values("match")
    )
    forfeits = Forfeit.objects.filter(mode=mode, event__isnull=False).exclude(
        pk__in=void.filter(forfeit__isnull=False).values("forfeit")
    )
    seasons = Season.objects.filter(mode=mode, event__isnull=False)
    facts: dict[int, Any] = {play.match.event_id: play for play in load_records(matches).values()}
    seeds = Seed.objects.filter(mode=mode)
    return facts | {fact.event_id: fact for fact in (*forfeits, *seasons, *seeds)}


def _play(play: Any, system: Any, skills: dict[int, Any], last_played: dict[int, Any]) -> None:
    teams = []
    for index, said in enumerate(play.match.teams):
        roster = tuple(
            Entrant(
                id=str(part.player_id),
                skill=skills.setdefault(part.player_id, system.newcomer()),
                seconds=None if part.excused else part.seconds,
                joined_at=None if part.excused else part.joined_at,
                left_early=part.left_early,
                idle_days=_days(last_played.get(part.player_id), play.match.ended_at),
            )
            for part in play.parts
            if part.team == index
        )
        teams.append(Team(players=roster, place=said["place"], score=said["score"]))
    match = play.match
    duration = match.duration if match.measured else None
    rated = system.rate(Result(tuple(teams), duration=duration, rounds=match.rounds, variant=match.variant))
    for team, after in zip(teams, rated, strict=True):
        for entrant, skill in zip(team.players, after, strict=True):
            skills[int(entrant.id)] = skill
            last = last_played.get(int(entrant.id), play.match.ended_at)
            last_played[int(entrant.id)] = max(last, play.match.ended_at)


def _days(last: dt.datetime | None, now: dt.datetime) -> float:
    return 0.0 if last is None else max(0.0, (now - last) / dt.timedelta(days=1))


def _drop_out(forfeit: Forfeit, system: Any, skills: dict[int, Any]) -> None:
    """As a match that the dropper left at once and their team lost; nobody else's skill changes."""
    teams = tuple(
        Team(
            players=tuple(
                Entrant(
                    id=str(player),
                    skill=skills.get(player, system.newcomer()),
                    seconds=0.0 if player == forfeit.player_id else 60.0,
                    left_early=player == forfeit.player_id,
                )
                for player in team
            ),
            place=1 + (forfeit.player_id in team),
        )
        for team in forfeit.teams
    )
    for team, after in zip(teams, system.rate(Result(teams=teams, duration=60.0)), strict=True):
        for entrant, skill in zip(team.players, after, strict=True):
            if int(entrant.id) == forfeit.player_id:
                skills[forfeit.player_id] = skill
