"""Three or more teams that share a place, as one member of TrueSkill's chain: any two lie within the draw margin.

The chain asks such a group only for its highest and its lowest performance, b and a: the teams above it are above b,
those below it are below a, and b − a is less than the margin. With f and F the density and the distribution of each
team's performance, the density of a and b together is

    Σ_{i≠j} f_i(a)·f_j(b)·Π_{k≠i,j} (F_k(b) − F_k(a)),

and that of b alone, if nobody is below the group, is Σ_j f_j(b)·Π_{k≠j} (F_k(b) − F_k(b − margin)). Times the normal
messages from above and from below, it is integrated over a grid. So the moments are those of all pairs at once, the
order of the teams doesn't matter, and the work grows in proportion to their number. A first group is turned upside
down, so that nobody is below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from typing import NamedTuple

import numpy as np

from ranking.systems.shared.gaussian_arrays import Floats, all_between

NODES = 64  # of the grid over b
DEPTHS = 20  # of the grid over b − a
NEGLIGIBLE = 40.0  # exp(−40) is less than the last digit of 1
REACH = 9.0  # deviations, beyond which a normal density is negligible
ZOOMS = 60  # at most; each narrows the grid to where the density isn't negligible
TINY = 1e-300  # a density is at least this, so that it has a logarithm
APART = 1e9  # squared deviations; teams so far apart are rated as if the margin were 0, which is nothing beside them
EXACT = 1e-5  # a margin below this share of the least deviation counts as 0
COARSE = 0.125  # a deviation counts as at least this share of the margin, so that no density slips between the nodes
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(DEPTHS)
_UNIT, _LOG_WEIGHTS = (_POINTS + 1) / 2, np.log(_WEIGHTS)


class Message(NamedTuple):
    """What is known of a performance from elsewhere: a precision, and precision times mean; two zeros say nothing."""

    pi: float
    tau: float

    def turned(self) -> Message:
        """What it says of the negative performance."""
        return Message(self.pi, -self.tau)

    def log_density(self, x: Floats) -> Floats:
        """Up to a constant."""
        off = x - self.tau / self.pi if self.pi else np.zeros_like(x)
        return -0.5 * self.pi * off * off


NOTHING = Message(0.0, 0.0)


class Moments(NamedTuple):
    mean: float
    variance: float

    def turned(self) -> Moments:
        """Those of the negative performance."""
        return Moments(-self.mean, self.variance)


class _Grid(NamedTuple):
    """Values of b by node, and of b − a by depth; by node, depth and team what the teams make of them."""

    b: Floats  # by node and depth, as `a`
    a: Floats
    shallow: float  # the least depth
    mass: Floats  # log of F(b) − F(a), summed over the teams; with the weights of the depths, and the density's sum
    at_a: Floats  # f(a)/(F(b) − F(a))
    at_b: Floats  # f(b)/(F(b) − F(a))
    pairs: Floats  # by node and depth: Σ at_a·at_b of two teams, or Σ at_b if nobody is below


class TiedGroup:
    """The teams' means and variances, and the draw margin between any two of them.

    `between`: whether somebody is above the group, and below it. Means are relative to `middle`, as messages are.
    """

    def __init__(
        self, means: Sequence[float], variances: Sequence[float], margin: float, between: tuple[bool, bool]
    ) -> None:
        self.middle = fsum(means) / len(means)
        self.margin = margin if margin > EXACT * sqrt(min(variances)) else 0.0
        self.mean = np.array(means) - self.middle
        self.variance = np.maximum(np.array(variances), (COARSE * self.margin) ** 2)
        self.deviation = np.sqrt(self.variance)
        self.least_variance = float(self.variance.min())
        self.two_sided = between == (True, True)
        self.turned = between == (False, True)
        if self.turned:
            self.mean = -self.mean
        self.grid: _Grid | None = None  # the last one, because messages seldom move the density far

    def ends(self, above: Message, below: Message) -> tuple[Moments, Moments]:
        """The moments of b and of a, of which only those count that the chain asks for."""
        if self.turned:
            b, a = self._ends(below.turned(), NOTHING)
            return a.turned(), b.turned()
        return self._ends(above, below)

    def lessons(self, above: Message, below: Message) -> list[tuple[float, float]]:
        """Pull and sureness of each team (see chain.py)."""
        mean, variance = self._teams(below.turned(), NOTHING) if self.turned else self._teams(above, below)
        pull = (mean - self.mean) / self.variance * (-1 if self.turned else 1)
        sureness = (1 - variance / self.variance) / self.variance
        return list(zip(pull.tolist(), sureness.tolist(), strict=True))

    def _ends(self, above: Message, below: Message) -> tuple[Moments, Moments]:
        if self._is_point(above, below):
            both = self._point(above, below)
            return both, both
        grid, density = self._density(above, below)
        return _moments(grid.b, density), _moments(grid.a, density)

    def _teams(self, above: Message, below: Message) -> tuple[Floats, Floats]:
        """By team: mean and variance of the performance after the match."""
        if self._is_point(above, below):
            mean, variance = self._point(above, below)
            return np.full_like(self.mean, mean), np.full_like(self.mean, variance)
        grid, density = self._density(above, below)
        a, b, pairs, density = (column[:, :, None] for column in (grid.a, grid.b, grid.pairs, density))
        # The chances of each team to be the highest, the lowest and neither, given a and b.
        others = grid.at_a.sum(axis=2, keepdims=True) - grid.at_a if self.two_sided else 1.0
        highest = np.minimum(grid.at_b * others / pairs, 1.0)
        others = grid.at_b.sum(axis=2, keepdims=True) - grid.at_b if self.two_sided else 0.0
        lowest = np.minimum(grid.at_a * others / pairs, 1.0)
        inner = np.maximum(1 - highest - lowest, 0.0)
        # Mean and variance of a team that is neither: a normal distribution truncated to [a, b].
        moved = self.variance * (grid.at_a - grid.at_b)
        center = np.clip(self.mean + moved, a, b)
        spread = self.variance * (1 + (a - self.mean) * grid.at_a - (b - self.mean) * grid.at_b) - moved * moved
        spread = np.clip(spread, 0.0, np.minimum(self.variance, (b - a) ** 2 / 4))
        mean = (density * (highest * b + lowest * a + inner * center)).sum(axis=(0, 1))
        squares = highest * (b - mean) ** 2 + lowest * (a - mean) ** 2 + inner * (spread + (center - mean) ** 2)
        return mean, (density * squares).sum(axis=(0, 1))

    def _point(self, above: Message, below: Message) -> Moments:
        """The moments of a performance that all teams share, which they do if the margin is 0."""
        pi = float((1 / self.variance).sum()) + above.pi + below.pi
        return Moments((float((self.mean / self.variance).sum()) + above.tau + below.tau) / pi, 1 / pi)

    def _is_point(self, above: Message, below: Message) -> bool:
        """True if the margin is nothing beside what else counts: it is 0, or the teams are very far apart."""
        if not self.margin:
            return True
        mean = self._point(above, below).mean
        far = [float(((self.mean - mean) ** 2 / self.variance).sum())]
        far += [message.pi * mean * mean - 2 * message.tau * mean for message in (above, below)]
        return max(far) > APART

    def _density(self, above: Message, below: Message) -> tuple[_Grid, Floats]:
        """A grid that holds all of the density, and the density, by node and depth, which adds up to 1."""
        grid, fresh = self.grid, False
        if grid is None:
            grid, fresh = self._widest(above, below), True
        for _ in range(ZOOMS):
            density = grid.mass + above.log_density(grid.b) + below.log_density(grid.a)
            most = density.max()
            kept = density >= most - NEGLIGIBLE
            nodes, depths = kept.any(axis=1).nonzero()[0].tolist(), kept.any(axis=0).nonzero()[0].tolist()
            first, last = nodes[0], nodes[-1]
            if not fresh and (first == 0 or last == NODES - 1 or (grid.shallow and depths[0] == 0)):
                grid, fresh = self._widest(above, below), True  # the density has moved out of the old grid
                continue
            b = grid.b[:, 0]
            step = float(b[1] - b[0])
            if last - first > NODES // 2 or b[first] + step == b[first]:
                break
            shallow = float((grid.b - grid.a)[0, depths[0] - 2]) if depths[0] > 2 else grid.shallow
            grid = self._grid(float(b[first]) - step, float(b[last]) + step, shallow)
        self.grid = grid
        density = np.exp(density - most)
        return grid, density / density.sum()

    def _widest(self, above: Message, below: Message) -> _Grid:
        """The grid that certainly holds the density.

        With x and p the mean and the precision if the margin were 0, the density is highest between x and x + margin,
        because each factor's slope is that of its normal density somewhere in [a, b]. Outside, it falls at least as
        fast as a normal density of the precision p.
        """
        mean, variance = self._point(above, below)
        reach = REACH * sqrt(variance)
        return self._grid(mean - reach, mean + self.margin + reach, 0.0)

    def _grid(self, low: float, high: float, shallow: float) -> _Grid:
        """A grid of b from `low` to `high`, and of b − a from `shallow` to the margin."""
        depths, weights = np.array([self.margin]), np.zeros(1)
        if self.two_sided:
            depths, weights = shallow + (self.margin - shallow) * _UNIT, _LOG_WEIGHTS
        b, depths = np.broadcast_arrays(np.linspace(low, high, NODES)[:, None], depths)
        a = b - depths
        start, width = (a[:, :, None] - self.mean) / self.deviation, depths[:, :, None] / self.deviation
        mass, at_a, at_b = all_between(start, width)
        at_a, at_b = at_a / self.deviation, at_b / self.deviation
        pairs = at_b.sum(axis=2)
        if self.two_sided:
            pairs = at_a.sum(axis=2) * pairs - (at_a * at_b).sum(axis=2)
        pairs = np.maximum(pairs, TINY)
        return _Grid(b, a, shallow, mass.sum(axis=2) + np.log(pairs) + weights, at_a, at_b, pairs)


def _moments(x: Floats, density: Floats) -> Moments:
    mean = float((density * x).sum())
    return Moments(mean, float((density * (x - mean) ** 2).sum()))
