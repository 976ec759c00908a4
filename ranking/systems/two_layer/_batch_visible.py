"""Two-layer's visible layer on tables (see visible.py and performance.py).

If the last digits of a float could decide a whole point, the row is NaN, and the replay asks the scalar face.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ranking.systems.batch.columns import Bools, Column, Floats, Ints
from ranking.systems.batch.leavers import Leavers
from ranking.systems.shared.formulas import score_of
from ranking.systems.shared.maths import ARRAYS
from ranking.systems.two_layer import formulas
from ranking.systems.two_layer.system import TwoLayer

DOUBTFUL = 1e-7  # points

Tables = tuple[Floats, Floats, Floats, Floats | None, Bools | None, Floats | None]


class TeamTables(NamedTuple):
    """One team in a row: both of each match, then each leaver's team. Arrays by row and seat, or by row."""

    there: Floats  # 1 for a player, 0 for padding
    sigma: Floats
    mmr: Floats
    tilt: Floats | None  # the share of a change that stats would move; None if nobody has stats
    left: Bools | None  # None if nobody left
    share: Floats | None  # w, by which k counts; None if nobody played part-time
    outcome: Floats  # by row, for players who stayed: 1 if the team won, 0 for a draw, −1 if it lost
    ahead: Floats  # by row: the team's z, weighted by presence
    ahead_whole: Floats  # by row: the team's z as if nobody had left


def whole_points(system: TwoLayer, teams: TeamTables) -> tuple[Floats, Floats]:
    """r and g by row and seat; r is NaN in a row with a close call."""
    expected, scores = formulas.expectation(system, teams.ahead, ARRAYS), score_of(teams.outcome)
    caps = formulas.cap(system, expected, ARRAYS)[:, None]
    pushes = _pushes(system, expected, scores)[:, None]
    if teams.left is not None:
        expected_whole = formulas.expectation(system, teams.ahead_whole, ARRAYS)
        lost = _pushes(system, expected_whole, np.full(len(scores), score_of(-1)))
        pushes = np.where(teams.left, lost[:, None], pushes)
    pushes = pushes if teams.share is None else teams.share * pushes
    stakes = _stakes(system, pushes, teams.sigma, teams.mmr, caps) * teams.there
    changes = stakes if teams.tilt is None else _tilted(system, teams, teams.tilt, stakes, caps)
    points, close = _shared_out(changes, stakes.dot(np.ones(stakes.shape[1])), teams.there)
    even = np.abs(expected - 0.5) < DOUBTFUL  # which of the two caps holds isn't sure
    if even.any():
        capped = np.abs(stakes) * (1 + system.performance) > min(system.cap_win, system.cap_upset) - DOUBTFUL
        close |= even & capped.any(axis=1)
    points[close] = np.nan
    return points, stakes


def worst_points(system: TwoLayer, stakes: Floats) -> Floats:
    """r of players who lost with the worst stats; NaN for a close call."""
    changes: Floats = formulas.worst_change(system, stakes, ARRAYS)
    whole = np.rint(changes)
    whole[~(np.abs(np.abs(changes - whole) - 0.5) > DOUBTFUL)] = np.nan
    return whole


def team_tables(tables: Tables, outcome: Floats, ahead: Floats, ahead_whole: Floats) -> TeamTables:
    """The teams of matches; `tables`: the first six of TeamTables, by match, team and seat; the others by match."""
    there, sigma, mmr, tilt, left, share = tables
    shape = -1, there.shape[2]
    by_team = (np.stack([column, -column], axis=1).reshape(-1) for column in (outcome, ahead, ahead_whole))
    return TeamTables(
        there.reshape(shape),
        sigma.reshape(shape),
        mmr.reshape(shape),
        None if tilt is None else tilt.reshape(shape),
        None if left is None else left.reshape(shape),
        None if share is None else share.reshape(shape),
        *by_team,
    )


def with_leavers(teams: TeamTables, leavers: Leavers, ahead: Floats) -> TeamTables:
    """Below the teams of matches, each leaver's team if they had stayed and lost; `ahead`: the first team's z then."""
    left = None if teams.left is None else _and_leavers(teams.left, leavers)
    if left is not None:
        left[np.arange(len(teams.there), len(left)), leavers.offset] = False
    return TeamTables(
        there=_and_leavers(teams.there, leavers),
        sigma=_and_leavers(teams.sigma, leavers),
        mmr=_and_leavers(teams.mmr, leavers),
        tilt=None if teams.tilt is None else _and_leavers(teams.tilt, leavers),
        left=left,
        share=None if teams.share is None else _and_leavers(teams.share, leavers),
        outcome=np.concatenate([teams.outcome, np.full(len(leavers.seat), -1.0)]),
        ahead=np.concatenate([teams.ahead, np.where(leavers.team == 0, ahead, -ahead)]),
        ahead_whole=_and_leavers(teams.ahead_whole, leavers),
    )


def _and_leavers(by_team: Column, leavers: Leavers) -> Column:
    return np.concatenate([by_team, by_team.take(leavers.side, axis=0)])


def _pushes(system: TwoLayer, expected: Floats, scores: Floats) -> Floats:
    """By row: what k is multiplied by, but for the elite band."""
    pushes: Floats = formulas.push(scores, expected, formulas.upset(system, expected, scores, ARRAYS))
    if system.favourite_relief:
        pushes *= np.where(pushes < 0, formulas.relief(system, expected, ARRAYS), 1.0)
    return pushes


def _stakes(system: TwoLayer, pushes: Floats, sigma: Floats, mmr: Floats, caps: Floats) -> Floats:
    """g, the change of each MMR before stats and rounding."""
    change = formulas.stake(system, sigma, ARRAYS) * pushes
    change *= formulas.elite(system, mmr, change, ARRAYS)
    capped: Floats = formulas.capped(system, change, caps, ARRAYS)
    return capped


def _tilted(system: TwoLayer, teams: TeamTables, tilt: Floats, stakes: Floats, caps: Floats) -> Floats:
    """f: g, moved by stats between the team-mates of teams that won or lost; leavers have no tilt."""
    outcome = teams.outcome[:, None]
    tilt = np.where(outcome == 0, 0.0, tilt)
    moved = formulas.moved(system, stakes, tilt, outcome > 0, caps, ARRAYS)
    moved *= (tilt != 0) * teams.there
    gained = np.maximum(moved, 0).sum(axis=1, keepdims=True)
    lost = np.maximum(-moved, 0).sum(axis=1, keepdims=True)
    both = np.minimum(gained, lost)
    side = np.where(moved > 0, gained, lost)
    changes: Floats = stakes + np.divide(moved * both, side, out=np.zeros_like(moved), where=both > 0)
    return changes


def _shared_out(changes: Floats, totals: Floats, there: Floats) -> tuple[Floats, Bools]:
    """The changes as whole numbers that add up to the rounded totals, each less than 1 from its change.

    Also, by row, True for a close call, either of a rounding or of who gets a point that is left over.
    """
    rounded, total = np.rint(changes), np.rint(totals)
    off, rows, width = changes - rounded, np.arange(len(changes)), changes.shape[1]
    # A NaN isn't smaller, so it is a close call.
    close = ~((np.abs(off).max(axis=1) < 0.5 - DOUBTFUL) & (np.abs(totals - total) < 0.5 - DOUBTFUL))
    missing = np.where(close, 0.0, total - rounded.dot(np.ones(width)))
    short, step = np.abs(missing).astype(np.intp), np.where(missing > 0, 1.0, -1.0)[:, None]
    excess = np.where(there > 0, -step * off, np.inf)
    ordered = np.sort(excess, axis=1)
    last, following = ordered[rows, short - 1], ordered[rows, short]
    gets = (excess <= last[:, None]) & (short > 0)[:, None]
    tied = np.flatnonzero((short > 0) & ~(following - last > DOUBTFUL))
    if len(tied):
        gets[tied], close[tied] = _first_of_equals(excess[tied], last[tied, None], short[tied, None])
    return rounded + step * gets, close


def _first_of_equals(excess: Floats, last: Floats, short: Ints) -> tuple[Bools, Bools]:
    """Who gets a point of `short` ones if several players stand at the `last` excess that gets one: in roster order.

    Players who are exactly equal here, such as newcomers, are so in the scalar face. True if some are nearly equal.
    """
    equal, less = excess == last, excess < last
    nearly = (np.abs(excess - last) <= DOUBTFUL) & ~equal
    gets = less | (equal & (np.cumsum(equal, axis=1) <= short - less.sum(axis=1, keepdims=True)))
    return gets, nearly.any(axis=1)
