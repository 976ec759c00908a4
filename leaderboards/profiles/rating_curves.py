"""Curves of a player's rating and rank, match by match."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from leaderboards.boards.boards import Board
from leaderboards.boards.published import Published, Standing
from leaderboards.display.curves import Chart, chart
from leaderboards.display.numbers import ordinal
from leaderboards.profiles.history import Step


def rating_chart(steps: Sequence[Step], board: Board) -> Chart | None:
    """Return the curve of the ratings after these steps, which are newest first; None if the mode doesn't show them."""
    if not board.mode.shows_rating:
        return None
    ordered = list(reversed(steps))
    return chart(
        [step.change.display_after for step in ordered],
        [_title(step, board.rating_text(step.change.display_after)) for step in ordered],
        [_kind(step) for step in ordered],
        unit=10 ** (2 - board.decimals),
    )


def rank_chart(steps: Sequence[Step], standing: Standing | None, published: Published | None) -> Chart | None:
    """Return the curve of the ranks right after each match and forfeit, and of now; the best is on top."""
    points = [
        (
            step.standing.rank_after,
            _title(step, f"Rank {step.standing.rank_after:,}"),
            _kind(step),
        )
        for step in reversed(steps)
        if step.standing and step.standing.rank_after
    ]
    if standing is not None and published is not None:
        points.append((standing.rank, f"Rank {standing.rank:,} · now · {_moment(published.taken_at)}", "now"))
    return chart(
        [rank for rank, *_ in points], [title for _, title, _ in points], [kind for *_, kind in points], downwards=True
    )


def _kind(step: Step) -> str:
    return step.place.kind if step.place else step.change.outcome or step.change.kind


def _title(step: Step, value: str) -> str:
    when = step.match.ended_at if step.match is not None else step.change.event.happened_at
    place = step.place
    what = f"{ordinal(place.place)} of {place.of}" if place else step.change.outcome or step.change.kind
    return f"{value} · {what} · {_moment(when)}"


def _moment(moment: dt.datetime) -> str:
    return f"{moment:%-d %b %Y %H:%M} UTC"
