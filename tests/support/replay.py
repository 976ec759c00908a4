"""History told again from its facts alone, by the pure systems: what the ledger must equal."""

import datetime as dt
from dataclasses import astuple
from math import isclose
from typing import Any

from ranking.matches.records import load_records
from ranking.models import Forfeit, Match, Mode, ParameterVersion, Void
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
    """Every player's state after all matches of a mode in the order of their sequence."""
    system = system_of(ParameterVersion.objects.get(mode=mode))
    skills: dict[int, Any] = {}
    last_played: dict[int, Any] = {}
    void = Void.objects.filter(lifted_at=None)
    matches = Match.objects.filter(mode=mode, event__isnull=False).exclude(
        pk__in=void.filter(match__isnull=False).values("match")
    )
    forfeits = Forfeit.objects.filter(mode=mode, event__isnull=False).exclude(
        pk__in=void.filter(forfeit__isnull=False).values("forfeit")
    )
    facts = {play.match.event_id: play for play in load_records(matches).values()}
    facts |= {forfeit.event_id: forfeit for forfeit in forfeits}
    for _, play in sorted(facts.items()):
        if isinstance(play, Forfeit):
            _drop_out(play, system, skills)
            continue
        teams = []
        for index, said in enumerate(play.match.teams):
            roster = tuple(
                Entrant(
                    id=str(part.player_id),
                    skill=skills.setdefault(part.player_id, system.newcomer()),
                    seconds=part.seconds,
                    left_early=part.left_early,
                    idle_days=_days(last_played.get(part.player_id), play.match.ended_at),
                )
                for part in play.parts
                if part.team == index
            )
            teams.append(Team(players=roster, place=said["place"], score=said["score"]))
        rated = system.rate(Result(teams=tuple(teams), duration=play.match.duration, rounds=play.match.rounds))
        for team, after in zip(teams, rated, strict=True):
            for entrant, skill in zip(team.players, after, strict=True):
                skills[int(entrant.id)] = skill
                last = last_played.get(int(entrant.id), play.match.ended_at)
                last_played[int(entrant.id)] = max(last, play.match.ended_at)
    return {player: system.to_state(skill) for player, skill in skills.items()}


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
