"""The waiting room: tickets as a site keeps them, and the real matcher, called when its answer may have changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from matchmaking.matcher.fifo import find_next_in_line
from matchmaking.matcher.find import find_matches
from matchmaking.matcher.pool import Pool, make_pool, units_at
from matchmaking.matcher.tickets import MatchRules, Member, Proposal, WaitingTicket
from matchmaking.matcher.widening import LADDER
from matchmaking.simulation.scenarios import Scenario

MOST_COMPARED = 400  # most tickets that are compared pairwise before the matcher is called


@dataclass(frozen=True, slots=True)
class RoomSeat:
    """One player of a ticket; `recent`: the opponents of their last match, with its end."""

    number: int
    strength: float
    percentile: int
    strict: bool
    recent: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class RoomEntry:
    """A group (by number) in the room; `since`: when the current wait began; `before`: seconds of waits before it."""

    group: int
    seats: tuple[RoomSeat, ...]
    pings: Mapping[str, float]
    queued_at: float
    since: float
    before: float = 0.0

    def waited(self, now: float) -> float:
        return self.before + now - self.since

    def ticket(self, now: float, width: float) -> WaitingTicket:
        waited = self.waited(now)
        members = [
            Member(
                str(seat.number), seat.strength, float(seat.percentile), width, seat.strict, waited, (), seat.recent
            )
            for seat in self.seats
        ]  # fmt: skip
        return WaitingTicket(str(self.group), tuple(members), self.queued_at, self.pings)


class WaitingRoom:
    """The entries of everybody who waits, by group."""

    def __init__(self, scenario: Scenario) -> None:
        self.entries: dict[int, RoomEntry] = {}
        self._scenario, self._rules = scenario, scenario.rules
        self._due = inf  # the time at which a window widens or two opponents may meet again
        self._came = False

    @property
    def players(self) -> int:
        return sum(len(entry.seats) for entry in self.entries.values())

    def oldest(self, now: float) -> float:
        """The seconds of the longest wait; 0 if nobody waits."""
        return max((entry.waited(now) for entry in self.entries.values()), default=0.0)

    def enter(self, entry: RoomEntry) -> None:
        self.entries[entry.group] = entry
        self._came = True

    def leave(self, group: int) -> RoomEntry:
        return self.entries.pop(group)

    def find(self, now: float) -> list[Proposal]:
        """The matcher's proposals; none if nothing has changed since its last call."""
        if not (self._came or now >= self._due) or self.players < self._rules.fewest_players:
            return []
        pool = make_pool(entry.ticket(now, self._scenario.width) for entry in self.entries.values())
        if self._scenario.strategy == "fifo":
            proposals = find_next_in_line(pool, self._rules, now)
        else:
            proposals = find_matches(pool, self._rules, now) if may_match(pool, self._rules, now) else []
        self._came = bool(proposals)  # the tickets that are left may fit each other once the others are gone
        self._due = self._next_change(now)
        return proposals

    def _next_change(self, now: float) -> float:
        """The next time at which a window widens or two waiting opponents may meet again."""
        every, due = self._scenario.widen_every, inf
        again, there = (
            self._rules.rematch_after,
            {str(seat.number) for entry in self.entries.values() for seat in entry.seats},
        )
        for entry in self.entries.values():
            waited = entry.waited(now)
            step = int(waited // every) + 1
            if (
                self._scenario.strategy == "skill"
                and step <= len(LADDER)
                and not all(seat.strict for seat in entry.seats)
            ):
                due = min(due, now + step * every - waited)
            if self._rules.fewest_teams is not None and waited < self._rules.fill_after:
                due = min(due, now + self._rules.fill_after - waited)
            for seat in entry.seats:
                met = [at + again for other, at in seat.recent if other in there and at + again > now]
                due = min([due, *met])
        return due


def may_match(pool: Pool, rules: MatchRules, now: float) -> bool:
    """False if the matcher certainly finds nothing, which saves most searches of a small community.

    That is so if no region has tickets each of which fits enough others to fill a match.
    """
    if len(pool) > MOST_COMPARED:
        return True
    units = units_at(pool, rules, now)
    fits = (units.low >= units.floor[:, None]) & (units.high <= units.ceiling[:, None])
    fits &= fits.T
    for region in range(len(pool.regions)):
        there = np.isfinite(pool.pings[:, region])
        while there.any():
            still = there & ((fits & there) @ units.size >= rules.fewest_players)
            if (still == there).all():
                return True
            there = still
    return False
