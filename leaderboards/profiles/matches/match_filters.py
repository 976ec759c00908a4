"""Filters of a player's matches: by map, by result, and by who else played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from ranking.models import Change, Mode, Participation, Player, Void
from ranking.wording.translation import gettext, gettext_noop

_PODIUM_FROM = 6  # teams
# Results by the word that the address holds: its name on the page, and the condition on the player's participation.
_BY_OUTCOME = {
    "won": (gettext_noop("Won"), Change.WIN),
    "drawn": (gettext_noop("Drawn"), Change.DRAW),
    "lost": (gettext_noop("Lost"), Change.LOSS),
}
_BY_PLACE = {
    "first": (gettext_noop("First"), Q(place=1)),
    "podium": (gettext_noop("Podium"), Q(place__lte=3)),
    "upper": (gettext_noop("Top half"), Q(places__gte=2 * F("place"))),
    "lower": (gettext_noop("Bottom half"), Q(places__lt=2 * F("place"))),
}
_LEFT = {"left": (gettext_noop("Left early"), Change.LEFT)}


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches are listed; what is empty or None filters nothing. `other`: they played, too, on either side."""

    variant: str = ""
    result: str = ""
    other: Player | None = None

    def __bool__(self) -> bool:
        return bool(self.variant or self.result or self.other)

    def of_changes(self, changes: QuerySet[Change]) -> QuerySet[Change]:
        """The changes of a player's matches that are wanted."""
        if self.variant:
            changes = changes.filter(match__variant=self.variant)
        if self.result:  # which a void match hasn't, also before a re-rating removes its change
            changes = changes.exclude(Exists(Void.objects.filter(match=OuterRef("match"), lifted_at=None)))
        if self.result in _BY_PLACE:
            own = Participation.objects.filter(_BY_PLACE[self.result][1], match=OuterRef("match"))
            changes = changes.exclude(outcome=Change.LEFT).filter(Exists(own.filter(player=OuterRef("player"))))
        elif self.result:
            changes = changes.filter(outcome=(_BY_OUTCOME | _LEFT)[self.result][1])
        return self._with_other(changes)

    def of_voided(self, parts: QuerySet[Participation]) -> QuerySet[Participation]:
        """The void ones among them, which have no result."""
        if self.result:
            return parts.none()
        return self._with_other(parts.filter(match__variant=self.variant) if self.variant else parts)

    def _with_other(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        if self.other is None:
            return rows
        return rows.filter(Exists(Participation.objects.filter(match=OuterRef("match"), player=self.other)))


ALL = MatchFilter()


def results_of(mode: Mode) -> dict[str, str]:
    """The results that a mode's matches can be filtered by, with their names."""
    if mode.team_count == 2:
        return {key: gettext(name) for key, (name, _) in (_BY_OUTCOME | _LEFT).items()}
    places = {
        key: gettext(name) for key, (name, _) in _BY_PLACE.items() if key != "podium" or mode.team_count >= _PODIUM_FROM
    }
    return places | {key: gettext(name) for key, (name, _) in _LEFT.items()}
