"""How a fit tries the parameters of a system: `System.fits` by their names, in the order of the search."""

from __future__ import annotations

from dataclasses import dataclass

# What a history needs so that a parameter can be fitted to it.
UNEVEN, STATISTIC, PARTIES = "teams of different sizes", "a statistic", "parties"


@dataclass(frozen=True, slots=True)
class Searched:
    """The parameter is its default times e^x, so it stays positive; with a `step` it is x times this.

    Before it has seen a match, the search expects x near 0, with the standard deviation `sd`. `needs`: see above.
    `unit`: the parameter whose value the step is measured in. `along`: parameters that follow in proportion.
    """

    sd: float
    needs: str = ""
    step: float = 0.0
    unit: str = ""
    along: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tried:
    """The search is run with each of these values."""

    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class ShareOfDraws:
    """The parameter is the share of draws in the history."""


FitScale = Searched | Tried | ShareOfDraws
