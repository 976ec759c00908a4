"""A history: matches in the order of their sequence, as NumPy columns, quick to build from a database.

A match's teams follow each other, and so do a team's players in roster order; players are numbered from 0. NaN and
−1 stand for missing values, and a column without any value takes no memory. Ten million participations with times in
game take some 250 MB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np

from ranking.systems.base import Refused, Result, S
from ranking.systems.batch.columns import Bools, Floats, Ints, starts_of

# The optional columns, with their default values.
BY_MATCH: dict[str, Any] = {"duration": nan, "rounds": -1, "variant": 0, "mode_state": -1}
BY_TEAM: dict[str, Any] = {"place": 0, "score": nan}

BY_PARTICIPATION: dict[str, Any] = {
    "seconds": nan, "joined_at": nan, "left_early": False, "rounds_played": -1, "weight": nan, "idle_days": 0.0,
    "party": -1, "matches_before": 0, "has_stats": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class History:
    """Columns by match, by team and by participation.

    `team_starts` and `starts` have one more entry than there are matches and teams: the end of the last one. No
    player may be in a match twice: the database enforces that, and `history_of` checks it.
    """

    team_starts: Ints  # by match: its first team
    duration: Floats  # seconds
    rounds: Ints
    variant: Ints  # the index in `variants`
    mode_state: Ints  # the index in `mode_states`; −1 = what the system itself has learnt

    starts: Ints  # by team: its first participation
    place: Ints  # 0 if missing
    score: Floats

    player: Ints  # by participation
    seconds: Floats
    joined_at: Floats  # seconds since the start
    left_early: Bools
    rounds_played: Ints
    weight: Floats
    idle_days: Floats
    matches_before: Ints
    party: Ints  # players with the same number in a match queued together
    has_stats: Bools
    stats: Mapping[str, Floats] = field(default_factory=dict)  # NaN if missing
    variants: Sequence[str] = ("",)
    mode_states: Sequence[Any] = ()  # what the mode had learnt, by its system

    @property
    def matches(self) -> int:
        return len(self.team_starts) - 1

    @property
    def match_starts(self) -> Ints:
        """Each match's first participation, and the end of the last match."""
        return self.starts[self.team_starts]

    def part(self, first: int, last: int) -> History:
        """The matches from `first` up to `last`, exclusive, as views of the columns."""
        teams = slice(int(self.team_starts[first]), int(self.team_starts[last]))
        seats = slice(int(self.starts[teams.start]), int(self.starts[teams.stop]))
        return History(
            team_starts=self.team_starts[first : last + 1] - teams.start,
            starts=self.starts[teams.start : teams.stop + 1] - seats.start,
            player=self.player[seats],
            stats={name: column[seats] for name, column in self.stats.items()},
            variants=self.variants,
            mode_states=self.mode_states,
            **{name: getattr(self, name)[first:last] for name in BY_MATCH},
            **{name: getattr(self, name)[teams] for name in BY_TEAM},
            **{name: getattr(self, name)[seats] for name in BY_PARTICIPATION},
        )


def history_from(
    *, match: Ints, team: Ints, player: Ints, stats: Mapping[str, Floats] | None = None, **columns: Any
) -> History:
    """A history from a database's columns, ordered by match, team and slot.

    `match`, `team` and `player` by participation: matches numbered from 0 without a gap, teams within a match,
    players as in `States`. The other columns by match, team or participation (`BY_MATCH` …); None is the default value.
    """
    new_match = np.flatnonzero(match[1:] != match[:-1]) + 1
    new_team = np.flatnonzero((match[1:] != match[:-1]) | (team[1:] != team[:-1])) + 1
    starts = np.concatenate([[0], new_team, [len(match)]]) if len(match) else np.zeros(1, np.int64)
    match_starts = np.concatenate([[0], new_match, [len(match)]]) if len(match) else np.zeros(1, np.int64)
    return _history(np.searchsorted(starts, match_starts), starts, player, stats or {}, columns)


def history_of(results: Sequence[Result[S]], players: Mapping[str, int]) -> History:
    """A history from results, without their skills, and from the players' numbers by id; raises Refused."""
    teams = [team for result in results for team in result.teams]
    entrants = [player for team in teams for player in team.players]
    for number, result in enumerate(results):
        ids = [player.id for team in result.teams for player in team.players]
        if len(set(ids)) < len(ids) or not all(team.players for team in result.teams):
            raise Refused(f"A history can't hold match {number}: a player is listed twice, or a team has none.")
    parties: dict[str, int] = {}
    variants: dict[str, int] = {"": 0}
    names = {name for player in entrants for name in player.stats}
    history = _history(
        starts_of(np.array([len(result.teams) for result in results], np.int64)),
        starts_of(np.array([len(team.players) for team in teams], np.int64)),
        np.array([players[player.id] for player in entrants], np.int32),
        {name: np.array([player.stats.get(name, nan) for player in entrants], np.float64) for name in names},
        {
            "duration": [_or(result.duration, nan) for result in results],
            "rounds": [_or(result.rounds, -1) for result in results],
            "variant": [variants.setdefault(result.variant, len(variants)) for result in results],
            "place": [_or(team.place, 0) for team in teams],
            "score": [_or(team.score, nan) for team in teams],
            "seconds": [_or(player.seconds, nan) for player in entrants],
            "joined_at": [_or(player.joined_at, nan) for player in entrants],
            "left_early": [player.left_early for player in entrants],
            "rounds_played": [_or(player.rounds_played, -1) for player in entrants],
            "weight": [_or(player.weight, nan) for player in entrants],
            "idle_days": [player.idle_days for player in entrants],
            "matches_before": [player.matches for player in entrants],
            "party": [parties.setdefault(p.party, len(parties)) if p.party else -1 for p in entrants],
            "has_stats": [bool(player.stats) for player in entrants],
        },
    )
    return replace(history, variants=tuple(variants))


def _or(value: float | None, missing: float) -> float:
    return missing if value is None else value


def _history(
    team_starts: Ints, starts: Ints, player: Ints, stats: Mapping[str, Floats], optional: Mapping[str, Any]
) -> History:
    if unknown := optional.keys() - BY_MATCH.keys() - BY_TEAM.keys() - BY_PARTICIPATION.keys():
        raise TypeError(f"A history has no column {', '.join(sorted(unknown))}.")
    columns: dict[str, Any] = {}
    lengths = ((BY_MATCH, len(team_starts) - 1), (BY_TEAM, len(starts) - 1), (BY_PARTICIPATION, len(player)))
    for defaults, length in lengths:
        for name, default in defaults.items():
            kind = np.int32 if type(default) is int else type(default)
            value = optional.get(name)
            column = np.broadcast_to(np.array(default, kind), length) if value is None else np.asarray(value, kind)
            if len(column) != length:
                raise ValueError(f"The column {name} has {len(column)} entries, not {length}.")
            columns[name] = column
    return History(team_starts, starts=starts, player=np.asarray(player), stats=stats, **columns)


_BITS = 32


def latest_before(player: Ints, ended_at: Ints, known: Ints) -> Ints:
    """By participation, in order: the latest end of the player's earlier matches, or `known` (by player) if later."""
    if not len(player):
        return ended_at
    times, rank = np.unique(ended_at, return_inverse=True)
    order = np.argsort(player, kind="stable")
    ordered = player[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    number = np.cumsum(first) - 1
    # The high bits hold the player's number, the low ones the time's rank: the maximum starts anew with each player.
    latest = times[np.maximum.accumulate((number << _BITS) | rank.reshape(-1)[order]) & ((1 << _BITS) - 1)]
    before = known[player]
    later = order[~first]
    before[later] = np.maximum(before[later], latest[np.flatnonzero(~first) - 1])
    return before


def durations_of(history: History) -> Floats:
    """By match, in seconds: as reported, else until the last player was gone; NaN if unknown."""
    since_start = np.nan_to_num(history.joined_at) + history.seconds
    longest = np.fmax.reduceat(since_start, history.match_starts[:-1]) if history.matches else history.duration
    return np.where(np.isnan(history.duration), longest, history.duration)


WON, DREW, LOST, LEFT = range(4)


def outcomes_of(history: History, place: Ints) -> Ints:
    """By participation: WON, DREW, LOST or LEFT. `place`: that of the player's team, as it was rated.

    The only team in first place won; several teams in first place drew.
    """
    if not len(place):
        return np.zeros(0, np.int64)
    first = place.take(history.starts[:-1]) == 1
    alone = np.add.reduceat(first, history.team_starts[:-1], dtype=np.int64) == 1
    of_first = np.where(np.repeat(alone, np.diff(history.team_starts)), WON, DREW)
    outcomes = np.where(first, of_first, LOST)
    return np.where(history.left_early, LEFT, np.repeat(outcomes, np.diff(history.starts)))
