"""Expectation propagation along a chain of teams, best first: TrueSkill for more than two teams.

Source: Ralf Herbrich, Tom Minka and Thore Graepel, "TrueSkill: A Bayesian Skill Rating System" (2006). Only the middle
of its factor graph is iterative: each team's performance, N(mean, variance) by its players, and between neighbours a
difference that is positive (won) or small (drawn). The rest is linear and Gaussian, so what a team's players learn
follows from two numbers per team, `Lesson`.

A message is a precision, and precision times mean. Means are relative to the team's own mean before the match, so
large means don't cancel digits, and an empty message is two zeros.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from ranking.systems.shared.gaussian import above, within

CLOSE_ENOUGH = 1e-10  # the chain is settled when no mean or deviation moves by more in a sweep
MOST_SWEEPS = 100


class Lesson(NamedTuple):
    """What a match tells about a team: its performance was N(m, V) before and is N(m', V') after it."""

    pull: float  # (m' − m)/V
    sureness: float  # (1 − V'/V)/V


@dataclass(frozen=True, slots=True)
class Link:
    """A team and the next one: the lead of its mean, the draw margin, and whether the two tied or it won."""

    gap: float
    margin: float
    tied: bool


class Chain:
    """The messages to each team, from its link with the team before it and from its link with the team after it."""

    __slots__ = ("links", "pi_after", "pi_before", "precisions", "tau_after", "tau_before")

    def __init__(self, variances: Sequence[float], links: Sequence[Link]) -> None:
        count = len(variances)
        self.links = [(link.gap, link.margin, link.tied) for link in links]
        self.precisions = [1 / variance for variance in variances]
        self.pi_before, self.tau_before = [0.0] * count, [0.0] * count
        self.pi_after, self.tau_after = [0.0] * count, [0.0] * count

    def settle(self) -> list[Lesson]:
        """Sweep back and forth until nothing moves; return what each team learns."""
        last = len(self.links) - 1
        back = range(last - 1, -1, -1)
        self._sweep([*range(last + 1), *back])
        moments = self._moments()
        for _ in range(MOST_SWEEPS - 1):
            self._sweep([*range(1, last + 1), *back])  # the first link has just been passed
            before, moments = moments, self._moments()
            if max([abs(a - b) for a, b in zip(before, moments, strict=True)]) < CLOSE_ENOUGH:
                break
        return self._lessons()

    def _lessons(self) -> list[Lesson]:
        return [
            Lesson(own * (tb + ta) / (own + pb + pa), own * (pb + pa) / (own + pb + pa))
            for own, pb, pa, tb, ta in self._messages()
        ]

    def _messages(self) -> Iterable[tuple[float, float, float, float, float]]:
        return zip(self.precisions, self.pi_before, self.pi_after, self.tau_before, self.tau_after, strict=True)

    def _moments(self) -> list[float]:
        """The means of all teams by the messages so far, then their deviations."""
        means = [(tb + ta) / (own + pb + pa) for own, pb, pa, tb, ta in self._messages()]
        return means + [1 / sqrt(own + pb + pa) for own, pb, pa, _, _ in self._messages()]

    def _sweep(self, indices: Iterable[int]) -> None:
        """Pass each link in turn: its outcome updates both teams' messages, given those of all other links."""
        links, lower, upper = self.links, self._lower, self._upper
        pi_before, tau_before, pi_after, tau_after = self.pi_before, self.tau_before, self.pi_after, self.tau_after
        for i in indices:
            j = i + 1
            (mean_i, variance_i), (mean_j, variance_j) = lower(i), upper(j)
            deviation = sqrt(variance_i + variance_j)
            gap, margin, tied = links[i]
            gap += mean_i - mean_j
            v, w, spare = within(gap / deviation, margin / deviation) if tied else above((gap - margin) / deviation)
            # The message of the difference has variance deviation²·spare/w. Both may be 0, so we divide by neither.
            lift, weight_i, weight_j = deviation * v, variance_j + spare * variance_i, variance_i + spare * variance_j
            pi_after[i], tau_after[i] = w / weight_i, (w * mean_i + lift) / weight_i
            pi_before[j], tau_before[j] = w / weight_j, (w * mean_j - lift) / weight_j

    def _lower(self, i: int) -> tuple[float, float]:
        """Mean and variance of a team's performance but for what its link with the team after it says."""
        variance = 1 / (self.precisions[i] + self.pi_before[i])
        return variance * self.tau_before[i], variance

    def _upper(self, i: int) -> tuple[float, float]:
        """The same but for its link with the team before it."""
        variance = 1 / (self.precisions[i] + self.pi_after[i])
        return variance * self.tau_after[i], variance
