"""`/players/{id}/`: a player's standing in each mode, former names and achievements."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.achievements.showing import EarnedAchievement, find_earned
from leaderboards.api.standings import StandingSerializer, UnlistedSerializer
from leaderboards.boards.absence import Absence, absence_of, sees_live_rating
from leaderboards.boards.boards import board_of_rating
from leaderboards.boards.published import Standing, published_with, read_consistently
from leaderboards.profiles.profiles import find_ratings
from ranking.api.answers import rating_text
from ranking.api.base import ApiView, PlayersOnlyView, get_caller, read_access_of, sees_everything
from ranking.api.match_answers import WithPersonSerializer
from ranking.api.output import OutputSerializer
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.models import Mode, Player
from ranking.players.players import names_of
from ranking.players.visibility import revealed, shown


@dataclass(frozen=True, slots=True)
class PlayedMode:
    """What the caller may see of a player's rating in a mode; `row`: see `find_ratings`."""

    row: Any
    standing: Standing | None
    rating: str | None
    live_rating: str | None
    listed: int | None
    unlisted: Absence | None


class SeenAchievement(NamedTuple):
    """A player's achievement, with the number of its match if the caller may see it."""

    earned: EarnedAchievement
    match: int | None


@dataclass(frozen=True, slots=True)
class SeenPlayer:
    """What the caller may see of a player. `conduct`: the address of the caller's own conduct."""

    player: Player
    modes: Sequence[PlayedMode]
    achievements: Sequence[SeenAchievement]
    conduct: str = ""

    @property
    def names(self) -> list[str]:
        return names_of(self.player)


class PlayedModeSerializer(StandingSerializer[PlayedMode]):
    """A mode that somebody played this season, or brought a rating along for."""

    first = ("mode", "season")

    mode = serializers.CharField(source="row.mode.slug", help_text="Its slug.")
    season = serializers.IntegerField(source="row.season.number", help_text="Its number.")
    live_rating = serializers.CharField(
        allow_null=True,
        help_text="After their last match, published or not. Until somebody is placed, and while they are hidden from"
        " boards, only they see it, and keys with the scope ratings:hidden.",
    )
    listed = serializers.IntegerField(allow_null=True, help_text="Players on the board.")
    unlisted = UnlistedSerializer(allow_null=True, help_text="Null on the board, and in modes that have none.")
    wins = serializers.IntegerField(source="row.wins")
    draws = serializers.IntegerField(source="row.draws")
    losses = serializers.IntegerField(source="row.losses")
    leaves = serializers.IntegerField(source="row.leaves")
    podiums = serializers.IntegerField(
        source="row.podiums", help_text="Completed matches among the first three, from six teams on."
    )
    top_halves = serializers.IntegerField(
        source="row.top_halves", help_text="Completed matches in the better half of the places."
    )
    place_sum = serializers.IntegerField(
        source="row.place_sum", help_text="The places of all completed matches, added up."
    )
    last_match_at = serializers.DateTimeField(
        source="row.last_match_at", allow_null=True, help_text="Null if they only brought a rating along."
    )


class AchievementSerializer(OutputSerializer[SeenAchievement]):
    """Something that somebody achieved in a mode, once and for good."""

    mode = serializers.CharField(source="earned.mode.slug", help_text="Its slug.")
    key = serializers.CharField(source="earned.row.feat")
    name = serializers.CharField(source="earned.name")
    words = serializers.CharField(source="earned.words", help_text="What for.")
    earned_at = serializers.DateTimeField(source="earned.row.earned_at")
    match = serializers.IntegerField(
        allow_null=True,
        help_text="The site's own number of the match that earned it; null if the player hides their matches.",
    )


class PlayerSerializer(WithPersonSerializer[SeenPlayer]):
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
        return Response(PlayerSerializer.fill(_see(get_player(id), request)))


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
        return Response(OwnPlayerSerializer.fill(_see(player, request, conduct)))


def _see(player: Player, request: Request, conduct: str = "") -> SeenPlayer:
    now = timezone.now()
    modes = read_consistently(lambda: [_see_mode(rating, player, now, request) for rating in find_ratings(player)])
    every = find_earned(player, Mode.objects.filter(ranked=True))
    achievements = [_see_achievement(earned, player, request) for earned in every]
    return SeenPlayer(player, modes, achievements, conduct)


def _see_achievement(earned: EarnedAchievement, player: Player, request: Request) -> SeenAchievement:
    shows = player.shows_matches_to(read_access_of(request, earned.mode.slug))
    return SeenAchievement(earned, earned.row.match_id if shows else None)


def _see_mode(rating: Any, player: Player, now: dt.datetime, request: Request) -> PlayedMode:
    if sees_everything(request, rating.mode.slug):
        rating.mode = revealed(rating.mode)
    mode = rating.mode
    board, visible = board_of_rating(rating), shown(mode)
    published = published_with(rating, mode) if visible.rank else None
    value = rating.published_hundredths if rating.listed else None
    standing = published.standing(value) if published is not None and value is not None else None
    absence = absence_of(rating, player, mode, now) if visible.rank else None
    live = visible.rating and sees_live_rating(absence, player, read_access_of(request, mode.slug))
    return PlayedMode(
        row=rating,
        standing=standing,
        rating=rating_text(value, board.decimals) if standing and value is not None and visible.rating else None,
        live_rating=rating_text(rating.display_hundredths, board.decimals) if live else None,
        listed=None if published is None else len(published.table),
        unlisted=absence,
    )
