"""The interface that every rating system shares, and the values that pass through it.

A system is pure: it reads no clock, no database and no global. It is a frozen dataclass whose fields are
its parameters (declared by `shared.params.param`); it computes on a frozen `Skill` class of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from ranking.systems.mode_learning import LearnsModes

S = TypeVar("S")


class Refused(ValueError):
    """A system can't take a result, a skill or a parameter; the message names the system and the reason.

    `path` names the field at fault in a line of JSON, such as `teams[1].players[0].seconds`; "" if no single one is.
    `str` is English. A page translates `sentence`, in which `values` stand by their names: `system` is a system's key,
    `team` a team's number, `field` the path of a field.
    """

    def __init__(self, sentence: str, path: str = "", **values: object) -> None:
        super().__init__(sentence % values if values else sentence)
        self.sentence, self.path, self.values = sentence, path, values

    def at(self, path: str) -> Refused:
        """The same refusal, of the field at this path."""
        return Refused(self.sentence, path, **self.values)


@dataclass(frozen=True, slots=True)
class Entrant(Generic[S]):
    """One player's part in a result. `seconds` None = present throughout; `matches`: rated ones before this one.

    `joined_at`: seconds since the start, None = at the start. `presence`: the part of the match that a player who
    didn't leave was there for; `share`: by how much they count. shared/presence.py sets both.
    """

    id: str
    skill: S
    seconds: float | None = None
    left_early: bool = False
    rounds_played: int | None = None
    weight: float | None = None
    idle_days: float = 0.0
    stats: Mapping[str, float] = field(default_factory=dict)
    party: str | None = None
    matches: int = 0
    joined_at: float | None = None
    presence: float = 1.0
    share: float = 1.0  # w


@dataclass(frozen=True, slots=True)
class Team(Generic[S]):
    """Players in roster order, with the team's place (1 = best) or score."""

    players: tuple[Entrant[S], ...]
    place: int | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Result(Generic[S]):
    """What happened in a match. `duration` in seconds; None = the longest presence given.

    `places_stand`: the match is supposed, to rate one player who stayed in it (see shared/staying.py). The places count
    as they are, even that of a team that everyone left, and nobody asks what leavers would get. `variant`: what of the
    mode was played, such as a map. `attended`: the players' presence is known (see shared/presence.py).
    """

    teams: tuple[Team[S], ...]
    duration: float | None = None
    rounds: int | None = None
    places_stand: bool = False
    variant: str = ""
    attended: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """A skill as the database keeps it: hidden floats, and the display rating in hundredths.

    `skill_matches`: those that the skill rests on, if its system counts them.
    """

    display_hundredths: int
    mu: float | None = None
    sigma: float | None = None
    volatility: float | None = None
    skill_matches: int | None = None


class Strength(NamedTuple):
    """By which players of all systems are compared (see conversion.py).

    `level`: logits above the middle of the field (see shared/logits.py). `doubt`: the share of a newcomer's uncertainty
    that is left.
    """

    level: float
    doubt: float


@dataclass(frozen=True, slots=True)
class Factor:
    """One number of a formula, for people: "Base wager" 1.09, "Opposition" 1.02 …

    `kind` says how to read it: `stake` (rating points, multiplied by result − expectation, which are the two shares
    after it), `share` (0 to 1), `times` (multiplies the sum so far), `amount` (rating points added, with sign),
    `floor` (the rating is at least this) or `number`. Factors that change nothing are left out. `note` gives the
    reason in one short sentence, or is empty. `shown`: an amount as people read it, if it isn't `value` rounded.
    """

    name: str
    value: float
    kind: str
    note: str = ""
    shown: float | None = None


KEEP, HARD, SOFT = "keep", "hard", "soft"
RESETS = (SOFT, KEEP, HARD)  # in the order in which people are offered them; the first is the default


@dataclass(frozen=True, slots=True)
class ResetRule:
    """What the end of a season makes of ratings: they stay, start anew, or move toward a newcomer's.

    `factor`: the share of the distance from a newcomer that a soft reset leaves, 0 to 1. Raises Refused.
    """

    kind: str = SOFT
    factor: float = 0.5

    def __post_init__(self) -> None:
        if self.kind not in RESETS:
            raise Refused(f"There is no reset {self.kind!r}; choose one of {', '.join(RESETS)}.", "reset")
        if not 0 <= self.factor <= 1:
            raise Refused(f"The factor of a reset is between 0 and 1, not {self.factor}.", "factor")

    @property
    def keeps_states(self) -> bool:
        return self.kind == KEEP or (self.kind == SOFT and self.factor == 1)

    @property
    def starts_anew(self) -> bool:
        return self.kind == HARD or (self.kind == SOFT and self.factor == 0)


class System(LearnsModes, Protocol[S]):
    """One rating system with its parameters."""

    key: ClassVar[str]
    title: ClassVar[str]
    decimals: ClassVar[int]  # of the display rating
    team_counts: ClassVar[tuple[int, int | None]]  # fewest and most teams; None = any number
    max_team_size: ClassVar[int | None]
    counts_idle_days: ClassVar[bool]  # True if the time since a player's last match matters
    counts_stats: ClassVar[bool]  # True if players' stats and parties matter
    fits: ClassVar[Mapping[str, Any]]  # how a fit tries parameters: FitScale of shared/fit_scales.py by name

    @property
    def counts_matches(self) -> bool:
        """True if it matters how many rated matches a player had before."""
        ...

    @property
    def least_idle_days(self) -> float:
        """The least number of idle days that a line may give."""
        ...

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> System[S]:
        """The system with these parameters; raises Refused for unknown or impossible ones."""
        ...

    @property
    def staying_is_better(self) -> bool:
        """The parameter that every system has: the rule for leavers in shared/staying.py is asked for."""
        ...

    @property
    def keeps_leavers(self) -> bool:
        """True if that rule holds; False, too, if other parameters allow leaving."""
        ...

    @property
    def counts_shares(self) -> bool:
        """True if part-time players count by their share of the match (see shared/presence.py)."""
        ...

    def attended(self, result: Result[S]) -> Result[S]:
        """The result with the players' shares, if they count; `win_probability` of it is that with the result."""
        ...

    def newcomer(self) -> S:
        """The skill of a player before their first match."""
        ...

    def contribution(self, stats: Mapping[str, float], rounds: int | None) -> float | None:
        """What a player did for their team, by which the system tells team-mates apart; None if it doesn't.

        `rounds`: those that the player played.
        """
        ...

    def rate(self, result: Result[S]) -> tuple[tuple[S, ...], ...]:
        """New skills, in the shape of `result.teams`; raises Refused."""
        ...

    def win_probability(self, teams: Sequence[Sequence[Entrant[S]]]) -> tuple[float | None, ...]:
        """Each team's chance, from skills, parties, idle days and shares only; before a match all shares are 1."""
        ...

    def explain(self, result: Result[S]) -> tuple[tuple[tuple[Factor, ...], ...], ...]:
        """Why each player's skill moved: the formula's factors, in the shape of `result.teams`."""
        ...

    def display(self, skill: S) -> Decimal:
        """The rating that people see, with exactly `decimals` places."""
        ...

    def reset(self, state: State, rule: ResetRule) -> State:
        """The state with which a player enters a season, from the one with which they left the season before it."""
        ...

    def seed(self, display: Decimal, deviation: float | None = None, matches: int = 0) -> S:
        """The skill of a player who brings a rating along: its display rating is `display`.

        `deviation` None: half a newcomer's. `matches`: those that the rating rests on. Raises Refused naming the bound.
        """
        ...

    def strength(self, skill: S) -> Strength:
        """How strong a player of this skill is among those of any system (see conversion.py)."""
        ...

    def skill_of(self, strength: Strength) -> S:
        """An equally strong skill of this system."""
        ...

    def to_state(self, skill: S) -> State:
        """The skill as the database keeps it."""
        ...

    def from_state(self, state: State) -> S:
        """The inverse of `to_state`, exactly."""
        ...

    def read_skill(self, fields: Mapping[str, Any]) -> S:
        """A skill from JSON, such as {"rating": "21.84"}; raises Refused naming the field."""
        ...

    def write_skill(self, skill: S) -> dict[str, Any]:
        """The skill as JSON; the inverse of `read_skill`."""
        ...
