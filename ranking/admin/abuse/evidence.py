"""The evidence on a finding's page: its matches and two charts of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from ranking.abuse.wording import number_text
from ranking.admin.base.display import change_text
from ranking.matches.records import MatchRecord, load_records, with_voids
from ranking.models import Change, Finding, Match, Player
from ranking.svg import BOTTOM, HEIGHT, Axis, Plot, bar, round_axis

_OUTCOMES = {Change.WIN: "Won", Change.DRAW: "Drawn", Change.LOSS: "Lost", Change.LEFT: "Left"}
_MOST_BARS = 60  # nobody reads a chart of more bars bar by bar


@dataclass(frozen=True, slots=True)
class EvidencePart:
    """A finding's player in one of its matches. `points`: the team's score less the best score of the others."""

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
class EvidenceMatch:
    """A match of a finding. `score`: that of the first player's team comes first.

    `parts`: the finding's players in its order, None for a player who wasn't in the match.
    """

    match: Match
    score: str
    parts: list[EvidencePart | None]


def rows_of(finding: Finding) -> list[EvidenceMatch]:
    """Return the matches that a finding names, in the order of history. It takes three queries for any number."""
    ids = finding.evidence["matches"]
    matches = with_voids(Match.objects.filter(pk__in=ids, mode=finding.mode_id)).order_by("event_id")
    return [
        EvidenceMatch(
            record.match, _score(record, finding.player), [_part_of(record, player) for player in finding.players]
        )
        for record in load_records(matches).values()
    ]


@dataclass(frozen=True, slots=True)
class EvidenceCrash:
    """A match that was never reported: when its server fell silent, and the score then, the player's team first."""

    silent_at: dt.datetime
    lobby: str
    server: str
    score: str


def unreported_rows(finding: Finding) -> list[EvidenceCrash]:
    """Return the matches of a finding that were never reported, in the order of time; most findings have none."""
    losses = zip(finding.evidence.get("unreported", ()), finding.evidence.get("scores", ()), strict=False)
    return [
        EvidenceCrash(
            dt.datetime.fromtimestamp(loss["at"], dt.UTC), loss["lobby"], loss["server"],
            " : ".join(map(number_text, scores)),
        )
        for loss, scores in losses
    ]  # fmt: skip


def _score(record: MatchRecord, player: Player) -> str:
    """The scores of the teams, that of the player's own team first."""
    own = next((part.team for part in record.parts if part.player_id == player.pk), 0)
    scores = [team["score"] for team in record.match.teams]
    return " : ".join(number_text(score) for score in [scores[own], *scores[:own], *scores[own + 1 :]])


def _part_of(record: MatchRecord, player: Any) -> EvidencePart | None:
    part = next((part for part in record.parts if part.player_id == player.pk), None)
    change = next((change for change in record.changes if change.player_id == player.pk), None)
    if part is None or change is None:
        return None
    scores = [team["score"] for team in record.match.teams]
    others = [score for team, score in enumerate(scores) if team != part.team and score is not None]
    own = scores[part.team]
    points = own - max(others) if own is not None and others else None
    share = None if part.seconds is None or not record.match.duration else part.seconds / record.match.duration
    left_at = f"at {100 * share:.0f} % of it" if part.left_early and share is not None else ""
    outcome = _OUTCOMES.get(change.outcome, "–")
    if len(scores) > 2 and change.outcome != Change.LEFT:
        outcome = f"Place {part.place} of {part.places}"
    return EvidencePart(player.name, outcome, points, change.display_before, change.display_after, left_at)


def drawings(finding: Finding, rows: Sequence[EvidenceMatch]) -> list[tuple[str, str, SafeString]]:
    """Return heading, caption and SVG of each chart; no charts if there are fewer than two matches."""
    if len(rows) < 2:
        return []
    figures = [("Ratings", _legend(finding), _ratings_chart(finding, rows))]
    if any(row.parts[0] and row.parts[0].points is not None for row in rows):
        name = finding.player.name
        caption = f"How far {name} was ahead at the end, or behind, match by match."
        figures.append(("Points", caption, _points_chart(name, rows[-_MOST_BARS:])))
    # The charts hold numbers and escaped names only.
    return [(heading, caption, mark_safe(svg)) for heading, caption, svg in figures]  # noqa: S308


def _legend(finding: Finding) -> str:
    beside = f"; dashed, {finding.other.name}" if finding.other else ""
    return f"{finding.player.name}, after each of these matches{beside}."


def _match_axis(rows: Sequence[EvidenceMatch]) -> Axis:
    """Return an axis with one position a match; the first and the last are labelled with their days."""
    last = len(rows)
    words = [f"{row.match.ended_at:%-d %b}" for row in (rows[0], rows[-1])]
    return Axis(0.0, last + 1.0, ((1.0, words[0]), (float(last), words[1])))


def _ratings_chart(finding: Finding, rows: Sequence[EvidenceMatch]) -> str:
    courses = [
        [(number, part.after / 100) for number, row in enumerate(rows, 1) if (part := row.parts[index]) is not None]
        for index in range(len(finding.players))
    ]
    values = [rating for course in courses for _, rating in course]
    if not values:
        return ""
    plot, shapes = Plot(_match_axis(rows), round_axis(min(values), max(values))), []
    for kind, course in zip(("plot-line", "plot-line plot-other"), courses, strict=False):
        if course:
            shapes.append(plot.curve(kind, course, filled=True))
            shapes.append(plot.dot(*course[-1], 4, f"{course[-1][1]:,.2f}"))
    own = courses[0]
    summary = f"Ratings: {finding.player.name} from {own[0][1]:,.2f} to {own[-1][1]:,.2f}" if own else "Ratings"
    return plot.frame(shapes, summary)


def _points_chart(name: str, rows: Sequence[EvidenceMatch]) -> str:
    bars = [(number, part) for number, row in enumerate(rows, 1) if (part := row.parts[0]) and part.points is not None]
    ends = [part.points or 0.0 for _, part in bars]
    plot = Plot(_match_axis(rows), round_axis(min(0.0, *ends), max(0.0, *ends)))
    zero, width = plot.y_of(0.0), 0.7 * (plot.x_of(1.0) - plot.x_of(0.0))
    shapes = []
    for number, part in bars:
        points = part.points or 0.0
        centre, end = plot.x_of(number), plot.y_of(points)
        kind, title = "plot-won" if points > 0 else "plot-lost", f"{part.outcome}, {number_text(points)}"
        shapes.append(bar(kind, centre - width / 2, min(zero, end), width, max(1.0, abs(zero - end)), title))
        if part.outcome == "Left":
            shapes.append(_cross(centre, HEIGHT - BOTTOM - 6))
    shapes.append(plot.across("plot-ideal", 0.0))
    ahead = sum(value > 0 for value in ends)
    return plot.frame(shapes, f"Points: {name} was ahead in {ahead} of {len(ends)} matches")


def _cross(x: float, y: float) -> str:
    """Return the mark of a match that the player left."""
    return f'<path class="plot-left" d="M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"/>'
