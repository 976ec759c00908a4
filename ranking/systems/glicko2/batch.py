"""Glicko-2 on tables of duels (see system.py), with the iteration for the volatility (see step.py) on arrays."""

from __future__ import annotations

from math import inf, nan, pi
from typing import ClassVar

import numpy as np

from ranking.systems.batch.columns import Bools, Floats
from ranking.systems.batch.facts import Facts
from ranking.systems.batch.groups import MatchGroup
from ranking.systems.batch.states import States
from ranking.systems.glicko2.step import CONVERGED, MOST_STEPS, NO_DOUBT
from ranking.systems.glicko2.system import SCALE, START, WIDEST, Glicko2


def new_volatilities(volatility: Floats, phi: Floats, v: Floats, delta: Floats, tau: float) -> Floats:
    """`new_volatility` for arrays of any shape: the iteration goes on for those that haven't converged yet."""
    problem = _Problem(np.log(volatility * volatility).ravel(), (phi * phi + v).ravel(), (delta * delta).ravel(), tau)
    low, high = problem.a, problem.bounds()
    f_low, f_high = problem.f(low), problem.f(high)
    solution, going = np.empty_like(low), np.arange(len(low))
    for step in range(MOST_STEPS + 1):
        done = np.abs(high - low) <= CONVERGED
        if step == MOST_STEPS:
            done[:] = True
        if done.any():
            solution[going[done]] = low[done]
            low, high, f_low, f_high = (column[~done] for column in (low, high, f_low, f_high))
            going, problem = going[~done], problem.of(~done)
        if not len(going):
            break
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = problem.f(middle)
        crossed = f_middle * f_high <= 0
        low, f_low = np.where(crossed, high, low), np.where(crossed, f_high, f_low / 2)
        high, f_high = middle, f_middle
    return np.exp(solution / 2).reshape(volatility.shape)


class _Problem:
    """The equations f(x) = 0 of many players."""

    def __init__(self, a: Floats, spread: Floats, surprise: Floats, tau: float) -> None:
        self.a, self.spread, self.surprise, self.tau = a, spread, surprise, tau

    def of(self, chosen: Bools) -> _Problem:
        return _Problem(self.a[chosen], self.spread[chosen], self.surprise[chosen], self.tau)

    def f(self, x: Floats) -> Floats:
        e = np.exp(x)
        whole = self.spread + e
        result: Floats = e * (self.surprise - self.spread - e) / (2 * whole * whole) - (x - self.a) / (
            self.tau * self.tau
        )
        return result

    def bounds(self) -> Floats:
        """The second bound of the interval that holds the zero of f; the first one is `a`."""
        far = self.surprise > self.spread
        high = np.where(far, 0.0, self.a - self.tau)
        high[far] = np.log((self.surprise - self.spread)[far])
        while True:
            short = ~far & (self.f(high) < 0)
            if not short.any():
                return high
            high[short] -= self.tau


class Glicko2Kernel:
    fields: ClassVar[tuple[str, ...]] = ("mu", "sigma", "volatility")
    unit: ClassVar[int] = 100
    leavers_apart: ClassVar[bool] = True

    def __init__(self, system: Glicko2, facts: Facts) -> None:
        self.system, self.facts = system, facts
        idle = facts.history.idle_days.take(facts.plan.seats)
        self.empty = np.maximum(0.0, np.floor(idle / system.period_days) - 1)  # periods, by seat
        self.ahead = np.full(len(facts.plan.matches), nan)

    def fewest(self, teams: int, width: int) -> int:
        return 3

    @staticmethod
    def takes(states: States) -> Bools:
        well = np.isfinite(states.mu) & (states.sigma > 0) & (states.volatility > 0)
        return well & (states.sigma < inf) & (states.volatility < inf)

    def rate(
        self, group: MatchGroup, rating: Floats, deviation: Floats, volatility: Floats
    ) -> tuple[Floats, Floats, Floats]:
        before = np.minimum(deviation, WIDEST) / SCALE
        before = np.sqrt(before * before + self.empty[group.seats] * volatility * volatility)
        columns = ((rating - START) / SCALE, np.minimum(before, WIDEST / SCALE), volatility)
        mu, phi, own = (group.table(column)[:, :, 0] for column in columns)
        self._expect(group, mu, phi)
        g_other = _g(phi)[:, ::-1]
        chance, doubt = _logistic(g_other * (mu - mu[:, ::-1]))
        v = 1 / np.maximum(g_other * g_other * doubt, NO_DOUBT)
        surprise = 0.5 + 0.5 * np.multiply.outer(group.outcomes(self.facts), [1.0, -1.0]) - chance
        new = new_volatilities(own, phi, v, v * g_other * surprise, self.system.tau)
        phi2 = 1 / (1 / (phi * phi + new * new) + 1 / v)
        return (
            group.seated(START + SCALE * (mu + phi2 * g_other * surprise)),
            group.seated(np.minimum(SCALE * np.sqrt(phi2), WIDEST)),
            group.seated(new),
        )

    def _expect(self, group: MatchGroup, mu: Floats, phi: Floats) -> None:
        mu, phi = mu[: group.count], phi[: group.count]
        apart = np.sqrt(phi[:, 0] * phi[:, 0] + phi[:, 1] * phi[:, 1])
        self.ahead[group.matches] = _g(apart) * (mu[:, 0] - mu[:, 1])

    def units(self, rating: Floats, deviation: Floats, volatility: Floats) -> Floats:
        return rating

    def chances(self) -> tuple[Floats, Floats]:
        return _logistic(self.ahead)[0], _logistic(-self.ahead)[0]


def _g(phi: Floats) -> Floats:
    return 1 / np.sqrt(1 + 3 * phi * phi / (pi * pi))


def _logistic(x: Floats) -> tuple[Floats, Floats]:
    """E = 1/(1 + exp(−x)) and E·(1 − E), without overflow for any x."""
    odds = np.exp(-np.abs(x))
    return np.where(x > 0, 1.0, odds) / (1 + odds), odds / (1 + odds) ** 2
