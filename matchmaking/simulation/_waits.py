"""Records of waits during an evening: one for each wait of a player, and a sample of the queue every minute."""

from __future__ import annotations

from dataclasses import dataclass

from matchmaking.simulation._waiting_room import RoomEntry

PLAYED, GONE, STILL = "played", "missed the accept", "still waiting"


@dataclass(frozen=True, slots=True)
class Wait:
    """One player's wait, and when and how it ended; `percentile`: the matchmaker's; `size`: that of the party."""

    player: int
    percentile: int
    size: int
    seconds: float
    at: float
    end: str


@dataclass(frozen=True, slots=True)
class QueueSample:
    """The queue at a time: players waiting, the longest wait in seconds, mean display rating of all who have played."""

    at: float
    waiting: int
    oldest: float
    mean: float


def waits_of(entry: RoomEntry, now: float, end: str) -> list[Wait]:
    """The waits of an entry's players, which end at `now` in this way."""
    waited, size = entry.waited(now), len(entry.seats)
    return [Wait(seat.number, seat.percentile, size, waited, now, end) for seat in entry.seats]
