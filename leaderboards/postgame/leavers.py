"""What leaving costs: points and a lockout, for the player and moderators to see; and who left a match early."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboards.display.numbers import SAME
from leaderboards.display.spans import minutes
from leaderboards.postgame.seats import Move, PlayerLine
from ranking.models import Incident, Match, ReadAccess
from ranking.models.conduct import IncidentQuerySet
from ranking.moderation.appeals import lockouts_of
from ranking.moderation.incidents import find_lapses
from ranking.rules.conduct import MISSED, Lapse, lockout_of
from ranking.systems.shared.explanations import Explanation, plain_number
from ranking.wording.translation import gettext, ngettext


@dataclass(frozen=True, slots=True)
class Price:
    """The price of leaving at that time, in points and minutes without queueing; `waived`: a pardon took it away.

    `number`: the incident's. `until`: when its lockout ends, None once it is over. `may_appeal`, `appeal`: as a
    Restriction has them.
    """

    points: float
    minutes: int
    waived: bool
    number: int = 0
    until: dt.datetime | None = None
    may_appeal: bool = False
    appeal: str | None = None

    @property
    def words(self) -> str:
        if self.waived:
            return gettext("Pardoned: no points, no lockout.")
        if not self.points:
            if not self.minutes:
                return gettext("No lockout this time.")
            return gettext("No queueing for %(time)s.") % {"time": minutes(self.minutes)}
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
    """That a player left early. `price` is None if the viewer may not see it.

    `no_rating`: a sentence if leaving cost the player no rating.
    """

    price: Price | None
    no_rating: str


def load_departures(
    match: Match, seats: Iterable[PlayerLine], access: ReadAccess, now: dt.datetime
) -> dict[int, Departure]:
    """Return the departures of a match by the player's id.

    Two queries; none if nobody left or the viewer may see no price.
    """
    left = [seat for seat in seats if seat.left_early]
    seen = [seat.player.pk for seat in left if access.everything or seat.player.pk == access.player_id]
    incidents = Incident.objects.filter(match=match, player__in=seen)
    prices = load_prices(incidents, seen, now) if seen and not match.is_void else {}
    return {seat.player.pk: Departure(prices.get(seat.player.pk), no_rating(seat.rating, seat.why)) for seat in left}


def load_prices(incidents: IncidentQuerySet, players: Sequence[int], now: dt.datetime) -> dict[int, Price]:
    """The prices of these players' incidents on one occasion, by player; none of void ones. Two queries."""
    lapses, prices = find_lapses(players, now), {}
    rows = incidents.with_pardon().values_list("player", "pk", "pardon__id")
    for player, number, pardon in rows:
        if pardon is not None:
            prices[player] = Price(0.0, 0, waived=True)
        for lapse in lapses[player]:
            if lapse.id == number:
                prices[player] = _price(lapse, lapses[player], now)
    return prices


def _price(lapse: Lapse, lapses: list[Lapse], now: dt.datetime) -> Price:
    lockout = lockout_of(lapse, lapses)
    return Price(
        points=0.0 if lapse.kind == MISSED else float(lapse.settings.points),
        minutes=lockout.minutes,
        waived=False,
        number=lapse.id,
        until=lockout.until if now < lockout.until else None,
        may_appeal=lapse.appeal is None and lapse.id in lockouts_of(lapses, now),
        appeal=lapse.appeal,
    )


def no_rating(rating: Move | None, why: Explanation | None) -> str:
    """That leaving cost no rating, in a sentence; "" if it did, or if the rating isn't shown."""
    if rating is None or rating.change is None or rating.change.direction != SAME:
        return ""
    if why is not None and why.moved < 0:
        return gettext("It cost no rating, because the rating can’t fall any lower.")
    return gettext("It cost no rating.")
