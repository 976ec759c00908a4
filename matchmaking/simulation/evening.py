"""The evening itself, tick by tick: people come, queue, meet, play, leave, are locked out, go.

What is left out of it: nobody gives up waiting, nobody blocks anybody, and there are always enough servers.
"""

from __future__ import annotations

import datetime as dt
import heapq
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matchmaking.matcher.tickets import Proposal
from matchmaking.simulation.arrivals import Visit
from matchmaking.simulation.ladder import Ladder
from matchmaking.simulation.people import Community
from matchmaking.simulation.play import Match, Teams, draw_leavers, draw_scores, true_chance
from matchmaking.simulation.scenarios import Scenario
from matchmaking.simulation.waiting_room import Entry, Room, Seat
from ranking.rules.conduct import LEAVE, MISSED, Lapse, find_lockout
from ranking.systems.base import Result, Team

AWAY, RESTING, LOCKED, WAITING, LOBBY, PLAYING = "away", "resting", "locked out", "waiting", "lobby", "playing"
PLAYED, GONE, STILL = "played", "missed the accept", "still waiting"
ACCEPTING = 0.3  # of the seconds to accept, until all have
LENGTHS = (0.7, 1.3)  # of a match, in those of a mean one
MINUTE = 60.0
BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)  # for rules that count in days


@dataclass(frozen=True, slots=True)
class Wait:
    """Somebody's wait, when and how it ended; `percentile` as the matchmaker had it, `size` of the party."""

    player: int
    percentile: int
    size: int
    seconds: float
    at: float
    end: str


@dataclass(frozen=True, slots=True)
class Moment:
    """How things stood: players waiting, seconds of the longest wait, mean display rating of who has played."""

    at: float
    waiting: int
    oldest: float
    mean: float


class Evening:
    """One evening of a community; `ladder` keeps what it did to ratings, `rng` is all its chance."""

    def __init__(
        self, scenario: Scenario, community: Community, visits: Sequence[Visit], ladder: Ladder, rng: random.Random
    ) -> None:
        self.scenario, self.community, self.ladder = scenario, community, ladder
        self.now, self.oldest = 0.0, 0.0
        self.waits: list[Wait] = []
        self.matches: list[Match] = []
        self.moments: list[Moment] = []
        self.locked_out = 0  # times
        self.where = [AWAY] * len(community.groups)
        self._until = [0.0] * len(community.groups)  # when the visit ends
        self._lapses: dict[int, list[Lapse]] = {}
        self._last: dict[int, tuple[int, Match]] = {}  # each player's last match, with its number
        self._room, self._rng = Room(scenario), rng
        self._owner = {number: index for index, group in enumerate(community.groups) for number in group.members}
        self._events: list[tuple[float, int, str, Any]] = []
        self._told = 0
        for visit in visits:
            self._tell(visit.at, "come", visit)

    def run(self) -> Iterator[float]:
        """Play tick by tick; gives the time after each. May be stopped anywhere."""
        acts: dict[str, Callable[[Any, float], None]] = {
            "come": self._come,
            "queue": self._queue,
            "fall": self._fall,
            "end": self._end,
        }
        publish_at = 0.0
        for tick in range(1, round(self.scenario.seconds / self.scenario.tick) + 1):
            self.now = now = tick * self.scenario.tick
            while self._events and self._events[0][0] <= now:
                at, _, act, thing = heapq.heappop(self._events)
                acts[act](thing, at)
            if now >= publish_at:
                self.ladder.publish()
                self._look(now)
                publish_at = now + MINUTE
            for proposal in self._room.find(now):
                self._gather(proposal, now)
            if self.counts:
                self.oldest = max(self.oldest, self._room.oldest(now))
            yield now

    @property
    def counts(self) -> bool:
        """Whether waits and matches are being counted already."""
        return self.now >= 3_600 * self.scenario.from_hour

    def waiting(self) -> list[Wait]:
        """Those who wait still."""
        return [wait for entry in self._room.entries.values() for wait in _waits(entry, self.now, STILL)]

    def _tell(self, at: float, act: str, thing: Any) -> None:
        self._told += 1
        heapq.heappush(self._events, (at, self._told, act, thing))

    def _look(self, now: float) -> None:
        shown = [rating for rating, course in zip(self.ladder.shown, self.ladder.course, strict=True) if course]
        mean = (sum(shown) / len(shown) if shown else self.ladder.newcomer) / 100
        self.moments.append(Moment(now, self._room.players, self._room.oldest(now), mean))

    def _come(self, visit: Visit, at: float) -> None:
        self._until[visit.group] = max(self._until[visit.group], visit.until)
        if self.where[visit.group] == AWAY:
            self._rest(visit.group, at, at)

    def _rest(self, group: int, at: float, ready: float) -> None:
        """Queue when ready, and nobody of the group is locked out."""
        moment = BEGIN + dt.timedelta(seconds=at)
        ends = [
            lockout.until
            for number in self.community.groups[group].members
            if (lockout := find_lockout(self._lapses.get(number, ()), moment))
        ]
        self.where[group] = LOCKED if ends else RESTING
        self.locked_out += bool(ends)
        self._tell(max([ready, *((end - BEGIN).total_seconds() for end in ends)]), "queue", group)

    def _queue(self, group: int, at: float) -> None:
        if at >= self._until[group]:
            self.where[group] = AWAY
            return
        self.where[group] = WAITING
        seats = tuple(self._seat(number) for number in self.community.groups[group].members)
        self._room.enter(Entry(group, seats, self.community.groups[group].pings, at, at))

    def _seat(self, number: int) -> Seat:
        recent: tuple[tuple[str, float], ...] = ()
        if number in self._last:
            match_number, match = self._last[number]
            recent = tuple(
                (str(other), match.ended_at)
                for team in match.teams
                if number not in team
                for other in team
                if self._last[other][0] == match_number
            )
        ladder, strict = self.ladder, self.community.people[number].strict
        return Seat(number, ladder.strength(number), ladder.percentile(number), strict, recent)

    def _gather(self, proposal: Proposal, now: float) -> None:
        """A lobby: all accept, and play, or somebody lets it pass."""
        entries = [self._room.leave(int(ticket)) for ticket in proposal.tickets]
        for entry in entries:
            self.where[entry.group] = LOBBY
        entries = [replace(entry, before=entry.waited(now), since=now) for entry in entries]
        missing = {
            seat.number for entry in entries for seat in entry.seats if self._rng.random() < self.scenario.misses
        }
        if missing:
            self._tell(now + self.scenario.accept_seconds, "fall", (entries, missing))
        else:
            self._begin(proposal, entries, now)

    def _fall(self, lobby: tuple[list[Entry], set[int]], at: float) -> None:
        """The lobby fell through: who missed the accept goes, the others wait on."""
        entries, missing = lobby
        for entry in entries:
            late = missing.intersection(seat.number for seat in entry.seats)
            if not late:
                self.where[entry.group] = WAITING
                self._room.enter(replace(entry, since=at))
                continue
            for number in sorted(late):
                self._note_lapse(number, MISSED, at)
            self.waits += _waits(entry, entry.since, GONE)
            self._rest(entry.group, at, at + self.scenario.pause_seconds)

    def _begin(self, proposal: Proposal, entries: Sequence[Entry], now: float) -> None:
        scenario, people = self.scenario, self.community.people
        teams: Teams = tuple(tuple(int(player) for player in team) for team in proposal.teams)
        seats = [seat for entry in entries for seat in entry.seats]
        strengths, percentiles = [seat.strength for seat in seats], [seat.percentile for seat in seats]
        seconds = float(round(60 * scenario.match_minutes * self._rng.uniform(*LENGTHS)))
        left = draw_leavers(people, teams, seconds, self._rng)
        match = Match(
            began_at=now + ACCEPTING * scenario.accept_seconds,
            seconds=seconds,
            region=proposal.region,
            teams=teams,
            difference=proposal.difference,
            spread=max(strengths) - min(strengths),
            distance=max(percentiles) - min(percentiles),
            favourite=self._chance(teams, now),
            truly=true_chance(people, teams, scenario.luck),
            scores=draw_scores(people, teams, left, seconds, scenario.luck, self._rng),
            left=left,
        )
        for entry in entries:
            self.where[entry.group] = PLAYING
            self.waits += _waits(entry, now, PLAYED)
        self._tell(match.ended_at, "end", match)

    def _chance(self, teams: Teams, now: float) -> float | None:
        """The favourite's chance as the rating system sees it."""
        if len(teams) != 2:
            return None
        chance = self.ladder.system.win_probability([self._entrants(team, now) for team in teams])[0]
        return None if chance is None else max(chance, 1 - chance)

    def _entrants(self, team: Sequence[int], now: float) -> tuple[Any, ...]:
        groups = self.community.groups
        return tuple(
            self.ladder.entrant(number, str(number), now, group.id if len(group.members) > 1 else "")
            for number, group in ((number, groups[self._owner[number]]) for number in team)
        )

    def _end(self, match: Match, at: float) -> None:
        """The result goes into the ladder, leavers into the book; everybody rests."""
        self.matches.append(match)
        teams = []
        for team, score in zip(match.teams, match.scores, strict=True):
            entrants = [
                replace(entrant, seconds=match.left.get(number, match.seconds), left_early=number in match.left)
                for number, entrant in zip(team, self._entrants(team, match.began_at), strict=True)
            ]
            teams.append(Team(tuple(entrants), score=score))
        self.ladder.rate(Result(tuple(teams), match.seconds), match.teams, at)
        for number in match.players:
            self._last[number] = (len(self.matches), match)
            if number in match.left:
                self._note_lapse(number, LEAVE, match.began_at + match.left[number])
        pause = self.scenario.pause_seconds
        for group in dict.fromkeys(self._owner[number] for number in match.players):
            self._rest(group, at, at + (self._rng.expovariate(1 / pause) if pause else 0.0))

    def _note_lapse(self, number: int, kind: str, at: float) -> None:
        lapses = self._lapses.setdefault(number, [])
        lapses.append(Lapse(kind, BEGIN + dt.timedelta(seconds=at), id=len(lapses)))


def _waits(entry: Entry, now: float, end: str) -> list[Wait]:
    waited, size = entry.waited(now), len(entry.seats)
    return [Wait(seat.number, seat.percentile, size, waited, now, end) for seat in entry.seats]
