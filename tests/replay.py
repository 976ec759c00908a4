"""History told again from its facts alone, by the pure systems: what the ledger must equal."""

from typing import Any

from ranking.models import Match, Mode, ParameterVersion, Void
from ranking.modes import system_of
from ranking.plays import load_plays
from ranking.systems.base import Entrant, Result, State, Team


def replayed_states(mode: Mode) -> dict[int, State]:
    """Every player's state after all matches of a mode in the order of their sequence."""
    system = system_of(ParameterVersion.objects.get(mode=mode))
    skills: dict[int, Any] = {}
    void = Void.objects.filter(lifted_at=None).values("match")
    matches = Match.objects.filter(mode=mode).exclude(pk__in=void).order_by("event_id")
    for play in load_plays(matches).values():
        teams = []
        for index, said in enumerate(play.match.teams):
            roster = tuple(
                Entrant(
                    id=str(part.player_id),
                    skill=skills.setdefault(part.player_id, system.newcomer()),
                    seconds=part.seconds,
                    left_early=part.left_early,
                )
                for part in play.parts
                if part.team == index
            )
            teams.append(Team(players=roster, place=said["place"], score=said["score"]))
        rated = system.rate(Result(teams=tuple(teams), duration=play.match.duration, rounds=play.match.rounds))
        for team, after in zip(teams, rated, strict=True):
            for entrant, skill in zip(team.players, after, strict=True):
                skills[int(entrant.id)] = skill
    return {player: system.to_state(skill) for player, skill in skills.items()}
