"""What waits, and what a match of a mode asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Member:
    """One player of a ticket.

    `strength` is the skill's mean; `percentile` 0–100; `width` half the rank window in percentiles; `waited` seconds in
    `waiting` so far. `blocked` are players never to be on one's team, `recent` the opponents of the last match in the
    mode and when it was, as long as neither has played another since (epoch seconds).
    """

    player: str
    strength: float
    percentile: float
    width: float
    strict: bool = False
    waited: float = 0.0
    blocked: tuple[str, ...] = ()
    recent: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Ticket:
    """A player or a party, never split. `queued_at` epoch seconds of the first queueing; `pings` milliseconds of the
    worst-placed member in each region good for all of them."""

    id: str
    members: tuple[Member, ...]
    queued_at: float
    pings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Bound:
    """How likely the favourite may win: `start`, relaxing linearly to `end` over the first `over` seconds.

    `scale`: the difference of the teams' mean strength that makes odds of ten to one, 400 with Elo.
    """

    scale: float
    start: float = 0.60
    end: float = 0.75
    over: float = 120.0


@dataclass(frozen=True, slots=True)
class Rules:
    """What a mode asks of its matches. `max_spread`: highest minus lowest strength in a match; `max_party_difference`:
    between the teams' largest parties; `widen_every` and `rematch_after` in seconds."""

    team_size: int
    team_count: int = 2
    widen_every: float = 20.0
    rematch_after: float = 600.0
    max_spread: float | None = None
    max_party_difference: int | None = None
    bound: Bound | None = None
    split: Literal["exact", "greedy"] = "exact"

    def __post_init__(self) -> None:
        if self.team_size < 1 or self.team_count < 2:
            raise ValueError(f"A match has two teams of one or more, not {self.team_count} of {self.team_size}.")
        if self.widen_every <= 0:
            raise ValueError(f"Windows widen after more than 0 seconds, not {self.widen_every}.")

    @property
    def players(self) -> int:
        return self.team_size * self.team_count


@dataclass(frozen=True, slots=True)
class Proposal:
    """A match that keeps every rule. `teams`: players by team; `tickets`: oldest first; `difference`: between the mean
    strengths of the strongest and the weakest team; `region`: the one with the lowest worst ping."""

    teams: tuple[tuple[str, ...], ...]
    tickets: tuple[str, ...]
    region: str
    difference: float
