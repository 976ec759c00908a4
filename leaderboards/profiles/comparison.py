"""Two players side by side in a mode: standing, both curves in one chart, and their matches against each other."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leaderboards.boards.absence import Absence, absence_of, sees_live_rating
from leaderboards.boards.boards import Board, board_of_rating
from leaderboards.boards.last_changes import read_changes, with_last_changes
from leaderboards.boards.positions import LONGEST_KEY
from leaderboards.boards.published import Standing, published_with, read_consistently
from leaderboards.profiles._compared_curves import ComparedCurves, compare_curves
from leaderboards.profiles.meetings import MOST, Meeting, find_meetings
from leaderboards.profiles.profiles import find_ratings
from ranking.models import STRANGER, Mode, Player, Rating, ReadAccess

if TYPE_CHECKING:
    from leaderboards.boards.boards import RatingWithBoard

SHOWN = 10  # of the meetings
MAPS = 3  # of those they met on


@dataclass(frozen=True, slots=True)
class ComparedPlayer:
    """One of the two players. `wins`: how often they came ahead of the other. `live_rating`: shown with curves only.

    `form`: the outcomes of the last matches, oldest first; empty with more than two teams, and if they are hidden.
    """

    player: Player
    rating: RatingWithBoard
    standing: Standing | None
    published_rating: str
    live_rating: str
    absence: Absence | None
    wins: int
    form: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CommonMap:
    """A map on which they met, and how often each of the two came ahead of the other there."""

    variant: str
    met: int
    wins: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the template shows. `board` is None if both have played no mode this season in common.

    `maps`: those they met on most often. `capped`: only the last meetings are counted. `hiding`: the players who hide
    their matches from the viewer; then there are no curves, and no meetings, unless the viewer is the other player
    (`shows_meetings`). `off_board`: the players whose live rating the viewer may not see, nor its curve.
    """

    players: tuple[Player, Player]
    modes: list[Mode]
    board: Board | None = None
    sides: tuple[ComparedPlayer, ...] = ()
    meetings: Sequence[Meeting] = ()
    met: int = 0
    even: int = 0
    maps: Sequence[CommonMap] = ()
    capped: bool = False
    curves: ComparedCurves | None = None
    hiding: tuple[Player, ...] = ()
    shows_meetings: bool = True
    off_board: tuple[Player, ...] = ()

    @property
    def ranked(self) -> bool:
        """True if one of the two is on the board."""
        return any(side.standing is not None for side in self.sides)


def splits(text: str) -> list[tuple[str, str]]:
    """Return the pairs of keys that "a/b" may mean: a key may hold slashes itself, but has at most LONGEST_KEY
    characters, so a longer text costs no more than one of two such keys.
    """
    first, last = len(text) - 1 - LONGEST_KEY, LONGEST_KEY  # where the slash between the keys may be
    cuts = [at for at in range(max(first, 0), min(last + 1, len(text))) if text[at] == "/"]
    return [(text[:cut], text[cut + 1 :]) for cut in cuts]


def find_pair(text: str) -> tuple[Player, Player] | None:
    """Return the two players whose keys an address names: one query, or none if no two keys are so long."""
    pairs = splits(text.replace("\0", "\ufffd"))
    rows = Player.objects.select_related("merged_into").filter(key__in={key for pair in pairs for key in pair})
    known = {player.key: player.owner for player in rows}
    return next(((known[a], known[b]) for a, b in pairs if a in known and b in known and known[a] != known[b]), None)


def compare_players(
    first: Player, second: Player, slug: str, *, by: str = "", access: ReadAccess = STRANGER, now: dt.datetime
) -> Comparison:
    """Compare two players in the mode asked for, by default the one that either played last of those that both play.

    `by`: what their curves go by, BY_MATCH or BY_DAY of leaderboards.profiles._compared_curves.
    """
    return read_consistently(lambda: _compare((first, second), slug, by, access, now))


def _compare(players: tuple[Player, Player], slug: str, by: str, access: ReadAccess, now: dt.datetime) -> Comparison:
    ratings = [rating for rating in find_ratings(*players) if rating.mode.ranked]
    first, second = ({r.mode: r for r in ratings if r.player_id == player.pk} for player in players)
    modes = [mode for mode in dict.fromkeys(rating.mode for rating in ratings) if mode in first and mode in second]
    mode = next((mode for mode in modes if mode.slug == slug), modes[0] if modes else None)
    if mode is None:
        return Comparison(players, modes)
    board = board_of_rating(first[mode])
    hiding = tuple(player for player in players if not player.shows_matches_to(access))
    shows_meetings = not hiding or access.player_id in {player.pk for player in players}  # one's own matches, too
    meetings = find_meetings(*players, mode) if shows_meetings else []
    pairs = list(zip(players, (first[mode], second[mode]), strict=True))
    forms = _forms_of(board, [rating for player, rating in pairs if player not in hiding])
    sides = tuple(
        _side(player, rating, board, sum(meeting.ahead == index for meeting in meetings), forms.get(player.pk, ()), now)
        for index, (player, rating) in enumerate(pairs)
    )
    off_board = tuple(side.player for side in sides if not sees_live_rating(side.absence, side.player, access))
    curves = None
    if mode.shows_rating and not hiding and not off_board:
        curves = compare_curves(board, first[mode], second[mode], by)
    return Comparison(
        players=players,
        modes=modes,
        board=board,
        sides=sides,
        meetings=meetings[:SHOWN],
        met=len(meetings),
        even=sum(meeting.even for meeting in meetings),
        maps=_common_maps(meetings),
        capped=len(meetings) == MOST,
        curves=curves,
        hiding=hiding,
        shows_meetings=shows_meetings,
        off_board=off_board if mode.shows_rating else (),
    )


def _common_maps(meetings: Sequence[Meeting]) -> list[CommonMap]:
    met = Counter(meeting.match.variant for meeting in meetings if meeting.match.variant)
    ahead = Counter((meeting.match.variant, meeting.ahead) for meeting in meetings)
    return [CommonMap(name, number, (ahead[name, 0], ahead[name, 1])) for name, number in met.most_common(MAPS)]


def _forms_of(board: Board, ratings: Sequence[Rating]) -> dict[int, list[str]]:
    """The outcomes of the last matches behind these ratings, by the player's id: one query, none with more teams."""
    if board.mode.team_count > 2:
        return {}
    rows: Any = Rating.objects.filter(pk__in=[rating.pk for rating in ratings])
    columns = with_last_changes(rows, board.mode, board.season, board.mode.generation).values_list(
        "player", "display_hundredths", "last_changes"
    )
    return {player: read_changes(changes, display)[1] for player, display, changes in columns}


def _side(
    player: Player, rating: RatingWithBoard, board: Board, wins: int, form: Sequence[str], now: dt.datetime
) -> ComparedPlayer:
    shown = published_with(rating, board.mode)
    value = rating.published_hundredths if rating.listed and shown is not None else None
    return ComparedPlayer(
        player=player,
        rating=rating,
        standing=None if value is None or shown is None else shown.standing(value),
        published_rating="" if value is None else board.rating_text(value),
        live_rating=board.rating_text(rating.display_hundredths),
        absence=absence_of(rating, player, board.mode, now),
        wins=wins,
        form=form,
    )
