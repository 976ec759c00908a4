"""Turns a history of past matches into columns that every rating system can replay.

What doesn't depend on a system is computed here once: players' numbers, idle days, matches before, resets, and which
pairs of teams are predicted.
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


Step = PastMatch | PastSeed  # of a history


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
    """The players of a pool by number; `last`: when their last match of a season ended, −inf before it."""

    numbers: dict[str, int] = field(default_factory=dict)
    last: list[float] = field(default_factory=list)
    matches: list[int] = field(default_factory=list)
    resets: list[int] = field(default_factory=list)  # ends of seasons behind each player; −1 before the first match


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

    def read(self, chunk: Sequence[Step]) -> list[Stretch | SeedStretch]:
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


def _ends(own: _Open, step: Step) -> bool:
    """True if a step can't be part of the stretch."""
    if isinstance(step, PastSeed) or not own.matches:
        return bool(own.matches if isinstance(step, PastSeed) else own.seeds)
    last = own.matches[-1]
    return bool(step.dropper or last.dropper or len(step.resets) != len(last.resets))


def _add(pool: Pool, own: _Open, match: PastMatch) -> None:
    own.matches.append(match)
    players = [player.id for team in match.result.teams for player in team.players]
    for player in players:
        number, last, before, behind = _enter(pool, player, match.resets, moves=match.dropper in ("", player))
        if behind:
            own.resets.append((number, behind))
        own.idle_days.append(0.0 if match.dropper or last == -inf else max(0.0, match.ended_at - last) / DAY)
        own.before.append(before)
    for number in () if match.dropper else map(pool.numbers.__getitem__, players):
        pool.last[number] = max(pool.last[number], match.ended_at)
        pool.matches[number] += 1


def _seed(pool: Pool, seed: PastSeed) -> int:
    """The number of a player who brought a rating along."""
    number, *_ = _enter(pool, seed.player, seed.resets, moves=True)
    pool.matches[number] += seed.matches
    return number


def _enter(pool: Pool, player: str, resets: ResetRules, *, moves: bool) -> tuple[int, float, int, ResetRules]:
    """A player's number, when their last match of the season ended, how many there were, and the resets before it.

    Who isn't moved doesn't enter the season.
    """
    number, ends = pool.numbers.setdefault(player, len(pool.numbers)), len(resets)
    if number == len(pool.last):
        pool.last.append(-inf)
        pool.matches.append(0)
        pool.resets.append(-1)
    behind = pool.resets[number]
    if behind == ends:
        return number, pool.last[number], pool.matches[number], ()
    if moves:
        pool.last[number], pool.matches[number], pool.resets[number] = -inf, 0, ends
    return number, -inf, 0, resets[behind:] if behind >= 0 else ()
