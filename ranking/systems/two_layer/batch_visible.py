"""Two-layer's visible layer on tables (see visible.py and performance.py).

If the last digits of a float could decide a whole point, the row is NaN, and the replay asks the scalar face.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ranking.systems.batch.cases import Cases
from ranking.systems.batch.columns import Bools, Column, Floats
from ranking.systems.shared.gaussian_arrays import all_Phi
from ranking.systems.two_layer.system import TwoLayer

DOUBTFUL = 1e-7  # points

Tables = tuple[Floats, Floats, Floats, Floats | None, Bools | None]


class TeamTables(NamedTuple):
    """One team in a row: both of each match, then the player's team of each case. Arrays by row and seat, or by row."""

    there: Floats  # 1 for a player, 0 for padding
    sigma: Floats
    mmr: Floats
    tilt: Floats | None  # the share of a change that stats would move; None if nobody has stats
    left: Bools | None  # None if nobody left
    outcome: Floats  # by row, for players who stayed: 1 if the team won, 0 for a draw, −1 if it lost
    ahead: Floats  # by row: the team's z, weighted by presence
    ahead_whole: Floats  # by row: the team's z as if nobody had left


def whole_points(system: TwoLayer, teams: TeamTables) -> tuple[Floats, Floats]:
    """r and g by row and seat; r is NaN in a row with a close call."""
    expected = _expectation(system, teams.ahead)
    scores = 0.5 + 0.5 * teams.outcome[:, None]
    if teams.left is not None:
        expected = np.where(teams.left, _expectation(system, teams.ahead_whole), expected)
        scores = np.where(teams.left, 0.0, scores)
    caps = np.where(expected < 0.5, system.cap_upset, system.cap_win)
    stakes = _stakes(system, expected, scores, teams.sigma, teams.mmr, caps) * teams.there
    doubtful = (np.abs(expected - 0.5) < DOUBTFUL) & (
        np.abs(stakes) * (1 + system.performance) > min(system.cap_win, system.cap_upset) - DOUBTFUL
    )
    changes = stakes if teams.tilt is None else _tilted(system, teams, teams.tilt, stakes, scores, caps)
    points, close = _shared_out(changes, stakes.sum(axis=1), teams.there)
    points[doubtful.any(axis=1) | close] = np.nan
    return points, stakes


def worst_points(system: TwoLayer, stakes: Floats) -> Floats:
    """r of players who lost with the worst stats; NaN for a close call."""
    changes = np.maximum(-system.cap_loss, stakes - system.performance * np.abs(stakes))
    whole = np.rint(changes)
    whole[~(np.abs(np.abs(changes - whole) - 0.5) > DOUBTFUL)] = np.nan
    return whole


def team_tables(tables: Tables, outcome: Floats, ahead: Floats, ahead_whole: Floats) -> TeamTables:
    """The teams of matches; `tables`: the first five of TeamTables, by match, team and seat; the others by match."""
    there, sigma, mmr, tilt, left = tables
    shape = -1, there.shape[2]
    by_team = (np.stack([column, -column], axis=1).reshape(-1) for column in (outcome, ahead, ahead_whole))
    return TeamTables(
        there.reshape(shape),
        sigma.reshape(shape),
        mmr.reshape(shape),
        None if tilt is None else tilt.reshape(shape),
        None if left is None else left.reshape(shape),
        *by_team,
    )


def with_cases(teams: TeamTables, cases: Cases, ahead: Floats) -> TeamTables:
    """Below the teams of the matches, those of the cases; `ahead`: the first team's z, by case."""
    left = None if teams.left is None else _and_cases(teams.left, cases)
    if left is not None:
        left[np.arange(len(teams.there), len(left)), cases.offset] = False
    return TeamTables(
        there=_and_cases(teams.there, cases),
        sigma=_and_cases(teams.sigma, cases),
        mmr=_and_cases(teams.mmr, cases),
        tilt=None if teams.tilt is None else _and_cases(teams.tilt, cases),
        left=left,
        outcome=np.concatenate([teams.outcome, np.full(len(cases), -1.0)]),
        ahead=np.concatenate([teams.ahead, np.where(cases.team == 0, ahead, -ahead)]),
        ahead_whole=_and_cases(teams.ahead_whole, cases),
    )


def _and_cases(by_team: Column, cases: Cases) -> Column:
    return np.concatenate([by_team, by_team.take(cases.side, axis=0)])


def _expectation(system: TwoLayer, ahead: Floats) -> Floats:
    """E of each team, by row and 1."""
    return np.clip(all_Phi(ahead / system.flatten), system.expected_min, 1 - system.expected_min)[:, None]


def _stakes(system: TwoLayer, expected: Floats, scores: Floats, sigma: Floats, mmr: Floats, caps: Floats) -> Floats:
    """g, the change of each MMR before stats and rounding."""
    uncertain = np.clip((sigma - system.sigma_min) / (system.sigma - system.sigma_min), 0, 1)
    change = (system.k_min + (system.k_max - system.k_min) * uncertain) * (scores - expected)
    change *= _upset(system, expected, scores)
    if system.favourite_relief:
        ahead = np.clip((expected - 0.5) / (0.5 - system.expected_min), 0, 1)
        change *= np.where(change < 0, 1 - system.favourite_relief * ahead, 1.0)
    how_far = np.clip((mmr - system.elite_from) / (system.elite_to - system.elite_from), 0, 1)
    change *= 1 + (np.where(change > 0, system.elite_gain, system.elite_loss) - 1) * how_far
    return np.clip(change, -system.cap_loss, caps)


def _upset(system: TwoLayer, expected: Floats, scores: Floats) -> Floats:
    surprise = np.where(scores == 1, 0.5 - expected, 0.0)
    if system.amplify_losses:
        surprise = np.where(scores == 0, expected - 0.5, surprise)
    size = np.clip(surprise / (0.5 - system.expected_min), 0, 1)
    upset: Floats = 1 + (system.upset_max - 1) * size**system.upset_exponent
    return upset


def _tilted(system: TwoLayer, teams: TeamTables, tilt: Floats, stakes: Floats, scores: Floats, caps: Floats) -> Floats:
    """f: g, moved by stats between the team-mates of teams that won or lost."""
    tilt = np.where(teams.outcome[:, None] == 0, 0.0, tilt)
    least, most = np.where(scores == 1, 0.0, -system.cap_loss), np.where(scores == 1, caps, 0.0)
    moved = np.clip(stakes + tilt * np.abs(stakes), least, most) - stakes
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
    close = ~(np.abs(np.abs(changes - rounded) - 0.5).min(axis=1) > DOUBTFUL)
    close |= ~(np.abs(np.abs(totals - total) - 0.5) > DOUBTFUL)
    missing = total - rounded.sum(axis=1)
    step = np.where(missing > 0, 1.0, -1.0)[:, None]
    excess = np.where(there > 0, step * (rounded - changes), np.inf)
    order = np.argsort(excess, axis=1, kind="stable")
    position = np.argsort(order, axis=1)
    short = np.abs(missing)[:, None]
    gets = position < short
    last = np.where(gets, excess, -np.inf).max(axis=1)
    following = np.where(gets, np.inf, excess).min(axis=1)
    close |= (short[:, 0] > 0) & ~(following - last > DOUBTFUL)
    return rounded + step * gets, close
