"""The ranked modes that the viewer plays: where they stand in each, and their rivals in the one played last."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat

from leaderboards.boards.absence import Absence, absence_of
from leaderboards.boards.boards import BEGUN, PLAYED_LAST, Board, board_of_rating, ratings_with_boards
from leaderboards.boards.last_changes import FORM, JoinedColumn
from leaderboards.boards.own import Target, Threat, find_target, find_threat
from leaderboards.boards.positions import Cursor
from leaderboards.boards.published import Published, Standing, published_with, read_consistently
from leaderboards.boards.rows import BoardPlayer, value_before
from leaderboards.boards.tiers import TierTarget, find_tier_target
from leaderboards.boards.windows import neighbours_of
from leaderboards.display.numbers import Delta, ordinal, rating_delta
from leaderboards.display.outcomes import outcome_letter
from ranking.database.microseconds import microseconds_of
from ranking.database.prepared_queries import Placeholder, PreparedModels, prepare_models
from ranking.models import Change, Participation, Player, Rating, Season
from ranking.rules.places import is_top_half

EACH_WAY = 2


@dataclass(frozen=True, slots=True)
class Rival:
    """A row near the viewer's."""

    player: BoardPlayer
    rank: int
    rating: str
    own: bool


@dataclass(frozen=True, slots=True)
class FormMark:
    """A match: the class of its style, and its mark: a letter, or a place."""

    kind: str
    mark: str


class OwnStanding(NamedTuple):
    """Where the viewer stands in a mode; `absence` says why there is no standing."""

    board: Board
    rating: str
    standing: Standing | None
    absence: Absence | None


@dataclass(frozen=True, slots=True)
class OwnMode:
    """`absence` says why there is no standing. `target`: the next rank above, None at the top; `threat`: who follows;
    `tier_target`: the next tier. `change`: of the published rating since the day began, None if the mode hides ratings
    or there was none.
    """

    board: Board
    rating: str
    standing: Standing | None
    absence: Absence | None
    form: list[FormMark]
    target: Target | None = None
    tier_target: TierTarget | None = None
    change: Delta | None = None
    threat: Threat | None = None
    rivals: list[Rival] = field(default_factory=list)

    @property
    def rival_players(self) -> list[BoardPlayer]:
        return [rival.player for rival in self.rivals]

    @property
    def ends_at(self) -> dt.datetime | None:
        """When the running season ends; None if no end is set, or if it has come."""
        season = self.board.season
        return season.ends_at if season.state == Season.RUNNING else None


def find_own_modes(viewer: Player, now: dt.datetime) -> list[OwnMode]:
    """Return the viewer's ranked modes, the one played last first.

    One query; two for rivals; one for bans if the viewer isn't listed somewhere. Raise Superseded.
    """
    ratings = [rating for rating in _ratings().objects(player=viewer.pk) if rating.mode.ranked]
    return [_own_mode(rating, viewer, now, rivals=number == 0) for number, rating in enumerate(ratings)]


def find_standings(viewer: Player, now: dt.datetime) -> dict[int, OwnStanding]:
    """Return where the viewer stands in the ranked modes they play, by the mode's id: one query, and one for bans."""
    own = ratings_with_boards(_own_ratings(viewer.pk).filter(mode__ranked=True))
    return read_consistently(lambda: {rating.mode_id: _own_standing(rating, viewer, now) for rating in own.all()})


def _own_ratings(player: Any) -> QuerySet[Rating]:
    """`player`: an id, or its placeholder."""
    return Rating.objects.filter(BEGUN, player=player, season__current=True)


@cache
def _ratings() -> PreparedModels[Any]:
    own: QuerySet[Any, Any] = _own_ratings(Placeholder("player", BigIntegerField()))
    part = Participation.objects.filter(match=OuterRef("match"), player=OuterRef("player"), place__isnull=False)
    placing = Concat(Cast("place", TextField()), Value("/", TextField()), Cast("places", TextField()))
    place = part.annotate(placing=placing).values("placing")[:1]
    changes = Change.objects.live(OuterRef("mode__generation")).filter(
        player=OuterRef("player"), mode=OuterRef("mode"), season=OuterRef("season"), match__isnull=False
    )
    last = changes.order_by("-event")[:FORM]
    own = own.annotate(outcomes=JoinedColumn(last, "outcome"))
    own = own.annotate(places=JoinedColumn(changes.annotate(place=Subquery(place)).order_by("-event")[:FORM], "place"))
    return prepare_models(ratings_with_boards(own).order_by(PLAYED_LAST, "mode__name"))


def _own_standing(rating: Any, viewer: Player, now: dt.datetime) -> OwnStanding:
    board = board_of_rating(rating)
    published, value = published_with(rating, board.mode), rating.published_hundredths
    if not rating.listed or published is None or value is None:
        absence = absence_of(rating, viewer, board.mode, now)
        return OwnStanding(board, board.rating_text(rating.display_hundredths), None, absence)
    return OwnStanding(board, board.rating_text(value), published.standing(value), None)


def _own_mode(rating: Any, viewer: Player, now: dt.datetime, *, rivals: bool) -> OwnMode:
    own = _own_standing(rating, viewer, now)
    board, value, form = own.board, rating.published_hundredths, _form(rating, own.board)
    published = published_with(rating, board.mode)
    if own.standing is None or published is None:
        return OwnMode(*own, form)
    before = value_before(rating.listed, value, rating.published_on, rating.published_day_ago, board.mode.day_of(now))
    return OwnMode(
        *own,
        form=form,
        target=find_target(board, published.ranks, value),
        threat=find_threat(board, published.ranks, value),
        tier_target=find_tier_target(published, board, value),
        change=None if before is None or not board.mode.shows_rating else rating_delta(before, value, board.decimals),
        rivals=_rivals(rating, board, published, viewer) if rivals else [],
    )


def _form(rating: Any, board: Board) -> list[FormMark]:
    """Return the last matches, oldest first: outcomes, or places if there are more than two teams."""
    outcomes = rating.outcomes.split(",") if rating.outcomes else []
    if board.mode.team_count == 2:
        marks = [FormMark(outcome, outcome_letter(outcome)) for outcome in outcomes]
        return marks[::-1]
    placings = [placing.split("/") for placing in (rating.places or "").split(",") if placing]
    places = [(int(place), int(teams)) for place, teams in reversed(placings)]
    return [FormMark("upper" if is_top_half(*place) else "lower", ordinal(place[0])) for place in places]


def _rivals(rating: Any, board: Board, published: Published, viewer: Player) -> list[Rival]:
    value = rating.published_hundredths
    cursor = Cursor(-value, microseconds_of(rating.published_reached_at), rating.pk)
    above, below = neighbours_of(board, cursor, published.snapshot_id, EACH_WAY, EACH_WAY)
    rows: list[tuple[BoardPlayer, int]] = [(row.player, row.published_hundredths) for row in (*reversed(above), *below)]
    rows.insert(len(above), (viewer, value))
    return [
        Rival(player, published.ranks.rank_of(hundredths), board.rating_text(hundredths), player is viewer)
        for player, hundredths in rows
    ]
