"""What a rated match counts in its players' ratings, and until when a player is active."""

import datetime as dt

from django.db.models import (
    Case,
    DateTimeField,
    DurationField,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Greatest

from ranking.models import Change, Mode, Participation, Rating
from ranking.models.mode import MOST_ACTIVITY_MATCHES
from ranking.rules.places import is_podium, is_top_half

FOREVER = dt.datetime(9999, 1, 1, tzinfo=dt.UTC)

_COUNTERS = {Change.WIN: "wins", Change.DRAW: "draws", Change.LOSS: "losses", Change.LEFT: "leaves"}


def counts_after(
    rating: Rating, part: Participation, outcome: str, ended_at: dt.datetime, mode: Mode
) -> dict[str, object]:
    """The columns of a rating that one more rated match changes.

    A match that the player left counts as a leave, not as completed, and has no place.
    """
    counter = _COUNTERS[outcome]
    counts = {counter: getattr(rating, counter) + 1, "last_match_at": _latest(rating.last_match_at, ended_at)}
    if outcome == Change.LEFT:
        return counts
    newest = sorted([*rating.recent_completions, ended_at.timestamp()], reverse=True)[:MOST_ACTIVITY_MATCHES]
    return {
        **counts,
        **_places_after(rating, part),
        "last_completed_at": _latest(rating.last_completed_at, ended_at),
        "recent_completions": newest,
        "active_until": active_until(newest, mode, rating.placed_at),
    }


def _latest(before: dt.datetime | None, ended_at: dt.datetime) -> dt.datetime:
    return ended_at if before is None else max(before, ended_at)


def _places_after(rating: Rating, part: Participation) -> dict[str, int]:
    if part.place is None or part.places is None:
        return {}
    return {
        "podiums": rating.podiums + is_podium(part.place, part.places),
        "top_halves": rating.top_halves + is_top_half(part.place, part.places),
        "place_sum": rating.place_sum + part.place,
        "brief_matches": rating.brief_matches + part.brief,
    }


def active_until(recent_completions: list[float], mode: Mode, placed_at: dt.datetime | None) -> dt.datetime | None:
    """The time at which a player becomes inactive; None if they have too few matches to be active.

    `placed_at`: when a rating that they brought along placed them at once, which makes them active for one window.
    """
    window, ends = mode.activity_window, []
    if placed_at is not None:
        ends.append(FOREVER if window is None else placed_at + window)
    if len(recent_completions) >= mode.activity_matches:
        oldest = dt.datetime.fromtimestamp(recent_completions[mode.activity_matches - 1], dt.UTC)
        ends.append(FOREVER if window is None else oldest + window)
    return max(ends, default=None)


def active_until_in_sql(mode: Mode) -> Case:
    """`active_until` as an SQL expression over recorded matches, for an UPDATE of a mode's ratings."""
    enough = Q(wins__gte=mode.activity_matches - F("draws") - F("losses"))
    if mode.activity_window is None:
        forever = When(enough | Q(placed_at__isnull=False), then=Value(FOREVER, DateTimeField()))
        return Case(forever, default=None, output_field=DateTimeField())
    seeded = ExpressionWrapper(F("placed_at") + Value(mode.activity_window, DurationField()), DateTimeField())
    played = _end_of_activity(mode)
    return Case(
        When(enough & Q(placed_at__isnull=False), then=Greatest(played, seeded)),
        When(enough, then=played),
        default=seeded,
        output_field=DateTimeField(),
    )


def _end_of_activity(mode: Mode) -> Combinable:
    """The end of activity of a player with enough matches: one window after the oldest match that counts."""
    oldest: Combinable = F("last_completed_at")
    if mode.activity_matches > 1:
        oldest = Subquery(
            _completions(mode).values("match__ended_at")[mode.activity_matches - 1 : mode.activity_matches]
        )
    return ExpressionWrapper(oldest + Value(mode.activity_window, DurationField()), DateTimeField())


def _completions(mode: Mode) -> QuerySet[Change]:
    """The live changes of a rating's completed matches, newest first."""
    own = {name: OuterRef(name) for name in ("player", "mode", "season")}
    changes = Change.objects.live(mode.generation).filter(**own, kind=Change.MATCH)
    return changes.exclude(outcome=Change.LEFT).order_by("-match__ended_at")
