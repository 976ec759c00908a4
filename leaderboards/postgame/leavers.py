"""Who left a match early and what it cost whom: rating, the team's, and in their own or moderators' eyes, points."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboards.postgame.seats import Seat
from ranking.models import Incident, Match, Sight
from ranking.moderation.incidents import find_lapses
from ranking.rules.conduct import lockout_of


@dataclass(frozen=True, slots=True)
class Price:
    """In points and minutes without queueing, as it was then; `waived`: a pardon took it away."""

    points: str
    minutes: int
    waived: bool


@dataclass(frozen=True, slots=True)
class Departure:
    """A seat left early; `mates` are those who played on in its team. `price` None: not for these eyes."""

    seat: Seat
    mates: Sequence[Seat]
    price: Price | None


def load_departures(match: Match, teams: Iterable[Sequence[Seat]], sight: Sight, now: dt.datetime) -> list[Departure]:
    """Of a match; no query where nobody left, nor for eyes that see no price, else two."""
    left = [
        (seat, [mate for mate in team if not mate.left_early]) for team in teams for seat in team if seat.left_early
    ]
    seen = [seat.player.pk for seat, _ in left if sight.everything or seat.player.pk == sight.player_id]
    prices = _prices(match, seen, now) if seen and not match.is_void else {}
    return [Departure(seat, mates, prices.get(seat.player.pk)) for seat, mates in left]


def _prices(match: Match, players: list[int], now: dt.datetime) -> dict[int, Price]:
    incidents = Incident.objects.filter(match=match, player__in=players).values_list("player", "pk", "pardon")
    lapses, prices = find_lapses(players, now), {}
    for player, number, pardon in incidents:
        if pardon is not None:
            prices[player] = Price("", 0, waived=True)
        for lapse in lapses[player]:
            if lapse.id == number:
                lockout = lockout_of(lapse, lapses[player])
                minutes = round((lockout.until - lockout.since) / dt.timedelta(minutes=1))
                prices[player] = Price(f"{lapse.settings.points:g}", minutes, waived=False)
    return prices
