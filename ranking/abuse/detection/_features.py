"""Features of each participation: how the match was won or lost, and how likely that was; and weights of evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ranking.abuse.detection.columns import Bools, Columns, Floats, Ints
from ranking.abuse.detection.thresholds import Thresholds

LEAST_CHANCE = 0.02  # chances are clipped to this and to 1 less this
HEAVIEST = 1.5  # largest weight of one match, for or against
DOUBT = 20.0  # matches that are added to a frequency's denominator, as doubt


@dataclass(frozen=True, slots=True)
class Features:
    """Features by row (participation), `starts` and `players` by match.

    `starts`: each match's first row; `index`: the match of a row; `size`, `foes`: the players on the own team and on
    the others; `slope`: log odds for each hundredth of difference between teams; `lopsided` is True for losers, too.
    """

    starts: Ints
    index: Ints
    players: Ints
    size: Ints
    foes: Ints
    slope: float
    chance: Floats
    lopsided: Bools
    quick: Bools
    fled: Bools
    negative: Bools
    star: Bools  # scored about twice what the others of the match did


def features_of(columns: Columns, thresholds: Thresholds) -> Features:
    starts = np.flatnonzero(np.r_[True, columns.match[1:] != columns.match[:-1]])[: len(columns)]
    players = np.diff(np.r_[starts, len(columns)])
    index = np.repeat(np.arange(len(starts)), players)
    team_starts = np.flatnonzero(np.r_[True, (index[1:] != index[:-1]) | (columns.team[1:] != columns.team[:-1])])[
        : len(columns)
    ]
    sizes = np.diff(np.r_[team_starts, len(columns)])
    size = np.repeat(sizes, sizes)
    teams = np.bincount(index[team_starts], minlength=len(starts))
    slope, chance = _chances(columns, starts, index, team_starts, sizes, teams[index])
    columns = replace(columns, own=np.where(np.isnan(columns.own) & (size == 1), columns.score, columns.own))
    usual = _median(columns.duration[starts])
    winning = _median(columns.own[(columns.won == 1) & np.isfinite(columns.own)])
    with np.errstate(invalid="ignore"):
        quick = columns.duration <= thresholds.quick * usual
        fled = columns.left & (columns.seconds <= thresholds.fled * columns.duration)
        negative = columns.own <= -max(1.0, thresholds.negative * winning)
        first = np.repeat(np.maximum.reduceat(columns.won, team_starts), sizes) == 1 if len(starts) else columns.left
        lopsided = _margins(columns.score, first, starts, index) >= thresholds.lopsided
    return Features(
        starts, index, players, size, players[index] - size, slope, chance,
        lopsided, quick, fled, negative, _stars(columns, starts, index, players),
    )  # fmt: skip


def _median(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else float("nan")


def _chances(
    columns: Columns, starts: Ints, index: Ints, team_starts: Ints, sizes: Ints, teams: Ints
) -> tuple[float, Floats]:
    """The slope of log odds by difference of ratings, and each row's chance: the recorded one, else by the slope."""
    if not len(columns):
        return 0.0, columns.chance
    before = columns.before.astype(np.float64)
    own = np.repeat(np.add.reduceat(before, team_starts) / sizes, sizes)
    in_all, counted = np.add.reduceat(before, starts)[index], np.bincount(index)[index]
    size = np.repeat(sizes, sizes)
    difference = own - (in_all - own * size) / np.maximum(1, counted - size)
    even = -np.log(np.maximum(teams - 1, 1))  # log odds among equals
    known = np.isfinite(columns.chance)
    recorded = logit(np.where(known, columns.chance, 0.5))
    estimated = even + 4 * (columns.won - 1 / np.maximum(teams, 2))  # from the outcome, by the logistic's tangent
    squares = float(difference @ difference)
    slope = max(0.0, float(difference @ (np.where(known, recorded, estimated) - even)) / squares) if squares else 0.0
    return slope, clipped(np.where(known, columns.chance, logistic(even + slope * difference)))


def _margins(score: Floats, first: Bools, starts: Ints, index: Ints) -> Floats:
    """The lead of the first team's score over the best other score, as a share of the larger; NaN without scores."""
    if not len(score):
        return score
    unknown = np.isnan(score)
    winner = np.maximum.reduceat(np.where(first & ~unknown, score, -np.inf), starts)[index]
    second = np.maximum.reduceat(np.where(first | unknown, -np.inf, score), starts)[index]
    scale = np.maximum(np.abs(winner), np.abs(second))
    usable = np.isfinite(winner) & np.isfinite(second) & (scale > 0)
    with np.errstate(invalid="ignore"):
        return np.where(usable, (winner - second) / np.where(usable, scale, 1.0), np.nan)


def _stars(columns: Columns, starts: Ints, index: Ints, players: Ints) -> Bools:
    if not len(columns):
        return columns.left
    others = np.maximum(1, players[index] - 1)
    mean = (np.add.reduceat(columns.own, starts)[index] - columns.own) / others
    with np.errstate(invalid="ignore"):
        return (columns.own >= 1.8 * np.maximum(mean, 1.0)) & (players[index] > 2)


def logit(chance: Floats) -> Floats:
    bounded = clipped(chance)
    return np.log(bounded / (1 - bounded))


def logistic(odds: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(odds, -30, 30)))


def clipped(chance: Floats) -> Floats:
    return np.clip(chance, LEAST_CHANCE, 1 - LEAST_CHANCE)


def weigh(under_abuse: Floats | float, honest: Floats | float) -> Floats:
    """The weight of evidence: the decimal logarithm of its likelihood under abuse / in honest play."""
    return np.clip(np.log10(under_abuse / np.maximum(np.asarray(honest, np.float64), 1e-9)), -HEAVIEST, HEAVIEST)


def frequency(true: Bools, among: Bools) -> float:
    """The frequency of something in honest play: that in this history, with some doubt if the history is short."""
    return (float(np.count_nonzero(true & among)) + 1) / (float(np.count_nonzero(among)) + DOUBT)


def frequency_of_players(true: Bools, among: Bools, player: Ints) -> float:
    """`frequency` with each player counted once, however many rows they have."""
    _, index = np.unique(player[among], return_inverse=True)
    counts = np.bincount(index)
    shares = np.bincount(index, weights=true[among]) / counts
    return (float(shares.sum()) + 1) / (len(counts) + DOUBT)


def established(columns: Columns, order: Ints) -> Floats:
    """Each player's mean rating up to each of their matches, for rows sorted by player.

    The rating of a player who loses on purpose falls, but this mean falls later.
    """
    player, before = columns.player[order], columns.before[order].astype(np.float64)
    if not len(player):
        return before
    starts = np.flatnonzero(np.r_[True, player[1:] != player[:-1]])
    lengths = np.diff(np.r_[starts, len(player)])
    index = np.repeat(np.arange(len(starts)), lengths)
    total = np.cumsum(before)
    return (total - (total - before)[starts][index]) / (np.arange(len(player)) - starts[index] + 1)


def chance_at(columns: Columns, features: Features, rows: Ints, level: Floats, higher: Floats | float = 0.0) -> Floats:
    """The chances of these rows' teams if the player's rating had been `level`.

    `higher`: how much higher the mean rating of the other teams would have been, too.
    """
    shift = (level - columns.before[rows]) / np.maximum(1, features.size[rows]) - higher
    return clipped(logistic(logit(features.chance[rows]) + features.slope * shift))
