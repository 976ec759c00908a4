"""Builds a history to fit to from the steps of an evaluation's history: in the order of time, as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ranking.systems.base import ResetRule
from ranking.systems.batch.columns import Floats, Ints, spread, starts_of
from ranking.systems.batch.history import BY_MATCH, BY_PARTICIPATION, BY_TEAM, History, history_of
from ranking.trials.core.fit_history import FitHistory, ForfeitStep, SeedStep, Step
from ranking.trials.core.timeline import PastMatch, PastSeed, PastStep, Pool, idle_days


class HistoryBuilder:
    """Collects a history chunk by chunk; `finish` puts it in order."""

    def __init__(self) -> None:
        self._pool = Pool()
        self._chunks: list[History] = []
        self._ended: list[float] = []
        self._seasons: list[int] = []
        self._rules: tuple[ResetRule, ...] = ()
        self._forfeits: list[PastMatch] = []
        self._seeds: list[tuple[int, PastSeed]] = []  # after so many matches

    def add(self, chunk: Sequence[PastStep]) -> None:
        """Add steps of one pool; raises Refused for a match that names a player twice."""
        matches: list[PastMatch] = []
        for step in chunk:
            self._rules = max(self._rules, step.resets, key=len)
            if isinstance(step, PastSeed):
                self._pool.number_of(step.player)
                self._seeds.append((len(self._ended) + len(matches), step))
                continue
            for team in step.result.teams:
                for player in team.players:
                    self._pool.number_of(player.id)
            (self._forfeits if step.dropper else matches).append(step)
        if matches:
            self._chunks.append(history_of([match.result for match in matches], self._pool.numbers))
            self._ended += [match.ended_at for match in matches]
            self._seasons += [len(match.resets) for match in matches]

    def finish(self) -> FitHistory:
        ended, season = np.array(self._ended), np.array(self._seasons, np.int64)
        order = np.lexsort((ended, season)) if len(ended) else np.zeros(0, np.int64)
        history = _taken(_joined(self._chunks), order)
        ended, season = ended[order], season[order]
        seeds = sorted(self._seed_steps(history, order, ended, season), key=lambda seed: seed.key)
        idle, before = self._entries(history, seeds, ended, season)
        history = replace(history, idle_days=idle, matches_before=before)
        steps = self._steps([(seed.key, seed.step) for seed in seeds], ended, season)
        return FitHistory(history, len(self._pool.numbers), ended, steps)

    def _seed_steps(self, history: History, order: Ints, ended: Floats, season: Ints) -> Iterator[_Seed]:
        """Each seed at its time, but before the matches of its player that were rated after it."""
        match = np.repeat(np.arange(history.matches), np.diff(history.match_starts))
        by_player = np.argsort(history.player, kind="stable")
        players = history.player[by_player]
        for after, seed in self._seeds:
            number, player = len(seed.resets), self._pool.numbers[seed.player]
            own = match[by_player[slice(*np.searchsorted(players, [player, player + 1]))]]
            first = own[(season[own] == number) & (order[own] >= after)].min(initial=len(season))
            place = min(int(first), _place_of(seed.ended_at, number, ended, season))
            at = seed.ended_at if place < first else -np.inf
            yield _Seed((place, number, at, 1), SeedStep(player, seed.of, seed.state), seed.matches)

    def _entries(self, history: History, seeds: Sequence[_Seed], ended: Floats, season: Ints) -> tuple[Floats, Ints]:
        """By participation: days since the player's last match of the season, and how many there were before it."""
        pool, idle, before, seeded = self._pool, [], [], 0
        seats, starts = history.player.tolist(), history.match_starts.tolist()
        for match, (ended_at, ends) in enumerate(zip(ended.tolist(), season.tolist(), strict=True)):
            while seeded < len(seeds) and seeds[seeded].key[0] <= match:
                seed = seeds[seeded]
                pool.enter(seed.step.player, seed.key[1])
                pool.matches[seed.step.player] += seed.matches
                seeded += 1
            players = seats[starts[match] : starts[match + 1]]
            for player in players:
                last, matches, _ = pool.enter(player, ends)
                idle.append(idle_days(last, ended_at))
                before.append(matches)
            for player in players:
                pool.play(player, ended_at)
        return np.array(idle, np.float64), np.array(before, np.int32)

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
        players = tuple(tuple(self._pool.numbers[player.id] for player in team.players) for team in teams)
        return ForfeitStep(match.result, players, seats[0])


Key = tuple[int, int, float, int]  # sorts steps: the match that it is before, season, time, kind


@dataclass(frozen=True, slots=True)
class _Seed:
    """A seed; `key`: its place. `matches`: those that it rests on."""

    key: Key
    step: SeedStep
    matches: int


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
