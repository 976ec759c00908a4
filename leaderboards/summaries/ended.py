"""Where a player stands in a season: at its end if it is over, else as published; and their matches in it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Exists, F, FilteredRelation, Q, QuerySet

from leaderboards.boards.absence import Absence, absence_of, missed, sees_live_rating
from leaderboards.boards.boards import BEGUN, Board, board_of_rating, ratings_with_boards
from leaderboards.boards.published import Standing, published_with
from leaderboards.boards.rows import published_value
from leaderboards.display.medals import medal_of
from leaderboards.rules.highlights import PlayedMatch
from ranking.models import Change, Player, Rating, ReadAccess
from ranking.rules.shares import percent_of
from ranking.seasons.strikes import strike_in_force

MATCHES = 1_000  # the newest are read, so that a page costs the same however many somebody has played


@dataclass(frozen=True, slots=True)
class SeasonStanding:
    """A player's standing in a season. `standing` is None if they aren't on its board; `absence` says why.

    `shows_matches`: the viewer may see their matches and ratings of that season.
    """

    player: Player
    board: Board
    rating: Any
    standing: Standing | None
    rating_text: str
    absence: Absence | None
    shows_matches: bool

    @property
    def medal(self) -> int | None:
        """The rank, if it won a medal; only an archived season has some."""
        return medal_of(self.standing and self.standing.rank, struck=self.struck) if self.board.over else None

    @property
    def won_percent(self) -> int | None:
        """The share of matches that were won; whoever left one hasn't won it."""
        return percent_of(self.rating.wins, self.rating.matches)

    @property
    def struck(self) -> bool:
        """True if a moderator struck the player from the season."""
        return bool(self.rating.struck)


def find_season_standing(
    player: Player, slug: str, number: int, access: ReadAccess, now: dt.datetime
) -> SeasonStanding | None:
    """Return the standing; None if the player didn't play in that season, or is hidden from the viewer.

    One query, one more for a rank table that isn't cached, one for bans of who isn't listed. Raise Superseded.
    """
    if player.hidden_at is not None and not access.everything and access.player_id != player.pk:
        return None
    played = Rating.objects.filter(BEGUN, player=player, mode__slug=slug, season__number=number)
    rating = ratings_with_boards(played.annotate(struck=Exists(strike_in_force()))).first()
    board = None if rating is None else board_of_rating(rating)
    if rating is None or board is None or not board.mode.ranked:
        return None
    published = published_with(rating, board.mode)
    value = published_value(rating) if rating.listed and published is not None else None
    absence = None if value is not None else _absence(rating, player, board, now)
    shows = player.shows_matches_to(access) and sees_live_rating(absence, player, access)
    standing = None if value is None or published is None else published.standing(value)
    text = "" if value is None else board.rating_text(value)
    return SeasonStanding(player, board, rating, standing, text, absence, shows)


def _absence(rating: Any, player: Player, board: Board, now: dt.datetime) -> Absence | None:
    return missed(rating, board) if board.over else absence_of(rating, player, board.mode, now)


class OtherStep(NamedTuple):
    """A step of a season that was no match: a forfeit, the reset by which the player entered, a rating brought
    along.
    """

    event: int
    kind: str
    after: int
    ended_at: dt.datetime


def read_curve(place: SeasonStanding, played: Sequence[PlayedMatch]) -> list[PlayedMatch | OtherStep]:
    """Return these matches of the season, which are oldest first, and the steps among them: one query.

    What comes before the oldest match is left out if not all matches are given.
    """
    steps = _changes(place).exclude(kind=Change.MATCH)
    if len(played) == MATCHES:
        steps = steps.filter(event__gt=played[0].event)
    rows = steps.order_by("-event", "-pk").values_list("event", "kind", "display_after", "event__happened_at")
    return sorted([*played, *(OtherStep(*row) for row in rows[:MATCHES])], key=lambda step: step.event)


def read_matches(place: SeasonStanding) -> list[PlayedMatch]:
    """Return the newest MATCHES rated matches of the season, oldest first: one query."""
    changes = _changes(place).filter(kind=Change.MATCH)
    mine = FilteredRelation("match__participations", condition=Q(match__participations__player=place.player.pk))
    part = {"rank": F("mine__rank_after"), "place": F("mine__place"), "places": F("mine__places"),
            "brief": F("mine__brief")}  # fmt: skip
    rows = changes.annotate(mine=mine).annotate(**part).order_by("-event")
    columns = (
        "match", "outcome", "display_before", "display_after", "win_probability", "rank", "match__ended_at",
        "match__variant", "place", "places", "event", "brief",
    )  # fmt: skip
    newest = [PlayedMatch(*row) for row in rows.values_list(*columns)[:MATCHES]]
    return newest[::-1]


def _changes(place: SeasonStanding) -> QuerySet[Change]:
    """The player's rows of the ledger in the season."""
    rating = place.rating
    live = Change.objects.live(place.board.mode.generation)
    return live.filter(player=rating.player_id, mode=rating.mode_id, season=rating.season_id)
