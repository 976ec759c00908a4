"""What happened lately: the latest matches over all modes, in which players who hide have no name, and achievements of
friends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from django.db.models import BigIntegerField

from leaderboards.achievements.showing import EarnedAchievement, find_latest
from leaderboards.boards.boards import Board
from leaderboards.display.numbers import Delta, place_text, rating_delta
from leaderboards.models.friends import on_friends_board_of
from leaderboards.postgame.outcomes import places_shown, roster, score_text, team_name
from ranking.database.prepared_queries import InPlaceholder, Placeholder, PreparedModels, prepare_models
from ranking.models import Change, Match, Participation, Player
from ranking.wording.translation import gettext, pgettext

LATEST = 6
NAMES = 6  # of a team; more are counted
MOST_NEWS = 6  # achievements of friends


@dataclass(frozen=True, slots=True)
class ResultSide:
    """A team; `players`: None for each who hides. `more`: how many others. `name`: empty if it would tell who hides."""

    name: str
    score: str
    first: bool
    players: list[Player | None]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A match in a few lines: its two sides, or the winners if there are more. `own`: the viewer played it."""

    match: Match
    sides: list[ResultSide]
    own: bool = False


@dataclass(frozen=True, slots=True)
class OwnResult:
    """The viewer's last match. `outcome`: a change's, or empty; `word`: the result in a word, or a place."""

    result: Result
    word: str
    outcome: str
    change: Delta | None


def load_latest(viewer: Player | None, boards: Sequence[Board]) -> tuple[list[Result], OwnResult | None]:
    """Return the latest matches, and the last of the viewer's.

    Two queries, two more for a player. `boards`: of the current seasons, by which the viewer's rating is shown.
    """
    latest = _latest().objects()
    own = None if viewer is None else _last_of_player().first(player=viewer.pk)
    matches = {match.pk: match for match in (*latest, *([own] if own else []))}
    parts: dict[int, list[Participation]] = {pk: [] for pk in matches}
    for part in _parts().objects(matches=matches):
        parts[part.match_id].append(part)
    results = [_result(match, parts[match.pk], viewer) for match in latest]
    if own is None or viewer is None:
        return results, None
    return results, _own(own, parts[own.pk], viewer, boards)


@cache
def _latest() -> PreparedModels[Match]:
    return prepare_models(Match.objects.select_related("mode").order_by("-id")[:LATEST])


@cache
def _last_of_player() -> PreparedModels[Match]:
    own = Match.objects.filter(participations__player=Placeholder("player", BigIntegerField()))
    return prepare_models(own.select_related("mode").order_by("-id")[:1])


@cache
def _parts() -> PreparedModels[Participation]:
    parts = Participation.objects.filter(InPlaceholder("match", "matches", BigIntegerField()))
    return prepare_models(parts.select_related("player").order_by("team", "slot"))


def _result(match: Match, parts: Sequence[Participation], viewer: Player | None) -> Result:
    places = places_shown(match, parts)
    sides = [_side(match, parts, index, place == 1, viewer) for index, place in enumerate(places)]
    own = viewer is not None and any(part.player_id == viewer.pk for part in parts)
    return Result(match, sides if len(sides) == 2 else [side for side in sides if side.first], own)


def _side(match: Match, parts: Sequence[Participation], index: int, first: bool, viewer: Player | None) -> ResultSide:
    players = [shown_to(viewer, part.player) for part in roster(parts, index)]
    alone = len(players) == 1 and not match.teams[index]["name"]
    name = "" if alone else team_name(match, parts, index)
    return ResultSide(name, score_text(match, index), first, players[:NAMES], max(0, len(players) - NAMES))


def shown_to(viewer: Player | None, player: Player) -> Player | None:
    """Return a player whom a list of matches may name; None for who hides their matches, or is hidden."""
    own = viewer is not None and player.pk == viewer.pk
    return player if own or not (player.hides_matches or player.hidden_at) else None


def _own(match: Match, parts: Sequence[Participation], viewer: Player, boards: Sequence[Board]) -> OwnResult:
    mode = match.mode
    board = next((board for board in boards if board.mode.pk == mode.pk), None)
    change = Change.objects.live(mode.generation).filter(match=match, player=viewer).first()
    own = next(part for part in parts if part.player_id == viewer.pk)
    outcome = change.outcome if change is not None else ""
    words = {
        Change.WIN: gettext("Victory"),
        Change.DRAW: gettext("Draw"),
        Change.LOSS: gettext("Defeat"),
        Change.LEFT: gettext("You left early"),
    }
    word = words.get(outcome, pgettext("match", "Void") if match.is_void else gettext("Being rated"))
    if own.places is not None and own.places > 2 and own.place is not None and outcome != Change.LEFT:
        word, outcome = place_text(own.place, own.places), "upper" if 2 * own.place <= own.places else "lower"
    shown = change is not None and board is not None and mode.ranked and mode.shows_rating
    delta = (
        rating_delta(change.display_before, change.display_after, board.decimals)
        if shown and change is not None and board is not None
        else None
    )
    return OwnResult(_result(match, parts, viewer), word, outcome, delta)


def find_friends_news(viewer: Player) -> list[EarnedAchievement]:
    """Return the last achievements of followed players who don't hide from friends boards. One query.

    Of a player's achievements of one series, such as tiers, only the last is news.
    """
    friends = on_friends_board_of(viewer.pk).filter(hidden_at__isnull=True).exclude(pk=viewer.pk)
    news: dict[tuple[int, int, str], EarnedAchievement] = {}
    for earned in find_latest(friends, most=3 * MOST_NEWS):
        news.setdefault((earned.row.player_id, earned.row.mode_id, earned.kind.series), earned)
    return list(news.values())[:MOST_NEWS]
