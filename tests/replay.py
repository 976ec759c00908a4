"""History told again from its facts alone, by the pure systems: what the ledger must equal."""

from typing import Any

from ranking.models import Forfeit, Match, Mode, ParameterVersion, Void
from ranking.modes import system_of
from ranking.plays import load_plays
from ranking.systems.base import Entrant, Result, State, Team


def replayed_states(mode: Mode) -> dict[int, State]:
    """Every player's state after all matches of a mode in the order of their sequence."""
    system = system_of(ParameterVersion.objects.get(mode=mode))
    skills: dict[int, Any] = {}
    void = Void.objects.filter(lifted_at=None)
    matches = Match.objects.filter(mode=mode, event__isnull=False).exclude(
        pk__in=void.filter(match__isnull=False).values("match")
    )
    forfeits = Forfeit.objects.filter(mode=mode, event__isnull=False).exclude(
        pk__in=void.filter(forfeit__isnull=False).values("forfeit")
    )
    facts = {play.match.event_id: play for play in load_plays(matches).values()}
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
