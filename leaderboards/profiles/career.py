"""A player's career in a mode: best rank and rating ever, and how they fare by time of day, opponents, and company.

Only the newest MATCHES rated matches count, over all seasons, so that the cost is the same however long somebody has
played.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q

from leaderboards.boards.absence import sees_live_rating
from leaderboards.boards.boards import BEGUN, Board, board_of_rating, ratings_with_boards
from leaderboards.profiles.profiles import choose, find_absence, find_last_rating, find_ratings
from leaderboards.rules.highlights import LEFT, WIN, since_placement
from leaderboards.seasons.past import PastSeasons, load_past_seasons
from ranking.models import Change, Player, Rating, ReadAccess, Season, Void
from ranking.rules.shares import percent_of
from ranking.standings.placement import placement_of
from ranking.wording.translation import gettext, gettext_noop, number_text

MATCHES = 10_000
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

    None where no chance is known, or where the mode shows no ratings.
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


@dataclass(frozen=True, slots=True)
class Career:
    """What the page shows. `insights` is None if the player keeps their matches to themselves, or has none.

    `limit`: only so many of the newest matches count; None if all do.
    """

    player: Player
    ratings: Sequence[Any]
    board: Board
    seasons: PastSeasons
    matches: int = 0
    rating: Best | None = None
    rank: Best | None = None
    insights: Insights | None = None
    hidden: bool = False
    limit: int | None = None


def load_career(player: Player, slug: str, *, access: ReadAccess, now: dt.datetime) -> Career | None:
    """Return a player's career in a ranked mode; None if they never played it. Nine queries at most."""
    ratings = find_ratings(player)
    latest = choose(ratings, slug) or find_last_rating(player, slug)
    if latest is None or not latest.mode.ranked:
        return None
    board = board_of_rating(latest)
    seasons = load_past_seasons(player, board.mode, access)
    if not player.shows_matches_to(access):
        return Career(player, ratings, board, seasons, hidden=True)
    played = _read_matches(latest)
    rating, rank = _bests(player, board, played, access, now)
    return Career(
        player, ratings, board, seasons, len(played), rating, rank, _insights(board, played) if played else None,
        limit=MATCHES if len(played) == MATCHES else None,
    )  # fmt: skip


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


def _bests(
    player: Player, board: Board, played: Sequence[CareerMatch], access: ReadAccess, now: dt.datetime
) -> tuple[Best | None, Best | None]:
    """The best rating, from the match on that placed the player, and the best rank: two queries.

    A season counts if the viewer may see the player's rating in it.
    """
    by_season: dict[int, list[CareerMatch]] = {}
    for match in played:
        by_season.setdefault(match.season, []).append(match)
    own = Rating.objects.filter(BEGUN, player=player, mode=board.mode, season__in=[*by_season])
    seasons: dict[int, Season] = {}
    placed: list[CareerMatch] = []
    ranked: list[CareerMatch] = []
    for rating in ratings_with_boards(own):
        season_board = board_of_rating(rating)
        if not _sees_rating(rating, player, season_board, access, now):
            continue
        matches = by_season[rating.season_id]
        seasons[rating.season_id] = season_board.season
        placed += since_placement(matches, placement_of(rating, board.mode))
        ranked += [match for match in matches if match.rank is not None]
    peak = max(placed, key=lambda match: match.after, default=None) if board.mode.shows_rating else None
    best = min(ranked, key=lambda match: match.rank or 0, default=None)
    return (
        None if peak is None else _best(board.rating_text(peak.after), peak, seasons),
        None if best is None else _best(f"#{number_text(best.rank or 0)}", best, seasons),
    )


def _sees_rating(rating: Any, player: Player, board: Board, access: ReadAccess, now: dt.datetime) -> bool:
    """True if the viewer may see the rating; strangers see that of a season that is over if its board lists it."""
    if access.everything or access.player_id == player.pk:
        return True
    if board.over:
        return bool(rating.listed) and player.hidden_at is None
    return sees_live_rating(find_absence(rating, player, board, now), player, access)


def _best(text: str, match: CareerMatch, seasons: dict[int, Season]) -> Best:
    return Best(text, match.match_id, match.ended_at, seasons[match.season])


def _insights(board: Board, played: Sequence[CareerMatch]) -> Insights:
    zone = ZoneInfo(board.mode.time_zone)
    shows = board.mode.shows_rating

    def quarter(match: CareerMatch) -> int:
        return (match.started_at or match.ended_at).astimezone(zone).hour // 6

    def strength(match: CareerMatch) -> int | None:
        if match.chance is None or match.by_place or not shows:
            return None
        return 1 + (match.chance > 0.5 + EVEN) - (match.chance < 0.5 - EVEN)

    tables = [
        (gettext("By time of day"), _grouped(played, _HOURS, quarter, shows)),
        (gettext("By opponents"), _grouped(played, _OPPONENTS, strength, shows)),
        (gettext("Alone and in a party"), _grouped(played, _COMPANY, lambda match: int(bool(match.party)), shows)),
    ]
    return Insights([table for table in tables if len(table[1]) > 1], board.mode.time_zone, board.mode.team_count > 2)


def _grouped(
    played: Iterable[CareerMatch], names: Sequence[str], group_of: Callable[[CareerMatch], int | None], shows: bool
) -> list[Insight]:
    """Return the groups that have matches, in the order of their names."""
    groups: dict[int, list[CareerMatch]] = {}
    for match in played:
        if (group := group_of(match)) is not None:
            groups.setdefault(group, []).append(match)
    return [_insight(gettext(name), groups[index], shows) for index, name in enumerate(names) if index in groups]


def _insight(name: str, matches: Sequence[CareerMatch], shows: bool) -> Insight:
    chances = [match.chance for match in matches if match.chance is not None and not match.by_place]
    expected = round(100 * fmean(chances)) if chances and shows else None
    drawn = sum(match.outcome == Change.DRAW and not match.by_place for match in matches)
    return Insight(name, len(matches), sum(match.won for match in matches), drawn, expected)
