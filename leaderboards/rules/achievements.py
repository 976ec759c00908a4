"""What can be achieved: rules over a player's matches in order, met by whole arrays at once. Pure.

standing.md, "Achievements". A rule is a function of a History that says, row by row, whether it holds there; the
first such row of a player earns the feat.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranking.rules.tiers import COLOURS

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

WIN, DRAW, LOSS, LEFT = range(4)
UNDERDOG = 0.2  # "won with probability under 20 %"
_LOSSES, _STAYED = 5, 100


@dataclass(frozen=True, slots=True)
class Carry:
    """What is known of each player from the matches before: arrays with an item a player."""

    season: Ints
    completed: Ints  # in that season
    wins: Ints  # in a row, as the next two
    losses: Ints
    stayed: Ints


@dataclass(frozen=True, slots=True)
class Steps:
    """Matches of one mode, sorted by player and event: arrays with an item a match.

    `player` is an index into a Carry and never falls; every player has a step. `chance` is the win probability, NaN
    where unknown; `height` that of the tier reached, in COLOURS, 0 where unknown.
    """

    player: Ints
    season: Ints
    outcome: Ints
    chance: NDArray[np.float64]
    height: Ints


@dataclass(frozen=True, slots=True)
class History:
    """What rules look at: each match with what came before it."""

    placement: int  # matches that the mode asks for
    won: Bools
    chance: NDArray[np.float64]
    height: Ints
    completed: Ints  # in the season, with this one
    wins: Ints  # in a row, with this one
    losses_before: Ints  # in a row
    stayed: Ints  # matches in a row not left, with this one


@dataclass(frozen=True, slots=True)
class Feat:
    """`series`: of several of one series, people see the last. `rule` None: awarded by name, from other facts."""

    key: str
    name: str
    words: str
    series: str
    rule: Callable[[History], Bools] | None


def _streak(number: int, name: str) -> Feat:
    return Feat(
        f"streak-{number}", name, f"Won {number} matches in a row", "streak", lambda history: history.wins >= number
    )


def _tier(height: int) -> Feat:
    colour = COLOURS[height]
    return Feat(f"tier-{colour}", colour.title(), "Reached {tier}", "tier", lambda history: history.height >= height)


FEATS: tuple[Feat, ...] = (
    Feat("first-win", "First win", "Won a match", "first-win", lambda history: history.won),
    Feat(
        "placed", "Placed", "Finished placement", "placed",
        lambda history: history.completed >= max(1, history.placement),
    ),
    *(_tier(height) for height in range(1, len(COLOURS))),
    _streak(3, "On a roll"),
    _streak(5, "On fire"),
    _streak(10, "Unstoppable"),
    Feat(
        "giant-slayer", "Giant-slayer", "Won with a chance of less than 20 %", "giant-slayer",
        lambda history: history.won & (history.chance < UNDERDOG),
    ),
    Feat(
        "comeback", "Comeback", f"Won after {_LOSSES} losses in a row", "comeback",
        lambda history: history.won & (history.losses_before >= _LOSSES),
    ),
    Feat(
        "steady", "Steady", f"Played {_STAYED} matches in a row to the end", "steady",
        lambda history: history.stayed >= _STAYED,
    ),
)  # fmt: skip
BY_KEY = {feat.key: feat for feat in FEATS}


def read_history(steps: Steps, carry: Carry, placement: int) -> tuple[History, Carry]:
    """These matches with what came before each, and what is known after the last."""
    first, last = _bounds(steps.player)
    start = first[steps.player]
    fresh = np.diff(steps.season, prepend=-1) != 0
    fresh[first] = steps.season[first] != carry.season
    carried = np.where(fresh[first], 0, carry.completed)[steps.player]
    won, lost, stayed = steps.outcome == WIN, steps.outcome == LOSS, steps.outcome != LEFT
    losses = _run(lost, start, carry.losses[steps.player])
    history = History(
        placement=placement,
        won=won,
        chance=np.nan_to_num(steps.chance, nan=1.0),
        height=steps.height,
        completed=_count_since(stayed, fresh, start, carried),
        wins=_run(won, start, carry.wins[steps.player]),
        losses_before=np.where(np.arange(len(start)) == start, carry.losses[steps.player], np.roll(losses, 1)),
        stayed=_run(stayed, start, carry.stayed[steps.player]),
    )
    after = Carry(steps.season[last], history.completed[last], history.wins[last], losses[last], history.stayed[last])
    return history, after


def first_rows(steps: Steps, holds: Bools) -> Ints:
    """The first row of each player where something holds."""
    rows = np.flatnonzero(holds)
    return rows[np.unique(steps.player[rows], return_index=True)[1]]


def _bounds(player: Ints) -> tuple[Ints, Ints]:
    """The first and the last row of each player."""
    first = np.flatnonzero(np.diff(player, prepend=-1))
    return first, np.append(first[1:], len(player)) - 1


def _run(holds: Bools, start: Ints, carried: Ints) -> Ints:
    """How many rows in a row it holds up to each; `carried` before the player's first row, `start`."""
    rows = np.arange(len(holds))
    broken = np.maximum.accumulate(np.where(holds, -1, rows))
    return np.where(broken >= start, rows - broken, rows - start + 1 + carried)


def _count_since(holds: Bools, fresh: Bools, start: Ints, carried: Ints) -> Ints:
    """How many rows it holds since the last fresh one, or the player's first with `carried` before it."""
    rows = np.arange(len(holds))
    since = np.maximum(np.maximum.accumulate(np.where(fresh, rows, -1)), start)
    total = np.cumsum(holds)
    return total - (total - holds)[since] + np.where(since == start, carried, 0)
