"""Expectation propagation along a chain of teams, best first: TrueSkill for more than two of them.

Ralf Herbrich, Tom Minka and Thore Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006). Of its factor
graph only the middle is iterative: each team's performance, N(mean, variance) by its players, and between
neighbours a difference that is positive (won) or small (drawn). All else is linear and Gaussian, so what a
team's players learn follows from two numbers per team, `Lesson`.

Means are kept relative to the team's own prior mean, as precision and precision times mean: nothing cancels
where means are large, and an empty message is two zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

from ranking.systems.truncated import above, within

Lesson = tuple[float, float]  # (m' − m)/V, (1 − V'/V)/V of a team's mean m and variance V

CLOSE_ENOUGH = 1e-10  # when no mean or deviation moves by more in a sweep, the chain is settled
MOST_SWEEPS = 100


@dataclass(slots=True)
class Chain:
    """`gaps` and `margins` belong to neighbours: team i and i + 1, of whom i won unless they tied."""

    variances: Sequence[float]
    gaps: Sequence[float]
    margins: Sequence[float]
    tied: Sequence[bool]
    # Messages to each team from the difference with the team before it, and with the one after.
    pi_before: list[float] = field(init=False)
    tau_before: list[float] = field(init=False)
    pi_after: list[float] = field(init=False)
    tau_after: list[float] = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.variances)
        self.pi_before, self.tau_before = [0.0] * count, [0.0] * count
        self.pi_after, self.tau_after = [0.0] * count, [0.0] * count

    def settle(self) -> list[Lesson]:
        """Sweep to and fro until nothing moves; what each team learns."""
        links = len(self.gaps)
        sweep = [*range(links), *range(links - 2, -1, -1)]
        settled = self._moments()
        for _ in range(MOST_SWEEPS):
            for link in sweep:
                self._pass(link)
            last, settled = settled, self._moments()
            if all(abs(a - b) <= CLOSE_ENOUGH for a, b in zip(last, settled, strict=True)):
                break
            sweep = [*range(1, links), *range(links - 2, -1, -1)]  # the first link has just been passed
        return [
            (tau / (1 + variance * pi), pi / (1 + variance * pi))
            for variance, pi, tau in zip(self.variances, *self._messages(), strict=True)
        ]

    def _messages(self) -> tuple[list[float], list[float]]:
        pi = [a + b for a, b in zip(self.pi_before, self.pi_after, strict=True)]
        tau = [a + b for a, b in zip(self.tau_before, self.tau_after, strict=True)]
        return pi, tau

    def _moments(self) -> list[float]:
        """Means and deviations of all teams by the messages so far."""
        moments = []
        for variance, pi, tau in zip(self.variances, *self._messages(), strict=True):
            after = variance / (1 + variance * pi)
            moments += [after * tau, sqrt(after)]
        return moments

    def _pass(self, i: int) -> None:
        """What the result between team i and the next tells both, given all that the others told them."""
        j = i + 1
        variance_i = 1 / (1 / self.variances[i] + self.pi_before[i])
        variance_j = 1 / (1 / self.variances[j] + self.pi_after[j])
        mean_i, mean_j = variance_i * self.tau_before[i], variance_j * self.tau_after[j]
        deviation = sqrt(variance_i + variance_j)
        gap, margin = self.gaps[i] + mean_i - mean_j, self.margins[i]
        v, w, spare = (
            within(gap / deviation, margin / deviation) if self.tied[i] else above((gap - margin) / deviation)
        )
        # The difference's own message has the variance deviation²·spare/w: one may be zero, so neither divides.
        weight_i, weight_j = variance_j + spare * variance_i, variance_i + spare * variance_j
        self.pi_after[i] = w / weight_i
        self.tau_after[i] = (w * mean_i + deviation * v) / weight_i
        self.pi_before[j] = w / weight_j
        self.tau_before[j] = (w * mean_j - deviation * v) / weight_j
