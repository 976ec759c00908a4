"""The ratings that a site would have: each player's skill by a rating system, and the ladder as last published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ranking.rules.rank_table import RankTable
from ranking.systems.base import Entrant, ResetRule, Result, System

DAY = 86_400.0  # seconds
EXACT = 1_024  # strengths are multiples of 1/1024: their sums have no rounding, and are the same on every machine


class RatingLadder:
    """Skills by `system`, completed matches and display ratings after each match, for `count` people.

    `system` has what it has learnt from the matches so far. Moments are POSIX seconds.
    """

    def __init__(self, system: System[Any], count: int, placement: int) -> None:
        self.system = system
        self.newcomer = system.to_state(system.newcomer()).display_hundredths
        self.skills: list[Any] = [system.newcomer()] * count
        self.shown = [self.newcomer] * count  # display ratings in hundredths
        self.completed = [0] * count
        self.shown_after: list[list[int]] = [[] for _ in range(count)]
        self._ended_at = [0.0] * count
        self._placement = self._placement_carried = placement
        self._carried: set[int] = set()  # whose ratings come from an earlier season
        self._before = [0] * count  # matches of earlier seasons
        self._table = RankTable()
        self._published: dict[int, int] = {}
        self._stale = False

    def publish(self) -> None:
        """Publish the ladder of all placed players; it stays until the next time."""
        if not self._stale:
            return
        self._stale = False
        self._published = {
            number: shown
            for number, shown in enumerate(self.shown)
            if self._matches(number) and self.completed[number] >= self._placement_of(number)
        }
        self._table = RankTable(sorted(Counter(self._published.values()).items()))

    def begin_season(self, rule: ResetRule, placement: int) -> None:
        """Begin a season: ratings are reset, nobody has played, and `placement` matches place those who had."""
        for number, played in enumerate(self.shown_after):
            if played:
                state = self.system.reset(self.system.to_state(self.skills[number]), rule)
                self.skills[number], self.shown[number] = self.system.from_state(state), state.display_hundredths
                self._carried.add(number)
        self._placement_carried = placement
        self._before = [len(played) for played in self.shown_after]
        self.completed = [0] * len(self.completed)
        self._stale = True

    def percentile(self, number: int) -> int:
        """The percentile that the matchmaker assumes: that of the live rating among the published ones."""
        return self._table.assumed_percentile_of(self.shown[number], self._published.get(number))

    def strength(self, number: int) -> float:
        """The mean of a player's skill, or their rating if the system has no mean."""
        mu = self.system.to_state(self.skills[number]).mu
        return round((self.shown[number] / 100 if mu is None else mu) * EXACT) / EXACT

    def entrant(self, number: int, name: str, now: float, party: str) -> Entrant[Any]:
        """A player as they enter a match."""
        matches = self._matches(number)
        idle = (now - self._ended_at[number]) / DAY if matches else 0.0
        return Entrant(name, self.skills[number], party=party or None, idle_days=max(0.0, idle), matches=matches)

    def _matches(self, number: int) -> int:
        """Rated matches of this season."""
        return len(self.shown_after[number]) - self._before[number]

    def _placement_of(self, number: int) -> int:
        return self._placement_carried if number in self._carried else self._placement

    def rate(self, result: Result[Any], teams: Sequence[Sequence[int]], now: float) -> None:
        """Rate a result; `teams`: the numbers of its players, in its shape."""
        self._stale = True
        for team, numbers, skills in zip(result.teams, teams, self.system.rate(result), strict=True):
            for player, number, skill in zip(team.players, numbers, skills, strict=True):
                self.skills[number] = skill
                self.shown[number] = self.system.to_state(skill).display_hundredths
                self.shown_after[number].append(self.shown[number])
                self.completed[number] += not player.left_early
                self._ended_at[number] = now
        self.system = self.system.after(result)
