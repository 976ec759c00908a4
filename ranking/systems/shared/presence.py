"""Presence: who was there for how much of a match, and so by what share they count.

A part-time player has fewer seconds than the match and didn't abandon it: a substitute, somebody who was replaced, a
late joiner. Their share w is the part of the match that they were there for, by time, else by rounds. If the shares of
a team add up to less than one player, they are scaled up to that: a lone part-time player has w = 1. Leavers keep their
own rules and have w = 1, as everybody else.

Whoever leaves strictly after the last player of every other team has gone hasn't abandoned anything: they count as
having stayed to the end. So does who left with all seconds of the match. This is decided first of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, inf
from typing import TypeVar

from ranking.systems.base import Entrant, Result, Team
from ranking.systems.shared.maths import FLOATS, Maths, Numbers
from ranking.systems.shared.rules import duration_of

S = TypeVar("S")
LEAST_SHARE = 0.0001


def presence(time: Numbers, whole: Numbers, m: Maths, least: Numbers = LEAST_SHARE) -> Numbers:
    """The part of a match that a player was there for, by seconds or by rounds."""
    return m.clip(time / whole, least, 1)


def share(presence: Numbers, of_team: Numbers, m: Maths) -> Numbers:
    """w, scaled up if the presences of the team, in which leavers are 1, add up to less than one player."""
    return presence / m.minimum(of_team, 1)


def attended(result: Result[S]) -> Result[S]:
    """The result with everybody's presence and share; who left without abandoning anything has stayed."""
    duration = duration_of(result)
    # A list takes half the time of a generator.
    if result.attended or all([_was_there_throughout(p, duration) for team in result.teams for p in team.players]):  # noqa: C419
        return result
    gone = [max((gone_at(player, duration) for player in team.players), default=inf) for team in result.teams]
    teams = []
    for index, team in enumerate(result.teams):
        others = max(gone[:index] + gone[index + 1 :], default=inf)
        players = [
            _stayed(player, result, duration, others) if player.left_early else player for player in team.players
        ]
        teams.append(Team(_with_shares(players, duration, result.rounds), team.place, team.score))
    return replace(result, teams=tuple(teams), attended=True)


def time_there(player: Entrant[S], duration: float | None, rounds: int | None) -> tuple[float, float]:
    """What a player who didn't leave was there for, and of how much: seconds, else rounds, else 1 of 1."""
    if duration and player.seconds is not None:
        return player.seconds, duration
    if duration and player.joined_at is not None:
        return duration - player.joined_at, duration
    if rounds and player.rounds_played is not None:
        return player.rounds_played, rounds
    return 1, 1


def _was_there_throughout(player: Entrant[S], duration: float | None) -> bool:
    """True if it is plain that a player missed nothing of the match."""
    if player.left_early or player.joined_at is not None:
        return False
    return player.rounds_played is None if player.seconds is None or not duration else player.seconds >= duration


def gone_at(player: Entrant[S], duration: float | None) -> float:
    """When a player was gone, in seconds since the start: at the end, if they stayed and joined at no known time."""
    end = inf if duration is None else duration
    if player.seconds is None or (player.joined_at is None and not player.left_early):
        return end
    return min(end, (player.joined_at or 0.0) + player.seconds)


def _stayed(player: Entrant[S], result: Result[S], duration: float | None, others_gone: float) -> Entrant[S]:
    """A leaver; as having stayed to the end if nobody of another team was there any more, or if it was the end."""
    to_the_end = player.seconds is not None and result.duration and player.seconds >= result.duration
    if to_the_end or gone_at(player, duration) > others_gone:
        return replace(player, left_early=False, seconds=duration, joined_at=None)
    return player


def _with_shares(players: Sequence[Entrant[S]], duration: float | None, rounds: int | None) -> tuple[Entrant[S], ...]:
    there = [
        1.0 if player.left_early else presence(*time_there(player, duration, rounds), FLOATS) for player in players
    ]
    of_team = fsum(there)
    return tuple(
        [
            player if own == 1 else replace(player, presence=own, share=share(own, of_team, FLOATS))
            for player, own in zip(players, there, strict=True)
        ]
    )
