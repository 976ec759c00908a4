"""Turns a history of past matches into columns that every rating system can replay.

What doesn't depend on a system is computed here once: players' numbers, idle days, matches before, resets, and which
pairs of teams are predicted.

A fit keeps its history in another form (fit_history.py): it replays one mode's matches many times, so it holds them as
columns, while an evaluation reads many pools once, and holds no more than a chunk of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np

from ranking.systems.base import ResetRule, Result, State, System
from ranking.systems.batch.columns import Floats, Ints
from ranking.systems.batch.history import History, history_of
from ranking.systems.batch.pairs import Pairs, decided_pairs

DAY = 86_400.0  # seconds

Who = tuple[str, str]  # a pool and a player's id in it
ResetRules = tuple[ResetRule, ...]


@dataclass(frozen=True, slots=True)
class PastMatch:
    """A match of a history, with its result but without skills; or a forfeit, which moves its `dropper` alone.

    `where` names it in sentences ("duels.jsonl, line 3"). A player has one skill in each `pool`, such as a mode.
    `resets`: the rules of all ends of seasons before it, oldest first.
    """

    where: str
    pool: str
    ended_at: float  # POSIX seconds
    result: Result[None]
    dropper: str = ""
    resets: ResetRules = ()


@dataclass(frozen=True, slots=True)
class PastSeed:
    """A rating that a player brought along: a state of the system `of`, which rests on so many matches.

    `resets`: the rules of all ends of seasons before it, oldest first.
    """

    pool: str
    ended_at: float  # when it was brought along, in POSIX seconds
    player: str
    state: State
    of: System[Any]
    matches: int = 0
    resets: ResetRules = ()


PastStep = PastMatch | PastSeed  # of a history


@dataclass(frozen=True, slots=True)
class SeedStretch:
    """Ratings that players of a pool brought along, with the players' numbers. `size`: as in `Stretch`."""

    pool: str
    size: int
    seeds: Sequence[tuple[int, PastSeed]]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Matches of one pool that are rated at once, or one forfeit.

    `players`: the pool's numbers of everybody who plays; in `history` they are numbered in that order. `size`: how many
    players the pool has had. `resets`: who enters after ends of seasons. By decided pair: `ended_at`, and `experience`,
    the mean number of matches before, over both teams.
    """

    pool: str
    matches: Sequence[PastMatch]
    history: History
    players: Ints
    size: int
    resets: Sequence[tuple[int, ResetRules]]
    pairs: Pairs
    ended_at: Floats
    experience: Floats

    @property
    def is_forfeit(self) -> bool:
        return bool(self.matches[0].dropper)


@dataclass(slots=True)
class Pool:
    """The players of a pool by number, as they enter one match after another.

    `last`: when their last match of the season ended, −inf before it. `matches`: of the season. `resets`: ends of
    seasons behind them, −1 before their first match.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    last: list[float] = field(default_factory=list)
    matches: list[int] = field(default_factory=list)
    resets: list[int] = field(default_factory=list)

    def number_of(self, player: str) -> int:
        number = self.numbers.setdefault(player, len(self.numbers))
        if number == len(self.last):
            self.last.append(-inf)
            self.matches.append(0)
            self.resets.append(-1)
        return number

    def enter(self, number: int, ends: int, *, moves: bool = True) -> tuple[float, int, int]:
        """When a player's last match of the season ended, how many there were, and the ends of seasons behind them.

        `ends`: of seasons, before this one. Who isn't moved doesn't enter the season.
        """
        behind = self.resets[number]
        if behind == ends:
            return self.last[number], self.matches[number], behind
        if moves:
            self.last[number], self.matches[number], self.resets[number] = -inf, 0, ends
        return -inf, 0, behind

    def play(self, number: int, ended_at: float) -> None:
        self.last[number] = max(self.last[number], ended_at)
        self.matches[number] += 1


def idle_days(last: float, ended_at: float) -> float:
    """The days between the ends of two matches; 0 if there is none before."""
    return 0.0 if last == -inf else max(0.0, ended_at - last) / DAY


@dataclass(slots=True)
class _Open:
    """A stretch that is being collected: of matches or of seeds."""

    seeds: list[tuple[int, PastSeed]] = field(default_factory=list)
    matches: list[PastMatch] = field(default_factory=list)
    idle_days: list[float] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    resets: list[tuple[int, ResetRules]] = field(default_factory=list)


class Timeline:
    """Reads a history chunk by chunk; `now`: the latest end of a match so far."""

    def __init__(self) -> None:
        self.pools: dict[str, Pool] = {}
        self.now = -inf

    def read(self, chunk: Sequence[PastStep]) -> list[Stretch | SeedStretch]:
        """The next steps as stretches, in order within each pool; raises Refused for a match that can't be read."""
        opened: dict[str, _Open] = {}
        stretches: list[Stretch | SeedStretch] = []
        for step in chunk:
            own = opened.setdefault(step.pool, _Open())
            if _ends(own, step):
                stretches.append(self._closed(step.pool, own))
                own = opened[step.pool] = _Open()
            pool = self.pools.setdefault(step.pool, Pool())
            if isinstance(step, PastSeed):
                own.seeds.append((_seed(pool, step), step))
            else:
                _add(pool, own, step)
            self.now = max(self.now, step.ended_at)
        return [*stretches, *(self._closed(pool, own) for pool, own in opened.items())]

    def _closed(self, name: str, own: _Open) -> Stretch | SeedStretch:
        pool = self.pools[name]
        if own.seeds:
            return SeedStretch(name, len(pool.numbers), own.seeds)
        history = history_of([match.result for match in own.matches], pool.numbers)
        players, player = np.unique(history.player, return_inverse=True)
        before = np.array(own.before, np.int32)
        history = replace(history, player=player, idle_days=np.array(own.idle_days), matches_before=before)
        pairs = Pairs.none() if own.matches[0].dropper else decided_pairs(history)
        ended_at = np.array([match.ended_at for match in own.matches])
        return Stretch(
            name, own.matches, history, players, len(pool.numbers), own.resets, pairs,
            ended_at[pairs.match], pairs.mean_of_seats(history, before),
        )  # fmt: skip


def _ends(own: _Open, step: PastStep) -> bool:
    """True if a step can't be part of the stretch."""
    if isinstance(step, PastSeed) or not own.matches:
        return bool(own.matches if isinstance(step, PastSeed) else own.seeds)
    last = own.matches[-1]
    return bool(step.dropper or last.dropper or len(step.resets) != len(last.resets))


def _add(pool: Pool, own: _Open, match: PastMatch) -> None:
    own.matches.append(match)
    players = [pool.number_of(player.id) for team in match.result.teams for player in team.players]
    dropper = pool.numbers[match.dropper] if match.dropper else None
    for number in players:
        last, before, behind = pool.enter(number, len(match.resets), moves=dropper in (None, number))
        if 0 <= behind < len(match.resets):
            own.resets.append((number, match.resets[behind:]))
        own.idle_days.append(0.0 if match.dropper else idle_days(last, match.ended_at))
        own.before.append(before)
    for number in () if match.dropper else players:
        pool.play(number, match.ended_at)


def _seed(pool: Pool, seed: PastSeed) -> int:
    """The number of a player who brought a rating along."""
    number = pool.number_of(seed.player)
    pool.enter(number, len(seed.resets))
    pool.matches[number] += seed.matches
    return number
