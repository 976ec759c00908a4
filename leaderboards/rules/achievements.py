"""The rules of achievements, computed on whole arrays of players' matches.

A rule is a function of `PlayedMatches` that gives True for each match at which it holds; the first such match of a
player earns the achievement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranking.rules.tiers import COLOURS
from ranking.wording.translation import gettext, gettext_noop

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

WIN, DRAW, LOSS, LEFT = range(4)
UNDERDOG = 0.2  # "won with probability under 20 %"
LOSSES, STEADY = 5, 100


@dataclass(frozen=True, slots=True)
class Carry:
    """The state of each player after the earlier matches; arrays by player."""

    season: Ints
    completed: Ints  # in that season, of those that help to place the player
    wins: Ints  # in a row
    losses: Ints  # in a row
    stayed: Ints  # matches in a row that the player didn't leave


@dataclass(frozen=True, slots=True)
class Steps:
    """Matches of one mode, sorted by player and event; arrays by match.

    `player`: index into a `Carry`, ascending; every player has a match. `chance`: the win probability, NaN if unknown.
    `height`: the index in COLOURS of the tier reached, 0 if unknown.
    """

    player: Ints
    season: Ints
    placement: Ints  # matches that place the player in the season
    outcome: Ints
    brief: Bools  # they don't help to place the player
    chance: NDArray[np.float64]
    height: Ints


@dataclass(frozen=True, slots=True)
class PlayedMatches:
    """The input of rules: each match, with counts of the matches before it."""

    placement: Ints  # matches that place the player in the season
    won: Bools
    chance: NDArray[np.float64]
    height: Ints
    completed: Ints  # in the season, including this match, of those that help to place the player
    wins: Ints  # in a row, including this match
    losses_before: Ints  # in a row, before this match
    stayed: Ints  # matches in a row that the player didn't leave, including this one


@dataclass(frozen=True, slots=True)
class AchievementKind:
    """A kind of achievement; pages show the last one of each `series`. `rule`: None if other facts award it.

    `words_by_place`: the words in modes of more than two teams, if they differ.
    """

    key: str
    name: str
    words: str
    series: str
    rule: Callable[[PlayedMatches], Bools] | None
    words_by_place: str = ""

    @property
    def of_season(self) -> bool:
        """True if each archived season may grant it again."""
        return self.series in (_PODIUM, _SEASON_TIER)

    def words_for(self, *, by_place: bool) -> str:
        return gettext(self.words_by_place if by_place and self.words_by_place else self.words)


PODIUM, CHAMPION = "season-podium", "season-champion"
EVERY_SEASON = "every-season"
_PODIUM, _SEASON_TIER = "podium", "season-tier"


def season_tier(colour: str) -> str:
    """The key of having ended a season in a tier of this colour."""
    return f"{_SEASON_TIER}-{colour}"


def _streak(number: int, name: str, words: str, by_place: str) -> AchievementKind:
    return AchievementKind(f"streak-{number}", name, words, "streak", lambda history: history.wins >= number, by_place)


def _tier(height: int) -> AchievementKind:
    colour = COLOURS[height]
    return AchievementKind(
        f"tier-{colour}",
        colour.title(),
        gettext_noop("Reached {tier}"),
        "tier",
        lambda history: history.height >= height,
    )


ACHIEVEMENT_KINDS: tuple[AchievementKind, ...] = (
    AchievementKind(
        "first-win",
        gettext_noop("First win"),
        gettext_noop("Won a match"),
        "first-win",
        lambda history: history.won,
        gettext_noop("Came first in a match"),
    ),
    AchievementKind(
        "placed",
        gettext_noop("Placed"),
        gettext_noop("Finished placement"),
        "placed",
        lambda history: history.completed >= np.maximum(1, history.placement),
    ),
    *(_tier(height) for height in range(1, len(COLOURS))),
    _streak(
        3,
        gettext_noop("On a roll"),
        gettext_noop("Won 3 matches in a row"),
        gettext_noop("Came first 3 times in a row"),
    ),
    _streak(
        5, gettext_noop("On fire"), gettext_noop("Won 5 matches in a row"), gettext_noop("Came first 5 times in a row")
    ),
    _streak(
        10,
        gettext_noop("Unstoppable"),
        gettext_noop("Won 10 matches in a row"),
        gettext_noop("Came first 10 times in a row"),
    ),
    AchievementKind(
        "giant-slayer",
        gettext_noop("Giant-slayer"),
        gettext_noop("Won with a chance of less than 20 %"),
        "giant-slayer",
        lambda history: history.won & (history.chance < UNDERDOG),
    ),
    AchievementKind(
        "comeback",
        gettext_noop("Comeback"),
        gettext_noop("Won after 5 losses in a row"),
        "comeback",
        lambda history: history.won & (history.losses_before >= LOSSES),
        gettext_noop("Came first after 5 matches in a row below the top half"),
    ),
    AchievementKind(
        "steady",
        gettext_noop("Steady"),
        gettext_noop("Played 100 matches in a row to the end"),
        "steady",
        lambda history: history.stayed >= STEADY,
    ),
    *(
        AchievementKind(
            season_tier(colour), colour.title(), gettext_noop("Ended {season} in {tier}"), _SEASON_TIER, None
        )
        for colour in COLOURS
    ),
    AchievementKind(
        PODIUM, gettext_noop("Podium"), gettext_noop("Ended {season} among the first three"), _PODIUM, None
    ),
    AchievementKind(CHAMPION, gettext_noop("Champion"), gettext_noop("Ended {season} in first place"), _PODIUM, None),
    AchievementKind(
        EVERY_SEASON, gettext_noop("Regular"), gettext_noop("Played every season so far"), EVERY_SEASON, None
    ),
)
BY_KEY = {kind.key: kind for kind in ACHIEVEMENT_KINDS}


def read_history(steps: Steps, carry: Carry) -> tuple[PlayedMatches, Carry]:
    """The input of rules for these matches, and each player's state after the last one."""
    first, last = _bounds(steps.player)
    start = first[steps.player]
    fresh = np.diff(steps.season, prepend=-1) != 0
    fresh[first] = steps.season[first] != carry.season
    carried = np.where(fresh[first], 0, carry.completed)[steps.player]
    won, lost, stayed = steps.outcome == WIN, steps.outcome == LOSS, steps.outcome != LEFT
    losses = _run(lost, start, carry.losses[steps.player])
    history = PlayedMatches(
        placement=steps.placement,
        won=won,
        chance=np.nan_to_num(steps.chance, nan=1.0),
        height=steps.height,
        completed=_count_since(stayed & ~steps.brief, fresh, start, carried),
        wins=_run(won, start, carry.wins[steps.player]),
        losses_before=np.where(np.arange(len(start)) == start, carry.losses[steps.player], np.roll(losses, 1)),
        stayed=_run(stayed, start, carry.stayed[steps.player]),
    )
    after = Carry(steps.season[last], history.completed[last], history.wins[last], losses[last], history.stayed[last])
    return history, after


def first_rows(steps: Steps, holds: Bools) -> Ints:
    """The first row of each player at which `holds` is True."""
    rows = np.flatnonzero(holds)
    return rows[np.unique(steps.player[rows], return_index=True)[1]]


def _bounds(player: Ints) -> tuple[Ints, Ints]:
    """The first and the last row of each player."""
    first = np.flatnonzero(np.diff(player, prepend=-1))
    return first, np.append(first[1:], len(player)) - 1


def _run(holds: Bools, start: Ints, carried: Ints) -> Ints:
    """By row: the length of the run of True up to it; `carried`: the run before the player's first row, `start`."""
    rows = np.arange(len(holds))
    broken = np.maximum.accumulate(np.where(holds, -1, rows))
    return np.where(broken >= start, rows - broken, rows - start + 1 + carried)


def _count_since(holds: Bools, fresh: Bools, start: Ints, carried: Ints) -> Ints:
    """By row: the count of True since the last fresh row, or since the player's first row, with `carried` before it."""
    rows = np.arange(len(holds))
    since = np.maximum(np.maximum.accumulate(np.where(fresh, rows, -1)), start)
    total = np.cumsum(holds)
    return total - (total - holds)[since] + np.where(since == start, carried, 0)
