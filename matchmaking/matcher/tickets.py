"""The matcher's values: tickets that wait, the rules of a mode's matches, and proposals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Member:
    """One player of a ticket.

    `strength` is the skill's mean; `percentile` is 0 to 100; `width` is half the rank window in percentiles; `waited`
    counts seconds in the state `waiting`. `blocked`: players who may not be on this player's team. `recent`: the
    opponents of the last match in the mode and its end (epoch seconds), if neither has played another match since.
    `twice`: those of them whose match before that one was against this player, too.
    """

    player: str
    strength: float
    percentile: float
    width: float
    strict: bool = False
    waited: float = 0.0
    blocked: tuple[str, ...] = ()
    recent: tuple[tuple[str, float], ...] = ()
    twice: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitingTicket:
    """A ticket that waits, as the matcher reads it: a player or a party, which is never split.

    `queued_at`: epoch seconds of the first queueing; `pings`: the highest ping of a member, in milliseconds, in each
    region that is good for all members.
    """

    id: str
    members: tuple[Member, ...]
    queued_at: float
    pings: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ChanceBound:
    """The highest chance that a favourite may have: from `start` it rises to `end` over the first `over` seconds.

    `scale`: the difference of the teams' mean strengths that gives odds of ten to one, 400 with Elo.
    """

    scale: float
    start: float = 0.60
    end: float = 0.75
    over: float = 120.0


@dataclass(frozen=True, slots=True)
class MatchRules:
    """The rules of a mode's matches.

    `max_spread`: largest difference of strength in a match; `max_party_difference`: largest difference of size between
    the teams' largest parties; `widen_every`, `rematch_after` and `rematch_memory` are in seconds.
    Opponents of the last match don't meet for `rematch_after`; for `rematch_memory` if it was a re-match ("once"), or
    in any case ("none"). A match has `team_count` teams; from `fewest_teams` on (None: it has no fewer), once one of
    its tickets has waited for `fill_after` seconds.
    """

    team_size: int
    team_count: int = 2
    fewest_teams: int | None = None
    fill_after: float = 30.0
    widen_every: float = 20.0
    rematch_after: float = 600.0
    rematches: Literal["none", "once", "any"] = "once"
    rematch_memory: float = 21_600.0
    max_spread: float | None = None
    max_party_difference: int | None = None
    bound: ChanceBound | None = None
    split: Literal["exact", "greedy"] = "exact"

    def __post_init__(self) -> None:
        if self.team_size < 1 or self.team_count < 2:
            raise ValueError(f"A match has two teams of one or more, not {self.team_count} of {self.team_size}.")
        if self.fewest_teams is not None and not 2 <= self.fewest_teams <= self.team_count:
            raise ValueError(f"A match has 2 to {self.team_count} teams, not {self.fewest_teams}.")
        if self.widen_every <= 0:
            raise ValueError(f"Windows widen after more than 0 seconds, not {self.widen_every}.")

    @property
    def players(self) -> int:
        return self.team_size * self.team_count

    @property
    def fewest_players(self) -> int:
        return self.team_size * (self.fewest_teams or self.team_count)

    def pause_of(self, again: bool) -> float:
        """For how many seconds recent opponents are kept apart. `again`: their last two matches were both theirs."""
        limited = self.rematches == "none" or (self.rematches == "once" and again)
        return max(self.rematch_memory, self.rematch_after) if limited else self.rematch_after


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed match that keeps every rule.

    `teams`: players by team; `tickets`: oldest first; `region`: the one whose highest ping is lowest; `difference`:
    between the mean strengths of the strongest and the weakest team.
    """

    teams: tuple[tuple[str, ...], ...]
    tickets: tuple[str, ...]
    region: str
    difference: float
