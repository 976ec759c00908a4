"""Index of everybody whose rating a replay computes, with their states before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Count, Max, Min

from ranking.database.arrays import FLOAT, INTEGER, NO_TIMESTAMP, TIMESTAMP, Column, read_columns
from ranking.models import Change, Mode, Rating
from ranking.systems.batch.states import States, newcomers

_PLAYERS = 2**42  # more players than there will ever be, so that season · _PLAYERS + player is unique
_SOME = 1_000  # events a query
_STATE = ("display", "mu", "sigma", "volatility")
_KINDS = (INTEGER, FLOAT, FLOAT, FLOAT)


@dataclass(frozen=True, slots=True)
class RatedPlayers:
    """Everybody with a rating in a mode, once for each season; `ratings`: the rows' ids, in the order of `keys`."""

    keys: Column
    ratings: Column

    @classmethod
    def of(cls, mode: Mode) -> RatedPlayers:
        columns = read_columns(Rating.objects.filter(mode=mode), id=INTEGER, season_id=INTEGER, player_id=INTEGER)
        keys = _keys(columns["season_id"], columns["player_id"])
        order = np.argsort(keys)
        return cls(keys[order], columns["id"][order])

    def __len__(self) -> int:
        return len(self.keys)

    def numbers_of(self, seasons: Column, players: Column) -> Column:
        """The indices of these players; raises LookupError if one has no rating."""
        keys = _keys(seasons, players)
        numbers = np.minimum(np.searchsorted(self.keys, keys), max(len(self) - 1, 0))
        if len(keys) and not (len(self) and (self.keys[numbers] == keys).all()):
            raise LookupError("Somebody who played has no rating.")
        return numbers


def _keys(seasons: Column, players: Column) -> Column:
    keys: Column = seasons * _PLAYERS + players
    return keys


@dataclass(frozen=True, slots=True)
class Starts:
    """The state of every rated player before the replay."""

    states: States
    last_match: Column
    played_on: Column  # True for a player with rows of the ledger that the replay replaces
    matches: Column  # the number of rated matches


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
    )
    if not since:
        return starts
    if with_matches:
        _count_matches(mode, since, players, starts)
    now = read_columns(
        Rating.objects.filter(mode=mode), season_id=INTEGER, player_id=INTEGER, last_match_at=TIMESTAMP,
        display_hundredths=INTEGER, mu=FLOAT, sigma=FLOAT, volatility=FLOAT,
    )  # fmt: skip
    number = players.numbers_of(now["season_id"], now["player_id"])
    starts.last_match[number] = now["last_match_at"]
    _put(starts.states, number, [now[name] for name in ("display_hundredths", *_STATE[1:])])
    _take_back(mode, since, players, starts)
    if with_times and starts.played_on.any():
        _take_times_back(mode, since, players, starts)
    return starts


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


def _take_back(mode: Mode, since: int, players: RatedPlayers, starts: Starts) -> None:
    """Reset players who have played since then to the state that their first row since then begins with."""
    rows: Any = Change.objects.live(mode.generation).filter(mode=mode, event__gte=since)
    first = read_columns(
        rows.values("season_id", "player_id").annotate(first=Min("event_id")),
        season_id=INTEGER, player_id=INTEGER, first=INTEGER,
    )  # fmt: skip
    first_event = dict(
        zip(_keys(first["season_id"], first["player_id"]).tolist(), first["first"].tolist(), strict=True)
    )
    events = np.unique(first["first"])
    for start in range(0, len(events), _SOME):
        columns = read_columns(
            rows.filter(event__in=events[start : start + _SOME].tolist()),
            season_id=INTEGER, player_id=INTEGER, event_id=INTEGER,
            **{f"{name}_before": kind for name, kind in zip(_STATE, _KINDS, strict=True)},
        )  # fmt: skip
        keys = _keys(columns["season_id"], columns["player_id"]).tolist()
        is_first = [first_event[key] == event for key, event in zip(keys, columns["event_id"].tolist(), strict=True)]
        columns = {name: column[is_first] for name, column in columns.items()}
        number = players.numbers_of(columns["season_id"], columns["player_id"])
        starts.played_on[number] = True
        _put(starts.states, number, [columns[f"{name}_before"] for name in _STATE])


def _take_times_back(mode: Mode, since: int, players: RatedPlayers, starts: Starts) -> None:
    before: Any = Change.objects.live(mode.generation).filter(mode=mode, event__lt=since, match__isnull=False)
    columns = read_columns(
        before.values("season_id", "player_id").annotate(last=Max("match__ended_at")),
        season_id=INTEGER, player_id=INTEGER, last=TIMESTAMP,
    )  # fmt: skip
    last = np.full(len(players), NO_TIMESTAMP)
    last[players.numbers_of(columns["season_id"], columns["player_id"])] = columns["last"]
    starts.last_match[starts.played_on] = last[starts.played_on]
