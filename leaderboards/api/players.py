"""`/players/{id}/`: a player's standing in each mode, former names and achievements."""

import datetime as dt
from typing import Any

from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.achievements.showing import EarnedAchievement, find_earned
from leaderboards.api.standings import StandingSerializer, UnlistedSerializer, absence_data, standing_data
from leaderboards.boards.absence import absence_of, sees_live_rating
from leaderboards.boards.boards import board_of_rating
from leaderboards.boards.published import published_with, read_consistently
from leaderboards.profiles.profiles import find_ratings
from ranking.api.answers import rating_text
from ranking.api.base import ApiView, PlayersOnlyView, get_caller, read_access_of, sees_everything
from ranking.api.match_answers import PersonSerializer
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.models import Mode, Player
from ranking.players.players import names_of
from ranking.players.visibility import revealed, shown

_COUNTS = ("wins", "draws", "losses", "leaves", "podiums", "top_halves", "place_sum", "last_match_at")


class PlayedModeSerializer(StandingSerializer):
    """A mode that somebody played this season, or brought a rating along for."""

    mode = serializers.CharField(help_text="Its slug.")
    season = serializers.IntegerField(help_text="Its number.")
    live_rating = serializers.CharField(
        allow_null=True,
        help_text="After their last match, published or not. Until somebody is placed, and while they are hidden from"
        " boards, only they see it, and keys with the scope ratings:hidden.",
    )
    listed = serializers.IntegerField(allow_null=True, help_text="Players on the board.")
    unlisted = UnlistedSerializer(allow_null=True, help_text="Null on the board, and in modes that have none.")
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()
    leaves = serializers.IntegerField()
    podiums = serializers.IntegerField(help_text="Completed matches among the first three, from six teams on.")
    top_halves = serializers.IntegerField(help_text="Completed matches in the better half of the places.")
    place_sum = serializers.IntegerField(help_text="The places of all completed matches, added up.")
    last_match_at = serializers.DateTimeField(allow_null=True, help_text="Null if they only brought a rating along.")


class AchievementSerializer(serializers.Serializer[Any]):
    """Something that somebody achieved in a mode, once and for good."""

    mode = serializers.CharField(help_text="Its slug.")
    key = serializers.CharField()
    name = serializers.CharField()
    words = serializers.CharField(help_text="What for.")
    earned_at = serializers.DateTimeField()
    match = serializers.IntegerField(
        allow_null=True,
        help_text="The site's own number of the match that earned it; null if the player hides their matches.",
    )


class PlayerSerializer(PersonSerializer):
    names = serializers.ListField(child=serializers.CharField(), help_text="Former names, the latest first.")
    modes = PlayedModeSerializer(many=True, help_text="The one played last first.")
    achievements = AchievementSerializer(many=True)


class PlayerView(ApiView):
    @documented(
        "A player",
        operation_id="get_player",
        description="How they stand in each mode that they played this season: as published, and live.",
        answers={200: PlayerSerializer},
        problems=[400, 404],
    )
    def get(self, request: Request, id: str) -> Response:
        return Response(_player_data(get_player(id), request))


class OwnPlayerSerializer(PlayerSerializer):
    conduct = serializers.URLField(help_text="Address of `players/{id}/conduct/`: may they queue, and if not, why.")


class OwnPlayerView(PlayersOnlyView):
    """The caller themself, by a token or by the account that is logged in."""

    @documented(
        "The player who calls",
        operation_id="get_own_player",
        description="What `players/{id}/` shows, of the player whose token or account calls.",
        answers={200: OwnPlayerSerializer},
        problems=[400, 403],
    )
    def get(self, request: Request) -> Response:
        player = get_caller(request)
        conduct = request.build_absolute_uri(reverse("api:conduct", args=[player.key]))
        return Response({**_player_data(player, request), "conduct": conduct})


def _player_data(player: Player, request: Request) -> dict[str, Any]:
    now = timezone.now()
    modes = read_consistently(lambda: [_mode_data(rating, player, now, request) for rating in find_ratings(player)])
    every = find_earned(player, Mode.objects.filter(ranked=True))
    achieved = [_achievement_data(earned, player, request) for earned in every]
    about = {"id": player.key, "name": player.name, "names": names_of(player)}
    return {**about, "modes": modes, "achievements": achieved}


def _achievement_data(earned: EarnedAchievement, player: Player, request: Request) -> dict[str, Any]:
    row, shows = earned.row, player.shows_matches_to(read_access_of(request, earned.mode.slug))
    return {
        "mode": earned.mode.slug,
        "key": row.feat,
        "name": earned.name,
        "words": earned.words,
        "earned_at": row.earned_at,
        "match": row.match_id if shows else None,
    }


def _mode_data(rating: Any, player: Player, now: dt.datetime, request: Request) -> dict[str, Any]:
    if sees_everything(request, rating.mode.slug):
        rating.mode = revealed(rating.mode)
    mode = rating.mode
    board, visible = board_of_rating(rating), shown(mode)
    published = published_with(rating, mode) if visible.rank else None
    value = rating.published_hundredths if rating.listed else None
    standing = published.standing(value) if published is not None and value is not None else None
    absence = absence_of(rating, player, mode, now) if visible.rank else None
    live = visible.rating and sees_live_rating(absence, player, read_access_of(request, mode.slug))
    return {
        "mode": mode.slug,
        "season": rating.season.number,
        **standing_data(standing, rating_text(value, board.decimals) if visible.rating and value is not None else None),
        "live_rating": rating_text(rating.display_hundredths, board.decimals) if live else None,
        "listed": None if published is None else len(published.table),
        "unlisted": absence and absence_data(absence),
        **{name: getattr(rating, name) for name in _COUNTS},
    }
