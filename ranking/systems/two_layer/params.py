"""The parameters of two-layer, which a mode may override, among them the weights of players' stats."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ranking.systems.base import Refused
from ranking.systems.shared import fields as read
from ranking.systems.shared.params import param, read_params
from ranking.systems.shared.staying import StayingRule
from ranking.wording.translation import gettext_noop


class ImpactWeights(Mapping[str, float]):
    """Points for each unit of a stat. It is immutable, so that it can be a dataclass's default."""

    __slots__ = ("_weights",)

    def __init__(self, **weights: float) -> None:
        self._weights = weights

    def __getitem__(self, stat: str) -> float:
        return self._weights[stat]

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)

    def __hash__(self) -> int:
        return hash(tuple(self._weights.items()))

    def __str__(self) -> str:
        return json.dumps(self._weights)

    def __repr__(self) -> str:
        return f"ImpactWeights({self})"


IMPACT_WEIGHTS = ImpactWeights(
    kills=1.00, assists=0.70, plants=3.00, defuses=3.50, gadget_destroys=0.40, revives=1.20, deaths=-0.75
)
LOGARITHMIC = "gadget_destroys"  # counts as ln(1 + number): the tenth is worth less than the first


@dataclass(frozen=True, slots=True)
class TwoLayerParams(StayingRule[Any]):
    mu: float = param(25.0, "The hidden mean skill of a newcomer.", least=-1e6, most=1e6)
    sigma: float = param(25 / 3, "How uncertain a newcomer's skill is; it never gets less certain.", above=0, most=1e6)
    sigma_min: float = param(2.0, "The most certain that a skill can become.", above=0, most=1e6)
    beta: float = param(25 / 6, "How much a player's form varies from match to match.", above=0, most=1e6)
    tau: float = param(25 / 300, "How much skill may drift between two matches.", least=0, most=1e6)
    tau_by_sigma: bool = param(
        False,
        "Tau is that of a newcomer; it falls with a player's own sigma.",
        proposed=True,
        why="Its source has sigma/100.",
    )
    mmr: int = param(2500, "The MMR of a newcomer.", least=0, most=10**9)
    k_min: float = param(50.0, "The stake of a player whose skill is certain.", least=0, most=1e6)
    k_max: float = param(160.0, "The stake of a newcomer.", least=0, most=1e6)
    flatten: float = param(
        2.0, "Divides how far apart teams look: higher, and chances are nearer to even.", above=0, most=1e3
    )
    expected_min: float = param(0.10, "No team is given less of a chance.", least=0, most=0.49)
    upset_max: float = param(3.0, "The win of a team given the least chance counts so many times.", least=1, most=100)
    upset_exponent: float = param(1.5, "Higher, and only great upsets count more.", above=0, most=100)
    cap_win: float = param(100.0, "The most that an expected win gains.", least=0, most=1e6)
    cap_upset: float = param(150.0, "The most that an unexpected win gains.", least=0, most=1e6)
    cap_loss: float = param(80.0, "The most that a match costs.", least=0, most=1e6)
    elite_from: float = param(4200.0, "From this MMR on, gains begin to shrink and losses to grow.", least=0, most=1e9)
    elite_to: float = param(5000.0, "From this MMR on, they shrink and grow in full.", least=0, most=1e9)
    elite_gain: float = param(0.8, "What the elite's gains are multiplied by.", least=0, most=1)
    elite_loss: float = param(1.05, "What the elite's losses are multiplied by.", least=1, most=10)
    performance: float = param(
        0.12, "The largest share of a change that moves between team-mates by their stats.", least=0, most=1
    )
    amplify_losses: bool = param(False, "The loss of a favourite costs more, as an upset gains more.")
    favourite_relief: float = param(
        0.0, "How much of its loss a clear favourite is let off: 1 is all of it, 0 nothing.", least=0, most=1
    )
    impact_weights: Mapping[str, float] = param(
        IMPACT_WEIGHTS, "What each stat is worth; one left out keeps its default."
    )
    party_bonus: float = param(
        0.0, "What playing in a party adds to a player's mean skill in the team's sum.", least=-1e6, most=1e6
    )

    @classmethod
    def read(cls, params: Mapping[str, Any], key: str) -> dict[str, Any]:
        """The parameters as keyword arguments; raises Refused."""
        scalars = dict(params)
        weights = scalars.pop("impact_weights", {})
        values = read_params(cls, scalars)
        values["impact_weights"] = _read_weights(weights, f"{key}: parameter impact_weights")
        for low, high in (("sigma_min", "sigma"), ("k_min", "k_max"), ("elite_from", "elite_to")):
            bounds = [values.get(name, getattr(_DEFAULTS, name)) for name in (low, high)]
            if bounds[0] >= bounds[1]:
                sentence = gettext_noop(
                    "%(system)s: parameter %(name)s must be less than %(other)s, not %(low)s to %(high)s."
                )
                values = {"name": low, "other": high, "low": f"{bounds[0]:g}", "high": f"{bounds[1]:g}"}
                raise Refused(sentence, system=key, **values)
        return values


_DEFAULTS = TwoLayerParams()


def _read_weights(value: object, path: str) -> ImpactWeights:
    fields = read.mapping(value, path)
    read.only_known(fields, IMPACT_WEIGHTS, path)
    weights = {
        name: float(read.number(weight, f"{path}.{name}", least=-1e3, most=1e3)) for name, weight in fields.items()
    }
    return ImpactWeights(**{**IMPACT_WEIGHTS, **weights})
