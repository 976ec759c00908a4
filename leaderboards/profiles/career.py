"""A player's career in a mode: best rank and rating ever, their seasons, and how they fare when and against whom.

Only the newest MATCHES rated matches count, over all seasons, so that the cost is the same however long somebody has
played.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q

from leaderboards.boards.absence import sees_live_rating
from leaderboards.boards.boards import BEGUN, Board, board_of_rating, ratings_with_boards, system_of_rating
from leaderboards.boards.published import read_consistently
from leaderboards.profiles.profiles import choose, find_absence, find_last_rating, find_ranked_modes, find_ratings
from leaderboards.profiles.rating_line import RatedPoint, RatingLine, draw_ratings
from leaderboards.rules.highlights import LEFT, WIN, since_placement, thinned
from leaderboards.seasons.past import (
    PastSeasons,
    SeasonResult,
    load_past_seasons,
    load_past_seasons_of_all,
    running_result,
    shows_seasons_to,
)
from ranking.models import Change, Mode, Player, Rating, ReadAccess, Season, Void
from ranking.rules.shares import percent_of
from ranking.seasons.strikes import strike_in_force
from ranking.standings.placement import placement_of
from ranking.wording.dates import date_text
from ranking.wording.translation import gettext, gettext_noop, number_text

if TYPE_CHECKING:
    from leaderboards.boards.boards import RatingWithBoard

MATCHES = 10_000
CURVE = 160  # points
EVEN = 0.05  # a side is even if its chance is within so much of one half
_HOURS = (gettext_noop("Night, 0 to 6"), gettext_noop("Morning, 6 to 12"), gettext_noop("Afternoon, 12 to 18"),
          gettext_noop("Evening, 18 to 24"))  # fmt: skip
_OPPONENTS = (gettext_noop("Against stronger sides"), gettext_noop("Against even sides"),
              gettext_noop("Against weaker sides"))  # fmt: skip
_COMPANY = (gettext_noop("Alone"), gettext_noop("In a party"))


class CareerMatch(NamedTuple):
    """A rated match of the player; `after` in hundredths, `chance` of their team before it, `rank` right after it."""

    season: int
    match_id: int
    outcome: str
    after: int
    chance: float | None
    rank: int | None
    started_at: dt.datetime | None
    ended_at: dt.datetime
    place: int | None
    places: int | None
    brief: bool | None
    party: str

    @property
    def by_place(self) -> bool:
        return self.places is not None and self.places > 2

    @property
    def won(self) -> bool:
        """True for a win, and for a place in the top half among more than two teams."""
        if self.by_place:
            return self.outcome != LEFT and 2 * (self.place or 0) <= (self.places or 0)
        return self.outcome == WIN


@dataclass(frozen=True, slots=True)
class Best:
    """The best rating or rank of a career, and the match right after which it was reached."""

    text: str
    match_id: int
    when: dt.datetime
    season: Season


@dataclass(frozen=True, slots=True)
class Insight:
    """How the player fared in some of their matches. `expected`: the win rate by the chances before them, in per cent.

    None if no chance is known, or if the seasons of these matches show no ratings.
    """

    name: str
    matches: int
    won: int
    drawn: int
    expected: int | None

    @property
    def won_percent(self) -> int | None:
        return percent_of(self.won, self.matches)


@dataclass(frozen=True, slots=True)
class Insights:
    """`kinds`: tables with their titles; only those in which at least two rows have matches."""

    kinds: Sequence[tuple[str, Sequence[Insight]]]
    zone: str
    by_place: bool

    @property
    def shows_expected(self) -> bool:
        return any(row.expected is not None for _, rows in self.kinds for row in rows)


@dataclass(frozen=True, slots=True)
class Career:
    """What the page shows. `insights` is None if the player keeps their matches to themselves, or has none.

    `modes`: those that have a career of the player. `running`: where they stand in the season that runs; None if they
    haven't played it. `elsewhere`: their seasons in other modes, those that run first. `curve`: the rating over all
    seasons that are compared. `since`: when their first match ended. `limit`: only so many of the newest matches count;
    None if all do. `rescaled`: ratings of some seasons aren't compared, because another system rated them.
    """

    player: Player
    modes: Sequence[Mode]
    board: Board
    seasons: PastSeasons
    running: SeasonResult | None = None
    elsewhere: Sequence[SeasonResult] = ()
    matches: int = 0
    won_percent: int | None = None
    since: dt.datetime | None = None
    rating: Best | None = None
    rank: Best | None = None
    curve: RatingLine | None = None
    insights: Insights | None = None
    hidden: bool = False
    limit: int | None = None
    rescaled: bool = False

    @property
    def lines(self) -> list[SeasonResult]:
        """The seasons in the mode, the newest first."""
        return [*([self.running] if self.running else []), *self.seasons.lines]

    @property
    def best(self) -> SeasonResult | None:
        """The archived season with the best rank, else the one that runs if the player is on its board."""
        return self.seasons.best or (self.running if self.running and self.running.standing else None)


class _PlayedSeason(NamedTuple):
    """The player's rating in a season of the mode, and the season's board, with the settings that it had at its end."""

    rating: Any
    board: Board


def load_career(player: Player, slug: str, *, access: ReadAccess, now: dt.datetime) -> Career | None:
    """Return a player's career in a ranked mode; None if they never played it. Twelve queries at most, one more for
    each rank table that isn't cached.

    An archived season is judged by the settings that it had at its end.
    """
    ratings, running = read_consistently(lambda: _read_running(player, access))
    latest = choose(ratings, slug) or find_last_rating(player, slug)
    if latest is None or not (board := board_of_rating(latest)).mode.ranked:
        return None
    past = load_past_seasons(player, board.mode, access)
    own, others = (
        [line for line in running if (line.rating.mode_id == latest.mode_id) == wanted] for wanted in (True, False)
    )
    career = Career(
        player, find_ranked_modes(player, board.mode), board, past, own[0] if own else None,
        [*others, *load_past_seasons_of_all(player, access, without=board.mode).lines],
    )  # fmt: skip
    if not player.shows_matches_to(access):
        return replace(career, hidden=True)
    read = _read_matches(latest)
    seasons = _read_seasons(latest, {match.season for match in read})
    played = [match for match in read if match.season in seasons]
    placed, ranked = _find_compared(latest, seasons, played, player, access, now)
    peak = max(placed, key=lambda match: match.after, default=None)
    best = min(ranked, key=lambda match: match.rank or 0, default=None)
    return replace(
        career,
        matches=len(played),
        since=played[0].ended_at if played and len(read) < MATCHES else None,
        won_percent=percent_of(sum(match.won for match in played), len(played)),
        rating=None if peak is None else _best(seasons[peak.season].board.rating_text(peak.after), peak, seasons),
        rank=None if best is None else _best(f"#{number_text(best.rank or 0)}", best, seasons),
        curve=None if peak is None else _curve(placed, peak, seasons, board),
        insights=_insights(board, seasons, played) if played else None,
        limit=MATCHES if len(read) == MATCHES else None,
        rescaled=any(system_of_rating(season.rating) != system_of_rating(latest) for season in seasons.values()),
    )


def load_season_results(player: Player, access: ReadAccess) -> list[SeasonResult]:
    """Return where a player stands in the ranked seasons that run, and where they ended others, of all modes."""
    _, running = read_consistently(lambda: _read_running(player, access))
    return [*running, *load_past_seasons_of_all(player, access).lines]


def _read_running(player: Player, access: ReadAccess) -> tuple[list[Any], list[SeasonResult]]:
    """Return the player's ratings in ranked modes' current seasons, and where they stand if the viewer may know.

    Raise Superseded.
    """
    ratings = [rating for rating in find_ratings(player) if rating.mode.ranked]
    return ratings, [running_result(rating) for rating in ratings] if shows_seasons_to(player, access) else []


def _read_matches(rating: Rating) -> list[CareerMatch]:
    """Return the newest MATCHES rated matches in a rating's mode, without void ones, oldest first: one query."""
    changes = Change.objects.live(rating.mode.generation).filter(
        player=rating.player_id, mode=rating.mode_id, kind=Change.MATCH
    )
    mine = FilteredRelation("match__participations", condition=Q(match__participations__player=rating.player_id))
    void = Void.objects.filter(match=OuterRef("match"), lifted_at=None)
    part = {"rank": F("mine__rank_after"), "place": F("mine__place"), "places": F("mine__places"),
            "brief": F("mine__brief"), "party": F("mine__party")}  # fmt: skip
    rows = changes.filter(~Exists(void)).annotate(mine=mine).annotate(**part).order_by("-event")
    columns = (
        "season", "match", "outcome", "display_after", "win_probability", "rank", "match__started_at",
        "match__ended_at", "place", "places", "brief", "party",
    )  # fmt: skip
    return [CareerMatch(*row) for row in rows.values_list(*columns)[:MATCHES]][::-1]


def _read_seasons(latest: Rating, seasons: Collection[int]) -> dict[int, _PlayedSeason]:
    """Return those of these seasons in which the mode was ranked, by id: one query."""
    own = Rating.objects.filter(BEGUN, player=latest.player_id, mode=latest.mode_id, season__in=seasons)
    rows = ratings_with_boards(own.annotate(struck=Exists(strike_in_force())))
    played = {rating.season_id: _PlayedSeason(rating, board_of_rating(rating)) for rating in rows}
    return {pk: season for pk, season in played.items() if season.board.mode.ranked}


def _find_compared(
    latest: RatingWithBoard,
    seasons: Mapping[int, _PlayedSeason],
    played: Sequence[CareerMatch],
    player: Player,
    access: ReadAccess,
    now: dt.datetime,
) -> tuple[list[CareerMatch], list[CareerMatch]]:
    """The matches whose ratings are compared, and those whose ranks are, oldest first: one query at most.

    A season counts if the viewer may see the player's rating in it, and if the player isn't struck from it. Ratings
    count from the match on that placed the player, if the season shows them, and if the system rated it that rates the
    latest one.
    """
    by_season: dict[int, list[CareerMatch]] = {}
    for match in played:
        by_season.setdefault(match.season, []).append(match)
    placed: list[CareerMatch] = []
    ranked: list[CareerMatch] = []
    for pk, matches in by_season.items():
        rating, board = seasons[pk]
        if rating.struck or not _sees_rating(rating, player, board, access, now):
            continue
        if board.mode.shows_rating and system_of_rating(rating) == system_of_rating(latest):
            placed += since_placement(matches, placement_of(rating, board.mode))
        ranked += [match for match in matches if match.rank is not None]
    return placed, ranked


def _curve(
    placed: Sequence[CareerMatch], peak: CareerMatch, seasons: Mapping[int, _PlayedSeason], board: Board
) -> RatingLine | None:
    """The chart of these matches, of CURVE of them and the peak; None for fewer than two."""
    chosen = [placed[index] for index in sorted({*thinned(range(len(placed)), CURVE), placed.index(peak)})]
    names = [seasons[match.season].board.season.local_name for match in chosen]
    days = [date_text(board.mode.day_of(match.ended_at), "day") for match in chosen]
    points = [RatedPoint(match.ended_at, name, match.after) for match, name in zip(chosen, names, strict=True)]
    return draw_ratings(points, names if len({match.season for match in chosen}) > 1 else days, board)


def _sees_rating(rating: Any, player: Player, board: Board, access: ReadAccess, now: dt.datetime) -> bool:
    """True if the viewer may see the rating; strangers see that of a season that is over if its board lists it."""
    if access.everything or access.player_id == player.pk:
        return True
    if board.over:
        return bool(rating.listed) and player.hidden_at is None
    return sees_live_rating(find_absence(rating, player, board, now), player, access)


def _best(text: str, match: CareerMatch, seasons: Mapping[int, _PlayedSeason]) -> Best:
    return Best(text, match.match_id, match.ended_at, seasons[match.season].board.season)


def _insights(board: Board, seasons: Mapping[int, _PlayedSeason], played: Sequence[CareerMatch]) -> Insights:
    """What the matches tell; a season without ratings tells no chances."""
    played = [
        match if seasons[match.season].board.mode.shows_rating else match._replace(chance=None) for match in played
    ]
    zone = ZoneInfo(board.mode.time_zone)

    def quarter(match: CareerMatch) -> int:
        return (match.started_at or match.ended_at).astimezone(zone).hour // 6

    def strength(match: CareerMatch) -> int | None:
        if match.chance is None or match.by_place:
            return None
        return 1 + (match.chance > 0.5 + EVEN) - (match.chance < 0.5 - EVEN)

    tables = [
        (gettext("By time of day"), _grouped(played, _HOURS, quarter)),
        (gettext("By opponents"), _grouped(played, _OPPONENTS, strength)),
        (gettext("Alone and in a party"), _grouped(played, _COMPANY, lambda match: int(bool(match.party)))),
    ]
    return Insights([table for table in tables if len(table[1]) > 1], board.mode.time_zone, board.mode.team_count > 2)


def _grouped(
    played: Iterable[CareerMatch], names: Sequence[str], group_of: Callable[[CareerMatch], int | None]
) -> list[Insight]:
    """Return the groups that have matches, in the order of their names."""
    groups: dict[int, list[CareerMatch]] = {}
    for match in played:
        if (group := group_of(match)) is not None:
            groups.setdefault(group, []).append(match)
    return [_insight(gettext(name), groups[index]) for index, name in enumerate(names) if index in groups]


def _insight(name: str, matches: Sequence[CareerMatch]) -> Insight:
    chances = [match.chance for match in matches if match.chance is not None and not match.by_place]
    expected = round(100 * fmean(chances)) if chances else None
    drawn = sum(match.outcome == Change.DRAW and not match.by_place for match in matches)
    return Insight(name, len(matches), sum(match.won for match in matches), drawn, expected)
