"""Plays an evening tick by tick: people come, queue, meet in lobbies, play, leave matches, are locked out, and go.

The simulation leaves out some things: nobody gives up waiting, nobody blocks anybody, and there are always servers.
"""

from __future__ import annotations

import datetime as dt
import heapq
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from matchmaking.matcher.tickets import Proposal
from matchmaking.simulation._waiting_room import RoomEntry, RoomSeat, WaitingRoom
from matchmaking.simulation._waits import GONE, PLAYED, STILL, QueueSample, Wait, waits_of
from matchmaking.simulation.arrivals import Visit
from matchmaking.simulation.ladder import RatingLadder
from matchmaking.simulation.people import Community
from matchmaking.simulation.play import (
    LateDraw,
    ScoreDraw,
    SimulatedMatch,
    Teams,
    draw_leavers,
    draw_nobody,
    draw_scores,
    true_chance,
)
from matchmaking.simulation.scenarios import Scenario
from ranking.rules.conduct import LEAVE, MISSED, Lapse, find_lockout
from ranking.systems.base import Result, Team

AWAY, RESTING, LOCKED, WAITING, LOBBY, PLAYING = "away", "resting", "locked out", "waiting", "lobby", "playing"
ACCEPTING = 0.3  # share of the seconds to accept after which everybody has accepted
LENGTHS = (0.7, 1.3)  # shortest and longest match, relative to the mean
MINUTE = 60.0
BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)  # for rules that count in days


class Evening:
    """One evening of a community; `ladder` keeps the ratings, and `rng` is its only source of chance.

    `begin` is the evening's first second. `lapses` (by player) holds those of earlier evenings, and this evening adds
    its own: lockouts go on from evening to evening. `draw` draws a match's scores, `draw_late` its late joiners. Each
    match is one of the `variants`.
    """

    def __init__(
        self,
        scenario: Scenario,
        community: Community,
        visits: Sequence[Visit],
        ladder: RatingLadder,
        rng: random.Random,
        *,
        begin: dt.datetime = BEGIN,
        lapses: dict[int, list[Lapse]] | None = None,
        draw: ScoreDraw = draw_scores,
        draw_late: LateDraw = draw_nobody,
        variants: Sequence[str] = ("",),
    ) -> None:
        self.scenario, self.community, self.ladder = scenario, community, ladder
        self.now, self.oldest = 0.0, 0.0
        self.waits: list[Wait] = []
        self.matches: list[SimulatedMatch] = []
        self.moments: list[QueueSample] = []
        self.locked_out = 0  # times
        self.where = [AWAY] * len(community.groups)
        self._until = [0.0] * len(community.groups)  # when the visit ends
        self._lapses = {} if lapses is None else lapses
        self._first_second, self._posix, self._draw, self._variants = begin, begin.timestamp(), draw, variants
        self._draw_late = draw_late
        self._last: dict[int, tuple[int, SimulatedMatch]] = {}  # each player's last match, with its number
        self._room, self._rng = WaitingRoom(scenario), rng
        self._owner = {number: index for index, group in enumerate(community.groups) for number in group.members}
        self._events: list[tuple[float, int, str, object]] = []
        self._scheduled = 0
        self._ticks, self._publish_at = 0, 0.0
        for visit in visits:
            self._schedule(visit.at, "come", visit)

    def run(self) -> Iterator[float]:
        """Play tick by tick, and yield the time after each; the caller may stop anywhere, and call again to go on."""
        acts: dict[str, Callable[[Any, float], None]] = {
            "come": self._come,
            "queue": self._queue,
            "fall": self._fall,
            "end": self._end,
        }
        for tick in range(self._ticks + 1, self._all_ticks + 1):
            self._ticks, self.now = tick, tick * self.scenario.tick
            now = self.now
            while self._events and self._events[0][0] <= now:
                at, _, act, thing = heapq.heappop(self._events)
                acts[act](thing, at)
            if now >= self._publish_at:
                self.ladder.publish()
                self._sample(now)
                self._publish_at = now + MINUTE
            for proposal in self._room.find(now):
                self._gather(proposal, now)
            if self.counts:
                self.oldest = max(self.oldest, self._room.oldest(now))
            yield now

    @property
    def _all_ticks(self) -> int:
        return round(self.scenario.seconds / self.scenario.tick)

    @property
    def is_over(self) -> bool:
        return self._ticks >= self._all_ticks

    @property
    def counts(self) -> bool:
        """True if waits and matches count already."""
        return self.now >= 3_600 * self.scenario.from_hour

    def waiting(self) -> list[Wait]:
        """The waits of players who are still waiting."""
        return [wait for entry in self._room.entries.values() for wait in waits_of(entry, self.now, STILL)]

    def _schedule(self, at: float, act: str, thing: object) -> None:
        self._scheduled += 1
        heapq.heappush(self._events, (at, self._scheduled, act, thing))

    def _sample(self, now: float) -> None:
        shown = [rating for rating, past in zip(self.ladder.shown, self.ladder.shown_after, strict=True) if past]
        mean = (sum(shown) / len(shown) if shown else self.ladder.newcomer) / 100
        self.moments.append(QueueSample(now, self._room.players, self._room.oldest(now), mean))

    def _come(self, visit: Visit, at: float) -> None:
        self._until[visit.group] = max(self._until[visit.group], visit.until)
        if self.where[visit.group] == AWAY:
            self._rest(visit.group, at, at)

    def _rest(self, group: int, at: float, ready: float) -> None:
        """Schedule the group to queue when it is ready and nobody in it is locked out."""
        now = self._first_second + dt.timedelta(seconds=at)
        ends = [
            lockout.until
            for number in self.community.groups[group].members
            if (lockout := find_lockout(self._lapses.get(number, ()), now))
        ]
        self.where[group] = LOCKED if ends else RESTING
        self.locked_out += bool(ends)
        self._schedule(max([ready, *((end - self._first_second).total_seconds() for end in ends)]), "queue", group)

    def _queue(self, group: int, at: float) -> None:
        if at >= self._until[group]:
            self.where[group] = AWAY
            return
        self.where[group] = WAITING
        seats = tuple(self._seat(number) for number in self.community.groups[group].members)
        self._room.enter(RoomEntry(group, seats, self.community.groups[group].pings, at, at))

    def _seat(self, number: int) -> RoomSeat:
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
        return RoomSeat(number, ladder.strength(number), ladder.percentile(number), strict, recent)

    def _gather(self, proposal: Proposal, now: float) -> None:
        """Open a lobby: either all accept and play, or somebody misses the accept."""
        entries = [self._room.leave(int(ticket)) for ticket in proposal.tickets]
        for entry in entries:
            self.where[entry.group] = LOBBY
        entries = [replace(entry, before=entry.waited(now), since=now) for entry in entries]
        missing = {
            seat.number for entry in entries for seat in entry.seats if self._rng.random() < self.scenario.misses
        }
        if missing:
            self._schedule(now + self.scenario.accept_seconds, "fall", (entries, missing))
        else:
            self._begin(proposal, entries, now)

    def _fall(self, lobby: tuple[list[RoomEntry], set[int]], at: float) -> None:
        """The lobby falls through: tickets with a player who missed the accept go, the others wait on."""
        entries, missing = lobby
        for entry in entries:
            late = missing.intersection(seat.number for seat in entry.seats)
            if not late:
                self.where[entry.group] = WAITING
                self._room.enter(replace(entry, since=at))
                continue
            for number in sorted(late):
                self._note_lapse(number, MISSED, at)
            self.waits += waits_of(entry, entry.since, GONE)
            self._rest(entry.group, at, at + self.scenario.pause_seconds)

    def _begin(self, proposal: Proposal, entries: Sequence[RoomEntry], now: float) -> None:
        scenario, people = self.scenario, self.community.people
        teams: Teams = tuple(tuple(int(player) for player in team) for team in proposal.teams)
        seats = [seat for entry in entries for seat in entry.seats]
        strengths, percentiles = [seat.strength for seat in seats], [seat.percentile for seat in seats]
        seconds = float(round(60 * scenario.match_minutes * self._rng.uniform(*LENGTHS)))
        left = draw_leavers(people, teams, seconds, self._rng)
        match = SimulatedMatch(
            began_at=now + ACCEPTING * scenario.accept_seconds,
            seconds=seconds,
            region=proposal.region,
            teams=teams,
            difference=proposal.difference,
            spread=max(strengths) - min(strengths),
            distance=max(percentiles) - min(percentiles),
            favourite=self._chance(teams, now),
            truly=true_chance(people, teams, scenario.luck),
            scores=self._draw(people, teams, left, seconds, scenario.luck, self._rng),
            left=left,
            late=self._draw_late(teams, left, seconds, self._scheduled),
            variant=self._variants[self._scheduled % len(self._variants)],
        )
        for entry in entries:
            self.where[entry.group] = PLAYING
            self.waits += waits_of(entry, now, PLAYED)
        self._schedule(match.ended_at, "end", match)

    def _chance(self, teams: Teams, now: float) -> float | None:
        """The favourite's chance by the rating system; None if there are more than two teams."""
        if len(teams) != 2:
            return None
        chance = self.ladder.system.win_probability([self._entrants(team, now) for team in teams])[0]
        return None if chance is None else max(chance, 1 - chance)

    def _entrants(self, team: Sequence[int], now: float) -> tuple[Any, ...]:
        owners = [self._owner.get(number) for number in team]  # who stands in has none
        groups = [None if owner is None else self.community.groups[owner] for owner in owners]
        return tuple(
            self.ladder.entrant(
                number, str(number), self._posix + now, group.id if group and len(group.members) > 1 else ""
            )
            for number, group in zip(team, groups, strict=True)
        )

    def _end(self, match: SimulatedMatch, at: float) -> None:
        """Rate the result, note the lapses of leavers, and let everybody rest."""
        self.matches.append(match)
        teams, rosters, gone = [], match.rosters, {**match.left, **match.replaced}
        for team, score in zip(rosters, match.scores, strict=True):
            entrants = [
                replace(
                    entrant, seconds=gone.get(number, match.seconds - (came.at if came else 0.0)),
                    left_early=number in match.left, joined_at=came.at if came else None,
                )
                for number, entrant in zip(team, self._entrants(team, at), strict=True)
                for came in (match.late.get(number),)
            ]  # fmt: skip
            teams.append(Team(tuple(entrants), score=score))
        self.ladder.rate(Result(tuple(teams), match.seconds, variant=match.variant), rosters, self._posix + at)
        for number in match.players:
            self._last[number] = (len(self.matches), match)
            if number in match.left:
                self._note_lapse(number, LEAVE, match.began_at + match.left[number])
        pause = self.scenario.pause_seconds
        for group in dict.fromkeys(self._owner[number] for number in match.players):
            self._rest(group, at, at + (self._rng.expovariate(1 / pause) if pause else 0.0))

    def _note_lapse(self, number: int, kind: str, at: float) -> None:
        lapses = self._lapses.setdefault(number, [])
        lapses.append(Lapse(kind, self._first_second + dt.timedelta(seconds=at), id=len(lapses)))
