"""The rules that rating systems apply to a result before their formulas: places, time in game, leavers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite
from typing import TypeVar

from ranking.systems.base import Entrant, Refused, Result, System, Team
from ranking.wording.translation import gettext_noop

S = TypeVar("S")
Skills = tuple[tuple[S, ...], ...]
Places = tuple[int, ...]
QUARTER = 0.25  # of a match: who was there for less isn't judged, and can't hold a team that the others left


def unratable(key: str, player: Entrant[S]) -> Refused:
    """The refusal of a player whose skill no formula can take."""
    sentence = gettext_noop("%(system)s can't rate player %(player)s, whose skill is %(skill)s.")
    return Refused(sentence, system=key, player=repr(player.id), skill=player.skill)


def check_result(system: System[S], result: Result[S]) -> Places:
    """The teams' places (1 = best, equal = tie), from places if every team has one, else from scores.

    Raises Refused, naming the system, for a result that it can't rate.
    """
    _check_teams(system, result)
    _check_time(system, result)
    return _places(system, result.teams)


def _check_teams(system: System[S], result: Result[S]) -> None:
    count = len(result.teams)
    fewest, most = system.team_counts
    if count < fewest or (most is not None and count > most):
        sentence = gettext_noop("%(system)s rates results of %(fewest)s to %(most)s teams, and this one has %(count)s.")
        if most is None:
            sentence = gettext_noop(
                "%(system)s rates results of at least %(fewest)s teams, and this one has %(count)s."
            )
        elif fewest == most:
            sentence = gettext_noop("%(system)s rates results of exactly %(fewest)s teams, and this one has %(count)s.")
        raise Refused(sentence, system=system.key, fewest=fewest, most=most, count=count)
    for number, team in enumerate(result.teams, 1):
        size = len(team.players)
        if not size:
            sentence = "%(system)s can't rate a team without players, and team %(team)s has none."
            raise Refused(sentence, f"teams[{number - 1}]", system=system.key, team=number)
        if system.max_team_size is not None and size > system.max_team_size:
            sentence = gettext_noop("%(system)s rates teams of at most %(most)s, and team %(team)s has %(size)s.")
            if system.max_team_size == 1 and system.team_counts == (2, 2):
                sentence = gettext_noop("%(system)s is only for one against one.")
            values = {"most": system.max_team_size, "team": number, "size": size}
            raise Refused(sentence, f"teams[{number - 1}]", system=system.key, **values)
    ids = [player.id for team in result.teams for player in team.players]
    if len(set(ids)) < len(ids):
        twice = next(name for index, name in enumerate(ids) if name in ids[:index])
        sentence = gettext_noop("%(system)s can't rate a result in which player %(player)s is listed twice.")
        raise Refused(sentence, system=system.key, player=repr(twice))


def _check_time(system: System[S], result: Result[S]) -> None:
    # "not 0 <= x < inf" is true for NaN as well.
    if result.duration is not None and not 0 <= result.duration < inf:
        raise Refused(f"{system.key} can't rate a match with a duration of {result.duration} seconds.")
    for team in result.teams:
        for player in team.players:
            if player.seconds is not None and not 0 <= player.seconds < inf:
                raise Refused(f"{system.key} can't rate {player.seconds} seconds in game of player {player.id!r}.")
            if player.joined_at is not None and not 0 <= player.joined_at < inf:
                raise Refused(f"{system.key} can't rate {player.id!r}, who joined at {player.joined_at} seconds.")


def _places(system: System[S], teams: tuple[Team[S], ...]) -> Places:
    places = tuple(team.place for team in teams if team.place is not None)
    if places:
        if len(places) < len(teams):
            sentence = gettext_noop("%(system)s needs a place for every team or for none; only some have one here.")
            raise Refused(sentence, system=system.key)
        if min(places) < 1:
            raise Refused(f"{system.key} counts places from 1, and here is a place {min(places)}.")
        return places
    scores = tuple(team.score for team in teams if team.score is not None)
    if len(scores) < len(teams):
        sentence = gettext_noop("%(system)s needs a place for every team, or a score for every team.")
        raise Refused(sentence, system=system.key)
    if not all(map(isfinite, scores)):
        raise Refused(f"{system.key} needs scores that are finite numbers.")
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def duration_of(result: Result[S]) -> float | None:
    """The duration that the result gives, else the longest presence of a player since the start, else None."""
    if result.duration is not None:
        return result.duration
    players = [player for team in result.teams for player in team.players]
    return max([(p.joined_at or 0) + p.seconds for p in players if p.seconds is not None], default=None)


def seconds_of(player: Entrant[S], duration: float) -> float:
    """The player's time in game, at most `duration`; missing seconds are full time, or the time since they joined."""
    if player.seconds is None:
        return duration if player.joined_at is None else max(duration - player.joined_at, 0)
    return min(player.seconds, duration)


def played(player: Entrant[S], duration: float | None) -> float:
    """The share of the match that the player was present for, 0 to 1.

    It is 1 if the duration is unknown or zero.
    """
    return seconds_of(player, duration) / duration if duration else 1.0


def left_whole(team: Team[S]) -> bool:
    """True if somebody of the team left early, and nobody else of it was there for a quarter of the match."""
    # Lists take half the time of generators.
    someone_left = any([player.left_early for player in team.players])  # noqa: C419
    return someone_left and not any([stayed_a_quarter(player) for player in team.players])  # noqa: C419


def stayed_a_quarter(player: Entrant[S]) -> bool:
    """True if a player didn't leave, and was there for at least a quarter of the match."""
    return not player.left_early and player.presence >= QUARTER


def effective_places(result: Result[S], places: Places) -> Places:
    """The places, but a team that left whole comes last; several such teams share the last place.

    If all teams left whole, the places of the report hold for those who didn't leave.
    """
    if result.places_stand:
        return places
    last, whole = max(places) + 1, [left_whole(team) for team in result.teams]
    if all(whole) and not all(player.left_early for team in result.teams for player in team.players):
        return places
    return tuple(last if left else place for left, place in zip(whole, places, strict=True))


def alone_last(result: Result[S], places: Places, index: int) -> Result[S]:
    """The same match as if nobody had left and team `index` alone had come last; who was there in part still was."""
    last = max(places) + 1
    teams = tuple(
        Team(tuple(map(_as_if_stayed, team.players)), last if i == index else place, team.score)
        for i, (team, place) in enumerate(zip(result.teams, places, strict=True))
    )
    return Result(teams, result.duration, result.rounds)


def _as_if_stayed(player: Entrant[S]) -> Entrant[S]:
    if not player.left_early:
        return player if player.weight is None else replace(player, weight=None)
    return replace(player, seconds=None, joined_at=None, left_early=False, rounds_played=None, weight=None)


def rate_with_leavers(result: Result[S], places: Places, rate_by_places: Callable[[Result[S]], Skills[S]]) -> Skills[S]:
    """Rate a result so that leaving never pays; systems without a leaver rule of their own use this one.

    Players who stayed are rated by the effective places. Each leaver gets what the same match would have given them if
    nobody had left and their team alone had come last: by the newest rule below the other teams that left whole, else
    with all other places as reported. `rate_by_places` is the system's formula; it gets a result whose teams all have
    places, and may weight players by `played`.
    """
    # Lists take half the time of generators.
    left = [any([player.left_early for player in team.players]) for team in result.teams]  # noqa: C419
    effective = effective_places(result, places) if True in left else places
    teams = tuple([Team(t.players, place, t.score) for t, place in zip(result.teams, effective, strict=True)])
    rated = rate_by_places(Result(teams, result.duration, result.rounds))
    if result.places_stand or True not in left:
        return rated
    after = list(rated)
    for index, team in enumerate(teams):
        if left[index]:
            others = effective if result.attended else places
            as_last = rate_by_places(alone_last(result, others, index))[index]
            after[index] = tuple(
                last if player.left_early else stayed
                for player, last, stayed in zip(team.players, as_last, rated[index], strict=True)
            )
    return tuple(after)
