"""Who of a report abandoned the match, who was free to leave it, who was there only briefly; and the teams' places.

Whoever leaves strictly after the last player of every other team has gone hasn't abandoned anything, nor has who left
when the match ended. In a mode with `leave_after_abandon`, team-mates of somebody who abandoned it may leave, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from ranking.modes.parameters import Rules
from ranking.rules.places import team_places
from ranking.rules.report import PlayerReport, Report
from ranking.systems.base import Entrant, Result, Team
from ranking.systems.shared.presence import attended, gone_at
from ranking.systems.shared.rules import QUARTER, left_whole

Players = tuple[Entrant[None], ...]


@dataclass(frozen=True, slots=True)
class Attendance:
    """By team and slot: who `left`, who is `excused`, who stayed for less than a quarter of the match (`brief`).

    `places`: of the teams, as they are rated.
    """

    left: Sequence[Sequence[bool]]
    excused: Sequence[Sequence[bool]]
    brief: Sequence[Sequence[bool]]
    places: Sequence[int]


def attendance_of(report: Report, rules: Rules) -> Attendance:
    """Absences that are longer in all than the mode's grace count as leaving early."""
    lasted = report.lasted
    # A list takes half the time of a generator.
    if all([_was_there(player, lasted) for team in report.teams for player in team.players]):  # noqa: C419
        nobody = [[False] * len(team.players) for team in report.teams]
        return Attendance(nobody, nobody, nobody, _places(report, [False] * len(report.teams), rules))
    grace = rules.mode.reconnect_grace
    said = [
        tuple(
            [
                Entrant(
                    player.id, None, player.seconds, player.left_early or player.absent_seconds() > grace,
                    player.rounds_played, joined_at=player.joined_at,
                )
                for player in team.players
            ]
        )
        for team in report.teams
    ]  # fmt: skip
    result = Result(tuple(map(Team, said)), lasted if report.measured else None, report.rounds)
    teams = [team.players for team in attended(result).teams]
    if rules.mode.leave_after_abandon:
        teams = [_released(players, lasted) for players in teams]
    shares = rules.system.counts_shares
    return Attendance(
        left=[[player.left_early for player in players] for players in teams],
        excused=[
            [was.left_early and not now.left_early for was, now in zip(before, after, strict=True)]
            for before, after in zip(said, teams, strict=True)
        ],
        brief=[[shares and not p.left_early and p.presence < QUARTER for p in players] for players in teams],
        places=_places(report, _gone(teams, shares=shares), rules),
    )


def _released(players: Players, duration: float | None) -> Players:
    """The team, of which those who left after somebody had abandoned the match have stayed."""
    gone = [gone_at(player, duration) if player.left_early else inf for player in players]
    first = min(gone)
    return tuple(
        replace(player, left_early=False, presence=1.0) if player.left_early and at > first else player
        for player, at in zip(players, gone, strict=True)
    )


def _was_there(player: PlayerReport, duration: float | None) -> bool:
    """True if it is plain that a player missed nothing of the match."""
    if player.left_early or player.absences or player.joined_at is not None or player.rounds_played is not None:
        return False
    return player.seconds is None or duration is None or player.seconds >= duration


def _gone(teams: Sequence[Players], *, shares: bool) -> list[bool]:
    """By team: True if it left whole. If all did and somebody of them stayed, the places of the report hold."""
    everybody = [all(player.left_early for player in players) for players in teams]
    gone = [left_whole(Team(players)) for players in teams] if shares else everybody
    return [False] * len(gone) if all(gone) and not all(everybody) else gone


def _places(report: Report, gone: Sequence[bool], rules: Rules) -> list[int]:
    """A team that left whole comes last."""
    sign = -1 if rules.mode.least_is_best else 1
    return team_places([{"place": team.place, "score": sign * (team.score or 0.0)} for team in report.teams], gone)
