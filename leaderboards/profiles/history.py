"""A player's ledger in one mode and season, newest first, with each match and their part in it; void matches too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranking.models import Change, Match, Participation, Rating, Void


@dataclass(frozen=True, slots=True)
class Step:
    """A change, and their part in the match that made it; None for forfeits and resets."""

    change: Change
    part: Participation | None

    @property
    def match(self) -> Match | None:
        return self.change.match

    @property
    def row(self) -> Change | Match:
        """What has the step's place in history."""
        return self.change


@dataclass(frozen=True, slots=True)
class Voided:
    """A match that counts for nothing, and their part in it."""

    match: Match
    part: Participation

    @property
    def row(self) -> Change | Match:
        return self.match


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


def find_voided(rating: Rating, *, most: int, before: int | None = None) -> list[Voided]:
    """At most so many void matches that once were rated, newest first, likewise: one query."""
    void = Void.objects.filter(lifted_at=None, match__isnull=False)
    parts = Participation.objects.filter(player=rating.player_id, match__in=void.values("match"))
    parts = parts.filter(match__mode=rating.mode_id, match__season=rating.season_id)
    if before is not None:
        parts = parts.filter(match__event__lt=before)
    return [Voided(part.match, part) for part in parts.select_related("match").order_by("-match__event")[:most]]


def counting(steps: Sequence[Step], voided: Sequence[Voided]) -> list[Step]:
    """Without those of matches that are void already and will be rated away."""
    void = {each.match.pk for each in voided}
    return [step for step in steps if step.change.match_id not in void]


def in_order(steps: Sequence[Step], voided: Sequence[Voided]) -> list[Step | Voided]:
    """Both together, newest first, a match once."""
    both: list[Step | Voided] = [*counting(steps, voided), *voided]
    return sorted(both, key=lambda each: each.row.event_id or 0, reverse=True)


def opponents_of(matches: Sequence[Match], player_id: int) -> dict[int, Participation]:
    """The other player of each of these matches of one against one: one query."""
    others = Participation.objects.filter(match__in=matches).exclude(player=player_id).select_related("player")
    return {part.match_id: part for part in others}
