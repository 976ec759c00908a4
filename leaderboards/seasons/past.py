"""The archived seasons of a player in a mode, newest first: where they ended, their best season, and their medals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Exists, Q

from leaderboards.boards.boards import BEGUN, Board, board_of_rating, ratings_with_boards
from leaderboards.boards.published import Standing, Superseded, published_with, read_consistently, standing_in
from leaderboards.boards.rows import published_value
from leaderboards.display.medals import Medal, medal_of, medals_of
from ranking.models import Mode, Player, Rating, ReadAccess, Snapshot
from ranking.seasons.strikes import strike_in_force
from ranking.standings.snapshots import FinalPlace, final_standings

if TYPE_CHECKING:
    from leaderboards.boards.boards import RatingWithBoard

SEASONS = 50  # the newest are read, so that a page costs the same however many somebody has played


@dataclass(frozen=True, slots=True)
class SeasonResult:
    """Where a player ended a season, or stands in the one that runs.

    Without `standing` and `rating_text` if they aren't on its board.
    """

    board: Board
    rating: RatingWithBoard
    standing: Standing | None
    rating_text: str

    @property
    def struck(self) -> bool:
        """True if a moderator struck the player from the season: the rank stays, without a medal."""
        return bool(getattr(self.rating, "struck", False))  # nobody is struck from a season that runs

    @property
    def medal(self) -> int | None:
        """The rank, if it won a medal; only an archived season has some."""
        return medal_of(self.standing and self.standing.rank, struck=self.struck) if self.board.over else None


@dataclass(frozen=True, slots=True)
class PastSeasons:
    """A player's archived seasons, newest first; `limit`: only so many of the newest are read, None if all are."""

    lines: Sequence[SeasonResult] = ()
    limit: int | None = None

    @property
    def before(self) -> int | None:
        """The number before which the next page begins; None if all are read."""
        return self.lines[-1].board.season.number if self.limit is not None and self.lines else None

    @property
    def best(self) -> SeasonResult | None:
        """The season with the best rank, then with the most players, then the newest; never one that was struck."""
        counted = [line for line in self.lines if not line.struck]
        ranked = [(line.standing.rank, -line.standing.listed, line) for line in counted if line.standing]
        return min(ranked, key=lambda each: each[:2])[2] if ranked else None

    @property
    def medals(self) -> list[Medal]:
        return medals_of([(line.medal, line.board.season.local_name) for line in self.lines])


def load_past_seasons(player: Player, mode: Mode, access: ReadAccess, *, before: int | None = None) -> PastSeasons:
    """Return a player's archived seasons in a mode; none of a hidden player, but for themselves and moderators.

    `before`: only seasons with a lower number. One query; one more the first time, for the final rank tables.
    """
    wanted = Q(mode=mode) if before is None else Q(mode=mode, season__number__lt=before)
    return _load_visible(player, access, wanted)


def load_past_seasons_of_all(player: Player, access: ReadAccess, *, without: Mode | None = None) -> PastSeasons:
    """Return a player's archived seasons in all modes, or in all but one, the last to end first: as many queries."""
    return _load_visible(player, access, Q() if without is None else ~Q(mode=without))


def load_results(player: Player, mode: Mode, access: ReadAccess, *, before: int | None = None) -> list[SeasonResult]:
    """Return a player's seasons in a mode, also that which runs, newest first; `before` as in `load_past_seasons`.

    A query more than `load_past_seasons`.
    """
    past = load_past_seasons(player, mode, access, before=before).lines
    if before is not None or not shows_seasons_to(player, access):
        return list(past)
    current = Rating.objects.filter(BEGUN, player=player, mode=mode, season__current=True)
    return [*read_consistently(lambda: [running_result(each) for each in ratings_with_boards(current)]), *past]


def running_result(rating: RatingWithBoard) -> SeasonResult:
    """Return where a player stands in a season that runs; `rating`: as `find_ratings` reads it. Raise Superseded."""
    board = board_of_rating(rating)
    published = published_with(rating, board.mode) if rating.listed else None
    if published is None:
        return SeasonResult(board, rating, None, "")
    value = published_value(rating)
    return SeasonResult(board, rating, published.standing(value), board.rating_text(value))


def shows_seasons_to(player: Player, access: ReadAccess) -> bool:
    """True unless the player is hidden; they themselves and moderators see their seasons all the same."""
    return player.hidden_at is None or access.everything or access.player_id == player.pk


def _load_visible(player: Player, access: ReadAccess, wanted: Q) -> PastSeasons:
    return read_consistently(lambda: _load(player, wanted)) if shows_seasons_to(player, access) else PastSeasons()


def _load(player: Player, wanted: Q) -> PastSeasons:
    played = Rating.objects.filter(BEGUN, wanted, player=player, season__current=False)
    rows = ratings_with_boards(played.annotate(struck=Exists(strike_in_force())))
    ratings = list(rows.order_by("-season__ends_at", "mode__name", "-season__number")[: SEASONS + 1])
    boards = [(rating, board_of_rating(rating)) for rating in ratings[:SEASONS]]
    ranked = [(rating, board) for rating, board in boards if board.mode.ranked]
    standings = _standings(ranked)
    lines = [
        SeasonResult(board, rating, standing, "" if standing is None else board.rating_text(published_value(rating)))
        for rating, board in ranked
        for standing in [standings.get(rating.pk)]
    ]
    return PastSeasons(lines, SEASONS if len(ratings) > SEASONS else None)


def _standings(ranked: Sequence[tuple[Any, Board]]) -> dict[int, Standing]:
    """Return the final standings of the listed ratings by the ids of these; raise Superseded."""
    listed = [(rating, board) for rating, board in ranked if rating.listed and rating.snapshot_id is not None]
    if not listed:
        return {}
    places = tuple(
        FinalPlace(rating.snapshot_id, rating.snapshot_taken_at, published_value(rating)) for rating, _ in listed
    )
    try:
        found = final_standings(places)
    except Snapshot.DoesNotExist as error:
        raise Superseded from error
    return {
        rating.pk: standing_in(board.mode, board.mode.ladder, each.rank, each.percentile, each.listed)
        for (rating, board), each in zip(listed, found, strict=True)
    }
