"""`/players/{id}/seasons/`: where a player ended a mode's archived seasons, newest first."""

from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.standings import StandingSerializer, standing_data
from leaderboards.seasons.past import SeasonResult, load_past_seasons
from ranking.api.answers import rating_text
from ranking.api.base import ApiView, read_access_of
from ranking.api.pagination import QuerySerializer, address_with, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.models import Mode
from ranking.modes.unknown_modes import unknown_mode
from ranking.validation.fields import KeyField

_SEASON = ("number", "name", "starts_at", "ends_at")
_COUNTS = ("matches", "wins", "draws", "losses", "leaves", "podiums", "top_halves", "place_sum")


class PlayerSeasonsQuery(QuerySerializer):
    mode = KeyField(max_length=50, help_text="Slug of the mode.")
    before = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="Only seasons with a lower number; from `next`."
    )


class PlayerSeasonSerializer(StandingSerializer):
    """Where a player ended a season that they played; the standing is null if they weren't on its final board."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    listed = serializers.IntegerField(allow_null=True, help_text="Players on the final board.")
    struck = serializers.BooleanField(help_text="Struck from the season by a moderator: no medal, no reward.")
    matches = serializers.IntegerField()
    wins = serializers.IntegerField()
    draws = serializers.IntegerField()
    losses = serializers.IntegerField()
    leaves = serializers.IntegerField()
    podiums = serializers.IntegerField(help_text="Completed matches among the first three, from six teams on.")
    top_halves = serializers.IntegerField(help_text="Completed matches in the better half of the places.")
    place_sum = serializers.IntegerField(help_text="The places of all completed matches, added up.")


class PlayerSeasonsView(ApiView):
    @documented(
        "A player's archived seasons in a mode, newest first",
        operation_id="list_player_seasons",
        description="The seasons that they played, as they ended; the running one is with the player. 404 for a player"
        " who is hidden, unless the caller is that player or sees everything.",
        answers={200: page_of("PlayerSeasonPage", PlayerSeasonSerializer(many=True))},
        problems=[400, 404],
        query=PlayerSeasonsQuery,
    )
    def get(self, request: Request, id: str) -> Response:
        asked = read_query(request, PlayerSeasonsQuery)
        player, access = get_player(id), read_access_of(request, asked["mode"])
        if player.hidden_at is not None and not access.everything and access.player_id != player.pk:
            raise NotFound(f"{id!r} is hidden.")
        mode = Mode.objects.filter(slug=asked["mode"]).first()
        if mode is None:
            raise NotFound(unknown_mode(asked["mode"]))
        past = load_past_seasons(player, mode, access, before=asked.get("before"))
        response = page_response(request, map(_season_data, past.lines), None)
        response.data["next"] = address_with(request, "before", str(past.before or ""))
        return response


def _season_data(line: SeasonResult) -> dict[str, Any]:
    board, standing, rating = line.board, line.standing, line.rating
    visible = standing is not None and board.mode.shows_rating
    return {
        **{name: getattr(board.season, name) for name in _SEASON},
        **standing_data(standing, rating_text(rating.published_hundredths, board.decimals) if visible else None),
        "listed": None if standing is None else standing.listed,
        "struck": line.struck,
        **{name: getattr(rating, name) for name in _COUNTS},
    }
