"""How somebody's rating and rank moved, match by match, as curves."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from leaderboards.boards.boards import Board
from leaderboards.boards.published import Published, Standing
from leaderboards.display.curves import Chart, chart
from leaderboards.profiles.history import Step


def rating_chart(steps: Sequence[Step], board: Board) -> Chart | None:
    """The rating after each of these steps, which are newest first; None where the mode doesn't show it."""
    if not board.mode.shows_rating:
        return None
    ordered = list(reversed(steps))
    return chart(
        [step.change.display_after for step in ordered],
        [_title(step, board.rating_text(step.change.display_after)) for step in ordered],
        [step.change.outcome or step.change.kind for step in ordered],
        unit=10 ** (2 - board.decimals),
    )


def rank_chart(steps: Sequence[Step], standing: Standing | None, published: Published | None) -> Chart | None:
    """The rank after each match, as published then, and the one published now; best on top."""
    points = [
        (step.part.rank_after, _title(step, f"Rank {step.part.rank_after:,}"), step.change.outcome)
        for step in reversed(steps)
        if step.part and step.part.rank_after
    ]
    if standing is not None and published is not None:
        points.append((standing.rank, f"Rank {standing.rank:,} · now · {_moment(published.taken_at)}", "now"))
    return chart([p[0] for p in points], [p[1] for p in points], [p[2] for p in points], downwards=True)


def _title(step: Step, value: str) -> str:
    when = step.match.ended_at if step.match is not None else step.change.event.happened_at
    return f"{value} · {step.change.outcome or step.change.kind} · {_moment(when)}"


def _moment(moment: dt.datetime) -> str:
    return f"{moment:%-d %b %Y %H:%M} UTC"
