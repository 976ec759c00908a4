"""Matches of a history, as an evaluation replays them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ranking.systems.base import Entrant, Result, State, System, Team
from ranking.trials.core.predictions import PredictionLog
from ranking.trials.core.replay import SystemReplay
from ranking.trials.core.timeline import PastMatch, PastStep, Timeline

DAY = 86_400.0


def past(*teams, places=None, left="", pool="duel", day=0.0, where="a match"):
    """Teams of one-letter players; the first won unless `places` say otherwise; `left` are those who left."""
    places = places or range(1, len(teams) + 1)
    rosters = [tuple(Entrant(name, None, left_early=name in left) for name in roster) for roster in teams]
    sides = tuple(Team(roster, place) for roster, place in zip(rosters, places, strict=True))
    return PastMatch(where, pool, day * DAY, Result(sides))


@dataclass
class Replayed:
    """A history as a system predicted and rated it, chunk by chunk; `states` and `matches`: by pool and player."""

    system: System[Any]
    chances: list[float] = field(default_factory=list)
    won: list[bool] = field(default_factory=list)
    states: dict[tuple[str, str], State] = field(default_factory=dict)
    matches: dict[tuple[str, str], int] = field(default_factory=dict)


def replayed(system: System[Any], *chunks: Sequence[PastStep]) -> Replayed:
    return replay_chunks(system, chunks)


def replay_chunks(system: System[Any], chunks: Iterable[Sequence[PastStep]]) -> Replayed:
    timeline, replay, log = Timeline(), SystemReplay(system), PredictionLog()
    for chunk in chunks:
        for stretch in timeline.read(chunk):
            log.note(stretch, replay.rate(stretch))
    found = log.predictions()
    states = {
        (name, player): replay.pools[name].states[number]
        for name, pool in timeline.pools.items()
        for player, number in pool.numbers.items()
        if replay.pools[name].states.known[number]
    }
    matches = {(name, player): timeline.pools[name].matches[timeline.pools[name].numbers[player]]
               for name, player in states}  # fmt: skip
    return Replayed(system, found.chances.tolist(), found.won.tolist(), states, matches)
