"""What a finding rests on, as its page shows it: the matches, and two drawings of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from ranking.admin.base.showing import change_text
from ranking.matches.records import MatchRecord, load_records, with_voids
from ranking.models import Change, Finding, Match
from ranking.svg import BOTTOM, HEIGHT, Axis, dot, frame, line, path_through, round_axis, x_of, y_of

_OUTCOMES = {Change.WIN: "Won", Change.DRAW: "Drawn", Change.LOSS: "Lost", Change.LEFT: "Left"}
_MOST_BARS = 60  # a drawing of more is no longer read bar by bar


@dataclass(frozen=True, slots=True)
class Seat:
    """One of a finding's players in one of its matches; `points` are the team's less the best of the others'."""

    name: str
    outcome: str
    points: float | None
    before: int
    after: int
    left_at: str = ""

    @property
    def step(self) -> str:
        return change_text(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Row:
    """A match of a finding, with its players in the finding's order, None who was no part of it."""

    match: Match
    score: str
    seats: list[Seat | None]


def rows_of(finding: Finding) -> list[Row]:
    """The matches that a finding names, in the order of history: three queries, however many."""
    ids = finding.evidence["matches"]
    matches = with_voids(Match.objects.filter(pk__in=ids, mode=finding.mode_id)).order_by("event_id")
    plays = load_records(matches)
    return [
        Row(play.match, _score(play), [_seat(play, player) for player in finding.players]) for play in plays.values()
    ]


def _score(play: MatchRecord) -> str:
    return " : ".join("–" if said["score"] is None else _number(said["score"]) for said in play.match.teams)


def _number(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _seat(play: MatchRecord, player: Any) -> Seat | None:
    part = next((part for part in play.parts if part.player_id == player.pk), None)
    change = next((change for change in play.changes if change.player_id == player.pk), None)
    if part is None or change is None:
        return None
    scores = [said["score"] for said in play.match.teams]
    others = [score for team, score in enumerate(scores) if team != part.team and score is not None]
    own = scores[part.team]
    points = own - max(others) if own is not None and others else None
    share = None if part.seconds is None or not play.match.duration else part.seconds / play.match.duration
    left_at = f"at {100 * share:.0f} % of it" if part.left_early and share is not None else ""
    return Seat(
        player.name, _OUTCOMES.get(change.outcome, "–"), points, change.display_before, change.display_after, left_at
    )


def drawings(finding: Finding, rows: Sequence[Row]) -> list[tuple[str, str, SafeString]]:
    """Heading, what is seen, and SVG; nothing where there is too little to draw."""
    if len(rows) < 2:
        return []
    drawn = [("Ratings", _legend(finding), _ratings(finding, rows))]
    if any(row.seats[0] and row.seats[0].points is not None for row in rows):
        name = finding.player.name
        said = f"How far {name} was ahead at the end, or behind, match by match."
        drawn.append(("Points", said, _points(name, rows[-_MOST_BARS:])))
    return [(heading, said, mark_safe(svg)) for heading, said, svg in drawn]  # noqa: S308 - numbers, and names escaped


def _legend(finding: Finding) -> str:
    beside = f"; dashed, {finding.other.name}" if finding.other else ""
    return f"{finding.player.name}, after each of these matches{beside}."


def _numbers(rows: Sequence[Row]) -> Axis:
    """One place a match, with the days of the first and the last."""
    last = len(rows)
    words = [f"{row.match.ended_at:%-d %b}" for row in (rows[0], rows[-1])]
    return Axis(0.0, last + 1.0, ((1.0, words[0]), (float(last), words[1])))


def _ratings(finding: Finding, rows: Sequence[Row]) -> str:
    courses = [
        [(number, seat.after / 100) for number, row in enumerate(rows, 1) if (seat := row.seats[index]) is not None]
        for index in range(len(finding.players))
    ]
    values = [rating for course in courses for _, rating in course]
    if not values:
        return ""
    x, y = _numbers(rows), round_axis(min(values), max(values))
    shapes = []
    for kind, course in zip(("plot-line", "plot-line plot-other"), courses, strict=False):
        if course:
            path = path_through((x_of(x, number), y_of(y, rating)) for number, rating in course)
            shapes.append(f'<path class="{kind}" d="{path}"/>')
            shapes.append(dot(x_of(x, course[-1][0]), y_of(y, course[-1][1]), 4, f"{course[-1][1]:,.2f}"))
    own = courses[0]
    said = f"Ratings: {finding.player.name} from {own[0][1]:,.2f} to {own[-1][1]:,.2f}" if own else "Ratings"
    return frame(x, y, shapes, said)


def _points(name: str, rows: Sequence[Row]) -> str:
    bars = [(number, seat) for number, row in enumerate(rows, 1) if (seat := row.seats[0]) and seat.points is not None]
    ends = [seat.points or 0.0 for _, seat in bars]
    x, y = _numbers(rows), round_axis(min(0.0, *ends), max(0.0, *ends))
    zero, width = y_of(y, 0.0), 0.7 * (x_of(x, 1.0) - x_of(x, 0.0))
    shapes = []
    for number, seat in bars:
        points = seat.points or 0.0
        at, top = x_of(x, number) - width / 2, min(zero, y_of(y, points))
        tall = max(1.0, abs(zero - y_of(y, points)))
        kind = "plot-won" if points > 0 else "plot-lost"
        said = f"{seat.outcome}, {_number(points)}"
        shapes.append(
            f'<rect class="{kind}" x="{at:.1f}" y="{top:.1f}" width="{width:.1f}" height="{tall:.1f}">'
            f"<title>{said}</title></rect>"
        )
        if seat.outcome == "Left":
            shapes.append(_cross(x_of(x, number), HEIGHT - BOTTOM - 6))
    shapes.append(line("plot-ideal", x_of(x, 0.0), zero, x_of(x, x.high), zero))
    ahead = sum(value > 0 for value in ends)
    return frame(x, y, shapes, f"Points: {name} was ahead in {ahead} of {len(ends)} matches")


def _cross(x: float, y: float) -> str:
    """Somebody left."""
    return f'<path class="plot-left" d="M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"/>'
