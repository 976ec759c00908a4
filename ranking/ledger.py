"""Rating matches: locks in one order, the sequence, the arithmetic, the ledger's rows.

Results that share no player are rated side by side; those that do wait for each other's rating rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from ranking import locks
from ranking.counting import count_match
from ranking.models import (
    Change,
    Event,
    Match,
    Mode,
    OutboxEntry,
    ParameterVersion,
    Participation,
    Player,
    Rating,
    Season,
)
from ranking.modes import current_parameters, system_of
from ranking.ranktable import RankTable
from ranking.snapshots import newest_table
from ranking.systems.base import Entrant, Refused, Result, State, System, Team
from ranking.systems.rules import check_result, effective_places


@dataclass(slots=True)
class Play:
    """A match with its participations in roster order and, once rated, their changes in the same order."""

    match: Match
    parts: list[Participation]
    changes: list[Change] = field(default_factory=list)


def load_plays(matches: Iterable[Match]) -> dict[int, Play]:
    """Rated matches as they were written, by id: two queries, however many."""
    plays = {match.pk: Play(match, []) for match in matches}
    if not plays:
        return {}
    changes: dict[tuple[int | None, int], Change] = {}
    for change in Change.objects.filter(match__in=plays, generation=F("mode__generation")).select_related("parameters"):
        changes[change.match_id, change.player_id] = change
    parts = Participation.objects.filter(match__in=plays).select_related("player").order_by("match", "team", "slot")
    for part in parts:
        plays[part.match_id].parts.append(part)
        if (part.match_id, part.player_id) in changes:
            plays[part.match_id].changes.append(changes[part.match_id, part.player_id])
    return plays


class Unratable(Exception):
    """The system refused the play at `index`; the caller's transaction must be rolled back."""

    def __init__(self, index: int, reason: Refused) -> None:
        super().__init__(str(reason))
        self.index, self.reason = index, reason


@dataclass(frozen=True, slots=True)
class _Rules:
    """What a mode rates by at this moment."""

    mode: Mode
    season: Season
    parameters: ParameterVersion
    table: RankTable | None

    @property
    def system(self) -> System[Any]:
        return system_of(self.parameters)


Ratings = dict[tuple[int, int], Rating]  # by mode and player


def rate_matches(plays: Sequence[Play], *, now: dt.datetime, consumers: Sequence[str] = ()) -> None:
    """Save and rate matches in the order given, inside the caller's transaction.

    Writes matches, participations with the ranks published at `now`, changes, ratings, and an outbox row
    for each consumer. Raises Unratable.
    """
    modes = {play.match.mode_id: play.match.mode for play in plays}
    locks.share_modes(modes)
    seasons = {season.mode_id: season for season in Season.objects.filter(mode__in=modes, current=True)}
    parameters = {mode.pk: current_parameters(mode) for mode in modes.values()}
    ratings = _lock_ratings(plays, seasons, parameters, now)
    # The table is read under the locks: no publication changes these rows between it and them.
    rules = {
        pk: _Rules(mode, seasons[pk], parameters[pk], newest_table(pk, seasons[pk].pk)) for pk, mode in modes.items()
    }
    events = Event.objects.bulk_create(Event(mode=play.match.mode, kind=Event.MATCH, happened_at=now) for play in plays)
    for index, (play, event) in enumerate(zip(plays, events, strict=True)):
        try:
            play.changes = list(_rate(play, event, rules[play.match.mode_id], ratings, now))
        except Refused as reason:
            raise Unratable(index, reason) from reason
    _write(plays, events, ratings, now, consumers)


def _lock_ratings(
    plays: Sequence[Play], seasons: dict[int, Season], parameters: dict[int, ParameterVersion], now: dt.datetime
) -> Ratings:
    """Every rating of these plays, locked in id order; missing ones are first inserted in key order."""
    wanted = {(play.match.mode_id, part.player_id): (part.player, play.match) for play in plays for part in play.parts}
    rows = Rating.objects.filter(
        player__in={player for _, player in wanted}, season__in=[season.pk for season in seasons.values()]
    )
    present = set(rows.values_list("mode_id", "player_id"))
    missing = sorted(wanted.keys() - present, key=lambda pair: (pair[0], wanted[pair][0].key))
    if missing:
        Rating.objects.bulk_create(
            [_newcomer(*wanted[pair], seasons[pair[0]], parameters[pair[0]], now) for pair in missing],
            ignore_conflicts=True,
        )
    locked = rows.select_for_update(of=("self",)).order_by("id")
    return {(row.mode_id, row.player_id): row for row in locked if (row.mode_id, row.player_id) in wanted}


def _newcomer(player: Player, match: Match, season: Season, parameters: ParameterVersion, now: dt.datetime) -> Rating:
    system = system_of(parameters)
    rating = Rating(player=player, mode=match.mode, season=season, region=match.region, reached_at=now)
    rating.state = system.to_state(system.newcomer())
    return rating


def _rate(play: Play, event: Event, rules: _Rules, ratings: Ratings, now: dt.datetime) -> Iterator[Change]:
    match, system, mode = play.match, rules.system, rules.mode
    seats = [ratings[mode.pk, part.player_id] for part in play.parts]
    result = result_of(play, [seat.state for seat in seats], system, seats)
    skills = [skill for team in system.rate(result) for skill in team]
    chances = system.win_probability([team.players for team in result.teams])
    outcomes = outcomes_of(effective_places(result, check_result(system, result)))
    match.event, match.season = event, rules.season
    match.late = any(seat.last_match_at is not None and seat.last_match_at > match.ended_at for seat in seats)
    for part, rating, skill in zip(play.parts, seats, skills, strict=True):
        before, after = rating.state, system.to_state(skill)
        outcome = Change.LEFT if part.left_early else outcomes[part.team]
        standing = _standing(rating, part, rules, now)
        part.rank_before, part.percentile_before, part.listed_before = standing
        if after.display_hundredths != before.display_hundredths:
            rating.reached_at = match.ended_at
        rating.state = after
        rating.to_publish = True
        count_match(rating, outcome, match.ended_at, mode)
        part.rank_after, part.percentile_after, part.listed_after = _standing(rating, part, rules, now)
        yield _change(play.match, event, rules, part, outcome, chances[part.team], before, after)


def result_of(play: Play, states: Sequence[State], system: System[Any], seats: Sequence[Rating]) -> Result[Any]:
    """The result that a system rates, players known by their ids, with these states before it."""
    match = play.match
    rosters: list[list[Entrant[Any]]] = [[] for _ in match.teams]
    for part, state, seat in zip(play.parts, states, seats, strict=True):
        idle = match.ended_at - seat.last_match_at if seat.last_match_at else dt.timedelta()
        rosters[part.team].append(
            Entrant(
                id=str(part.player_id),
                skill=system.from_state(state),
                seconds=part.seconds,
                left_early=part.left_early,
                rounds_played=part.rounds_played,
                idle_days=max(0.0, idle / dt.timedelta(days=1)),
                stats=part.stats,
                party=part.party or None,
            )
        )
    teams = tuple(
        Team(players=tuple(roster), place=said["place"], score=said["score"])
        for roster, said in zip(rosters, match.teams, strict=True)
    )
    return Result(teams=teams, duration=match.duration, rounds=match.rounds)


def outcomes_of(places: Sequence[int]) -> list[str]:
    """Each team's outcome: alone in first place won, first together drew, the rest lost."""
    best = min(places)
    first = Change.WIN if list(places).count(best) == 1 else Change.DRAW
    return [first if place == best else Change.LOSS for place in places]


def _standing(
    rating: Rating, part: Participation, rules: _Rules, now: dt.datetime
) -> tuple[int, int, int] | tuple[None, None, None]:
    """Rank, percentile and number listed that the live rating has on the board as published."""
    ranked = rating.completed >= rules.mode.placement_matches and rating.is_active(now)
    if rules.table is None or not ranked or part.player.hidden_at is not None:
        return None, None, None
    own = rating.published_hundredths if rating.listed else None
    standing = rules.table.standing(rating.display_hundredths, excluding=own)
    return standing.rank, standing.percentile, standing.listed


def _change(
    match: Match,
    event: Event,
    rules: _Rules,
    part: Participation,
    outcome: str,
    chance: float | None,
    before: State,
    after: State,
) -> Change:
    return Change(
        kind=Change.MATCH,
        event=event,
        match=match,
        player=part.player,
        mode=rules.mode,
        season=rules.season,
        generation=rules.mode.generation,
        parameters=rules.parameters,
        outcome=outcome,
        win_probability=chance,
        display_before=before.display_hundredths,
        mu_before=before.mu,
        sigma_before=before.sigma,
        volatility_before=before.volatility,
        display_after=after.display_hundredths,
        mu_after=after.mu,
        sigma_after=after.sigma,
        volatility_after=after.volatility,
    )


def _write(
    plays: Sequence[Play],
    events: Sequence[Event],
    ratings: Ratings,
    now: dt.datetime,
    consumers: Sequence[str],
) -> None:
    Match.objects.bulk_create([play.match for play in plays])
    for play in plays:
        for part in play.parts:
            part.match = play.match  # takes the id that the match has now
        for change in play.changes:
            change.match = play.match
    Participation.objects.bulk_create([part for play in plays for part in play.parts])
    Change.objects.bulk_create([change for play in plays for change in play.changes])
    Rating.objects.bulk_create(
        ratings.values(), update_conflicts=True, unique_fields=["id"], update_fields=Rating.RATED_FIELDS
    )
    OutboxEntry.objects.bulk_create(
        OutboxEntry(consumer=consumer, event=event, due_at=now) for event in events for consumer in consumers
    )
