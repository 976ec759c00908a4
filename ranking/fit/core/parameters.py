"""Which parameters of a rating system are fitted, how far they are expected to lie from their defaults, and why.

A parameter is its default times e^x, so it stays positive; that of parties is linear in x. Before it has seen a match,
the search expects each x near 0, with the standard deviation of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from typing import Any

import numpy as np

from ranking.fit.core.histories import TIED, UNCOUNTED, FitHistory
from ranking.systems.base import System
from ranking.systems.registry import describe_params, get_system

UNEVEN = 0.05  # share of matches with teams of different sizes from which `worth` can be fitted
IN_PARTIES = 0.2  # share of matches with a party from which its strength can be fitted
WITH_STATISTIC = 0.5
PARTY = 0.4  # of x = 1, in a system's unit of skill
PERIODS = (1.0, 7.0, 30.0)  # days, of glicko-2
MOST = 10  # parameters


@dataclass(frozen=True, slots=True)
class Fitted:
    """A parameter that is fitted. `set`: its value and those that follow it, by x and the other parameters."""

    name: str
    sd: float
    set: Callable[[float, Mapping[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Fittable:
    """A system with the parameters to fit.

    `base`: the parameters that aren't fitted, without those at their defaults. `alternatives`: values of parameters
    that are tried one after the other; a search is run with each.
    """

    key: str
    parameters: Sequence[Fitted]
    base: Mapping[str, Any] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)  # from the data
    alternatives: Sequence[Mapping[str, Any]] = ({},)

    def default(self) -> System[Any]:
        return get_system(self.key, self.base)

    def params(self, alternative: int, x: Sequence[float]) -> dict[str, Any]:
        """The parameters of a point of a search, without those at their defaults."""
        params = {**self.base, **self.fixed, **self.alternatives[alternative]}
        for parameter, value in zip(self.parameters, x, strict=True):
            if value:
                params |= parameter.set(value, params)
        return params

    def names(self) -> list[str]:
        """All parameters that a fit may change, in the order of the table."""
        fitted = [name for parameter in self.parameters for name in parameter.set(1.0, self.base)]
        return [*fitted, *self.fixed, *self.alternatives[0]]


SD = {"margin": 0.25, "trueskill": 1.0, "elo": 2.0, "glicko-2": 1.0, "two-layer": 1.0, "weng-lin": 1.0}
NAMES = {
    "margin": ("sigma", "tau", "practice", "half", "slope", "squash"),
    "trueskill": ("beta", "tau", "temperature"),
    "elo": ("alpha",),
    "glicko-2": ("tau",),
    "two-layer": ("beta", "tau"),
    "weng-lin": ("beta", "tau"),
}
PARTY_SD = 0.25


def is_fittable(key: str) -> bool:
    return key in NAMES


def fittable(key: str, base: Mapping[str, Any], history: FitHistory, most: int = MOST) -> Fittable:
    """What is fitted to this history, judged by its fit part alone. `base`: parameters that the mode has chosen.

    A chosen value of a parameter that is fitted is left out: the search begins at the default. Raises Refused for bad
    parameters, and KeyError for a system without parameters to fit.
    """
    names = [*NAMES[key], *_more(key, base, history)]
    parameters = [_fitted(key, name) for name in names][:most]
    fixed = {"draw_probability": _draw_probability(history)} if key == "trueskill" else {}
    alternatives = [{"period_days": days} for days in PERIODS] if key == "glicko-2" else [{}]
    changed = (
        {name for parameter in parameters for name in parameter.set(1.0, {})} | fixed.keys() | alternatives[0].keys()
    )
    kept = {name: value for name, value in base.items() if name not in changed}
    get_system(key, kept)
    return Fittable(key, parameters, kept, fixed, alternatives)


def _more(key: str, base: Mapping[str, Any], history: FitHistory) -> list[str]:
    """The parameters that the history can tell something about."""
    names = []
    if key == "margin":
        if _share(_uneven(history)) >= UNEVEN:
            names.append("worth")
        if _share(_with_statistic(history, base.get("impact_stat", ""))) >= WITH_STATISTIC:
            names += ["impact", "impact_noise"]
    party = {"margin": "party", "two-layer": "party_bonus"}.get(key)
    if party and _share(_with_party(history)) >= IN_PARTIES:
        names.append(party)
    return names


def _fitted(key: str, name: str) -> Fitted:
    defaults = {parameter.name: parameter.default for parameter in describe_params(key)}
    if name in ("party", "party_bonus"):
        return Fitted(name, PARTY_SD, lambda x, params: {name: x * PARTY * _unit(name, params, defaults)})
    followers = ("tau", "tau_day") if (key, name) == ("margin", "tau") else (name,)
    return Fitted(name, SD[key], lambda x, params: {each: defaults[each] * exp(x) for each in followers})


def _unit(name: str, params: Mapping[str, Any], defaults: Mapping[str, Any]) -> float:
    return float(params.get("beta", defaults["beta"])) if name == "party_bonus" else 1.0


def _draw_probability(history: FitHistory) -> float:
    outcome = history.outcome[: history.fit_matches]
    return float((np.sum(outcome == TIED) + 0.5) / (np.sum(outcome != UNCOUNTED) + 1))


def _share(flags: Any) -> float:
    return float(np.mean(flags)) if len(flags) else 0.0


def _uneven(history: FitHistory) -> Any:
    """By match of the fit part: True if its teams differ in size."""
    starts = history.history.team_starts[: history.fit_matches + 1]
    sizes = np.diff(history.history.starts)[: starts[-1]]
    return np.maximum.reduceat(sizes, starts[:-1]) != np.minimum.reduceat(sizes, starts[:-1])


def _with_statistic(history: FitHistory, name: str) -> Any:
    """By match of the fit part: True if everybody has the statistic."""
    column = history.history.stats.get(name)
    if column is None:
        return np.zeros(0, bool)
    starts = history.history.match_starts[: history.fit_matches + 1]
    return np.logical_and.reduceat(~np.isnan(column[: starts[-1]]), starts[:-1])


def _with_party(history: FitHistory) -> Any:
    """By match of the fit part: True if two players of a team are in one party."""
    starts = history.history.match_starts[: history.fit_matches + 1]
    seats = int(starts[-1])
    party = history.history.party[:seats]
    team = np.repeat(np.arange(len(history.history.starts) - 1), np.diff(history.history.starts))[:seats]
    order = np.lexsort((party, team))
    same = (np.diff(team[order]) == 0) & (np.diff(party[order]) == 0) & (party[order][1:] >= 0)
    match = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.bincount(match[order[1:][same]], minlength=len(starts) - 1) > 0
