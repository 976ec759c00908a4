"""Gaussian Elo with home advantage: who plays for the first team, which is at home, counts some points stronger.

Source: the custom of Elo ratings of football, which add points to the rating of the team at home.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ranking.systems.base import Entrant, Factor, Result, Team
from ranking.systems.elo.system import Elo, EloSkill
from ranking.systems.shared.fit_scales import FitScale, Searched
from ranking.systems.shared.params import param
from ranking.systems.shared.staying import Seat

Players = tuple[Entrant[EloSkill], ...]


@dataclass(frozen=True, slots=True)
class HomeElo(Elo):
    key: ClassVar[str] = "home-elo"
    title: ClassVar[str] = "Elo with home advantage"
    fits: ClassVar[Mapping[str, FitScale]] = {"alpha": Searched(2.0), "home": Searched(1.0)}

    home: float = param(1.0, "By how many points a player at home is stronger.", least=0, most=1e6)

    def rate_reported(self, result: Result[EloSkill]) -> tuple[tuple[EloSkill, ...], ...]:
        first, *others = Elo.rate_reported(self, self._at_home(result))
        return (tuple(EloSkill(skill.rating - self.home) for skill in first), *others)

    def rate_stayer(self, result: Result[EloSkill], seat: Seat) -> EloSkill:
        rating = Elo.rate_stayer(self, self._at_home(result), seat).rating
        return EloSkill(rating if seat.team else rating - self.home)

    def win_probability(self, teams: Sequence[Sequence[Entrant[EloSkill]]]) -> tuple[float | None, ...]:
        return Elo.win_probability(self, (self._stronger(teams[0]), *teams[1:]))

    def explain_reported(self, result: Result[EloSkill]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        return Elo.explain_reported(self, self._at_home(result))

    def _at_home(self, result: Result[EloSkill]) -> Result[EloSkill]:
        first, *others = result.teams
        return replace(result, teams=(Team(self._stronger(first.players), first.place, first.score), *others))

    def _stronger(self, players: Sequence[Entrant[EloSkill]]) -> Players:
        return tuple(replace(player, skill=EloSkill(player.skill.rating + self.home)) for player in players)
