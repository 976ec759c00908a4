"""What a rating system makes of a match or a forfeit: rows in, new rows or states out. Nothing is read or written."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ranking.database.bulk_writes import changed_row
from ranking.matches.records import MatchRecord
from ranking.models import Change, Event, Match, Mode, ParameterVersion, Participation, Rating
from ranking.models.change import states_of
from ranking.modes.mode_states import Learning
from ranking.modes.parameters import Rules
from ranking.rules.places import places_of
from ranking.standings.activity import counts_after
from ranking.standings.match_standings import PublishedBoard, standing_columns, standings_now
from ranking.systems.base import Entrant, Result, S, State, System, Team


def result_of(
    record: MatchRecord,
    states: Sequence[State],
    system: System[S],
    last_played: Sequence[dt.datetime | None],
    matches: Sequence[int],
) -> Result[S]:
    """The result that a system rates.

    States, ends of last matches and numbers of rated matches are the players' before it, in roster order.
    """
    match = record.match
    rosters: list[list[Entrant[Any]]] = [[] for _ in match.teams]
    for part, state, last, number in zip(record.parts, states, last_played, matches, strict=True):
        idle = match.ended_at - last if last else dt.timedelta()
        rosters[part.team].append(
            Entrant(
                id=str(part.player_id),
                skill=system.from_state(state),
                seconds=None if part.excused else part.seconds,
                joined_at=None if part.excused else part.joined_at,
                left_early=part.left_early,
                rounds_played=None if part.excused else part.rounds_played,
                idle_days=max(0.0, idle / dt.timedelta(days=1)),
                stats=part.stats,
                party=part.party or None,
                matches=number,
            )
        )
    teams = tuple(
        Team(players=tuple(roster), place=team["place"], score=team["score"])
        for roster, team in zip(rosters, match.teams, strict=True)
    )
    duration = match.duration if match.measured else None
    return Result(teams=teams, duration=duration, rounds=match.rounds, variant=match.variant)


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """What rating makes of a match; nothing of it is written yet.

    `match`: the match with its place in history. In roster order: the columns of the participations' standings, those
    of the changes, all but the match's id, and the ratings after it.
    """

    match: Match
    parameters: ParameterVersion
    standings: Sequence[Mapping[str, object]]
    changes: Sequence[Mapping[str, Any]] = ()
    ratings: Sequence[Rating] = ()


def rate_match(
    record: MatchRecord,
    ratings: Sequence[Any],
    event: Event,
    rules: Rules,
    board: PublishedBoard,
    learning: Learning | None,
) -> RatedMatch:
    """Rate a match. `ratings`: those of its players before it, in roster order. Raises Refused."""
    match, parts = record.match, record.parts
    system = rules.system if learning is None else learning.system
    befores = [rating.state for rating in ratings]
    last_played, matches = [rating.last_match_at for rating in ratings], [rating.known_matches for rating in ratings]
    result = system.attended(result_of(record, befores, system, last_played, matches))
    afters = [system.to_state(skill) for team in system.rate(result) for skill in team]
    chances = system.win_probability([team.players for team in result.teams])
    outcomes = _outcomes_of(record)
    rated = [
        _rating_after(rating, after, part, outcome, match, rules.mode)
        for rating, after, part, outcome in zip(ratings, afters, parts, outcomes, strict=True)
    ]
    changes = [
        {
            "kind": Change.MATCH,
            "event_id": event.pk,
            "player_id": part.player_id,
            "mode_id": match.mode_id,
            "season_id": rules.season_id,
            "generation": rules.mode.generation,
            "parameters_id": rules.parameters.pk,
            "outcome": outcome,
            "win_probability": chances[part.team],
            **states_of(before, after),
        }
        for part, before, after, outcome in zip(parts, befores, afters, outcomes, strict=True)
    ]
    late = rules.is_straggler(match.ended_at) or any(last is not None and last > match.ended_at for last in last_played)
    lesson = {} if learning is None else learning.columns(result)
    match = changed_row(match, event_id=event.pk, season_id=rules.season_id, late=late, **lesson)
    players = [part.player for part in parts]
    standings = zip(standings_now(board, players, ratings), standings_now(board, players, rated), strict=True)
    return RatedMatch(match, rules.parameters, [standing_columns(*pair) for pair in standings], changes, rated)


def _outcomes_of(record: MatchRecord) -> list[str]:
    """Each player's outcome: an only first team wins, teams that share the first place draw, the others lose."""
    places = places_of(record.match.teams, record.parts)
    first = Change.WIN if places.count(1) == 1 else Change.DRAW
    return [
        Change.LEFT if part.left_early else first if places[part.team] == 1 else Change.LOSS for part in record.parts
    ]


def _rating_after(rating: Rating, after: State, part: Participation, outcome: str, match: Match, mode: Mode) -> Rating:
    counts = counts_after(rating, part, outcome, match.ended_at, mode)
    moved = after.display_hundredths != rating.display_hundredths
    reached_at = match.ended_at if moved else rating.reached_at
    rated = changed_row(rating, **counts, reached_at=reached_at, to_publish=True)
    rated.state = after
    return rated


def unrated_match(record: MatchRecord, rules: Rules) -> RatedMatch:
    """A match that is recorded only. Raises Refused if the system can't rate it, whatever its players' states, unless
    it never counts.
    """
    system, players = rules.system, len(record.parts)
    if not record.match.uncounted:
        newcomers = [system.to_state(system.newcomer())] * players
        system.rate(result_of(record, newcomers, system, [None] * players, [0] * players))
    return RatedMatch(record.match, rules.parameters, [{}] * players)


def forfeit_result(
    teams: Sequence[Sequence[int]], dropper: int, skill_of: Callable[[int], object], matches: int = 0
) -> Result[Any]:
    """The result that a forfeit is rated as: the dropper left at once, and the dropper's team comes last.

    `matches`: the dropper's rated matches before it; nobody else is rated.
    """
    return Result(
        teams=tuple(
            Team(
                players=tuple(
                    Entrant(
                        id=str(player),
                        skill=skill_of(player),
                        seconds=0.0 if player == dropper else None,
                        left_early=player == dropper,
                        matches=matches if player == dropper else 0,
                    )
                    for player in team
                ),
                place=2 if dropper in team else 1,
            )
            for team in teams
        ),
        duration=1.0,
    )


def rate_forfeit(
    teams: Sequence[Sequence[int]], dropper: int, states: Mapping[int, State], system: System[S], matches: int
) -> tuple[State, float | None]:
    """Rate a forfeit: the dropper's state after it, and the chance of the dropper's team before it. Raises Refused.

    Nobody else's state changes. `matches`: the dropper's rated matches before it.
    """
    result = forfeit_result(teams, dropper, lambda player: system.from_state(states[player]), matches)
    own = next(index for index, team in enumerate(teams) if dropper in team)
    after = system.rate(result)[own][list(teams[own]).index(dropper)]
    return system.to_state(after), system.win_probability([team.players for team in result.teams])[own]
