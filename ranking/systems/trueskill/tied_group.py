"""Three or more sides that share a place, as one link of TrueSkill's chain: any two of them lie within the draw margin.

The chain asks such a group only for its highest and its lowest performance, b and a: the sides above it are above b, the
sides below it are below a, and b − a is less than the margin. With f and F the density and the distribution of each
side's performance, the density of a and b together is

    Σ_{i≠j} f_i(a)·f_j(b)·Π_{k≠i,j} (F_k(b) − F_k(a)),

and that of b alone, if nobody is below the group, is Σ_j f_j(b)·Π_{k≠j} (F_k(b) − F_k(b − margin)). Times the normal
messages from above and from below, it is integrated over a grid. So the moments are exact, the order of the sides doesn't
matter, and the work grows in proportion to their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf, sqrt
from typing import NamedTuple

import numpy as np

from ranking.systems.batch.columns import Floats
from ranking.systems.shared.gaussian_arrays import all_between

NODES = 64  # of the grid over b
DEPTHS = 20  # of the grid over b − a
NEGLIGIBLE = 40.0  # exp(−40) is less than the last digit of 1
REACH = 9.0  # deviations; a normal density is negligible beyond
ZOOMS = 60  # at most; each narrows the grid to where the density isn't negligible
TINY = 1e-300  # what a density is at least, so that it has a logarithm
APART = (
    1e9  # squared deviations; sides so far apart are taken to perform the same, because the margin is nothing beside
)
EXACT = 1e-5  # a margin below this share of the least deviation counts as 0
COARSE = 0.125  # a side's deviation counts as at least this share of the margin, so that no density slips the grid
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(DEPTHS)
_UNIT, _LOG_WEIGHTS = (_POINTS + 1) / 2, np.log(_WEIGHTS / 2)


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
    """A density by node and depth, which adds up to 1, and what it is about."""

    b: Floats
    r: Floats  # b − a
    density: Floats


class _Window(NamedTuple):
    """A grid, and the log of the density but for the messages, on it."""

    b: Floats
    r: Floats
    shallow: float
    log_density: Floats


class TiedGroup:
    """The sides' means and variances, and the draw margin between two of them.

    `ends`: whether a side or group follows above and below. Means are relative to `middle`, as are the messages.
    """

    def __init__(
        self, means: Sequence[float], variances: Sequence[float], margin: float, ends: tuple[bool, bool]
    ) -> None:
        self.middle = fsum(means) / len(means)
        least = sqrt(min(variances))
        self.margin = margin if margin > EXACT * least else 0.0
        floor = (COARSE * self.margin) ** 2
        self.m = np.array(means) - self.middle
        self.V = np.maximum(np.array(variances), floor)
        self.s = np.sqrt(self.V)
        self.variance = float(self.V.min())  # no message of the group is surer by much
        # A group that is first is turned upside down, so that one end of each group but those within the chain is free.
        self.two_sided = ends == (True, True)
        self.turned = ends == (False, True)
        if self.turned:
            self.m = -self.m
        self.window: _Window | None = None

    def highest(self, above: Message, below: Message) -> Moments:
        """The moments of b, the highest performance."""
        return self._ends(above, below)[0]

    def lowest(self, above: Message, below: Message) -> Moments:
        """The moments of a, the lowest performance."""
        return self._ends(above, below)[1]

    def _ends(self, above: Message, below: Message) -> tuple[Moments, Moments]:
        if self.turned:
            b, _ = self._free_below(below.turned(), NOTHING)
            return b.turned(), b.turned()
        return self._free_below(above, below)

    def _free_below(self, above: Message, below: Message) -> tuple[Moments, Moments]:
        """The moments of b and a; a's are b's where nobody is below."""
        if self._is_point(above, below):
            both = self._point(above, below)
            return both, both
        grid = self._grid(above, below)
        b = _moments(grid.b, grid.density.sum(axis=1))
        if not self.two_sided:
            return b, b
        return b, _moments((grid.b[:, None] - grid.r).reshape(-1), grid.density.reshape(-1))

    def _is_point(self, above: Message, below: Message) -> bool:
        """True if the margin is nothing beside what else counts: it is 0, or the sides are very far apart."""
        if not self.margin:
            return True
        mean = self._point(above, below).mean
        off = float(((self.m - mean) ** 2 / self.V).sum())
        return max(off, *[message.pi * mean * mean - 2 * message.tau * mean for message in (above, below)]) > APART

    def _point(self, above: Message, below: Message) -> Moments:
        """The moments of a performance that all sides share."""
        pi = float((1 / self.V).sum()) + above.pi + below.pi
        return Moments((float((self.m / self.V).sum()) + above.tau + below.tau) / pi, 1 / pi)

    def lessons(self, above: Message, below: Message) -> list[tuple[float, float]]:
        """What each side learns: pull and sureness."""
        if self.turned:
            moved, variance = self._sides(below.turned(), NOTHING)
            moved = -moved
        else:
            moved, variance = self._sides(above, below)
        return list(zip((moved / self.V).tolist(), ((1 - variance / self.V) / self.V).tolist(), strict=True))

    def _sides(self, above: Message, below: Message) -> tuple[Floats, Floats]:
        """By side: how far its mean moves, and its variance after it."""
        if self._is_point(above, below):
            mean, variance = self._point(above, below)
            return mean - self.m, np.full(len(self.m), variance)
        grid = self._grid(above, below)
        lowest, highest, inner, spread = self._roles(grid.b, grid.r)
        b = grid.b[:, None, None]
        a = b - grid.r[:, None]
        density = grid.density[:, :, None]
        within = 1 - lowest - highest
        mean = (density * (lowest * a + highest * b + within * inner)).sum(axis=(0, 1))
        square = lowest * (a - mean) ** 2 + highest * (b - mean) ** 2 + within * (spread + (inner - mean) ** 2)
        return mean - self.m, (density * square).sum(axis=(0, 1))

    def _shapes(self, b: Floats, r: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """By node, depth and side: where the window begins, log of its mass, the densities at its ends by the mass, both
        in deviations of the side; by node and depth, log of the density.
        """
        lower = (b[:, None, None] - r[:, None] - self.m) / self.s
        log_mass, at_a, at_b = all_between(lower, np.broadcast_to(r[:, None] / self.s, lower.shape))
        A, B = at_a / self.s, at_b / self.s
        total = B.sum(axis=2)
        if self.two_sided:
            total = A.sum(axis=2) * total - (A * B).sum(axis=2)
        total = np.maximum(total, TINY)
        return lower, A, B, total, log_mass.sum(axis=2) + np.log(total)

    def _roles(self, b: Floats, r: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """By node, depth and side: the chances to be lowest and highest, and mean and variance of a side in between."""
        lower, A, B, total, _ = self._shapes(b, r)
        total = total[:, :, None]
        lowest, highest = np.zeros_like(B), B / total
        if self.two_sided:
            lowest, highest = (
                np.minimum(one * (other.sum(axis=2, keepdims=True) - other) / total, 1.0)
                for one, other in ((A, B), (B, A))
            )
        upper = lower + r[:, None] / self.s
        drift = self.V * (A - B)  # of the mean, within the window
        inner = np.clip(self.m + drift, b[:, None, None] - r[:, None], b[:, None, None])
        share = 1 + self.s * (lower * A - upper * B) - drift * drift / self.V
        return lowest, highest, inner, self.V * np.clip(share, 0.0, np.minimum(1.0, 0.25 * (r[:, None] / self.s) ** 2))

    def _grid(self, above: Message, below: Message) -> _Grid:
        """The density on a grid that holds it. The sides' part is kept, because messages seldom move it far."""
        window, fresh = self.window, False
        if window is None:
            window, fresh = self._spread(*self._bounds(above, below)), True
        for _ in range(ZOOMS):
            b = window.b[:, None]
            log_density = window.log_density + above.log_density(b) + below.log_density(b - window.r)
            most = log_density.max()
            kept = log_density >= most - NEGLIGIBLE
            nodes, depths = kept.any(axis=1).nonzero()[0], kept.any(axis=0).nonzero()[0]
            first, last = int(nodes[0]), int(nodes[-1])
            if not fresh and (first == 0 or last == NODES - 1):  # the density has moved out of the window
                window, fresh = self._spread(*self._bounds(above, below)), True
                continue
            step = window.b[1] - window.b[0]
            if last - first > NODES // 2 or window.b[first] + step == window.b[first]:
                break
            shallow = float(window.r[depths[0] - 2]) if depths[0] > 2 else window.shallow
            window = self._spread(window.b[first] - step, window.b[last] + step, shallow)
        self.window = window
        density = np.exp(log_density - most)
        return _Grid(window.b, window.r, density / density.sum())

    def _spread(self, low: float, high: float, shallow: float) -> _Window:
        """A grid from `low` to `high`, and from the depth `shallow` to the margin."""
        b, r, weights = np.linspace(low, high, NODES), np.array([self.margin]), np.zeros(1)
        if self.two_sided:
            r, weights = shallow + (self.margin - shallow) * _UNIT, _LOG_WEIGHTS
        return _Window(b, r, shallow, self._shapes(b, r)[4] + weights)

    def _bounds(self, above: Message, below: Message) -> tuple[float, float, float]:
        """Where b may lie, and the least b − a.

        With x and Λ the mean and the precision if the margin were 0, the density is highest between x and x + margin,
        because each factor's slope is that of its normal density at a point of [a, b]. Outside, it falls at least as
        fast as a normal density of this precision.
        """
        mean, variance = self._point(above, below)
        reach = REACH * sqrt(variance)
        return mean - reach, mean + self.margin + reach, 0.0


def _moments(x: Floats, density: Floats) -> Moments:
    mean = float(density @ x)
    return Moments(mean, float(density @ (x - mean) ** 2))
