"""A player's page: the published standing with the live rating beside it, and the history behind it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db.models import BigIntegerField, Exists, OuterRef

from leaderboards.boards.absence import Absence, absence_of, missed, sees_live_rating
from leaderboards.boards.boards import BEGUN, PLAYED_LAST, Board, board_of_rating, ratings_with_boards
from leaderboards.boards.published import Published, Standing, published_with, read_consistently
from leaderboards.boards.tiers import TierPlaces, TierTarget, find_tier_places, find_tier_target
from leaderboards.display.numbers import SAME, Delta, place_text, rating_delta
from leaderboards.display.outcomes import outcome_letter, outcome_title
from leaderboards.profiles._activity import Activity, load_activity
from leaderboards.profiles._rating_curves import Curves, RatingPoint, find_peak, load_points, make_curves
from leaderboards.profiles.companions import Companions, load_companions
from leaderboards.profiles.matches.recent_matches import Recent, load_recent
from leaderboards.profiles.matches.season_statistics import SeasonStatistics, load_season_statistics
from leaderboards.rules.highlights import longest_streak
from ranking.database.prepared_queries import InPlaceholder, PreparedModels, prepare_models
from ranking.models import Change, Mode, Player, Rating, ReadAccess, Season
from ranking.rules.shares import percent_of
from ranking.standings.placement import placement_of

if TYPE_CHECKING:
    from leaderboards.boards.boards import RatingWithBoard

RECENT = 8  # matches on the player's page; all are on a page of their own
FORM = 10
SEASONS = 12  # the latest, which can be chosen


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest rating of the season, after the placement matches, and when it was reached.

    `outdone`: True if a rating before that was higher.
    """

    rating: str
    at: dt.datetime
    outdone: bool


@dataclass(frozen=True, slots=True)
class Result:
    """A match in a player's form: its style, a mark of one character or a place, and the words for it."""

    kind: str
    mark: str
    words: str


@dataclass(frozen=True, slots=True)
class Past:
    """The history behind a standing; hidden from others if the player hides their matches.

    `streak`: the wins in a row up to now, with more than two teams top halves; `longest`: the most of the season.
    `peak`: None if the viewer may not see ratings after matches.
    """

    form: list[Result]
    streak: int
    longest: int
    recent: Recent
    statistics: SeasonStatistics
    companions: Companions
    activity: Activity
    curves: Curves
    peak: Peak | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """What the template shows. `board` is None if the player hasn't played; `past` is None if it is hidden.

    In an unranked mode there are only counts and matches. `live_rating` is empty if the viewer may not see it.
    `tier_target`: the next tier of a season that runs. `tier_places`: those that the player's tier holds.
    """

    player: Player
    ratings: Sequence[Any]
    board: Board | None = None
    rating: Any = None  # a RatingWithBoard
    published: Published | None = None
    standing: Standing | None = None
    published_rating: str = ""
    live_rating: str = ""
    live_change: Delta | None = None
    absence: Absence | None = None
    past: Past | None = None
    tier_target: TierTarget | None = None
    tier_places: TierPlaces | None = None

    @property
    def rank_after_last(self) -> int | None:
        """The rank right after the last match, if others have changed it since."""
        if self.standing is None or self.past is None or not self.past.recent.lines or self.live_change is None:
            return None
        rank = self.past.recent.lines[0].rank
        return rank if self.live_change.direction == SAME and rank != self.standing.rank else None

    @property
    def won_percent(self) -> int | None:
        """The share of matches that were won; whoever left one hasn't won it."""
        return percent_of(self.rating.wins, self.rating.matches)


def find_ratings(*players: Player) -> list[Any]:
    """Return ratings of current seasons, the one played last first, each with its board's snapshot: one query.

    Those that a player brought along are among them, played or not.
    """
    return _current_ratings().objects(players=[player.pk for player in players])


@cache
def _current_ratings() -> PreparedModels[Any]:
    own = Rating.objects.filter(BEGUN, InPlaceholder("player", "players", BigIntegerField()), season__current=True)
    return prepare_models(ratings_with_boards(own).order_by(PLAYED_LAST, "mode__name"))


def find_last_rating(player: Player, slug: str) -> RatingWithBoard | None:
    """Return the newest rating of a season that is over, in the mode asked for or in any; None if there is none."""
    ratings = Rating.objects.filter(BEGUN, player=player, season__current=False)
    ratings = ratings.filter(mode__slug=slug) if slug else ratings
    return ratings_with_boards(ratings).order_by("-season__starts_at", PLAYED_LAST).first()


def find_latest_ranked(player: Player, slug: str) -> RatingWithBoard | None:
    """Return the newest rating in the ranked mode asked for, by default in the one played last; None without one.

    Two queries at most.
    """
    ratings = [rating for rating in find_ratings(player) if rating.mode.ranked]
    latest = choose(ratings, slug) or find_last_rating(player, slug)
    return latest if latest is not None and board_of_rating(latest).mode.ranked else None


def find_ranked_modes(player: Player, shown: Mode) -> list[Mode]:
    """Return the ranked modes that a player has played in any season, by name, and the one that is shown: one query."""
    own = Rating.objects.filter(BEGUN, player=player, mode=OuterRef("pk"))
    modes = list(Mode.objects.filter(Exists(own), ranked=True).order_by("name", "pk"))
    return modes if shown in modes else [*modes, shown]  # it may not be ranked any more


def find_played_seasons(rating: Rating) -> list[Season]:
    """Return the latest SEASONS of the rating's mode that its player has played, the latest first: one query."""
    own = Rating.objects.filter(BEGUN, season=OuterRef("pk"), player=rating.player_id)
    return list(Season.objects.filter(Exists(own), mode=rating.mode_id).order_by("-number")[:SEASONS])


def get_season_rating(player: Player, mode_id: int, number: int) -> RatingWithBoard:
    """Return a player's rating in the season of a mode with this number. Raises Rating.DoesNotExist."""
    ratings = Rating.objects.filter(player=player, mode=mode_id, season__number=number)
    return ratings_with_boards(ratings).get()


def choose(ratings: Sequence[RatingWithBoard], slug: str) -> RatingWithBoard | None:
    """Return the rating of the mode asked for, by default the one played last; None if that mode wasn't played."""
    if not slug:
        return ratings[0] if ratings else None
    return next((rating for rating in ratings if rating.mode.slug == slug), None)


def load_profile(
    player: Player, slug: str, *, access: ReadAccess, stretch: str = "", now: dt.datetime
) -> Profile | None:
    """Return a player's page in a mode, as far as `access` allows; None if they never played the mode.

    `stretch`: the part of the season that charts show, as in leaderboards.profiles._rating_curves.
    """
    return read_consistently(lambda: _load(player, slug, access, stretch, now))


def _load(player: Player, slug: str, access: ReadAccess, stretch: str, now: dt.datetime) -> Profile | None:
    ratings = find_ratings(player)
    rating: RatingWithBoard | None = choose(ratings, slug) or find_last_rating(player, slug)
    if rating is None:
        return None if slug else Profile(player, ratings)
    board = board_of_rating(rating)
    if board.over:
        ratings.append(rating)
        rating.listed = rating.listed and player.hidden_at is None  # in an archive, hidden players are nameless rows
    published = published_with(rating, board.mode) if board.mode.ranked else None
    value: int | None = rating.published_hundredths if rating.listed and published is not None else None
    standing = published.standing(value) if published is not None and value is not None else None
    absence = find_absence(rating, player, board, now) if board.mode.ranked else None
    live = sees_live_rating(absence, player, access)
    seen = player.shows_matches_to(access)
    past = _past(rating, board, standing, published, stretch, access, now, live=live) if seen else None
    if not board.mode.ranked:
        return Profile(player, ratings, board, rating, past=past)
    return Profile(
        player=player,
        ratings=ratings,
        board=board,
        rating=rating,
        published=published,
        standing=standing,
        published_rating="" if value is None else board.rating_text(value),
        live_rating=board.rating_text(rating.display_hundredths) if live else "",
        live_change=None if value is None else rating_delta(value, rating.display_hundredths, board.decimals),
        absence=absence,
        past=past,
        tier_target=_tier_target(board, published, value),
        tier_places=None if published is None or value is None else find_tier_places(published, value),
    )


def _tier_target(board: Board, published: Published | None, value: int | None) -> TierTarget | None:
    """Return the next tier of a listed player; None if the season is over."""
    if board.over or published is None or value is None:
        return None
    return find_tier_target(published, board, value)


def find_absence(rating: RatingWithBoard, player: Player, board: Board, now: dt.datetime) -> Absence | None:
    """Return why the player isn't on the board, whose season may be over: one query at most."""
    if not board.over or player.hidden_at is not None:
        return absence_of(rating, player, board.mode, now)
    return None if rating.listed else missed(rating, board)


def _past(
    rating: RatingWithBoard,
    board: Board,
    standing: Standing | None,
    published: Published | None,
    stretch: str,
    access: ReadAccess,
    now: dt.datetime,
    *,
    live: bool,
) -> Past:
    """Return the history; `live`: True if the viewer may see ratings after matches."""
    mode = board.mode
    points = load_points(rating, mode.generation)
    played = [point for point in points if point.outcome]
    recent = load_recent(board, rating, live=live, most=RECENT)
    streaks = [_continues(point, mode.team_count) for point in played]
    best = find_peak(points, placement_of(rating, mode)) if mode.ranked and mode.shows_rating and live else None
    highest = max((point.rating for point in points), default=0)
    return Past(
        form=[_result(point) for point in played[-FORM:]],
        streak=_running(streaks),
        longest=longest_streak(streaks),
        recent=recent,
        statistics=load_season_statistics(board, rating, recent.reported),
        companions=load_companions(rating, mode.generation, by_place=mode.team_count > 2, access=access),
        activity=load_activity(rating.player_id, mode, now),
        curves=make_curves(points if mode.ranked else [], board, standing, published, stretch, now, best, live=live),
        peak=None if best is None else Peak(board.rating_text(best.rating), best.at, highest > best.rating),
    )


def _result(point: RatingPoint) -> Result:
    placing = point.placing
    if placing is not None:
        return Result(placing.kind, str(placing.place), place_text(placing.place, placing.of))
    outcome = point.outcome
    return Result(outcome, outcome_letter(outcome), outcome_title(outcome))


def _continues(point: RatingPoint, teams: int) -> bool:
    """True if a match goes on with a streak."""
    if teams > 2:
        return point.placing is not None and point.placing.kind == "upper"
    return point.outcome == Change.WIN


def _running(streaks: Sequence[bool]) -> int:
    """The newest True in a row."""
    newest = list(reversed(streaks))
    return newest.index(False) if False in newest else len(newest)
