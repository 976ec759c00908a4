"""Index of everybody whose rating a replay computes, with their states before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet

from ranking.database.arrays import BOOLEAN, FLOAT, INTEGER, NO_TIMESTAMP, TIMESTAMP, Column, read_columns
from ranking.models import Change, Forfeit, Merge, Mode, Participation, Rating, Season, Seed
from ranking.systems.batch.states import States, newcomers

_PLAYERS = 2**42  # more players than there will ever be, so that season · _PLAYERS + player is unique
_SOME = 1_000  # events a query
_STATE = ("display", "mu", "sigma", "volatility", "skill_matches")
_KINDS = (INTEGER, FLOAT, FLOAT, FLOAT, FLOAT)


@dataclass(frozen=True, slots=True)
class RatedPlayers:
    """Everybody with a rating in a mode, once for each season; `ratings`: the rows' ids, in the order of `keys`.

    A player may have taken over matches of an archived season by a merge, or got them back by a split, but never the
    rating: then the row's id is 0. `enter`: True for those who have a rating or played; others have rows of the ledger
    only until the mode is rated anew.
    """

    keys: Column
    ratings: Column
    enter: Column

    @classmethod
    def of(cls, mode: Mode) -> RatedPlayers:
        columns = read_columns(Rating.objects.filter(mode=mode), id=INTEGER, season_id=INTEGER, player_id=INTEGER)
        rated = _keys(columns["season_id"], columns["player_id"])
        # Between two merges, and after a split, matches and rows stand with players who have no rating with them.
        merges = Merge.objects.filter(Q(kept=OuterRef("player")) | Q(merged=OuterRef("player")))
        archived = Q(Exists(merges), mode=mode, season__current=False)
        played_in = Q(Exists(merges), match__mode=mode, match__season__current=False, match__event__isnull=False)
        played = [
            _keys_of(Participation.objects.filter(played_in), "match__season"),
            _forfeit_keys(mode),
            _keys_of(Seed.objects.filter(archived), "season_id"),
        ]
        rows = _keys_of(Change.objects.live(mode.generation).filter(archived), "season_id")
        missing = np.setdiff1d(np.concatenate([*played, rows]), rated)
        keys, ratings = np.concatenate([rated, missing]), np.concatenate([columns["id"], np.zeros_like(missing)])
        order = np.argsort(keys)
        return cls(keys[order], ratings[order], np.isin(keys[order], np.concatenate([rated, *played])))

    def __len__(self) -> int:
        return len(self.keys)

    def numbers_of(self, seasons: Column, players: Column) -> Column:
        """The indices of these players; raises LookupError if one has no rating."""
        numbers = self.find_numbers(seasons, players)
        if (numbers < 0).any():
            raise LookupError("Somebody who played has no rating.")
        return numbers

    def find_numbers(self, seasons: Column | int, players: Column) -> Column:
        """The indices of these players; −1 for those without a rating."""
        keys = _keys(seasons, players)
        if not len(self):
            return np.full(len(keys), -1)
        numbers = np.minimum(np.searchsorted(self.keys, keys), len(self) - 1)
        return np.where(self.keys[numbers] == keys, numbers, -1)

    def numbers_in(self, season: int) -> Column:
        """The indices of everybody with a rating in a season, in the order of their ids."""
        return np.arange(*np.searchsorted(self.keys, [season * _PLAYERS, (season + 1) * _PLAYERS]))

    def players_of(self, numbers: Column) -> Column:
        """The ids of the players at these indices."""
        players: Column = self.keys[numbers] % _PLAYERS
        return players


def _keys_of(rows: QuerySet[Any], season: str) -> Column:
    return _keys(*read_columns(rows, **{season: INTEGER}, player_id=INTEGER).values())


def _forfeit_keys(mode: Mode) -> Column:
    """Everybody in a lobby of an archived season that ended with a forfeit; there are few."""
    forfeits = Forfeit.objects.filter(mode=mode, season__current=False).values_list("season", "teams")
    return np.array([season * _PLAYERS + pk for season, teams in forfeits for team in teams for pk in team], np.int64)


def _keys(seasons: Column | int, players: Column) -> Column:
    keys: Column = seasons * _PLAYERS + players
    return keys


@dataclass(frozen=True, slots=True)
class Starts:
    """The state of every rated player before the replay, in each season."""

    states: States
    last_match: Column
    played_on: Column  # True for a player with rows of the ledger that the replay replaces
    matches: Column  # the number of rated matches
    in_ledger: Column  # True for a player with rows before; only right if a season ends in the replay
    carried: Column  # as in the rating


def find_starts(mode: Mode, since: int, players: RatedPlayers, *, with_times: bool, with_matches: bool) -> Starts:
    """The states before the sequence `since`; 0 makes everybody a newcomer.

    `last_match` is right `with_times` only, `matches` is right `with_matches` only.
    """
    everybody = len(players)
    starts = Starts(
        newcomers(everybody),
        np.full(everybody, NO_TIMESTAMP),
        np.full(everybody, not since),
        np.zeros(everybody, np.int64),
        np.zeros(everybody, bool),
        np.zeros(everybody, bool),
    )
    if not since:
        return starts
    if with_matches:
        _count_matches(mode, since, players, starts)
    later = _seasons_after(mode, since)
    if later:  # archived ratings aren't what the ledger says, so it is asked for all states
        _take_last(mode, since, players, starts)
    else:
        _take_current(mode, players, starts)
    _take_back(mode, since, players, starts)
    if with_times and (later or starts.played_on.any()):
        _take_times_back(mode, since, players, starts, np.ones(everybody, bool) if later else starts.played_on)
    for season in later:
        numbers = players.numbers_in(season)
        starts.played_on[numbers], starts.states.known[numbers] = True, False
        starts.last_match[numbers], starts.matches[numbers] = NO_TIMESTAMP, 0
    return starts


def _seasons_after(mode: Mode, since: int) -> list[int]:
    """The seasons that began after the sequence `since`, in order."""
    first = Season.objects.filter(mode=mode, event__gte=since).order_by("number").values("number")[:1]
    return list(Season.objects.filter(mode=mode, number__gt=first).order_by("number").values_list("pk", flat=True))


def _take_current(mode: Mode, players: RatedPlayers, starts: Starts) -> None:
    """Set the states that players of the current season have now."""
    now = read_columns(
        Rating.objects.filter(mode=mode, season__current=True), season_id=INTEGER, player_id=INTEGER,
        last_match_at=TIMESTAMP, carried=BOOLEAN, display_hundredths=INTEGER, mu=FLOAT, sigma=FLOAT, volatility=FLOAT,
        skill_matches=FLOAT,
    )  # fmt: skip
    number = players.numbers_of(now["season_id"], now["player_id"])
    starts.last_match[number], starts.carried[number] = now["last_match_at"], now["carried"]
    _put(starts.states, number, [now[name] for name in ("display_hundredths", *_STATE[1:])])


def _count_matches(mode: Mode, since: int, players: RatedPlayers, starts: Starts) -> None:
    before: Any = Change.objects.live(mode.generation).filter(mode=mode, event__lt=since, kind=Change.MATCH)
    columns = read_columns(
        before.values("season_id", "player_id").annotate(matches=Count("pk")),
        season_id=INTEGER, player_id=INTEGER, matches=INTEGER,
    )  # fmt: skip
    starts.matches[players.numbers_of(columns["season_id"], columns["player_id"])] = columns["matches"]


def _put(states: States, numbers: Column, columns: list[Column]) -> None:
    states.known[numbers] = True
    for name, column in zip(("display_hundredths", *_STATE[1:]), columns, strict=True):
        getattr(states, name)[numbers] = column


def _take_last(mode: Mode, since: int, players: RatedPlayers, starts: Starts) -> None:
    """Set the states that players have after their last row before `since`, in each season."""
    rows: Any = Change.objects.live(mode.generation).filter(mode=mode, event__lt=since)
    for number, states in _rows_at(rows, Max("event_id"), "after", players):
        starts.in_ledger[number] = True
        _put(starts.states, number, states)


def _take_back(mode: Mode, since: int, players: RatedPlayers, starts: Starts) -> None:
    """Reset players who have played since then to the state that their first row since then begins with."""
    rows: Any = Change.objects.live(mode.generation).filter(mode=mode, event__gte=since)
    for number, states in _rows_at(rows, Min("event_id"), "before", players):
        starts.played_on[number] = True
        _put(starts.states, number, states)


def _rows_at(rows: Any, edge: Any, when: str, players: RatedPlayers) -> Iterator[tuple[Column, list[Column]]]:
    """Yield the first or last of these rows of each player and season: indices, and the states `when`, in blocks."""
    at = read_columns(
        rows.values("season_id", "player_id").annotate(edge=edge), season_id=INTEGER, player_id=INTEGER, edge=INTEGER
    )
    edge_event = dict(zip(_keys(at["season_id"], at["player_id"]).tolist(), at["edge"].tolist(), strict=True))
    events = np.unique(at["edge"])
    for start in range(0, len(events), _SOME):
        columns = read_columns(
            rows.filter(event__in=events[start : start + _SOME].tolist()),
            season_id=INTEGER, player_id=INTEGER, event_id=INTEGER,
            **{f"{name}_{when}": kind for name, kind in zip(_STATE, _KINDS, strict=True)},
        )  # fmt: skip
        keys = _keys(columns["season_id"], columns["player_id"]).tolist()
        is_edge = [edge_event[key] == event for key, event in zip(keys, columns["event_id"].tolist(), strict=True)]
        columns = {name: column[is_edge] for name, column in columns.items()}
        number = players.numbers_of(columns["season_id"], columns["player_id"])
        yield number, [columns[f"{name}_{when}"] for name in _STATE]


def _take_times_back(mode: Mode, since: int, players: RatedPlayers, starts: Starts, of: Column) -> None:
    """Set the last matches before `since`, for the players for whom `of` is True."""
    before: Any = Change.objects.live(mode.generation).filter(mode=mode, event__lt=since, match__isnull=False)
    columns = read_columns(
        before.values("season_id", "player_id").annotate(last=Max("match__ended_at")),
        season_id=INTEGER, player_id=INTEGER, last=TIMESTAMP,
    )  # fmt: skip
    last = np.full(len(players), NO_TIMESTAMP)
    last[players.numbers_of(columns["season_id"], columns["player_id"])] = columns["last"]
    starts.last_match[of] = last[of]
