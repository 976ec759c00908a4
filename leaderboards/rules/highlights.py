"""What stands out in a season's matches of one player: peaks, best matches, the longest streak, maps. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")
WIN, LEFT = "win", "left"
UNLIKELY = 0.495  # a win with a lower probability is an upset: it is below 50 % also when it is rounded


class PlayedMatch(NamedTuple):
    """A match of the player: ratings in hundredths; `chance` is their team's win probability before the match.

    `place` of `places`: that of their team.
    """

    match_id: int
    outcome: str
    before: int
    after: int
    chance: float | None
    rank: int | None
    ended_at: dt.datetime
    variant: str
    place: int | None = None
    places: int | None = None
    event: int = 0  # its place in the history of the mode
    brief: bool | None = False  # it doesn't help to place the player

    @property
    def by_place(self) -> bool:
        """True if there were more than two teams: then nobody won or lost, but had a place."""
        return self.places is not None and self.places > 2

    @property
    def won(self) -> bool:
        """True for a win, and for a first place, also a shared one, among more than two teams."""
        return self.outcome != LEFT and self.place == 1 if self.by_place else self.outcome == WIN

    @property
    def gain(self) -> int:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class MapRecord:
    """A map, or another variant of the mode, with the player's matches and wins on it."""

    name: str
    matches: int
    wins: int


@dataclass(frozen=True, slots=True)
class Highlights:
    """`peak`: after it the rating was highest, from the match on that placed the player; None if there is none.
    `best_rank`: after it the rank was best; None if they never had one.

    `gain`: the match with the largest gain; `upset`: the win with the lowest probability below UNLIKELY. Each is None
    if there is no such match. `streak`: the most wins in a row.
    """

    peak: PlayedMatch | None
    best_rank: PlayedMatch | None
    gain: PlayedMatch | None
    upset: PlayedMatch | None
    streak: int
    maps: tuple[MapRecord, ...]


class Completable(Protocol):
    """A match as one player played it."""

    @property
    def outcome(self) -> str: ...
    @property
    def brief(self) -> bool | None: ...


M = TypeVar("M", bound=Completable)


def since_placement(matches: Sequence[M], placement: int) -> list[M]:
    """Return the matches from the one on that placed the player, of all of a season, oldest first.

    `placement`: the completed matches that place the player. With 0, these are all.
    """
    completed, since = 0, []
    for match in matches:
        completed += match.outcome != LEFT and not match.brief
        if completed >= placement:
            since.append(match)
    return since


def find_highlights(matches: Sequence[PlayedMatch], *, placement: int, maps: int) -> Highlights | None:
    """Return what stands out in these matches, oldest first; None if there are none. `maps`: listed at most.

    `placement`: see since_placement.
    """
    if not matches:
        return None
    ranked = [match for match in matches if match.rank is not None]
    gains = [match for match in matches if match.gain > 0]
    upsets = [
        match for match in matches if match.outcome == WIN and match.chance is not None and match.chance < UNLIKELY
    ]
    return Highlights(
        peak=max(since_placement(matches, placement), key=lambda match: match.after, default=None),
        best_rank=min(ranked, key=lambda match: match.rank or 0, default=None),
        gain=max(gains, key=lambda match: match.gain, default=None),
        upset=min(upsets, key=lambda match: match.chance or 0.0, default=None),
        streak=longest_streak([match.won for match in matches]),
        maps=tuple(_maps(matches)[:maps]),
    )


def longest_streak(results: Sequence[bool]) -> int:
    """Return the most True in a row."""
    longest = running = 0
    for result in results:
        running = running + 1 if result else 0
        longest = max(longest, running)
    return longest


def _maps(matches: Sequence[PlayedMatch]) -> list[MapRecord]:
    """The maps, the one played most often first."""
    played: dict[str, list[bool]] = {}
    for match in matches:
        if match.variant:
            played.setdefault(match.variant, []).append(match.won)
    records = [MapRecord(name, len(results), sum(results)) for name, results in played.items()]
    return sorted(records, key=lambda record: (-record.matches, record.name))


def thinned(points: Sequence[T], most: int) -> list[T]:
    """Return at most `most` of the points, at least two, evenly spread; the first and the last are among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(index * (len(points) - 1) / (most - 1))] for index in range(most)]
