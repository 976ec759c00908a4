"""A player's page: the published standing with the live rating beside it, and the history behind it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from leaderboards.boards.absence import MISSED, Absence, absence_of, sees_live_rating
from leaderboards.boards.boards import Board, board_of_rating, ratings_with_boards
from leaderboards.boards.published import Published, Standing, published_with, read_consistently
from leaderboards.display.curves import Chart
from leaderboards.display.numbers import Delta, ordinal, rating_delta
from leaderboards.profiles.activity import Activity, load_activity
from leaderboards.profiles.companions import Companions, load_companions
from leaderboards.profiles.history import Step, counting, find_steps, find_voided
from leaderboards.profiles.rating_curves import rank_chart, rating_chart
from leaderboards.profiles.recent_matches import Recent, load_recent
from ranking.models import Change, Player, Rating, ReadAccess

CURVE = 200  # matches
FORM = 10


@dataclass(frozen=True, slots=True)
class Result:
    """A match in a player's form: its style, a mark of one character or a place, and the words for it."""

    kind: str
    mark: str
    words: str


@dataclass(frozen=True, slots=True)
class Past:
    """The history behind a standing; hidden from others if the player hides their matches."""

    form: list[Result]
    streak: int  # of top halves, if there are more than two teams
    recent: Recent
    companions: Companions
    activity: Activity
    rating_chart: Chart | None = None
    rating_levels: list[str] = field(default_factory=list)
    rank_chart: Chart | None = None
    rank_levels: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Profile:
    """What the template shows. `board` is None if the player hasn't played; `past` is None if it is hidden.

    In an unranked mode there are only counts and matches. `live_rating` is empty if the viewer may not see it.
    """

    player: Player
    ratings: Sequence[Any]
    board: Board | None = None
    rating: Any = None
    published: Published | None = None
    standing: Standing | None = None
    published_rating: str = ""
    live_rating: str = ""
    live_change: Delta | None = None
    absence: Absence | None = None
    past: Past | None = None

    @property
    def won_percent(self) -> int | None:
        """The share of completed matches that were won; None if none was completed."""
        return round(100 * self.rating.wins / self.rating.completed) if self.rating.completed else None


def find_ratings(*players: Player) -> list[Any]:
    """Return ratings of current seasons, the one played last first, each with its board's snapshot: one query."""
    ratings = Rating.objects.filter(player__in=players, season__current=True, last_match_at__isnull=False)
    return list(ratings_with_boards(ratings).order_by("-last_match_at", "mode__name"))


def find_last_rating(player: Player, slug: str) -> Any | None:
    """Return the newest rating of a season that is over, in the mode asked for or in any; None if there is none."""
    ratings = Rating.objects.filter(player=player, season__current=False, last_match_at__isnull=False)
    ratings = ratings.filter(mode__slug=slug) if slug else ratings
    return ratings_with_boards(ratings).order_by("-season__starts_at", "-last_match_at").first()


def choose(ratings: Sequence[Any], slug: str) -> Any | None:
    """Return the rating of the mode asked for, by default the one played last; None if that mode wasn't played."""
    if not slug:
        return ratings[0] if ratings else None
    return next((rating for rating in ratings if rating.mode.slug == slug), None)


def load_profile(
    player: Player, slug: str, *, access: ReadAccess, before: int | None, now: dt.datetime
) -> Profile | None:
    """Return a player's page in a mode, as far as `access` allows; None if they never played the mode."""
    return read_consistently(lambda: _load(player, slug, access, before, now))


def _load(player: Player, slug: str, access: ReadAccess, before: int | None, now: dt.datetime) -> Profile | None:
    ratings = find_ratings(player)
    rating = choose(ratings, slug) or find_last_rating(player, slug)
    if rating is None:
        return None if slug else Profile(player, ratings)
    board = board_of_rating(rating)
    if board.over:
        ratings.append(rating)
        rating.listed = rating.listed and player.hidden_at is None  # in an archive, hidden players are nameless rows
    published = published_with(rating, board.mode) if board.mode.ranked else None
    value: int | None = rating.published_hundredths if rating.listed and published is not None else None
    standing = published.standing(value) if published is not None and value is not None else None
    absence = _absence(rating, player, board, now) if board.mode.ranked else None
    live = sees_live_rating(absence, player, access)
    seen = player.shows_matches_to(access)
    past = _past(rating, board, standing, published, before, access, now, live=live) if seen else None
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
    )


def _absence(rating: Any, player: Player, board: Board, now: dt.datetime) -> Absence | None:
    """Return why the player isn't on the board, whose season may be over."""
    if not board.over or player.hidden_at is not None:
        return absence_of(rating, player, board.mode, now)
    return None if rating.listed else MISSED


def _past(
    rating: Any,
    board: Board,
    standing: Standing | None,
    published: Published | None,
    before: int | None,
    access: ReadAccess,
    now: dt.datetime,
    *,
    live: bool,
) -> Past:
    """Return the history; `live`: True if the viewer may see ratings after matches."""
    mode = board.mode
    every, voided = find_steps(rating, mode.generation, most=CURVE), find_voided(rating, most=CURVE)
    steps = counting(every, voided)
    curve = rating_chart(steps, board) if mode.ranked and live else None
    ranks = rank_chart(steps, standing, published) if mode.ranked else None
    return Past(
        form=[_result(step) for step in steps[:FORM] if step.change.outcome][::-1],
        streak=_streak(steps),
        recent=load_recent(board, rating, before=before, known=every, voided=voided, live=live),
        companions=load_companions(rating, mode.generation, by_place=mode.team_count > 2, access=access),
        activity=load_activity(rating.player_id, mode, now),
        rating_chart=curve,
        rating_levels=[board.rating_text(level) for level in curve.levels] if curve else [],
        rank_chart=ranks,
        rank_levels=[f"{level:,}" if level else "\u2007" for level in ranks.levels] if ranks else [],
    )


def _result(step: Step) -> Result:
    if step.place is not None:
        words = f"{ordinal(step.place.place)} of {step.place.of}"
        return Result(step.place.kind, str(step.place.place), words)
    outcome = step.change.outcome
    return Result(outcome, "–" if outcome == Change.LEFT else outcome[0].upper(), outcome)


def _streak(steps: Sequence[Step]) -> int:
    """The newest matches in a row that ended in the top half of more than two places, of those given."""
    results = [step.place is not None and step.place.kind == "upper" for step in steps if step.change.outcome]
    return results.index(False) if False in results else len(results)
