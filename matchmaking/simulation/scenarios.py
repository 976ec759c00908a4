"""A scenario of a simulation: its mode, its community and its evening, each number with its limits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

from matchmaking.matcher.tickets import MatchRules
from matchmaking.planning.planner import Limit, Nonsense, check
from ranking.systems.base import Refused
from ranking.systems.registry import get_system

Strategy = Literal["fifo", "skill"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
MOST_PEOPLE_HOURS = 200_000  # online × hours, which takes some hours to compute

LIMITS = {
    "online": Limit("Players online", 2, 100_000),
    "population": Limit("The population", 2, 1_000_000),
    "hours": Limit("Hours", 0.05, 1_000, whole=False),
    "from_hour": Limit("The hour from which waits count", 0, 1_000, whole=False),
    "team_size": Limit("The size of a team", 1, 50),
    "team_count": Limit("Teams", 2, 50),
    "fewest_teams": Limit("The fewest teams", 0, 50),
    "fill_after": Limit("The seconds after which a smaller match may begin", 0, 3_600, whole=False),
    "match_minutes": Limit("The minutes of a match", 0.5, 240, whole=False),
    "pause_seconds": Limit("The pause between matches", 0, 3_600, whole=False),
    "visit_minutes": Limit("The minutes of a visit", 1, 1_440, whole=False),
    "width": Limit("The width of a rank filter", 0.5, 100, whole=False),
    "strict": Limit("The share of strict filters", 0, 1, whole=False),
    "widen_every": Limit("The seconds between two widenings", 1, 3_600, whole=False),
    "in_parties": Limit("The share of players in parties", 0, 1, whole=False),
    "regions": Limit("Regions", 1, 10),
    "leaves": Limit("The chance to leave a match", 0, 0.5, whole=False),
    "misses": Limit("The chance to miss an accept", 0, 0.5, whole=False),
    "accept_seconds": Limit("The seconds to accept", 0, 120, whole=False),
    "luck": Limit("Luck", 0.01, 100, whole=False),
    "placement": Limit("Placement matches", 0, 1_000),
    "tick": Limit("The seconds of a tick", 0.5, 60, whole=False),
    "seed": Limit("The seed", 0, 2**63 - 1),
}


@dataclass(frozen=True, slots=True)
class Scenario:
    """The numbers of a simulation; raises Nonsense for impossible ones.

    `strict`, `in_parties`, `leaves` and `misses` are shares, 0 to 1. `population` 0 is twice `online`. Waits and
    quality count from `from_hour` on, when ratings may have settled. `luck`: the standard deviation of a team's
    performance, in standard deviations of true skill. `fewest_teams` 0: all matches have `team_count` teams.
    """

    strategy: Strategy = "skill"
    system: str = "trueskill"
    online: int = 500
    population: int = 0
    hours: float = 4.0
    from_hour: float = 0.0
    team_size: int = 4
    team_count: int = 2
    fewest_teams: int = 0
    fill_after: float = 30.0
    match_minutes: float = 10.0
    pause_seconds: float = 45.0
    visit_minutes: float = 120.0
    width: float = 10.0
    strict: float = 0.0
    widen_every: float = 20.0
    in_parties: float = 0.3
    regions: int = 2
    leaves: float = 0.02
    misses: float = 0.01
    accept_seconds: float = 20.0
    luck: float = 0.9
    placement: int = 10
    tick: float = 2.0
    seed: int = 7

    def __post_init__(self) -> None:
        if self.population == 0:
            object.__setattr__(self, "population", 2 * self.online)
        if self.strategy not in STRATEGIES:
            raise Nonsense(
                "strategy", f"There is no strategy {self.strategy!r}; choose one of {', '.join(STRATEGIES)}."
            )
        for field in fields(self):
            if field.name in LIMITS:
                check(field.name, getattr(self, field.name), LIMITS[field.name])
        self._check_together()

    def _check_together(self) -> None:
        """Raise Nonsense for numbers that don't go together."""
        if self.population < self.online:
            raise Nonsense("population", f"Of {self.population:,} people {self.online:,} can't be online.")
        if self.fewest_teams and not 2 <= self.fewest_teams <= self.team_count:
            raise Nonsense("fewest_teams", f"A match has 2 to {self.team_count} teams, not {self.fewest_teams}.")
        if self.online < self.rules.fewest_players:
            players = self.rules.fewest_players
            raise Nonsense("online", f"{self.online:,} players online never fill a match of {players:,}.")
        if self.from_hour >= self.hours:
            raise Nonsense("from_hour", f"After {self.hours:g} h nothing counts from hour {self.from_hour:g} on.")
        if self.online * self.hours > MOST_PEOPLE_HOURS:
            raise Nonsense(
                "hours", f"{self.online:,} online for {self.hours:,g} h take too long; together at most"
                f" {MOST_PEOPLE_HOURS:,} hours of play.",
            )  # fmt: skip
        try:
            system = get_system(self.system)
        except Refused as refused:
            raise Nonsense("system", str(refused)) from refused
        fewest, most = system.team_counts
        too_large = system.max_team_size is not None and self.team_size > system.max_team_size
        if too_large or self.team_count < fewest or (most is not None and self.team_count > most):
            raise Nonsense("system", f"{self.system} can't rate {self.team_count} teams of {self.team_size}.")

    @property
    def players(self) -> int:
        """The players of a match."""
        return self.team_size * self.team_count

    @property
    def seconds(self) -> float:
        return self.hours * 3_600

    @property
    def rules(self) -> MatchRules:
        return MatchRules(
            team_size=self.team_size, team_count=self.team_count, fewest_teams=self.fewest_teams or None,
            fill_after=self.fill_after, widen_every=self.widen_every,
        )  # fmt: skip
