"""Charts of a player's rating and rank over a stretch of the season, match by match, with their table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q
from django.db.models.functions import Coalesce

from leaderboards.boards.boards import Board
from leaderboards.boards.distribution import tier_starts
from leaderboards.boards.published import Published, Standing
from leaderboards.display.curves import BandStart, Chart, chart
from leaderboards.display.numbers import place_text
from leaderboards.display.outcomes import outcome_word
from leaderboards.profiles.matches.history import Placing
from leaderboards.profiles.rating_line import rank_levels, rank_text
from leaderboards.rules.highlights import since_placement, thinned
from ranking.models import Change, Rating, Void
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext, gettext_noop

MATCHES = 1_000  # the newest are read, so that a page costs the same however many somebody has played
POINTS = 80  # drawn at most
SEASON = "season"
STRETCHES: dict[str, tuple[str, dt.timedelta | None]] = {
    "7": (gettext_noop("7 days"), dt.timedelta(days=7)),
    "30": (gettext_noop("30 days"), dt.timedelta(days=30)),
    SEASON: (gettext_noop("Season"), None),
}


class RatingPoint(NamedTuple):
    """A change of the rating, in hundredths, and the rank right after it."""

    event_id: int
    kind: str
    outcome: str
    rating: int
    rank: int | None
    at: dt.datetime
    place: int | None
    places: int | None
    brief: bool | None = False  # a match that doesn't help to place the player

    @property
    def placing(self) -> Placing | None:
        """The place in a match of more than two teams; None if the player left."""
        if self.place is None or self.places is None or self.places <= 2 or self.outcome == Change.LEFT:
            return None
        return Placing(self.place, self.places)

    @property
    def result(self) -> str:
        """The result in a word: "Won", "Left"; "3rd of 8" if there were more than two teams."""
        if self.placing is not None:
            return place_text(self.place or 0, self.places or 0)
        return outcome_word(self.outcome or self.kind)


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A row of the table: what both charts show at one point; empty if a chart has no such point."""

    at: dt.datetime
    result: str
    rating: str
    rank: str


@dataclass(frozen=True, slots=True)
class Curves:
    """The charts of a stretch, None for fewer than two points, and what both show as rows, oldest first.

    `thinned_from`: how many points there were, if more than are drawn. `hidden`: there are matches, and the viewer may
    see neither the ratings nor ranks after them.
    """

    stretch: str
    rating: Chart | None = None
    rating_levels: list[str] = field(default_factory=list)
    rank: Chart | None = None
    rank_levels: list[str] = field(default_factory=list)
    rows: list[CurveRow] = field(default_factory=list)
    thinned_from: int | None = None
    hidden: bool = False

    @property
    def stretches(self) -> list[tuple[str, str]]:
        """The keys and names of the stretches that can be chosen."""
        return [(key, name) for key, (name, _) in STRETCHES.items()]


def load_points(rating: Rating, generation: int) -> list[RatingPoint]:
    """Return the newest MATCHES changes of a rating without those of void matches, oldest first: one query."""
    live = Change.objects.live(generation)
    void = Void.objects.filter(match=OuterRef("match"), lifted_at=None)
    changes = live.filter(~Exists(void), player=rating.player_id, mode=rating.mode_id, season=rating.season_id)
    mine = FilteredRelation("match__participations", condition=Q(match__participations__player=rating.player_id))
    rows = changes.annotate(mine=mine).order_by("-event").values_list(
        "event_id", "kind", "outcome", "display_after", Coalesce("mine__rank_after", "event__forfeit__rank_after"),
        Coalesce("match__ended_at", "event__happened_at"), F("mine__place"), F("mine__places"), F("mine__brief"),
    )  # fmt: skip
    return [RatingPoint(*row) for row in rows[:MATCHES]][::-1]


def find_peak(points: Sequence[RatingPoint], placement: int) -> RatingPoint | None:
    """Return the match after which the rating was highest, from the one on that placed the player; None without one."""
    matches = [point for point in points if point.kind == Change.MATCH]
    placed = since_placement(matches, 0 if len(points) == MATCHES else placement)
    return max(placed, key=lambda point: point.rating, default=None)


def make_curves(
    points: Sequence[RatingPoint],
    board: Board,
    standing: Standing | None,
    published: Published | None,
    stretch: str,
    now: dt.datetime,
    best: RatingPoint | None = None,
    *,
    live: bool,
) -> Curves:
    """Return the charts of a stretch. `best`: the point that is marked. `live`: the viewer may see ratings after
    matches.
    """
    stretch = stretch if stretch in STRETCHES else SEASON
    length = STRETCHES[stretch][1]
    within = [point for point in points if length is None or point.at >= now - length]
    drawn = thinned(within, POINTS)
    if live and len(drawn) < len(within):
        highest = max(within, key=lambda point: point.rating)
        drawn = sorted(
            {*drawn, highest, *(point for point in within if point == best)}, key=lambda point: point.event_id
        )
    shows_rating = live and board.mode.shows_rating
    rows = [
        CurveRow(
            point.at,
            point.result,
            board.rating_text(point.rating) if shows_rating else "",
            rank_text(point.rank),
        )
        for point in drawn
    ]
    ranks = [(index, point.rank) for index, point in enumerate(drawn) if point.rank]
    if standing is not None and published is not None and ranks:
        ranks.append((len(rows), standing.rank))
        rows.append(CurveRow(published.taken_at, gettext("Now"), "", rank_text(standing.rank)))
    days = [date_text(board.mode.day_of(row.at), "day") for row in rows]
    ratings = [(index, point.rating) for index, point in enumerate(drawn)] if shows_rating else []
    rating = chart([ratings], days, unit=10 ** (2 - board.decimals), bands=_bands(board, published))
    if rating is not None:
        rating = rating.marking(drawn.index(best) if best in drawn else None)
    rank = chart([ranks], days, downwards=True)
    return Curves(
        stretch=stretch,
        rating=rating,
        rating_levels=[board.rating_text(level) for level in rating.levels] if rating else [],
        rank=rank,
        rank_levels=rank_levels(rank) if rank else [],
        rows=rows if rating or rank else [],
        thinned_from=len(within) if len(drawn) < len(within) else None,
        hidden=len(within) > 1 and not (ratings or ranks),
    )


def _bands(board: Board, published: Published | None) -> list[BandStart]:
    """Where the tiers begin on the board now; none if it gives no tiers."""
    if published is None or not published.gives_tiers:
        return []
    starts = tier_starts(board.mode, published.table)
    return [BandStart(start.name, start.colour, start.value) for start in starts]
