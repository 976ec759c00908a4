"""Builds a history to fit to from the steps of an evaluation's history: in the order of time, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ranking.systems.base import ResetRule
from ranking.systems.batch.columns import Floats, Ints, spread, starts_of
from ranking.systems.batch.history import BY_MATCH, BY_PARTICIPATION, BY_TEAM, History, history_of
from ranking.trials.core.fit_history import FitHistory, ForfeitStep, SeedStep, Step
from ranking.trials.core.timeline import DAY, PastMatch, PastSeed
from ranking.trials.core.timeline import Step as HistoryStep


class HistoryBuilder:
    """Collects a history chunk by chunk; `finish` puts it in order."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._chunks: list[History] = []
        self._ended: list[float] = []
        self._seasons: list[int] = []
        self._rules: tuple[ResetRule, ...] = ()
        self._forfeits: list[PastMatch] = []
        self._seeds: list[tuple[int, PastSeed]] = []  # after so many matches

    def add(self, chunk: Sequence[HistoryStep]) -> None:
        """Add steps of one pool; raises Refused for a match that names a player twice."""
        matches: list[PastMatch] = []
        for step in chunk:
            self._rules = max(self._rules, step.resets, key=len)
            if isinstance(step, PastSeed):
                self._numbers.setdefault(step.player, len(self._numbers))
                self._seeds.append((len(self._ended) + len(matches), step))
                continue
            for team in step.result.teams:
                for player in team.players:
                    self._numbers.setdefault(player.id, len(self._numbers))
            (self._forfeits if step.dropper else matches).append(step)
        if matches:
            self._chunks.append(history_of([match.result for match in matches], self._numbers))
            self._ended += [match.ended_at for match in matches]
            self._seasons += [len(match.resets) for match in matches]

    def finish(self) -> FitHistory:
        ended, season = np.array(self._ended), np.array(self._seasons, np.int64)
        order = np.lexsort((ended, season)) if len(ended) else np.zeros(0, np.int64)
        history = _taken(_joined(self._chunks), order)
        ended, season = ended[order], season[order]
        entries = _Entries(history, season)
        seeds = self._seed_steps(entries, order, ended, season)
        idle, before = entries.idle_days(ended), entries.matches_before(seeds)
        history = replace(history, idle_days=idle, matches_before=before)
        steps = self._steps([(seed.key, seed.step) for seed in seeds], ended, season)
        return FitHistory(history, len(self._numbers), ended, steps)

    def _seed_steps(self, entries: _Entries, order: Ints, ended: Floats, season: Ints) -> list[_Seed]:
        """Each seed at its time, but before the matches of its player that were rated after it."""
        seeds = []
        for after, seed in self._seeds:
            number, player = len(seed.resets), self._numbers[seed.player]
            seats = entries.seats_of(player, number)
            own = entries.match[seats]
            first = own[order[own] >= after].min(initial=len(season))
            place = min(int(first), _place_of(seed.ended_at, number, ended, season))
            at = seed.ended_at if place < first else -np.inf
            seeds.append(_Seed((place, number, at, 1), SeedStep(player, seed.of, seed.state), seats, seed.matches))
        return seeds

    def _steps(self, seeds: list[tuple[Key, Step]], ended: Floats, season: Ints) -> tuple[tuple[int, Step], ...]:
        starts = [int(np.searchsorted(season, number)) for number in range(len(self._rules) + 1)]
        steps = seeds + [((starts[number], number, -np.inf, 0), rule) for number, rule in enumerate(self._rules, 1)]
        for match in self._forfeits:
            number = len(match.resets)
            place = _place_of(match.ended_at, number, ended, season)
            steps.append(((place, number, match.ended_at, 2), self._forfeit(match)))
        return tuple((key[0], step) for key, step in sorted(steps, key=lambda pair: pair[0]))

    def _forfeit(self, match: PastMatch) -> ForfeitStep:
        teams = match.result.teams
        seats = [(t, s) for t, team in enumerate(teams) for s, p in enumerate(team.players) if p.id == match.dropper]
        players = tuple(tuple(self._numbers[player.id] for player in team.players) for team in teams)
        return ForfeitStep(match.result, players, seats[0])


Key = tuple[int, int, float, int]  # sorts steps: the match that it is before, season, time, kind


@dataclass(frozen=True, slots=True)
class _Seed:
    """A seed; `key`: its place. `seats`: of its player in the season. `matches`: those that it rests on."""

    key: Key
    step: SeedStep
    seats: Ints
    matches: int


class _Entries:
    """The participations of each player in each season, in order: `seat` sorted by season, player and match."""

    def __init__(self, history: History, season: Ints) -> None:
        self.match = np.repeat(np.arange(history.matches), np.diff(history.match_starts))
        own = season[self.match] if len(season) else self.match
        self._seat = np.lexsort((self.match, history.player, own))
        self._season, self._player = own[self._seat], history.player[self._seat]
        self._follows = np.zeros(len(own), bool)
        same = (np.diff(self._season) == 0) & (np.diff(self._player) == 0)
        self._follows[1:] = same

    def seats_of(self, player: int, season: int) -> Ints:
        """The participations of a player in a season, in order."""
        low, high = (int(np.searchsorted(self._season, season, side=side)) for side in ("left", "right"))
        own = self._player[low:high]
        first, last = (low + int(np.searchsorted(own, player, side=side)) for side in ("left", "right"))
        seats: Ints = self._seat[first:last]
        return seats

    def idle_days(self, ended: Floats) -> Floats:
        """By participation: days since the player's last match of the season; 0 if it is their first."""
        times, idle = ended[self.match[self._seat]], np.zeros(len(self._seat))
        idle[self._seat] = np.where(self._follows, np.maximum(0.0, np.diff(times, prepend=0.0)) / DAY, 0.0)
        return idle

    def matches_before(self, seeds: Sequence[_Seed]) -> Ints:
        """By participation: the player's matches of the season before it, with those that seeds rest on."""
        numbers, before = np.arange(len(self._seat)), np.zeros(len(self._seat), np.int32)
        before[self._seat] = numbers - np.maximum.accumulate(np.where(self._follows, 0, numbers))
        for seed in seeds:
            before[seed.seats[self.match[seed.seats] >= seed.key[0]]] += seed.matches
        return before


def _place_of(at: float, number: int, ended: Floats, season: Ints) -> int:
    """The first match of the season after this time, or the first of the next season."""
    low, high = (int(np.searchsorted(season, number, side=side)) for side in ("left", "right"))
    return low + int(np.searchsorted(ended[low:high], at, side="right"))


def _joined(parts: Sequence[History]) -> History:
    """Histories, one after the other, as one. Party numbers mean something within a match only, so they stay."""
    if not parts:
        return history_of([], {})
    variants = {"": 0}
    variant = [np.array([variants.setdefault(name, len(variants)) for name in part.variants]) for part in parts]
    names = sorted({name for part in parts for name in part.stats})
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in (*BY_MATCH, *BY_TEAM, *BY_PARTICIPATION, "player")
    }
    columns["variant"] = np.concatenate([codes[part.variant] for codes, part in zip(variant, parts, strict=True)])
    return History(
        team_starts=starts_of(np.concatenate([np.diff(part.team_starts) for part in parts])),
        starts=starts_of(np.concatenate([np.diff(part.starts) for part in parts])),
        stats={
            name: np.concatenate([part.stats.get(name, np.full(len(part.player), np.nan)) for part in parts])
            for name in names
        },
        variants=tuple(variants),
        **columns,
    )


def _taken(history: History, matches: Ints) -> History:
    """These matches, in their order."""
    if (matches == np.arange(history.matches)).all():
        return history
    counts = np.diff(history.team_starts)
    teams = spread(history.team_starts[matches], counts[matches])
    sizes = np.diff(history.starts)[teams]
    seats = spread(history.starts[teams], sizes)
    columns: dict[str, Any] = {name: getattr(history, name)[matches] for name in BY_MATCH}
    columns |= {name: getattr(history, name)[teams] for name in BY_TEAM}
    columns |= {name: getattr(history, name)[seats] for name in (*BY_PARTICIPATION, "player")}
    return History(
        team_starts=starts_of(counts[matches]),
        starts=starts_of(sizes),
        stats={name: column[seats] for name, column in history.stats.items()},
        variants=history.variants,
        **columns,
    )
