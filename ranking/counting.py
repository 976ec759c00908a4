"""What a match does to a rating row beside the rating: counts, and until when the player is active."""

import datetime as dt

from ranking.models import Change, Mode, Rating

FOREVER = dt.datetime(9999, 1, 1, tzinfo=dt.UTC)

_COUNTERS = {Change.WIN: "wins", Change.DRAW: "draws", Change.LOSS: "losses", Change.LEFT: "leaves"}


def count_match(rating: Rating, outcome: str, ended_at: dt.datetime, mode: Mode) -> None:
    """Count one rated match; one that the player left isn't completed."""
    counter = _COUNTERS[outcome]
    setattr(rating, counter, getattr(rating, counter) + 1)
    rating.last_match_at = max(filter(None, (rating.last_match_at, ended_at)))
    if outcome == Change.LEFT:
        return
    rating.last_completed_at = max(filter(None, (rating.last_completed_at, ended_at)))
    newest = sorted([*rating.recent_completions, ended_at.timestamp()], reverse=True)
    rating.recent_completions = newest[: mode.activity_matches]
    rating.active_until = active_until(rating.recent_completions, mode)


def active_until(recent_completions: list[float], mode: Mode) -> dt.datetime | None:
    """When a player becomes inactive: None = already is, for want of matches."""
    if len(recent_completions) < mode.activity_matches:
        return None
    if mode.activity_window is None:
        return FOREVER
    return dt.datetime.fromtimestamp(recent_completions[mode.activity_matches - 1], dt.UTC) + mode.activity_window
