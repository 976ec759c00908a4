"""Learns what players' statistics are worth: a logistic regression of winning on what the two teams did.

One row a match: the difference between the teams' mean statistics per round. The order of the teams means nothing, so
there is no intercept. A ridge penalty, chosen by later matches of the fit part, keeps weights finite. Weights count as
ratios to that of kills, with errors by the delta method from (H + λ)⁻¹·H·(H + λ)⁻¹.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ranking.systems.base import Refused
from ranking.systems.batch.columns import Bools, Floats, Ints, any_of
from ranking.systems.two_layer.params import LOGARITHMIC
from ranking.trials.core.fit_history import TIED, WON, FitHistory
from ranking.trials.core.judging import BLOCK, Gain, gain_of

NEEDED = 500  # usable matches
UNIT = "kills"
PENALTIES = (0.01, 0.1, 1.0, 10.0, 100.0, 1_000.0)  # of a statistic with deviation 1
LEARN = 2 / 3  # the share of the fit part by which penalties are learnt; the rest chooses one
STEPS, CLOSE = 100, 1e-10


@dataclass(frozen=True, slots=True)
class Differences:
    """By usable match: the differences between the teams' mean statistics, and whether the first team won."""

    names: tuple[str, ...]
    values: Floats  # matches × statistics
    won: Bools
    match: Ints


@dataclass(frozen=True, slots=True)
class Weight:
    """A statistic with today's weight, the learnt one and its standard error; `error` None for the unit."""

    name: str
    today: float
    learnt: float
    error: float | None


@dataclass(frozen=True, slots=True)
class Regression:
    """Coefficients of statistics, with their covariance."""

    coefficients: Floats
    covariance: Floats
    penalty: float


def differences_of(history: FitHistory, names: tuple[str, ...]) -> Differences:
    """The usable matches: two teams, decided, nobody left, and statistics of everybody. Missing ones count 0."""
    past, seats = history.history, history.history.match_starts
    usable = (history.outcome < TIED) & ~any_of(past.left_early, seats) & ~any_of(~past.has_stats, seats)
    present = tuple(name for name in names if name in past.stats)
    own = past.rounds_played.astype(np.float64)
    by_match = np.repeat(past.rounds.astype(np.float64), np.diff(seats))
    rounds = np.where(own > 0, own, np.where(by_match > 0, by_match, 1.0))
    columns = []
    for name in present:
        column = np.nan_to_num(past.stats[name], nan=0.0)
        column = np.log1p(np.maximum(0.0, column)) if name == LOGARITHMIC else column
        means = np.add.reduceat(column / rounds, past.starts[:-1]) / np.diff(past.starts)
        first = past.team_starts[:-1]
        columns.append(means[first] - means[np.minimum(first + 1, len(means) - 1)])
    values = np.stack(columns, axis=1) if columns else np.zeros((history.matches, 0))
    usable &= np.isfinite(values).all(axis=1)
    match = np.flatnonzero(usable)
    return Differences(present, values[match], history.outcome[match] == WON, match)


def regress(values: Floats, won: Bools, penalty: float) -> Regression:
    """Penalised logistic regression without an intercept, by Newton's method; each statistic has deviation 1 first."""
    scale = np.sqrt((values**2).mean(axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    x, signs = values / scale, np.where(won, 1.0, -1.0)
    b = np.zeros(x.shape[1])
    ridge = penalty * np.eye(x.shape[1])

    def cost(b: Floats) -> float:
        return float(np.logaddexp(0.0, -signs * (x @ b)).sum() + penalty * (b @ b) / 2)

    now = cost(b)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ b, -700, 700)))
        gradient = x.T @ (won - chance) - penalty * b
        hessian = (x * (chance * (1 - chance))[:, None]).T @ x
        step = np.linalg.solve(hessian + ridge, gradient)
        while (then := cost(b + step)) > now and np.abs(step).max() > CLOSE:
            step /= 2
        b, now = b + step, then
        if np.abs(step).max() <= CLOSE:
            break
    inverse = np.linalg.inv(hessian + ridge)
    covariance = inverse @ hessian @ inverse
    return Regression(b / scale, covariance / np.outer(scale, scale), penalty)


def choose_penalty(values: Floats, won: Bools) -> float:
    """The penalty with which the earlier matches foretell the later ones best."""
    cut = int(LEARN * len(won))

    def loss(penalty: float) -> float:
        return float(loss_of(values[cut:] @ regress(values[:cut], won[:cut], penalty).coefficients, won[cut:]).mean())

    return min(PENALTIES, key=loss)


def loss_of(leads: Floats, won: Bools) -> Floats:
    """The log-loss of each match, from the first team's lead in logits."""
    loss: Floats = np.logaddexp(0.0, np.where(won, -leads, leads))
    return loss


def ratios(names: tuple[str, ...], regression: Regression) -> tuple[str, Floats, Floats]:
    """The unit, each weight as a ratio to the unit's, and their standard errors by the delta method.

    The unit is kills; if nobody reports them, or they count for nothing, the largest weight.
    """
    b, covariance = regression.coefficients, regression.covariance
    unit = names.index(UNIT) if UNIT in names and b[names.index(UNIT)] > 0 else int(np.argmax(np.abs(b)))
    by = abs(b[unit]) or 1.0
    learnt = b / by
    ratio = learnt * np.sign(b[unit])
    variance = np.diag(covariance) - 2 * ratio * covariance[unit] + ratio**2 * covariance[unit, unit]
    errors = np.sqrt(np.maximum(0.0, variance)) / by
    return names[unit], learnt, errors


def impact_result(history: FitHistory, system: Any) -> dict[str, Any]:
    """The learnt weights beside those of `system`, as JSON; raises Refused if too few matches are usable."""
    today = dict(system.impact_weights)
    table = differences_of(history, tuple(today))
    if len(table.match) < NEEDED:
        raise Refused(
            f"Weights of statistics need {NEEDED} matches of two teams that are decided, that nobody left and that have"
            f" everybody's statistics; there are {len(table.match):,}."
        )
    if not table.names:
        raise Refused(f"Weights of statistics need one of {', '.join(today)}; the matches have none of these.")
    in_fit = table.match < history.fit_matches
    if int((~in_fit).sum()) < BLOCK:
        raise Refused(
            f"Weights of statistics need {BLOCK} such matches in the last third of the history, to judge them."
        )
    values, won = table.values[in_fit], table.won[in_fit]
    regression = regress(values, won, choose_penalty(values, won))
    unit, learnt, errors = ratios(table.names, regression)
    old = np.array([today[name] for name in table.names])
    held, held_won = table.values[~in_fit], table.won[~in_fit]
    by_learnt = loss_of(held @ regression.coefficients, held_won)
    scale = regress((values @ old)[:, None], won, min(PENALTIES)).coefficients[0]
    by_today = loss_of(scale * (held @ old), held_won)
    gain: Gain = gain_of(by_today - by_learnt)
    return {
        "weights": [
            asdict(Weight(name, today[name], float(value), None if name == unit else float(error)))
            for name, value, error in zip(table.names, learnt, errors, strict=True)
        ],
        "unit": unit,
        "penalty": regression.penalty,
        "matches": len(table.match),
        "log_loss": [float(by_today.mean()), float(by_learnt.mean())],
        "gain": asdict(gain),
        "recommended": gain.is_sure,
        "separating": separating(table.names, values, won),
        "params": {"impact_weights": {n: float(v) for n, v in zip(table.names, learnt, strict=True)}},
    }


def separating(names: tuple[str, ...], values: Floats, won: Bools) -> list[str]:
    """The statistics of which the better team always won, or always lost: their weight is a matter of the penalty."""
    signs = np.where(won, 1.0, -1.0)[:, None] * values
    perfect = ((signs >= 0).all(axis=0) | (signs <= 0).all(axis=0)) & (signs != 0).any(axis=0)
    return [name for name, flag in zip(names, perfect, strict=True) if flag]
