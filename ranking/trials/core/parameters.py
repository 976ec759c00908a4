"""Which parameters of a rating system are fitted to a history; their scales are the systems'."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import product
from math import exp
from typing import Any, TypeVar

import numpy as np

from ranking.systems.base import System
from ranking.systems.batch.pairs import order_of_teams
from ranking.systems.registry import describe_params, get_system, system_class
from ranking.systems.shared.fit_scales import PARTIES, STATISTIC, UNEVEN, FitScale, Searched, ShareOfDraws, Tried
from ranking.trials.core.fit_history import FitHistory

Scale = TypeVar("Scale", bound=FitScale)

LEAST_UNEVEN = 0.05  # share of matches with teams of different sizes from which `worth` can be fitted
IN_PARTIES = 0.2  # share of matches with a party from which its strength can be fitted
WITH_STATISTIC = 0.5
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
    fixed: Mapping[str, object] = field(default_factory=dict)  # from the data
    alternatives: Sequence[Mapping[str, object]] = ({},)

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


def is_fittable(key: str) -> bool:
    return any(not scale.needs for scale in _scales(key, Searched).values())


def fittable(key: str, base: Mapping[str, Any], history: FitHistory, most: int = MOST) -> Fittable:
    """What is fitted to this history, judged by its fit part alone. `base`: parameters that the mode has chosen.

    A chosen value of a parameter that is fitted is left out: the search begins at the default. Raises Refused for bad
    parameters, and KeyError for a system without parameters to fit.
    """
    if not is_fittable(key):
        raise KeyError(key)
    searched = _scales(key, Searched)
    given = {"", *_given(history, base, {scale.needs for scale in searched.values()})}
    parameters = [_fitted(key, name, scale) for name, scale in searched.items() if scale.needs in given][:most]
    fixed = {name: _draw_probability(history) for name in _scales(key, ShareOfDraws)}
    tried = [[(name, value) for value in scale.values] for name, scale in _scales(key, Tried).items()]
    alternatives = [dict(chosen) for chosen in product(*tried)]
    changed = (
        {name for parameter in parameters for name in parameter.set(1.0, {})} | fixed.keys() | alternatives[0].keys()
    )
    kept = {name: value for name, value in base.items() if name not in changed}
    get_system(key, kept)
    return Fittable(key, parameters, kept, fixed, alternatives)


def _scales(key: str, kind: type[Scale]) -> dict[str, Scale]:
    """The parameters of the system with scales of this kind, in the order of the search."""
    return {name: scale for name, scale in system_class(key).fits.items() if isinstance(scale, kind)}


def _given(history: FitHistory, base: Mapping[str, Any], needed: Set[str]) -> Iterator[str]:
    """What the history has of all that parameters need."""
    if UNEVEN in needed and _share(_uneven(history)) >= LEAST_UNEVEN:
        yield UNEVEN
    if STATISTIC in needed and _share(_with_statistic(history, base.get("impact_stat", ""))) >= WITH_STATISTIC:
        yield STATISTIC
    if PARTIES in needed and _share(_with_party(history)) >= IN_PARTIES:
        yield PARTIES


def _fitted(key: str, name: str, scale: Searched) -> Fitted:
    defaults = {parameter.name: parameter.default for parameter in describe_params(key)}

    def by_steps(x: float, params: Mapping[str, Any]) -> Mapping[str, Any]:
        unit = float(params.get(scale.unit, defaults[scale.unit])) if scale.unit else 1.0
        return {name: x * scale.step * unit}

    def in_proportion(x: float, params: Mapping[str, Any]) -> Mapping[str, Any]:
        return {each: defaults[each] * exp(x) for each in (name, *scale.along)}

    return Fitted(name, scale.sd, by_steps if scale.step else in_proportion)


def _draw_probability(history: FitHistory) -> float:
    """The share of draws in the fit part between teams that come one after the other, with half a draw added."""
    past = history.history.part(0, history.fit_matches)
    teams = np.diff(past.team_starts)
    match, place = np.repeat(np.arange(past.matches), teams), order_of_teams(past)
    order = np.lexsort((place, match))
    place, match = place[order], match[order]
    drawn = match[1:][(place[1:] == place[:-1]) & (match[1:] == match[:-1])]
    shares = np.bincount(drawn, minlength=past.matches) / np.maximum(1, teams - 1)
    return float((np.sum(shares) + 0.5) / (past.matches + 1))


def _share(flags: Any) -> float:
    return float(np.mean(flags)) if len(flags) else 0.0


def _uneven(history: FitHistory) -> object:
    """By match of the fit part: True if its teams differ in size."""
    starts = history.history.team_starts[: history.fit_matches + 1]
    sizes = np.diff(history.history.starts)[: starts[-1]]
    return np.maximum.reduceat(sizes, starts[:-1]) != np.minimum.reduceat(sizes, starts[:-1])


def _with_statistic(history: FitHistory, name: str) -> object:
    """By match of the fit part: True if everybody has the statistic."""
    column = history.history.stats.get(name)
    if column is None:
        return np.zeros(0, bool)
    starts = history.history.match_starts[: history.fit_matches + 1]
    return np.logical_and.reduceat(~np.isnan(column[: starts[-1]]), starts[:-1])


def _with_party(history: FitHistory) -> object:
    """By match of the fit part: True if two players of a team are in one party."""
    starts = history.history.match_starts[: history.fit_matches + 1]
    seats = int(starts[-1])
    party = history.history.party[:seats]
    team = np.repeat(np.arange(len(history.history.starts) - 1), np.diff(history.history.starts))[:seats]
    order = np.lexsort((party, team))
    same = (np.diff(team[order]) == 0) & (np.diff(party[order]) == 0) & (party[order][1:] >= 0)
    match = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return np.bincount(match[order[1:][same]], minlength=len(starts) - 1) > 0
