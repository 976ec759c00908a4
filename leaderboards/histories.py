"""A player's ledger in one mode and season, newest first, with each match and their part in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.models import Change, Match, Participation, Rating


@dataclass(frozen=True, slots=True)
class Step:
    """A change, and their part in the match that made it; None for forfeits and resets."""

    change: Change
    part: Participation | None

    @property
    def match(self) -> Match | None:
        return self.change.match


def find_steps(rating: Rating, generation: int, *, most: int, before: int | None = None) -> list[Step]:
    """At most so many steps, newest first, those earlier than the event `before`: two queries."""
    live = Change.objects.live(generation)
    changes = live.filter(player=rating.player_id, mode=rating.mode_id, season=rating.season_id)
    if before is not None:
        changes = changes.filter(event__lt=before)
    found = list(changes.select_related("match", "event").order_by("-event")[:most])
    parts = Participation.objects.filter(player=rating.player_id, match__in=[c.match_id for c in found if c.match_id])
    by_match = {part.match_id: part for part in parts}
    return [Step(change, by_match.get(change.match_id or 0)) for change in found]


def opponents_of(matches: Sequence[Match], player_id: int) -> dict[int, Participation]:
    """The other player of each of these matches of one against one: one query."""
    others = Participation.objects.filter(match__in=matches).exclude(player=player_id).select_related("player")
    return {part.match_id: part for part in others}
