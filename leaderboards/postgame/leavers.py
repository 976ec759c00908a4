"""Players who left a match early, and what it cost them: rating and, for them and moderators to see, points."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboards.display.spans import minutes
from leaderboards.postgame.seats import Seat
from ranking.models import Incident, Match, ReadAccess
from ranking.moderation.incidents import find_lapses
from ranking.rules.conduct import lockout_of
from ranking.systems.shared.explanations import plain_number
from ranking.wording.translation import gettext, ngettext


@dataclass(frozen=True, slots=True)
class Price:
    """The price of leaving at that time, in points and minutes without queueing; `waived`: a pardon took it away."""

    points: float
    minutes: int
    waived: bool

    @property
    def words(self) -> str:
        if self.waived:
            return gettext("Pardoned: no points, no lockout.")
        if self.minutes:
            sentence = ngettext(
                "%(points)s point, and no queueing for %(time)s.",
                "%(points)s points, and no queueing for %(time)s.",
                self._plural_form,
            )
        else:
            sentence = ngettext("%(points)s point.", "%(points)s points.", self._plural_form)
        return sentence % {"points": plain_number(self.points), "time": minutes(self.minutes)}

    @property
    def _plural_form(self) -> int:
        """A whole number that takes the same plural form as the points, which may have decimals."""
        return 1 if self.points == 1 else max(2, int(self.points))


@dataclass(frozen=True, slots=True)
class Departure:
    """A seat left early; `mates` played on in its team. `price` is None if the viewer may not see it."""

    seat: Seat
    mates: Sequence[Seat]
    price: Price | None


def load_departures(
    match: Match, teams: Iterable[Sequence[Seat]], access: ReadAccess, now: dt.datetime
) -> list[Departure]:
    """Return the departures of a match. Two queries; none if nobody left or the viewer may see no price."""
    left = [
        (seat, [mate for mate in team if not mate.left_early]) for team in teams for seat in team if seat.left_early
    ]
    seen = [seat.player.pk for seat, _ in left if access.everything or seat.player.pk == access.player_id]
    prices = _prices(match, seen, now) if seen and not match.is_void else {}
    return [Departure(seat, mates, prices.get(seat.player.pk)) for seat, mates in left]


def _prices(match: Match, players: list[int], now: dt.datetime) -> dict[int, Price]:
    incidents = Incident.objects.with_pardon().filter(match=match, player__in=players)
    lapses, prices = find_lapses(players, now), {}
    for player, number, pardon in incidents.values_list("player", "pk", "pardon__id"):
        if pardon is not None:
            prices[player] = Price(0.0, 0, waived=True)
        for lapse in lapses[player]:
            if lapse.id == number:
                lockout = lockout_of(lapse, lapses[player])
                length = round((lockout.until - lockout.since) / dt.timedelta(minutes=1))
                prices[player] = Price(float(lapse.settings.points), length, waived=False)
    return prices
