"""A player's history in a mode and season, newest first: changes of the ledger, and void matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboards.profiles.matches.match_filters import ALL, MatchFilter
from ranking.models import Change, Forfeit, Match, Participation, Rating, Void
from ranking.rules.places import is_top_half


@dataclass(frozen=True, slots=True)
class Placing:
    """The place of a player's team among `of` teams."""

    place: int
    of: int

    @property
    def kind(self) -> str:
        """The style of marks and dots: "upper" in the top half, else "lower"."""
        return "upper" if is_top_half(self.place, self.of) else "lower"


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """A change, and the player's part in its match; `part` is None for all but matches."""

    change: Change
    part: Participation | None

    @property
    def match(self) -> Match | None:
        return self.change.match

    @property
    def forfeit(self) -> Forfeit | None:
        return self.change.event.forfeit if self.change.kind == Change.FORFEIT else None

    @property
    def standing(self) -> Participation | Forfeit | None:
        """The row that keeps the standings before and after the change; None for resets and ratings brought along."""
        return self.forfeit or self.part

    @property
    def row(self) -> Change | Match:
        """The row whose event gives the place in history."""
        return self.change

    @property
    def place(self) -> Placing | None:
        """The place in a match of more than two teams, as pages show it; None if the player left."""
        part = self.part
        if part is None or part.place is None or part.places is None or self.change.outcome == Change.LEFT:
            return None
        return Placing(part.place, part.places) if part.places > 2 else None


@dataclass(frozen=True, slots=True)
class Voided:
    """A void match, and the player's part in it."""

    match: Match
    part: Participation

    @property
    def row(self) -> Change | Match:
        return self.match


def find_steps(
    rating: Rating, generation: int, wanted: MatchFilter = ALL, *, most: int, before: int | None = None
) -> list[HistoryStep]:
    """Return at most `most` steps, newest first, earlier than the event `before`: two queries."""
    live = Change.objects.live(generation)
    changes = wanted.of_changes(live.filter(player=rating.player_id, mode=rating.mode_id, season=rating.season_id))
    if before is not None:
        changes = changes.filter(event__lt=before)
    rows = list(changes.select_related("match", "event__forfeit").order_by("-event")[:most])
    matches = [change.match_id for change in rows if change.match_id]
    parts = Participation.objects.filter(player=rating.player_id, match__in=matches)
    by_match = {part.match_id: part for part in parts}
    return [HistoryStep(change, by_match.get(change.match_id or 0)) for change in rows]


def find_voided(rating: Rating, wanted: MatchFilter = ALL, *, most: int, before: int | None = None) -> list[Voided]:
    """Return at most `most` void matches that once were rated, newest first, earlier than `before`: one query."""
    void = Void.objects.filter(lifted_at=None, match__isnull=False)
    parts = Participation.objects.filter(player=rating.player_id, match__in=void.values("match"))
    parts = wanted.of_voided(parts.filter(match__mode=rating.mode_id, match__season=rating.season_id))
    if before is not None:
        parts = parts.filter(match__event__lt=before)
    return [Voided(part.match, part) for part in parts.select_related("match").order_by("-match__event")[:most]]


def counting(steps: Sequence[HistoryStep], voided: Sequence[Voided]) -> list[HistoryStep]:
    """Return the steps without those of void matches, which a re-rating will remove."""
    void = {row.match.pk for row in voided}
    return [step for step in steps if step.change.match_id not in void]


def in_order(steps: Sequence[HistoryStep], voided: Sequence[Voided]) -> list[HistoryStep | Voided]:
    """Return steps and void matches together, newest first, each match once."""
    both: list[HistoryStep | Voided] = [*counting(steps, voided), *voided]
    return sorted(both, key=lambda step: step.row.event_id or 0, reverse=True)
